"""The database as the browser reads it, and questions that take long, on connections of their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar, cast

from corpusdb.base.errors import StoreError
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.store import Store, open_for_reading, open_store
from corpusdb.corpus.store.connection import translated_errors
from corpusdb.people.queries.views import SeedReader
from corpusdb.scoring.queries.score_table import ScoreReader
from corpusdb.search.queries.search import Searcher
from corpusdb.translation.queries.ladder import OpenTranslators


class Superseded(Exception):
    """A question was not answered, because a newer one of its kind had come, or because it was stopped."""


class DatabaseReader:
    """The database and what was read from it. It belongs to one thread, and only questions see it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def store(self) -> Store:
        return open_for_reading(self.path)

    @cached_property
    def searcher(self) -> Searcher:
        return Searcher(self.store)

    @cached_property
    def seed_reader(self) -> SeedReader:
        return SeedReader(self.store, self.writing)

    @cached_property
    def score_reader(self) -> ScoreReader:
        return ScoreReader(self.store)

    @cached_property
    def translators(self) -> OpenTranslators:
        return OpenTranslators(self.store)

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """The database for one short change. Raises DatabaseReadOnly and DatabaseLocked."""
        with open_store(self.path) as store:
            yield store

    def close(self) -> None:
        if "store" in self.__dict__:
            self.store.close()

    def end_question(self) -> None:
        """Raise StoreError where the answer may be of a file that is there no more."""
        if "store" in self.__dict__:
            self.store.require_current()

    def begin_question(self) -> None:
        """Open the file again, and forget what was read of it, where another has its name or it changed unlocked."""
        if "store" in self.__dict__ and not self.store.is_current:
            self.store.close()
            for name in ("store", "searcher", "seed_reader", "score_reader", "translators"):
                self.__dict__.pop(name, None)


Result = TypeVar("Result")

_SECONDS = 0.025
"""How long a step may keep the reader from others."""


class StepwiseJob(Generic[Result]):
    """A job that advances a little at a time, until it is done or stopped from another thread."""

    def __init__(self, make: Callable[[DatabaseReader], Job[Result]]) -> None:
        """``make`` begins the job, in the reader's thread."""
        self._make = make
        self._job: Job[Result] | None = None
        self._result: Result | None = None
        self.is_over = False
        """Whether it is done, has failed or was stopped."""
        self.is_stopped = False
        self.is_open = False
        """Whether it has begun something that is not cleared away yet."""

    @property
    def result(self) -> Result:
        """What it returned, once ``advance`` has said that it is done."""
        return cast("Result", self._result)

    def advance(self, reader: DatabaseReader) -> Progress | None:
        """Go on for a moment, in the reader's thread; how far it is, or None where it is over.

        A job that was stopped clears away what it has begun. Raises what the job raises.
        """
        end = time.monotonic() + _SECONDS
        goes_on = False
        try:
            if self._job is None and not self.is_over:
                self._job = self._make(reader)
                self.is_open = True
            while self._job is not None and not self.is_over:
                progress = next(self._job)
                if not self.is_stopped and time.monotonic() > end:
                    goes_on = True
                    return progress
        except StopIteration as done:
            self._result = done.value
        finally:
            if not goes_on:
                self._end()
        return None

    def stop(self) -> None:
        """Do not go on after this step."""
        if not self.is_over:
            self.is_stopped = self.is_over = True

    def _end(self) -> None:
        self.is_over = True
        if self._job is not None:
            self._job.close()
        self.is_open = False


Answer = TypeVar("Answer")


class OneOffReader:
    """Answers one question at a time, in a thread with a connection that is then closed, which frees its cache."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._open: list[Store] = []
        self._newest = 0

    async def ask(self, question: Callable[[Store], Answer]) -> Answer:
        """The answer; it sees one state of the database. A question that is still being answered is given up.

        Raises what the question raises, SQLite's errors as corpusdb's, and Superseded where a newer one has come.
        """
        self.stop()
        self._newest += 1
        number = self._newest
        try:
            answer = await asyncio.to_thread(self._answer, question)
        except StoreError:
            if number != self._newest:
                raise Superseded from None
            raise
        if number != self._newest:
            raise Superseded
        return answer

    def stop(self) -> None:
        """Give up what is being answered: its statement ends with an error."""
        with self._lock:
            for store in self._open:
                store.connection.interrupt()

    def _answer(self, question: Callable[[Store], Answer]) -> Answer:
        with translated_errors(self._path), open_for_reading(self._path) as store:
            self._note(self._open.append, store)
            try:
                with store.snapshot():
                    return question(store)
            finally:
                self._note(self._open.remove, store)

    def _note(self, change: Callable[[Store], None], store: Store) -> None:
        with self._lock:
            change(store)
