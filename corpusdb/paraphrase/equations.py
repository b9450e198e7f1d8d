"""Analogies between strings: the formal definition, and the general solver of analogical equations (Lepage 1998).

A : B :: C : D holds when (Lepage 1998; in this form Lepage and Denoual 2005):

- every character x occurs as often in A and D together as in B and C together, ``|A|x + |D|x = |B|x + |C|x``;
- ``d(A, B) = d(C, D)`` and ``d(A, C) = d(B, D)``.

d is the LCS distance: the least number of insertions and deletions, ``|A| + |B| - 2 * lcs(A, B)``. A character is
a Unicode code point of the text in NFC, so that precomposed and decomposed input give the same answers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Final, TypeAlias

from corpusdb.base.text import common_ends, has_undelimited_script, nfc, shared_beginning, units_of
from corpusdb.paraphrase.differences import Unit


def is_analogy(a: str, b: str, c: str, d: str) -> bool:
    """Tell whether A : B :: C : D is an analogy by the formal definition.

    Time: O(n) big-integer operations on n bits, where n is the length of the longest term.
    """
    return Equation(nfc(a), nfc(b), nfc(c), work=0).is_solved_by(nfc(d))


def lcs_rows(a: str, b: str) -> list[int]:
    """Return the whole LCS matrix of A and B as |A| + 1 integers of |B| bits, one for each prefix of A.

    Bit j - 1 of row i is 0 where the LCS of A[:i] and B[:j] is longer than that of A[:i] and B[:j - 1], and 1 where
    it is as long; so ``lcs(A[:i], B[:j]) = j - popcount(rows[i] & ((1 << j) - 1))``. The texts are taken as they are,
    without normalisation. The recurrence is the bit-parallel one of Hyyrö (2004), after Allison and Dix (1986).
    """
    every = (1 << len(b)) - 1
    occurrences = places_of(b)
    row = every
    rows = [row]
    for character in a:
        row = _next_row(row, occurrences.get(character, 0), every)
        rows.append(row)
    return rows


def length_of_lcs(a: Sequence[Unit], b: Sequence[Unit]) -> int:
    """Return the length of a longest common subsequence of A and B, texts in NFC or units (0 to min(|A|, |B|)).

    One row of the matrix is kept at a time.
    """
    if a == b:
        return len(a)
    # Some LCS has all of a beginning, and of an end, that both texts share.
    begin, end = common_ends(a, b)
    shared = begin + end
    a, b = a[begin : len(a) - end], b[begin : len(b) - end]
    if not (a and b):
        return shared
    every = (1 << len(b)) - 1
    occurrences = places_of(b)
    row = every
    for character in a:
        matches = row & occurrences.get(character, 0)
        # A character that B has not leaves the row as it is.
        if matches:
            row = ((row + matches) | (row - matches)) & every
    return shared + len(b) - row.bit_count()


def places_of(text: Iterable[Unit]) -> dict[Unit, int]:
    """Map each character to the integer whose bit j is set where the character stands at position j of the text."""
    occurrences: dict[Unit, int] = {}
    bit = 1
    for character in text:
        occurrences[character] = occurrences.get(character, 0) | bit
        bit <<= 1
    return occurrences


# One analogical equation A : B :: C : x: what a solution must look like, and the search for strings that do.
#
# Pairs of optimal paths through the LCS matrices A x B and A x C are followed in the order that is described below. A
# state is left where no way from it leads to a solution:
#
# - from many places in the terms the two paths come to no end together, whatever was written before; those are found
#   first, without a look at x;
# - x must be like B, and like C, exactly as far as the definition says. All that a path still writes of B[:j] will
#   stand in x in the order of B, so that B[j:] and what is written may share no more than the rest;
# - what can still become of a state depends on what is written only by how like it is to each end of B and of C. Where
#   nothing came of one state, nothing will come of another one that has the same.


LONGEST_SEARCHED = 8
"""Length, in characters, up to which a solution is searched for by the definition alone."""

State: TypeAlias = tuple[int, int, int, int, int]
"""How much is left of A, B and C, the common characters still due, and the number of the suffix of x written so far."""

_Place: TypeAlias = tuple[int, int, int, int]
"""The same without the suffix."""

_Outlook: TypeAlias = tuple[int, int, int, int, int, int]
"""What decides whether a state leads to a solution: the same, with how like the suffix is to B and C in its place."""

_VOWELS_AND_TAILS: Final = re.compile("[\u1160-\u11ff]")
"""Of Hangul letters, those that are joined to what stands before them."""


class Equation:
    """One equation between terms in NFC: its matrices, what a solution must look like, the work still allowed."""

    def __init__(self, a: str, b: str, c: str, work: int) -> None:
        self._a, self._b, self._c = a, b, c
        lcs_ab, lcs_ac = length_of_lcs(a, b), length_of_lcs(a, c)
        self.common = lcs_ab + lcs_ac - len(a)
        """How many characters of A are matched in B and in C; where it is negative, no trace gives a solution."""
        # With |D| = |B| + |C| - |A|, d(A, B) = d(C, D) and d(A, C) = d(B, D) come to this.
        self._lcs_cd = lcs_ab + len(c) - len(a)
        self._lcs_bd = lcs_ac + len(b) - len(a)
        self._prefix = min(shared_beginning(a, b), shared_beginning(a, c))
        self._work = work + len(a) + 2 * (len(b) + len(c))
        self._passable: dict[_Place, bool] = {}

    def is_solved_by(self, d: str) -> bool:
        """Whether A : B :: C : D, for any D in NFC, by the formal definition."""
        if len(self._a) + len(d) != len(self._b) + len(self._c) or sorted(self._a + d) != sorted(self._b + self._c):
            return False
        return self.is_as_similar(d)

    def holds(self, d: str) -> bool:
        """Whether A : B :: C : D, for a D that has the right number of every character; it costs work."""
        self._work -= len(self._b) + len(self._c)
        return self.is_as_similar(d)

    def is_as_similar(self, d: str) -> bool:
        return length_of_lcs(self._c, d) == self._lcs_cd and length_of_lcs(self._b, d) == self._lcs_bd

    def candidates(self) -> Iterator[str]:
        """Strings that may be solutions, that of the paper's trace first; a string may come again."""
        if (first := self._first_trace()) is not None:
            yield first
        yield from self._traces()
        yield from self._arrangements()

    @cached_property
    def _ab(self) -> list[int]:
        return lcs_rows(self._a, self._b)

    @cached_property
    def _ac(self) -> list[int]:
        return lcs_rows(self._a, self._c)

    def _first_trace(self) -> str | None:
        """The string of the paper's trace; None where that comes to no end."""
        place: _Place = (len(self._a), len(self._b), len(self._c), self.common)
        written: list[str] = []
        while any(place[:3]):
            move = next(self._ways(place), None)
            if move is None:
                return None
            place, text = move
            written.append(text)
        return "".join(reversed(written))

    def _traces(self) -> Iterator[str]:
        """The string of each pair of optimal paths that may be a solution, in the order described below."""
        suffixes = _Suffixes(self._b, self._c)
        bounded = _stays_composed(self._b + self._c)
        seen: set[State] = set()
        dead: set[_Outlook] = set()
        found = 0
        start = (len(self._a), len(self._b), len(self._c), self.common, 0)
        path: list[tuple[Iterator[State], _Outlook | None, int]] = [(iter([start]), None, 0)]
        while path and self._work > 0:
            moves, outlook, found_before = path[-1]
            state = next(moves, None)
            if state is None:
                path.pop()
                if bounded and outlook is not None and found == found_before:
                    dead.add(outlook)
                continue
            outlook = (*state[:4], *suffixes.rows[state[4]])
            if state in seen:
                found += outlook not in dead  # what came of it is not to be found again, but it came
            else:
                seen.add(state)
                self._work -= 1
                if bounded and (outlook in dead or self._is_too_similar(state, suffixes)):
                    dead.add(outlook)
                elif any(state[:3]):
                    path.append((self._moves(state, suffixes), outlook, found))
                else:
                    found += 1
                    yield suffixes.spelled(state[4])

    def _moves(self, state: State, suffixes: _Suffixes) -> Iterator[State]:
        for place, text in self._ways(state[:4]):
            if self._is_passable(place):
                yield *place, suffixes.before(text, state[4]) if text else state[4]

    def _is_passable(self, place: _Place) -> bool:
        known = self._passable
        path = [(place, iter([(place, "")]))]
        while path and self._work > 0:
            at, ways = path[-1]
            for other, _ in ways:
                passable = known.get(other)
                if passable or not any(other[:3]):
                    known.update((each, True) for each, _ in path)
                    return True
                if passable is None:
                    self._work -= 1
                    path.append((other, self._ways(other)))
                    break
            else:
                known[at] = False
                path.pop()
        return False

    def _is_too_similar(self, state: State, suffixes: _Suffixes) -> bool:
        """Whether B[j:] or C[k:] and the suffix have more in common than a solution may have."""
        i, j, k, common, suffix = state
        in_b, in_c = suffixes.alike(suffix, j, k)
        # The ones in a row are the characters of B, or of C, that no LCS with A[:i] needs: they will be written.
        to_b = common + (self._ab[i] & ((1 << j) - 1)).bit_count()
        to_c = common + (self._ac[i] & ((1 << k) - 1)).bit_count()
        return in_b + to_b > self._lcs_bd or in_c + to_c > self._lcs_cd

    def _ways(self, place: _Place) -> Iterator[tuple[_Place, str]]:
        """Where one move leads, and what it writes; the move of the paper's trace first."""
        a, b, c, ab, ac = self._a, self._b, self._c, self._ab, self._ac
        i, j, k, common = place
        if 0 < i == j == k <= self._prefix:
            # The paper's trace copies all of a prefix that the three terms share.
            yield (0, 0, 0, 0), a[:i]
        in_b = i > 0 < j and a[i - 1] == b[j - 1]
        in_c = i > 0 < k and a[i - 1] == c[k - 1]
        if in_b and in_c and common:
            yield (i - 1, j - 1, k - 1, common - 1), a[i - 1]
        from_b = j > 0 and ab[i] >> (j - 1) & 1
        from_c = k > 0 and ac[i] >> (k - 1) & 1
        insertions = []
        if from_b and not in_b:
            insertions.append(((i, j - 1, k, common), b[j - 1]))
        if from_c and not in_c:
            insertions.append(((i, j, k - 1, common), c[k - 1]))
        if len(insertions) == 2 and _skippable(ab, i, j) and not _skippable(ac, i, k):
            insertions.reverse()
        yield from insertions
        if in_b and _skippable(ac, i, k):
            yield (i - 1, j - 1, k, common), ""
        if in_c and _skippable(ab, i, j):
            yield (i - 1, j, k - 1, common), ""
        if from_b and in_b:
            yield (i, j - 1, k, common), b[j - 1]
        if from_c and in_c:
            yield (i, j, k - 1, common), c[k - 1]

    def _arrangements(self) -> Iterator[str]:
        """The strings of the right characters that may satisfy the definition, if they are short enough."""
        if len(self._b) + len(self._c) - len(self._a) > LONGEST_SEARCHED:
            return
        rest = list(self._b + self._c)
        for character in self._a:
            rest.remove(character)
        path = [("", "".join(rest))]
        while path and self._work > 0:
            suffix, left = path.pop()
            self._work -= 1
            similar = ((self._lcs_cd, length_of_lcs(self._c, suffix)), (self._lcs_bd, length_of_lcs(self._b, suffix)))
            # Each character still to be written adds 0 or 1 to an LCS.
            if not all(length <= due <= length + len(left) for due, length in similar):
                continue
            if not left:
                yield suffix
            path.extend((x + suffix, left.replace(x, "", 1)) for x in sorted(set(left)))


