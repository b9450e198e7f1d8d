"""Sentences annotated by an analyser; whether annotations fit their sentences; the tokens that are cut as they have it.

Japanese by SudachiPy, with the extra japanese. Each morpheme becomes a token with its lemma (the form of citation),
part of speech, conjugation, form, reading and normalised form. Sentences that a file has annotated stay as they are.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import numpy as np

from corpusdb.base.arrays import I32, I64, Bools
from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.tokenisation import Analyser, Morpheme, required_analyser, sudachi_analyser
from corpusdb.corpus.formats.records import WORD_ATTRIBUTE, Annotation
from corpusdb.corpus.queries.annotations import (
    IMPORTED,
    AnnotatedSentences,
    annotated_sentences,
    attribute_names,
    drop_annotations,
    read_annotations,
    read_column,
    store_annotations,
)
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import exclusive, keep_counts, run_counts
from corpusdb.search.cqp_plan import no_attribute
from corpusdb.search.cqp_syntax import WORD, Attribute, Query, attributes_of
from corpusdb.search.token_corpus import Annotated, Attributes, Overlay, TokenCorpus

JAPANESE: Final = "jpn"
LAYER: Final = "annotation"
_NAMES: Final = (WORD_ATTRIBUTE, "lemma", "pos", "conjugation", "form", "reading", "norm")
_SENTENCES_PER_STEP: Final = 500
_SECONDS_PER_TRANSACTION: Final = 2.0


@dataclass(frozen=True, slots=True)
class MorphemeReport:
    analyser: str
    """Its identity: the program and the dictionary with their versions."""
    sentences: int
    """How many were annotated now."""
    tokens: int
    """How many tokens they have."""
    imported: int
    """Sentences of the language that files have annotated, which stay as they are."""
    seconds: float


@exclusive("annotate")
def annotate(store: Store, language: str) -> Job[MorphemeReport]:
    """Annotate the sentences of a language that are not; from now on it follows imports.

    What another version of the analyser made is made anew. An interrupted call is continued by the same call. Raises
    UsageError for a language without an analyser, and where it is not installed.
    """
    begun = time.monotonic()
    if language != JAPANESE:
        raise UsageError(
            f"there is no analyser for {language}, only for {JAPANESE}; import its annotation: conllu, vert"
        )
    analyser = sudachi_analyser()
    sentences, tokens = yield from _annotate(store, language, analyser)
    imported = len(annotated_sentences(store.connection, language, IMPORTED))
    return MorphemeReport(analyser.identity, sentences, tokens, imported, time.monotonic() - begun)


def update_annotation(store: Store, language: str) -> Job[None]:
    """Annotate what was stored since, where the analyser that annotated the rest is installed; a part of a job."""
    state = layer_state(store, language, LAYER)
    if state is not None and (analyser := _installed(str(state.parameters.get("analyser")))) is not None:
        yield from _annotate(store, language, analyser)


def rebuild_annotation(store: Store, language: str) -> Job[None]:
    """Annotate a language whose layer was dropped; a part of a job. Raises UsageError without the analyser."""
    yield from _annotate(store, language, sudachi_analyser())


def _installed(identity: str) -> Analyser | None:
    try:
        return required_analyser(identity)
    except CorpusError:
        return None


def _annotate(store: Store, language: str, analyser: Analyser) -> Job[tuple[int, int]]:
    """Annotate all sentences that are not, by this analyser; how many there were, and how many tokens they have."""
    parameters: dict[str, object] = {"analyser": analyser.identity}
    state = layer_state(store, language, LAYER)
    is_same = state is not None and state.parameters == parameters
    last = state.last_sentence if state is not None and is_same else 0
    fresh = sentences_after(store, language, last)
    if not fresh and is_same:
        return 0, 0
    with store.write() as connection:
        if not is_same:
            drop_annotations(connection, language)
        run = start_run(store, "annotate", {"language": language, **parameters})
        save_layer(store, language, LAYER, Layer(parameters, last, 0, complete=not fresh), run)
    given = {*annotated_sentences(store.connection, language, IMPORTED).tolist()}
    done, tokens = 0, 0
    while done < len(fresh):
        yield Progress("analysing sentences", done, len(fresh))
        rows, end = _analysed(fresh, done, given, analyser)
        with store.write() as connection:
            store_annotations(connection, language, analyser.identity, rows, run.id)
            state = Layer(parameters, fresh[end - 1][0], 0, complete=end >= len(fresh))
            save_layer(store, language, LAYER, state, run)
            _count(store, run, len(rows), is_last=end >= len(fresh))
        tokens += sum(len(each.spans) for _, each in rows)
        done = end
    return sum(sentence not in given for sentence, _ in fresh), tokens


def _count(store: Store, run: Run, sentences: int, *, is_last: bool) -> None:
    counts = {"sentences": run_counts(store, run).get("sentences", 0) + sentences}
    (finish_run if is_last else keep_counts)(store, run, counts)


def _analysed(
    fresh: Sequence[tuple[int, str]], first: int, given: set[int], analyser: Analyser
) -> tuple[list[tuple[int, Annotation]], int]:
    """The annotations of some sentences, as many as are made in one transaction, and where the next begins."""
    limit = time.monotonic() + _SECONDS_PER_TRANSACTION
    rows: list[tuple[int, Annotation]] = []
    end = first
    while end < len(fresh) and (end == first or time.monotonic() < limit):
        step = fresh[end : end + _SENTENCES_PER_STEP]
        rows += [(sentence, annotation_of(analyser.analyse(text))) for sentence, text in step if sentence not in given]
        end += len(step)
    return rows, end


def annotation_of(morphemes: Sequence[Morpheme]) -> Annotation:
    """The morphemes of a sentence as tokens."""
    spans = tuple((each.begin, each.end) for each in morphemes)
    rows = [
        (
            each.surface,
            each.dictionary_form,
            "-".join(each.part_of_speech),
            each.conjugation,
            each.form,
            each.reading,
            each.normalized_form,
        )
        for each in morphemes
    ]
    return Annotation(_NAMES, spans, tuple(zip(*rows, strict=True)) if rows else ((),) * len(_NAMES))


_BEHIND = "select count(*) from sentence where language = ? and id > ?"


def way_of(store: Store, language: str) -> str | None:
    """What is to be said of how a language is cut that is written without spaces; None where there is nothing."""
    if language != JAPANESE:
        return None
    state = layer_state(store, language, LAYER)
    if state is None:
        return "Japanese is searched by characters; `corpusdb annotate --lang jpn` makes words of them"
    behind = int(store.connection.execute(_BEHIND, (language, state.last_sentence)).fetchone()[0])
    if not behind:
        return None
    return f"{behind:,} jpn sentences are not yet cut into words: `corpusdb annotate --lang jpn`"


_SAMPLE = 300

_LANGUAGES = "select distinct language from annotation order by language"
_ATTRIBUTE_NAMES = "select annotation, name from annotation_attribute order by annotation, id"
_ORPHANS = "select count(*) from annotation_attribute where annotation not in (select id from annotation)"


def wrong_annotations(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Segments whose sentences, tokens, values or lines are not those of sentences of their language.

    Where the analyser is installed that made them, a sample of the sentences is analysed again; with ``full`` all.
    """
    problems = []
    names: dict[int, list[str]] = {}
    for segment, name in connection.execute(_ATTRIBUTE_NAMES):
        names.setdefault(segment, []).append(name)
    for (language,) in connection.execute(_LANGUAGES).fetchall():
        seen: dict[bool, set[int]] = {True: set(), False: set()}
        try:
            for each in read_annotations(connection, language):
                known = seen[each.source == IMPORTED]
                wrong = _wrong_segment(connection, each, language, names.get(each.segment, [])) or _wrong_tokens(
                    connection, each, language, None if full else random
                )
                if not wrong and not known.isdisjoint(each.sentences.tolist()):
                    wrong = "annotates sentences that another one does"
                known.update(each.sentences.tolist())
                problems += [f"annotation {each.segment} of {language} {wrong}"] if wrong else []
        except (CorpusError, UnicodeDecodeError, ValueError) as error:
            problems.append(str(error))
    orphans = connection.execute(_ORPHANS).fetchone()[0]
    return problems + ([f"{orphans} attributes are of no annotation"] if orphans else [])


