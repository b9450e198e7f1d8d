"""The derived layers, in the order in which they are updated: each says how it is updated, checked and rebuilt."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpusdb.base.jobs import Job
from corpusdb.base.startup import loaded_now
from corpusdb.corpus.model import JUDGED, stored_in
from corpusdb.corpus.queries.sentences import may_be_retranslated, new_sentences, retranslated_sentences
from corpusdb.corpus.store import Layer, Run, Store, layer_state
from corpusdb.corpus.store.runs import languages_with_layers


@dataclass(frozen=True, slots=True)
class DerivedTable:
    """A table of a layer; a column ``run``, where it has one, names the run that made the row."""

    name: str
    made_by: tuple[str, ...] = ()
    """The operations whose runs make its rows; empty where it has no column ``run``."""
    rows: str | None = None
    """SQL for its rows in ``:language``, without numbers that depend on the order in which they were made.

    ``{of}`` stands for the schema; its tables, and ``sentence``, may be joined. None where another database may hold
    other rows for the same corpus: these are not compared with rebuilt ones."""
    given: str | None = None
    """SQL for the rows that were not derived but given by people, which a repair does not touch."""
    joined: bool = False
    """Whether other rows name its ``id``, so that comparing needs an index on it."""


def through(column: str, table: str, condition: str) -> str:
    """SQL for rows that name, in a column, one of a table of which a condition holds."""
    return f"{column} in (select id from {table} where {condition})"


@dataclass(frozen=True, slots=True)
class LayerCheck:
    """What every check looks at in a layer, besides comparing its rows with rebuilt ones."""

    name: str
    problems: Callable[..., list[str]]
    """Of a connection and random numbers what is wrong, in words; looked at in a sample, or with ``full`` all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedLayer:
    """One kind of derived data, of which each language has its own, and a row in ``layer`` once it was begun.

    This module loads little, since ``corpusdb info`` goes over its values: what makes the data is imported when called.
    """

    name: str
    tables: tuple[DerivedTable, ...]
    """Each before those that refer to it."""
    update: Callable[[Store, str], Job[None]]
    """Begin it, or bring it up to date in a language, as a part of a job; those that it needs are up to date."""
    needs: tuple[str, ...] = ()
    """The layers that it is made from, apart from the sentences and translations."""
    in_every_language: bool = False
    """Whether each language of the corpus has it; otherwise those in which it was begun. Such a layer needs none that
    is not in every language."""
    parameters: Callable[[], Mapping[str, object]] | None = None
    """What it is made by in this version, so that what was made by something else is rebuilt; None: always the same."""
    behind: Callable[[Store, str, Layer], int] | None = None
    """How many sentences of a language are not in it, or changed since; None: the overview does not show it."""
    made_from: Callable[[Store, str, Layer], Layer] = lambda store, language, state: state
    """The state that says which sentences and translations it holds: that of another layer, where both are updated in
    one transaction."""
    checks: tuple[LayerCheck, ...] = ()
    requests: Callable[[sqlite3.Connection, str], dict[str, Any]] = lambda connection, language: {}
    """What people asked for in a language, which can be written as JSON, as the record of runs has it."""
    shrink: Callable[[Store, str, Run, Sequence[tuple[int, str]]], Sequence[str] | None] | None = None
    """Take out of it, by a run, sentences (id, text) of a language that are about to be deleted, and the pairs that
    temp.unlinked has; inside a transaction of the caller. Gives, in words, what was dropped since they could not be
    taken out of it. None: it has nothing of them, or another layer does it."""
    rebuild: Callable[[Store, str, Mapping[str, Any]], Job[None]] | None = None
    """Make it in a database that does not have it, as requested, as a part of a job; None: as ``update`` does."""

    def make(self, store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
        """Make it where it is not there; a part of a job."""
        return self.update(store, language) if self.rebuild is None else self.rebuild(store, language, requests)

    def is_current(self, state: Layer) -> bool:
        """Whether a state is of what this version makes."""
        return self.parameters is None or state.parameters == dict(self.parameters())


def _called(place: str) -> Callable[..., Any]:
    """The function of that place, which is imported when it is called."""
    return lambda *given, **options: loaded_now(place)(*given, **options)


def _called_with(place: str, count: int, **options: object) -> Callable[..., Any]:
    """The same, with as many of the arguments as that function takes, and these options."""
    return lambda *given, **_: loaded_now(place)(*given[:count], **options)


# The layer of paraphrases that were detected through shared translations.

_PARAPHRASE_ROWS = """
select a.text, b.text, row.translations, row.languages, row.probability, row.sentence, row.paraphrase
from {of}.paraphrase row cross join sentence a on a.id = row.sentence
left join sentence b on b.id = row.paraphrase
where a.language = :language
"""

PARAPHRASES = DerivedLayer(
    name="paraphrase",
    tables=(DerivedTable("paraphrase", made_by=("detect",), rows=_PARAPHRASE_ROWS),),
    update=_called("corpusdb.paraphrase.queries.detection:detect"),
    parameters=lambda: loaded_now("corpusdb.paraphrase.queries.detection:PARAMETERS"),
    behind=retranslated_sentences,
    # In one step with what rests on them, from n-grams to rewordings.
    shrink=_called("corpusdb.chain.queries.generation:shrink_paraphrases"),
)


# The layer of tokens: every sentence of every language as a sequence of numbers, to be searched.

TOKENS = DerivedLayer(
    name="token",
    tables=(DerivedTable("type"), DerivedTable("token_segment", made_by=("tokenise",))),
    update=_called("corpusdb.search.queries.token_index:update_tokens"),
    in_every_language=True,
    shrink=_called("corpusdb.search.queries.token_index:forget_tokens"),
    # The overview does not show it, since it is never missed: a search cuts the sentences that are not in it yet.
    checks=(LayerCheck("tokens", _called("corpusdb.search.queries.token_index:wrong_tokens")),),
)


# The layer of character n-grams.

NGRAMS = DerivedLayer(
    name="ngram",
    tables=(DerivedTable("ngram_segment", made_by=("index",)),),
    # In one step with the commutations, which are updated by the n-grams of the sentences that they hold.
    update=_called("corpusdb.chain.queries.generation:update_index"),
    needs=("paraphrase",),
    behind=new_sentences,
    checks=(LayerCheck("n-grams", _called("corpusdb.paraphrase.queries.models:wrong_ngrams")),),
)


# The layer of annotations: tokens that an analyser cut; what files gave stands in the same tables, and is of no layer.


ANNOTATIONS = DerivedLayer(
    name="annotation",
    # Not compared with rebuilt ones, since another version of the analyser may be here: the check analyses a sample.
    tables=(
        DerivedTable("annotation", made_by=("annotate", "import"), given="source = 'import'"),
        DerivedTable(
            "annotation_attribute",
            given=through("annotation", "annotation", "source = 'import'"),
        ),
    ),
    update=_called("corpusdb.search.queries.morpheme_annotation:update_annotation"),
    behind=new_sentences,
    rebuild=_called_with("corpusdb.search.queries.morpheme_annotation:rebuild_annotation", 2),
    checks=(LayerCheck("annotations", _called("corpusdb.search.queries.morpheme_annotation:wrong_annotations")),),
)


# The layer of profiles: what each sentence costs under models of two references.

PROFILES = DerivedLayer(
    name="profile",
    # Not compared with rebuilt ones: the references may be files elsewhere. The check measures by the models stored.
    tables=(DerivedTable("profile_sentence"),),
    update=_called("corpusdb.homogeneity.queries.profiles:update_profiles"),
    behind=new_sentences,
    checks=(LayerCheck("profiles", _called("corpusdb.homogeneity.queries.profiles:wrong_profiles")),),
)


# The layer of alignment, which a language has together with each that it is aligned with: links of words, and phrases.


def _rebuild_alignment(store: Store, language: str, requests: Mapping[str, Any]) -> Job[None]:
    from corpusdb.alignment.queries.corpus_alignment import align_languages
    from corpusdb.alignment.queries.link_files import recount
    from corpusdb.alignment.queries.pairs import ordered_languages, pairs_of

    for other in requests["with"]:
        if pairs_of(store, *ordered_languages(language, other)):  # else all of them were removed
            yield from recount(store, language, other)
            yield from align_languages(store, language, other)


_WITH = """
select distinct other.value from run, json_each(run.parameters, '$.languages') own,
    json_each(run.parameters, '$.languages') other
where run.operation = 'align' and own.value = ? and other.value <> own.value order by 1
"""


def _requests_of_alignment(connection: sqlite3.Connection, language: str) -> dict[str, Any]:
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


_IMPORTED = "json_extract(parameters, '$.kind') = 'imported'"

ALIGNMENT = DerivedLayer(
    name="alignment",
    # Not compared with rebuilt ones, since its model is of the corpus as it was then: the check counts phrases again.
    tables=(
        DerivedTable("alignment_model", made_by=("align",), given=_IMPORTED),
        DerivedTable(
            "alignment",
            made_by=("align",),
            given=through("model", "alignment_model", _IMPORTED),
        ),
        DerivedTable("phrase"),
        DerivedTable("phrase_count"),
        DerivedTable("phrase_pair"),
    ),
    update=_called("corpusdb.alignment.queries.corpus_alignment:update_alignment"),
    behind=_behind,
    shrink=_called_with("corpusdb.alignment.queries.removed_pairs:forget_links", 3),
    requests=_requests_of_alignment,
    rebuild=_rebuild_alignment,
    checks=(LayerCheck("alignments", _called("corpusdb.alignment.queries.corpus_alignment:wrong_alignments")),),
)


# The layer of commutations: contexts, fillers, slots, which fillers commute, and where they stand in paraphrases.


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
    update=_called("corpusdb.chain.queries.generation:update_index"),
    needs=("paraphrase", "ngram"),
    parameters=lambda: loaded_now("corpusdb.paraphrase.queries.slot_index:PARAMETERS"),
    behind=reworded_sentences,
)


