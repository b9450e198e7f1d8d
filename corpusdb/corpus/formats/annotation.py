"""What is known of the tokens of a sentence, and where in its text they stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.text import normalise, unit_ends

# What is known of the tokens of a sentence, and where in its text they stand.


WORD_ATTRIBUTE: Final = "word"
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


# Attributes of tokens in the properties of a text, as translation memories hold them: a value for each token.
#
# The values of ``<prop type="lemma">he go home .</prop>`` are separated by white space, in the order of the tokens; _
# is nothing known. The tokens are those of a property ``word``, where there is one, else the units of the program:
# words, clitics and marks.


def annotation_in_properties(
    text: str, properties: Mapping[str, str], names: Sequence[str], path: Path, line: int
) -> Annotation | None:
    """What the properties named, with or without ``x-`` before the name, say of the tokens of a text; None for nothing.

    Raises InputError where a property has not one value for each token, and where words do not make up the text.
    """
    found = {}
    for name in names:
        value = properties.get(name, properties.get(f"x-{name}"))
        if value is not None:
            found[name] = value.split()
    if not found:
        return None
    stored = normalise(text)
    words = found.pop(WORD_ATTRIBUTE, None)
    placed = place_tokens([Surface(word) for word in words], stored) if words is not None else (stored, _units(stored))
    if isinstance(placed, str):
        raise InputError(f"the property {WORD_ATTRIBUTE} is not the text, at {placed!r}", path=path, line=line)
    spans = placed[1]
    for name, values in found.items():
        if len(values) != len(spans):
            reason = f"the property {name} has {len(values)} values, and the text {len(spans)} tokens"
            raise InputError(reason, path=path, line=line)
    columns = [tuple("" if value == "_" else value for value in values) for values in found.values()]
    forms = tuple(stored[begin:end] for begin, end in spans)
    return Annotation((WORD_ATTRIBUTE, *found), tuple(spans), (forms, *columns))


def _units(text: str) -> list[tuple[int, int]]:
    """Where the units of a text stand, without the space before them."""
    spans, start = [], 0
    for end in unit_ends(text):
        spans.append((end - len(text[start:end].lstrip()), end))
        start = end
    return spans
