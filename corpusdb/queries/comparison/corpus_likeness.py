"""How much the corpus of a database has of what is scored: its words, and sequences of characters of references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64
from corpusdb.metrics.encoding import Tokenise
from corpusdb.metrics.registry import settings_for
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.tokenisation import tokeniser
from corpusdb.queries.analogy.ngram_index import shared_ngrams
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.store import Store, layer_state
from corpusdb.text import are_undelimited, normalise

__all__ = ["Likeness", "corpus_frequencies", "corpus_likeness"]

_SEQUENCE = {False: 10, True: 4}
"""Characters of a sequence: about two words, in scripts that put spaces between words and in those that do not."""


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How much of each segment the corpus has."""

    characters: int
    """Of a sequence."""
    shares: F64
    """For each segment the share, 0 to 1, of the sequences of its references that the corpus has; of a shorter
    reference whether the corpus has it whole."""


@dataclass(frozen=True, slots=True)
class InCorpus:
    """What a corpus has of outputs and references."""

    likeness: Likeness | None
    """Of the references; None where the n-grams of the language are not indexed."""
    frequencies: Counter[str]
    """Of the units of both."""


def in_corpus(
    store: Store,
    language: str,
    outputs: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    settings: Sequence[Settings],
) -> InCorpus:
    """What the sentences of a language have of some outputs and their references, in the units of these settings."""
    how = units_of_settings(settings)
    tokenise = tokeniser(how.tokenisation or "none", lowercase=how.lowercase)
    units = {unit for texts in (*outputs, *references) for text in texts for unit in tokenise(text)}
    return InCorpus(corpus_likeness(store, language, references), corpus_frequencies(store, language, units, tokenise))


def units_of_settings(settings: Sequence[Settings]) -> Settings:
    """Those of the first metric that cuts texts into units which are known here, else those of BLEU in words."""
    return next((each for each in settings if each.tokenisation is not None), settings_for("bleu"))


def corpus_likeness(store: Store, language: str, references: Sequence[Sequence[str]]) -> Likeness | None:
    """How much of the references the corpus has in a language; None where its n-grams are not indexed."""
    if layer_state(store, language, "ngram") is None:
        return None
    texts = [[normalise(text) for text in each] for each in references]
    length = _SEQUENCE[are_undelimited(text for each in texts for text in each)]
    joined = "\n" + "".join(f"{text}\n" for each in texts for text in each)
    longest = shared_ngrams(store, language).longest_of_many(joined)
    shares, begin = np.zeros(len(texts)), 1
    for number, each in enumerate(texts):
        had = sequences = 0
        for text in each:
            size = min(length, max(len(text), 1))
            places = longest[begin : begin + max(len(text) - size, 0) + 1]
            had += int(np.count_nonzero(places >= size))
            sequences += len(places)
            begin += len(text) + 1
        shares[number] = had / sequences
    return Likeness(length, shares)


def corpus_frequencies(store: Store, language: str, units: set[str], tokenise: Tokenise) -> Counter[str]:
    """How often each of these units occurs in the sentences of a language, each different sentence once."""
    counts: Counter[str] = Counter()
    for _, text in sentences_after(store, language, 0):
        counts.update(unit for unit in tokenise(text) if unit in units)
    return counts
