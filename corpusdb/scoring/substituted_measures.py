"""Measures with references in which something can be replaced, for scores, intervals, tests and signatures like others.

BLEU and NIST have all that can come of a reference, as a lattice; chrF the text that is nearest to the hypothesis. What
only replacements match can count in part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.tokenisation import Tokenise, tokeniser
from corpusdb.scoring.character_f import Chrf, ChrfMeasure
from corpusdb.scoring.measures import (
    Lattice,
    OriginalWeights,
    RewritableText,
    TextReplacement,
    lattice_bleu_statistics,
    lattice_nist_statistics,
    text_lattice,
)
from corpusdb.scoring.metric import Measure, References, SegmentReferences, UnitMetric
from corpusdb.scoring.metric_settings import MetricSettings, Signature
from corpusdb.scoring.metrics import metric_named

LATTICE_METRICS: Final = ("bleu", "nist", "chrf", "chrf++")


@dataclass(frozen=True)
class LatticeReferences:
    texts: Sequence[Sequence[RewritableText]]
    """Those of each segment."""
    most: int | None
    """How many replacements may be made at a time; None for any number."""
    equivalents: str
    """What was put in, as the signature has it."""
    credit: float = 1.0
    """What an n-gram counts that only paths with replacements have."""

    @property
    def counts(self) -> tuple[int, ...]:
        """How many references each segment has, as they were given."""
        return tuple(map(len, self.texts))

    def cut(self, way: Tokenise) -> CutLattices:
        """In the units of a metric. Raises InputError, with the segment, where one has no reference or a blank one."""
        for number, own in enumerate(self.texts, 1):
            if not own or not all(each.text.strip() for each in own):
                raise InputError("the segment has no reference, or a blank one", line=number)
        return CutLattices(way, self)


def with_texts(references: LatticeReferences, others: Sequence[Sequence[str]]) -> LatticeReferences:
    """The references of each segment and others, in which nothing is replaced."""
    rows = zip(references.texts, others, strict=True)
    return replace(references, texts=[[*own, *map(RewritableText, added)] for own, added in rows])


@dataclass(frozen=True)
class CutLattices:
    way: Tokenise
    references: LatticeReferences

    @cached_property
    def plain(self) -> References:
        """The references as they were given, numbered."""
        return References.of([[each.text for each in own] for own in self.references.texts], self.way)

    @cached_property
    def lattices(self) -> dict[int, list[Lattice]]:
        """Those of the segments in which anything can be replaced, by their numbers, from 0."""
        return {
            number: [text_lattice(each, self.way, self.references.most) for each in own]
            for number, own in enumerate(self.references.texts)
            if any(each.everything for each in own)
        }

    def weights(self, order: int) -> OriginalWeights:
        return OriginalWeights([[self.way(each.text) for each in own] for own in self.references.texts], order)


@dataclass(frozen=True)
class SubstitutedMeasure(Measure):
    """A metric with references in which something can be replaced."""

    references: LatticeReferences = field(repr=False)

    def signature(self, digest: str) -> Signature:
        signature = self.metric.signature(self.settings, self.counts, digest)
        return replace(signature, equivalents=self.references.equivalents)

    def resampled(self, draws: int, *, seed: int) -> Iterator[Measure]:
        raise UsageError("references in which equivalents are substituted cannot be resampled")


@dataclass(frozen=True)
class LatticeMeasure(SubstitutedMeasure):
    metric: UnitMetric
    cut: CutLattices = field(repr=False)

    def statistics(self, hypotheses: Sequence[str]) -> I64 | F64:
        # Most segments may have nothing that can be replaced, and are counted many times as fast as numbers.
        plain = self.cut.plain
        rows = self.metric.statistics(plain.encode(hypotheses), plain, self.settings)
        chosen, lattices = [*self.cut.lattices], [*self.cut.lattices.values()]
        if not chosen:
            return rows
        units = [self.cut.way(hypotheses[segment]) for segment in chosen]
        if self.metric.name == "bleu":
            on_paths: I64 | F64 = lattice_bleu_statistics(units, lattices, self.settings.order or 1)
        else:
            on_paths = lattice_nist_statistics(units, lattices, self._weights.of_segments(chosen))
        return _credited(rows, chosen, on_paths, self.references.credit)

    @cached_property
    def _weights(self) -> OriginalWeights:
        return self.cut.weights(self.settings.order or 1)

    def scores(self, statistics: I64 | F64) -> F64:
        return self.metric.scores(statistics, self.settings)


def _credited(rows: I64 | F64, chosen: Sequence[int], on_paths: I64 | F64, credit: float) -> I64 | F64:
    """The statistics of all segments, with what the paths of the chosen ones match besides counting in part.

    What counts in part is no reference: then the length stays that of the references as they were given.
    """
    if credit == 1:
        rows[chosen] = on_paths
        return rows
    order = (rows.shape[-1] - 2) // 2
    found = rows.astype(np.float64)
    found[chosen, :order] += credit * (on_paths[:, :order] - found[chosen, :order])
    return found


# chrF is that of the one best reference. Of what can be replaced this is the text nearest to the hypothesis: the
# reference with one replacement after another, each the one that raises the score most, as long as one does. Only what
# the hypothesis has is tried, and no other forms of words, whose characters match anyway. What the best of these texts
# changes in the statistics counts by the credit.


@dataclass(frozen=True)
class _NearText:
    """A reference on its way to a hypothesis."""

    segment: int
    text: RewritableText
    chosen: tuple[TextReplacement, ...]
    others: tuple[TextReplacement, ...]
    """What can still be replaced."""

    @property
    def texts(self) -> list[str]:
        """As it is, and with each of the others."""
        return [self.text.rewritten(self.chosen), *(self.text.rewritten((*self.chosen, each)) for each in self.others)]

    def with_other(self, number: int, most: int | None) -> _NearText:
        taken = self.others[number]
        chosen = (*self.chosen, taken)
        others = tuple(each for each in self.others if each.end <= taken.start or taken.end <= each.start)
        return replace(self, chosen=chosen, others=others if most is None or len(chosen) < most else ())


@dataclass(frozen=True)
class NearestTextMeasure(SubstitutedMeasure):
    metric: Chrf

    @cached_property
    def _given(self) -> list[list[str]]:
        return [[each.text for each in own] for own in self.references.texts]

    @cached_property
    def _plain(self) -> ChrfMeasure:
        return self._of(self._given)

    def _of(self, texts: Sequence[Sequence[str]]) -> ChrfMeasure:
        return self.metric.measure(self.settings, SegmentReferences(texts))

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        rows = self._plain.statistics(hypotheses)
        made: dict[int, list[str]] = {}
        for each in self._nearest(hypotheses):
            made.setdefault(each.segment, list(self._given[each.segment])).append(each.text.rewritten(each.chosen))
        if made:
            segments = list(made)
            found = self._of(list(made.values())).statistics([hypotheses[segment] for segment in segments])
            rows[segments] += self.references.credit * (found - rows[segments])
        return rows

    def _nearest(self, hypotheses: Sequence[str]) -> Iterator[_NearText]:
        """Those in which something is replaced."""
        fold = str.lower if self.settings.lowercase else str
        waiting = [
            _NearText(segment, text, (), tuple(each for each in text.replacements if fold(each.text.strip()) in own))
            for segment, own in enumerate(map(fold, hypotheses))
            for text in (self.references.texts[segment] if self.references.most != 0 else ())
        ]
        while waiting:
            done = [each for each in waiting if not each.others]
            waiting = [each for each in waiting if each.others]
            yield from (each for each in done if each.chosen)
            if not waiting:
                return
            measure = self._of([each.texts for each in waiting])
            _, places = measure.nearest([hypotheses[each.segment] for each in waiting])
            for each, place in zip(waiting, places.tolist(), strict=True):
                if not place and each.chosen:
                    yield each
            waiting = [
                each.with_other(place - 1, self.references.most)
                for each, place in zip(waiting, places.tolist(), strict=True)
                if place
            ]

    def scores(self, statistics: I64 | F64) -> F64:
        return self._plain.scores(statistics)


def lattice_measures(settings: Sequence[MetricSettings], references: LatticeReferences) -> list[SubstitutedMeasure]:
    """The measures of these settings, whose texts are cut once for each way of cutting.

    Raises UsageError for a metric that has no score over lattices, and InputError as LatticeReferences.cut does.
    """
    ways: dict[tuple[str, bool], CutLattices] = {}
    found: list[SubstitutedMeasure] = []
    for each in settings:
        metric = metric_named(each.metric)
        if each.metric not in LATTICE_METRICS:
            raise UsageError(f"{each.metric} has no score over equivalents; {', '.join(LATTICE_METRICS)} have")
        if isinstance(metric, Chrf):
            found.append(NearestTextMeasure(metric, each, references.counts, references))
            continue
        assert isinstance(metric, UnitMetric)  # as all the others
        way = each.tokenisation or "none", each.lowercase
        if way not in ways:
            ways[way] = references.cut(tokeniser(way[0], lowercase=way[1]))
        found.append(LatticeMeasure(metric, each, references.counts, references, ways[way]))
    return found
