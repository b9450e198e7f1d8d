"""Tests of corpusdb/corpus/store/permissions.py."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from corpusdb.corpus.store.permissions import now


def test_the_time_is_utc_to_the_second() -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    told = now()
    moment = datetime.fromisoformat(told)
    assert before <= moment <= datetime.now(UTC)
    assert moment.utcoffset() == timedelta(0)
    assert len(told) == len("2026-01-01T00:00:00+00:00")
