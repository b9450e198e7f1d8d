"""Sentences of languages without spaces annotated by an analyser, and whether annotations fit their sentences.

Japanese by SudachiPy, with the extra japanese. Each morpheme becomes a token with its lemma (the form of citation),
part of speech, conjugation, form, reading and normalised form. Sentences that a file has annotated stay as they are.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

import numpy as np

from corpusdb.base.errors import CorpusError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.tokenisation import Analyser, Morpheme, required_analyser, sudachi_analyser
from corpusdb.corpus.queries.annotations import (
    IMPORTED,
    AnnotatedSentences,
    annotated_sentences,
    drop_annotations,
    read_annotations,
    read_column,
    store_annotations,
)
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.runs import exclusive, keep_counts, run_counts
from corpusdb.search.queries.token_index import ANNOTATION, JAPANESE
from corpusdb.search.token_corpus import WORD

if TYPE_CHECKING:
    from corpusdb.corpus.formats.records import Annotation

_NAMES: Final = (WORD, "lemma", "pos", "conjugation", "form", "reading", "norm")
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
    state = layer_state(store, language, ANNOTATION)
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
    state = layer_state(store, language, ANNOTATION)
    is_same = state is not None and state.parameters == parameters
    last = state.last_sentence if state is not None and is_same else 0
    fresh = sentences_after(store, language, last)
    if not fresh and is_same:
        return 0, 0
    with store.write() as connection:
        if not is_same:
            drop_annotations(connection, language)
        run = start_run(store, "annotate", {"language": language, **parameters})
        save_layer(store, language, ANNOTATION, Layer(parameters, last, 0, complete=not fresh), run)
    given = {*annotated_sentences(store.connection, language, IMPORTED).tolist()}
    done, tokens = 0, 0
    while done < len(fresh):
        yield Progress("analysing sentences", done, len(fresh))
        rows, end = _analysed(fresh, done, given, analyser)
        with store.write() as connection:
            store_annotations(connection, language, analyser.identity, rows, run.id)
            state = Layer(parameters, fresh[end - 1][0], 0, complete=end >= len(fresh))
            save_layer(store, language, ANNOTATION, state, run)
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
    from corpusdb.corpus.formats.records import Annotation

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
    if WORD not in names:
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
        return "has tokens that are outside of their sentences"
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
