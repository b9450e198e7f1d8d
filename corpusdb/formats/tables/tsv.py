"""Tab-separated text: one unit a line, one cell per language, never quoted.

A double quote is text like any other character: corpora are full of unbalanced ones, and a reader that takes them for
CSV quotes joins lines without a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.files.reading import first_line, read_lines, read_lines_and_faults
from corpusdb.formats.format import FileContents, Format, Reader, ReferenceWriter, Writer
from corpusdb.formats.records import Options, Skipped, skip_or_raise
from corpusdb.formats.references import ReferenceSet, check_sets
from corpusdb.formats.selection import SelectedUnits
from corpusdb.formats.tables.reading import Row, TableSource
from corpusdb.formats.tables.scored import table_scoring_reader
from corpusdb.formats.tables.writing import columns_of, write_tsv
from corpusdb.outputs import NEW_ONLY, Guard, write_files
from corpusdb.rows import tsv_line

__all__ = ["TSV", "TsvSource", "write_tsv_references"]

_REFERENCES: Final = "references.tsv"


@dataclass(frozen=True, slots=True)
class TsvSource(TableSource):
    """One TSV file; see TableSource for its columns, and for what is refused."""

    @staticmethod
    def rows(path: Path) -> Iterator[Row]:
        """All lines of a file, cut at their tabs. Raises InputError as ``read_lines`` does."""
        return ((number, line.split("\t")) for number, line in read_lines(path))

    def rows_and_skipped(self) -> Iterator[Row | Skipped]:
        if not self.options.skip_bad:
            yield from self.rows(self.path)
            return
        for number, line in read_lines_and_faults(self.path):
            if isinstance(line, InputError):
                yield skip_or_raise(line, number, skip_bad=True)
            else:
                yield number, line.split("\t")


def _open(files: tuple[Path, ...], options: Options) -> TsvSource:
    return TsvSource.recognise(files[0], options)


def _recognise(files: tuple[Path, ...], named: AbstractSet[str]) -> bool:
    """Whether files are tab-separated, also under the name of CSV; a single text file always counts as that."""
    if named == {"csv"}:
        return all("\t" in first_line(path) for path in files)
    if not named <= {"", "tsv"}:
        return False
    if len(files) == 1:
        return True
    tabs = ["\t" in first_line(path) for path in files]
    if any(tabs) and not all(tabs):
        raise UsageError("some of the files are tab-separated and some are not; import them one format at a time")
    return all(tabs)


def _files(units: SelectedUnits, languages: tuple[str, ...], name: str) -> FileContents:
    return {name: lambda file: write_tsv(units(), columns_of(units(), languages), file)}


def write_tsv_references(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write references.tsv, one reference a line: segment (from 1), rank (from 1), source, reference; returns its path.

    The first line names the columns. Without sources there is no column of theirs; where it is known where references
    come from, origin, validity and corpus are columns, too: see ReferenceSet. Raises InputError for a segment without
    references and for texts that are blank or hold a line break or a tab.
    """
    return write_files(directory, {_REFERENCES: lambda file: file.writelines(_reference_lines(sets))}, guard)


def _reference_lines(sets: Iterable[ReferenceSet]) -> Iterator[str]:
    segments, have_sources = check_sets(sets, "\n\r\t")
    is_known = any(each.provenance for each in segments)
    sources = ("source",) if have_sources else ()
    known_columns = ("origin", "validity", "corpus") if is_known else ()
    yield tsv_line(("segment", "rank", *sources, "reference", *known_columns))
    for number, segment in enumerate(segments, 1):
        for rank, reference in enumerate(segment.references, 1):
            source = (segment.source,) if have_sources else ()
            known = (*segment.provenance_of(reference), segment.corpus) if is_known else ()
            yield tsv_line((number, rank, *source, reference, *known))


TSV: Final = Format(
    name="tsv",
    extensions=(".tsv",),
    reader=Reader(_open, options=("columns", "header", "skip_bad"), recognise=_recognise),
    writer=Writer(_files),
    reference_writer=ReferenceWriter(write_tsv_references, (_REFERENCES,), lines=_reference_lines),
    scoring_reader=table_scoring_reader(TsvSource.rows),
)
