"""Search: the sentences of a language that hold a pattern and fulfil conditions, among them on their translations."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpusdb.cqp import Query, parse
from corpusdb.queries.corpus.sentences import sentences_of
from corpusdb.queries.search.token_index import extended, load_text, load_tokens
from corpusdb.stoppable.limit import Limit
from corpusdb.store import Store
from corpusdb.text import word_count
from corpusdb.textsearch.corpus_text import LanguageText
from corpusdb.textsearch.matcher import Matcher
from corpusdb.textsearch.matches import AllSentences, Matching, PatternMatching, QueryMatching, Span
from corpusdb.textsearch.patterns import Pattern
from corpusdb.textsearch.token_corpus import TokenCorpus

__all__ = ["Aligned", "Hits", "Search", "Searcher"]

Sentences = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A condition on the translations in another language: one of them holds a pattern, or none does."""

    language: str
    pattern: Pattern
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for in the sentences of one language; every condition that is given must hold."""

    language: str
    pattern: Pattern | None = None
    aligned: tuple[Aligned, ...] = ()
    translated: tuple[str, ...] = ()
    """Languages in which the sentence has a direct translation."""
    untranslated: tuple[str, ...] = ()
    """Languages in which it has none."""
    collection: str | None = None
    document: str | None = None
    """A document in a file, or a file, by its name."""
    shortest: int = 0
    """In words; in characters where the script does not delimit words."""
    longest: int | None = None
    paraphrased: bool | None = None
    """Whether paraphrases of it were detected."""


class Hits:
    """The sentences that were found, in the order of their ids."""

    def __init__(self, text: LanguageText, matching: Matching, sentences: Sentences) -> None:
        self.language = text.language
        self.sentences = sentences
        """Their ids, ascending."""
        self._text = text
        self._matching = matching
        self._lines = np.searchsorted(text.sentences, sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    def text(self, place: int) -> str:
        """The sentence at an index of ``sentences``."""
        return self._text.lines[int(self._lines[place])]

    def spans(self, place: int) -> list[Span]:
        """What matched in it, from left to right; none where there was no pattern."""
        return self._matching.spans(int(self._lines[place]))

    def among(self, sentences: Sentences) -> Hits:
        """Those that are among some sentences."""
        kept = self.sentences[np.isin(self.sentences, sentences, assume_unique=True)]
        return Hits(self._text, self._matching, kept)


class Searcher:
    """Search over an open database; it keeps what it has read, and follows the corpus when that grows.

    It belongs to the thread of its store. The first search in a language reads its sentences, eight million characters
    in a fiftieth of a second.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._texts: dict[str, LanguageText] = {}
        self._tokens: dict[str, TokenCorpus] = {}

    def find(self, search: Search, limit: Limit | None = None) -> Hits:
        """The hits of a search, all from one state of the database.

        Raises UsageError for a pattern that makes no sense, QueryError for a CQP query with an error in it, InputError
        for a collection or document that is not there, and TookTooLong and Cancelled as ``limit`` has it. Without one a
        regular expression may still not take more than a second for one sentence.
        """
        limit = limit or Limit()
        with self._store.snapshot():
            text = self.text(search.language)
            query = parse(search.pattern.text) if search.pattern and search.pattern.mode == "cqp" else None
            matching = self._matching(text, query or search.pattern, limit)
            kept = _narrowed(self._store, text, matching.places, search)
            for condition in search.aligned:
                others = self._holding(condition.language, condition.pattern, limit)
                kept = self._aligned(kept, others, negated=condition.negated)
            for aligned in query.aligned if query else ():
                others = self._holding(aligned.language, aligned.query, limit)
                kept = self._aligned(kept, others, negated=aligned.negated)
            for language in search.translated:
                kept = _translated_into(self._store, kept, language)
            for language in search.untranslated:
                kept = _without(kept, _translated_into(self._store, kept, language))
            return Hits(text, matching, kept)

    def text(self, language: str) -> LanguageText:
        """The sentences of a language as they are now."""
        known = self._texts.get(language)
        self._texts[language] = load_text(self._store, language) if known is None else extended(known, self._store)
        return self._texts[language]

    def tokens(self, language: str) -> TokenCorpus:
        """The same sentences as tokens."""
        known = self._tokens.get(language)
        if known is None or len(known.sentences) != len(self.text(language).sentences):
            self._tokens[language] = load_tokens(self._store, language)
        return self._tokens[language]

    def _matching(self, text: LanguageText, pattern: Pattern | Query | None, limit: Limit) -> Matching:
        if pattern is None:
            return AllSentences(text)
        if isinstance(pattern, Pattern) and pattern.mode == "cqp":
            pattern = parse(pattern.text)
        if isinstance(pattern, Pattern):
            return PatternMatching(text, Matcher(pattern), limit)
        return QueryMatching(text, self.tokens(text.language), pattern, limit)

    def _holding(self, language: str, pattern: Pattern | Query, limit: Limit) -> Sentences:
        """The sentences of a language that hold the pattern."""
        text = self.text(language)
        return text.sentences[self._matching(text, pattern, limit).places]

    def _aligned(self, kept: Sentences, others: Sentences, *, negated: bool) -> Sentences:
        """Those of some sentences that have one of the others as a translation, or that have none of them."""
        found = _translating(self._store, kept, others)
        return _without(kept, found) if negated else found


