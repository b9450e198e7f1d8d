"""Attributes of tokens in the properties of a text, as translation memories hold them: a value for each token.

The values of ``<prop type="lemma">he go home .</prop>`` are separated by white space, in the order of the tokens; _ is
nothing known. The tokens are those of a property ``word``, where there is one, else the units of the program: words,
clitics and marks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from corpusdb.errors import InputError
from corpusdb.formats.annotated.annotation import WORD, Annotation, Surface, place_tokens
from corpusdb.text import normalise, unit_ends

__all__ = ["annotation_in_properties"]


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
    words = found.pop(WORD, None)
    placed = place_tokens([Surface(word) for word in words], stored) if words is not None else (stored, _units(stored))
    if isinstance(placed, str):
        raise InputError(f"the property {WORD} is not the text, at {placed!r}", path=path, line=line)
    spans = placed[1]
    for name, values in found.items():
        if len(values) != len(spans):
            reason = f"the property {name} has {len(values)} values, and the text {len(spans)} tokens"
            raise InputError(reason, path=path, line=line)
    columns = [tuple("" if value == "_" else value for value in values) for values in found.values()]
    forms = tuple(stored[begin:end] for begin, end in spans)
    return Annotation((WORD, *found), tuple(spans), (forms, *columns))


def _units(text: str) -> list[tuple[int, int]]:
    """Where the units of a text stand, without the space before them."""
    spans, start = [], 0
    for end in unit_ends(text):
        spans.append((end - len(text[start:end].lstrip()), end))
        start = end
    return spans
