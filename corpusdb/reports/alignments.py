"""Aligned words as text: what a phrase is aligned with, what else it is called, and pairs of sentences that show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpusdb.queries.alignment.equivalents import FoundEquivalents, Pivot
from corpusdb.queries.alignment.linked_pairs import LinkedPair, Span
from corpusdb.queries.alignment.rejections import RejectedPair
from corpusdb.queries.alignment.translations import Translations
from corpusdb.rows import Cell

__all__ = [
    "NOTHING",
    "PAIR_COLUMNS",
    "REJECTION_COLUMNS",
    "TRANSLATION_COLUMNS",
    "equivalent_table",
    "equivalents_told",
    "marked_pair",
    "rejection_rows",
    "translation_lines",
    "translation_rows",
    "translations_told",
]

TRANSLATION_COLUMNS = ("translation", "count", "share", "example", "example_translation")
"""Those of translation_rows."""
PAIR_COLUMNS = ("sentence", "translation")
"""Those of marked_pair."""
_EQUIVALENT_COLUMNS = ("equivalent", "pivot", "count", "languages", "contexts", "through")
REJECTION_COLUMNS = ("language", "phrase", "equivalent", "rejected")
"""Those of rejection_rows."""
NOTHING = "(nothing)"
"""What stands for the places that are aligned with nothing."""


def marked_pair(pair: LinkedPair) -> tuple[str, str]:
    """A sentence and its translation with what is marked in brackets."""
    return _marked(pair.text, pair.marks), _marked(pair.translation, pair.translation_marks)


def _marked(text: str, marks: Sequence[Span]) -> str:
    for begin, end in sorted(marks, reverse=True):
        text = f"{text[:begin]}[{text[begin:end]}]{text[end:]}"
    return text


def translation_rows(found: Translations) -> list[tuple[Cell, ...]]:
    """A row for each translation, and one for the places that are aligned with nothing."""
    rows: list[tuple[Cell, ...]] = [
        (each.text, each.count, round(each.share, 3), *marked_pair(each.example)) for each in found.members
    ]
    if found.unlinked:
        rows.append((NOTHING, found.unlinked, round(found.unlinked / found.occurrences, 3), None, None))
    return rows


def translation_lines(found: Translations) -> Iterator[str]:
    """Below each other an example of each translation, both phrases in brackets."""
    for each in found.members:
        text, translation = marked_pair(each.example)
        yield f"{text}  {translation}"


def translations_told(found: Translations) -> str:
    """``'house' stands 1,014 times in eng sentences aligned with fra, 23 times as a part of longer phrases only``."""
    told = f"{found.text!r} stands {_times(found.occurrences)} in {found.language} sentences aligned with {found.other}"
    return f"{told}, {_times(found.unpaired)} as a part of longer phrases only" if found.unpaired else told


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def equivalent_table(found: FoundEquivalents, *, with_rejected: bool) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """The columns, and a row for each equivalent; through: the phrases that both are aligned with, and how often each
    of them is. With a last column for what was rejected where that was wanted.
    """
    rows: list[tuple[Cell, ...]] = [
        (
            each.text,
            round(each.pivot, 3),
            each.count,
            ",".join(each.languages),
            each.contexts,
            "; ".join(map(_pivot_told, each.pivots[:1])),
        )
        for each in found.members
    ]
    if not with_rejected:
        return _EQUIVALENT_COLUMNS, rows
    marks = ("rejected" if each.is_rejected else "" for each in found.members)
    return (*_EQUIVALENT_COLUMNS, "rejected"), [(*row, mark) for row, mark in zip(rows, marks, strict=True)]


def rejection_rows(found: Sequence[RejectedPair]) -> list[tuple[Cell, ...]]:
    """A row for each pair that was rejected."""
    return [(each.language, each.phrase, each.equivalent, each.rejected) for each in found]


def _pivot_told(pivot: Pivot) -> str:
    return f"{pivot.language} {pivot.text} ({pivot.count}, {pivot.other_count})"


def equivalents_told(found: FoundEquivalents) -> str:
    """``'begin' in eng, through deu, fra``."""
    through = ", ".join(found.through) or "no language"
    return f"{found.text!r} in {found.language}, through {through}"
