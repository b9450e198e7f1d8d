"""The database as the browser reads it, and questions that take long, on connections of their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from corpusdb.base.errors import StoreError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.startup import give_memory_back, leave_in_files, loaded_now, memory_in_use
from corpusdb.corpus.store import Store, open_for_reading, open_store
from corpusdb.corpus.store.connection import translated_errors

if TYPE_CHECKING:
    from corpusdb.people.queries.views import SeedReader
    from corpusdb.scoring.queries.score_table import ScoreReader
    from corpusdb.search.queries.search import Searcher
    from corpusdb.translation.queries.ladder import OpenTranslators

Answer = TypeVar("Answer")


class Superseded(Exception):
    """A question was not answered, because a newer one of its kind had come, or because it was stopped."""


_MOST_BYTES = 120 << 20
"""In a process that has more than this, what the last questions did not need is not kept."""
_RECENT = 6
"""So many questions: who goes from place to place comes back to what they need."""
_GROWTH = 16 << 20
"""So much it may have grown until it is looked at again."""


class SpareMemory:
    """What the process holds and nobody has any more: much of it where a place was left or a long question ended."""

    def __init__(self) -> None:
        self._least = 0
        """The bytes that were in use when it was looked at last, or less."""

    def give_back(self) -> None:
        """Give it back where the process is large and has grown."""
        leave_in_files()
        in_use = memory_in_use()
        if in_use > max(_MOST_BYTES, self._least + _GROWTH):
            give_memory_back()
            in_use = self._least = memory_in_use()
        self._least = min(self._least, in_use)


class _Models:
    """A connection to the database with the models that are read of it, and kept as long as it is open."""

    def __init__(self, path: Path, writing: Callable[[], AbstractContextManager[Store]]) -> None:
        self.store = open_for_reading(path, stays=True)
        self.seed_reader: SeedReader = loaded_now("corpusdb.people.queries.views:SeedReader")(self.store, writing)

    def close(self) -> None:
        self.store.close()


class DatabaseReader:
    """The database and what was read from it. It belongs to one thread, and only questions see it."""

    def __init__(self, path: Path, in_use: Callable[[], int] | None = None) -> None:
        """``in_use``: the bytes that the process has, if it is not to be asked itself."""
        self.path = path
        self._in_use = in_use or memory_in_use
        self._kept: dict[str, Any] = {}
        """What was read, by name."""
        self._used: dict[str, int] = {}
        """The number of the last question that used it."""
        self._questions = 0
        self._least = 0
        """The bytes that were left when it was looked at last."""

    def _held(self, name: str, make: Callable[[], Answer]) -> Answer:
        """What is kept under a name, made where nothing is."""
        if name not in self._kept:
            self._kept[name] = make()
        self._used[name] = self._questions
        found: Answer = self._kept[name]
        return found

    def _made(self, reader: str) -> Any:
        """What reads the database, of a module that is loaded when somebody asks something of it."""
        return loaded_now(reader)(self.store)

    @property
    def store(self) -> Store:
        return self._held("store", lambda: open_for_reading(self.path, stays=True))

    @property
    def models(self) -> Store:
        """The same database, for questions that need models of it."""
        return self._models.store

    @property
    def _models(self) -> _Models:
        return self._held("models", lambda: _Models(self.path, self.writing))

    @property
    def searcher(self) -> Searcher:
        found: Searcher = self._held("searcher", lambda: self._made("corpusdb.search.queries.search:Searcher"))
        return found

    @property
    def seed_reader(self) -> SeedReader:
        return self._models.seed_reader

    @property
    def score_reader(self) -> ScoreReader:
        found: ScoreReader = self._held(
            "score_reader", lambda: self._made("corpusdb.scoring.queries.score_table:ScoreReader")
        )
        return found

    @property
    def translators(self) -> OpenTranslators:
        found: OpenTranslators = self._held(
            "translators", lambda: self._made("corpusdb.translation.queries.ladder:OpenTranslators")
        )
        return found

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """The database for one short change. Raises DatabaseReadOnly and DatabaseLocked."""
        with open_store(self.path) as store:
            yield store

    @property
    def _stores(self) -> list[Store]:
        """Those that are open."""
        kept = [self._kept[name] for name in ("store", "models") if name in self._kept]
        return [each.store if isinstance(each, _Models) else each for each in kept]

    def close(self) -> None:
        for store in self._stores:
            store.close()
        self._kept.clear()

    def begin_question(self) -> None:
        """Open the file again, and forget what was read of it, where another has its name or it changed unlocked."""
        self._questions += 1
        if not all(store.is_current for store in self._stores):
            self.close()

    def end_question(self) -> None:
        """Raise StoreError where the answer may be of a file that is there no more."""
        for store in self._stores:
            store.require_current()
        leave_in_files()
        in_use = self._in_use()
        if in_use > _MOST_BYTES and (self._spare or in_use > self._least + _GROWTH):
            self._make_room()

    @property
    def _spare(self) -> list[str]:
        """What the last questions did not use, the longest unused first."""
        oldest = self._questions - _RECENT
        return sorted(
            (name for name in self._kept if self._used[name] <= oldest and name != "store"), key=self._used.__getitem__
        )

    def _make_room(self) -> None:
        """Let go of what was not used for longest, but for what the last questions used, until there is room."""
        give_memory_back()
        for name in self._spare:
            if self._in_use() <= _MOST_BYTES:
                break
            dropped = self._kept.pop(name)
            if isinstance(dropped, _Models):
                dropped.close()
            del dropped
            give_memory_back()
        self._least = self._in_use()


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
        with translated_errors(self._path), open_for_reading(self._path, stays=True) as store:
            self._note(self._open.append, store)
            try:
                with store.snapshot():
                    return question(store)
            finally:
                self._note(self._open.remove, store)

    def _note(self, change: Callable[[Store], None], store: Store) -> None:
        with self._lock:
            change(store)
