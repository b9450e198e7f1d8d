"""What the browser lists behind a paraphrase that no analogy yields."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from corpusdb.corpus.model import Explanation
from tui.people.explanation_screen import explanation_rows, folded


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
