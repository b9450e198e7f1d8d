"""Equivalents made again from what is kept of them: where they come from and by which recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from corpusdb.alignment.links import Symmetrisation
from corpusdb.errors import DatabaseDamaged, UsageError
from corpusdb.formats import ReferenceSet
from corpusdb.jobs import Job
from corpusdb.options import options_from_json
from corpusdb.queries.substitution.bitext_equivalents import bitext_equivalents
from corpusdb.queries.substitution.corpus_equivalents import corpus_equivalents
from corpusdb.queries.substitution.recipe import SubstitutionRecipe
from corpusdb.queries.substitution.reference_equivalents import ReferenceEquivalents
from corpusdb.store import Store

__all__ = ["EQUIVALENTS", "Derivation", "derived_equivalents", "kept_derivation"]

EQUIVALENTS: Final = "equivalents"
"""What it is called among the parameters of a stored reference set."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """How equivalents are made for references."""

    language: str
    """Of the references."""
    recipe: SubstitutionRecipe
    tokenise_source: str | None = None
    """How the words of the source are told apart, where it is aligned; see ``bitext_equivalents``."""

    def document(self) -> dict[str, object]:
        """The same as JSON has it."""
        return asdict(self)


def kept_derivation(parameters: Mapping[str, Any]) -> Derivation | None:
    """That of a stored reference set, by its parameters; None where nothing is substituted in its references.

    Raises DatabaseDamaged for one that this version does not know.
    """
    document = parameters.get(EQUIVALENTS)
    if document is None:
        return None
    try:
        return options_from_json(Derivation, document, of="a stored reference set")
    except UsageError as error:
        raise DatabaseDamaged(f"how equivalents of stored references were made cannot be read: {error}") from error


def derived_equivalents(
    store: Store | None, sets: Sequence[ReferenceSet], made_by: Derivation, links: Sequence[Symmetrisation] = ()
) -> Job[ReferenceEquivalents]:
    """The equivalents for some references: from their sources, or from the database.

    ``links``: other links than those of the recipe that phrases are to be taken from, too. Raises InputError and
    UsageError as ``bitext_equivalents`` and ``corpus_equivalents`` do.
    """
    recipe = made_by.recipe
    if recipe.origin == "corpus":
        if store is None:
            raise UsageError("equivalents from a corpus need a database")
        return (yield from corpus_equivalents(store, sets, made_by.language, recipe.min_languages))
    return (yield from bitext_equivalents(sets, made_by.language, (recipe.links, *links), made_by.tokenise_source))
