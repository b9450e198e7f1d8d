"""The options that say which equivalents are substituted in references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from corpusdb.cli.program.invocation import Invocation
from corpusdb.errors import DatabaseMissing, InputError, UsageError

if TYPE_CHECKING:
    from corpusdb.formats import ReferenceSet
    from corpusdb.queries.substitution.derivation import Derivation
    from corpusdb.queries.substitution.recipe import SubstitutionRecipe
    from corpusdb.queries.substitution.reference_equivalents import ReferenceEquivalents

__all__ = ["EquivalentChoice", "derivation_of", "derived", "language_of_references", "recipe_of"]

_LEFT_OUT: Final = {"drop": "closed", "prepositions": "prepositions", "keep": "nothing"}


@dataclass(frozen=True, kw_only=True)  # without slots, so that it can stand beside other options
class EquivalentChoice:
    """Which equivalents are put into references; the defaults were chosen on one test set, see the guide."""

    equivalents_from: Annotated[
        Literal["bitext", "corpus"],
        typer.Option(
            "--equivalents-from", help="From aligning --source and --ref, or from what `align` aligned in the database."
        ),
    ] = "bitext"
    substitutions: Annotated[str, typer.Option(metavar="N", help="Equivalents put in at a time: 1, 2 ... or any.")] = (
        "any"
    )
    links: Annotated[
        Literal["intersection", "grow-diag-final-and"],
        typer.Option(help="Which links of the alignment phrases are taken from."),
    ] = "intersection"
    closed_class: Annotated[
        Literal["drop", "prepositions", "keep"],
        typer.Option(help="Whether the, of, she ... have equivalents; prepositions drops only these."),
    ] = "drop"
    min_count: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="How often both are seen with one source phrase: 2; corpus 3.", show_default=False
        ),
    ] = None
    min_pivot: Annotated[
        float | None,
        typer.Option(
            metavar="P", min=0, max=1, help="Least p(equivalent | phrase): 0.1 if not given.", show_default=False
        ),
    ] = None
    min_cover: Annotated[
        float | None,
        typer.Option(
            metavar="P", min=0, max=1, help="Least part of what a source phrase is, of both: 0.75.", show_default=False
        ),
    ] = None
    min_languages: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Least languages of the corpus that show it; of equivalents 2 if not given.",
            show_default=False,
        ),
    ] = None
    context_words: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            max=3,
            help="Words in a row that must be seen where it is put in: 2; corpus 3.",
            show_default=False,
        ),
    ] = None
    anywhere: Annotated[bool, typer.Option("--anywhere", help="Put in without regard to the words around.")] = False
    with_parts: Annotated[
        bool, typer.Option("--with-parts", help="Also what holds the phrase or is part of it: first, first time.")
    ] = False
    with_forms: Annotated[
        bool, typer.Option("--with-forms", help="Also other forms and other names: year, years; May, month.")
    ] = False
    best_only: Annotated[
        bool, typer.Option("--best-only", help="Of each phrase only the most probable equivalent.")
    ] = False
    with_rejected: Annotated[
        bool, typer.Option("--with-rejected", help="Also what was rejected in the database, see `rejections`.")
    ] = False
    tokenise_source: Annotated[
        Literal["none", "13a", "intl", "char", "ja-mecab", "zh", "ja-sudachi", "ja-sudachi-pos"] | None,
        typer.Option(help="How words of the source are told apart; none: by spaces.", show_default=False),
    ] = None


def recipe_of(options: EquivalentChoice) -> SubstitutionRecipe:
    """The recipe that the options ask for; what was rejected in a database is not in it, see derivation_of.

    Raises UsageError for substitutions that are no number, and for what makes no sense together.
    """
    from corpusdb.queries.substitution.recipe import CORPUS, SubstitutionRecipe, parse_substitutions

    is_corpus = options.equivalents_from == "corpus"
    if options.anywhere and options.context_words is not None:
        raise UsageError("--anywhere asks for no context, and --context-words for one")
    if options.min_languages is not None and not is_corpus:
        raise UsageError("--min-languages is for --equivalents-from corpus: the source is in one language")
    if is_corpus and (options.tokenise_source, options.links, options.min_cover) != (None, "intersection", None):
        raise UsageError("--equivalents-from corpus aligns no source: no --tokenise-source, --links or --min-cover")
    usual = CORPUS if is_corpus else SubstitutionRecipe()
    context = usual.context if options.context_words is None else options.context_words
    return SubstitutionRecipe(
        origin=options.equivalents_from,
        links=options.links,
        left_out=_LEFT_OUT[options.closed_class],  # type: ignore[arg-type]
        min_count=usual.min_count if options.min_count is None else options.min_count,
        min_pivot=usual.min_pivot if options.min_pivot is None else options.min_pivot,
        min_cover=usual.min_cover if options.min_cover is None else options.min_cover,
        min_languages=usual.min_languages if options.min_languages is None else options.min_languages,
        context=0 if options.anywhere else context,
        with_parts=options.with_parts,
        with_forms=options.with_forms,
        best_only=options.best_only,
        most=parse_substitutions(options.substitutions),
    )


def _recipe_for(invocation: Invocation, options: EquivalentChoice, language: str) -> SubstitutionRecipe:
    """The recipe that the options ask for, and what was rejected of this language in the database, if there is one.

    Raises as recipe_of does, and DatabaseMissing where a database that was named, or is needed, is not there.
    """
    recipe = recipe_of(options)
    if recipe.origin == "corpus" and not invocation.path.exists():
        reason = "there is no such database, and --equivalents-from corpus takes what `corpusdb align` aligned in one"
        raise DatabaseMissing(f"{reason}; without it the bitext alone is used, and no database", path=invocation.path)
    if options.with_rejected or (invocation.chosen is None and not invocation.path.exists()):
        return recipe
    from corpusdb.queries.alignment.phrases.rejections import rejections

    with invocation.reading() as store:
        rejected = rejections(store, language)
    if rejected:
        pairs = "1 pair" if len(rejected) == 1 else f"{len(rejected):,} pairs"
        invocation.say(f"{pairs} rejected in {invocation.path} cannot be put in; --with-rejected takes them, too")
    return replace(recipe, rejected=rejected)


def derivation_of(invocation: Invocation, options: EquivalentChoice, language: str) -> Derivation:
    """How the options make equivalents for references in a language. Raises as recipe_of does, and DatabaseMissing
    where a database that was named, or is needed, is not there.
    """
    from corpusdb.queries.substitution.derivation import Derivation

    return Derivation(language, _recipe_for(invocation, options, language), options.tokenise_source)


def derived(
    invocation: Invocation,
    sets: Sequence[ReferenceSet],
    made_by: Derivation,
    *others: SubstitutionRecipe,
) -> ReferenceEquivalents:
    """The equivalents of references by a derivation, and for ``others``, from the sources or the database.

    The progress is shown, and what is to be known of the texts is said.
    """
    from corpusdb.queries.substitution.bitext_equivalents import bitext_notes, closed_class_notes
    from corpusdb.queries.substitution.derivation import derived_equivalents

    links = [each.links for each in others]
    for note in closed_class_notes(made_by.language, made_by.recipe):
        invocation.say(note)
    if made_by.recipe.origin == "corpus":
        with invocation.reading() as store:
            return invocation.run(derived_equivalents(store, sets, made_by), resumes=False)
    for note in bitext_notes(sets, made_by.tokenise_source):
        invocation.say(note)
    return invocation.run(derived_equivalents(None, sets, made_by, links), resumes=False)


def language_of_references(given: str | None, files: Sequence[Path]) -> str:
    """The language that was given, or that of the extension of the first file that has one: ref.A.en.

    Raises UsageError where neither tells it.
    """
    from corpusdb.languages import language_code

    if given is not None:
        return language_code(given)
    for path in files:
        try:
            return language_code(path.suffix.removeprefix("."))
        except InputError:
            continue
    raise UsageError("in which language are the references? Say it with --lang, such as eng; closed classes hang on it")
