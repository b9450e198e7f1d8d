"""What is printed is what the paper prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corpusdb.studies.homogeneity.curves import (
    PAPER_BETTER_UP_TO,
    PAPER_CONFIDENCE,
    PAPER_CORRELATIONS,
    PAPER_DOCUMENTS,
    PAPER_TABLE_1,
    PAPER_TASK,
)


@pytest.mark.data
def test_the_numbers_of_the_paper() -> None:
    paper = Path(__file__).resolve().parents[3].parent / "shared" / "papers" / "data-homogeneity.txt"
    text = re.sub(r"\s+", " ", paper.read_text(encoding="utf-8"))
    for row, level in (("Phrasebook", "document"), ("Line", "line")):
        cells = [PAPER_TABLE_1[level][language] for language in ("jpn", "eng")]
        assert re.search(f"{row} " + " ".join(f"{each.mean:.3f}.{each.sd:.3f}" for each in cells), text)
    assert f"originat- ing from {PAPER_DOCUMENTS} sets" in text
    assert f"phrasebook length ({PAPER_CORRELATIONS['lines']})" in text
    assert f"line length ({PAPER_CORRELATIONS['line length']})" in text
    assert f"({PAPER_CORRELATIONS['other language']})" in text
    assert f"I0 = {PAPER_TASK}" in text
    assert f"(up to {100 * PAPER_BETTER_UP_TO['perplexity']:g}% of the ressource" in text
    shares = [f"{100 * PAPER_BETTER_UP_TO[name]:g}%" for name in ("bleu", "nist", "mwer")]
    assert f"(up to {shares[0]} of the BTEC in BLEU, up to {shares[1]} in NIST and up to {shares[2]} in mWER)" in text
    sure = [f"{100 * PAPER_CONFIDENCE[name]:g}%" for name in ("bleu", "nist", "mwer")]
    assert f"{sure[0]}, {sure[1]}, and {sure[2]}" in text
