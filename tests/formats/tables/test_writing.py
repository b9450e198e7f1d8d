"""Tables as they are written: their columns, and texts that have no place in them."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.records import Document, Record, Version
from corpusdb.corpus.formats.tables import Columns, columns_of, write_csv, write_tsv

PAIR = ("eng", "fra")
PLAIN, SOURCE, A, B = Version(), Version("source"), Version("reference", "A"), Version("reference", "B")


@pytest.mark.parametrize(
    ("records", "languages", "columns"),
    [
        ([], PAIR, Columns(())),
        ([Record(1, ("a", "b"))], PAIR, Columns((("eng", PLAIN), ("fra", PLAIN)))),
        ([Record(1, ("b", "a"), ("fra", "eng"))], (), Columns((("fra", PLAIN), ("eng", PLAIN)))),
        ([Record(1, ("b", "a"), ("fra", "eng"))], PAIR, Columns((("eng", PLAIN), ("fra", PLAIN)))),
        (
            [Record(1, ("a", "b", "c"), ("eng", "fra", "eng")), Record(2, ("a", "b"), PAIR)],
            (),
            Columns((("eng", PLAIN), ("eng", PLAIN), ("fra", PLAIN))),
        ),
        (
            [
                Record(1, ("a", "b"), PAIR, "", Document("d", (("x", "1"),)), (A, SOURCE)),
                Record(2, ("a", "", "b"), ("eng", "eng", "fra"), "7", Document("e", (("b", "1"),)), (B, A, SOURCE)),
            ],
            (),
            Columns((("eng", A), ("eng", B), ("fra", SOURCE)), True, True, ("b", "x")),
        ),
    ],
)
def test_the_columns_that_units_need(records: list[Record], languages: tuple[str, ...], columns: Columns) -> None:
    assert columns_of(records, languages) == columns


UNITS = [
    Record(1, ('say "a, b"', "c;d"), PAIR, "1", Document("d", (("domain", "news"),)), (A, SOURCE)),
    Record(2, ("e", "f", "g"), ("eng", "eng", "fra"), "", Document("d"), (A, A, SOURCE)),
    Record(3, ("h", "i"), PAIR, "2"),
]
HEADER = ["id", "document", "document:domain", "eng:reference:A", "eng:reference:A#2", "eng", "fra:source", "fra"]


@pytest.mark.parametrize(
    ("write", "lines"),
    [
        (
            write_tsv,
            [
                "\t".join(HEADER),
                '1\td\tnews\tsay "a, b"\t\t\tc;d\t',
                "\td\t\te\tf\t\tg\t",
                "2\t\t\t\t\th\t\ti",
            ],
        ),
        (write_csv, [",".join(HEADER), '1,d,news,"say ""a, b""",,,c;d,', ",d,,e,f,,g,", "2,,,,,h,,i"]),
    ],
)
def test_what_is_written(write: Callable[..., int], lines: list[str]) -> None:
    file = io.StringIO()

    assert write(UNITS, columns_of(UNITS), file) == 3
    assert file.getvalue() == "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("write", "text", "reason"),
    [
        (write_tsv, "a\tb", r"TSV cannot hold the character '\\t' in 'a\\tb'"),
        (write_tsv, "a\nb", "TSV cannot hold"),
        (write_tsv, "a\r", "TSV cannot hold"),
        (write_csv, "a\rb", "CSV cannot hold"),
        (write_csv, "a\0b", "CSV cannot hold"),
    ],
)
@pytest.mark.parametrize("place", ["text", "id", "document"])
def test_what_would_not_be_read_again_is_refused(write: Callable[..., int], text: str, reason: str, place: str) -> None:
    cells = {place: text}
    document = Document(cells.get("document", "d"))
    unit = Record(1, (cells.get("text", "a"), "b"), PAIR, cells.get("id", "1"), document)

    with pytest.raises(InputError, match=reason):
        write([unit], columns_of([unit]), io.StringIO())


@pytest.mark.parametrize("write", [write_tsv, write_csv])
def test_names_of_versions_are_one_line(write: Callable[..., int]) -> None:
    unit = Record(1, ("a", "b"), PAIR, versions=(Version("reference", "A\nB"), SOURCE))

    with pytest.raises(InputError, match="a heading cannot hold"):
        write([unit], columns_of([unit]), io.StringIO())


def test_a_text_without_a_column_is_refused() -> None:
    with pytest.raises(UsageError, match="no column eng#2 for 'b'"):
        write_tsv([Record(1, ("a", "b"), ("eng", "eng"))], Columns((("eng", PLAIN),)), io.StringIO())
