"""The rungs that answer from single examples: those nearest to a text, with a fuzzy score, and analogies with them.

What texts have in common in the same order, in units: the longest common subsequence, and the stretches beside it.
Allison & Dix (1986), "A bit-string longest-common-subsequence algorithm", in the form of Hyyro (2004): a row of the
matrix is one bit vector. Here many texts take each step together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import exp, sqrt

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import F32, F64, I32, I64, U8, U64, Bools, is_new
from corpusdb.base.ngrams import joined_ranges
from corpusdb.base.text import common_ends, has_undelimited_script, units_of
from corpusdb.paraphrase.differences import runs_apart
from corpusdb.paraphrase.equations import length_of_lcs
from corpusdb.translation.examples import (
    UNKNOWN,
    AnalogyShown,
    ExampleDifference,
    Examples,
    ExampleTranslation,
    NearExample,
    UnitTexts,
    encode_texts,
    spans_of_units,
)
from corpusdb.translation.source_analogies import (
    AnalogyBounds,
    AnalogyIndex,
    AttestedRuns,
    SourceAnalogies,
    attest,
    index_analogies,
)

_WORD = 64


def common_lengths(text: I32, texts: UnitTexts, places: I64) -> I64:
    """How long the longest subsequence is that ``text`` has in common with each of the texts at ``places``."""
    if not len(text):
        return np.zeros(len(places), dtype=np.int64)
    if len(text) > _WORD:
        units = text.tolist()
        return np.array([length_of_lcs(units, texts.of(place).tolist()) for place in places], dtype=np.int64)
    lengths = texts.lengths_of(places)
    order = np.argsort(-lengths, kind="stable")  # so that those which still have units are the first
    found = np.empty(len(places), dtype=np.int64)
    found[order] = _together(text, texts, places[order], lengths[order])
    return found


def _together(text: I32, texts: UnitTexts, places: I64, lengths: I64) -> I64:
    """The same, for texts by descending length, and a text that fits a machine word."""
    beyond = int(text.max()) + 1  # stands for every unit that the text does not have
    masks = np.zeros(beyond + 1, dtype=np.uint64)
    for place, unit in enumerate(text.tolist()):
        if unit != UNKNOWN:
            masks[unit] |= np.uint64(1 << place)
    starts = texts.offsets[places]
    longest = int(lengths[0]) if len(lengths) else 0
    alive = len(places) - np.searchsorted(lengths[::-1], np.arange(longest), side="right")
    every = np.uint64((1 << len(text)) - 1)
    row: U64 = np.full(len(places), every, dtype=np.uint64)
    for column, count in enumerate(alive.tolist()):
        current = row[:count]
        equal = current & masks[np.minimum(texts.units[starts[:count] + column], beyond)]
        row[:count] = (current + equal) | (current - equal)
    bits = np.unpackbits((row & every).view(np.uint8)).reshape(len(row), _WORD)
    found: I64 = len(text) - bits.sum(axis=1, dtype=np.int64)
    return found


def stretches(text: Sequence[int], other: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """The stretches of two texts beside one longest common subsequence, the last of several.

    Each as (start, stop) in ``text`` and (start, stop) in ``other``; of the two, one may be empty. Ascending.
    """
    size, others = len(text), len(other)
    found = runs_apart(text[::-1], other[::-1])
    return [(size - stop, size - start, others - end, others - begin) for start, stop, begin, end in reversed(found)]


# Translation memory: the examples nearest to a text, with a fuzzy score and the differences.
# The fuzzy score is 0.8 r + 0.2 i, from 0 to 1. r = 2 L / (m + n) is the share of units that the two have in common in
# the same order: L units of m and n (words, clitics and marks, or characters where nothing delimits words; case and
# spaces make no difference). i is the share of information: the same of their different units, in any order, each
# weighed by ln((N + 2) / (f + 1)), where f of N examples have it; so content counts more than marks and function
# words. Among equal scores r in characters decides, then the older example. The search is exact: it gives what
# comparing with all examples would.


_INFORMATION = 0.2
_DENSE = 48
"""A term that one in so many texts has is kept as a mask of all texts, which is added faster than a list of them."""
_FIRST_LOOK = 64
"""So many of the most promising texts are compared first; what they reach tells which others can be better."""
_LEAST = 1e-9
_ROUNDING = 1e-5
"""Two ways to compute one score may differ by less."""


@dataclass(frozen=True, slots=True)
class _Postings:
    """Which texts have a unit, for the first time, for the second time ...: each of these is a term of its own."""

    terms: I64
    """unit * depth + (how many of it stand before), ascending."""
    depth: int
    starts: I64
    texts: I32
    dense: dict[int, U8]

    def shared(self, units: I32, size: int) -> npt.NDArray[np.uint16]:
        """How many units each text shares with these, in any order."""
        found = np.zeros(size, dtype=np.uint16)
        for term in _terms(units, self.depth):
            at = int(np.searchsorted(self.terms, term))
            if at == len(self.terms) or self.terms[at] != term:
                continue
            if (mask := self.dense.get(at)) is not None:
                found += mask
            else:
                found[self.texts[self.starts[at] : self.starts[at + 1]]] += 1
        return found


def _terms(units: I32, depth: int) -> list[int]:
    counts: dict[int, int] = {}
    found = []
    for unit in units.tolist():
        before = counts.get(unit, 0)
        counts[unit] = before + 1
        if unit != UNKNOWN and before < depth:
            found.append(unit * depth + before)
    return found


@dataclass(frozen=True, slots=True)
class _Information:
    """What units tell."""

    weights: F64
    """Of each unit; behind them, of one that no text has."""
    carried: F64
    """By place of the units of all texts: its weight, but 0 where the unit stands before in the text."""
    of_text: F64
    """The sum for each text."""

    def of(self, units: I32) -> float:
        """What a text tells; units that are UNKNOWN count each for itself."""
        known = np.unique(units[units != UNKNOWN])
        unknown = len(units) - int((units != UNKNOWN).sum())
        return float(self.weights[known].sum() + unknown * self.weights[-1])

    def shared(self, units: I32, texts: UnitTexts, places: I64) -> F64:
        """What each of the texts at ``places`` has in common with these units."""
        wanted = np.zeros(len(self.weights), dtype=np.bool_)
        wanted[units[units != UNKNOWN]] = True
        lengths = texts.lengths_of(places)
        at = joined_ranges(texts.offsets[places], lengths)
        sums = np.concatenate(([0.0], np.cumsum(np.where(wanted[texts.units[at]], self.carried[at], 0.0))))
        ends = np.cumsum(lengths)
        return np.asarray(sums[ends] - sums[ends - lengths])


@dataclass(frozen=True, slots=True)
class Memory:
    examples: Examples
    texts: UnitTexts
    _postings: _Postings
    _information: _Information
    _characters: UnitTexts
    _lengths: F32
    """Of the sources, in units."""

    def translations(self, text: str, limit: int) -> list[ExampleTranslation]:
        """The translations of the nearest examples; of each example the oldest first."""
        found: dict[str, ExampleTranslation] = {}
        for place, score in self.nearest(text, limit):
            example = self.examples.example(place)
            near = NearExample(example, score, differences(example.source, text))
            for target in self.examples.targets[place]:
                found.setdefault(target, ExampleTranslation(target, "memory", score, 1, (near,)))
        return list(found.values())[:limit]

    def nearest(self, text: str, limit: int) -> list[tuple[int, float]]:
        """The places of the nearest examples with their scores, the best first; only those that share a unit."""
        units = self.texts.encode(text)
        if not len(units) or not len(self.texts):
            return []
        shared = self._postings.shared(units, len(self.texts))
        bounds: F32 = np.float32(2 * (1 - _INFORMATION)) * shared / (self._lengths + np.float32(len(units)))
        places = _most_promising(bounds, max(_FIRST_LOOK, 4 * limit))
        scores = self._scores(units, places)
        least = max(np.sort(scores)[-limit] if len(scores) >= limit else 0.0, _LEAST)
        rest: Bools = bounds >= max(least - _INFORMATION - _ROUNDING, _LEAST)
        rest[places] = False
        others = np.flatnonzero(rest)
        reachable = bounds[others] + _INFORMATION * self._told(units, others) >= least - _ROUNDING
        others = others[reachable]
        places = np.concatenate((places, others))
        scores = np.concatenate((scores, self._scores(units, others)))
        return self._ranked(text, places, scores, limit)

    def _scores(self, units: I32, places: I64) -> F64:
        common = common_lengths(units, self.texts, places)
        ratio = 2 * common / (self.texts.lengths_of(places) + len(units))
        return (1 - _INFORMATION) * ratio + _INFORMATION * self._told(units, places)

    def _told(self, units: I32, places: I64) -> F64:
        both = self._information.of_text[places] + self._information.of(units)
        return 2 * self._information.shared(units, self.texts, places) / both

    def _ranked(self, text: str, places: I64, scores: F64, limit: int) -> list[tuple[int, float]]:
        """The best of some examples; where their scores are equal, r in characters decides."""
        scores = np.round(scores, 9)
        least = max(np.sort(scores)[-min(limit, len(scores))], _LEAST) if len(scores) else 0.0
        places, scores = places[scores >= least], scores[scores >= least]
        characters = _codes(text.casefold())
        both = self._characters.lengths_of(places) + len(characters)
        finer = 2 * common_lengths(characters, self._characters, places) / both
        best = np.lexsort((places, -finer, -scores))[:limit]
        return list(zip(places[best].tolist(), scores[best].tolist(), strict=True))


def _most_promising(bounds: F32, count: int) -> I64:
    """About ``count`` of the highest bounds; finding just these would take as long as all the rest."""
    highest = float(bounds.max())
    for share in (0.9, 0.8, 0.7, 0.5, 0.0):
        places = np.flatnonzero(bounds >= max(share * highest, _LEAST))
        if len(places) >= count:
            break
    if len(places) <= 4 * count:
        return places
    return np.sort(places[np.argpartition(bounds[places], -count)[-count:]])


def _codes(text: str) -> I32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.int32)


def differences(example: str, text: str) -> tuple[ExampleDifference, ...]:
    """What a text has otherwise than an example, unit by unit, beside what they have in common in the same order."""
    numbers: dict[str, int] = {}
    spans, theirs = (spans_of_units(each) for each in (text, example))
    units = [
        [numbers.setdefault(each[start:stop].casefold(), len(numbers)) for start, stop in places]
        for each, places in ((text, spans), (example, theirs))
    ]
    found = []
    for start, stop, begin, end in stretches(*units):
        written = text[spans[start][0] : spans[stop - 1][1]] if stop > start else ""
        first = theirs[begin][0] if end > begin else (theirs[begin - 1][1] if begin else 0)
        if end == begin:  # nothing there has the space beside it
            written = text[spans[start - 1][1] if start else 0 : spans[stop][0] if not start else spans[stop - 1][1]]
        found.append(ExampleDifference(first, theirs[end - 1][1] if end > begin else first, written))
    return tuple(found)


def open_memory(examples: Examples, texts: UnitTexts | None = None) -> Memory:
    encoded = encode_texts(examples.sources) if texts is None else texts
    first, postings = _indexed(encoded)
    frequencies = np.bincount(encoded.units[first], minlength=len(encoded.numbers) + 1)
    weights: F64 = np.log((len(encoded) + 2) / (frequencies + 1))
    carried = np.where(first, weights[encoded.units], 0.0)
    sums = np.concatenate(([0.0], np.cumsum(carried)))
    information = _Information(weights, carried, sums[encoded.offsets[1:]] - sums[encoded.offsets[:-1]])
    return Memory(
        examples, encoded, postings, information, _characters(examples.sources), encoded.lengths.astype(np.float32)
    )


def _indexed(texts: UnitTexts) -> tuple[Bools, _Postings]:
    """Where a unit stands for the first time in its text, and the postings."""
    owners = texts.owners.astype(np.int64)
    keys = owners * (len(texts.numbers) + 1) + texts.units
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = is_new(ordered)
    places = np.arange(len(ordered))
    before = places - np.maximum.accumulate(np.where(first, places, 0))
    depth = int(before.max(initial=0)) + 1
    terms = texts.units[order].astype(np.int64) * depth + before
    by_term = np.argsort(terms, kind="stable")
    distinct, starts = np.unique(terms[by_term], return_index=True)
    starts = np.append(starts, len(terms)).astype(np.int64)
    members = owners[order][by_term].astype(np.int32)
    dense = {}
    for at in np.flatnonzero(np.diff(starts) > max(1, len(texts) // _DENSE)).tolist():
        mask = np.zeros(len(texts), dtype=np.uint8)
        mask[members[starts[at] : starts[at + 1]]] = 1
        dense[at] = mask
    is_first = np.empty(len(ordered), dtype=np.bool_)
    is_first[order] = first
    return is_first, _Postings(distinct, depth, starts, members, dense)


def _characters(texts: Sequence[str]) -> UnitTexts:
    """Texts with their folded characters as units, which are their own numbers."""
    folded = [text.casefold() for text in texts]
    sizes = np.fromiter(map(len, folded), np.int64, len(folded))
    return UnitTexts({}, _codes("".join(folded)), np.concatenate(([0], np.cumsum(sizes))))


# Analogies: how words are written inside sentences, for those that a translation moved there from the beginning of one.


Casing = Mapping[str, str]
"""Of a folded unit, how it is written."""
_SENTENCES = 20_000
"""So many, evenly spread, tell the case of all words that are frequent enough to begin sentences."""


def learn_casing(texts: Sequence[str]) -> Casing:
    """The most frequent way to write each unit that stands inside texts."""
    counts: dict[str, Counter[str]] = {}
    for text in texts[:: max(1, len(texts) // _SENTENCES)]:
        for unit in units_of(text)[1:]:
            written = unit.strip()
            counts.setdefault(written.casefold(), Counter())[written] += 1
    return {folded: count.most_common(1)[0][0] for folded, count in counts.items()}


# The target side of an analogy: A' : B' :: C' : x, solved on units.
# The change from A' to B' is what stands between their common beginning and their common end; applied to C' it gives
# x. So does the change from A' to C', applied to B'. Case and spaces make no difference to what is the same.


@dataclass(frozen=True)
class Sentence:
    text: str

    @cached_property
    def units(self) -> tuple[str, ...]:
        """As they are written, each with the space before it."""
        return tuple(units_of(self.text))

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """By which units are compared."""
        return tuple(unit.strip().casefold() for unit in self.units)


def solutions(a: Sentence, b: Sentence, c: Sentence, casing: Casing | None = None) -> list[str]:
    """What B is to A, for C: at most two different sentences, none where the change does not fit.

    That from A to B applied to C comes first, then that from A to C applied to B. ``casing`` says how to write a word
    that began a sentence and comes inside.
    """
    found = dict.fromkeys([*_changed(a, b, c, casing or {}), *_changed(a, c, b, casing or {})])
    return list(found)


def _changed(a: Sentence, b: Sentence, c: Sentence, casing: Casing) -> Iterator[str]:
    """C with the change from A to B, where it can be made in one place only."""
    start, end = common_ends(a.folded, b.folded)
    old, new = a.folded[start : len(a.folded) - end], b.units[start : len(b.units) - end]
    if not old and not new:
        yield c.text
        return
    place = _place(a, start, old, c)
    if place is not None:
        behind = list(c.units[place + len(old) :])
        inserted = list(new)
        if place and not start and inserted:
            inserted[0] = _inside(inserted[0], c.units[place - 1], casing)
        if not place and not old and inserted and behind:
            behind[0] = _inside(behind[0], inserted[-1], casing)
        found = "".join([*c.units[:place], *inserted, *behind]).strip()
        yield found[:1].upper() + found[1:] if c.text[:1].isupper() else found


def _place(a: Sentence, start: int, old: Sequence[str], c: Sentence) -> int | None:
    """Where the units that stand in A at ``start`` are to be replaced in C; None where that is not clear.

    If they stand there more than once, or are none at all, the units beside them must tell.
    """
    size = len(old)
    places = [at for at in range(len(c.folded) - size + 1) if c.folded[at : at + size] == tuple(old)]
    if old and len(places) == 1:
        return places[0]
    left, right = _beside(a.folded, start, size)
    sides = [_beside(c.folded, at, size) for at in places]
    for wanted in ((True, True), (True, False), (False, True)):
        fitting = [
            at
            for at, (before, after) in zip(places, sides, strict=True)
            if (before == left or not wanted[0]) and (after == right or not wanted[1])
        ]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            return None
    return None


def _beside(units: Sequence[str], start: int, size: int) -> tuple[str, str]:
    stop = start + size
    return units[start - 1] if start else "", units[stop] if stop < len(units) else ""


def _inside(unit: str, before: str, casing: Casing) -> str:
    """A unit that began a sentence, as it is written behind another one."""
    written = casing.get(unit.casefold(), unit)
    return f" {written}" if _wants_space(unit, before) else written


def _wants_space(unit: str, before: str) -> bool:
    """Whether a unit that began a sentence takes a space now that it does not."""
    return unit[:1].isalnum() and before[-1:] not in "'’(-" and not has_undelimited_script(unit[0] + before[-1])


# Translation by analogy: D is to C as B is to A, and so is its translation to theirs.
# Each analogy among the sources that the translations follow is a vote for what they give; A : B :: C : D and A : C ::
# B : D are one. What decides is how many different B and how many different C speak for a translation, for one B that
# goes with many C says little more each time, and whether the target language has the runs of units in it. (Lepage &
# Denoual 2005; Denoual 2005, section 4.)


LEAST_SHARE = 0.3
"""Of all that analogies give a text, the least share that one translation must have to be believed. With less, and
with two units side by side that are so nowhere else, what is lost in quality is more than what is gained in answers."""
_LEAST_SECOND = 0.1
"""The least share of those that come after the first."""
_COSTS = (1.0, 0.2)
"""What a run of two and one of three units that the target language does not have cost, as powers of e."""
_TRANSLATIONS = 3
"""So many translations of each term are tried, the oldest ones."""
_SHOWN = 5
"""So many analogies are kept as evidence of a translation."""


@dataclass
class AnalogyTranslation:
    text: str
    analogies: set[tuple[int, int, int]] = field(default_factory=set)
    """A, and B and C by their numbers."""
    b: set[int] = field(default_factory=set)
    c: set[int] = field(default_factory=set)
    shown: list[AnalogyShown] = field(default_factory=list)
    missing: tuple[int, ...] = (0, 0)
    """Runs that the target language does not have."""

    @property
    def strength(self) -> float:
        """What speaks for it, to be compared with that of others."""
        cost = sum(each * count for each, count in zip(_COSTS, self.missing, strict=True))
        return sqrt(len(self.b) * len(self.c)) * exp(-cost)


@dataclass(frozen=True, slots=True)
class TargetSide:
    runs: AttestedRuns
    casing: Casing


def target_side(texts: Iterable[str]) -> TargetSide:
    distinct = list(dict.fromkeys(texts))
    return TargetSide(attest(distinct), learn_casing(distinct))


@dataclass(frozen=True, slots=True)
class AnalogyTranslator:
    examples: Examples
    index: AnalogyIndex
    target: TargetSide
    bounds: AnalogyBounds
    least_share: float = LEAST_SHARE
    """0: every candidate is an answer, also one with units that meet nowhere else."""

    def translations(self, text: str, limit: int) -> list[ExampleTranslation]:
        """What the analogies of a text give, the strongest first; nothing where they agree too little.

        The score is the share that a translation has of the strength of all.
        """
        units = self.index.texts.encode(text)
        characters = np.array([stop - start for start, stop in spans_of_units(text)], dtype=np.int64)
        if not len(units) or len(units) != len(characters):
            return []
        found = self.candidates(self.index.analogies(units, characters, self.bounds))
        total = sum(each.strength for each in found)
        ranked = sorted(found, key=lambda each: -each.strength)
        if not ranked or (self.least_share and not self._believed(ranked[0], total)):
            return []
        return [
            ExampleTranslation(each.text, "analogy", each.strength / total, len(each.analogies), tuple(each.shown))
            for each in ranked[:limit]
            if not self.least_share or (each.strength >= _LEAST_SECOND * total and not each.missing[0])
        ]

    def _believed(self, first: AnalogyTranslation, total: float) -> bool:
        return not first.missing[0] and first.strength >= self.least_share * total

    def candidates(self, analogies: SourceAnalogies) -> list[AnalogyTranslation]:
        """All that analogies give, in the order in which they do."""
        found: dict[str, AnalogyTranslation] = {}
        cut: dict[str, Sentence] = {}
        for a, b, c in zip(analogies.a.tolist(), analogies.b.tolist(), analogies.c.tolist(), strict=True):
            targets = [self._targets(place, cut) for place in (a, b, c)]
            for chosen in product(*(range(len(each)) for each in targets)):
                terms = [each[at] for each, at in zip(targets, chosen, strict=True)]
                for solution in solutions(terms[0], terms[1], terms[2], self.target.casing):
                    candidate = found.setdefault(solution.casefold(), AnalogyTranslation(solution))
                    analogy = (a, min(b, c), max(b, c))
                    if analogy not in candidate.analogies and len(candidate.shown) < _SHOWN:
                        candidate.shown.append(self._shown((a, b, c), chosen))
                    candidate.analogies.add(analogy)
                    candidate.b.add(b)
                    candidate.c.add(c)
        for candidate in found.values():
            candidate.missing = self.target.runs.missing(candidate.text)
        return list(found.values())

    def _targets(self, place: int, cut: dict[str, Sentence]) -> list[Sentence]:
        return [cut.setdefault(text, Sentence(text)) for text in self.examples.targets[place][:_TRANSLATIONS]]

    def _shown(self, places: Sequence[int], translations: Sequence[int]) -> AnalogyShown:
        return AnalogyShown(*(self.examples.example(*each) for each in zip(places, translations, strict=True)))


def open_analogies(
    examples: Examples, texts: UnitTexts | None = None, least_share: float = LEAST_SHARE
) -> AnalogyTranslator:
    """A translator by the analogies among examples; the units of their sources may have been numbered before."""
    encoded = encode_texts(examples.sources) if texts is None else texts
    known = target_side(each for targets in examples.targets for each in targets)
    return AnalogyTranslator(examples, index_analogies(encoded), known, AnalogyBounds(), least_share)
