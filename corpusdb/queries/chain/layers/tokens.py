"""The layer of tokens: every sentence of every language as a sequence of numbers, to be searched."""

from __future__ import annotations

import sqlite3
from random import Random

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable, LayerCheck
from corpusdb.store import Store

__all__ = ["TOKENS"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.search.token_index import update_tokens

    return update_tokens(store, language)


def _problems(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.queries.search.token_check import wrong_tokens

    return wrong_tokens(connection, random, full=full)


TOKENS = DerivedLayer(
    name="token",
    tables=(DerivedTable("type"), DerivedTable("token_segment", made_by=("tokenise",))),
    update=_update,
    in_every_language=True,
    # The overview does not show it, since it is never missed: a search cuts the sentences that are not in it yet.
    checks=(LayerCheck("tokens", _problems),),
)
