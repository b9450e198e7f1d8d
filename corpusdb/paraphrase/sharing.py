"""Which sentences share translations, and how often those do that differ by one exchange of words.

Sentences a and b that share translations t are paraphrases (Lepage & Denoual 2005, section 4.2), with the pivot
probability p(b|a) = sum over t of p(t|a) p(b|t), each uniform over the distinct translations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools, following_of, grouped, places_in
from corpusdb.base.ngrams import joined_ranges

MAX_SHARING = 100
"""A translation that more sentences of the language have than this says too little of them, and is left out: pairs
grow as the square of their number. In Tatoeba none has more than 36."""


class SharingPair(NamedTuple):
    """An ordered pair of sentences that share translations."""

    sentence: int
    paraphrase: int
    translations: int
    languages: str
    """In which languages, ascending, separated by commas."""
    probability: float


def paraphrases_of(sentence: int, shares: Iterable[tuple[int, int, str, float]]) -> list[SharingPair]:
    """The paraphrases of a sentence, ascending, from its shares, which come in any order.

    A share is the sentence, its paraphrase, the language of a translation t of both, and p(t|a) p(b|t).
    """
    found: dict[int, list[tuple[str, float]]] = {}
    for _, paraphrase, language, probability in shares:
        found.setdefault(paraphrase, []).append((language, probability))
    return [
        SharingPair(sentence, paraphrase, len(found[paraphrase]), *_sum(found[paraphrase]))
        for paraphrase in sorted(found)
    ]


def _sum(shared: list[tuple[str, float]]) -> tuple[str, float]:
    if len(shared) == 1:
        return shared[0]
    # Rounded once, so that it is the same in whatever order the translations come.
    return ",".join(sorted({language for language, _ in shared})), fsum(probability for _, probability in shared)


# Which pairs of sentences share translations, and how probable it is that a pair of one meaning shares one.
# Two sentences of the same meaning share a translation into a language the more often, the more translations they
# have. How often is read off the pairs that share several translations in other languages, which mean the same beyond
# doubt.


BUCKETS = 5
"""Products of the numbers of translations of two sentences: 1, 2, 3 to 4, 5 to 8, 9 and more."""
_LAST_OF_BUCKET = np.array([1, 2, 4, 8])
_USUAL_RECALL = np.array([0.65, 0.65, 0.7, 0.75, 0.8])
"""What the recall is where it cannot be measured, by bucket: about that of Tatoeba's languages."""
_USUAL_PAIRS = 20
"""The usual recall counts as much as so many pairs."""
_SURE = 2
"""So many translations shared in other languages mean that two sentences mean the same."""


class TranslationLinks(NamedTuple):
    """Sentences and their translations, each pair once: parallel arrays."""

    sentence: I64
    """From 0."""
    language: I64
    """Of the translation, from 0."""
    translation: I64
    """Any number."""


@dataclass(frozen=True, slots=True)
class SharedTranslations:
    """The pairs of sentences of a language that share translations."""

    counts: I64
    """Languages by sentences: how many translations each sentence has."""
    pairs: I64
    """Ascending: the lower sentence times the number of sentences, plus the higher."""
    shared: I64
    """Languages by pairs: how many translations each pair shares."""

    @classmethod
    def of(cls, links: TranslationLinks, sentences: int, languages: int, max_sharing: int) -> SharedTranslations:
        """A translation that more than ``max_sharing`` sentences have says too little of them, and makes no pair."""
        order = np.lexsort((links.sentence, links.translation))
        sentence, language, translation = (column[order] for column in links)
        following, shared_by = following_of(translation), grouped(translation)
        following[shared_by.counts[shared_by.group] > max_sharing] = 0
        first = np.repeat(np.arange(len(sentence)), following)
        second = joined_ranges(np.arange(1, len(sentence) + 1), following)
        pairs, _, place, _ = grouped(sentence[first] * sentences + sentence[second])
        rows = np.arange(languages)
        counts = np.zeros((languages, sentences), dtype=np.int64)
        shared = np.zeros((languages, len(pairs)), dtype=np.int64)
        for row in rows:
            counts[row] = np.bincount(sentence[language == row], minlength=sentences)
            shared[row] = np.bincount(place[language[first] == row], minlength=len(pairs))
        return cls(counts, pairs, shared)

    def languages_shared(self, one: I64, other: I64) -> Bools:
        """Languages by pairs: whether ``one`` and ``other`` share a translation in each."""
        found = np.zeros((len(self.counts), len(one)), dtype=np.bool_)
        if len(self.pairs):
            wanted = np.minimum(one, other) * self.counts.shape[1] + np.maximum(one, other)
            place, known = places_in(self.pairs, wanted)
            found[:] = (self.shared[:, place] > 0) & known
        return found

    def recalled(self, recalls: F64, one: I64, other: I64) -> F64:
        """Languages by pairs: how probable it is that two sentences of one meaning share a translation in each.

        0 in a language in which one of them has no translation. ``recalls`` are those of ``measured_recalls``.
        """
        products = self.counts[:, one] * self.counts[:, other]
        found = np.take_along_axis(recalls, _bucket(products), axis=1)
        return np.where(products > 0, found, 0.0)


