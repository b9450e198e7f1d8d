"""The units of many texts at once, as arrays: where each ends, and whose it is.

What a unit is, the pattern of base/text.py says, which looks at one after the other. Where no script is undelimited and
no mark stands on a letter, the same follows from what stands beside each character, of all of them at once and five
times as fast. Only at apostrophes, and at points within numbers, it depends on the word before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from corpusdb.base.arrays import I32, I64, U8, U32, Bools
from corpusdb.base.text import needs_slow_units, unit_ends

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
