"""What a database holds, at a glance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from corpusdb.chain.queries.layers import derived_layers
from corpusdb.corpus.model import ACCEPTED
from corpusdb.corpus.queries.names import language_counts
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Store, layer_state
from corpusdb.corpus.store.connection import mode_of, translated_errors
from corpusdb.corpus.store.opening import schema_version

if TYPE_CHECKING:
    pass

_RUNS = 10

LayerState: TypeAlias = Literal["up to date", "behind", "incomplete"]


@dataclass(frozen=True, slots=True)
class CollectionOverview:
    name: str
    documents: int
    """Files, of which some are read together as one."""
    lines: int
    """Aligned units read, without headers and without what was rejected; accepted candidates are a line each."""
    licence: str | None
    sections: int
    """Documents inside these files: talks, dialogues, news stories."""


@dataclass(frozen=True, slots=True)
class LayerOverview:
    """How far one derived layer of a language is up to date with the corpus."""

    name: str
    state: LayerState
    behind: int
    """Sentences of the language that are new since, or got new translations (paraphrase layer) or paraphrases (the two
    layers above)."""


@dataclass(frozen=True, slots=True)
class LanguageOverview:
    code: str
    """ISO 639-3."""
    sentences: int
    characters: int
    """In these, in code points."""
    occurrences: int
    """Places where they stand in documents."""
    translations: int
    """Ordered pairs of a sentence in this language and one that translates it, in each collection."""
    layers: tuple[LayerOverview, ...]
    """Those that were begun, from the lowest to the highest."""


@dataclass(frozen=True, slots=True)
class AlignmentOverview:
    source: str
    target: str
    links_from: str
    """``trained`` for a model of our own, or the name of the file that links were imported from."""
    pairs: int
    without_links: int
    """Pairs that have none: a model links them with the next update, imported links never."""


@dataclass(frozen=True, slots=True)
class AnnotationOverview:
    language: str
    source: str
    """``import``, or the analyser that annotated them."""
    sentences: int
    attributes: tuple[str, ...]
    """What is known of tokens besides the word, in the order in which it came."""


@dataclass(frozen=True, slots=True)
class VariationOverview:
    """What the last generation from all sentences of a language counted, at the filter that it was asked with."""

    language: str
    run: int
    pairs: int
    """Of a seed and a paraphrase, kept."""
    real: int
    """Those that differ in more than capitals, marks and contractions."""
    real_seeds: int
    """Seeds of these."""
    deep: int
    """Real pairs of which two words or more differ."""


@dataclass(frozen=True, slots=True)
class DerivedCounts:
    """How many rows were derived, in all languages together."""

    paraphrases: int
    """Ordered pairs."""
    contexts: int
    fillers: int
    slots: int
    commutations: int
    seeds: int
    """Sentences that were generated from, with candidates or without."""
    candidates: int
    accepted: int
    """Different sentences in the collection ``accepted``."""


@dataclass(frozen=True, slots=True)
class RunOverview:
    id: int
    operation: str
    started: str
    """UTC, ISO 8601."""
    finished: str | None
    """None: still running, or interrupted."""
    counts: dict[str, Any]
    of: str = ""
    """The file, the language or the systems."""


@dataclass(frozen=True, slots=True)
class Overview:
    path: str
    size: int
    """Bytes of the file, with what is not yet moved into it from the write-ahead log."""
    sizes: dict[str, int] | None
    """Bytes of each table and index, largest first; None where not asked for, and where SQLite has no dbstat."""
    schema_version: int
    journal_mode: str
    mode: str
    """Who may read and write the file, as `ls` and `chmod` have it."""
    collections: tuple[CollectionOverview, ...]
    languages: tuple[LanguageOverview, ...]
    alignments: tuple[AlignmentOverview, ...]
    counts: DerivedCounts
    runs: tuple[RunOverview, ...]
    annotations: tuple[AnnotationOverview, ...] = ()
    variation: tuple[VariationOverview, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One of the files of a collection, or several that were read together, as it is cited."""

    collection: str
    licence: str | None
    name: str
    languages: tuple[str, ...]
    units: int
    digest: str
    """SHA-256 of its bytes and of how it was read."""
    imported: str
    """UTC, ISO 8601."""
    version: str
    """Of corpusdb."""


