"""On Spark the derivations of a seed are looked at together, however its rows lie in batches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason="the extra spark is not installed")

import pyarrow as pa

from corpusdb.cluster import derivation


@given(st.lists(st.lists(st.sampled_from([0, 0, 1, 2]), max_size=6), max_size=8), st.integers(1, 12))
def test_no_seed_is_in_two_parts_and_no_row_is_lost(steps: Sequence[Sequence[int]], at_once: int) -> None:
    seed = -3
    batches = []
    for batch in steps:
        seeds = [seed := seed + step for step in batch]
        rows = {"seed": pa.array(seeds, pa.int64()), "row": pa.array(range(len(seeds)), pa.int64())}
        batches.append(pa.RecordBatch.from_pydict(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derivation, "_DERIVED_AT_ONCE", at_once)
        parts = [part.to_pylist() for part in derivation._by_whole_seeds(iter(batches))]
    assert list(chain.from_iterable(parts)) == [row for batch in batches for row in batch.to_pylist()]
    seeds_of = [{row["seed"] for row in part} for part in parts]
    assert all(seeds_of)
    assert sum(map(len, seeds_of)) == len(set().union(*seeds_of))
