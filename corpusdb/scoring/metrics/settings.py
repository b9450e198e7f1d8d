"""Which metric is wanted, and how: plain values that can be stored and compared."""

from __future__ import annotations

import math
from dataclasses import dataclass

from corpusdb.base.errors import UsageError

__all__ = ["NO_SMOOTHING", "SENTENCE_SMOOTHING", "Settings", "Smoothing"]

_DEFAULTS = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}


@dataclass(frozen=True, slots=True)
class Smoothing:
    """What stands in for a precision of 0, with sacrebleu's definitions (Chen and Cherry 2014).

    ``none``: nothing, the score is 0. ``floor``: ``value`` (default 0.1) n-grams matched. ``add-k``: ``value`` (default
    1) is added to the matched and to all n-grams, for orders over 1. ``exp``: one half of an n-gram, a quarter the next
    time, and so on, as in mteval. Without a single matching unit the score is 0 whatever the method.
    """

    method: str = "none"
    value: float | None = None
    effective: bool = False
    """Whether orders longer than the hypothesis are left out (sacrebleu's effective_order) instead of counting as 0."""

    def __post_init__(self) -> None:
        if self.method not in _DEFAULTS:
            raise UsageError(f"unknown smoothing {self.method!r}; there are {', '.join(_DEFAULTS)}")
        if self.value is not None and (not _DEFAULTS[self.method] or not 0 < self.value < math.inf):
            raise UsageError(f"smoothing {self.method!r} takes no value {self.value!r}")

    @property
    def amount(self) -> float:
        return _DEFAULTS[self.method] if self.value is None else self.value

    def __str__(self) -> str:
        value = f"[{self.amount:g}]" if self.amount else ""
        return f"{self.method}{value}{'+effective' if self.effective else ''}"


NO_SMOOTHING = Smoothing()
SENTENCE_SMOOTHING = Smoothing("exp", effective=True)
"""For sentences, whose plain BLEU is 0 more often than not; what sacrebleu takes for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Which metric, and how. Made by registry.settings_for, which fills in what is not given and checks the rest."""

    metric: str
    unit: str
    """word or char."""
    order: int | None
    """The longest n-grams; None for metrics that count none."""
    tokenisation: str | None
    """None for metrics that cut texts themselves."""
    lowercase: bool = False
    smoothing: Smoothing = NO_SMOOTHING
    """Of BLEU."""

    @property
    def is_plain_bleu(self) -> bool:
        """Whether it gives many a single segment 0, since one order without a match is enough."""
        return self.metric == "bleu" and self.smoothing.method == "none"
