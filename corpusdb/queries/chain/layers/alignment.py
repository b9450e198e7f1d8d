"""The layer of alignment: links of words in pairs of sentences, and the phrases that they give.

A language has it together with each that it is aligned with. Its rows are not compared with rebuilt ones, since its
model is of the corpus as it was when somebody asked for it; its check counts the phrases again from the links.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from random import Random
from typing import Any

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import (
    DerivedLayer,
    DerivedTable,
    LayerCheck,
    may_be_retranslated,
)
from corpusdb.store import Layer, Store

__all__ = ["ALIGNMENT"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.alignment.corpus_alignment import update_alignment

    return update_alignment(store, language)


def _rebuild(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.queries.alignment.corpus_alignment import align_languages
    from corpusdb.queries.alignment.link_files import recount

    for other in requests["with"]:
        yield from recount(store, language, other)
        yield from align_languages(store, language, other)


_WITH = """
select distinct other.value from run, json_each(run.parameters, '$.languages') own,
    json_each(run.parameters, '$.languages') other
where run.operation = 'align' and own.value = ? and other.value <> own.value order by 1
"""


def _requests(connection: sqlite3.Connection, language: str) -> dict[str, Any]:
    """The languages that this one was aligned with."""
    return {"with": [row[0] for row in connection.execute(_WITH, (language,))]}


_UNALIGNED = """
select count(distinct there.sentence)
from translation there
cross join sentence own on own.id = there.sentence and own.language = :language
cross join sentence other on other.id = there.translation and other.language in (select value from json_each(:with))
where there.run > :run
"""


def _behind(store: Store, language: str, state: Layer) -> int:
    """How many sentences have new translations in a language that this one is aligned with."""
    if not may_be_retranslated(store, state):
        return 0
    partners = json.dumps(_requests(store.connection, language)["with"])
    bound = {"language": language, "with": partners, "run": state.last_run}
    return int(store.connection.execute(_UNALIGNED, bound).fetchone()[0])


def _problems(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.queries.alignment.alignment_check import wrong_alignments

    return wrong_alignments(connection, random, full=full)


_IMPORTED = "json_extract(parameters, '$.kind') = 'imported'"

ALIGNMENT = DerivedLayer(
    name="alignment",
    tables=(
        DerivedTable("alignment_model", made_by=("align",), given=_IMPORTED),
        DerivedTable(
            "alignment",
            made_by=("align",),
            given=f"model in (select id from alignment_model where {_IMPORTED})",
        ),
        DerivedTable("phrase"),
        DerivedTable("phrase_count"),
        DerivedTable("phrase_pair"),
    ),
    update=_update,
    behind=_behind,
    requests=_requests,
    rebuild=_rebuild,
    checks=(LayerCheck("alignments", _problems),),
)
