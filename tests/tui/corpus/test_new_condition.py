"""A search condition that only this test knows, in the browser: its line in the form, its summary, its kept query."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from corpus_pilots import fill, press, run, status
from pilots import screen_text, settled
from textual.pilot import Pilot

from corpusdb.base.errors import UsageError
from corpusdb.base.options import FormLine, Option
from corpusdb.search.queries.conditions import Candidates, Condition
from corpusdb.search.queries.request import SearchRequest, condition
from tui.search.forms import conditions, filter_fields, filtered
from tui.search.screen import CorpusScreen


@dataclass(frozen=True, slots=True)
class AtMost(Condition):
    """The sentence has at most some number of characters."""

    characters: int

    def narrow(self, candidates: Candidates) -> Candidates:
        return candidates.where(lambda text: len(text) <= self.characters)


def _at_most(request: Request) -> Iterable[Condition]:
    return [AtMost(request.most)] if request.most is not None else []


@dataclass(frozen=True, slots=True)
class Request(SearchRequest):
    """A search request with one condition more."""

    most: int | None = condition(
        None,
        Option("At most this many characters.", metavar="N"),
        FormLine("Most characters", "a number", "at most {}"),
        _at_most,
    )


def test_the_form_has_a_line_for_it(phrasebook: Path) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        screen.search.change(Request(lang="eng"))
        await settled(pilot)
        everything = screen.hits.count
        await press(pilot, "f")
        assert "Most characters" in screen_text(pilot.app)
        await fill(pilot, most="many")
        assert "most characters: a whole number or nothing, not 'many'" in screen_text(pilot.app)
        await fill(pilot, most="10")
        assert screen.search.words == Request(lang="eng", most=10)
        assert 0 < screen.hits.count < everything
        assert all(len(text) <= 10 for text in screen.hits.lines())
        assert screen.lines()[1].startswith("only: at most 10 |")
        await press(pilot, "w")
        await fill(pilot, name="short")
        assert "saved" in status(screen)
        await press(pilot, "F")
        assert screen.hits.count == everything
        await press(pilot, "o")
        assert "saved short  " in screen_text(pilot.app)
        await press(pilot, "enter")
        assert screen.search.words == Request(lang="eng", most=10, limit=0)

    run(phrasebook, script)


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (Request(most=3), ["at most 3"]),
        (Request(ignore_width=True, aligned=("fra:a",)), ["any width", "fra:a"]),
        (Request(paraphrased=False, not_aligned=("fra:{}", "jpn:b")), ["unparaphrased", "not fra:{}", "not jpn:b"]),
        (Request(paraphrased=True, translated="fra", most=0), ["paraphrased", "with fra", "at most 0"]),
    ],
)
def test_what_is_said_of_conditions_and_comes_back_from_the_form(words: Request, texts: list[str]) -> None:
    assert conditions(words) == texts
    fields = filter_fields(words, ("fra", "jpn"), ("a",))
    assert [field.name for field in fields][-1] == "most"
    assert filtered(Request(), {field.name: field.value for field in fields}) == words


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("paraphrased", "maybe", "has paraphrases: yes, no, or nothing, not 'maybe'"),
        ("ignore_width", "no", "ignore width: yes or nothing, not 'no'"),
        ("most", "-3", "most characters: a whole number or nothing, not '-3'"),
    ],
)
def test_texts_that_are_no_conditions(name: str, text: str, reason: str) -> None:
    values = {field.name: field.value for field in filter_fields(Request(), (), ())}
    with pytest.raises(UsageError, match=reason):
        filtered(Request(), values | {name: text})
