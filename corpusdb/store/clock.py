"""The time now, as every row has it: ISO 8601 in UTC, to the second."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["now"]


def now() -> str:
    """The time now."""
    return datetime.now(UTC).isoformat(timespec="seconds")
