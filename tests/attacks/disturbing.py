"""Calls that fail, are killed, or meet another at the same moment; and what a database holds after that."""

from __future__ import annotations

import random
import signal
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from contents import LOCK, Contents, contents, differences
from interposed import COUNTS, FIRED, ON_FILES, Injection
from workbench import CALLS, DATABASE, Call, Ended, Prepared, copied, started

from corpusdb.base.outputs import is_unfinished

# What a database holds after a call that was disturbed, and after the same call was made again.


GIVEN = (
    "collection document sentence occurrence translation section unit version saved_query sample sample_item judgement "
    "session session_seed session_decision reference_set system_output score"
).split()
"""The tables with what people and imports gave, of which no row may ever go."""


@dataclass(frozen=True)
class Undisturbed:
    """What the database holds after a call, and after the same call once more."""

    once: Contents
    twice: Contents


@cache
def undisturbed(prepared: Prepared, folder: Path, name: str) -> Undisturbed:
    """Make the call alone, in a folder that is not there yet.

    It has to be the one in which the call is disturbed, since paths are kept.
    """
    with copied(prepared, folder) as place:
        rows = []
        for expected in (0, CALLS[name].repeats):
            ended = started(place, CALLS[name]).ended()
            if ended.code != expected:
                raise RuntimeError(f"{name}: {ended.errors}")
            rows.append(contents(place / DATABASE))
        return Undisturbed(*rows)


def check(place: Path, file: str = DATABASE) -> list[str]:
    """What `check --full` finds wrong, or nothing."""
    ended = started(place, Call(("--db", file, "check", "--full"))).ended()
    return [f"check --full {file}: {(ended.output + ended.errors).strip()[:300]}"] if ended.code else []


def ended_as_undisturbed(prepared: Prepared, place: Path, name: str, expected: Undisturbed) -> list[str]:
    """Make the call again in the folder where it was disturbed; what differs from an undisturbed one, or nothing.

    Where everything was written before the disturbance, it is one that was made twice.
    """
    call, done = CALLS[name], not differences(contents(place / DATABASE), expected.once, LOCK)
    ended = started(place, call).ended()
    if ended.code not in (0, call.repeats):
        return [f"again: exit {ended.code}: {ended.errors.splitlines()[-1:]}"]
    problems = check(place) + differences(contents(place / DATABASE), expected.twice if done else expected.once)
    for file in call.writes:
        if not (place / file).exists():
            problems.append(f"{file} was not written")
        elif file.endswith(".db"):
            problems += check(place, file)
    return problems + [f"left over: {file}" for file in leftovers(prepared, place, call)]


def leftovers(prepared: Prepared, place: Path, call: Call) -> list[str]:
    """Files that neither were there before nor are the call's own.

    None are unfinished ones, which nobody takes for more, and what a reader of a database leaves beside it.
    """
    known = {path.name for path in prepared.iterdir()} | {*call.writes, FIRED, COUNTS}
    known |= {f"{file}{rest}" for file in (DATABASE, *call.writes) for rest in ("-wal", "-shm")}
    files = sorted(path.name for path in place.iterdir() if path.name not in known)
    return [file for file in files if not is_unfinished(Path(file.removesuffix("-journal")))]


# Calls in which an operation of SQLite or of Python fails, and what is left of them.


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


# Calls that are killed, at an operation on their files or after some time, and made again.


@dataclass(frozen=True)
class Killed:
    """What was wrong, a line for each; and whether it was killed before its end."""

    wrong: tuple[str, ...]
    killed: bool


def killed_at(prepared: Prepared, folder: Path, name: str, operation: int) -> Killed:
    """Kill the call at its n-th operation on files, from 1, and then let it come to its end."""
    expected = undisturbed(prepared, folder, name)
    with copied(prepared, folder) as place:
        ended = started(place, CALLS[name], around=Injection(ON_FILES, operation, "kill")).ended()
        wrong = ended_as_undisturbed(prepared, place, name, expected)
        return Killed(tuple(wrong), ended.code == -signal.SIGKILL)


