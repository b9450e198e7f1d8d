"""Words that look most like another: what somebody meant who typed one that is not there."""

from __future__ import annotations

from collections.abc import Iterable

from corpusdb.cqp.vocabulary import without_diacritics

__all__ = ["edits_between", "near_words"]

_LETTERS_AN_EDIT = 3
"""A word may differ by one letter in so many of its own, so that "it" is like nothing, and "teh" like "the"."""
_MOST_EDITS = 2


def near_words(word: str, words: Iterable[str], most: int = 3) -> list[str]:
    """Those of some words that differ in least from another one, whatever the case and the marks on letters.

    Of forms in other cases the first is given.
    Of those that differ in as much, those come first that have the same letters, then those that come first in
    ``words``. None differs by more than a letter in three, or by more than two.
    """
    wanted = without_diacritics(word.casefold())
    allowed = min(len(wanted) // _LETTERS_AN_EDIT, _MOST_EDITS)
    letters = sorted(wanted)
    found: list[tuple[int, bool, int, str]] = []
    forms: dict[str, str] = {}
    for each in words:
        forms.setdefault(each.casefold(), each)
    for rank, text in enumerate(forms):
        if abs(len(text) - len(wanted)) > allowed:
            continue
        plain = text if text.isascii() else without_diacritics(text)
        if _letters_missing(wanted, plain) <= allowed:
            edits = edits_between(wanted, plain, allowed)
            if edits <= allowed:
                found.append((edits, sorted(plain) != letters, rank, text))
    return [forms[text] for *_, text in sorted(found)[:most]]


def _letters_missing(wanted: str, text: str) -> int:
    """How many letters of ``text`` the other has not: no more than the edits between them, and seen much sooner."""
    for letter in wanted:
        text = text.replace(letter, "", 1)
    return len(text)


def edits_between(one: str, other: str, most: int) -> int:
    """The least number of letters to insert, delete, replace or exchange with the next; ``most`` + 1 for any more."""
    earlier: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one):
        before, earlier, row = earlier, row, [place + 1]
        for column, another in enumerate(other):
            cost = min(earlier[column + 1] + 1, row[column] + 1, earlier[column] + (letter != another))
            if place and column and letter == other[column - 1] and one[place - 1] == another:
                cost = min(cost, before[column - 1] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
