"""Words of closed classes, by language: prepositions, pronouns and others that are hardly ever equivalent.

Those of Japanese that stand behind their nouns count as prepositions.

Owczarzak et al. (2006, section 3.3) leave out prepositions. The lists are data, in closed_classes.tsv beside this
module; a language that is not in it has none. Those of Japanese are its particles, of which those of case are named
prepositions, auxiliaries and others as they are inflected: what SudachiPy finds three times or more in the sentences of
Tatoeba, mostly in such a class.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

__all__ = ["CLOSED", "LeftOut", "closed_class_languages", "closed_words"]

LeftOut: TypeAlias = Literal["closed", "prepositions", "nothing"]
CLOSED: Final[tuple[LeftOut, ...]] = ("closed", "prepositions", "nothing")
_PREPOSITION: Final = "preposition"


def closed_words(language: str, left_out: LeftOut) -> frozenset[str]:
    """The words, in lower case, that are to be left out of a language, an ISO 639-3 code."""
    if left_out == "nothing":
        return frozenset()
    classes = _classes().get(language, {})
    chosen = [_PREPOSITION] if left_out == "prepositions" else list(classes)
    return frozenset(word for name in chosen for word in classes.get(name, ()))


def closed_class_languages() -> tuple[str, ...]:
    """The languages of which there are lists."""
    return tuple(_classes())


@cache
def _classes() -> dict[str, dict[str, tuple[str, ...]]]:
    lines = files("corpusdb.alignment").joinpath("closed_classes.tsv").read_text(encoding="utf-8").splitlines()
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in lines[1:]:
        language, name, words = line.split("\t")
        found.setdefault(language, {})[name] = tuple(words.split())
    return found
