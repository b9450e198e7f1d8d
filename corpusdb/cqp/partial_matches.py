"""Rows of possible matches in one state of the automaton, with the tokens that their labels stand for so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import I64, Bools

__all__ = ["Rows", "joined", "ranked_anew"]


@dataclass(frozen=True, slots=True)
class Rows:
    """Beginnings of matches, each once; or several times with different labels."""

    row: I64
    """Index of the beginning in its block."""
    extra: I64
    """No line where the query has no labels; else a line with the rank, then one for each label.

    Of several ways from one beginning the one with the lowest rank is preferred: at the first token where two ways
    differ in their labels, the one that labels it, and of two labels the one written first. A label that is not set
    is -1.
    """

    @classmethod
    def fresh(cls, row: I64, labels: int) -> Rows:
        """Rows on which nothing is labelled yet."""
        extra = np.full((labels + 1 if labels else 0, len(row)), -1, dtype=np.int64)
        extra[:1] = 0
        return cls(row, extra)

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, chosen: Bools | I64) -> Rows:
        return Rows(self.row[chosen], self.extra[:, chosen])

    @property
    def labels(self) -> I64:
        """A line for each label."""
        return self.extra[1:]

    def labelled(self, label: int | None, position: I64) -> Rows:
        """The same rows after the token at ``position`` was matched, with this label or none."""
        choices = len(self.extra)
        if not choices:
            return self
        extra = self.extra.copy()
        extra[0] = extra[0] * choices + (choices - 1 if label is None else label)
        if label is not None:
            extra[label + 1] = position
        return Rows(self.row, extra)

    def distinct(self, lines: Sequence[int] = ()) -> Rows:
        """The preferred row of those that share a beginning and the labels at ``lines``; ascending by beginning."""
        if not len(self.extra):
            row = np.unique(self.row)
            return Rows(row, self.extra[:, : len(row)])
        keys = (self.row, *(self.labels[line] for line in lines))
        order = np.lexsort((self.extra[0], *reversed(keys)))
        changes = [np.diff(key[order]) != 0 for key in keys]
        is_first = np.concatenate([[True], np.logical_or.reduce(changes)])[: len(order)]
        return self[order[is_first]]


def joined(parts: Sequence[Rows]) -> Rows:
    """All the rows of ``parts``, of which there is at least one."""
    if len(parts) == 1:
        return parts[0]
    return Rows(np.concatenate([part.row for part in parts]), np.concatenate([part.extra for part in parts], axis=1))


def ranked_anew(frontier: Mapping[int, Rows]) -> tuple[dict[int, Rows], int]:
    """The same rows with ranks in the same order but as low as can be, and the number of ranks."""
    distinct, ranks = np.unique(np.concatenate([rows.extra[0] for rows in frontier.values()]), return_inverse=True)
    ranked, first = {}, 0
    for state, rows in frontier.items():
        extra = rows.extra.copy()
        extra[0] = ranks[first : first + len(rows)]
        ranked[state] = Rows(rows.row, extra)
        first += len(rows)
    return ranked, len(distinct)
