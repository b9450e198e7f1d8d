"""The time as rows have it."""

from __future__ import annotations

from datetime import UTC, datetime

from corpusdb.store.clock import now


def test_now() -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    found = datetime.fromisoformat(now())
    assert before <= found <= datetime.now(UTC)
    assert now().endswith("+00:00")
    assert "." not in now()
