"""Hits and lines of concordances written to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TextIO, TypeAlias, get_args

from corpusdb.base.display import CsvWriter, Formulas, json_line, tsv_line
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.outputs import Guard, Outputs
from corpusdb.corpus.store import Store
from corpusdb.search.queries.concordance import (
    Concordance,
    HitDetails,
    Wanted,
    hit_details,
    number_columns,
    with_categories,
    with_width,
)
from corpusdb.search.queries.distribution import LinePlace, part_within
from corpusdb.search.queries.request import ContextWidth, Within
from corpusdb.search.queries.search import Hits

ExportFormat: TypeAlias = Literal["tsv", "csv", "jsonl"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

_EXPORTED_AT_ONCE = 500
"""How many hits are looked up and written between two steps of the job."""


@dataclass(frozen=True, slots=True)
class HitExport:
    path: Path
    format: ExportFormat
    languages: tuple[str, ...]
    """Of the translations; in a table each has a column."""
    distance: int = 1
    categories: Mapping[LinePlace, str] | None = None
    """Of the lines of a concordance, as a column; None = no such column."""
    overwrite: bool = False
    """Whether a file that is there, and no database, may be replaced."""
    width: ContextWidth | None = None
    """Of the context of lines; None = all of the sentence."""
    within: Within = field(default_factory=Within)
    """Where the places are, and what stands beside the sentences."""


@dataclass(frozen=True, slots=True)
class Written:
    hits: int
    formulas: Formulas
    """Cells of CSV that a spreadsheet would run."""


def export_hits(store: Store, found: Hits | Concordance, export: HitExport) -> Job[Written]:
    """Write every hit, or every line of a concordance, to a file; returns how many they are.

    The file is there when it is complete. It is UTF-8; lines end in LF, in CSV in CR LF (RFC 4180). Raises UsageError
    where there is such a file already, and InputError where it cannot be written.
    """
    is_of_lines = isinstance(found, Concordance)
    texts = ("left", "match", "right") if is_of_lines else ("text",)
    categories = export.categories if is_of_lines else None
    if categories is not None:
        texts = ("category", *texts)
    wanted = Wanted(export.languages, export.distance, places=True, part=part_within(store, export.within))
    formulas = Formulas()
    with Outputs(Guard(store.path, export.overwrite)) as outputs, outputs.text(export.path) as file:
        columns = [*number_columns([found]), "id", "language", *texts, *export.languages, "places"]
        write = _writer(file, export.format, columns, formulas)
        for first in range(0, len(found), _EXPORTED_AT_ONCE):
            rows = range(first, min(first + _EXPORTED_AT_ONCE, len(found)))
            hits = hit_details(store, found, wanted, rows)
            hits = hits if categories is None else with_categories(hits, categories)
            for hit in with_width(hits, export.width) if export.width and is_of_lines else hits:
                write(hit)
            yield Progress("hits written", rows.stop, len(found))
    return Written(len(found), formulas)


def _writer(
    file: TextIO, format: ExportFormat, columns: Sequence[str], formulas: Formulas
) -> Callable[[HitDetails], object]:
    if format == "jsonl":
        return lambda hit: file.write(json_line(hit.document()) + "\n")
    rows = CsvWriter(file, formulas)
    write = rows.write if format == "csv" else lambda cells: file.write(tsv_line(cells))
    write(columns)
    return lambda hit: write([*map(str, hit.cells(columns))])
