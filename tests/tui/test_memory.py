"""What comes back when the browser is opened again: the place, the query and the theme."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from corpus_pilots import status
from pilots import press, settled

from corpusdb.corpus.store import open_for_reading
from corpusdb.corpus.store.user_history import HISTORY_VARIABLE
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.results import category_sets
from tui.app import Browser
from tui.kit.settings import BrowserSettings
from tui.kit.terminal import SavedState
from tui.search.screen import CorpusScreen


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HISTORY_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


KEPT = Path(__file__).parents[1] / "search" / "kept_at_72d0413.json"


def visited(
    path: Path, keys: Sequence[str] = (), theme: str = "auto", told: list[str] | None = None
) -> tuple[str, SearchRequest, int, str]:
    """Open the browser, press keys, leave; where one was before that, with which search, its hits, and the theme.

    ``told`` gets what the line of status of the corpus said then.
    """
    found = []

    async def main() -> None:
        browser = Browser(path, BrowserSettings(theme=theme), SavedState.of_user(path))
        async with browser.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, *keys)
            corpus = browser._screen_stacks["corpus"][0]
            assert isinstance(corpus, CorpusScreen)
            if told is not None:
                told.append(status(corpus))
            found.append((browser.current_mode, corpus.search.words, corpus.hits.count, browser.looks.theme))

    asyncio.run(main())
    return found[0]


@pytest.mark.slow
def test_the_place_and_the_query_come_back(phrasebook: Path, tmp_path: Path) -> None:
    mode, words, hits, _ = visited(phrasebook, ["l", "slash", *"bière", "enter", "m", "7"])
    assert (mode, words.pattern, words.lang, words.mode) == ("overview", "bière", "fra", "word")
    assert 0 < hits < 100
    assert visited(phrasebook)[:3] == ("overview", words, hits)
    other = Path(shutil.copy(phrasebook, tmp_path / "other.db"))
    assert visited(other)[:2] == ("corpus", SearchRequest(lang="eng"))
    assert visited(phrasebook, ["1"])[:3] == ("corpus", words, hits)
    assert visited(phrasebook)[:3] == ("corpus", words, hits)


async def test_whoever_goes_elsewhere_at_once_is_not_called_back(phrasebook: Path) -> None:
    memory = SavedState.of_user(phrasebook)
    memory.place = "overview"
    memory.write()
    browser = Browser(phrasebook, BrowserSettings(), SavedState.of_user(phrasebook))
    browser._go_where_one_was = lambda: None  # type: ignore[method-assign]
    async with browser.run_test(size=(80, 24)) as pilot:
        await press(pilot, "2")
        Browser._go_where_one_was(browser)
        await settled(pilot)
        assert browser.current_mode == "session"


@pytest.mark.slow
def test_the_theme_that_was_chosen_is_kept_until_another_is_configured(phrasebook: Path) -> None:
    assert visited(phrasebook)[3] == "quiet"
    assert visited(phrasebook, ["ctrl+t"])[3] == "dark"
    assert visited(phrasebook)[3] == "dark"
    assert visited(phrasebook, theme="light")[3] == "light"
    assert visited(phrasebook, ["ctrl+t"], theme="light")[3] == "ansi-dark"
    assert visited(phrasebook, theme="light")[3] == "ansi-dark"


@pytest.mark.parametrize("content", ["", "[]", '{"databases": 3, "theme": "dark"}'])
def test_a_file_of_something_else_is_taken_for_none(content: str, tmp_path: Path) -> None:
    file = tmp_path / "state" / "corpusdb" / "browser.json"
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="utf-8")
    memory = SavedState.of_user(tmp_path / "any.db")
    assert (memory.place, memory.query, memory.theme("auto")) == ("", {}, "")
    memory.place = "corpus"
    memory.write()
    assert "corpus" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        '{"databases": {"DB": {"place": "nowhere", "query": {"lang": "xyz", "pattern": "a"}}}}',
        '{"databases": {"DB": {"place": 4, "query": {"no": "option"}}}, "theme": {"chosen": "x", "instead_of": "a"}}',
    ],
)
def test_a_file_that_is_none_is_no_error(content: str, phrasebook: Path, tmp_path: Path) -> None:
    file = tmp_path / "state" / "corpusdb" / "browser.json"
    file.parent.mkdir(parents=True)
    file.write_text(content.replace("DB", str(phrasebook.resolve())), encoding="utf-8")
    assert visited(phrasebook)[::3] == ("corpus", "quiet")
    assert json.loads(file.read_text(encoding="utf-8"))["databases"][str(phrasebook.resolve())]["place"] == "corpus"


@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
def test_what_another_version_kept_comes_back(more: dict[str, object], phrasebook: Path, tmp_path: Path) -> None:
    """As version 72d0413 wrote it, and then without some options and with one that there is no more."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))["browser"]
    query = {name: value for name, value in kept["database"]["query"].items() if not more or name != "distance"} | more
    file = tmp_path / "state" / "corpusdb" / "browser.json"
    file.parent.mkdir(parents=True)
    databases = {str(phrasebook.resolve()): kept["database"] | {"query": query}}
    file.write_text(json.dumps({"theme": kept["theme"], "databases": databases}), encoding="utf-8")
    told: list[str] = []
    _, words, hits, _ = visited(phrasebook, told=told)
    assert (words.pattern, words.lang, words.distance) == ("coffee", "eng", 1)
    assert hits > 0
    assert ("of no effect now: 'colour'" in told[0]) == bool(more)


@pytest.mark.slow
def test_nothing_is_kept_where_the_history_is_off(
    phrasebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HISTORY_VARIABLE, "off")
    visited(phrasebook, ["7"])
    assert visited(phrasebook)[0] == "corpus"
    assert not (tmp_path / "state" / "corpusdb" / "browser.json").exists()


def test_only_its_owner_may_read_it(phrasebook: Path, tmp_path: Path) -> None:
    visited(phrasebook)
    file = tmp_path / "state" / "corpusdb" / "browser.json"
    assert os.stat(file).st_mode & 0o777 == 0o600


def test_another_database_of_the_same_name_begins_anew(phrasebook: Path) -> None:
    memory = SavedState.of_user(phrasebook, "2026-01-01T00:00:00+00:00")
    memory.place, memory.query = "overview", {"pattern": "tea"}
    memory.write()
    assert SavedState.of_user(phrasebook, "2026-01-01T00:00:00+00:00").place == "overview"
    other = SavedState.of_user(phrasebook, "2026-02-02T00:00:00+00:00")
    assert (other.place, other.query) == ("", {})


def test_the_set_of_categories_comes_back(phrasebook: Path) -> None:
    keys = ["slash", *"tea", "enter", "v", "C", *"sense", "enter"]
    visited(phrasebook, keys)
    assert visited(phrasebook)[1].categories == "sense"


def test_what_was_changed_is_in_the_one_file_when_the_browser_is_left(phrasebook: Path) -> None:
    """Somebody copies that file alone."""
    visited(phrasebook, ["slash", *"tea", "enter", "v", "C", *"sense", "enter", "c", *"drink", "enter"])
    assert not phrasebook.with_name(f"{phrasebook.name}-wal").exists()
    copy = Path(shutil.copy(phrasebook, phrasebook.with_name("copy.db")))
    with open_for_reading(copy) as store:
        assert [(each.name, each.lines) for each in category_sets(store)] == [("sense", 1)]
