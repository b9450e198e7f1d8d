"""Questions that take seconds, such as counting everything, on a connection beside that of the short ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar

from corpusdb.errors import StoreError
from corpusdb.store import Store, open_for_reading
from corpusdb.store.connection import translated_errors
from tui.background.superseded import Superseded

__all__ = ["OneOffReader"]

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
