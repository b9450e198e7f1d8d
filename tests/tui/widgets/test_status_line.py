"""What is said at the bottom: in one line where it fits, else in two or three, so that its end can be read too."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pilots import screen_text, settled

from corpusdb.base.cells import cell_width
from tui.app import make_browser
from tui.kit.lines import _broken

_LONG = f"12 references written to /home/kim/{'x' * 60}.tsv; 3 of 4 seeds have only themselves"


def test_what_is_longer_than_a_line_takes_two(phrasebook: Path) -> None:
    async def check() -> None:
        async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            rows = screen_text(pilot.app).split("\n")[:-2]
            for said, is_error in ((_LONG, False), (_LONG, True), (f"{_LONG}\nmore", False)):
                getattr(pilot.app, "say")(said, is_error=is_error)  # noqa: B009
                await settled(pilot)
                lines = screen_text(pilot.app).split("\n")
                assert len(lines) == 24 and all(cell_width(line) <= 80 for line in lines)
                joined = "".join(line.strip() for line in lines[-2:]).replace(" ", "")
                assert joined == f"{'! ' * is_error}{said}".replace(" ", "").replace("\n", "")
            for more, last in ((_LONG[:60], "and three"), (_LONG * 9, "…")):
                getattr(pilot.app, "say")(f"{_LONG}; {more}; and three")  # noqa: B009
                await settled(pilot)
                lines = screen_text(pilot.app).split("\n")
                assert len(lines) == 24 and lines[-3].startswith("12 references") and lines[-1].rstrip().endswith(last)
            getattr(pilot.app, "say")("short")  # noqa: B009
            await settled(pilot)
            lines = screen_text(pilot.app).split("\n")
            assert lines[:-2] == rows and lines[-1].strip() == "short"

    asyncio.run(check())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one two three", ("one two", "three")),
        ("one two", ("one two", "")),
        ("one tw three", ("one tw", "three")),
        ("oneoneoneone two", ("oneoneon", "eone two")),
        ("日本語の文章です", ("日本語の", "文章です")),
        ("a /home/kim/references", ("a /home/", "kim/references")),
    ],
)
def test_where_a_line_is_broken(text: str, parts: tuple[str, str]) -> None:
    assert _broken(text, 8) == parts
