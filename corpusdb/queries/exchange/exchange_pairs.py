"""The pairs of sentences that show an exchange of words, read from the slots as they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.exchange.exchange_index import ExchangeIndex, summed_up
from corpusdb.exchange.rates import Instances, Totals, sharing_of, totals_by
from corpusdb.queries.exchange.exchange_index import sharing_among
from corpusdb.queries.exchange.neighbours import Neighbours
from corpusdb.store import Store

__all__ = ["ExchangePairs", "exchange_pairs"]

_PAIRS = """
select one.context, one.sentence, two.sentence
from slot one cross join slot two on two.context = one.context and two.filler = :other
where one.filler = :one
"""
_TEXTS = """
select sentence.id, sentence.text
from json_each(?) wanted cross join context on context.id = wanted.value
cross join sentence on sentence.id = context.sentence
"""


@dataclass(frozen=True, slots=True)
class ExchangePairs:
    """Pairs of sentences in one context, and their sums; the arrays are parallel, one entry a pair."""

    one: I64
    """Numbers of sentences."""
    other: I64
    languages: I64
    """In how many languages each pair shares a translation."""
    expected: F64
    """How probable it is that a pair of one meaning shares any; 0 without a common language."""
    sums: ExchangeIndex
    """Of all of them, as of a single exchange."""
    by_form: Totals
    """By place among the exchanges that were asked for."""
    neighbours: Sequence[str]
    """By the numbers that ``sums`` has for them."""


def exchange_pairs(store: Store, language: str, exchanges: Sequence[tuple[int, int]]) -> ExchangePairs:
    """All pairs of sentences in one context with these fillers, given as numbers, the rarer one first."""
    forms, rows = [], []
    for form, (one, other) in enumerate(exchanges):
        found = store.connection.execute(_PAIRS, {"one": one, "other": other}).fetchall()
        forms += [form] * len(found)
        rows += found
    context, first, second = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    sentences, sharing = sharing_among(store, language, np.concatenate([first, second]))
    places = np.searchsorted(sentences, first), np.searchsorted(sentences, second)
    found_in = Instances(np.zeros(len(context), dtype=np.int64), context, *places)
    texts = dict(store.connection.execute(_TEXTS, (json.dumps(np.unique(context).tolist()),)))
    neighbours = Neighbours(store, texts)
    having, recalled = sharing_of(found_in, sharing.shared, sharing.recalls)
    return ExchangePairs(
        first,
        second,
        having[:-1].sum(axis=0),
        recalled[-1],
        summed_up(np.zeros(1, dtype=np.int64), found_in, sharing, neighbours),
        totals_by(np.array(forms, dtype=np.int64), having[-1], recalled[-1]),
        list(neighbours.numbers),
    )
