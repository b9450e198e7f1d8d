"""How a call treats the machine before anything is loaded, and names that are loaded when they are used."""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from pathlib import Path
from typing import Any
from weakref import WeakSet

# How this process treats the machine, set before numpy is loaded: what a call does not use it should not pay for.

_NEW_OBJECTS = 100_000
"""So many new containers, and the youngest are searched for circles; Python looks at every 700. What is read and
imported has none that matter, and each look goes over all that was made since."""
_ROUNDS = 5
"""Searches of one generation until the next older one is searched too."""


def save_time() -> None:
    """Search for garbage seldom and not at the end, and start no threads for matrices.

    OpenBLAS starts a thread for each core, which waits by going round, whether a matrix is ever multiplied or not; ours
    are small. Who has said how many there are to be keeps them. With one thread the sums do not depend on the machine.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_NEW_OBJECTS, _ROUNDS, _ROUNDS)
    atexit.register(gc.freeze)  # the process ends: what is left is not searched, and its memory goes at once


_LARGE = 1 << 20
_ARENA_MAX, _MMAP_THRESHOLD = -8, -3
"""Of mallopt(3)."""


def save_memory() -> None:
    """Give memory back when it is freed, as a process should that stays for hours: glibc keeps most of it.

    Blocks from a mebibyte on are mapped, each by itself, and threads share the pool of the others.
    """
    import ctypes

    with suppress(OSError, AttributeError):  # other C libraries give it back anyway
        library = ctypes.CDLL(None)
        library.mallopt(_ARENA_MAX, 1)
        library.mallopt(_MMAP_THRESHOLD, _LARGE)


def give_memory_back() -> None:
    """Give back what nobody has any more, also in circles and in small blocks, in some tenths of a second."""
    import ctypes

    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


_mapped: WeakSet[mmap] = WeakSet()


def mapped(file: int) -> mmap:
    """A file, by its descriptor, to be read as memory."""
    pages = mmap(file, 0, access=ACCESS_READ)
    _mapped.add(pages)
    return pages


def leave_in_files() -> None:
    """Let go of the pages that were read of all mapped files: whoever needs one gets it from the system again."""
    for pages in _mapped:
        pages.madvise(MADV_DONTNEED)


def memory_in_use() -> int:
    """The bytes of this process that are in memory, without those of files; 0 where the system does not tell."""
    try:
        _, resident, shared, *_ = map(int, Path("/proc/self/statm").read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")


def loaded_now(place: str) -> Any:
    """What stands in a module under a name, both given as ``module:name``; the module is imported now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


# Names of a package that are loaded when they are asked for: to use one module of it does not load the others.


def loaded_later(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names stand in modules of it: ``places`` is the module of each name."""

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{places[name]}")
        return getattr(module, name)

    return load
