"""Rows of Python from columns of Arrow and back, for the functions that run on the workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from corpusdb.arrays import I64

__all__ = ["Batches", "Row", "as_batches", "as_rows", "numbers_of"]

Batches: TypeAlias = Iterator[pa.RecordBatch]
Row: TypeAlias = tuple[Any, ...]

_ROWS_AT_ONCE = 10_000


def as_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    """The rows of batches, one after the other: what stands together in a partition goes on from batch to batch."""
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def as_batches(rows: Iterable[Row], schema: pa.Schema) -> Batches:
    """Rows as batches of these columns."""
    waiting = iter(rows)
    while part := list(islice(waiting, _ROWS_AT_ONCE)):
        columns = zip(*part, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def numbers_of(column: pa.ChunkedArray) -> I64:
    """A column of whole numbers, none of them missing."""
    return np.asarray(column.to_numpy(), dtype=np.int64)
