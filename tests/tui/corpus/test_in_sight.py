"""What matters of a hit is on the screen: its match, however far to the right, and what stands around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_pilots import press, run, type_in
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.pilot import Pilot

from tui.kit.row_list import RowList
from tui.kit.shown import Text
from tui.search.document_screen import DocumentScreen
from tui.search.rows import in_sight
from tui.search.screen import CorpusScreen


@given(
    before=st.text("ab c猫に", max_size=120), match=st.text("xy犬", min_size=1, max_size=8), width=st.integers(40, 120)
)
def test_a_match_is_in_sight_wherever_it_stands(before: str, match: str, width: int) -> None:
    shown = in_sight(Text(f"{before}{match} and more"), len(before), len(before) + len(match), width).plain
    place = shown.index(match)
    assert cell_len(shown[: place + len(match)]) <= width
    assert shown.startswith("…") == (cell_len(before + match) > width - 1)
    assert before.endswith(shown[:place].removeprefix("…"))


@pytest.mark.parametrize("more", [(), ("plus",)])
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_the_sentence_from_which_one_came_is_in_the_middle(
    size: tuple[int, int], more: tuple[str, ...], phrasebook: Path
) -> None:
    async def script(pilot: Pilot[None], screen: CorpusScreen) -> None:
        await press(pilot, "slash")
        await type_in(pilot, "draft beer")
        await press(pilot, "enter", "enter", *more)
        assert isinstance(pilot.app.screen, DocumentScreen)
        rows = pilot.app.screen.query_one(RowList)
        assert "draft beer" in rows.text_of(rows.cursor)
        assert abs(rows.cursor - rows.scroll_offset.y - rows.size.height // 2) <= 1

    run(phrasebook, script, size)
