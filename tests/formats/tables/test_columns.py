"""Headings, and which columns they choose."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.columns import Layout, TextColumn, heading, languages_in_header, table_layout
from corpusdb.corpus.formats.records import Document, Header, Item, Options, Record, Rejected, Role, Version
from corpusdb.corpus.formats.tables import TsvSource

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
        ("id eng fra", PAIR, Layout(True, _columns((1, "eng"), (2, "fra")), id=0)),
        ("fra document eng", PAIR, Layout(True, _columns((2, "eng"), (0, "fra")), document=1)),
        (
            "id document document:origlang document:domain eng fra",
            PAIR,
            Layout(True, _columns((4, "eng"), (5, "fra")), 0, 1, (("domain", 3), ("origlang", 2))),
        ),
        ("ID Document eng fra", PAIR, Layout(True, _columns((2, "eng"), (3, "fra")))),
        ("id id eng fra", PAIR, Layout(True, _columns((2, "eng"), (3, "fra")))),
        (
            "id source target",
            Options(PAIR.languages, columns=(2, 3)),
            Layout(True, _columns((1, "eng"), (2, "fra")), 0),
        ),
        ("id q r", Options(PAIR.languages, columns=("r", "q")), Layout(True, _columns((2, "eng"), (1, "fra")), 0)),
        (
            "id eng fra",
            Options(PAIR.languages, columns=(1, 2), header="no"),
            Layout(False, _columns((0, "eng"), (1, "fra"))),
        ),
        ("id Un. Hello. fra", Options(PAIR.languages, columns=(3, 2)), Layout(False, _columns((2, "eng"), (1, "fra")))),
        ("id eng", INDONESIAN, Layout(True, _columns((0, "ind"), (1, "eng")))),
        ("id ind eng", INDONESIAN, Layout(True, _columns((1, "ind"), (2, "eng")), id=0)),
        ("id ind:source eng", INDONESIAN, Layout(True, _columns((1, "ind", SOURCE), (2, "eng")), id=0)),
        ("fra eng eng#2", PAIR, Layout(True, _columns((1, "eng"), (2, "eng"), (0, "fra")))),
        ("fra eng english eng:reference:B", PAIR, Layout(True, _columns((2, "eng"), (3, "eng", B), (0, "fra")))),
        ("fra:source eng:reference:B", PAIR, Layout(True, _columns((1, "eng", B), (0, "fra", SOURCE)))),
        ("fra-CA:source en-US:source", PAIR, Layout(True, _columns((1, "eng", SOURCE), (0, "fra", SOURCE)))),
        ("fra eng:translator:B", PAIR, Layout(False, _columns((0, "eng"), (1, "fra")))),
    ],
)
def test_headings_choose_the_columns(first: str, options: Options, layout: Layout) -> None:
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
    return list(TsvSource.recognise(path, options).items())


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
    with pytest.raises(UsageError, match="needs its languages"):
        _items(tmp_path, "One. Un.\n", options)


def test_languages_that_the_header_names_are_as_good_as_given(tmp_path: Path) -> None:
    path = tmp_path / "file.tsv"
    path.write_text("eng\tfra\na\tb\n")

    assert TsvSource.recognise(path, Options()) == TsvSource(path, PAIR)
