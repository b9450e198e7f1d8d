"""The way through the paradigms that somebody has come: its steps, and what was found at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpusdb.errors import UsageError
from tui.paradigms.steps import NOTHING, Answer, Kind, Row, Step

__all__ = ["NO_INDEX", "Languages", "Trail"]

NO_INDEX = "no language has an index; x in the jobs (6) makes one"
_FIRST_LANGUAGE = "eng"


@dataclass(frozen=True, slots=True)
class Trail:
    """Steps, and the answer to the last one."""

    steps: tuple[Step, ...] = ()
    answer: Answer = NOTHING

    @property
    def name(self) -> str:
        """The names of the steps."""
        return " > ".join(step.name for step in self.steps)

    @property
    def count(self) -> int:
        """The rows that are shown, with the one that leads to more."""
        return len(self.answer.rows) + (self.answer.total > len(self.answer.rows))

    def row(self, place: int) -> Row | None:
        """What was found in a row; None for the row that leads to more."""
        return self.answer.rows[place] if place < len(self.answer.rows) else None

    def left_at(self, cursor: int) -> tuple[Step, ...]:
        """The steps, with where the cursor is in the last one, so that one comes back to it."""
        return (*self.steps[:-1], replace(self.steps[-1], cursor=cursor))

    def opened(self, cursor: int) -> tuple[Step, ...] | None:
        """The steps to where Enter on a row leads; None where it leads to the sentence."""
        here, row = self.left_at(cursor), self.row(cursor)
        if row is None:
            return (*here[:-1], here[-1].whole())
        step = here[-1].into(row)
        return None if step is None else (*here, step)

    def looked_at(self, kind: Kind, cursor: int) -> tuple[Step, ...]:
        """The steps to the fillers or contexts of the phrase in a row, else of the one that the last step is about.

        Raises UsageError where there is no phrase.
        """
        if not self.steps:
            raise UsageError("type a phrase first")
        row, last = self.row(cursor), self.steps[-1]
        if row is not None and row.phrase is not None and row.phrase != last.text:
            return (*self.left_at(cursor), Step(kind, row.phrase))
        if last.kind == "gap":
            raise UsageError("this row is no phrase")
        return (*self.left_at(cursor), Step(kind, last.text))


class Languages:
    """The languages with an index, and the one that is looked at."""

    def __init__(self) -> None:
        self.current = ""
        self._all: Sequence[str] = ()

    def were_read(self, found: Sequence[str], wanted: str) -> None:
        """Begin with one of those that were found, the one that is ``wanted`` first, where none was chosen yet."""
        self._all = found
        if not self.current and wanted in found:
            self.current = wanted
        if not self.current:
            self.current = _FIRST_LANGUAGE if _FIRST_LANGUAGE in found else next(iter(found), "")

    def next(self) -> None:
        """Go to the language after this one. Raises UsageError where there is no other."""
        if len(self._all) < 2:
            raise UsageError(f"only {self.current} has an index" if self.current else NO_INDEX)
        place = self._all.index(self.current) + 1 if self.current in self._all else 0
        self.current = self._all[place % len(self._all)]
