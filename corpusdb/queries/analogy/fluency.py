"""The fluency order of candidates: up to which N all their N-sequences occur in the corpus (section 4.4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from corpusdb.charlm import fluency_of

__all__ = ["update_fluency"]


_UPDATE = "update candidate set fluency = ?, inner_fluency = ?, unseen = ?, inner_unseen = ? where id = ?"


def update_fluency(
    connection: sqlite3.Connection,
    candidates: Sequence[tuple[int, str]],
    longest: Callable[[str], npt.NDArray[np.int32]],
) -> None:
    """Measure these candidates (id, text) again; inside a transaction of the caller."""
    fluency = fluency_of([text for _, text in candidates], longest)
    connection.executemany(_UPDATE, [(*fluency[text], candidate) for candidate, text in candidates])
