"""Translation by analogy: D is to C as B is to A, and so is its translation to theirs.

Each analogy among the sources that the translations follow is a vote for what they give; A : B :: C : D and
A : C :: B : D are one. What decides is how many different B and how many different C speak for a translation, for one
B that goes with many C says little more each time, and whether the target language has the runs of units in it.
(Lepage & Denoual 2005; Denoual 2005, section 4.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import exp, sqrt

import numpy as np

from corpusdb.translation.answers import AnalogyShown, Translation
from corpusdb.translation.attested import AttestedRuns, attest
from corpusdb.translation.casing import Casing, learn_casing
from corpusdb.translation.change import Sentence, solutions
from corpusdb.translation.examples import Examples
from corpusdb.translation.source_analogies import AnalogyBounds, AnalogyIndex, SourceAnalogies, index_analogies
from corpusdb.translation.unit_texts import UnitTexts, encode_texts, spans_of_units

__all__ = ["LEAST_SHARE", "AnalogyTranslator", "Candidate", "TargetSide", "open_analogies", "target_side"]

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
class Candidate:
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
    """What is known of the target language."""

    runs: AttestedRuns
    casing: Casing


def target_side(texts: Iterable[str]) -> TargetSide:
    """What sentences tell of their language."""
    distinct = list(dict.fromkeys(texts))
    return TargetSide(attest(distinct), learn_casing(distinct))


@dataclass(frozen=True, slots=True)
class AnalogyTranslator:
    """A translator that is open."""

    examples: Examples
    index: AnalogyIndex
    target: TargetSide
    bounds: AnalogyBounds
    least_share: float = LEAST_SHARE
    """0: every candidate is an answer, also one with units that meet nowhere else."""

    def translations(self, text: str, limit: int) -> list[Translation]:
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
            Translation(each.text, "analogy", each.strength / total, len(each.analogies), tuple(each.shown))
            for each in ranked[:limit]
            if not self.least_share or (each.strength >= _LEAST_SECOND * total and not each.missing[0])
        ]

    def _believed(self, first: Candidate, total: float) -> bool:
        return not first.missing[0] and first.strength >= self.least_share * total

    def candidates(self, analogies: SourceAnalogies) -> list[Candidate]:
        """All that analogies give, in the order in which they do."""
        found: dict[str, Candidate] = {}
        cut: dict[str, Sentence] = {}
        for a, b, c in zip(analogies.a.tolist(), analogies.b.tolist(), analogies.c.tolist(), strict=True):
            targets = [self._targets(place, cut) for place in (a, b, c)]
            for chosen in product(*(range(len(each)) for each in targets)):
                terms = [each[at] for each, at in zip(targets, chosen, strict=True)]
                for solution in solutions(terms[0], terms[1], terms[2], self.target.casing):
                    candidate = found.setdefault(solution.casefold(), Candidate(solution))
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
