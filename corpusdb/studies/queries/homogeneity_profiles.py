"""What is studied, the scale of each language, and lines and documents of collections on it, beside what is printed."""

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
from corpusdb.base.char_model_probabilities import Model, measured, model_of, text_bits
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval, fisher, pearson
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.queries.sentences import check_collections, collection_names
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, ProfileReferences, references_of
from corpusdb.homogeneity.queries.selecting import Method
from corpusdb.homogeneity.scale import SHARES, Anchors, Statistics, Summary, coefficients, crossing, summary

PARTS: Final = ("table", "correlations", "perplexity", "translation")
"""Table 1 and Figure 1, section 3.2, Figure 3, Figure 2 with the confidence."""
METHODS: Final[tuple[Method, ...]] = ("coefficient", "moore-lewis", "cynical")
"""How data is selected, beside random draws."""


@dataclass(frozen=True, slots=True)
class Pool:
    """What is trained on, and for what."""

    collections: tuple[str, ...]
    task: tuple[str, ...] = ()
    """Collections and files; none is sentences held out from the pool."""
    held_out: int = 510
    """So many sentences, where they are held out from the pool."""
    methods: tuple[Method, ...] = ("coefficient", "moore-lewis")
    shares: tuple[float, ...] = SHARES
    draws: int = 5


