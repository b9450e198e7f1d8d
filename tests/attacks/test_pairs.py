"""Two commands that write, at the same moment: what one after the other gives. All pairs are in benchmarks/pairs.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from pairing import together
from workbench import Prepared


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("judge sample", "generate"),
        pytest.param("import A", "import B", marks=pytest.mark.slow),
        pytest.param("import units", "generate", marks=pytest.mark.slow),
        pytest.param("generate", "generate", marks=pytest.mark.slow),
        pytest.param("accept", "session apply", marks=pytest.mark.slow),
        pytest.param("backup", "import B", marks=pytest.mark.slow),
    ],
)
def test_two_at_once_give_what_one_after_the_other_gives(
    behind: Prepared, tmp_path: Path, one: str, other: str
) -> None:
    assert together(behind, tmp_path / "pair", one, other).wrong == ()
