"""What references are worth: the curves of BLEU and of its agreement with people, by origin of the references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from corpusdb.arrays import I64
from corpusdb.errors import InputError, UsageError
from corpusdb.formats.human_scores import HumanJudgements
from corpusdb.formats.reference_digest import digest
from corpusdb.formats.references import ReferenceSet
from corpusdb.formats.scoring_input import Output, ReferenceTexts
from corpusdb.metrics.encoding import References
from corpusdb.metrics.measures import signature_of
from corpusdb.metrics.metric import SegmentReferences
from corpusdb.metrics.settings import Settings
from corpusdb.queries.references.reference_sets import reference_origins
from corpusdb.studies.reference_count import (
    SENTENCE_SMOOTHING,
    HumanScores,
    MatchTable,
    Point,
    Resampling,
    match_table,
    worth_curve,
)

__all__ = ["ReferenceWorth", "Resampling", "WorthCurve", "numbers_of_references", "reference_worth"]

_EACH_UP_TO = 10
_STEP = 1.5


@dataclass(frozen=True, slots=True)
class WorthCurve:
    """The curve for one origin, or for several of which each is used up before the next begins."""

    origins: tuple[str, ...]
    signature: str
    """Of the scores with all these references; the draws for fewer are those of its seed."""
    sentence_signature: str | None
    """Of the sentence scores behind the correlation by segment, where there is one."""
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class ReferenceWorth:
    """All curves, with scores of 0 to 1."""

    systems: tuple[str, ...]
    judged: tuple[str, ...]
    """The systems among these that have human scores."""
    segments: int
    curves: tuple[WorthCurve, ...]


def reference_worth(
    outputs: Sequence[Output],
    origins: Mapping[str, ReferenceTexts],
    settings: Settings,
    resampling: Resampling,
    human: HumanJudgements | None = None,
) -> ReferenceWorth:
    """The curves of each origin by itself, and of the origins together, one after the other.

    The origins are taken in the order of reference_origins, others behind these as given; ``settings`` are those of a
    BLEU.
    Raises InputError for different numbers of segments and where none of the systems is judged, UsageError without
    systems or origins and for another metric.
    """
    if not outputs or not origins or settings.metric != "bleu":
        raise UsageError("at least one system and one origin of references are needed, and the metric is BLEU")
    known = reference_origins()
    labels = sorted(origins, key=lambda label: known.index(label) if label in known else len(known))
    study = _Study.of([origins[label] for label in labels], settings, resampling)
    systems = tuple(output.system for output in outputs)
    judged = tuple(name for name in systems if human is not None and name in human.systems)
    if human is not None and not judged:
        raise InputError(f"the human scores are of other systems: {', '.join(sorted(human.systems))}")
    scores = None if human is None else _human_scores(human, systems, len(study.sets))
    tables = [
        match_table(study.references.encode(output.texts), study.references, settings.order or 1) for output in outputs
    ]
    curves = [
        study.curve(tables, scores, tuple(labels[first : last + 1]), range(first, last + 1))
        for first, last in (
            *((number, number) for number in range(len(labels))),
            *((0, number) for number in range(1, len(labels))),
        )
    ]
    return ReferenceWorth(systems, judged, len(study.sets), tuple(curves))


def numbers_of_references(most: int) -> list[int]:
    """The numbers at which a curve is computed: each up to ten, then half as many again each time, and the last."""
    numbers = list(range(1, min(most, _EACH_UP_TO) + 1))
    while numbers[-1] < most:
        numbers.append(min(most, round(numbers[-1] * _STEP)))
    return numbers


def _human_scores(human: HumanJudgements, systems: Sequence[str], segments: int) -> HumanScores:
    by_system = np.array([human.systems.get(name, np.nan) for name in systems])
    by_segment = np.full((len(systems), segments), np.nan)
    for row, name in zip(by_segment, systems, strict=True):
        for segment, score in human.segments.get(name, {}).items():
            if segment >= segments:
                raise InputError(f"{name} has a human score of segment {segment}, and there are {segments} from 0")
            row[segment] = score
    return HumanScores(by_system, None if np.isnan(by_segment).all() else by_segment)


@dataclass(frozen=True, slots=True)
class _Study:
    """What all curves share: the references of all origins together."""

    settings: Settings
    references: References
    sets: Sequence[ReferenceSet]
    origins: I64
    """The number of the origin of each reference."""
    resampling: Resampling

    @classmethod
    def of(cls, origins: Sequence[ReferenceTexts], settings: Settings, resampling: Resampling) -> _Study:
        counts = {len(each.references) for each in origins}
        if len(counts) > 1:
            raise InputError(f"the origins have different numbers of segments: {', '.join(map(str, sorted(counts)))}")
        segments = list(zip(*(each.references for each in origins), strict=True))
        sources = next((each.sources for each in origins if each.sources), ("",) * len(segments))
        sets = [
            ReferenceSet(str(number), source, tuple(reference.text for part in parts for reference in part))
            for number, (source, parts) in enumerate(zip(sources, segments, strict=True), 1)
        ]
        numbers = [number for parts in segments for number, part in enumerate(parts) for _ in part]
        references = SegmentReferences([each.references for each in sets]).cut(settings)
        return cls(settings, references, sets, np.array(numbers, dtype=np.int64), resampling)

    def curve(
        self, tables: Sequence[MatchTable], human: HumanScores | None, labels: tuple[str, ...], origins: range
    ) -> WorthCurve:
        """The curve for these origins, each used up before the next."""
        chosen = (self.origins >= origins.start) & (self.origins < origins.stop)
        priorities = np.where(chosen, self.origins, -1)
        counts = np.bincount(self.references.segments[chosen])
        sizes = numbers_of_references(int(counts.max()))
        points = worth_curve(tables, self.references, priorities, sizes, self.resampling, human)
        is_rated = human is not None and human.segments is not None
        return WorthCurve(
            labels,
            self._signature(self.settings, chosen.tolist(), counts),
            self._signature(replace(self.settings, smoothing=SENTENCE_SMOOTHING), chosen.tolist(), counts)
            if is_rated
            else None,
            tuple(points),
        )

    def _signature(self, settings: Settings, chosen: Sequence[bool], counts: I64) -> str:
        """Of BLEU with the chosen references; the digest is that of a set which has no others."""
        firsts = self.references.firsts.tolist()
        kept = (
            replace(each, references=tuple(compress(each.references, chosen[first:])))
            for each, first in zip(self.sets, firsts[:-1], strict=True)
        )
        return str(replace(signature_of(settings, counts.tolist(), digest(kept)), seed=self.resampling.seed))
