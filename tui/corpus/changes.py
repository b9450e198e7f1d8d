"""What one key changes about a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import get_args

from corpusdb.errors import UsageError
from corpusdb.queries.search.arrangement import Sorting
from corpusdb.queries.search.request import Mode, SearchRequest
from tui.corpus.forms import without_filters

__all__ = ["CHANGES"]

_MODES: tuple[Mode, ...] = get_args(Mode)
_SORTINGS: tuple[Sorting, ...] = get_args(Sorting)


def _next_mode(words: SearchRequest) -> SearchRequest:
    return words.with_mode(_MODES[(_MODES.index(words.mode) + 1) % len(_MODES)])


def _other_case(words: SearchRequest) -> SearchRequest:
    if words.cqp:
        raise UsageError('a CQP query says itself where case does not count: "word"%c')
    return replace(words, ignore_case=not words.folds_case)


def _toggled_kwic(words: SearchRequest) -> SearchRequest:
    return replace(words, kwic=not words.kwic, group=None)


def _next_sorting(words: SearchRequest) -> SearchRequest:
    place = _SORTINGS.index(words.sort) + 1 if words.kwic else 0
    return replace(words, kwic=True, sort=_SORTINGS[place % len(_SORTINGS)])


CHANGES: Mapping[str, Callable[[SearchRequest], SearchRequest]] = {
    "mode": _next_mode,
    "case": _other_case,
    "no-filters": without_filters,
    "kwic": _toggled_kwic,
    "sort": _next_sorting,
}
"""The search that a key makes of another one, or UsageError."""
