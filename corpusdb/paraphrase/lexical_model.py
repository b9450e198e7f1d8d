"""How the words of two languages translate each other: model 1 of IBM (Brown et al. 1993), in both directions.

It is what the translations of a sentence say of a word: whether they ask for it. Everything is a function of arrays of
numbers; sums are exact, so that the model does not depend on the order in which the pairs come.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise, repeat
from typing import Final, NamedTuple, overload

import numpy as np

from corpusdb.base.arrays import F64, I32, I64, U8, Places, distinct, grouped, in_file
from corpusdb.base.ngrams import joined_ranges
from corpusdb.base.text import fold_case, has_undelimited_script, needs_slow_units, units_of

_STEPS: Final = 4
_MOST_CELLS: Final = 4_000_000
"""So many pairs of a word and one of its translation are learned from at most: those of the shortest sentences."""
_CELLS_AT_ONCE: Final = 300_000
_WHOLE: Final = float(1 << 20)
"""Counts are summed in parts of this, as whole numbers, so that the sum does not depend on an order."""
_LEAST: Final = 0.01
"""A word that translates another less probably than this in both directions is left out of the model."""
_LEAST_COUNT: Final = 0.3
"""And so is what was seen less often than this."""
_LEVELS: Final = 16
"""A probability is kept as the power of 2 to its 16th part, in a byte: within 2.2 % of it, and 2**-15.9 at least."""


_WORD: Final = re.compile(r"\w+|[^\w\s]")
_WORD_OR_BREAK: Final = re.compile(r"\w+|[^\w\s]|\n")
_TEXTS_AT_ONCE: Final = 1_000
_FEW: Final = 20
"""Words that are fewer than this part of the vocabulary are looked up one by one."""


def words_of(text: str) -> list[str]:
    """The words of a sentence as a translation may ask for them, in lower case, with the marks; some several times.

    Where the script does not delimit words, single characters and pairs of them that stand together.
    """
    folded = fold_case(text)
    if folded.isascii():
        return _WORD.findall(folded)
    if not has_undelimited_script(folded):
        found = units_of(folded) if needs_slow_units(folded) else _WORD.findall(folded)
        return [word for unit in found if (word := unit.strip())]
    units = [unit.strip() for unit in units_of(folded)]
    return [*filter(None, units), *(one + other for one, other in pairwise(units) if one and other)]


def _words_of_many(texts: Sequence[str]) -> Iterable[str]:
    """The words of some texts, each text ended by a line break."""
    joined = fold_case("\n".join((*texts, "")))
    if not needs_slow_units(joined):
        return _WORD_OR_BREAK.findall(joined)
    return (word for text in texts for word in (*words_of(text), "\n"))


@dataclass(frozen=True, slots=True)
class WordSets:
    """The words of sentences, or of anything else, by numbers; each once, ascending."""

    words: I64
    """One after the other; of a word that has no number -1."""
    begin: I64
    """Where those of each sentence begin, and at last where all end."""

    def __len__(self) -> int:
        return len(self.begin) - 1

    @property
    def sizes(self) -> I64:
        return np.diff(self.begin)

    @classmethod
    def of(cls, owners: I64, words: I64, sentences: int, size: int) -> WordSets:
        """By the words of so many sentences, some several times; all are numbered below ``size``."""
        owners, words = np.divmod(distinct(owners * max(size, 1) + words), max(size, 1))
        return cls(words, np.searchsorted(owners, np.arange(sentences + 1)))

    def __getitem__(self, chosen: I64) -> WordSets:
        """Those of some sentences, which may come several times."""
        sizes = self.begin[chosen + 1] - self.begin[chosen]
        places = joined_ranges(self.begin[chosen], sizes)
        return WordSets(self.words[places], np.concatenate([[0], np.cumsum(sizes)]))

    def in_file(self) -> WordSets:
        """The same in files, where there are many, so that they can be kept while nobody looks at them."""
        return WordSets(in_file(self.words), in_file(self.begin))

    @property
    def owners(self) -> I64:
        """Of each word whose it is."""
        return np.repeat(np.arange(len(self)), self.sizes)


class PackedWords(Sequence[str]):
    """Words in a tenth of the room of a list."""

    def __init__(self, encoded: bytes) -> None:
        """In UTF-8, a line break between two."""
        self._encoded = encoded
        breaks = np.flatnonzero(np.frombuffer(encoded, dtype=np.uint8) == ord("\n"))
        self._ends = np.append(breaks, [len(encoded)] if encoded else []).astype(np.int32)

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        return self._encoded[int(self._ends[place - 1]) + 1 if place else 0 : int(self._ends[place])].decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._encoded.decode().split("\n") if self._encoded else ())


class _AskedPlaces(dict[str, int]):
    """The places among ascending words of those that somebody asked for; -1 of one that is not there."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, word: str) -> int:
        place = bisect_left(self._words, word)
        self[word] = place = place if place < len(self._words) and self._words[place] == word else -1
        return place


