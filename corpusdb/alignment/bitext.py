"""A bitext as numbered words, its batches, and the pairs of words that stand in one pair of texts.

Everything that is computed over a bitext is computed batch by batch, so that memory is bounded by the longest pair
and by the size of a batch, whatever the number of pairs.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import F64, I32, I64, Bools, distinct, is_new
from corpusdb.base.errors import InputError
from corpusdb.base.ngrams import joined_ranges

Tokens: TypeAlias = Sequence[str]

UNKNOWN = -1
"""The number of a word that a vocabulary has not."""
_MOST_CELLS = 1 << 18
"""Of a batch, padding included, unless one pair alone has more: what is computed for each cell stays in the cache."""
_LEAST_CELLS = 1 << 16
"""Below this a batch is not cut to save padding: numpy would spend more time on calls than on cells."""
_MOST_PADDING = 1.2
_GROWTH = 1.2
_FIRST_MARK, _LAST_MARK = "\u0300", "\u036f"
_CYRILLIC: Final = (
    "а a б b в v г g д d е e ж zh з z и i к k л l м m н n о o п p р r с s т t у u ф f х h ц ts ч ch ш sh щ sht ъ a "
    "ы i э e ю iu я ia і i є e ј i љ l њ n ћ ch ђ d џ dz"
).split()
_SPELLINGS: Final = ("ph f th t c k w v y i x ks q k").split()
_DOUBLED: Final = re.compile(r"([^\W\d_])\1")


@dataclass(frozen=True, slots=True)
class NumberedTexts:
    """Texts of one language as numbers of words, laid end to end."""

    words: I32
    lengths: I64
    """In words, of each text."""

    @property
    def starts(self) -> I64:
        """Where each text begins among the words, and behind the last of these where all end."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.lengths)])

    def reordered(self, order: I64) -> NumberedTexts:
        lengths = self.lengths[order]
        return NumberedTexts(self.words[joined_ranges(self.starts[order], lengths)], lengths)


@dataclass(frozen=True, slots=True)
class WordedTexts:
    """Texts of one language as numbers of words, and these words."""

    texts: NumberedTexts
    words: Sequence[str]
    """By their numbers."""

    @classmethod
    def of(cls, texts: Sequence[Tokens]) -> WordedTexts:
        """As they are written, numbered in the order in which the words first occur."""
        words = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(texts)))}
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        numbers = map(words.__getitem__, chain.from_iterable(texts))
        return cls(NumberedTexts(np.fromiter(numbers, dtype=np.int32, count=int(lengths.sum())), lengths), list(words))

    def in_order_of_occurrence(self) -> list[str]:
        """Those words that occur, in the order in which they first do."""
        first = np.full(len(self.words), len(self.texts.words), dtype=np.int64)
        places = np.arange(len(self.texts.words))
        first[self.texts.words[::-1]] = places[::-1]
        order = np.argsort(first, kind="stable")[: int((first < len(places)).sum())]
        return [self.words[number] for number in order.tolist()]

    def vocabulary(self) -> dict[str, int]:
        """The folded words, numbered from 0 in the order in which they first occur."""
        return vocabulary_of([self.in_order_of_occurrence()])

    def lowered(self) -> WordedTexts:
        """The texts in lower case, with those words alone that occur."""
        occurs = np.zeros(len(self.words), dtype=np.bool_)
        occurs[self.texts.words] = True
        kept = np.flatnonzero(occurs)
        lowered = [self.words[number].lower() for number in kept.tolist()]
        numbers = {word: number for number, word in enumerate(dict.fromkeys(lowered))}
        table = np.zeros(len(self.words), dtype=np.int32)
        table[kept] = [numbers[word] for word in lowered]
        return WordedTexts(NumberedTexts(table[self.texts.words], self.texts.lengths), list(numbers))

    def in_vocabulary(self, vocabulary: Mapping[str, int]) -> NumberedTexts:
        """The texts in the numbers of a vocabulary of folded words; words that it has not are UNKNOWN."""
        numbers = (vocabulary.get(folded(word), UNKNOWN) for word in self.words)
        table = np.fromiter(numbers, dtype=np.int32, count=len(self.words))
        return NumberedTexts(table[self.texts.words], self.texts.lengths)

    def reordered(self, order: I64) -> WordedTexts:
        return WordedTexts(self.texts.reordered(order), self.words)


