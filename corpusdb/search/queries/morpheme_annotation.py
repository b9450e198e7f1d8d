"""Sentences of languages without spaces are annotated by an analyser: Japanese by SudachiPy, with the extra japanese.

Each morpheme becomes a token with its lemma (the form of citation), part of speech, conjugation, form, reading and
normalised form. Sentences that a file has annotated stay as they are.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpusdb.base.errors import CorpusError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.morphemes import Analyser, Morpheme, required_analyser, sudachi_analyser
from corpusdb.corpus.formats.annotation import WORD_ATTRIBUTE, Annotation
from corpusdb.corpus.queries.annotations import IMPORTED, annotated_sentences, drop_annotations, store_annotations
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, finish_run, layer_state, save_layer, start_run
from corpusdb.corpus.store.exclusive_jobs import exclusive
from corpusdb.corpus.store.runs import keep_counts, run_counts

__all__ = ["LAYER", "MorphemeReport", "annotate", "annotation_of", "rebuild_annotation", "update_annotation", "way_of"]

JAPANESE: Final = "jpn"
LAYER: Final = "annotation"
"""The name of the layer."""
_NAMES: Final = (WORD_ATTRIBUTE, "lemma", "pos", "conjugation", "form", "reading", "norm")
_SENTENCES_PER_STEP: Final = 500
_SECONDS_PER_TRANSACTION: Final = 2.0


@dataclass(frozen=True, slots=True)
class MorphemeReport:
    """What annotating a language gave."""

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
