"""What is raised for a question that nobody waits for any more."""

from __future__ import annotations

__all__ = ["Superseded"]


class Superseded(Exception):
    """A question was not answered, because a newer one of its kind had come, or because it was stopped."""
