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
verification need; when it is used up, the search ends. The result depends on nothing but the arguments. The first trace
is followed by itself; what comes behind it is searched with what equation.py knows of ways that lead to no solution.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from corpusdb.analogy.equation import Equation
from corpusdb.text import common_ends, has_undelimited_script, nfc, units_of

__all__ = ["LONGEST_TERM", "solutions", "solve"]

WORK = 2_000
"""Default bound: an equation of sentences takes 0.04 ms, as a rule; at most 8 (tests/benchmarks/solver_speed.py)."""

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
    """Yield the distinct solutions that satisfy the definition; the terms are in NFC."""
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
    """Whether A has a character more often than B and C together."""
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
