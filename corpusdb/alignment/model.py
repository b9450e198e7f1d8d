"""A model of word alignment as arrays: how probable words and jumps are, in both directions; to bytes and back."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from corpusdb.alignment.bitext import Batch
from corpusdb.alignment.cooccurrence import BOTH_UNKNOWN, ONE_UNKNOWN, SPECIAL, UNSEEN, Cells, WordPairs
from corpusdb.alignment.hmm import Emissions, Posteriors, posteriors
from corpusdb.arrays import F32, F64
from corpusdb.errors import InputError

__all__ = ["AlignmentModel", "Direction", "Vocabularies", "link_posteriors"]

_FLOOR: Final = 1e-7
"""Of the probability of a word, given another that it was never seen with."""
_OF_UNKNOWN: Final = 1e-4
"""Of a word that the model has not: the same from every word that it has."""
_OF_UNKNOWN_FROM_UNKNOWN: Final = 1e-2
_MAGIC: Final = b"corpusdb-alignment-1\n"
_DIGEST: Final = 32


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """The folded words of both languages, by their numbers."""

    source: Mapping[str, int]
    target: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Direction:
    """One text as generated from the other: source to target, or target to source."""

    words: F32 | F64
    """How probable a word is given another, for each of the word pairs, and then for the special places."""
    null: F32 | F64
    """How probable each word is when it comes from none; behind the last, a word that is not known."""
    jumps: F64
    """2 W + 1 weights of jumps from -W to W, which add up to 1."""

    @classmethod
    def of(cls, words: F64, null: F64, jumps: F64) -> Direction:
        """Without the special places; nothing is quite impossible."""
        special = np.zeros(SPECIAL)
        special[[UNSEEN, ONE_UNKNOWN, BOTH_UNKNOWN]] = _FLOOR, _OF_UNKNOWN, _OF_UNKNOWN_FROM_UNKNOWN
        return cls(
            np.concatenate([np.maximum(words, _FLOOR), special]).astype(np.float32),
            np.maximum(np.append(null, _OF_UNKNOWN), 1e-12).astype(np.float32),
            jumps,
        )


def link_posteriors(
    batch: Batch, cells: Cells, forward: Direction, backward: Direction, null: float
) -> tuple[Posteriors, Posteriors]:
    """How probable each link is in both directions: shapes (T, B, S) and (S, B, T).

    ``cells``: the places of the word pairs; ``null``: how probable it is that a word comes from none.
    """
    to_target = Emissions(
        forward.words[cells.places][cells.numbers.transpose(1, 0, 2)],
        forward.null[batch.target.T],
        batch.target_lengths,
        batch.source_lengths,
    )
    to_source = Emissions(
        backward.words[cells.places][cells.numbers.transpose(2, 0, 1)],
        backward.null[batch.source.T],
        batch.source_lengths,
        batch.target_lengths,
    )
    return posteriors(to_target, forward.jumps, null), posteriors(to_source, backward.jumps, null)


@dataclass(frozen=True, slots=True)
class AlignmentModel:
    """What training found: all that is needed to align texts, those that it was trained on or others."""

    vocabularies: Vocabularies
    pairs: WordPairs
    forward: Direction
    """The target text as generated from the source text."""
    backward: Direction
    null: float

    def posteriors(self, batch: Batch) -> tuple[Posteriors, Posteriors]:
        """As link_posteriors has them, in double precision, of a batch in the numbers of the vocabularies."""
        cells = self.pairs.cells(batch)
        forward, backward = (
            Direction(each.words[cells.places].astype(np.float64), each.null.astype(np.float64), each.jumps)
            for each in (self.forward, self.backward)
        )
        own = Cells(np.arange(len(cells.places), dtype=np.int32), cells.numbers)
        return link_posteriors(batch, own, forward, backward, self.null)

    def to_bytes(self) -> bytes:
        """The model as one value that can be stored; the same model gives the same bytes."""
        arrays = self._arrays()
        head = {
            "null": self.null,
            "source": list(self.vocabularies.source),
            "target": list(self.vocabularies.target),
            "arrays": [[name, array.dtype.str, len(array)] for name, array in arrays.items()],
        }
        first = json.dumps(head, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        packed = zlib.compress(first + b"".join(array.tobytes() for array in arrays.values()), 6)
        return _MAGIC + hashlib.sha256(packed).digest() + packed

    def _arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        # Differences of ascending numbers are small, and pack well.
        arrays: dict[str, np.ndarray[Any, Any]] = {"keys": np.diff(self.pairs.keys, prepend=0).astype("<i8")}
        for name, direction in (("forward", self.forward), ("backward", self.backward)):
            arrays[f"{name}.words"] = direction.words.astype("<f4")
            arrays[f"{name}.null"] = direction.null.astype("<f4")
            arrays[f"{name}.jumps"] = direction.jumps.astype("<f8")
        return arrays

    @classmethod
    def from_bytes(cls, stored: bytes) -> AlignmentModel:
        """The model that to_bytes made. Raises InputError for anything else, and for bytes that were changed."""
        digest, packed = stored[len(_MAGIC) : len(_MAGIC) + _DIGEST], stored[len(_MAGIC) + _DIGEST :]
        if not stored.startswith(_MAGIC):
            raise InputError("the alignment model is of another kind or version")
        if hashlib.sha256(packed).digest() != digest:
            raise InputError("the alignment model is damaged: its digest is another")
        first, _, rest = zlib.decompress(packed).partition(b"\n")
        head = json.loads(first)
        arrays, at = {}, 0
        for name, kind, count in head["arrays"]:
            arrays[name] = np.frombuffer(rest, dtype=np.dtype(kind), count=count, offset=at)
            at += arrays[name].nbytes
        source, target = ({word: number for number, word in enumerate(head[side])} for side in ("source", "target"))
        forward, backward = (
            Direction(*(arrays[f"{name}.{part}"] for part in ("words", "null", "jumps")))
            for name in ("forward", "backward")
        )
        pairs = WordPairs(np.cumsum(arrays["keys"]), len(target))
        return cls(Vocabularies(source, target), pairs, forward, backward, head["null"])
