"""Tables of texts, however their cells are delimited: from rows of cells to aligned units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Self, TypeAlias

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.files.reading import digest_of
from corpusdb.formats.records import (
    Document,
    Item,
    Options,
    Record,
    Rejected,
    Skipped,
    Version,
    aligned_unit,
    skip_or_raise,
)
from corpusdb.formats.tables.columns import (
    Layout,
    check_columns,
    check_texts,
    language_of_heading,
    languages_in_header,
    table_layout,
    unnamed_languages_told,
)

__all__ = ["Row", "TableSource"]

Row: TypeAlias = tuple[int, list[str]]
"""The line on which a row begins, from 1, and its cells."""


_LOOKED_AT = 20
"""Rows below the first one, by which columns of numbers are known."""


@dataclass(frozen=True, slots=True)
class TableSource:
    """One file with a row for each unit and a column, or several versions, for each of the languages of its options.

    Raises UsageError where the options contradict each other. A row with fewer cells than the header, or with more that
    are not blank, raises InputError: it is the mark of a file that was cut off or is no such table, or of a tab or
    comma in a text, behind which cells stand in columns that are not theirs. Without a header a row has too few where
    one that is taken is not there, and too many where more than half of the first rows have fewer. The options may have
    such rows skipped. Empty cells and blank lines are rejected one by one.
    """

    path: Path
    options: Options

    def __post_init__(self) -> None:
        check_columns(self.options)

    @classmethod
    def recognise(cls, path: Path, options: Options) -> Self:
        """The source for a file whose header may name its languages.

        Raises UsageError where neither the options nor the header name them, and InputError as reading does.
        """
        if options.columns is not None and not options.languages:
            told = [language_of_heading(column) for column in options.columns if isinstance(column, str)]
            options = replace(options, languages=tuple(each for each in told if each) if all(told) else ())
        if options.languages or options.columns is not None or options.header == "no":
            return cls(path, options)
        _, first = next(cls.rows(path))
        languages = languages_in_header(first, options.header)
        if not languages and (reason := unnamed_languages_told(first, options.header)):
            raise UsageError(f"{path}: {reason}")
        return cls(path, replace(options, languages=languages))

    @staticmethod
    def rows(path: Path) -> Iterator[Row]:
        """All rows of a file, the header too; at least one. Raises InputError for a file that cannot be used."""
        raise NotImplementedError

    def rows_and_skipped(self) -> Iterator[Row | Skipped]:
        """The rows of the file, and for lines that cannot be read as rows, where they may be skipped, what they are."""
        return self.rows(self.path)

    def columns_told(self) -> str:
        """Which column each language is read from: ``eng from english (column 1), fra from column 2``."""
        _, first = next(self.rows(self.path))
        layout = table_layout(first, self.options, self.path)
        told = []
        for each in layout.texts:
            name = first[each.position].strip() if layout.has_header and each.position < len(first) else ""
            place = f"column {each.position + 1}"
            told.append(f"{each.language} from {f'{name} ({place})' if name else place}")
        return ", ".join(told)

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def languages(self) -> tuple[str, ...]:
        return self.options.languages

    def digest(self) -> str:
        return digest_of(self.paths)

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
    def of(cls, rows: Sequence[Sequence[str]], layout: Layout) -> Self:
        """As the first rows tell it, the very first of which may be the header."""
        if layout.has_header:
            return cls(layout.width, max(layout.width, _told_cells(rows[0])), True)
        ((usual, count),) = Counter(map(len, rows)).most_common(1)
        return cls(layout.width, max(layout.width, usual) if 2 * count > len(rows) else 0, False)

    def fault(self, cells: Sequence[str]) -> str | None:
        """What is wrong with the number of cells of a row; None where it is right, but for blank cells at its end."""
        count = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
        if len(cells) < self.needed:
            return f"has {count}, {self.needed} needed"
        if (self.has_header and len(cells) < self.usual) or (self.usual and _told_cells(cells) > self.usual):
            return f"has {count}, {'the header' if self.has_header else 'most rows'} {self.usual}"
        return None


def _told_cells(cells: Sequence[str]) -> int:
    """How many cells there are up to the last that is not blank."""
    return max((number for number, cell in enumerate(cells, 1) if cell.strip()), default=0)


def _units(
    rows: Iterable[Row | Skipped], layout: Layout, width: _Width, path: Path, *, skip_bad: bool
) -> Iterator[Item]:
    usual, pick = width.usual, _picker([column.position for column in layout.texts])
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


def _unit_with_versions(line: int, cells: Sequence[str], layout: Layout) -> Item:
    """The unit of a row where some languages have several texts: those that are there, each with its version."""
    there = [column for column in layout.texts if cells[column.position].strip()]
    if len(there) < 2:
        return Rejected(line, f"has a text only in column {there[0].position + 1}" if there else "has no text")
    return Record(
        line,
        tuple(cells[column.position] for column in there),
        languages=tuple(column.language for column in there),
        versions=_known_versions([column.version for column in there]),
    )


def _known_versions(versions: Sequence[Version]) -> tuple[Version, ...]:
    return tuple(versions) if any(version != Version() for version in versions) else ()


def _add_place(unit: Record, cells: Sequence[str], layout: Layout) -> Record:
    """The unit with the id and the document of its row; empty cells are ignored."""
    document = "" if layout.document is None else cells[layout.document]
    attributes = tuple((name, cells[position]) for name, position in layout.attributes if cells[position])
    return replace(
        unit,
        name="" if layout.id is None else cells[layout.id],
        document=Document(document, attributes) if document or attributes else None,
    )


def _picker(positions: Sequence[int]) -> Callable[[list[str]], tuple[str, ...]]:
    """The cells at some positions of a row, as a tuple however many they are."""
    return itemgetter(*positions) if len(positions) > 1 else lambda cells: (cells[positions[0]],)
