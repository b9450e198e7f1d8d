"""A fault at the n-th operation of a process on its files or memory: the operation fails, or the process is killed."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from interposed import FAILURES, MEMORY, interpose

__all__ = ["COUNTS", "FIRED", "KINDS", "ON_FILES", "Injection"]

_PYTHONS: Final = ("replace", "link", "rename", "fsync")
"""What Python itself does with files that it has written, by the names in the module os."""
ON_FILES: Final = (*FAILURES, *_PYTHONS)
KINDS: Final = (*ON_FILES, MEMORY)
FIRED: Final = ".fired"
"""The file that the process leaves in its folder where the operation was reached."""
COUNTS: Final = ".counts"
"""The file with how many operations of each kind there were; only where the process came to its end."""


@dataclass
class Injection:
    """Around a program: the ``nth`` operation of these kinds, from 1, fails, or with it the process is killed.

    With ``nth`` 0 all are counted and none fails. Operations behind the one that failed fail too if it is ``lasting``.
    """

    kinds: tuple[str, ...]
    nth: int
    action: Literal["fail", "kill"] = "fail"
    lasting: bool = False
    _seen: Counter[str] = field(default_factory=Counter)
    _reached: int = 0

    def __enter__(self) -> None:
        interpose(self, memory=MEMORY in self.kinds)
        for name in _PYTHONS:
            setattr(os, name, self._guarded(name, getattr(os, name)))

    def __exit__(self, *exception: object) -> None:
        Path(COUNTS).write_text(json.dumps(self._seen), encoding="utf-8")

    def fails(self, kind: str) -> bool:
        """Whether this operation is to fail."""
        self._seen[kind] += 1
        if kind not in self.kinds:
            return False
        self._reached += 1
        if self.nth == 0 or self._reached < self.nth or (self._reached > self.nth and not self.lasting):
            return False
        if self._reached == self.nth:
            os.close(os.open(FIRED, os.O_CREAT | os.O_WRONLY, 0o600))
        if self.action == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    def opened(self, file: int, path: str) -> None:
        """Nothing is kept of it."""

    def done(self, file: int, kind: str, offset: int, data: bytes) -> None:
        """Nothing is kept of it."""

    def deleted(self, path: str) -> None:
        """Nothing is kept of it."""

    def _guarded(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if self.fails(name):
                raise OSError(errno.EIO, os.strerror(errno.EIO), *arguments[:1])
            return original(*arguments, **named)

        return call