_TEXTS = """
select sentence.id, sentence.text from json_each(?) given join sentence on sentence.id = given.value
where sentence.language = ?
"""


def _wrong_segment(
    connection: sqlite3.Connection, each: AnnotatedSentences, language: str, names: Sequence[str]
) -> str | None:
    """What is wrong with a segment, as the end of a sentence; None where nothing is."""
    count = int(each.lengths.sum(dtype=np.int64)) if len(each.lengths) else 0
    fits = len(each.sentences) == len(each.lengths) == len(each.remarks) and count == len(each.begins) == len(each.ends)
    if not fits or (each.lengths < 0).any():
        return "has lengths that are not those of its sentences"
    if WORD_ATTRIBUTE not in names:
        return "has no words"
    for name in names:
        column = read_column(connection, each.segment, name, language)
        if column is None or len(column[1]) != count or column[0][:1] != [""] or len({*column[0]}) < len(column[0]):
            return f"has values of {name} that are not those of its tokens"
    return None


def _wrong_tokens(
    connection: sqlite3.Connection, each: AnnotatedSentences, language: str, random: Random | None
) -> str | None:
    """The same of where its tokens stand, and what an analyser says of a sample."""
    given = json.dumps(each.sentences.tolist())
    texts = dict(connection.execute(_TEXTS, (given, language)).fetchall())
    if len(texts) < len({*each.sentences.tolist()}) or len(texts) < len(each.sentences):
        return "annotates sentences that are not there, or twice"
    sizes = np.array([len(texts[sentence]) for sentence in each.sentences.tolist()], dtype=np.int64)
    within = np.repeat(sizes, each.lengths)
    if ((each.begins < 0) | (each.begins >= each.ends) | (each.ends > within)).any():
        return "has tokens that stand outside of their sentences"
    owners = np.repeat(np.arange(len(sizes)), each.lengths)
    if ((np.diff(each.begins) < 0) & (np.diff(owners) == 0)).any():
        return "has tokens that are not in the order of their sentences"
    analyser = None if each.source == IMPORTED else _installed(each.source)
    if analyser is None:
        return None
    places = range(len(sizes))
    chosen = places if random is None else random.sample(places, min(len(places), _SAMPLE))
    ends = np.cumsum(each.lengths, dtype=np.int64)
    for place in chosen:
        first, last = int(ends[place] - each.lengths[place]), int(ends[place])
        stored = list(zip(each.begins[first:last].tolist(), each.ends[first:last].tolist(), strict=True))
        if stored != [*annotation_of(analyser.analyse(texts[int(each.sentences[place])])).spans]:
            return "has other tokens than its analyser finds"
    return None


# The tokens of a language, with what is known of them.


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
