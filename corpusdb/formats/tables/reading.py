"""Tables of texts, however their cells are delimited: from rows of cells to aligned units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Self, TypeAlias

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import digest_of
from corpusdb.formats.records import Document, Item, Options, Record, Rejected, Version, aligned_unit
from corpusdb.formats.tables.columns import Layout, check_columns, check_texts, languages_in_header, table_layout

__all__ = ["Row", "TableSource"]

Row: TypeAlias = tuple[int, list[str]]
"""The line on which a row begins, from 1, and its cells."""


_LOOKED_AT = 20
"""Rows below the first one, by which columns of numbers are known."""


@dataclass(frozen=True, slots=True)
class TableSource:
    """One file with a row for each unit and a column, or several versions, for each of the languages of its options.

    Raises UsageError where the options contradict each other. A row with too few cells raises InputError: it is the
    mark of a file that was cut off or is no such table. Empty cells and blank lines are rejected one by one.
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
        if options.languages or options.columns is not None or options.header == "no":
            return cls(path, options)
        _, first = next(cls.rows(path))
        return cls(path, replace(options, languages=languages_in_header(first, options.header)))

    @staticmethod
    def rows(path: Path) -> Iterator[Row]:
        """All rows of a file, the header too; at least one. Raises InputError for a file that cannot be used."""
        raise NotImplementedError

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
        rows = self.rows(self.path)
        first = next(rows)
        layout = table_layout(first[1], self.options, self.path)
        if self.options.columns is None:
            ahead = list(islice(rows, _LOOKED_AT))
            wide = [cells for _, cells in ahead if len(cells) >= layout.width]
            headings = first[1] if layout.has_header else ()
            check_texts(wide, layout, self.path, ahead[0][0] if ahead else 1, headings)
            rows = chain(ahead, rows)
        yield from _units(rows if layout.has_header else chain([first], rows), layout, self.path)


def _units(rows: Iterable[Row], layout: Layout, path: Path) -> Iterator[Item]:
    width, pick = layout.width, _picker([column.position for column in layout.texts])
    places = [f"column {column.position + 1} ({column.language})" for column in layout.texts]
    tells_versions, places_units = layout.tells_versions, layout.places_units
    is_plain = not tells_versions and not places_units
    for line, cells in rows:
        if is_plain and len(cells) >= width:
            texts = pick(cells)
            # Most rows end here: a text that begins with a letter costs isspace() one character.
            if "" not in texts and not any(map(str.isspace, texts)):
                yield Record(line, texts)
                continue
        if len(cells) < 2 and not "".join(cells).strip():
            yield Rejected(line, "blank line")
            continue
        if len(cells) < width:
            count = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            raise InputError(f"has {count}, {width} needed", path=path, line=line)
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
