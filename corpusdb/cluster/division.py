"""Rows divided among tasks in columns.

Spark moves rows one by one, and sorts them to bring equal keys together, which would be most of what the chain costs.
Here each task divides columns by itself, and Spark moves what comes of it, thousands of rows as one value. The task
that gets a part has all rows of it in arrays, and looks there for what belongs together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from corpusdb.base.arrays import I64, U64
from corpusdb.base.ngrams import combined, mixed
from corpusdb.cluster.workspace import Batches, columns, numbers_of, spark_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Sorted: TypeAlias = Iterator[tuple[int, pa.RecordBatch]]
"""Rows, each batch with the place of its kind in a division."""

_ROWS_AT_ONCE: Final = 1 << 20
"""So many rows of a kind a task holds before it divides them."""
_MOVED: Final = columns("part int32, kind int32, rows binary")


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows of these columns, divided by one of them, a whole number, or by two, whichever comes first."""

    schema: pa.Schema
    keys: tuple[str, ...]

    def parts(self, rows: pa.Table, parts: int) -> I64:
        """In which part each row is."""
        keys = [numbers_of(rows[name]).view(np.uint64) for name in self.keys]
        prints: U64 = mixed(keys[0]) if len(keys) == 1 else combined(np.minimum(*keys), np.maximum(*keys))
        return (prints % np.uint64(parts)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Division:
    """Rows of some kinds in so many parts: those that have the same keys are in one part."""

    kinds: tuple[Kind, ...]
    parts: int

    def of(self, *sources: tuple[DataFrame, Callable[[Batches], Sorted]]) -> DataFrame:
        """Rows by parts, as Spark moves them: what functions make of the rows of each of some sources."""
        first, *others = (self.divided(*source) for source in sources)
        for each in others:
            first = first.union(each)
        return self.parts_of(first)

    def divided(self, rows: DataFrame, function: Callable[[Batches], Sorted]) -> DataFrame:
        """What a function makes of rows, as Spark moves it, before it does; it can be kept so."""
        return rows.mapInArrow(partial(_divided, self, function), spark_schema(_MOVED))

    def parts_of(self, divided: DataFrame) -> DataFrame:
        """The same by parts, also where it was kept in more parts or fewer: what was in one part still is."""
        return divided.repartitionById(self.parts, "part")

    def each(self, function: Callable[..., Iterator[Any]]) -> Callable[[Batches], Iterator[Any]]:
        """The function of a task, which is given a table of each kind, maybe an empty one."""
        return partial(_whole, self, function)


def of_kind(kind: int, batches: Batches) -> Sorted:
    """All of the rows are of one kind."""
    return ((kind, batch) for batch in batches)


def _divided(division: Division, function: Callable[[Batches], Sorted], batches: Batches) -> Batches:
    waiting: list[list[pa.RecordBatch]] = [[] for _ in division.kinds]
    for kind, batch in function(batches):
        waiting[kind].append(batch)
        if sum(each.num_rows for each in waiting[kind]) >= _ROWS_AT_ONCE:
            yield _by_part(division, kind, waiting[kind])
            waiting[kind] = []
    for kind, some in enumerate(waiting):
        if any(each.num_rows for each in some):
            yield _by_part(division, kind, some)


def _by_part(division: Division, number: int, batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    kind = division.kinds[number]
    alike = [pa.RecordBatch.from_arrays(each.columns, schema=kind.schema) for each in batches]
    rows = pa.Table.from_batches(alike).combine_chunks()
    part = kind.parts(rows, division.parts)
    order = np.argsort(part, kind="stable")
    present, begins = np.unique(part[order], return_index=True)
    (ordered,) = rows.take(pa.array(order)).combine_chunks().to_batches()
    sizes = np.diff(begins, append=len(order))
    places = zip(begins.tolist(), sizes.tolist(), strict=True)
    values = [ordered.slice(begin, size).serialize().to_pybytes() for begin, size in places]
    moved = present.astype(np.int32), np.full(len(present), number, dtype=np.int32), values
    arrays = [pa.array(column, field.type) for column, field in zip(moved, _MOVED, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_MOVED)


def _whole(division: Division, function: Callable[..., Iterator[Any]], batches: Batches) -> Iterator[Any]:
    held: list[list[pa.RecordBatch]] = [[] for _ in division.kinds]
    for batch in batches:
        for kind, rows in zip(batch.column(1).to_pylist(), batch.column(2), strict=True):
            held[kind].append(pa.ipc.read_record_batch(rows.as_buffer(), division.kinds[kind].schema))
    tables = (pa.Table.from_batches(some, kind.schema) for some, kind in zip(held, division.kinds, strict=True))
    yield from function(*tables)
