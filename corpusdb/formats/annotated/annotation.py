"""What is known of the tokens of a sentence, and where in its text they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpusdb.errors import UsageError
from corpusdb.text import normalise

__all__ = ["WORD", "Annotation", "Surface", "check_names", "place_tokens", "word_spans"]

WORD: Final = "word"
"""The attribute that every token has: its form."""
_NAME: Final = re.compile(r"[^\W\d]\w*(?:-\w+)*")


@dataclass(frozen=True, slots=True)
class Annotation:
    """The tokens of one sentence."""

    names: tuple[str, ...]
    """Of the attributes, the word first."""
    spans: tuple[tuple[int, int], ...]
    """Where each token stands in the normalised text, half open, in code points; never before the one before it begins.

    Words that are written as one, as French *du* is *de le*, have one span.
    """
    columns: tuple[tuple[str, ...], ...]
    """For each attribute its value for each token; "" where nothing is known."""
    remarks: tuple[tuple[int, str], ...] = ()
    """Lines of the file that are about no token by itself, each with the number of tokens before it; -1: a comment."""

    def __post_init__(self) -> None:
        if any(len(column) != len(self.spans) for column in self.columns) or len(self.names) != len(self.columns):
            raise ValueError("each attribute has a value for each token")


@dataclass(frozen=True, slots=True)
class Surface:
    """What stands in the text for one token, or for several that are written as one."""

    text: str
    words: int = 1
    """How many tokens it is."""
    space_after: bool = True


def place_tokens(surfaces: Sequence[Surface], text: str | None = None) -> tuple[str, list[tuple[int, int]]] | str:
    """The normalised text, and where each surface stands in it; or the first surface that is not where it should be.

    Without a ``text`` it is put together from the surfaces. Only white space may stand between two of them.
    """
    if text is None:
        text = "".join(each.text + " " * each.space_after for each in surfaces)
    text = normalise(text)
    spans: list[tuple[int, int]] = []
    end = 0
    for surface in surfaces:
        written = normalise(surface.text)
        while end < len(text) and text[end].isspace() and not text.startswith(written, end):
            end += 1
        if not written or not text.startswith(written, end):
            return surface.text
        spans.append((end, end + len(written)))
        end += len(written)
    return (text, spans) if not text[end:].strip() else text[end:].strip()


def word_spans(span: tuple[int, int], surface: str, forms: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words stand that are written as one: each by itself where they follow each other there (do + n't)."""
    begin, end = span
    if "".join(forms) != surface:
        return [span] * len(forms)
    spans = []
    for form in forms:
        spans.append((begin, begin + len(form)))
        begin += len(form)
    return spans if begin == end else [span] * len(forms)


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of attributes as a query can ask for them. Raises UsageError for one that it cannot, and for one twice."""
    for place, name in enumerate(names):
        if _NAME.fullmatch(name) is None or name in ("within", "s"):
            raise UsageError(f"{name!r} is no name of an attribute; names are letters, digits and _, such as lemma")
        if name in names[:place]:
            raise UsageError(f"the attribute {name} is named twice")
    return tuple(names)
