"""Drawing at random so that the same seed draws the same texts on every machine, whatever their order.

Each text gets a ticket, a keyed hash, and the lowest tickets win: a larger draw holds the smaller one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from hashlib import blake2b
from typing import TypeAlias

__all__ = ["Drawable", "lowest_tickets", "ticket"]

Drawable: TypeAlias = tuple[str, str | None]
"""A text, and one that belongs to it or None."""


def lowest_tickets(seed: int, size: int, texts: Iterable[Drawable]) -> list[Drawable]:
    """The ``size`` texts that the seed gives the lowest tickets to, in the order of these."""
    return heapq.nsmallest(size, texts, key=lambda text: ticket(seed, "draw", text))


def ticket(seed: int, purpose: str, text: Drawable) -> bytes:
    """The number that a text draws: the same on every machine and in every version, and different for each purpose."""
    key = f"{seed} {purpose}".encode()
    first, second = text
    return blake2b(f"{first}\0{second or ''}".encode(), key=key, digest_size=16).digest()
