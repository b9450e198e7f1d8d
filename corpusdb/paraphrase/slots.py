"""Units of many texts at once, slots, which of them can take part in an analogy, and which fillers commute how often.

Slots: sentences with one run of units taken out. What is left is the context, what was taken out the filler.
Two sentences in one context with two fillers, and two in another context with the same two fillers, are an analogy:
c'[y] : c[y] :: c'[x] : c[x]. (Lepage & Denoual 2005, section 4.3, call such exchanges commutations.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import I32, I64, U8, U32, Bools, distinct, following_of, grouped, is_new, places_in
from corpusdb.base.ngrams import Fingerprints, combined, joined_ranges
from corpusdb.base.text import MAX_SENTENCE_UNITS, needs_slow_units, unit_ends

_WORD, _SPACE, _DIGIT, _APOSTROPHE, _POINT = (1 << bit for bit in range(5))
"""What a character is, each a bit."""
_APOSTROPHES: Final = "'\N{RIGHT SINGLE QUOTATION MARK}"
_BEGUN, _CONTINUED, _CLOSED = range(3)
"""Runs of letters: one begins a unit, goes on with one behind an apostrophe or a point, or ends a clitic."""
_LOWER: Final = np.uint32(ord("a") - ord("A"))
"""What makes a letter of ASCII a small one."""
_ONE_LETTER, _TWO_LETTERS = "smd", ("re", "ve", "ll", "em")
"""English clitics behind an apostrophe, of whatever case."""
_ELIDED, _ELIDED_LONG = "cdjlmnst", ("qu", "jusqu", "lorsqu", "puisqu", "quoiqu")
"""What stands before an apostrophe in French; of the latter only the first letter may be a capital."""


def unit_boundaries(texts: Sequence[str], starts: I64) -> tuple[I32, I64]:
    """The unit boundaries of all sentences, ascending: the sentence of each, and its offset in the joined text."""
    owners, bounds = [np.arange(len(texts), dtype=np.int32)], [starts]
    for slow, members in _by_speed(texts):
        own = [texts[member] for member in members.tolist()] if len(members) < len(texts) else texts
        joined = "\n".join(own)
        ends = np.array(unit_ends(joined, slow=True), dtype=np.int64) if slow else ends_of_plain(joined)
        sizes = np.fromiter(map(len, own), dtype=np.int64, count=len(own))
        first = np.cumsum(sizes + 1) - sizes - 1
        inside = np.searchsorted(first, ends - 1, side="right") - 1
        owners.append(members[inside])
        bounds.append(starts[owners[-1]] + ends - first[inside])
    owner, bound = np.concatenate(owners), np.concatenate(bounds)
    order = np.argsort(bound, kind="stable")  # those of a text come before those of the next; each part ascends
    return owner[order], bound[order]


def _by_speed(texts: Sequence[str]) -> Iterator[tuple[bool, I32]]:
    """The sentences that can be cut fast, and the others."""
    slow = np.zeros(len(texts), dtype=np.bool_)
    if needs_slow_units("\n".join(texts)):
        slow[:] = list(map(needs_slow_units, texts))
    for kind in (False, True):
        members = np.flatnonzero(slow == kind).astype(np.int32)
        if len(members):
            yield kind, members


def ends_of_plain(text: str) -> I64:
    """What ``unit_ends`` gives of a text that does not need slow units."""
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    kinds = _kinds(codes)
    is_word, is_solid = (kinds & _WORD) > 0, (kinds & _SPACE) == 0
    begins = is_solid.copy()
    # Letters go on with letters, and a mark with the same mark.
    begins[1:] &= ~np.where(is_word[1:], is_word[:-1], codes[1:] == codes[:-1])
    _Words(codes, kinds, is_word, begins).look_between()
    ends = is_solid.copy()
    ends[:-1] &= begins[1:] | ~is_solid[1:]
    return np.flatnonzero(ends) + 1


def _kinds(codes: U32) -> U8:
    seen = np.flatnonzero(np.bincount(codes))
    table = np.zeros(int(seen.max(initial=0)) + 1, dtype=np.uint8)
    table[seen] = [_kind(chr(code)) for code in seen.tolist()]
    return table[codes]


def _kind(char: str) -> int:
    return (
        _WORD * (char.isalnum() or char == "_")
        | _SPACE * char.isspace()
        | _DIGIT * char.isdecimal()
        | _APOSTROPHE * (char in _APOSTROPHES)
        | _POINT * (char in ".,:")
    )


class _Words:
    """The runs of letters and digits of a text, and whether what stands between two of them joins or parts them."""

    def __init__(self, codes: U32, kinds: U8, is_word: Bools, begins: Bools) -> None:
        """``begins`` tells of each character whether it begins a unit; what is found out is changed there."""
        self._codes, self._kinds, self._is_word, self._begins = codes, kinds, is_word, begins
        self._lower = codes | _LOWER
        self._first = np.flatnonzero(is_word & np.append(True, ~is_word[:-1])[: len(codes)])
        self._size = np.flatnonzero(is_word & np.append(~is_word[1:], True)[: len(codes)]) + 1 - self._first
        self._state = np.full(len(self._first), _BEGUN, dtype=np.uint8)

    def look_between(self) -> None:
        """Look at all apostrophes that stand before a letter, and at points between digits."""
        apostrophes, points = self._apostrophes(), self._points()
        at = np.concatenate([apostrophes, points])
        is_point = np.repeat([False, True], [len(apostrophes), len(points)])
        order = np.argsort(at)
        at, is_point = at[order], is_point[order]
        run = np.searchsorted(self._first, at)
        clitic = ~is_point & self._is_clitic(run)
        follows = (at > 0) & self._is_word[at - 1]
        lone = clitic & ~follows
        self._state[run[lone]] = _CLOSED
        self._begins[at[lone] + 1] = False
        at, run, is_point, clitic = (column[follows] for column in (at, run, is_point, clitic))
        negated = ~is_point & self._is_negation(run)
        elided = ~is_point & self._is_elided(run - 1)
        # What the run before is must be known first.
        place = np.arange(len(at))
        waits = np.append(False, run[1:] == run[:-1] + 1)[: len(at)]
        depth = place - np.maximum.accumulate(np.where(waits, 0, place))
        in_turn, turns = np.argsort(depth, kind="stable"), np.cumsum(np.bincount(depth))
        for some in np.split(in_turn, turns[:-1]):
            self._decide(at[some], run[some], clitic[some], negated[some], elided[some])

    def _apostrophes(self) -> I64:
        """Before a letter, and not the last of several."""
        found = np.flatnonzero((self._kinds[:-1] & _APOSTROPHE > 0) & self._is_word[1:])
        return np.asarray(found[(found == 0) | (self._codes[found - 1] != self._codes[found])])

    def _points(self) -> I64:
        is_digit = (self._kinds & _DIGIT) > 0
        return np.flatnonzero((self._kinds[1:-1] & _POINT > 0) & is_digit[:-2] & is_digit[2:]) + 1

    def _decide(self, at: I64, run: I64, clitic: Bools, negated: Bools, elided: Bools) -> None:
        """Tell what runs behind an apostrophe or a point are, as they are in the order of the pattern's parts."""
        before = self._state[run - 1]
        begun, closed = before == _BEGUN, before == _CLOSED
        negated = negated & begun
        elided = elided & begun & ~negated
        clitic = clitic & ~negated & ~elided
        begins = elided | (closed & ~clitic)
        self._state[run] = np.where(begins, _BEGUN, np.where(negated | clitic, _CLOSED, _CONTINUED))
        self._begins[at] = clitic | closed
        self._begins[at + 1] = begins
        self._begins[at[negated] - 1] = True  # the n of n't

    def _is_clitic(self, run: I64) -> Bools:
        first, size = self._first[run], self._size[run]
        letter = self._lower[first]
        found: Bools = (size == 1) & np.isin(letter, _codes_of(_ONE_LETTER))
        next_letter = self._lower[np.minimum(first + 1, len(self._lower) - 1)]
        for one, other in map(_codes_of, _TWO_LETTERS):
            found |= (size == 2) & (letter == one) & (next_letter == other)
        return found

    def _is_negation(self, run: I64) -> Bools:
        """Whether it is the t of n't."""
        first = self._first[run]
        return np.asarray(
            (self._size[run] == 1) & (self._lower[first] == ord("t")) & (self._lower[first - 2] == ord("n"))
        )

    def _is_elided(self, run: I64) -> Bools:
        first, size = self._first[run], self._size[run]
        found: Bools = (size == 1) & np.isin(self._lower[first], _codes_of(_ELIDED))
        for word in _ELIDED_LONG:
            same = np.flatnonzero((size == len(word)) & (self._lower[first] == ord(word[0])))
            for place, code in enumerate(_codes_of(word[1:]).tolist(), 1):
                same = same[self._codes[first[same] + place] == code]
            found[same] = True
        return found


