"""The layer of paraphrases that were detected through shared translations."""

from __future__ import annotations

from collections.abc import Mapping

from corpusdb.jobs import Job
from corpusdb.queries.chain.layers.derived_layer import (
    DerivedLayer,
    DerivedTable,
    may_be_retranslated,
    new_sentences,
)
from corpusdb.store import Layer, Store

__all__ = ["PARAPHRASES", "retranslated_sentences"]


def _update(store: Store, language: str) -> Job[None]:
    from corpusdb.queries.paraphrase.detection import detect

    yield from detect(store, language)


def _parameters() -> Mapping[str, object]:
    from corpusdb.queries.paraphrase.detection import PARAMETERS

    return PARAMETERS


_RETRANSLATED = """
select count(*) from (
    select id from sentence where language = :language and id > :sentence
    union
    select translation.sentence from translation join sentence on sentence.id = translation.sentence
    where translation.run > :run and sentence.language = :language)
"""


def retranslated_sentences(store: Store, language: str, state: Layer) -> int:
    """How many sentences are new since, or have new translations."""
    if not may_be_retranslated(store, state):
        return new_sentences(store, language, state)
    values = {"language": language, "sentence": state.last_sentence, "run": state.last_run}
    return int(store.connection.execute(_RETRANSLATED, values).fetchone()[0])


_ROWS = """
select a.text, b.text, row.translations, row.languages, row.probability, row.sentence, row.paraphrase
from {of}.paraphrase row cross join sentence a on a.id = row.sentence
left join sentence b on b.id = row.paraphrase
where a.language = :language
"""

PARAPHRASES = DerivedLayer(
    name="paraphrase",
    tables=(DerivedTable("paraphrase", made_by=("detect",), rows=_ROWS),),
    update=_update,
    parameters=_parameters,
    behind=retranslated_sentences,
)
