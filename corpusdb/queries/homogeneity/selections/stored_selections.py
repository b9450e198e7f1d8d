"""Selections that are kept under a name."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from corpusdb.errors import InputError
from corpusdb.queries.corpus.files import collection_names
from corpusdb.queries.homogeneity.selections.selecting import SelectionFound
from corpusdb.store import Store, finish_run, start_run

__all__ = [
    "NewSelection",
    "SelectionSummary",
    "check_selection_name",
    "keep_selection",
    "remove_selection",
    "selection_members",
    "store_selection",
    "stored_selections",
]


@dataclass(frozen=True, slots=True)
class SelectionSummary:
    """What the database says of a selection."""

    name: str
    language: str
    parameters: dict[str, Any]
    sentences: int


_FOUND = ("query", "union", "intersection", "difference")
"""The methods by which results of queries are made; other selections were chosen by a measure."""

_THERE = "select exists (select 1 from selection where name = ?)"
_METHOD = "select parameters ->> 'method' from selection where name = ?"


def check_selection_name(store: Store, name: str, *, replace: bool = False) -> None:
    """Raise InputError where a selection or a collection has the name, before the work is done.

    With ``replace`` a result of a query may have it.
    """
    if name in collection_names(store):
        raise InputError(f"there is a collection {name!r} already; give another name")
    row = store.connection.execute(_METHOD, (name,)).fetchone()
    if row is not None and row[0] not in _FOUND:
        raise InputError(f"there is a selection {name!r} already; give another name")
    if row is not None and not replace:
        raise InputError(f"there is a result {name!r} already; give another name, or `results keep --replace`")


_INSERT = "insert into selection (language, name, parameters, curve, run) values (?, ?, ?, ?, ?)"
_INSERT_MEMBER = "insert into selection_member (selection, rank, sentence, score) values (?, ?, ?, ?)"


def store_selection(store: Store, name: str, found: SelectionFound) -> None:
    """Keep a selection with its curve, in one transaction. Raises InputError where one has the name."""
    parameters = {**asdict(found.recipe), "answer": found.answer}
    curve = [asdict(each) for each in found.curve]
    kept = NewSelection(name, found.language, parameters, curve, found.characters)
    keep_selection(store, kept, zip(found.sentences, found.scores, strict=True))


@dataclass(frozen=True, slots=True)
class NewSelection:
    """A selection, but for its sentences."""

    name: str
    language: str
    parameters: dict[str, Any]
    """With the ``method``."""
    curve: list[dict[str, Any]]
    """Empty where nothing was measured."""
    characters: int


def keep_selection(
    store: Store, new: NewSelection, members: Iterable[tuple[int, float]], *, replace: bool = False
) -> int:
    """Keep sentences with their scores, lower is better, the best first; how many, in one transaction.

    Raises InputError as ``check_selection_name`` does, and for a selection without sentences.
    """
    with store.unchecked_references(), store.write() as connection:
        check_selection_name(store, new.name, replace=replace)
        _remove(connection, new.name)
        given = {"language": new.language, "name": new.name, "method": new.parameters["method"]}
        run = start_run(store, "select", given)
        written = [json.dumps(value, ensure_ascii=False, sort_keys=True) for value in (new.parameters, new.curve)]
        number = connection.execute(_INSERT, (new.language, new.name, *written, run.id)).lastrowid
        rows = [(number, rank, *row) for rank, row in enumerate(members, 1)]
        if not rows:
            raise InputError("there is no sentence to keep")
        connection.executemany(_INSERT_MEMBER, rows)
        finish_run(store, run, {"sentences": len(rows), "characters": new.characters})
    return len(rows)


_NUMBER = "select id from selection where name = ?"
_DELETE_MEMBERS = "delete from selection_member where selection = ?"
_DELETE = "delete from selection where id = ?"


def remove_selection(store: Store, name: str) -> int:
    """Forget a selection, whole or not at all; how many sentences it had. Raises InputError for an unknown name."""
    with store.write() as connection:
        count = _remove(connection, name)
        if count is None:
            raise InputError(_missing(store, name))
    return count


def _remove(connection: sqlite3.Connection, name: str) -> int | None:
    """Forget a selection; how many sentences it had, None where there is none of that name."""
    row = connection.execute(_NUMBER, (name,)).fetchone()
    if row is None:
        return None
    count = connection.execute(_DELETE_MEMBERS, row).rowcount
    connection.execute(_DELETE, row)
    return count


_LIST = """
select name, language, parameters,
    (select count(*) from selection_member where selection_member.selection = selection.id)
from selection order by name
"""


def stored_selections(store: Store) -> list[SelectionSummary]:
    """All selections by their names."""
    rows = store.connection.execute(_LIST).fetchall()
    return [SelectionSummary(name, language, json.loads(given), count) for name, language, given, count in rows]


_MEMBERS = """
select sentence.id, sentence.text, score from selection
join selection_member on selection_member.selection = selection.id
join sentence on sentence.id = selection_member.sentence
where selection.name = ? order by rank
"""


def selection_members(store: Store, name: str) -> list[tuple[int, str, float]]:
    """Number, text and score of the sentences of a selection, the best first. Raises InputError for an unknown name."""
    if not store.connection.execute(_THERE, (name,)).fetchone()[0]:
        raise InputError(_missing(store, name))
    return store.connection.execute(_MEMBERS, (name,)).fetchall()


def _missing(store: Store, name: str) -> str:
    known = ", ".join(each.name for each in stored_selections(store))
    return f"there is no selection {name!r}; " + (f"there are {known}" if known else "none is kept")
