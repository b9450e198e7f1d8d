"""BLEU and NIST with lattices for references: measures like all others, for scores, intervals, tests and signatures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from corpusdb.arrays import F64, I64
from corpusdb.errors import InputError, UsageError
from corpusdb.metrics.encoding import Tokenise
from corpusdb.metrics.lattices.lattice_bleu import lattice_bleu_statistics
from corpusdb.metrics.lattices.lattice_nist import OriginalWeights, lattice_nist_statistics
from corpusdb.metrics.lattices.reference_lattice import Lattice, Units
from corpusdb.metrics.lattices.text_lattice import RewritableText, text_lattice
from corpusdb.metrics.metric import Measure, UnitMetric
from corpusdb.metrics.registry import metric_named
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.signature import Signature
from corpusdb.metrics.tokenisation import tokeniser

__all__ = ["LATTICE_METRICS", "LatticeMeasure", "LatticeReferences", "lattice_measures"]

LATTICE_METRICS: Final = ("bleu", "nist")


@dataclass(frozen=True)
class LatticeReferences:
    """The references of every segment with what can be replaced in them."""

    texts: Sequence[Sequence[RewritableText]]
    """Those of each segment."""
    most: int | None
    """How many replacements may be made at a time; None for any number."""
    equivalents: str
    """What was put in, as the signature has it."""

    @property
    def counts(self) -> tuple[int, ...]:
        """How many references each segment has, as they were given."""
        return tuple(map(len, self.texts))

    def cut(self, way: Tokenise) -> CutLattices:
        """In the units of a metric. Raises InputError, with the segment, where one has no reference or a blank one."""
        for number, own in enumerate(self.texts, 1):
            if not own or not all(each.text.strip() for each in own):
                raise InputError("the segment has no reference, or a blank one", line=number)
        return CutLattices(way, tuple(tuple(text_lattice(each, way, self.most) for each in own) for own in self.texts))

    def originals(self, way: Tokenise) -> list[list[Units]]:
        """The references as they were given, as units."""
        return [[way(each.text) for each in own] for own in self.texts]


@dataclass(frozen=True)
class CutLattices:
    """Lattices with the way in which their texts were cut."""

    way: Tokenise
    lattices: Sequence[Sequence[Lattice]]


@dataclass(frozen=True)
class LatticeMeasure(Measure):
    """BLEU or NIST with lattices for references."""

    metric: UnitMetric
    references: LatticeReferences = field(repr=False)
    lattices: CutLattices = field(repr=False)

    def statistics(self, hypotheses: Sequence[str]) -> I64 | F64:
        units = [self.lattices.way(text) for text in hypotheses]
        if self.metric.name == "bleu":
            return lattice_bleu_statistics(units, self.lattices.lattices, self.settings.order or 1)
        return lattice_nist_statistics(units, self.lattices.lattices, self._weights)

    @cached_property
    def _weights(self) -> OriginalWeights:
        return OriginalWeights(self.references.originals(self.lattices.way), self.settings.order or 1)

    def scores(self, statistics: I64 | F64) -> F64:
        return self.metric.scores(statistics, self.settings)

    def signature(self, digest: str) -> Signature:
        signature = self.metric.signature(self.settings, self.counts, digest)
        return replace(signature, equivalents=self.references.equivalents)

    def resampled(self, draws: int, *, seed: int) -> Iterator[Measure]:
        raise UsageError("references in which equivalents are substituted cannot be resampled")


def lattice_measures(settings: Sequence[Settings], references: LatticeReferences) -> list[LatticeMeasure]:
    """The measures of these settings, whose texts are cut once for each way of cutting.

    Raises UsageError for a metric that has no score over lattices, and InputError as LatticeReferences.cut does.
    """
    ways: dict[tuple[str, bool], CutLattices] = {}
    found = []
    for each in settings:
        metric = metric_named(each.metric)
        if each.metric not in LATTICE_METRICS or not isinstance(metric, UnitMetric):
            known = " and ".join(LATTICE_METRICS)
            raise UsageError(f"{each.metric} has no score over equivalents; {known} have")
        way = each.tokenisation or "none", each.lowercase
        if way not in ways:
            ways[way] = references.cut(tokeniser(way[0], lowercase=way[1]))
        found.append(LatticeMeasure(metric, each, references.counts, references, ways[way]))
    return found
