"""Tests of corpusdb/corpus/store/index_segments.py."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from corpusdb.base.errors import DatabaseDamaged
from corpusdb.corpus.store.index_segments import SegmentTable, blobs_checksum, checked_blobs

TABLE = SegmentTable(
    "select id, size, id * 10 from segment where language = ? order by id desc limit 1",
    "delete from segment where id = ?",
)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as opened:
        opened.execute("create table segment (id integer primary key, language text, size integer)")
        yield opened


@pytest.mark.parametrize(
    ("sizes", "new", "largest", "left"),
    [
        ([], 5, 100, []),
        ([10], 5, 100, []),
        ([11], 5, 100, [11]),
        ([40, 20, 11, 3], 2, 100, [40, 20, 11]),
        ([40, 20, 8, 4], 2, 100, []),
        ([40, 20, 8, 4], 2, 30, [40, 20]),
        ([1, 50], 2, 100, [1, 50]),
        ([6], 5, 10, [6]),
    ],
)
def test_a_segment_takes_in_those_that_are_not_much_larger(
    connection: sqlite3.Connection, sizes: list[int], new: int, largest: int, left: list[int]
) -> None:
    connection.executemany("insert into segment (language, size) values ('eng', ?)", [(size,) for size in sizes])
    connection.execute("insert into segment (language, size) values ('fra', 1)")
    taken = list(TABLE.taken_in(connection, "eng", new, largest))
    assert taken == [(number * 10,) for number in range(len(sizes), len(left), -1)]
    rows = connection.execute("select size from segment where language = 'eng' order by id").fetchall()
    assert [size for (size,) in rows] == left


def test_segments_stay_few(connection: sqlite3.Connection) -> None:
    """A thousand of one sentence each: never more than about log2 of them."""
    for number in range(1000):
        size = 1
        rows = connection.execute("select size from segment order by id desc").fetchall()
        size += sum(before for (before,), _ in zip(rows, TABLE.taken_in(connection, "eng", 1, 10_000), strict=False))
        connection.execute("insert into segment (language, size) values ('eng', ?)", (size,))
        assert len(rows) <= 1 + number.bit_length()
    assert connection.execute("select sum(size) from segment").fetchone() == (1000,)


def test_a_checksum_sees_what_is_changed() -> None:
    checksum = blobs_checksum(b"one", b"two")
    checked_blobs("tokens of eng", checksum, b"one", b"two")
    checked_blobs("tokens of eng", None, b"other")
    with pytest.raises(DatabaseDamaged, match="the tokens of eng are damaged"):
        checked_blobs("tokens of eng", checksum, b"one", b"tow")
