"""The figures of exchanges as the database holds them: of those that explain a paraphrase, and of all."""

from __future__ import annotations

from corpusdb.exchange.differences import difference, differences_apart
from corpusdb.exchange.evidence import exchange_rate
from corpusdb.exchange.rates import WHOLE
from corpusdb.model import ExchangeFigures
from corpusdb.store import Store
from corpusdb.text import units_of

__all__ = ["all_exchanges", "exchanges_between", "figures_of"]


def figures_of(before: str, after: str, pairs: int, shared: int, expected: int) -> ExchangeFigures:
    """``expected`` is in parts of WHOLE."""
    return ExchangeFigures(before, after, pairs, shared, expected / WHOLE, exchange_rate(shared, expected / WHOLE))


_EXCHANGE = "select pairs, shared, expected from exchange where language = ? and x = ? and y = ?"


def exchanges_between(store: Store, language: str, seed: str, other: str) -> tuple[ExchangeFigures, ...]:
    """The figures of each region in which two normalised texts differ; zeros where no pair of sentences shows it."""
    units = units_of(seed), units_of(other)
    regions = [each.exchange for each in differences_apart(*units, difference(*units))]
    return tuple(
        figures_of(
            *region,
            *(store.connection.execute(_EXCHANGE, (language, min(region), max(region))).fetchone() or (0, 0, 0)),
        )
        for region in regions
        if region != ("", "")
    )


_ALL = """
select min(ltrim(x, ' '), ltrim(y, ' ')) as one, max(ltrim(x, ' '), ltrim(y, ' ')) as other,
       sum(pairs), sum(shared), sum(expected)
from exchange
where language = :language and ltrim(x, ' ') <> ltrim(y, ' ')
  and (:text is null or :text in (ltrim(x, ' '), ltrim(y, ' ')))
group by one, other
"""


def all_exchanges(store: Store, language: str, text: str | None = None) -> list[ExchangeFigures]:
    """All that are stored, or those of ``text``, which then stands first; without the spaces before words."""
    found = [figures_of(*row) for row in store.connection.execute(_ALL, {"language": language, "text": text})]
    return [
        each
        if text is None or each.before == text
        else ExchangeFigures(each.after, each.before, each.pairs, each.shared, each.expected, each.rate)
        for each in found
    ]