_FILES = """
select collection.name, licence, document.name, languages,
       coalesce(json_extract(document.counts, '$.read'), lines_done), digest, started, version
from collection join document on document.collection = collection.id join run on run.id = document.run
order by collection.id, document.id
"""


def imported_files(store: Store) -> list[ImportedFile]:
    """The files of all collections, in the order in which they came. Raises DatabaseDamaged and DatabaseLocked."""
    with translated_errors(store.path):
        rows = store.connection.execute(_FILES).fetchall()
    return [
        ImportedFile(collection, licence, name, tuple(languages.split(",")), *figures)
        for collection, licence, name, languages, *figures in rows
    ]


_JOURNAL_MODE = "pragma journal_mode"
_COLLECTIONS = """
select collection.name, count(document.id),
       coalesce(sum(coalesce(json_extract(document.counts, '$.read'), document.lines_done)), 0), collection.licence,
       (select count(distinct section.document || ' ' || section.name)
        from section join document within on within.id = section.document where within.collection = collection.id)
from collection left join document on document.collection = collection.id group by collection.id order by collection.id
"""


def overview(store: Store, *, sizes: bool = False) -> Overview:
    """Describe a database. ``sizes`` adds the size of each table and index, for which every page must be visited.

    Raises DatabaseDamaged and DatabaseLocked.
    """
    with translated_errors(store.path):
        languages = _languages(store)
        files = (store.path, store.path.with_name(store.path.name + "-wal"))
        return Overview(
            path=str(store.path),
            size=sum(file.stat().st_size for file in files if file.exists()),
            sizes=_sizes(store) if sizes else None,
            schema_version=schema_version(store.connection),
            journal_mode=store.connection.execute(_JOURNAL_MODE).fetchone()[0],
            mode=mode_of(store.path),
            collections=tuple(CollectionOverview(*row) for row in store.connection.execute(_COLLECTIONS)),
            languages=languages,
            alignments=tuple(_alignments(store, languages)),
            counts=DerivedCounts(*store.connection.execute(_DERIVED, (ACCEPTED,)).fetchone()),
            runs=recent_runs(store),
            annotations=tuple(_annotations(store)),
            variation=tuple(VariationOverview(*row) for row in store.connection.execute(_VARIATION)),
        )


_ANNOTATIONS = """
select language, source, sum(length(sentences) / 8), (
    select json_group_array(name) from (
        select annotation_attribute.name from annotation_attribute
        join annotation part on part.id = annotation_attribute.annotation
        where part.language = annotation.language and part.source = annotation.source and name <> 'word'
        group by name order by min(annotation_attribute.id)))
from annotation group by language, source order by language, source
"""


def _annotations(store: Store) -> Iterator[AnnotationOverview]:
    for language, source, sentences, attributes in store.connection.execute(_ANNOTATIONS):
        yield AnnotationOverview(language, source, sentences, tuple(json.loads(attributes)))


# The last one of each language that told how many are real, as those of older versions did not. What it made is gone
# where the language has no candidates of all sentences any more.
_VARIATION = """
select json_extract(parameters, '$.language') as language, max(id),
       json_extract(counts, '$.kept') + json_extract(counts, '$.exchanged'), json_extract(counts, '$.real'),
       json_extract(counts, '$.real_seeds'), json_extract(counts, '$.deep')
from run where operation = 'generate' and json_type(parameters, '$.seeds') is null
           and json_type(counts, '$.real') is not null
           and json_extract(parameters, '$.language') in (
    select language from layer where name = 'candidate' and json_extract(layer.parameters, '$.seeds') = 'all')
group by language order by language
"""
_LATEST_RUNS = """
select id, operation, started, finished, counts, coalesce(
    parameters ->> 'document', parameters ->> 'language', parameters ->> 'name',
    (select group_concat(value, ', ') from json_each(parameters, '$.systems')),
    (select group_concat(key, ', ') from json_each(parameters, '$.files')), '') from run order by id desc limit ?"""


