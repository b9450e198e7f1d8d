"""Parallel plain-text files."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.moses import MosesSource, write_moses
from corpusdb.corpus.formats.records import Record, Rejected


def _write(directory: Path, **texts: str) -> tuple[Path, ...]:
    for code, text in texts.items():
        (directory / f"corpus.{code}").write_bytes(text.encode())
    return tuple(directory / f"corpus.{code}" for code in texts)


def test_line_n_translates_line_n(tmp_path: Path) -> None:
    paths = _write(tmp_path, en="a\n\nc\nd\u2028\n", fr="w\n \ny\nz")

    items = list(MosesSource(paths, ("eng", "fra")).items())

    assert items == [
        Record(1, ("a", "w")),
        Rejected(2, "blank line"),
        Record(3, ("c", "y")),
        Record(4, ("d\u2028", "z")),
    ]


def test_a_line_that_is_blank_on_one_side_is_rejected_in_its_place(tmp_path: Path) -> None:
    paths = _write(tmp_path, en="a\nb\nc\n", fr="x\n\nz\n")

    assert list(MosesSource(paths, ("eng", "fra")).items()) == [
        Record(1, ("a", "x")),
        Rejected(2, "empty text in corpus.fr (fra)"),
        Record(3, ("c", "z")),
    ]


def test_of_three_languages_one_may_lack(tmp_path: Path) -> None:
    paths = _write(tmp_path, en="a\nb\n", fr="\n\n", de="x\n\n")

    assert list(MosesSource(paths, ("eng", "fra", "deu")).items()) == [
        Record(1, ("a", "", "x")),
        Rejected(2, "empty text in corpus.fr (fra) and corpus.de (deu)"),
    ]


@pytest.mark.parametrize(
    ("english", "french", "german", "line", "counts"),
    [
        ("a\nb\nc\n", "x\n", "x\ny\nz\n", 2, (3, 1, 3)),
        ("a\n", "x\n", "x\n\n", 2, (1, 1, 2)),
        ("a\nb\n", "x\ny\nz\nw", "x\ny\nz\n", 3, (2, 4, 3)),
    ],
)
def test_unequal_files_are_refused_with_their_counts(
    tmp_path: Path, english: str, french: str, german: str, line: int, counts: tuple[int, ...]
) -> None:
    paths = _write(tmp_path, en=english, fr=french, de=german)

    with pytest.raises(InputError) as caught:
        list(MosesSource(paths, ("eng", "fra", "deu")).items())

    assert caught.value.line == line
    for path, count in zip(paths, counts, strict=True):
        assert f"{path} has {count} line" in caught.value.reason


@pytest.mark.parametrize(
    ("names", "languages"),
    [
        (["c.en"], ("eng", "fra")),
        ([], ()),
        (["c.fr", "c.en"], ("eng", "fra")),
        (["c.fr.txt", "c.en.gz"], ("eng", "fra")),
    ],
)
def test_files_that_do_not_fit_the_languages_are_refused(names: list[str], languages: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        MosesSource(tuple(map(Path, names)), languages)


LINE = st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: not text.isspace()
)


@given(st.lists(st.tuples(LINE, LINE), min_size=1))
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]) -> None:
    pairs = [("first", "premier"), *pairs]
    texts = ["".join(f"{pair[side]}\n" for pair in pairs) for side in (0, 1)]
    paths = _write(tmp_path_factory.mktemp("moses"), en=texts[0], fr=texts[1])

    assert list(MosesSource(paths, ("eng", "fra")).items()) == [Record(n, pair) for n, pair in enumerate(pairs, 1)]


def test_a_missing_text_is_never_an_empty_line() -> None:
    units = [
        Record(1, ("a", "w")),
        Record(2, ("b", "")),
        Record(3, ("c", "x", "y"), ("eng", "fra", "fra")),
        Record(4, ("z", "d", "e"), ("fra", "eng", "deu")),
    ]
    files = {language: io.StringIO() for language in ("eng", "fra")}

    assert [write_moses(units, ("eng", "fra"), language, file) for language, file in files.items()] == [2, 2]
    assert [file.getvalue() for file in files.values()] == ["a\nd\n", "w\nz\n"]


@pytest.mark.parametrize("text", ["a\nb", "a\r", "\0"])
def test_a_text_that_would_not_be_one_line_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="plain text cannot hold the character"):
        write_moses([Record(1, (text, "b"))], ("eng", "fra"), "eng", io.StringIO())
