"""Exchanges applied to a sentence: what it becomes when some of its units are exchanged for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from corpusdb.exchange.differences import Exchange, difference
from corpusdb.text import units_of

__all__ = ["Application", "applications"]


class Application(NamedTuple):
    """A sentence in which one exchange was made, at one place."""

    text: str
    exchange: Exchange
    """What stood in the sentence, and what stands there now; neither is empty."""
    begin: int
    stop: int
    """Where that is, as offsets in ``text``."""


def applications(sentence: str, partners: Mapping[str, Sequence[str]], most_units: int) -> Iterator[Application]:
    """Each exchange of a run of units of ``sentence`` for one of its partners, in the order of their places.

    ``partners`` has for each filler, of at most ``most_units`` units, those that may stand in its place. An exchange is
    made where its units stand: not where the new ones would become other units by what stands beside them, and not
    where the two sentences differ in less than the whole of it.
    """
    units = units_of(sentence)
    offsets = [0]
    for unit in units:
        offsets.append(offsets[-1] + len(unit))
    for start in range(len(units)):
        begin = offsets[start]
        for end in offsets[start + 1 : start + 1 + most_units]:
            before = sentence[begin:end]
            for after in partners.get(before, ()):
                text = sentence[:begin] + after + sentence[end:]
                if difference(units, units_of(text)).exchange == (before, after):
                    yield Application(text, (before, after), begin, begin + len(after))
