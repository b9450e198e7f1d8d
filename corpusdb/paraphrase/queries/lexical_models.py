"""The translations of the sentences of a language as witnesses, and the lexical models that the database keeps."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Run, Store, layer_state
from corpusdb.corpus.store.runs import blobs_checksum, checked_blobs
from corpusdb.paraphrase.lexical_model import LexicalModel, words_of
from corpusdb.paraphrase.witnesses import (
    ChangedSides,
    Links,
    TranslatedSentences,
    TranslatedText,
    TranslationsInto,
    Witness,
    Witnesses,
    known_testimony,
    witnesses_of,
)

_TRANSLATED = """
select distinct translation.sentence from sentence
cross join translation on translation.sentence = sentence.id
cross join sentence other on other.id = translation.translation and other.language <> sentence.language
where sentence.language = ? order by translation.sentence
"""
_LINKS = """
select distinct translation.sentence, other.text from sentence
cross join translation on translation.sentence = sentence.id
cross join sentence other on other.id = translation.translation and other.language = :other
where sentence.language = :language
"""


def learn_witnesses(store: Store, language: str, sentences: Sequence[tuple[int, str]]) -> Job[Witnesses]:
    """What the translations of all sentences of a language teach; ``sentences`` are their numbers and texts, ascending.

    Part of a job. Memory: some 40 bytes for each pair of a word and one of its translation, of one language at a time.
    """
    numbers = np.array([number for number, _ in sentences], dtype=np.int64)
    others = [each for each in languages_of(store) if each != language]
    yield Progress("learning from translations, languages", 0, len(others))
    translated = np.array([row[0] for row in store.connection.execute(_TRANSLATED, (language,))], dtype=np.int64)
    texts = [text for _, text in sentences]
    learner = TranslatedSentences.of(texts, np.searchsorted(numbers, translated))
    found = list[TranslationsInto]()
    for done, other in enumerate(others):
        yield Progress("learning from translations, languages", done, len(others))
        rows = store.connection.execute(_LINKS, {"language": language, "other": other}).fetchall()
        if rows:
            ordered = sorted({text for _, text in rows})
            place = {text: number for number, text in enumerate(ordered)}
            links = np.array([(sentence, place[text]) for sentence, text in rows], dtype=np.int64)
            found.append(learner.learn(other, Links(np.searchsorted(numbers, links[:, 0]), links[:, 1], ordered)))
    return Witnesses(tuple(found))


_DELETE = "delete from lexical_model where language = ?"
_INSERT = """
insert into lexical_model (language, other, words, other_words, pairs, other_given, word_given, usual, run, checksum)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def store_lexical_models(
    connection: sqlite3.Connection, language: str, models: Iterable[tuple[str, Sequence[bytes]]], run: Run
) -> None:
    """Store the models of a language in place of those there are; in a transaction of the caller.

    ``models``: the language of the translations, and the blobs.
    """
    connection.execute(_DELETE, (language,))
    for other, blobs in models:
        connection.execute(_INSERT, (language, other, *blobs, run.id, blobs_checksum(*blobs)))


_MODELS = """
select other, checksum, words, other_words, pairs, other_given, word_given, usual from lexical_model
where language = ? order by other
"""


def load_lexical_models(store: Store, language: str) -> Mapping[str, LexicalModel]:
    """The models of a language, by that of the translations; read once, until they are made anew.

    Raises DatabaseDamaged.
    """
    held = _held.setdefault(store, {})
    state = repr(layer_state(store, language, "validity"))
    if language not in held or held[language][0] != state:
        held[language] = state, dict(_read(store, language))
    return held[language][1]


_held: WeakKeyDictionary[Store, dict[str, tuple[str, dict[str, LexicalModel]]]] = WeakKeyDictionary()


def _read(store: Store, language: str) -> Iterator[tuple[str, LexicalModel]]:
    for other, checksum, *blobs in store.connection.execute(_MODELS, (language,)):
        checked_blobs(f"the lexical model of {language} and {other}", checksum, *blobs)
        yield other, LexicalModel.read(blobs)


_OF_TEXTS = """
select wanted.value, other.language, other.text from json_each(:texts) wanted
cross join sentence on sentence.language = :language and sentence.text = wanted.value
cross join translation on translation.sentence = sentence.id
cross join sentence other on other.id = translation.translation and other.language <> :language
"""

_LEAST_KNOWN: Final = 0.5
"""So many of the words of a text are those of the model of its language."""


class KnownTranslations:
    """The translations of some sentences, which the corpus has or somebody gave, by the models that are stored."""

    def __init__(self, store: Store, language: str) -> None:
        self._store = store
        self._language = language
        self._given: dict[str, tuple[str, ...]] = {}

    def give(self, text: str, translations: Iterable[str]) -> None:
        """Note the translations that somebody gave of a text, in whatever languages, besides those of the corpus."""
        self._given[text] = tuple(translations)

    @property
    def models(self) -> Mapping[str, LexicalModel]:
        return load_lexical_models(self._store, self._language)

    def testimony(self, pairs: Sequence[tuple[str, str]], changed: ChangedSides) -> F64:
        """Pairs of a seed and another text by TESTIMONY."""
        return known_testimony(pairs, changed, *self.known(sorted({text for pair in pairs for text in pair})))

    def witnesses(self, seed: str, other: str, changed: ChangedSides) -> list[Witness]:
        """What the translations of a seed say of one pair, but for those that the two share."""
        rows, models = self.known([seed, other])
        own, shared = ({row[1:] for row in rows if row[0] == text} for text in (seed, other))
        return witnesses_of(changed, own - shared, models)

    def known(self, texts: Sequence[str]) -> tuple[list[TranslatedText], Mapping[str, LexicalModel]]:
        """The translations of texts, and the models that can be asked of them."""
        bound = {"language": self._language, "texts": json.dumps(texts)}
        rows = self._store.connection.execute(_OF_TEXTS, bound).fetchall()
        rows += [(text, *each) for text in texts for each in self._told(self._given.get(text, ()))]
        return rows, self.models

    def _told(self, translations: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Language and text of each translation whose language has a model: that which knows most of its words."""
        for text in translations:
            words = set(words_of(text))
            known = {
                language: len(words & model.others.number.keys()) / max(len(words), 1)
                for language, model in sorted(self.models.items())
            }
            best = max(known, key=known.__getitem__, default=None)
            if best is not None and known[best] >= _LEAST_KNOWN:
                yield best, text


_ALL_MODELS = """
select language, other, checksum, words, other_words, pairs, other_given, word_given, usual from lexical_model
"""


def wrong_lexical_models(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the stored models, in words."""
    return [
        f"the lexical model of {language} and {other} is not the one that was written"
        for language, other, checksum, *blobs in connection.execute(_ALL_MODELS)
        if blobs_checksum(*blobs) != checksum
    ]
