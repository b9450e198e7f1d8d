"""The options that say which equivalents are substituted in references."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, Protocol, TypeAlias

import typer

from corpusdb.cli.program.invocation import Invocation
from corpusdb.errors import InputError, UsageError

if TYPE_CHECKING:
    from corpusdb.formats import ReferenceSet
    from corpusdb.queries.substitution.bitext_equivalents import BitextEquivalents
    from corpusdb.queries.substitution.recipe import SubstitutionRecipe

__all__ = [
    "DEFAULTS",
    "BestOnly",
    "ClosedClass",
    "EquivalentChoice",
    "InContext",
    "Links",
    "MinCount",
    "MinPivot",
    "Substitutions",
    "TokeniseSource",
    "WithParts",
    "derived",
    "language_of_references",
    "recipe_of",
]

Substitutions: TypeAlias = Annotated[
    str, typer.Option("--substitutions", metavar="N", help="Equivalents put in at a time: 1, 2 ... or any.")
]
Links: TypeAlias = Annotated[
    Literal["intersection", "grow-diag-final-and"],
    typer.Option("--links", help="Which links of the alignment phrases are taken from."),
]
ClosedClass: TypeAlias = Annotated[
    Literal["drop", "prepositions", "keep"],
    typer.Option("--closed-class", help="Whether the, of, she ... have equivalents; prepositions drops only these."),
]
MinCount: TypeAlias = Annotated[
    int, typer.Option("--min-count", metavar="N", min=1, help="How often both are seen with one source phrase.")
]
MinPivot: TypeAlias = Annotated[
    float, typer.Option("--min-pivot", metavar="P", min=0, max=1, help="Least p(equivalent | phrase) via the source.")
]
InContext: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--in-context/--anywhere", help="Only where some reference has it between the words before and after."
    ),
]
WithParts: TypeAlias = Annotated[
    bool, typer.Option("--with-parts", help="Also what holds the phrase or is part of it: first, first time.")
]
BestOnly: TypeAlias = Annotated[
    bool, typer.Option("--best-only", help="Of each phrase only the most probable equivalent.")
]
TokeniseSource: TypeAlias = Annotated[
    Literal["none", "13a", "intl", "char", "ja-mecab", "zh"] | None,
    typer.Option(
        "--tokenise-source", help="How words of the source are told apart; none: by spaces.", show_default=False
    ),
]

_LEFT_OUT: Final = {"drop": "closed", "prepositions": "prepositions", "keep": "nothing"}
DEFAULTS: Final = {
    "links": "intersection",
    "substitutions": "any",
    "closed_class": "drop",
    "min_count": 2,
    "min_pivot": 0.0,
    "in_context": True,
    "with_parts": False,
    "best_only": False,
    "tokenise_source": None,
}
"""What the options are if they are not given; chosen on one test set, see the guide."""


class EquivalentChoice(Protocol):
    """Options that hold a choice of equivalents."""

    @property
    def substitutions(self) -> str: ...
    @property
    def links(self) -> Literal["intersection", "grow-diag-final-and"]: ...
    @property
    def closed_class(self) -> Literal["drop", "prepositions", "keep"]: ...
    @property
    def min_count(self) -> int: ...
    @property
    def min_pivot(self) -> float: ...
    @property
    def in_context(self) -> bool: ...
    @property
    def with_parts(self) -> bool: ...
    @property
    def best_only(self) -> bool: ...
    @property
    def tokenise_source(self) -> str | None: ...


def recipe_of(options: EquivalentChoice) -> SubstitutionRecipe:
    """The recipe that the options ask for. Raises UsageError for substitutions that are no number."""
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
