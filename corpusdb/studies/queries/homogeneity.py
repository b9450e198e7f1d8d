"""The study of Denoual (2005), or parts of it: lines and documents of collections on the scale."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.char_model_counts import normalised
from corpusdb.base.errors import InputError
from corpusdb.base.estimates import Interval, fisher, pearson
from corpusdb.base.jobs import Job
from corpusdb.corpus.queries.sentences import check_collections
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profiles import ProfileRecipe
from corpusdb.homogeneity.scale import Anchors, Statistics, Summary, coefficients, summary
from corpusdb.studies.queries.homogeneity_curves import (
    PerplexityCurves,
    TranslationCurves,
    perplexity_curves,
    system_named,
    translation_curves,
)
from corpusdb.studies.queries.homogeneity_request import Scale, StudyRequest, check_request, scale_of
from corpusdb.translation.queries.example_pairs import direction_of

# Lines and documents of collections on the scale: Table 1, Figure 1, and what section 3.2 correlates.
# A line is a sentence, once however often it stands in the collections. A document is a sum over its lines, never a
# mean of them, and a sentence counts in it as often as it stands there. What stands in a reference is left out.


ALL: Final = "all"
"""The collections together, where there are several."""
BINS: Final = 50
"""Of a histogram from 0 to 1."""
_LEAST_DOCUMENTS: Final = 4
"""Fewer have a correlation, but no interval of it."""

StudyLevel: TypeAlias = Literal["line", "document"]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A cell of Table 1, with what the paper leaves out."""

    collection: str
    level: StudyLevel
    coefficients: Summary


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many lines or documents have which coefficient (Figure 1)."""

    level: StudyLevel
    counts: tuple[int, ...]
    """Of BINS equal parts of 0 to 1."""


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    collection: str
    name: str
    file: int
    """The number of its file, and below that of the document in it: what is the same in every language."""
    section: int
    lines: int
    left_out: int
    characters: int
    coefficient: float | None
    clipped: bool


@dataclass(frozen=True, slots=True)
class LanguageProfile:
    """One language of the corpus on its scale."""

    language: str
    anchors: Anchors
    characters: tuple[int, int]
    """Of each reference, after they were cut."""
    unseen: tuple[float | None, float | None]
    """The coefficients of text of the references that their models had not seen."""
    in_references: int
    """Different sentences that stand in a reference, and are left out."""
    rows: tuple[TableRow, ...]
    histograms: tuple[Histogram, ...]
    documents: tuple[DocumentPlace, ...]


_OCCURRENCES = """
select collection.name, coalesce(section.name, document.name), occurrence.document, coalesce(unit.section, 0),
    sentence.id, sentence.text
