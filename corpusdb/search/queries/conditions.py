"""The sentences that may still be hits, and the conditions that leave some of them."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from corpusdb.base.arrays import I64, Bools
from corpusdb.base.text import word_count
from corpusdb.corpus.store import Store
from corpusdb.search.matches import LanguageText
from corpusdb.search.patterns import Pattern

if TYPE_CHECKING:
    from corpusdb.search.cqp_syntax import Query

_PARTNERS = """
select given.value, translation.translation
from json_each(?) given join translation on translation.sentence = given.value
"""


@dataclass(frozen=True)
class Candidates:
    """Some sentences of one language, and what a condition may ask about them."""

    store: Store
    text: LanguageText
    indexes: I64
    """Of the sentences in ``text``, ascending."""
    holding: Callable[[str, Pattern | Query], I64]
    """The ids of all sentences of a language that hold a pattern."""

    @property
    def sentences(self) -> I64:
        return self.text.sentences[self.indexes]

    def where(self, holds: Callable[[str], bool]) -> Candidates:
        """Those of whose text something holds."""
        lines = self.text.lines
        return self._only(np.array([holds(lines[index]) for index in self.indexes.tolist()], dtype=np.bool_))

    def among(self, sentences: Iterable[int] | I64, *, negated: bool = False) -> Candidates:
        given = sentences if isinstance(sentences, np.ndarray) else np.fromiter(sentences, np.int64)
        return self._only(np.isin(self.sentences, given, invert=negated))

    def translations_of(self, others: I64) -> I64:
        """The ids of those that are translations of one of the others; the shorter list is looked up."""
        sentences = self.sentences
        is_turned = len(others) < len(sentences)
        given, wanted = (others, sentences) if is_turned else (sentences, others)
        rows = self.store.connection.execute(_PARTNERS, (json.dumps(given.tolist()),)).fetchall()
        pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
        pairs = pairs[np.isin(pairs[:, 1], wanted)]
        return np.unique(pairs[:, 1 if is_turned else 0])

    def _only(self, kept: Bools) -> Candidates:
        return replace(self, indexes=self.indexes[kept])


# What is searched for: a pattern, and the conditions that a sentence must fulfil besides, each with how it narrows.
# The command line reads the fields of a search request when it starts, so that nothing heavy is imported here before a
# search is run.


class Condition(ABC):
    """What a sentence must fulfil to be a hit. Conditions are values: two that ask for the same are equal."""

    __slots__ = ()
    asks_translations: ClassVar[bool] = False
    """These are checked last, when the others have left fewer sentences whose translations must be looked up."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that it names, which the corpus must have."""
        return ()

    @abstractmethod
    def narrow(self, candidates: Candidates) -> Candidates:
        """The sentences that fulfil it."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for in the sentences of one language; every condition that is given must hold."""

    language: str
    pattern: Pattern | None = None
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Length(Condition):
    shortest: int = 0
    longest: int | None = None

    def narrow(self, candidates: Candidates) -> Candidates:
        shortest, longest = self.shortest, sys.maxsize if self.longest is None else self.longest
        return candidates.where(lambda text: shortest <= word_count(text) <= longest)


@dataclass(frozen=True, slots=True)
class InDocuments(Condition):
    """The sentence stands in a collection, in a document or file of some name, or in that of this collection."""

    collection: str | None = None
    document: str | None = None

    def narrow(self, candidates: Candidates) -> Candidates:
        from corpusdb.corpus.queries.sentences import sentences_of

        return candidates.among(sentences_of(candidates.store, self.collection, self.document))


_PARAPHRASED = """
select distinct paraphrase.sentence from paraphrase join sentence on sentence.id = paraphrase.sentence
where sentence.language = ?
"""


@dataclass(frozen=True, slots=True)
class Paraphrased(Condition):
    """Paraphrases of the sentence were detected, or none were."""

    negated: bool = False

    def narrow(self, candidates: Candidates) -> Candidates:
        rows = candidates.store.connection.execute(_PARAPHRASED, (candidates.text.language,))
        return candidates.among((row[0] for row in rows), negated=self.negated)


@dataclass(frozen=True, slots=True)
class _OfTranslations(Condition):
    language: str
    asks_translations: ClassVar[bool] = True

    @property
    def languages(self) -> tuple[str, ...]:
        return (self.language,)


@dataclass(frozen=True, slots=True)
class TranslationCondition(_OfTranslations):
    """One of the translations in another language holds a pattern, or none does."""

    pattern: Pattern | Query
    negated: bool = False

    def narrow(self, candidates: Candidates) -> Candidates:
        others = candidates.holding(self.language, self.pattern)
        return candidates.among(candidates.translations_of(others), negated=self.negated)


_INTO_LANGUAGE = """
select distinct given.value
from json_each(?) given join translation on translation.sentence = given.value
join sentence on sentence.id = translation.translation
where sentence.language = ?
"""


@dataclass(frozen=True, slots=True)
class HasTranslation(_OfTranslations):
    negated: bool = False

    def narrow(self, candidates: Candidates) -> Candidates:
        given = json.dumps(candidates.sentences.tolist())
        rows = candidates.store.connection.execute(_INTO_LANGUAGE, (given, self.language))
        return candidates.among((row[0] for row in rows), negated=self.negated)
