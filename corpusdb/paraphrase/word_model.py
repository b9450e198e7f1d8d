"""A language model of words: how probable sentences are, and how much less so when words of them are exchanged.

Interpolated modified Kneser-Ney of order 4 (Chen & Goodman 1998, section 3), over the units of text.py without the
spaces before them, with a mark at both ends of a sentence. The n-grams of each order are numbered in the order of
(number of the n-1 units before, unit), so that an n-gram is found by its number of the order below, whatever the size
of the vocabulary. As usual, n-grams that begin with the mark of the beginning have their counts and not their
continuations, since nothing stands before them.

A sentence that was counted itself speaks for itself: its rare n-grams stand nowhere else. So ``figures`` takes the
counts of the sentences that it compares out of the model, as if it had been trained without them: exactly, but for the
discounts and the size of the vocabulary, which are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import F64, I8, I32, I64, U64, Bools, Places, grouped, in_file, of_planes
from corpusdb.base.ngrams import Fingerprints, joined_ranges
from corpusdb.paraphrase.slots import unit_boundaries

ORDER: Final = 4
LEAST_SENTENCES: Final = 50_000
"""What fewer sentences say of four words in a row tells little: of 191 rewordings that were read, a sentence has the
higher gain than what is none in 86 to 89 % of all pairs by 236,197 English sentences, in 76 to 83 % by 50,000 of them,
in 70 to 79 % by 10,000."""
_BEGIN, _END, _UNKNOWN, _FIRST = range(4)
"""Numbers of units; from the last one on they are those of the vocabulary."""
_SPACES: Final = np.array([ord(char) for char in " \u00a0\u1680\u2002\u2003\u2009\u202f\u3000"], dtype=np.uint32)
_USUAL_DISCOUNTS: Final = np.array([0.0, 0.5, 1.0, 1.5])
"""Where a corpus is so small that some count from 1 to 4 does not occur, or occurs oddly often."""
_LOW: Final = (1 << 32) - 1
_TEXTS_AT_ONCE: Final = 5_000
_UNITS_AT_ONCE: Final = 5_000


class _Stream(NamedTuple):
    """Sentences as numbers of units, one behind the other, each between its marks."""

    units: I64
    place: I64
    """Of each unit in its sentence; 0 is the mark at the beginning."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """The units of some texts, one behind the other."""

    prints: U64
    """The fingerprint of each."""
    whole: U64
    """That of each text."""
    starts: I64
    """With which unit each text begins; one more at the end."""

    @classmethod
    def of(cls, texts: Sequence[str]) -> _Cut:
        none = np.zeros(0, dtype=np.uint64)
        parts = [(none, none, np.zeros(1, dtype=np.int64))]
        parts += (_prints(texts[begin : begin + _TEXTS_AT_ONCE]) for begin in range(0, len(texts), _TEXTS_AT_ONCE))
        prints, whole, counts = zip(*parts, strict=True)
        return cls(np.concatenate(prints), np.concatenate(whole), np.cumsum(np.concatenate(counts)))

    def stream(self, numbers: I64, rows: I64 | None = None) -> _Stream:
        """The texts, or those of some rows, which may come several times; ``numbers`` are those of all units."""
        rows = np.arange(len(self.starts) - 1) if rows is None else rows
        sizes = self.starts[rows + 1] - self.starts[rows] + 2
        begins = np.cumsum(sizes) - sizes
        place = np.arange(int(sizes.sum()))
        place -= np.repeat(begins, sizes)
        units, inside = np.full(len(place), _END), np.ones(len(place), dtype=np.bool_)
        units[begins] = _BEGIN
        inside[begins] = inside[begins + sizes - 1] = False
        units[inside] = numbers[np.repeat(self.starts[rows] - 1, sizes - 2) + place[inside]]
        return _Stream(units, place)


def _prints(texts: Sequence[str]) -> tuple[U64, U64, I64]:
    """The fingerprints of the units of some texts, one behind the other, and of the texts; how many units each has."""
    joined = "\n".join(texts) + "\n"
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    begins = np.cumsum(sizes + 1) - sizes - 1
    owner, bound = unit_boundaries(texts, begins)
    inside = np.flatnonzero(owner[:-1] == owner[1:])
    start, stop = bound[inside], bound[inside + 1]
    is_space = np.isin(np.frombuffer(joined.encode("utf-32-le"), dtype="<u4"), _SPACES)
    while (spaced := is_space[start] & (start + 1 < stop)).any():
        start = start + spaced
    prints = Fingerprints(joined)
    return prints.of(start, stop), prints.of(begins, begins + sizes), np.bincount(owner[inside], minlength=len(texts))


class _Level(NamedTuple):
    """The n-grams of one order, by their numbers."""

    keys: I64
    """The number of the n-1 units before, and the last unit, in one; ascending."""
    counts: I32
    """How often each occurs, or below the highest order how many units stand before it."""
    totals: I32
    """Of each n-1 units before: the sum of these counts."""
    reserved: F64
    """Of each n-1 units before: what is taken off these counts for the order below."""
    discounts: F64
    """What is taken off a count of 0, 1, 2, 3 and more."""

    @classmethod
    def of(cls, keys: I64, counts: I64, contexts: int) -> _Level:
        discounts = _discounts(counts)
        before = keys >> 32
        totals, reserved = (_sums(before, each, contexts) for each in (counts, _taken(discounts, counts)))
        often, total = counts.astype(np.int32), totals.astype(np.int32)
        return cls(in_file(keys), in_file(often), in_file(total), in_file(reserved), discounts)


def _sums(places: I64, values: I64 | F64, size: int) -> F64:
    return np.bincount(places, values, minlength=size).astype(np.float64)


def _discounts(counts: I64) -> F64:
    """D1, D2 and D3+ of Chen & Goodman (1998, equation 17), after a 0."""
    often = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if not often.all():
        return _USUAL_DISCOUNTS
    single = often[0] / (often[0] + 2 * often[1])
    steps = np.arange(1, 4)
    found = steps - (steps + 1) * single * often[1:] / often[:-1]
    usual = bool(((found > 0) & (found < steps)).all() and (np.diff(found) >= 0).all())
    return np.concatenate([[0.0], found]) if usual else _USUAL_DISCOUNTS


def _taken(discounts: F64, counts: I32 | I64) -> F64:
    return discounts[np.minimum(counts, 3)]


def _planes(numbers: I32 | I64) -> bytes:
    """The lowest byte of each number, then the next of each."""
    return np.ascontiguousarray(numbers.astype("<u4").view(np.uint8).reshape(-1, 4).T).tobytes()


def _key(before: I64, unit: I64) -> I64:
    return before << 32 | unit


@dataclass(frozen=True, slots=True)
class _Entries:
    """The n-grams of one order that stand in some groups of sentences, each once for each group."""

    of: I64
    """Which of them stands at each unit; -1: the model does not have it."""
    first: I64
    """A unit at which each stands."""
    number: I64
    """Of each in the model."""
    counts: I64
    """Without the sentences that are left out."""


class _Company(NamedTuple):
    """What stands beside each unit on one side, as vectors of length 1."""

    begin: I64
    """Where that of each unit begins, and at last where all end."""
    keys: I64
    """The unit, and one beside it; ascending."""
    places: Places[I64]
    """In ``keys``."""
    weights: F64

    @classmethod
    def of(cls, units: I64, beside: I64, counts: F64, size: int) -> _Company:
        """Of bigrams; ``size``: how many numbers of units there are.

        A weight is the logarithm of how much more often the two stand together than by chance, for which a single time
        counts less.
        """
        often = _sums(units, counts, size)[units] * _sums(beside, counts, size)[beside]
        weights = np.log1p(counts * counts.sum() / often) * np.sqrt(counts / (counts + 1))
        weights /= np.sqrt(_sums(units, weights**2, size))[units]
        keys = _key(units, beside)
        order = np.argsort(keys)
        keys = in_file(keys[order])
        begin = np.searchsorted(units[order], np.arange(size + 1))
        return cls(begin, keys, Places(keys), in_file(weights[order]))

    def alike(self, one: I64, other: I64) -> F64:
        """The cosines of the vectors of units, 0 to 1."""
        pairs, _, place, _ = grouped(_key(np.minimum(one, other), np.maximum(one, other)))
        found = [np.zeros(0)]
        for begin in range(0, len(pairs), _UNITS_AT_ONCE):
            some = pairs[begin : begin + _UNITS_AT_ONCE]
            units = np.stack([some >> 32, some & _LOW])
            sizes = self.begin[units + 1] - self.begin[units]
            fewer, rows = np.argmin(sizes, axis=0), np.arange(len(some))
            few, many, size = units[fewer, rows], units[1 - fewer, rows], sizes[fewer, rows]
            pair, own = np.repeat(rows, size), joined_ranges(self.begin[few], size)
            at, known = self.places.of(_key(many[pair], self.keys[own] & _LOW))
            found.append(_sums(pair, np.where(known, self.weights[own] * self.weights[at], 0.0), len(some)))
        return np.concatenate(found)[place]


class WordModel:
    """Of the sentences of a language, whose order does not matter."""

    def __init__(self, sentences: U64, vocabulary: U64, levels: Sequence[_Level]) -> None:
        """The fingerprints of the sentences, ascending, and of the units, in the order of their numbers."""
        self._sentences = sentences
        self._vocabulary = vocabulary
        self._levels = levels
        self._order = np.argsort(vocabulary)
        self._places_of_units = Places(vocabulary[self._order])
        self._places_of_sentences = Places(sentences)
        self._places = [Places(level.keys) for level in levels]

    @cached_property
    def _company(self) -> tuple[_Company, _Company]:
        """To the left and to the right of each unit."""
        level, size = self._levels[1], len(self._vocabulary) + _FIRST
        before, unit = level.keys >> 32, level.keys & _LOW
        counts = level.counts.astype(np.float64)
        return _Company.of(unit, before, counts, size), _Company.of(before, unit, counts, size)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many sentences it was trained on, and how many n-grams there are of each order."""
        return len(self._sentences), *(len(level.keys) for level in self._levels)

    @classmethod
    def trained(cls, sentences: Sequence[str]) -> WordModel:
        """The model of some different sentences."""
        cut = _Cut.of(sentences)
        vocabulary, stream = _ranked(cut)
        whole = np.sort(cut.whole)
        del cut
        return cls(whole, vocabulary, _levels(stream, len(vocabulary) + _FIRST))

    def packed(self) -> bytes:
        """The model in bytes that compress well, to about two for each n-gram and eight for each sentence."""
        pairs = pairwise(self._levels)  # a column at a time, since together they are several times the model
        keys = ((np.bincount(level.keys >> 32, minlength=len(below.keys)), level.keys & _LOW) for below, level in pairs)
        columns: Iterator[I32 | I64]
        columns = chain((level.counts for level in self._levels), chain.from_iterable(keys))
        prints = self._sentences.astype("<u8"), self._vocabulary.astype("<u8")
        heads = (each.tobytes() for each in (np.array(self.sizes, dtype="<i8"), *prints))
        return b"".join(chain(heads, map(_planes, columns)))

    @classmethod
    def unpacked(cls, data: bytes) -> WordModel:
        """The model that was ``packed``."""
        sentences, *sizes = np.frombuffer(data, dtype="<i8", count=ORDER + 1).tolist()
        prints = np.frombuffer(data, dtype="<u8", count=sentences + sizes[0] - _FIRST, offset=8 * (ORDER + 1))
        offset = 8 * (ORDER + 1 + len(prints))
        columns: list[I64] = []
        for size in [*sizes, *(each for pair in pairwise(sizes) for each in pair)]:
            planes = np.frombuffer(data, dtype=np.uint8, count=4 * size, offset=offset).reshape(4, -1)
            columns.append(of_planes(planes).astype(np.int64))
            offset += 4 * size
        levels = [_Level.of(np.arange(sizes[0]), columns[0], 1)]
        for counts, follow, units in zip(columns[1:ORDER], columns[ORDER::2], columns[ORDER + 1 :: 2], strict=True):
            contexts = len(follow)
            levels.append(_Level.of(_key(np.repeat(np.arange(contexts), follow), units), counts, contexts))
        whole, vocabulary = map(in_file, np.split(prints.astype(np.uint64), [sentences]))
        return cls(whole, vocabulary, levels)

    def prepare_for_many(self) -> None:
        """Do now what is done when many texts are first looked at, as before this process is copied."""
        self._places_of_sentences.prepare_for_many()
        for each in (*self._places[1:], *(side.places for side in self._company)):
            each.prepare_for_many()

    def _numbers(self, prints: U64) -> I64:
        places, known = self._places_of_units.of(prints)
        return np.where(known, np.append(self._order, 0)[places] + _FIRST, _UNKNOWN)

    def scores(self, texts: Sequence[str]) -> F64:
        """log10 P of each text as a whole sentence."""
        cut = _Cut.of(texts)
        numbers = self._numbers(cut.prints)
        scores = np.zeros(len(texts))
        for begin in range(0, len(texts), _TEXTS_AT_ONCE):
            rows = np.arange(begin, min(begin + _TEXTS_AT_ONCE, len(texts)))
            kept = np.zeros(len(rows), dtype=bool)
            scores[rows] = self._scores(cut.stream(numbers, rows), np.arange(len(rows)), kept)[0]
        return scores

    def standing(self, texts: Sequence[str]) -> I64:
        """How often each begins a sentence, and behind how many different units it stands, that beginning being one.

        Of ORDER units how often they stand anywhere; 0 of more.
        """
        cut = _Cut.of(texts)
        stream, sizes = cut.stream(self._numbers(cut.prints)), np.diff(cut.starts)
        last = np.flatnonzero(stream.place == 0) + sizes
        found = np.zeros(len(texts), dtype=np.int64)
        for order, (level, numbers) in enumerate(zip(self._levels, self._ngrams(stream), strict=True), 1):
            for longer in (0, 1):  # with the mark of the beginning before it
                own = np.flatnonzero(sizes + longer == order)
                number = numbers[last[own]]
                found[own[number >= 0]] += level.counts[number[number >= 0]]
        return found

    def figures(self, seeds: Sequence[str], texts: Sequence[str], *, attest: bool = True) -> tuple[F64, I8]:
        """The gains, log10 P of each text less that of its seed, and pairs by ATTESTED; zeros unless they ``attest``.

        All by the model as it were without the two texts of each pair.
        """
        row_of = {text: row for row, text in enumerate(dict.fromkeys([*seeds, *texts]))}
        cut = _Cut.of(list(row_of))
        numbers, counted = self._numbers(cut.prints), self._places_of_sentences.of(cut.whole)[1]
        rows_of_pairs = (np.array([row_of[each] for each in column], dtype=np.int64) for column in (seeds, texts))
        pairs, _, place, _ = grouped(_key(*rows_of_pairs))
        seed, text = pairs >> 32, pairs & _LOW
        # Texts that were not counted change nothing for each other, so that all those of a seed are one group with it.
        kinds, first, group, _ = grouped(_key(seed, np.where(counted[text], text + 1, 0)))
        by_group = np.argsort(group, kind="stable")
        gains, attested = np.zeros(len(seed)), np.zeros((len(seed), len(ATTESTED)), dtype=np.int8)
        for begin in range(0, len(kinds), _TEXTS_AT_ONCE):
            groups = np.arange(begin, min(begin + _TEXTS_AT_ONCE, len(kinds)))
            own = by_group[slice(*np.searchsorted(group[by_group], [groups[0], groups[-1] + 1]))]
            rows = np.concatenate([seed[first[groups]], text[own]])
            members = np.concatenate([groups, group[own]]) - begin
            stream = cut.stream(numbers, rows)
            scores, entries = self._scores(stream, members, counted[rows])
            gains[own] = scores[len(groups) :] - scores[members[len(groups) :]]
            if attest:
                attested[own] = _attested(stream, entries, members[len(groups) :], len(groups), self._company)
        return gains[place], attested[place]

    def _scores(self, stream: _Stream, groups: I64, left_out: Bools) -> tuple[F64, list[_Entries]]:
        """log10 P of each sentence, where those of its group that are ``left_out`` were not counted; its n-grams."""
        sentence = np.cumsum(stream.place == 0) - 1
        entries = self._entries(stream, groups[sentence], left_out[sentence])
        chances = self._probabilities(stream, groups[sentence], entries)
        told = stream.place > 0
        return _sums(sentence[told], np.log10(chances[told]), len(groups)), entries

    def _probabilities(self, stream: _Stream, group: I64, entries: Sequence[_Entries]) -> F64:
        """Of each unit, given those before it; of the marks at the beginning it says nothing."""
        chances = np.full(len(stream.units), 1 / (len(self._vocabulary) + 2))  # the end, and what is not known
        before, number = group, np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
        for level, own in zip(self._levels, entries, strict=True):
            totals, reserved = _left(level, own, before[own.first], number)
            at = np.flatnonzero((before >= 0) & (stream.place > 0))
            at = at[totals[before[at]] > 0]
            counts = np.append(own.counts, 0)[own.of[at]]
            kept = counts - _taken(level.discounts, counts)
            chances[at] = (kept + reserved[before[at]] * chances[at]) / totals[before[at]]
            before, number = _before(stream, own.of), own.number
        return chances

    def _entries(self, stream: _Stream, group: I64, left_out: Bools) -> list[_Entries]:
        """Those of each order, from the lowest on."""
        found: list[_Entries] = []
        for order, numbers in zip(range(ORDER, 0, -1), reversed(self._ngrams(stream)), strict=True):
            level = self._levels[order - 1]
            known = np.flatnonzero(numbers >= 0)
            different, first, inverse, _ = grouped(_key(group[known], numbers[known]))
            first, of = known[first], np.full(len(numbers), -1)
            of[known] = inverse
            fewer = np.bincount(inverse, left_out[known], minlength=len(different)).astype(np.int64)
            if found:  # of what stands nowhere else any more, the end is continued once less
                longer = found[-1]
                gone = (longer.counts == 0) & (self._levels[order].counts[longer.number] > 0)
                continued = np.bincount(of[longer.first[gone]], minlength=len(different))
                fewer = np.where(stream.place[first] == order - 1, fewer, continued) if order > 1 else continued
            number = numbers[first]
            found.append(_Entries(of, first, number, level.counts[number] - fewer))
        return found[::-1]

    def _ngrams(self, stream: _Stream) -> list[I64]:
        """The number of the n-gram that ends with each unit, for each order; -1 where the model does not have it."""
        found = [stream.units]
        for known_places in self._places[1:]:
            before = _before(stream, found[-1])
            at = np.flatnonzero(before >= 0)
            number = np.full(len(before), -1)
            places, known = known_places.of(_key(before[at], stream.units[at]))
            number[at[known]] = places[known]
            found.append(number)
        return found


