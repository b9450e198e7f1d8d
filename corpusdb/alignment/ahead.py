"""Batches in two threads: numpy leaves the interpreter to others while it computes.

What comes out, and in which order, does not depend on it. There is no other process, and so none to be left behind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

__all__ = ["computed_ahead"]

_WORKERS: Final = 2
_AHEAD: Final = 2
"""Results that may wait to be taken, beside those that are computed: what memory hangs on."""
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


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
