"""Sorted arrays as sets and mappings say what numpy's own functions and plain Python say."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import (
    Grouped,
    Packed,
    Places,
    decompressed,
    distinct,
    grouped,
    in_both,
    in_file,
    packed,
    packed_small,
    packed_steps,
    places_in,
    unpacked,
    unpacked_steps,
)
from corpusdb.base.startup import leave_in_files

WHOLE = st.lists(st.integers(-4, 4) | st.integers(-(1 << 63), (1 << 63) - 1), max_size=40)


@given(WHOLE)
def test_values_are_grouped_as_unique_groups_them(values: list[int]) -> None:
    signed = np.array(values, dtype=np.int64)
    _same_as_unique(signed, grouped(signed), distinct(signed))
    unsigned = signed.astype(np.uint64)
    _same_as_unique(unsigned, grouped(unsigned), distinct(unsigned))


def _same_as_unique(values: Any, found: Grouped[Any], different: Any) -> None:
    expected = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
    assert np.array_equal(different, expected[0]) and different.dtype == values.dtype


@given(WHOLE, WHOLE)
def test_a_value_is_found_where_it_stands(values: list[int], wanted: list[int]) -> None:
    ascending, asked = distinct(np.array(values, dtype=np.int64)), np.array(wanted, dtype=np.int64)
    number = {value: place for place, value in enumerate(ascending.tolist())}
    _found(places_in(ascending, asked), number, wanted)
    prepared = Places(ascending)
    _found(prepared.of(asked), number, wanted)
    prepared.prepare_for_many()
    _found(prepared.of(asked), number, wanted)


@given(WHOLE, WHOLE)
def test_what_two_arrays_share_is_found_in_both(one: list[int], other: list[int]) -> None:
    first, second = (distinct(np.array(values, dtype=np.int64)) for values in (one, other))
    shared, *expected = np.intersect1d(first, second, return_indices=True)
    for places, known in zip(in_both(first, second), expected, strict=True):
        assert places.tolist() == known.tolist()
    assert first[in_both(first, second)[0]].tolist() == shared.tolist()


def _found(places: tuple[Any, Any], number: dict[int, int], wanted: list[int]) -> None:
    assert places[0].tolist() == [number.get(value, 0) for value in wanted]
    assert places[1].tolist() == [value in number for value in wanted]


def test_values_that_share_a_slot_are_all_found() -> None:
    """A thousand values in some two thousand slots, and as many that are not there."""
    values = np.random.default_rng(1).choice(1 << 20, 2_000, replace=False)
    ascending = np.sort(values[:1_000])
    places, known = Places(ascending).of(values)
    assert known.tolist() == [True] * 1_000 + [False] * 1_000
    assert np.array_equal(ascending[places[:1_000]], values[:1_000]) and not places[1_000:].any()


@pytest.mark.parametrize("size", [3, 1 << 20])
def test_an_array_in_a_file_is_the_same(size: int) -> None:
    values = np.arange(size, dtype=np.int64)
    found = in_file(values)
    assert np.array_equal(found, values) and found.dtype == values.dtype
    assert (found is values) == (size == 3)


@given(st.lists(st.integers(0, 255) | st.integers(0, (1 << 32) - 1), max_size=40))
def test_numbers_are_packed_in_as_few_bytes_as_the_greatest_needs(numbers: list[int]) -> None:
    blob = packed(np.array(numbers, dtype=np.int64))
    width = max([1, *(-(-number.bit_length() // 8) for number in numbers)])
    planes = [bytes(number >> 8 * place & 255 for number in numbers) for place in range(width)]
    assert blob == b"".join([bytes([width]), *planes])
    assert unpacked(blob).tolist() == [Packed(blob)[place] for place in range(len(Packed(blob)))] == numbers
    small = packed_small(np.array(numbers, dtype=np.int64))
    higher = zlib.compress(b"".join(planes[1:]), 1)
    assert small == bytes([width | 128]) + higher + planes[0]
    assert unpacked(small).tolist() == numbers
    ascending = sorted(numbers)
    steps = packed_steps(np.array(ascending, dtype=np.int64))
    assert unpacked_steps(ascending[0] if ascending else 0, steps).tolist() == ascending


HIGHER = zlib.compress(b"abc")


@pytest.mark.parametrize("blob", [b"", b"\0", b"\5", b"\2abc", b"\x80", b"\x82" + HIGHER + b"ab", b"\x83" + HIGHER])
def test_what_is_no_packed_numbers_is_told(blob: bytes) -> None:
    with pytest.raises(ValueError, match="no packed numbers"):
        unpacked(blob)
    with pytest.raises(ValueError, match="no packed numbers"):
        Packed(blob)


@pytest.mark.parametrize("data", [b"", b"abc", HIGHER[:-1], HIGHER + b"a", b"\x82" + HIGHER[1:]])
def test_what_was_not_compressed_is_told(data: bytes) -> None:
    assert decompressed(HIGHER) == b"abc"
    with pytest.raises(ValueError, match="compress"):
        decompressed(data)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what is in memory")
def test_the_pages_of_arrays_in_files_are_let_go_and_come_back() -> None:
    def shared() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[2]) * os.sysconf("SC_PAGE_SIZE")

    values = np.arange(4_000_000, dtype=np.int64)
    kept = in_file(values)
    assert np.array_equal(kept, values)
    read = shared()
    leave_in_files()
    assert read - shared() > values.nbytes * 0.9
    assert np.array_equal(kept, values)