# The layer of generated candidates, of all sentences or of the seeds that people asked for.


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
# The validity depends on what people judged, and is not compared; nor is what is made together with it.
_COMPARED = {
    table: ", ".join(f"row.{name}" for name in stored_in(table) if name not in JUDGED)
    for table in ("candidate", "rewording")
}
_CANDIDATES = f"""
select seed.text, row.text, {_COMPARED["candidate"]}, row.unseen, row.other_unseen
from {{of}}.candidate row cross join {{of}}.seed on seed.id = row.seed and seed.language = :language
"""

CANDIDATES = DerivedLayer(
    name="candidate",
    tables=(
        DerivedTable("seed", made_by=("generate", "index"), rows=_SEEDS, joined=True),
        DerivedTable("candidate", made_by=("generate", "index"), rows=_CANDIDATES),
    ),
    update=_called("corpusdb.chain.queries.generation:update_candidates"),
    needs=("commutation",),
    behind=reworded_sentences,
    made_from=_made_from,
    requests=_requests,
    rebuild=_rebuild_candidates,
)


_REMOVED_SINCE = """
select coalesce(sum(json_extract(parameters, '$.removed')), 0) from run
where id > ? and operation = 'detect' and json_extract(parameters, '$.language') = ?
"""


def changed_sentences(store: Store, language: str, state: Layer) -> int:
    """How many sentences are new since, have new translations or lost some, or are gone: ``behind`` of what is learned
    from all."""
    (gone,) = store.connection.execute(_REMOVED_SINCE, (state.last_run, language)).fetchone()
    return retranslated_sentences(store, language, state) + int(gone)


