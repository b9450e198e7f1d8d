"""The place of judging: its samples, drawing one, who judges, and the report; driven by its keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from people_pilots import SIZE, judging, status, texts
from pilots import press, screen_text
from place_pilots import japanese_corpus, keep
from textual.pilot import Pilot
from textual.widgets import Input

from corpusdb.corpus.store import open_store
from corpusdb.people.queries.samples import find_sample, samples
from tui.kit.dialogs import DetailsDialog, FormDialog
from tui.kit.place_screen import PlaceScreen
from tui.kit.shown import RowList
from tui.people.judging_screen import ItemsScreen, ReportScreen
from tui.people.samples_screen import JudgingScreen


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


async def test_another_judge_starts_at_the_first_item(judged: Path) -> None:
    async with judging(judged, "enter", "a", "q", "J", "ctrl+u", *"ann", "enter", "enter") as pilot:
        assert "Item 4. " in screen_text(pilot.app)
        assert "ann on sentences" in screen_text(pilot.app)


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
        await press(pilot, "q", "g", "enter")
        assert lines[0] in screen_text(pilot.app)
        assert isinstance(pilot.app.screen, DetailsDialog)
        await press(pilot, "q", "j", "j", "enter")  # an empty row
        assert isinstance(pilot.app.screen, ReportScreen)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, JudgingScreen)


async def test_nothing_to_report_on(phrasebook: Path) -> None:
    async with judging(phrasebook, "r") as pilot:
        assert "No sample was drawn yet." in screen_text(pilot.app)
        assert "there is no sample to report on" in status(pilot)


@pytest.mark.slow
async def test_a_sample_is_drawn_with_the_defaults_of_the_paper(phrasebook: Path) -> None:
    async with judging(phrasebook, "c", "enter") as pilot:
        assert "grammaticality-1: 400 of " in status(pilot)
        await press(pilot, "c", "space", "enter")
        assert "meaning-1: 470 of " in status(pilot)
        assert pilot.app.screen.query_one(RowList).cursor == 1
        await press(pilot, "c", "space", "pageup", "enter")
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
    ({"size": "many"}, "! items: 'many' is no number"),
    ({"size": "0"}, "! a sample has one item or more"),
    ({"seed": "-1"}, "! the random seed: '-1' is no number"),
    ({"order": ""}, "! N: '' is no number"),
    ({"language": "xx"}, "! unknown language code 'xx'"),
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


def test_every_screen_of_judging_says_where_one_is() -> None:
    assert {screen.PLACE for screen in (JudgingScreen, ItemsScreen, ReportScreen)} == {"judging"}
    assert all(issubclass(screen, PlaceScreen) for screen in (JudgingScreen, ItemsScreen, ReportScreen))


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
        assert "rewritings by rules pass no filter" in screen_text(pilot.app)
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