# Whether the n-grams at the place of a change are seen elsewhere, which a probability of the whole hardly shows: it may
# rise by a frequent word that stands beside none of those that it now stands beside.


_OF_EITHER: Final = ("least", "most", "unseen", "least gained", "unseen gained", "gained")
ATTESTED: Final = (
    *(f"{name} {order}-grams" for order in (2, 3) for name in _OF_EITHER),
    *(f"{name} 4-grams" for name in ("most", "unseen gained", "gained")),
    *("alike before", "alike after"),
)
"""Of the n-grams that stand where a text differs from its seed: the logarithm of the least and the greatest count and
one, and how many are not seen; and by how much these, and the sum of the logarithms, are above those of the seed there.
Then how alike the units are with which the difference begins in the two, by what stands before such units in the whole
corpus, and those with which it ends, by what stands after them: eight times the cosine. Words of another form or class
are less so, wherever they stand. In eighths, from -16 to 16, so that an int8 holds them."""
_PARTS_OF_ONE: Final = 8
_MOST_PARTS: Final = 127
_USUALLY_ATTESTED: Final = np.array([11, 34, 0, 0, 0, 0, 6, 29, 0, 0, 0, 0, 21, 0, 0, 13, 15], dtype=np.int8)
"""What is said of a pair that a reader says holds, in the middle, and so of all pairs where there is no model."""


