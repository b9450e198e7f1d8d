"""Searches that never end: a key ends each of them, whatever has the focus, and so does what is typed next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest
from corpus_pilots import corpus_place, status, type_in
from pilots import press, screen_text, settled, until
from textual.pilot import Pilot

from corpusdb.base.jobs import Limit, Progress, finished
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.store import open_store
from corpusdb.search.queries.request import SearchRequest
from tui.kit.help_screens import HelpScreen
from tui.search import results as questions
from tui.search.screen import CorpusScreen

SENTENCES = [
    "x" * 60 + "! y",
    "a" * 60 + "!",
    " ".join(f"w{number}" for number in range(3_000)),
    "A pillow.",
]
REGEX = replace(SearchRequest(regex=True), lang="eng")
ENDLESS = [
    *(replace(REGEX, pattern=each) for each in (r"^(\w+\s*)+$", "(a|a)*$", "(.*)*[?]", r"^(\w+)+\1$", "(x+x+)+y")),
    SearchRequest('"(x+x+)+y"', lang="eng", cqp=True),
    SearchRequest("a:[] []* b:[] []* c:[] :: a.word = b.word & b.word = c.word", lang="eng", cqp=True),
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A few sentences in which patterns never end."""
    (tmp_path / "rows.tsv").write_text("".join(f"{text}\tx\n" for text in SENTENCES), encoding="utf-8")
    with open_store(tmp_path / "corpus.db", create=True) as store:
        sources = open_sources("tsv", [tmp_path / "rows.tsv"], Options(languages=("eng", "fra")))
        finished(import_files(store, sources, "rows", None))
    return tmp_path / "corpus.db"


@pytest.fixture(autouse=True)
def no_time_limit() -> Iterator[None]:
    """Nothing ends by itself."""
    limit = partial(Limit, None, seconds_a_text=float("inf"))
    with patch.object(questions, "Limit", lambda seconds: limit()):
        yield


def _format_is(screen: CorpusScreen) -> bool:
    return status(screen) == "searching ...; escape stops it"


async def begun(pilot: Pilot[None], screen: CorpusScreen, words: SearchRequest) -> None:
    """Search, and wait until it is told how to stop that."""
    screen.search.open_words(words)
    is_told = partial(_format_is, screen)
    await until(pilot, lambda: is_told() or screen.search.job is None or screen.search.job.is_over, "the search")
    assert is_told()


STOPPED = [
    pytest.param(
        words, key, marks=() if (words, key) in ((ENDLESS[0], "escape"), (ENDLESS[-1], "ctrl+c")) else pytest.mark.slow
    )
    for words in ENDLESS
    for key in ("escape", "ctrl+c")
]


@pytest.mark.parametrize(("words", "key"), STOPPED)
async def test_a_key_ends_a_search(corpus: Path, words: SearchRequest, key: str) -> None:
    async with corpus_place(corpus) as (pilot, screen):
        await begun(pilot, screen, words)
        assert screen.hits.lines() == []  # what was found for other words
        await press(pilot, key)
        assert status(screen) == "the search was stopped; / begins it again"
        assert screen.hits.lines() == [] and screen.results.chosen_texts() == []
        assert "The search was stopped." in screen_text(pilot.app)
        screen.search.search_for("pillow", "eng")
        await settled(pilot)
        assert screen.hits.lines() == ["A pillow."]


@pytest.mark.slow
async def test_a_key_ends_it_while_the_focus_is_in_the_line(corpus: Path) -> None:
    async with corpus_place(corpus) as (pilot, screen):
        await begun(pilot, screen, ENDLESS[0])
        screen.set_focus(screen.head.line)
        await press(pilot, "escape")
        assert status(screen).startswith("the search was stopped")
        assert screen.head.line.has_focus
        await press(pilot, "escape")
        assert screen.hits.has_focus
        await press(pilot, "ctrl+c")
        assert "ctrl+q leaves" in status(screen)


async def test_one_that_was_stopped_begins_again(corpus: Path) -> None:
    async with corpus_place(corpus) as (pilot, screen):
        await begun(pilot, screen, ENDLESS[0])
        await press(pilot, "escape")
        await pilot.press("slash")
        await until(pilot, lambda: _format_is(screen), "the search")
        await press(pilot, "escape")
        assert status(screen).startswith("the search was stopped")


async def test_one_that_has_seen_all_is_not_thrown_away(corpus: Path) -> None:
    async with corpus_place(corpus) as (pilot, screen):
        await begun(pilot, screen, ENDLESS[0])
        job = screen.search.job
        assert job is not None
        screen.search._watch(job, Progress("sentences", 4, 4))
        await pilot.press("escape")
        assert not job.is_over and "in a moment" in status(screen)
        screen.search._watch(job, Progress("groups", 0, 0))
        await press(pilot, "escape")
        assert job.is_over


@pytest.mark.slow
async def test_what_is_typed_takes_its_place(corpus: Path) -> None:
    async with corpus_place(corpus) as (pilot, screen):
        await begun(pilot, screen, ENDLESS[0])
        screen.set_focus(screen.head.line)
        await press(pilot, "ctrl+u")
        await type_in(pilot, "pil")
        assert screen.hits.lines() == ["A pillow."]
        assert status(screen) == "1 sentence"


@pytest.mark.slow
async def test_a_bad_pattern_in_a_group_of_lines_is_stopped_too(corpus: Path) -> None:
    async with corpus_place(corpus) as (pilot, screen):
        await begun(pilot, screen, replace(ENDLESS[1], kwic=True, group="match"))
        await press(pilot, "escape")
        assert status(screen).startswith("the search was stopped")


@pytest.mark.slow
async def test_leaving_ends_it(corpus: Path) -> None:
    """Or this test would never end."""

    async with corpus_place(corpus) as (pilot, screen):
        await begun(pilot, screen, ENDLESS[0])
        await pilot.press("ctrl+q")


@pytest.mark.slow
async def test_the_help_has_the_key(corpus: Path) -> None:
    async with corpus_place(corpus) as (pilot, _):
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        lines = [line for line in pilot.app.screen.lines() if "Stop the search" in line]
        assert len(lines) == 1 and "ctrl+c" in lines[0] and "escape" in lines[0]
