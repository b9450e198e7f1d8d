"""Judging item by item, driven by its keys: what it wrote, and what a judge has before and behind them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st
from people_pilots import SIZE, items_screen, judging, said, status, texts, words
from pilots import press, screen_text, settled, until
from textual.pilot import Pilot

from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.samples import SampleOptions, draw_sample
from corpusdb.people.queries.verdicts import SKIP, BlindItem
from tui.app import Browser, make_browser
from tui.kit.shown import TextPane
from tui.people.judging_screen import ItemsScreen, JudgingQueue, Verdict
from tui.people.samples_screen import JudgingScreen

# Judging item by item, driven by its keys; what it wrote is read back through the queries.


KEYS: Mapping[str, Sequence[tuple[str, str]]] = {
    "sentences": (("a", "yes"), ("y", "yes"), ("x", "no"), ("n", "no"), ("space", "skip")),
    "pairs": (
        ("a", "equivalence"),
        ("=", "equivalence"),
        ("e", "entailment"),
        (">", "entailment"),
        ("x", "neither"),
        ("space", "skip"),
    ),
}
"""The keys that judge an item of each sample, with what they say."""


@pytest.mark.parametrize("name", ["sentences", pytest.param("pairs", marks=pytest.mark.slow)])
async def test_one_key_judges_and_goes_on(judged: Path, name: str) -> None:
    way = ["enter"] if name == "sentences" else ["j", "enter"]
    items = texts(judged, name)

    async with judging(judged, *way) as pilot:
        pane = pilot.app.screen.query_one(TextPane)
        assert pane.lines()[1:] == [text for text in items[0] if text]
        expected = dict[int, tuple[str, str]]()
        for number, (key, verdict) in enumerate(KEYS[name], 1):
            await press(pilot, key)
            assert pane.lines()[1:] == [text for text in items[number] if text]
            expected[number] = (verdict, "")
            assert said(judged, name) == expected
            assert f"    {number}  {verdict}" in screen_text(pilot.app)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, JudgingScreen)


async def test_the_figures_are_in_view_and_read_aloud(judged: Path) -> None:
    async with judging(judged, "enter", "a", "a", "a", "n", "space") as pilot:
        figures = f"4/{SIZE}, 1 skipped"
        assert figures in screen_text(pilot.app) and "%" not in screen_text(pilot.app), "a rate would sway the judge"
        lines = items_screen(pilot).lines()
        assert lines[:3] == ["kim on sentences: grammaticality", figures, "Item 6. Is this sentence correct?"]
        assert [line.split()[1] for line in lines[4:9]] == ["skip", "no", "yes", "yes", "yes"]
        assert lines[9].startswith("a,y yes  x,n no  space skip  u,")


async def test_what_is_done_is_done_and_skipped_items_come_again(judged: Path) -> None:
    async with judging(judged, "enter", *["a"] * (SIZE - 2), "space") as pilot:
        assert [item.item for item in [items_screen(pilot).queue.current] if item] == [SIZE]
        await press(pilot, "a")
        assert [item.item for item in [items_screen(pilot).queue.current] if item] == [SIZE - 1]
        await press(pilot, "x")
        assert f"Nothing is left: all {SIZE} items are judged." in screen_text(pilot.app)
        await press(pilot, "a", "c", "q")
        assert f"{SIZE}/{SIZE}   91.7" in screen_text(pilot.app)
    assert words(judged, "sentences") == ["yes"] * (SIZE - 2) + ["no", "yes"]


@pytest.mark.parametrize("key", ["u", pytest.param("backspace", marks=pytest.mark.slow)])
async def test_undo_shows_the_item_again_with_its_comment(judged: Path, key: str) -> None:
    async with judging(judged, "enter", "a", "c", *"odd", "enter", "n") as pilot:
        assert said(judged, "sentences")[2] == ("no", "odd")
        await press(pilot, key)
        assert said(judged, "sentences") == {1: ("yes", "")}
        assert "item 2 again" in status(pilot)
        assert "Comment: odd" in screen_text(pilot.app)
        await press(pilot, key, key)
        assert said(judged, "sentences") == {}
        assert "nothing to take back" in status(pilot)


@pytest.mark.slow
async def test_a_comment_is_typed_kept_changed_and_left(judged: Path) -> None:
    async with judging(judged, "enter", "c", *"axn 1", "enter") as pilot:
        assert said(judged, "sentences") == {}  # what was typed were no verdicts
        assert "Comment: axn 1" in screen_text(pilot.app)
        await press(pilot, "c", *"23", "escape", "x")
        assert said(judged, "sentences") == {1: ("no", "axn 1")}
        await press(pilot, "c", *"b", "enter", "c", "backspace", "enter", "a")
        assert said(judged, "sentences")[2] == ("yes", "")


@pytest.mark.slow
async def test_opening_again_goes_on_with_the_next_item_and_undo_reaches_back(judged: Path) -> None:
    for number in (1, 2, 3):
        async with judging(judged, "enter") as pilot:
            assert f"Item {number}. " in screen_text(pilot.app)
            await pilot.press("a")  # and away at once, without waiting for the file
    async with judging(judged, "enter", "u") as pilot:
        assert "Item 3. " in screen_text(pilot.app)
    assert words(judged, "sentences") == ["yes", "yes"]


async def hold(pilot: Pilot[None], release: Event) -> asyncio.Future[bool]:
    """Keep whoever writes busy until ``release``, and never for so long that a test which fails hangs."""
    assert isinstance(pilot.app, Browser)
    return asyncio.get_running_loop().run_in_executor(pilot.app.runner._writing, release.wait, 20)


async def test_nobody_waits_for_the_file(judged: Path) -> None:
    async with judging(judged, "enter") as pilot:
        release = Event()
        held = await hold(pilot, release)
        await pilot.press("a", "n", "space")
        await pilot.pause()
        assert "Item 4. " in screen_text(pilot.app)
        assert screen_text(pilot.app).count("(not stored yet)") == 3
        await pilot.press("u", "a", "q")  # the undo waits for the file, and so does leaving
        await pilot.pause()
        assert isinstance(pilot.app.screen, ItemsScreen)
        release.set()
        await held
        await settled(pilot)
    assert words(judged, "sentences") == ["yes", "no"]


async def test_leaving_waits_until_all_is_stored(judged: Path) -> None:
    async with judging(judged, "enter") as pilot:
        release = Event()
        held = await hold(pilot, release)
        await pilot.press("a", "q")
        await pilot.pause()
        assert "storing the last verdicts" in status(pilot)
        release.set()
        await held
        await settled(pilot)
        assert isinstance(pilot.app.screen, JudgingScreen)
        assert f"1/{SIZE}      -" in screen_text(pilot.app)


async def test_a_verdict_is_kept_while_another_process_writes(judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpusdb.corpus.store.connection.BUSY_SECONDS", 0.0)
    monkeypatch.setattr("tui.kit.background._SECONDS_UNTIL_TOLD", 0.0)

    async with judging(judged, "enter", "a", "c", *"odd", "enter") as pilot:
        with closing(sqlite3.connect(judged, isolation_level=None)) as other:
            other.execute("begin immediate")
            await pilot.press("n")
            await until(pilot, lambda: "~ 1 to write" in status(pilot), "the first verdict, waiting")
            assert "(odd)  (not stored yet)" in screen_text(pilot.app)
            await pilot.press("y")
            await until(pilot, lambda: "~ 2 to write" in status(pilot), "the second verdict, waiting")
            assert said(judged, "sentences") == {1: ("yes", "")}
            other.execute("rollback")
        await settled(pilot)
        assert "to write" not in status(pilot)
        assert "not stored yet" not in screen_text(pilot.app)
        assert said(judged, "sentences") == {1: ("yes", ""), 2: ("no", "odd"), 3: ("yes", "")}


async def test_a_file_that_may_only_be_read_brings_the_item_back(judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise DatabaseReadOnly("the database may only be read")

    monkeypatch.setattr("tui.people.judging_screen.record", refuse)

    async with judging(judged, "enter", "a") as pilot:
        assert "item 1 comes back, not stored: the database may only be read" in status(pilot)
        assert "Item 1. " in screen_text(pilot.app)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, JudgingScreen)


async def test_the_report_is_there_while_judging_and_follows(judged: Path) -> None:
    async with judging(judged, "j", "enter", "e", "r") as pilot:
        assert "Table 6: equivalence or entailment in meaning" in screen_text(pilot.app)
        row = next(line for line in screen_text(pilot.app).split("\n") if line.split()[-1:] == ["kim"])
        assert row.split()[:3] == ["1", "0", "1"]
        await press(pilot, "q")
        assert "Item 2. " in screen_text(pilot.app)


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", [(60, 20), *(pytest.param(size, marks=pytest.mark.slow) for size in ((80, 24), (200, 60)))]
)
@pytest.mark.parametrize("name", ["sentences", "pairs"])
async def test_everything_is_in_view_at_every_size(judged: Path, size: tuple[int, int], name: str) -> None:
    way = ["enter"] if name == "sentences" else ["j", "enter"]
    async with judging(judged, *way, *["a"] * 6, size=size) as pilot:
        lines = screen_text(pilot.app).split("\n")
        shown = "\n".join(lines)
        assert f"6/{SIZE}" in shown
        assert all(text in shown for text in texts(judged, name)[6])
        assert all(f"    {item}  " in shown for item in (2, 3, 4, 5, 6))
        legend = lines[-2]
        for word in ("yes", "no") if name == "sentences" else ("equivalence", "entailment", "neither"):
            assert f" {word}" in legend
        if name == "sentences" or size[0] >= 80:  # else three verdicts, the way out and the help fill the line
            assert " skip" in legend and " undo" in legend
        assert legend.endswith("q back  ? keys")
        assert max(map(len, lines)) <= size[0]


async def test_japanese_pairs_are_wrapped_by_cells_and_stand_one_below_the_other(small: Path) -> None:
    with open_store(small) as store:
        draw_sample(store, "ja", SampleOptions("meaning", "jpn", SIZE, seed=1))
    seed, text = texts(small, "ja")[0]

    async with judging(small, "enter", size=(60, 20)) as pilot:
        lines = screen_text(pilot.app).split("\n")
        first, second = (next(row for row, line in enumerate(lines) if each in line) for each in (seed, text))
        assert second == first + 2
        assert lines[first].index(seed) == lines[second].index(text)


async def test_a_long_text_scrolls(judged: Path) -> None:
    async with judging(judged, "enter", "c", *["w"], "enter", size=(60, 20)) as pilot:
        items_screen(pilot).queue.comment = " ".join(f"word{number}" for number in range(200))
        items_screen(pilot)._show()
        await pilot.pause()
        pane = pilot.app.screen.query_one(TextPane)
        await press(pilot, "j", "down")
        await pilot.pause()
        assert pane.scroll_target_y == 2
        await press(pilot, "k", "up")
        assert pane.scroll_target_y == 0


async def test_an_item_is_copied(judged: Path, tmp_path: Path) -> None:
    async with judging(judged, "j", "enter", "Y") as pilot:
        assert "copied" in status(pilot)
    assert (tmp_path / "state" / "corpusdb" / "copied.txt").read_text(encoding="utf-8").splitlines() == list(
        texts(judged, "pairs")[0]
    )


async def test_the_legend_and_the_help_follow_the_keys_of_the_user(judged: Path, tmp_path: Path) -> None:
    configuration = tmp_path / "browser.toml"
    configuration.write_text('[keys]\njudging.yes = "m"\njudging.no = "z"\n', encoding="utf-8")

    browser = make_browser(judged, configuration)
    async with browser.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "4", "enter", "m", "z")
        assert "m yes  z no  space skip" in screen_text(browser)
        await press(pilot, "question_mark")
        assert "The sentence is correct" in screen_text(browser)
    assert words(judged, "sentences") == ["yes", "no"]


# What a judge has before and behind them, against a file that keeps all verdicts and answers late, or not at all.


ITEMS = [BlindItem(number, None, f"sentence {number}") for number in range(1, 7)]


class File:
    """Keeps verdicts as judging does: an item that was skipped comes after all others."""

    def __init__(self) -> None:
        self.said: list[Verdict] = []

    def coming(self, limit: int) -> list[BlindItem]:
        last = {verdict.item: (place, verdict.word) for place, verdict in enumerate(self.said, 1)}
        due = [item for item in ITEMS if last.get(item, (0, SKIP))[1] == SKIP]
        return sorted(due, key=lambda item: (last.get(item, (0, ""))[0], item.item))[:limit]


@given(
    steps=st.lists(st.sampled_from(["yes", "skip", "stored", "failed", "undo"]), max_size=60),
    ahead=st.integers(1, 4),
)
def test_no_item_is_lost_or_shown_while_its_verdict_is_on_its_way(steps: list[str], ahead: int) -> None:
    file, queue, on_its_way = File(), JudgingQueue(), deque[Verdict]()
    queue.was_fetched(file.coming(ahead))
    for step in [*steps, *["stored"] * len(steps)]:
        if step in ("yes", "skip"):
            verdict = queue.judge(step)
            on_its_way.extend([verdict] if verdict else [])
        elif step == "stored" and on_its_way:
            file.said.append(on_its_way[0])
            queue.was_stored(on_its_way.popleft(), file.coming(ahead))
        elif step == "failed" and on_its_way:
            queue.was_not_stored(on_its_way.popleft())
        elif step == "undo" and not on_its_way and file.said:
            item = file.said.pop().item
            queue.was_taken_back(item, file.coming(ahead))
            assert queue.current == item
        assert queue.current not in [verdict.item for verdict in queue.unstored]
        assert queue.unstored == list(on_its_way)
    assert queue.given == file.said
    left = set(file.coming(len(ITEMS)))
    assert (queue.current is None) == (not left)
    assert queue.current is None or queue.current in left


def test_the_items_come_in_the_order_of_the_file() -> None:
    queue = JudgingQueue()
    queue.was_fetched(ITEMS[:2])
    first, second = queue.judge("yes"), queue.judge("no")
    assert first is not None and second is not None
    assert queue.current is None  # more was not fetched
    queue.was_stored(first, ITEMS[1:4])
    assert queue.current == ITEMS[2]
    queue.was_stored(second, ITEMS[2:5])
    assert [verdict.item for verdict in (queue.judge("yes"), queue.judge("yes")) if verdict] == ITEMS[2:4]


@pytest.mark.parametrize("way", ["was not stored", "was taken back"])
def test_the_comment_comes_back_with_its_item(way: str) -> None:
    queue = JudgingQueue()
    queue.was_fetched(ITEMS)
    queue.comment = "doubtful"
    verdict = queue.judge("no")
    assert verdict == Verdict(ITEMS[0], "no", "doubtful")
    assert queue.comment == ""
    if way == "was not stored":
        queue.was_not_stored(verdict)
    else:
        queue.was_stored(verdict, ITEMS[1:])
        queue.was_taken_back(ITEMS[0], ITEMS)
    assert (queue.current, queue.comment, queue.given) == (ITEMS[0], "doubtful", [])


def test_verdicts_that_fail_come_back_in_their_order_and_before_what_was_on_the_screen() -> None:
    queue = JudgingQueue()
    queue.was_fetched(ITEMS)
    for verdict in [queue.judge("yes"), queue.judge("no")]:
        assert verdict is not None
        queue.was_not_stored(verdict)
    again = [queue.judge("yes") for _ in range(4)]
    assert [verdict.item for verdict in again if verdict] == ITEMS[:4]


def test_nothing_is_said_of_no_item() -> None:
    queue = JudgingQueue()
    queue.comment = "of what?"
    assert (queue.judge("yes"), queue.comment, queue.given) == (None, "", [])
