"""What is read of stored scores while somebody looks at them; texts are unpacked when they are first asked for."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import InputError, UsageError
from corpusdb.formats import ReferenceSet
from corpusdb.metrics.measures import smoothed_for_segments
from corpusdb.metrics.settings import Settings
from corpusdb.queries.evaluation.stored_measures import stored_measure
from corpusdb.queries.evaluation.stored_scores import check_words, stored_output, stored_sets, values_from
from corpusdb.queries.references.reference_sets import AttributedSet
from corpusdb.queries.scoretable.table import Cell, Column, ScoreTable
from corpusdb.queries.scoretable.test_sets import TestSet
from corpusdb.queries.substitution.derivation import kept_derivation
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
        self._smoothed = lru_cache(_OUTPUTS_KEPT)(self._computed)
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

    def smoothed_values(self, table: ScoreTable, column: int, output: int) -> F64 | None:
        """BLEU of every segment of an output, smoothed as `compare` has it, where that of the column is not.

        None for another metric, for references with equivalents, and where the words of the stored score cannot be cut
        here.
        """
        told = table.columns[column]
        if told.settings is None or told.reference_set is None or not told.settings.is_plain_bleu:
            return None
        if kept_derivation(table.references_of(column).parameters) is not None:
            return None
        try:
            check_words(told.signature, told.label)
        except (InputError, UsageError):
            return None
        return self._smoothed(told.reference_set, told.settings, output)

    def _computed(self, reference_set: int, settings: Settings, output: int) -> F64:
        measure = smoothed_for_segments(stored_measure(settings, self.sets(reference_set), None)).of_segments
        return measure.scores(measure.statistics(self.output(output)))


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
