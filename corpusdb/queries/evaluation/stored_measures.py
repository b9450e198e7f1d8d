"""The measures of stored scores, whose references may have had equivalents substituted in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpusdb.formats import ReferenceSet
from corpusdb.jobs import Job
from corpusdb.metrics.lattices.lattice_measure import LatticeReferences, lattice_measures
from corpusdb.metrics.measures import measures
from corpusdb.metrics.metric import Measure
from corpusdb.metrics.settings import Settings
from corpusdb.queries.substitution.derivation import derived_equivalents, kept_derivation
from corpusdb.store import Store

__all__ = ["stored_lattices", "stored_measure"]


def stored_lattices(
    store: Store, sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]
) -> Job[LatticeReferences | None]:
    """References with the equivalents that the parameters of a stored set ask for; None where they ask for none.

    They are made again, from the sources or from what the database aligns now. Raises InputError and UsageError where
    they cannot be.
    """
    made_by = kept_derivation(parameters)
    if made_by is None:
        return None
    found = yield from derived_equivalents(store, sets, made_by)
    return found.lattices(made_by.recipe)


def stored_measure(settings: Settings, sets: Sequence[ReferenceSet], lattices: LatticeReferences | None) -> Measure:
    """The measure of these settings for references, or for what can be made of them."""
    if lattices is not None:
        return lattice_measures([settings], lattices)[0]
    return measures([settings], [each.references for each in sets])[0]
