"""In which script a text is, and which scripts a language has."""

from __future__ import annotations

from itertools import product
from string import ascii_lowercase

import pytest

from corpusdb.base.languages import language_code
from corpusdb.base.text import main_script, scripts_of_language


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Où est-il ?", "latin"),
        ("Где он?", "cyrillic"),
        ("猫が寝る", "hiragana"),
        ("カタカナ", "hiragana"),
        ("我不知道", "cjk"),
        ("안녕하세요", "hangul"),
        ("ποῦ;", "greek"),
        ("NHK のニュース", "hiragana"),
        ("A long English line on の", "latin"),
        ("123 !", ""),
    ],
)
def test_the_script_of_most_letters(text: str, script: str) -> None:
    assert main_script(text) == script


def test_scripts_of_languages() -> None:
    assert scripts_of_language("fra") == {"latin"}
    assert scripts_of_language("jpn") == {"cjk", "hiragana", "katakana"}
    assert scripts_of_language("kaz") == set()


def test_every_language_with_a_script_has_a_code() -> None:
    codes = ["".join(letters) for letters in product(ascii_lowercase, repeat=3)]
    written = [code for code in codes if scripts_of_language(code)]
    assert len(written) > 100
    assert [language_code(code) for code in written] == written
