"""Every metric of this package behind one face: what is asked for, its statistics, its scores and its signature.

Scores are here on the scale in which people print them: BLEU, chrF and TER up to 100, as in sacrebleu; NIST in bits
from 0 upwards; mWER as edits per unit, 0 for equal texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Final

from corpusdb.arrays import F64, I64
from corpusdb.errors import UsageError
from corpusdb.metrics.bleu import NO_SMOOTHING, Smoothing, bleu_scores, bleu_statistics
from corpusdb.metrics.encoding import References
from corpusdb.metrics.mwer import mwer_scores, mwer_statistics
from corpusdb.metrics.nist import nist_scores, nist_statistics
from corpusdb.metrics.signature import DIGEST_LENGTH, ReferenceCounts, Signature
from corpusdb.metrics.through_sacrebleu import SACREBLEU_METRICS, SacrebleuMetric
from corpusdb.metrics.tokenisation import tokeniser

__all__ = ["DEFAULT_ORDERS", "METRICS", "Measure", "Settings", "measures"]

METRICS: Final = ("bleu", "nist", "mwer", *SACREBLEU_METRICS)
DEFAULT_ORDERS: Final = {("bleu", "word"): 4, ("bleu", "char"): 18, ("nist", "word"): 5, ("nist", "char"): 18}
"""BLEUw4 is what everybody computes, and BLEUc18 what Denoual and Lepage (2005, section 5.1) found to correspond to it;
5 is the order of mteval's NIST, which nobody has computed in characters."""
_DEFAULT_TOKENISATIONS: Final = {"word": "13a", "char": "char"}
_LOWER_IS_BETTER: Final = frozenset({"mwer", "ter"})
_UNITS_OF_OTHERS: Final = {"chrf": "char", "chrf++": "char", "ter": "word"}
_ORDER_OF_CHRF: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Which metric, and how. What is not given is filled in, so that equal settings are equal.

    Words are those of mteval-v13a, as in sacrebleu, unless the tokenisation says otherwise; to tokenise in characters
    is to count in characters. chrF and TER bring their own units, and take nothing but ``lowercase``. Raises
    UsageError for what is unknown or contradicts itself.
    """

    metric: str
    unit: str = "word"
    order: int | None = None
    """Of BLEU and NIST; None is that of DEFAULT_ORDERS."""
    tokenisation: str | None = None
    lowercase: bool = False
    smoothing: Smoothing = NO_SMOOTHING
    """Of BLEU."""

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise UsageError(f"unknown metric {self.metric!r}; there are {', '.join(METRICS)}")
        if self.unit not in _DEFAULT_TOKENISATIONS:
            raise UsageError(f"unknown unit {self.unit!r}; there are word and char")
        if self.unit == "char" and self.tokenisation not in (None, "char"):
            raise UsageError(f"tokenisation {self.tokenisation} makes words, and characters are to be counted")
        if self.order is not None and self.order < 1:
            raise UsageError(f"an order is at least 1, not {self.order}")
        if self.metric in SACREBLEU_METRICS:
            self._fill(unit=_UNITS_OF_OTHERS[self.metric], tokenisation=None, smoothing=NO_SMOOTHING)
            self._fill(order=None if self.metric == "ter" else _ORDER_OF_CHRF)
            return
        unit = "char" if self.tokenisation == "char" else self.unit
        self._fill(unit=unit, tokenisation=self.tokenisation or _DEFAULT_TOKENISATIONS[unit])
        default = DEFAULT_ORDERS.get((self.metric, unit))
        self._fill(order=None if default is None else self.order or default)
        if self.metric != "bleu":
            self._fill(smoothing=NO_SMOOTHING)

    def _fill(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def label(self) -> str:
        """What the metric is called in a table: BLEUw4, BLEUc18, NISTw5, mWER, chrF2 ..."""
        names = {"mwer": "mWER", "chrf": "chrF2", "chrf++": "chrF2++", "ter": "TER"}
        if self.metric in SACREBLEU_METRICS or self.metric == "mwer":
            return names[self.metric] if self.unit != "char" or self.metric != "mwer" else "mCER"
        return f"{self.metric.upper()}{self.unit[0]}{self.order}"

    @property
    def lower_is_better(self) -> bool:
        """Whether the metric counts errors."""
        return self.metric in _LOWER_IS_BETTER


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric with the references of every segment, for any number of systems."""

    settings: Settings
    references: References | None
    """As units; None for the metrics of sacrebleu, which keep them to themselves."""
    counts: tuple[int, ...]
    """How many references each segment has."""
    theirs: SacrebleuMetric | None = field(default=None, repr=False)

    def statistics(self, hypotheses: Sequence[str]) -> I64 | F64:
        """The statistics of each segment: shape (segments, columns), whose rows can be added.

        Raises InputError unless there is one hypothesis for every segment.
        """
        if self.references is None:
            return self._sacrebleu().statistics(hypotheses)
        encoded = self.references.encode(hypotheses)
        if self.settings.metric == "mwer":
            return mwer_statistics(encoded, self.references)
        order = self.settings.order or 1
        if self.settings.metric == "nist":
            return nist_statistics(encoded, self.references, order)
        return bleu_statistics(encoded, self.references, order)

    def scores(self, statistics: I64 | F64) -> F64:
        """Statistics of shape (..., columns) to scores of shape (...), on the scale in which they are printed."""
        if self.references is None:
            return 100 * self._sacrebleu().scores(statistics.astype("float64"))
        if self.settings.metric == "mwer":
            return mwer_scores(statistics)
        if self.settings.metric == "nist":
            return nist_scores(statistics.astype("float64"))[..., -1]
        scores: F64 = 100 * bleu_scores(statistics, self.settings.smoothing)[..., -1]
        return scores

    def with_references(self, references: References) -> Measure:
        """The same with a part of the references. Raises UsageError for the metrics of sacrebleu."""
        if self.references is None:
            raise UsageError(f"the references of {self.settings.metric} cannot be resampled")
        return replace(self, references=references, counts=tuple(references.counts.tolist()))

    def signature(self, digest: str) -> Signature:
        """How these scores are computed, with the digest of the reference set in hexadecimal."""
        settings = self.settings
        return Signature(
            metric=settings.metric,
            order=settings.order,
            unit=settings.unit,
            case="lc" if settings.lowercase else "mixed",
            tokenisation=settings.tokenisation or f"sacrebleu-{import_module('sacrebleu').__version__}",
            smoothing=str(settings.smoothing) if settings.metric == "bleu" else None,
            references=ReferenceCounts.of(self.counts),
            digest=digest[:DIGEST_LENGTH],
        )

    def _sacrebleu(self) -> SacrebleuMetric:
        if self.theirs is None:
            raise UsageError(f"{self.settings.metric} is no metric of sacrebleu")
        return self.theirs


def measures(settings: Sequence[Settings], references: Sequence[Sequence[str]]) -> list[Measure]:
    """The measures for one list of references for each segment, which are cut into units once for each way of cutting.

    Raises InputError with the number of the segment, from 1, where one has no reference or a blank one, and UsageError
    where sacrebleu is needed and missing.
    """
    counts = tuple(map(len, references))
    cut: dict[tuple[str, bool], References] = {}
    made = []
    for each in settings:
        if each.tokenisation is None:
            theirs = SacrebleuMetric(each.metric, references, lowercase=each.lowercase)
            made.append(Measure(each, None, counts, theirs))
            continue
        way = each.tokenisation, each.lowercase
        if way not in cut:
            cut[way] = References.of(references, tokeniser(each.tokenisation, lowercase=each.lowercase))
        made.append(Measure(each, cut[way], counts))
    return made
