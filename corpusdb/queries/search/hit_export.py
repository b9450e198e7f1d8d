"""Hits in a file: all of them, with their translations and the places where they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO, TypeAlias, get_args

from corpusdb.jobs import Job, Progress
from corpusdb.outputs import Guard, Outputs
from corpusdb.queries.search.concordance import Concordance, LinePlace
from corpusdb.queries.search.hit_details import HitDetails, Wanted, hit_details, with_categories
from corpusdb.queries.search.search import Hits
from corpusdb.rows import CsvWriter, json_line, tsv_line
from corpusdb.spreadsheets import Formulas
from corpusdb.store import Store

__all__ = ["EXPORT_FORMATS", "ExportFormat", "HitExport", "Written", "export_hits"]

ExportFormat: TypeAlias = Literal["tsv", "csv", "jsonl"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

_STEP = 500
"""How many hits are looked up and written between two steps of the job."""


@dataclass(frozen=True, slots=True)
class HitExport:
    """Where hits go, and with what."""

    path: Path
    format: ExportFormat
    languages: tuple[str, ...]
    """Of the translations; in a table each has a column."""
    distance: int = 1
    categories: Mapping[LinePlace, str] | None = None
    """Of the lines of a concordance, as a column; None = no such column."""
    overwrite: bool = False
    """Whether a file that is there, and no database, may be replaced."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written."""

    hits: int
    formulas: Formulas
    """Cells of CSV that a spreadsheet would run."""


def export_hits(store: Store, found: Hits | Concordance, export: HitExport) -> Job[Written]:
    """Write every hit, or every line of a concordance, to a file; returns how many they are.

    The file is there when it is complete. It is UTF-8; lines end in LF, in CSV in CR LF (RFC 4180). Raises UsageError
    where there is such a file already, and InputError where it cannot be written.
    """
    texts = ("left", "match", "right") if isinstance(found, Concordance) else ("text",)
    categories = export.categories if isinstance(found, Concordance) else None
    if categories is not None:
        texts = ("category", *texts)
    wanted = Wanted(export.languages, export.distance, places=True)
    formulas = Formulas()
    with Outputs(Guard(store.path, export.overwrite)) as outputs, outputs.text(export.path) as file:
        write = _FORMATS[export.format](_Table(file, texts, export.languages, formulas))
        for first in range(0, len(found), _STEP):
            rows = range(first, min(first + _STEP, len(found)))
            hits = hit_details(store, found, wanted, rows)
            for hit in hits if categories is None else with_categories(hits, categories):
                write(hit)
            yield Progress("hits written", rows.stop, len(found))
    return Written(len(found), formulas)


@dataclass(frozen=True, slots=True)
class _Table:
    """The file, and what its columns are."""

    file: TextIO
    texts: Sequence[str]
    languages: Sequence[str]
    formulas: Formulas

    def header(self) -> list[str]:
        return ["id", "language", *self.texts, *self.languages, "places"]

    def cells(self, hit: HitDetails) -> list[str]:
        return list(map(str, hit.cells(self.header())))


_Writer: TypeAlias = Callable[[HitDetails], object]


def _tsv(table: _Table) -> _Writer:
    table.file.write(tsv_line(table.header()))
    return lambda hit: table.file.write(tsv_line(table.cells(hit)))


def _csv(table: _Table) -> _Writer:
    rows = CsvWriter(table.file, table.formulas)
    rows.write(table.header())
    return lambda hit: rows.write(table.cells(hit))


def _jsonl(table: _Table) -> _Writer:
    return lambda hit: table.file.write(json_line(hit.document()) + "\n")


_FORMATS: Mapping[ExportFormat, Callable[[_Table], _Writer]] = {
    "tsv": _tsv,
    "csv": _csv,
    "jsonl": _jsonl,
}
