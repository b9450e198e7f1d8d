"""The fluency order of candidates: up to which N all their N-sequences occur in the corpus (section 4.4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from corpusdb.charlm import fluency_orders

__all__ = ["Fluency", "fluency_of", "update_fluency"]


class Fluency(NamedTuple):
    """The fluency of one text."""

    order: int
    """The largest N for which all N-sequences were seen; NO_LIMIT when the text was seen whole."""
    inner_order: int
    """The same without the marks at the ends."""
    unseen: int | None
    """Hash of the first unseen sequence of order + 1 characters."""
    inner_unseen: int | None


def fluency_of(texts: Collection[str], longest: Callable[[str], npt.NDArray[np.int32]]) -> dict[str, Fluency]:
    """The fluency of each text; ``longest`` is that of the n-gram index for many or for few."""
    distinct = sorted(set(texts))
    orders = fluency_orders(distinct, longest)
    columns = (column.tolist() for column in (orders.order, orders.inner_order, orders.unseen, orders.inner_unseen))
    return {
        text: Fluency(order, inner, unseen or None, inner_unseen or None)
        for text, order, inner, unseen, inner_unseen in zip(distinct, *columns, strict=True)
    }


_UPDATE = "update candidate set fluency = ?, inner_fluency = ?, unseen = ?, inner_unseen = ? where id = ?"


def update_fluency(
    connection: sqlite3.Connection,
    candidates: Sequence[tuple[int, str]],
    longest: Callable[[str], npt.NDArray[np.int32]],
) -> None:
    """Measure these candidates (id, text) again; inside a transaction of the caller."""
    fluency = fluency_of([text for _, text in candidates], longest)
    connection.executemany(_UPDATE, [(*fluency[text], candidate) for candidate, text in candidates])
