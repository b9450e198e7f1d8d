"""How sentences that were found are written: what matched in them, their translations, and where they stand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from corpusdb.display import cell_safe

if TYPE_CHECKING:
    from corpusdb.queries.corpus.translations import Translation

__all__ = ["by_language", "codes_of", "emphasised", "joined", "translation_line"]

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def codes_of(names: str) -> tuple[str, ...]:
    """The ISO 639-3 codes of languages that are separated by commas."""
    from corpusdb.languages import language_codes

    return language_codes(tuple(name.strip() for name in names.split(","))) if names else ()


def emphasised(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Text made harmless for a terminal, with some parts in bold, which is no colour: NO_COLOR allows it."""
    bold, plain = ("", "") if os.environ.get("TERM") == "dumb" else (_BOLD, _PLAIN)
    text, pieces, done = cell_safe(text), [], 0
    for start, stop in spans:
        if stop > max(start, done):  # overlapping matches are one
            start = max(start, done)
            pieces += [text[done:start], bold, text[start:stop], plain]
            done = stop
    return "".join([*pieces, text[done:]])


def by_language(translations: Iterable[Translation]) -> dict[str, list[dict[str, object]]]:
    """Translations as JSON has them: a list for each language."""
    found: dict[str, list[dict[str, object]]] = {}
    for each in translations:
        found.setdefault(each.language, []).append({"text": each.text, "distance": each.distance, "via": each.via})
    return found


def joined(translations: Iterable[Translation]) -> str:
    """Translations in one cell, those that are not direct with their distance: "Salut. | (2) Coucou."."""
    return " | ".join(f"({each.distance}) {each.text}" if each.distance > 1 else each.text for each in translations)


def translation_line(translation: Translation) -> str:
    """A translation below its sentence, with its distance where it is not direct."""
    distance = f" ({translation.distance})" if translation.distance > 1 else ""
    return f"  {translation.language}{distance}  {translation.text}"
