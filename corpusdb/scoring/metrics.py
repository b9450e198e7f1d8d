"""The metrics by their names, and the settings of one as people write them. A new metric is a module and a line here.

Modules are imported when their metric is asked for, so that the names alone cost nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from corpusdb.base.errors import UsageError, there_are
from corpusdb.base.startup import loaded_now
from corpusdb.scoring.metric_settings import DIGEST_LENGTH, NO_SMOOTHING, MetricSettings, Smoothing

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
        raise UsageError(f"unknown metric {name!r}; {there_are(name, METRICS)}")
    metric: Metric = loaded_now(METRICS[name])
    return metric


def counts_errors(name: str) -> bool:
    """Whether a metric of that name, ours or of others, is the better the lower it is."""
    return name.casefold() in METRICS and metric_named(name.casefold()).lower_is_better


def is_corpus_metric(name: str) -> bool:
    """Whether a metric of that name, ours or of others, has a score of a system that is no mean of its segments."""
    return name.casefold() in METRICS or _OF_CORPORA.match(name) is not None


_WORDS: Final = ("bleu", "nist", "mwer")
OF_METRICS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("smoothing",): ("bleu",),
    ("order",): ("bleu", "nist"),
    ("unit", "tokenise"): _WORDS,
    ("chrf_char_order", "chrf_word_order", "chrf_beta"): ("chrf", "chrf++"),
    ("ter_case_sensitive", "ter_normalized", "ter_no_punct", "ter_asian_support"): ("ter",),
}
"""The options, of the command line and of the library, that only some metrics have."""


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
        raise UsageError(f"unknown unit {unit!r}; {there_are(unit, ('word', 'char'))}")
    if unit == "char" and tokenisation not in (None, "char"):
        raise UsageError(f"tokenisation {tokenisation} makes words, but characters are counted")
    if tokenisation is not None:
        from corpusdb.base.tokenisation import check_name, needs_model, with_whole_path

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


def with_chrf_options(settings: MetricSettings, characters: int, words: int, beta: int) -> MetricSettings:
    """chrF as --chrf-char-order, --chrf-word-order and --chrf-beta have it; other metrics as they are.

    With words up to order 2 it is chrF++, whose words have no other. Raises UsageError where they are to.
    """
    if settings.metric not in ("chrf", "chrf++"):
        return settings
    from corpusdb.scoring.character_f import BETA, WORDS

    if settings.metric == "chrf++" and words not in (0, WORDS):
        raise UsageError(f"chrf++ is chrf with --chrf-word-order {WORDS}; of another order it is --metric chrf")
    return replace(
        settings,
        metric="chrf++" if words == WORDS else settings.metric,
        order=characters,
        word_order=None if words in (0, WORDS) else words,
        beta=None if beta == BETA else beta,
    )


def with_ter_options(
    settings: MetricSettings,
    case_sensitive: bool = False,
    normalised: bool = False,
    no_punctuation: bool = False,
    asian_support: bool = False,
) -> MetricSettings:
    """TER as sacrebleu's options have it, ignoring case unless it is to be sensitive; other metrics as they are."""
    if settings.metric != "ter":
        return settings
    return replace(
        settings,
        lowercase=not case_sensitive,
        normalised=normalised,
        no_punctuation=no_punctuation,
        asian_support=asian_support,
    )


# The metrics there are, and the settings of one as people write them. Cheap to import: no metric is loaded.


def metric_names() -> tuple[str, ...]:
    return tuple(METRICS)


def parse_metrics(names: str) -> list[str]:
    """Names with commas or blanks between them, each once. Raises UsageError where there is none."""
    found = list(dict.fromkeys(names.replace(",", " ").lower().split()))
    if not found:
        raise UsageError("no metric is given")
    return found


def are_of_sacrebleu(metrics: Sequence[str]) -> bool:
    return all(metric_named(each).is_of_sacrebleu for each in metrics)


def settings_of_sacrebleu(settings: MetricSettings, *, smoothed: bool, segments: bool) -> MetricSettings:
    return metric_named(settings.metric).as_sacrebleu(settings, smoothed=smoothed, segments=segments)


def without_missing(settings: Sequence[MetricSettings], tell: Callable[[str], object]) -> list[MetricSettings]:
    """The settings of the metrics that can be computed here, and a line on each other; all of them where none can."""
    missing: dict[MetricSettings, UsageError] = {}
    for each in settings if len(settings) > 1 else ():
        try:
            metric_named(each.metric).signature(each, [1], "0" * DIGEST_LENGTH)
        except UsageError as error:
            missing[each] = error
    if len(missing) == len(settings):
        return list(settings)
    for why in missing.values():
        tell(f"{why}; the other metrics follow")
    return [each for each in settings if each not in missing]


def counting_copies() -> list[str]:
    """What tables call the metrics for which a reference that a segment has twice counts twice."""
    return [each.heading for each in map(metric_named, METRICS) if each.counts_copies]


def is_metrics(word: str) -> bool:
    """Whether a word is names of metrics with commas between them."""
    names = [name.strip().lower() for name in word.split(",")]
    return any(names) and all(name in METRICS for name in names if name)


def check_resampling(settings: Sequence[MetricSettings], draws: int, samples: int) -> None:
    """Raise UsageError where the references of one of these metrics cannot be drawn, or a variance needs more draws."""
    for each in settings:
        if not metric_named(each.metric).can_resample:
            able = ", ".join(name for name in METRICS if metric_named(name).can_resample)
            raise UsageError(f"the references of {each.metric} cannot be resampled; those of {able} can")
    if draws < 2 or samples < 2:
        raise UsageError("a variance needs at least two draws of references and two samples of segments")


def computed_place(settings: Sequence[MetricSettings], metric: str, option: str) -> int:
    """Which of these settings, from 0, is of a metric that an option names, perhaps as in a table.

    Raises UsageError where none is.
    """
    for place, each in enumerate(settings):
        if metric.casefold() in (each.metric.casefold(), metric_named(each.metric).label(each).casefold()):
            return place
    told = ", ".join(each.metric for each in settings)
    raise UsageError(f"{option} takes a metric that is computed, {told}, and not {metric!r}")


def parse_bounds(settings: Sequence[MetricSettings], given: Sequence[str]) -> list[tuple[int, float]]:
    """The place of each metric among settings with the score that is still good enough: bleu=30, or bleu=30,ter=50.

    Raises UsageError for anything else.
    """
    found: list[tuple[int, float]] = []
    for each in (part.strip() for text in given for part in text.split(",")):
        metric, _, value = each.rpartition("=")
        try:
            bound = float(value)
        except ValueError:
            bound = math.nan
        if not metric or not math.isfinite(bound):
            raise UsageError(f"--fail-below takes METRIC=VALUE, such as bleu=30, and not {each!r}")
        found.append((computed_place(settings, metric, "--fail-below"), bound))
    return found


def parse_smoothing(text: str) -> Smoothing:
    """A method of smoothing, with its value behind an equals sign if it has one: floor, floor=0.2."""
    method, _, value = text.partition("=")
    try:
        return Smoothing(method, float(value) if value else None)
    except ValueError as error:
        raise UsageError(f"the value of a smoothing is a number, not {value!r}") from error
