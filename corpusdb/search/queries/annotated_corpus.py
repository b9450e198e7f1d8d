"""The tokens of a language with what is known of them: annotated sentences are cut as their annotation has them."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

import numpy as np

from corpusdb.base.arrays import I32, I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.corpus.queries.annotations import AnnotatedSentences, attribute_names, read_annotations, read_column
from corpusdb.corpus.store import Store
from corpusdb.search.cqp_plan import no_attribute
from corpusdb.search.cqp_syntax import Query, attributes_of
from corpusdb.search.token_corpus import WORD, Annotated, Attribute, Attributes, Overlay, TokenCorpus


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
