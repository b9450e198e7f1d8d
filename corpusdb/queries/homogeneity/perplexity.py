"""How well a named model foresees texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corpusdb.charlm.arpa import read_arpa
from corpusdb.charlm.normalisation import DEFAULT_NORMALISATION, normalised
from corpusdb.charlm.scoring import measured
from corpusdb.charlm.smoothing import Model
from corpusdb.errors import InputError
from corpusdb.formats.files.reading import read_lines
from corpusdb.jobs import Job, Progress
from corpusdb.queries.homogeneity.char_models import model_named
from corpusdb.store import Store

__all__ = [
    "LinePerplexity",
    "MeasuringModel",
    "Perplexity",
    "arpa_model",
    "perplexity_by",
    "stored_model",
]

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
    smoothing: str | None
    """None for the model of a file, which does not tell it."""
    with_end: bool
    empty: int
    """Lines without characters after normalisation."""
    characters: int
    unknown: int
    bits: float
    bits_per_character: float
    perplexity: float
    lines: tuple[LinePerplexity, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuringModel:
    """A model that texts are measured by."""

    name: str
    model: Model
    normalisation: str
    smoothing: str | None = None


def stored_model(store: Store, name: str) -> MeasuringModel:
    """A model of the database. Raises InputError where there is none of the name, or where it is corrupt."""
    model, recipe = model_named(store, name)
    return MeasuringModel(name, model, recipe.normalisation, recipe.smoothing)


def arpa_model(path: Path, normalisation: str = DEFAULT_NORMALISATION) -> MeasuringModel:
    """The model of an ARPA file whose words are characters, such as kenlm's lmplz makes of split text.

    The file does not tell how its texts were normalised. Raises InputError, with the line, for what is no such file.
    """
    return MeasuringModel(str(path), read_arpa((line for _, line in read_lines(path)), path), normalisation)


def perplexity_by(measuring: MeasuringModel, texts: Sequence[str], *, with_end: bool = False) -> Job[Perplexity]:
    """Bits per character and perplexity of texts under a model.

    With ``with_end`` the end of a line counts as one more character, as kenlm counts it. Raises InputError where no
    text has a character.
    """
    lines: list[LinePerplexity] = []
    for first in range(0, len(texts), _LINES_AT_A_TIME):
        yield Progress("measuring lines", first, len(texts))
        given = texts[first : first + _LINES_AT_A_TIME]
        for start, part in measured([measuring.model], normalised(given, measuring.normalisation)):
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
        measuring.name,
        measuring.normalisation,
        measuring.model.order,
        measuring.smoothing,
        with_end,
        empty=sum(not line.characters for line in lines),
        characters=sum(line.characters for line in lines),
        unknown=sum(line.unknown for line in lines),
        bits=total,
        bits_per_character=total / events,
        perplexity=2 ** (total / events),
        lines=tuple(lines),
    )