def _attested(
    stream: _Stream, entries: Sequence[_Entries], seed_of: I64, seeds: int, company: tuple[_Company, _Company]
) -> I8:
    """Pairs by ATTESTED: the sentences behind the first ``seeds``, each beside the seed at its place in ``seed_of``."""
    starts = np.append(np.flatnonzero(stream.place == 0), len(stream.place))
    text_of = np.arange(seeds, len(starts) - 1)
    begin, after = _common(stream.units, starts, text_of, seed_of)
    columns: list[F64] = []
    for order in range(2, ORDER + 1):
        logs = np.log1p(np.append(entries[order - 1].counts, 0)[entries[order - 1].of])
        here, there = (_seen(logs, starts, of, (begin, after), order) for of in (text_of, seed_of))
        gained = here - there
        columns += [here[1]] if order == ORDER else [*here[:3], gained[0]]
        columns += [gained[2], gained[3]]
    firsts = (np.minimum(starts[of] + begin, starts[of + 1] - 1) for of in (text_of, seed_of))
    lasts = (np.maximum(starts[of + 1] - 1 - after, starts[of]) for of in (text_of, seed_of))
    for side, places in zip(company, (firsts, lasts), strict=True):
        columns.append(_PARTS_OF_ONE * side.alike(*(stream.units[each] for each in places)))
    eighths = np.rint(np.stack(columns, axis=1) * _PARTS_OF_ONE)
    return np.clip(eighths, -_MOST_PARTS, _MOST_PARTS).astype(np.int8)


