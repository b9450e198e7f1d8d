"""Who is told how far a job of the library has come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, TypeVar

from corpusdb.jobs import Job, Progress

__all__ = ["Runner", "Watch"]

Result = TypeVar("Result")
Watch: TypeAlias = Callable[[Progress], None]
"""Is told every step of a job; what it raises ends the job, and what was committed stays."""


class Runner(Protocol):
    """Runs a job to its end."""

    def __call__(self, job: Job[Result], progress: Watch | None = None) -> Result:
        """What the job gives; its steps are told to ``progress``."""
