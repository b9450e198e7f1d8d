"""Search: the sentences of a language that hold a pattern and fulfil conditions, among them on their translations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corpusdb.arrays import I64
from corpusdb.cqp import Query, parse
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.search.candidates import Candidates
from corpusdb.queries.search.conditions import Aligned, Condition, Search
from corpusdb.queries.search.request import SearchRequest
from corpusdb.queries.search.token_index import extend_text, load_text, load_tokens
from corpusdb.stoppable.limit import Limit
from corpusdb.store import Store
from corpusdb.textsearch.corpus_text import LanguageText
from corpusdb.textsearch.matcher import Matcher
from corpusdb.textsearch.matches import AllSentences, Matching, PatternMatching, QueryMatching, Span
from corpusdb.textsearch.patterns import Pattern
from corpusdb.textsearch.token_corpus import TokenCorpus

__all__ = ["Hits", "Search", "Searcher", "searches"]


class Hits:
    """The sentences that were found, in the order of their ids."""

    def __init__(self, text: LanguageText, matching: Matching, indexes: I64) -> None:
        self.language = text.language
        self.sentences = text.sentences[indexes]
        """Their ids, ascending."""
        self._text = text
        self._matching = matching
        self._indexes = indexes

    def __len__(self) -> int:
        return len(self.sentences)

    def text(self, place: int) -> str:
        """The sentence at an index of ``sentences``."""
        return self._text.lines[int(self._indexes[place])]

    def spans(self, place: int) -> list[Span]:
        """What matched in it, from left to right; none where there was no pattern."""
        return self._matching.spans(int(self._indexes[place]))

    def among(self, sentences: I64) -> Hits:
        """Those that are among some sentences."""
        return Hits(self._text, self._matching, self._indexes[np.isin(self.sentences, sentences)])


_VERSION = "pragma data_version"


class Searcher:
    """Search over an open database; it keeps what it has read, and reads what is added to the corpus later.

    It belongs to the thread of its store. The first search in a language reads its sentences, eight million characters
    in a fiftieth of a second.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._texts: dict[str, LanguageText] = {}
        self._tokens: dict[str, TokenCorpus] = {}
        self._fulfilling: tuple[Search, int, I64] | None = None
        """The conditions that were given last, the version of the database then, and what fulfilled them."""

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
            candidates = Candidates(
                self._store, text, matching.indexes, lambda language, pattern: self._holding(language, pattern, limit)
            )
            conditions = [*search.conditions, *_alignments(query)]
            for condition in sorted(conditions, key=lambda each: each.asks_translations):
                candidates = condition.narrow(candidates)
            return Hits(text, matching, candidates.indexes)

    def find_while_typing(self, search: Search, limit: Limit | None = None) -> Hits:
        """The same as find, for searches of which only the pattern changes from one to the next.

        It remembers which sentences fulfil the conditions until another connection changes the database.
        """
        if search.pattern is None or not search.conditions:
            return self.find(search, limit)
        conditions = replace(search, pattern=None)
        with self._store.snapshot() as connection:
            version = connection.execute(_VERSION).fetchone()[0]
            if self._fulfilling is None or self._fulfilling[:2] != (conditions, version):
                self._fulfilling = conditions, version, self.find(conditions, limit).sentences
            return self.find(Search(search.language, search.pattern), limit).among(self._fulfilling[2])

    def text(self, language: str) -> LanguageText:
        """The sentences of a language as they are now."""
        known = self._texts.get(language)
        self._texts[language] = load_text(self._store, language) if known is None else extend_text(known, self._store)
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

    def _holding(self, language: str, pattern: Pattern | Query, limit: Limit) -> I64:
        """The ids of the sentences of a language that hold the pattern."""
        text = self.text(language)
        return text.sentences[self._matching(text, pattern, limit).indexes]


def _alignments(query: Query | None) -> list[Condition]:
    """The conditions on translations that a CQP query has at its end."""
    return [Aligned(each.language, each.query, each.negated) for each in (query.aligned if query else ())]


def searches(store: Store, request: SearchRequest) -> list[Search]:
    """The same search for each of the languages that are named, or for each of the corpus.

    Raises UsageError and InputError for options that make no sense.
    """
    return [request.search(language) for language in request.languages or languages_of(store)]
