"""Aligned phrases as rows: figures, bars, and sentences with what is aligned in brackets and underlined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from corpusdb.cells import cell_width, cut_left, padded
from corpusdb.display import cell_safe
from corpusdb.queries.alignment.equivalents import FoundEquivalent, Pivot
from corpusdb.queries.alignment.linked_pairs import LinkedPair, Span
from corpusdb.queries.alignment.translations import PhraseTranslation
from corpusdb.reports.plots import bar
from tui.equivalents.lookup import LookupRow, View
from tui.meanings import MATCH
from tui.shown import Text

__all__ = ["PIVOT_COLUMNS", "columns_of", "example_text", "marked_text", "pair_row", "pivot_row", "row_text"]

_BAR_CELLS, _PHRASE_CELLS, _EXAMPLE_CELLS = 16, 20, 20
PIVOT_COLUMNS: Final = "   adds  with the word  with the equivalent  translation of both"


def columns_of(view: View) -> str:
    """What stands above the rows."""
    if view == "translations":
        return f"  {'count':>7}  {'share':>7}  {'':{_BAR_CELLS}}  translation"
    return f"  {'pivot':>7}  languages  {'count':>7}  {'contexts':>8}  equivalent"


def row_text(row: LookupRow, longest: float, *, ascii: bool) -> Text:
    """A row; the bar of a weight of ``longest`` is full."""
    if isinstance(row.found, FoundEquivalent):
        return _equivalent(row.found)
    line = bar(_BAR_CELLS * row.weight / (longest or 1.0), ascii=ascii)
    phrase = padded(cell_safe(row.text), _PHRASE_CELLS)
    text = Text(f"{row.count:>7,}  {row.weight:>7.1%}  {line:{_BAR_CELLS}}  {phrase}", no_wrap=True)
    if isinstance(row.found, PhraseTranslation):
        text.append("  ").append(_with_mark(row.found.example.text, row.found.example.marks, _EXAMPLE_CELLS))
    return text


def _equivalent(found: FoundEquivalent) -> Text:
    contexts = "-" if found.contexts is None else f"{found.contexts:,}"
    figures = f"{found.pivot:>7.3f}  {len(found.languages):>9}  {found.count:>7,}  {contexts:>8}  "
    phrase = cell_safe(found.text)
    if not found.is_rejected:
        first = found.pivots[0] if found.pivots else None
        through = "" if first is None else f"  {first.language} {cell_safe(first.text)}"
        return Text(f"{figures}{padded(phrase, _PHRASE_CELLS)}{through}", no_wrap=True)
    return Text.assemble(figures, (phrase, "strike"), "  x rejected", no_wrap=True)


def example_text(row: LookupRow) -> Text:
    """Two lines: an example of a translation, or what an equivalent shares with the phrase."""
    if isinstance(row.found, PhraseTranslation):
        pair = row.found.example
        lines = [marked_text(pair.text, pair.marks), marked_text(pair.translation, pair.translation_marks)]
    elif isinstance(row.found, FoundEquivalent):
        pivots = (f"{each.language} {each.text} ({each.count:,}, {each.other_count:,})" for each in row.found.pivots)
        first = next(iter(row.found.pivots), None)
        examples = "" if first is None else f"{first.example}  {first.other_example}"
        lines = [Text(cell_safe(f"both translate {'; '.join(pivots)}")), Text(cell_safe(examples))]
    else:
        lines = []
    return Text("\n").join(lines)


def pivot_row(pivot: Pivot) -> Text:
    """A phrase that two others share, with how often each of them stands with it."""
    figures = f"{pivot.probability:>7.3f}  {pivot.count:>13,}  {pivot.other_count:>19,}"
    return Text(f"{figures}  {pivot.language} {cell_safe(pivot.text)}", no_wrap=True)


def marked_text(text: str, marks: Sequence[Span]) -> Text:
    """A sentence in which what is marked stands in brackets and is underlined."""
    shown, done = Text(no_wrap=True), 0
    for begin, end in sorted(marks):
        shown.append(cell_safe(text[done:begin])).append(f"[{cell_safe(text[begin:end])}]", MATCH)
        done = end
    return shown.append(cell_safe(text[done:]))


def pair_row(pair: LinkedPair, width: int) -> Text:
    """A pair of sentences in one row, half of which is for either; the first mark in each can be seen."""
    half = max(1, (width - 2) // 2)
    own = _with_mark(pair.text, pair.marks, half)
    own.truncate(half, overflow="ellipsis", pad=True)
    return Text.assemble(own, "  ", _with_mark(pair.translation, pair.translation_marks, half), no_wrap=True)


def _with_mark(text: str, marks: Sequence[Span], cells: int) -> Text:
    """A marked sentence of which the beginning is left out where the first mark would stand behind so many cells."""
    if not marks or cell_width(text[: marks[0][1]]) + 2 < cells:
        return marked_text(text, marks)
    begin, end = marks[0]
    before = cut_left(cell_safe(text[:begin]), max(cells // 3, cells - cell_width(text[begin:end]) - cells // 3))
    shift = len(before) - begin
    return marked_text(before + text[begin:], [(first + shift, last + shift) for first, last in marks])
