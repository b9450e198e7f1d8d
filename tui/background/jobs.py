"""Long jobs in the background, in a thread and on a connection of their own: started, reported, cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Lock
from typing import Any, Literal, TypeAlias

from corpusdb.errors import Cancelled, CorpusError, StoreError
from corpusdb.jobs import Job, Pace, Progress, Reading, finished
from corpusdb.store import Store, open_store
from corpusdb.store.connection import translated_errors

__all__ = ["Factory", "JobState", "Jobs", "Phase"]

Factory: TypeAlias = Callable[[Store], Job[Any]]
"""Makes the job, in its thread, on a database that is open for writing."""
Phase: TypeAlias = Literal["waiting", "running", "stopping", "done", "failed", "cancelled"]
"""Waiting for the one before it, which writes; stopping at the end of its transaction; the last three are for good."""

_SECONDS_BETWEEN_TELLINGS = 0.1
_CANCELLED = "what is done is kept, and the same job goes on from there"


@dataclass(frozen=True, slots=True)
class JobState:
    """One job as it was at some moment."""

    number: int
    """From 1, in the order in which they were started."""
    title: str
    phase: Phase = "waiting"
    reading: Reading | None = None
    """The last step that it told about."""
    result: object = None
    """Its report, when it is done."""
    error: str = ""
    """Why it failed, or what became of it when it was cancelled, in one line."""

    @property
    def is_over(self) -> bool:
        return self.phase in ("done", "failed", "cancelled")

    @property
    def told(self) -> str:
        """What there is to say of it now, in a few words."""
        if self.phase == "stopping":
            return "stops when its transaction ends"
        if self.is_over:
            return self.error
        return self.reading.told if self.reading else ""

    @property
    def summary(self) -> str:
        """Title and state in one line."""
        return f"{self.title}: {self.told or self.phase}"


@dataclass(slots=True)
class _Work:
    """A job with what is needed to run it, and to stop it."""

    state: JobState
    factory: Factory
    stop: Event = field(default_factory=Event)
    future: Future[object] | None = None
    store: Store | None = None
    """While it runs."""
    last_told: float = float("-inf")


class Jobs:
    """The jobs of one browser. SQLite has one writer, so that one job runs at a time, and the others wait their turn.

    ``tell`` is given each new state, from whatever thread, and must not wait; steps of one stage are told of at most
    ten times a second.
    """

    def __init__(
        self, path: Path, tell: Callable[[JobState], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._tell = tell
        self._clock = clock
        self._works: dict[int, _Work] = {}
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="jobs")

    @property
    def states(self) -> list[JobState]:
        """All that were started, in that order."""
        return [work.state for work in list(self._works.values())]

    @property
    def active(self) -> list[JobState]:
        """Those that are not over, the one that runs first."""
        return [state for state in self.states if not state.is_over]

    @property
    def summary(self) -> str:
        """The first of those that are not over, and how many more there are; nothing where there is none."""
        active = self.active
        more = f" (+{len(active) - 1})" if len(active) > 1 else ""
        return f"{active[0].summary}{more}" if active else ""

    def start(self, title: str, factory: Factory) -> JobState:
        """Run a job when those before it are over."""
        with self._lock:
            number = len(self._works) + 1
            state = JobState(number, title)
            work = self._works[number] = _Work(state, factory)
        self._tell(state)
        work.future = self._thread.submit(self._run, work)
        work.future.add_done_callback(lambda future: self._end(work, future))
        return state

    def again(self, number: int) -> JobState | None:
        """Start a job that failed or was cancelled once more: it goes on where it stopped. None for any other."""
        work = self._works[number]
        return self.start(work.state.title, work.factory) if work.state.phase in ("failed", "cancelled") else None

    def cancel(self, number: int) -> None:
        """Stop a job between two of its transactions, or before it begins; nothing happens to one that is over."""
        work = self._works[number]
        work.stop.set()
        if work.future is not None and work.future.cancel():
            return  # it had not begun
        with self._lock:
            if work.state.is_over:
                return
            work.state = replace(work.state, phase="stopping")
        self._tell(work.state)

    def close(self) -> None:
        """Cancel all jobs at once: the transaction that is under way is taken back."""
        for work in list(self._works.values()):
            work.stop.set()
        self.interrupt()
        self._thread.shutdown(wait=True, cancel_futures=True)

    def interrupt(self) -> None:
        """End the statement that the running job is in, with an error."""
        with self._lock:
            for work in self._works.values():
                if work.store is not None:
                    work.store.connection.interrupt()

    def _run(self, work: _Work) -> object:
        _stop_if_asked(work)
        with open_store(self._path) as store, translated_errors(self._path):
            self._keep_store(work, store)
            try:
                return self._finish(work, work.factory(store))
            finally:
                self._keep_store(work, None)

    def _keep_store(self, work: _Work, store: Store | None) -> None:
        with self._lock:
            work.store = store

    def _finish(self, work: _Work, job: Job[Any]) -> object:
        pace = Pace(self._clock)

        def watch(step: Progress) -> None:
            self._show(work, pace.reading(step))
            _stop_if_asked(work)

        self._show(work, None)
        return finished(job, watch)

    def _show(self, work: _Work, reading: Reading | None) -> None:
        with self._lock:
            before, now = work.state, self._clock()
            phase: Phase = "stopping" if work.stop.is_set() else "running"
            work.state = replace(before, phase=phase, reading=reading)
            is_new = reading is None or before.reading is None or reading.step.stage != before.reading.step.stage
            if not is_new and now - work.last_told < _SECONDS_BETWEEN_TELLINGS:
                return
            work.last_told = now
        self._tell(work.state)

    def _end(self, work: _Work, future: Future[object]) -> None:
        """Keep what came of a job. An error that is none of corpusdb's is shown with its name, to be reported."""
        error = Cancelled(_CANCELLED) if future.cancelled() else future.exception()
        if work.stop.is_set() and isinstance(error, StoreError):  # its statement was interrupted
            error = Cancelled(_CANCELLED)
        with self._lock:
            if error is None:
                ended = replace(work.state, phase="done", result=future.result())
            elif isinstance(error, Cancelled):
                ended = replace(work.state, phase="cancelled", error=str(error))
            else:
                ended = replace(work.state, phase="failed", error=_in_one_line(error))
            work.state = ended
        self._tell(ended)


def _stop_if_asked(work: _Work) -> None:
    if work.stop.is_set():
        raise Cancelled(_CANCELLED)


def _in_one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, CorpusError | OSError) else f"{type(error).__name__}: {text}"