from json_each(?) given
cross join collection on collection.name = given.value
cross join document on document.collection = collection.id
cross join occurrence on occurrence.document = document.id
cross join sentence on sentence.id = occurrence.sentence and sentence.language = ?
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
order by given.key, occurrence.document, coalesce(section.number, 0), occurrence.line, sentence.id
"""


@dataclass(frozen=True)
class _Measured:
    """The different sentences of the collections, and where they stand."""

    statistics: Statistics
    in_references: Bools
    owners: I64
    """Of each occurrence the number of its document."""
    places: I64
    """Of each occurrence that of its sentence."""
    documents: list[tuple[str, str, int, int]]
    """Collection, name, file and section of each document."""

    @property
    def kept(self) -> Bools:
        return np.asarray((self.statistics.characters > 0) & ~self.in_references)

    @cached_property
    def parted(self) -> frozenset[str]:
        """The collections that have documents; one that is a single file without any has none."""
        counts = Counter(collection for collection, _, _, _ in self.documents)
        return frozenset(name for name, count in counts.items() if count > 1)


def language_profile(
    store: Store, scale: Scale, recipe: ProfileRecipe, collections: Sequence[str]
) -> Job[LanguageProfile]:
    """Measure all that stands in some collections in a language. Raises InputError where that is nothing."""
    found = yield from _measured(store, scale, recipe, collections)
    if not found.kept.any():
        raise InputError(f"{', '.join(collections)}: every sentence in {scale.language} is empty or in a reference")
    sides = scale.references.held_out()
    characters = [counts.characters for counts in scale.references.counts]
    documents = _documents(found, scale.anchors)
    lines = _only(found.statistics, found.kept)
    rows, values = [], {"line": coefficients(lines, scale.anchors).values}
    known = [each.coefficient for each in documents if each.coefficient is not None]
    values["document"] = np.array(known, dtype=np.float64)
    for name in (*((ALL,) if len(collections) > 1 else ()), *collections):
        rows += _table_rows(found, name, scale.anchors)
    return LanguageProfile(
        language=scale.language,
        anchors=scale.anchors,
        characters=(characters[0], characters[1]),
        unseen=(sides[2], sides[3]),
        in_references=int(found.in_references.sum()),
        rows=tuple(rows),
        histograms=tuple(Histogram(level, _counts(values[level])) for level in ("line", "document")),
        documents=tuple(documents),
    )


def _measured(store: Store, scale: Scale, recipe: ProfileRecipe, collections: Sequence[str]) -> Job[_Measured]:
    check_collections(store, collections)
    given = (json.dumps(list(collections)), scale.language)
    numbers: dict[int, int] = {}
    documents: dict[tuple[str, str, int, int], int] = {}
    texts: list[str] = []
    owners: list[int] = []
    places: list[int] = []
    for collection, name, file, section, sentence, text in store.connection.execute(_OCCURRENCES, given):
        place = numbers.setdefault(sentence, len(numbers))
        if place == len(texts):
            texts.append(text)
        owners.append(documents.setdefault((collection, name, file, section), len(documents)))
        places.append(place)
    if not texts:
        raise InputError(f"{', '.join(collections)}: no sentence in {scale.language}")
    plain = normalised(texts, recipe.normalisation)
    statistics = yield from scale.measuring(plain)
    lines = scale.references.lines
    return _Measured(
        statistics,
        np.fromiter((text in lines for text in plain), dtype=np.bool_, count=len(plain)),
        np.array(owners, dtype=np.int64),
        np.array(places, dtype=np.int64),
        list(documents),
    )


def _only(statistics: Statistics, chosen: Bools | I64) -> Statistics:
    return Statistics(statistics.characters[chosen], statistics.bits1[chosen], statistics.bits2[chosen])


def _documents(found: _Measured, anchors: Anchors) -> list[DocumentPlace]:
    kept = found.kept[found.places]
    sums = _only(found.statistics, found.places[kept]).grouped(found.owners[kept], len(found.documents))
    all_lines = np.bincount(found.owners, minlength=len(found.documents))
    lines = np.bincount(found.owners[kept], minlength=len(found.documents))
    values = coefficients(sums, anchors)
    return [
        DocumentPlace(
            *(collection, name, file, section),
            lines=int(lines[place]),
            left_out=int(all_lines[place] - lines[place]),
            characters=int(sums.characters[place]),
            coefficient=None if np.isnan(values.values[place]) else float(values.values[place]),
            clipped=bool(values.clipped[place]),
        )
        for place, (collection, name, file, section) in enumerate(found.documents)
        if lines[place] and collection in found.parted
    ]


def _table_rows(found: _Measured, collection: str, anchors: Anchors) -> list[TableRow]:
    own = [place for place, row in enumerate(found.documents) if collection in (ALL, row[0])]
    inside = np.isin(found.owners, own) & found.kept[found.places]
    lines = _only(found.statistics, np.unique(found.places[inside]))
    rows = [TableRow(collection, "line", summary(coefficients(lines, anchors)))]
    if collection in (ALL, *found.parted) and found.parted:
        parted = np.array([row[0] in found.parted for row in found.documents])
        sums = _only(found.statistics, found.places[inside]).grouped(found.owners[inside], len(found.documents))
        documents = _only(sums, (sums.characters > 0) & parted)
        rows.insert(0, TableRow(collection, "document", summary(coefficients(documents, anchors))))
    return rows


def _counts(values: F64) -> tuple[int, ...]:
    counts, _ = np.histogram(values[~np.isnan(values)], bins=BINS, range=(0.0, 1.0))
    return tuple(counts.tolist())


@dataclass(frozen=True, slots=True)
class CoefficientCorrelation:
    """How far the coefficients of documents go with something else (section 3.2)."""

    collection: str
    language: str
    other: str
    """lines, line length (characters), or another language."""
    documents: int
    value: float | None
    """Pearson's; None where it is not defined."""
    interval: Interval | None
    """Of 95 %, by Fisher's z; None for fewer than four documents."""


