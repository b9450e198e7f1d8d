"""Translation in the browser: the sentence under the cursor, another text, other languages, evidence, mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from people_pilots import status
from pilots import press, screen_text
from place_pilots import browser_at
from textual.pilot import Pilot

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import open_store
from tui.kit.dialogs import DetailsDialog
from tui.kit.shown import RowList
from tui.translation import TranslationScreen

ROWS = (
    ("I sing.", "Je chante."),
    ("He sings.", "Il chante."),
    ("He dances.", "Il danse."),
    ("She dances.", "Elle danse."),
    ("She sings well.", "Elle chante bien."),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file, path = tmp_path / "rows.tsv", tmp_path / "corpus.db"
    file.write_text("".join(f"{own}\t{other}\n" for own, other in ROWS), encoding="utf-8")
    with open_store(path, create=True) as store:
        source = open_source("tsv", [file], Options(languages=("eng", "fra"), header="no"))
        finished(import_source(store, finished(check_source(source)), "rows"))
    return path


def rows(pilot: Pilot[None]) -> list[str]:
    return [" ".join(line.split()) for line in pilot.app.screen.query_one(RowList).lines()]


async def test_the_sentence_under_the_cursor_is_translated(path: Path) -> None:
    async with browser_at(path, "t") as pilot:
        assert isinstance(pilot.app.screen, TranslationScreen)
        assert rows(pilot)[0] == "exact 1.00 Je chante."
        assert "eng -> fra" in screen_text(pilot.app)
        await press(pilot, "q")
        assert not isinstance(pilot.app.screen, TranslationScreen)


async def test_escape_goes_back(path: Path) -> None:
    async with browser_at(path, "t") as pilot:
        await press(pilot, "slash", "escape")
        assert isinstance(pilot.app.screen, TranslationScreen)
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, TranslationScreen)
        below = pilot.app.screen
        await press(pilot, "escape", "escape")  # never out of the browser
        assert pilot.app.screen is below and pilot.app.return_code is None


async def test_another_text_in_another_language(path: Path) -> None:
    async with browser_at(path, "t") as pilot:
        await press(pilot, "l", "slash", "ctrl+u", *"Elle chante.", "enter")
        assert rows(pilot)[0] == "analogy 1.00 1x She sings."
        assert "analogy: Il danse. : " in screen_text(pilot.app)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DetailsDialog)
        assert any(line.endswith("Elle chante. = She sings.") for line in pilot.app.screen.lines())
        await press(pilot, "escape", "a")
        assert rows(pilot) == ["memory 0.83 She sings well."] and "nothing doubtful" in screen_text(pilot.app)


async def test_mistakes_are_told(path: Path) -> None:
    async with browser_at(path, "t") as pilot:
        await press(pilot, "slash", "ctrl+u", "enter")
        assert "the text is empty" in status(pilot)
        await press(pilot, *"xyz", "enter")
        assert "No translation: the corpus has nothing near enough to this text." in screen_text(pilot.app)
