"""Content words in the spelling of the dictionary."""

from __future__ import annotations

import pytest

from corpusdb.base.morphemes import sudachi_analyser
from corpusdb.rules.morphology import Analysis
from corpusdb.rules.style import canonical_spelling

pytestmark = pytest.mark.usefixtures("recorded_morphemes")


@pytest.mark.parametrize(
    ("text", "respelt", "replaced"),
    [
        ("それは分った。", "それは分かった。", (("分る", "分かる"),)),  # an inflected form keeps its ending
        ("わかりません。", "分かりません。", (("わかる", "分かる"),)),
        ("こどもが いた。", "子供が いた。", (("こども", "子供"),)),  # with the white space of the text
        ("本を読んでください。", "本を読んでください。", ()),  # a function word is style, and stays
        ("", "", ()),
    ],
)
def test_content_words_are_respelt(text: str, respelt: str, replaced: tuple[tuple[str, str], ...]) -> None:
    found = canonical_spelling(Analysis(text, sudachi_analyser().analyse(text)))
    assert (found.text, found.replaced) == (respelt, replaced)


def test_respelling_twice_changes_nothing_more() -> None:
    once = canonical_spelling(Analysis("それは分った。", sudachi_analyser().analyse("それは分った。"))).text
    assert canonical_spelling(Analysis(once, sudachi_analyser().analyse(once))).text == once
