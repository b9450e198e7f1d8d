"""Where texts stand between two references, by what they cost under a character model of each (Denoual 2005).

Equations 1 to 4: with the models of the references T1 and T2, H_Ti(A) the bits per character of A under the model of
Ti, W1 = (H_T1(T3) - H_T1(T1)) / (H_T1(T2) - H_T1(T1)), W2 likewise with 1 and 2 exchanged, and I = W1 / (W1 + W2).

H_T1(T1) is measured on the text that the model was made of. So unseen text of the kind of T1 is not at 0, but at .2 to
.35 of conversation and news, and unseen text of the kind of T2 not at 1, but at .5 to .6. The second scale, J, has the
unseen text of both kinds at 0 and 1: it is linear in d = H_T1 - H_T2, which is also the score of Moore & Lewis.

Sums of characters and bits are all that either needs, so that any set of texts is measured by adding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError

LEAST_WEIGHT: Final = 0.05
"""Where W1 + W2 is no more, the coefficient is not defined: near 0 it takes any value."""
QUANTILES: Final = (0.05, 0.25, 0.75, 0.95)


@dataclass(frozen=True)
class Statistics:
    """What is known of each of some sets of texts, one entry for each."""

    characters: I64
    bits1: F64
    """Under the model of the first reference."""
    bits2: F64

    def grouped(self, owners: I64, count: int) -> Statistics:
        """The sums of each of ``count`` groups; ``owners`` has the number of each entry's group."""
        characters = np.bincount(owners, self.characters, count).astype(np.int64)
        bits1, bits2 = (np.bincount(owners, bits, count).astype(np.float64) for bits in (self.bits1, self.bits2))
        return Statistics(characters, bits1, bits2)

    def total(self) -> Statistics:
        return self.grouped(np.zeros(len(self.characters), dtype=np.int64), 1)

    def entropies(self) -> tuple[F64, F64]:
        """Bits per character under each model; not a number where there are no characters."""
        characters = np.where(self.characters > 0, self.characters, np.nan)
        return self.bits1 / characters, self.bits2 / characters

    def difference(self) -> F64:
        """d = H_T1 - H_T2, bits per character: the higher, the nearer to the second reference."""
        first, second = self.entropies()
        return np.asarray(first - second)


@dataclass(frozen=True)
class Anchors:
    """The ends of the scale in bits per character: hij is the cost of reference j under the model of reference i."""

    h11: float
    h12: float
    h21: float
    h22: float

    def __post_init__(self) -> None:
        if not (self.h12 > self.h11 and self.h21 > self.h22):
            raise InputError("the references span no scale: a model finds the other one no stranger than its own")

    @classmethod
    def of(cls, first: Statistics, second: Statistics) -> Anchors:
        """From what each reference costs under both models; InputError where they span no scale."""
        (h11, h21), (h12, h22) = (
            [float(each[0]) for each in reference.total().entropies()] for reference in (first, second)
        )
        return cls(h11, h12, h21, h22)


@dataclass(frozen=True)
class Coefficients:
    values: F64
    clipped: Bools
    """Those that lay outside of 0 to 1, and were moved to the nearer end."""

    @property
    def undefined(self) -> Bools:
        """Those without characters, and those whose weights sum to LEAST_WEIGHT or less."""
        return np.isnan(self.values)


def coefficients(statistics: Statistics, anchors: Anchors) -> Coefficients:
    """The coefficient I of each entry."""
    first, second = statistics.entropies()
    weight1 = (first - anchors.h11) / (anchors.h12 - anchors.h11)
    weight2 = (second - anchors.h22) / (anchors.h21 - anchors.h22)
    both = weight1 + weight2
    values = np.divide(weight1, both, out=np.full(len(both), np.nan), where=both > LEAST_WEIGHT)
    clipped = (values < 0) | (values > 1)
    return Coefficients(np.clip(values, 0, 1), clipped)


@dataclass(frozen=True)
class LinearScale:
    """The scale J: 0 is unseen text of the kind of the first reference, 1 of the second; not bounded."""

    d1: float
    """H_T1 - H_T2, bits per character, of held-out text of the first reference."""
    d2: float

    def __post_init__(self) -> None:
        if not self.d2 > self.d1:
            raise InputError("held-out text of the references cannot be told apart")

    @classmethod
    def of(cls, first: Statistics, second: Statistics) -> LinearScale:
        """From held-out text of each reference; InputError where it spans no scale."""
        return cls(float(first.total().difference()[0]), float(second.total().difference()[0]))

    def positions(self, statistics: Statistics) -> F64:
        """The position J of each entry; not a number where there are no characters."""
        return np.asarray((statistics.difference() - self.d1) / (self.d2 - self.d1))


Measure = Callable[[Sequence[str], Sequence[str], Sequence[str]], Statistics]
"""What the texts given third cost under models of the texts given first and second."""


def held_out_scale(
    first: Sequence[str], second: Sequence[str], folds1: I64, folds2: I64, measure: Measure
) -> LinearScale:
    """The scale J from references in folds: each fold is measured by models of all others of both references.

    Both models lack the fold, so that neither is made of more text. InputError where a reference has one fold only.
    """
    parts1, parts2 = [], []
    for fold in sorted({*folds1.tolist(), *folds2.tolist()}):
        (out1, in1), (out2, in2) = _split(first, folds1 == fold), _split(second, folds2 == fold)
        if not in1 or not in2:
            raise InputError("a reference has text in one fold only, and nothing can be held out")
        parts1.append(measure(in1, in2, out1))
        parts2.append(measure(in1, in2, out2))
    return LinearScale.of(*(_joined(parts) for parts in (parts1, parts2)))


def _split(texts: Sequence[str], out: Bools) -> tuple[list[str], list[str]]:
    held = [text for text, is_out in zip(texts, out.tolist(), strict=True) if is_out]
    return held, [text for text, is_out in zip(texts, out.tolist(), strict=True) if not is_out]


def _joined(parts: Sequence[Statistics]) -> Statistics:
    fields: Iterator[tuple[I64, F64, F64]] = ((part.characters, part.bits1, part.bits2) for part in parts)
    characters, bits1, bits2 = zip(*fields, strict=True)
    return Statistics(np.concatenate(characters), np.concatenate(bits1), np.concatenate(bits2))


@dataclass(frozen=True)
class Summary:
    """A distribution of coefficients or positions; None where there are too few values."""

    entries: int
    """All of them, defined or not."""
    undefined: int
    clipped: int
    mean: float | None
    """Of those that are defined, the clipped ones at the end they were moved to."""
    sd: float | None
    """Standard deviation with n - 1."""
    median: float | None
    quantiles: tuple[float, ...] | None
    """At QUANTILES, interpolated."""


def summary(values: F64 | Coefficients) -> Summary:
    """What there is to say of positions, or of coefficients; what is not a number is counted as undefined."""
    clipped = int(values.clipped.sum()) if isinstance(values, Coefficients) else 0
    numbers = values.values if isinstance(values, Coefficients) else values
    known = numbers[~np.isnan(numbers)]
    return Summary(
        entries=len(numbers),
        undefined=len(numbers) - len(known),
        clipped=clipped,
        mean=float(known.mean()) if len(known) else None,
        sd=float(known.std(ddof=1)) if len(known) > 1 else None,
        median=float(np.median(known)) if len(known) else None,
        quantiles=tuple(np.quantile(known, QUANTILES).tolist()) if len(known) else None,
    )
