"""The pairs of sentences of two languages that translate each other, their tokens and their links."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from corpusdb.alignment.bitext import NumberedTexts, WordedTexts
from corpusdb.alignment.links import Link, links_from_bytes, tokens_digest
from corpusdb.alignment.queries.models import UNITS, Span, StoredModel, cut_of, ready_model, spans_of
from corpusdb.base.arrays import I64
from corpusdb.base.errors import DatabaseDamaged, InputError
from corpusdb.base.text import are_undelimited
from corpusdb.corpus.queries.sentences import translations_of_sentence
from corpusdb.corpus.store import Store
from corpusdb.search.token_corpus import Tokeniser, token_spans


_UNITS: Mapping[str, str] = {}


class SentencePair(NamedTuple):
    sentence: int
    """In the source language."""
    translation: int


_PAIRS = """
select distinct there.sentence, there.translation
from sentence own not indexed
cross join translation there on there.sentence = own.id
cross join sentence other on other.id = there.translation and other.language = :target
where own.language = :source order by 1, 2
"""
_TO_ALIGN = f"""
select pair.sentence, pair.translation from ({_PAIRS}) pair
where not exists (
    select 1 from alignment
    where alignment.model = :model and alignment.sentence = pair.sentence and alignment.translation = pair.translation)
"""


def pairs_of(store: Store, source: str, target: str) -> list[SentencePair]:
    """All pairs of two languages, each once, ascending."""
    rows = store.connection.execute(_PAIRS, {"source": source, "target": target})
    return list(map(SentencePair._make, rows))


def pairs_to_align(store: Store, source: str, target: str, model: int) -> list[SentencePair]:
    """Those of these that a model has not aligned yet."""
    rows = store.connection.execute(_TO_ALIGN, {"source": source, "target": target, "model": model})
    return list(map(SentencePair._make, rows))


_TEXTS = """
select sentence.text, sentence.language from json_each(?) wanted
cross join sentence on sentence.id = wanted.value
"""


class SentenceTokens:
    """The tokens of sentences, each cut once; what stands between two spaces is cut once for all sentences."""

    def __init__(self, connection: sqlite3.Connection, ways: Mapping[str, str] = _UNITS) -> None:
        """``ways`` of cutting by language (see token_cutting); units for others.

        Raises UsageError where an analyser is not installed, and InputError where another version of it is.
        """
        self._connection = connection
        self._cuts = {language: cut_of(way) for language, way in ways.items() if way != UNITS}
        self._numbers: dict[str, int] = {}
        self._tokeniser = Tokeniser(self._numbers)
        self._types: list[str] = []
        self._kept = np.zeros(0, dtype=np.int64)
        """The numbers of the sentences whose tokens are kept, ascending."""
        self._kept_texts = NumberedTexts(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))

    def of(self, sentences: Sequence[int]) -> list[list[str]]:
        """The tokens of these sentences, in their order; a sentence may stand there more than once."""
        found = self.numbered(sentences)
        words, ends = list(map(found.words.__getitem__, found.texts.words.tolist())), found.texts.starts.tolist()
        return [words[begin:end] for begin, end in pairwise(ends)]

    def keep(self, sentences: Iterable[int]) -> None:
        """Read these sentences now, unless they are kept, and keep their tokens for later calls: four bytes each."""
        wanted = np.unique(np.fromiter(sentences, dtype=np.int64))
        if self._places(wanted) is None:
            self._kept, self._kept_texts = wanted, self._read(wanted)

    def numbered(self, sentences: Sequence[int]) -> WordedTexts:
        """The same as ``of`` gives; the words are those of all sentences that were read so far."""
        wanted, order = np.unique(np.array(sentences, dtype=np.int64), return_inverse=True)
        places = self._places(wanted)
        texts = self._read(wanted).reordered(order) if places is None else self._kept_texts.reordered(places[order])
        return WordedTexts(texts, self._types)

    def _places(self, sentences: I64) -> I64 | None:
        """Where these stand among those that are kept; None where not all do."""
        places = np.searchsorted(self._kept, sentences)
        is_kept = places < len(self._kept)
        is_kept[is_kept] = self._kept[places[is_kept]] == sentences[is_kept]
        return places if is_kept.all() else None

    def _read(self, sentences: I64) -> NumberedTexts:
        rows = self._connection.execute(_TEXTS, (json.dumps(sentences.tolist()),)).fetchall()
        cuts = (self._cuts.get(language) for _, language in rows)
        lengths, tokens = self._tokeniser.types_of((text for text, _ in rows), cuts)
        self._types += islice(self._numbers, len(self._types), None)
        return NumberedTexts(tokens, lengths.astype(np.int64))


_SOME = "select text from sentence where language = ? order by id limit 20"


def shown_tokens(store: Store, language: str, way: str) -> str:
    """What the tokens of a language are, in words."""
    if way != UNITS:
        return f"morphemes by {way}"
    texts = (row[0] for row in store.connection.execute(_SOME, (language,)))
    return "characters" if are_undelimited(texts) else "words"


# One pair of sentences with its links: which tokens are aligned with which.


@dataclass(frozen=True, slots=True)
class LinkedPair:
    text: str
    translation: str
    spans: tuple[Span, ...]
    """Where each token stands in the text."""
    translation_spans: tuple[Span, ...]
    links: tuple[Link, ...]
    """Token of the text, token of the translation, from 0, ascending."""
    marks: tuple[Span, ...] = ()
    """What is to be shown in the text: the phrase that was asked for."""
    translation_marks: tuple[Span, ...] = ()

    def turned(self) -> LinkedPair:
        links = tuple(sorted((theirs, own) for own, theirs in self.links))
        spans, marks = (self.translation_spans, self.spans), (self.translation_marks, self.marks)
        return LinkedPair(self.translation, self.text, *spans, links, *marks)

    def aligned_with(self, token: int) -> tuple[int, ...]:
        """The tokens of the translation that a token of the text is linked with; empty: with nothing."""
        return tuple(theirs for own, theirs in self.links if own == token)

    def marked(self, phrase: str, translation: str) -> LinkedPair:
        """With the first place marked at which these two phrases, as they are stored, are linked with each other."""
        for own in _places(self.text, self.spans, phrase):
            for theirs in _places(self.translation, self.translation_spans, translation):
                if any(one in own and other in theirs for one, other in self.links):
                    marks = (self.spans[own[0]][0], self.spans[own[-1]][1])
                    other = (self.translation_spans[theirs[0]][0], self.translation_spans[theirs[-1]][1])
                    return replace(self, marks=(marks,), translation_marks=(other,))
        return self


@dataclass(frozen=True, slots=True)
class LinkedTranslation:
    """A translation of a sentence, and what in it is aligned with what."""

    language: str
    text: str
    pair: LinkedPair | None
    """The sentence and this translation; None where no links are stored, or none that can be used."""
    reason: str = ""
    """Why there are none, and what makes them."""

    def aligned_with(self, span: Span) -> tuple[Span, ...] | None:
        """What is linked with the tokens in a stretch of the sentence, in order; empty: nothing; None: no links."""
        if self.pair is None:
            return None
        spans = enumerate(self.pair.spans)
        tokens = [token for token, (begin, end) in spans if begin < span[1] and end > span[0]]
        found = sorted({theirs for token in tokens for theirs in self.pair.aligned_with(token)})
        return tuple(self.pair.translation_spans[theirs] for theirs in found)


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A sentence with all its direct translations."""

    sentence: int
    language: str
    text: str
    words: tuple[Span, ...]
    """Where its tokens with a letter or a digit stand; all of its tokens where none has one."""
    translations: tuple[LinkedTranslation, ...]
    """By language, then by age."""


