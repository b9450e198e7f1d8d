"""One thread for the products of matrices: those of alignment are small, and threads only wait for each other.

numpy has no call for it; OpenBLAS, which its wheels bring with them, has.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

__all__ = ["one_blas_thread"]

_PREFIXES: Final = ("scipy_openblas", "openblas")
_ENDINGS: Final = ("64_", "")


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
