"""The layer of commutations: contexts, fillers, slots, which fillers commute, and where they stand in paraphrases."""

from __future__ import annotations

from collections.abc import Mapping

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable
from corpusdb.store import Layer, Store

__all__ = ["COMMUTATIONS", "reworded_sentences"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.chain.index_update import update_index

    return update_index(store, language)


def _parameters() -> Mapping[str, object]:
    from corpusdb.queries.analogy.slot_index import PARAMETERS

    return PARAMETERS


# Where nothing was detected since, the paraphrases need not be gone through.
_REWORDED = """
select case when not exists (select 1 from run where id > :run and operation = 'detect')
then (select count(*) from sentence not indexed where id > :sentence and language = :language)
else (select count(*) from (
    select id from sentence where language = :language and id > :sentence
    union
    select paraphrase.sentence from paraphrase join sentence on sentence.id = paraphrase.sentence
    where paraphrase.run > :run and sentence.language = :language)) end
"""


def reworded_sentences(store: Store, language: str, state: Layer) -> int:
    """How many sentences are new since, or have new paraphrases."""
    values = {"language": language, "sentence": state.last_sentence, "run": state.last_run}
    return int(store.connection.execute(_REWORDED, values).fetchone()[0])


_CONTEXTS = """
select row.language, row.hash, row.fillers, row.sentence, row.start, row.stop from {of}.context row
where row.language = :language
"""
_FILLERS = "select row.text, row.language, row.hash, row.contexts from {of}.filler row where row.language = :language"
_SLOTS = """
select context.hash, filler.text, row.sentence from {of}.slot row
cross join {of}.context on context.id = row.context and context.language = :language
left join {of}.filler on filler.id = row.filler
"""
_COMMUTATIONS = """
select min(x.text, y.text), max(x.text, y.text), row.contexts from {of}.commutation row
cross join {of}.filler x on x.id = row.x and x.language = :language left join {of}.filler y on y.id = row.y
"""
_SUBSTITUTIONS = """
select context.hash, filler.text, row.rewording, row.sentence, row.start, row.stop from {of}.substitution row
cross join {of}.context on context.id = row.context and context.language = :language
left join {of}.filler on filler.id = row.filler
"""

COMMUTATIONS = DerivedLayer(
    name="commutation",
    tables=(
        DerivedTable("context", rows=_CONTEXTS, joined=True),
        DerivedTable("filler", rows=_FILLERS, joined=True),
        DerivedTable("slot", rows=_SLOTS),
        DerivedTable("commutation", rows=_COMMUTATIONS),
        DerivedTable("substitution", rows=_SUBSTITUTIONS),
    ),
    update=_update,
    needs=("paraphrase", "ngram"),
    parameters=_parameters,
    behind=reworded_sentences,
)
