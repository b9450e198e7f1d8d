"""Commands during which the power goes: the file is sound and they can be repeated. All are in benchmarks/power.py."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from interposed import library
from losing import lost_at
from workbench import Prepared

pytestmark = pytest.mark.skipif(library() is None, reason="the SQLite of Python's module is not to be reached")


@pytest.mark.parametrize(
    ("name", "change", "parts"),
    [
        ("judge record", 0, (0.0,)),
        pytest.param("judge record", 0, (0.0, 0.5), marks=pytest.mark.slow),
        pytest.param("import A", 300, (0.0, 0.5), marks=pytest.mark.slow),
        pytest.param("accept", 400, (0.0, 0.5), marks=pytest.mark.slow),
    ],
)
def test_what_was_synced_is_there_when_the_power_goes(
    level: Prepared, disturbed: Path, name: str, change: int, parts: Sequence[float]
) -> None:
    assert lost_at(level, disturbed, name, change, random.Random(change), parts).wrong == ()