class _Suffixes:
    """What may be written of x, each suffix by a number, and how like it is to each end of B and of C."""

    def __init__(self, b: str, c: str) -> None:
        self._sizes = len(b), len(c)
        self._places = places_of(b[::-1]), places_of(c[::-1])
        self._numbers: dict[tuple[int, str], int] = {}
        self._steps: list[tuple[int, str]] = [(0, "")]
        self.rows: list[tuple[int, int]] = [((1 << len(b)) - 1, (1 << len(c)) - 1)]
        """Of each suffix the last row of its LCS matrix with B, and with C, read from the end. 0 is the empty one."""

    def before(self, text: str, suffix: int) -> int:
        """The number of the suffix that has ``text`` before the suffix of that number."""
        number = self._numbers.setdefault((suffix, text), len(self._steps))
        if number == len(self._steps):
            self._steps.append((suffix, text))
            row_b, row_c = self.rows[suffix]
            places_b, places_c = self._places
            for character in reversed(text):
                row_b = _next_row(row_b, places_b.get(character, 0), self.rows[0][0])
                row_c = _next_row(row_c, places_c.get(character, 0), self.rows[0][1])
            self.rows.append((row_b, row_c))
        return number

    def alike(self, suffix: int, j: int, k: int) -> tuple[int, int]:
        """The lengths of the LCS of a suffix with B[j:], and with C[k:]."""
        (row_b, row_c), (size_b, size_c) = self.rows[suffix], self._sizes
        ones_b = (row_b & ((1 << (size_b - j)) - 1)).bit_count()
        ones_c = (row_c & ((1 << (size_c - k)) - 1)).bit_count()
        return size_b - j - ones_b, size_c - k - ones_c

    def spelled(self, suffix: int) -> str:
        texts = []
        while suffix:
            suffix, text = self._steps[suffix]
            texts.append(text)
        return "".join(texts)


