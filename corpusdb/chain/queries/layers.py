"""The derived layers, in the order in which they are updated: each says how it is updated, checked and rebuilt."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from corpusdb.base.jobs import Job
from corpusdb.chain.queries.derived_layer import (
    DerivedLayer,
    DerivedTable,
    LayerCheck,
    may_be_retranslated,
    new_sentences,
)
from corpusdb.corpus.model import stored_in
from corpusdb.corpus.store import Layer, Store, layer_state
from corpusdb.corpus.store.runs import languages_with_layers

# The layer of paraphrases that were detected through shared translations.


def _update_paraphrases(store: Store, language: str) -> Job[None]:
    from corpusdb.paraphrase.queries.detection import detect

    yield from detect(store, language)


def _parameters() -> Mapping[str, object]:
    from corpusdb.paraphrase.queries.detection import PARAMETERS

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


_PARAPHRASE_ROWS = """
select a.text, b.text, row.translations, row.languages, row.probability, row.sentence, row.paraphrase
from {of}.paraphrase row cross join sentence a on a.id = row.sentence
left join sentence b on b.id = row.paraphrase
where a.language = :language
"""

PARAPHRASES = DerivedLayer(
    name="paraphrase",
    tables=(DerivedTable("paraphrase", made_by=("detect",), rows=_PARAPHRASE_ROWS),),
    update=_update_paraphrases,
    parameters=_parameters,
    behind=retranslated_sentences,
)


# The layer of tokens: every sentence of every language as a sequence of numbers, to be searched.


def _update_tokens(store: Store, language: str) -> Job[None]:
    from corpusdb.search.queries.token_index import update_tokens

    return update_tokens(store, language)


def _problems_of_tokens(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.search.queries.token_index import wrong_tokens

    return wrong_tokens(connection, random, full=full)


TOKENS = DerivedLayer(
    name="token",
    tables=(DerivedTable("type"), DerivedTable("token_segment", made_by=("tokenise",))),
    update=_update_tokens,
    in_every_language=True,
    # The overview does not show it, since it is never missed: a search cuts the sentences that are not in it yet.
    checks=(LayerCheck("tokens", _problems_of_tokens),),
)


# The layer of character n-grams.


def _update_ngrams(store: Store, language: str) -> Job[None]:
    # In one step with the commutations, which are updated by the n-grams of the sentences that they hold.
    from corpusdb.chain.queries.generation import update_index

    return update_index(store, language)


def _problems_of_ngrams(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.paraphrase.queries.ngram_index import wrong_ngrams

    return wrong_ngrams(connection, random, full=full)


NGRAMS = DerivedLayer(
    name="ngram",
    tables=(DerivedTable("ngram_segment", made_by=("index",)),),
    update=_update_ngrams,
    needs=("paraphrase",),
    behind=new_sentences,
    checks=(LayerCheck("n-grams", _problems_of_ngrams),),
)


# The layer of annotations: the tokens of sentences that an analyser cut, with what it says of each.
#
# What files gave stands in the same tables, and is of no layer. Its rows are not compared with rebuilt ones, since
# another version of the analyser may be installed; its check looks at all of them, and analyses a sample again.


def _update_annotations(store: Store, language: str) -> Job[None]:
    from corpusdb.search.queries.morpheme_annotation import update_annotation

    return update_annotation(store, language)


def _rebuild_annotations(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.search.queries.morpheme_annotation import rebuild_annotation

    return rebuild_annotation(store, language)


def _problems_of_annotations(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.search.queries.morpheme_annotation import wrong_annotations

    return wrong_annotations(connection, random, full=full)


ANNOTATIONS = DerivedLayer(
    name="annotation",
    tables=(
        DerivedTable("annotation", made_by=("annotate", "import"), given="source = 'import'"),
        DerivedTable("annotation_attribute", given="annotation in (select id from annotation where source = 'import')"),
    ),
    update=_update_annotations,
    behind=new_sentences,
    rebuild=_rebuild_annotations,
    checks=(LayerCheck("annotations", _problems_of_annotations),),
)


# The layer of profiles: what each sentence costs under models of two references.
#
# Its rows are not compared with rebuilt ones, since the references may be files that are elsewhere; its check measures
# the sentences again by the models that are stored.


def _update_profiles(store: Store, language: str) -> Job[None]:
    from corpusdb.homogeneity.queries.profiles import update_profiles

    return update_profiles(store, language)


def _problems_of_profiles(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.homogeneity.queries.profiles import wrong_profiles

    return wrong_profiles(connection, random, full=full)


PROFILES = DerivedLayer(
    name="profile",
    tables=(DerivedTable("profile_sentence"),),
    update=_update_profiles,
    behind=new_sentences,
    checks=(LayerCheck("profiles", _problems_of_profiles),),
)


# The layer of alignment: links of words in pairs of sentences, and the phrases that they give.
#
# A language has it together with each that it is aligned with. Its rows are not compared with rebuilt ones, since its
# model is of the corpus as it was when somebody asked for it; its check counts the phrases again from the links.


def _update_alignment(store: Store, language: str) -> Job[None]:
    from corpusdb.alignment.queries.corpus_alignment import update_alignment

    return update_alignment(store, language)


def _rebuild_alignment(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.alignment.queries.corpus_alignment import align_languages
    from corpusdb.alignment.queries.link_files import recount

    for other in requests["with"]:
        yield from recount(store, language, other)
        yield from align_languages(store, language, other)


_WITH = """
select distinct other.value from run, json_each(run.parameters, '$.languages') own,
    json_each(run.parameters, '$.languages') other