def _common(units: I64, starts: I64, one: I64, other: I64) -> tuple[I64, I64]:
    """With how many units two sentences begin and end alike, which do not overlap."""
    size = np.minimum(starts[one + 1] - starts[one], starts[other + 1] - starts[other])
    begins = np.cumsum(size) - size
    at = np.arange(int(size.sum())) - np.repeat(begins, size)

    def alike(firsts: tuple[I64, I64], step: int) -> I64:
        mine, others = (units[np.repeat(first, size) + step * at] for first in firsts)
        return np.minimum.reduceat(np.where(mine == others, np.repeat(size, size), at), begins)

    begin = alike((starts[one], starts[other]), 1)
    return begin, np.minimum(alike((starts[one + 1] - 1, starts[other + 1] - 1), -1), size - begin)


def _seen(logs: F64, starts: I64, sentences: I64, alike: tuple[I64, I64], order: int) -> F64:
    """Of the n-grams of sentences that stand where these differ: the least and the greatest, how many are 0, the sum.

    ``logs`` are those of the n-grams that end at each unit; ``alike``: with how many units sentences begin and end that
    are not looked at. Shape (4, sentences).
    """
    sizes = starts[sentences + 1] - starts[sentences]
    first = np.maximum(alike[0], order - 1)
    count = np.maximum(np.minimum(sizes - alike[1] + order - 1, sizes) - first, 0)
    of = np.repeat(np.arange(len(sentences)), count)
    found = logs[joined_ranges(starts[sentences] + first, count)]
    least, most = np.full(len(sentences), np.inf), np.zeros(len(sentences))
    np.minimum.at(least, of, found)
    np.maximum.at(most, of, found)
    unseen, total = (np.bincount(of, values, len(sentences)) for values in (found == 0, found))
    return np.stack([np.where(count > 0, least, 0.0), most, unseen, total])


