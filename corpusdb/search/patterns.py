"""Patterns that a sentence may hold, what they may ignore, and of what kind one looks."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

from corpusdb.base.errors import QueryError, UsageError
from corpusdb.base.text import as_typed, fold_case


@dataclass(frozen=True, slots=True)
class Folding:
    case: bool = False
    width: bool = False
    """Full-width Latin letters and half-width katakana are the same as the others (NFKC)."""
    alike: str | None = None
    """Those keys of text.LOOK_ALIKES whose look-alikes are the same as they; what is not seen is then not there, also
    where there is no key. None: everything is what it is."""

    def __bool__(self) -> bool:
        return self.case or self.width or self.alike is not None


NO_FOLDING = Folding()


_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
"""Full-width forms of ASCII, and U+3000 of the space, which every search takes for one."""


def other_widths(text: str) -> list[str]:
    """A text with all of its characters as wide as they can be, and as narrow, as far as that is another text."""
    return [other for other in {text.translate(_WIDE), unicodedata.normalize("NFKC", text)} if other != text]


def fold(text: str, folding: Folding) -> str:
    """``text`` without the differences that do not count; line breaks stay where they are."""
    if folding.width and not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if folding.case:
        text = fold_case(text)
    return text if folding.alike is None else as_typed(text, folding.alike)


def original_offsets(text: str, folding: Folding) -> list[int]:
    """For each offset in the folded text, and its end, the offset in ``text`` of what it came from.

    Folding can make a text longer (İ, ﬁ) or shorter (a half-width kana and its voicing mark).
    """
    if not folding or text.isascii():
        return list(range(len(text) + 1))
    whole = fold(text, folding)
    offsets: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        before = fold(text[:end], folding)
        # Not where marks change their order or join a letter over what stands between them.
        if before + fold(text[end:], folding) == whole:
            offsets.extend([start] * (len(before) - len(offsets)))
            start = end
    return [*offsets, len(text)]


Mode: TypeAlias = Literal["substring", "word", "regex", "cqp"]


@dataclass(frozen=True, slots=True)
class Pattern:
    text: str
    mode: Mode = "substring"
    """word: as whole tokens, as frequencies count them; cqp: a query over tokens."""
    folding: Folding = NO_FOLDING


# Of what kind a pattern looks that was taken for one of another kind, and found nothing.


_QUERY_MARKS = re.compile(r"""["']|\[\s*\]""")
_TOKEN_TEST = re.compile(r"\[\s*\w+\s*!?=")
"""Of a token, also where the quotes were lost on the way through a shell: [lemma=go]."""
_REGEX_MARKS = re.compile(r"\\[bBdDsSwW.?*+^$|()\[\]]|[.\])][*+?]|\[[^\]]+\]|\w\|\w|[^\W\d][?*+][^\W\d]|\(\?|^\^|\w\$$")
"""What stands in regular expressions, and hardly in a sentence; "(really)?" is among it."""


def meant_mode(text: str, mode: Mode) -> Mode | None:
    """The kind of pattern that a text of another kind looks like; None where it looks like no other."""
    if mode != "cqp" and _is_query(text):
        return "cqp"
    return "regex" if mode in ("substring", "word") and _is_regex(text) else None


def has_token_test(text: str) -> bool:
    return _TOKEN_TEST.search(text) is not None


def _is_query(text: str) -> bool:
    from corpusdb.search.cqp_parser import parse

    if has_token_test(text):
        return True
    if not _QUERY_MARKS.search(text):
        return False
    try:
        parse(text)
    except (QueryError, UsageError):
        return False
    return True


def _is_regex(text: str) -> bool:
    if not _REGEX_MARKS.search(text):
        return False
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True
