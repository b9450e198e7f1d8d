"""BLEU and NIST with lattices for references: measures like all others, for scores, intervals, tests and signatures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from corpusdb.arrays import F64, I64
from corpusdb.errors import InputError, UsageError
from corpusdb.metrics.encoding import References, Tokenise
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
        return CutLattices(way, self.texts, self.most)


@dataclass(frozen=True)
class CutLattices:
    """References with replacements in the units of a metric."""

    way: Tokenise
    texts: Sequence[Sequence[RewritableText]]
    most: int | None

    @cached_property
    def plain(self) -> References:
        """The references as they were given, numbered."""
        return References.of([[each.text for each in own] for own in self.texts], self.way)

    @cached_property
    def originals(self) -> list[list[Units]]:
        """The same as units."""
        return [[self.way(each.text) for each in own] for own in self.texts]

    @cached_property
    def rewritable(self) -> list[int]:
        """The numbers of the segments, from 0, in which anything can be replaced."""
        return [number for number, own in enumerate(self.texts) if any(each.replacements for each in own)]

    @cached_property
    def lattices(self) -> dict[int, list[Lattice]]:
        """Those of these segments."""
        return {
            number: [text_lattice(each, self.way, self.most) for each in self.texts[number]]
            for number in self.rewritable
        }


@dataclass(frozen=True)
class LatticeMeasure(Measure):
    """BLEU or NIST with lattices for references."""

    metric: UnitMetric
    references: LatticeReferences = field(repr=False)
    lattices: CutLattices = field(repr=False)

    def statistics(self, hypotheses: Sequence[str]) -> I64 | F64:
        # Most segments may have nothing that can be replaced, and are counted many times as fast as numbers.
        plain = self.lattices.plain
        rows = self.metric.statistics(plain.encode(hypotheses), plain, self.settings)
        chosen = self.lattices.rewritable
        if not chosen:
            return rows
        units = [self.lattices.way(hypotheses[segment]) for segment in chosen]
        lattices = [self.lattices.lattices[segment] for segment in chosen]
        if self.metric.name == "bleu":
            rows[chosen] = lattice_bleu_statistics(units, lattices, self.settings.order or 1)
        else:
            rows[chosen] = lattice_nist_statistics(units, lattices, self._weights.of_segments(chosen))
        return rows

    @cached_property
    def _weights(self) -> OriginalWeights:
        return OriginalWeights(self.lattices.originals, self.settings.order or 1)

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
