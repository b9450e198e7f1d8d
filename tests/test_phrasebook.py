"""The built-in phrasebook: enough of it, and clean."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from corpusdb.base.languages import language_of_name
from corpusdb.base.text import normalise
from corpusdb.phrasebook import LANGUAGES, phrasebook_files

Row = tuple[str, ...]


def lines(path: Path) -> list[str]:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


def rows(path: Path) -> list[Row]:
    """The rows below the header."""
    return [tuple(line.split("\t")) for line in lines(path)[1:]]


def everything() -> list[Row]:
    return [row for path in phrasebook_files() for row in rows(path)]


each_file = pytest.mark.parametrize("path", phrasebook_files(), ids=lambda path: path.stem)


def test_there_are_several_topics() -> None:
    files = phrasebook_files()
    assert len(files) >= 5
    assert files == sorted(files)


def test_there_are_at_least_1500_english_sentences() -> None:
    assert len({row[0] for row in everything()}) >= 1500


@each_file
def test_the_header_names_the_languages(path: Path) -> None:
    assert tuple(language_of_name(name) for name in lines(path)[0].split("\t")) == LANGUAGES


@each_file
def test_every_row_has_three_cells_with_something_in_them(path: Path) -> None:
    bad = [(number, row) for number, row in enumerate(rows(path), 2) if len(row) != len(LANGUAGES) or not all(row)]
    assert bad == []


@each_file
def test_every_cell_is_as_it_would_be_stored(path: Path) -> None:
    cells = [(number, cell) for number, row in enumerate(rows(path), 2) for cell in row]
    assert [place for place in cells if normalise(place[1]) != place[1] or "  " in place[1]] == []
    assert [
        place for place in cells if any(unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co") for char in place[1])
    ] == []


@each_file
def test_no_row_stands_twice_in_a_file(path: Path) -> None:
    seen = rows(path)
    assert sorted(row for row in set(seen) if seen.count(row) > 1) == []


@each_file
def test_each_column_is_in_its_script(path: Path) -> None:
    def is_kana_or_han(text: str) -> bool:
        return any(unicodedata.name(char, "").startswith(("HIRAGANA", "KATAKANA", "CJK UNIFIED")) for char in text)

    for number, (english, japanese, french) in enumerate(rows(path), 2):
        assert is_kana_or_han(japanese), number
        assert not is_kana_or_han(english + french), number


def test_the_sentences_make_paraphrases() -> None:
    """Many share a translation: that is what the demonstration is about."""
    by_translation: dict[tuple[str, str], set[str]] = {}
    for english, japanese, french in everything():
        by_translation.setdefault(("jpn", japanese), set()).add(english)
        by_translation.setdefault(("fra", french), set()).add(english)
    assert len(set().union(*(group for group in by_translation.values() if len(group) > 1))) >= 500
