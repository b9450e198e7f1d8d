"""What a filter that keeps nothing could do without: advice names only what would bring something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from corpusdb.queries.paraphrase.filters.filter import Filter
from corpusdb.queries.paraphrase.filters.nsequences import NO_FILTER, NSequenceFilter

__all__ = ["Relaxation", "relaxations", "relaxations_told"]


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A filter that asks for less than another, and what that brings."""

    kept: NSequenceFilter
    options: str
    """As they are typed beside those that were given: ``-T 0``."""
    found: int
    """How many more it keeps; at least 1."""


def relaxations(kept: Filter, count: Callable[[Filter], int]) -> tuple[Relaxation, ...]:
    """What brings something where ``kept`` brings nothing: one thing less, each by itself; both only if neither does.

    ``count`` tells how many a filter keeps. It is called first for what lets all pass, and no more if that has none.
    """
    if not isinstance(kept, NSequenceFilter) or kept == replace(NO_FILTER, marks=kept.marks):
        return ()
    everything = _relaxation(kept, replace(NO_FILTER, marks=kept.marks), count)
    if everything is None or not (kept.order and kept.min_validity):
        return (everything,) if everything else ()
    single = (replace(kept, min_validity=0.0), replace(kept, order=0))
    return tuple(filter(None, (_relaxation(kept, each, count) for each in single))) or (everything,)


def _relaxation(kept: NSequenceFilter, less: NSequenceFilter, count: Callable[[Filter], int]) -> Relaxation | None:
    """None where it keeps nothing either."""
    found = count(less)
    return Relaxation(less, _options(kept, less), found) if found else None


def _options(kept: NSequenceFilter, less: NSequenceFilter) -> str:
    """With the validity that stays: without -T, -N 0 asks for none."""
    order = "" if less.order == kept.order else f"-N {less.order}"
    validity = f"-T {less.min_validity:g}" if kept.min_validity else ""
    return f"{order} {validity}".strip()


def relaxations_told(found: Sequence[Relaxation], verb: str) -> str:
    """In words: ``-T 0 shows 6, -N 0 -T 0.95 shows 2``; empty where nothing would bring anything."""
    return ", ".join(f"{each.options} {verb} {each.found:,}" for each in found)
