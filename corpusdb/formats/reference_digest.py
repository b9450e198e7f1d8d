"""The digests that name what was scored: of a reference set, as signatures have it, and of an output."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from corpusdb.formats.references import ReferenceSet
from corpusdb.rows import json_line

__all__ = ["digest", "output_digest"]


def digest(sets: Iterable[ReferenceSet]) -> str:
    """SHA-256 of the texts, in hexadecimal: the same for the same segments in whatever format they are written.

    Serialised as one line for each segment in order, ``["source",["reference 1","reference 2"]]``: JSON without spaces,
    characters beyond ASCII as they are, UTF-8, ended by LF. The ids are no part of it.
    """
    sha = hashlib.sha256()
    for segment in sets:
        sha.update((json_line([segment.source, list(segment.references)], compact=True) + "\n").encode())
    return sha.hexdigest()


def output_digest(texts: Sequence[str]) -> str:
    """SHA-256 of the lines of an output, each ended by LF, in hexadecimal."""
    return hashlib.sha256("".join(f"{text}\n" for text in texts).encode()).hexdigest()
