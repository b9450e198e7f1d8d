"""What a derived layer says of itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from corpusdb.base.jobs import Job
from corpusdb.corpus.store import Layer, Store


@dataclass(frozen=True, slots=True)
class DerivedTable:
    """A table of a layer; a column ``run``, where it has one, names the run that made the row."""

    name: str
    made_by: tuple[str, ...] = ()
    """The operations whose runs make its rows; empty where it has no column ``run``."""
    rows: str | None = None
    """SQL for its rows in ``:language``, without numbers that depend on the order in which they were made.

    ``{of}`` stands for the schema; its tables, and ``sentence``, may be joined. None where another database may hold
    other rows for the same corpus: these are not compared with rebuilt ones."""
    given: str | None = None
    """SQL for the rows that were not derived but given by people, which a repair does not touch."""
    joined: bool = False
    """Whether other rows name its ``id``, so that comparing needs an index on it."""


@dataclass(frozen=True, slots=True)
class LayerCheck:
    """What every check looks at in a layer, besides comparing its rows with rebuilt ones."""

    name: str
    problems: Callable[[sqlite3.Connection, Random, bool], list[str]]
    """What is wrong, in words; looked at in a sample, or all of it where the last argument is true."""


def _own_state(store: Store, language: str, state: Layer) -> Layer:
    return state


def _nothing(connection: sqlite3.Connection, language: str) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedLayer:
    """One kind of derived data, of which each language has its own, and a row in ``layer`` once it was begun.

    Values are made in modules that load little, since ``corpusdb info`` goes over them: what makes the data is imported
    by the functions that call it.
    """

    name: str
    tables: tuple[DerivedTable, ...]
    """Each before those that refer to it."""
    update: Callable[[Store, str], Job[None]]
    """Begin it, or bring it up to date in a language, as a part of a job; those that it needs are up to date."""
    needs: tuple[str, ...] = ()
    """The layers that it is made from, apart from the sentences and translations."""
    in_every_language: bool = False
    """Whether each language of the corpus has it; otherwise those in which it was begun. Such a layer needs none that
    is not in every language."""
    parameters: Callable[[], Mapping[str, object]] | None = None
    """What it is made by in this version, so that what was made by something else is rebuilt; None: always the same."""
    behind: Callable[[Store, str, Layer], int] | None = None
    """How many sentences of a language are not in it, or changed since; None: the overview does not show it."""
    made_from: Callable[[Store, str, Layer], Layer] = _own_state
    """The state that says which sentences and translations it holds: that of another layer, where both are updated in
    one transaction."""
    checks: tuple[LayerCheck, ...] = ()
    requests: Callable[[sqlite3.Connection, str], dict[str, Any]] = _nothing
    """What people asked for in a language, which can be written as JSON, as the record of runs has it."""
    rebuild: Callable[[Store, str, Mapping[str, Any]], Job[None]] | None = None
    """Make it in a database that does not have it, as requested, as a part of a job; None: as ``update`` does."""

    def make(self, store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
        """Make it where it is not there; a part of a job."""
        return self.update(store, language) if self.rebuild is None else self.rebuild(store, language, requests)

    def is_current(self, state: Layer) -> bool:
        """Whether a state is of what this version makes."""
        return self.parameters is None or state.parameters == dict(self.parameters())


_NEW = "select count(*) from sentence not indexed where language = ? and id > ?"


def new_sentences(store: Store, language: str, state: Layer) -> int:
    """How many sentences a layer does not have: ``behind`` of one that is made from sentences alone."""
    return int(store.connection.execute(_NEW, (language, state.last_sentence)).fetchone()[0])


# Whatever stores translations stores a checksum of those of its run.
_TRANSLATED = "select exists (select 1 from translation_checksum where run > :run)"


def may_be_retranslated(store: Store, state: Layer) -> bool:
    """Whether translations may have come since a state; mostly none have, and then they need not be gone through."""
    return bool(store.connection.execute(_TRANSLATED, {"run": state.last_run}).fetchone()[0])
