"""Sessions under other names, deleted, and brought back.

A deleted session is out of all lists, and its name is free for another; its rows stay, since decisions do.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from corpusdb.display import check_name
from corpusdb.errors import InputError, UsageError
from corpusdb.queries.sessions.sessions import Standing, session_standing
from corpusdb.store import Store

__all__ = ["DeletedSession", "delete_session", "deleted_sessions", "rename_session", "restore_session"]

_RENAME = "update session set name = :name where name = :before"
_IS_TAKEN = "select exists (select 1 from session where name = ?)"


def rename_session(store: Store, name: str, new: str) -> Standing:
    """Call a session something else. Raises InputError where there is none, UsageError for a name taken or blank."""
    new = new.strip()
    check_name(new, "a session")
    with store.write() as connection:
        session_standing(store, name)
        if new != name:
            _require_free(connection, new)
            connection.execute(_RENAME, {"name": new, "before": name})
        return session_standing(store, new)


def _require_free(connection: sqlite3.Connection, name: str) -> None:
    if connection.execute(_IS_TAKEN, (name,)).fetchone()[0]:
        raise UsageError(f"there is a session {name!r} already")


# Deleted sessions are numbered in the order in which they were deleted: their names have to differ.
_DELETE = """
update session set was_called = name, name = 'deleted ' || (
    select coalesce(max(cast(substr(name, 9) as integer)), 0) + 1 from session where was_called is not null
) || ': ' || name
where name = ?
"""


def delete_session(store: Store, name: str) -> Standing:
    """Take a session out of all lists; how it stood. Raises InputError where there is none.

    What was written into the corpus stays there.
    """
    with store.write() as connection:
        standing = session_standing(store, name)
        connection.execute(_DELETE, (name,))
        return standing


@dataclass(frozen=True, slots=True)
class DeletedSession:
    """A session that can be brought back."""

    name: str
    language: str
    seeds: int
    decisions: int
    last_used: str
    """UTC, ISO 8601."""
    id: int


_DELETED = """
select was_called, language, (select count(*) from session_seed where session = session.id),
       (select count(*) from session_seed join current_decision said on said.seed = session_seed.id
        where session_seed.session = session.id),
       last_used, id
from session where was_called is not null order by cast(substr(name, 9) as integer) desc, id desc
"""


def deleted_sessions(store: Store) -> list[DeletedSession]:
    """The sessions that were deleted, the last one first."""
    return [DeletedSession(*row) for row in store.connection.execute(_DELETED)]


_RESTORE = "update session set name = was_called, was_called = null where id = ?"


def restore_session(store: Store, name: str | None = None) -> Standing:
    """Bring a deleted session back: of this name, or of any, the one that was deleted last.

    Raises InputError where there is none, and UsageError where another one has its name now.
    """
    with store.write() as connection:
        found = next((each for each in deleted_sessions(store) if name in (None, each.name)), None)
        if found is None:
            raise InputError("no session was deleted" if name is None else f"no session {name!r} was deleted")
        _require_free(connection, found.name)
        connection.execute(_RESTORE, (found.id,))
        return session_standing(store, found.name)
