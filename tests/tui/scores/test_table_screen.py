"""The table of systems: columns, sorting, marks, test sets, export, and a database without scores."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pilots import screen_text, settled
from score_pilots import add_scores, press, scores, status, with_scores
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.corpus.store import open_store
from tui.kit.row_list import RowList
from tui.scoring.screen import ScoresScreen


@pytest.fixture
def scored(phrasebook: Path) -> Path:
    return add_scores(phrasebook)


def place(pilot: Pilot[None]) -> ScoresScreen:
    assert isinstance(pilot.app.screen, ScoresScreen)
    return pilot.app.screen


def systems(pilot: Pilot[None]) -> list[str]:
    return [line.split()[0] for line in place(pilot).query_one(RowList).lines()]


def test_a_database_without_scores_says_how_to_make_some(phrasebook: Path) -> None:
    async def main() -> None:
        async with scores(phrasebook, "s", "b", "t", "c", "e", "enter", "right") as pilot:
            assert "No score yet: `corpusdb score HYP... --ref FILE... --store` keeps some." in screen_text(pilot.app)
            assert place(pilot).lines() == ["No score yet: `corpusdb score HYP... --ref FILE... --store` keeps some."]

    asyncio.run(main())


def test_columns_are_walked_and_sort_the_rows_best_first(scored: Path) -> None:
    async def main() -> None:
        async with scores(scored) as pilot:
            assert systems(pilot) == ["good", "fair", "poor"]
            assert "[BLEUw2]" in screen_text(pilot.app)
            assert "frozen before it was scored" in screen_text(pilot.app)
            await press(pilot, "right", "l")
            assert "[mWER]" in screen_text(pilot.app)
            assert "metric:mwer" in screen_text(pilot.app)
            await press(pilot, "space", "s")
            assert systems(pilot) == ["good", "fair", "poor"]
            await press(pilot, "s")
            assert systems(pilot) == ["poor", "fair", "good"]
            assert "worst first" in status(pilot)
            assert place(pilot).query_one(RowList).selected == {2}  # the selection stays on its system
            assert place(pilot).query_one(RowList).cursor == 1
            await press(pilot, *["right"] * 9)
            assert "[DA]" in screen_text(pilot.app)
            assert "scores of people: DA.seg.score sha256:abab" in screen_text(pilot.app)

    asyncio.run(main())


def test_a_baseline_gives_marks_which_stay_when_one_comes_back(scored: Path) -> None:
    async def main() -> None:
        async with scores(scored, "b") as pilot:
            assert "** p < 0.01, * p < 0.05, interval without 0, against good" in screen_text(pilot.app)
            rows = place(pilot).query_one(RowList).lines()
            assert rows[0].startswith("good =") and "*" not in rows[0]
            assert "**" in rows[2]
            assert "0.7000?" in rows[1]  # only the score of the system is known
            await press(pilot, "enter", "q")
            assert place(pilot).query_one(RowList).lines() == rows
            await press(pilot, "b")
            assert "*" not in "".join(place(pilot).query_one(RowList).lines())

    asyncio.run(main())


def test_another_test_set_is_chosen_and_stays(scored: Path) -> None:
    async def main() -> None:
        async with scores(scored, "b", "t", "g", "enter") as pilot:
            assert "test set 1 of 2" in screen_text(pilot.app)
            assert systems(pilot) == ["翻訳機"]
            assert place(pilot).significance.baseline is None
            await press(pilot, "enter", "q", "1", "5")
            assert systems(pilot) == ["翻訳機"]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("out.tsv", "system\tBLEUw2 guided\t"),
        ("out.md", "| system | BLEUw2 guided |"),
        ("out.tex", "\\begin{tabular}"),
        ("out.json", '[\n  {"system": "good", "BLEUw2 guided": '),
    ],
)
def test_what_is_seen_is_exported(file: str, begins: str, scored: Path) -> None:
    async def main() -> None:
        async with scores(scored, "b", "e") as pilot:
            pilot.app.screen.query_one("#file", Input).value = file
            await press(pilot, "enter")
            assert status(pilot) == f"3 rows written to {file}"
            await press(pilot, "e")
            pilot.app.screen.query_one("#file", Input).value = file
            await press(pilot, "enter")
            assert "exists" in screen_text(pilot.app)  # it is not written over
            pilot.app.screen.query_one("#overwrite", Input).value = "yes"
            await press(pilot, "enter")
            assert status(pilot) == f"3 rows written to {file}"

    asyncio.run(main())
    text = Path(file).read_text(encoding="utf-8")
    assert text.startswith(begins)
    assert "60.65**" in text.replace("\\", "")
    if file.endswith("tex"):
        assert "% BLEUw2 guided: frozen" in text and "% ** p < 0.01" in text


@pytest.mark.parametrize(("file", "reason"), [("", "needs a name"), ("out.doc", "out.doc does not tell the format")])
def test_a_file_that_tells_no_format_is_refused(file: str, reason: str, scored: Path) -> None:
    async def main() -> None:
        async with scores(scored, "e") as pilot:
            pilot.app.screen.query_one("#file", Input).value = file
            await press(pilot, "enter")
            assert reason in screen_text(pilot.app)
            pilot.app.screen.query_one("#file", Input).value = "out.doc"
            pilot.app.screen.query_one("#format", Input).value = "csv"
            await press(pilot, "enter")
            assert status(pilot) == "3 rows written to out.doc"

    asyncio.run(main())


def test_scores_that_are_stored_meanwhile_appear(phrasebook: Path) -> None:
    async def main() -> None:
        async with scores(phrasebook) as pilot:
            with_scores(phrasebook)
            await press(pilot, "1", "5")
            assert systems(pilot) == ["good", "fair", "poor"]

    asyncio.run(main())


def test_columns_that_have_no_room_are_counted(scored: Path) -> None:
    async def main() -> None:
        async with scores(scored, size=(44, 20)) as pilot:
            assert "more >" in screen_text(pilot.app)
            await press(pilot, *["right"] * 4)
            assert "[DA]" in screen_text(pilot.app) and "< 3 more" in screen_text(pilot.app)
            await pilot.resize_terminal(120, 24)
            await settled(pilot)
            assert "more" not in screen_text(pilot.app).split("\n")[1]

    asyncio.run(main())


def test_a_name_that_attacks_the_terminal_stays_on_its_line(scored: Path) -> None:
    with open_store(scored) as store, store.write():
        store.connection.execute("update system_output set system = ? where system = 'good'", ("a\x1b[7m\nb" * 3,))

    async def main() -> None:
        async with scores(scored) as pilot:
            for keys in (("b",), ("enter",), ("enter",), ("q", "q", "c")):
                await press(pilot, *keys)
                shown = screen_text(pilot.app)
                assert "\x1b" not in shown and "a\ufffd[7m\ufffdb" in shown
                assert len(shown.splitlines()) <= 24

    asyncio.run(main())


def test_three_systems_cannot_be_compared_at_once(scored: Path) -> None:
    async def main() -> None:
        async with scores(scored, "space", "space", "space", "enter") as pilot:
            assert "3 systems are selected: two can be compared" in status(pilot)

    asyncio.run(main())
