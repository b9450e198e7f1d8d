"""Judging item by item, driven by its keys; what it wrote is read back through the queries."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from judging_pilots import SIZE, items_screen, judging, press, said, status, texts, words
from pilots import screen_text, settled, until
from textual.pilot import Pilot

from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.samples import SampleOptions, draw_sample
from tui.app import Browser, make_browser
from tui.kit.row_list import TextPane
from tui.people.judging_screen import ItemsScreen
from tui.people.samples_screen import JudgingScreen

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


@pytest.mark.parametrize("name", KEYS)
def test_one_key_judges_and_goes_on(judged: Path, name: str) -> None:
    way = ["enter"] if name == "sentences" else ["j", "enter"]
    items = texts(judged, name)

    async def scenario() -> None:
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

    asyncio.run(scenario())


def test_the_figures_are_in_view_and_read_aloud(judged: Path) -> None:
    async def scenario() -> None:
        async with judging(judged, "enter", "a", "a", "a", "n", "space") as pilot:
            # Wilson (1927) of 3 in 4: 0.3006 to 0.9544.
            figures = f"4/{SIZE}, 1 skipped  75.0 % (30.1 - 95.4)"
            assert figures in screen_text(pilot.app)
            lines = items_screen(pilot).lines()
            assert lines[:3] == ["kim on sentences: grammaticality", figures, "Item 6. Is this sentence correct?"]
            assert [line.split()[1] for line in lines[4:9]] == ["skip", "no", "yes", "yes", "yes"]
            assert lines[9].startswith("a,y yes  x,n no  space skip  u,")

    asyncio.run(scenario())


def test_what_is_done_is_done_and_skipped_items_come_again(judged: Path) -> None:
    async def scenario() -> None:
        async with judging(judged, "enter", *["a"] * (SIZE - 2), "space") as pilot:
            assert [item.item for item in [items_screen(pilot).queue.current] if item] == [SIZE]
            await press(pilot, "a")
            assert [item.item for item in [items_screen(pilot).queue.current] if item] == [SIZE - 1]
            await press(pilot, "x")
            assert f"Nothing is left: all {SIZE} items are judged." in screen_text(pilot.app)
            await press(pilot, "a", "c", "q")
            assert f"{SIZE}/{SIZE}   91.7" in screen_text(pilot.app)

    asyncio.run(scenario())
    assert words(judged, "sentences") == ["yes"] * (SIZE - 2) + ["no", "yes"]


@pytest.mark.parametrize("key", ["u", "backspace"])
def test_undo_shows_the_item_again_with_its_comment(judged: Path, key: str) -> None:
    async def scenario() -> None:
        async with judging(judged, "enter", "a", "c", *"odd", "enter", "n") as pilot:
            assert said(judged, "sentences")[2] == ("no", "odd")
            await press(pilot, key)
            assert said(judged, "sentences") == {1: ("yes", "")}
            assert "item 2 again" in status(pilot)
            assert "Comment: odd" in screen_text(pilot.app)
            await press(pilot, key, key)
            assert said(judged, "sentences") == {}
            assert "nothing to take back" in status(pilot)

    asyncio.run(scenario())


def test_a_comment_is_typed_kept_changed_and_left(judged: Path) -> None:
    async def scenario() -> None:
        async with judging(judged, "enter", "c", *"axn 1", "enter") as pilot:
            assert said(judged, "sentences") == {}  # what was typed were no verdicts
            assert "Comment: axn 1" in screen_text(pilot.app)
            await press(pilot, "c", *"23", "escape", "x")
            assert said(judged, "sentences") == {1: ("no", "axn 1")}
            await press(pilot, "c", *"b", "enter", "c", "backspace", "enter", "a")
            assert said(judged, "sentences")[2] == ("yes", "")

    asyncio.run(scenario())


def test_opening_again_goes_on_with_the_next_item_and_undo_reaches_back(judged: Path) -> None:
    async def scenario() -> None:
        for number in (1, 2, 3):
            async with judging(judged, "enter") as pilot:
                assert f"Item {number}. " in screen_text(pilot.app)
                await pilot.press("a")  # and away at once, without waiting for the file
        async with judging(judged, "enter", "u") as pilot:
            assert "Item 3. " in screen_text(pilot.app)

    asyncio.run(scenario())
    assert words(judged, "sentences") == ["yes", "yes"]


async def hold(pilot: Pilot[None], release: Event) -> asyncio.Future[bool]:
    """Keep whoever writes busy until ``release``, and never for so long that a test which fails hangs."""
    assert isinstance(pilot.app, Browser)
    return asyncio.get_running_loop().run_in_executor(pilot.app.runner._writing, release.wait, 20)


def test_nobody_waits_for_the_file(judged: Path) -> None:
    async def scenario() -> None:
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

    asyncio.run(scenario())
    assert words(judged, "sentences") == ["yes", "no"]


def test_leaving_waits_until_all_is_stored(judged: Path) -> None:
    async def scenario() -> None:
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
            assert f"1/{SIZE}  100.0" in screen_text(pilot.app)

    asyncio.run(scenario())


def test_a_verdict_is_kept_while_another_process_writes(judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpusdb.corpus.store.connection.BUSY_SECONDS", 0.0)
    monkeypatch.setattr("tui.kit.background._SECONDS_UNTIL_TOLD", 0.0)

    async def scenario() -> None:
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

    asyncio.run(scenario())


def test_a_file_that_may_only_be_read_brings_the_item_back(judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise DatabaseReadOnly("the database may only be read")

    monkeypatch.setattr("tui.people.judging_screen.record", refuse)

    async def scenario() -> None:
        async with judging(judged, "enter", "a") as pilot:
            assert "item 1 comes back, not stored: the database may only be read" in status(pilot)
            assert "Item 1. " in screen_text(pilot.app)
            await press(pilot, "q")
            assert isinstance(pilot.app.screen, JudgingScreen)

    asyncio.run(scenario())


def test_the_report_is_there_while_judging_and_follows(judged: Path) -> None:
    async def scenario() -> None:
        async with judging(judged, "j", "enter", "e", "r") as pilot:
            assert "Table 6: equivalence or entailment in meaning" in screen_text(pilot.app)
            row = next(line for line in screen_text(pilot.app).split("\n") if line.split()[-1:] == ["kim"])
            assert row.split()[:3] == ["1", "0", "1"]
            await press(pilot, "q")
            assert "Item 2. " in screen_text(pilot.app)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "size", [(60, 20), *(pytest.param(size, marks=pytest.mark.slow) for size in ((80, 24), (200, 60)))]
)
@pytest.mark.parametrize("name", ["sentences", "pairs"])
def test_everything_is_in_view_at_every_size(judged: Path, size: tuple[int, int], name: str) -> None:
    async def scenario() -> None:
        way = ["enter"] if name == "sentences" else ["j", "enter"]
        async with judging(judged, *way, *["a"] * 6, size=size) as pilot:
            lines = screen_text(pilot.app).split("\n")
            shown = "\n".join(lines)
            assert f"6/{SIZE}  100.0 % (61.0 - 100.0)" in shown
            assert all(text in shown for text in texts(judged, name)[6])
            assert all(f"    {item}  " in shown for item in (2, 3, 4, 5, 6))
            legend = lines[-2]
            for word in ("yes", "no") if name == "sentences" else ("equivalence", "entailment", "neither"):
                assert f" {word}" in legend
            if name == "sentences" or size[0] >= 80:  # else three verdicts, the way out and the help fill the line
                assert " skip" in legend and " undo" in legend
            assert legend.endswith("q back  ? keys")
            assert max(map(len, lines)) <= size[0]

    asyncio.run(scenario())


def test_japanese_pairs_are_wrapped_by_cells_and_stand_one_below_the_other(phrasebook: Path) -> None:
    with open_store(phrasebook) as store:
        finished(generate(store, "jpn"))
        draw_sample(store, "ja", SampleOptions("meaning", "jpn", SIZE, seed=1))
    seed, text = texts(phrasebook, "ja")[0]

    async def scenario() -> None:
        async with judging(phrasebook, "enter", size=(60, 20)) as pilot:
            lines = screen_text(pilot.app).split("\n")
            first, second = (next(row for row, line in enumerate(lines) if each in line) for each in (seed, text))
            assert second == first + 2
            assert lines[first].index(seed) == lines[second].index(text)

    asyncio.run(scenario())


def test_a_long_text_scrolls(judged: Path) -> None:
    async def scenario() -> None:
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

    asyncio.run(scenario())


def test_an_item_is_copied(judged: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with judging(judged, "j", "enter", "Y") as pilot:
            assert "copied" in status(pilot)

    asyncio.run(scenario())
    assert (tmp_path / "state" / "corpusdb" / "copied.txt").read_text(encoding="utf-8").splitlines() == list(
        texts(judged, "pairs")[0]
    )


def test_the_legend_and_the_help_follow_the_keys_of_the_user(judged: Path, tmp_path: Path) -> None:
    configuration = tmp_path / "browser.toml"
    configuration.write_text('[keys]\njudging.yes = "m"\njudging.no = "z"\n', encoding="utf-8")

    async def scenario() -> None:
        browser = make_browser(judged, configuration)
        async with browser.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await press(pilot, "4", "enter", "m", "z")
            assert "m yes  z no  space skip" in screen_text(browser)
            await press(pilot, "question_mark")
            assert "The sentence is correct" in screen_text(browser)

    asyncio.run(scenario())
    assert words(judged, "sentences") == ["yes", "no"]
