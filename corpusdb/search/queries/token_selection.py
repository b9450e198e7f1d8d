"""Which tokens of the corpus are counted: of what language and documents, and what makes two of them the same.

However often a sentence stands in the corpus, or in the part of it that is looked at, its tokens count once.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from corpusdb.base.arrays import I32, I64, Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.regular_expressions import Regex
from corpusdb.base.text import alike_in, as_typed, look_alike_pattern, nfc
from corpusdb.corpus.queries.annotations import AnnotatedSentences, attribute_names, read_annotations, read_column
from corpusdb.corpus.queries.sentences import check_languages, languages_of, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.search.cqp_parser import parse
from corpusdb.search.cqp_plan import no_attribute
from corpusdb.search.cqp_syntax import WORD, Attribute, Query, attributes_of
from corpusdb.search.queries.token_index import load_tokens
from corpusdb.search.token_corpus import Annotated, Attributes, Overlay, TokenCorpus


@dataclass(frozen=True, slots=True)
class TokenSelection:
    """Some tokens of a language."""

    language: str
    collection: str | None = None
    """Only sentences of this collection."""
    document: str | None = None
    """Only sentences of this document, or file, by its name."""
    fold_case: bool = False
    """Tokens that differ in case only are the same; they are shown in lower case."""
    words_only: bool = False
    """Only tokens with a letter or digit; punctuation marks are as if they were not there."""
    attribute: str = WORD
    """What is counted of a token, such as its lemma; only in sentences where it is known of a token."""
    having: tuple[str, ...] = ()
    """Further attributes: only sentences where each of them is known of a token, too."""


def require_language(store: Store, given: str | None) -> str:
    """The ISO 639-3 code that was given, or that of the only language that the corpus has.

    Raises UsageError where none was given and there are several, and InputError where there are no such sentences.
    """
    present = languages_of(store)
    if given is None and len(present) > 1:
        raise UsageError(f"give a language with --lang; there are {', '.join(present)}")
    if given is None and not present:
        raise InputError("the corpus is empty; `corpusdb import` fills it", path=store.path)
    language = present[0] if given is None else given
    check_languages(store, [language])
    return language


def select_tokens(store: Store, selection: TokenSelection) -> TokenCorpus:
    """The tokens that are counted, sentence after sentence. Raises InputError for a name that is not there.

    The type "" is of tokens of which the attribute is not known.
    """
    corpus, is_word = select_all_tokens(store, selection)
    return corpus if is_word is None else _only(corpus, is_word)


def select_all_tokens(store: Store, selection: TokenSelection) -> tuple[TokenCorpus, Bools | None]:
    """The tokens of the chosen sentences, and which of them are counted where not all are: ``words_only``.

    Raises InputError as select_tokens does.
    """
    return _selected(store, load_tokens(store, selection.language), selection)[:2]


def select_tokens_of(store: Store, selection: TokenSelection) -> tuple[TokenCorpus, TokenCorpus, I64]:
    """The tokens that are counted, as select_tokens has them; all of the language; and of each of these, and of the end
    behind the last, before how many of the counted it stands.

    Raises InputError as select_tokens does.
    """
    words = load_tokens(store, selection.language)
    corpus, are_words, chosen = _selected(store, words, selection)
    counted = np.repeat(chosen, words.lengths)
    if are_words is not None:
        counted[counted] = are_words
        corpus = _only(corpus, are_words)
    return corpus, words, np.concatenate(([0], np.cumsum(counted)))


def _selected(store: Store, words: TokenCorpus, selection: TokenSelection) -> tuple[TokenCorpus, Bools | None, Bools]:
    """As select_all_tokens, and which sentences of all are chosen."""
    are_words = _are_words(words) if selection.words_only else None
    corpus = by_attribute(words, selection.attribute)
    chosen = np.ones(len(corpus.sentences), dtype=np.bool_)
    for name in {selection.attribute, *selection.having} - {WORD}:
        chosen &= _having(words, name)
    if selection.collection is not None or selection.document is not None:
        chosen &= np.isin(corpus.sentences, sentences_of(store, selection.collection, selection.document))
    if not chosen.all():
        are_words = None if are_words is None else are_words[np.repeat(chosen, corpus.lengths)]
        corpus = corpus.restricted_to(corpus.sentences[chosen])
    return without_case(corpus) if selection.fold_case else corpus, are_words, chosen


def _having(words: TokenCorpus, name: str) -> Bools:
    """For each sentence whether an attribute is known of one of its tokens. Raises InputError where it is not there."""
    known = by_attribute(words, name).tokens != 0
    return np.asarray(np.bincount(words.stream.sentences[known], minlength=len(words.sentences)) > 0)


def coverages(store: Store, selection: TokenSelection, query: str | None = None) -> list[AnnotationCoverage]:
    """How many of the chosen sentences have what is counted, and what a CQP query asks for; none of words.

    Raises InputError for an attribute that is not there, and QueryError.
    """
    names = [selection.attribute, *(() if query is None else attributes_of(parse(query)))]
    return [_coverage(store, selection, name) for name in dict.fromkeys(names) if name != WORD]


def _coverage(store: Store, selection: TokenSelection, name: str) -> AnnotationCoverage:
    words = load_tokens(store, selection.language)
    having = _having(words, name)
    found = of_attribute(words, name)
    if selection.collection is None and selection.document is None:
        return found
    chosen = np.isin(words.sentences, sentences_of(store, selection.collection, selection.document))
    return replace(found, sentences=int(np.count_nonzero(having & chosen)), total=int(np.count_nonzero(chosen)))


def is_word(token: str) -> bool:
    """Whether a token has a letter or digit, of any script."""
    return token.isalnum() or any(unicodedata.category(char)[0] in "LN" for char in token)


@dataclass(frozen=True, slots=True)
class WordRegex:
    """A regular expression for words."""

    regex: Regex
    """To be put to words as ``seen`` gives them."""
    alike: str
    """Those keys of text.LOOK_ALIKES that stand for what looks like them."""

    def seen(self, texts: Sequence[str]) -> Sequence[str]:
        """Some texts with the spaces, apostrophes and hyphens of the expression for all that looks like them."""
        return [as_typed(text, self.alike) for text in texts] if self.alike else texts


def compile_pattern(pattern: str, *, ignore_case: bool) -> WordRegex:
    """A regular expression for words, in NFC as these are. Raises UsageError with the position of an error in it."""
    pattern = nfc(pattern)
    pattern, alike = look_alike_pattern(pattern, alike_in(pattern))
    try:
        return WordRegex(Regex(pattern, re.IGNORECASE if ignore_case else 0), alike)
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        raise UsageError(f"{pattern!r} is no regular expression{place}: {error.msg}") from error
    except (RecursionError, OverflowError) as error:
        raise UsageError(f"{pattern[:40]!r}... is too large a regular expression") from error


def without_case(corpus: TokenCorpus) -> TokenCorpus:
    """The same tokens with one type for all that differ in case only, written in lower case."""
    numbers: dict[str, int] = {}
    folded = [numbers.setdefault(text.lower(), len(numbers)) for text in corpus.types]
    tokens = np.array(folded, dtype=np.int32)[corpus.tokens]
    return TokenCorpus(corpus.language, corpus.sentences, corpus.lengths, tokens, list(numbers))


def _are_words(corpus: TokenCorpus) -> Bools:
    return np.fromiter(map(is_word, corpus.types), dtype=np.bool_, count=len(corpus.types))[corpus.tokens]


def _only(corpus: TokenCorpus, wanted: Bools) -> TokenCorpus:
    before = np.concatenate(([0], np.cumsum(wanted)))
    lengths = np.diff(before[corpus.ends], prepend=0).astype(np.int32)
    return TokenCorpus(corpus.language, corpus.sentences, lengths, corpus.tokens[wanted], corpus.types)


# The tokens of a language with what is known of them: annotated sentences are cut as their annotation has them.


def with_annotations(store: Store, corpus: TokenCorpus) -> TokenCorpus:
    """All sentences of a language, of which some are cut as their annotation has them.

    Inside a snapshot of the caller; attributes that are read later belong to the same state of the database, or
    ``annotation_state`` has changed. Raises DatabaseDamaged.
    """
    names = attribute_names(store.connection)
    if not names:
        return corpus
    source = _Source(store.connection, corpus)
    own = attribute_names(store.connection, corpus.language)
    overlay = source.overlay
    attributes = Attributes(own, source.attribute, overlay.size, names)
    if not source.parts:
        nowhere = np.full(len(corpus.tokens), -1, dtype=np.int32)
        return replace(corpus, annotated=Annotated(nowhere, nowhere, overlay.sentences, attributes))
    begins, ends = (overlay.known(source.joined(name), -1) for name in ("begins", "ends"))
    words, forms = source.column(WORD)
    known = {text: number for number, text in enumerate(corpus.types)}
    numbers = np.array([known.setdefault(word, len(known)) for word in words[1:]], dtype=np.int32)
    tokens = overlay.tokens(corpus.tokens, np.concatenate([np.zeros(1, dtype=np.int32), numbers])[forms])
    annotated = Annotated(begins, ends, overlay.sentences, attributes)
    return TokenCorpus(corpus.language, corpus.sentences, overlay.lengths, tokens, list(known), annotated)


class _Source:
    """The annotations that are used: of each sentence one."""

    def __init__(self, connection: sqlite3.Connection, corpus: TokenCorpus) -> None:
        self._connection = connection
        self._language = corpus.language
        self.parts = list(read_annotations(connection, corpus.language))
        sentences = np.concatenate([np.zeros(0, dtype=np.int64), *(part.sentences for part in self.parts)])
        lengths = np.concatenate([np.zeros(0, dtype=np.int32), *(part.lengths for part in self.parts)])
        chosen = _last_of_each(sentences)
        # A sentence may have been stored since the corpus was read.
        chosen &= np.isin(sentences, corpus.sentences)
        self._tokens = None if chosen.all() else np.repeat(chosen, lengths)
        places = np.searchsorted(corpus.sentences, sentences[chosen])
        self.overlay = Overlay(places, lengths[chosen], corpus.lengths)

    def joined(self, name: str) -> I32:
        """One of the arrays of tokens, of all parts."""
        return self._chosen(np.concatenate([getattr(part, name) for part in self.parts]))

    def column(self, name: str) -> tuple[list[str], I32]:
        """The vocabulary of an attribute, of which the first is "", and the value of each token that is used."""
        numbers = {"": 0}
        values = [self._values(part, name, numbers) for part in self.parts]
        return list(numbers), self._chosen(np.concatenate([np.zeros(0, dtype=np.int32), *values]))

    def attribute(self, name: str) -> Attribute:
        vocabulary, tokens = self.column(name)
        return Attribute(vocabulary, self.overlay.known(tokens, 0))

    def _chosen(self, tokens: I32) -> I32:
        return tokens if self._tokens is None else tokens[self._tokens]

    def _values(self, part: AnnotatedSentences, name: str, numbers: dict[str, int]) -> I32:
        found = read_column(self._connection, part.segment, name, self._language)
        if found is None:
            return np.zeros(len(part.begins), dtype=np.int32)
        vocabulary, tokens = found
        new = np.array([numbers.setdefault(value, len(numbers)) for value in vocabulary], dtype=np.int32)
        return new[tokens]


def _last_of_each(sentences: I64) -> Bools:
    """For each place whether the same sentence does not come again."""
    is_last = np.zeros(len(sentences), dtype=np.bool_)
    _, first = np.unique(sentences[::-1], return_index=True)
    is_last[len(sentences) - 1 - first] = True
    return is_last


@dataclass(frozen=True, slots=True)
class AnnotationCoverage:
    """How many sentences of a language have an attribute, or each of several."""

    language: str
    attribute: str
    """Its name; several have "and" between them."""
    sentences: int
    """How many have a value of it."""
    total: int

    @property
    def is_complete(self) -> bool:
        return self.sentences == self.total

    def __str__(self) -> str:
        return f"{self.sentences:,} of {self.total:,} {self.language} sentences have {self.attribute}"


def coverage(query: Query, corpus: TokenCorpus) -> list[AnnotationCoverage]:
    """How many sentences have the attributes that a query asks for, besides the word; those of one number together."""
    found: dict[int, list[AnnotationCoverage]] = {}
    for name in attributes_of(query):
        if name != WORD:
            each = of_attribute(corpus, name)
            found.setdefault(each.sentences, []).append(each)
    return [
        replace(same[0], attribute=" and ".join(dict.fromkeys(each.attribute for each in same)))
        for same in found.values()
    ]


def by_attribute(corpus: TokenCorpus, name: str) -> TokenCorpus:
    """The same tokens with the values of an attribute for types, of which the first is "": not known.

    Raises InputError where no language has the attribute, and where this one does not, with those that there are.
    """
    if name == WORD:
        return corpus
    attributes = {} if corpus.annotated is None else corpus.annotated.attributes
    if name not in attributes:
        raise InputError(no_attribute(name, [*attributes]))
    found = attributes[name]
    return TokenCorpus(corpus.language, corpus.sentences, corpus.lengths, found.tokens, found.types)


def of_attribute(corpus: TokenCorpus, name: str) -> AnnotationCoverage:
    """How many sentences have an attribute. Raises KeyError where no language has it."""
    attributes = None if corpus.annotated is None else corpus.annotated.attributes
    counted = {} if attributes is None else attributes.covered
    if name not in counted:
        known = corpus.stream.attribute(name)  # of which the first value is ""
        counted[name] = int(np.count_nonzero(np.bincount(corpus.stream.sentences[known.tokens != 0])))
    own = None if attributes is None else attributes.name_of(name)
    return AnnotationCoverage(corpus.language, own or name, counted[name], len(corpus.sentences))
