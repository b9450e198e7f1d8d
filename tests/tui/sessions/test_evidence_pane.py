"""Where there is room beside the paraphrases, what stands behind the one under the cursor is shown."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from pilots import screen_text
from session_pilots import begin_session, place, press

from tui.people.explanation_screen import EvidencePane
from tui.people.open_seed import CandidateList


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("size", "is_shown"), [((80, 24), False), ((119, 40), False), ((120, 40), True)])
def test_the_analogies_of_a_row_are_beside_it_on_a_wide_screen(
    finished_phrasebook: Path, size: tuple[int, int], is_shown: bool
) -> None:
    path = begin_session(Path(shutil.copy(finished_phrasebook, "phrasebook.db")))

    async def main() -> None:
        async with place(path, "enter", size=size) as pilot:
            pane = pilot.app.screen.query_one(EvidencePane)
            seen = []
            for _ in range(2):
                seen.append(pane.text.plain)
                assert ("translates with B to" in screen_text(pilot.app) or "Both have the" in seen[-1]) == is_shown
                await press(pilot, "j")
            assert pilot.app.screen.query_one(CandidateList).cursor == 2
            assert (seen[0] != seen[1]) == is_shown

    asyncio.run(main())


def test_it_appears_with_the_room_for_it(finished_phrasebook: Path) -> None:
    path = begin_session(Path(shutil.copy(finished_phrasebook, "phrasebook.db")))

    async def main() -> None:
        async with place(path, "enter") as pilot:
            pane = pilot.app.screen.query_one(EvidencePane)
            assert pane.text.plain == ""
            await pilot.resize_terminal(200, 60)
            await press(pilot, "k")
            assert "Validity" in pane.text.plain
            assert "Validity" in screen_text(pilot.app)

    asyncio.run(main())