def _next_row(row: int, places: int, every: int) -> int:
    matches = row & places
    return ((row + matches) | (row - matches)) & every if matches else row


def _stays_composed(text: str) -> bool:
    """Whether normalisation leaves these characters as they are in any order.

    A mark joins the letter before it. What normalisation changes is no string of the paths, so that nothing can be said
    of it on the way.
    """
    return text.isascii() or not (
        _VOWELS_AND_TAILS.search(text) or any(unicodedata.category(each)[0] == "M" for each in set(text))
    )


def _skippable(rows: list[int], i: int, j: int) -> bool:
    """Whether some LCS of A[:i] and the other term's first j characters does without the character A[i - 1]."""
    if i == 0:
        return False
    columns = (1 << j) - 1
    return (rows[i] & columns).bit_count() == (rows[i - 1] & columns).bit_count()


# The general solver of analogical equations A : B :: C : x between strings of characters.
#
# The algorithm is that of Lepage (1998), "Solving analogies on words: an algorithm" (COLING-ACL). The LCS matrices A x
# B and A x C are followed simultaneously, from the end of the words to their beginning, each along an optimal path,
# and the moves write x from right to left:
#
# - common: the character of A is matched in B and in C, and is copied. A whole trace has exactly
#   ``com = lcs(A, B) + lcs(A, C) - |A|`` such moves. A negative com means that a character of A is found neither in B
#   nor in C: there is no solution then, even where the formal definition would allow one (ab : ba :: cd : dc);
# - insertion: a character that B, or C, has and A has not is copied;
# - replacement: a character of A that is matched in B but not in C, or in C but not in B, is dropped.
#
# Order. Where A and C differ in one run of characters that stands once in B, or A and B in one that stands once in C,
# that run is exchanged there first: matched from the right, "Yes." : "Yes, please." :: "No." would find the e and the
# s of "please". Then comes the trace of the paper: at every place a common character before all else; then an
# insertion that is the only way on in its matrix, of B before C; then any other insertion, of B before C; then a
# replacement; last, an insertion in place of a match. So where B and C insert at the same place, the insertion of B is
# written first and, as writing goes leftwards, stands behind that of C: a : ab :: ac : acb. The formal definition may
# refuse the outcome, as too similar to B or C. Then the other pairs of optimal paths are tried, the latest choice
# being changed first. When these are exhausted, strings of at most eight characters are searched for by the definition
# alone.
#
# Words. The definition compares sequences, so that it refuses what stands in another order: "Tom stood quickly." :
# "Tom quickly got dressed." :: "Tom stood." has no solution by it, though what C lacks stands in B as it stands in A.
# So where no string satisfies the definition, the words in which A and C differ are exchanged in B if they stand there
# once, as whole units, or those in which A and B differ in C.
#
# Bound. `work` is the number of states that may be visited and LCS rows compared, beyond what one trace and its
# verification need; when it is used up, the search ends. The result depends on nothing but the arguments. The first
# trace is followed by itself; what comes behind it is searched with what ``Equation`` knows of ways that lead to no
# solution.


