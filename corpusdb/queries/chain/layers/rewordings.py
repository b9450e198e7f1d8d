"""The layer of rewordings: what analogies give that only the exchange of words vouches for."""

from __future__ import annotations

from collections.abc import Mapping

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import DerivedLayer, DerivedTable
from corpusdb.queries.chain.layers.paraphrases import retranslated_sentences
from corpusdb.store import Store

__all__ = ["REWORDINGS"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.chain.rewordings import update_rewordings

    return update_rewordings(store, language)


def _parameters() -> Mapping[str, object]:
    from corpusdb.queries.chain.rewordings import PARAMETERS

    return PARAMETERS


# The validity depends on what people judged, and is not compared.
_ROWS = """
select sentence.text, row.text, row.pivots, row.languages, row.probability, row.fluency, row.inner_fluency
from {of}.rewording row cross join sentence on sentence.id = row.sentence and sentence.language = :language
"""

REWORDINGS = DerivedLayer(
    name="rewording",
    tables=(DerivedTable("rewording", made_by=("reword",), rows=_ROWS),),
    update=_update,
    needs=("ngram", "candidate", "validity"),
    parameters=_parameters,
    behind=retranslated_sentences,
)