@dataclass(frozen=True, slots=True)
class Bitext:
    """Pairs of texts, each the translation of the other, as numbered words."""

    source: NumberedTexts
    target: NumberedTexts

    def __len__(self) -> int:
        return len(self.source.lengths)

    @classmethod
    def of(
        cls,
        source: Sequence[Tokens],
        target: Sequence[Tokens],
        source_words: Mapping[str, int],
        target_words: Mapping[str, int],
    ) -> Bitext:
        """The pairs in the numbers of two vocabularies; words that these have not are UNKNOWN.

        Raises InputError unless there are as many source as target texts.
        """
        if len(source) != len(target):
            raise InputError(f"{len(source):,} source texts for {len(target):,} target texts")
        sides = zip((source, target), (source_words, target_words), strict=True)
        return cls(*(WordedTexts.of(texts).in_vocabulary(words) for texts, words in sides))


def folded(word: str) -> str:
    """The form by which a word is known to the models: without case, and without what NFKC takes away."""
    return word.casefold() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()


def without_accents(word: str) -> str:
    """A word without the marks of Latin, Greek and Cyrillic letters."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(char for char in parts if not _FIRST_MARK <= char <= _LAST_MARK))


def stem(word: str, length: int) -> str:
    """What a word begins with, accents left out: ``length`` letters, of which one of Han, Hangul or kana counts two."""
    letters = without_accents(word)
    if letters.isascii():
        return letters[:length]
    return letters[: bisect_right(_widths(letters), length)]


def ending(word: str, length: int) -> str:
    """What a word ends in, its letters counted as those of a stem are; "0" for a number.

    A word with at most one letter more is its own class, which is no ending: it is marked.
    """
    letters = without_accents(word)
    if any(map(str.isdigit, letters)):
        return "0"
    widths = _widths(letters[::-1])
    if not widths or widths[-1] <= length + 1:
        return f"={letters}"
    return letters[-max(1, bisect_right(widths, length)) :]


def _widths(letters: str) -> list[int]:
    """Up to each letter, how many half-width ones fill the same space."""
    return list(accumulate(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in letters))


def sounding(word: str) -> str:
    """A folded word in Latin letters without accents, each sound written in one way, doubled letters once.

    A rough measure, for comparison alone, of Latin, Cyrillic, Katakana and Hangul, in which names are spelled. What is
    written in other scripts, and numbers, stay as they are.
    """
    latin = without_accents(word).translate(_to_latin())
    for spelling, sound in zip(_SPELLINGS[::2], _SPELLINGS[1::2], strict=True):
        latin = latin.replace(spelling, sound)
    return _DOUBLED.sub(r"\1", latin)


class _Letters(dict[int, str]):
    """Latin letters of those of other scripts, which Unicode names by how they are read."""

    def __missing__(self, code: int) -> str:
        name = unicodedata.name(chr(code), "")
        is_read = name.startswith(("KATAKANA LETTER ", "HANGUL SYLLABLE "))
        self[code] = name.rsplit(" ", 1)[1].lower() if is_read else chr(code)
        return self[code]


@cache
def _to_latin() -> _Letters:
    letters = dict(zip(_CYRILLIC[::2], _CYRILLIC[1::2], strict=True))
    return _Letters(str.maketrans({**letters, "ь": "", "ー": ""}))


def vocabulary_of(texts: Sequence[Tokens]) -> dict[str, int]:
    vocabulary: dict[str, int] = {}
    for word in dict.fromkeys(chain.from_iterable(texts)):
        vocabulary.setdefault(folded(word), len(vocabulary))
    return vocabulary


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of about the same size: B of them, padded to S source and T target words with UNKNOWN."""

    pairs: I64
    """The numbers of the pairs in the bitext: shape (B,)."""
    source: I32
    """Shape (B, S)."""
    target: I32
    """Shape (B, T)."""
    source_lengths: I64
    target_lengths: I64

    @property
    def source_mask(self) -> Bools:
        """Which places hold a word: shape (B, S)."""
        return np.arange(self.source.shape[1]) < self.source_lengths[:, np.newaxis]

    @property
    def target_mask(self) -> Bools:
        return np.arange(self.target.shape[1]) < self.target_lengths[:, np.newaxis]


