"""How probable it is that two phrases are equivalent, by what they are aligned with and where they stand.

Phrases that share translations may be forms of one word, antonyms of a pair that one word covers, or two readings of a
homonym. So more is asked than the pivot probability of Bannard and Callison-Burch (2005): that the translations of both
are distributed alike, in every language (Bhattacharyya 1943); that both stand between the same words; and that
sentences in which one stands for the other share translations. What each is worth was learned from pairs that were read
(tests/readings): by one model whether one can be put in the place of the other, and by another whether it is to be
listed, where what nearly holds counts half. That one looks at the stems of translations: a participle of the one word
is a translation of the other, whose infinitive it has.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from importlib.resources import files
from math import log, log1p, sqrt
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from corpusdb.alignment.equivalence import Phrase
from corpusdb.base.arrays import F64, I64, U64, in_both, in_file
from corpusdb.base.estimates import LogisticModel
from corpusdb.base.ngrams import Fingerprints, combined, stable_order
from corpusdb.base.text import has_undelimited_script
from corpusdb.search.token_corpus import TokenCorpus

_MOST_PLACES: Final = 20_000
"""Of a phrase that stands in more places, evenly many of them are looked at."""
_MOST_KNOWN: Final = 120 * _MOST_PLACES
"""Frames of the phrases that are kept, the last ones that were asked for; those of one take up to half a megabyte."""
_SMOOTHED: Final = 0.02
"""What is added to a likeness from 0 to 1 before its logarithm is taken."""
_RARE: Final = 1e-4
"""The same of a probability of translation."""


class Neighbours(NamedTuple):
    """What stands beside a phrase, each once, ascending, and at which part of the places of the phrase."""

    numbers: I64
    shares: F64

    @classmethod
    def of(cls, stream: I64) -> Neighbours:
        numbers, counts = np.unique(stream, return_counts=True)
        return cls(numbers, counts / max(len(stream), 1))


def affinity(one: Neighbours, other: Neighbours) -> float:
    """How alike two distributions are, 0 to 1: the coefficient of Bhattacharyya (1943)."""
    mine, theirs = in_both(one.numbers, other.numbers)
    return float(np.sqrt(one.shares[mine] * other.shares[theirs]).sum())


class Surroundings(NamedTuple):
    """Where a phrase stands in the sentences of a language."""

    places: int
    """How many there are."""
    before: Neighbours
    after: Neighbours
    around: Neighbours
    """The words before and after it as one."""
    frames: U64
    """The fingerprints of its sentences without it, each once, ascending."""
    sentences: I64
    """The id of the sentence of each."""


class PhraseStream:
    """The sentences of a language in lower case, an empty word between two."""

    def __init__(self, corpus: TokenCorpus) -> None:
        self._numbers: dict[str, int] = {"": 0}
        lowered = [self._numbers.setdefault(text.lower(), len(self._numbers)) for text in corpus.types]
        lengths = corpus.lengths.astype(np.int64)
        self._ends = np.cumsum(lengths + 1)
        self._begins = self._ends - lengths
        self._stream = np.zeros(int(lengths.sum()) + len(lengths) + 1, dtype=np.int32)
        is_word = np.ones(len(self._stream), dtype=bool)
        is_word[0] = is_word[self._ends] = False
        self._stream[is_word] = np.array([*lowered, 0], dtype=np.int32)[corpus.tokens]
        self._sentences = corpus.sentences
        self._order = in_file(stable_order(self._stream.astype(np.int64), len(self._numbers)).astype(np.int32))
        self._firsts = np.searchsorted(self._stream[self._order], np.arange(len(self._numbers) + 1))
        self._stream = in_file(self._stream)
        self._known: dict[Phrase, Surroundings] = {}
        """The one that was asked for last at the end."""
        self._frames_kept = 0

    def of(self, phrase: Phrase) -> Surroundings:
        """Where a phrase, its words in lower case, stands."""
        found = self._known.pop(phrase, None)
        if found is None:
            found = self._found(phrase)
            self._frames_kept += len(found.frames) + 1
            while self._known and self._frames_kept > _MOST_KNOWN:
                self._frames_kept -= len(self._known.pop(next(iter(self._known))).frames) + 1
        self._known[phrase] = found
        return found

    def _found(self, phrase: Phrase) -> Surroundings:
        starts = self._starts(phrase)
        count = len(starts)
        if count > _MOST_PLACES:
            starts = starts[np.linspace(0, count - 1, _MOST_PLACES).astype(np.int64)]
        stops = starts + len(phrase)
        before, after = (self._stream[places].astype(np.int64) for places in (starts - 1, stops))
        owner = np.searchsorted(self._ends, starts)
        frames, first = np.unique(self._frames(starts, stops, owner), return_index=True)
        return Surroundings(
            count,
            Neighbours.of(before),
            Neighbours.of(after),
            Neighbours.of(before * len(self._numbers) + after),
            frames,
            self._sentences[owner[first]],
        )

    def _frames(self, starts: I64, stops: I64, owner: I64) -> U64:
        """The fingerprints of sentences without what stands between two places."""
        before = self._prints.of(self._begins[owner], starts)
        return combined(before, self._prints.of(stops, self._ends[owner]))

    @cached_property
    def _prints(self) -> Fingerprints:
        return Fingerprints(self._stream.astype(np.uint64))

    def _starts(self, phrase: Phrase) -> I64:
        numbers = [self._numbers.get(word, -1) for word in phrase]
        if min(numbers) < 0:
            return np.zeros(0, dtype=np.int64)
        starts = self._order[self._firsts[numbers[0]] : self._firsts[numbers[0] + 1]].astype(np.int64)
        for offset, number in enumerate(numbers[1:], 1):
            starts = starts[self._stream[starts + offset] == number]
        return starts


class Alignment(NamedTuple):
    """What the pairs of one other language say of two phrases."""

    forward: float
    """p(other | phrase), by way of the phrases that both are aligned with."""
    backward: float
    """p(phrase | other)."""
    affinity: float
    """How alike their translations are distributed, 0 to 1."""


class ExchangeCounts(NamedTuple):
    """Sentences that differ by nothing but one phrase for the other."""

    sharing: int
    """Pairs of them that share a translation."""
    others: int
    """Pairs of them that have translations in one language, and share none."""


def evidence(
    alignments: Sequence[Alignment], one: Surroundings, other: Surroundings, exchanges: ExchangeCounts, *, closed: float
) -> list[float]:
    """The features of a pair of phrases; ``alignments``: of all languages that have the first one; ``closed``: which
    part of the words of either is of closed classes, added.

    How alike both are translated is asked of all languages, as the geometric mean: a homonym in one of them is seldom
    one in another.
    """
    forward, backward = (sum(column) / len(alignments) for column in list(zip(*alignments, strict=True))[:2])
    likeness = [log(each.affinity + _SMOOTHED) for each in alignments]
    return [
        sum(likeness) / len(likeness),
        log(forward + _RARE) + log(backward + _RARE),
        *(log(affinity(*both) + _SMOOTHED) for both in zip(one[1:4], other[1:4], strict=True)),
        log1p(exchanges.sharing),
        log1p(exchanges.others),
        log1p(one.places),
        log1p(other.places),
        closed,
    ]


_STEM: Final = 5
"""Characters of a word that count for its stem."""


def stem_of(phrase: str) -> str:
    """The words of a phrase, each without what stands behind its first characters; whole where no script parts them."""
    if has_undelimited_script(phrase):
        return phrase
    return " ".join(word[:_STEM] for word in phrase.split(" "))


def stem_shares(translations: Iterable[tuple[str, int]]) -> dict[str, float]:
    """What a phrase is aligned with, and how often, by stems: which part of the places each has."""
    counts: defaultdict[str, int] = defaultdict(int)
    for text, count in translations:
        counts[stem_of(text)] += count
    total = sum(counts.values())
    return {stem: count / total for stem, count in counts.items()}


def shares_alike(one: dict[str, float], other: dict[str, float]) -> float:
    """How alike two of these are, 0 to 1, as ``affinity`` is."""
    fewer, more = sorted((one, other), key=len)
    return sum(sqrt(share * more[stem]) for stem, share in fewer.items() if stem in more)


def listed_evidence(figures: Sequence[float], stems: Sequence[float]) -> list[float]:
    """The features that tell whether a pair is to be listed: those of ``evidence`` with the likeness of stems, on
    average, in the language of the least and in that of the most, in the place of that of whole translations.
    """
    likeness = [log(each + _SMOOTHED) for each in stems]
    return [*figures[1:], sum(likeness) / len(likeness), min(likeness), max(likeness)]


Judgement: TypeAlias = Literal["substituted", "listed"]


@cache
def equivalence_model(judgement: Judgement) -> LogisticModel:
    """The model of how probable it is that a pair of phrases holds, by its evidence."""
    document = files("corpusdb.alignment").joinpath("equivalence_model.json").read_text(encoding="utf-8")
    return LogisticModel.read(json.loads(document)[judgement])
