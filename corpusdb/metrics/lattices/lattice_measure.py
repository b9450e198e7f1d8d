"""BLEU and NIST over lattices as measures, as the other metrics are: intervals, tests and signatures come with that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from corpusdb.arrays import F64, I64
from corpusdb.errors import UsageError
from corpusdb.metrics.bleu import BLEU
from corpusdb.metrics.encoding import Tokenise
from corpusdb.metrics.lattices.lattice_bleu import lattice_bleu_statistics
from corpusdb.metrics.lattices.lattice_nist import OriginalWeights, lattice_nist_statistics
from corpusdb.metrics.lattices.reference_lattice import Lattice, Replacement, Units
from corpusdb.metrics.metric import Measure, SegmentReferences
from corpusdb.metrics.nist import NIST
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.signature import Signature
from corpusdb.metrics.tokenisation import tokeniser

__all__ = ["WITH_LATTICES", "Equivalence", "LatticeMeasure", "lattice_measure"]

WITH_LATTICES: Final = (BLEU.name, NIST.name)
"""The metrics that can be computed over lattices."""


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What may stand instead of what in a reference."""

    replacements: Callable[[Units], Sequence[Replacement]]
    """Those of a reference, cut into units as the metric cuts it, case folded if the metric does."""
    label: str
    """What they are called in a signature: where they come from, the filter, and their digest."""
    most: int | None = None
    """How many may be made in one reference; None for any number."""


@dataclass(frozen=True, slots=True)
class LatticeMeasure(Measure):
    """A metric with the lattices of every segment, for any number of systems."""

    lattices: tuple[tuple[Lattice, ...], ...] = field(repr=False)
    tokenise: Tokenise = field(repr=False)
    equivalents: str
    weights: OriginalWeights | None = field(repr=False)
    """Of NIST; None for BLEU."""

    def statistics(self, hypotheses: Sequence[str]) -> I64 | F64:
        units = [self.tokenise(text) for text in hypotheses]
        if self.weights is None:
            return lattice_bleu_statistics(units, self.lattices, self.settings.order or 1)
        return lattice_nist_statistics(units, self.lattices, self.weights)

    def scores(self, statistics: I64 | F64) -> F64:
        metric = BLEU if self.weights is None else NIST
        return metric.scores(statistics, self.settings)

    def signature(self, digest: str) -> Signature:
        """As of the metric alone, with the digest of the original references, and what they were replaced with."""
        return replace(self.metric.signature(self.settings, self.counts, digest), equivalents=self.equivalents)


def lattice_measure(settings: Settings, references: SegmentReferences, equivalence: Equivalence) -> LatticeMeasure:
    """The measure of complete settings with references in which equivalents may stand.

    Raises UsageError for a metric that is not computed over lattices, and InputError with the number of the segment,
    from 1, where one has no reference or a blank one.
    """
    metric = {each.name: each for each in (BLEU, NIST)}.get(settings.metric)
    if metric is None:
        raise UsageError(f"{settings.metric} is not computed with equivalents; {', '.join(WITH_LATTICES)} are")
    references.cut(settings)  # which refuses what is missing
    tokenise = tokeniser(settings.tokenisation or "none", lowercase=settings.lowercase)
    cut = [[tokenise(text) for text in texts] for texts in references.texts]
    lattices = tuple(
        tuple(Lattice(units, equivalence.replacements(units), equivalence.most) for units in own) for own in cut
    )
    weights = OriginalWeights(cut, settings.order or 1) if metric is NIST else None
    return LatticeMeasure(metric, settings, references.counts, lattices, tokenise, equivalence.label, weights)
