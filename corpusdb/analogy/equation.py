"""One analogical equation A : B :: C : x: what a solution must look like, and the search for strings that do.

Pairs of optimal paths through the LCS matrices A x B and A x C are followed in the order that solver.py describes. A
state is left where no way from it leads to a solution:

- from many places in the terms the two paths come to no end together, whatever was written before; those are found
  first, without a look at x;
- x must be like B, and like C, exactly as far as the definition says. All that a path still writes of B[:j] will stand
  in x in the order of B, so that B[j:] and what is written may share no more than the rest;
- what can still become of a state depends on what is written only by how like it is to each end of B and of C. Where
  nothing came of one state, nothing will come of another one that has the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from typing import Final, TypeAlias

from corpusdb.analogy.definition import lcs_rows, length_of_lcs, places_of
from corpusdb.text import shared_beginning

__all__ = ["LONGEST_SEARCHED", "Equation"]

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
        """Whether the distances are those of an analogy."""
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
        a, b, c, ab, ac = self._a, self._b, self._c, self._ab, self._ac
        i, j, k, common = len(a), len(b), len(c), self.common
        written: list[str] = []
        while i or j or k:
            if 0 < i == j == k <= self._prefix:
                written.append(a[:i])
                break
            in_b = i > 0 < j and a[i - 1] == b[j - 1]
            in_c = i > 0 < k and a[i - 1] == c[k - 1]
            if in_b and in_c and common:
                i, j, k, common = i - 1, j - 1, k - 1, common - 1
                written.append(a[i])
                continue
            from_b = j > 0 and ab[i] >> (j - 1) & 1
            from_c = k > 0 and ac[i] >> (k - 1) & 1
            only_b, only_c = from_b and not in_b, from_c and not in_c
            if only_b and not (only_c and _skippable(ab, i, j) and not _skippable(ac, i, k)):
                j -= 1
                written.append(b[j])
            elif only_c:
                k -= 1
                written.append(c[k])
            elif in_b and _skippable(ac, i, k):
                i, j = i - 1, j - 1
            elif in_c and _skippable(ab, i, j):
                i, k = i - 1, k - 1
            elif from_b:
                j -= 1
                written.append(b[j])
            elif from_c:
                k -= 1
                written.append(c[k])
            else:
                return None
        return "".join(reversed(written))

    def _traces(self) -> Iterator[str]:
        """The string of each pair of optimal paths that may be a solution, in the order of solver.py."""
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
        """The states that one move leads to, as far as the paths come to an end from there."""
        for place, text in self._ways(state[:4]):
            if self._is_passable(place):
                yield *place, suffixes.before(text, state[4]) if text else state[4]

    def _is_passable(self, place: _Place) -> bool:
        """Whether the beginnings of all three terms are reached from a place, whatever was written before."""
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
        """The suffix of that number."""
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
