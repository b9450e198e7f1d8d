"""The digest by which a signature names the reference set that was scored with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from corpusdb.formats.references import ReferenceSet
from corpusdb.rows import json_line

__all__ = ["digest"]


def digest(sets: Iterable[ReferenceSet]) -> str:
    """SHA-256 of the texts, in hexadecimal: the same for the same segments in whatever format they are written.

    Serialised as one line for each segment in order, ``["source",["reference 1","reference 2"]]``: JSON without spaces,
    characters beyond ASCII as they are, UTF-8, ended by LF. The ids are no part of it.
    """
    sha = hashlib.sha256()
    for segment in sets:
        sha.update((json_line([segment.source, list(segment.references)], compact=True) + "\n").encode())
    return sha.hexdigest()
