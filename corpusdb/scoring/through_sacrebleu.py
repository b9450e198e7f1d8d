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

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.scoring.metric import Details, Measure, Metric, SegmentReferences
from corpusdb.scoring.metric_settings import NO_SMOOTHING, MetricSettings, Signature

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
        # One list for each rank, as sacrebleu wants them; None is a reference that a segment does not have.
        ranks = list(zip_longest(*references))
        self._segments = len(references)
        self._metric = _metric_of_sacrebleu(name, ranks, lowercase=lowercase, asian=asian)

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        """sacrebleu's statistics of each segment: shape (segments, columns); InputError for another number."""
        if len(hypotheses) != self._segments:
            raise InputError(f"{len(hypotheses)} hypotheses for the references of {self._segments} segments")
        return self.statistics_from(0, hypotheses)

    def statistics_from(self, first: int, hypotheses: Sequence[str]) -> F64:
        """The same for segments in a row, from the number ``first``, from 0, on."""
        for number, text in enumerate(hypotheses, first + 1):
            self._check_length(number, [text])
        # The methods behind sacrebleu's own significance tests: nothing public gives statistics.
        metric = self._metric
        rows = [
            metric._compute_segment_statistics(metric._preprocess_segment(text), references)
            for text, references in zip(hypotheses, metric._ref_cache[first:], strict=False)
        ]
        return np.array(rows, dtype=np.float64)

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


def _metric_of_sacrebleu(
    name: str, ranks: Sequence[Sequence[str | None]], *, lowercase: bool, asian: bool = False
) -> Any:  # sacrebleu is typed, but not there for everyone who checks the types of this module
    """The metric with these references, a list for each rank. Raises UsageError where sacrebleu is missing."""
    try:
        metrics = import_module("sacrebleu.metrics")
    except ImportError as error:
        raise UsageError(f"{name} needs sacrebleu: pip install 'corpusdb[sacrebleu]'") from error
    if name == "ter":
        return metrics.TER(case_sensitive=not lowercase, asian_support=asian, normalized=asian, references=ranks)
    return metrics.CHRF(word_order=2 if name == "chrf++" else 0, lowercase=lowercase, references=ranks)


@dataclass(frozen=True)
class SacrebleuMetric(Metric):
    """One of sacrebleu's metrics: it brings its own units, and takes nothing but ``lowercase``."""

    name: str
    heading: str
    help: str
    unit: str
    most: float | None = 100
    order: int | None = None
    lower_is_better: bool = False
    counts_copies: bool = False
    package: str | None = "sacrebleu"
    is_slow: bool = True
    is_of_sacrebleu: bool = True

    def as_sacrebleu(self, settings: MetricSettings, *, smoothed: bool, segments: bool) -> MetricSettings:
        """TER always folds case, and chrF never."""
        return replace(settings, lowercase=self.name == "ter")

    def complete(self, asked: MetricSettings) -> MetricSettings:
        return replace(asked, unit=self.unit, order=self.order, tokenisation=None, smoothing=NO_SMOOTHING)

    def label(self, settings: MetricSettings) -> str:
        return self.heading

    def measure(self, settings: MetricSettings, references: SegmentReferences) -> SacrebleuMeasure:
        scorer = SacrebleuScorer(self.name, references.texts, lowercase=settings.lowercase)
        return SacrebleuMeasure(self, settings, references.counts, scorer)

    def tokenisation(self, settings: MetricSettings) -> str:
        cut_by = "tercom+" if self.name == "ter" else ""
        return f"{cut_by}sacrebleu-{import_module('sacrebleu').__version__}"

    def details(self, settings: MetricSettings, statistics: I64 | F64) -> Details:
        if self.name != "ter":
            return {}
        edits, length = statistics.tolist()
        return {"edits": int(edits), "reference_length": length}

    def signature(self, settings: MetricSettings, counts: Sequence[int], digest: str) -> Signature:
        """With all settings that sacrebleu itself tells, as it has them."""
        metric = _metric_of_sacrebleu(self.name, _ANY_REFERENCES, lowercase=settings.lowercase)
        told = metric.get_signature().info
        values: dict[str, Any] = {
            field: _yes_or_no(told[key]) for key, field in _SETTINGS.items() if told.get(key) is not None
        }
        if hasattr(metric, "beta"):
            values["beta"] = str(metric.beta)
        return replace(super().signature(settings, counts, digest), **values)


_ANY_REFERENCES: Final = [["any"]]
"""sacrebleu tells its settings only where there are references."""
_SETTINGS: Final = {
    "eff": "effective",
    "nc": "char_order",
    "nw": "word_order",
    "space": "space",
    "norm": "normalised",
    "punct": "punctuation",
    "asian": "asian",
}
"""What sacrebleu's signatures tell beside what ours have of every metric, and the fields of ours."""


def _yes_or_no(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class SacrebleuMeasure(Measure):
    """sacrebleu keeps the references to itself: they cannot be drawn from."""

    scorer: SacrebleuScorer = field(repr=False)

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        return self.scorer.statistics(hypotheses)

    def statistics_from(self, first: int, hypotheses: Sequence[str]) -> F64:
        return self.scorer.statistics_from(first, hypotheses)

    def scores(self, statistics: I64 | F64) -> F64:
        return 100 * self.scorer.scores(statistics.astype(np.float64))


_ORDER_OF_CHRF = 6
_CHRF_TOLD = f"F of n-grams of characters up to order {_ORDER_OF_CHRF}, recall counting double"
CHRF: Final = SacrebleuMetric("chrf", "chrF2", _CHRF_TOLD, "char", order=_ORDER_OF_CHRF)
CHRF_WITH_WORDS: Final = SacrebleuMetric(
    "chrf++", "chrF2++", f"{_CHRF_TOLD}, and of words up to order 2", "char", order=_ORDER_OF_CHRF
)
TER: Final = SacrebleuMetric(
    *("ter", "TER", "edits for 100 words of the references, with moves of phrases", "word"),
    most=None,
    lower_is_better=True,
    counts_copies=True,
)
SACREBLEU_METRICS: Final = (CHRF, CHRF_WITH_WORDS, TER)
