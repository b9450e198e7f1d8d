"""The operations: SQL plus Python over an open store, one module an operation.

Long operations are generators that yield Progress between their transactions and return a report: they can be stopped
at every yield, and the same call later goes on where they stopped. ``finished`` runs one to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVar

from corpusdb.model import Progress

__all__ = ["Job", "finished"]

Result = TypeVar("Result")
Job: TypeAlias = Generator[Progress, None, Result]


def finished(job: Job[Result], watch: Callable[[Progress], None] | None = None) -> Result:
    """Run ``job`` to its end, showing each step to ``watch``, and return its report."""
    try:
        while True:
            step = next(job)
            if watch is not None:
                watch(step)
    except StopIteration as end:
        result: Result = end.value
        return result
    finally:
        job.close()
