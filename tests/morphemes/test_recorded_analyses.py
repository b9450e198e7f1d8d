"""The analyses that tests use in place of SudachiPy's are SudachiPy's."""

from __future__ import annotations

import pytest
from recorded_analyses import FILE, RecordedAnalyser, recorded_in

from corpusdb.base.morphemes import sudachi_analyser


def test_the_record_is_what_sudachi_says() -> None:
    pytest.importorskip("sudachipy", reason="the extra japanese is not installed")
    identity, analyses = recorded_in(FILE)
    analyser = sudachi_analyser()
    if analyser.identity != identity:
        pytest.skip(f"{identity} is recorded, and {analyser.identity} is installed")
    assert len(analyses) > 10
    for text, morphemes in analyses.items():
        assert analyser.analyse(text) == morphemes, text


def test_a_test_gets_the_record(recorded_morphemes: RecordedAnalyser) -> None:
    assert sudachi_analyser() is recorded_morphemes
    text = "彼は本を 読んだ。"
    found = recorded_morphemes.analyse(text)
    assert [each.surface for each in found] == ["彼", "は", "本", "を", "読ん", "だ", "。"]
    assert all(text[each.begin : each.end] == each.surface for each in found)


def test_what_is_not_recorded_is_an_error() -> None:
    with pytest.raises(AssertionError, match="CORPUSDB_RECORD_MORPHEMES"):
        RecordedAnalyser("an analyser", {}).analyse("本")
