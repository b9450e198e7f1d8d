"""How much text files hold, without reading them: what can be said before work on them begins."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from corpusdb.formats.files.reading import STDIN

__all__ = ["unpacked_size"]

_GZIP = b"\x1f\x8b"
_USUAL_RATIO: Final = 3.5
"""Bytes of text in one of gzip, where a file does not tell: so for the corpora of Tatoeba (3.0 to 3.8) and Multi30k."""
_MOST_RATIO: Final = 1032
"""No byte of gzip can stand for more (deflate, RFC 1951)."""


def unpacked_size(paths: Iterable[Path]) -> int | None:
    """The bytes of all files together as they are read, those of gzip unpacked.

    The last four bytes of a gzip file are the size of its last member modulo 2^32 (RFC 1952, 2.3.1). Where that cannot
    be the whole, as it is smaller than the file itself or too large for it, the usual ratio is taken instead. Files put
    together of several members, or of more than 4 GiB, may hold more than they tell. None for standard input, pipes,
    and files that cannot be read, which is told elsewhere.
    """
    total = 0
    for path in paths:
        try:
            if path == STDIN or not path.is_file():  # opening a pipe would wait for its writer
                return None
            total += _size(path)
        except OSError:
            return None
    return total


def _size(path: Path) -> int:
    stored = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(_GZIP)) != _GZIP:
            return stored
        file.seek(max(0, stored - 4))
        told = int.from_bytes(file.read(4), "little")
    return told if stored < told <= stored * _MOST_RATIO else round(stored * _USUAL_RATIO)
