"""The number of threads in which numpy multiplies matrices."""

from __future__ import annotations

import pytest

from corpusdb.alignment import blas


def test_one_thread_inside_the_block_and_as_before_behind_it() -> None:
    found = blas._library()
    if found is None:
        pytest.skip("this numpy brings no OpenBLAS that is known")
    get_threads, set_threads = found
    before = get_threads()
    set_threads(2)
    try:
        with pytest.raises(KeyError), blas.one_blas_thread():
            assert get_threads() == 1
            raise KeyError
        assert get_threads() == 2
    finally:
        set_threads(before)


def test_a_numpy_without_the_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "_library", lambda: None)
    with blas.one_blas_thread():
        pass