def _before(stream: _Stream, of: I64) -> I64:
    """What stands at the unit before each; -1 at the mark of the beginning."""
    return np.where(stream.place > 0, np.concatenate([[-1], of[:-1]]), -1)


def _left(level: _Level, own: _Entries, before: I64, number: I64) -> tuple[F64, F64]:
    """The totals, and what is reserved, of some n-1 units before, whose numbers in the model are ``number``.

    ``before``: by which of these places each n-gram has them before it. What is left out is not counted.
    """
    counted = level.counts[own.number]
    untaken = _taken(level.discounts, counted) - _taken(level.discounts, own.counts)
    fewer, returned = (_sums(before, each, len(number)) for each in (counted - own.counts, untaken))
    return level.totals[number] - fewer, level.reserved[number] - returned


def _ranked(cut: _Cut) -> tuple[U64, _Stream]:
    """The units, the most frequent first, and the texts as their numbers."""
    prints, _, numbers, often = grouped(cut.prints)
    by_frequency = np.lexsort((prints, -often))
    rank = np.empty(len(prints), dtype=np.int64)
    rank[by_frequency] = np.arange(_FIRST, len(prints) + _FIRST)
    return prints[by_frequency], cut.stream(rank[numbers])


def _levels(stream: _Stream, size: int) -> list[_Level]:
    """Those of the orders from 1 on; ``size``: how many numbers of units there are, with those of the marks."""
    keys, occurring, first = np.arange(size), np.bincount(stream.units, minlength=size), np.zeros(0, dtype=np.int64)
    number, contexts = stream.units, 1
    levels: list[_Level] = []
    for order in range(1, ORDER):
        before = _before(stream, number)
        at = np.flatnonzero(before >= 0)
        before = _key(before[at], stream.units[at])
        longer, first, inverse, often = grouped(before)
        del before
        first = at[first]
        continued = np.bincount(number[first], minlength=len(keys))
        begins = np.zeros(len(keys), dtype=bool)
        if order > 1:
            begins[number[stream.place == order - 1]] = True
        levels.append(_Level.of(keys, np.where(begins, occurring, continued), contexts))
        number, contexts = np.full(len(stream.units), -1), len(keys)
        number[at] = inverse
        keys, occurring = longer, often
    return [*levels, _Level.of(keys, occurring, contexts)]


