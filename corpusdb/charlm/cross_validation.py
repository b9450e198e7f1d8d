"""What each text costs under a model of the other texts: in folds, each measured by a model of all other folds."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

import numpy as np

from corpusdb.arrays import I64
from corpusdb.charlm.counts import Counts
from corpusdb.charlm.scoring import TextBits, text_bits
from corpusdb.charlm.smoothing import Model, model_of
from corpusdb.errors import InputError

__all__ = ["FOLDS", "fold_bits", "fold_models", "folds_of"]

FOLDS: Final = 5


def folds_of(texts: Sequence[str], folds: int = FOLDS) -> I64:
    """The fold of each text, by a hash of it: equal texts share a fold, and no other text can move one."""
    digests = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.fromiter((int.from_bytes(each, "big") % folds for each in digests), dtype=np.int64, count=len(texts))


def fold_models(parts: Sequence[Counts], smoothing: str) -> list[Model]:
    """For each fold's counts the model of all others: what all have together, without its own."""
    if len(parts) < 2:
        raise InputError("cross-validation needs two folds or more")
    together = parts[0]
    for part in parts[1:]:
        together = together + part
    return [model_of(together - part, smoothing) for part in parts]


def fold_bits(models: Sequence[Model], texts: Sequence[str], folds: I64) -> TextBits:
    """What each text costs under the model of the other folds: one row of bits.

    ``models`` are those of ``fold_models``, by the number of the fold; ``folds`` has that of each text.
    """
    characters, unknown = np.zeros((2, len(texts)), dtype=np.int64)
    bits, end_bits = np.zeros((2, 1, len(texts)))
    for fold, model in enumerate(models):
        own = np.flatnonzero(folds == fold)
        part = text_bits([model], [texts[place] for place in own.tolist()])
        characters[own], unknown[own] = part.characters, part.unknown
        bits[0, own], end_bits[0, own] = part.bits[0], part.end_bits[0]
    return TextBits(characters, bits, end_bits, unknown)