def recent_runs(store: Store, limit: int = _RUNS) -> tuple[RunOverview, ...]:
    """The latest runs, the last first; at most ``limit``."""
    rows = store.connection.execute(_LATEST_RUNS, (limit,))
    return tuple(RunOverview(no, what, since, till, json.loads(told), of) for no, what, since, till, told, of in rows)


_HAS_DBSTAT = "select exists (select 1 from pragma_module_list where name = 'dbstat')"
_SIZES = "select name, pgsize from dbstat where aggregate = 1 order by pgsize desc, name"


def _sizes(store: Store) -> dict[str, int] | None:
    if not store.connection.execute(_HAS_DBSTAT).fetchone()[0]:
        return None
    return dict(store.connection.execute(_SIZES).fetchall())


_SENTENCES = "select language, count(*), sum(length(text)) from sentence group by language order by language"


def _languages(store: Store) -> tuple[LanguageOverview, ...]:
    counts = language_counts(store.connection)
    return tuple(
        LanguageOverview(
            code,
            sentences,
            characters,
            counts.occurrences[code],
            counts.translations[code],
            tuple(_layers(store, code)),
        )
        for code, sentences, characters in store.connection.execute(_SENTENCES)
    )


def _layers(store: Store, language: str) -> Iterator[LayerOverview]:
    for layer in derived_layers():
        state = layer_state(store, language, layer.name)
        if state is None or layer.behind is None:
            continue
        behind = layer.behind(store, language, layer.made_from(store, language, state))
        told: LayerState = "incomplete" if not state.complete else "behind" if behind else "up to date"
        yield LayerOverview(layer.name, told, behind)


def behind_in(store: Store, name: str) -> tuple[str, ...]:
    """The languages in which a derived layer is behind the corpus, ascending."""
    (layer,) = (each for each in derived_layers() if each.name == name)
    states = {language: layer_state(store, language, name) for language in languages_of(store)}
    return tuple(
        language
        for language, state in states.items()
        if state is not None and layer.behind and layer.behind(store, language, layer.made_from(store, language, state))
    )


_ALIGNMENTS = """
select id, source_language, target_language, coalesce(json_extract(parameters, '$.file'), 'trained'),
       (select count(*) from alignment where alignment.model = newest.id)
from alignment_model newest
where state = 'ready' and id = (
    select max(id) from alignment_model same
    where same.source_language = newest.source_language and same.target_language = newest.target_language
      and same.state = 'ready')
order by source_language, target_language
"""
_PAIRS = """
select count(*) from (
    select distinct there.sentence, there.translation
    from sentence own not indexed
    cross join translation there on there.sentence = own.id
    cross join sentence other on other.id = there.translation and other.language = ?
    where own.language = ?)
"""


def _alignments(store: Store, languages: Sequence[LanguageOverview]) -> Iterator[AlignmentOverview]:
    """``languages``: of a model of our own all pairs have links where the layers of both are up to date, so that none
    has to be counted, which takes a quarter of a second for 170,000."""
    followed = {
        each.code
        for each in languages
        if ("alignment", "up to date") in ((layer.name, layer.state) for layer in each.layers)
    }
    for _, source, target, links_from, linked in store.connection.execute(_ALIGNMENTS).fetchall():
        pairs = linked
        if links_from != "trained" or not followed >= {source, target}:
            (pairs,) = store.connection.execute(_PAIRS, (target, source)).fetchone()
        yield AlignmentOverview(source, target, links_from, linked, pairs - linked)


_DERIVED = """
select (select count(*) from paraphrase), (select count(*) from context), (select count(*) from filler),
       (select count(*) from slot), (select count(*) from commutation), (select count(*) from seed),
       (select count(*) from candidate),
       (select count(distinct occurrence.sentence) from collection
        join document on document.collection = collection.id
        join occurrence on occurrence.document = document.id where collection.name = ?)
"""
