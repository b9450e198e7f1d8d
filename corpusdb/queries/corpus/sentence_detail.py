"""What the corpus knows of one sentence."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from corpusdb.queries.corpus.occurrences import Place, places_of
from corpusdb.queries.corpus.translations import Translation, translations_of
from corpusdb.store import Store

__all__ = ["SentenceDetail", "sentence_detail"]


@dataclass(frozen=True, slots=True)
class SentenceDetail:
    """A sentence with its translations and places."""

    sentence: int
    translations: tuple[Translation, ...]
    places: tuple[Place, ...]
    paraphrases: int
    """How many sentences of its language were detected as paraphrases of it."""


_PARAPHRASES = "select count(*) from paraphrase where sentence = ?"


def sentence_detail(store: Store, sentence: int, languages: Collection[str] = (), distance: int = 1) -> SentenceDetail:
    """The translations of a sentence in some languages (empty = all others) up to a distance, and where it stands."""
    with store.snapshot() as connection:
        (paraphrases,) = connection.execute(_PARAPHRASES, (sentence,)).fetchone()
        return SentenceDetail(
            sentence,
            tuple(translations_of(store, [sentence], languages, distance)[sentence]),
            tuple(places_of(store, [sentence])[sentence]),
            paraphrases,
        )
