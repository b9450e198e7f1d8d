"""The marks of significance: one column after the other is compared with the baseline, and shown when it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from corpusdb.errors import CorpusError
from corpusdb.queries.scoretable.significance import ColumnStatistics, column_statistics, comparisons
from corpusdb.queries.scoretable.table import ScoreTable
from corpusdb.reports.evaluation.score_tables import marks_told
from corpusdb.store import Store
from tui.background.superseded import Superseded
from tui.shared.place_screen import PlaceScreen

if TYPE_CHECKING:
    from corpusdb.stats.resampling import Comparison

__all__ = ["Significance"]


class Significance:
    """What is known of the differences from a baseline. The statistics of columns are kept for the next baseline."""

    def __init__(self, screen: PlaceScreen, show: Callable[[], None]) -> None:
        """``show`` is called whenever there are new marks."""
        self._screen = screen
        self._show = show
        self.baseline: int | None = None
        """The number of an output."""
        self.marks: dict[int, dict[int, Comparison]] = {}
        self._statistics: dict[tuple[int, str], ColumnStatistics] = {}

    def forget(self) -> None:
        """Compare with nothing, as for another table."""
        if self.baseline is not None:
            self._screen.shell.runner.stop_beside()
        self.baseline = None
        self.marks = {}

    def compare(self, table: ScoreTable, baseline: int, first: int) -> None:
        """Compare every column with the output ``baseline``, beginning with the column at ``first``."""
        self.baseline = baseline
        self.marks = {}
        self._show()
        self.go_on(table, first)

    def go_on(self, table: ScoreTable, first: int) -> None:
        """Compare the columns that are not compared yet: another question may have come in between."""
        if self.baseline is not None and len(self.marks) < len(table.columns):
            work = self._compare(table, self.baseline, first)
            self._screen.run_worker(work, group="significance", exclusive=True)

    async def _compare(self, table: ScoreTable, baseline: int, first: int) -> None:
        name = next(row.name for row in table.rows if row.output == baseline)
        problem = ""
        for column in _around(len(table.columns), first):
            done = len(self.marks)
            if column in self.marks:
                continue
            if self._screen.is_attached:
                self._screen.say(f"comparing with {name}: {done} of {len(table.columns)} columns are done")
            try:
                self.marks[column] = await self._screen.shell.runner.ask_beside(
                    lambda store, column=column: self._compared(store, table, column, baseline)  # type: ignore[misc]
                )
            except Superseded:
                return
            except CorpusError as error:
                self.marks[column] = {}
                problem = str(error)
            if not self._screen.is_attached:
                return
            self._show()
        is_any = any(self.marks.values())
        self._screen.say(marks_told(name) if is_any or not problem else problem, is_error=not is_any and bool(problem))

    def _compared(self, store: Store, table: ScoreTable, column: int, baseline: int) -> dict[int, Comparison]:
        """In a thread of its own."""
        key = table.test_set.number, table.columns[column].name
        if key not in self._statistics:
            self._statistics[key] = column_statistics(store, table, column)
        return comparisons(self._statistics[key], baseline)


def _around(count: int, first: int) -> Iterator[int]:
    """All places, the first one first."""
    yield first
    yield from (place for place in range(count) if place != first)
