"""64-bit fingerprints of substrings, many at a time: equal substrings have equal ones, wherever they stand.

A polynomial over mixed code points modulo 2^64, with an odd base so that a position can be divided out. Two of n
different substrings share a fingerprint with a probability of about n^2 / 2^65: one in a million for five million.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import U64

__all__ = ["Fingerprints", "combined", "mixed"]

_BASE = 0xD1342543DE82EF95
_INVERSE = pow(_BASE, -1, 1 << 64)


def mixed(values: U64) -> U64:
    """Each value spread over all 64 bits, one to one (splitmix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def combined(first: U64, second: U64) -> U64:
    """A fingerprint of two fingerprints in their order."""
    return mixed(mixed(first) * np.uint64(3) + second)


class Fingerprints:
    """Fingerprints of the substrings of one text."""

    def __init__(self, text: str) -> None:
        codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
        self.size = len(codes)
        powers = np.full(self.size, _BASE, dtype=np.uint64)
        np.cumprod(powers, out=powers)
        self._sums = np.zeros(self.size + 1, dtype=np.uint64)
        np.cumsum(mixed(codes) * powers, out=self._sums[1:])
        del powers, codes
        self._inverses = np.full(self.size + 1, _INVERSE, dtype=np.uint64)
        np.cumprod(self._inverses, out=self._inverses)

    def of(self, start: npt.NDArray[np.integer], stop: npt.NDArray[np.integer]) -> U64:
        """The fingerprint of each text[start:stop]; offsets in code points."""
        return mixed((self._sums[stop] - self._sums[start]) * self._inverses[start])

    def of_runs(self, *runs: tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]) -> U64:
        """The fingerprint of each text that some runs (start, stop) of this one make, one after the other."""
        longest = max((int((stop - start).max(initial=0)) for start, stop in runs), default=0)
        powers = np.full(longest + 1, _BASE, dtype=np.uint64)
        powers[0] = 1
        np.cumprod(powers, out=powers)
        total = np.zeros(1, dtype=np.uint64)
        for start, stop in reversed(runs):
            total = (self._sums[stop] - self._sums[start]) * self._inverses[start] + powers[stop - start] * total
        return mixed(total)

    def windows(self, size: int) -> U64:
        """The fingerprint of each run of ``size`` characters, by offset; ``size`` from 1 to the length of the text."""
        last = self.size + 1 - size
        return mixed((self._sums[size:] - self._sums[:last]) * self._inverses[:last])
