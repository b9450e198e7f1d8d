"""The same words written otherwise: hyphens, dates, numbers and the two spellings of English, which change no meaning.

What is here holds in whatever sentence. Marks of quotation, dashes, digits as words and 1,000 as 1000 are none of it:
on sets of WMT they did not help, and systems that write them as the reference does are often the better ones. Words of
two spellings are rows of spellings.tsv beside this module: endings, as a regular expression, and pairs of what stands
before them, of which either may stand for the other (of ``>`` the second for the first only; _ is a space).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

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
