"""Which part of a pool to train on for a task: texts in an order, and what a model of the first of them is worth.

- closest to the task's coefficient (Denoual 2005, section 4)
- cross-entropy difference (Moore & Lewis 2010), and its sum over both languages of a pair (Axelrod, He & Gao 2011)
- at random, which the others must be better than
- cynical.py has the greedy choice of Axelrod 2017

Every method gives a score to each text, the lowest first. Amounts are shares of the characters of the pool, and a
smaller selection is the beginning of a larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.errors import InputError

__all__ = [
    "SHARES",
    "CurvePoint",
    "amount",
    "bilingual_scores",
    "closest_scores",
    "crossing",
    "curve",
    "guard",
    "moore_lewis_scores",
    "random_scores",
    "ranked",
]

SHARES: Final = (0.005, 0.01, 0.03, 0.05, 0.1, 0.15, 0.25, 0.5, 0.75, 1.0)
"""The amounts of a curve."""


def closest_scores(coefficients: F64, task: float) -> F64:
    """How far the coefficient of each text is from the task's; infinite where it is not defined."""
    distance = np.abs(coefficients - task)
    return np.asarray(np.where(np.isnan(distance), np.inf, distance))


def moore_lewis_scores(characters: I64, task_bits: F64, pool_bits: F64) -> F64:
    """Bits per character under a model of the task less those under one of an equal part of the pool.

    Infinite for texts without characters.
    """
    scores: F64 = np.full(len(characters), np.inf)
    np.divide(task_bits - pool_bits, characters, out=scores, where=characters > 0)
    return scores


def bilingual_scores(source: F64, target: F64) -> F64:
    """The sum of the cross-entropy differences of both sides of each pair."""
    return np.asarray(source + target)


def random_scores(count: int, seed: int) -> F64:
    """Numbers at random."""
    return np.random.default_rng(seed).random(count)


def guard(characters: I64, keys: Sequence[str], least: int = 1, most: int | None = None) -> Bools:
    """Whether each text may be selected: of ``least`` to ``most`` characters, and the first with its key.

    Scores by cross-entropy prefer short and frequent texts, which would otherwise come again and again.
    """
    if most is not None and most < least:
        raise InputError(f"no text has at least {least} and at most {most} characters")
    allowed = np.asarray(characters >= max(least, 1))
    if most is not None:
        allowed &= characters <= most
    seen: set[str] = set()
    for place in np.flatnonzero(allowed).tolist():
        if keys[place] in seen:
            allowed[place] = False
        seen.add(keys[place])
    return allowed


def ranked(scores: F64, allowed: Bools) -> I64:
    """The places of the allowed texts with a finite score, the lowest first; of equal ones in their order."""
    order = np.argsort(scores, kind="stable")
    return np.asarray(order[allowed[order] & np.isfinite(scores[order])])


def amount(order: I64, characters: I64, share: float) -> I64:
    """The first of the ranked texts that together have ``share`` of all characters of the pool.

    The text that reaches the share is the last one; all that are ranked where they have no more. InputError for a share
    that is not above 0 and at most 1.
    """
    if not 0 < share <= 1:
        raise InputError(f"a share of {share:.6g} is not above 0 and at most 1")
    reached = np.cumsum(characters[order])
    wanted = share * int(characters.sum())
    return order[: int(np.searchsorted(reached, wanted * (1 - 1e-12))) + 1]


@dataclass(frozen=True)
class CurvePoint:
    """A selection of one size, and what a model of it is worth."""

    share: float
    """As asked for."""
    texts: int
    characters: int
    """Of the selected texts, which may be fewer than the share where a guard left out others."""
    bits: float
    """Bits per character of held-out text of the task under a model of the selection."""

    @property
    def perplexity(self) -> float:
        """2 to the bits."""
        return float(2**self.bits)


def curve(
    order: I64, characters: I64, entropy: Callable[[I64], float], shares: Sequence[float] = SHARES
) -> list[CurvePoint]:
    """The held-out bits by amount; ``entropy`` measures the task by a model of the texts at the places it is given."""
    points = []
    for share in shares:
        chosen = amount(order, characters, share)
        points.append(CurvePoint(share, len(chosen), int(characters[chosen].sum()), entropy(chosen)))
    return points


def crossing(shares: Sequence[float], first: Sequence[float], second: Sequence[float]) -> float | None:
    """The last share at which the first of two curves ceases to be the lower one, interpolated; None if it never does.

    Values are lower where they are better. Between two amounts both curves are taken for straight.
    """
    found = None
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    for place in range(1, len(gaps)):
        if gaps[place - 1] < 0 <= gaps[place]:
            part = gaps[place - 1] / (gaps[place - 1] - gaps[place])
            found = shares[place - 1] + part * (shares[place] - shares[place - 1])
    return found
