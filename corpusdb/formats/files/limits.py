"""How much is read of what has no size of its own: packed files and standard input."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from corpusdb.bounds import number_of
from corpusdb.errors import InputError

__all__ = ["BYTES_VARIABLE", "RATIO_VARIABLE", "check_sent", "check_unpacked"]

RATIO_VARIABLE: Final = "CORPUSDB_MAX_RATIO"
"""How many times its size a packed file may unpack to; text in mark-up hardly comes to 30."""
BYTES_VARIABLE: Final = "CORPUSDB_MAX_GIB"
"""How many GiB may come out of a packed file or standard input."""

_MOST_TIMES: Final = 100
_MOST_GIB: Final = 8
_ALWAYS_READ: Final = 16 << 20
"""Bytes that may come out of any packed file, however small it is."""


def check_unpacked(size: int, stored: int, path: Path) -> None:
    """Raise InputError where a packed file of ``stored`` bytes has unpacked to ``size``, and that is too much."""
    if size <= _ALWAYS_READ:
        return
    times = _setting(RATIO_VARIABLE, _MOST_TIMES)
    if size > times * stored:
        raise InputError(f"unpacks to more than {times:,} times its size; {RATIO_VARIABLE} raises that", path=path)
    if size > _most_bytes():
        raise InputError(f"unpacks to more than {_limit_in_words()}", path=path)


def check_sent(size: int, path: Path) -> None:
    """Raise InputError where standard input has sent ``size`` bytes, and that is too much."""
    if size > _most_bytes():
        raise InputError(f"holds more than {_limit_in_words()}", path=path)


def _most_bytes() -> int:
    return _setting(BYTES_VARIABLE, _MOST_GIB) << 30


def _limit_in_words() -> str:
    return f"{_setting(BYTES_VARIABLE, _MOST_GIB):,} GiB; {BYTES_VARIABLE} raises that"


def _setting(variable: str, usual: int) -> int:
    """What the environment says, where that is a number above 0."""
    told = os.environ.get(variable, "")
    return (number_of(told) or usual) if told.isdecimal() else usual