WORK = 2_000
"""Default bound: an equation of sentences takes 0.04 ms, as a rule; at most 8."""

LONGEST_TERM = 10_000
"""Length, in characters, up to which terms are compared: an LCS matrix has a bit for each pair of characters."""


def solve(a: str, b: str, c: str, *, work: int = WORK) -> str | None:
    """Return the first solution x of A : B :: C : x, in NFC, or None where none is found within the bound.

    Where one term is longer than LONGEST_TERM, only A = B and A = C are solved.

    The result satisfies ``is_analogy(a, b, c, result)``, unless no string is found that does: then it is one of the
    other terms with words exchanged.
    """
    return next(_search(a, b, c, work), None)


def solutions(a: str, b: str, c: str, *, limit: int = 10, work: int = WORK) -> list[str]:
    """Return the distinct solutions x of A : B :: C : x found within the bound, the one of `solve` first.

    At most `limit` of them; 0 means all that the bound allows. Raises ValueError for a negative limit.
    """
    return list(islice(_search(a, b, c, work), limit or None))


def _search(a: str, b: str, c: str, work: int) -> Iterator[str]:
    """Yield the distinct solutions in the order of the module docstring."""
    a, b, c = nfc(a), nfc(b), nfc(c)
    none = True
    for found in _by_definition(a, b, c, work):
        none = False
        yield found
    if none and max(len(a), len(b), len(c)) <= LONGEST_TERM:
        moved = (_with_words_exchanged(a, c, b), _with_words_exchanged(a, b, c))
        yield from dict.fromkeys(each for each in moved if each is not None)


