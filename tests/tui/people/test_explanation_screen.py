"""What stands behind a paraphrase, beside it and on a screen of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from people_pilots import begin_session, place
from pilots import press, screen_text
from rich.cells import cell_len

from corpusdb.corpus.model import Explanation
from tui.people.explanation_screen import EvidencePane, explanation_rows, folded
from tui.people.open_seed import CandidateList

# Where there is room beside the paraphrases, what stands behind the one under the cursor is shown.


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("own_folder")
@pytest.mark.parametrize(("size", "is_shown"), [((80, 24), False), ((119, 40), False), ((120, 40), True)])
async def test_the_analogies_of_a_row_are_beside_it_on_a_wide_screen(
    finished_phrasebook: Path, size: tuple[int, int], is_shown: bool
) -> None:
    path = begin_session(Path(shutil.copy(finished_phrasebook, "phrasebook.db")))
    evidence = ("translates with B to", "Both have the", "sentences that differ by it alone")

    async with place(path, "enter", size=size) as pilot:
        pane = pilot.app.screen.query_one(EvidencePane)
        seen = []
        for _ in range(2):
            seen.append(pane.text.plain)
            shown = screen_text(pilot.app) + " ".join(seen[-1].split())
            assert any(each in shown for each in evidence) == is_shown
            await press(pilot, "j")
        assert pilot.app.screen.query_one(CandidateList).cursor == 2
        assert (seen[0] != seen[1]) == is_shown


@pytest.mark.usefixtures("own_folder")
async def test_it_appears_with_the_room_for_it(finished_phrasebook: Path) -> None:
    path = begin_session(Path(shutil.copy(finished_phrasebook, "phrasebook.db")))

    async with place(path, "enter") as pilot:
        pane = pilot.app.screen.query_one(EvidencePane)
        assert pane.text.plain == ""
        await pilot.resize_terminal(200, 60)
        await press(pilot, "k")
        assert "Validity" in pane.text.plain
        assert "Validity" in screen_text(pilot.app)


# What the browser lists behind a paraphrase that no analogy yields.


@pytest.mark.parametrize(
    ("reasons", "last"),
    [(("one", "another"), ["one", "another"]), ((), ["No analogy and no shared translation is known."])],
)
def test_reasons_in_words_are_rows(reasons: tuple[str, ...], last: list[str]) -> None:
    rows = list(explanation_rows(Explanation("the seed", "the candidate", (), 0, reasons=reasons)))
    assert [row.text for row in rows] == ["the candidate", "  paraphrases the seed", *last]


def test_what_people_accepted_comes_first() -> None:
    found = Explanation("the seed", "the candidate", (), 0, reasons=("one",), validity=1.0, accepted=("accepted",))
    assert [row.text for row in explanation_rows(found)][2:] == ["accepted", "Validity 1.000", "one"]


@pytest.mark.parametrize("width", [20, 38, 76])
@pytest.mark.parametrize(
    ("text", "margin"),
    [
        ("Analogy 1 of 20, of a heading that is longer than some screens are wide", 0),
        ("  paraphrases Where do I check in, please, with so much luggage?", 2),
        ("  B'   Where can I check in, please, with so much luggage?", 7),
        ("       fra  Où est-ce que je dois m'enregistrer ?  (phrasebook/airport.tsv:2, airport.tsv:5)", 12),
        ("       jpn  どこでチェックインすればいいですか、教えていただけませんか。", 12),
    ],
)
def test_a_row_is_wrapped_and_nothing_of_it_is_lost(text: str, margin: int, width: int) -> None:
    lines = folded(text, width)
    assert max(map(cell_len, lines)) <= width
    assert {line[:margin] for line in lines[1:]} <= {" " * margin}
    whole = lines[0] + "".join(line[margin:] for line in lines[1:])
    assert whole.replace(" ", "") == text.replace(" ", "")
