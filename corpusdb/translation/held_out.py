"""Test sentences held out of pairs of sentences, with all that would give their translations away.

Denoual (2005, section 4) measures a translator by examples on 510 sentences. In a corpus where one sentence has many
translations, and these have other sources, a split by lines would leave the answers among the examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import I64, Bools
from corpusdb.errors import InputError

__all__ = ["TEST_SENTENCES", "HeldOut", "hold_out"]

TEST_SENTENCES = 510
"""So many Denoual (2005) translates."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Test sentences, and the pairs that may be learned from."""

    sources: tuple[str, ...]
    """What is to be translated."""
    references: tuple[tuple[str, ...], ...]
    """Of each, its translations, in their order among the pairs."""
    training: Bools
    """Of each pair, whether it may be learned from."""


def hold_out(pairs: Sequence[tuple[str, str]], count: int = TEST_SENTENCES, seed: int = 1) -> HeldOut:
    """Hold ``count`` sources out of pairs (source, translation), chosen at random among the distinct sources.

    Left out of the training with them: every pair of a source that has one of their translations, and every pair one
    sentence of which is a test source. Case makes no difference. Raises InputError where there are not more distinct
    sources than ``count``.
    """
    by_source: dict[str, list[int]] = {}
    for number, (source, _) in enumerate(pairs):
        by_source.setdefault(source.casefold(), []).append(number)
    if len(by_source) <= count:
        raise InputError(f"there are {len(by_source):,} sources; to hold {count:,} out takes more")
    groups = list(by_source.values())
    tested = [groups[each] for each in _chosen(len(groups), count, seed)]
    references = {pairs[number][1].casefold() for numbers in tested for number in numbers}
    sources = {pairs[numbers[0]][0].casefold() for numbers in tested}
    told = {source.casefold() for source, translation in pairs if translation.casefold() in references} | sources
    training = [
        source.casefold() not in told and translation.casefold() not in sources for source, translation in pairs
    ]
    return HeldOut(
        tuple(pairs[numbers[0]][0] for numbers in tested),
        tuple(tuple(dict.fromkeys(pairs[number][1] for number in numbers)) for numbers in tested),
        np.array(training, dtype=np.bool_),
    )


def _chosen(total: int, count: int, seed: int) -> I64:
    """``count`` of the numbers below ``total``, ascending."""
    return np.sort(np.random.default_rng(seed).choice(total, count, replace=False))
