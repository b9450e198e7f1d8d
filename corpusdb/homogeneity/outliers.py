"""Texts that do not belong: what costs much under a model of the other texts, what is there twice, and why.

A text is measured by a model of the other folds (self-entropy), never by one that it is part of itself. The distance of
its coefficient from the mean of the corpus finds no garbage: foreign and damaged text stands anywhere on that scale.
Self-entropy is the mean over a text, in which one damaged character is lost; so the rarest character counts besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.homogeneity.features import character_ngrams

__all__ = ["RARITY_WEIGHT", "character_rarity", "dearest", "near_duplicates", "outlier_scores", "self_entropies"]

RARITY_WEIGHT: Final = 0.1
"""Bits of self-entropy that one bit of the rarest character is worth."""
_UNSEEN: Final = 0.5
"""What a character that no other text has counts as, in texts."""


def self_entropies(characters: I64, bits: F64, end_bits: F64) -> F64:
    """Bits per symbol of each text, its end mark being one: where a text ends says much about short ones.

    ``bits`` are those of the characters under the model of the other folds, ``end_bits`` of the end mark.
    """
    return np.asarray((bits + end_bits) / (characters + 1))


def character_rarity(texts: Sequence[str], folds: I64) -> F64:
    """For each text the bits of its rarest character: -log2 of the share of the texts of other folds that have it.

    0 for a text without characters. ``folds`` are numbers from 0.
    """
    symbols = character_ngrams(texts, 1)
    size = max(symbols.distinct, 1)
    owners = np.repeat(np.arange(len(texts)), symbols.lengths)
    owner, symbol = np.divmod(np.unique(owners * size + symbols.numbers), size)
    count = int(folds.max(initial=0)) + 1
    having = np.bincount(folds[owner] * size + symbol, minlength=count * size).reshape(count, size)
    members = np.bincount(folds, minlength=count)
    elsewhere = (having.sum(axis=0) - having)[folds[owner], symbol]
    others = np.maximum(members.sum() - members, 1)[folds[owner]]
    rarity = np.zeros(len(texts))
    np.maximum.at(rarity, owner, -np.log2(np.maximum(elsewhere, _UNSEEN) / others))
    return rarity


def outlier_scores(entropies: F64, rarity: F64) -> F64:
    """The higher, the less a text belongs: self-entropy, and RARITY_WEIGHT times the bits of the rarest character."""
    return np.asarray(entropies + RARITY_WEIGHT * rarity)


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
