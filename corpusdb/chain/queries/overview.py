"""What a database holds, at a glance; and what an import or a generation is about to take."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from corpusdb.chain.queries.layers import derived_layers
from corpusdb.corpus.model import ACCEPTED
from corpusdb.corpus.queries.names import language_counts
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Store, layer_state
from corpusdb.corpus.store.connection import mode_of, translated_errors
from corpusdb.corpus.store.opening import schema_version

if TYPE_CHECKING:
    from corpusdb.corpus.formats import Source

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


# What import and generation will take, as ranges: time, memory and growth of the file, from the size of the input.
#
# The rates were measured in November 2026 with corpusdb 0.1 (schema 26), Python 3.11 and SQLite on one slow core of a
# virtual machine that others used too, as processor time, the most resident memory and the size of the file before and
# after. Each was seen on prefixes and on every k-th line of the four corpora of Tatoeba (eng-fra, eng-deu, eng-jpn,
# eng-cmn; 2,000 to 438,189 pairs), whose sentences are short (5 to 8 words), and on the captions of Multi30k (28,997
# pairs, eng-deu, 12 words); import besides on the dialogues of BSD.
#
# Import, for one byte of unpacked text: 0.2 to 0.75 microseconds and 1.5 to 4.8 bytes of the file; with what is
# searched (``follow``) up to 0.75 microseconds and 2.8 to 5.7 bytes. Text in markup, or with columns that are not
# read, takes less.
#
# Generation of n sentences in one language, all collections together:
#
#     sentences  characters   seconds   memory    growth
#         5,064     154,796       0.6    69 MB    1.2 MB
#        15,256     489,939       1.9   107 MB    5.1 MB
#        20,786     635,612       1.7   132 MB    6.5 MB
#        28,991   1,771,932       3.6   261 MB   10.9 MB    captions
#        38,703     762,137       6.7   209 MB   25.4 MB    the shortest
#        47,810   1,045,047      13.3   335 MB   41.1 MB    the shortest
#        52,612   1,616,105       5.7   223 MB   22.2 MB
#       116,830   3,677,210      22.4   456 MB   71.8 MB
#       236,197   7,600,000        79   770 MB    219 MB
#
# The index of commutations alone, which generation from a few seeds needs too, is the most of it where few sentences
# commute; for the 47,810 shortest it took 4.5 s, 252 MB, and 25.0 MB of the growth. The journal had at most 58 MB when
# 236,197 sentences were done.
#
# Sentences find more others they commute with where there are more of them, so that time grows with the power 1.5 of
# their number and growth with 1.35; short ones find more, up to twice as many. Both exponents are drawn through these
# points, and beyond a few hundred thousand sentences they are a guess. Nothing here is a bound.


@dataclass(frozen=True, slots=True)
class Range:
    """From the least to the most that is expected; the truth is mostly inside."""

    low: float
    high: float

    def times(self, low: float, high: float) -> Range:
        """Each end by a factor of its own."""
        return Range(low * self.low, high * self.high)


@dataclass(frozen=True, slots=True)
class Expected:
    seconds: Range
    """From a core that is twice as fast as the one measured on, to that one with hardly any other work."""
    memory: Range
    """The most at one time, in bytes."""
    growth: Range
    """By so many bytes the database file grows."""
    beside: Range
    """Bytes of the disk that are needed besides while it runs, for the journal."""


_MEGA: Final = 1e6
_SECONDS_OF_BYTE: Final = Range(0.2e-6, 0.9e-6)
_GROWTH_OF_BYTE: Final = {False: Range(1.2, 5.0), True: Range(2.0, 7.0)}
"""By whether what is searched follows."""
_IMPORT_MEMORY: Final = Range(120 * _MEGA, 300 * _MEGA)
_IMPORT_JOURNAL: Final = Range(4 * _MEGA, 30 * _MEGA)


def import_work(size: int, *, follow: bool) -> Expected:
    """Of the import of ``size`` bytes of unpacked text; with ``follow`` what is searched is brought up to date."""
    growth = _GROWTH_OF_BYTE[follow]
    return Expected(
        seconds=Range(0.5 + _SECONDS_OF_BYTE.low * size, 1 + _SECONDS_OF_BYTE.high * size),
        memory=_IMPORT_MEMORY,
        growth=Range(growth.low * size, growth.high * size),
        beside=_IMPORT_JOURNAL,
    )


_MEASURED_SENTENCES: Final = 236_197
_MEASURED_SECONDS: Final = 79.0
_TIME_EXPONENT: Final = 1.5
_MEASURED_GROWTH: Final = 219 * _MEGA
_GROWTH_EXPONENT: Final = 1.35
_GROWTH_OF_CHARACTER: Final = 6.5
"""Of the index of character sequences, which long sentences have most of."""
_MEMORY_AT_START: Final = 60 * _MEGA
_MEMORY_OF_SENTENCE: Final = 3_000
_MEMORY_OF_CHARACTER: Final = 105


def generation_work(sentences: int, characters: int) -> Expected:
    """Of generation from all ``sentences`` of a language, which have so many characters together."""
    share = sentences / _MEASURED_SENTENCES
    seconds = _MEASURED_SECONDS * share**_TIME_EXPONENT
    growth = max(_MEASURED_GROWTH * share**_GROWTH_EXPONENT, _GROWTH_OF_CHARACTER * characters)
    memory = max(_MEMORY_OF_SENTENCE * sentences, _MEMORY_OF_CHARACTER * characters)
    return Expected(
        seconds=Range(0.5 * seconds, 1 + 2 * seconds),
        memory=Range(_MEMORY_AT_START + 0.8 * memory, _MEMORY_AT_START + 1.6 * memory),
        growth=Range(0.6 * growth, 2 * growth),
        beside=Range(0.1 * growth, 0.5 * growth),
    )


def index_work(sentences: int, characters: int) -> Expected:
    """Of the part of this that comes before the candidates, which is all that seeds need."""
    whole = generation_work(sentences, characters)
    return replace(
        whole,
        seconds=whole.seconds.times(0.3, 1),
        memory=whole.memory.times(0.7, 1),
        growth=whole.growth.times(0.6, 1),
    )


def candidates_work(sentences: int, characters: int, left: float) -> Expected:
    """Of the candidates alone, of a share of the sentences that is ``left`` (0 to 1)."""
    whole = generation_work(sentences, characters)
    return replace(
        whole, seconds=whole.seconds.times(0.2 * left, left), growth=whole.growth.times(0.05 * left, 0.6 * left)
    )


# What an import or a generation is about to take, and the disk has left, before either begins.


@dataclass(frozen=True, slots=True)
class Foreseen:
    expected: Expected
    size: int
    """Of the database file now, in bytes; 0 where there is none yet."""
    free: int | None
    """Bytes that its disk has left for this user; None where the system does not tell."""


def foreseen_import(database: Path, sources: Sequence[Source], *, follow: bool) -> Foreseen | None:
    """What the import of some sources will take; None where their size is not known, as that of standard input.

    What was generated before and is to follow the new sentences is not in it.
    """
    from corpusdb.corpus.formats.reading import unpacked_size

    size = unpacked_size(path for source in sources for path in source.paths)
    return None if size is None else _foreseen(database, import_work(size, follow=follow))


_SENTENCES_OF = "select count(*), coalesce(sum(length(text)), 0) from sentence where language = ?"


def foreseen_generation(store: Store, language: str, *, seeded: bool) -> Foreseen | None:
    """What generation from all sentences of a language will take, or ``seeded`` the index that it needs.

    None where there is nothing to do, or so little that it is updated in place.
    """
    from corpusdb.paraphrase.queries.candidates import pending_update
    from corpusdb.paraphrase.queries.slot_index import PARAMETERS

    index = layer_state(store, language, "commutation")
    made = index if index is not None and index.complete and index.parameters == PARAMETERS else None
    is_made = made is not None and pending_update(store, language, made) != "much"
    left = 0.0 if is_made and seeded else _share_left(store, language) if is_made else 1.0
    sentences, characters = store.connection.execute(_SENTENCES_OF, (language,)).fetchone() if left else (0, 0)
    if not sentences:
        return None
    if is_made:
        return _foreseen(store.path, candidates_work(sentences, characters, left))
    work = index_work if seeded else generation_work
    return _foreseen(store.path, work(sentences, characters))


_LEFT = "select count(*) filter (where id > ?) * 1.0 / count(*) from sentence where language = ?"


def _share_left(store: Store, language: str) -> float:
    """Of the sentences, those that nothing was generated from yet; what new ones change is updated in place."""
    candidates = layer_state(store, language, "candidate")
    if candidates is None or candidates.parameters != {"seeds": "all"}:
        return 1.0
    if candidates.complete:
        return 0.0
    (left,) = store.connection.execute(_LEFT, (candidates.last_sentence, language)).fetchone()
    return float(left)


def _foreseen(database: Path, expected: Expected) -> Foreseen:
    try:
        size = database.stat().st_size
    except OSError:
        size = 0
    try:
        free = shutil.disk_usage(database.absolute().parent).free
    except OSError:
        free = None
    return Foreseen(expected, size, free)


# What a piece of work is about to take, in a line; and a warning where the disk has no room for it.


def foreseen_lines(foreseen: Foreseen | None, *, document: bool) -> Iterator[str]:
    """What a piece of work is about to take, where that is worth saying; a ``document`` needs no such line.

    That the disk has too little room is a warning, and stands beside a document too.
    """
    if foreseen is None:
        return
    if not document and (told := format_foreseen(foreseen)) is not None:
        yield told
    if (warning := room_warning(foreseen)) is not None:
        yield f"warning: {warning}"


_WORTH_SAYING: Final = 10.0
"""Seconds: who waits for less does not ask how long it takes."""


def format_foreseen(foreseen: Foreseen) -> str | None:
    """Time, memory and the size of the file afterwards, as ranges; None for work that is done in a moment.

    Seconds are those of a core that has nothing else to do.
    """
    expected = foreseen.expected
    if expected.seconds.high < _WORTH_SAYING:
        return None
    size, growth = foreseen.size, expected.growth
    told = f"{_told_sizes(size + growth.low, size + growth.high)}"
    return (
        f"about {_times(expected.seconds)}, {_told_sizes(expected.memory.low, expected.memory.high)} of memory,"
        f" {f'the file grows to {told}' if size else f'a file of {told}'}"
    )


def room_warning(foreseen: Foreseen) -> str | None:
    """That the disk may be too small, if it may: where the most that is expected is more than it has left."""
    expected, free = foreseen.expected, foreseen.free
    low, high = (getattr(expected.growth, end) + getattr(expected.beside, end) for end in ("low", "high"))
    if free is None or free >= high:
        return None
    return f"the disk has {_told_size(free)} left, and this takes about {_told_sizes(low, high)} of it"


def _times(seconds: Range) -> str:
    """In the largest unit of which the most is one and a half or more; rounded outwards."""
    for name, length in (("hours", 3600), ("minutes", 60)):
        if seconds.high >= 1.5 * length:
            return _span(max(1, math.floor(seconds.low / length)), math.ceil(seconds.high / length), name)
    return _span(max(1, math.floor(seconds.low)), math.ceil(seconds.high), "seconds")


def _span(low: int, high: int, unit: str) -> str:
    return f"{high:,} {unit}" if low == high else f"{low:,} to {high:,} {unit}"


def _told_sizes(low: float, high: float) -> str:
    """Two sizes in the unit of the larger."""
    least, most = _number(low, _unit(high)), _told_size(high)
    return most if most.startswith(f"{least} ") else f"{least} to {most}"


def _told_size(size: float) -> str:
    return f"{_number(size, _unit(size))} {_UNITS[_unit(size)]}"


_UNITS: Final = {1e9: "GB", 1e6: "MB", 1e3: "kB"}


def _unit(size: float) -> float:
    return 1e9 if size >= 0.995e9 else 1e6 if size >= 0.1e6 else 1e3


def _number(size: float, unit: float) -> str:
    """To two digits, as far as they are not smaller than a tenth of the unit."""
    number = size / unit
    if number >= 10:
        digits = len(str(round(number))) - 2
        return f"{round(number, -digits):,.0f}"
    return f"{number:.1f}".removesuffix(".0")
