"""An open seed without a screen, while other processes change the session, and while they write."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import cast

import pytest
from people_pilots import (
    ELEVATOR,
    WEEK,
    decided,
    fill,
    place,
    rows,
    seed_screen,
    seed_status,
    standing,
    state_of,
    whole_status,
)
from pilots import press, screen_text, settled, until
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.corpus.model import ExchangeFigures, Explanation, Finding, ValidityStep
from corpusdb.corpus.store import open_store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NO_FILTER, NSequenceFilter, filter_at
from corpusdb.people.queries.decisions import decide
from corpusdb.people.queries.sessions import delete_session, go_to_seed, rename_session, restore_session
from corpusdb.people.queries.views import SeedReader, SeedView
from tui.app import Browser, LeaveDialog
from tui.kit.terminal import moved_validity
from tui.people.explanation_screen import explanation_rows, format_verdict, format_why
from tui.people.open_seed import DecidedTogether, OpenSeed, format_moved

# An open seed without a screen: the filter, hiding, going on, and decisions on their way to the file.


@pytest.fixture
def views(begun: Path) -> list[SeedView]:
    """The three seeds of the session."""
    with open_store(begun) as store:
        reader = SeedReader(store, lambda: nullcontext(store))
        return [reader.read("s", position) for position in (1, 2, 3)]


def test_one_goes_from_the_seed_that_was_asked_for_last(views: list[SeedView]) -> None:
    seed = OpenSeed("s")
    assert seed.neighbour(1) is None, "nothing is open yet"
    assert seed.update(views[0]), "another seed"
    assert not seed.update(views[0]), "the same one"
    assert (seed.neighbour(1), seed.neighbour(-1)) == (2, None)
    seed.goal = 2
    assert (seed.neighbour(1), seed.neighbour(-1)) == (3, 1)
    seed.goal = 3
    assert seed.neighbour(1) is None


def test_what_fails_the_filter_is_hidden(views: list[SeedView]) -> None:
    seed = OpenSeed("s")
    assert (seed.shown(), seed.passing) == ([], "")
    seed.update(views[1])
    everything = len(views[1].paraphrases)
    assert (seed.order, len(seed.shown())) == (views[1].standing.order, everything)
    seed.hides = True
    assert len(seed.shown()) == views[1].passing(seed.kept) < everything
    assert seed.passing == f"{len(seed.shown())} of {everything} shown"
    seed.order = 0
    assert len(seed.shown()) == everything
    assert (seed.passing, seed.filter) == (f"{everything} of {everything} pass", "passes: all")
    seed.update(views[2])
    assert seed.order == 0, "the filter stays where it was put"


def test_where_most_fail_by_both_no_key_sends_to_the_other_and_back(views: list[SeedView]) -> None:
    (some, *_) = (each for each in views[1].paraphrases if each.origins)
    low = tuple(each._replace(validity=0.2, fluency=3) for each in some.findings)
    view = replace(views[1], paraphrases=tuple(replace(some, text=text, findings=low) for text in "abc"))
    for before, kept in ((filter_at(20), filter_at(19)), (filter_at(20), filter_at(20, min_validity=0.9))):
        told = format_moved(view, before, kept)
        assert told == "as many pass as before; 3 of 3 that fail are below both, N (left) and V (<)"


@pytest.mark.parametrize(
    ("order", "validity", "told"),
    [
        (3, 0.99, "It passes with N = 3 (left)."),
        (40, 0.45, "It passes with V = 0.4 (<)."),
        (12, 0.65, "It passes with N = 12 (left) and V = 0.6 (<)."),
    ],
)
def test_what_fails_says_what_would_let_it_pass(order: int, validity: float, told: str, views: list[SeedView]) -> None:
    (some, *_) = (each for each in views[1].paraphrases if each.origins)
    finding = Finding("analogy", "a", validity=validity, fluency=order)
    verdict = format_verdict(replace(some, in_corpus=False, findings=(finding,)), filter_at(20))
    assert verdict.startswith("Fails: ") and verdict.endswith(f". {told}")


def test_what_speaks_for_it_and_against_it_has_a_sign() -> None:
    steps = (ValidityStep("shared", "+"), ValidityStep("not above 0.8", "<"), ValidityStep("calls for both"))
    exchanges = (ExchangeFigures("is", "'s", 4, 1, 3.0, 0.3), ExchangeFigures("a", "the", 0, 0, 0.0, 0.0))
    found = Explanation(
        "the seed", "the candidate", (), 0, validity=0.5, fails="fails", exchanges=exchanges, steps=steps
    )
    texts = [row.text for row in explanation_rows(found)]
    assert texts[2] == "fails"
    assert [text[:4] for text in texts[4:9]] == ["  - ", "    ", "  + ", "  < ", "    "]


def test_a_figure_of_the_line_below_is_that_of_the_row(views: list[SeedView]) -> None:
    (some, *_) = (each for each in views[1].paraphrases if each.origins)
    assert format_why(replace(some, validity=0.9995, order=40), DEFAULT_FILTER).startswith("Validity 0.9995: ")


def test_the_least_validity_is_the_usual_one_until_it_is_moved(views: list[SeedView]) -> None:
    seed = OpenSeed("s")
    seed.update(views[1])
    assert seed.kept == DEFAULT_FILTER
    assert seed.filter == "passes: validity >= V = 0.95, order >= N = 20, or less on good evidence"
    seed.order = 0
    assert seed.kept == NO_FILTER
    seed.min_validity = 0.5
    assert seed.kept == NSequenceFilter(0, min_validity=0.5, final_marks=False)
    assert seed.filter == "passes: validity >= V = 0.5"
    seed.min_validity = 0.0
    seed.order = 20
    assert seed.kept == NSequenceFilter(20, final_marks=False)
    assert seed.filter.startswith("passes: validity >= V = 0, order >= N = 20"), "V is off, not forgotten"
    seed.update(views[2])
    assert seed.kept == NSequenceFilter(20, final_marks=False), "the filter stays where it was put"


@pytest.mark.parametrize(
    ("at", "by", "moved"),
    [
        (0.95, 1, 0.98),
        (0.95, -1, 0.9),
        (0.93, 1, 0.95),
        (0.93, -1, 0.9),
        (0.0, -1, 0.0),
        (0.999, 1, 0.999),
        (1, -1, 0.999),
    ],
)
def test_the_least_validity_moves_in_steps(at: float, by: int, moved: float) -> None:
    assert moved_validity(at, by) == moved


def test_decisions_are_marked_until_the_last_is_stored(views: list[SeedView]) -> None:
    seed = OpenSeed("s")
    seed.update(views[0])
    first, second = (
        DecidedTogether(views[0].seed, ["a", "b"], "accept"),
        DecidedTogether(views[0].seed, ["b"], "reject"),
    )
    elsewhere = DecidedTogether(views[1].seed, ["c"], "accept")
    for each in (first, second, elsewhere):
        seed.decide(each)
    assert seed.unstored == {"a": "accept", "b": "reject"}
    seed.settle(first)
    assert seed.unstored == {"b": "reject"}
    seed.settle(second)
    assert seed.unstored == {}
    seed.update(views[1])
    assert seed.unstored == {"c": "accept"}


async def test_keys_behind_the_one_that_leaves_an_explanation_come_one_and_all(begun: Path) -> None:
    """Of a down and an accept behind it the second alone came: it accepted another line than was meant."""
    async with place(begun, "enter", "right_square_bracket") as pilot:
        screen = seed_screen(pilot)
        await press(pilot, "g", "enter")
        assert pilot.app.screen is not screen
        for key in ("q", "down", "down", "a"):
            pilot.app.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: bool(decided(begun)), "the decision")
        meant = screen.panes.candidates.candidates[2].text
        assert [text for text, *_ in decided(begun)] == [meant]


@pytest.mark.slow
async def test_what_was_decided_is_not_hidden_and_the_order_stays(begun: Path) -> None:
    async with place(begun, "enter", "right_square_bracket") as pilot:
        candidates = seed_screen(pilot).panes.candidates
        failing = [row for row, text in enumerate(rows(pilot)) if text.startswith("fails")]
        accepted, rejected = (candidates.candidates[row].text for row in failing[-2:])
        for text, key in ((accepted, "a"), (rejected, "x")):
            candidates.go_to(text)
            await press(pilot, key)
        for keys in ([], ["greater_than_sign"] * 3, ["right"] * 3, ["less_than_sign"] * 5, ["left"] * 9):
            await press(pilot, *keys)
            every = rows(pilot)
            await press(pilot, "h")
            assert rows(pilot) == [row for row in every if not row.startswith("fails")]
            assert [accepted in row or rejected in row for row in rows(pilot)].count(True) >= 2
            if len(rows(pilot)) < len(every):
                assert f"{len(rows(pilot))} of {len(every)} shown" in screen_text(pilot.app)
            await press(pilot, "h")
            seed = seed_screen(pilot).seed
            with open_store(begun, read_only=True) as store:
                read = SeedReader(store, lambda: nullcontext(store)).read("s")
            assert read.standing.kept == seed.kept
            shown = [each for each in candidates.candidates if each.origins]
            assert {each.text for each in read.paraphrases} == {each.text for each in candidates.candidates}
            assert [each.score for each in shown] == sorted((each.score for each in shown), reverse=True)


@pytest.mark.slow
async def test_the_next_seed_with_something_to_decide_is_one_key_away(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        seed = seed_screen(pilot).seed
        for at, says in ((2, "seed 3 of 3"), (3, "no later seed that is not done")):
            with open_store(begun) as store:
                view = SeedReader(store, lambda: nullcontext(store)).read("s", at)
                assert view.undecided(seed.kept)
                for each in (each for each in view.paraphrases if seed.kept.passes(each)):
                    decide(store, "s", view.seed, each.text, "reject")
            await press(pilot, "right_curly_bracket")
            assert says in screen_text(pilot.app)
        assert seed.view is not None and seed.view.standing.position == 3


# An open session that another process changes, renames or deletes, and decisions that others made.


@pytest.mark.slow
async def test_what_another_process_decided_is_seen_with_the_next_key(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        text = seed_screen(pilot).panes.candidates.candidates[1].text
        with open_store(begun) as store:
            decide(store, "s", ELEVATOR, text, "reject")
            decide(store, "s", WEEK, "Anything.", "accept")
        await press(pilot, "j")
        assert "1 accepted, 1 rejected" in screen_text(pilot.app)
        assert state_of(pilot, text) == "rejected"


@pytest.mark.slow
async def test_who_decides_otherwise_than_somebody_else_meanwhile_is_told_first(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        first, second = (each.text for each in seed_screen(pilot).panes.candidates.candidates[:2])
        with open_store(begun) as store:
            decide(store, "s", ELEVATOR, first, "reject")
        await press(pilot, "a")
        assert seed_status(pilot).startswith("! rejected elsewhere meanwhile, and kept")
        assert decided(begun) == [(first, "reject", False)]
        assert state_of(pilot, first) == "rejected"
        await press(pilot, "k", "a")  # who has seen it decides
        assert decided(begun) == [(first, "accept", False)]
        with open_store(begun) as store:
            decide(store, "s", ELEVATOR, second, "accept")
        await press(pilot, "a")  # the same is no other decision
        assert seed_status(pilot).startswith("accepted already")
        await press(pilot, "k", "x", "k", "a")  # nor is one's own
        assert dict(pair[:2] for pair in decided(begun)) == {first: "accept", second: "accept"}


def test_u_takes_back_what_was_decided_here_first_and_says_what_was_not(begun: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter", "a") as pilot:
            ((mine, _, _),) = decided(begun)
            with open_store(begun) as store:
                decide(store, "s", WEEK, "Anything.", "accept")
            await press(pilot, "q", "enter", "u")
            assert seed_status(pilot).startswith(f"acceptance taken back: {mine}"[:60])
            assert decided(begun) == [("Anything.", "accept", False)]
            asked = "u again takes back an acceptance made elsewhere or earlier: Anything."
            await press(pilot, "u", "j")
            assert seed_status(pilot).startswith(asked)
            await press(pilot, "h", "T", "escape", "z", "u")
            assert seed_status(pilot).startswith(asked), "something else was said meanwhile"
            assert decided(begun) == [("Anything.", "accept", False)]
            await press(pilot, "u")
            assert seed_status(pilot).startswith("acceptance made elsewhere or earlier taken back: Anything. (seed 2)")
            assert "seed 2 of 3" in screen_text(pilot.app) and decided(begun) == []


async def test_another_decision_than_the_one_asked_about_is_not_taken_back(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        with open_store(begun) as store:
            decide(store, "s", WEEK, "Anything.", "accept")
        await press(pilot, "u")
        with open_store(begun) as store:
            decide(store, "s", WEEK, "Something.", "reject")
        await press(pilot, "u")
        assert seed_status(pilot).startswith("u again takes back a rejection made elsewhere or earlier: Someth")
        assert len(decided(begun)) == 2


@pytest.mark.slow
async def test_the_seed_that_is_open_here_stays_open_wherever_others_go(begun: Path) -> None:
    """Somebody who writes a wording would else give it to another seed."""

    async with place(begun, "enter") as pilot:
        with open_store(begun) as store:
            go_to_seed(store, "s", 3)
        await press(pilot, "e", "escape", "T", "escape", "1", "2", "j")
        assert "seed 1 of 3" in screen_text(pilot.app)
        await press(pilot, "E")
        await fill(pilot, text="My own wording.")
        assert [text for text, *_ in decided(begun)] == ["My own wording."]
        view = seed_screen(pilot).seed.view
        assert view is not None and view.decisions.keys() == {"My own wording."}
        await press(pilot, "enter")
        assert "\n  Validity 0." in screen_text(pilot.app), "what the row has of it is told here"


@pytest.mark.slow
async def test_the_first_key_edits_the_paraphrase_and_does_not_replace_it(begun: Path) -> None:
    async with place(begun, "enter", "E") as pilot:
        line = pilot.app.screen.query_one("#text", Input)
        before = line.value
        await press(pilot, "backspace")
        assert before and line.value == before[:-1]
        await press(pilot, "escape", "E", "z")
        assert pilot.app.screen.query_one("#text", Input).value == f"{before}z"


@pytest.mark.slow
async def test_a_session_that_is_renamed_goes_on(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        with open_store(begun) as store:
            rename_session(store, "s", "mine")
        await press(pilot, "a")
        assert standing(begun, "mine").accepted == 1
        await press(pilot, "right_square_bracket", "right", "d", "u", "o", "escape")
        assert standing(begun, "mine").accepted == 0
        assert "mine: seed " in screen_text(pilot.app)
        with open_store(begun) as store:
            rename_session(store, "mine", "yours")
        await press(pilot, "j")
        assert "yours: seed " in screen_text(pilot.app)
        assert seed_status(pilot).startswith("mine is called yours now")


@pytest.mark.slow
async def test_a_session_that_is_deleted_says_so(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        with open_store(begun) as store:
            delete_session(store, "s")
        told = "! this session was deleted elsewhere; ! session restore s brings it back"
        for key in ("j", "a", "right_square_bracket", "d", "u", "o"):
            await press(pilot, key)
            assert seed_status(pilot).startswith(told[:78])
        with open_store(begun) as store:
            restore_session(store)
        await press(pilot, "a")
        assert seed_status(pilot).startswith("1 accepted")


# Decisions that are made while another process writes: marked, kept, and written when that is possible.


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for the lock, gives up at once: what is kept is kept by trying again."""
    monkeypatch.setattr("corpusdb.corpus.store.connection.BUSY_SECONDS", 0.0)
    monkeypatch.setattr("tui.kit.background._SECONDS_UNTIL_TOLD", 0.0)


