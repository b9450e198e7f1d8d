"""Tables of texts, one unit a row: TSV and CSV, read and written."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Final, Self, TextIO, TypeAlias

from corpusdb.base.display import CsvWriter, Formulas, tsv_line
from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.columns import (
    DOCUMENT,
    ID,
    ColumnLayout,
    check_columns,
    check_texts,
    format_unnamed_languages,
    heading,
    language_of_heading,
    languages_in_header,
    table_layout,
    table_scoring_reader,
)
from corpusdb.corpus.formats.format import Format, Reader, ReferenceWriter, Writer
from corpusdb.corpus.formats.reading import MAX_LINE, first_line, read_lines, read_lines_and_faults
from corpusdb.corpus.formats.records import (
    PROVENANCE_COLUMNS,
    Document,
    FilesRead,
    Item,
    Options,
    Record,
    ReferenceSet,
    Rejected,
    Skipped,
    Version,
    aligned_unit,
    check_sets,
    check_writable,
    skip_or_raise,
    variants_of,
)

# Tables of texts, however their cells are delimited: from rows of cells to aligned units.

Row: TypeAlias = tuple[int, list[str]]
"""The line on which a row begins, from 1, and its cells."""

_LOOKED_AT = 20
"""Rows below the first one, by which columns of numbers are known."""


@dataclass(frozen=True, slots=True)
class TableSource(FilesRead):
    """One file with a row for each unit and a column, or several versions, for each of the languages of its options.

    Raises UsageError where the options contradict each other. A row with fewer cells than the header, or with more that
    are not blank, raises InputError: it is the mark of a file that was cut off or is no such table, or of a tab or
    comma in a text, behind which cells stand in columns that are not theirs. Without a header a row has too few where
    one that is taken is not there, and too many where more than half of the first rows have fewer. The options may have
    such rows skipped. Empty cells and blank lines are rejected one by one.
    """

    def __post_init__(self) -> None:
        check_columns(self.options)

    @property
    def path(self) -> Path:
        return self.paths[0]

    @classmethod
    def recognise(cls, paths: tuple[Path, ...], options: Options) -> Self:
        """The source for a file whose header may name its languages.

        Raises UsageError where neither the options nor the header name them, and InputError as reading does.
        """
        (path,) = paths
        if options.columns is not None and not options.languages:
            told = [language_of_heading(column) for column in options.columns if isinstance(column, str)]
            options = replace(options, languages=tuple(each for each in told if each) if all(told) else ())
        if options.languages or options.columns is not None or options.header == "no":
            return cls(paths, options)
        _, first = next(cls.rows(path))
        languages = languages_in_header(first, options.header)
        if not languages and (reason := format_unnamed_languages(first, options.header)):
            raise UsageError(f"{path}: {reason}")
        return cls(paths, replace(options, languages=languages))

    @staticmethod
    def rows(path: Path) -> Iterator[Row]:
        """All rows of a file, the header too; at least one. Raises InputError for a file that cannot be used."""
        raise NotImplementedError

    def rows_and_skipped(self) -> Iterator[Row | Skipped]:
        """The rows of the file, and for lines that cannot be read as rows, where they may be skipped, what they are."""
        return self.rows(self.path)

    def format_columns(self) -> str:
        """Which column each language is read from, and what else a header has that nothing is: ``eng from english
        (column 1), fra from column 2; not used: note (...)``."""
        _, first = next(self.rows(self.path))
        layout = table_layout(first, self.options, self.path)
        told = []
        for each in layout.texts:
            name = first[each.position].strip() if layout.has_header and each.position < len(first) else ""
            place = f"column {each.position + 1}"
            told.append(f"{each.language} from {f'{name} ({place})' if name else place}")
        unused = [cell.strip() for at, cell in enumerate(first) if layout.has_header and at not in layout.positions]
        named = ", ".join(filter(None, unused))
        rest = f"; not used: {named} (--attributes keeps what says something of a line)" if named else ""
        return ", ".join(told) + rest

    def items(self) -> Iterator[Item]:
        rows = self.rows_and_skipped()
        first = next(rows)
        if isinstance(first, Skipped):  # by it the columns are known
            raise InputError(f"{first.reason}; the first line cannot be skipped", path=first.path, line=first.place)
        layout = table_layout(first[1], self.options, self.path)
        ahead = list(islice(rows, _LOOKED_AT))
        there = [row for row in ahead if not isinstance(row, Skipped)]
        if self.options.columns is None:
            wide = [cells for _, cells in there if len(cells) >= layout.width]
            headings = first[1] if layout.has_header else ()
            check_texts(wide, layout, self.path, there[0][0] if there else 1, headings)
        width = _Width.of([first[1], *(cells for _, cells in there)], layout)
        below = chain(ahead, rows) if layout.has_header else chain([first], ahead, rows)
        yield from _units(below, layout, width, self.path, skip_bad=self.options.skip_bad)


@dataclass(frozen=True, slots=True)
class _Width:
    """How many cells rows have."""

    needed: int
    """By the columns that are taken."""
    usual: int
    """By the header, without blank cells at its end; else by most rows; 0 where neither tells."""
    has_header: bool

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], layout: ColumnLayout) -> Self:
        """As the first rows tell it, the very first of which may be the header."""
        if layout.has_header:
            return cls(layout.width, max(layout.width, _format_cells(rows[0])), True)
        ((usual, count),) = Counter(map(len, rows)).most_common(1)
        return cls(layout.width, max(layout.width, usual) if 2 * count > len(rows) else 0, False)

    def fault(self, cells: Sequence[str]) -> str | None:
        """What is wrong with the number of cells of a row; None where it is right, but for blank cells at its end."""
        count = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
        if len(cells) < self.needed:
            return f"has {count}, {self.needed} needed"
        if (self.has_header and len(cells) < self.usual) or (self.usual and _format_cells(cells) > self.usual):
            return f"has {count}, {'the header' if self.has_header else 'most rows'} {self.usual}"
        return None


def _format_cells(cells: Sequence[str]) -> int:
    """How many cells there are up to the last that is not blank."""
    return max((number for number, cell in enumerate(cells, 1) if cell.strip()), default=0)


def _units(
    rows: Iterable[Row | Skipped], layout: ColumnLayout, width: _Width, path: Path, *, skip_bad: bool
) -> Iterator[Item]:
    usual, positions = width.usual, [column.position for column in layout.texts]
    pick: Callable[[list[str]], tuple[str, ...]] = (
        itemgetter(*positions) if len(positions) > 1 else lambda cells: (cells[positions[0]],)
    )
    places = [f"column {column.position + 1} ({column.language})" for column in layout.texts]
    tells_versions, places_units = layout.tells_versions, layout.places_units
    is_plain = not tells_versions and not places_units
    for row in rows:
        if isinstance(row, Skipped):
            yield row
            continue
        line, cells = row
        if is_plain and len(cells) == usual:
            texts = pick(cells)
            # Most rows end here: a text that begins with a letter costs isspace() one character.
            if "" not in texts and not any(map(str.isspace, texts)):
                yield Record(line, texts)
                continue
        if len(cells) < 2 and not "".join(cells).strip():
            yield Rejected(line, "blank line")
            continue
        if len(cells) != usual and (fault := width.fault(cells)):
            yield skip_or_raise(InputError(fault, path=path, line=line), line, skip_bad=skip_bad)
            continue
        unit = _unit_with_versions(line, cells, layout) if tells_versions else aligned_unit(line, pick(cells), places)
        if places_units and isinstance(unit, Record):
            unit = _add_place(unit, cells, layout)
        yield unit


def _unit_with_versions(line: int, cells: Sequence[str], layout: ColumnLayout) -> Item:
    """The unit of a row where some languages have several texts: those that are there, each with its version."""
    there = [column for column in layout.texts if cells[column.position].strip()]
    if len(there) < 2:
        return Rejected(line, f"has a text only in column {there[0].position + 1}" if there else "has no text")
    return Record(
        line,
        tuple(cells[column.position] for column in there),
        languages=tuple(column.language for column in there),
        versions=tuple(each.version for each in there) if any(each.version != Version() for each in there) else (),
    )


def _add_place(unit: Record, cells: Sequence[str], layout: ColumnLayout) -> Record:
    """The unit with the id and the document of its row; empty cells are ignored."""
    document = "" if layout.document is None else cells[layout.document]
    attributes = tuple((name, cells[position]) for name, position in layout.attributes if cells[position])
    return replace(
        unit,
        name="" if layout.id is None else cells[layout.id],
        document=Document(document, attributes) if document or attributes else None,
    )


# Writers of tables with a row for each unit and a column for each version in each language: TSV and CSV.

_Numbered: TypeAlias = tuple[str, Version, int]
"""Language, version and which of the unit's texts with these it is, from 1."""

