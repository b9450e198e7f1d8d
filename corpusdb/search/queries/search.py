"""Searches answered: a pattern and conditions in, sentences out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from corpusdb.base.arrays import I64, Bools
from corpusdb.base.errors import QueryError, UsageError
from corpusdb.base.jobs import Limit
from corpusdb.base.text import alike_in, as_typed, has_undelimited_script, nfc
from corpusdb.corpus.queries.attributes import documents_where, require_attribute
from corpusdb.corpus.queries.sentences import check_languages, languages_of, part_of, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.search.matches import (
    LanguageText,
    Matcher,
    Matching,
    PatternMatching,
    Span,
    WordMatching,
)
from corpusdb.search.patterns import Pattern, fold, other_widths
from corpusdb.search.queries.conditions import (
    Candidates,
    Condition,
    HasTranslation,
    InDocuments,
    Search,
    TranslationCondition,
)
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.token_index import cut_some, extend_text, load_text, load_tokens, way_of
from corpusdb.search.query_matches import QueryMatching, WholeMatch

if TYPE_CHECKING:
    from corpusdb.search.cqp_syntax import Query
    from corpusdb.search.token_corpus import DocumentOrder, TokenCorpus


_OCCURRENCES = """
with part as materialized (
    select id, iif(name = '', 0, min(id) over (partition by document, name)) as first from section
)
select occurrence.document, coalesce(part.first, 0), occurrence.line, occurrence.sentence, coalesce(unit.section, 0)
from occurrence
cross join sentence on sentence.id = occurrence.sentence and sentence.language = ?
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join part on part.id = unit.section
order by occurrence.document, occurrence.line
"""
"""A document of which something else is said from line to line, such as the speaker, has several sections of its name;
where they have none they are the file's."""


def document_order(store: Store, corpus: TokenCorpus) -> DocumentOrder:
    """The sentences of a corpus as they stand in files, and in the documents inside of these.

    One follows another where it is the next of its language there. Versions of one unit do not follow each other.
    """
    from corpusdb.search.token_corpus import DocumentOrder

    rows = np.array(store.connection.execute(_OCCURRENCES, (corpus.language,)).fetchall(), dtype=np.int64)
    document, section, line, sentence, own = rows.reshape(-1, 5).T
    places = np.searchsorted(corpus.sentences, sentence)
    follows = np.zeros(len(places), dtype=np.bool_)
    follows[1:] = (np.diff(document) == 0) & (np.diff(section) == 0) & (np.diff(line) > 0)
    return DocumentOrder(places, follows, np.stack([document, own, line], axis=1))


_SAID = "select section.id, value from section, json_each(attributes) where key = ?"


def _beginning(store: Store, order: DocumentOrder, condition: str) -> Bools:
    """For each sentence of an order whether a condition on an attribute holds where it stands, and the one before it in
    its document has not the same value: there a text or turn begins. Without a condition whether a document does."""
    if not condition:
        return ~order.follows
    key = require_attribute(store, re.split("!?=", condition)[0])
    said = dict(store.connection.execute(_SAID, (key,)).fetchall())
    part = part_of(store, None, documents_where(None, (condition,)))
    present, places = np.unique(order.spots[:, :2], axis=0, return_inverse=True)
    holds = [part.languages_at(document, section or None) is not None for document, section in present.tolist()]
    values = np.unique([str(said.get(section, "")) for section in present[:, 1].tolist()], return_inverse=True)[1]
    goes_on = order.follows & (np.diff(values[places.reshape(-1)], prepend=-1) == 0)
    begins: Bools = np.array(holds, dtype=np.bool_)[places.reshape(-1)] & ~goes_on
    return begins