def batches_of(bitext: Bitext, longest: int) -> Iterator[Batch]:
    """Every pair once, in an order that only the lengths decide, but for pairs with an empty or too long side.

    ``longest`` is the most words of a side.
    """
    for pairs in _grouped(bitext.source.lengths, bitext.target.lengths, longest):
        source_lengths, target_lengths = bitext.source.lengths[pairs], bitext.target.lengths[pairs]
        yield Batch(
            pairs,
            _padded(bitext.source, pairs, source_lengths),
            _padded(bitext.target, pairs, target_lengths),
            source_lengths,
            target_lengths,
        )


def _grouped(source: I64, target: I64, longest: int) -> Iterator[I64]:
    usable = np.flatnonzero((np.minimum(source, target) > 0) & (np.maximum(source, target) <= longest))
    widths = np.floor(np.log(source[usable]) / np.log(_GROWTH)).astype(np.int64)
    order = usable[np.lexsort((usable, source[usable], target[usable], widths))]
    own, theirs = source[order], target[order]
    cells = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(own * theirs)])
    first = 0
    while first < len(order):
        most_own = np.maximum.accumulate(own[first : first + _MOST_CELLS])
        most_theirs = np.maximum.accumulate(theirs[first : first + _MOST_CELLS])
        padded = most_own * most_theirs * np.arange(1, len(most_own) + 1)
        real = cells[first + 1 : first + 1 + len(most_own)] - cells[first]
        is_full = (padded > _MOST_CELLS) | ((padded > _MOST_PADDING * real) & (real > _LEAST_CELLS))
        last = first + (max(1, int(np.argmax(is_full))) if is_full.any() else len(is_full))
        yield order[first:last]
        first = last


def _padded(texts: NumberedTexts, pairs: I64, lengths: I64) -> I32:
    width = int(lengths.max())
    places = texts.starts[pairs][:, np.newaxis] + np.arange(width)
    is_word = np.arange(width) < lengths[:, np.newaxis]
    padded = np.full(places.shape, UNKNOWN, dtype=np.int32)
    padded[is_word] = texts.words[places[is_word]]
    return padded


# The pairs of a source and a target word that stand in one pair of texts: what translation tables are made of.


PADDING, UNSEEN, ONE_UNKNOWN, BOTH_UNKNOWN = 0, 1, 2, 3
"""What the places behind the last pair of a table stand for: no word, two known words that were never seen together,
and words that the vocabularies have not."""
SPECIAL: Final = 4
_COMPARED: Final = 12
"""Characters of a word that are compared with those of another."""
_LEAST_SHARED: Final = 3
_AT_ONCE: Final = 1 << 18
_Number = TypeVar("_Number", bound="np.number[Any]")


@dataclass(frozen=True, slots=True)
class Cooccurrences:
    """The pairs of words that stand together in a batch, as places of a table."""

    places: I32
    """Those of the different pairs: shape (C,)."""
    numbers: I32
    """Which of these each is, by target and by source word: shape (B, T, S)."""

    def of(self, table: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
        """What a table has for each: shape (B, T, S)."""
        return table[self.places][self.numbers]

    def add_up(self, sums: F64, values: npt.NDArray[np.floating]) -> None:
        """Add the values, of shape (B, T, S), to the sums for their places; those of special places are left out."""
        found = added_up(self.numbers.ravel(), values.ravel(), len(self.places))
        is_pair = self.places < len(sums)
        sums[self.places[is_pair]] += found[is_pair]


@dataclass(frozen=True, slots=True)
class WordPairs:
    """Pairs of words, each known by its place in ``keys``."""

    keys: I64
    """Source word times ``target_size`` plus target word, ascending."""
    target_size: int
    """How many target words there are."""

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, batches: Iterable[Batch], target_size: int) -> WordPairs:
        """Those of known words that stand together in some batches."""
        keys = np.zeros(0, dtype=np.int64)
        waiting: list[I64] = []
        for batch in batches:
            both = (batch.source != UNKNOWN)[:, np.newaxis, :] & (batch.target != UNKNOWN)[:, :, np.newaxis]
            waiting.append(distinct(_keys(batch, target_size)[both]))
            if sum(map(len, waiting)) > max(len(keys), 4 * _AT_ONCE):
                keys, waiting = distinct(np.concatenate([keys, *waiting])), []
        return cls(distinct(np.concatenate([keys, *waiting])), target_size)

    @property
    def sources(self) -> I64:
        """The source word of each pair."""
        return self.keys // self.target_size

    @property
    def targets(self) -> I64:
        return self.keys % self.target_size

    def cells(self, batch: Batch) -> Cooccurrences:
        """The place of each pair of words of a batch; ``len(self)`` and what follows are the special places."""
        wanted = _keys(batch, self.target_size)
        no_source, no_target = (batch.source == UNKNOWN)[:, np.newaxis, :], (batch.target == UNKNOWN)[:, :, np.newaxis]
        wanted[np.broadcast_to(no_source ^ no_target, wanted.shape)] = ONE_UNKNOWN - SPECIAL
        wanted[no_source & no_target] = BOTH_UNKNOWN - SPECIAL
        wanted[~(batch.source_mask[:, np.newaxis, :] & batch.target_mask[:, :, np.newaxis])] = PADDING - SPECIAL
        # Of equal pairs one is looked up, ascending: much faster than all of them in the order of the texts.
        order = np.argsort(wanted, axis=None)
        keys = wanted.ravel()[order]
        is_first = is_new(keys)
        numbers = np.empty(wanted.size, dtype=np.int32)
        numbers[order] = np.cumsum(is_first, dtype=np.int32) - 1
        return Cooccurrences(self._places(keys[is_first]), numbers.reshape(wanted.shape))

    def _places(self, keys: I64) -> I32:
        """Of ascending keys; the special ones are negative."""
        places = np.searchsorted(self.keys, keys)
        is_there = places < len(self.keys)
        is_there[is_there] = self.keys[places[is_there]] == keys[is_there]
        special = np.where(keys < 0, keys + SPECIAL, UNSEEN)
        return np.where(is_there, places, len(self.keys) + special).astype(np.int32)


