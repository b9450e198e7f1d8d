"""Translation by analogy: D is to C as B is to A, and so is its translation to theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import exp, sqrt

import numpy as np

from corpusdb.base.text import has_undelimited_script, units_of
from corpusdb.translation.examples import (
    AnalogyShown,
    Examples,
    ExampleTranslation,
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
    start, end = _common(a.folded, b.folded)
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


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many units the beginnings share, and of the rest how many the ends."""
    most = min(len(one), len(other))
    start = 0
    while start < most and one[start] == other[start]:
        start += 1
    end = 0
    while end < most - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return start, end


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
    """The units before and behind; empty at the ends."""
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
    """A translation that analogies give."""

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
    examples: Examples,
    texts: UnitTexts | None = None,
    target: TargetSide | None = None,
    bounds: AnalogyBounds | None = None,
    least_share: float = LEAST_SHARE,
) -> AnalogyTranslator:
    """A translator by the analogies among examples; the units of their sources may have been numbered before."""
    encoded = encode_texts(examples.sources) if texts is None else texts
    known = target or target_side(each for targets in examples.targets for each in targets)
    return AnalogyTranslator(examples, index_analogies(encoded), known, bounds or AnalogyBounds(), least_share)