# The layer of rewordings: what analogies give that only the exchange of words vouches for.

_ROWS = f"""
select sentence.text, row.text, {_COMPARED["rewording"]}
from {{of}}.rewording row cross join sentence on sentence.id = row.sentence and sentence.language = :language
"""

REWORDINGS = DerivedLayer(
    name="rewording",
    tables=(DerivedTable("rewording", made_by=("reword",), rows=_ROWS),),
    update=_called("corpusdb.chain.queries.generation:update_rewordings"),
    needs=("ngram", "candidate", "validity"),
    parameters=lambda: loaded_now("corpusdb.chain.queries.generation:REWORDING_PARAMETERS"),
    behind=changed_sentences,
    # New sentences have theirs; those of others rest on what was summed up before these came.
    made_from=lambda store, language, state: layer_state(store, language, "validity") or state,
)


# The layer of validity: exchanges of words with their sums, and how probable it is that each paraphrase holds.

_EXCHANGES = """
select row.x, row.y, row.pairs, row.shared, row.expected from {of}.exchange row where row.language = :language
"""
_PARTS = """
select exchange.x, exchange.y, row.kind, row.name, row.pairs, row.shared, row.expected
from {of}.exchange_part row cross join {of}.exchange on exchange.id = row.exchange and exchange.language = :language
"""

_WORD_MODEL = """
select row.language, row.sentences, row.checksum from {of}.word_model row where row.language = :language
"""
_LEXICAL_MODELS = """
select row.language, row.other, row.checksum from {of}.lexical_model row where row.language = :language
"""


VALIDITY = DerivedLayer(
    name="validity",
    tables=(
        DerivedTable("exchange", rows=_EXCHANGES, joined=True),
        DerivedTable("exchange_part", rows=_PARTS),
        DerivedTable("word_model", made_by=("validity",), rows=_WORD_MODEL),
        DerivedTable("lexical_model", made_by=("validity",), rows=_LEXICAL_MODELS),
    ),
    update=_called("corpusdb.chain.queries.generation:update_judgements"),
    needs=("paraphrase", "commutation", "candidate"),
    parameters=lambda: loaded_now("corpusdb.paraphrase.queries.paraphrases:JUDGED_BY"),
    behind=changed_sentences,
    rebuild=_called_with("corpusdb.paraphrase.queries.validity_update:update_validity", 2, thorough=True),
    checks=(
        LayerCheck("exchanges", _called_with("corpusdb.paraphrase.queries.validity_update:wrong_exchanges", 1)),
        LayerCheck("word models", _called_with("corpusdb.paraphrase.queries.models:wrong_word_models", 1)),
        LayerCheck("lexical models", _called_with("corpusdb.paraphrase.queries.models:wrong_lexical_models", 1)),
    ),
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
