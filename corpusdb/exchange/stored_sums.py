"""Exchanges by the sums that are stored of them, to judge pairs by that are not among those that were summed up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corpusdb.exchange.exchange_index import ExchangeIndex, no_sharing
from corpusdb.exchange.rates import Totals

__all__ = ["StoredExchange", "StoredPart", "index_of_sums"]


class StoredExchange(NamedTuple):
    """The sums of an exchange."""

    id: int
    x: str
    y: str
    pairs: int
    shared: int
    expected: int


class StoredPart(NamedTuple):
    """The same of a part of its pairs."""

    exchange: int
    kind: str
    """language, left or right."""
    name: str
    pairs: int
    shared: int
    expected: int


def index_of_sums(
    exchanges: Sequence[StoredExchange],
    parts: Iterable[StoredPart],
    fillers: Sequence[str],
    neighbours: Mapping[str, int],
) -> ExchangeIndex:
    """The index of these exchanges; fillers, and the units beside the pairs, are known by their places."""
    number = {text: place for place, text in enumerate(fillers)}
    ordered = sorted((number[each.x] * max(len(fillers), 1) + number[each.y], each) for each in exchanges)
    place_of = {each.id: place for place, (_, each) in enumerate(ordered)}
    rows = list(parts)
    languages = sorted({row.name for row in rows if row.kind == "language"})
    numbers = {"language": {name: n for n, name in enumerate(languages)}, "left": neighbours, "right": neighbours}
    keyed: dict[str, list[tuple[int, ...]]] = {kind: [] for kind in numbers}
    for exchange, kind, name, *sums in rows:
        if name in numbers[kind]:  # what stands beside none of the pairs is not looked for
            key = place_of[exchange] * max(len(numbers[kind]), 1) + numbers[kind][name]
            keyed[kind].append((key, *sums))
    by_language, by_left, by_right = (_totals(sorted(keyed[kind])) for kind in ("language", "left", "right"))
    return ExchangeIndex(
        codes=np.array([code for code, _ in ordered], dtype=np.int64),
        sharing=no_sharing(languages),
        all=_totals((place, *each[3:]) for place, (_, each) in enumerate(ordered)),
        by_language=by_language,
        by_left=by_left,
        by_right=by_right,
        neighbours=len(neighbours),
        instances=np.empty(0, dtype=np.int64),
    )


def _totals(rows: Iterable[tuple[int, ...]]) -> Totals:
    return Totals(*np.array(list(rows), dtype=np.int64).reshape(-1, 4).T)
