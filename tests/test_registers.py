"""The built-in texts near speech and near writing: clean, parallel, and apart from each other."""

from __future__ import annotations

import unicodedata
from itertools import product

import pytest

from corpusdb.base.charlm.costs import equal_references, text_bits
from corpusdb.base.charlm.counts import Alphabet, normalised, train
from corpusdb.base.charlm.smoothing import model_of
from corpusdb.base.text import normalise
from corpusdb.phrasebook import REGISTER_LANGUAGES, Register, phrasebook_files, register_file

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