def correlations_of(profiles: Sequence[LanguageProfile]) -> list[CoefficientCorrelation]:
    """For every collection with some documents, and for all documents where several collections have them."""
    found: list[CoefficientCorrelation] = []
    names = dict.fromkeys(each.collection for profile in profiles for each in profile.documents)
    for name in (ALL, *names) if len(names) > 1 else names:
        own = [
            {
                (each.file, each.section): each
                for each in profile.documents
                if name in (ALL, each.collection) and each.coefficient is not None
            }
            for profile in profiles
        ]
        for profile, documents in zip(profiles, own, strict=True):
            if len(documents) >= _LEAST_DOCUMENTS:
                found += _of_lengths(name, profile.language, list(documents.values()))
        for place, first in enumerate(own):
            for profile, second in zip(profiles[place + 1 :], own[place + 1 :], strict=True):
                both = [key for key in first if key in second]
                if len(both) >= _LEAST_DOCUMENTS:
                    ours, theirs = _values(first, both), _values(second, both)
                    found.append(_correlation(name, profiles[place].language, profile.language, ours, theirs))
    return found


def _values(documents: Mapping[tuple[int, int], DocumentPlace], keys: Sequence[tuple[int, int]]) -> list[float]:
    return [documents[key].coefficient or 0.0 for key in keys]


def _of_lengths(name: str, language: str, documents: Sequence[DocumentPlace]) -> list[CoefficientCorrelation]:
    values = [each.coefficient or 0.0 for each in documents]
    lines = [float(each.lines) for each in documents]
    lengths = [each.characters / each.lines for each in documents]
    return [
        _correlation(name, language, "lines", values, lines),
        _correlation(name, language, "line length", values, lengths),
    ]


def _correlation(
    collection: str, language: str, other: str, ours: Sequence[float], theirs: Sequence[float]
) -> CoefficientCorrelation:
    value = pearson(ours, theirs)
    interval = None if value is None else fisher(value, len(ours))
    return CoefficientCorrelation(collection, language, other, len(ours), value, interval)


# The study of Denoual (2005) as a whole, or parts of it.


@dataclass(frozen=True, slots=True)
class HomogeneityStudy:
    """What was found; parts that were not asked for are empty."""

    request: StudyRequest
    profiles: tuple[LanguageProfile, ...]
    correlations: tuple[CoefficientCorrelation, ...]
    perplexity: tuple[PerplexityCurves, ...]
    translation: TranslationCurves | None


def homogeneity_study(store: Store, request: StudyRequest) -> Job[HomogeneityStudy]:
    """Measure the corpus, and draw the curves. Nothing is stored.

    Raises UsageError for a request that contradicts itself, InputError for what is missing or too small.
    """
    check_request(request)
    if "translation" in request.parts and request.bitext is not None:
        direction_of(store, request.bitext.source, request.bitext.target)  # before anything is computed
        for name in request.bitext.systems:
            system_named(name).check(store, request.bitext.source, request.bitext.target)
    scales: dict[str, Scale] = {}
    for language, recipe in request.recipes.items():
        scales[language] = yield from scale_of(store, language, recipe)
    profiles: list[LanguageProfile] = []
    if {"table", "correlations"} & {*request.parts}:
        for language, recipe in request.recipes.items():
            profiles.append((yield from language_profile(store, scales[language], recipe, request.corpus)))
    perplexity: list[PerplexityCurves] = []
    if "perplexity" in request.parts:
        for scale in scales.values():
            perplexity.append((yield from perplexity_curves(store, request, scale)))
    translation = None
    if "translation" in request.parts and request.bitext is not None:
        scale = scales[request.bitext.selected_by]
        translation = yield from translation_curves(store, request, request.bitext, scale)
    return HomogeneityStudy(
        request,
        tuple(profiles),
        tuple(correlations_of(profiles)) if "correlations" in request.parts else (),
        tuple(perplexity),
        translation,
    )