_BREAKS: Final = re.compile("[\t\n\r\0]")
# CSV holds line breaks, but readers take CRLF for the same as LF.
_UNQUOTABLE: Final = re.compile("[\r\0]")


@dataclass(frozen=True, slots=True)
class Columns:
    layout: tuple[tuple[str, Version], ...]
    """Language and version of each column of texts; twice the same for units that have two such texts."""
    ids: bool = False
    documents: bool = False
    attributes: tuple[str, ...] = ()

    def header(self) -> list[str]:
        """The headings, as columns.py describes them: id and document first, then the texts."""
        places = [ID] * self.ids + [DOCUMENT] * self.documents + [f"{DOCUMENT}:{name}" for name in self.attributes]
        headings = [heading(*column) for column in _number(self.layout)]
        return [check_writable(cell, _BREAKS, "a heading") for cell in places + headings]


def columns_of(records: Iterable[Record], languages: tuple[str, ...] = ()) -> Columns:
    """The columns that all these units need; those of texts in the order of ``languages``, then of appearance.

    ``languages`` are also those of units that do not name their own.
    """
    texts: dict[_Numbered, None] = {}
    ids = documents = False
    attributes: set[str] = set()
    for record in records:
        variants = variants_of(record, languages)
        texts.update(dict.fromkeys(_number((each.language, each.version) for each in variants)))
        ids = ids or bool(record.name)
        if record.document is not None:
            documents = True
            attributes.update(name for name, _ in record.document.attributes)
    order = {language: rank for rank, language in enumerate(dict.fromkeys([*languages, *(each[0] for each in texts)]))}
    met = {version: rank for rank, version in enumerate(dict.fromkeys(each[:2] for each in texts))}
    columns = sorted(texts, key=lambda column: (order[column[0]], met[column[:2]], column[2]))
    layout = tuple((language, version) for language, version, _ in columns)
    return Columns(layout, ids, documents, tuple(sorted(attributes)))


