"""The examples that translations are made from, and what a translator answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from corpusdb.base.arrays import I32, I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.base.ngrams import joined_ranges
from corpusdb.base.text import needs_slow_units, unit_ends

RungName: TypeAlias = Literal["exact", "analogy", "phrases", "memory"]
RUNGS: tuple[RungName, ...] = ("exact", "analogy", "phrases", "memory")
"""From what is surest to what is always there."""


@dataclass(frozen=True, slots=True)
class TranslationExample:
    sentence: int
    """The number of the source sentence: in the corpus, or among the pairs given."""
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class AnalogyShown:
    """A : B :: C : text, and the same between their translations, which gives the translation of the text."""

    a: TranslationExample
    b: TranslationExample
    c: TranslationExample


@dataclass(frozen=True, slots=True)
class ExampleDifference:
    """A stretch of an example that the text has otherwise."""

    start: int
    """Where it stands in the example, in code points."""
    stop: int
    text: str
    """What the text has in its place; may be empty, as may the stretch."""


@dataclass(frozen=True, slots=True)
class NearExample:
    """An example that is like the text."""

    example: TranslationExample
    score: float
    """The fuzzy score, 0 to 1."""
    differences: tuple[ExampleDifference, ...]
    """In order; none where the two are the same, ignoring case."""

    @property
    def marked(self) -> str:
        """The example with its differences told: [-what it has-]{+what the text has+}."""
        parts, done = [], 0
        for each in self.differences:
            parts.append(self.example.source[done : each.start])
            if each.stop > each.start:
                parts.append(f"[-{self.example.source[each.start : each.stop]}-]")
            if each.text:
                parts.append(f"{{+{each.text}+}}")
            done = each.stop
        return "".join([*parts, self.example.source[done:]])


@dataclass(frozen=True, slots=True)
class Piece:
    """A phrase of the text and what it was translated by, in the order of the translation."""

    start: int
    """Where it stands in the text, in code points."""
    stop: int
    source: str
    target: str
    probability: float
    """Of the target phrase, given the source phrase; 0 for a word that was left as it is."""
    count: int = 0
    """How often it was found at the places of the source phrase that were looked at."""
    example: TranslationExample | None = None
    """A pair of sentences in which it stands."""


Evidence: TypeAlias = TranslationExample | AnalogyShown | NearExample | Piece


class ExampleTranslation(NamedTuple):
    text: str
    rung: RungName
    score: float
    """How much speaks for it, 0 to 1. Scores of one rung compare with each other."""
    votes: int
    """How many independent examples, analogies or derivations yield it."""
    evidence: tuple[Evidence, ...]
    """The first of them, best first; pieces in the order of the translation."""


class Rung(Protocol):
    def translations(self, text: str, limit: int) -> list[ExampleTranslation]:
        """Translations of a normalised text, best first, at most ``limit``; none where it has nothing to say."""
        ...


@dataclass(frozen=True, slots=True)
class Examples:
    """Parallel sequences, one entry a distinct source sentence."""

    numbers: Sequence[int]
    """By which the sentences are known outside, distinct."""
    sources: Sequence[str]
    targets: Sequence[Sequence[str]]
    """The translations of each, at least one, the oldest first."""

    def __len__(self) -> int:
        return len(self.sources)

    def example(self, place: int, translation: int = 0) -> TranslationExample:
        """The source at ``place`` with one of its translations."""
        return TranslationExample(self.numbers[place], self.sources[place], self.targets[place][translation])

    def chosen(self, mask: Bools) -> Examples:
        """Those that a mask over the sources chooses."""
        kept = mask.tolist()
        sources, targets = list(compress(self.sources, kept)), list(compress(self.targets, kept))
        return Examples(list(compress(self.numbers, kept)), sources, targets)


def examples_of_pairs(pairs: Iterable[tuple[str, str]]) -> Examples:
    """Pairs (source, translation) as examples, numbered from 0 as they come."""
    targets: dict[str, dict[str, None]] = {}
    for source, target in pairs:
        targets.setdefault(source, {})[target] = None
    return Examples(range(len(targets)), list(targets), [list(each) for each in targets.values()])


# Texts as numbers of units: words, clitics and marks, or characters where nothing delimits words.
# Case and the space between units make no difference: what differs only in these is the same here.


UNKNOWN = -1
"""The number of a unit that no text has; no two unknown units are the same."""


@dataclass(frozen=True, slots=True)
class UnitTexts:
    """Texts one behind the other."""

    numbers: Mapping[str, int]
    """Of each unit, folded; from 0. There may be units that none of the texts has."""
    units: I32
    offsets: I64
    """Where each text begins in ``units``, and behind the last where it ends."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> I64:
        """In units."""
        return np.diff(self.offsets)

    def lengths_of(self, places: I64) -> I64:
        return self.offsets[places + 1] - self.offsets[places]

    @property
    def owners(self) -> I32:
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths)

    def of(self, place: int) -> I32:
        return self.units[self.offsets[place] : self.offsets[place + 1]]

    def encode(self, text: str) -> I32:
        """The units of any text; UNKNOWN for those that none has."""
        folded = text.casefold()
        found = [self.numbers.get(folded[start:stop], UNKNOWN) for start, stop in _spans(folded)]
        return np.array(found, dtype=np.int32)

    def chosen(self, mask: Bools) -> UnitTexts:
        """The texts that a mask chooses, with the same numbers of units."""
        lengths = self.lengths[mask]
        units = self.units[joined_ranges(self.offsets[:-1][mask], lengths)]
        return UnitTexts(self.numbers, units, np.concatenate(([0], np.cumsum(lengths))))


