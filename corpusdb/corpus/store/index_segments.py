"""Indexes in segments: how a new segment takes in the smaller ones before it, and checksums of what is read together.

New sentences make a segment of their own, which takes in those before it that are not much larger: so there are never
more than about log2(sentences) of them.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpusdb.base.errors import DatabaseDamaged

__all__ = ["SegmentTable", "blobs_checksum", "checked_blobs"]


@dataclass(frozen=True, slots=True)
class SegmentTable:
    """Where the segments of one kind of index are stored."""

    last: str
    """SQL for the last segment of a language: its id, its size, and other columns."""
    drop: str
    """SQL that deletes the segment of an id."""

    def taken_in(
        self, connection: sqlite3.Connection, language: str, size: int, largest: int
    ) -> Iterator[tuple[Any, ...]]:
        """The other columns of the segments that a new one of ``size`` takes in, the last first; they are deleted.

        A segment is taken in that is at most twice as large, unless both together were larger than ``largest``.
        """
        while row := connection.execute(self.last, (language,)).fetchone():
            segment, before, *columns = row
            if before > 2 * size or before + size > largest:
                return
            connection.execute(self.drop, (segment,))
            size += before
            yield tuple(columns)


def blobs_checksum(*blobs: bytes) -> int:
    """CRC-32 of some columns one after the other, which is fast enough for whenever they are read."""
    checksum = 0
    for blob in blobs:
        checksum = zlib.crc32(blob, checksum)
    return checksum


def checked_blobs(what: str, checksum: int | None, *blobs: bytes) -> None:
    """Raise DatabaseDamaged where blobs that were just read are not those that were written.

    Those of an older database have no checksum, and pass.
    """
    if checksum is not None and checksum != blobs_checksum(*blobs):
        raise DatabaseDamaged(f"the {what} are damaged; `corpusdb check --repair` makes them anew")
