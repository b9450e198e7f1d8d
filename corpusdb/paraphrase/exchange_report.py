"""Exchanges of words as text: how often they keep a translation, and the sentences that show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpusdb.base.display import Cell
from corpusdb.base.options import format_probability
from corpusdb.corpus.model import ExchangeFigures, Explanation
from corpusdb.paraphrase.queries.exchanges import ExchangeExample, ExchangeReport

EXCHANGE_COLUMNS = ("of", "name", "pairs", "shared", "expected", "rate")
_NOTHING = "(nothing)"
_SHARED_SHOWN = 3
"""Of the translations that an example shares: one shows what is meant already."""


def format_exchange(found: ExchangeFigures) -> str:
    """``am / 'm: 274 of 400 pairs of sentences share a translation, 236 were expected to``."""
    words = _words(found)
    if not found.pairs:
        return f"{words}: no two sentences differ by that alone"
    pairs = "the only pair of sentences shares" if found.pairs == found.shared == 1 else ""
    pairs = pairs or f"{found.shared:,} of {found.pairs:,} pairs of sentences share"
    return f"{words}: {pairs} a translation, {_rounded(found.expected)} {_was(found.expected)} expected to"


def _rounded(expected: float) -> str:
    return f"{expected:,.0f}" if expected >= 10 else f"{expected:.1f}"


def _was(expected: float) -> str:
    return "was" if _rounded(expected) == "1.0" else "were"


def validity_lines(found: Explanation) -> list[str]:
    """The validity with what it comes from; none where not known.

    One line for each region in which the two differ, and for each step that it is made by besides.
    """
    if found.validity is None:
        return []
    first = f"validity {format_probability(found.validity)}"
    told = [*map(format_exchange, found.exchanges), *found.steps]
    if not told:
        return [first]
    return [f"{first}: {told[0]}", *(f"{'':{len(first)}}  {each}" for each in told[1:])]


def exchange_rows(found: ExchangeReport) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = [("all", _words(found.total), *_figures(found.total))]
    if len(found.forms) > 1:
        rows += [("form", _words(each), *_figures(each)) for each in found.forms]
    for of, parts in (("language", found.by_language), ("left", found.left), ("right", found.right)):
        rows += [
            (of, part.name, part.pairs, part.shared, round(part.expected, 1), round(part.rate, 3)) for part in parts
        ]
    return rows


def _words(found: ExchangeFigures) -> str:
    return " / ".join(text.strip(" ") or _NOTHING for text in (found.before, found.after))


def _figures(found: ExchangeFigures) -> tuple[Cell, ...]:
    return found.pairs, found.shared, round(found.expected, 1), round(found.rate, 3)


def example_lines(found: ExchangeReport) -> Iterator[str]:
    """Headings at the margin; pairs that share a translation with it, then pairs that share none."""
    words, (sharing, counter) = _words(found.total), found.with_translations
    yield f"{words}: pairs that share a translation{_of(found.examples, sharing)}"
    for each in found.examples:
        yield from _pair(each)
    yield f"{words}: pairs that share none, most expected first{_of(found.counter_examples, counter)}"
    for each in found.counter_examples:
        yield from _pair(each)


def _of(shown: Sequence[ExchangeExample], total: int) -> str:
    return f" ({len(shown):,} of {total:,})" if len(shown) < total else f" ({total:,})"


def _pair(example: ExchangeExample) -> Iterator[str]:
    told = "" if example.translations else f"  ({example.expected:.2f})"
    yield f"  {example.one}{told}"
    yield f"  {example.other}"
    for each in example.translations[:_SHARED_SHOWN]:
        yield f"       {each.language}  {each.text}"
    if (more := len(example.translations) - _SHARED_SHOWN) > 0:
        yield f"       and {more:,} more"