def killed_after(prepared: Prepared, folder: Path, name: str, chance: random.Random, kills: int = 1) -> Killed:
    """Kill the call so often at random moments of the time that it takes, and then let it come to its end."""
    expected, seconds, killed = undisturbed(prepared, folder, name), _seconds(prepared, folder, name), False
    with copied(prepared, folder) as place:
        for _ in range(kills):
            running = started(place, CALLS[name])
            running.wait(chance.uniform(0.0, seconds))
            running.kill()
            killed |= running.ended().code == -signal.SIGKILL
            if not differences(contents(place / DATABASE), expected.once, LOCK):
                break
        return Killed(tuple(ended_as_undisturbed(prepared, place, name, expected)), killed)


@cache
def _seconds(prepared: Prepared, folder: Path, name: str) -> float:
    """How long the call takes by itself."""
    with copied(prepared, folder) as place:
        begun = time.monotonic()
        started(place, CALLS[name]).ended()
        return time.monotonic() - begun


# Two calls at the same moment on one database, and what they may end with: what one after the other gives.


_PAIRING_DATABASE_ERROR = 4
_CHECK = Call(("check", "--full"))


@dataclass(frozen=True)
class _Outcome:
    """What two calls came to."""

    codes: tuple[int, int]
    rows: Contents


@dataclass(frozen=True)
class Verdict:
    """What was wrong after two calls at once, a line for each; and whether one of them asked to be called again."""

    wrong: tuple[str, ...]
    refused: bool


@cache
def orders(prepared: Prepared, folder: Path, one: str, other: str) -> tuple[_Outcome, _Outcome]:
    """What the two calls come to one after the other, in either order."""
    with copied(prepared, folder) as place:
        first = started(place, CALLS[one]).ended().code, started(place, CALLS[other]).ended().code
        forward = _Outcome(first, contents(place / DATABASE))
    with copied(prepared, folder) as place:
        second = started(place, CALLS[other]).ended().code, started(place, CALLS[one]).ended().code
        backward = _Outcome((second[1], second[0]), contents(place / DATABASE))
    return forward, backward


def together(prepared: Prepared, folder: Path, one: str, other: str) -> Verdict:
    """Start both at once, and compare with either order.

    One that ends with exit code 4 and one line, which has to say what else is running, is called again.
    """
    expected = orders(prepared, folder, one, other)
    with copied(prepared, folder) as place:
        both = [started(place, CALLS[name], f"call{number}") for number, name in enumerate((one, other))]
        ended = [each.ended() for each in both]
        refused = [_is_refusal(each) for each in ended]
        for number, name in enumerate((one, other)):
            if refused[number]:
                ended[number] = started(place, CALLS[name]).ended()
        wrong = [*_unsound(place, (one, other)), *_told(ended, expected)]
        found = contents(place / DATABASE)
    told = sorted((differences(found, each.rows) for each in expected), key=len)
    wrong += told[0]
    return Verdict(tuple(wrong), any(refused))


def _is_refusal(ended: Ended) -> bool:
    lines = ended.errors.splitlines()
    last = lines[-1] if lines else ""
    return ended.code == _PAIRING_DATABASE_ERROR and "is running" in last


def _told(ended: list[Ended], expected: tuple[_Outcome, ...]) -> list[str]:
    """Exit codes that neither order has, with the last line that was printed."""
    codes = (ended[0].code, ended[1].code)
    if codes in [each.codes for each in expected]:
        return []
    return [f"exit {each.code}: {each.errors.splitlines()[-1:]}" for each in ended]


def _unsound(place: Path, names: tuple[str, str]) -> list[str]:
    """What `check --full` says of the database and of the copies that were made."""
    files = [DATABASE, *(file for name in names for file in CALLS[name].writes if file.endswith(".db"))]
    problems = []
    for file in files:
        ended = started(place, Call(("--db", file, *_CHECK.words))).ended()
        if ended.code:
            problems.append(f"check --full {file}: {(ended.output + ended.errors).strip()[:300]}")
    return problems
