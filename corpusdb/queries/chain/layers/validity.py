"""The layer of validity: exchanges of words with their sums, and how probable it is that each paraphrase holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable, new_sentences
from corpusdb.store import Store

__all__ = ["VALIDITY"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.exchange.validity_update import update_validity

    return update_validity(store, language)


def _rebuild(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.queries.exchange.validity_update import update_validity

    return update_validity(store, language, thorough=True)


_EXCHANGES = """
select row.x, row.y, row.pairs, row.shared, row.expected from {of}.exchange row where row.language = :language
"""
_PARTS = """
select exchange.x, exchange.y, row.kind, row.name, row.pairs, row.shared, row.expected
from {of}.exchange_part row cross join {of}.exchange on exchange.id = row.exchange and exchange.language = :language
"""

VALIDITY = DerivedLayer(
    name="validity",
    tables=(
        DerivedTable("exchange", rows=_EXCHANGES, joined=True),
        DerivedTable("exchange_part", rows=_PARTS),
    ),
    update=_update,
    needs=("paraphrase", "commutation", "candidate"),
    behind=new_sentences,
    rebuild=_rebuild,
)
