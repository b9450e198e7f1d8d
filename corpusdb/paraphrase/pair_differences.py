"""By which exchanges the stored paraphrases of a language differ from their seeds."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.text import lower_words, units_of
from corpusdb.paraphrase.differences import (
    Exchange,
    difference,
    differences_apart,
    is_more_polite,
    points_elsewhere,
    refers_elsewhere,
    trifling_words,
)
from corpusdb.paraphrase.marking import Marking
from corpusdb.paraphrase.witnesses import NOTHING_CHANGED, ChangedSides

UNKNOWN = -1
"""The code of an exchange of which no slot of the corpus knows; and the number of a text that is no sentence."""


class Pair(NamedTuple):
    row: int
    """Its number among the candidates, or place among the detected pairs."""
    seed: str
    text: str
    frequency: int
    languages: int
    probability: float


@dataclass(frozen=True, slots=True)
class PairDifferences:
    """Parallel arrays, one entry a pair, but for the regions."""

    row: I64
    seed: I64
    """The sentence, by its place in the list of sentences, or UNKNOWN."""
    other: I64
    code: I64
    """Of the exchange, or UNKNOWN."""
    left: I64
    """Number of the neighbour to the left."""
    right: I64
    units_before: F64
    units_after: F64
    units_of_seed: F64
    replacement: Bools
    """Whether no region is only inserted or left out."""
    unseen: Bools
    """Whether they differ, or for all that is known may, in what a language that does not mark it cannot see."""
    frequency: F64
    languages: F64
    probability: F64
    region_pair: I64
    """Of each region of a pair that has several: which pair."""
    region_code: I64
    """This and the following are of the seed with this region exchanged and no other."""
    region_left: I64
    region_right: I64
    region_before: F64
    """Units."""
    region_after: F64
    changed: ChangedSides
    """The texts that are exchanged, by region, also of pairs that have one only."""

    def regions_alone(self) -> PairDifferences:
        """The regions of pairs that have several as pairs of their own: the seed, and it with one region exchanged.

        What speaks for the pair by its analogies stays. Replacement is what the whole pair is.
        """
        of = self.region_pair
        nowhere, none = np.full(len(of), UNKNOWN), np.empty(0, dtype=np.int64)
        return PairDifferences(
            row=self.row[of],
            seed=nowhere,
            other=nowhere,
            code=self.region_code,
            left=self.region_left,
            right=self.region_right,
            units_before=self.region_before,
            units_after=self.region_after,
            units_of_seed=self.units_of_seed[of],
            replacement=self.replacement[of],
            unseen=self.unseen[of],
            frequency=self.frequency[of],
            languages=self.languages[of],
            probability=self.probability[of],
            region_pair=none,
            region_code=none,
            region_left=none,
            region_right=none,
            region_before=np.empty(0),
            region_after=np.empty(0),
            changed=NOTHING_CHANGED,
        )


POINTING: Final = 1
POLITE: Final = 2


def trifles_of_pairs(changed: ChangedSides, language: str, *, detected: bool = False) -> I64:
    """POINTING where a pair differs in words that point (this, that, it) and in contractions alone, POLITE where in
    "please" alone; else 0. Of ``detected`` pairs POINTING where they differ in such words, or in persons, at all."""
    found = np.zeros(changed.pairs, dtype=np.int64)
    wanted = trifling_words(language)
    may = np.array([not wanted.isdisjoint(lower_words(text)) for text in changed.texts], dtype=np.bool_)
    if not may.any():
        return found
    sides = changed.before * len(changed.texts) + changed.after
    chosen = np.zeros(changed.pairs, dtype=np.bool_)
    chosen[changed.pair[may[changed.before] | may[changed.after]]] = True
    known: dict[tuple[int, ...], int] = {}
    bounds = np.searchsorted(changed.pair, np.arange(changed.pairs + 1))
    for pair in np.flatnonzero(chosen).tolist():
        regions = tuple(sides[bounds[pair] : bounds[pair + 1]].tolist())
        if regions not in known:
            exchanges = (divmod(region, len(changed.texts)) for region in regions)
            texts = [(changed.texts[before], changed.texts[after]) for before, after in exchanges]
            polite = POLITE if is_more_polite(texts, language) else 0
            points = refers_elsewhere(texts, language) if detected else points_elsewhere(texts, language)
            known[regions] = POINTING if points else polite
        found[pair] = known[regions]
    return found


class PairComparer:
    """Compares stored paraphrases with their seeds, those of one seed after the other."""

    def __init__(
        self,
        place_of: Mapping[str, int],
        filler_of: Mapping[str, int],
        numbers: dict[str, int],
        marking: Marking | None = None,
    ) -> None:
        """``place_of`` has the sentences of the language, ``filler_of`` its fillers.

        ``numbers`` of the units that stand beside exchanges is added to. ``marking`` is that of the language, wanted
        where one pivot language stands behind it.
        """
        self._place_of = place_of
        self._filler_of = filler_of
        self._numbers = numbers
        self._marking = marking
        self.fillers = max(filler_of.values(), default=0) + 1
        """All fillers are numbered below."""
        self._units = _Units()
        self._seed: tuple[str, list[str], int] = "", [""], UNKNOWN
        self._whole = array("q")
        self._real = array("d")
        self._regions = array("q")
        self._changed = array("q")
        self._sides: dict[str, int] = {}

    def add(self, pairs: Iterable[Pair]) -> None:
        place_of, whole = self._place_of, self._whole
        for row, seed, text, frequency, languages, probability in pairs:
            if seed != self._seed[0]:
                self._seed = seed, units_of(seed), place_of.get(seed, UNKNOWN)
            units = self._units[text]
            found = difference(self._seed[1], units)
            self._note_changed(found.regions)
            if len(found.regions) > 1:
                for region in differences_apart(self._seed[1], units, found):
                    at, code = len(whole) // _WHOLE_COLUMNS, self._code(region.exchange)
                    self._regions.extend((at, code, *self._beside(region.left, region.right), *region.units))
            unseen = self._marking is None or self._marking.change(self._seed[1], units, found) is not None
            values = (
                row,
                self._seed[2],
                place_of.get(text, UNKNOWN),
                self._code(found.exchange),
                *self._beside(found.left, found.right),
                *found.units,
                len(self._seed[1]),
                found.is_replacement,
                unseen,
            )
            whole.extend(values)
            self._real.extend((frequency, languages, probability))

    def _note_changed(self, regions: Iterable[Exchange]) -> None:
        sides, pair = self._sides, len(self._whole) // _WHOLE_COLUMNS
        for before, after in regions:
            numbers = sides.setdefault(before, len(sides)), sides.setdefault(after, len(sides))
            self._changed.extend((pair, *numbers))

    def _beside(self, left: str, right: str) -> tuple[int, int]:
        numbers = self._numbers
        return numbers.setdefault(left, len(numbers)), numbers.setdefault(right, len(numbers))

    def _code(self, exchange: Exchange) -> int:
        one, other = self._filler_of.get(exchange[0]), self._filler_of.get(exchange[1])
        if one is None or other is None:
            return UNKNOWN
        return min(one, other) * self.fillers + max(one, other)

    def differences(self) -> PairDifferences:
        row, seed, other, code, left, right, before, after, size, replacement, unseen = np.ascontiguousarray(
            _numbers(self._whole).reshape(-1, _WHOLE_COLUMNS).T
        )
        real = np.frombuffer(self._real, dtype=np.float64) if self._real else np.empty(0)
        frequency, languages, probability = real.reshape(-1, 3).T
        changed, before_text, after_text = np.ascontiguousarray(_numbers(self._changed).reshape(-1, 3).T)
        pair, region_code, *beside, units, other_units = np.ascontiguousarray(
            _numbers(self._regions).reshape(-1, _REGION_COLUMNS).T
        )
        return PairDifferences(
            row=row,
            seed=seed,
            other=other,
            code=code,
            left=left,
            right=right,
            units_before=before.astype(np.float64),
            units_after=after.astype(np.float64),
            units_of_seed=size.astype(np.float64),
            replacement=replacement.astype(np.bool_),
            unseen=unseen.astype(np.bool_),
            frequency=frequency,
            languages=languages,
            probability=probability,
            region_pair=pair,
            region_code=region_code,
            region_left=beside[0],
            region_right=beside[1],
            region_before=units.astype(np.float64),
            region_after=other_units.astype(np.float64),
            changed=ChangedSides(changed, before_text, after_text, list(self._sides), len(row)),
        )


_WHOLE_COLUMNS = 11
_REGION_COLUMNS = 6


def _numbers(column: array[int]) -> I64:
    return np.frombuffer(column, dtype=np.int64) if column else np.empty(0, dtype=np.int64)


class _Units(dict[str, list[str]]):
    _CAPACITY = 200_000

    def __missing__(self, text: str) -> list[str]:
        if len(self) >= self._CAPACITY:
            self.clear()
        found = self[text] = units_of(text)
        return found
