"""Hits in a file: all of them, with their translations and the places where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TextIO, TypeAlias, get_args

from corpusdb.jobs import Job, Progress
from corpusdb.outputs import Guard, Outputs
from corpusdb.queries.corpus.occurrences import Place, places_of
from corpusdb.queries.corpus.translations import Translation, translations_of
from corpusdb.queries.search.concordance import Concordance
from corpusdb.queries.search.search import Hits
from corpusdb.rows import CsvWriter, json_line, tsv_line
from corpusdb.spreadsheets import Formulas
from corpusdb.store import Store

__all__ = ["EXPORT_FORMATS", "ExportFormat", "HitExport", "Written", "export_hits"]

ExportFormat: TypeAlias = Literal["tsv", "csv", "jsonl"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

_STEP = 500
"""So many hits are looked up and written between two steps of the job."""


@dataclass(frozen=True, slots=True)
class HitExport:
    """Where hits go, and with what."""

    path: Path
    format: ExportFormat
    languages: tuple[str, ...]
    """Of the translations; in a table each has a column."""
    distance: int = 1
    overwrite: bool = False
    """Whether a file that is there, and no database, may be replaced."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    hits: int
    formulas: Formulas
    """Cells of CSV that a spreadsheet would run."""


@dataclass(frozen=True, slots=True)
class _Hit:
    id: int
    language: str
    texts: Mapping[str, str]
    """The sentence under ``text``, or a line of a concordance under ``left``, ``match`` and ``right``."""
    translations: Sequence[Translation]
    places: Sequence[Place]


def export_hits(store: Store, found: Hits | Concordance, export: HitExport) -> Job[Written]:
    """Write every hit, or every line of a concordance, to a file; returns how many they are.

    The file is there when it is complete. It is UTF-8; lines end in LF, in CSV in CR LF (RFC 4180). Raises UsageError
    where there is such a file already, and InputError where it cannot be written.
    """
    texts = ("left", "match", "right") if _is_kwic(found) else ("text",)
    formulas = Formulas()
    with Outputs(Guard(store.path, export.overwrite)) as outputs, outputs.text(export.path) as file:
        write = _FORMATS[export.format](_Table(file, texts, export.languages, formulas))
        for first in range(0, len(found), _STEP):
            for hit in _looked_up(store, found, first, export):
                write(hit)
            yield Progress("hits written", min(first + _STEP, len(found)), len(found))
    return Written(len(found), formulas)


def _is_kwic(found: Hits | Concordance) -> bool:
    return isinstance(found, Concordance)


def _looked_up(store: Store, found: Hits | Concordance, first: int, export: HitExport) -> Iterator[_Hit]:
    texts: list[tuple[int, dict[str, str]]]
    if isinstance(found, Concordance):
        language = found.hits.language
        texts = [
            (line.sentence, {"left": line.left, "match": line.match, "right": line.right})
            for line in found.lines(first, _STEP)
        ]
    else:
        language = found.language
        last = min(first + _STEP, len(found))
        texts = [(int(found.sentences[place]), {"text": found.text(place)}) for place in range(first, last)]
    ids = [sentence for sentence, _ in texts]
    translations = translations_of(store, ids, export.languages, export.distance)
    places = places_of(store, ids)
    for sentence, said in texts:
        yield _Hit(sentence, language, said, translations[sentence], places[sentence])


@dataclass(frozen=True, slots=True)
class _Table:
    """The file, and what its columns are."""

    file: TextIO
    texts: Sequence[str]
    languages: Sequence[str]
    formulas: Formulas

    def header(self) -> list[str]:
        return ["id", "language", *self.texts, *self.languages, "places"]


_Writer: TypeAlias = Callable[[_Hit], object]


def _cells(hit: _Hit, languages: Sequence[str]) -> list[str]:
    """The cells of a table; translations that are not direct have their distance in front: "(2) Coucou."."""
    columns = [
        " | ".join(
            f"({each.distance}) {each.text}" if each.distance > 1 else each.text
            for each in hit.translations
            if each.language == language
        )
        for language in languages
    ]
    return [str(hit.id), hit.language, *hit.texts.values(), *columns, " | ".join(map(str, hit.places))]


def _tsv(table: _Table) -> _Writer:
    table.file.write(tsv_line(table.header()))
    return lambda hit: table.file.write(tsv_line(_cells(hit, table.languages)))


def _csv(table: _Table) -> _Writer:
    rows = CsvWriter(table.file, table.formulas)
    rows.write(table.header())
    return lambda hit: rows.write(_cells(hit, table.languages))


def _jsonl(table: _Table) -> _Writer:
    def write(hit: _Hit) -> None:
        translations: dict[str, list[dict[str, object]]] = {}
        for each in hit.translations:
            told: dict[str, object] = {"text": each.text, "distance": each.distance, "via": each.via}
            translations.setdefault(each.language, []).append(told)
        document = {"id": hit.id, "language": hit.language, **hit.texts}
        document |= {"translations": translations, "places": [asdict(place) for place in hit.places]}
        table.file.write(json_line(document) + "\n")

    return write


_FORMATS: Mapping[ExportFormat, Callable[[_Table], _Writer]] = {
    "tsv": _tsv,
    "csv": _csv,
    "jsonl": _jsonl,
}
