"""Rows that are divided among tasks arrive once, with all that have their keys; and what is looked for in a part."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow", reason="the extra spark is not installed")

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from corpora import CHARACTERS
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.ngrams import SortedCorpus, sort_suffixes
from corpusdb.cluster import derivation, workspace
from corpusdb.cluster.derivation import Measured
from corpusdb.cluster.mapped import Mapped, columns
from corpusdb.cluster.queries import joined_segments
from corpusdb.cluster.workspace import Division, Kind, Sorted, as_rows, of_kind
from corpusdb.paraphrase.derivation import Fluency, fluency_of

NUMBERS = st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1)
ONE_KEY = Kind(columns("key int64, text string"), ("key",))
TWO_KEYS = Kind(columns("place int32, low int64, high int64"), ("low", "high"))


def _batches(schema: pa.Schema, rows: Sequence[tuple[object, ...]], size: int) -> list[pa.RecordBatch]:
    named = [dict(zip(schema.names, row, strict=True)) for row in rows]
    found: list[pa.RecordBatch] = pa.Table.from_pylist(named, schema=schema).to_batches(max_chunksize=size)
    return found


@given(
    texts=st.lists(st.tuples(NUMBERS, st.none() | st.text(CHARACTERS, max_size=3)), max_size=20),
    pairs=st.lists(st.tuples(st.integers(0, 9), NUMBERS, NUMBERS), max_size=20),
    parts=st.integers(1, 5),
    at_once=st.integers(1, 9),
)
def test_all_rows_arrive_and_equal_keys_in_one_part(
    texts: Sequence[tuple[int, str | None]], pairs: Sequence[tuple[int, int, int]], parts: int, at_once: int
) -> None:
    divided = Division((ONE_KEY, TWO_KEYS), parts)

    def sorted_rows(batches: Iterator[pa.RecordBatch]) -> Sorted:
        for batch in batches:
            yield int("low" in batch.schema.names), batch

    given_batches = [*_batches(ONE_KEY.schema, texts, 4), *_batches(TWO_KEYS.schema, pairs, 3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workspace, "_MOST_ROWS_HELD", at_once)
        moved = list(workspace._divided(divided, sorted_rows, iter(given_batches)))
    arrived: tuple[list[object], list[object]] = ([], [])
    homes: dict[object, int] = {}
    for part in range(parts):
        held = (batch.filter(pa.compute.equal(batch["part"], part)) for batch in moved)
        (tables,) = divided.each(lambda *tables: iter([tables]))(held)
        for kind, table in enumerate(tables):
            for row in table.to_pylist():
                arrived[kind].append(tuple(row.values()))
                key = kind, frozenset(row[name] for name in divided.kinds[kind].keys)
                assert homes.setdefault(key, part) == part
    assert sorted(arrived[0], key=repr) == sorted(texts, key=repr)
    assert sorted(arrived[1], key=repr) == sorted(pairs, key=repr)


def test_what_is_moved_in_one_piece_is_small() -> None:
    """A task holds the rows, those in their order, and what it moves of them, and so does Spark."""
    keys = pa.array(range(3 << 18), pa.int64())
    rows = pa.RecordBatch.from_arrays([keys, keys.cast(pa.string())], schema=ONE_KEY.schema)
    divided = Division((ONE_KEY,), 4)
    moved = list(workspace._divided(divided, lambda batches: of_kind(0, batches), _in_batches(rows, 10_000)))
    assert max(batch.nbytes for batch in moved) < 8 << 20
    assert sum(batch.nbytes for batch in moved) > rows.nbytes


def _in_batches(rows: pa.RecordBatch, size: int) -> Iterator[pa.RecordBatch]:
    return (rows.slice(begin, size) for begin in range(0, rows.num_rows, size))


@pytest.mark.parametrize("piece", [7, 1 << 22])
def test_a_segment_in_pieces_is_whole_where_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    texts = ["A cat.", "A dog.", "Cats and dogs 猫."]
    schema = columns("segment int32, sentence int64, text string")
    sentences = pa.table([pa.array([3] * 3), pa.array([5, 6, 9]), pa.array(texts)], schema.names).cast(schema)
    monkeypatch.setattr(derivation, "_PIECE", piece)
    rows = list(derivation._segments(iter([pa.RecordBatch.from_pylist([], schema), *sentences.to_batches(2)])))
    assert all(row.num_rows == 1 and row.nbytes < 3 * piece + 100 for row in rows)
    pq.write_table(pa.Table.from_batches(rows), tmp_path / "part.parquet", row_group_size=2)
    corpus = "\n" + "\n".join(texts) + "\n"
    suffixes = sort_suffixes(corpus)
    whole = corpus.encode(), np.array([5, 6, 9]).astype("<i8").tobytes(), suffixes.astype("<i4").tobytes()
    assert list(joined_segments(as_rows(rows))) == [whole]
    asked = ["A cat and dogs 猫.", "dog. 日"]
    (found,) = Measured(Mapped(str(tmp_path), is_sent=False))(iter([pa.record_batch({"text": asked})]))
    expected = fluency_of(asked, SortedCorpus(corpus, suffixes).longest)
    assert {text: Fluency(*row) for text, *row in as_rows([found])} == expected


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=12), st.integers(1, 9))
def test_ranges_are_expanded_whole_whatever_is_held(ranges: Sequence[tuple[int, int]], at_once: int) -> None:
    begin, sizes = (np.array([each[side] for each in ranges], dtype=np.int64) for side in (0, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derivation, "_EXPANDED_AT_ONCE", at_once)
        parts = list(derivation.expanded(begin, sizes))
    found = [pair for one, other in parts for pair in zip(one.tolist(), other.tolist(), strict=True)]
    assert found == [(of, at) for of, (first, size) in enumerate(ranges) for at in range(first, first + size)]
    assert all(len(one) <= max(at_once, 5) + 5 for one, _ in parts)


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=10))
def test_pairs_in_contexts_are_those_of_all_pairs_with_one_chosen(slots: Sequence[tuple[int, bool]]) -> None:
    context = np.array([each[0] for each in slots], dtype=np.int64)
    chosen = np.array([each[1] for each in slots], dtype=np.bool_)
    parts = derivation.pairs_in_contexts(context, chosen)
    found = [frozenset(pair) for one, other in parts for pair in zip(one.tolist(), other.tolist(), strict=True)]
    expected = {
        frozenset((one, other))
        for one, other in combinations(range(len(slots)), 2)
        if slots[one][0] == slots[other][0] and (slots[one][1] or slots[other][1])
    }
    assert len(found) == len(expected)
    assert set(found) == expected
