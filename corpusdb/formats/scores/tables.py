"""Tables of scores: a line for each system, or for each segment of each, under a header that names the columns.

The column ``system`` is always there. Metrics are either columns, whose names are theirs, or named in the column
``metric`` beside ``score``, as `corpusdb score` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from corpusdb.errors import InputError
from corpusdb.formats.scores.score_file import Collected, ScoreFile, score_of
from corpusdb.formats.tables.reading import Row

__all__ = ["SEGMENT", "as_records", "has_header", "read_table", "segment_number"]

SYSTEM: Final = ("system", "sys")
SEGMENT: Final = ("segment", "seg", "globalsegid", "global_seg_id", "seg_id", "segid", "segment_id")
_NO_SCORE: Final = re.compile(
    r"n|n_.*|num_.*|count|wins|clusters?|rank|.*_ranks?|sid|id|.*id|doc.*|line|rater|annotator|seed|year|.*length"
)
"""Columns that count, number or name something: their numbers are no scores unless somebody says so."""


def has_header(cells: Sequence[str]) -> bool:
    """Whether a line names the columns of a table of scores."""
    return len(cells) > 1 and any(cell.strip().casefold() in SYSTEM for cell in cells)


def as_records(header: Sequence[str], rows: Iterable[Row], path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each line by the names of its columns. Raises InputError for another number of cells than there are names."""
    for name in header:
        if not name.strip() or header.count(name) > 1:
            reason = f"two columns are called {name!r}" if name.strip() else "a column has no name"
            raise InputError(reason, path=path, line=1)
    for number, cells in rows:
        if not any(cell.strip() for cell in cells):
            raise InputError("a blank line in a table of scores", path=path, line=number)
        if len(cells) != len(header):
            raise InputError(f"{len(cells)} fields under {len(header)} names", path=path, line=number)
        yield number, dict(zip(header, cells, strict=True))


def read_table(
    header: Sequence[str], rows: Iterable[Row], path: Path, *, also: Sequence[str] = (), first: int | None = None
) -> ScoreFile:
    """The scores of a table; columns that look like counts or names of something are none unless they are in ``also``.

    Raises InputError, with the line, for what is no score or number of a segment, and for a second score.
    """
    names = {name.strip().casefold(): name for name in header}
    system = next(names[each] for each in SYSTEM if each in names)
    segment = next((names[each] for each in SEGMENT if each in names), None)
    if segment is None and "sid" in names:
        reason = "SID numbers the segments by the ids of their documents, which says not which line of a text is meant"
        raise InputError(f"{reason}: a column segment is needed", path=path, line=1)
    records = as_records(header, rows, path)
    found = Collected(path, usual_first=0, hint="" if segment else "; scores of segments need a column segment")
    if {"metric", "score"} <= names.keys():
        for line, record in records:
            number = None if segment is None else segment_number(record[segment], path, line)
            value = score_of(record[names["score"]], path, line)
            found.add(record[names["metric"]].strip(), record[system], number, value, line)
        return found.file(first)
    kept = list(records)
    columns = [name for name in header if name not in (system, segment)]
    numeric = [name for name in columns if name in also or any(_is_number(record[name]) for _, record in kept)]
    metrics = [name for name in numeric if name in also or not _NO_SCORE.fullmatch(name.strip().casefold())]
    if not metrics or not kept:
        raise InputError("no column holds scores", path=path)
    for line, record in kept:
        number = None if segment is None else segment_number(record[segment], path, line)
        for name in metrics:
            found.add(name, record[system], number, score_of(record[name], path, line), line)
    return found.file(first, left_columns=[name for name in numeric if name not in metrics])


def segment_number(text: str, path: Path, line: int) -> int:
    """The number of a segment as a file gives it. Raises InputError for anything else."""
    if not (text.isascii() and text.strip().isdigit() and len(text) < 10):
        raise InputError(f"{text!r} is no number of a segment", path=path, line=line)
    return int(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
