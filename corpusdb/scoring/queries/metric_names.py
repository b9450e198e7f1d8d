"""The metrics there are, and the settings of one as people write them. Cheap to import: no metric is loaded."""

from __future__ import annotations

from collections.abc import Sequence

from corpusdb.base.errors import UsageError
from corpusdb.scoring.metric_settings import MetricSettings, Smoothing
from corpusdb.scoring.metrics import METRICS, metric_named


def metric_names() -> tuple[str, ...]:
    return tuple(METRICS)


def parse_metrics(names: str) -> list[str]:
    """Names with commas between them, each once. Raises UsageError where there is none."""
    found = list(dict.fromkeys(name.strip().lower() for name in names.split(",") if name.strip()))
    if not found:
        raise UsageError("no metric is given")
    return found


def are_of_sacrebleu(metrics: Sequence[str]) -> bool:
    return all(metric_named(each).is_of_sacrebleu for each in metrics)


def settings_of_sacrebleu(settings: MetricSettings, *, smoothed: bool, segments: bool) -> MetricSettings:
    return metric_named(settings.metric).as_sacrebleu(settings, smoothed=smoothed, segments=segments)


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


def sorting_place(settings: Sequence[MetricSettings], metric: str) -> int:
    """Which of these settings, from 0, is of a metric, which may be named as in a table.

    Raises UsageError where none is.
    """
    for place, each in enumerate(settings):
        if metric.casefold() in (each.metric.casefold(), metric_named(each.metric).label(each).casefold()):
            return place
    told = ", ".join(each.metric for each in settings)
    raise UsageError(f"--sort takes a metric that is computed, {told}, and not {metric!r}")


def parse_smoothing(text: str) -> Smoothing:
    """A method of smoothing, with its value behind an equals sign if it has one: floor, floor=0.2."""
    method, _, value = text.partition("=")
    try:
        return Smoothing(method, float(value) if value else None)
    except ValueError as error:
        raise UsageError(f"the value of a smoothing is a number, not {value!r}") from error
