"""The exchanges of a corpus and what they say of pairs of sentences, by dictionaries and loops.

Nothing of corpusdb is used but the units of a text, what differs between two, which have tests of their own, and the
slots of brute_force.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from math import exp, log2, prod
from typing import NamedTuple

from brute_force import Generation

from corpusdb.base.text import units_of
from corpusdb.paraphrase.differences import BEGIN, END, Difference, Exchange, difference, differences_apart

__all__ = ["Corpus", "Instance", "Model", "Total", "model_of"]

_USUAL = (0.65, 0.65, 0.7, 0.75, 0.8)
_MAX_SHARING = 100


class Instance(NamedTuple):
    """Two sentences in one context."""

    one: str
    other: str
    left: str
    right: str


class Total(NamedTuple):
    """Sums over instances."""

    pairs: int
    shared: int
    expected: float

    def rate(self, prior: float = 0.3) -> float:
        return (self.shared + prior) / (self.expected + 1)


Model = Mapping[str, tuple[float, float, float]]
"""By the name of a feature its weight, and the ends of the range that it is held in."""


def model_of(names: Iterable[str], document: Mapping[str, Sequence[float]]) -> Model:
    """A model as its document has it."""
    columns = document["weights"], document["least"], document["most"]
    return dict(zip(names, zip(*columns, strict=True), strict=False))


def logistic(value: float) -> float:
    return 1 / (1 + exp(-value))


@dataclass
class Corpus:
    """The sentences of a language and their translations: (sentence, language of the translation, translation)."""

    sentences: list[str]
    pairs: Collection[tuple[str, str, str]]

    def __post_init__(self) -> None:
        self.languages = sorted({language for _, language, _ in self.pairs})
        self.translations: dict[tuple[str, str], set[str]] = defaultdict(set)
        having: dict[tuple[str, str], set[str]] = defaultdict(set)
        for sentence, language, translation in self.pairs:
            self.translations[sentence, language].add(translation)
            having[language, translation].add(sentence)
        self._usable = {pivot for pivot, sentences in having.items() if len(sentences) <= _MAX_SHARING}
        self._recalls = {language: self._recall(language) for language in self.languages}
        self.instances = self._instances()

    def common(self, one: str, other: str, language: str) -> int:
        both = self.translations[one, language] & self.translations[other, language]
        return sum((language, each) in self._usable for each in both)

    def shares(self, one: str, other: str, languages: Iterable[str] | None = None) -> int:
        """In how many languages two sentences share a translation."""
        return sum(self.common(one, other, each) > 0 for each in (self.languages if languages is None else languages))

    def recall(self, one: str, other: str, language: str) -> float:
        """How probable it is that they share one of a language, if they mean the same."""
        product = len(self.translations[one, language]) * len(self.translations[other, language])
        return self._recalls[language][_bucket(product)] if product else 0.0

    def expected(self, one: str, other: str) -> float:
        return 1 - prod(1 - self.recall(one, other, each) for each in self.languages)

    def _recall(self, language: str) -> list[float]:
        counts = [[20 * usual, 20] for usual in _USUAL]
        for one, other in combinations(self.sentences, 2):
            product = len(self.translations[one, language]) * len(self.translations[other, language])
            elsewhere = sum(self.common(one, other, each) for each in self.languages if each != language)
            if product and elsewhere >= 2:
                counts[_bucket(product)][0] += self.common(one, other, language) > 0
                counts[_bucket(product)][1] += 1
        return [having / of for having, of in counts]

    def _instances(self) -> dict[Exchange, list[Instance]]:
        """Of each exchange, the smaller text first, those of slots that the index keeps."""
        members: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for context, filler, sentence in Generation(self.sentences, {}).slots():
            before, after = context.split("␣")
            members[before, after][filler] = sentence
        found: dict[Exchange, dict[frozenset[str], tuple[int, Instance]]] = defaultdict(dict)
        for (before, _), fillers in members.items():
            for x, y in combinations(sorted(fillers), 2):
                units = units_of(fillers[x])
                ends = dict(zip(accumulate(map(len, units)), units, strict=True))
                begins = {end - len(unit): unit for end, unit in ends.items()}
                left, right = ends.get(len(before), BEGIN), begins.get(len(before) + len(x), END)
                instance = len(before), Instance(fillers[x], fillers[y], left, right)
                both = frozenset(instance[1][:2])
                # Two sentences show an exchange once: in the last of several contexts.
                found[x, y][both] = max(instance, found[x, y].get(both, instance))
        return {exchange: [each for _, each in those.values()] for exchange, those in found.items()}

    def of(self, exchange: Exchange, left_out: Collection[str] = ()) -> list[Instance]:
        """The instances of an exchange, but for those between the two sentences of ``left_out``."""
        one, other = sorted(exchange)
        return [each for each in self.instances.get((one, other), ()) if {each.one, each.other} != set(left_out)]

    def total(self, instances: Iterable[Instance], language: str | None = None) -> Total:
        """Sums over instances, or over those with translations into one language, of these."""
        chosen = [each for each in instances if language is None or self.recall(*each[:2], language)]
        named = None if language is None else [language]
        return Total(
            len(chosen),
            sum(self.shares(*each[:2], named) > 0 for each in chosen),
            sum(self.expected(*each[:2]) if language is None else self.recall(*each[:2], language) for each in chosen),
        )

    def features(self, seed: str, text: str) -> dict[str, float]:
        """What the exchange between two texts says, the two themselves left out."""
        units = units_of(seed), units_of(text)
        found = difference(*units)
        return self._features(found, differences_apart(*units, found), len(units[0]), (seed, text))

    def _features(
        self, found: Difference, apart: Sequence[Difference], units: int, left_out: Collection[str]
    ) -> dict[str, float]:
        instances = self.of(found.exchange, left_out)
        whole = self.total(instances)
        left = self.total(each for each in instances if each.left == found.left)
        right = self.total(each for each in instances if each.right == found.right)
        regions = [whole] if len(apart) == 1 else [self.total(self.of(each.exchange)) for each in apart]
        worst = min(regions, key=Total.rate)
        languages = [self.total(instances, each) for each in self.languages]
        lowest = min([whole.rate(), *(each.rate(whole.rate()) for each in languages)])
        return {
            "rate": whole.rate(),
            "log rate": log2(whole.rate()),
            "shared": log2(1 + whole.shared),
            "missed": log2(1 + max(whole.expected - whole.shared, 0)),
            "rate left": left.rate(whole.rate()),
            "rate right": right.rate(whole.rate()),
            "worst rate": worst.rate(),
            "worst shared": log2(1 + worst.shared),
            "worst missed": log2(1 + max(worst.expected - worst.shared, 0)),
            "lowest rate of a language": lowest,
            "log lowest rate": log2(lowest),
            "languages with evidence": log2(1 + sum(each.expected >= 1 for each in languages)),
            "regions": len(regions),
            "doubt": sum(log2(min(each.rate(), 1)) for each in regions),
            "pairs": log2(1 + whole.pairs),
            "units before": found.units[0],
            "units after": found.units[1],
            "units of seed": units,
        }

    def is_vouched(self, seed: str, text: str) -> bool:
        """Whether every region is a replacement for which two pairs or more share a translation."""
        units = units_of(seed), units_of(text)
        found = difference(*units)
        left_out = (seed, text) if len(found.regions) == 1 else ()
        regions = [self.total(self.of(each.exchange, left_out)) for each in differences_apart(*units, found)]
        return found.is_replacement and min(regions, key=Total.rate).shared >= 2

    def validity(self, model: Model, bias: float, seed: str, text: str, **derived: float) -> float:
        """Of several regions the least probable one is the most; sharing a translation multiplies the odds by 5, 8."""
        units = units_of(seed), units_of(text)
        found = difference(*units)
        apart = differences_apart(*units, found)
        ways: list[tuple[Difference, Sequence[Difference], Collection[str]]] = [(found, apart, (seed, text))]
        replaced = len(apart) > 1 and all(all(each.exchange) for each in apart)
        if replaced and self.total(self.of(found.exchange, (seed, text))).shared < 2:
            ways += [(each, [each], ()) for each in apart]
        probability = 1.0
        for whole, regions, left_out in ways:
            figures = self._features(whole, regions, len(units[0]), left_out) | derived
            held = {name: min(max(figures[name], least), most) for name, (_, least, most) in model.items()}
            value = bias + sum(weight * held[name] for name, (weight, *_) in model.items())
            probability = min(probability, logistic(value), self._most_probable(whole.exchange, left_out))
        languages = self.shares(seed, text)
        factor = 5 * 8 ** (languages - 1) if languages else 1
        return factor * probability / (1 - probability + factor * probability)

    def _most_probable(self, exchange: Exchange, left_out: Collection[str]) -> float:
        """What a language leaves that keeps less than a quarter of what is expected, as 3 of n if none of n."""
        totals = [self.total(self.of(exchange, left_out), each) for each in self.languages]
        bound = min([1.0, *((each.shared + 3) / (each.expected + 3) for each in totals)])
        return bound if bound < 0.25 else 1.0


def _bucket(product: int) -> int:
    return 0 if product == 1 else 1 if product == 2 else 2 if product <= 4 else 3 if product <= 8 else 4
