"""What a database holds after a call that was disturbed, and after the same call was made again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from contents import LOCK, Contents, contents, differences
from injection import COUNTS, FIRED
from workbench import CALLS, DATABASE, Call, Prepared, copied, started

from corpusdb.base.outputs import is_unfinished

__all__ = ["GIVEN", "Undisturbed", "check", "ended_as_undisturbed", "leftovers", "undisturbed"]

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
