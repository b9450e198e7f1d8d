"""What scores of others leave open: systems and segments without one, and names that belong to no system."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

import numpy as np

from corpusdb.formats.scores.score_file import ExternalScores

__all__ = ["first_few", "missing_segments", "missing_systems", "named_alike"]

_SHOWN: Final = 5


def missing_segments(scores: Iterable[ExternalScores], systems: Collection[str]) -> list[str]:
    """A line for each metric that scores only some segments of a system; for several that lack the same, one line."""
    metrics: dict[str, list[str]] = {}
    for each in scores:
        if each.level == "system":
            continue
        missing = {system: int(np.isnan(array).sum()) for system, array in each.scores.items() if system in systems}
        parts = [f"{count:,} of {system}" for system, count in missing.items() if 0 < count < (each.segments or 0)]
        if parts:
            metrics.setdefault(f"of {each.segments:,} segments have no score: {first_few(parts)}", []).append(each.name)
    return [f"{', '.join(names)}: {lacking}" for lacking, names in metrics.items()]


def missing_systems(scores: Iterable[ExternalScores], systems: Collection[str]) -> list[str]:
    """Which of the systems have no score of a metric, and of which others there are scores."""
    metrics: dict[str, dict[str, None]] = {}
    for each in scores:
        scored = [system for system, array in each.scores.items() if not np.isnan(array).all()]
        metrics.setdefault(each.name, {}).update(dict.fromkeys(scored))
    absent: dict[str, list[str]] = {}
    others: dict[str, None] = {}
    for name, scored_by in metrics.items():
        unknown = [system for system in scored_by if system not in systems]
        others.update(dict.fromkeys(unknown))
        lacking = [system + named_alike(system, unknown) for system in systems if system not in scored_by]
        if lacking:
            absent.setdefault(first_few(lacking), []).append(name)
    lines = [f"{', '.join(names)}: no scores of {lacking}" for lacking, names in absent.items()]
    return [*lines, *([f"scores of what is no system here are left out: {first_few(list(others))}"] if others else [])]


def named_alike(system: str, names: Collection[str]) -> str:
    """The name that is most like that of a system, in brackets; nothing where none is like it."""
    by_folded: Mapping[str, str] = {name.casefold(): name for name in names}
    found = get_close_matches(system.casefold(), by_folded, n=1, cutoff=0.75)
    return f" ({by_folded[found[0]]}?)" if found else ""


def first_few(parts: Sequence[str]) -> str:
    """Some of them with commas, and how many more there are."""
    more = [f"{len(parts) - _SHOWN:,} more"] if len(parts) > _SHOWN else []
    return ", ".join([*parts[:_SHOWN], *more])
