"""Checksums of the rows that people made or that are few, updated with every change that a store makes.

Temporary triggers keep them, so that no writer can forget it, and a change by any other program is seen: those triggers
exist only on the connection of a store that writes.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from hashlib import blake2b
from typing import Final, NamedTuple

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

_UNSEALED_LEDGER = f"""
select (select count(*) from "{LEDGER}") > (select count(*) from row_checksum where name = '{LEDGER}')
"""


def keep_row_checksums(connection: sqlite3.Connection) -> None:
    """From now on, update the checksums with every change that this connection makes; inside a transaction.

    The ledger of the migrations, which are applied without a store, has its new rows sealed now.
    """
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)
    if connection.execute(_UNSEALED_LEDGER).fetchone()[0]:
        seal_rows(connection, LEDGER)
    for table in SEALED:
        shape = _shape(connection, table)
        if shape is None:
            continue
        insert = _INSERT.format(table=table, key=shape.key_of("new."), values=shape.values_of("new."))
        for event in ("insert", "update", "delete"):
            old_key = shape.key_of("new." if event == "insert" else "old.")
            statement = _TRIGGER.format(
                table=table, event=event, old_key=old_key, insert="" if event == "delete" else insert
            )
            connection.execute(statement)


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
