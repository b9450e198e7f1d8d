"""The layer of profiles: what each sentence costs under models of two references.

Its rows are not compared with rebuilt ones, since the references may be files that are elsewhere; its check measures
the sentences again by the models that are stored.
"""

from __future__ import annotations

import sqlite3
from random import Random

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable, LayerCheck, new_sentences
from corpusdb.store import Store

__all__ = ["PROFILES"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.homogeneity.profile_update import update_profiles

    return update_profiles(store, language)


def _problems(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.queries.homogeneity.profile_check import wrong_profiles

    return wrong_profiles(connection, random, full=full)


PROFILES = DerivedLayer(
    name="profile",
    tables=(DerivedTable("profile_sentence"),),
    update=_update,
    behind=new_sentences,
    checks=(LayerCheck("profiles", _problems),),
)
