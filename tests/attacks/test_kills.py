"""Commands that are killed and made again: the rows of an undisturbed one. All are in benchmarks/kills.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from killing import killed_at
from workbench import Prepared


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("import A", 40),
        ("accept", 60),
        ("session apply", 60),
        ("score", 25),
        ("backup", 300),
    ],
)
def test_a_command_that_was_killed_and_made_again_ends_with_the_same_rows(
    level: Prepared, disturbed: Path, name: str, operation: int
) -> None:
    done = killed_at(level, disturbed, name, operation)
    assert done.killed
    assert done.wrong == ()
