"""The two references of a profile: as many characters of each, one alphabet, and the ends of the scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.charlm.alphabet import Alphabet, shared_characters
from corpusdb.charlm.counts import Counts, train
from corpusdb.charlm.cross_validation import folds_of
from corpusdb.charlm.normalisation import DEFAULT_NORMALISATION
from corpusdb.charlm.references import equal_references
from corpusdb.charlm.scoring import text_bits
from corpusdb.charlm.smoothing import Model, model_of
from corpusdb.errors import InputError
from corpusdb.homogeneity.scale import Anchors, Statistics, coefficients, held_out_scale
from corpusdb.queries.homogeneity.char_models import ModelRecipe
from corpusdb.queries.homogeneity.text_sources import SourceRecord, text_sources, texts_of
from corpusdb.store import Store

__all__ = ["LEAST_SHARED", "REFERENCE_CHARACTERS", "ProfileRecipe", "References", "check_alphabet", "references_of"]

LEAST_SHARED: Final = 0.1
"""Of their characters; texts in another script share digits and marks, at most."""
_SAMPLE: Final = 5_000
"""Lines whose characters are looked at."""
REFERENCE_CHARACTERS: Final = 150_000
"""The most that is taken of a reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileRecipe:
    """What a profile is made by, and known by."""

    spoken: tuple[str, ...]
    """Collections and files: the lower end of the scale."""
    written: tuple[str, ...]
    order: int = 5
    smoothing: str = "wb"
    normalisation: str = DEFAULT_NORMALISATION
    seed: int = 1
    """Of what is drawn where a reference is larger than the other."""
    characters: int = REFERENCE_CHARACTERS

    @property
    def model(self) -> ModelRecipe:
        """How each of its models is made."""
        return ModelRecipe(self.order, self.smoothing, self.normalisation)


@dataclass(frozen=True, slots=True)
class References:
    """Both sides, normalised and of equal size."""

    sides: tuple[list[str], list[str]]
    counts: tuple[Counts, Counts]
    records: tuple[list[SourceRecord], list[SourceRecord]]
    smoothing: str
    lines: frozenset[str]
    """The lines that are in them, also one of which half or more is."""

    def anchors(self) -> Anchors:
        """What each costs under both models. Raises InputError where they span no scale."""
        models = [model_of(counts, self.smoothing) for counts in self.counts]
        return Anchors.of(*(_statistics(models, side) for side in self.sides))

    def held_out(self) -> tuple[float | None, ...]:
        """d1 and d2, the difference of bits per character of held-out text of each, and its coefficients.

        None for what cannot be said, such as of a reference of few lines.
        """
        first, second = self.sides
        parts: list[Statistics] = []

        def measure(spoken: Sequence[str], written: Sequence[str], texts: Sequence[str]) -> Statistics:
            alphabet, order = self.counts[0].alphabet, self.counts[0].order
            models = [model_of(train(side, alphabet, order), self.smoothing) for side in (spoken, written)]
            parts.append(_statistics(models, texts))
            return parts[-1]

        try:
            scale = held_out_scale(first, second, folds_of(first), folds_of(second), measure)
        except InputError:
            return (None,) * 4
        anchors = self.anchors()
        unseen = [float(coefficients(_joined(parts[side::2]), anchors).values[0]) for side in (0, 1)]
        return (scale.d1, scale.d2, *(None if np.isnan(each) else each for each in unseen))


def check_alphabet(what: str, texts: Sequence[str], measured: Sequence[str]) -> None:
    """Raise InputError where texts hardly share characters with what is to be measured by them: another script."""
    share = shared_characters(texts[:_SAMPLE], measured[:_SAMPLE])
    if share < LEAST_SHARED:
        raise InputError(f"{what} and the corpus share only {share:.1%} of their characters: its alphabet does not fit")


def references_of(store: Store, language: str, recipe: ProfileRecipe) -> References:
    """The references that a recipe names. Raises InputError for one that is missing or empty, or is both."""
    if both := sorted({*recipe.spoken} & {*recipe.written}):
        raise InputError(f"{both[0]!r} is both references; they must not overlap")
    sources = [text_sources(store, language, names) for names in (recipe.spoken, recipe.written)]
    texts = [texts_of(side, recipe.normalisation) for side in sources]
    for what, side in zip(("spoken", "written"), texts, strict=True):
        if not side:
            raise InputError(f"the {what} reference has no characters")
    spoken, written = equal_references(texts, recipe.seed, recipe.characters)
    alphabet = Alphabet.of(spoken) | Alphabet.of(written)
    return References(
        (spoken, written),
        (train(spoken, alphabet, recipe.order), train(written, alphabet, recipe.order)),
        ([each.record for each in sources[0]], [each.record for each in sources[1]]),
        recipe.smoothing,
        _lines(texts[0], spoken) | _lines(texts[1], written),
    )


def _lines(texts: Sequence[str], drawn: Sequence[str]) -> frozenset[str]:
    """The lines that were drawn. The last of them may have been cut, and is not told apart from those that begin so."""
    whole = {*texts}
    parts = tuple({*drawn} - whole)
    return frozenset({*drawn} & whole | {text for text in whole if parts and _half_is(text, parts)})


def _half_is(text: str, parts: Sequence[str]) -> bool:
    return any(2 * len(part) >= len(text) and text.startswith(part) for part in parts)


def _statistics(models: Sequence[Model], texts: Sequence[str]) -> Statistics:
    bits = text_bits(models, texts)
    return Statistics(bits.characters, bits.bits[0], bits.bits[1])


def _joined(parts: Sequence[Statistics]) -> Statistics:
    """All parts as one entry."""
    totals = [part.total() for part in parts]
    return Statistics(
        sum((each.characters for each in totals), np.zeros(1, dtype=np.int64)),
        sum((each.bits1 for each in totals), np.zeros(1)),
        sum((each.bits2 for each in totals), np.zeros(1)),
    )
