"""The built-in texts: the phrasebook, and those near speech and near writing."""

from __future__ import annotations

import unicodedata
from itertools import product
from pathlib import Path

import pytest

from corpusdb.base.char_model_counts import Alphabet, normalised, train
from corpusdb.base.char_model_probabilities import equal_references, model_of, text_bits
from corpusdb.base.text import language_of_name, normalise
from corpusdb.phrasebook import LANGUAGES, REGISTER_LANGUAGES, Register, phrasebook_files, register_file

# The built-in phrasebook: enough of it, and clean.


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


# The built-in texts near speech and near writing: clean, parallel, and apart from each other.


REGISTERS: tuple[Register, ...] = ("spoken", "written")
each_text = pytest.mark.parametrize(("register", "language"), list(product(REGISTERS, REGISTER_LANGUAGES)))
each_language = pytest.mark.parametrize("language", REGISTER_LANGUAGES)


def sentences(register: Register, language: str) -> list[str]:
    text = register_file(register, language).read_bytes().decode("utf-8")
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


@each_text
def test_every_line_is_a_sentence_as_it_would_be_stored(register: Register, language: str) -> None:
    found = sentences(register, language)
    assert len(found) >= 120
    assert [line for line in found if normalise(line) != line or not line or "  " in line or "\t" in line] == []
    assert [line for line in found if any(unicodedata.category(char)[0] == "C" for char in line)] == []
    assert len({*found}) == len(found)


@pytest.mark.parametrize("register", REGISTERS)
def test_the_languages_are_parallel_and_in_their_scripts(register: Register) -> None:
    pairs = list(zip(*(sentences(register, language) for language in REGISTER_LANGUAGES), strict=True))
    for english, japanese in pairs:
        assert english.isascii(), english
        assert not any(char.isascii() and char.isalpha() for char in japanese), japanese


def test_they_are_told_where_they_lie() -> None:
    notice = (register_file("spoken", "eng").parent / "NOTICE").read_text("utf-8")
    for register, language in product(REGISTERS, REGISTER_LANGUAGES):
        assert register_file(register, language).name in notice
        assert f"{len(sentences(register, language))} sentences" in notice
    assert "CC0 1.0" in notice
    assert not {path.parent.name for path in phrasebook_files()} & {"registers"}  # nobody imports them unasked


@each_language
def test_little_of_the_phrasebook_is_in_them(language: str) -> None:
    column = {"eng": 0, "jpn": 1}[language]
    lines = [line for path in phrasebook_files() for line in path.read_text("utf-8").splitlines()[1:]]
    phrases = {line.split("\t")[column] for line in lines}
    both = {*sentences("spoken", language), *sentences("written", language)} & phrases
    assert len(both) <= 3


def blocks(texts: list[str], size: int = 12) -> list[list[str]]:
    return [texts[first : first + size] for first in range(0, len(texts) - size + 1, size)]


@each_language
@pytest.mark.parametrize("first_half", [True, False])
def test_what_the_models_have_not_seen_stands_on_its_own_side(language: str, first_half: bool) -> None:
    """Every dozen lines of one half cost less under the model of their own kind made of the other half."""
    halves: dict[Register, tuple[list[str], list[str]]] = {}
    for register in REGISTERS:
        found = normalised(sentences(register, language), "case")
        middle = len(found) // 2
        parts = (found[:middle], found[middle:])
        halves[register] = parts if first_half else (parts[1], parts[0])
    known = equal_references([halves[register][0] for register in REGISTERS], seed=1)
    alphabet = Alphabet.of(known[0]) | Alphabet.of(known[1])
    models = [model_of(train(side, alphabet, 5), "wb") for side in known]
    differences: dict[Register, list[float]] = {register: [] for register in REGISTERS}
    for register in REGISTERS:
        for block in blocks(halves[register][1]):
            spoken, written = text_bits(models, block).bits.sum(axis=1).tolist()
            differences[register].append(spoken - written)
    assert max(differences["spoken"]) < 0 < min(differences["written"])
