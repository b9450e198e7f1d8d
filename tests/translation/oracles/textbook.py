"""The longest common subsequence as textbooks have it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache

__all__ = ["common_length"]


def common_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """How long the longest common subsequence is; -1 is the same as nothing."""

    @cache
    def rest(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return 0
        if one[i] == other[j] != -1:
            return 1 + rest(i + 1, j + 1)
        return max(rest(i + 1, j), rest(i, j + 1))

    return rest(0, 0)