def _without(sentences: Sentences, others: Sentences) -> Sentences:
    return np.setdiff1d(sentences, others, assume_unique=True)


_PARAPHRASED = """
select distinct paraphrase.sentence from paraphrase join sentence on sentence.id = paraphrase.sentence
where sentence.language = ?
"""


def _narrowed(store: Store, text: LanguageText, places: npt.NDArray[np.int64], search: Search) -> Sentences:
    """The ids of the sentences at some places that fulfil the conditions on themselves."""
    if search.shortest > 0 or search.longest is not None:
        longest = search.longest if search.longest is not None else sys.maxsize
        lines = text.lines
        fitting = [search.shortest <= word_count(lines[place]) <= longest for place in places.tolist()]
        places = places[np.array(fitting, dtype=bool)]
    kept = text.sentences[places]
    if search.collection is not None or search.document is not None:
        kept = np.intersect1d(kept, sentences_of(store, search.collection, search.document), assume_unique=True)
    if search.paraphrased is not None:
        rows = store.connection.execute(_PARAPHRASED, (search.language,)).fetchall()
        having = np.array([row[0] for row in rows], dtype=np.int64)
        kept = np.intersect1d(kept, having, assume_unique=True) if search.paraphrased else _without(kept, having)
    return kept


_PARTNERS = """
select given.value, translation.translation
from json_each(?) given join translation on translation.sentence = given.value
"""
_INTO_LANGUAGE = """
select distinct given.value
from json_each(?) given join translation on translation.sentence = given.value
join sentence on sentence.id = translation.translation
where sentence.language = ? order by 1
"""


def _translating(store: Store, sentences: Sentences, others: Sentences) -> Sentences:
    """Those of ``sentences`` that are translations of one of ``others``; the shorter list is looked up."""
    turned = len(others) < len(sentences)
    given, wanted = (others, sentences) if turned else (sentences, others)
    rows = store.connection.execute(_PARTNERS, (json.dumps(given.tolist()),)).fetchall()
    pairs = np.array(rows, dtype=np.int64).reshape(-1, 2)
    pairs = pairs[np.isin(pairs[:, 1], wanted)]
    return np.unique(pairs[:, 1 if turned else 0])


def _translated_into(store: Store, sentences: Sentences, language: str) -> Sentences:
    """Those of some sentences that have a direct translation in a language."""
    rows = store.connection.execute(_INTO_LANGUAGE, (json.dumps(sentences.tolist()), language)).fetchall()
    return np.array([row[0] for row in rows], dtype=np.int64)
