"""The database as the browser reads it: open once, with what was read of it kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from corpusdb.queries.scoretable.score_reader import ScoreReader
from corpusdb.queries.search.search import Searcher
from corpusdb.queries.sessions.views import SeedReader
from corpusdb.queries.translation.open_translators import OpenTranslators
from corpusdb.store import Store, open_for_reading, open_store

__all__ = ["DatabaseReader"]


class DatabaseReader:
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

    @cached_property
    def score_reader(self) -> ScoreReader:
        """For stored scores."""
        return ScoreReader(self.store)

    @cached_property
    def translators(self) -> OpenTranslators:
        """For translation from examples."""
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