def encode_texts(texts: Sequence[str]) -> UnitTexts:
    numbers: dict[str, int] = {}
    folded = [text.casefold() for text in texts]
    slow = np.fromiter(map(needs_slow_units, folded), np.bool_, len(texts))
    parts: list[tuple[I64, I64, I32]] = []
    for kind in (False, True):
        members = np.flatnonzero(slow == kind)
        if len(members):
            parts.append((members, *_encoded([folded[each] for each in members], kind, numbers)))
    lengths = np.zeros(len(texts), dtype=np.int64)
    for members, sizes, _ in parts:
        lengths[members] = sizes
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    units = np.empty(offsets[-1], dtype=np.int32)
    for members, sizes, encoded in parts:
        units[joined_ranges(offsets[:-1][members], sizes)] = encoded
    return UnitTexts(numbers, units, offsets)


def _encoded(folded: Sequence[str], slow: bool, numbers: dict[str, int]) -> tuple[I64, I32]:
    joined = "\n".join(folded)
    ends = unit_ends(joined, slow=slow)
    pieces = map(str.strip, (joined[start:stop] for start, stop in zip([0, *ends], ends, strict=False)))
    units = np.fromiter((numbers.setdefault(unit, len(numbers)) for unit in pieces), np.int32, len(ends))
    sizes = np.fromiter((len(text) + 1 for text in folded), np.int64, len(folded))
    owners = np.searchsorted(np.cumsum(sizes), np.array(ends, dtype=np.int64) - 1, side="right")
    return np.bincount(owners, minlength=len(folded)), units


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in unit_ends(text):
        unit = text[start:stop]
        yield start + len(unit) - len(unit.lstrip()), stop
        start = stop


def spans_of_units(text: str) -> list[tuple[int, int]]:
    """Where each unit of a text stands in it as it is written: as many as encode gives it numbers."""
    return list(_spans(text))


# Test sentences held out of pairs of sentences, with all that would give their translations away.
# Denoual (2005, section 4) measures a translator by examples on 510 sentences. In a corpus where one sentence has many
# translations, and these have other sources, a split by lines would leave the answers among the examples.


TEST_SENTENCES = 510
"""So many Denoual (2005) translates."""


@dataclass(frozen=True, slots=True)
class HeldOutSentences:
    """Test sentences, and the pairs that may be learned from."""

    sources: tuple[str, ...]
    """What is to be translated."""
    references: tuple[tuple[str, ...], ...]
    """Of each, its translations, in their order among the pairs."""
    training: Bools
    """Of each pair, whether it may be learned from."""


def hold_out(pairs: Sequence[tuple[str, str]], count: int = TEST_SENTENCES, seed: int = 1) -> HeldOutSentences:
    """Hold ``count`` sources out of pairs (source, translation), chosen at random among the distinct sources.

    Left out of the training with them: every pair of a source that has one of their translations, and every pair one
    sentence of which is a test source. Case makes no difference. Raises InputError where there are not more distinct
    sources than ``count``.
    """
    by_source: dict[str, list[int]] = {}
    for number, (source, _) in enumerate(pairs):
        by_source.setdefault(source.casefold(), []).append(number)
    if len(by_source) <= count:
        raise InputError(f"there are {len(by_source):,} sources; to hold {count:,} out takes more")
    groups = list(by_source.values())
    tested = [groups[each] for each in np.sort(np.random.default_rng(seed).choice(len(groups), count, replace=False))]
    references = {pairs[number][1].casefold() for numbers in tested for number in numbers}
    sources = {pairs[numbers[0]][0].casefold() for numbers in tested}
    told = {source.casefold() for source, translation in pairs if translation.casefold() in references} | sources
    training = [
        source.casefold() not in told and translation.casefold() not in sources for source, translation in pairs
    ]
    return HeldOutSentences(
        tuple(pairs[numbers[0]][0] for numbers in tested),
        tuple(tuple(dict.fromkeys(pairs[number][1] for number in numbers)) for numbers in tested),
        np.array(training, dtype=np.bool_),
    )
