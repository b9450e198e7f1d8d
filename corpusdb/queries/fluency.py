"""The fluency order of candidates: up to which N all their N-sequences occur in the corpus (section 4.4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from corpusdb.charlm import FluencyOrders, fluency_orders
from corpusdb.model import Progress
from corpusdb.queries import Job
from corpusdb.queries.ngrams import NgramIndex
from corpusdb.store import Store

__all__ = ["compute_fluency", "order_candidates"]

_CANDIDATES_AT_ONCE = 60_000
_FEW = 2_000

_COUNT = """
select count(*) from candidate join seed on seed.id = candidate.seed where fluency is null and seed.language = ?
"""
_NEXT = """
select candidate.id, candidate.text from candidate join seed on seed.id = candidate.seed
where fluency is null and seed.language = ? and candidate.id > ? order by candidate.id limit ?
"""


def compute_fluency(store: Store, language: str, ngrams: NgramIndex) -> Job[None]:
    """Fill in the fluency of all candidates that have none yet."""
    total = store.connection.execute(_COUNT, (language,)).fetchone()[0]
    longest = ngrams.longest_of_few if total <= _FEW else ngrams.longest_of_many
    done, last = 0, 0
    while rows := store.connection.execute(_NEXT, (language, last, _CANDIDATES_AT_ONCE)).fetchall():
        yield Progress("measuring fluency of candidates", done, total)
        with store.write() as connection:
            order_candidates(connection, rows, longest)
        done, last = done + len(rows), rows[-1][0]


_UPDATE = "update candidate set fluency = ?, inner_fluency = ?, unseen = ?, inner_unseen = ? where id = ?"


def order_candidates(
    connection: sqlite3.Connection,
    candidates: Sequence[tuple[int, str]],
    longest: Callable[[str], npt.NDArray[np.int32]],
) -> None:
    """Store the fluency of these candidates (id, text); inside a transaction of the caller."""
    texts = sorted({text for _, text in candidates})
    place = {text: index for index, text in enumerate(texts)}
    orders = _columns(fluency_orders(texts, longest))
    connection.executemany(_UPDATE, [(*orders[place[text]], candidate) for candidate, text in candidates])


def _columns(orders: FluencyOrders) -> list[tuple[int, int, int | None, int | None]]:
    columns = (column.tolist() for column in (orders.order, orders.inner_order, orders.unseen, orders.inner_unseen))
    return [
        (order, inner, unseen or None, blocked or None) for order, inner, unseen, blocked in zip(*columns, strict=True)
    ]
