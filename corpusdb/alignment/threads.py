"""The threads of alignment: batches are computed in two, and each product of matrices in one.

numpy leaves the interpreter to others while it computes. What comes out, and in which order, does not depend on it, and
there is no other process that could be left behind. The products are small, and several threads for one would only wait
for each other, and add up in another order; numpy has no call for that, but OpenBLAS, which its wheels bring with them,
has.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

__all__ = ["computed_ahead", "one_blas_thread"]

_PREFIXES: Final = ("scipy_openblas", "openblas")
_ENDINGS: Final = ("64_", "")
_WORKERS: Final = 2
_AHEAD: Final = 2
"""Results that may wait to be taken, beside those that are computed: what memory hangs on."""
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Inside the block matrices are multiplied in one thread, wherever numpy's own OpenBLAS does it."""
    found = _library()
    if found is None:
        yield
        return
    get_threads, set_threads = found
    before = get_threads()
    set_threads(1)
    try:
        yield
    finally:
        set_threads(before)


@cache
def _library() -> tuple[ctypes._NamedFuncPointer, ctypes._NamedFuncPointer] | None:
    """The two functions of the library that numpy has loaded; None where there is none that is known."""
    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(path))
            except OSError:
                continue
            for prefix in _PREFIXES:
                for ending in _ENDINGS:
                    names = [f"{prefix}_{verb}_num_threads{ending}" for verb in ("get", "set")]
                    if all(hasattr(library, name) for name in names):
                        return getattr(library, names[0]), getattr(library, names[1])
    return None


def computed_ahead(function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Generator[_Result, None, None]:
    """The result for each item, in their order. What the function raises is raised where its result would come.

    Where it is closed before the end, what is being computed is waited for, and the rest is not begun.
    """
    waiting: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(_WORKERS) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= _WORKERS + _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
