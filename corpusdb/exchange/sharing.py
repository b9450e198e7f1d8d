"""Which pairs of sentences share translations, and how probable it is that a pair of one meaning shares one.

Two sentences of the same meaning share a translation into a language the more often, the more translations they have.
How often is read off the pairs that share several translations in other languages, which mean the same beyond doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corpusdb.arrays import F64, I64, Bools

__all__ = ["BUCKETS", "Links", "SharedTranslations", "measured_recalls", "sharing_expected"]

BUCKETS = 5
"""Products of the numbers of translations of two sentences: 1, 2, 3 to 4, 5 to 8, 9 and more."""
_LAST_OF_BUCKET = np.array([1, 2, 4, 8])
_USUAL_RECALL = np.array([0.65, 0.65, 0.7, 0.75, 0.8])
"""What the recall is where it cannot be measured, by bucket: about that of Tatoeba's languages."""
_USUAL_PAIRS = 20
"""The usual recall counts as much as so many pairs."""
_SURE = 2
"""So many translations shared in other languages mean that two sentences mean the same."""


class Links(NamedTuple):
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
    def of(cls, links: Links, sentences: int, languages: int, max_sharing: int) -> SharedTranslations:
        """A translation that more than ``max_sharing`` sentences have says too little of them, and makes no pair."""
        order = np.lexsort((links.sentence, links.translation))
        sentence, language, translation = (column[order] for column in links)
        begins = np.flatnonzero(np.concatenate([[True], translation[1:] != translation[:-1]])[: len(translation)])
        sizes = np.diff(np.append(begins, len(translation)))
        following = np.repeat(begins + sizes, sizes) - np.arange(len(sentence)) - 1
        following[np.repeat(sizes > max_sharing, sizes)] = 0
        first = np.repeat(np.arange(len(sentence)), following)
        second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(following) - following, following)
        pairs, place = np.unique(sentence[first] * sentences + sentence[second], return_inverse=True)
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
            place = np.minimum(np.searchsorted(self.pairs, wanted), len(self.pairs) - 1)
            found[:] = (self.shared[:, place] > 0) & (self.pairs[place] == wanted)
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
