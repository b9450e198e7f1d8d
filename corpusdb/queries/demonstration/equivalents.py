"""Equivalents in the built-in phrasebook: its words aligned, and what else one of them is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from corpusdb.errors import UsageError
from corpusdb.jobs import Job
from corpusdb.morphemes import sudachi_analyser
from corpusdb.queries.alignment.corpus_alignment import AlignmentReport, align_languages
from corpusdb.queries.alignment.equivalents import FoundEquivalents, equivalents_of
from corpusdb.queries.alignment.translations import Translations, translations_of
from corpusdb.store import Store

__all__ = ["WORD", "EquivalentsShown", "align_phrasebook"]

WORD: Final = "luggage"
_LANGUAGE: Final = "eng"
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class EquivalentsShown:
    """What was aligned, and what a word is called in other languages and in its own."""

    alignments: tuple[AlignmentReport, ...]
    translations: tuple[Translations, ...]
    equivalents: FoundEquivalents


def align_phrasebook(store: Store) -> Job[EquivalentsShown]:
    """Align English with French, and with Japanese where that can be cut into morphemes; then look a word up."""
    reports: list[AlignmentReport] = []
    others = ["fra", *_japanese()]
    for other in others:
        reports.append((yield from align_languages(store, _LANGUAGE, other)))
    translations = (translations_of(store, _LANGUAGE, WORD, other, _SHOWN, min_count=2) for other in others)
    found = equivalents_of(store, _LANGUAGE, WORD, others, limit=_SHOWN)
    return EquivalentsShown(tuple(reports), tuple(translations), found)


def _japanese() -> tuple[str, ...]:
    try:
        sudachi_analyser()
    except UsageError:  # characters would be aligned: the rules say what to install
        return ()
    return ("jpn",)
