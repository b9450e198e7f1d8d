"""Checksums of the columns of a segment, which are looked at whenever it is read; little is loaded for them."""

from __future__ import annotations

import zlib

from corpusdb.errors import DatabaseDamaged

__all__ = ["blobs_checksum", "checked_blobs"]


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
