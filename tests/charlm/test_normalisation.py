"""What each normalisation makes of a text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.charlm.counts import NORMALISATIONS, normalised
from corpusdb.base.errors import UsageError


@pytest.mark.parametrize(
    ("text", "nfkc", "case", "letters"),
    [
        (
            "\u201cDon\u2019t\u201d,  she said\u00a0\u2026 ",
            "\u201cDon\u2019t\u201d,  she said ... ",
            '"don\'t", she said ...',
            "dont she said",
        ),
        ("ＡＢＣ　１２３", "ABC 123", "abc 123", "abc"),
        ("私は 学校　へ 行きます。", "私は 学校 へ 行きます。", "私は学校へ行きます。", "私は学校へ行きます"),
        ("Tom は 学生", "Tom は 学生", "tomは学生", "tomは学生"),
        ("well-known (1)", "well-known (1)", "well-known (1)", "well known"),
        ("हिन्दी", "हिन्दी", "हिन्दी", "हिन्दी"),
        ("ÉTÉ l\u2032eau", "ÉTÉ l\u2032eau", "été l'eau", "été leau"),
        ("a\nb\tc", "a\nb\tc", "a b c", "a b c"),
        ("...", "...", "...", ""),
        ("", "", "", ""),
    ],
)
def test_examples(text: str, nfkc: str, case: str, letters: str) -> None:
    assert [normalised([text], name)[0] for name in NORMALISATIONS] == [text, nfkc, case, letters]


@pytest.mark.parametrize("name", NORMALISATIONS)
@given(
    texts=st.lists(
        st.text(st.sampled_from("aA \n\t\u00a0\u3000\u2019'\"«.-1私はΣσİıﬁé\u0301\u0345ｶﾞ\U00020000"), max_size=9)
    )
)
@example(texts=["A1\u03011\uff9e"])
def test_each_text_is_on_its_own_and_stays_as_it_has_become(name: str, texts: list[str]) -> None:
    found = normalised(texts, name)
    assert found == [normalised([text], name)[0] for text in texts]
    assert normalised(found, name) == found
    if name in ("case", "letters"):
        assert all(text == text.strip() and "  " not in text and "\n" not in text for text in found)
    if name == "letters":
        assert all(unicodedata.category(char)[0] in "LM" or char == " " for text in found for char in text)


def test_more_lines_than_are_taken_at_a_time() -> None:
    texts = [f"Line {number}" for number in range(12_345)]
    assert normalised(texts, "case") == [text.lower() for text in texts]
    assert normalised([], "case") == []


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match="no normalisation 'lower', but none, nfkc, case, letters"):
        normalised(["a"], "lower")
