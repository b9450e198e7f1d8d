"""Which sentences of one language share translations, and how probable that makes one a paraphrase of the other.

Sentences a and b that share translations t are paraphrases (Lepage & Denoual 2005, section 4.2), with the pivot
probability p(b|a) = sum over t of p(t|a) p(b|t), each uniform over the distinct translations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import fsum
from typing import NamedTuple

__all__ = ["MAX_SHARING", "Paraphrase", "Share", "Translation", "paraphrases", "paraphrases_of"]

MAX_SHARING = 100
"""A translation that more sentences of the language have than this says too little of them, and is left out: pairs
grow as the square of their number. In Tatoeba none has more than 36."""


class Translation(NamedTuple):
    """A sentence of the language, and one of another language that translates it."""

    sentence: int
    language: str
    """Of the translation."""
    translation: int


class Share(NamedTuple):
    """What one shared translation says of a paraphrase."""

    sentence: int
    paraphrase: int
    language: str
    probability: float
    """p(t|a) p(b|t)."""


class Paraphrase(NamedTuple):
    """An ordered pair of sentences that share translations."""

    sentence: int
    paraphrase: int
    translations: int
    """How many they share."""
    languages: str
    """In which languages, ascending, separated by commas."""
    probability: float


def paraphrases_of(sentence: int, shares: Iterable[tuple[int, int, str, float]]) -> list[Paraphrase]:
    """The paraphrases of a sentence, ascending, from its shares, which come in any order, also as plain tuples."""
    found: dict[int, list[tuple[str, float]]] = {}
    for _, paraphrase, language, probability in shares:
        found.setdefault(paraphrase, []).append((language, probability))
    return [
        Paraphrase(sentence, paraphrase, len(found[paraphrase]), *_sum(found[paraphrase]))
        for paraphrase in sorted(found)
    ]


def _sum(shared: list[tuple[str, float]]) -> tuple[str, float]:
    """The languages of a paraphrase and its probability."""
    if len(shared) == 1:
        return shared[0]
    # Rounded once, so that it is the same in whatever order the translations come.
    return ",".join(sorted({language for language, _ in shared})), fsum(probability for _, probability in shared)


def paraphrases(translations: Iterable[Translation], max_sharing: int = MAX_SHARING) -> Iterator[Paraphrase]:
    """All paraphrases of a language, by sentence, from its translations, of which some may come several times.

    What more than ``max_sharing`` sentences are translated as makes no pair, and is a translation all the same.
    """
    translations_of: dict[int, set[int]] = defaultdict(set)
    sentences_with: dict[int, set[int]] = defaultdict(set)
    language_of: dict[int, str] = {}
    for sentence, language, translation in translations:
        translations_of[sentence].add(translation)
        sentences_with[translation].add(sentence)
        language_of[translation] = language
    for sentence in sorted(translations_of):
        pivots = translations_of[sentence]
        shares = (
            Share(sentence, other, language_of[pivot], 1.0 / (len(pivots) * len(sentences_with[pivot])))
            for pivot in pivots
            if len(sentences_with[pivot]) <= max_sharing
            for other in sentences_with[pivot]
            if other != sentence
        )
        yield from paraphrases_of(sentence, shares)