@dataclass(frozen=True, slots=True)
class TranslationTask:
    """What is translated by systems that are trained on parts of the pool."""

    source: str
    target: str
    systems: tuple[str, ...]
    selected_by: str
    """The language whose coefficients select; the source, unless it has no references."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRequest:
    recipes: Mapping[str, ProfileRecipe]
    """The references of each language."""
    corpus: tuple[str, ...]
    """The collections whose lines and documents are measured."""
    pool: Pool
    bitext: TranslationTask | None = None
    parts: tuple[str, ...] = PARTS
    seed: int = 1


def check_request(request: StudyRequest) -> None:
    """Raise UsageError for what contradicts itself or is unknown, InputError for what is measured by itself.

    Lines that happen to stand in a reference are left out of what is measured; a collection that is one has none left.
    """
    if strange := [part for part in request.parts if part not in PARTS]:
        raise UsageError(f"there is no part {strange[0]!r}, but {', '.join(PARTS)}")
    if strange := [method for method in request.pool.methods if method not in METHODS]:
        raise UsageError(f"there is no method {strange[0]!r} here, but {', '.join(METHODS)}")
    for share in request.pool.shares:
        if not 0 < share <= 1:
            raise InputError(f"a share of {100 * share:.6g} % is not above 0 and at most 100 %")
    if 1.0 not in request.pool.shares:
        raise UsageError("100 % is missing from the shares: all data are what the others are compared with")
    references = {name for recipe in request.recipes.values() for name in (*recipe.spoken, *recipe.written)}
    for what, names in (
        ("measured", request.corpus),
        ("trained on", request.pool.collections),
        ("the task", request.pool.task),
    ):
        if both := [name for name in names if name in references]:
            raise InputError(f"{both[0]!r} is a reference and {what}; references must not overlap what is measured")
    if both := [name for name in request.pool.task if name in request.pool.collections]:
        raise InputError(f"{both[0]!r} is the task and trained on")
    if "translation" in request.parts and request.bitext is None:
        raise UsageError("the part translation needs two languages: --from LANG --to LANG")
    if request.bitext is not None and request.bitext.selected_by not in request.recipes:
        known = ", ".join(request.recipes)
        raise UsageError(f"no references are given in {request.bitext.selected_by}, but in {known}")


def corpus_of(
    store: Store, given: Sequence[str], recipes: Mapping[str, ProfileRecipe], task: Sequence[str]
) -> tuple[str, ...]:
    """The collections that are measured: those given, else all that are in no reference and not the task.

    Raises InputError for a collection that there is not, and where none is left.
    """
    check_collections(store, given)
    used = {name for recipe in recipes.values() for name in (*recipe.spoken, *recipe.written)} | {*task}
    found = tuple(given) or tuple(name for name in collection_names(store) if name not in used)
    if not found:
        raise InputError("every collection is a reference or the task, so that there is none to measure")
    return found


@dataclass(frozen=True)
class Scale:
    """The references of one language, and what texts cost under their models."""

    language: str
    references: ProfileReferences

    @cached_property
    def anchors(self) -> Anchors:
        """Raises InputError where the references span no scale."""
        return self.references.anchors()

    @cached_property
    def models(self) -> list[Model]:
        """Of the spoken and of the written reference."""
        return [model_of(counts, self.references.smoothing) for counts in self.references.counts]

    def statistics(self, texts: Sequence[str]) -> Statistics:
        bits = text_bits(self.models, texts)
        return Statistics(bits.characters, bits.bits[0], bits.bits[1])

    def coefficient(self, texts: Sequence[str]) -> float | None:
        """Of all texts together; None where it is not defined."""
        value = float(coefficients(self.statistics(texts).total(), self.anchors).values[0])
        return None if value != value else value

    def measuring(self, texts: Sequence[str]) -> Job[Statistics]:
        parts = []
        stage = f"measuring texts in {self.language}"
        for start, part in measured(self.models, texts):
            yield Progress(stage, start, len(texts))
            parts.append(Statistics(part.characters, part.bits[0], part.bits[1]))
        return Statistics(
            np.concatenate([part.characters for part in parts]),
            np.concatenate([part.bits1 for part in parts]),
            np.concatenate([part.bits2 for part in parts]),
        )


def scale_of(store: Store, language: str, recipe: ProfileRecipe) -> Job[Scale]:
    """The scale between the references of a recipe. Raises InputError where they are missing or span none."""
    yield Progress(f"reading the references in {language}", 0, 0)
    return Scale(language, references_of(store, language, recipe))


# What Denoual (2005) prints, to stand beside the figures of other data.
# His corpus is the Basic Travel Expression Corpus, 197 phrasebooks in Japanese and English of 824 lines on average;
# his task 510 Japanese sentences; his translator HPATR, based on examples and grammars, from Japanese to English.


@dataclass(frozen=True, slots=True)
class PublishedSpread:
    """A cell of Table 1."""

    mean: float
    sd: float


PAPER_TABLE_1: Final[Mapping[str, Mapping[str, PublishedSpread]]] = {
    "document": {"jpn": PublishedSpread(0.330, 0.020), "eng": PublishedSpread(0.288, 0.027)},
    "line": {"jpn": PublishedSpread(0.315, 0.118), "eng": PublishedSpread(0.313, 0.156)},
}
"""Coefficients by level and language; the documents are phrasebooks."""
PAPER_DOCUMENTS: Final = 197

PAPER_CORRELATIONS: Final[Mapping[str, float]] = {"lines": 0.178, "line length": 0.278, "other language": 0.781}
"""Section 3.2: of the coefficients of documents with each of these; the language of the first two is not said."""

PAPER_TASK: Final = 0.331
"""The coefficient of the task, in Japanese (section 4.1)."""

PAPER_BETTER_UP_TO: Final[Mapping[str, float]] = {"perplexity": 0.15, "bleu": 0.03, "nist": 0.18, "mwer": 0.02}
"""The share of the corpus up to which homogeneous data were better than random data (sections 4.1.1 and 4.1.2)."""

PAPER_SHARE_COMPARED: Final = 0.5
PAPER_CONFIDENCE: Final[Mapping[str, float]] = {"bleu": 0.8849, "nist": 0.999, "mwer": 0.7324}
"""With which random data were better at PAPER_SHARE_COMPARED, over 510 paired scores of sentences (section 4.1.2)."""


# What a selection of each size is worth beside random ones, and where the two curves cross (Denoual 2005, section 4).
# "Better" means lower for perplexity and mWER, higher for BLEU and NIST.


_LEAST_DRAWS: Final = 2
"""Fewer have no spread."""


@dataclass(frozen=True, slots=True)
class SelectionCurve:
    """One measure of models or translators of several amounts of data, chosen by one method."""

    measure: str
    """perplexity, bleu, nist or mwer."""
    method: str
    """How the data was selected; ``random`` for draws at random, of which ``values`` are the means."""
    shares: tuple[float, ...]
    """Of the characters of the pool, ascending, above 0 and at most 1."""
    values: tuple[float, ...]
    """One for each share; of a method that was not asked for all of them, for the first ones."""
    draws: tuple[tuple[float, ...], ...] = ()
    """Of random draws: the values of each, one for each share."""

    @property
    def sd(self) -> tuple[float | None, ...]:
        """The standard deviation of the draws at each share, with n - 1; None where there are fewer than two."""
        if len(self.draws) < _LEAST_DRAWS:
            return (None,) * len(self.values)
        rows = zip(*self.draws, self.values, strict=True)
        return tuple((sum((each - mean) ** 2 for each in own) / (len(own) - 1)) ** 0.5 for *own, mean in rows)


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where a method ceases to be better than random data, before all data, which are the same for both."""

    measure: str
    method: str
    share: float | None
    """Against the mean of the draws: the last such share, interpolated; None where there is none."""
    beyond_draws: float | None
    """The same against the best draw at each share: up to there it is no matter of the draw."""
    of_draws: tuple[float | None, ...]
    """Against each draw by itself."""
    compared: tuple[float, ...]
    """The shares at which there is a value of the method, but for all data."""
    better_at: tuple[float, ...]
    """Those at which the method is better than the mean of the draws."""
    better_than_all_at: tuple[float, ...]
    """Those at which it is better than every draw."""

    @property
    def verdict(self) -> str:
        """In words."""
        if not self.compared:
            return "none: it was asked for at no amount that can be compared"
        if not self.better_at:
            return "none: random data are as good or better at every amount"
        if self.better_at == self.compared:
            return f"none: the method is better at every amount{self._beyond}"
        if self.better_at[-1] == self.compared[-1]:
            worse = max(place for place, share in enumerate(self.compared) if share not in self.better_at)
            found = "none:" if self.share is None else f"at {100 * self.share:.1f} %, but"
            return f"{found} the method is better from {100 * self.compared[worse + 1]:g} % on{self._beyond}"
        if self.share is None:
            raise RuntimeError("a curve that was lower and is not has no crossing")
        return f"at {100 * self.share:.1f} %{self._beyond}"

    @property
    def _beyond(self) -> str:
        if len(self.of_draws) < _LEAST_DRAWS:
            return ""
        if not self.better_than_all_at:
            return ", within the spread of the draws"
        if self.better_than_all_at == self.better_at:
            return ", beyond the spread of the draws"
        at = ", ".join(f"{100 * share:g}" for share in self.better_than_all_at)
        return f", beyond the spread of the draws at {at} %"