@pytest.fixture
def other(begun: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(begun, isolation_level=None)) as connection:
        yield connection


async def said(pilot: Pilot[None], told: str) -> None:
    """Wait until the status line says something."""
    await until(pilot, lambda: told in whole_status(pilot), repr(told))


@pytest.mark.slow
@pytest.mark.usefixtures("no_patience")
async def test_a_decision_is_marked_and_kept_until_it_can_be_written(begun: Path, other: sqlite3.Connection) -> None:
    async with place(begun, "enter") as pilot:
        candidates = seed_screen(pilot).panes.candidates
        first, second = (each.text for each in candidates.candidates[:2])
        other.execute("begin immediate")
        await pilot.press("a")
        await said(pilot, "~ 1 to write: another process writes")
        await pilot.press("x")
        await said(pilot, "~ 2 to write")
        assert [row.split()[0] for row in rows(pilot)[:2]] == ["accepted~", "rejected~"]
        assert decided(begun) == []
        other.execute("rollback")
        await settled(pilot)
        assert "to write" not in whole_status(pilot)
        assert decided(begun) == [(first, "accept", False), (second, "reject", False)]
        assert [row.split()[0] for row in rows(pilot)[:2]] == ["accepted", "rejected"]


@pytest.mark.slow
@pytest.mark.usefixtures("no_patience")
async def test_one_goes_on_to_other_seeds_and_takes_back_meanwhile(begun: Path, other: sqlite3.Connection) -> None:
    async with place(begun, "enter") as pilot:
        other.execute("begin immediate")
        for keys in ("a", "u", "x", "right_square_bracket"):
            await pilot.press(keys)
        await said(pilot, "~ 4 to write")
        await until(pilot, lambda: "seed 2 of 3" in screen_text(pilot.app), "the second seed")
        other.execute("rollback")
        await settled(pilot)
        assert [verdict for _, verdict, _ in decided(begun)] == ["reject"]
        assert standing(begun).position == 2


