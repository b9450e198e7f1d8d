"""The formal definition of analogy between strings of characters.

A : B :: C : D holds when (Lepage 1998; in this form Lepage and Denoual 2005):

- every character x occurs as often in A and D together as in B and C together, ``|A|x + |D|x = |B|x + |C|x``;
- ``d(A, B) = d(C, D)`` and ``d(A, C) = d(B, D)``.

d is the LCS distance: the least number of insertions and deletions, ``|A| + |B| - 2 * lcs(A, B)``. A character is
a Unicode code point of the text in NFC, so that precomposed and decomposed input give the same answers.
"""

from __future__ import annotations

from corpusdb.text import common_ends, nfc

__all__ = ["is_analogy", "lcs_distance", "lcs_length", "lcs_rows", "length_of_lcs", "places_of"]


def is_analogy(a: str, b: str, c: str, d: str) -> bool:
    """Tell whether A : B :: C : D is an analogy by the formal definition.

    Time: O(n) big-integer operations on n bits, where n is the length of the longest term.
    """
    a, b, c, d = nfc(a), nfc(b), nfc(c), nfc(d)
    if len(a) + len(d) != len(b) + len(c) or sorted(a + d) != sorted(b + c):
        return False
    return _distance(a, b) == _distance(c, d) and _distance(a, c) == _distance(b, d)


def lcs_distance(a: str, b: str) -> int:
    """Return the least number of insertions and deletions of characters that turn A into B (0 to |A| + |B|)."""
    return _distance(nfc(a), nfc(b))


def lcs_length(a: str, b: str) -> int:
    """Return the length, in characters, of a longest common subsequence of A and B (0 to min(|A|, |B|))."""
    return length_of_lcs(nfc(a), nfc(b))


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
        matches = row & occurrences.get(character, 0)
        row = ((row + matches) | (row - matches)) & every
        rows.append(row)
    return rows


def _distance(a: str, b: str) -> int:
    return len(a) + len(b) - 2 * length_of_lcs(a, b)


def length_of_lcs(a: str, b: str) -> int:
    """Return the same as `lcs_length` of two texts that are in NFC; one row of the matrix is kept at a time."""
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


def places_of(text: str) -> dict[str, int]:
    """Map each character to the integer whose bit j is set where the character stands at position j of the text."""
    occurrences: dict[str, int] = {}
    bit = 1
    for character in text:
        occurrences[character] = occurrences.get(character, 0) | bit
        bit <<= 1
    return occurrences
