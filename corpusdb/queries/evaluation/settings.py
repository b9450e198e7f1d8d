"""The metrics there are, and the settings of one as people write them. Cheap to import: no metric is loaded."""

from __future__ import annotations

from corpusdb.errors import UsageError
from corpusdb.metrics.registry import METRICS, settings_for
from corpusdb.metrics.settings import Smoothing

__all__ = ["metric_names", "parse_metrics", "parse_smoothing", "settings_for"]


def metric_names() -> tuple[str, ...]:
    """The names of all metrics."""
    return tuple(METRICS)


def parse_metrics(names: str) -> list[str]:
    """Names with commas between them, each once. Raises UsageError where there is none."""
    found = list(dict.fromkeys(name.strip().lower() for name in names.split(",") if name.strip()))
    if not found:
        raise UsageError("no metric is given")
    return found


def parse_smoothing(text: str) -> Smoothing:
    """A method of smoothing, with its value behind an equals sign if it has one: floor, floor=0.2."""
    method, _, value = text.partition("=")
    try:
        return Smoothing(method, float(value) if value else None)
    except ValueError as error:
        raise UsageError(f"the value of a smoothing is a number, not {value!r}") from error
