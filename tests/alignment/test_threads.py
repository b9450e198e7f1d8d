"""Batches in two threads, and one thread for each product of matrices."""

from __future__ import annotations

import threading
import time

import pytest

from corpusdb.alignment import bitext
from corpusdb.alignment import model as threads
from corpusdb.alignment.training import train
from corpusdb.base.jobs import finished


def test_one_thread_inside_the_block_and_as_before_behind_it() -> None:
    found = threads._library()
    if found is None:
        pytest.skip("this numpy brings no OpenBLAS that is known")
    get_threads, set_threads = found
    before = get_threads()
    set_threads(2)
    try:
        with pytest.raises(KeyError), threads.one_blas_thread():
            assert get_threads() == 1
            raise KeyError
        assert get_threads() == 2
    finally:
        set_threads(before)


def test_a_numpy_without_the_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_library", lambda: None)
    with threads.one_blas_thread():
        pass


def test_results_come_in_order_however_long_each_takes() -> None:
    def late(number: int) -> int:
        time.sleep(0.002 * (number % 3))
        return number * number

    assert list(threads.computed_ahead(late, range(40))) == [number * number for number in range(40)]


def test_what_fails_fails_at_its_place() -> None:
    found = threads.computed_ahead(lambda number: 6 // number, [3, 2, 0, 1])
    assert [next(found), next(found)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_closed_before_the_end_nothing_is_left_running() -> None:
    begun: list[int] = []
    before = threading.active_count()
    found = threads.computed_ahead(begun.append, range(1000))
    next(found)
    found.close()
    assert threading.active_count() == before and len(begun) < 10


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_model_does_not_depend_on_how_many_threads_there_are(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setattr(bitext, "_MOST_CELLS", 64)
    monkeypatch.setattr(bitext, "_LEAST_CELLS", 16)
    source = [f"w{number % 7} w{number % 5} w{number % 3}".split() for number in range(60)]
    target = [f"x{number % 3} x{number % 7} x{number % 5}".split() for number in range(60)]
    expected = finished(train(source, target)).to_bytes()
    monkeypatch.setattr(threads, "_WORKERS", workers)
    assert finished(train(source, target)).to_bytes() == expected
