"""Sheets: written, filled in, and read back, also through a spreadsheet that quotes cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.text import normalise
from corpusdb.people.judging_sheets import COLUMNS, SheetLine, read_sheet, sheet_lines, write_sheet

HEADER = "\t".join(COLUMNS) + "\n"
CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=12).map(normalise)


def write(folder: Path, text: str) -> Path:
    path = folder / "sheet.tsv"
    path.write_bytes(text.encode())
    return path


@given(st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["", "yes", "no"]), CELLS), max_size=5))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str, str, str]]
) -> None:
    lines = [SheetLine(number, *rest) for number, rest in enumerate(cells, 1)]
    path = write(tmp_path_factory.mktemp("sheets"), "".join(f"{line}\n" for line in sheet_lines(lines)))
    back = list(read_sheet(path))
    assert [number for number, _ in back] == list(range(2, len(lines) + 2))
    for (_, found), line in zip(back, lines, strict=True):
        assert found.is_about(line)
        assert found.has_comment_of(line)
        assert found.verdict == line.verdict


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


@pytest.mark.parametrize("text", ["A beer, please.", 'He said "no".', '"No."', '"', 'a "b', ""])
def test_a_spreadsheet_may_quote_cells(tmp_path: Path, text: str) -> None:
    path = write(
        tmp_path, HEADER.replace("\n", "\r\n") + "\t".join(["3", "", *map(quoted, (text, "yes", text))]) + "\r\n"
    )
    ((_, found),) = read_sheet(path)
    own = SheetLine(3, "", text, "yes", text)
    assert (found.is_about(own), found.has_comment_of(own), found.verdict) == (True, True, "yes")


def test_other_texts_and_items_are_told_apart() -> None:
    line = SheetLine(1, "a", "b")
    assert not any(
        line.is_about(other) for other in (SheetLine(2, "a", "b"), SheetLine(1, "a", "c"), SheetLine(1, "", "b"))
    )


def test_empty_lines_and_a_missing_last_cell_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + "\n1\t\ttext\tyes\n\t\t\t\t\n")
    assert list(read_sheet(path)) == [(3, SheetLine(1, "", "text", "yes"))]


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("", "", "empty"),
        ("text\tverdict\n", ":1", "its header is not item, seed, text, verdict, comment"),
        (HEADER + "1\t\ttext\n", ":2", "has 3 cells, not 5"),
        (HEADER + "\n1\t\ttext\tyes\t\tmore\n", ":3", "has 6 cells, not 5"),
        (HEADER + "one\t\ttext\tyes\t\n", ":2", "'one' is no number"),
        (HEADER + "-1\t\ttext\tyes\t\n", ":2", "'-1' is no number"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused_with_its_line(tmp_path: Path, text: str, place: str, reason: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=reason) as caught:
        list(read_sheet(path))
    assert str(caught.value).startswith(f"{path}{place}: ")


def test_a_sheet_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    write_sheet([SheetLine(1, "", "text")], path)
    assert path.read_text(encoding="utf-8") == HEADER + "1\t\ttext\t\t\n"
    with pytest.raises(UsageError, match="exists already; --overwrite replaces it"):
        write_sheet([], path)
    with pytest.raises(InputError, match="no such folder"):
        write_sheet([], tmp_path / "missing" / "sheet.tsv")