def write_tsv(records: Iterable[Record], columns: Columns, file: TextIO) -> int:
    """Write units with a header; returns how many. ``columns_of`` finds columns in which all have their place.

    Of the attributes of a document those with a value are kept. Raises InputError for texts, ids and names that hold a
    tab or a line break, which the database never does, and UsageError for a text without a column.
    """
    file.write(tsv_line(columns.header()))
    written = 0
    for row in _unit_rows(records, columns):
        file.write(tsv_line([check_writable(cell, _BREAKS, "TSV") for cell in row]))
        written += 1
    return written


def write_csv(records: Iterable[Record], columns: Columns, file: TextIO, formulas: Formulas | None = None) -> int:
    """Write units with a header, delimited by commas and quoted where needed; returns how many.

    As ``write_tsv``, but that texts may hold tabs and LF. They stand as they are, those that a spreadsheet would run,
    such as ``=1+1``, too; ``formulas`` counts these.
    """
    table = CsvWriter(file, formulas, "\n")
    header = columns.header()
    # A reader counts the commas and semicolons outside quotes in the first line to know the delimiter.
    table.write(header, quote_all=";" in "".join(header))
    written = 0
    for row in _unit_rows(records, columns):
        table.write([check_writable(cell, _UNQUOTABLE, "CSV") for cell in row])
        written += 1
    return written


def _unit_rows(records: Iterable[Record], columns: Columns) -> Iterator[list[str]]:
    places = {column: place for place, column in enumerate(_number(columns.layout))}
    languages = tuple(dict.fromkeys(language for language, _ in columns.layout))
    for record in records:
        row = [""] * len(places)
        variants = variants_of(record, languages)
        numbered = _number((each.language, each.version) for each in variants)
        for column, variant in zip(numbered, variants, strict=True):
            if column not in places:
                raise UsageError(f"the table has no column {heading(*column)} for {variant.text[:60]!r}")
            row[places[column]] = variant.text
        yield [*_place_cells(record, columns), *row]


def _place_cells(record: Record, columns: Columns) -> Iterator[str]:
    document = record.document or Document("")
    attributes = dict(document.attributes)
    if columns.ids:
        yield record.name
    if columns.documents:
        yield document.name
    yield from (attributes.get(name, "") for name in columns.attributes)


