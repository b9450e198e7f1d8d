"""Two calls at the same moment on one database, and what they may end with: what one after the other gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from contents import Contents, contents, differences
from workbench import CALLS, DATABASE, Call, Ended, Prepared, copied, started

__all__ = ["Verdict", "orders", "together"]

_DATABASE_ERROR = 4
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
    return ended.code == _DATABASE_ERROR and "is running" in last


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
