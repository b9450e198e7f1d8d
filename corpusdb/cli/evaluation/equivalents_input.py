"""The options that say which equivalents are substituted in references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from corpusdb.cli.program.invocation import Invocation
from corpusdb.errors import InputError, UsageError

if TYPE_CHECKING:
    from corpusdb.formats import ReferenceSet
    from corpusdb.queries.substitution.bitext_equivalents import BitextEquivalents
    from corpusdb.queries.substitution.recipe import SubstitutionRecipe

__all__ = ["EquivalentChoice", "derived", "language_of_references", "recipe_for", "recipe_of"]

_LEFT_OUT: Final = {"drop": "closed", "prepositions": "prepositions", "keep": "nothing"}


@dataclass(frozen=True, kw_only=True)  # without slots, so that it can stand beside other options
class EquivalentChoice:
    """Which equivalents are put into references; the defaults were chosen on one test set, see the guide."""

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
        int, typer.Option(metavar="N", min=1, help="How often both are seen with one source phrase.")
    ] = 2
    min_pivot: Annotated[
        float, typer.Option(metavar="P", min=0, max=1, help="Least p(equivalent | phrase) via the source.")
    ] = 0.0
    in_context: Annotated[
        bool,
        typer.Option(
            "--in-context/--anywhere", help="Only where some reference has it between the words before and after."
        ),
    ] = True
    with_parts: Annotated[
        bool, typer.Option("--with-parts", help="Also what holds the phrase or is part of it: first, first time.")
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
    """The recipe that the options ask for; what was rejected in a database is not in it, see recipe_for.

    Raises UsageError for substitutions that are no number.
    """
    from corpusdb.queries.substitution.recipe import SubstitutionRecipe, parse_substitutions

    return SubstitutionRecipe(
        links=options.links,
        left_out=_LEFT_OUT[options.closed_class],  # type: ignore[arg-type]
        min_count=options.min_count,
        min_pivot=options.min_pivot,
        in_context=options.in_context,
        with_parts=options.with_parts,
        best_only=options.best_only,
        most=parse_substitutions(options.substitutions),
    )


def recipe_for(invocation: Invocation, options: EquivalentChoice, language: str) -> SubstitutionRecipe:
    """The recipe that the options ask for, and what was rejected of this language in the database, if there is one.

    Raises as recipe_of does, and InputError where a database that was named is not there.
    """
    recipe = recipe_of(options)
    if options.with_rejected or (invocation.chosen is None and not invocation.path.exists()):
        return recipe
    from corpusdb.queries.alignment.rejections import rejections

    with invocation.reading() as store:
        rejected = rejections(store, language)
    if rejected:
        pairs = "1 pair" if len(rejected) == 1 else f"{len(rejected):,} pairs"
        invocation.say(f"{pairs} rejected in {invocation.path} cannot be put in; --with-rejected takes them, too")
    return replace(recipe, rejected=rejected)


def derived(
    invocation: Invocation,
    sets: Sequence[ReferenceSet],
    language: str,
    options: EquivalentChoice,
    *others: SubstitutionRecipe,
) -> BitextEquivalents:
    """The equivalents of sources and references for these options, and for ``others``.

    The progress of the alignment is shown, and what is to be known of the texts is said.
    """
    from corpusdb.queries.substitution.bitext_equivalents import bitext_equivalents, bitext_notes

    recipe = recipe_of(options)
    for note in bitext_notes(sets, language, options.tokenise_source, recipe):
        invocation.say(note)
    links = [each.links for each in (recipe, *others)]
    return invocation.run(bitext_equivalents(sets, language, links, options.tokenise_source), resumes=False)


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