class Vocabulary:
    """The words of one side, ascending; the number of a word is its place."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self._asked = _AskedPlaces(words)

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, words: Sequence[str]) -> I64:
        """Those of words; -1 for one that it does not have."""
        if "_places" in vars(self) or len(words) > len(self) // _FEW:
            return np.fromiter(map(self._places.get, words, repeat(-1)), np.int64, len(words))
        return np.fromiter(map(self._asked.__getitem__, words), np.int64, len(words))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def sets_of(self, texts: Sequence[str]) -> WordSets:
        """The words of texts, as ``words_of`` has them; what the vocabulary does not have is left out."""
        numbers, owners, done = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)], 0
        for begin in range(0, len(texts), _TEXTS_AT_ONCE):
            words = list(_words_of_many(texts[begin : begin + _TEXTS_AT_ONCE]))
            ends = np.cumsum(np.fromiter(map("\n".__eq__, words), np.int64, len(words)))
            found = self.numbers(words)
            numbers.append(found[found >= 0])
            owners.append(done + ends[found >= 0])
            done += len(texts[begin : begin + _TEXTS_AT_ONCE])
        return WordSets.of(np.concatenate(owners), np.concatenate(numbers), len(texts), len(self))


def vocabulary_and_sets(texts: Sequence[str]) -> tuple[Vocabulary, WordSets]:
    """The words of texts, and which each has."""
    found: dict[str, int] = defaultdict(count().__next__)
    parts = [np.empty(0, dtype=np.int64)]
    end_of_text = found["\n"]
    for begin in range(0, len(texts), _TEXTS_AT_ONCE):
        words = _words_of_many(texts[begin : begin + _TEXTS_AT_ONCE])
        parts.append(np.fromiter(map(found.__getitem__, words), dtype=np.int64))
    numbers = np.concatenate(parts)
    del found["\n"]
    ordered = sorted(found)
    place = np.empty(len(found) + 1, dtype=np.int64)
    place[np.fromiter((found[word] for word in ordered), np.int64, len(found))] = np.arange(len(found))
    is_end = numbers == end_of_text
    sets = WordSets.of(np.cumsum(is_end)[~is_end], place[numbers[~is_end]], len(texts), len(found))
    return Vocabulary(ordered), sets


class CrossedWords(NamedTuple):
    """Each word of one set with each of another, for pairs of sets: parallel arrays."""

    one: I64
    """Place of the word among all words of the first sets."""
    other: I64


def cells_of(one: WordSets, other: WordSets) -> CrossedWords:
    """The cells of the sets at equal places."""
    sizes, others = one.sizes, other.sizes
    count = sizes * others
    pair, within = np.repeat(np.arange(len(one)), count), joined_ranges(np.zeros_like(count), count)
    row, column = np.divmod(within, np.maximum(others, 1)[pair])
    return CrossedWords(one.begin[pair] + row, other.begin[pair] + column)


@dataclass(frozen=True)
class LexicalModel:
    """How probably words translate each other. Pairs of words that nearly never do are left out."""

    words: Vocabulary
    """Of the language whose sentences are paraphrased."""
    others: Vocabulary
    """Of that of the translations."""
    keys: I64
    """Ascending: the number of a word times the number of others, plus the number of the other."""
    other_given: F64
    """By key, how probably the word gives the other, 0 to 1."""
    word_given: F64
    """By key, how probably the other gives the word."""
    usual: F64
    """By word, the logarithm of its part of all words."""

    @cached_property
    def _places(self) -> Places[I64]:
        return Places(self.keys)

    def prepare_for_many(self) -> None:
        """Do now what is done when many pairs are first looked at, as before this process is copied."""
        self._places.prepare_for_many()

    def places(self, words: I64, others: I64) -> I64:
        """Of pairs of numbers, as ``given`` takes them; -1 of one that the model does not have, or without a number."""
        place, known = self._places.of(words * len(self.others) + others)
        return np.where(known & (words >= 0), place, -1)

    def given(self, probabilities: F64, places: I64) -> F64:
        """Those of pairs at some places; 0 of those that the model does not have."""
        found, known = np.zeros(len(places)), places >= 0
        found[known] = probabilities[places[known]]
        return found

    def blobs(self) -> tuple[bytes, ...]:
        """What ``read`` makes the model of again."""
        sides = ("\n".join(each.words).encode() for each in (self.words, self.others))
        steps = np.diff(self.keys, prepend=0).astype("<u8")
        arrays = (steps, *map(_levels, (self.other_given, self.word_given)), self.usual.astype("<f4"))
        return tuple(map(zlib.compress, (*sides, *(each.tobytes() for each in arrays))))

    @classmethod
    def read(cls, blobs: Sequence[bytes], known: dict[bytes, Vocabulary] | None = None) -> LexicalModel:
        """The model that has these blobs; a vocabulary that is ``known`` by its blob is shared."""
        known = {} if known is None else known
        steps, *levels, usual = map(zlib.decompress, blobs[2:])
        for blob in blobs[:2]:
            if blob not in known:
                known[blob] = Vocabulary(PackedWords(zlib.decompress(blob)))
        one, other = (known[blob] for blob in blobs[:2])
        other_given, word_given = (in_file(_of_levels(np.frombuffer(each, np.uint8))) for each in levels)
        keys = in_file(np.cumsum(np.frombuffer(steps, "<u8").astype(np.int64)))
        return cls(one, other, keys, other_given, word_given, np.frombuffer(usual, "<f4").astype(np.float64))


def _levels(probabilities: F64) -> U8:
    levels: U8 = np.rint(np.clip(-_LEVELS * np.log2(np.maximum(probabilities, 1e-9)), 0, 255)).astype(np.uint8)
    return levels


_OF_LEVEL: Final = 2.0 ** (-np.arange(256) / _LEVELS)


def _of_levels(levels: U8) -> F64:
    return _OF_LEVEL[levels]


def train_lexical(words: Vocabulary, others: Vocabulary, sentences: WordSets, translations: WordSets) -> LexicalModel:
    """The model of sentences and their translations, each at the same place; a sentence may come several times.

    Of more pairs than it learns from, those with fewer words. Memory: about 40 bytes for each pair of a word and one of
    its translation.
    """
    chosen = _short_enough(sentences.sizes * translations.sizes)
    seen = _Seen.of(sentences[chosen], translations[chosen], len(others))
    word, other = np.divmod(seen.keys, max(len(others), 1))
    other_given, _ = _learned(seen, seen.column, word)
    word_given, occurred = _learned(seen, seen.row, other)
    kept = (np.maximum(other_given, word_given) >= _LEAST) & (occurred >= _LEAST_COUNT)
    occurring = np.bincount(sentences.words, minlength=len(words)).astype(np.float64)
    usual = np.log((occurring + 0.5) / max(occurring.sum(), 1.0)).astype("<f4").astype(np.float64)
    other_given, word_given = (_of_levels(_levels(each[kept])) for each in (other_given, word_given))
    return LexicalModel(words, others, seen.keys[kept], other_given, word_given, usual)


def _short_enough(cells: I64) -> I64:
    """Which pairs are learned from: those of as many cells as the largest that there is room for, and of fewer."""
    of_size = np.bincount(cells, minlength=1) * np.arange(int(cells.max(initial=0)) + 1)
    room = np.flatnonzero(np.cumsum(of_size) <= _MOST_CELLS)
    return np.flatnonzero(cells <= (room[-1] if len(room) else 0))


@dataclass(frozen=True, slots=True)
class _Seen:
    """The cells that are learned from: parallel arrays but for the keys."""

    keys: I64
    """The pairs of words that stand in some, ascending."""
    key: I32
    """Place in these."""
    row: I32
    """Which word of which sentence it is."""
    column: I32
    """Which word of which translation."""
    batches: Sequence[slice]
    """Of the cells; each has all those of its sentences and translations."""

    @classmethod
    def of(cls, sentences: WordSets, translations: WordSets, others: int) -> _Seen:
        ends = np.cumsum(sentences.sizes * translations.sizes)
        size = int(ends[-1]) if len(ends) else 0
        keys, rows, columns = list[I64](), np.empty(size, np.int32), np.empty(size, np.int32)
        key = np.empty(size, np.int32)
        bounds = np.searchsorted(ends, np.arange(_CELLS_AT_ONCE, size + _CELLS_AT_ONCE, _CELLS_AT_ONCE)) + 1
        places = list[slice]()
        for first, last in pairwise([0, *bounds.tolist()]):
            pairs = np.arange(first, min(last, len(ends)))
            found = cells_of(sentences[pairs], translations[pairs])
            begin = places[-1].stop if places else 0
            places.append(slice(begin, begin + len(found.one)))
            rows[places[-1]] = found.one + sentences.begin[first]
            columns[places[-1]] = found.other + translations.begin[first]
            all_keys = sentences.words[rows[places[-1]]] * others + translations.words[columns[places[-1]]]
            found_keys = grouped(all_keys)
            key[places[-1]] = found_keys.group
            keys.append(found_keys.values)
        everything = distinct(np.concatenate(keys)) if keys else np.empty(0, np.int64)
        for place, own in zip(places, keys, strict=True):
            key[place] = np.searchsorted(everything, own)[key[place]]
        return cls(everything, key, rows, columns, places)


def _learned(seen: _Seen, group: I32, given: I64) -> tuple[F64, F64]:
    """By key how probable it is, given one of its words, and how often that was seen, by some steps of EM.

    ``group``: by cell, the word that is explained by those of the other side, all of whose cells are in one batch of
    ``seen``; ``given``: by key, which explains.
    """
    probable = np.ones(len(seen.keys))
    counts = np.zeros(len(seen.keys))
    for _ in range(_STEPS):
        counts = np.zeros(len(seen.keys))
        for batch in seen.batches:
            own = probable[seen.key[batch]]
            explained = group[batch] - group[batch].min(initial=len(group))
            sums = np.bincount(explained, own)
            parts = np.rint(_WHOLE * own / sums[explained])
            counts += np.bincount(seen.key[batch], parts, len(counts))
        probable = counts / np.maximum(np.bincount(given, counts), 1.0)[given]
    return probable, counts / _WHOLE