def _codes_of(letters: str) -> U32:
    return np.array([ord(letter) for letter in letters], dtype=np.uint32)


# Slots, which of them can take part in an analogy, and which fillers commute in how many contexts.

_SENTENCES_AT_ONCE = 25_000
_MOST_HASH_BITS = 26
"""Of the tables by which a context that nothing shares is seen, which have a byte an entry."""


MAX_UNITS = 8
"""The longest filler, in units: words, clitics and punctuation marks, or characters of scripts without word spaces."""


@dataclass(frozen=True, slots=True)
class Slots:
    """Parallel arrays, one entry a slot."""

    sentence: I32
    """Index of the sentence in the list that was cut."""
    start: I32
    """Where the gap begins in the sentence, in code points."""
    stop: I32
    context: I64
    """Fingerprint of what stands before and after the gap."""
    filler: I64
    """Fingerprint of what was taken out."""

    def __len__(self) -> int:
        return len(self.sentence)

    def __getitem__(self, chosen: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Slots:
        return Slots(
            self.sentence[chosen], self.start[chosen], self.stop[chosen], self.context[chosen], self.filler[chosen]
        )


def cut_slots(texts: Sequence[str], max_units: int = MAX_UNITS, max_sentence_units: int = MAX_SENTENCE_UNITS) -> Slots:
    """Every slot of every sentence, with fillers of 0 to ``max_units`` units; the whole sentence is no filler.

    Sentences of more than ``max_sentence_units`` have none.
    They come by the size of the filler in units, then by sentence and place.

    A filler carries the space before it. Memory: about 65 bytes a slot while it runs; an English sentence of nine units
    has about 45 slots.
    """
    joined = "\n".join(texts) + "\n" if texts else ""
    sizes = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    starts = np.cumsum(sizes + 1) - sizes - 1
    owner, bound = unit_boundaries(texts, starts)
    short_enough = np.bincount(owner, minlength=len(texts)) - 1 <= max_sentence_units
    if not short_enough.all():
        chosen = short_enough[owner]
        owner, bound = owner[chosen], bound[chosen]
    prints = Fingerprints(joined)
    parts = [_slots_of_size(units, owner, bound, starts, sizes, prints) for units in range(max_units + 1)]
    del prints, owner, bound
    # One column after the other, so that never more than one is held twice.
    columns = [list(column) for column in zip(*parts, strict=True)]
    del parts
    merged = []
    while columns:
        merged.append(np.concatenate(columns.pop(0)))
    return Slots(*merged)


def cut_shared_slots(texts: Sequence[str]) -> Slots:
    """The slots of ``cut_slots`` whose context two sentences have, with few others, in another order.

    Three of four contexts of natural text stand in one sentence only, and can take part in nothing. Memory: about 30
    bytes a slot, and 130 MB at most.
    """
    bits = min(max((8 * sum(map(len, texts))).bit_length(), 16), _MOST_HASH_BITS)
    seen, shared = (np.zeros(1 << bits, dtype=bool) for _ in range(2))
    parts: list[Slots] = []
    for first in range(0, len(texts), _SENTENCES_AT_ONCE):
        part = cut_slots(texts[first : first + _SENTENCES_AT_ONCE])
        part.sentence[:] += first
        hashes = np.sort(_short_hashes(part.context, bits))
        shared[hashes[1:][hashes[1:] == hashes[:-1]]] = True
        shared[hashes[seen[hashes]]] = True
        seen[hashes] = True
        parts.append(part)
    del seen
    # Each part is let go as soon as what is shared of it is copied.
    for number, part in enumerate(parts):
        parts[number] = part[shared[_short_hashes(part.context, bits)]]
    if len(parts) == 1:
        return parts[0]
    columns = ((part.sentence, part.start, part.stop, part.context, part.filler) for part in parts)
    return Slots(*map(np.concatenate, zip(*columns, strict=True))) if parts else cut_slots(texts)


def _short_hashes(context: I64, bits: int) -> I32:
    # Fingerprints are mixed, so that any of their bits are as good as others.
    return (context.view(np.uint64) >> np.uint64(64 - bits)).astype(np.int32)


def _slots_of_size(
    units: int, owner: I32, bound: I64, starts: I64, sizes: I64, prints: Fingerprints
) -> tuple[I32, I32, I32, I64, I64]:
    """The columns of Slots for fillers of exactly ``units`` units."""
    last = max(0, len(bound) - units)
    first = np.flatnonzero(owner[:last] == owner[units : units + last])
    sentence, start, stop = owner[first], bound[first], bound[first + units]
    begin = starts[sentence]
    end = begin + sizes[sentence]
    proper = (start > begin) | (stop < end)
    sentence, start, stop, begin, end = sentence[proper], start[proper], stop[proper], begin[proper], end[proper]
    context = combined(prints.of(begin, start), prints.of(stop, end)).view(np.int64)
    filler = prints.of(start, stop).view(np.int64)
    return sentence, (start - begin).astype(np.int32), (stop - begin).astype(np.int32), context, filler


_PAIRS_AT_ONCE = 2_000_000
_LOW = (1 << 32) - 1
"""The lower half of a pair of fillers, which are far fewer than 2**31, in one number."""

MAX_FILLERS = 2000
"""A context that more sentences have than this, such as ``I _.``, is too common to say anything and is left out."""


@dataclass(frozen=True, slots=True)
class SlotIndex:
    """Contexts and fillers, numbered from 0 in the order in which they first stand in the corpus, and the slots kept.

    A context is kept when two sentences have it. A slot is kept when at most ``max_fillers`` sentences have its
    context and its filler stands in two such contexts.
    """

    contexts: Slots
    """The first slot of each context."""
    context_fillers: I64
    """How many sentences have each context."""
    fillers: Slots
    """The first kept slot of each filler."""
    filler_contexts: I64
    """In how many kept slots each filler stands."""
    slot_context: I64
    """For each kept slot, by context and filler: its context, its filler, its sentence."""
    slot_filler: I64
    slot_sentence: I64


def index_slots(slots: Slots, max_fillers: int = MAX_FILLERS) -> SlotIndex:
    """Keep of ``slots``, each sentence's only once, those that can take part in an analogy."""
    shared = _in_groups(slots.context)
    slots = slots[shared]
    width = int(slots.stop.max(initial=0)) + 1
    slots = slots[np.argsort((slots.sentence.astype(np.int64) * width + slots.start) * width + slots.stop)]
    context, first, context_fillers = _numbered(slots.context)
    contexts = slots[first]
    usable = np.flatnonzero(context_fillers[context] <= max_fillers)
    usable = usable[_in_groups(slots.filler[usable])]
    slots, context = slots[usable], context[usable]
    filler, first, filler_contexts = _numbered(slots.filler)
    order = np.argsort(context << 32 | filler)
    return SlotIndex(
        contexts,
        context_fillers,
        slots[first],
        filler_contexts,
        context[order],
        filler[order],
        slots.sentence[order].astype(np.int64),
    )


def _in_groups(values: I64) -> npt.NDArray[np.intp]:
    """The places whose value occurs twice or more, ascending."""
    order = np.argsort(values)
    begins = np.flatnonzero(is_new(values[order]))
    sizes = np.diff(np.append(begins, len(values)))
    return np.sort(order[np.repeat(sizes > 1, sizes)])


def _numbered(values: I64) -> tuple[I64, npt.NDArray[np.intp], I64]:
    """Each value as a number in order of first occurrence, where each first occurs, and how often."""
    found = grouped(values)
    order = np.argsort(found.first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[found.group], found.first[order], found.counts[order]


def asked_pairs(slot_context: I64, slot_filler: I64, usable: Bools, contexts: I64, fillers: I64) -> I64:
    """The pairs of fillers x < y that some derivation asks for, ascending, each as x * 2**32 + y.

    A slot asks for its filler, if that is usable in its sentence, with each other filler of its context that can be
    replaced in a paraphrase. The slots come by context and then by filler; ``contexts`` and ``fillers`` say which of
    them hold a filler that can, each once and in any order.
    """
    begins = np.searchsorted(slot_context, contexts)
    sizes = np.searchsorted(slot_context, contexts, side="right") - begins
    found = [np.empty(0, dtype=np.int64)]
    part_of = np.cumsum(sizes) // _PAIRS_AT_ONCE
    for part in range(int(part_of[-1]) + 1 if len(part_of) else 0):
        chosen = np.flatnonzero(part_of == part)
        repeats = sizes[chosen]
        slots = joined_ranges(begins[chosen], repeats)
        x, y = slot_filler[slots], np.repeat(fillers[chosen], repeats)
        kept = usable[slots] & (x != y)
        x, y = x[kept], y[kept]
        found.append(distinct(np.minimum(x, y) << 32 | np.maximum(x, y)))
    return distinct(np.concatenate(found))


def count_commutations(slot_context: I64, slot_filler: I64, asked: I64 | None = None) -> tuple[I64, I64, I64]:
    """Pairs of fillers x < y that stand together in two contexts or more: x, y and the number of those contexts.

    Only those that are ``asked`` for, if that is given. The slots must come by context and then by filler, as SlotIndex
    has them. Pairs are ascending. Their number is bounded by max_fillers; they are counted in parts, so that memory is
    bounded too.
    """
    if asked is not None:
        of_asked = np.zeros(int(slot_filler.max(initial=0)) + 1, dtype=bool)
        of_asked[asked >> 32] = of_asked[asked & _LOW] = True
        chosen = of_asked[slot_filler]
        slot_context, slot_filler = slot_context[chosen], slot_filler[chosen]
    if len(slot_context) == 0:
        return slot_context, slot_context, slot_context
    sieve = None if asked is None else Sieve(asked)
    following = following_of(slot_context)
    found: list[tuple[I64, I64]] = []
    for chosen in _parts_by_filler(slot_filler, following):
        first, second = np.repeat(chosen, following[chosen]), joined_ranges(chosen + 1, following[chosen])
        keys = slot_filler[first] << 32 | slot_filler[second]
        del first, second
        pairs, counts = np.unique(keys if sieve is None else keys[sieve.maybe(keys)], return_counts=True)
        often = counts >= 2
        pairs, counts = pairs[often], counts[often]
        if sieve is not None:
            among = sieve.among(pairs)
            pairs, counts = pairs[among], counts[among]
        found.append((pairs, counts))
    pairs, counts = np.concatenate([pair for pair, _ in found]), np.concatenate([count for _, count in found])
    return pairs >> 32, pairs & _LOW, counts.astype(np.int64)


class Sieve:
    """Which of many keys are among some others: most that are not are seen at once, by a table of hashes."""

    def __init__(self, keys: I64) -> None:
        self._keys = keys
        bits = min(max(int(len(keys) * 8).bit_length(), 10), 27)
        self._shift = np.uint64(64 - bits)
        self._table = np.zeros(1 << bits, dtype=bool)
        self._table[self._places(keys)] = True

    def _places(self, keys: I64) -> npt.NDArray[np.uint64]:
        # Multiplicative hashing (Knuth, The Art of Computer Programming 3, section 6.4).
        return (keys.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> self._shift

    def maybe(self, keys: I64) -> Bools:
        """Which keys are not surely none of them: those that are, and few others."""
        return self._table[self._places(keys)]

    def among(self, keys: I64) -> Bools:
        return places_in(self._keys, keys)[1]


def _parts_by_filler(slot_filler: I64, following: I64) -> list[npt.NDArray[np.intp]]:
    """The slots in parts of a bounded number of pairs, cut between fillers so that each pair is counted in one part."""
    by_filler = np.bincount(slot_filler, weights=following)
    part_of_filler = (np.cumsum(by_filler) // _PAIRS_AT_ONCE).astype(np.int64)
    part = part_of_filler[slot_filler]
    return [np.flatnonzero(part == number) for number in range(int(part_of_filler[-1]) + 1)]
