"""Coefficients of lines, documents and collections, made of the sums that a profile keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.char_model_counts import normalised
from corpusdb.base.errors import UsageError
from corpusdb.base.estimates import Interval, fisher, pearson
from corpusdb.corpus.queries.names import saved_query
from corpusdb.corpus.queries.sentences import FilePlace, places, result_languages, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profiles import StoredProfile, profile_languages, profiles_of
from corpusdb.homogeneity.scale import Statistics, Summary, coefficients, summary
from corpusdb.search.queries.results import saved_request
from corpusdb.search.queries.search import Searcher


@dataclass(frozen=True)
class Subset:
    """Some sentences of a language, and what they were asked for by."""

    name: str
    sentences: I64
    """Ascending and distinct; those of other languages too, where they stand in the same collection."""
    places: tuple[FilePlace, ...] = ()
    """Where a document was asked for, what has its name."""
    result: str | None = None
    """Where a result or selection was asked for as a collection, its name."""


def among(
    store: Store,
    language: str,
    *,
    collection: str | None = None,
    document: str | None = None,
    query: str | None = None,
) -> Subset | None:
    """The sentences for which all of this holds; None where nothing is asked.

    ``collection`` may be a selection; ``query`` is the name of a saved search, of which what was found in the language
    counts. Raises InputError for a name that is not there, and UsageError for a saved query that is no search.
    """
    parts, named = [], []
    if collection is not None or document is not None:
        parts.append(sentences_of(store, collection, document))
        named += [
            f"{what} {name}" for what, name in (("document", document), ("collection", collection)) if name is not None
        ]
    if query is not None:
        parts.append(_found(store, language, query))
        named.append(f"query {query}")
    if not parts:
        return None
    sentences = parts[0] if len(parts) == 1 else np.intersect1d(parts[0], parts[1], assume_unique=True)
    inside = () if document is None else tuple(places(store, () if collection is None else (collection,), document))
    return Subset(", ".join(named), sentences, inside, collection if collection in result_languages(store) else None)


def _found(store: Store, language: str, name: str) -> I64:
    saved = saved_query(store, name)
    if saved.command != "search":
        raise UsageError(f"{name!r} is not a search, but a call of `corpusdb {saved.command}`")
    return Searcher(store).find(saved_request(store, saved).search(language)).sentences


# A line is a sentence, once however often it stands in the corpus. Documents and collections are sums over all their
# lines, never means of lines; a sentence counts in them as often as it stands there.


Level: TypeAlias = Literal["line", "document", "collection", "whole"]
LEVELS: Final[tuple[Level, ...]] = ("line", "document", "collection")
"""Those of a corpus. ``whole`` is all sentences that are asked for as one text, each once."""


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    name: str
    """Of a line its text."""
    lines: int
    """Lines that were measured."""
    left_out: int
    """Lines that were not: they stand in a reference, or are empty."""
    characters: int
    unknown: int
    """Characters that neither reference has."""
    coefficient: float | None
    """I, 0 to 1; None where it is not defined."""
    clipped: bool
    """Whether it lay outside of 0 to 1."""
    position: float | None
    """J on the linear scale; None where there is none, or there are no characters."""


@dataclass(frozen=True, slots=True)
class LevelSummary:
    """How the coefficients and the positions of one level are distributed."""

    level: Level
    coefficients: Summary
    positions: Summary | None
    """None where the references have no linear scale."""


@dataclass(frozen=True, slots=True)
class ProfileReport:
    id: int
    language: str
    parameters: dict[str, object]
    characters: tuple[int, int]
    """Of each reference, after they were cut."""
    h11: float
    h12: float
    h21: float
    h22: float
    d1: float | None
    d2: float | None
    unseen: tuple[float | None, float | None]
    """The coefficients of text of both references that their models had not seen."""
    changed: tuple[str, ...]
    """What of the references is not as it was; the profile is stale where it is not empty."""
    sentences: int
    """Different sentences of the language."""
    measured: int
    in_references: int
    """Sentences that stand in a reference, and are left out."""
    empty: int
    """Sentences that are empty in the normalisation, and are left out."""
    unknown: int
    """Characters that neither reference has, of all that were measured."""
    measured_characters: int
    levels: tuple[LevelSummary, ...]


_MODEL_CHARACTERS = "select characters from char_model where id = ?"
_TOTALS = """
select count(*), coalesce(sum(characters), 0), coalesce(sum(unknown), 0) from profile_sentence
where profile = :profile and (:among is null or sentence in (select value from json_each(:among)))
"""
_SENTENCES = """
select count(*) from sentence
where language = :language and (:among is null or id in (select value from json_each(:among)))
"""
_LEFT_OUT = """
select text from sentence
where language = :language and (:among is null or id in (select value from json_each(:among))) and not exists (
    select 1 from profile_sentence where profile = :profile and profile_sentence.sentence = sentence.id)
