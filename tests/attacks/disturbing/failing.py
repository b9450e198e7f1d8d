"""Calls in which an operation of SQLite or of Python fails, and what is left of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from aftermath import GIVEN, Undisturbed, check, ended_as_undisturbed, undisturbed
from contents import LOCK, Contents, contents, differences
from injection import FIRED, Injection
from workbench import CALLS, DATABASE, Call, Ended, Prepared, copied, started

__all__ = ["Failed", "Failing"]

_DATABASE_ERROR, _BAD_INPUT = 4, 3


@dataclass(frozen=True)
class Failed:
    """What was wrong, a line for each; and whether there was such an operation at all."""

    wrong: tuple[str, ...]
    reached: bool


class Failing:
    """A call of which operations fail, each in a copy of the corpus.

    Where a failure leaves rows that another has left before, what follows of them is known and not tried again.
    """

    def __init__(self, prepared: Prepared, folder: Path, name: str) -> None:
        self._prepared = prepared
        self._folder = folder
        self._name = name
        self._call: Call = CALLS[name]
        self._before: Contents = contents(prepared / DATABASE)
        self._expected: Undisturbed = undisturbed(prepared, folder, name)
        self._left: list[tuple[Contents, tuple[str, ...]]] = []

    def failed_at(self, injection: Injection) -> Failed:
        """Make the call with an operation that fails, and then once more."""
        with copied(self._prepared, self._folder) as place:
            ended = started(place, self._call, around=injection).ended()
            if not (place / FIRED).exists():
                return Failed((), reached=False)
            wrong = [*self._told(ended), *self._files(place, ended)]
            left = contents(place / DATABASE)
            wrong += self._lost(left)
            if ended.code == 0 and differences(left, self._expected.once, LOCK):
                wrong.append("exit 0, and not everything is there")
            known = [told for rows, told in self._left if rows == left]
            if not known or self._call.writes:
                known = [(*check(place), *ended_as_undisturbed(self._prepared, place, self._name, self._expected))]
                self._left.append((left, known[0]))
            return Failed((*wrong, *known[0]), reached=True)

    def _told(self, ended: Ended) -> list[str]:
        """The call has to say in one line what happened, or not to be troubled by it."""
        lines = [line for line in ended.errors.splitlines() if line.startswith("corpusdb: error: ")]
        trouble = "Traceback" in ended.errors or "unexpected" in ended.errors or "Exception ignored" in ended.errors
        codes = (_DATABASE_ERROR, _BAD_INPUT) if self._call.writes else (_DATABASE_ERROR,)
        fine = not lines if ended.code == 0 else ended.code in codes and len(lines) == 1
        return [] if fine and not trouble else [f"exit {ended.code}: {ended.errors.strip()[-300:]}"]

    def _files(self, place: Path, ended: Ended) -> list[str]:
        """A file that is written is there whole, or not at all; a copy that is left has to be sound."""
        wrong = []
        for file in self._call.writes:
            if ended.code == 0 and not (place / file).exists():
                wrong.append(f"exit 0, and there is no {file}")
            if file.endswith(".db") and (place / file).exists():
                wrong += check(place, file)
            (place / file).unlink(missing_ok=True)
        return wrong + [f"left over: {path.name}" for path in place.iterdir() if ".part" in path.name]

    def _lost(self, left: Contents) -> list[str]:
        """Tables with what people and imports gave that lack a row which was there before."""
        gone = {table: self._before[table] - left[table] for table in GIVEN if table not in _CHANGING}
        return [f"lost from {table}: {next(iter(rows))}" for table, rows in gone.items() if rows]


_CHANGING = frozenset({"document", "session", "session_seed", "session_decision"})
"""Tables of which the call itself changes rows, so that the earlier ones are not there any more."""
