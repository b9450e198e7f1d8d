"""Comma-separated values: quoting, delimiters, and what is refused at which line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.records import Document, Item, Options, Record, Rejected
from corpusdb.corpus.formats.tables import CsvSource

PAIR = Options(("eng", "fra"))


def _items(tmp_path: Path, text: str, options: Options = PAIR) -> list[Item]:
    path = tmp_path / "file.csv"
    path.write_bytes(text.encode())
    return list(CsvSource.recognise(path, options).items())


@pytest.mark.parametrize(
    ("text", "options", "items"),
    [
        ("a,b\n", PAIR, [Record(1, ("a", "b"))]),
        ("a;b\n", PAIR, [Record(1, ("a", "b"))]),
        ("a;b,c\n", PAIR, [Record(1, ("a;b", "c"))]),
        ('"a, b, c";d\n', PAIR, [Record(1, ("a, b, c", "d"))]),
        ("\ufeffeng;fra\r\na;b\r\n", Options(), [Record(2, ("a", "b"))]),
        ('\ufeff"eng","fra"\na,b\n', Options(), [Record(2, ("a", "b"))]),
        ("french,note,english\na,,b\n", PAIR, [Record(2, ("b", "a"))]),
        ("x,y\na,b\n", Options(PAIR.languages, header="yes"), [Record(2, ("a", "b"))]),
        ("x,y,z\na,b,c\n", Options(PAIR.languages, columns=("z", "x")), [Record(2, ("c", "a"))]),
        ("id,document,eng,fra\n7,d,a,b\n", Options(), [Record(2, ("a", "b"), name="7", document=Document("d"))]),
        ('eng,fra\n"She said ""no"".", b\n', PAIR, [Record(2, ('She said "no".', " b"))]),
        ('eng,fra\n5" of rain,b\n', PAIR, [Record(2, ('5" of rain', "b"))]),
        ('eng,fra\r\n"a\r\nb","c"\r\nd,e\r\n', PAIR, [Record(2, ("a\nb", "c")), Record(4, ("d", "e"))]),
        ("eng,fra\na\u2028\x0b,b\x85\x0c\n", PAIR, [Record(2, ("a\u2028\x0b", "b\x85\x0c"))]),
        (
            'eng,fra\n\n  \n,\n"",b\nc,d',
            PAIR,
            [
                Rejected(2, "blank line"),
                Rejected(3, "blank line"),
                Rejected(4, "empty text in column 1 (eng) and column 2 (fra)"),
                Rejected(5, "empty text in column 1 (eng)"),
                Record(6, ("c", "d")),
            ],
        ),
    ],
)
def test_files_that_are_read(tmp_path: Path, text: str, options: Options, items: list[Item]) -> None:
    assert _items(tmp_path, text, options) == items


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("eng,fra\na,b\nc\n", 3, "has 1 column, 2 needed"),
        ('eng,fra\n"a\nb",c\n"d"e,f\n', 4, "expected after"),
        ('eng,fra\na,b\n"c,d\ne,f\n', 3, "unexpected end of data"),
        ("eng,fra\na,b\nc," + "d" * 131_073 + "\n", 3, "field larger than field limit"),
        ('eng,fra\na,b\nc,"' + "d\n" * 70_000, 3, "field larger than field limit"),
        ("eng,fra\na\rb,c\n", 2, "new-line character seen in unquoted field"),
        ("eng,fra\na,b\0\n", 2, "NUL byte"),
        ("", None, "is empty"),
        ('"eng', 1, "unexpected end of data"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, text: str, line: int | None, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _items(tmp_path, text)

    assert caught.value.line == line
    assert caught.value.path == str(tmp_path / "file.csv")


CELL = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]) | st.sampled_from('",; \n\u2028'))


@given(
    st.lists(st.tuples(CELL, CELL).filter(lambda row: all(map(str.strip, row))), min_size=1),
    st.sampled_from(",;"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], delimiter: str, quoting: int, end: str
) -> None:
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows([("eng", "fra"), *rows])  # type: ignore[arg-type]
    path = tmp_path_factory.mktemp("csv") / "file.csv"
    path.write_bytes(written.getvalue().encode())
    records = [item for item in CsvSource(path, PAIR).items() if isinstance(item, Record)]

    assert [record.texts for record in records] == rows
    begins = written.getvalue().split("\n")
    assert all(0 < record.line <= len(begins) for record in records)
    assert sorted({record.line for record in records}) == [record.line for record in records]