def crossing_of(selected: SelectionCurve, random: SelectionCurve, *, lower_is_better: bool) -> Crossing:
    """Where the curve of a method crosses that of random draws of the same shares."""
    shares = tuple(share for share in random.shares[: len(selected.values)] if share < 1)
    sign = 1.0 if lower_is_better else -1.0
    ours, mean, *draws = (
        [sign * value for value in values[: len(shares)]] for values in (selected.values, random.values, *random.draws)
    )
    best = [min(row) for row in zip(*draws, strict=True)] if draws else mean
    return Crossing(
        measure=selected.measure,
        method=selected.method,
        share=crossing(shares, ours, mean),
        beyond_draws=crossing(shares, ours, best),
        of_draws=tuple(crossing(shares, ours, draw) for draw in draws),
        compared=shares,
        better_at=_where_lower(shares, ours, mean),
        better_than_all_at=_where_lower(shares, ours, best),
    )


def _where_lower(shares: Sequence[float], first: Sequence[float], second: Sequence[float]) -> tuple[float, ...]:
    return tuple(share for share, one, other in zip(shares, first, second, strict=True) if one < other)


# Lines and documents of collections on the scale: Table 1, Figure 1, and what section 3.2 correlates.
# A line is a sentence, once however often it stands in the collections. A document is a sum over its lines, never a
# mean of them, and a sentence counts in it as often as it stands there. What stands in a reference is left out.


ALL: Final = "(all)"
"""The collections together, where there are several; a collection may well be called all."""
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
class CoefficientHistogram:
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
    histograms: tuple[CoefficientHistogram, ...]
    documents: tuple[DocumentPlace, ...]


_OCCURRENCES = """
select collection.name, coalesce(nullif(section.name, ''), document.name), occurrence.document,
    coalesce(unit.section, 0), sentence.id, sentence.text
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
        histograms=tuple(CoefficientHistogram(level, _counts(values[level])) for level in ("line", "document")),
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