class Hits:
    """The sentences that were found, in the order of their ids."""

    def __init__(
        self,
        text: LanguageText,
        matching: Matching,
        indexes: I64,
        notes: tuple[str, ...] = (),
        *,
        searcher: Searcher,
        by_characters: bool = False,
    ) -> None:
        self.language = text.language
        self.store = searcher.store
        self._searcher = searcher
        self.notes = notes
        """What is to be said of the sentences that were searched: how many have the attributes that were asked for."""
        self.by_characters = by_characters
        """Whether the words that were asked for are characters there, since nothing delimits or annotates words."""
        self.sentences = text.sentences[indexes]
        """Their ids, ascending."""
        self._text = text
        self._matching = matching
        self._indexes = indexes

    def __len__(self) -> int:
        return len(self.sentences)

    def tokens(self) -> TokenCorpus:
        """Those of all sentences of the language, which are read when they are wanted."""
        return self._searcher.tokens(self.language)

    def text(self, place: int) -> str:
        """The sentence at an index of ``sentences``."""
        return self._text.line(int(self._indexes[place]))

    def rows(self) -> Iterator[tuple[int, str, str]]:
        return zip(self.sentences.tolist(), repeat(self.language), self._text.texts(self._indexes), strict=False)

    def spans(self, place: int) -> list[Span]:
        """What matched in it, from left to right; none where there was no pattern."""
        return self._matching.spans(int(self._indexes[place]))

    def wholes(self) -> list[WholeMatch] | None:
        """The matches of a query that asks where sentences stand, as they stand in files; None of another. Of each
        what it has in those sentences that are hits, at an index of ``sentences``."""
        if not (isinstance(self._matching, QueryMatching) and self._matching.is_of_places):
            return None
        places = {index: place for place, index in enumerate(self._indexes.tolist())}
        return [
            [
                [piece._replace(sentence=places[piece.sentence]) for piece in each if piece.sentence in places]
                for each in whole
            ]
            for whole in self._matching.wholes()
        ]

    def target(self, place: int, span: Span) -> Span | None:
        """Where in it the target of a match stands, of a query that has one."""
        index, matching = int(self._indexes[place]), self._matching
        return matching.targets(index).get(span) if isinstance(matching, QueryMatching) else None

    def among(self, sentences: I64) -> Hits:
        kept = self._indexes[np.isin(self.sentences, sentences)]
        own = self._text, self._matching, kept, self.notes
        return Hits(*own, searcher=self._searcher, by_characters=self.by_characters)


_MOST_LANGUAGES = 3
"""A large one takes 40 MB: who goes through all of a corpus shall not have all of them in memory."""


def _forget_oldest(kept: dict[str, Any]) -> None:
    """Leave of what is kept by languages that of those that were used last."""
    while len(kept) > _MOST_LANGUAGES:
        del kept[next(iter(kept))]


_RARE = 50
"""A word is rare that stands in less than one sentence of so many."""


_REBUILT = "select max(id) from run where operation in ('remove', 'repair')"


