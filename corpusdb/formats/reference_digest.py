"""The digests that name what was scored: of a reference set, as signatures have it, and of an output.

What names a set is what the scores depend on: its segments in order, each with the set of its references. Neither the
file, nor the order of the references of a segment, nor their repetition (with which formats fill up smaller sets), nor
the source is part of it. Before it was so, digests were those that ``exact_digest`` still makes; a digest says itself
which of the two it is, so that what was stored and signed then can be held against its texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from corpusdb.formats.references import ReferenceSet
from corpusdb.rows import json_line

__all__ = ["digest", "digest_like", "exact_digest", "output_digest", "repeated"]

_VERSION: Final = "2-"
"""What stands before the hexadecimal digits; nothing stands before those of older versions."""


def digest(sets: Iterable[ReferenceSet]) -> str:
    """``2-`` and the SHA-256 of the references, in hexadecimal: the same for what is scored in whatever format.

    Serialised as one line for each segment in order, ``["reference a","reference b"]``: its references without the
    white space around them, which counts in no score, each once, in the order of their code points; JSON without
    spaces, characters beyond ASCII as they are, UTF-8, ended by LF.
    """
    sha = hashlib.sha256()
    for segment in sets:
        references = sorted({text.strip() for text in segment.references})
        sha.update((json_line(references, compact=True) + "\n").encode())
    return _VERSION + sha.hexdigest()


def repeated(segment: ReferenceSet) -> int:
    """How many references of a segment only repeat another one, by what the digest takes for the same."""
    return len(segment.references) - len({text.strip() for text in segment.references})


def exact_digest(sets: Iterable[ReferenceSet]) -> str:
    """SHA-256 of all texts as they stand, in hexadecimal; digests of older versions are this one.

    Serialised as one line for each segment in order, ``["source",["reference 1","reference 2"]]``: JSON without spaces,
    characters beyond ASCII as they are, UTF-8, ended by LF. The ids are no part of it.
    """
    sha = hashlib.sha256()
    for segment in sets:
        sha.update((json_line([segment.source, list(segment.references)], compact=True) + "\n").encode())
    return sha.hexdigest()


def digest_like(sets: Iterable[ReferenceSet], given: str) -> str:
    """The digest of the version that ``given`` is one of, which is equal to it where it is that of these sets."""
    return digest(sets) if given.startswith(_VERSION) else exact_digest(sets)


def output_digest(texts: Sequence[str]) -> str:
    """SHA-256 of the lines of an output, each ended by LF, in hexadecimal."""
    return hashlib.sha256("".join(f"{text}\n" for text in texts).encode()).hexdigest()