def _by_definition(a: str, b: str, c: str, work: int) -> Iterator[str]:
    if a in (b, c):
        # One of the two distances is 0, so that the definition leaves a single string.
        yield c if a == b else b
        return
    if max(len(a), len(b), len(c)) > LONGEST_TERM:
        return
    exchanged = [text for text in (_exchanged(a, c, b), _exchanged(a, b, c)) if text is not None]
    if not exchanged and _has_what_neither_has(a, b, c):
        return
    equation = Equation(a, b, c, work)
    tried: set[str] = set()
    # Where normalisation changed the characters, the conditions that a text meets by construction are in doubt.
    for candidate in exchanged:
        text = nfc(candidate)
        if text in tried:
            continue
        if equation.is_as_similar(text) if text == candidate else equation.is_solved_by(text):
            tried.add(text)
            yield text
    if equation.common < 0 or (exchanged and _has_what_neither_has(a, b, c)):
        return
    for candidate in equation.candidates():
        text = nfc(candidate)
        if text in tried:
            continue
        tried.add(text)
        if equation.holds(text) if text == candidate else equation.is_solved_by(text):
            yield text


def _has_what_neither_has(a: str, b: str, c: str) -> bool:
    return any(a.count(each) > b.count(each) + c.count(each) for each in set(a))


def _exchanged(old: str, new: str, text: str) -> str | None:
    """``text`` with what differs between ``old`` and ``new`` exchanged.

    It must be a part of ``old`` and stand in ``text`` exactly once.
    """
    begin, end = common_ends(old, new)
    before, after = old[begin : len(old) - end], new[begin : len(new) - end]
    at = text.find(before)
    if not before or before == old or at < 0 or text.find(before, at + 1) >= 0:
        return None
    return text[:at] + after + text[at + len(before) :]


def _with_words_exchanged(old: str, new: str, text: str) -> str | None:
    """``text`` with the units in which ``old`` and ``new`` differ exchanged, in NFC; None where that is not clear.

    They must hold a word between spaces, or one of a script that has none, be a part of ``old``, and stand in ``text``
    once. Neither are words joined or cut there, nor spaces doubled.
    """
    olds, news = units_of(old), units_of(new)
    begin, end = common_ends(olds, news)
    before, after = olds[begin : len(olds) - end], news[begin : len(news) - end]
    if not before or len(before) == len(olds) or "".join(before) not in text:
        return None
    if not (" " in "".join(before) or has_undelimited_script("".join(before))):
        return None
    units = units_of(text)
    places = [start for start in range(len(units)) if units[start : start + len(before)] == before]
    if len(places) != 1:
        return None
    exchanged = [*units[: places[0]], *after, *units[places[0] + len(before) :]]
    made = nfc("".join(exchanged))
    return made if made and made == made.strip() and units_of(made) == exchanged else None
