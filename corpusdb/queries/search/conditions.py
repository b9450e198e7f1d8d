"""What is searched for: a pattern, and the conditions that a sentence must fulfil besides, each with how it narrows.

The command line reads the fields of a search request when it starts, so that nothing heavy is imported here before a
search is run.
"""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from corpusdb.text import word_count
from corpusdb.textsearch.patterns import Pattern

if TYPE_CHECKING:
    from corpusdb.cqp import Query
    from corpusdb.queries.search.candidates import Candidates

__all__ = ["Aligned", "Condition", "InDocuments", "Length", "Paraphrased", "Search", "Translated"]


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
    """A length in words; in characters where the script does not delimit words."""

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
        from corpusdb.queries.corpus.sentences import sentences_of

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
        sentences = [row[0] for row in rows]
        return candidates.without(sentences) if self.negated else candidates.among(sentences)


@dataclass(frozen=True, slots=True)
class Aligned(Condition):
    """One of the translations in another language holds a pattern, or none does."""

    language: str
    pattern: Pattern | Query
    negated: bool = False
    asks_translations: ClassVar[bool] = True

    @property
    def languages(self) -> tuple[str, ...]:
        return (self.language,)

    def narrow(self, candidates: Candidates) -> Candidates:
        others = candidates.holding(self.language, self.pattern)
        sentences = candidates.translations_of(others)
        return candidates.without(sentences) if self.negated else candidates.among(sentences)


_INTO_LANGUAGE = """
select distinct given.value
from json_each(?) given join translation on translation.sentence = given.value
join sentence on sentence.id = translation.translation
where sentence.language = ?
"""


@dataclass(frozen=True, slots=True)
class Translated(Condition):
    """The sentence has a direct translation into a language, or none."""

    language: str
    negated: bool = False
    asks_translations: ClassVar[bool] = True

    @property
    def languages(self) -> tuple[str, ...]:
        return (self.language,)

    def narrow(self, candidates: Candidates) -> Candidates:
        given = json.dumps(candidates.sentences.tolist())
        sentences = [row[0] for row in candidates.store.connection.execute(_INTO_LANGUAGE, (given, self.language))]
        return candidates.without(sentences) if self.negated else candidates.among(sentences)
