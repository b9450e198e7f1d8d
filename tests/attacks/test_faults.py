"""Commands of which an operation fails: nothing is lost, and they can be repeated. All are in benchmarks/faults.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from failing import Failing
from injection import Injection
from interposed import library
from workbench import Prepared

pytestmark = pytest.mark.skipif(library() is None, reason="the SQLite of Python's module is not to be reached")


@pytest.mark.parametrize(
    ("name", "kind", "nth", "lasting"),
    [
        ("judge record", "full", 3, False),
        pytest.param("import A", "write", 100, False, marks=pytest.mark.slow),
        pytest.param("import A", "full", 300, True, marks=pytest.mark.slow),
        pytest.param("accept", "allocate", 1300, False, marks=pytest.mark.slow),
        pytest.param("accept", "write", 30, True, marks=pytest.mark.slow),
        pytest.param("session apply", "sync", 1, False, marks=pytest.mark.slow),
        pytest.param("backup", "write", 60, True, marks=pytest.mark.slow),
        pytest.param("backup", "link", 1, False, marks=pytest.mark.slow),
        pytest.param("export", "fsync", 1, False, marks=pytest.mark.slow),
    ],
)
def test_a_fault_loses_nothing(level: Prepared, disturbed: Path, name: str, kind: str, nth: int, lasting: bool) -> None:
    failed = Failing(level, disturbed, name).failed_at(Injection((kind,), nth, lasting=lasting))
    assert failed.reached
    assert failed.wrong == ()
