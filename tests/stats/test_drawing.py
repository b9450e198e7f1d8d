"""Drawing by tickets: repeatable, whatever the order, and the same in every version."""

from __future__ import annotations

import random

import pytest

from corpusdb.base.stats.estimates import Drawable, lowest_tickets, ticket

TEXTS: list[Drawable] = [(f"text {number}", f"seed {number % 3}" if number % 2 else None) for number in range(50)]


def test_the_order_of_the_texts_does_not_matter() -> None:
    shuffled = random.Random(1).sample(TEXTS, len(TEXTS))
    assert lowest_tickets(1, 10, shuffled) == lowest_tickets(1, 10, TEXTS)
    assert lowest_tickets(2, 10, TEXTS) != lowest_tickets(1, 10, TEXTS)


@pytest.mark.parametrize("size", [0, 1, 10, 50, 60])
def test_a_larger_draw_begins_with_the_smaller(size: int) -> None:
    assert lowest_tickets(3, size, TEXTS) == lowest_tickets(3, 100, TEXTS)[:size]


def test_a_ticket_is_the_same_in_every_version() -> None:
    """Samples drawn by older versions must be drawn again: BLAKE2b of the texts, keyed by seed and purpose."""
    assert ticket(1, "draw", ("a", None)).hex() == "39e7a140036284e584dd4f7493dc453c"
    assert ticket(1, "draw", ("a", "b")).hex() == "15121ff3538c8711324e5f34fd4d1c60"
    assert len({ticket(seed, purpose, ("a", "b")) for seed in (1, 2) for purpose in ("draw", "position")}) == 4