"""


def profile_report(
    store: Store, profile: StoredProfile, levels: Sequence[Level] = LEVELS, among: Subset | None = None
) -> ProfileReport:
    """The references, what was left out, and the distribution at each level: of all, or ``among`` some sentences."""
    connection = store.connection
    bound = _bound(profile, among)
    measured, characters, unknown = connection.execute(_TOTALS, bound).fetchone()
    left_out = [row[0] for row in connection.execute(_LEFT_OUT, bound)]
    empty = sum(not text for text in normalised(left_out, profile.parameters["normalisation"]))
    sizes = [int(connection.execute(_MODEL_CHARACTERS, (model,)).fetchone()[0]) for model in profile.models]
    anchors, scale = profile.anchors, profile.scale
    return ProfileReport(
        id=profile.id,
        language=profile.language,
        parameters=profile.parameters,
        characters=(sizes[0], sizes[1]),
        h11=anchors.h11,
        h12=anchors.h12,
        h21=anchors.h21,
        h22=anchors.h22,
        d1=None if scale is None else scale.d1,
        d2=None if scale is None else scale.d2,
        unseen=profile.unseen,
        changed=tuple(profile.changed(store)),
        sentences=int(connection.execute(_SENTENCES, bound).fetchone()[0]),
        measured=measured,
        in_references=len(left_out) - empty,
        empty=empty,
        unknown=unknown,
        measured_characters=characters,
        levels=tuple(_level_summary(store, profile, level, among) for level in levels),
    )


def _bound(profile: StoredProfile, among: Subset | None) -> dict[str, object]:
    numbers = None if among is None else json.dumps(among.sentences.tolist())
    return {"profile": profile.id, "language": profile.language, "among": numbers}


def _level_summary(store: Store, profile: StoredProfile, level: Level, among: Subset | None) -> LevelSummary:
    """Of the entries of which something was measured."""
    sums = level_sums(store, profile, level, among).statistics
    statistics = sums.at(sums.characters > 0)
    positions = None if profile.scale is None else summary(profile.scale.positions(statistics))
    return LevelSummary(level, summary(coefficients(statistics, profile.anchors)), positions)


@dataclass(frozen=True, slots=True)
class EntryKey:
    number: int
    """Of a sentence, a file or a collection."""
    section: int | None = None
    """Of a document inside the file."""


ALL_ASKED: Final = EntryKey(0)
"""Of all sentences that were asked for as one entry."""


@dataclass(frozen=True, slots=True)
class LevelSums:
    """What a coefficient is made of, for every entry of a level, in the order of the corpus."""

    keys: list[EntryKey]
    names: list[str]
    counts: I64
    """Lines, lines left out, and unknown characters of each entry: shape (entries, 3)."""
    statistics: Statistics


_AMONG = "(:among is null or {} in (select value from json_each(:among)))"
_SUMS = """
count(profile_sentence.sentence), count(*) - count(profile_sentence.sentence), total(profile_sentence.unknown),
total(profile_sentence.characters), total(bits1), total(bits2)
"""
_OCCURRENCES = f"""
join sentence on sentence.id = occurrence.sentence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
left join profile_sentence on profile_sentence.profile = :profile
    and profile_sentence.sentence = occurrence.sentence
