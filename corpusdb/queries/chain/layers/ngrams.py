"""The layer of character n-grams."""

from __future__ import annotations

import sqlite3
from random import Random

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable, LayerCheck, new_sentences
from corpusdb.store import Store

__all__ = ["NGRAMS"]


def _update(store: Store, language: str) -> Job[None]:
    # In one step with the commutations, which are updated by the n-grams of the sentences that they hold.
    from corpusdb.queries.chain.index_update import update_index

    return update_index(store, language)


def _problems(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.queries.analogy.ngram_check import wrong_ngrams

    return wrong_ngrams(connection, random, full=full)


NGRAMS = DerivedLayer(
    name="ngram",
    tables=(DerivedTable("ngram_segment", made_by=("index",)),),
    update=_update,
    needs=("paraphrase",),
    behind=new_sentences,
    checks=(LayerCheck("n-grams", _problems),),
)
