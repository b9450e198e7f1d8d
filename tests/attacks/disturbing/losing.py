"""Calls during which the power goes, and what is on the disk afterwards."""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aftermath import GIVEN, check, ended_as_undisturbed, undisturbed
from contents import LOCK, Contents, contents, differences
from disk import PowerLoss, leave
from workbench import CALLS, DATABASE, Prepared, copied, started

__all__ = ["PARTS", "Lost", "lost_at"]

PARTS = (0.0, 0.5, 0.9, 1.0)
"""How much of what was not synced is there after the losses that are tried; the first is the worst."""


@dataclass(frozen=True)
class Lost:
    """What was wrong, a line for each; and whether the power went before the call had ended."""

    wrong: tuple[str, ...]
    early: bool


def lost_at(
    prepared: Prepared, folder: Path, name: str, change: int, chance: random.Random, parts: Sequence[float] = PARTS
) -> Lost:
    """Let the power go after the n-th change of a file, from 1, or with 0 after the end, and try what may be left.

    Each time the database is sound, what was synced is there, and the same call ends with the rows of an undisturbed
    one. After the end all of it is there.
    """
    expected, wrong = undisturbed(prepared, folder, name), list[str]()
    with copied(prepared, folder) as place:
        ended = started(place, CALLS[name], around=PowerLoss(change)).ended()
        early = ended.code == -signal.SIGKILL
        kept = place.with_name(place.name + "-kept")
        place.rename(kept)
        try:
            synced = contents(prepared / DATABASE)
            for part in parts:
                shutil.rmtree(place, ignore_errors=True)
                shutil.copytree(kept, place)
                leave(place, chance, part)
                told = check(place)
                left = contents(place / DATABASE)
                told += _lacking(left, synced)
                synced = left if part == 0.0 else synced
                if not early and differences(left, expected.once, LOCK):
                    told.append("the call had ended, and not all is there")
                for file in CALLS[name].writes:
                    told += check(place, file) if file.endswith(".db") and (place / file).exists() else []
                    (place / file).unlink(missing_ok=True)
                told += ended_as_undisturbed(prepared, place, name, expected)
                wrong += [f"{part:.0%} left: {line}" for line in told]
        finally:
            shutil.rmtree(kept)
    return Lost(tuple(wrong), early)


_CHANGING = frozenset({"document", "session", "session_seed", "session_decision"})


def _lacking(left: Contents, synced: Contents) -> list[str]:
    """Tables with what people and imports gave that lack a row which was safe."""
    gone = {table: synced[table] - left[table] for table in GIVEN if table not in _CHANGING}
    return [f"lost from {table}: {next(iter(rows))}" for table, rows in gone.items() if rows]
