"""Solving A : B' :: C : x where A and C differ in one filler: that filler of A stands in B' and is replaced there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

__all__ = ["NOWHERE", "UNCLEAR", "FilledSlot", "Rewording", "Substitution", "filler_places", "substitutions"]

NOWHERE: Final = -1
"""The filler does not stand in the sentence, so that nothing can be put in its place."""

UNCLEAR: Final = -2
"""The filler is empty, stands there more than once, or cuts a unit: the general solver has to find the place."""


def filler_places(fillers: Sequence[str], sentence: str, ends: Collection[int]) -> list[int]:
    """For each filler its offset in ``sentence`` in code points, NOWHERE, or UNCLEAR.

    ``ends`` holds where the units of the sentence end. A place is clear when the filler stands there between unit
    boundaries, and nowhere else.
    """
    places = []
    for filler in fillers:
        at = sentence.find(filler)
        if at < 0:
            places.append(NOWHERE)
        elif not filler or sentence.find(filler, at + 1) >= 0:
            places.append(UNCLEAR)
        else:
            whole = (at == 0 or at in ends) and at + len(filler) in ends
            places.append(at if whole else UNCLEAR)
    return places


class FilledSlot(NamedTuple):
    """A slot, by the numbers of its sentence, context and filler, and the text of the filler."""

    sentence: int
    context: int
    filler: int
    text: str


class Rewording(NamedTuple):
    """A paraphrase B' of a sentence B."""

    sentence: int
    """Its own number."""
    text: str
    ends: Collection[int]
    """Where its units end."""


class Substitution(NamedTuple):
    """The filler of a slot of B that stands in its paraphrase B' too, and where."""

    context: int
    filler: int
    rewording: int
    """B'."""
    sentence: int
    """B."""
    start: int | None
    """In B', in code points; None where the general solver has to find the place."""
    stop: int | None


def substitutions(slots: Sequence[FilledSlot], rewording: Rewording) -> Iterator[Substitution]:
    """Which of the fillers of a sentence's ``slots`` can be replaced in one of its paraphrases."""
    places = filler_places([slot[3] for slot in slots], rewording.text, rewording.ends)
    number = rewording.sentence
    for (sentence, context, filler, text), start in zip(slots, places, strict=True):
        if start == UNCLEAR:
            yield Substitution(context, filler, number, sentence, None, None)
        elif start != NOWHERE:
            yield Substitution(context, filler, number, sentence, start, start + len(text))
