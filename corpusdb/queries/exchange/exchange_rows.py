"""Exchanges as the database holds them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from corpusdb.exchange.exchange_index import ExchangeIndex
from corpusdb.exchange.rates import Totals

__all__ = ["store_exchanges"]

_CLEAR = (
    "delete from exchange_part where exchange in (select id from exchange where language = ?)",
    "delete from exchange where language = ?",
)
_NEXT = "select coalesce(max(id), 0) + 1 from exchange"
_EXCHANGE = "insert into exchange (id, language, x, y, pairs, shared, expected) values (?, ?, ?, ?, ?, ?, ?)"
_PART = "insert into exchange_part (exchange, kind, name, pairs, shared, expected) values (?, ?, ?, ?, ?, ?)"


def store_exchanges(
    connection: sqlite3.Connection,
    language: str,
    index: ExchangeIndex,
    fillers: Mapping[int, str],
    neighbours: Sequence[str],
) -> None:
    """Store the exchanges of a language in place of those there are; in a transaction of the caller.

    ``fillers`` has the texts by number, ``neighbours`` by place.
    """
    for statement in _CLEAR:
        connection.execute(statement, (language,))
    first = int(connection.execute(_NEXT).fetchone()[0])
    size = max(fillers, default=0) + 1
    texts = [sorted((fillers[code // size], fillers[code % size])) for code in index.codes.tolist()]
    # In the order of their texts, which does not depend on the numbers of the fillers.
    places = sorted(index.all.keys.tolist(), key=texts.__getitem__)
    numbers = {place: first + number for number, place in enumerate(places)}
    rows = ((numbers[place], language, *texts[place], *sums) for place, *sums in _rows(index.all))
    connection.executemany(_EXCHANGE, sorted(rows))
    for kind, totals, names in (
        ("language", index.by_language, index.sharing.languages),
        ("left", index.by_left, neighbours),
        ("right", index.by_right, neighbours),
    ):
        parts = (divmod(key, max(len(names), 1)) + tuple(sums) for key, *sums in _rows(totals))
        rows = ((numbers[place], kind, names[name], *sums) for place, name, *sums in parts)
        connection.executemany(_PART, sorted(rows))


def _rows(totals: Totals) -> Iterable[tuple[int, ...]]:
    return zip(*(each.tolist() for each in (totals.keys, totals.pairs, totals.shared, totals.expected)), strict=True)
