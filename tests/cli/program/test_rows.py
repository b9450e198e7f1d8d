"""The formats of rows, each read back by a reader that was not written here."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import UsageError
from corpusdb.commands.output import Cell, Format, write_rows

COLUMNS = ("text", "n", "note")
ROWS: tuple[tuple[Cell, ...], ...] = (('a|b, "c"\n*d*\\', 1234, None), ("水\tx", 0.5, b"\x00\xff"))

# By hand, from RFC 4180, RFC 8259, jsonlines.org and the tables of GitHub Flavored Markdown (0.29, section 4.10).
EXPECTED: dict[Format, str] = {
    "table": 'text                n  note\na|b, "c"\\n*d*\\  1,234  -\n水\\tx             0.5  (2 bytes)\n',
    "tsv": 'text\tn\tnote\na|b, "c"\\n*d*\\\t1234\t\n水\\tx\t0.5\t00ff\n',
    "csv": 'text,n,note\r\n"a|b, ""c""\n*d*\\",1234,\r\n水\tx,0.5,00ff\r\n',
    "jsonl": '{"text": "a|b, \\"c\\"\\n*d*\\\\", "n": 1234, "note": null}\n'
    '{"text": "水\\tx", "n": 0.5, "note": "00ff"}\n',
    "json": '[\n  {"text": "a|b, \\"c\\"\\n*d*\\\\", "n": 1234, "note": null},\n'
    '  {"text": "水\\tx", "n": 0.5, "note": "00ff"}\n]\n',
    "markdown": "| text | n | note |\n| --- | --- | --- |\n"
    '| a\\|b, "c"<br>\\*d\\*\\\\ | 1234 |  |\n| 水\tx | 0.5 | 00ff |\n',
    "latex": "\\begin{tabular}{lrl}\n\\toprule\ntext & n & note \\\\\n\\midrule\n"
    'a\\textbar{}b, "c" *d*\\textbackslash{} & 1234 &  \\\\\n水 x & 0.5 & 00ff \\\\\n\\bottomrule\n\\end{tabular}\n',
}


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def written(format: Format, columns: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> str:
    stream = StringIO(newline="")
    write_rows(format, columns, iter(rows), stream)
    return stream.getvalue()


@pytest.mark.parametrize("format", EXPECTED)
def test_rows_in_each_format(format: Format) -> None:
    assert written(format, COLUMNS, list(ROWS)) == EXPECTED[format]


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("table", "a  b\n"),
        ("tsv", "a\tb\n"),
        ("csv", "a,b\r\n"),
        ("jsonl", ""),
        ("json", "[]\n"),
        ("markdown", "| a | b |\n| --- | --- |\n"),
    ],
)
def test_no_row_at_all(format: Format, expected: str) -> None:
    assert written(format, ("a", "b"), []) == expected


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@given(st.lists(st.tuples(TEXTS, st.integers()), min_size=1))
def test_csv_is_read_back(rows: list[tuple[Cell, ...]]) -> None:
    read = list(csv.reader(StringIO(written("csv", ("a", "b"), rows), newline="")))
    assert read == [["a", "b"], *([str(cell) for cell in row] for row in rows)]


@given(st.lists(st.tuples(TEXTS, st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False))))
def test_both_kinds_of_json_are_read_back(rows: list[tuple[Cell, ...]]) -> None:
    objects = [dict(zip(("a", "b"), row, strict=True)) for row in rows]
    assert json.loads(written("json", ("a", "b"), rows)) == objects
    lines = written("jsonl", ("a", "b"), rows).split("\n")
    assert [json.loads(line) for line in lines[:-1]] == objects


@given(st.lists(st.tuples(TEXTS, TEXTS)))
def test_a_row_of_markdown_is_a_line_of_as_many_cells(rows: list[tuple[Cell, ...]]) -> None:
    lines = written("markdown", ("a", "b"), rows).split("\n")
    assert len(lines) == len(rows) + 3
    # GFM: a bar ends a cell unless a backslash stands before it; an escaped backslash is none.
    assert all(len(re.findall(r"(?:[^\\|]|\\.)*\|", line)) == 3 for line in lines[:-1])


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_an_object_cannot_have_two_members_of_one_name(format: Format) -> None:
    with pytest.raises(UsageError, match="two columns are called 'a'"):
        written(format, ("a", "b", "a"), [(1, 2, 3)])


@pytest.mark.parametrize("format", EXPECTED)
def test_nothing_moves_the_cursor_of_a_terminal(format: Format) -> None:
    stream = Terminal(newline="")
    write_rows(format, ("text",), [("\x1b[31mred\x9b\r\n\x07",)], stream)
    assert not set(stream.getvalue().replace("\r\n", "\n")) & {"\x1b", "\x9b", "\r", "\x07"}


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "json", "markdown"])
def test_rows_are_written_as_they_come(format: Format) -> None:
    stream = StringIO(newline="")

    def rows() -> Iterator[tuple[Cell, ...]]:
        for number in range(3):
            if number:
                assert f"row {number - 1}" in stream.getvalue()
            yield (f"row {number}",)

    write_rows(format, ("text",), rows(), stream)
