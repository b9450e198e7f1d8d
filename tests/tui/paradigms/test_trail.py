"""The way through the paradigms without a screen: where keys lead from a row, and how one comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpusdb.base.errors import UsageError
from tui.paraphrase.paradigm_steps import Answer, Languages, Row, Step, Trail

BEER = Step("fillers", "beer")
TEA = Row(3, "tea", "I like tea.", phrase="tea")
WINE = Row(2, "wine", "I like wine.", phrase="wine")
GAP = Row(4, "I like _.", "", context="I like _.", sentence="I like tea.")


def test_enter_leads_on_and_back_to_where_one_was() -> None:
    way = Trail((BEER,), Answer(2, (TEA, WINE)))
    steps = way.opened(1)
    assert steps == (replace(BEER, cursor=1), Step("shared", "beer", "wine"))
    gap = Trail(steps, Answer(1, (GAP,))).opened(0)
    assert gap == (*steps, Step("gap", "I like _."))
    assert Trail(gap, Answer(1, (replace(GAP, context=None),))).opened(0) is None, "to the sentence"


def test_the_row_behind_the_last_leads_to_all() -> None:
    way = Trail((BEER,), Answer(9, (TEA, WINE)))
    assert (way.count, way.row(2)) == (3, None)
    assert way.opened(2) == (replace(BEER, cursor=2, limit=0),)


def test_one_looks_at_the_phrase_of_the_row_else_of_the_step() -> None:
    way = Trail((BEER,), Answer(2, (TEA, GAP)))
    assert way.looked_at("contexts", 0)[-1] == Step("contexts", "tea")
    assert way.looked_at("contexts", 1)[-1] == Step("contexts", "beer")
    with pytest.raises(UsageError, match="no phrase"):
        Trail((Step("gap", "I like _."),), Answer(1, (GAP,))).looked_at("fillers", 0)
    with pytest.raises(UsageError, match="type a phrase first"):
        Trail().looked_at("fillers", 0)


def test_languages_take_turns() -> None:
    languages = Languages()
    with pytest.raises(UsageError, match="no language has an index"):
        languages.next()
    languages.were_read(["ara", "eng", "fra"], "")
    seen = [languages.current]
    for _ in range(3):
        languages.next()
        seen.append(languages.current)
    assert seen == ["eng", "fra", "ara", "eng"]
    other = Languages()
    other.were_read(["ara", "eng", "fra"], "fra")
    assert other.current == "fra", "what was looked at elsewhere"
    languages.current = "jpn"
    languages.were_read(["eng"], "fra")
    assert languages.current == "jpn", "somebody has chosen"
    with pytest.raises(UsageError, match="only jpn has an index"):
        languages.next()