def added_up(groups: I64 | I32, values: npt.NDArray[np.floating], count: int) -> F64:
    """The sum of the values of each group from 0 to ``count`` - 1, in double precision."""
    sums: npt.NDArray[np.number] = np.bincount(groups, weights=values, minlength=count)
    return sums.astype(np.float64, copy=False)


def _keys(batch: Batch, target_size: int) -> I64:
    keys: I64 = batch.source[:, np.newaxis, :].astype(np.int64) * target_size + batch.target[:, :, np.newaxis]
    return keys


def sound_similarities(pairs: WordPairs, source: Sequence[str], target: Sequence[str]) -> F64:
    """How alike the two words of each pair sound, 0 to 1: letters that both have in one order (Melamed 1999, LCSR).

    They are divided by those of the longer word. 0 where the first is another, or where fewer than three or less than a
    half are shared, unless the words are equal. Cognates, names and numbers are found by it. ``source`` and ``target``
    are the words by their numbers.
    """
    source, target = list(map(sounding, source)), list(map(sounding, target))
    ours, theirs = _characters(source), _characters(target)
    lengths, their_lengths = _lengths(source), _lengths(target)
    similarities = np.zeros(len(pairs))
    for first in range(0, len(pairs), _AT_ONCE):
        part = pairs.keys[first : first + _AT_ONCE]
        own, other = part // pairs.target_size, part % pairs.target_size
        rows = np.flatnonzero(ours[own, 0] == theirs[other, 0])
        own, other = own[rows], other[rows]
        shared = _in_both(ours[own], theirs[other])
        longer = np.maximum(np.maximum(lengths[own], their_lengths[other]), 1)
        is_alike = ((shared >= _LEAST_SHARED) & (2 * shared >= longer)) | (shared == longer)
        similarities[first + rows] = np.where(is_alike, shared / longer, 0.0)
    return similarities


def _in_both(ours: I32, theirs: I32) -> I64:
    """How long the longest common subsequence of each two words is."""
    lengths = np.zeros((len(ours), _COMPARED + 1), dtype=np.int8)
    for character in ours.T:
        is_equal = (character[:, np.newaxis] == theirs) & (character != 0)[:, np.newaxis]
        lengths[:, 1:] = np.maximum(lengths[:, 1:], lengths[:, :-1] + is_equal)
        np.maximum.accumulate(lengths, axis=1, out=lengths)
    return lengths[:, -1].astype(np.int64)


def _lengths(words: Sequence[str]) -> I64:
    return np.fromiter((min(len(word), _COMPARED) for word in words), dtype=np.int64, count=len(words))


def _characters(words: Sequence[str]) -> I32:
    """The first characters of each word: shape (words, 12), 0 behind the end of a word."""
    text = "".join(word[:_COMPARED].ljust(_COMPARED, "\0") for word in words)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4").reshape(len(words), _COMPARED)
