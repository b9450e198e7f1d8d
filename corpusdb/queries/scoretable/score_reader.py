"""What is read of stored scores while somebody looks at them; texts are unpacked when they are first asked for."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import InputError
from corpusdb.formats import ReferenceSet
from corpusdb.queries.evaluation.stored_scores import stored_output, stored_sets, values_from
from corpusdb.queries.references.reference_sets import AttributedSet
from corpusdb.queries.scoretable.table import Cell, Column, ScoreTable
from corpusdb.queries.scoretable.test_sets import TestSet
from corpusdb.store import Store

__all__ = ["ScoreReader", "segment_values"]

_OUTPUTS_KEPT = 32
_SETS_KEPT = 4


class ScoreReader:
    """Texts and values behind a table of scores. Stored outputs and sets never change, so that they can be kept."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._output = lru_cache(_OUTPUTS_KEPT)(lambda output: stored_output(store, output))
        self._sets = lru_cache(_SETS_KEPT)(lambda reference_set: stored_sets(store, reference_set))
        self.attributed: dict[tuple[int, int], AttributedSet | None] = {}
        """The references of segments from the corpus with their origins, by reference set and segment."""

    def output(self, output: int) -> tuple[str, ...]:
        """The hypotheses of an output, by segment."""
        return self._output(output)

    def sets(self, reference_set: int) -> tuple[ReferenceSet, ...]:
        """The sources and references of a set, by segment."""
        return self._sets(reference_set)

    def sources(self, test_set: TestSet) -> tuple[str, ...]:
        """The sources of a test set, by segment; empty texts where none were given."""
        for each in test_set.reference_sets:
            found = tuple(one.source for one in self.sets(each.id))
            if any(found):
                return found
        return ("",) * test_set.segments

    def segment_values(self, table: ScoreTable, column: int, output: int) -> F64:
        """The score of every segment of an output in a column, NaN where a segment has none.

        Raises InputError where there is no such score, or only one for the whole system.
        """
        row = next(row for row in table.rows if row.output == output)
        cell, told = row.cells[column], table.columns[column]
        if cell is None:
            raise InputError(f"{row.name} has no score in {told.name}")
        values = segment_values(self.store, told, cell)
        if values is None:
            raise InputError(f"{told.name} has scores of systems only, none of segments")
        return values


_SCORE_VALUES = "select segment_values from score where id = ?"
_IMPORTED_VALUES = "select segment_values from imported_score where id = ?"


def segment_values(store: Store, column: Column, cell: Cell) -> F64 | None:
    """The values of the segments behind a number, NaN where one has none; None where only the system has one."""
    query = _SCORE_VALUES if column.kind == "computed" else _IMPORTED_VALUES
    (data,) = store.connection.execute(query, (cell.number,)).fetchone()
    if data is None:
        return None
    values = values_from(data)
    return None if np.isnan(values).all() else values
