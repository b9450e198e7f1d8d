"""Phrases that are consistent with the links of pairs of texts (Koehn, Och and Marcu 2003), and how often they stand.

A source and a target phrase are consistent where no word of either is linked with a word outside of the other, and both
begin and end with a linked word: words without a link at their edges are not taken in, so that each source phrase has
one target phrase where it stands, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.links import Links
from corpusdb.arrays import I64, Bools
from corpusdb.errors import InputError, UsageError

__all__ = [
    "PhrasePairs",
    "Phrases",
    "Spans",
    "consistent_spans",
    "counted_phrases",
    "has_letter",
    "may_part",
    "phrase_pairs",
]

_APOSTROPHES: Final = "'\N{RIGHT SINGLE QUOTATION MARK}"
_NEGATIONS: Final = frozenset(f"n{apostrophe}t" for apostrophe in _APOSTROPHES)


@dataclass(frozen=True, slots=True)
class Spans:
    """Phrase pairs where they stand; one row for each."""

    pairs: I64
    """The numbers of the pairs of texts."""
    sources: I64
    """Where the source phrase begins in its text."""
    source_lengths: I64
    targets: I64
    target_lengths: I64


def consistent_spans(links: Links, source_lengths: I64, target_lengths: I64, longest: int) -> Spans:
    """All phrase pairs of up to ``longest`` words on each side, ascending by pair of texts, length and place.

    The lengths are those of the texts of each pair. Raises InputError for links outside of the texts, and UsageError
    for phrases of no word.
    """
    if longest < 1:
        raise UsageError(f"a phrase has at least one word, not {longest}")
    pair_of_link = np.repeat(np.arange(len(links)), np.diff(links.starts))
    if (links.sources >= source_lengths[pair_of_link]).any() or (links.targets >= target_lengths[pair_of_link]).any():
        raise InputError("a link leads outside of its texts")
    starts, target_starts = _starts(source_lengths), _starts(target_lengths)
    own = starts[pair_of_link] + links.sources
    theirs = target_starts[pair_of_link] + links.targets
    # The first and the last word of the other text that each word is linked with, counted over all texts.
    first_target, last_target = _extremes(own, theirs, int(source_lengths.sum()))
    first_source, last_source = _extremes(theirs, own, int(target_lengths.sum()))
    ends = np.repeat(starts + source_lengths, source_lengths)
    has_link = last_target >= 0
    found = []
    for length in range(1, longest + 1):
        at = np.flatnonzero(has_link)
        at = at[at + length <= ends[at]]
        at = at[has_link[at + length - 1]]
        begin, end = first_target[at], last_target[at]
        for step in range(1, length):
            begin, end = np.minimum(begin, first_target[at + step]), np.maximum(end, last_target[at + step])
        keeps = end - begin < longest
        at, begin, end = at[keeps], begin[keeps], end[keeps]
        is_inside = np.ones(len(at), dtype=np.bool_)
        for step in range(longest):
            place = np.minimum(begin + step, end)
            no_link = last_source[place] < 0
            is_inside &= no_link | ((first_source[place] >= at) & (last_source[place] < at + length))
        found.append((at[is_inside], np.full(int(is_inside.sum()), length), begin[is_inside], end[is_inside]))
    at, lengths, begin, end = (np.concatenate(each) for each in zip(*found, strict=True))
    pairs = np.searchsorted(starts + source_lengths, at, side="right")
    order = np.lexsort((at, lengths, pairs))
    pairs, at, lengths, begin, end = (each[order] for each in (pairs, at, lengths, begin, end))
    return Spans(pairs, at - starts[pairs], lengths, begin - target_starts[pairs], end - begin + 1)


def _starts(lengths: I64) -> I64:
    starts: I64 = np.cumsum(lengths) - lengths
    return starts


def _extremes(words: I64, others: I64, count: int) -> tuple[I64, I64]:
    """For each word the first and the last of those that it is linked with; the last is -1 where there is none."""
    first = np.full(count, np.iinfo(np.int64).max)
    last = np.full(count, -1)
    np.minimum.at(first, words, others)
    np.maximum.at(last, words, others)
    return first, last


def may_part(before: str, after: str) -> bool:
    """Whether a phrase may begin or end between two tokens: not between a clitic and its host (do + n't, l' + eau)."""
    return not _holds_before(after) and not _holds_next(before)


def _holds_before(token: str) -> bool:
    """Whether a token leans on the one before it."""
    return (token[:1] in _APOSTROPHES and token[1:2].isalpha()) or token.casefold() in _NEGATIONS


def _holds_next(token: str) -> bool:
    return token[-1:] in _APOSTROPHES and token[:1].isalpha()


@dataclass(frozen=True, slots=True)
class Phrases:
    """Different phrases of one language, by their numbers."""

    texts: tuple[tuple[str, ...], ...]
    """The words of each."""
    counts: I64
    """How often each stands in a phrase pair."""


@dataclass(frozen=True, slots=True)
class PhrasePairs:
    """Different phrase pairs, ascending by source and then by target phrase; probabilities come from the counts."""

    source: Phrases
    target: Phrases
    sources: I64
    """The number of the source phrase of each pair."""
    targets: I64
    counts: I64
    """How often each pair stands in the bitext."""
    examples: I64
    """The number of a pair of texts in which each stands: the first."""

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def forward(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """p(target phrase | source phrase) of each pair."""
        shares: np.ndarray[tuple[int], np.dtype[np.float64]] = self.counts / self.source.counts[self.sources]
        return shares

    @property
    def backward(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """p(source phrase | target phrase) of each pair."""
        shares: np.ndarray[tuple[int], np.dtype[np.float64]] = self.counts / self.target.counts[self.targets]
        return shares


def counted_phrases(spans: Spans, source: Sequence[Sequence[str]], target: Sequence[Sequence[str]]) -> PhrasePairs:
    """The different phrase pairs of some spans in the texts that they were found in, as these are written.

    Left out are those that hold a token without a letter, and those that would cut a clitic from its host.
    """
    return phrase_pairs(spans, WordedTexts.of(source), WordedTexts.of(target))


def phrase_pairs(spans: Spans, source: WordedTexts, target: WordedTexts) -> PhrasePairs:
    """What counted_phrases counts, in texts whose words are numbered already."""
    keeps = _usable(source, spans.pairs, spans.sources, spans.source_lengths)
    keeps &= _usable(target, spans.pairs, spans.targets, spans.target_lengths)
    rows = np.flatnonzero(keeps)
    pairs = spans.pairs[rows]
    sources, of_sources = _numbered_phrases(source, pairs, spans.sources[rows], spans.source_lengths[rows])
    targets, of_targets = _numbered_phrases(target, pairs, spans.targets[rows], spans.target_lengths[rows])
    keys, first, counts = np.unique(sources * max(1, len(of_targets)) + targets, return_index=True, return_counts=True)
    source_of, target_of = keys // max(1, len(of_targets)), keys % max(1, len(of_targets))
    return PhrasePairs(
        Phrases(of_sources, np.bincount(sources, minlength=len(of_sources))),
        Phrases(of_targets, np.bincount(targets, minlength=len(of_targets))),
        source_of,
        target_of,
        counts.astype(np.int64),
        pairs[first],
    )


def has_letter(token: str) -> bool:
    """Whether phrases are made of such tokens."""
    return any(map(str.isalpha, token))


def _usable(worded: WordedTexts, pairs: I64, places: I64, lengths: I64) -> Bools:
    """Which phrases hold words alone, and keep clitics with their hosts."""
    texts, words = worded.texts, worded.words
    is_word = _which(has_letter, words)[texts.words]
    # Between each token and the one before it; at the ends of a text there always may be an edge.
    keeps_next, keeps_before = _which(_holds_next, words)[texts.words], _which(_holds_before, words)[texts.words]
    may_begin = np.append(~keeps_before, True)
    may_begin[1:-1] &= ~keeps_next[:-1]
    may_begin[texts.starts] = True
    begins = texts.starts[pairs] + places
    ends = begins + lengths
    others = np.concatenate([[0], np.cumsum(~is_word)])
    usable: Bools = (others[ends] == others[begins]) & may_begin[begins] & may_begin[ends]
    return usable


def _which(has: Callable[[str], bool], words: Sequence[str]) -> Bools:
    return np.fromiter(map(has, words), dtype=np.bool_, count=len(words))


def _numbered_phrases(
    worded: WordedTexts, pairs: I64, places: I64, lengths: I64
) -> tuple[I64, tuple[tuple[str, ...], ...]]:
    """The number of each phrase, and the words of the phrase of each number."""
    texts, words = worded.texts, worded.words
    begins = texts.starts[pairs] + places
    padded = np.append(texts.words.astype(np.int64), 0)
    numbers = np.zeros(len(begins), dtype=np.int64)
    for step in range(int(lengths.max(initial=0))):
        at = np.minimum(begins + step, len(padded) - 1)
        word = np.where(step < lengths, padded[at] + 1, 0)
        numbers = np.unique(numbers * (len(words) + 1) + word, return_inverse=True)[1]
    _, first = np.unique(numbers, return_index=True)
    tokens = list(map(words.__getitem__, texts.words.tolist()))
    firsts = begins[first]
    phrases = tuple(
        tuple(tokens[begin:end]) for begin, end in zip(firsts.tolist(), (firsts + lengths[first]).tolist(), strict=True)
    )
    return numbers, phrases
