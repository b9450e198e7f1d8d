"""Tables, tab-separated or CSV: headings and columns, quoting, what is refused, and how they are written."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.columns import ColumnLayout, TextColumn, heading, languages_in_header, table_layout
from corpusdb.corpus.formats.records import Document, Header, Item, Options, Record, Rejected, Role, Skipped, Version
from corpusdb.corpus.formats.tables import Columns, CsvSource, TableSource, TsvSource, columns_of, write_csv, write_tsv

# Headings, and which columns they choose.


PLAIN, SOURCE, B = Version(), Version("source"), Version("reference", "B")
PAIR = Options(("eng", "fra"))
INDONESIAN = Options(("ind", "eng"))


def _columns(*columns: tuple[int, str] | tuple[int, str, Version]) -> tuple[TextColumn, ...]:
    return tuple(TextColumn(*column) for column in columns)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (("eng", PLAIN, 1), "eng"),
        (("eng", PLAIN, 2), "eng#2"),
        (("eng", SOURCE, 1), "eng:source"),
        (("eng", B, 1), "eng:reference:B"),
        (("eng", B, 3), "eng:reference:B#3"),
        (("eng", Version("", "B"), 1), "eng::B"),
        (("eng", Version("system", "a:b"), 1), "eng:system:a:b"),
        (("eng", Version("system", "x#2"), 1), "eng:system:x#2#1"),
    ],
)
def test_a_version_has_its_heading(column: tuple[str, Version, int], expected: str) -> None:
    assert heading(*column) == expected


NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0") | st.sampled_from(":#12 "))
ROLE: st.SearchStrategy[Role] = st.sampled_from(["", "source", "reference", "system"])


@given(ROLE, NAME, st.integers(1, 12))
def test_a_heading_is_understood(role: Role, name: str, number: int) -> None:
    first = [heading("eng", Version(role, name), number), "fra"]

    assert table_layout(first, PAIR, Path("unused")).texts == _columns((0, "eng", Version(role, name)), (1, "fra"))
    assert languages_in_header(first, "auto") == ("eng", "fra")


@pytest.mark.parametrize(
    ("first", "options", "layout"),
    [
        ("id eng fra", PAIR, ColumnLayout(True, _columns((1, "eng"), (2, "fra")), id=0)),
        ("fra document eng", PAIR, ColumnLayout(True, _columns((2, "eng"), (0, "fra")), document=1)),
        (
            "id document document:origlang document:domain eng fra",
            PAIR,
            ColumnLayout(True, _columns((4, "eng"), (5, "fra")), 0, 1, (("domain", 3), ("origlang", 2))),
        ),
        ("ID Document eng fra", PAIR, ColumnLayout(True, _columns((2, "eng"), (3, "fra")))),
        ("id id eng fra", PAIR, ColumnLayout(True, _columns((2, "eng"), (3, "fra")))),
        ("id text place", Options(("eng",)), ColumnLayout(True, _columns((1, "eng")), 0)),
        ("key text place", Options(("eng",)), ColumnLayout(False, _columns((0, "eng")))),
        ("key text place", Options(("eng",), header="yes"), ColumnLayout(True, _columns((1, "eng")))),
        (
            "key text place",
            Options(("eng",), attributes=("place",)),
            ColumnLayout(True, _columns((1, "eng")), attributes=(("place", 2),)),
        ),
        (
            "id source target",
            Options(PAIR.languages, columns=(2, 3)),
            ColumnLayout(True, _columns((1, "eng"), (2, "fra")), 0),
        ),
        (
            "id q r",
            Options(PAIR.languages, columns=("r", "q")),
            ColumnLayout(True, _columns((2, "eng"), (1, "fra")), 0),
        ),
        (
            "id eng fra",
            Options(PAIR.languages, columns=(1, 2), header="no"),
            ColumnLayout(False, _columns((0, "eng"), (1, "fra"))),
        ),
        (
            "id Un. Hello. fra",
            Options(PAIR.languages, columns=(3, 2)),
            ColumnLayout(False, _columns((2, "eng"), (1, "fra"))),
        ),
        ("id eng", INDONESIAN, ColumnLayout(True, _columns((0, "ind"), (1, "eng")))),
        ("id ind eng", INDONESIAN, ColumnLayout(True, _columns((1, "ind"), (2, "eng")), id=0)),
        ("id ind:source eng", INDONESIAN, ColumnLayout(True, _columns((1, "ind", SOURCE), (2, "eng")), id=0)),
        ("fra eng eng#2", PAIR, ColumnLayout(True, _columns((1, "eng"), (2, "eng"), (0, "fra")))),
        ("fra eng english eng:reference:B", PAIR, ColumnLayout(True, _columns((2, "eng"), (3, "eng", B), (0, "fra")))),
        ("fra:source eng:reference:B", PAIR, ColumnLayout(True, _columns((1, "eng", B), (0, "fra", SOURCE)))),
        ("fra-CA:source en-US:source", PAIR, ColumnLayout(True, _columns((1, "eng", SOURCE), (0, "fra", SOURCE)))),
        ("fra eng:translator:B", PAIR, ColumnLayout(False, _columns((0, "eng"), (1, "fra")))),
    ],
)
def test_headings_choose_the_columns(first: str, options: Options, layout: ColumnLayout) -> None:
    assert table_layout(first.split(), options, Path("unused")) == layout


@pytest.mark.parametrize(
    ("first", "header", "languages"),
    [
        ("eng fra", "auto", ("eng", "fra")),
        ("french english", "auto", ("fra", "eng")),
        ("id document document:domain fra:source eng:reference:A eng:reference:B", "auto", ("fra", "eng")),
        ("eng eng#2", "auto", ("eng",)),
        ("eng fra", "no", ()),
        ("en fr", "auto", ()),
        ("en fr", "yes", ("eng", "fra")),
        ("no is", "auto", ()),
        ("eng fra note", "auto", ()),
        ("id eng", "auto", ()),
        ("One. Un.", "auto", ()),
    ],
)
def test_a_header_of_headings_alone_names_the_languages(first: str, header: Header, languages: tuple[str, ...]) -> None:
    assert languages_in_header(first.split(), header) == languages


def _items(tmp_path: Path, rows: str, options: Options) -> list[Item]:
    path = tmp_path / "file.tsv"
    path.write_bytes(rows.replace(" ", "\t").encode())
    return list(TsvSource.recognise((path,), options).items())


@pytest.mark.parametrize(
    ("rows", "options", "told"),
    [
        (
            "doc id eng fra note\nd 1 a b c\n",
            PAIR,
            "eng from eng (column 3), fra from fra (column 4); not used: doc, note (--attributes keeps what says"
            " something of a line)",
        ),
        ("document id eng fra\nd 1 a b\n", PAIR, "eng from eng (column 3), fra from fra (column 4)"),
        (
            "doc eng fra\nd a b\n",
            replace(PAIR, attributes=("document=doc",)),
            "eng from eng (column 2), fra from fra (column 3)",
        ),
        ("a b c\n", replace(PAIR, header="no"), "eng from column 1, fra from column 2"),
    ],
)
def test_what_is_not_used_of_a_header_is_told(tmp_path: Path, rows: str, options: Options, told: str) -> None:
    path = tmp_path / "file.tsv"
    path.write_bytes(rows.replace(" ", "\t").encode())
    assert TsvSource.recognise((path,), options).format_columns() == told


NEWS = Document("news", (("domain", "press"),))


@pytest.mark.parametrize(
    ("rows", "options", "items"),
    [
        (
            "id eng document fra\n1 a d b\n b  c\n2  d e\n",
            Options(),
            [
                Record(2, ("a", "b"), name="1", document=Document("d")),
                Record(3, ("b", "c")),
                Rejected(4, "empty text in column 2 (eng)"),
            ],
        ),
        (
            "document document:domain fra:source eng:reference eng:reference:B\n"
            "news press a b c\nnews press a  c\n\n   a \n",
            Options(("eng", "fra")),
            [
                Record(2, ("b", "c", "a"), ("eng", "eng", "fra"), "", NEWS, (Version("reference"), B, SOURCE)),
                Record(3, ("c", "a"), ("eng", "fra"), "", NEWS, (B, SOURCE)),
                Rejected(4, "blank line"),
                Rejected(5, "has a text only in column 4"),
            ],
        ),
        (
            "eng eng:reference:B fra\na  b\na b c\n",
            Options(),
            [
                Record(2, ("a", "b"), ("eng", "fra")),
                Record(3, ("a", "b", "c"), ("eng", "eng", "fra"), versions=(PLAIN, B, PLAIN)),
            ],
        ),
        ("eng fra fra#2\n   \n", Options(), [Rejected(2, "has no text")]),
    ],
)
def test_units_have_ids_documents_and_versions(tmp_path: Path, rows: str, options: Options, items: list[Item]) -> None:
    assert _items(tmp_path, rows, options) == items


def test_a_row_without_its_last_cells_is_cut_off(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has 2 columns, 3 needed") as caught:
        _items(tmp_path, "eng fra id\na b 1\na b\n", Options(("eng", "fra")))

    assert caught.value.line == 3


@pytest.mark.parametrize("options", [Options(), Options(header="yes"), Options(header="no"), Options(columns=(1, 2))])
def test_a_file_that_does_not_name_its_languages_needs_them(tmp_path: Path, options: Options) -> None:
    with pytest.raises(UsageError, match=r"needs (its|the) languages"):
        _items(tmp_path, "One. Un.\n", options)


def test_languages_that_the_header_names_are_as_good_as_given(tmp_path: Path) -> None:
    path = tmp_path / "file.tsv"
    path.write_text("eng\tfra\na\tb\n")

    assert TsvSource.recognise((path,), Options()) == TsvSource((path,), PAIR)


# Comma-separated values: quoting, delimiters, and what is refused at which line.


def _csv_items(tmp_path: Path, text: str, options: Options = PAIR) -> list[Item]:
    path = tmp_path / "file.csv"
    path.write_bytes(text.encode())
    return list(CsvSource.recognise((path,), options).items())


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
    assert _csv_items(tmp_path, text, options) == items


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
        _csv_items(tmp_path, text)

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
    records = [item for item in CsvSource((path,), PAIR).items() if isinstance(item, Record)]

    assert [record.texts for record in records] == rows
    begins = written.getvalue().split("\n")
    assert all(0 < record.line <= len(begins) for record in records)
    assert sorted({record.line for record in records}) == [record.line for record in records]


# Tab-separated files: headers, columns, and rows that lack something.


def _tsv_items(tmp_path: Path, text: str, options: Options) -> list[Item]:
    path = tmp_path / "file.tsv"
    path.write_bytes(text.encode())
    return list(TsvSource((path,), options).items())


def _texts(items: list[Item]) -> list[tuple[str | None, ...]]:
    return [item.texts for item in items if isinstance(item, Record)]


TSV_PAIR = ("eng", "fra")


@pytest.mark.parametrize(
    ("first", "options", "texts"),
    [
        ("english\tfrench\tnote", Options(TSV_PAIR), ("a", "b")),
        ("French\tENGLISH\tnote", Options(TSV_PAIR), ("b", "a")),
        ("id\tfra\teng", Options(TSV_PAIR), ("c", "b")),
        ("fr-CA\ten_US\tnote", Options(TSV_PAIR), ("b", "a")),
        ("id\tindonesian\tenglish", Options(("ind", "eng")), ("b", "c")),
        ("english\tjapanese\tfrench", Options(("fra", "eng", "jpn")), ("c", "a", "b")),
        ("english\ttranslation\tattribution", Options(TSV_PAIR), ("a", "b")),
        ("source\ttarget\tscore", Options(TSV_PAIR), ("a", "b")),
        ("Sentence1\tsentence_2\tscore", Options(TSV_PAIR), ("a", "b")),
        ("src\tref\tscore", Options(TSV_PAIR), ("a", "b")),
        ("text\tscore\tnote", Options(("eng",)), ("a",)),
        ("id\tsource\ttarget", Options(TSV_PAIR, columns=(2, 3)), ("b", "c")),
        ("id\tsource\ttarget", Options(TSV_PAIR, columns=(3, 2)), ("c", "b")),
        ("id\tq\tr", Options(TSV_PAIR, columns=("r", " Q ")), ("c", "b")),
        ("x\ty\tz", Options(TSV_PAIR, header="yes"), ("a", "b")),
        ("french\tenglish\tz", Options(TSV_PAIR, header="yes"), ("b", "a")),
    ],
)
def test_a_header_is_recognised_and_chooses_the_columns(
    tmp_path: Path, first: str, options: Options, texts: tuple[str, ...]
) -> None:
    name = "a" if first.startswith("id\t") else ""

    assert _tsv_items(tmp_path, f"{first}\na\tb\tc\n", options) == [Record(2, texts, name=name)]


@pytest.mark.parametrize(
    ("first", "options"),
    [
        ("No\tNo", Options(("eng", "spa"))),
        ("Hello!\tBonjour !", Options(TSV_PAIR)),
        ("He is\tIl est", Options(TSV_PAIR)),
        ("english\tUn mot.", Options(TSV_PAIR)),
        ("english\tfrench", Options(TSV_PAIR, header="no")),
        ("source\ttarget", Options(TSV_PAIR, columns=(1, 2), header="no")),
    ],
)
def test_a_first_line_that_is_text_is_no_header(tmp_path: Path, first: str, options: Options) -> None:
    assert _tsv_items(tmp_path, f"{first}\na\tb\n", options)[0] == Record(1, tuple(first.split("\t")))


@pytest.mark.parametrize(
    ("first", "options", "reason"),
    [
        ("id\tq\tr", Options(TSV_PAIR, columns=("q", "s")), "no column is named 's'; the header has: id, q, r"),
        ("q\tq\tr", Options(TSV_PAIR, columns=("q", "r")), "2 columns are named 'q'"),
        ("english\tgerman\tnote", Options(TSV_PAIR), "column 2 is headed 'german', not fra"),
        ("translation\tenglish\tnote", Options(TSV_PAIR), "column 2 is headed 'english', not fra"),
        ("id\tq\ttranslation", Options(TSV_PAIR, header="yes"), "which columns hold eng and fra?"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path: Path, first: str, options: Options, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        _tsv_items(tmp_path, f"{first}\na\tb\tc\n", options)

    assert caught.value.line == 1
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(TSV_PAIR, columns=(1,)),
        Options(TSV_PAIR, columns=(1, 1)),
        Options(TSV_PAIR, columns=(0, 1)),
        Options(TSV_PAIR, columns=("a", "b"), header="no"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: Options) -> None:
    with pytest.raises(UsageError):
        TsvSource((Path("unused"),), options)


@pytest.mark.parametrize(
    ("row", "languages", "item"),
    [
        ('"a\t"b""\tc', TSV_PAIR, Record(1, ('"a', '"b""'))),
        (" a \tb\u3000", TSV_PAIR, Record(1, (" a ", "b\u3000"))),
        ("a\t\tc", TSV_PAIR, Rejected(1, "empty text in column 2 (fra)")),
        ("\u3000\tb", TSV_PAIR, Rejected(1, "empty text in column 1 (eng)")),
        ("\t\tc", TSV_PAIR, Rejected(1, "empty text in column 1 (eng) and column 2 (fra)")),
        ("\t", TSV_PAIR, Rejected(1, "empty text in column 1 (eng) and column 2 (fra)")),
        ("", TSV_PAIR, Rejected(1, "blank line")),
        ("  ", TSV_PAIR, Rejected(1, "blank line")),
        ("a\t\tc", ("eng", "fra", "jpn"), Record(1, ("a", "", "c"))),
        ("a\t \tc", ("eng", "fra", "jpn"), Record(1, ("a", "", "c"))),
        ("a\t\t", ("eng", "fra", "jpn"), Rejected(1, "empty text in column 2 (fra) and column 3 (jpn)")),
        ("", ("eng",), Rejected(1, "blank line")),
        ("a\tb", ("eng",), Record(1, ("a",))),
    ],
)
def test_rows(tmp_path: Path, row: str, languages: tuple[str, ...], item: Item) -> None:
    assert _tsv_items(tmp_path, row + "\nx\ty\tz\n", Options(languages))[0] == item


@pytest.mark.parametrize(
    ("row", "columns", "reason"),
    [("a", (1, 2), "has 1 column, 2 needed"), ("a\tb", (1, 4), "has 2 columns, 4 needed")],
)
def test_a_row_with_too_few_cells_is_refused(tmp_path: Path, row: str, columns: tuple[int, ...], reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _tsv_items(tmp_path, f"a\tb\tc\td\n{row}\n", Options(TSV_PAIR, columns=columns))

    assert caught.value.line == 2


@pytest.mark.parametrize("source", [(TsvSource, "\t"), (CsvSource, ",")])
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("eng fra|a b|c d e", "has 3 columns, the header 2"),
        ("eng fra|a b|c d e f", "has 4 columns, the header 2"),
        ("eng fra note|a b c|c d e f", "has 4 columns, the header 3"),
        ("eng note fra url|a b c d|c d e", "has 3 columns, the header 4"),  # "e" would be taken for French
        ("a b|c d|c d e", "has 3 columns, most rows 2"),
        ("eng fra|a b|c d _", None),
        ("eng fra _|a b|c d", None),
        ("a b c|d e f|g h", None),
    ],
)
def test_ragged_rows_are_refused_or_skipped(
    tmp_path: Path, source: tuple[type[TableSource], str], rows: str, reason: str | None
) -> None:
    kind, between = source
    path = tmp_path / "file"
    path.write_text(rows.replace(" ", between).replace("|", "\n").replace("_", "") + "\n")

    def items(*, skip_bad: bool) -> list[Item]:
        return list(kind((path,), Options(TSV_PAIR, skip_bad=skip_bad)).items())

    if reason is None:
        assert items(skip_bad=False) == items(skip_bad=True)
        assert all(isinstance(each, Record) for each in items(skip_bad=False))
        return
    with pytest.raises(InputError, match=reason) as caught:
        items(skip_bad=False)
    assert (caught.value.path, caught.value.line) == (str(path), 3)
    (skipped,) = [each for each in items(skip_bad=True) if isinstance(each, Skipped)]
    assert (skipped.place, skipped.reason) == (3, reason)


# Tables as they are written: their columns, and texts that have no place in them.

WRITING_PLAIN, WRITING_SOURCE, A, WRITING_B = (
    Version(),
    Version("source"),
    Version("reference", "A"),
    Version("reference", "B"),
)


@pytest.mark.parametrize(
    ("records", "languages", "columns"),
    [
        ([], TSV_PAIR, Columns(())),
        ([Record(1, ("a", "b"))], TSV_PAIR, Columns((("eng", WRITING_PLAIN), ("fra", WRITING_PLAIN)))),
        ([Record(1, ("b", "a"), ("fra", "eng"))], (), Columns((("fra", WRITING_PLAIN), ("eng", WRITING_PLAIN)))),
        ([Record(1, ("b", "a"), ("fra", "eng"))], TSV_PAIR, Columns((("eng", WRITING_PLAIN), ("fra", WRITING_PLAIN)))),
        (
            [Record(1, ("a", "b", "c"), ("eng", "fra", "eng")), Record(2, ("a", "b"), TSV_PAIR)],
            (),
            Columns((("eng", WRITING_PLAIN), ("eng", WRITING_PLAIN), ("fra", WRITING_PLAIN))),
        ),
        (
            [
                Record(1, ("a", "b"), TSV_PAIR, "", Document("d", (("x", "1"),)), (A, WRITING_SOURCE)),
                Record(
                    2,
                    ("a", "", "b"),
                    ("eng", "eng", "fra"),
                    "7",
                    Document("e", (("b", "1"),)),
                    (WRITING_B, A, WRITING_SOURCE),
                ),
            ],
            (),
            Columns((("eng", A), ("eng", WRITING_B), ("fra", WRITING_SOURCE)), True, True, ("b", "x")),
        ),
    ],
)
def test_the_columns_that_units_need(records: list[Record], languages: tuple[str, ...], columns: Columns) -> None:
    assert columns_of(records, languages) == columns


UNITS = [
    Record(1, ('say "a, b"', "c;d"), TSV_PAIR, "1", Document("d", (("domain", "news"),)), (A, WRITING_SOURCE)),
    Record(2, ("e", "f", "g"), ("eng", "eng", "fra"), "", Document("d"), (A, A, WRITING_SOURCE)),
    Record(3, ("h", "i"), TSV_PAIR, "2"),
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
    unit = Record(1, (cells.get("text", "a"), "b"), TSV_PAIR, cells.get("id", "1"), document)

    with pytest.raises(InputError, match=reason):
        write([unit], columns_of([unit]), io.StringIO())


@pytest.mark.parametrize("write", [write_tsv, write_csv])
def test_names_of_versions_are_one_line(write: Callable[..., int]) -> None:
    unit = Record(1, ("a", "b"), TSV_PAIR, versions=(Version("reference", "A\nB"), WRITING_SOURCE))

    with pytest.raises(InputError, match="a heading cannot hold"):
        write([unit], columns_of([unit]), io.StringIO())


def test_a_text_without_a_column_is_refused() -> None:
    with pytest.raises(UsageError, match="no column eng#2 for 'b'"):
        write_tsv([Record(1, ("a", "b"), ("eng", "eng"))], Columns((("eng", WRITING_PLAIN),)), io.StringIO())
