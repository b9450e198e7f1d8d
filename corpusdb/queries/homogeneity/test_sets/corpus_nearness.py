"""How far texts stand from the corpus: what they cost under models of it, beside its own documents of their length.

A line is measured by a model of the folds that it would not be in itself, by the hash of it: so a line that stands in
the corpus is measured by a model that has not seen it, as each of the corpus' own is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from corpusdb.arrays import I64, Bools
from corpusdb.charlm.alphabet import Alphabet
from corpusdb.charlm.counts import train
from corpusdb.charlm.cross_validation import FOLDS, fold_bits, fold_models, folds_of
from corpusdb.charlm.normalisation import DEFAULT_NORMALISATION, normalised
from corpusdb.homogeneity.nearness import Nearness, document_length, documents_of, nearness
from corpusdb.jobs import Job, Progress
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.store import Store

__all__ = ["corpus_nearness", "nearness_note"]

_ORDER: Final = 6
_SMOOTHING: Final = "mkn"
_MOST_CHARACTERS: Final = 1_000_000
"""The most that the models are made of."""
_MOST_DOCUMENTS: Final = 200
_SEED: Final = 1


def corpus_nearness(store: Store, language: str, texts: Sequence[str]) -> Job[Nearness | None]:
    """How far these texts together, each different one once, stand from the sentences of a language.

    None where that cannot be said: of few characters, or where the corpus has few.
    """
    yield Progress("reading the corpus, to tell how far the test set stands from it", 0, 0)
    lines = list(dict.fromkeys(filter(None, normalised(texts, DEFAULT_NORMALISATION))))
    given = normalised([text for _, text in sentences_after(store, language, 0)], DEFAULT_NORMALISATION)
    corpus = list(dict.fromkeys(filter(None, given)))
    characters = np.fromiter(map(len, corpus), dtype=np.int64, count=len(corpus))
    length = document_length(sum(map(len, lines)), int(characters.sum()))
    if length is None:
        return None
    folds = folds_of(corpus)
    parts = _drawn(characters, folds)
    alphabet = Alphabet.of(corpus)
    yield Progress("counting characters, to tell how far the test set stands from the corpus", 0, 0)
    models = fold_models([train(_chosen(corpus, part), alphabet, _ORDER) for part in parts], _SMOOTHING)
    documents = documents_of(characters, length)
    measured = np.flatnonzero(_some(documents))
    yield Progress("measuring the test set and documents of the corpus", 0, 0)
    bits = fold_bits(models, _chosen(corpus, measured), folds[measured]).bits[0]
    own = np.unique(documents[measured], return_inverse=True)[1]
    return nearness(
        sum(map(len, lines)),
        float(fold_bits(models, lines, folds_of(lines)).bits.sum()),
        np.bincount(own, characters[measured]).astype(np.int64),
        np.bincount(own, bits).astype(np.float64, copy=False),
        length,
    )


def _drawn(characters: I64, folds: I64) -> list[I64]:
    """The places of the sentences that the models are made of, by fold: all, or as many as are enough at random."""
    order = np.random.default_rng(_SEED).permutation(len(characters))
    before = np.cumsum(characters[order]) - characters[order]
    drawn = np.sort(order[before < _MOST_CHARACTERS])
    return [drawn[folds[drawn] == fold] for fold in range(FOLDS)]


def _some(documents: I64) -> Bools:
    """Which sentences are measured: those of all documents, or of as many as are enough, evenly spread."""
    count = int(documents[-1]) + 1
    wanted = np.zeros(count, dtype=np.bool_)
    wanted[np.linspace(0, count - 1, min(count, _MOST_DOCUMENTS)).astype(np.int64)] = True
    return np.asarray(wanted[documents])


def _chosen(texts: Sequence[str], places: I64) -> list[str]:
    return [texts[place] for place in places.tolist()]


def nearness_note(found: Nearness | None, language: str, *, adds_nothing: bool = False) -> str | None:
    """In words that a test set stands far from the corpus; None where it does not, or where it cannot be said.

    The corpus made references of it, or it ``adds_nothing`` to those that there are.
    """
    if found is None or not found.is_far:
        return None
    corpus = "the corpus, which adds nothing to it" if adds_nothing else "the corpus that made its references"
    return (
        f"the test set stands far from {corpus}: {found.bits:.2f} bits per character under "
        f"models of the {language} sentences, where 95 % of {found.documents:,} documents of the corpus, of "
        f"{found.document_characters:,} characters each, cost {found.low:.2f} to {found.high:.2f}"
    )
