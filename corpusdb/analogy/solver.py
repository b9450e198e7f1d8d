"""The general solver of analogical equations A : B :: C : x between strings of characters.

The algorithm is that of Lepage (1998), "Solving analogies on words: an algorithm" (COLING-ACL). The LCS matrices A x B
and A x C are followed simultaneously, from the end of the words to their beginning, each along an optimal path, and
the moves write x from right to left:

- common: the character of A is matched in B and in C, and is copied. A whole trace has exactly
  ``com = lcs(A, B) + lcs(A, C) - |A|`` such moves. A negative com means that a character of A is found neither in B
  nor in C: there is no solution then, even where the formal definition would allow one (ab : ba :: cd : dc);
- insertion: a character that B, or C, has and A has not is copied;
- replacement: a character of A that is matched in B but not in C, or in C but not in B, is dropped.

Order. Where A and C differ in one run of characters that stands once in B, or A and B in one that stands once in C,
that run is exchanged there first: matched from the right, "Yes." : "Yes, please." :: "No." would find the e and the s
of "please". Then comes the trace of the paper: at every place a common character before all else; then an insertion
that is the only way on in its matrix, of B before C; then any other insertion, of B before C; then a replacement;
last, an insertion in place of a match. So where B and C insert at the same place, the insertion of B is written first
and, as writing goes leftwards, stands behind that of C: a : ab :: ac : acb. The formal definition may refuse the
outcome, as too similar to B or C. Then the other pairs of optimal paths are tried, the latest choice being changed
first. When these are exhausted, strings of at most eight characters are searched for by the definition alone.

Words. The definition compares sequences, so that it refuses what stands in another order: "Tom stood quickly." : "Tom
quickly got dressed." :: "Tom stood." has no solution by it, though what C lacks stands in B as it stands in A. So where
no string satisfies the definition, the words in which A and C differ are exchanged in B if they stand there once, as
whole units, or those in which A and B differ in C.

Bound. `work` is the number of states that may be visited and LCS rows compared, beyond what one trace and its
verification need; when it is used up, the search ends. The result depends on nothing but the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from os.path import commonprefix
from typing import TypeAlias

from corpusdb.analogy.definition import is_analogy, lcs_length, lcs_rows
from corpusdb.text import has_undelimited_script, nfc, units_of

__all__ = ["LONGEST_TERM", "solutions", "solve"]

WORK = 10_000
"""Default bound: some 20 ms where a sentence equation has no solution, 0.1 s for texts of 2,000 characters."""

LONGEST_SEARCHED = 8
"""Length, in characters, up to which a solution is searched for by the definition alone."""

LONGEST_TERM = 10_000
"""Length, in characters, up to which terms are compared: an LCS matrix has a bit for each pair of characters."""

State: TypeAlias = tuple[int, int, int, int, int]
"""How much is left of A, B and C, the common characters still due, and the number of the suffix of x written so far."""


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
    """Yield the distinct solutions that satisfy the definition; the terms are in NFC."""
    if a in (b, c):
        # One of the two distances is 0, so that the definition leaves a single string.
        yield c if a == b else b
        return
    if max(len(a), len(b), len(c)) > LONGEST_TERM:
        return
    if any(a.count(character) > b.count(character) + c.count(character) for character in set(a)):
        return
    tried: set[str] = set()
    for exchanged in (_exchanged(a, c, b), _exchanged(a, b, c)):
        if exchanged is not None and exchanged not in tried and is_analogy(a, b, c, exchanged):
            tried.add(exchanged)
            yield exchanged
    equation = _Equation(a, b, c, work)
    if equation.common < 0:
        return
    for candidate in chain(equation.traces(), equation.arrangements()):
        text = nfc(candidate)
        if text in tried:
            continue
        tried.add(text)
        # Where normalisation changed the characters, the conditions that a trace meets by construction are in doubt.
        if equation.holds(text) if text == candidate else is_analogy(a, b, c, text):
            yield text


def _exchanged(old: str, new: str, text: str) -> str | None:
    """``text`` with what differs between ``old`` and ``new`` exchanged, in NFC.

    It must be a part of ``old`` and stand in ``text`` exactly once.
    """
    begin = len(commonprefix((old, new)))
    end = len(commonprefix((old[begin:][::-1], new[begin:][::-1])))
    before, after = old[begin : len(old) - end], new[begin : len(new) - end]
    at = text.find(before)
    if not before or before == old or at < 0 or text.find(before, at + 1) >= 0:
        return None
    return nfc(text[:at] + after + text[at + len(before) :])


def _with_words_exchanged(old: str, new: str, text: str) -> str | None:
    """``text`` with the units in which ``old`` and ``new`` differ exchanged, in NFC; None where that is not clear.

    They must hold a word between spaces, or one of a script that has none, be a part of ``old``, and stand in ``text``
    once. Neither are words joined or cut there, nor spaces doubled.
    """
    olds, news = units_of(old), units_of(new)
    begin = len(commonprefix((olds, news)))
    end = len(commonprefix((olds[begin:][::-1], news[begin:][::-1])))
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


class _Equation:
    """One equation between terms in NFC: its matrices, what a solution must look like, the work still allowed."""

    def __init__(self, a: str, b: str, c: str, work: int) -> None:
        self.a, self.b, self.c = a, b, c
        self.ab, self.ac = lcs_rows(a, b), lcs_rows(a, c)
        lcs_ab, lcs_ac = len(b) - self.ab[-1].bit_count(), len(c) - self.ac[-1].bit_count()
        self.common = lcs_ab + lcs_ac - len(a)
        # With |D| = |B| + |C| - |A|, d(A, B) = d(C, D) and d(A, C) = d(B, D) come to this.
        self.lcs_cd = lcs_ab + len(c) - len(a)
        self.lcs_bd = lcs_ac + len(b) - len(a)
        self.prefix = len(commonprefix((a, b, c)))
        self.work = work + len(a) + 2 * (len(b) + len(c))
        self.suffixes: dict[tuple[int, str], int] = {}

    def holds(self, d: str) -> bool:
        """Tell whether A : B :: C : D, for a D that has the right number of every character."""
        self.work -= len(self.b) + len(self.c)
        return lcs_length(self.c, d) == self.lcs_cd and lcs_length(self.b, d) == self.lcs_bd

    def traces(self) -> Iterator[str]:
        """Yield the string of each pair of optimal paths, that of the paper first; a string may come again."""
        seen: set[State] = set()
        path = [iter([(len(self.a), len(self.b), len(self.c), self.common, 0)])]
        while path and self.work > 0:
            state = next(path[-1], None)
            if state is None:
                path.pop()
            elif state not in seen:
                seen.add(state)
                self.work -= 1
                if any(state[:3]):
                    path.append(self._moves(state))
                else:
                    yield self._spelled(state[4])

    def _moves(self, state: State) -> Iterator[State]:
        """Yield the states that one move leads to, the move of the paper's trace first."""
        i, j, k, common, suffix = state
        if 0 < i == j == k <= self.prefix:
            # The paper's trace copies all of a prefix that the three terms share.
            yield 0, 0, 0, 0, self._written(self.a[:i], suffix)
        in_b = i > 0 < j and self.a[i - 1] == self.b[j - 1]
        in_c = i > 0 < k and self.a[i - 1] == self.c[k - 1]
        if in_b and in_c and common:
            yield i - 1, j - 1, k - 1, common - 1, self._written(self.a[i - 1], suffix)
        from_b = j > 0 and self.ab[i] >> (j - 1) & 1
        from_c = k > 0 and self.ac[i] >> (k - 1) & 1
        insertions = []
        if from_b and not in_b:
            insertions.append((i, j - 1, k, common, self._written(self.b[j - 1], suffix)))
        if from_c and not in_c:
            insertions.append((i, j, k - 1, common, self._written(self.c[k - 1], suffix)))
        if len(insertions) == 2 and _skippable(self.ab, i, j) and not _skippable(self.ac, i, k):
            insertions.reverse()
        yield from insertions
        if in_b and _skippable(self.ac, i, k):
            yield i - 1, j - 1, k, common, suffix
        if in_c and _skippable(self.ab, i, j):
            yield i - 1, j, k - 1, common, suffix
        if from_b and in_b:
            yield i, j - 1, k, common, self._written(self.b[j - 1], suffix)
        if from_c and in_c:
            yield i, j, k - 1, common, self._written(self.c[k - 1], suffix)

    def _written(self, text: str, suffix: int) -> int:
        """Return the number of the suffix that has `text` before the suffix of that number; 0 is the empty one."""
        return self.suffixes.setdefault((suffix, text), len(self.suffixes) + 1)

    def _spelled(self, suffix: int) -> str:
        """Return the suffix of that number."""
        steps = list(self.suffixes)
        texts = []
        while suffix:
            suffix, text = steps[suffix - 1]
            texts.append(text)
        return "".join(texts)

    def arrangements(self) -> Iterator[str]:
        """Yield the strings of the right characters that may satisfy the definition, if they are short enough."""
        if len(self.b) + len(self.c) - len(self.a) > LONGEST_SEARCHED:
            return
        rest = list(self.b + self.c)
        for character in self.a:
            rest.remove(character)
        path = [("", "".join(rest))]
        while path and self.work > 0:
            suffix, left = path.pop()
            self.work -= 1
            similar = ((self.lcs_cd, lcs_length(self.c, suffix)), (self.lcs_bd, lcs_length(self.b, suffix)))
            # Each character still to be written adds 0 or 1 to an LCS.
            if not all(length <= due <= length + len(left) for due, length in similar):
                continue
            if not left:
                yield suffix
            path.extend((x + suffix, left.replace(x, "", 1)) for x in sorted(set(left)))


def _skippable(rows: list[int], i: int, j: int) -> bool:
    """Tell whether some LCS of A[:i] and the other term's first j characters does without the character A[i - 1]."""
    if i == 0:
        return False
    columns = (1 << j) - 1
    return (rows[i] & columns).bit_count() == (rows[i - 1] & columns).bit_count()
