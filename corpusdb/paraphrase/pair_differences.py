"""By which exchanges the stored paraphrases of a language differ from their seeds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I64, U64, Bools, distinct, grouped, places_in
from corpusdb.base.ngrams import Fingerprints, joined_ranges
from corpusdb.base.text import lower_words, units_of
from corpusdb.paraphrase.differences import (
    BEGIN,
    END,
    GAP,
    LATER_GAP,
    MOST_CELLS,
    Exchange,
    is_more_polite,
    is_turn,
    only_contracts,
    points_elsewhere,
    refers_elsewhere,
    runs_apart,
    trifling_words,
)
from corpusdb.paraphrase.marking import Marking
from corpusdb.paraphrase.slots import unit_boundaries
from corpusdb.paraphrase.witnesses import NOTHING_CHANGED, ChangedSides

UNKNOWN = -1
"""The code of an exchange of which no slot of the corpus knows; and the number of a text that is no sentence."""


class Pair(NamedTuple):
    row: int
    """Its number among the candidates, or place among the detected pairs."""
    seed: str
    text: str
    frequency: int = 0
    """This and what follows are 0 of what no analogy yields."""
    languages: int = 0
    probability: float = 0.0
    frame: Exchange | None = None
    """The one that makes the text of the seed, if one does: it counts as a whole, and no region alone."""


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
    framed: I64
    """FRAMED or TURNED where a frame makes the text, and its exchange is that; else 0."""
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
    beside: Sequence[str] = ()
    """The neighbours of the exchanges, by number, where what readers said beside these is asked."""

    def between(self, begin: int, end: int) -> PairDifferences:
        """The pairs at some places, without the texts that are exchanged in them."""
        first, last = np.searchsorted(self.region_pair, (begin, end)).tolist()
        found: dict[str, Any] = {"changed": NOTHING_CHANGED, "beside": ()}
        found["region_pair"] = self.region_pair[first:last] - begin
        for name in (each.name for each in fields(self) if each.name not in found):
            found[name] = getattr(self, name)[slice(first, last) if name.startswith("region_") else slice(begin, end)]
        return PairDifferences(**found)

    def regions_alone(self) -> PairDifferences:
        """The regions of pairs that have several as pairs of their own: the seed, and it with one region exchanged.

        What speaks for the pair by its analogies stays. Replacement is what the whole pair is.
        """
        of, nowhere = self.region_pair, np.full(len(self.region_pair), UNKNOWN)
        own = {"seed": nowhere, "other": nowhere, "code": self.region_code, "left": self.region_left}
        own |= {"right": self.region_right, "units_before": self.region_before, "units_after": self.region_after}
        found: dict[str, Any] = {"changed": NOTHING_CHANGED, "beside": (), **own}
        for name in (each.name for each in fields(self) if each.name not in found):
            found[name] = getattr(self, name)[:0] if name.startswith("region_") else getattr(self, name)[of]
        return PairDifferences(**found)


FRAMED: Final = 1
TURNED: Final = 2
"""Of a frame that turns two parts of the sentence round."""
POINTING: Final = 1
POLITE: Final = 2
CONTRACTED: Final = 3


def trifles_of_pairs(changed: ChangedSides, language: str, *, detected: bool = False) -> I64:
    """POINTING where a pair differs in words that point (this, that, it) and in contractions alone, POLITE where in
    "please" alone, CONTRACTED where in contractions alone of which one is ambiguous ('s); else 0. Of ``detected`` pairs
    POINTING where they differ in words that point, or in persons, at all."""
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
            points = refers_elsewhere(texts, language) if detected else points_elsewhere(texts, language)
            others = (POLITE, is_more_polite), (CONTRACTED, only_contracts)
            kinds = (kind for kind, is_of_kind in others if is_of_kind(texts, language))
            known[regions] = POINTING if points else next(kinds, 0)
        found[pair] = known[regions]
    return found


class DifferencePlaces(NamedTuple):
    """Where pairs of texts differ, in units: parallel arrays, by pair ascending."""

    pair: I64
    start: I64
    """In the one text."""
    stop: I64
    begin: I64
    """In the other."""
    end: I64

    def chosen(self, chosen: Bools) -> DifferencePlaces:
        return DifferencePlaces(*(column[chosen] for column in self))

    @property
    def one_sided(self) -> Bools:
        """Whether something is only inserted or only left out."""
        return np.asarray((self.start == self.stop) | (self.begin == self.end))


class CutTexts:
    """The units of some texts, as numbers of their own: what ``difference`` says of two of them, of many at a time."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.joined = "\n".join(texts) + "\n"
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        owner, self.bound = unit_boundaries(texts, np.cumsum(lengths + 1) - lengths - 1)
        """Where the units of a text begin and the last ends, one text after the other."""
        self.first = np.searchsorted(owner, np.arange(len(texts)))
        """At which of these places each text begins."""
        self.size = np.bincount(owner, minlength=len(texts)) - 1
        """Of each text, in units."""
        self.prints = Fingerprints(self.joined)
        self.unit = self.prints.of(self.bound, np.append(self.bound[1:], self.bound[-1:]))
        """The fingerprint of the unit that begins at each place."""

    def differences(self, one: I64, other: I64) -> tuple[DifferencePlaces, DifferencePlaces]:
        """What differs between pairs of texts as a whole, and the regions that do, which may be several."""
        starts, others = self.first[one], self.first[other]
        shorter = np.minimum(self.size[one], self.size[other])
        begin = self._alike(starts, others, shorter, 1)
        lasts = starts + self.size[one] - 1, others + self.size[other] - 1
        end = self._alike(*lasts, shorter - begin, -1)
        whole = DifferencePlaces(np.arange(len(one)), begin, self.size[one] - end, begin, self.size[other] - end)
        cells = (whole.stop - begin) * (whole.end - begin)
        chosen = whole.chosen((cells > 1) & (cells <= MOST_CELLS))
        parted, regions = self._regions(chosen, starts[chosen.pair], others[chosen.pair])
        is_whole = np.ones(len(one), dtype=np.bool_)
        is_whole[parted] = False
        parts = [np.concatenate(columns) for columns in zip(whole.chosen(is_whole), regions, strict=True)]
        order = np.argsort(parts[0], kind="stable")
        return whole, DifferencePlaces(*(column[order] for column in parts))

    def _alike(self, one: I64, other: I64, most: I64, step: int) -> I64:
        """How many units are the same from two places on, forwards or backwards, and at most how many."""
        found = np.zeros(len(one), dtype=np.int64)
        going = np.flatnonzero(most > 0)
        while len(going):
            at = step * found[going]
            going = going[self.unit[one[going] + at] == self.unit[other[going] + at]]
            found[going] += 1
            going = going[found[going] < most[going]]
        return found

    def _regions(self, whole: DifferencePlaces, starts: I64, others: I64) -> tuple[list[int], DifferencePlaces]:
        """The pairs whose two sides have a unit in common, and their regions."""
        sizes = whole.stop - whole.start, whole.end - whole.begin
        sides = joined_ranges(starts + whole.start, sizes[0]), joined_ranges(others + whole.begin, sizes[1])
        units = grouped(self.unit[np.concatenate(sides)]).group
        before, after = units[: len(sides[0])], units[len(sides[0]) :]
        pairs = [np.repeat(np.arange(len(whole.pair)), size) for size in sizes]
        in_both = places_in(distinct(pairs[1] << 32 | after), pairs[0] << 32 | before)[1]
        ends, other_ends = (np.cumsum(size).tolist() for size in sizes)
        known: dict[tuple[tuple[int, ...], tuple[int, ...]], list[tuple[int, int, int, int]]] = {}
        first, second, parted, rows = before.tolist(), after.tolist(), [], []
        for place in distinct(pairs[0][in_both]).tolist():
            begins = ends[place] - sizes[0][place], other_ends[place] - sizes[1][place]
            key = tuple(first[begins[0] : ends[place]]), tuple(second[begins[1] : other_ends[place]])
            if key not in known:
                known[key] = runs_apart(*key)
            pair, start, begin = (int(column[place]) for column in (whole.pair, whole.start, whole.begin))
            parted.append(pair)
            rows += [(pair, start + i, start + stop, begin + j, begin + end) for i, stop, j, end in known[key]]
        return parted, DifferencePlaces(*np.array(rows, dtype=np.int64).reshape(-1, 5).T)

    def apart(self, regions: DifferencePlaces, one: I64, other: I64) -> DifferencePlaces:
        """How the one text differs from what it is with one region exchanged and no other, as ``differences_apart``.

        What is inserted last may be what stands behind it too, and then counts to the common beginning.
        """
        rows, others = one[regions.pair], other[regions.pair]
        left = np.minimum(self.size[rows] - regions.start, self.size[others] - regions.begin)
        is_last = np.append(regions.pair[1:] != regions.pair[:-1], True)[: len(regions.pair)]
        left[~(is_last & regions.one_sided)] = 0
        moved = self._alike(self.first[rows] + regions.start, self.first[others] + regions.begin, left, 1)
        return DifferencePlaces(regions.pair, *(column + moved for column in regions[1:]))


class PairComparer:
    """Compares stored paraphrases with their seeds."""

    def __init__(self, place_of: Mapping[str, int], numbers: dict[str, int], marking: Marking | None = None) -> None:
        """``place_of`` has the sentences of the language; ``numbers`` of the units beside exchanges is added to.

        ``marking`` is that of the language, wanted where one pivot language stands behind it.
        """
        self._place_of = place_of
        self._numbers = numbers
        self._marking = marking
        self._sides: dict[str, int] = {}
        """The texts that are exchanged, by number."""
        self._whole = [np.empty((13, 0), dtype=np.int64)]
        self._real = [np.empty((3, 0))]
        self._regions = [np.empty((7, 0), dtype=np.int64)]
        self._changed = [np.empty((3, 0), dtype=np.int64)]
        self._pairs = 0

    def add(self, pairs: Iterable[Pair]) -> None:
        """Compare some thousands of pairs, for which memory is taken at a time."""
        rows = list(pairs)
        if not rows:
            return
        numbers, seeds, texts, *real, frames = zip(*rows, strict=True)
        row_of = {text: row for row, text in enumerate(dict.fromkeys((*seeds, *texts)))}
        cut = CutTexts(list(row_of))
        one, other = (np.array([row_of[text] for text in column], dtype=np.int64) for column in (seeds, texts))
        whole, places = cut.differences(one, other)
        several = np.bincount(places.pair, minlength=len(rows)) > 1
        framed = [place for place, frame in enumerate(frames) if frame is not None]
        several[framed] = False
        regions = cut.apart(places.chosen(several[places.pair]), one, other)
        replaced = np.ones(len(rows), dtype=np.int64)
        replaced[places.pair[places.one_sided]] = 0
        replaced[framed] = 1
        exchanges = np.stack(self._exchanges(cut, whole, one, other))
        for place in framed:
            sides = frames[place]
            exchanges[:2, place] = [self._sides.setdefault(side, len(self._sides)) for side in sides]
            exchanges[4:, place] = _units_exchanged(seeds[place], texts[place], sides)
        unseen = [int(self._is_unseen(*pair)) for pair in zip(seeds, texts, strict=True)]
        place_of = np.array([self._place_of.get(text, UNKNOWN) for text in row_of], dtype=np.int64)
        known = np.array(numbers, dtype=np.int64), place_of[one], place_of[other]
        kinds = [0 if frame is None else TURNED if is_turn(frame) else FRAMED for frame in frames]
        said = cut.size[one], replaced, np.array(kinds, dtype=np.int64), np.array(unseen, dtype=np.int64)
        self._whole.append(np.stack((*known, *exchanges, *said)))
        self._real.append(np.array(real, dtype=np.float64))
        self._regions.append(np.stack((regions.pair + self._pairs, *self._exchanges(cut, regions, one, other))))
        self._changed.append(np.stack((places.pair + self._pairs, *self._texts(cut, places, one, other))))
        self._pairs += len(rows)

    def _is_unseen(self, seed: str, text: str) -> bool:
        return self._marking is None or self._marking.change(units_of(seed), units_of(text)) is not None

    def _exchanges(self, cut: CutTexts, places: DifferencePlaces, one: I64, other: I64) -> tuple[I64, ...]:
        """The numbers of the two texts that are exchanged and of their neighbours, and how many units they have."""
        rows = one[places.pair]
        start, stop = cut.first[rows] + places.start, cut.first[rows] + places.stop
        left = self._beside(cut, start - 1, places.start > 0, BEGIN)
        right = self._beside(cut, stop, places.stop < cut.size[rows], END)
        sizes = places.stop - places.start, places.end - places.begin
        return (*self._texts(cut, places, one, other), left, right, *sizes)

    def _texts(self, cut: CutTexts, places: DifferencePlaces, one: I64, other: I64) -> tuple[I64, I64]:
        firsts, others = cut.first[one[places.pair]], cut.first[other[places.pair]]
        starts = cut.bound[np.concatenate([firsts + places.start, others + places.begin])]
        stops = cut.bound[np.concatenate([firsts + places.stop, others + places.end])]
        numbers = _numbered(cut.joined, starts, stops, cut.prints.of(starts, stops), self._sides)
        return numbers[: len(firsts)], numbers[len(firsts) :]

    def _beside(self, cut: CutTexts, at: I64, is_there: Bools, mark: str) -> I64:
        found = np.full(len(at), self._numbers.setdefault(mark, len(self._numbers)))
        there = at[is_there]
        found[is_there] = _numbered(cut.joined, cut.bound[there], cut.bound[there + 1], cut.unit[there], self._numbers)
        return found

    def differ_by(self, known: Collection[Exchange]) -> Bools:
        """Which pairs so far differ by these exchanges alone, in every region."""
        whole, regions = np.concatenate(self._whole, axis=1), np.concatenate(self._regions, axis=1)
        pair = np.concatenate([np.delete(np.arange(self._pairs), regions[0]), regions[0]])
        sides = np.concatenate([np.delete(whole[3:5], regions[0], axis=1), regions[1:3]], axis=1)
        size = len(self._sides) + 1
        numbers = [(self._sides.get(one, -1), self._sides.get(other, -1)) for one, other in known]
        codes = [one * size + other for one, other in numbers if min(one, other) >= 0]
        is_known = places_in(np.sort(np.array(codes, dtype=np.int64)), sides[0] * size + sides[1])[1]
        return np.asarray(np.bincount(pair[~is_known], minlength=self._pairs) == 0)

    def exchanges(self) -> set[Exchange]:
        """All by which the pairs so far differ, as a whole and in their regions; the lesser text first."""
        texts = list(self._sides)
        both = [*(part[3:5] for part in self._whole), *(part[1:3] for part in self._regions)]
        pairs = {(texts[one], texts[other]) for one, other in zip(*np.concatenate(both, axis=1).tolist(), strict=True)}
        return {(min(pair), max(pair)) for pair in pairs}

    def differences(self, filler_of: Mapping[str, int]) -> PairDifferences:
        """Of all pairs so far; ``filler_of`` has the numbers of the fillers of the language."""
        row, seed, other, *exchange, size, replacement, framed, unseen = np.concatenate(self._whole, axis=1)
        frequency, languages, probability = np.concatenate(self._real, axis=1)
        changed, before_text, after_text = np.concatenate(self._changed, axis=1)
        pair, *region = np.concatenate(self._regions, axis=1)
        fillers = np.array([filler_of.get(text, UNKNOWN) for text in self._sides], dtype=np.int64)
        most = max(filler_of.values(), default=0) + 1
        return PairDifferences(
            *(row, seed, other, *_coded(exchange, fillers, most), size.astype(np.float64)),
            *(replacement.astype(np.bool_), framed, unseen.astype(np.bool_), frequency, languages, probability),
            *(pair, *_coded(region, fillers, most)),
            ChangedSides(changed, before_text, after_text, list(self._sides), len(row)),
            list(self._numbers),
        )


def _units_exchanged(seed: str, text: str, frame: Exchange) -> list[int]:
    """Of either text of a frame; of one that turns two parts round how many the parts have, as they are in the seed."""
    if not is_turn(frame):
        return [sum(len(units_of(part)) for part in side.split(GAP)) for side in frame]
    is_set_off = not frame[0].startswith(LATER_GAP)
    units = units_of(seed if is_set_off else text)
    parts = [units.index(","), len(units) - units.index(",") - 1]
    return parts if is_set_off else parts[::-1]


def _numbered(joined: str, starts: I64, stops: I64, prints: U64, numbers: dict[str, int]) -> I64:
    """The number of each text between two places, by its fingerprint; new ones are added to ``numbers``."""
    _, first, group, _ = grouped(prints)
    texts = (joined[start:stop] for start, stop in zip(starts[first].tolist(), stops[first].tolist(), strict=True))
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)[group]


def _coded(exchange: Sequence[I64], fillers: I64, most: int) -> tuple[I64, I64, I64, F64, F64]:
    """The columns of exchanges with their code in place of their texts; all fillers are numbered below ``most``."""
    before, after, left, right, *units = exchange
    one, other = (fillers[side] if len(fillers) else side for side in (before, after))
    code = np.minimum(one, other) * most + np.maximum(one, other)
    known = np.where((one == UNKNOWN) | (other == UNKNOWN), UNKNOWN, code)
    units_before, units_after = (each.astype(np.float64) for each in units)
    return known, left, right, units_before, units_after
