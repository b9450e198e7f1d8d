"""Commands that are killed and made again: the rows of an undisturbed one. All are in benchmarks/kills.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from killing import killed_at
from workbench import Prepared


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("session apply", 60),
        pytest.param("import A", 40, marks=pytest.mark.slow),
        pytest.param("accept", 60, marks=pytest.mark.slow),
        pytest.param("score", 25, marks=pytest.mark.slow),
        pytest.param("backup", 300, marks=pytest.mark.slow),
    ],
)
def test_a_command_that_was_killed_and_made_again_ends_with_the_same_rows(
    level: Prepared, disturbed: Path, name: str, operation: int
) -> None:
    done = killed_at(level, disturbed, name, operation)
    assert done.killed
    assert done.wrong == ()
