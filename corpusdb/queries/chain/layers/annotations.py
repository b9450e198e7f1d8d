"""The layer of annotations: the tokens of sentences that an analyser cut, with what it says of each.

What files gave stands in the same tables, and is of no layer. Its rows are not compared with rebuilt ones, since
another version of the analyser may be installed; its check looks at all of them, and analyses a sample again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from random import Random
from typing import Any

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable, LayerCheck, new_sentences
from corpusdb.store import Store

__all__ = ["ANNOTATIONS"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.search.morpheme_annotation import update_annotation

    return update_annotation(store, language)


def _rebuild(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.queries.search.morpheme_annotation import rebuild_annotation

    return rebuild_annotation(store, language)


def _problems(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.queries.search.annotation_check import wrong_annotations

    return wrong_annotations(connection, random, full=full)


ANNOTATIONS = DerivedLayer(
    name="annotation",
    tables=(
        DerivedTable("annotation", made_by=("annotate", "import"), given="source = 'import'"),
        DerivedTable("annotation_attribute", given="annotation in (select id from annotation where source = 'import')"),
    ),
    update=_update,
    behind=new_sentences,
    rebuild=_rebuild,
    checks=(LayerCheck("annotations", _problems),),
)