@pytest.mark.slow
@pytest.mark.usefixtures("no_patience")
async def test_who_leaves_is_told_what_is_not_written(begun: Path, other: sqlite3.Connection) -> None:
    async with place(begun, "enter") as pilot:
        other.execute("begin immediate")
        await pilot.press("a")
        await said(pilot, "~ 1 to write")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(pilot.app.screen, LeaveDialog), "the dialog")
        assert "another process writes: 1 of your changes" in screen_text(pilot.app)
        await pilot.press("w")
        assert pilot.app.return_code is None
        other.execute("rollback")
        await until(pilot, lambda: pilot.app.return_code is not None, "the end of the browser")
    assert [verdict for _, verdict, _ in decided(begun)] == ["accept"]


@pytest.mark.usefixtures("no_patience")
async def test_who_leaves_may_do_without_it(begun: Path, other: sqlite3.Connection) -> None:
    async with place(begun, "enter") as pilot:
        other.execute("begin immediate")
        await pilot.press("a")
        await said(pilot, "~ 1 to write")
        await press_until_left(pilot, "ctrl+q", "c")
    other.execute("rollback")
    assert decided(begun) == []


async def press_until_left(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await until(pilot, lambda: pilot.app.return_code is not None, "the end of the browser")


# Keys that are pressed while another seed is on the screen, or before it is seen.


@pytest.mark.slow
@pytest.mark.parametrize("opens", ["right_square_bracket", "d"])
async def test_keys_pressed_while_a_seed_opens_are_not_for_it(begun: Path, opens: str) -> None:
    async with place(begun, "enter") as pilot:
        screen, release = seed_screen(pilot), Event()
        held = cast(Browser, pilot.app).runner._reading.submit(release.wait, 20)
        await pilot.press(opens)
        await until(pilot, lambda: "opening seed 2 ...; other keys are dropped" in seed_status(pilot), "the seed")
        await pilot.press("a", "x", "u", "question_mark", "q", "a")
        assert screen.lines()[1] == ELEVATOR
        release.set()
        await asyncio.wrap_future(held)
        await settled(pilot)
        assert screen.lines()[1] == WEEK, "also where one has looked at the help meanwhile"
        assert decided(begun) == []
        await press(pilot, "a")
        assert len(decided(begun)) == 1, "now it is seen"


@pytest.mark.slow
async def test_a_key_pressed_before_the_seed_was_seen_is_not_for_it(begun: Path) -> None:
    async with place(begun, "enter") as pilot:
        early = Key("x", "x")
        await press(pilot, "right_square_bracket")
        pilot.app.post_message(early)
        await settled(pilot)
        assert decided(begun) == [] and seed_status(pilot) == "pressed before this was seen: dropped"


async def test_a_seed_is_left_when_it_is_done_also_where_a_decision_on_it_was_on_its_way(begun: Path) -> None:
    """Which is read again when that is stored."""
    async with place(begun, "enter") as pilot:
        screen, release = seed_screen(pilot), Event()
        held = cast(Browser, pilot.app).runner._writing.submit(release.wait, 20)
        await pilot.press("a", "d")
        release.set()
        await asyncio.wrap_future(held)
        await settled(pilot)
        assert (len(decided(begun)), screen.lines()[1], screen.waits) == (1, WEEK, False)
