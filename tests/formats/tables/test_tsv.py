"""Tab-separated files: headers, columns, and rows that lack something."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.records import Item, Options, Record, Rejected, Skipped
from corpusdb.corpus.formats.tables import CsvSource, TableSource, TsvSource


def _items(tmp_path: Path, text: str, options: Options) -> list[Item]:
    path = tmp_path / "file.tsv"
    path.write_bytes(text.encode())
    return list(TsvSource(path, options).items())


def _texts(items: list[Item]) -> list[tuple[str | None, ...]]:
    return [item.texts for item in items if isinstance(item, Record)]


PAIR = ("eng", "fra")


@pytest.mark.parametrize(
    ("first", "options", "texts"),
    [
        ("english\tfrench\tnote", Options(PAIR), ("a", "b")),
        ("French\tENGLISH\tnote", Options(PAIR), ("b", "a")),
        ("id\tfra\teng", Options(PAIR), ("c", "b")),
        ("fr-CA\ten_US\tnote", Options(PAIR), ("b", "a")),
        ("id\tindonesian\tenglish", Options(("ind", "eng")), ("b", "c")),
        ("english\tjapanese\tfrench", Options(("fra", "eng", "jpn")), ("c", "a", "b")),
        ("english\ttranslation\tattribution", Options(PAIR), ("a", "b")),
        ("source\ttarget\tscore", Options(PAIR), ("a", "b")),
        ("Sentence1\tsentence_2\tscore", Options(PAIR), ("a", "b")),
        ("src\tref\tscore", Options(PAIR), ("a", "b")),
        ("text\tscore\tnote", Options(("eng",)), ("a",)),
        ("id\tsource\ttarget", Options(PAIR, columns=(2, 3)), ("b", "c")),
        ("id\tsource\ttarget", Options(PAIR, columns=(3, 2)), ("c", "b")),
        ("id\tq\tr", Options(PAIR, columns=("r", " Q ")), ("c", "b")),
        ("x\ty\tz", Options(PAIR, header="yes"), ("a", "b")),
        ("french\tenglish\tz", Options(PAIR, header="yes"), ("b", "a")),
    ],
)
def test_a_header_is_recognised_and_chooses_the_columns(
    tmp_path: Path, first: str, options: Options, texts: tuple[str, ...]
) -> None:
    name = "a" if first.startswith("id\t") else ""

    assert _items(tmp_path, f"{first}\na\tb\tc\n", options) == [Record(2, texts, name=name)]


@pytest.mark.parametrize(
    ("first", "options"),
    [
        ("No\tNo", Options(("eng", "spa"))),
        ("Hello!\tBonjour !", Options(PAIR)),
        ("He is\tIl est", Options(PAIR)),
        ("english\tUn mot.", Options(PAIR)),
        ("english\tfrench", Options(PAIR, header="no")),
        ("source\ttarget", Options(PAIR, columns=(1, 2), header="no")),
    ],
)
def test_a_first_line_that_is_text_is_no_header(tmp_path: Path, first: str, options: Options) -> None:
    assert _items(tmp_path, f"{first}\na\tb\n", options)[0] == Record(1, tuple(first.split("\t")))


@pytest.mark.parametrize(
    ("first", "options", "reason"),
    [
        ("id\tq\tr", Options(PAIR, columns=("q", "s")), "no column is named 's'; the header has: id, q, r"),
        ("q\tq\tr", Options(PAIR, columns=("q", "r")), "2 columns are named 'q'"),
        ("english\tgerman\tnote", Options(PAIR), "column 2 is headed 'german', not fra"),
        ("translation\tenglish\tnote", Options(PAIR), "column 2 is headed 'english', not fra"),
        ("id\tq\ttranslation", Options(PAIR, header="yes"), "column 1 is headed 'id', not eng"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path: Path, first: str, options: Options, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        _items(tmp_path, f"{first}\na\tb\tc\n", options)

    assert caught.value.line == 1
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(PAIR, columns=(1,)),
        Options(PAIR, columns=(1, 1)),
        Options(PAIR, columns=(0, 1)),
        Options(PAIR, columns=("a", "b"), header="no"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: Options) -> None:
    with pytest.raises(UsageError):
        TsvSource(Path("unused"), options)


@pytest.mark.parametrize(
    ("row", "languages", "item"),
    [
        ('"a\t"b""\tc', PAIR, Record(1, ('"a', '"b""'))),
        (" a \tb\u3000", PAIR, Record(1, (" a ", "b\u3000"))),
        ("a\t\tc", PAIR, Rejected(1, "empty text in column 2 (fra)")),
        ("\u3000\tb", PAIR, Rejected(1, "empty text in column 1 (eng)")),
        ("\t\tc", PAIR, Rejected(1, "empty text in column 1 (eng) and column 2 (fra)")),
        ("\t", PAIR, Rejected(1, "empty text in column 1 (eng) and column 2 (fra)")),
        ("", PAIR, Rejected(1, "blank line")),
        ("  ", PAIR, Rejected(1, "blank line")),
        ("a\t\tc", ("eng", "fra", "jpn"), Record(1, ("a", "", "c"))),
        ("a\t \tc", ("eng", "fra", "jpn"), Record(1, ("a", "", "c"))),
        ("a\t\t", ("eng", "fra", "jpn"), Rejected(1, "empty text in column 2 (fra) and column 3 (jpn)")),
        ("", ("eng",), Rejected(1, "blank line")),
        ("a\tb", ("eng",), Record(1, ("a",))),
    ],
)
def test_rows(tmp_path: Path, row: str, languages: tuple[str, ...], item: Item) -> None:
    assert _items(tmp_path, row + "\nx\ty\tz\n", Options(languages))[0] == item


@pytest.mark.parametrize(
    ("row", "columns", "reason"),
    [("a", (1, 2), "has 1 column, 2 needed"), ("a\tb", (1, 4), "has 2 columns, 4 needed")],
)
def test_a_row_with_too_few_cells_is_refused(tmp_path: Path, row: str, columns: tuple[int, ...], reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        _items(tmp_path, f"a\tb\tc\td\n{row}\n", Options(PAIR, columns=columns))

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
        return list(kind(path, Options(PAIR, skip_bad=skip_bad)).items())

    if reason is None:
        assert items(skip_bad=False) == items(skip_bad=True)
        assert all(isinstance(each, Record) for each in items(skip_bad=False))
        return
    with pytest.raises(InputError, match=reason) as caught:
        items(skip_bad=False)
    assert (caught.value.path, caught.value.line) == (str(path), 3)
    (skipped,) = [each for each in items(skip_bad=True) if isinstance(each, Skipped)]
    assert (skipped.place, skipped.reason) == (3, reason)


CELL = st.text(st.characters(exclude_characters="\n\r\t\0", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: not text.isspace()
)


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1))
def test_what_is_written_as_tsv_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("tsv") / "file.tsv"
    path.write_bytes("".join("\t".join(row) + "\n" for row in [("fra", "eng", "jpn"), *rows]).encode())
    source = TsvSource(path, Options(("eng", "fra", "jpn")))

    expected = [Record(line, (english, french, japanese)) for line, (french, english, japanese) in enumerate(rows, 2)]
    assert list(source.items()) == expected
    assert list(source.items()) == expected