where run.operation = 'align' and own.value = ? and other.value <> own.value order by 1
"""


def _requests_of_alignment(connection: sqlite3.Connection, language: str) -> dict[str, Any]:
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
    partners = json.dumps(_requests_of_alignment(store.connection, language)["with"])
    bound = {"language": language, "with": partners, "run": state.last_run}
    return int(store.connection.execute(_UNALIGNED, bound).fetchone()[0])


def _problems_of_alignment(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.alignment.queries.corpus_alignment import wrong_alignments

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
    update=_update_alignment,
    behind=_behind,
    requests=_requests_of_alignment,
    rebuild=_rebuild_alignment,
    checks=(LayerCheck("alignments", _problems_of_alignment),),
)


# The layer of commutations: contexts, fillers, slots, which fillers commute, and where they stand in paraphrases.


def _update_commutations(store: Store, language: str) -> Job[None]:
    from corpusdb.chain.queries.generation import update_index

    return update_index(store, language)


def _parameters_of_commutations() -> Mapping[str, object]:
    from corpusdb.paraphrase.queries.slot_index import PARAMETERS

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
    update=_update_commutations,
    needs=("paraphrase", "ngram"),
    parameters=_parameters_of_commutations,
    behind=reworded_sentences,
)


# The layer of generated candidates, of all sentences or of the seeds that people asked for.


def _update_candidates(store: Store, language: str) -> Job[None]:
    from corpusdb.chain.queries.generation import update_candidates

    return update_candidates(store, language)


def _rebuild_candidates(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.chain.queries.generation import generate

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
# The validity depends on what people judged, and is not compared.
_COMPARED = {
    table: ", ".join(f"row.{name}" for name in stored_in(table) if name != "validity")
    for table in ("candidate", "rewording")
}
_CANDIDATES = f"""
select seed.text, row.text, {_COMPARED["candidate"]}, row.unseen, row.inner_unseen
from {{of}}.candidate row cross join {{of}}.seed on seed.id = row.seed and seed.language = :language
"""

CANDIDATES = DerivedLayer(
    name="candidate",
    tables=(
        DerivedTable("seed", made_by=("generate", "index"), rows=_SEEDS, joined=True),
        DerivedTable("candidate", made_by=("generate", "index"), rows=_CANDIDATES),
    ),
    update=_update_candidates,
    needs=("commutation",),
    behind=reworded_sentences,
    made_from=_made_from,
    requests=_requests,
    rebuild=_rebuild_candidates,
)


# The layer of rewordings: what analogies give that only the exchange of words vouches for.


def _update_rewordings(store: Store, language: str) -> Job[None]:
    from corpusdb.chain.queries.generation import update_rewordings

    return update_rewordings(store, language)


def _parameters_of_rewordings() -> Mapping[str, object]:
    from corpusdb.chain.queries.generation import REWORDING_PARAMETERS as PARAMETERS

    return PARAMETERS


_ROWS = f"""
select sentence.text, row.text, {_COMPARED["rewording"]}
from {{of}}.rewording row cross join sentence on sentence.id = row.sentence and sentence.language = :language
"""

REWORDINGS = DerivedLayer(
    name="rewording",
    tables=(DerivedTable("rewording", made_by=("reword",), rows=_ROWS),),
    update=_update_rewordings,
    needs=("ngram", "candidate", "validity"),
    parameters=_parameters_of_rewordings,
    behind=retranslated_sentences,
)


# The layer of validity: exchanges of words with their sums, and how probable it is that each paraphrase holds.


def _update_validity(store: Store, language: str) -> Job[None]:
    from corpusdb.paraphrase.queries.validity_update import update_validity

    return update_validity(store, language)


def _rebuild_validity(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.paraphrase.queries.validity_update import update_validity

    return update_validity(store, language, thorough=True)


def _parameters_of_validity() -> Mapping[str, object]:
    from corpusdb.paraphrase.queries.validity_update import PARAMETERS

    return PARAMETERS


def _problems(connection: sqlite3.Connection, random: Random, full: bool) -> list[str]:
    from corpusdb.paraphrase.queries.validity_update import wrong_exchanges

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
    update=_update_validity,
    needs=("paraphrase", "commutation", "candidate"),
    parameters=_parameters_of_validity,
    behind=retranslated_sentences,
    rebuild=_rebuild_validity,
    checks=(LayerCheck("exchanges", _problems),),
)


# All derived layers, in the order in which they are updated: each after those that it needs.


LAYERS: tuple[DerivedLayer, ...] = (
    *(TOKENS, PARAPHRASES, NGRAMS, COMMUTATIONS, CANDIDATES, VALIDITY, REWORDINGS, ALIGNMENT, PROFILES),
    ANNOTATIONS,  # last, since a repair cannot make it where its analyser is not installed
)


def derived_layers() -> tuple[DerivedLayer, ...]:
    """Each after those that it needs."""
    return LAYERS


def layers_on_request() -> list[DerivedLayer]:
    """Those that a language has where somebody asked for them."""
    return [layer for layer in derived_layers() if not layer.in_every_language]


def begun_languages(store: Store) -> list[str]:
    """The languages in which one of these was begun, ascending."""
    return languages_with_layers(store, (layer.name for layer in layers_on_request()))


def with_needed(names: set[str]) -> list[DerivedLayer]:
    """The layers of these names and all that they are made from, in order."""
    wanted: list[DerivedLayer] = []
    names = set(names)
    for layer in reversed(derived_layers()):
        if layer.name in names:
            wanted.append(layer)
            names |= {*layer.needs}
    return wanted[::-1]


def layer_tables() -> Iterator[str]:
    """The tables of all layers, each before those that refer to it."""
    return (table.name for layer in derived_layers() for table in layer.tables)