def _number(versions: Iterable[tuple[str, Version]]) -> Iterator[_Numbered]:
    counts: Counter[tuple[str, Version]] = Counter()
    for version in versions:
        counts[version] += 1
        yield (*version, counts[version])


# Comma-separated values as spreadsheets write them (RFC 4180): cells may be quoted, and then hold line breaks.

_LONGEST_ROW: Final = 16 * MAX_LINE


@dataclass(frozen=True, slots=True)
class CsvSource(TableSource):
    """One CSV file; see TableSource for its columns, and for what is refused.

    The delimiter is the semicolon, as in the exports of spreadsheets where the comma is the decimal mark, if the first
    line has more of them than commas outside quotes, and otherwise the comma. A line break in a quoted cell is LF,
    however the file writes it; units have the number of the line on which they begin.
    """

    @staticmethod
    def rows(path: Path) -> Iterator[Row]:
        """All rows of a file. Raises InputError as ``read_lines`` does, and with the line on which the row begins for
        broken quoting, and for rows of more than 16 MiB and cells of more than ``csv.field_size_limit()`` (131,072)
        characters."""
        begin, size = 1, 0

        def lines() -> Iterator[str]:
            nonlocal size
            # The csv module takes only CR and LF for line ends; it is given no other CR than those inside lines.
            for _, line in read_lines(path):
                size += len(line)
                if size > _LONGEST_ROW:
                    reason = f"the row is longer than {_LONGEST_ROW:,} characters; a quote may be missing"
                    raise InputError(reason, path=path, line=begin)
                yield f"{line}\n"

        unquoted = re.sub('"[^"]*("|$)', "", first_line(path))
        delimiter = ";" if unquoted.count(";") > unquoted.count(",") else ","
        reader = csv.reader(lines(), delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                yield begin, cells
                begin, size = reader.line_num + 1, 0
        except csv.Error as error:
            # What the module says after a dash is advice for programmers.
            reason, *_ = str(error).split(" - ")
            raise InputError(f"cannot be read as CSV: {reason}", path=path, line=begin) from error


CSV: Final = Format(
    name="csv",
    extensions=(".csv",),
    reader=Reader(CsvSource.recognise, options=("columns", "header", "attributes", "skip_bad")),
    writer=Writer(
        lambda units, languages, name: {
            name: lambda file: write_csv(units(), columns_of(units(), languages), file, units.formulas)
        }
    ),
    scoring_reader=table_scoring_reader(CsvSource.rows),
)


# Tab-separated text: one unit a line, one cell per language, never quoted. A double quote is text like any other
# character: corpora are full of unbalanced ones, and a reader that takes them for CSV quotes joins lines without a
# word.


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


def _reference_lines(sets: Iterable[ReferenceSet]) -> Iterator[str]:
    """One reference a line: segment (from 1), rank (from 1), source, reference. The first line names the columns.

    Without sources there is no column of theirs; where it is known where references come from, PROVENANCE_COLUMNS are
    columns, too: see ReferenceSet. Raises InputError for a segment without references and for texts that are blank or
    hold a line break or a tab.
    """
    segments, have_sources = check_sets(sets, "\n\r\t")
    is_known = any(each.provenance for each in segments)
    sources = ("source",) if have_sources else ()
    known_columns = PROVENANCE_COLUMNS if is_known else ()
    yield tsv_line(("segment", "rank", *sources, "reference", *known_columns))
    for number, segment in enumerate(segments, 1):
        for rank, reference in enumerate(segment.references, 1):
            source = (segment.source,) if have_sources else ()
            known = segment.known_of(reference) if is_known else ()
            yield tsv_line((number, rank, *source, reference, *known))


TSV: Final = Format(
    name="tsv",
    extensions=(".tsv",),
    reader=Reader(
        TsvSource.recognise,
        options=("columns", "header", "attributes", "skip_bad"),
        recognise=_recognise,
    ),
    writer=Writer(
        lambda units, languages, name: {name: lambda file: write_tsv(units(), columns_of(units(), languages), file)}
    ),
    reference_writer=ReferenceWriter(("references.tsv",), lines=_reference_lines),
    scoring_reader=table_scoring_reader(TsvSource.rows),
)
