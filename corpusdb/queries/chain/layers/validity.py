"""The layer of validity: exchanges of words with their sums, and how probable it is that each paraphrase holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from random import Random
from typing import Any

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable, LayerCheck
from corpusdb.queries.chain.layers.paraphrases import retranslated_sentences
from corpusdb.store import Store

__all__ = ["VALIDITY"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.exchange.validity_update import update_validity

    return update_validity(store, language)


def _rebuild(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.queries.exchange.validity_update import update_validity

    return update_validity(store, language, thorough=True)


def _parameters() -> Mapping[str, object]:
    from corpusdb.queries.exchange.validity_update import PARAMETERS

    return PARAMETERS


def _problems(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.queries.exchange.exchange_check import wrong_exchanges

    return wrong_exchanges(connection)


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
    parameters=_parameters,
    behind=retranslated_sentences,
    rebuild=_rebuild,
    checks=(LayerCheck("exchanges", _problems),),
)
