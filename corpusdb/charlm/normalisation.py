"""What texts are reduced to before characters are counted, so that habits of transcription are not measured.

Denoual 2005, section 3.1: the comparison is to be made "on the underlying signal itself". The names are part of
what a figure depends on.

- none: nothing is changed
- nfkc: compatible forms are one (Unicode NFKC)
- case: also lower case; quotes and apostrophes in ASCII; white space is one blank, and none beside CJK characters
- letters: also without what is neither a letter nor a mark on one; an apostrophe joins, all else parts
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from corpusdb.errors import UsageError

__all__ = ["DEFAULT_NORMALISATION", "NORMALISATIONS", "normalised"]

NORMALISATIONS: Final = ("none", "nfkc", "case", "letters")
DEFAULT_NORMALISATION: Final = "case"

_QUOTES: Final = dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u02bc\u02b9`", "'") | dict.fromkeys(
    "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'
)
_CJK: Final = (
    "\u2e80-\u2fdf\u3000-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_BLANKS: Final = re.compile(r"[^\S \n][^\S\n]*| [^\S\n]+")
"""White space that is not one blank already, which most is."""
_BLANK_AT_END: Final = re.compile(r"^ | $", re.MULTILINE)
_BLANK_BESIDE_CJK: Final = re.compile(f" (?=[{_CJK}])|(?<=[{_CJK}]) ")
_LINES_AT_A_TIME: Final = 5_000


class _Letters(dict[int, str]):
    """For str.translate: letters, marks and line breaks as they are, apostrophes gone, all else a blank."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kept = char == "\n" or unicodedata.category(char)[0] in "LM"
        self[code] = char if kept else "" if char == "'" else " "
        return self[code]


_LETTERS: Final = _Letters()


def normalised(texts: Sequence[str], name: str) -> list[str]:
    """The texts in one of NORMALISATIONS; a text may come out empty."""
    if name not in NORMALISATIONS:
        raise UsageError(f"there is no normalisation {name!r}, but {', '.join(NORMALISATIONS)}")
    if name == "none":
        return list(texts)
    if name == "nfkc":
        return [unicodedata.normalize("NFKC", text) for text in texts]
    out: list[str] = []
    for start in range(0, len(texts), _LINES_AT_A_TIME):
        out += _case_or_letters(texts[start : start + _LINES_AT_A_TIME], name == "letters")
    return out


def _case_or_letters(texts: Sequence[str], letters_only: bool) -> list[str]:
    """All texts as the lines of one, which is many times as fast; no step looks across a line break."""
    if any("\n" in text for text in texts):
        texts = [text.replace("\n", " ") for text in texts]
    joined = unicodedata.normalize("NFKC", "\n".join(texts))
    for mark, plain in _QUOTES.items():
        joined = joined.replace(mark, plain)  # str.translate looks at every character, and takes eight times as long
    joined = joined.lower()
    if letters_only:
        joined = joined.translate(_LETTERS)
    joined = _BLANKS.sub(" ", joined)
    if "\n " in joined or " \n" in joined or joined[:1] == " " or joined[-1:] == " ":
        joined = _BLANK_AT_END.sub("", joined)
    joined = unicodedata.normalize("NFKC", joined)  # again: marks have come beside other characters
    while not joined.isascii() and _BLANK_BESIDE_CJK.search(joined):
        joined = unicodedata.normalize("NFKC", _BLANK_BESIDE_CJK.sub("", joined))  # which may change their order
        joined = _BLANK_AT_END.sub("", joined)
    return joined.split("\n") if texts else []
