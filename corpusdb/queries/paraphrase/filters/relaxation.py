"""What a filter that keeps nothing could do without: advice names only what would bring something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from corpusdb.queries.paraphrase.filters.filter import Filter
from corpusdb.queries.paraphrase.filters.nsequences import NO_FILTER, NSequenceFilter, filter_at

__all__ = ["Relaxation", "relaxations", "relaxations_told"]


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A filter that asks for less than another, and what that brings."""

    kept: NSequenceFilter
    options: str
    """As they are typed beside those that were given: ``-V 0``."""
    found: int
    """How many more it keeps; at least 1."""


def relaxations(kept: Filter, count: Callable[[Filter], int], *, final_marks: bool = False) -> tuple[Relaxation, ...]:
    """What brings something where ``kept`` brings nothing: one thing less, each by itself; all only if none does.

    ``count`` tells how many a filter keeps. It is called first for what lets all pass, and no more if that has none.
    ``final_marks``: whether what differs in the marks at its end alone can be asked for by itself.
    """
    if not isinstance(kept, NSequenceFilter) or kept == replace(NO_FILTER, marks=kept.marks):
        return ()
    everything = _relaxation(kept, replace(NO_FILTER, marks=kept.marks), count)
    if everything is None:
        return ()
    less = [_asking(kept, kept.order, 0.0)] if kept.min_validity else []
    less += [_asking(kept, 0, kept.min_validity)] if kept.order else []
    less += [replace(kept, final_marks=True)] if final_marks and not kept.final_marks else []
    if len(less) == 1:
        return (everything,)
    return tuple(filter(None, (_relaxation(kept, each, count) for each in less))) or (everything,)


def _asking(kept: NSequenceFilter, order: int, min_validity: float) -> NSequenceFilter:
    """The filter of somebody who asks for these and says nothing new of the rest."""
    return filter_at(order, marks=kept.marks, min_validity=min_validity, final_marks=kept.final_marks)


def _relaxation(kept: NSequenceFilter, less: NSequenceFilter, count: Callable[[Filter], int]) -> Relaxation | None:
    """None where it keeps nothing either."""
    found = count(less)
    return Relaxation(less, _options(kept, less), found) if found else None


def _options(kept: NSequenceFilter, less: NSequenceFilter) -> str:
    """With the validity that stays: without -V, -N 0 asks for none."""
    order = "" if less.order == kept.order else f"-N {less.order}"
    validity = f"-V {less.min_validity:g}" if kept.min_validity else ""
    if less.final_marks == kept.final_marks or not (less.order or less.min_validity):
        return f"{order} {validity}".strip()
    return "--final-marks"


def relaxations_told(found: Sequence[Relaxation], verb: str) -> str:
    """In words: ``-V 0 shows 6, -N 0 -V 0.95 shows 2``; empty where nothing would bring anything."""
    return ", ".join(f"{each.options} {verb} {each.found:,}" for each in found)
