"""Forms and spellings of one word: what is no equivalent of it in a sentence, and what is the same word there.

Forms are often aligned with the same word. The year, the years: Icelandic "ár" is both, and only one of them can stand
where the other does. Words that begin alike are taken for forms of one word, and so are the irregular forms of
irregular_forms.tsv beside this module. In Japanese what ends in different kana behind the same kanji is one word.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from os.path import commonprefix
from typing import Final, NamedTuple

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


# The same words written otherwise: hyphens, dates, numbers and the two spellings of English, which change no meaning.
#
# What is here holds in whatever sentence. Marks of quotation, dashes, digits as words and 1,000 as 1000 are none of it:
# on sets of WMT they did not help, and systems that write them as the reference does are often the better ones. Words
# of two spellings are rows of spellings.tsv beside this module: endings, as a regular expression, and pairs of what
# stands before them, of which either may stand for the other (of ``>`` the second for the first only; _ is a space).

_PREFIXES: Final = frozenset("anti co de e ex mid multi non post pre pro re semi sub un x".split())
"""What is written apart from no word."""
_HYPHEN: Final = re.compile(r"(?<![\w-])([a-z]+)-([a-z]+)(?![\w-])")

_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY_FIRST: Final = re.compile(rf"(?<![\w.,])(\d\d?)(?:st|nd|rd|th)? (?:of )?({_MONTHS})\b", re.IGNORECASE)
_MONTH_FIRST: Final = re.compile(rf"\b({_MONTHS}) (\d\d?)(?:st|nd|rd|th)?\b(?![.,]?\d)", re.IGNORECASE)
_NUMBERS: Final = "two three four five six seven eight nine ten eleven twelve".split()
_ALONE: Final = r"(?<![$€£] )(?<!\bto )(?<!\bor )(?<!\band )(?<!\d - )"
"""What stands in a range, or behind a currency, is written as the rest of it."""
_WORD: Final = re.compile(rf"{_ALONE}(?<![\w-])({'|'.join(_NUMBERS)})(?= (?!(?:to|or|and)\b)[a-z])")


class Variant(NamedTuple):
    """What may stand from ``start`` up to, not including, ``end``, in code points."""

    start: int
    end: int
    text: str


def written_otherwise(language: str, text: str, is_word: Callable[[str], bool]) -> Iterator[Variant]:
    """Each place of a text that may be written otherwise, once for each way, by kind and then by place.

    ``is_word``: whether a word, in lower case, is known: what a hyphen joins may then stand as one.
    """
    if language == "eng":
        for found in _HYPHEN.finditer(text):
            if is_word(found[1] + found[2]):
                yield Variant(*found.span(), found[1] + found[2])
            elif found[1] not in _PREFIXES:
                yield Variant(*found.span(), f"{found[1]} {found[2]}")
        yield from _figures(text)
    for pattern, others in _spellings(language):
        for found in pattern.finditer(text):
            if found[0][:1].isupper() and any(map(str.isalnum, text[: found.start()])):
                continue  # a name: the Labour Party
            written = others[found[1].lower()] + found[2]
            yield Variant(*found.span(), _in_case_of(found[0], written))


def _figures(text: str) -> Iterator[Variant]:
    """Dates the other way round, and small numbers as digits."""
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        for found in pattern.finditer(text):
            day, month = found.groups() if pattern is _DAY_FIRST else found.groups()[::-1]
            yield from (Variant(*found.span(), way) for way in (f"{day} {month}", f"{month} {day}") if way != found[0])
    for found in _WORD.finditer(text):
        yield Variant(*found.span(), str(_NUMBERS.index(found[0]) + 2))


def _in_case_of(before: str, written: str) -> str:
    if len(before) > 1 and before.isupper():
        return written.upper()
    return f"{written[:1].upper()}{written[1:]}" if before[:1].isupper() else written


@cache
def _spellings(language: str) -> tuple[tuple[re.Pattern[str], dict[str, str]], ...]:
    """For each row of a language what finds a spelling and its ending, and the other spelling of each."""
    lines = files("corpusdb.alignment").joinpath("spellings.tsv").read_text(encoding="utf-8").splitlines()
    found = []
    for code, endings, pairs in (line.split("\t") for line in lines[1:]):
        if code == language:
            others: dict[str, str] = {}
            for pair in pairs.split(" "):
                one, other = re.split("[/>]", pair.replace("_", " "))
                others[one] = other
                if "/" in pair:
                    others[other.lower()] = one
            longest = sorted(others, key=lambda each: (-len(each), each))
            words = "|".join(map(re.escape, longest))
            found.append((re.compile(rf"(?<![\w-])({words})({endings})(?![\w-])", re.IGNORECASE), others))
    return tuple(found)
