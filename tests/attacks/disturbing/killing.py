"""Calls that are killed, at an operation on their files or after some time, and made again."""

from __future__ import annotations

import random
import signal
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aftermath import ended_as_undisturbed, undisturbed
from contents import LOCK, contents, differences
from injection import ON_FILES, Injection
from workbench import CALLS, DATABASE, Prepared, copied, started

__all__ = ["Killed", "killed_after", "killed_at"]


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
