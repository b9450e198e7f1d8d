"""Everything that the browser asks of the database, each in a thread that suits it, so that a screen never waits.

Short questions are answered one after the other in one thread, and so are the steps of jobs that read for long; short
changes have a thread of their own, since a change waits while another process holds the file; so has a question that
takes seconds without steps, and so have long jobs that write, which tell how they go and can be cancelled.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from corpusdb.errors import DatabaseLocked, StoreError
from corpusdb.jobs import Progress
from corpusdb.store import Store, open_store
from corpusdb.store.connection import translated_errors
from tui.background.jobs import Jobs, JobState
from tui.background.one_off import OneOffReader
from tui.background.reader import DatabaseReader
from tui.background.stepwise import StepwiseJob
from tui.background.superseded import Superseded

__all__ = ["Runner"]

Answer = TypeVar("Answer")
Result = TypeVar("Result")

_SECONDS_UNTIL_TOLD = 0.5
"""A change that has to wait for longer is mentioned."""
_PAUSE_SECONDS = 0.05


class Runner:
    """Runs questions, changes and jobs on one database. Answers come in the order of the questions."""

    def __init__(
        self,
        path: Path,
        tell: Callable[[JobState], object],
        tell_unwritten: Callable[[int], object] = lambda count: None,
    ) -> None:
        """``tell`` is given each new state of the long jobs, from whatever thread, and must not wait.

        ``tell_unwritten`` is given, on the thread of the screen, how many changes that are kept wait for another
        process: when that is more than a moment, and whenever one of them is written.
        """
        self.path = path
        self.jobs = Jobs(path, tell)
        """Long jobs that write."""
        self._reader = DatabaseReader(path)
        self._one_off = OneOffReader(path)
        self._reading = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")
        self._writing = ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer")
        self._newest: dict[str, int] = {}
        self._in_steps: dict[str, StepwiseJob[Any]] = {}
        self.unwritten = 0
        """Changes that are kept until they can be written, and are not written yet."""
        self._tell_unwritten = tell_unwritten
        self._closing = Event()
        self._given_up = False
        """Whether, since it closes, a change could not be written any more."""

    async def ask(self, question: Callable[[DatabaseReader], Answer], kind: str | None = None) -> Answer:
        """The answer to a short question.

        Of several questions of one ``kind``, such as the searches while somebody types, only the newest matters: those
        that wait when it comes raise Superseded. Raises what the question raises, SQLite's errors as corpusdb's.
        """
        self._give_way(kind)
        return await self._ask(question, kind)

    def _give_way(self, kind: str | None) -> None:
        """Stop the job of a kind, of which nothing may wait while its step is under way."""
        if kind is not None and (older := self._in_steps.pop(kind, None)) is not None:
            older.stop()

    async def _ask(self, question: Callable[[DatabaseReader], Answer], kind: str | None = None) -> Answer:
        number = 0
        if kind is not None:
            number = self._newest[kind] = self._newest.get(kind, 0) + 1

        def asked() -> Answer:
            if kind is not None and self._newest[kind] != number:
                raise Superseded
            with translated_errors(self.path):
                self._reader.begin_question()
                answer = question(self._reader)
                self._reader.end_question()
                return answer

        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._reading, asked))

    async def read_in_steps(
        self, job: StepwiseJob[Result], watch: Callable[[Progress], None], kind: str | None = None
    ) -> Result:
        """What a job that reads returns; ``watch`` hears how it goes, on the thread of the screen.

        Raises what the job raises, and Superseded where it was stopped or a newer one of its ``kind`` has come.
        """
        self._give_way(kind)
        if kind is not None:
            self._in_steps[kind] = job
        try:
            # What was stopped only clears away: it takes nobody's place.
            while (progress := await self._ask(job.advance, None if job.is_over else kind)) is not None:
                watch(progress)
        except Superseded:
            if job.is_open:
                job.stop()
                await self._ask(job.advance)  # which clears away
            raise
        if job.is_stopped:
            raise Superseded
        return job.result

    async def ask_beside(self, question: Callable[[Store], Answer]) -> Answer:
        """The answer to a question that takes seconds; it gives up the one before. Raises what OneOffReader raises."""
        return await self._one_off.ask(question)

    def stop_beside(self) -> None:
        """Give up the question that takes seconds."""
        self._one_off.stop()

    async def change(self, change: Callable[[Store], Answer], *, kept: bool = False) -> Answer:
        """What a short change of the database, made whole or not at all, returns. Changes keep their order.

        One that is ``kept``, such as what a person decided, is tried again for as long as another process writes.
        Raises what the change raises, DatabaseReadOnly, and DatabaseLocked for one that is not kept, or when it closes.
        """

        def changed() -> Answer:
            with translated_errors(self.path), self._reader.writing() as store, store.write():
                return change(store)

        # Shielded: what was asked to be written is written, even if the screen that asked has gone.
        loop = asyncio.get_running_loop()
        if not kept:
            return await asyncio.shield(loop.run_in_executor(self._writing, changed))
        self.unwritten += 1
        timer = loop.call_later(_SECONDS_UNTIL_TOLD, lambda: self._tell_unwritten(self.unwritten))
        future = loop.run_in_executor(self._writing, self._insisting, changed)
        future.add_done_callback(lambda done: self._written(timer))
        answer = await asyncio.shield(future)
        if isinstance(answer, DatabaseLocked):
            raise answer
        return answer

    def _insisting(self, changed: Callable[[], Answer]) -> Answer | DatabaseLocked:
        """Make a change as soon as no other process writes, in the thread that writes; or why not, when it closes."""
        while True:
            if self._given_up:
                return DatabaseLocked(f"{self.path}: another process is writing")
            try:
                return changed()
            except DatabaseLocked:
                self._given_up = self._closing.wait(_PAUSE_SECONDS)

    def _written(self, timer: asyncio.TimerHandle) -> None:
        self.unwritten -= 1
        timer.cancel()
        self._tell_unwritten(self.unwritten)

    def close(self) -> None:
        """Cancel the long jobs, and close the file once all changes are made and the questions answered.

        Changes that are kept are tried once more: whoever leaves while another process writes was told of them.
        """
        self._closing.set()
        self.jobs.close()
        self._writing.shutdown(wait=True)
        self._reading.submit(self._reader.close)
        self._reading.shutdown(wait=True, cancel_futures=False)
        self._leave_one_file()

    def _leave_one_file(self) -> None:
        """Have SQLite move the journal into the database, which the last to close does, but not if it only reads.

        Who copies the file would else copy it without what was changed here.
        """
        journal = self.path.with_name(f"{self.path.name}-wal")
        if journal.exists() and os.access(self.path, os.W_OK):
            with suppress(StoreError), open_store(self.path):
                pass
