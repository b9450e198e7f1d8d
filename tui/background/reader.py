"""Where the browser reads and writes: in threads with connections of their own, so that a screen never waits.

One thread reads and one writes: a change waits while another process holds the file, and nothing else waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from corpusdb.queries.search.search import Searcher
from corpusdb.queries.sessions.views import SeedReader
from corpusdb.store import Store, open_for_reading, open_store
from corpusdb.store.connection import translated_errors

__all__ = ["Desk", "Desktop", "Superseded"]

Answer = TypeVar("Answer")


class Superseded(Exception):
    """A question was not asked, because a newer one of its kind had come."""


class Desk:
    """The database and what was read from it. It belongs to one thread, and only questions see it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def store(self) -> Store:
        """For reading."""
        return open_for_reading(self.path)

    @cached_property
    def searcher(self) -> Searcher:
        return Searcher(self.store)

    @cached_property
    def seed_reader(self) -> SeedReader:
        """For the seeds of sessions."""
        return SeedReader(self.store, self.writing)

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
            for name in ("store", "searcher", "seed_reader"):
                self.__dict__.pop(name, None)


class Desktop:
    """The desk from outside of its thread: questions go in, answers come back in order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._desk = Desk(path)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="desk")
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer")
        self._newest: dict[str, int] = {}

    async def ask(self, question: Callable[[Desk], Answer], kind: str | None = None) -> Answer:
        """The answer to a question.

        Of several questions of one ``kind``, such as the searches while somebody types, only the newest matters: those
        that wait when it comes raise Superseded. Raises what the question raises, SQLite's errors as corpusdb's.
        """
        number = 0
        if kind is not None:
            number = self._newest[kind] = self._newest.get(kind, 0) + 1

        def asked() -> Answer:
            if kind is not None and self._newest[kind] != number:
                raise Superseded
            with translated_errors(self.path):
                self._desk.begin_question()
                answer = question(self._desk)
                self._desk.end_question()
                return answer

        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, asked))

    async def change(self, change: Callable[[Store], Answer]) -> Answer:
        """What a short change of the database, made whole or not at all, returns. Changes keep their order.

        Raises what the change raises, DatabaseReadOnly and DatabaseLocked.
        """

        def changed() -> Answer:
            with translated_errors(self.path), self._desk.writing() as store, store.write():
                return change(store)

        # Shielded: what was asked to be written is written, even if the screen that asked has gone.
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._writer, changed))

    def close(self) -> None:
        """Close the file once all changes are made and the questions answered."""
        self._writer.shutdown(wait=True)
        self._thread.submit(self._desk.close)
        self._thread.shutdown(wait=True, cancel_futures=False)
