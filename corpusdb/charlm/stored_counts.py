"""Counts as bytes and back: what a database or a file keeps of a model. Smoothing is done anew when it is read.

A line that names the format, the BLAKE2b digest (16 bytes) of the rest, and the rest, compressed by zlib: sizes, the
alphabet, and for each level the differences of its keys and its counts.
"""

from __future__ import annotations

import json
import zlib
from hashlib import blake2b
from typing import Final

import numpy as np

from corpusdb.arrays import I64
from corpusdb.charlm.alphabet import Alphabet
from corpusdb.charlm.counts import Counts
from corpusdb.errors import InputError

__all__ = ["counts_from_bytes", "counts_to_bytes"]

_FORMAT: Final = b"corpusdb character counts 1\n"
_DIGEST: Final = 16
_CORRUPT: Final = "the model is corrupt"


def counts_to_bytes(counts: Counts) -> bytes:
    """The same for the same counts."""
    arrays = [counts.counts[0]]
    for keys, often in zip(counts.keys[1:], counts.counts[1:], strict=True):
        arrays += [np.diff(keys, prepend=0), often]
    stored = [array.astype("<i4" if not len(array) or array.max() < 1 << 31 else "<i8") for array in arrays]
    head = {
        "alphabet": counts.alphabet.characters,
        "arrays": [[array.dtype.str, len(array)] for array in stored],
    }
    parts = [json.dumps(head).encode("ascii"), b"\n", *(array.tobytes() for array in stored)]
    packed = zlib.compress(b"".join(parts), 6)
    return _FORMAT + blake2b(packed, digest_size=_DIGEST).digest() + packed


def counts_from_bytes(blob: bytes) -> Counts:
    """InputError where a byte is not what was written, or where these cannot be counts."""
    start = len(_FORMAT) + _DIGEST
    if not blob.startswith(_FORMAT):
        raise InputError("these are not counts of characters, or of another version of corpusdb")
    if blake2b(blob[start:], digest_size=_DIGEST).digest() != blob[len(_FORMAT) : start]:
        raise InputError(_CORRUPT)
    try:
        head, _, data = zlib.decompress(blob[start:]).partition(b"\n")
        described = json.loads(head)
        alphabet, arrays = Alphabet(described["alphabet"]), _arrays(described["arrays"], data)
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise InputError(_CORRUPT) from error
    return _checked(alphabet, arrays)


def _arrays(described: list[tuple[str, int]], data: bytes) -> list[I64]:
    arrays, at = [], 0
    for kind, size in described:
        if kind not in ("<i4", "<i8"):
            raise ValueError(kind)
        arrays.append(np.frombuffer(data, kind, size, at).astype(np.int64))
        at += arrays[-1].size * np.dtype(kind).itemsize
    if at != len(data):
        raise ValueError("more than was written")
    return arrays


def _checked(alphabet: Alphabet, arrays: list[I64]) -> Counts:
    """The counts, when they are possible ones: keys ascend and have their contexts, and nothing is counted 0 times."""
    if len(arrays) % 2 == 0 or len(arrays[0]) != alphabet.size or (arrays[0] < 0).any():
        raise InputError(_CORRUPT)
    keys, counts = [np.arange(alphabet.size)], [arrays[0]]
    for steps, often in zip(arrays[1::2], arrays[2::2], strict=True):
        level = np.cumsum(steps)
        if len(level) != len(often) or (steps[1:] <= 0).any() or (steps < 0).any() or (often <= 0).any():
            raise InputError(_CORRUPT)
        if len(level) and level[-1] >= len(keys[-1]) * alphabet.size:
            raise InputError(_CORRUPT)
        keys.append(level)
        counts.append(often)
    return Counts(alphabet, tuple(keys), tuple(counts))
