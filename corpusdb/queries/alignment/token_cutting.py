"""Into which tokens the sentences of a language are cut to be aligned: a way of cutting, which a model names.

``units`` are those of the whole program (corpusdb.text): words, clitics and marks, and characters where the script does
not delimit words. Japanese is cut into morphemes where they can be had; the way is then the identity of the analyser,
so that links are never read between the tokens of another dictionary. There is none for Chinese, Thai and others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from corpusdb.errors import CorpusError, InputError, UsageError
from corpusdb.morphemes import required_analyser, sudachi_analyser
from corpusdb.textsearch.token_corpus import Cut, token_spans

__all__ = ["UNITS", "Span", "advice_on", "can_cut", "cut_of", "spans_of", "way_of_language"]

Span: TypeAlias = tuple[int, int]
"""Where something begins and ends in a text, in code points."""

UNITS: Final = "units"
_JAPANESE: Final = "jpn"


def way_of_language(language: str) -> str:
    """How the sentences of a language, an ISO 639-3 code, are cut by a model that is made now."""
    if language != _JAPANESE:
        return UNITS
    try:
        return sudachi_analyser().identity
    except UsageError:
        return UNITS


def can_cut(way: str) -> bool:
    """Whether what cuts in this way is installed."""
    try:
        cut_of(way)
    except CorpusError:
        return False
    return True


def spans_of(way: str) -> Callable[[str], list[Span]]:
    """What tells where the tokens of a text begin and end; no token has white space inside.

    Raises UsageError where the analyser is not installed, and InputError where another version is.
    """
    if way == UNITS:
        return token_spans
    try:
        analyse = required_analyser(way).analyse
    except InputError as error:
        raise InputError(f"{error.reason}; or align anew with `corpusdb align --retrain`") from error

    def spans(text: str) -> list[Span]:
        found: list[Span] = []
        for morpheme in analyse(text):
            at = morpheme.begin
            for part in morpheme.surface.split():  # few entries of a dictionary are several words: New York
                at = text.index(part, at)
                found.append((at, at + len(part)))
                at += len(part)
        return found

    return spans


def cut_of(way: str) -> Cut:
    """What cuts a text into tokens. Raises as spans_of does."""
    spans = spans_of(way)
    return lambda text: [text[begin:end] for begin, end in spans(text)]


def advice_on(way: str, language: str) -> str | None:
    """How a language could be cut better than a model cuts it, in words; None where it could not."""
    if language != _JAPANESE or way != UNITS:
        return None
    if way_of_language(language) == UNITS:
        return "Japanese is aligned by characters; by morphemes with pip install 'corpusdb[japanese]' and --retrain"
    return "Japanese is aligned by characters, as when the model was trained; --retrain aligns morphemes"
