"""The attack of tests/benchmarks/damage.py, on few cases: nothing that changes a row is unseen."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from damage import attack, make_database


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_no_damage_is_unseen(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUSDB_HISTORY", "off")
    outcome = attack(make_database(tmp_path), 10, seed, asks=False)
    assert sum(outcome.harmful.values()) > 0
    assert (outcome.unseen, outcome.false_alarms, outcome.unexpected) == ([], [], [])
