"""Checksums of the rows that people made or that are few, updated with every change that a store makes.

Temporary triggers keep them, so that no writer can forget it, and a change by any other program is seen: those triggers
exist only on the connection of a store that writes.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeAlias

CHECKSUM_BITS = (1 << 62) - 1
"""Checksums are cut to these bits, so that two can be added in SQLite."""

LEDGER = "_sqlite_migrations"
SEALED: Final = (
    LEDGER,
    *"""
    run collection document layer saved_query sample sample_item judgement session session_seed session_decision
    reference_set system_output score imported_score frozen_set rejected_equivalent rule rule_set rule_set_member
    named_rule_set named_rule_set_member rewriting_method rewritten_text rewriting rule_effect char_model profile
    selection selection_member annotation annotation_attribute line_category
    """.split(),
)
"""The tables whose every row has a checksum."""


def row_checksum(*values: object) -> int:
    """A checksum of 62 bits of the values of a row; those at its end that are null do not count.

    So a column that is added later, and is null in the rows that are there, leaves their checksums right.
    """
    size = len(values)
    while size and values[size - 1] is None:
        size -= 1
    digest = blake2b(digest_size=8)
    for value in values[:size]:
        part = _encoded(value)
        digest.update(len(part).to_bytes(8, "little") + part)
    return int.from_bytes(digest.digest(), "little") & CHECKSUM_BITS


def _encoded(value: object) -> bytes:
    """A value of SQLite with its kind; texts that are no UTF-8 as they stand, with ``surrogateescape``."""
    match value:
        case None:
            return b"n"
        case int():
            return b"i%d" % value
        case float():
            return b"f" + struct.pack("<d", value)
        case str():
            return b"s" + value.encode("utf-8", "surrogateescape")
        case bytes():
            return b"b" + value
    raise TypeError(f"SQLite has no values such as {value!r}")


class _Shape(NamedTuple):
    """The columns of a table, and which of them are its key."""

    columns: tuple[str, ...]
    key: tuple[str, ...]

    def key_of(self, row: str) -> str:
        """SQL for the key of ``row``, which is empty or ends with a dot."""
        return " || '/' || ".join(f'{row}"{column}"' for column in self.key)

    def values_of(self, row: str) -> str:
        """SQL for all values of ``row``."""
        return ", ".join(f'{row}"{column}"' for column in self.columns)


_COLUMNS = "select name, pk from pragma_table_info(?)"


def _shape(connection: sqlite3.Connection, table: str) -> _Shape | None:
    """What a table looks like; None where it is missing."""
    rows = connection.execute(_COLUMNS, (table,)).fetchall()
    key = [name for place, name in sorted((pk, name) for name, pk in rows if pk)]
    return _Shape(tuple(name for name, _ in rows), tuple(key)) if rows else None


_TRIGGER = """
create temp trigger if not exists {table}_{event}_checksum after {event} on main."{table}" begin
    delete from row_checksum where name = '{table}' and row = cast({old_key} as text);
    {insert}
end
"""
_INSERT = "insert into row_checksum values ('{table}', cast({key} as text), row_checksum({values}));"


@cache
def _triggers(table: str, shape: _Shape) -> tuple[str, ...]:
    """SQL that makes the triggers of a table, for each way of changing it."""
    insert = _INSERT.format(table=table, key=shape.key_of("new."), values=shape.values_of("new."))
    return tuple(
        _TRIGGER.format(table=table, event=event, old_key=shape.key_of(row), insert="" if event == "delete" else insert)
        for event, row in (("insert", "new."), ("update", "old."), ("delete", "old."))
    )


_UNSEALED_LEDGER = f"""
select (select count(*) from "{LEDGER}") > (select count(*) from row_checksum where name = '{LEDGER}')
"""
_CHANGES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})

Authoriser: TypeAlias = Callable[[int, str | None, str | None, str | None, str | None], int]
"""What SQLite asks of each thing that a statement is about to do, while it prepares it."""


@dataclass(slots=True)
class _Guard:
    """Lets no statement be prepared that changes a sealed table whose checksums are not kept yet."""

    kept: set[str] = field(default_factory=set)
    refused: str | None = None
    """The table that the last statement would have changed."""

    def __call__(self, action: int, table: str | None, _: str | None, database: str | None, *__: str | None) -> int:
        if action in _CHANGES and database == "main" and table in SEALED and table not in self.kept:
            self.refused = table
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK


class Connection(sqlite3.Connection):
    """A connection that keeps the checksums of rows, once it is told to.

    The triggers of a table are made when a statement that changes it is refused without them: those of all tables take
    longer than a small command does.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._guard: _Guard | None = None

    def keep_checksums(self) -> None:
        """From now on, update the checksums with every change; inside a transaction, and again when one was undone.

        The ledger of the migrations, which are applied without a store, has its new rows sealed now.
        """
        if self._guard is None:
            self.create_function("row_checksum", -1, row_checksum, deterministic=True)
            self._guard = _Guard()
            self.set_authorizer(None)
        if self.execute(_UNSEALED_LEDGER).fetchone()[0]:
            seal_rows(self, LEDGER)
        for table in self._guard.kept:
            self._make_triggers(table)

    def set_authorizer(self, authoriser: Authoriser | None) -> None:
        """As that of sqlite3, but None is the one by which the checksums are kept."""
        super().set_authorizer(authoriser or self._guard)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except sqlite3.DatabaseError:
            if not self._makes_what_was_missing():
                raise
        return self.execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any, /) -> sqlite3.Cursor:
        try:
            return super().executemany(sql, parameters)
        except sqlite3.DatabaseError:  # while it was prepared, before the first row was taken
            if not self._makes_what_was_missing():
                raise
        return self.executemany(sql, parameters)

    def _makes_what_was_missing(self) -> bool:
        """Whether the last statement was refused for the lack of triggers, which there are then."""
        if self._guard is None or self._guard.refused is None:
            return False
        table, self._guard.refused = self._guard.refused, None
        self._make_triggers(table)
        self._guard.kept.add(table)
        return True

    def _make_triggers(self, table: str) -> None:
        shape = _shape(self, table)
        if shape is not None:
            for trigger in _triggers(table, shape):
                super().execute(trigger)


_SEAL = """
insert or ignore into row_checksum select '{table}', cast({key} as text), row_checksum({values}) from "{table}"
"""


def seal_rows(connection: sqlite3.Connection, table: str) -> None:
    """Give the rows of a table that have no checksum one; inside a transaction of the caller."""
    shape = _shape(connection, table)
    if shape is not None:
        connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
        connection.execute(_SEAL.format(table=table, key=shape.key_of(""), values=shape.values_of("")))


_ROWS = 'select cast({key} as text), {values} from "{table}" not indexed'


def sealed_keys(connection: sqlite3.Connection, table: str) -> Iterator[tuple[str, int]]:
    """Key and checksum, made now, of each row of a sealed table."""
    shape = _shape(connection, table)
    if shape is None:
        return
    statement = _ROWS.format(key=shape.key_of(""), values=shape.values_of(""), table=table)
    for key, *values in connection.execute(statement):
        yield key, row_checksum(*values)
