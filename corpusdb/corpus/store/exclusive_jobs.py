"""Jobs that change the corpus or what is derived from it: one at a time, over all processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.store import Holder, Store
from corpusdb.corpus.store.runs import require_whole

__all__ = ["exclusive"]

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_UNTIL_DEAD = 600.0
"""A holder of whom this machine cannot tell whether it lives, and that gives no sign for so long, is taken for dead. If
it is not, it stops at its next transaction."""


_OF_THE_WHOLE = frozenset(
    {"accept", "check --repair", "detect", "generate", "import", "index", "session apply", "study", "update"}
)
"""What changes the corpus, or makes what is derived from all of it: an extract of a corpus refuses that."""


def exclusive(
    operation: str,
) -> Callable[
    [Callable[Concatenate[Store, Arguments], Job[Result]]], Callable[Concatenate[Store, Arguments], Job[Result]]
]:
    """Let a job, which takes the store first, begin when no other such job runs, and keep others from beginning.

    What the job reads of the corpus then stays as it is until it ends. A job inside a job is a part of it. While it has
    to wait, its Progress names the other.
    """

    def decorate(
        job: Callable[Concatenate[Store, Arguments], Job[Result]],
    ) -> Callable[Concatenate[Store, Arguments], Job[Result]]:
        @wraps(job)
        def alone(store: Store, /, *arguments: Arguments.args, **options: Arguments.kwargs) -> Job[Result]:
            # A store that may not be written to can run a job that finds nothing to do.
            if store.in_job or store.read_only:
                return (yield from job(store, *arguments, **options))
            if operation in _OF_THE_WHOLE:
                require_whole(store, operation)
            yield from _wait_for_turn(store, operation)
            try:
                return (yield from job(store, *arguments, **options))
            finally:
                store.end_job()

        return alone

    return decorate


def _wait_for_turn(store: Store, operation: str) -> Job[None]:
    """Take the job lock as soon as nobody has it."""
    given_up, sign, since = "", ("", 0), time.monotonic()
    while (holder := _living_holder(store, operation, given_up)) is not None:
        if (holder.token, holder.beats) != sign:
            sign, since = (holder.token, holder.beats), time.monotonic()
        elif time.monotonic() - since > _SECONDS_UNTIL_DEAD:
            given_up = holder.token
            continue
        yield Progress(f"waiting for {holder}", 0, 0)
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def _living_holder(store: Store, operation: str, given_up: str) -> Holder | None:
    """The other job, or None where this one has the lock now.

    It is looked for without a transaction first, which a long one of the other job would make wait.
    """
    holder = store.job_holder()
    if holder is not None and holder.token != given_up and not holder.is_known_dead:
        return holder
    return store.start_job(operation, given_up)
