"""The layer of generated candidates, of all sentences or of the seeds that people asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.commutations import reworded_sentences
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable
from corpusdb.store import Layer, Store, layer_state

__all__ = ["CANDIDATES"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.chain.generation import update_candidates

    return update_candidates(store, language)


def _rebuild(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.queries.chain.generation import generate

    if requests["all"]:
        yield from generate(store, language)
    if requests["seeds"]:
        yield from generate(store, language, requests["seeds"])


def _made_from(store: Store, language: str, state: Layer) -> Layer:
    """Complete candidates are updated in one step with the index; for given seeds no sentence is the last."""
    return (layer_state(store, language, "commutation") if state.complete else None) or state


_ALL = """
select exists (
    select 1 from run where operation = 'generate'
    and json_extract(parameters, '$.language') = ? and json_type(parameters, '$.seeds') is null)
"""
_GIVEN = """
select seed.value as text, max(run.id) > (
        select coalesce(max(made.id), 0) from run made
        where json_extract(made.parameters, '$.language') = :language
          and (made.operation = 'index'
               or made.operation = 'generate' and json_type(made.parameters, '$.seeds') is null)
    ), exists (select 1 from sentence where language = :language and text = seed.value),
    exists (select 1 from seed stored where stored.language = :language and stored.text = seed.value)
from run, json_each(run.parameters, '$.seeds') seed
where run.operation = 'generate' and json_extract(run.parameters, '$.language') = :language
group by seed.value order by min(run.id), min(seed.key)
"""


def _requests(connection: sqlite3.Connection, language: str) -> dict[str, Any]:
    """Whether all were generated, and the given seeds that have not been forgotten since."""
    is_all = bool(connection.execute(_ALL, (language,)).fetchone()[0])
    seeds = []
    for text, recent, inside, stored in connection.execute(_GIVEN, {"language": language}):
        if (not inside and (recent or stored)) or (inside and not is_all):
            seeds.append(text)
    return {"all": is_all, "seeds": seeds}


_SEEDS = "select row.text, row.language, row.sentence from {of}.seed row where row.language = :language"
_CANDIDATES = """
select seed.text, row.text, row.frequency, row.pivots, row.languages, row.probability, row.fluency,
       row.inner_fluency, row.unseen, row.inner_unseen
from {of}.candidate row cross join {of}.seed on seed.id = row.seed and seed.language = :language
"""

CANDIDATES = DerivedLayer(
    name="candidate",
    tables=(
        DerivedTable("seed", made_by=("generate", "index"), rows=_SEEDS, joined=True),
        DerivedTable("candidate", made_by=("generate", "index"), rows=_CANDIDATES),
    ),
    update=_update,
    needs=("commutation",),
    behind=reworded_sentences,
    made_from=_made_from,
    requests=_requests,
    rebuild=_rebuild,
)
