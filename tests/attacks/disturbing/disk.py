"""A disk that loses power: of what was written since the last sync of a file, any part may be there or not.

The writes of a process are kept as it makes them, file by file. What is left after the loss is drawn by the parent, so
that one process gives many outcomes.
"""

from __future__ import annotations

import os
import pickle
import random
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from interposed import interpose

__all__ = ["DISK", "PowerLoss", "leave"]

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
