"""One pair of sentences with its links: which tokens are aligned with which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpusdb.alignment.links import Link
from corpusdb.alignment.stored_links import links_from_bytes, tokens_digest
from corpusdb.errors import DatabaseDamaged, InputError
from corpusdb.queries.alignment.alignment_models import StoredModel, ready_model
from corpusdb.queries.alignment.pair_tokens import SentencePair
from corpusdb.queries.alignment.token_cutting import Span, spans_of
from corpusdb.queries.corpus.translations import translations_of
from corpusdb.store import Store
from corpusdb.textsearch.token_corpus import token_spans

__all__ = [
    "LinkedPair",
    "LinkedSentence",
    "LinkedTranslation",
    "Span",
    "decoded_pair",
    "linked_pair",
    "linked_sentence",
    "links_between",
    "read_links",
]


@dataclass(frozen=True, slots=True)
class LinkedPair:
    """A sentence and its translation."""

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
        """The same with the translation as the text."""
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
        for each in translations_of(store, [sentence])[sentence]:
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
