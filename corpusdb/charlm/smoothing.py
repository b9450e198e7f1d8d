"""Probabilities from counts: Witten-Bell, and modified Kneser-Ney as lmplz has it, both interpolated.

Every probability is a mixture with that of the next shorter context, down to a uniform one over all events of the
alphabet, so that none is 0. Counts may be 0 here: then the probability is what the shorter context gives, which lets
many subsets of one corpus be smoothed without numbering their n-grams anew.

Witten & Bell 1991, method C; Chen & Goodman 1998, section 3; Heafield, Pouzyrevsky, Clark & Koehn 2013 for the
discounts where counts of counts are missing, and for n-grams at the beginning of a text, which keep their own counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.charlm.alphabet import START, Alphabet
from corpusdb.charlm.counts import Counts
from corpusdb.charlm.key_index import KeyIndex
from corpusdb.errors import InputError, UsageError

__all__ = ["FALLBACK", "SMOOTHINGS", "Grams", "Model", "Smoothed", "kneser_ney", "model_of", "witten_bell"]

FALLBACK: Final = (0.5, 1.0, 1.5)
"""The discounts of lmplz --discount_fallback for n-grams seen once, twice, and more often."""


@dataclass(frozen=True)
class Grams:
    """How the n-grams of each level hang together; the first level, the symbols, hangs on nothing."""

    events: int
    """Over how many symbols order 0 is uniform."""
    indexes: tuple[KeyIndex, ...]
    """From level 2 on: the number of a key."""
    contexts: tuple[I64, ...]
    """From level 2 on: the number, on the level below, of the n-gram without its last symbol."""
    shorter: tuple[I64, ...]
    """From level 2 on: the number, on the level below, of the n-gram without its first symbol."""
    initial: tuple[Bools, ...]
    """Of every level: whether the n-gram begins with the start mark."""

    @classmethod
    def of(cls, alphabet: Alphabet, keys: Sequence[I64]) -> Grams:
        """InputError where an n-gram is there but not what is left without its first symbol."""
        size = alphabet.size
        indexes: list[KeyIndex] = []
        contexts: list[I64] = []
        shorter: list[I64] = []
        initial = [np.arange(size) == START]
        for level, own in enumerate(keys[1:]):
            context, last = np.divmod(own, size)
            if level == 0:
                tail = last
            else:
                tail = indexes[-1].find(shorter[-1][context] * size + last).astype(np.int64)
                if (tail < 0).any():
                    raise InputError(f"an n-gram of {level + 2} symbols lacks the one without its first symbol")
            indexes.append(KeyIndex(own, len(keys[level]) * size))
            contexts.append(context)
            shorter.append(tail)
            initial.append(initial[-1][context])
        return cls(alphabet.events, tuple(indexes), tuple(contexts), tuple(shorter), tuple(initial))


@dataclass(frozen=True)
class Smoothed:
    """Probabilities of all n-grams, level by level."""

    probabilities: tuple[F64, ...]
    """Of the last symbol after the others; 0 for the start mark."""
    backoffs: tuple[F64, ...]
    """Of all levels but the last: the weight of the shorter context where nothing longer was seen after it."""


Smoothing = Callable[[Grams, Sequence[I64]], Smoothed]


@dataclass(frozen=True, eq=False)
class Model:
    """What scoring needs: an n-gram's logarithm where it is known, else its context's weight and the next shorter."""

    alphabet: Alphabet
    keys: tuple[I64, ...]
    indexes: tuple[KeyIndex, ...]
    """From level 2 on."""
    bits: tuple[F64, ...]
    """-log2 of the probabilities; of the start mark 0, since it is no event."""
    backoff_bits: tuple[F64, ...]
    """-log2 of the weights, of all levels but the last."""

    @property
    def order(self) -> int:
        """The longest n-grams, in symbols."""
        return len(self.keys)

    @cached_property
    def all_bits(self) -> F64:
        """The bits of all levels, one after the other."""
        return np.concatenate(self.bits)


def witten_bell(grams: Grams, counts: Sequence[I64]) -> Smoothed:
    """p(w|h) = (c(hw) + t(h) p(w|h')) / (c(h) + t(h)); t(h) is how many different symbols follow h."""
    first = counts[0].astype(np.float64)
    first[START] = 0
    seen, kinds = first.sum(), np.count_nonzero(first)
    lowest = 1 / grams.events
    levels = [(first + kinds * lowest) / (seen + kinds) if kinds else np.full(len(first), lowest)]
    levels[0][START] = 0
    backoffs: list[F64] = []
    for own, context, tail in zip(counts[1:], grams.contexts, grams.shorter, strict=True):
        total = _summed(context, own, levels[-1])
        followers = _summed(context, own > 0, levels[-1])
        mass = total + followers
        share = np.divide(followers, mass, out=np.ones_like(mass), where=mass > 0)
        scale = np.divide(1, mass, out=np.zeros_like(mass), where=mass > 0)
        backoffs.append(share)
        levels.append(own * scale[context] + share[context] * levels[-1][tail])
    return Smoothed(tuple(levels), tuple(backoffs))


def kneser_ney(grams: Grams, counts: Sequence[I64]) -> Smoothed:
    """Modified Kneser-Ney: shorter n-grams count by how many different symbols stand before them."""
    adjusted = _adjusted(grams, counts)
    first = adjusted[0].astype(np.float64)
    first[START] = 0
    discount = _discounts(first)[np.minimum(first, 3).astype(np.int64)]
    total = first.sum()
    levels = [(first - discount + discount.sum() / grams.events) / total if total else first + 1 / grams.events]
    levels[0][START] = 0
    backoffs: list[F64] = []
    for own, context, tail in zip(adjusted[1:], grams.contexts, grams.shorter, strict=True):
        discount = _discounts(own)[np.minimum(own, 3)]
        mass = _summed(context, own, levels[-1])
        scale = np.divide(1, mass, out=np.zeros_like(mass), where=mass > 0)
        share = _summed(context, discount, levels[-1]) * scale
        share[mass == 0] = 1
        backoffs.append(share)
        levels.append((own - discount) * scale[context] + share[context] * levels[-1][tail])
    return Smoothed(tuple(levels), tuple(backoffs))


def _summed(contexts: I64, values: I64 | F64 | Bools, above: F64) -> F64:
    """The sum of the values of each context, which are as many as ``above``."""
    return np.bincount(contexts, values, len(above)).astype(np.float64, copy=False)  # of no values it is of integers


def _adjusted(grams: Grams, counts: Sequence[I64]) -> list[I64]:
    """How many different symbols stand before each n-gram; its count on the last level, and where no symbol can."""
    adjusted = []
    for level, own in enumerate(counts[:-1]):
        before = np.bincount(grams.shorter[level][counts[level + 1] > 0], minlength=len(own))
        adjusted.append(np.where(grams.initial[level], own, before))
    return [*adjusted, counts[-1]]


def _discounts(adjusted: I64 | F64) -> F64:
    """What is taken from an n-gram counted 0, 1, 2, and 3 or more times (Chen & Goodman 1998, equation 26).

    FALLBACK where lmplz takes it, and for a discount of just 0, which would leave nothing for what was not seen.
    """
    once, twice, thrice, four = (int(np.count_nonzero(adjusted == count)) for count in (1, 2, 3, 4))
    if once and twice and thrice:
        share = once / (once + 2 * twice)
        amounts = (1 - 2 * share * twice / once, 2 - 3 * share * thrice / twice, 3 - 4 * share * four / thrice)
        if all(0 < amount <= count for count, amount in enumerate(amounts, 1)):
            return np.array([0.0, *amounts])
    return np.array([0.0, *FALLBACK])


SMOOTHINGS: Final[Mapping[str, Smoothing]] = {"wb": witten_bell, "mkn": kneser_ney}


def model_of(counts: Counts, smoothing: str) -> Model:
    """The model of these counts; ``smoothing`` is a name of SMOOTHINGS."""
    if smoothing not in SMOOTHINGS:
        raise UsageError(f"there is no smoothing {smoothing!r}, but {', '.join(SMOOTHINGS)}")
    grams = Grams.of(counts.alphabet, counts.keys)
    smoothed = SMOOTHINGS[smoothing](grams, counts.counts)
    first = smoothed.probabilities[0].copy()
    first[START] = 1
    bits = tuple(-np.log2(level) for level in (first, *smoothed.probabilities[1:]))
    # A context that nothing followed has weight 1; one whose followers have all the mass has none for others.
    with np.errstate(divide="ignore"):
        backoffs = tuple(-np.log2(level) for level in smoothed.backoffs)
    return Model(counts.alphabet, counts.keys, grams.indexes, bits, backoffs)
