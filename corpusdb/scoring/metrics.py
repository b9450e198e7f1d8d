"""The metrics by their names. A new one is a module with a Metric in it and a line here.

Modules are imported when their metric is asked for, so that the names alone cost nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from corpusdb.base.errors import UsageError
from corpusdb.base.startup import loaded_now
from corpusdb.scoring.metric_settings import NO_SMOOTHING, MetricSettings, Smoothing

if TYPE_CHECKING:
    from corpusdb.scoring.metric import Metric

METRICS: Final = {
    "bleu": "corpusdb.scoring.unit_metrics:BLEU",
    "nist": "corpusdb.scoring.unit_metrics:NIST",
    "mwer": "corpusdb.scoring.unit_metrics:MWER",
    "chrf": "corpusdb.scoring.character_f:CHRF",
    "chrf++": "corpusdb.scoring.character_f:CHRF_WITH_WORDS",
    "ter": "corpusdb.scoring.edit_rate:TER",
}
"""Module and name of each metric."""


_OF_CORPORA: Final = re.compile(
    r"(?:sacre)?bleu(?:[wc]?[0-9]|$|[-_ |.])|nist|chrf|ter(?:$|[-_ |.])|mwer", re.IGNORECASE
)


def metric_named(name: str) -> Metric:
    """The metric of that name. Raises UsageError where there is none."""
    if name not in METRICS:
        raise UsageError(f"unknown metric {name!r}; there are {', '.join(METRICS)}")
    metric: Metric = loaded_now(METRICS[name])
    return metric


def counts_errors(name: str) -> bool:
    """Whether a metric of that name, ours or of others, is the better the lower it is."""
    return name.casefold() in METRICS and metric_named(name.casefold()).lower_is_better


def is_corpus_metric(name: str) -> bool:
    """Whether a metric of that name, ours or of others, has a score of a system that is no mean of its segments."""
    return name.casefold() in METRICS or _OF_CORPORA.match(name) is not None


def settings_for(
    metric: str,
    *,
    unit: str = "word",
    order: int | None = None,
    tokenisation: str | None = None,
    lowercase: bool = False,
    smoothing: Smoothing = NO_SMOOTHING,
) -> MetricSettings:
    """The settings of a metric, with what is not given filled in, so that equal settings are equal.

    Words are those of mteval-v13a, as in sacrebleu, unless the tokenisation says otherwise; to tokenise in characters
    is to count in characters. What a metric does not know it leaves out: chrF and TER bring their own units, and take
    nothing but ``lowercase``. Raises UsageError for what is unknown or contradicts itself.
    """
    found = metric_named(metric)
    if unit not in ("word", "char"):
        raise UsageError(f"unknown unit {unit!r}; there are word and char")
    if unit == "char" and tokenisation not in (None, "char"):
        raise UsageError(f"tokenisation {tokenisation} makes words, and characters are to be counted")
    if tokenisation is not None:
        from corpusdb.base.subwords import needs_model, with_whole_path
        from corpusdb.base.tokenisation import check_name

        check_name(tokenisation)
        tokenisation = with_whole_path(tokenisation) if needs_model(tokenisation) else tokenisation
    if order is not None and order < 1:
        raise UsageError(f"an order is at least 1, not {order}")
    return found.complete(
        MetricSettings(
            metric=metric,
            unit=unit,
            order=order,
            tokenisation=tokenisation,
            lowercase=lowercase,
            smoothing=smoothing,
        )
    )
