"""Sessions under other names, deleted, and brought back.

A deleted session is out of all lists, and its name is free for another; its rows stay, since decisions do.
"""

from __future__ import annotations

import sqlite3

from corpusdb.display import check_name
from corpusdb.errors import InputError, UsageError
from corpusdb.queries.sessions.sessions import Standing, session_standing
from corpusdb.store import Store

__all__ = ["delete_session", "rename_session", "restore_session"]

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


_DELETE = "update session set was_called = name, name = 'deleted ' || id || ': ' || name where name = ?"


def delete_session(store: Store, name: str) -> Standing:
    """Take a session out of all lists; how it stood. Raises InputError where there is none.

    What was written into the corpus stays there.
    """
    with store.write() as connection:
        standing = session_standing(store, name)
        connection.execute(_DELETE, (name,))
        return standing


_DELETED = "select max(id) from session where was_called = ?"
_RESTORE = "update session set name = was_called, was_called = null where id = ?"


def restore_session(store: Store, name: str) -> Standing:
    """Bring a deleted session back, the newest of this name.

    Raises InputError where none was called so, and UsageError where another one is now.
    """
    with store.write() as connection:
        (session,) = connection.execute(_DELETED, (name,)).fetchone()
        if session is None:
            raise InputError(f"no session {name!r} was deleted")
        _require_free(connection, name)
        connection.execute(_RESTORE, (session,))
        return session_standing(store, name)