class Searcher:
    """Search over an open database; it keeps what it has read last, and reads what is added to the corpus later.

    It belongs to the thread of its store.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._texts: dict[str, tuple[object, LanguageText]] = {}
        """As of which rebuilding: of a corpus that has only grown since, no more than the new ones are read."""
        self._searched: set[str] = set()
        """Languages of which words were searched, perhaps in no more sentences than could be hits."""
        self._tokens: dict[str, tuple[object, TokenCorpus]] = {}
        """With the state of the annotations, and the rebuilding, that they were read with."""
        self._fulfilling: tuple[Search, int, I64] | None = None
        """The conditions that were given last, the version of the database then, and what fulfilled them."""

    def find(self, search: Search, limit: Limit | None = None, *, fulfilling: I64 | None = None) -> Hits:
        """The hits of a search, all from one state of the database.

        ``fulfilling`` are the sentences that fulfil its conditions, ascending, where somebody knows them.

        Raises UsageError for a pattern that makes no sense, QueryError for a CQP query with an error in it, InputError
        for a language, collection or document that is not there, and TookTooLong and Cancelled as ``limit`` has it.
        Without one a regular expression may still not take more than a second for one sentence.
        """
        limit = limit or Limit()
        with self.store.snapshot():
            check_languages(self.store, [search.language])
            query = _query(search.pattern)
            text, matching = self._matching(search.language, query or search.pattern, limit)
            conditions = [*search.conditions, *_alignments(query), *_of_places(query)]
            check_languages(self.store, (each for condition in conditions for each in condition.languages))

            def narrowed(indexes: I64) -> Candidates:
                left = Candidates(self.store, text, indexes, partial(self._holding, limit=limit))
                left = left if fulfilling is None else left.among(fulfilling)
                asked = conditions if fulfilling is None else conditions[len(search.conditions) :]
                for condition in sorted(asked, key=lambda each: each.asks_translations):
                    left = condition.narrow(left)
                return left

            candidates = narrowed(matching.indexes)
            found, untranslated = candidates.indexes, _untranslated(candidates, conditions)
            if query is not None and query.cut is not None and isinstance(matching, QueryMatching):
                matching.keep_first(query.cut, found)
                found = matching.indexes
            notes = () if query is None else self._notes(query, text.language)
            if isinstance(matching, QueryMatching):
                notes += _query_readings(query, matching, found)
            elif search.pattern is not None:
                notes += self._readings(search.pattern, text, matching, found, limit)
                notes += self._in_other_widths(search.pattern, text, matching, narrowed, limit)
            asked = [(search.language, search.pattern), *_patterns_in(conditions)]
            cut = [self._cut(*each) for each in asked]
            notes += tuple(dict.fromkeys(told for told, _ in cut if told))
            return Hits(text, matching, found, (*untranslated, *notes), searcher=self, by_characters=cut[0][1])

    def find_while_typing(self, search: Search, limit: Limit | None = None) -> Hits:
        """The same as find, for searches of which only the pattern changes from one to the next.

        It remembers which sentences fulfil the conditions until another connection changes the database.
        """
        query = _query(search.pattern)
        if search.pattern is None or not search.conditions or (query is not None and query.cut is not None):
            return self.find(search, limit)
        conditions = replace(search, pattern=None)
        with self.store.snapshot():
            version = self.store.version
            if self._fulfilling is None or self._fulfilling[:2] != (conditions, version):
                self._fulfilling = conditions, version, self.find(conditions, limit).sentences
            return self.find(search, limit, fulfilling=self._fulfilling[2])

    @property
    def _rebuilt(self) -> object:
        """The last run that made all anew, as after a removal: the numbers may be those of other sentences now."""
        return self.store.connection.execute(_REBUILT).fetchone()[0]

    def text(self, language: str) -> LanguageText:
        """The sentences of a language as they are now."""
        rebuilt, (before, known) = self._rebuilt, self._texts.pop(language, (None, None))
        text = load_text(self.store, language) if known is None or before != rebuilt else extend_text(known, self.store)
        self._texts[language] = rebuilt, text
        _forget_oldest(self._texts)
        return text

    def tokens(self, language: str) -> TokenCorpus:
        from corpusdb.corpus.queries.annotations import annotation_state

        state, known = self._tokens.get(language, (None, None))
        present = annotation_state(self.store.connection), self._rebuilt
        if known is None or state != present or len(known.sentences) != len(self.text(language).sentences):
            known = load_tokens(self.store, language)
        self._tokens.pop(language, None)
        self._tokens[language] = present, known
        _forget_oldest(self._tokens)
        return known

    def _tokens_for(self, text: LanguageText, pattern: Pattern) -> TokenCorpus:
        """Sentences as tokens, among them all that hold what is one or several tokens, for the first search likewise.

        Where it is rare, those that hold it are cut sooner than the tokens of all are read.
        """
        language = text.language
        if not (self._is_annotated or pattern.folding.width or language in self._searched):
            self._searched.add(language)
            held = text.indexes_with_folded(fold(nfc(pattern.text), pattern.folding).strip(), pattern.folding)
            if len(held) * _RARE < len(text.sentences):
                return cut_some(text, held)
        return self.tokens(language)

    @property
    def _is_annotated(self) -> bool:
        """Whether sentences of any language are."""
        from corpusdb.corpus.queries.annotations import annotation_state

        return bool(annotation_state(self.store.connection))

    def _matching(self, language: str, pattern: Pattern | Query | None, limit: Limit) -> tuple[LanguageText, Matching]:
        if not isinstance(pattern, Pattern | None):
            return self._matching_tokens(language, pattern, limit)
        text = self.text(language)
        if pattern is not None and pattern.mode == "word":
            return text, WordMatching(text, self._tokens_for(text, pattern), pattern)
        return text, PatternMatching(text, None if pattern is None else Matcher(pattern), limit)

    def _matching_tokens(self, language: str, query: Query, limit: Limit) -> tuple[LanguageText, Matching]:
        text, tokens = self.text(language), self.tokens(language)
        if query.sentences == 1 and query.begins is None and not query.closes:
            return text, QueryMatching(text, tokens, query, limit)
        order = document_order(self.store, tokens)
        begins = None if query.begins is None else _beginning(self.store, order, query.begins)
        return text, QueryMatching(text, tokens, query, limit, order, begins)

    def _readings(
        self, pattern: Pattern, text: LanguageText, matching: Matching, hits: I64, limit: Limit
    ) -> tuple[str, ...]:
        """What a pattern would find if it were read otherwise, where that is something else."""
        notes = []
        if isinstance(matching, WordMatching) and (told := letters_remark(matching, text.language, pattern.text)):
            notes.append(told)
        if others := self._only_alike(pattern, text, hits, limit):
            notes.append(f"{_OTHER_CHARACTERS}: {others:,}; -s finds what is typed")
        return tuple(notes)

    def _in_other_widths(
        self,
        pattern: Pattern,
        text: LanguageText,
        matching: Matching,
        narrowed: Callable[[I64], Candidates],
        limit: Limit,
    ) -> tuple[str, ...]:
        """How many more sentences hold a string or words in another width, and fulfil the conditions."""
        readings = [] if pattern.mode == "regex" or pattern.folding.width else other_widths(pattern.text)
        widths = [each for each in readings if each.encode() in text.encoded]
        wide = [self._matching(text.language, replace(pattern, text=other), limit)[1].indexes for other in widths]
        others = np.setdiff1d(np.concatenate(wide), matching.indexes) if wide else ()
        if not len(others) or not (count := len(narrowed(np.asarray(others)).indexes)):
            return ()
        return (f"more sentences in another width: {count:,}; --ignore-width finds them, too",)

    def _only_alike(self, pattern: Pattern, text: LanguageText, hits: I64, limit: Limit) -> int:
        """How many hits hold a pattern only if what looks like its spaces, apostrophes and hyphens is one with them."""
        alike = pattern.folding.alike
        if alike is None:
            return 0
        is_typed = as_typed(pattern.text, alike) == pattern.text
        if is_typed:  # only those need a second look that have such characters
            lines = zip(hits.tolist(), text.texts(hits), strict=True)
            odd = [at for at, line in lines if not line.isascii() and as_typed(line, alike) != line]
            hits = np.array(odd, np.int64)
        if not len(hits):
            return 0
        typed = replace(pattern, folding=replace(pattern.folding, alike=None))
        joined = "".join(f"{line}\n" for line in text.texts(hits))
        part = LanguageText(text.language, text.sentences[hits], joined.encode())
        if pattern.mode == "word":
            tokens = self.tokens(text.language).restricted_to(part.sentences)
            return len(hits) - len(WordMatching(part, tokens, typed).indexes)
        return len(hits) - len(Matcher(typed).indexes(part, limit))

    def _notes(self, query: Query, language: str) -> tuple[str, ...]:
        """What is to be said of the sentences that a query, and those on translations in it, was put to."""
        from corpusdb.search.queries.annotated_corpus import coverage

        asked = [(language, query), *((each.language, each.query) for each in query.aligned)]
        notes: list[str] = []
        for code, part in asked:
            told = way_of(self.store, code)
            notes += [told] if told else []
            notes += [str(each) for each in coverage(part, self.tokens(code)) if not each.is_complete]
        return tuple(dict.fromkeys(notes))

    def _cut(self, language: str, pattern: Pattern | None) -> tuple[str | None, bool]:
        """How sentences are cut in which words are asked for, where that is to be said; and if it is by characters."""
        if pattern is None or pattern.mode != "word":
            return None, False
        annotated = self.tokens(language).annotated if self._is_annotated else None
        is_cut = annotated is not None and bool(annotated.sentences.any())
        by_characters = has_undelimited_script(pattern.text) and not is_cut
        told = f"{language} is searched by characters: nothing in it delimits words" if by_characters else None
        return way_of(self.store, language) or told, by_characters

    def _holding(self, language: str, pattern: Pattern | Query, limit: Limit) -> I64:
        query = _query(pattern) if isinstance(pattern, Pattern) else pattern
        text, matching = self._matching(language, query or pattern, limit)
        found = text.sentences[matching.indexes]
        for condition in _of_places(query):
            found = np.intersect1d(found, sentences_of(self.store, condition.collection, condition.document))
        return found


_OTHER_CHARACTERS = "of these only with other spaces, apostrophes or hyphens"


def letters_remark(matching: WordMatching, language: str, text: str) -> str | None:
    """That regular expressions find another number of sentences with a word, where they do."""
    if matching.by_letters in (None, len(matching.indexes)):
        return None
    from corpusdb.search.token_corpus import tokenise

    tokens = tokenise(matching.cut_otherwise)
    parts = "one" if len(tokens) == 1 else " and ".join(tokens)
    cut = f" ({matching.cut_otherwise} is {parts})" if tokens else ""
    return (
        f"a word is a token{cut}: {language} has {len(matching.indexes):,}; by letters alone, as "
        f"`search --regex '\\b{text}\\b'` counts, {matching.by_letters:,}"
    )


def _query_readings(query: Query | None, matching: QueryMatching, hits: I64) -> tuple[str, ...]:
    from corpusdb.search.cqp_syntax import word_tests_of

    words = "".join(each.pattern.text for each in word_tests_of(query) if not each.pattern.literal) if query else ""
    notes: tuple[str, ...] = ()
    if "-" not in words and (count := _number_among(matching.only_over_hyphens(), hits)):
        verb = "matches" if count == 1 else "match"
        notes += (f'of these, {count:,} {verb} only across a hyphen; [word != "-"] instead of [] leaves them out',)
    if (alike := alike_in(words)) and (count := _number_among(matching.only_alike(alike), hits)):
        notes += (f"{_OTHER_CHARACTERS}: {count:,}; %l finds what is typed",)
    return notes


def _number_among(indexes: I64, hits: I64) -> int:
    return int(np.count_nonzero(np.isin(indexes, hits)))


def _query(pattern: Pattern | None) -> Query | None:
    if pattern is None or pattern.mode != "cqp":
        return None
    from corpusdb.search.cqp_parser import parse

    return parse(pattern.text)


def _alignments(query: Query | None) -> list[Condition]:
    return [TranslationCondition(each.language, each.query, each.negated) for each in (query.aligned if query else ())]


def _of_places(query: Query | None) -> list[InDocuments]:
    return [InDocuments(None, documents_where(None, query.places))] if query and query.places else []


def _patterns_in(conditions: Sequence[Condition]) -> list[tuple[str, Pattern]]:
    """What is asked of translations as a string, words or a regular expression, with their languages."""
    asked = [each for each in conditions if isinstance(each, TranslationCondition)]
    return [(each.language, each.pattern) for each in asked if isinstance(each.pattern, Pattern)]


def _untranslated(candidates: Candidates, conditions: Sequence[Condition]) -> tuple[str, ...]:
    """How many of the hits have no translation in which something was not to stand."""
    asked = [each.language for each in conditions if isinstance(each, TranslationCondition) and each.negated]
    told = []
    for language in dict.fromkeys(asked):
        count = len(HasTranslation(language, negated=True).narrow(candidates).indexes)
        if count:
            told.append(
                f"of these without any {language} translation: {count:,}; --translated {language} leaves them out"
            )
    return tuple(told)


def searches(store: Store, request: SearchRequest) -> list[Search]:
    """The same search for each of the languages that are named, or for each of the corpus.

    Raises UsageError and InputError for options that make no sense, and for languages that the corpus does not have.
    """
    check_languages(store, [*request.languages, *request.shown_languages])
    return [request.search(language) for language in request.languages or languages_of(store)]


def language_of_hits(searcher: Searcher, request: SearchRequest, other: str) -> str:
    """The one language in which a search finds sentences that have translations into another.

    Raises UsageError where there are none or several, and QueryError for a query that is of no language.
    """
    found, refused = [], list[QueryError]()
    asked = [language for language in languages_of(searcher.store) if language != other]
    for language in asked:
        try:
            if len(searcher.find(replace(request, translated=other).search(language))):
                found.append(language)
        except QueryError as error:  # it asks for what only other languages are annotated with
            refused.append(error)
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{request.pattern!r} occurs in {', '.join(found)}; say which with --lang")
    if refused:
        raise refused[0]
    raise UsageError(f"{request.pattern!r} is in no sentence of {' or '.join(asked)} with a translation into {other}")
