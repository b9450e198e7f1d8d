"""Forms of one word told apart: what is often aligned with the same word, and is no equivalent of it in a sentence.

The year, the years: Icelandic "ár" is both, and only one of them can stand where the other does. Words that begin alike
are taken for forms of one word, and so are the irregular forms of irregular_forms.tsv beside this module. In Japanese
what ends in different kana behind the same kanji is one word.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from os.path import commonprefix
from typing import Final

from corpusdb.base.text import has_undelimited_script

_LEAST: Final = 3
"""Letters that two forms begin with."""
_PART: Final = 0.5
"""Of the longer form."""
_LONGEST_ENDING: Final = 4
_LONGEST_PREFIX: Final = 3


def are_forms_of_one(language: str, first: Sequence[str], second: Sequence[str], closed: frozenset[str]) -> bool:
    """Whether two phrases, in lower case, differ by nothing but endings, order and words of closed classes."""
    if sorted(first) == sorted(second):
        return True
    if len(first) == len(second):
        return all(_are_forms(language, *pair, closed) for pair in zip(first, second, strict=True))
    own, other = ([word for word in phrase if word not in closed] for phrase in (first, second))
    return len(own) == len(other) and all(_are_forms(language, *pair, closed) for pair in zip(own, other, strict=True))


def _are_forms(language: str, one: str, other: str, closed: frozenset[str]) -> bool:
    if one == other or (one in closed and other in closed):
        return True
    return are_alike(one, other) or bool(_irregular(language, one) & _irregular(language, other))


def are_alike(one: str, other: str) -> bool:
    """Whether two words begin or end alike, and differ in what stands before or behind: run, runs; likely, unlikely."""
    if has_undelimited_script(one) or has_undelimited_script(other):
        stem = commonprefix([one, other])
        return _is_han(stem[-1:]) and not any(map(_is_han, one[len(stem) :] + other[len(stem) :]))
    return any(_begin_alike(*forms) for forms in product(_stems(one), _stems(other))) or _begin_alike(
        one[::-1], other[::-1], _LONGEST_PREFIX
    )


def _begin_alike(one: str, other: str, longest: int = 2 * _LONGEST_ENDING) -> bool:
    short, long = sorted((one, other), key=len)
    common = len(commonprefix([short, long]))
    if longest == _LONGEST_PREFIX and common < len(short):
        return False  # mother and brother end alike, and are two words
    least = max(_LEAST, math.ceil(_PART * len(long)))
    return common >= least and len(short) - common <= _LONGEST_ENDING and len(long) - common <= longest


def _stems(word: str) -> tuple[str, ...]:
    """Also with i for a last y: try, tried."""
    return (word, f"{word[:-1]}i") if word.endswith("y") else (word,)


def _irregular(language: str, word: str) -> frozenset[int]:
    """The numbers of the words that have this form."""
    return _forms().get((language, word), frozenset())


@cache
def _forms() -> dict[tuple[str, str], frozenset[int]]:
    lines = files("corpusdb.alignment").joinpath("irregular_forms.tsv").read_text(encoding="utf-8")
    return _by_form(line.split("\t") for line in lines.splitlines()[1:])


def _by_form(rows: Iterable[Sequence[str]]) -> dict[tuple[str, str], frozenset[int]]:
    found: dict[tuple[str, str], frozenset[int]] = {}
    for number, (language, forms) in enumerate(rows):
        for form in forms.split():
            found[language, form] = found.get((language, form), frozenset()) | {number}
    return found


def _is_han(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff" or character == "\u3005"