def sharing_expected(recalled: F64) -> F64:
    """How probable it is that two sentences of one meaning share a translation in any language."""
    return np.asarray(1 - np.prod(1 - recalled, axis=0))


def measured_recalls(shared: SharedTranslations) -> F64:
    """Languages by buckets: of pairs that share at least two translations in other languages, how many share one."""
    languages, sentences = shared.counts.shape
    one, other = np.divmod(shared.pairs, sentences) if sentences else (shared.pairs, shared.pairs)
    elsewhere = shared.shared.sum(axis=0) - shared.shared
    found = np.empty((languages, BUCKETS))
    for language in range(languages):
        products = shared.counts[language, one] * shared.counts[language, other]
        sure = (elsewhere[language] >= _SURE) & (products > 0)
        bucket = _bucket(products[sure])
        having = np.bincount(bucket[shared.shared[language, sure] > 0], minlength=BUCKETS)
        of = np.bincount(bucket, minlength=BUCKETS)
        found[language] = (having + _USUAL_PAIRS * _USUAL_RECALL) / (of + _USUAL_PAIRS)
    return found


def _bucket(products: I64) -> I64:
    return np.searchsorted(_LAST_OF_BUCKET, products).astype(np.int64)


# Exchange rates: how often sentences that differ in nothing but an exchange of words share a translation.
# Over all pairs of sentences in one context with the fillers u and v: how many share a translation (O), against how
# many would if the exchange kept the meaning (E, by the numbers of their translations). Both are symmetric in u and v.


WHOLE = 1 << 20
"""E is summed in parts of this, as whole numbers, so that the sum does not depend on an order."""
_PAIRS_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Instances:
    """The pairs of slots in one context whose fillers are one of the exchanges asked for."""

    exchange: I64
    """Place in the list of exchanges."""
    context: I64
    one: I64
    """The sentences."""
    other: I64

    def __len__(self) -> int:
        return len(self.exchange)

    def repeated(self) -> I64:
        """The places of those of which another has the same exchange and the same two sentences, by these.

        Where what is inserted stands there already, it is inserted before or behind that: that (that) that.
        """
        low, high = np.minimum(self.one, self.other), np.maximum(self.one, self.other)
        order = np.lexsort((self.exchange, high, low))
        columns = [column[order] for column in (low, high, self.exchange)]
        same = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
        return np.asarray(order[(np.append(False, same) | np.append(same, False))[: len(order)]])

    def without(self, dropped: I64) -> Instances:
        columns = self.exchange, self.context, self.one, self.other
        return Instances(*(np.delete(column, dropped) for column in columns))


def find_instances(context: I64, filler: I64, sentence: I64, exchanges: I64, fillers: int) -> Instances:
    """The instances of ``exchanges``, ascending codes, in slots that come by context and then by filler."""
    exchanged = np.zeros(fillers, dtype=np.bool_)
    exchanged[exchanges // fillers] = exchanged[exchanges % fillers] = True
    # Pairs grow faster than anything else: those of a filler that no exchange has are not made.
    chosen = exchanged[filler]
    context, filler, sentence = context[chosen], filler[chosen], sentence[chosen]
    following = following_of(context)
    before = np.cumsum(following)
    cuts = np.searchsorted(before, np.arange(_PAIRS_AT_ONCE, before[-1] if len(before) else 0, _PAIRS_AT_ONCE))
    parts = []
    for start, stop in zip([0, *cuts], [*cuts, len(context)], strict=True):
        places, repeats = np.arange(start, stop), following[start:stop]
        first, second = np.repeat(places, repeats), joined_ranges(places + 1, repeats)
        codes = filler[first] * fillers + filler[second]
        place, known = places_in(exchanges, codes)
        parts.append((place[known], first[known], second[known]))
    exchange, first, second = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Instances(exchange, context[first], sentence[first], sentence[second])


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the instances of each key; arrays by key."""

    keys: I64
    """Ascending."""
    pairs: I64
    shared: I64
    """O: pairs that share a translation."""
    expected: I64
    """E, in parts of WHOLE."""

    def rows(self) -> Iterator[tuple[int, tuple[int, int, int]]]:
        """Each key, and pairs, shared and expected of it."""
        sums = zip(self.pairs.tolist(), self.shared.tolist(), self.expected.tolist(), strict=True)
        return zip(self.keys.tolist(), sums, strict=True)


def totals_by(keys: I64, shared: Bools, expected: F64) -> Totals:
    found, _, place, _ = grouped(keys)
    parts = np.rint(expected * WHOLE)
    pairs, having, of = (np.bincount(place, weights, len(found)) for weights in (None, shared, parts))
    return Totals(found, pairs.astype(np.int64), having.astype(np.int64), of.astype(np.int64))


def sharing_of(instances: Instances, shared: SharedTranslations, recalls: F64) -> tuple[Bools, F64]:
    """Languages by instances, and in a last row for any language: whether a pair shares, and how probable that was."""
    having = shared.languages_shared(instances.one, instances.other)
    recalled = shared.recalled(recalls, instances.one, instances.other)
    return (
        np.concatenate([having, having.any(axis=0, keepdims=True)]),
        np.concatenate([recalled, sharing_expected(recalled)[None]]),
    )
