"""Texts that do not belong: what costs much under a model of the other texts, what is there twice, and why.

A text is measured by a model of the other folds (self-entropy), never by one that it is part of itself. The distance of
its coefficient from the mean of the corpus finds no garbage: foreign and damaged text stands anywhere on that scale.
Self-entropy is the mean over a text, in which one damaged character is lost; so the rarest character counts besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I32, I64

__all__ = [
    "RARITY_WEIGHT",
    "character_rarity",
    "dearest",
    "near_duplicates",
    "outlier_scores",
    "self_entropies",
    "uncertainties",
]

RARITY_WEIGHT: Final = 0.1
"""Bits of self-entropy that one bit of the rarest character is worth."""
_DEVIATIONS: Final = 4.0
"""Of 60 French or shuffled lines among 3,000 of the phrasebook, the first 60 had 30 and 58 without this, and 36 and 60
with it; of undamaged lines of less than ten characters, the first 30 had 5.5 and 2.3 (means of six draws). With 6 they
had 0.3, but of German lines among those of Tatoeba more stood behind others."""
_MEDIAN_OF_CHI_SQUARE: Final = 0.4549364
"""Of one degree of freedom."""
_UNSEEN: Final = 0.5
"""What a character that no other text has counts as, in texts."""
_TEXTS_AT_A_TIME: Final = 2_000


def self_entropies(characters: I64, bits: F64, end_bits: F64) -> F64:
    """Bits per symbol of each text, its end mark being one: where a text ends says much about short ones.

    ``bits`` are those of the characters under the model of the other folds, ``end_bits`` of the end mark.
    """
    return np.asarray((bits + end_bits) / (characters + 1))


def character_rarity(texts: Sequence[str], folds: I64) -> F64:
    """For each text the bits of its rarest character: -log2 of the share of the texts of other folds that have it.

    0 for a text without characters. ``folds`` are numbers from 0.
    """
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    rarity = np.zeros(len(texts))
    if not lengths.any():
        return rarity
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<i4")
    there = np.zeros(int(codes.max()) + 1, dtype=np.bool_)
    there[codes] = True
    symbols = (np.cumsum(there, dtype=np.int32) - 1)[codes]
    having = _texts_having(symbols, lengths, folds, int(there.sum()))
    members = np.bincount(folds, minlength=len(having))
    others = np.maximum(members.sum() - members, 1)
    bits = -np.log2(np.maximum(having.sum(axis=0) - having, _UNSEEN) / others[:, None])
    costs = bits[np.repeat(folds, lengths), symbols]
    filled = lengths > 0
    rarity[filled] = np.maximum.reduceat(costs, (np.cumsum(lengths) - lengths)[filled])
    return rarity


def _texts_having(symbols: I32, lengths: I64, folds: I64, distinct: int) -> I64:
    """How many texts of each fold have each symbol: shape (folds, symbols)."""
    having = np.zeros((int(folds.max()) + 1, distinct), dtype=np.int64)
    ends = np.cumsum(lengths)
    for start in range(0, len(lengths), _TEXTS_AT_A_TIME):
        own = lengths[start : start + _TEXTS_AT_A_TIME]
        first, last = int(ends[start] - own[0]), int(ends[start + len(own) - 1])
        seen = np.zeros((len(own), distinct), dtype=np.bool_)
        seen[np.repeat(np.arange(len(own)), own), symbols[first:last]] = True
        fold = folds[start : start + len(own)]
        for number in range(len(having)):
            having[number] += seen[fold == number].sum(axis=0)
    return having


def outlier_scores(entropies: F64, rarity: F64) -> F64:
    """The higher, the less a text belongs: self-entropy, and RARITY_WEIGHT times the bits of the rarest character."""
    return np.asarray(entropies + RARITY_WEIGHT * rarity)


def uncertainties(entropies: F64, characters: I64) -> F64:
    """By how much the self-entropy of each text may be too high because it is short: what four characters deviate by,
    shared by all that it has.

    The mean over few characters is far from that of the corpus by chance alone, so that interjections would stand
    before all that is damaged. The deviation of one character is taken from half of the texts, those nearest to the
    median: a few foreign texts do not change it.
    """
    symbols = characters + 1  # the end mark is one
    if not len(entropies):
        return np.zeros(0)
    squares = symbols * (entropies - np.median(entropies)) ** 2
    return np.asarray(_DEVIATIONS * np.sqrt(np.median(squares) / _MEDIAN_OF_CHI_SQUARE) / symbols)


def dearest(bits: F64, share: float = 0.5) -> I64:
    """The fewest characters of one text that cost ``share`` of its bits, ascending; ``bits`` is of each character."""
    order = np.argsort(-bits, kind="stable")
    reached = np.cumsum(bits[order])
    if not len(bits) or reached[-1] <= 0:
        return np.zeros(0, dtype=np.int64)
    return np.sort(order[: int(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12))) + 1])


def near_duplicates(keys: Sequence[str]) -> list[list[int]]:
    """The places of texts whose keys are equal, in groups of two or more, by the first of each.

    A key is the text in a normalisation that leaves out what shall not count; an empty one is equal to none.
    """
    groups: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        if key:
            groups.setdefault(key, []).append(place)
    return [places for places in groups.values() if len(places) > 1]
