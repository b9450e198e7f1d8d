"""How well a named model foresees texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpusdb.charlm.normalisation import normalised
from corpusdb.charlm.scoring import measured
from corpusdb.errors import InputError
from corpusdb.jobs import Job, Progress
from corpusdb.queries.homogeneity.char_models import model_named
from corpusdb.store import Store

__all__ = ["LinePerplexity", "Perplexity", "perplexity"]

_LINES_AT_A_TIME = 5_000


@dataclass(frozen=True, slots=True)
class LinePerplexity:
    """What one line costs."""

    line: int
    """From 1."""
    text: str
    characters: int
    """After normalisation; 0 where nothing is left."""
    unknown: int
    """Characters that the model has never seen."""
    bits: float
    """Of its characters, and of its end where that was asked for."""
    events: int
    """What the bits are divided by: characters, and the end."""

    @property
    def bits_per_character(self) -> float | None:
        """None for a line without characters."""
        return self.bits / self.events if self.characters else None


@dataclass(frozen=True, slots=True)
class Perplexity:
    """What texts cost together; empty lines cost nothing."""

    model: str
    normalisation: str
    order: int
    smoothing: str
    with_end: bool
    empty: int
    """Lines without characters after normalisation."""
    characters: int
    unknown: int
    bits: float
    bits_per_character: float
    perplexity: float
    lines: tuple[LinePerplexity, ...]


def perplexity(store: Store, name: str, texts: Sequence[str], *, with_end: bool = False) -> Job[Perplexity]:
    """Bits per character and perplexity of texts under a named model.

    With ``with_end`` the end of a line counts as one more character, as kenlm counts it. Raises InputError for a model
    that there is not, and where no text has a character.
    """
    model, recipe = model_named(store, name)
    lines: list[LinePerplexity] = []
    for first in range(0, len(texts), _LINES_AT_A_TIME):
        yield Progress("measuring lines", first, len(texts))
        given = texts[first : first + _LINES_AT_A_TIME]
        for start, part in measured([model], normalised(given, recipe.normalisation)):
            bits = part.bits[0] + part.end_bits[0] if with_end else part.bits[0]
            for place, (size, cost, unknown) in enumerate(
                zip(part.characters.tolist(), bits.tolist(), part.unknown.tolist(), strict=True), start
            ):
                bits_of_line = cost if size else 0.0
                events = size + with_end if size else 0
                lines.append(LinePerplexity(first + place + 1, given[place], size, unknown, bits_of_line, events))
    events = sum(line.events for line in lines)
    if not events:
        raise InputError("there are no characters to measure")
    total = sum(line.bits for line in lines)
    return Perplexity(
        name,
        recipe.normalisation,
        recipe.order,
        recipe.smoothing,
        with_end,
        empty=sum(not line.characters for line in lines),
        characters=sum(line.characters for line in lines),
        unknown=sum(line.unknown for line in lines),
        bits=total,
        bits_per_character=total / events,
        perplexity=2 ** (total / events),
        lines=tuple(lines),
    )