def train_word_model(sentences: Sequence[str]) -> WordModel | None:
    """The model of all sentences of a language; None of fewer than ``LEAST_SENTENCES``. About 8 s a million."""
    return WordModel.trained(sentences) if len(sentences) >= LEAST_SENTENCES else None


class SaidByWords(NamedTuple):
    """What a word model says of pairs of a seed and a text: parallel arrays."""

    gain: F64
    """log10 P of the text less that of the seed, to two places; NaN without a model."""
    attested: I8
    """Pairs by ATTESTED; what is usual without a model."""

    @property
    def gains(self) -> list[float | None]:
        """As they are stored; None without a model."""
        return [None if np.isnan(gain) else gain + 0.0 for gain in self.gain.tolist()]

    @property
    def features(self) -> F64:
        """Pairs by SAID_BY_WORDS."""
        return np.concatenate([np.nan_to_num(self.gain)[:, np.newaxis], self.attested / _PARTS_OF_ONE], axis=1)

    def of(self, pair: I64 | slice) -> SaidByWords:
        return SaidByWords(self.gain[pair], self.attested[pair])


SAID_BY_WORDS: Final = ("word gain", *ATTESTED)


def said_by_words(model: WordModel | None, seeds: Sequence[str], texts: Sequence[str]) -> SaidByWords:
    """What ``model`` says of each text beside its seed."""
    if model is None:
        return SaidByWords(np.full(len(seeds), np.nan), np.tile(_USUALLY_ATTESTED, (len(seeds), 1)))
    gains, attested = model.figures(seeds, texts)
    return SaidByWords(np.round(gains, 2), attested)


def word_gains(model: WordModel | None, seeds: Sequence[str], texts: Sequence[str]) -> list[float | None]:
    """The gains alone, as they are stored."""
    if model is None:
        return [None] * len(seeds)
    gains, attested = model.figures(seeds, texts, attest=False)
    return SaidByWords(np.round(gains, 2), attested).gains
