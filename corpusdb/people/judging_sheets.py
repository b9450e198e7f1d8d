"""Sheets for judging: one item of a sample a line, with cells for the verdict and a comment to be filled in.

A sheet is tab-separated text with a header. It goes through spreadsheets, which put cells into double quotes as they
like and double those inside: texts are compared, and comments taken, without these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.base.errors import InputError
from corpusdb.base.options import LARGEST, number_of
from corpusdb.base.outputs import NEW_ONLY, Guard, Outputs
from corpusdb.corpus.formats.reading import read_lines

COLUMNS: Final = ("item", "seed", "text", "verdict", "comment")
"""The header of a sheet."""


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One item. No cell may hold a tab or a line break, and no normalised text does."""

    item: int
    seed: str
    text: str
    verdict: str = ""
    comment: str = ""

    def is_about(self, own: SheetLine) -> bool:
        """Whether this line, as it was read, shows the item that ``own``, as it was written, shows."""
        return (
            self.item == own.item
            and own.seed in (self.seed, _unquote(self.seed))
            and own.text in (self.text, _unquote(self.text))
        )

    def has_comment_of(self, own: SheetLine) -> bool:
        """Whether this line, as it was read, has the comment of ``own``, as it was written."""
        return self.comment in (own.comment, _unquote(own.comment))


def sheet_lines(lines: Iterable[SheetLine]) -> Iterator[str]:
    """The lines of a sheet as text, without line ends; the header is the first."""
    yield "\t".join(COLUMNS)
    for line in lines:
        yield "\t".join((str(line.item), line.seed, line.text, line.verdict, line.comment))


def write_sheet(lines: Iterable[SheetLine], path: Path, guard: Guard = NEW_ONLY) -> None:
    """Write a sheet to a file. Raises as check_output does: somebody's verdicts may stand in one that is there."""
    with Outputs(guard) as outputs, outputs.text(path) as file:
        file.writelines(f"{line}\n" for line in sheet_lines(lines))


def read_sheet(path: Path) -> Iterator[tuple[int, SheetLine]]:
    """The lines of a sheet with their numbers in the file; ``-`` is standard input.

    Empty lines are skipped. Raises InputError, with the line, for another header, a number of an item that is
    none, and lines without a cell for the verdict; the comment may be missing.
    """
    for number, line in read_lines(path):
        cells = [cell.strip() for cell in line.split("\t")]
        if number == 1:
            if tuple(_unquote(cell) for cell in cells) != COLUMNS:
                raise InputError(f"is no sheet: its header is not {', '.join(COLUMNS)}", path=path, line=1)
        elif any(cells):
            yield number, _sheet_line(cells, path, number)


def _sheet_line(cells: list[str], path: Path, number: int) -> SheetLine:
    if not len(COLUMNS) - 1 <= len(cells) <= len(COLUMNS):
        raise InputError(f"has {len(cells)} cells, not {len(COLUMNS)}", path=path, line=number)
    item, seed, text, verdict, *comment = cells
    if not (item.isascii() and item.isdecimal() and number_of(item) < LARGEST):
        raise InputError(f"{item!r} is no number of an item", path=path, line=number)
    return SheetLine(number_of(item), seed, text, _unquote(verdict), _unquote("".join(comment)))


def _unquote(cell: str) -> str:
    """A cell without the quotes that a spreadsheet puts around it."""
    inner = cell[1:-1]
    quoted = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if quoted else cell
