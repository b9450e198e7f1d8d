"""The morphemes that SudachiPy finds, and what is said where it is missing."""

from __future__ import annotations

import sys

import pytest

from corpusdb.errors import UsageError
from corpusdb.morphemes import sudachi_analyser


@pytest.fixture
def no_morphemes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    sudachi_analyser.cache_clear()


def test_a_text_is_cut_without_its_white_space() -> None:
    pytest.importorskip("sudachipy", reason="the extra japanese is not installed")
    text = "彼は本を 読んだ。"
    morphemes = sudachi_analyser().analyse(text)
    assert [morpheme.surface for morpheme in morphemes] == ["彼", "は", "本", "を", "読ん", "だ", "。"]
    assert [text[morpheme.begin : morpheme.end] for morpheme in morphemes] == [m.surface for m in morphemes]
    verb, past = morphemes[4:6]
    assert (verb.part_of_speech, verb.conjugation, verb.form) == (("動詞", "一般"), "五段-マ行", "連用形-撥音便")
    assert (past.conjugation, past.normalized_form) == ("助動詞-タ", "た")


@pytest.mark.usefixtures("no_morphemes")
def test_without_the_extra_the_command_that_installs_it_is_said() -> None:
    with pytest.raises(UsageError, match=r"pip install 'corpusdb\[japanese\]'"):
        sudachi_analyser()