def _places(text: str, spans: Sequence[Span], phrase: str) -> Iterator[range]:
    tokens, wanted = [text[begin:end].lower() for begin, end in spans], phrase.split(" ")
    for first in range(len(tokens) - len(wanted) + 1):
        if tokens[first : first + len(wanted)] == wanted:
            yield range(first, first + len(wanted))


_PAIR = """
select own.text, other.text, alignment.links, alignment.tokens_digest from sentence own, sentence other
left join alignment on alignment.model = :model and alignment.sentence = own.id and alignment.translation = other.id
where own.id = :sentence and other.id = :translation
"""


def linked_pair(store: Store, model: StoredModel, pair: SentencePair) -> LinkedPair:
    """A pair that a model aligned, the source language first.

    Raises DatabaseDamaged where its links cannot be used; UsageError where the analyser that found its tokens is not
    installed, and InputError where another version of it is.
    """
    found = _found(store, model, pair)
    if found is None:
        raise DatabaseDamaged(f"{_named(model, pair)}: the pair has no links; `corpusdb check --repair` makes them")
    return found


def links_between(store: Store, one: int, other: int) -> LinkedPair | None:
    """Two sentences that translate each other with their links, in the order given; None where they have none.

    Raises as linked_pair does.
    """
    languages = dict(store.connection.execute(_LANGUAGES, (one, other)).fetchall())
    if len({*languages.values()}) < 2:
        return None
    source, target = sorted((one, other), key=languages.__getitem__)
    model = ready_model(store, languages[source], languages[target])
    found = model and _found(store, model, SentencePair(source, target))
    return found.turned() if found and source == other else found or None


