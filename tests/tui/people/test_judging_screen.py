"""The place of judging and judging item by item, driven by keys: what is shown, and what it wrote."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from people_pilots import SIZE, items_screen, judging, said, status, texts, words
from pilots import press, screen_text, seen, settled, until
from place_pilots import japanese_corpus, keep
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.samples import SampleOptions, draw_sample, find_sample, samples
from corpusdb.people.queries.verdicts import SKIP, BlindItem
from tui.app import Browser, make_browser
from tui.kit.dialogs import DetailsDialog, FormDialog
from tui.kit.shown import RowList, TextPane
from tui.people.judging_screen import ItemsScreen, JudgingQueue, ReportScreen, Verdict
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


@pytest.mark.slow
async def test_the_figures_are_in_view_and_read_aloud(judged: Path) -> None:
    async with judging(judged, "enter", "a", "a", "a", "n", "space") as pilot:
        figures = f"4/{SIZE} judged, 1 skipped"
        assert figures in screen_text(pilot.app) and "%" not in screen_text(pilot.app), "a rate would sway the judge"
        lines = items_screen(pilot).lines()
        assert lines[:3] == ["kim on sentences: grammaticality", figures, "Item 6. Is this sentence correct?"]
        assert [line.split()[1] for line in lines[4:9]] == ["skip", "no", "yes", "yes", "yes"]
        assert lines[9].startswith("a,y yes  x,n no  space skip  u,")


@pytest.mark.slow
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
        for key in ("a", "n", "space"):
            await pilot.press(key)
            await seen(pilot)
        assert "Item 4. " in screen_text(pilot.app)
        assert screen_text(pilot.app).count("(not stored yet)") == 3
        await pilot.press("u", "a", "q")  # the undo waits for the file, and so does leaving
        await pilot.pause()
        assert isinstance(pilot.app.screen, ItemsScreen)
        release.set()
        await held
        await settled(pilot)
    assert words(judged, "sentences") == ["yes", "no"]


@pytest.mark.slow
async def test_an_undo_that_waits_is_made_once_before_one_leaves(judged: Path) -> None:
    async with judging(judged, "enter", "a", "n", "a") as pilot:
        release = Event()
        held = await hold(pilot, release)
        await pilot.press("u", "q")
        await pilot.pause()
        release.set()
        await held
        await settled(pilot)
        assert isinstance(pilot.app.screen, JudgingScreen)
    assert words(judged, "sentences") == ["yes", "no"]


@pytest.mark.slow
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


@pytest.mark.slow
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
        assert "Equivalence or entailment in meaning (Table 6 of Lepage and Denoual, 2005)" in screen_text(pilot.app)
        row = next(line for line in screen_text(pilot.app).split("\n") if line.split()[-1:] == ["kim"])
        assert row.split()[:3] == ["1", "0", "1"]
        await press(pilot, "q")
        assert "Item 2. " in screen_text(pilot.app)


@pytest.mark.slow
async def test_japanese_pairs_are_wrapped_by_cells_and_stand_one_below_the_other(small: Path) -> None:
    with open_store(small) as store:
        draw_sample(store, "ja", SampleOptions("meaning", "jpn", SIZE, seed=1))
    seed, text = texts(small, "ja")[0]

    async with judging(small, "enter", size=(60, 20)) as pilot:
        lines = screen_text(pilot.app).split("\n")
        first, second = (next(row for row, line in enumerate(lines) if each in line) for each in (seed, text))
        assert second == first + 2
        assert lines[first].index(seed) == lines[second].index(text)


async def test_a_judge_is_one_however_the_name_is_encoded(judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "Jose\u0301")
    async with judging(judged, "enter", "a"):
        assert list(said(judged, "sentences", "Jos\u00e9")) == [1]


@pytest.mark.slow
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


@pytest.mark.slow
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


@example(steps="yes yes skip yes stored stored stored yes yes skip stored stored stored failed".split(), ahead=4)
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


# The place of judging: its samples, drawing one, who judges, and the report; driven by its keys.


@pytest.mark.slow
async def test_the_place_lists_the_samples_with_the_progress_of_the_judge(judged: Path) -> None:
    async with judging(judged) as pilot:
        shown = screen_text(pilot.app)
        assert "Judge: kim" in shown
        assert f"sentences                  0/{SIZE}      -  grammaticality  eng" in shown
        assert "c draw  J judge  r report" in shown and "q back" in shown
        await press(pilot, "J", "ctrl+u", *"ann", "enter")
        assert "Judge: ann" in screen_text(pilot.app)
        assert f"sentences                  3/{SIZE}      -  grammaticality  eng" in screen_text(pilot.app)
        assert isinstance(pilot.app.screen, JudgingScreen)
        lines = pilot.app.screen.lines()
        assert lines[0] == "Judge: ann"
        assert lines[1].split() == ["sample", "judged", "%", "kind", "lang", "N", "seed"]
        assert lines[3].split() == ["pairs", f"0/{SIZE}", "-", "meaning", "eng", "20", "1"]


@pytest.mark.slow
async def test_another_judge_starts_at_the_first_item(judged: Path) -> None:
    async with judging(judged, "enter", "a", "q", "J", "ctrl+u", *"ann", "enter", "enter") as pilot:
        assert "Item 4. " in screen_text(pilot.app)
        assert "ann on sentences" in screen_text(pilot.app)


@pytest.mark.slow
async def test_who_is_nobody_is_asked_for_a_name(judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("USER")

    async with judging(judged) as pilot:
        assert "Judge: nobody yet" in screen_text(pilot.app)
        await press(pilot, "enter", "enter")
        assert isinstance(pilot.app.screen, FormDialog)
        assert "! a judge needs a name" in pilot.app.screen.lines()
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, JudgingScreen)
        await press(pilot, "enter", *"lee", "enter")
        assert "lee on sentences" in screen_text(pilot.app)
        assert isinstance(pilot.app, Browser) and pilot.app.memory.judge == "lee"


@pytest.mark.slow
async def test_the_report_opens_disagreements(judged: Path) -> None:
    async with judging(judged, "r") as pilot:
        assert isinstance(pilot.app.screen, ReportScreen)
        rows = pilot.app.screen.query_one(RowList)
        lines = pilot.app.screen.lines()
        assert lines[0] == "Sample sentences: grammaticality, eng, seed 1"
        assert any(line.split()[:4] == ["3", "0", "3", "100.0"] and line.endswith("ann") for line in lines)
        row = lines.index("Disagreements: 1") + 3
        assert lines[row].strip() == "bob: no (odd)"
        rows.cursor = row
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DetailsDialog)
        shown = [line for line in pilot.app.screen.lines() if line]
        assert shown == ["Item 2", texts(judged, "sentences")[1][1], "ann: yes", "bob: no (odd)"]
        await press(pilot, "q")
        assert "enter open" in screen_text(pilot.app)
        await press(pilot, "g", "enter")  # all of this row is seen
        assert isinstance(pilot.app.screen, ReportScreen) and "enter open" not in screen_text(pilot.app)
        await press(pilot, "question_mark")
        told = "\n".join(pilot.app.screen.query_one(RowList).lines())
        assert all(word in told for word in ("Wilson", "Clopper-Pearson", "kappa", "order >= 24"))
        await press(pilot, "q")
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, JudgingScreen)


@pytest.mark.slow
async def test_nothing_to_report_on(phrasebook: Path) -> None:
    async with judging(phrasebook, "r") as pilot:
        assert "No sample was drawn yet." in screen_text(pilot.app)
        assert "r report" not in screen_text(pilot.app), "there is no sample to report on"


@pytest.mark.slow
async def test_a_sample_is_drawn_with_the_defaults_of_the_paper(phrasebook: Path) -> None:
    async with judging(phrasebook, "c", "enter") as pilot:
        assert "grammaticality-1: 400 of " in status(pilot)
        await press(pilot, "c", "space", "enter")
        assert "meaning-1: 470 of " in status(pilot)
        assert pilot.app.screen.query_one(RowList).cursor == 1
        await press(pilot, "c", "space", "pagedown", "left", "enter")
        assert "grammaticality-2: 400 of " in status(pilot)
    with open_store(phrasebook, read_only=True) as store:
        assert [(each.kind, each.items, each.seed, each.order, each.controls) for each in samples(store)] == [
            ("grammaticality", 400, 1, 20, 0),
            ("meaning", 470, 1, 20, 0),
            ("grammaticality", 400, 1, 20, 0),
        ]


async def fill_in(pilot: Pilot[None], **values: str) -> None:
    for name, value in values.items():
        pilot.app.screen.query_one(f"#{name}", Input).value = value
    await pilot.pause()


@pytest.mark.slow
async def test_a_sample_is_drawn_as_was_said(phrasebook: Path) -> None:
    async with judging(phrasebook, "c") as pilot:
        await fill_in(pilot, language="en-GB", size="30", controls="5", seed="7", order="0", name="mine")
        await press(pilot, "space", "enter")  # what was typed stays
        assert "mine: 30 of " in status(pilot), screen_text(pilot.app)
    with open_store(phrasebook, read_only=True) as store:
        drawn = find_sample(store, "mine")
    assert (drawn.kind, drawn.language, drawn.items, drawn.controls) == ("meaning", "eng", 35, 5)
    assert (drawn.seed, drawn.order) == (7, 0)


IMPOSSIBLE: Sequence[tuple[dict[str, str], str]] = (
    ({"size": "many"}, "! items: 'many' is not a number"),
    ({"size": "0"}, "! a sample has one item or more"),
    ({"seed": "-1"}, "! the random seed: '-1' is not a number"),
    ({"order": ""}, "! N: '' is not a number"),
    ({"name": "sentences"}, "! there is a sample 'sentences' already"),
    ({"name": " "}, "! a sample needs a name"),
)


@pytest.mark.slow
async def test_what_cannot_be_drawn_is_said_in_the_dialog(judged: Path) -> None:
    async with judging(judged) as pilot:
        for values, complaint in IMPOSSIBLE:
            await press(pilot, "c")
            await fill_in(pilot, **values)
            await press(pilot, "enter")
            assert isinstance(pilot.app.screen, FormDialog)
            assert any(line.startswith(complaint) for line in pilot.app.screen.lines()), complaint
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, JudgingScreen)
        assert pilot.app.screen.query_one(RowList).count == 2


@pytest.mark.slow
async def test_what_the_corpus_does_not_have_is_said_in_the_dialog_which_stays(phrasebook: Path) -> None:
    async with judging(phrasebook, "c") as pilot:
        await fill_in(pilot, language="fra")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, FormDialog)
        assert "! nothing that passes N = 20, V = 0.95 was" in screen_text(pilot.app)
        await fill_in(pilot, language="eng")
        await press(pilot, "enter")
        assert not isinstance(pilot.app.screen, FormDialog)


@pytest.mark.slow
async def test_rewritings_by_rules_are_drawn_and_judged(tmp_path: Path, recorded_morphemes: object) -> None:
    path = japanese_corpus(tmp_path)
    keep(path)

    async with judging(path, "c", "tab", "space") as pilot:
        assert isinstance(pilot.app.screen, FormDialog)
        values = {field.id: field.value for field in pilot.app.screen.query(Input)}
        assert (values["language"], values["order"], values["name"]) == ("jpn", "0", "rules-grammaticality-1")
        pilot.app.screen.query_one("#order", Input).value = "5"
        await press(pilot, "enter")
        assert "rewritings by rules are not filtered" in screen_text(pilot.app)
        pilot.app.screen.query_one("#order", Input).value = "0"
        await press(pilot, "enter")
        with open_store(path) as store:
            drawn = find_sample(store, "rules-grammaticality-1")
        assert drawn.drawn_from == "rewritings"
        assert status(pilot).strip() == f"{drawn.name}: {drawn.items} of {drawn.population} sentences drawn"
        await press(pilot, "enter", *["x"] * drawn.items, "r")
        assert isinstance(pilot.app.screen, ReportScreen)
        lines = pilot.app.screen.query_one(RowList).lines()
        assert "Accepted of the rewritings that a rule had a part in, %" in lines
        assert f"Not accepted: {drawn.items}" in lines
