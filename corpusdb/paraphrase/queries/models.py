"""The lexical models and the word model that the database keeps of a language, and its translations as witnesses."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from corpusdb.base.arrays import F64, distinct
from corpusdb.base.errors import DatabaseDamaged
from corpusdb.base.jobs import Job, Progress, computed_in_order, cores_for
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Run, Store, layer_state
from corpusdb.corpus.store.runs import blobs_checksum, checked_blobs
from corpusdb.paraphrase.lexical_model import LexicalModel, Vocabulary, words_of
from corpusdb.paraphrase.pair_differences import PairDifferences
from corpusdb.paraphrase.sharing import TranslationLinks
from corpusdb.paraphrase.witnesses import (
    ChangedSides,
    ChangedWords,
    Links,
    TranslatedSentences,
    TranslatedText,
    Witness,
    known_testimony,
    over_languages,
    witnesses_of,
)
from corpusdb.paraphrase.word_model import WordModel


class Heard(NamedTuple):
    """What the translations of the sentences of a language teach, and what they say of some pairs of these."""

    models: list[tuple[str, tuple[bytes, ...]]]
    """The languages of the translations, and the blobs of the models."""
    testimonies: list[F64]
    """Of each list of pairs that was asked for: pairs by TESTIMONY."""


def hear_witnesses(
    store: Store,
    sentences: Sequence[tuple[int, str]],
    languages: Sequence[str],
    links: TranslationLinks,
    asked: Sequence[PairDifferences],
) -> Job[Heard]:
    """Learn from the translations of all sentences of a language, and ask them.

    ``sentences`` are their numbers and texts, ascending, ``links`` those of ``load_links``. Part of a job. Memory: some
    40 bytes for each pair of a word and one of its translation, of a language for each core.
    """
    yield Progress("learning from translations, languages", 0, len(languages))
    learner = TranslatedSentences.of([text for _, text in sentences], links.sentence)
    known = [(language, _links_into(store, language, links, number)) for number, language in enumerate(languages)]
    known = [(language, each) for language, each in known if len(each.sentence)]

    changed = [ChangedWords.of(pairs.changed, learner.vocabulary) for pairs in asked]

    def heard(number: int) -> tuple[tuple[bytes, ...], list[F64]]:
        into = learner.learn(*known[number])
        said = zip(asked, changed, strict=True)
        return into.model.blobs(), [into.said_of(pairs.seed, pairs.other, words) for pairs, words in said]

    found = []
    with closing(computed_in_order(heard, len(known), cores_for(len(sentences)))) as results:
        for each in results:
            found.append(each)
            yield Progress("learning from translations, languages", len(found), len(languages))
    said = (over_languages([each[1][place] for each in found], len(pairs.row)) for place, pairs in enumerate(asked))
    return Heard([(language, each[0]) for (language, _), each in zip(known, found, strict=True)], list(said))


def _links_into(store: Store, language: str, links: TranslationLinks, number: int) -> Links:
    """Those into one language, which has this number in ``links``."""
    of_language = links.language == number
    translations = distinct(links.translation[of_language])
    numbers, texts = zip(*sentences_after(store, language, 0), strict=True)
    chosen = [texts[place] for place in np.searchsorted(numbers, translations).tolist()]
    rank = np.empty(len(chosen), dtype=np.int64)
    rank[sorted(range(len(chosen)), key=chosen.__getitem__)] = np.arange(len(chosen))
    place = np.searchsorted(translations, links.translation[of_language])
    return Links(links.sentence[of_language], rank[place], sorted(chosen))


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
    known: dict[bytes, Vocabulary] = {}
    for other, checksum, *blobs in store.connection.execute(_MODELS, (language,)):
        checked_blobs(f"the lexical model of {language} and {other}", checksum, *blobs)
        yield other, LexicalModel.read(blobs, known)


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
            words = list(set(words_of(text)))
            known = {
                language: np.count_nonzero(model.others.numbers(words) >= 0) / max(len(words), 1)
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


# The word model of a language: kept with the validity that it is made with, and what it says of paraphrases.


_COMPRESSION: Final = 4

_DELETE_WORDS = "delete from word_model where language = ?"
_INSERT_WORDS = "insert into word_model (language, sentences, model, checksum, run) values (?, ?, ?, ?, ?)"


def store_word_model(connection: sqlite3.Connection, language: str, packed: bytes | None, run: Run) -> None:
    """Store a packed model in place of the one there is, or none; in a transaction of the caller."""
    connection.execute(_DELETE_WORDS, (language,))
    if packed is not None:
        blob, sentences = zlib.compress(packed, _COMPRESSION), WordModel.unpacked(packed).sizes[0]
        connection.execute(_INSERT_WORDS, (language, sentences, blob, blobs_checksum(packed), run.id))


_WORD_MODEL = "select model, checksum from word_model where language = ?"


def load_word_model(store: Store, language: str) -> WordModel | None:
    """The model of a language; None where there is none. Raises DatabaseDamaged.

    Read once for all who hold it at a time, in some tenths of a second; in memory it takes about 40 bytes an n-gram.
    """
    held = _held_words.setdefault(store, WeakValueDictionary())
    key = language, repr(layer_state(store, language, "validity"))
    found = held.get(key)
    if found is None and (row := store.connection.execute(_WORD_MODEL, (language,)).fetchone()) is not None:
        found = held[key] = WordModel.unpacked(_unpacked(language, *row))
    return found


_held_words: WeakKeyDictionary[Store, WeakValueDictionary[tuple[str, str], WordModel]] = WeakKeyDictionary()


def _unpacked(language: str, blob: bytes, checksum: int) -> bytes:
    what = f"word model of {language}"
    try:
        packed = zlib.decompress(blob)
    except zlib.error as error:
        raise DatabaseDamaged(f"the {what} is damaged; `corpusdb check --repair` rebuilds it") from error
    checked_blobs(f"numbers of the {what}", checksum, packed)
    return packed


_WORD_MODELS = "select language, model, checksum from word_model order by language"


def wrong_word_models(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the stored models, in words."""
    problems = []
    for row in connection.execute(_WORD_MODELS):
        try:
            _unpacked(*row)
        except DatabaseDamaged:
            problems.append(f"the word model of {row[0]} is not the one that was written")
    return problems
