"""What files say of the tokens of sentences that the corpus has: nothing else is taken from the files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, islice
from operator import itemgetter
from typing import Final, NamedTuple

from corpusdb.base.errors import InputError, one_line
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import normalise
from corpusdb.corpus.formats.records import Annotation, Record, Source
from corpusdb.corpus.queries.annotations import (
    IMPORTED,
    annotated_sentences,
    forget_annotations,
    store_annotations,
)
from corpusdb.corpus.queries.sentences import check_languages, sentence_id
from corpusdb.corpus.store import Run, Store, finish_run, start_run
from corpusdb.corpus.store.runs import exclusive, keep_counts, run_counts

_SENTENCES_PER_STEP: Final = 5_000
_SHOWN_LINES: Final = 10
_SHOWN_CHARACTERS: Final = 60
_OF_FILES_ONLY: Final = ("newdoc", "newpar")
"""Comments that say where a document of the file begins: the corpus has documents of its own."""


@dataclass(frozen=True, slots=True)
class FileAnnotationReport:
    language: str
    read: int
    """Annotated sentences of the files."""
    annotated: int
    replaced: int
    """Those of them that had another annotation."""
    annotated_before: int
    """Sentences that have an annotation, which stays."""
    absent: int
    """Sentences of the files that the corpus does not have."""
    first_absent: tuple[tuple[str, int, str], ...]
    """File, line and reason."""
    seconds: float


class _Given(NamedTuple):
    path: str
    line: int
    name: str
    text: str
    """Normalised."""
    annotation: Annotation


@dataclass(slots=True)
class _Joined:
    """Which sentence of the corpus each of the files is, in their order."""

    sentences: list[int] = field(default_factory=list)
    """0 for those that it does not have."""
    absent: list[tuple[str, int, str]] = field(default_factory=list)
    """The first of these."""


@exclusive("annotate")
def annotate_by_files(
    store: Store, language: str, sources: Sequence[Source], *, replaces: bool = False
) -> Job[FileAnnotationReport]:
    """Give sentences of a language the annotation that files have for the same text, but for its spaces.

    A sentence that files annotated before keeps that annotation, unless this one ``replaces`` it. The files are read
    once before anything is stored; an interrupted call is continued by the same call. Raises InputError where the
    files have an error, or not one sentence of the corpus.
    """
    begun = time.monotonic()
    check_languages(store, [language])
    joined = yield from _join(store, language, sources)
    found = {*joined.sentences} - {0}
    if not found:
        file, line, reason = joined.absent[0] if joined.absent else (str(sources[0].paths[0]), 0, "no annotation")
        raise InputError(f"nothing of it is in the corpus: {reason}", path=file, line=line or None)
    known = {*annotated_sentences(store.connection, language, IMPORTED).tolist()}
    before = found & known
    fresh = found if replaces else found - known
    if fresh:
        with store.write() as connection:
            run = start_run(store, "annotate", {"language": language, "files": [each.digest() for each in sources]})
            if replaces and before:
                forget_annotations(connection, sorted(before))
        texts = zip(joined.sentences, _all_given(sources, language), strict=True)
        yield from _store(store, run, language, texts, set(fresh), len(joined.sentences))
    replaced = len(before) if replaces else 0
    return FileAnnotationReport(
        *(language, len(joined.sentences), len(fresh), replaced, len(before) - replaced),
        *(joined.sentences.count(0), tuple(joined.absent), time.monotonic() - begun),
    )


def _all_given(sources: Sequence[Source], language: str) -> Iterator[_Given]:
    for source in sources:
        path = str(source.paths[0])
        for item in source.items():
            if isinstance(item, Record):
                languages = item.languages or source.languages
                for code, text, annotation in zip(languages, item.texts, item.annotations or (), strict=False):
                    if code == language and text and annotation is not None:
                        yield _Given(path, item.line, item.name, normalise(text), annotation)


def _join(store: Store, language: str, sources: Sequence[Source]) -> Job[_Joined]:
    """Find the sentences by their texts, then, of those that are not there, by their texts without spaces."""
    joined = _Joined()
    unmatched: dict[str, list[tuple[int, _Given]]] = {}
    for number, each in enumerate(_all_given(sources, language)):
        sentence = sentence_id(store, language, each.text) or 0
        joined.sentences.append(sentence)
        if not sentence:
            unmatched.setdefault(_without_spaces(each.text), []).append((number, each))
        if number % _SENTENCES_PER_STEP == 0:
            yield Progress("reading annotations", number, 0)
    if unmatched:
        yield Progress("comparing without spaces", 0, 0)
        for sentence, text in store.connection.execute(_TEXTS, (language,)):
            for number, _ in unmatched.pop(_without_spaces(text), ()):
                joined.sentences[number] = sentence
        absent = [each for _, each in sorted(chain.from_iterable(unmatched.values()), key=itemgetter(0))]
        joined.absent = [(each.path, each.line, _why(store, language, each)) for each in absent[:_SHOWN_LINES]]
    return joined


_TEXTS = "select id, text from sentence not indexed where language = ?"
_NAMED = """
select sentence.text from unit join occurrence on occurrence.document = unit.document and occurrence.line = unit.line
join sentence on sentence.id = occurrence.sentence and sentence.language = ? where unit.name = ? limit 1
"""


def _why(store: Store, language: str, given: _Given) -> str:
    """Why a sentence of a file is not joined to one of the corpus."""
    named = store.connection.execute(_NAMED, (language, given.name)).fetchone() if given.name else None
    told = f"the corpus has no sentence {one_line(given.text, _SHOWN_CHARACTERS)!r}"
    return told if named is None else f"{told}; {given.name} is {one_line(named[0], _SHOWN_CHARACTERS)!r} there"


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _store(
    store: Store, run: Run, language: str, texts: Iterator[tuple[int, _Given]], wanted: set[int], total: int
) -> Job[None]:
    """Store the first annotation of each sentence that is wanted, of ``total`` in the files."""
    done = 0
    while batch := list(islice(texts, _SENTENCES_PER_STEP)):
        yield Progress("annotating sentences", done, total)
        done += len(batch)
        rows = []
        for sentence, each in batch:
            if sentence in wanted:
                wanted.remove(sentence)
                text = store.connection.execute(_TEXT, (sentence,)).fetchone()[0]
                rows.append((sentence, _fitted(each.annotation, each.text, text)))
        with store.write() as connection:
            store_annotations(connection, language, IMPORTED, rows, run.id)
            counts = {"sentences": run_counts(store, run).get("sentences", 0) + len(rows)}
            (finish_run if done >= total else keep_counts)(store, run, counts)


_TEXT = "select text from sentence where id = ?"


def _fitted(annotation: Annotation, text: str, stored: str) -> Annotation:
    """An annotation of a text at the same characters of another one, which has its spaces elsewhere."""
    remarks = tuple(each for each in annotation.remarks if not each[1].lstrip("# ").startswith(_OF_FILES_ONLY))
    if text == stored:
        return replace(annotation, remarks=remarks)
    before = list(accumulate((not character.isspace() for character in text), initial=0))
    places = [place for place, character in enumerate(stored) if not character.isspace()]
    spans = tuple((places[before[begin]], places[before[end] - 1] + 1) for begin, end in annotation.spans)
    return replace(annotation, spans=spans, remarks=remarks)