where sentence.language = :language and {_AMONG.format("occurrence.sentence")}
"""
_STATEMENTS: Final[Mapping[Level, str]] = {
    "line": f"""
        select sentence, null, text, 1, 0, unknown, characters, bits1, bits2
        from profile_sentence join sentence on sentence.id = profile_sentence.sentence
        where profile = :profile and {_AMONG.format("sentence")} order by sentence
    """,
    "document": f"""
        select occurrence.document, unit.section, coalesce(section.name, document.name), {_SUMS}
        from occurrence join document on document.id = occurrence.document {_OCCURRENCES}
        group by occurrence.document, unit.section order by occurrence.document, section.number
    """,
    "collection": f"""
        select collection.id, null, collection.name, {_SUMS}
        from occurrence join document on document.id = occurrence.document
        join collection on collection.id = document.collection {_OCCURRENCES}
        group by collection.id order by collection.id
    """,
    "whole": f"""
        select 0, null, :name, {_SUMS} from sentence
        left join profile_sentence on profile_sentence.profile = :profile and profile_sentence.sentence = sentence.id
        where sentence.language = :language and {_AMONG.format("sentence.id")}
    """,
}


def level_sums(store: Store, profile: StoredProfile, level: Level, among: Subset | None = None) -> LevelSums:
    """The sums of every line, document or collection, or of all as one; of all sentences, or ``among`` some.

    Where these were asked for by a document, other documents that have the same sentences are left out; where by a
    result, that is the collection, in which each sentence stands once.
    """
    bound = _bound(profile, among)
    if level == "whole":
        bound["name"] = profile.language if among is None else among.name
    if level == "collection" and among is not None and among.result is not None:
        level, bound["name"] = "whole", among.result
    rows = store.connection.execute(_STATEMENTS[level], bound).fetchall()
    if level == "document" and among is not None and among.places:
        there = {(place.document, place.section) for place in among.places}
        rows = [row for row in rows if not there.isdisjoint({(row[0], row[1]), (row[0], None)})]
    numbers: F64 = np.array([row[3:] for row in rows], dtype=np.float64).reshape(len(rows), 6)
    statistics = Statistics(numbers[:, 3].astype(np.int64), numbers[:, 4], numbers[:, 5])
    keys, names = [EntryKey(row[0], row[1]) for row in rows], [row[2] for row in rows]
    return LevelSums(keys, names, numbers[:, :3].astype(np.int64), statistics)


def entries_of(store: Store, profile: StoredProfile, level: Level, among: Subset | None = None) -> list[ProfileEntry]:
    """Every line, document or collection with its coefficient: from the spoken end to the written one.

    Of all sentences, or ``among`` some. Those whose coefficient is not defined come last.
    """
    sums = level_sums(store, profile, level, among)
    found = coefficients(sums.statistics, profile.anchors)
    positions = None if profile.scale is None else profile.scale.positions(sums.statistics).tolist()
    values = found.values.tolist()
    entries = [
        ProfileEntry(
            name=name,
            lines=int(sums.counts[place, 0]),
            left_out=int(sums.counts[place, 1]),
            characters=int(sums.statistics.characters[place]),
            unknown=int(sums.counts[place, 2]),
            coefficient=_known(values[place]),
            clipped=bool(found.clipped[place]),
            position=None if positions is None else _known(positions[place]),
        )
        for place, name in enumerate(sums.names)
    ]
    return sorted(entries, key=lambda entry: (entry.coefficient is None, entry.coefficient or 0.0))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


# What the coefficients of documents go with: their size, the length of their lines, their coefficients in another
# language (Denoual 2005, section 3.2).


@dataclass(frozen=True, slots=True)
class DocumentCorrelation:
    beside: str
    """characters, characters per line, or I in a language."""
    documents: int
    """Those that have a coefficient, in both languages where there are two."""
    value: float
    """Pearson's."""
    interval: Interval
    """95 %, by Fisher's z."""


def document_correlations(
    store: Store, profile: StoredProfile, among: Subset | None = None
) -> list[DocumentCorrelation]:
    """Over the documents of a language, or those ``among`` some sentences; none over fewer than four.

    The coefficients in another language are those of its profile that was made last, of the same documents.
    """
    sums = level_sums(store, profile, "document", among)
    values = coefficients(sums.statistics, profile.anchors).values
    sizes = sums.statistics.characters.astype(np.float64)
    lines = sums.counts[:, 0].astype(np.float64)
    beside = {
        "characters": sizes,
        "characters per line": np.divide(sizes, lines, out=np.full(len(sizes), np.nan), where=lines > 0),
    }
    for language in profile_languages(store.connection):
        if language != profile.language:
            beside[f"I in {language}"] = _there(store, profiles_of(store.connection, language)[-1], sums)
    found = (_correlation(name, values, other) for name, other in beside.items())
    return [each for each in found if each is not None]


def _there(store: Store, profile: StoredProfile, sums: LevelSums) -> F64:
    """The coefficients of the same documents by another profile; not a number for those that it has not."""
    own = level_sums(store, profile, "document")
    values = dict(zip(own.keys, coefficients(own.statistics, profile.anchors).values.tolist(), strict=True))
    return np.array([values.get(key, np.nan) for key in sums.keys], dtype=np.float64)


def _correlation(name: str, values: F64, other: F64) -> DocumentCorrelation | None:
    known: Bools = ~(np.isnan(values) | np.isnan(other))
    value = pearson(values[known], other[known]) if known.sum() > 1 else None
    interval = None if value is None else fisher(value, int(known.sum()))
    if value is None or interval is None:
        return None
    return DocumentCorrelation(name, int(known.sum()), value, interval)
