"""chrF and TER through sacrebleu, an extra that is imported when one of them is asked for.

They fit the same four steps: statistics of each segment, whose rows can be added and resampled, and scores of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import zip_longest
from typing import Any, Final

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.errors import InputError, UsageError
from corpusdb.metrics.metric import Measure, Metric, SegmentReferences
from corpusdb.metrics.settings import NO_SMOOTHING, Settings

__all__ = ["CHRF", "CHRF_WITH_WORDS", "SACREBLEU_METRICS", "TER", "SacrebleuMetric", "SacrebleuScorer"]

_LONGEST = {"ter": 500}
"""The most words of a segment: TER tries to move every run of words to every place, which takes ten seconds
for two texts of 250 words that have little in common."""


class SacrebleuScorer:
    """One of sacrebleu's metrics with the references of every segment, for any number of systems."""

    def __init__(
        self, name: str, references: Sequence[Sequence[str]], *, lowercase: bool = False, asian: bool = False
    ) -> None:
        """``references`` holds one list for each segment.

        ``asian`` lets TER normalise text and cut Chinese characters apart. Case is kept unless ``lowercase``:
        sacrebleu's own default folds it for TER and keeps it for chrF. Raises UsageError for an unknown metric and
        where sacrebleu is missing, with the command that installs it, and InputError with the number of the segment,
        from 1, where one has no reference or a blank one.
        """
        names = [each.name for each in SACREBLEU_METRICS]
        if name not in names:
            raise UsageError(f"unknown metric {name!r}; sacrebleu's are {', '.join(names)}")
        if not references:
            raise InputError("there are no segments")
        for number, texts in enumerate(references, 1):
            if not texts or not all(text.strip() for text in texts):
                raise InputError("the segment has no reference, or a blank one", line=number)
        self._longest = _LONGEST.get(name)
        for number, texts in enumerate(references, 1):
            self._check_length(number, texts)
        try:
            metrics = import_module("sacrebleu.metrics")
        except ImportError as error:
            raise UsageError(f"{name} needs sacrebleu: pip install 'corpusdb[sacrebleu]'") from error
        # One list for each rank, as sacrebleu wants them; None is a reference that a segment does not have.
        ranks = list(zip_longest(*references))
        self._segments = len(references)
        self._metric: Any  # sacrebleu is typed, but not there for everyone who checks the types of this module
        if name == "ter":
            self._metric = metrics.TER(
                case_sensitive=not lowercase, asian_support=asian, normalized=asian, references=ranks
            )
        else:
            order = 2 if name == "chrf++" else 0
            self._metric = metrics.CHRF(word_order=order, lowercase=lowercase, references=ranks)

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        """sacrebleu's statistics of each segment: shape (segments, columns); InputError for another number."""
        if len(hypotheses) != self._segments:
            raise InputError(f"{len(hypotheses)} hypotheses for the references of {self._segments} segments")
        for number, text in enumerate(hypotheses, 1):
            self._check_length(number, [text])
        # The two methods behind sacrebleu's own significance tests: nothing public gives statistics.
        return np.array(self._metric._extract_corpus_statistics(hypotheses, None), dtype=np.float64)

    def _check_length(self, number: int, texts: Sequence[str]) -> None:
        """Raise InputError for a segment that would take unbounded time."""
        if self._longest is None or max(map(len, texts)) <= self._longest:
            return
        longest = max(len(text.split()) for text in texts)
        if longest > self._longest:
            raise InputError(
                f"a text of {longest:,} words is too long for TER; {self._longest:,} are the most", line=number
            )

    def scores(self, statistics: F64) -> F64:
        """Shape (..., columns) to (...): chrF from 0 to 1, edits per word of the references from 0 upwards for TER."""
        rows = statistics.reshape(-1, statistics.shape[-1])
        scores = [self._metric._compute_score_from_stats(row.tolist()).score / 100 for row in rows]
        return np.array(scores).reshape(statistics.shape[:-1])


@dataclass(frozen=True)
class SacrebleuMetric(Metric):
    """One of sacrebleu's metrics: it brings its own units, and takes nothing but ``lowercase``."""

    name: str
    shown: str
    """Its label."""
    unit: str
    order: int | None = None
    lower_is_better: bool = False
    package: str | None = "sacrebleu"

    def complete(self, asked: Settings) -> Settings:
        return replace(asked, unit=self.unit, order=self.order, tokenisation=None, smoothing=NO_SMOOTHING)

    def label(self, settings: Settings) -> str:
        return self.shown

    def measure(self, settings: Settings, references: SegmentReferences) -> SacrebleuMeasure:
        scorer = SacrebleuScorer(self.name, references.texts, lowercase=settings.lowercase)
        return SacrebleuMeasure(self, settings, references.counts, scorer)

    def tokenisation(self, settings: Settings) -> str:
        return f"sacrebleu-{import_module('sacrebleu').__version__}"


@dataclass(frozen=True, slots=True)
class SacrebleuMeasure(Measure):
    """sacrebleu keeps the references to itself: they cannot be drawn from."""

    scorer: SacrebleuScorer = field(repr=False)

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        return self.scorer.statistics(hypotheses)

    def scores(self, statistics: I64 | F64) -> F64:
        return 100 * self.scorer.scores(statistics.astype(np.float64))


_ORDER_OF_CHRF = 6
CHRF: Final = SacrebleuMetric("chrf", "chrF2", "char", _ORDER_OF_CHRF)
CHRF_WITH_WORDS: Final = SacrebleuMetric("chrf++", "chrF2++", "char", _ORDER_OF_CHRF)
TER: Final = SacrebleuMetric("ter", "TER", "word", lower_is_better=True)
SACREBLEU_METRICS: Final = (CHRF, CHRF_WITH_WORDS, TER)
