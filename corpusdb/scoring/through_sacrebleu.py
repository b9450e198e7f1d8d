"""chrF and TER with what sacrebleu cuts texts into, an extra that is imported when one of them is asked for.

They fit the same four steps: statistics of each segment, whose rows can be added and resampled, and scores of rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import chain, pairwise
from string import punctuation
from typing import Any, Final

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.scoring.edit_rate import edits_of
from corpusdb.scoring.metric import Details, Measure, Metric, SegmentReferences
from corpusdb.scoring.metric_settings import NO_SMOOTHING, MetricSettings, Signature

_LONGEST = {"ter": 500}
"""The most words of a segment: TER tries to move every run of words to every place."""


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
        self._segments = len(references)
        self._metric = _metric_of_sacrebleu(name, lowercase=lowercase, asian=asian)
        self._is_edit_rate = name == "ter"
        self._helpers = import_module("sacrebleu.metrics.helpers")
        prepare = self._words if self._is_edit_rate else self._ngrams
        self._references: list[list[Any]] = [[prepare(text) for text in texts] for texts in references]

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        """sacrebleu's statistics of each segment: shape (segments, columns); InputError for another number."""
        if len(hypotheses) != self._segments:
            raise InputError(f"{len(hypotheses)} hypotheses for the references of {self._segments} segments")
        return self.statistics_from(0, hypotheses)

    def statistics_from(self, first: int, hypotheses: Sequence[str]) -> F64:
        """The same for segments in a row, from the number ``first``, from 0, on."""
        for number, text in enumerate(hypotheses, first + 1):
            self._check_length(number, [text])
        references = self._references[first : first + len(hypotheses)]
        return (self._edits if self._is_edit_rate else self._best_matches)(hypotheses, references)

    def _words(self, text: str) -> list[str]:
        words: list[str] = self._metric.tokenizer(text.rstrip()).split()
        return words

    def _edits(self, hypotheses: Sequence[str], references: Sequence[Sequence[list[str]]]) -> F64:
        """For each segment the edits to the nearest reference, and the mean length of its references in words."""
        words = map(self._words, hypotheses)
        pairs = [(ours, each) for ours, own in zip(words, references, strict=True) for each in own]
        firsts = np.cumsum([0, *map(len, references[:-1])])
        lengths = [sum(map(len, own)) / len(own) for own in references]
        return np.stack([np.minimum.reduceat(edits_of(pairs), firsts), lengths], axis=1)

    def _ngrams(self, text: str) -> list[Counter[str]]:
        """How often each n-gram is in a text: of characters without blanks, and behind them those of words."""
        metric = self._metric
        helpers = self._helpers
        if metric.lowercase:
            text = text.lower()
        counts: list[Counter[str]] = helpers.extract_all_char_ngrams(text, metric.char_order)
        if metric.word_order:
            words = list(chain.from_iterable(map(_without_mark, text.split())))
            counts += [helpers.extract_word_ngrams(words, n) for n in range(1, metric.word_order + 1)]
        return counts

    def _best_matches(self, hypotheses: Sequence[str], references: Sequence[Sequence[list[Counter[str]]]]) -> F64:
        """For each order the n-grams of each hypothesis, of its best reference (the first of equals) and of both."""
        rows: list[list[int]] = []
        starts = [0]
        for hypothesis, counted in zip(hypotheses, references, strict=True):
            counts = self._ngrams(hypothesis)
            for reference in counted:
                row: list[int] = []
                for ours, theirs in zip(counts, reference, strict=True):
                    row += _matches(ours, theirs)
                rows.append(row)
            starts.append(len(rows))
        statistics = np.array(rows, dtype=np.float64)
        if len(rows) == len(references):
            return statistics
        scores = _f_scores(statistics, self._metric.beta)
        return statistics[[start + int(np.argmax(scores[start:stop])) for start, stop in pairwise(starts)]]

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
        if not self._is_edit_rate:
            return 100 * _f_scores(statistics, self._metric.beta) / 100  # rounded as sacrebleu's, which are of 100
        edits, length = statistics[..., 0], statistics[..., 1]
        return 100 * (edits / length) / 100


def _without_mark(word: str) -> list[str]:
    """A word and the mark at its end or else at its beginning, of which chrF++ makes a word."""
    if len(word) == 1:
        return [word]
    if word[-1] in punctuation:
        return [word[:-1], word[-1]]
    return [word[0], word[1:]] if word[0] in punctuation else [word]


def _matches(ours: Counter[str], theirs: Counter[str]) -> tuple[int, int, int]:
    """The n-grams of a hypothesis, none where the reference has none, of the reference, and of both."""
    common = sum(
        [count if count < theirs[ngram] else theirs[ngram] for ngram, count in ours.items() if ngram in theirs]
    )
    return ours.total() if theirs else 0, theirs.total(), common


def _f_scores(statistics: F64, beta: int) -> F64:
    """chrF from 0 to 1: precision and recall are means over the orders that both sides have.

    Shape (..., 3 x orders) to (...). Added up order by order, as sacrebleu does: to the last bit the same.
    """
    precision = recall = orders = np.zeros(statistics.shape[:-1])
    for order in range(0, statistics.shape[-1], 3):
        ours, theirs, both = (statistics[..., order + column] for column in range(3))
        is_there = (ours > 0) & (theirs > 0)
        precision = precision + np.where(is_there, both / np.maximum(ours, 1), 0)
        recall = recall + np.where(is_there, both / np.maximum(theirs, 1), 0)
        orders = orders + is_there
    orders = np.maximum(orders, 1)
    precision, recall = precision / orders, recall / orders
    mean = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / np.where(mean > 0, mean, 1)


def _metric_of_sacrebleu(name: str, *, lowercase: bool, asian: bool = False, **more: object) -> Any:
    """The metric as it is set up here. Raises UsageError where sacrebleu is missing."""
    # sacrebleu is typed, but not there for everyone who checks the types of this module: hence Any.
    try:
        metrics = import_module("sacrebleu.metrics")
    except ImportError as error:
        raise UsageError(f"{name} needs sacrebleu: pip install 'corpusdb[sacrebleu]'") from error
    if name == "ter":
        return metrics.TER(case_sensitive=not lowercase, asian_support=asian, normalized=asian, **more)
    return metrics.CHRF(word_order=2 if name == "chrf++" else 0, lowercase=lowercase, **more)


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
        metric = _metric_of_sacrebleu(self.name, lowercase=settings.lowercase, references=_ANY_REFERENCES)
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
