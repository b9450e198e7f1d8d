"""Queries kept under a name, for all who use the database."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from corpusdb.base.display import check_name
from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.permissions import now


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A command with the values of its options."""

    name: str
    command: str
    options: Mapping[str, object]
    """By the names of the command's fields."""
    note: str
    saved: str
    """UTC, ISO 8601."""


_ALL = "select name, command, options, note, saved from saved_query order by name"
_ONE = "select name, command, options, note, saved from saved_query where name = ?"
_SAVE = """
insert into saved_query (name, command, options, note, saved) values (?, ?, ?, ?, ?)
on conflict (name) do update set
    command = excluded.command, options = excluded.options, note = excluded.note, saved = excluded.saved
"""
_DELETE = "delete from saved_query where name = ?"


def check_saving(store: Store, name: str, command: str, options: Mapping[str, object]) -> bool:
    """Whether a query is still to be kept under a name: False where the same is kept under it already.

    Raises UsageError for a name that could be taken for something else, and for one that another query has.
    """
    _check_name(name)
    row = store.connection.execute(_ONE, (name,)).fetchone()
    if row is None:
        return True
    if (row[1], row[2]) != (command, _written(options)):
        raise UsageError(f"another query is saved as {name!r}; `corpusdb queries --delete {name}` makes room")
    return False


def save_query(
    store: Store, name: str, command: str, options: Mapping[str, object], *, note: str = "", replace: bool = False
) -> None:
    """Keep a query; to keep the same one again changes nothing. ``options`` must be what JSON can hold.

    Raises UsageError as ``check_saving`` does; with ``replace`` another query may have the name.
    """
    with store.write() as connection:
        if replace:
            _check_name(name)
        elif not check_saving(store, name, command, options):
            return
        connection.execute(_SAVE, (name, command, _written(options), note, now()))


def _check_name(name: str) -> None:
    check_name(name, "a query")
    if name != name.strip() or re.fullmatch(r"-.*|\d*", name):
        raise UsageError(f"{name!r} cannot be the name of a query: no number, no - in front, no space at the ends")


def _written(options: Mapping[str, object]) -> str:
    return json.dumps(options, ensure_ascii=False, sort_keys=True)


def saved_queries(store: Store) -> list[SavedQuery]:
    """All of them, by name."""
    return [_query(row) for row in store.connection.execute(_ALL)]


def saved_query(store: Store, name: str) -> SavedQuery:
    """The query of that name. Raises InputError, with the names that are like it, where there is none."""
    row = store.connection.execute(_ONE, (name,)).fetchone()
    if row is None:
        raise InputError(_missing(store, name))
    return _query(row)


def delete_query(store: Store, name: str) -> None:
    """Forget the query of that name. Raises InputError, as saved_query does, where there is none."""
    with store.write() as connection:
        if not connection.execute(_DELETE, (name,)).rowcount:
            raise InputError(_missing(store, name))


def _missing(store: Store, name: str) -> str:
    near = get_close_matches(name, [query.name for query in saved_queries(store)])
    advice = f"did you mean {' or '.join(map(repr, near))}?" if near else "`corpusdb queries` lists those there are"
    return f"no query is saved as {name!r}; {advice}"


def _query(row: tuple[str, str, str, str, str]) -> SavedQuery:
    name, command, options, note, saved = row
    return SavedQuery(name, command, json.loads(options), note, saved)
