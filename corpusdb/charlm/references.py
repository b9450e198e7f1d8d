"""Reference texts of equal size: a model of more text is nearer to everything, so the larger side is cut."""

from __future__ import annotations

import random
from collections.abc import Sequence

from corpusdb.errors import InputError

__all__ = ["drawn_characters", "equal_references"]


def equal_references(sides: Sequence[Sequence[str]], seed: int, most: int | None = None) -> list[list[str]]:
    """Each side cut to the characters of the smallest, and to ``most``; a side that fits stays as it is.

    From a larger side texts are drawn at random; the last one drawn is cut. InputError where a side has no character.
    """
    sizes = [sum(map(len, side)) for side in sides]
    if not all(sizes):
        raise InputError(f"reference {sizes.index(0) + 1} has no characters")
    size = min(sizes) if most is None else min(*sizes, most)
    return [drawn_characters(side, size, seed) for side in sides]


def drawn_characters(texts: Sequence[str], size: int, seed: int) -> list[str]:
    """Texts of ``size`` characters together, drawn without replacement, in the order in which they stand.

    All of them where they have no more. The last one drawn is cut, so that the size is exact.
    """
    if sum(map(len, texts)) <= size:
        return list(texts)
    order = list(range(len(texts)))
    random.Random(seed).shuffle(order)
    drawn: dict[int, str] = {}
    for place in order:
        if size <= 0:
            break
        drawn[place] = texts[place][:size]
        size -= len(drawn[place])
    return [drawn[place] for place in sorted(drawn)]
