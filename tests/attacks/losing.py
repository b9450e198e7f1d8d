"""Calls during which a disk loses power, and what is on it afterwards."""

from __future__ import annotations

import os
import pickle
import random
import shutil
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from contents import LOCK, Contents, contents, differences
from disturbing import GIVEN, check, ended_as_undisturbed, undisturbed
from interposed import interpose
from workbench import CALLS, DATABASE, Prepared, copied, started

# A disk that loses power: of what was written since the last sync of a file, any part may be there or not.
#
# The writes of a process are kept as it makes them, file by file. What is left after the loss is drawn by the parent,
# so that one process gives many outcomes.


DISK: Final = ".disk"
"""The file in which the process leaves what it knows of the others."""
_SECTOR: Final = 512


@dataclass
class _Stored:
    """A file: what is sure to be there, and what was done since, in its order."""

    synced: bytes
    since: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Offsets with what was written there, or None for a truncation."""

    def after_loss(self, chance: random.Random, part: float) -> bytes:
        """The file where each sector that was not synced is there with this probability, and each truncation too."""
        content = bytearray(self.synced)
        for offset, data in self.since:
            if data is None:
                if chance.random() < part:
                    del content[offset:]
                continue
            for start in range(0, len(data), _SECTOR):
                if chance.random() < part:
                    sector, place = data[start : start + _SECTOR], offset + start
                    content.extend(bytes(max(0, place - len(content))))
                    content[place : place + len(sector)] = sector
        return bytes(content)


@dataclass
class _Files:
    """All files that SQLite wrote, by their paths, and those that were deleted and whose folders were not synced."""

    there: dict[str, _Stored] = field(default_factory=dict)
    gone: dict[str, _Stored] = field(default_factory=dict)


class PowerLoss:
    """Around a program: after its n-th change of a file, from 1, the power is gone; with 0 when it has ended."""

    def __init__(self, nth: int) -> None:
        self._nth = nth
        self._changes = 0
        self._files = _Files()
        self._paths: dict[int, str] = {}

    def __enter__(self) -> None:
        interpose(self)
        os.replace, os.link = self._followed(os.replace), self._followed(os.link)

    def __exit__(self, *exception: object) -> None:
        self._keep()

    def fails(self, kind: str) -> bool:
        """Nothing fails before the end."""
        return False

    def opened(self, file: int, path: str) -> None:
        """Take what is in the file for safe, unless this process has written it."""
        self._paths[file] = path
        if path not in self._files.there:
            self._files.there[path] = _Stored(Path(path).read_bytes())
            self._files.gone.pop(path, None)

    def done(self, file: int, kind: str, offset: int, data: bytes) -> None:
        """Note what was done to a file that was opened under a name."""
        if file not in self._paths:
            return
        stored = self._files.there.get(self._paths[file])
        if kind == "close":
            del self._paths[file]
        elif stored is not None and kind == "sync":
            self._files.there[self._paths[file]] = _Stored(stored.after_loss(random.Random(0), 1.0))
            self._change()
        elif stored is not None:
            stored.since.append((offset, data if kind == "write" else None))
            self._change()

    def deleted(self, path: str) -> None:
        """Note that a file is gone, or nearly so."""
        if path in self._files.there:
            self._files.gone[path] = self._files.there.pop(path)
            self._change()

    def _followed(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def replace(source: Any, target: Any, **named: Any) -> Any:
            done = original(source, target, **named)
            stored = self._files.there.pop(os.path.abspath(source), None)
            if stored is not None:
                self._files.there[os.path.abspath(target)] = stored
                self._change()
            return done

        return replace

    def _change(self) -> None:
        self._changes += 1
        if self._changes == self._nth:
            self._keep()
            os.kill(os.getpid(), signal.SIGKILL)

    def _keep(self) -> None:
        with open(DISK, "wb") as file:
            pickle.dump(self._files, file)


def leave(folder: Path, chance: random.Random, part: float) -> None:
    """Put into the folder what is left where this part of what was not synced is there, as drawn by ``chance``.

    What was deleted may be there again, and what processes share in memory is not.
    """
    files: _Files = pickle.loads((folder / DISK).read_bytes())
    (folder / DISK).unlink()
    for path in folder.glob("*-shm"):
        path.unlink()
    for name, stored in files.there.items():
        (folder / Path(name).name).write_bytes(stored.after_loss(chance, part))
    for name, stored in files.gone.items():
        path = folder / Path(name).name
        if chance.random() < part:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(stored.after_loss(chance, part))


# Calls during which the power goes, and what is on the disk afterwards.


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
