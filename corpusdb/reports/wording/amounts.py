"""Numbers of things, in words."""

from __future__ import annotations

__all__ = ["counted", "singular"]


def counted(count: int, things: str) -> str:
    """A number of things, which are given in the plural: "1 line", "2,000 lines", "1 neighbour to the left"."""
    return f"{count:,} {singular(things) if count == 1 else things}"


def singular(things: str) -> str:
    """One of the things, of an English noun with a regular plural: lines, queries, neighbours to the left."""
    more = "more " if things.startswith("more ") else ""
    noun, space, rest = things.removeprefix(more).partition(" ")
    one = f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")
    return f"{more}{one}{space}{rest}"