def _without_links(store: Store, language: str, other: str) -> str:
    """Why a pair of sentences of two languages has no links."""
    source, target = sorted((language, other))
    command = f"corpusdb align --lang {source},{target}"
    model = ready_model(store, source, target)
    if model is not None and model.is_imported:
        return f"not among the links that were imported; `{command} --retrain` links all"
    return f"no links are stored; `{command}` makes them"


_LANGUAGES = "select id, language from sentence where id in (?, ?)"
_SENTENCE = "select language, text from sentence where id = ?"


def linked_sentence(store: Store, sentence: int) -> LinkedSentence:
    """A sentence and its translations with their links. Raises InputError where there is no such sentence."""
    with store.snapshot() as connection:
        row = connection.execute(_SENTENCE, (sentence,)).fetchone()
        if row is None:
            raise InputError(f"there is no sentence {sentence}")
        language, text = row
        translations = []
        for each in translations_of_sentence(store, [sentence])[sentence]:
            pair, reason = None, ""
            try:
                pair = links_between(store, sentence, each.sentence)
            except DatabaseDamaged as error:
                reason = str(error)
            if pair is None and not reason:
                reason = _without_links(store, language, each.language)
            translations.append(LinkedTranslation(each.language, each.text, pair, reason))
    tokens = next((each.pair.spans for each in translations if each.pair), tuple(token_spans(text)))
    words = tuple(span for span in tokens if any(map(str.isalnum, text[slice(*span)])))
    return LinkedSentence(sentence, language, text, words or tokens, tuple(translations))


def _found(store: Store, model: StoredModel, pair: SentencePair) -> LinkedPair | None:
    bound = {"model": model.id, "sentence": pair.sentence, "translation": pair.translation}
    row = store.connection.execute(_PAIR, bound).fetchone()
    if row is None or row[2] is None:
        return None
    return decoded_pair(model, pair, *row)


def decoded_pair(
    model: StoredModel, pair: SentencePair, text: str, translation: str, links: bytes, digest: bytes
) -> LinkedPair:
    """A pair with what is stored of its links. Raises DatabaseDamaged where that cannot be used."""
    spans, translation_spans = (spans_of(way)(each) for way, each in zip(model.ways, (text, translation), strict=True))
    try:
        read = read_links(_tokens(text, spans), _tokens(translation, translation_spans), links, digest)
    except InputError as error:
        raise DatabaseDamaged(f"{_named(model, pair)}: {error}") from error
    return LinkedPair(text, translation, tuple(spans), tuple(translation_spans), tuple(read))


def _tokens(text: str, spans: Sequence[Span]) -> list[str]:
    return [text[begin:end] for begin, end in spans]


def _named(model: StoredModel, pair: SentencePair) -> str:
    return f"alignment of sentences {pair.sentence} and {pair.translation} ({model.languages})"


def read_links(source: Sequence[str], target: Sequence[str], links: bytes, digest: bytes) -> list[Link]:
    """The stored links between these tokens. Raises InputError for damaged ones, and for those of other tokens."""
    if tokens_digest(source, target) != digest:
        raise InputError("the stored links are those of other tokens")
    return links_from_bytes(links, len(source), len(target))
