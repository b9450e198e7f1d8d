"""What references are worth: the curves of BLEU and of its agreement with people, by origin of the references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from corpusdb.base.arrays import Bools
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Job, with_progress_if
from corpusdb.corpus.formats.records import repeated
from corpusdb.corpus.formats.scoring_input import HumanJudgements
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.metric import References
from corpusdb.scoring.metric_settings import SENTENCE_SMOOTHING, MetricSettings
from corpusdb.scoring.queries.imported_scores import human_ratings
from corpusdb.scoring.queries.scoring_references import Drawn, LabelledReferences
from corpusdb.scoring.reference_count import (
    HumanScores,
    MatchTable,
    ReferenceCountPoint,
    Resampling,
    drawing_worth_curve,
    match_table,
)

_EACH_UP_TO = 10
_STEP = 1.5
_MANY_DRAWN = 20_000
"""Segments of all systems in all draws from which on it takes so long that it is told of."""


@dataclass(frozen=True, slots=True)
class WorthCurve:
    """The curve for one origin, or for several of which each is used up before the next begins."""

    origins: tuple[str, ...]
    signatures: tuple[str, ...]
    """Of the scores at each point."""
    sentence_signatures: tuple[str, ...] | None
    """Of the sentence scores behind the correlation by segment, where there is one."""
    points: tuple[ReferenceCountPoint, ...]

    @property
    def signature(self) -> str:
        """That of the scores with all these references."""
        return self.signatures[-1]

    @property
    def sentence_signature(self) -> str | None:
        """That of the sentence scores with all these references."""
        return None if self.sentence_signatures is None else self.sentence_signatures[-1]


@dataclass(frozen=True, slots=True)
class ReferenceWorth:
    """All curves, with scores of 0 to 100."""

    systems: tuple[str, ...]
    judged: tuple[str, ...]
    """The systems among these that have human scores."""
    segments: int
    curves: tuple[WorthCurve, ...]
    left_out: tuple[tuple[str, ...], ...] = ()
    """Origins that have no curve, since some segments have no reference of them."""
    copies: int = 0
    """How many of the references only repeat another one of their segment; each is drawn like the others."""


def measuring_worth(
    outputs: Sequence[Output],
    references: LabelledReferences,
    settings: MetricSettings,
    resampling: Resampling,
    human: HumanJudgements | None = None,
) -> Job[ReferenceWorth]:
    """The curves of each origin by itself, and of the origins together, where all segments have references of them.

    The origins are taken in the order of their labels; ``settings`` are those of a BLEU.
    Raises InputError where none of the systems is judged, UsageError without systems or references and for another
    metric.
    """
    if not outputs or not references.labels or settings.metric != "bleu":
        raise UsageError("at least one system and one origin of references are needed, and the metric is BLEU")
    labels = references.labels
    study = _Study(settings, references, references.texts.cut(settings), resampling)
    systems = tuple(output.system for output in outputs)
    judged = tuple(name for name in systems if human is not None and name in human.systems)
    scores = None if human is None else human_ratings(human, systems, len(references.sets))
    tables = [
        match_table(study.references.encode(output.texts), study.references, settings.order or 1) for output in outputs
    ]
    alone = [labels[number : number + 1] for number in range(len(labels))]
    wanted = [*alone, *(labels[: number + 1] for number in range(1, len(labels)))]
    chosen = [each for each in wanted if references.counts(references.chosen(each)).all()]
    is_long = len(references.sets) * len(outputs) * resampling.draws >= _MANY_DRAWN
    curves = []
    for each in chosen:
        curves.append((yield from with_progress_if(is_long, study.curve(tables, scores, each))))
    left_out = tuple(each for each in wanted if each not in chosen)
    return ReferenceWorth(
        systems, judged, len(references.sets), tuple(curves), left_out, sum(map(repeated, references.sets))
    )


def numbers_of_references(most: int) -> list[int]:
    """The numbers at which a curve is computed: each up to ten, then half as many again each time, and the last."""
    numbers = list(range(1, min(most, _EACH_UP_TO) + 1))
    while numbers[-1] < most:
        numbers.append(min(most, round(numbers[-1] * _STEP)))
    return numbers


@dataclass(frozen=True, slots=True)
class _Study:
    """What all curves share: the references of all origins together."""

    settings: MetricSettings
    labelled: LabelledReferences
    references: References
    """The same as units."""
    resampling: Resampling

    def curve(
        self, tables: Sequence[MatchTable], human: HumanScores | None, labels: tuple[str, ...]
    ) -> Job[WorthCurve]:
        """The curve for these origins, each used up before the next."""
        chosen = self.labelled.chosen(labels)
        priorities = np.where(chosen, self.labelled.origins, -1)
        sizes = numbers_of_references(int(self.labelled.counts(chosen).max()))
        points = yield from drawing_worth_curve(tables, self.references, priorities, sizes, self.resampling, human)
        is_rated = human is not None and human.segments is not None
        smoothed = replace(self.settings, smoothing=SENTENCE_SMOOTHING)
        return WorthCurve(
            labels,
            self._signatures(self.settings, chosen, sizes),
            self._signatures(smoothed, chosen, sizes) if is_rated else None,
            tuple(points),
        )

    def _signatures(self, settings: MetricSettings, chosen: Bools, sizes: Sequence[int]) -> tuple[str, ...]:
        drawn = (Drawn(size, self.resampling.draws, self.resampling.seed) for size in sizes)
        return tuple(self.labelled.signature(settings, chosen, each) for each in drawn)
