"""A paraphrase that is edited: a wording of one's own is accepted, taken back and exported as any other."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pilots import screen_text
from session_pilots import ELEVATOR, decided, fill, place, press, row_of, seed_screen, status
from textual.widgets import Input

from corpusdb.corpus.formats.scoring_input import read_references
from tui.kit.dialogs import FormDialog

OWN = "Where would the elevator be?"


def test_a_wording_of_ones_own(begun: Path, tmp_path: Path) -> None:
    async def check() -> None:
        async with place(begun, "enter", "E") as pilot:
            form = pilot.app.screen
            assert isinstance(form, FormDialog)
            await press(pilot, "escape")
            candidates = seed_screen(pilot).panes.candidates
            first = candidates.candidates[0].text
            await press(pilot, "E")
            assert pilot.app.screen.query_one("#text", Input).value == first
            await fill(pilot, text=" ")
            assert "! an empty sentence is no paraphrase" in screen_text(pilot.app)
            await fill(pilot, text=f" {OWN} ")
            assert decided(begun) == [(OWN, "accept", False)]
            assert row_of(pilot, OWN)[1] == "+"
            row = next(line for line in candidates.lines() if OWN in line)
            assert row.split()[:6] == ["+", *"-----"]  # nothing was computed, and it does not fail
            assert candidates.current is not None and candidates.current.text == first  # x would reject it
            assert status(pilot).startswith("1 accepted")
            await press(pilot, "right", "right", "h")
            assert OWN in [each.text for each in candidates.candidates]
            view = seed_screen(pilot).seed.view
            assert view is not None and view.proposed == len(view.paraphrases) - 1  # it neither passes nor fails
            assert f"of {view.proposed} pass" in screen_text(pilot.app)
            await press(pilot, "h", "e")
            await fill(pilot, file=str(tmp_path / "out.tsv"))
            found = read_references([tmp_path / "out.tsv"]).references
            assert [each.text for each in found[0]] == [ELEVATOR, OWN]
            await press(pilot, "u")
            assert status(pilot).startswith(f"acceptance taken back; seed 1: {OWN}")
            assert decided(begun) == [] and OWN not in [each.text for each in candidates.candidates]

    asyncio.run(check())
