"""Runs of units that a corpus has: what a fluent text is made of, and a wrong assembly is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import I32, I64, U64
from corpusdb.ngrams.counting import joined_ranges
from corpusdb.ngrams.fingerprints import combined
from corpusdb.translation.unit_texts import UNKNOWN, UnitTexts, encode_texts

__all__ = ["LENGTHS", "AttestedRuns", "attest"]

LENGTHS = (2, 3)
"""Of the runs that are looked up, in units; the beginning and the end of a text are units too."""


@dataclass(frozen=True, slots=True)
class AttestedRuns:
    """The runs of a corpus."""

    texts: UnitTexts
    prints: Sequence[U64]
    """By length: the fingerprints of the runs, ascending."""

    def missing(self, text: str) -> tuple[int, ...]:
        """How many runs of each length a text has that the corpus does not have."""
        units = self.texts.encode(text)
        stream = _framed(units, np.array([0, len(units)]), len(self.texts.numbers))
        return tuple(
            self._missing(known, _runs(stream, length)) for length, known in zip(LENGTHS, self.prints, strict=True)
        )

    @staticmethod
    def _missing(known: U64, runs: U64) -> int:
        if not len(known):
            return len(runs)
        at = np.minimum(np.searchsorted(known, runs), len(known) - 1)
        return int((known[at] != runs).sum())


def attest(texts: Sequence[str]) -> AttestedRuns:
    """Note the runs of texts."""
    encoded = encode_texts(texts)
    stream = _framed(encoded.units, encoded.offsets, len(encoded.numbers))
    # Runs over the end of a text are among them, but no text has one: it would hold an end before its last unit.
    return AttestedRuns(encoded, [np.unique(_runs(stream, length)) for length in LENGTHS])


def _framed(units: I32, offsets: I64, distinct: int) -> I64:
    """Texts one behind the other, each between a start mark and an end mark."""
    lengths = np.diff(offsets)
    starts = offsets[:-1] + 2 * np.arange(len(lengths))
    stream = np.full(len(units) + 2 * len(lengths), distinct, dtype=np.int64)
    stream[starts + lengths + 1] = distinct + 1
    stream[joined_ranges(starts + 1, lengths)] = np.where(units == UNKNOWN, distinct + 2, units)
    return stream


def _runs(stream: I64, length: int) -> U64:
    """The fingerprint of the run of a length at each place that has one."""
    places = max(0, len(stream) - length + 1)
    found: U64 = stream[:places].astype(np.uint64)
    for step in range(1, length):
        found = combined(found, stream[step : step + places].astype(np.uint64))
    return found
