"""Exchanges of words: what the corpus says of one that somebody asks for, and those of which it says most."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.text import normalise
from corpusdb.corpus.model import ExchangeFigures, Explanation, SharedTranslation
from corpusdb.corpus.queries.translations import shared_translations
from corpusdb.corpus.store import Store, layer_state
from corpusdb.corpus.store.runs import require_whole
from corpusdb.paraphrase.evidence import exchange_rate
from corpusdb.paraphrase.queries.exchange_rows import ExchangePairs, all_exchanges, exchange_pairs, figures_of
from corpusdb.paraphrase.queries.paradigms import filler_forms, known_fillers, require_index
from corpusdb.paraphrase.sharing import WHOLE, Totals

__all__ = [
    "LEAST_EXPECTED",
    "ExchangeExample",
    "ExchangePart",
    "ExchangeReport",
    "Sorting",
    "exchange_report",
    "reports_behind",
    "stored_exchanges",
]

LEAST_EXPECTED = 3.0
"""Of an exchange that fewer pairs are expected to share a translation for, the rate says little."""
Sorting: TypeAlias = Literal["rate", "pairs"]


@dataclass(frozen=True, slots=True)
class ExchangePart:
    """The same figures of some of the pairs."""

    name: str
    """Of the language of the translations; or the neighbour, without the space before it, ^ and $ at the ends."""
    pairs: int
    shared: int
    expected: float
    rate: float


@dataclass(frozen=True, slots=True)
class ExchangeExample:
    """Two sentences that differ in nothing but the exchange."""

    one: str
    other: str
    expected: float
    """How probable it is that they share a translation if they mean the same."""
    translations: tuple[SharedTranslation, ...]
    """Those that they share."""


@dataclass(frozen=True, slots=True)
class ExchangeReport:
    """What the corpus says of an exchange."""

    total: ExchangeFigures
    """Of all its forms."""
    forms: tuple[ExchangeFigures, ...]
    """With and without the space before a word, as far as the corpus has them; most pairs first."""
    by_language: tuple[ExchangePart, ...]
    """Of the pairs that both have translations into a language."""
    left: tuple[ExchangePart, ...]
    """By the neighbour to the left, the most frequent first."""
    right: tuple[ExchangePart, ...]
    neighbours: tuple[int, int]
    """How many different ones there are to the left and to the right; those given may be fewer."""
    examples: tuple[ExchangeExample, ...]
    """Pairs that share a translation, those that share some in most languages first."""
    counter_examples: tuple[ExchangeExample, ...]
    """Pairs with translations into a common language that share none, those that were most expected to first."""
    with_translations: tuple[int, int]
    """How many of either there are."""


def exchange_report(store: Store, language: str, before: str, after: str, limit: int = 10) -> ExchangeReport | None:
    """What is seen of exchanging ``before`` for ``after``, or None where no two sentences differ by that.

    Words are given as people write them: with a space in front, one is looked for inside of sentences only. At most
    ``limit`` neighbours on each side, examples and counter-examples; 0 is all. Raises InputError where the language has
    no index, and UsageError for an exchange of a text for itself.
    """
    require_index(store, language)
    if normalise(before) == normalise(after):
        raise UsageError(f"an exchange is of two texts, and {before!r} is one")
    return _report_of_fillers(store, language, (filler_forms(before), filler_forms(after)), limit)


def reports_behind(store: Store, language: str, found: Explanation, limit: int = 10) -> list[ExchangeReport]:
    """The same for each region in which a paraphrase differs from its seed, in the form that it has there."""
    shown = (each for each in found.exchanges if each.pairs)
    reports = (_report_of_fillers(store, language, ((each.before,), (each.after,)), limit) for each in shown)
    return [report for report in reports if report is not None]


def _report_of_fillers(
    store: Store, language: str, forms: tuple[Sequence[str], Sequence[str]], limit: int
) -> ExchangeReport | None:
    """What is seen of exchanging any of these fillers for any of those."""
    require_whole(store, "counting exchanges")
    known = [known_fillers(store, language, each) for each in forms]
    asked, exchanges, swapped = [], [], []
    for (text, (one, contexts)), (other_text, (other, others)) in product(*(each.items() for each in known)):
        asked.append((text, other_text))
        # From the rarer filler, whose slots are fewer, to the other.
        swapped.append(contexts > others)
        exchanges.append((other, one) if contexts > others else (one, other))
    pairs = exchange_pairs(store, language, exchanges)
    if not len(pairs.one):
        return None
    by_form = pairs.by_form
    found = [figures_of(*asked[form], of, shared, expected) for form, of, shared, expected in _rows(by_form)]
    turned = np.repeat(np.array(swapped)[by_form.keys], by_form.pairs)
    return _report(store, _turned(pairs, turned), sorted(found, key=lambda each: -each.pairs), limit)


def _turned(pairs: ExchangePairs, turned: Bools) -> ExchangePairs:
    """With the sentence that has the first text of the exchange first."""
    one, other = np.where(turned, pairs.other, pairs.one), np.where(turned, pairs.one, pairs.other)
    return replace(pairs, one=one, other=other)


def _report(store: Store, pairs: ExchangePairs, forms: Sequence[ExchangeFigures], limit: int) -> ExchangeReport:
    ((_, *sums),) = _rows(pairs.sums.all)
    total = figures_of(forms[0].before.lstrip(" "), forms[0].after.lstrip(" "), *sums)
    left, right = (_parts(each, pairs.neighbours) for each in (pairs.sums.by_left, pairs.sums.by_right))
    texts = _texts(store, pairs)
    lengths = np.array([len(texts[one]) + len(texts[other]) for one, other in _numbered(pairs)])
    sharing = _chosen(pairs, pairs.languages > 0, -pairs.languages.astype(np.float64), lengths)
    counter = _chosen(pairs, (pairs.languages == 0) & (pairs.expected > 0), -pairs.expected, lengths)
    shown = limit or None
    return ExchangeReport(
        total,
        tuple(forms),
        _parts(pairs.sums.by_language, pairs.sums.sharing.languages),
        left[:shown],
        right[:shown],
        (len(left), len(right)),
        _examples(store, pairs, sharing[:shown], texts),
        _examples(store, pairs, counter[:shown], texts),
        (len(sharing), len(counter)),
    )


def _rows(totals: Totals) -> Iterable[tuple[int, ...]]:
    return zip(*(each.tolist() for each in (totals.keys, totals.pairs, totals.shared, totals.expected)), strict=True)


def _parts(totals: Totals, names: Sequence[str]) -> tuple[ExchangePart, ...]:
    """Most pairs first; units that differ in the space before them only are one neighbour."""
    sums: dict[str, list[int]] = {}
    for key, *row in _rows(totals):
        known = sums.setdefault(names[key].lstrip(" "), [0, 0, 0])
        known[:] = map(int.__add__, known, row)
    parts = (
        ExchangePart(name, pairs, shared, expected / WHOLE, exchange_rate(shared, expected / WHOLE))
        for name, (pairs, shared, expected) in sums.items()
    )
    return tuple(sorted(parts, key=lambda part: (-part.pairs, part.name)))


def _numbered(pairs: ExchangePairs) -> Iterable[tuple[int, int]]:
    return zip(pairs.one.tolist(), pairs.other.tolist(), strict=True)


_TEXTS = "select sentence.id, sentence.text from json_each(?) wanted cross join sentence on sentence.id = wanted.value"


def _texts(store: Store, pairs: ExchangePairs) -> dict[int, str]:
    wanted = np.unique(np.concatenate([pairs.one, pairs.other])).tolist()
    return dict(store.connection.execute(_TEXTS, (json.dumps(wanted),)))


def _chosen(pairs: ExchangePairs, chosen: Bools, first: F64, lengths: I64) -> list[int]:
    """The places of the chosen pairs, each pair of sentences once: those of the least ``first``, then short ones."""
    order = np.lexsort((pairs.other, pairs.one, lengths, first))
    places: dict[tuple[int, int], int] = {}
    for place in order[chosen[order]].tolist():
        places.setdefault((int(pairs.one[place]), int(pairs.other[place])), place)
    return list(places.values())


def _examples(
    store: Store, pairs: ExchangePairs, places: Sequence[int], texts: dict[int, str]
) -> tuple[ExchangeExample, ...]:
    found = []
    for place in places:
        one, other = int(pairs.one[place]), int(pairs.other[place])
        shared = shared_translations(store, one, other) if pairs.languages[place] else ()
        found.append(ExchangeExample(texts[one], texts[other], float(pairs.expected[place]), shared))
    return tuple(found)


def stored_exchanges(
    store: Store, language: str, text: str | None = None, *, sort: Sorting = "rate", least: float = LEAST_EXPECTED
) -> list[ExchangeFigures]:
    """The exchanges by which stored paraphrases differ, or those of ``text`` among them, in all their forms.

    The best rate first, or those of most pairs; only those of which at least ``least`` pairs are expected to share a
    translation. Raises InputError where nothing was summed up yet.
    """
    if layer_state(store, language, "validity") is None:
        raise InputError(f"{language} has no exchanges; `corpusdb generate --lang {language}` sums them up")
    found = all_exchanges(store, language, None if text is None else normalise(text))
    kept = [each for each in found if each.expected >= least]
    if sort == "rate":
        return sorted(kept, key=lambda each: (-each.rate, -each.pairs, each.before, each.after))
    return sorted(kept, key=lambda each: (-each.pairs, -each.rate, each.before, each.after))
