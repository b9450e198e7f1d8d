"""How alike corpora are, which lines do not belong to the others, and how far test sets stand from the corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.char_model_counts import DEFAULT_NORMALISATION, Alphabet, normalised, train
from corpusdb.base.char_model_probabilities import (
    FOLDS,
    character_bits,
    equal_references,
    fold_bits,
    fold_models,
    folds_of,
    model_of,
    text_bits,
)
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.queries.sentences import SentencePlace, places_of, sentences_after, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.homogeneity import similarity as measures
from corpusdb.homogeneity.queries.char_models import SourceRecord, text_key, text_sources, texts_of
from corpusdb.homogeneity.queries.profiles import StoredProfile, profiles_of
from corpusdb.homogeneity.scale import Anchors, Coefficients, Statistics, coefficients
from corpusdb.homogeneity.similarity import (
    Nearness,
    character_ngrams,
    chi_square_by_df,
    distance_table,
    document_length,
    documents_of,
    judged,
    mixtures,
    nearness,
    of_features,
    rank_distance,
    similarity_table,
)
from corpusdb.paraphrase.slots import Slots, cut_slots

Measure: TypeAlias = Literal["chi2", "entropy", "ranks"]
Distance: TypeAlias = Callable[[I64, I64], float]

_NGRAMS: Final = 3
_ORDER: Final = 5
_DRAWS: Final = 5


@dataclass(frozen=True, slots=True)
class SimilarityReport:
    """Distances between corpora; 0 is none."""

    language: str
    measure: Measure
    names: tuple[str, ...]
    characters: tuple[int, ...]
    """Of each corpus."""
    compared: int
    """Characters of each part that was compared with another."""
    table: tuple[tuple[float, ...], ...]
    """Between each two, and on the diagonal between random halves of each: the lower, the more homogeneous."""


def similarity(
    store: Store, language: str, names: Sequence[str], measure: Measure = "chi2", seed: int = 1
) -> Job[SimilarityReport]:
    """Compare collections and files, equal amounts of each; the means of five draws.

    Raises InputError for what is missing, for fewer than two, and for a corpus with too little text.
    """
    if len(names) < 2:
        raise InputError("similarity is between two corpora or more")
    texts, places = _corpora(store, language, names)
    if measure != "entropy":
        for name, own in zip(names, places, strict=True):
            if all(len(text) < _NGRAMS for text in _chosen(texts, own)):
                raise InputError(f"{name!r} has no line of {_NGRAMS} characters, which are compared; entropy takes any")
    characters = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    yield Progress("comparing corpora, characters", 0, int(characters.sum()))
    table, size = similarity_table(places, characters, _distance(texts, measure), seed, _DRAWS)
    return SimilarityReport(
        language,
        measure,
        tuple(names),
        tuple(int(characters[own].sum()) for own in places),
        size,
        tuple(tuple(row) for row in table.tolist()),
    )


def _corpora(store: Store, language: str, names: Sequence[str]) -> tuple[list[str], list[I64]]:
    """The texts of all corpora one after another, and the places of each."""
    texts: list[str] = []
    places: list[I64] = []
    for source in text_sources(store, language, names):
        own = texts_of([source], DEFAULT_NORMALISATION)
        if not own:
            raise InputError(f"{source.record.name!r} has no characters")
        places.append(np.arange(len(texts), len(texts) + len(own)))
        texts += own
    return texts, places


def _distance(texts: Sequence[str], measure: Measure) -> Distance:
    if measure == "entropy":
        return _entropy_distance(texts)
    features = character_ngrams(texts, _NGRAMS)
    return of_features(features, chi_square_by_df if measure == "chi2" else rank_distance)


def _entropy_distance(texts: Sequence[str]) -> Distance:
    """The mean of the bits per character of each set of texts under a model of the other."""
    alphabet = Alphabet.of(texts)

    def entropy(trained: I64, measured: I64) -> float:
        model = model_of(train(_chosen(texts, trained), alphabet, _ORDER), "wb")
        return float(text_bits([model], _chosen(texts, measured)).entropies()[0])

    return lambda first, second: (entropy(first, second) + entropy(second, first)) / 2


def _chosen(texts: Sequence[str], places: I64) -> list[str]:
    return [texts[place] for place in places.tolist()]


@dataclass(frozen=True, slots=True)
class JudgedMeasure:
    measure: str
    right: int
    all: int

    @property
    def share(self) -> float:
        return self.right / self.all


@dataclass(frozen=True, slots=True)
class KnownSimilarity:
    """Kilgarriff's test of measures, on mixtures of two corpora in known shares."""

    language: str
    sources: tuple[SourceRecord, ...]
    mixtures: int
    characters: int
    """Of each mixture, about; those for the coefficient have half of it."""
    shuffles: int
    measures: tuple[JudgedMeasure, ...]


def known_similarity(
    store: Store, language: str, first: str, second: str, *, shuffles: int = 3, seed: int = 1
) -> Job[KnownSimilarity]:
    """Mix two corpora in eight shares, and count how often mixtures nearer in share are nearer in each measure.

    For the coefficient half of each corpus is a reference, and only the other halves are mixed. Raises InputError for
    corpora that are missing or too small.
    """
    texts, places = _corpora(store, language, (first, second))
    characters = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    right: dict[str, list[int]] = {}
    size = count = 0
    for shuffle in range(shuffles):
        yield Progress("judging mixtures, shuffles", shuffle, shuffles)
        rng = np.random.default_rng(seed + shuffle)
        kept, references = zip(*(_halved(own, rng) for own in places), strict=True)
        sets, of_kept = (_mixed(sides, characters, seed + shuffle) for sides in (places, kept))
        size, count = int(np.mean([characters[own].sum() for own in sets])), len(sets)
        tables = {
            "chi-square": distance_table(sets, _distance(texts, "chi2")),
            "rank correlation": distance_table(sets, _distance(texts, "ranks")),
            "cross-entropy": distance_table(sets, _distance(texts, "entropy")),
            "coefficient": _coefficient_table(texts, references, of_kept),
        }
        for name, table in tables.items():
            found, sums = judged(table), right.setdefault(name, [0, 0])
            sums[0] += found.right
            sums[1] += found.all
    measures = tuple(JudgedMeasure(name, sums[0], sums[1]) for name, sums in right.items())
    records = tuple(source.record for source in text_sources(store, language, (first, second)))
    return KnownSimilarity(language, records, count, size, shuffles, measures)


def _mixed(sides: Sequence[I64], characters: I64, seed: int) -> list[I64]:
    both = np.concatenate(sides)
    return [both[each.texts] for each in mixtures(characters[sides[0]], characters[sides[1]], seed)]


def _halved(places: I64, rng: np.random.Generator) -> tuple[I64, I64]:
    order = rng.permutation(places)
    return np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])


def _coefficient_table(texts: Sequence[str], references: Sequence[I64], sets: Sequence[I64]) -> F64:
    sides = equal_references([_chosen(texts, own) for own in references], seed=1)
    alphabet = Alphabet.of(sides[0]) | Alphabet.of(sides[1])
    models = [model_of(train(side, alphabet, _ORDER), "wb") for side in sides]

    def measured(chosen: Sequence[str]) -> Statistics:
        return Statistics.under(models, chosen).total()

    anchors = Anchors.of(measured(sides[0]), measured(sides[1]))
    values = np.array([coefficients(measured(_chosen(texts, own)), anchors).values[0] for own in sets])
    return np.asarray(np.abs(values[:, None] - values))


_OUTLYING_ORDER: Final = 6
_SMOOTHING: Final = "mkn"


@dataclass(frozen=True, slots=True)
class OutlyingLine:
    sentence: int
    text: str
    score: float
    """The higher, the less it belongs: its self-entropy, as low as it may be for a line that short, and a tenth of the
    bits of its rarest character."""
    self_entropy: float
    """Bits per character under a model of the other folds."""
    rarity: float
    """Bits of its rarest character, by how many lines of the other folds have it."""
    marked: str
    """The text as it was measured, brackets around the fewest characters that cost half of its bits."""
    measured: str
    """The text as it was measured."""
    dearest: tuple[int, ...]
    """The places of these characters in it, ascending."""
    places: tuple[SentencePlace, ...] = ()
    """Where it stands, in the order in which the files were imported; in all collections."""


@dataclass(frozen=True, slots=True)
class OutlierReport:
    language: str
    measured: int
    lines: tuple[OutlyingLine, ...]


def outliers(
    store: Store, language: str, collection: str | None = None, *, limit: int | None = None
) -> Job[OutlierReport]:
    """The lines of a language, or of a collection, that belong least to the others; the strangest first.

    Each is measured by a model of the other folds, to which a hash of the text assigns it: order 6, modified
    Kneser-Ney, in lower case. Raises InputError for a collection that there is not, and for too few lines.
    """
    yield Progress("reading sentences", 0, 0)
    numbers, originals, texts = lines_to_measure(store, language, collection)
    folds = folds_of(texts)
    members = [own for fold in range(int(folds.max(initial=-1)) + 1) if len(own := np.flatnonzero(folds == fold))]
    if len(members) < 2:
        raise InputError(f"there are too few sentences in {language} to measure some by the others")
    alphabet = Alphabet.of(texts)
    parts = []
    for place, own in enumerate(members):
        yield Progress("counting characters, folds", place, len(members))
        parts.append(train(_chosen(texts, own), alphabet, _OUTLYING_ORDER))
    entropies: F64 = np.zeros(len(texts))
    models = fold_models(parts, _SMOOTHING)
    for place, (own, model) in enumerate(zip(members, models, strict=True)):
        yield Progress("measuring lines, folds", place, len(members))
        bits = text_bits([model], _chosen(texts, own))
        entropies[own] = measures.self_entropies(bits.characters, bits.bits[0], bits.end_bits[0])
    rarity = measures.character_rarity(texts, folds)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    scores = measures.outlier_scores(entropies - measures.uncertainties(entropies, lengths), rarity)
    model_of_fold = {int(folds[own[0]]): model for own, model in zip(members, models, strict=True)}
    found = []
    strangest = np.argsort(-scores, kind="stable")[:limit].tolist()
    places = places_of(store, (numbers[each] for each in strangest))
    for each in strangest:
        costs = character_bits(model_of_fold[int(folds[each])], [texts[each]])[0][:-1]
        dear = measures.dearest(costs)
        found.append(
            OutlyingLine(
                numbers[each],
                originals[each],
                float(scores[each]),
                float(entropies[each]),
                float(rarity[each]),
                _marked(texts[each], dear),
                texts[each],
                tuple(dear.tolist()),
                tuple(places[numbers[each]]),
            )
        )
    return OutlierReport(language, len(texts), tuple(found))


def near_duplicates(store: Store, language: str, collection: str | None = None) -> list[tuple[str, ...]]:
    """Groups of sentences that have the same letters in the same order: case, digits, marks and blanks are no matter.

    The largest first.
    """
    _, originals, _ = lines_to_measure(store, language, collection)
    groups = measures.near_duplicates(normalised(originals, "letters"))
    return sorted((tuple(originals[place] for place in group) for group in groups), key=lambda group: -len(group))


def lines_to_measure(
    store: Store, language: str, collection: str | None = None
) -> tuple[list[int], list[str], list[str]]:
    """Numbers, texts, and texts as they are measured, of the sentences that have something to measure."""
    sentences = sentences_after(store, language, 0)
    if collection is not None:
        wanted = {*sentences_of(store, collection).tolist()}
        sentences = [each for each in sentences if each[0] in wanted]
    texts = normalised([text for _, text in sentences], DEFAULT_NORMALISATION)
    kept = [(*sentence, text) for sentence, text in zip(sentences, texts, strict=True) if text]
    return [row[0] for row in kept], [row[1] for row in kept], [row[2] for row in kept]


def _marked(text: str, dear: I64) -> str:
    places, parts, inside = {*dear.tolist()}, [], False
    for place, char in enumerate(text):
        if (place in places) != inside:
            parts.append("]" if inside else "[")
            inside = not inside
        parts.append(char)
    return "".join(parts) + ("]" if inside else "")


# Lines that differ in one unit only: a word, or a character of a script without word spaces.
# The index of commutations has such pairs too, but only where each of the two units stands in some other slot; and it
# has to be built. So the slots of at most one unit are cut anew, of the lines as they are measured.


LEAST_SHARED: Final = 0.8
"""How much of each line the lines of a group share at least, of its characters: "I like tea." has too little."""
_ANY_LENGTH: Final = 1 << 30


def one_unit_apart(store: Store, language: str, collection: str | None = None) -> Job[list[tuple[str, ...]]]:
    """Groups of lines that are the same but for one unit in the same place, which some of them may lack.

    Those that share most come first. Lines that only differ in case or quotes are one line here. A line can be in
    several groups.
    """
    _, originals, texts = lines_to_measure(store, language, collection)
    first = dict(zip(reversed(texts), reversed(originals), strict=True))
    lines = list(dict.fromkeys(texts))
    yield Progress("cutting slots of one unit", 0, len(lines))
    slots = _shared(cut_slots(lines, 1, _ANY_LENGTH), np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)))
    changes = np.flatnonzero(slots.context[1:] != slots.context[:-1]) + 1
    groups: dict[tuple[int, ...], int] = {}
    for start, stop in pairwise([0, *changes.tolist(), len(slots)]):
        members = tuple(sorted({*slots.sentence[start:stop].tolist()}))
        if len(members) > 1:
            shared = len(lines[slots.sentence[start]]) - int(slots.stop[start] - slots.start[start])
            groups[members] = max(groups.get(members, 0), shared)
    ordered = sorted(groups.items(), key=lambda group: (-group[1], group[0]))
    return [tuple(first[lines[place]] for place in members) for members, _ in ordered]


def _shared(slots: Slots, sizes: I64) -> Slots:
    """The slots whose context is enough of their line, and is that of another slot too, by their contexts."""
    left = sizes[slots.sentence] - (slots.stop - slots.start)
    slots = slots[left >= LEAST_SHARED * sizes[slots.sentence]]
    slots = slots[np.argsort(slots.context, kind="stable")]
    same = slots.context[1:] == slots.context[:-1]
    return slots[np.concatenate([same, [False]]) | np.concatenate([[False], same])] if len(slots) else slots


# How far texts stand from the corpus: what they cost under models of it, beside its own documents of their length.
# A line is measured by a model of the folds that it would not be in itself, by the hash of it: so a line that stands
# in the corpus is measured by a model that has not seen it, as each of the corpus' own is.


_NEARNESS_ORDER: Final = 6
_MOST_CHARACTERS: Final = 1_000_000
"""The most that the models are made of."""
_MOST_DOCUMENTS: Final = 200
_SEED: Final = 1


def corpus_nearness(store: Store, language: str, texts: Sequence[str]) -> Job[Nearness | None]:
    """How far these texts together, each different one once, stand from the sentences of a language.

    None where that cannot be said: of few characters, or where the corpus has few.
    """
    yield Progress("reading the corpus, to tell how far the test set is from it", 0, 0)
    lines = list(dict.fromkeys(filter(None, normalised(texts, DEFAULT_NORMALISATION))))
    given = normalised([text for _, text in sentences_after(store, language, 0)], DEFAULT_NORMALISATION)
    corpus = list(dict.fromkeys(filter(None, given)))
    characters = np.fromiter(map(len, corpus), dtype=np.int64, count=len(corpus))
    length = document_length(sum(map(len, lines)), int(characters.sum()))
    if length is None:
        return None
    folds = folds_of(corpus)
    parts = _drawn(characters, folds)
    alphabet = Alphabet.of(corpus)
    yield Progress("counting characters, to tell how far the test set is from the corpus", 0, 0)
    models = fold_models([train(_chosen(corpus, part), alphabet, _NEARNESS_ORDER) for part in parts], _SMOOTHING)
    documents = documents_of(characters, length)
    measured = np.flatnonzero(_some(documents))
    yield Progress("measuring the test set and documents of the corpus", 0, 0)
    bits = fold_bits(models, _chosen(corpus, measured), folds[measured]).bits[0]
    own = np.unique(documents[measured], return_inverse=True)[1]
    return nearness(
        sum(map(len, lines)),
        float(fold_bits(models, lines, folds_of(lines)).bits.sum()),
        np.bincount(own, characters[measured]).astype(np.int64),
        np.bincount(own, bits).astype(np.float64, copy=False),
        length,
    )


def _drawn(characters: I64, folds: I64) -> list[I64]:
    """The places of the sentences that the models are made of, by fold: all, or as many as are enough at random."""
    order = np.random.default_rng(_SEED).permutation(len(characters))
    before = np.cumsum(characters[order]) - characters[order]
    drawn = np.sort(order[before < _MOST_CHARACTERS])
    return [drawn[folds[drawn] == fold] for fold in range(FOLDS)]


def _some(documents: I64) -> Bools:
    """Which sentences are measured: those of all documents, or of as many as are enough, evenly spread."""
    count = int(documents[-1]) + 1
    wanted = np.zeros(count, dtype=np.bool_)
    wanted[np.linspace(0, count - 1, min(count, _MOST_DOCUMENTS)).astype(np.int64)] = True
    return np.asarray(wanted[documents])


def nearness_note(found: Nearness | None, language: str, *, adds_nothing: bool = False) -> str | None:
    """In words that a test set stands far from the corpus; None where it does not, or where it cannot be said.

    The corpus made references of it, or it ``adds_nothing`` to those that there are.
    """
    if found is None or not found.is_far:
        return None
    corpus = "the corpus, which adds nothing to it" if adds_nothing else "the corpus that made its references"
    note = (
        f"the test set is far from {corpus}: {found.bits:.2f} bits per character under "
        f"models of the {language} sentences, where 95 % of {found.documents:,} documents of the corpus, of "
        f"{found.document_characters:,} characters each, cost {found.low:.2f} to {found.high:.2f}"
    )
    return note if adds_nothing or language == "eng" else f"{note}; validities that far were tested on English only"


@dataclass(frozen=True, slots=True, eq=False)
class SegmentCoefficients:
    """The coefficient of each segment, and what it was measured by."""

    profile: StoredProfile
    values: Coefficients
    left_out: int
    """Lines that were not measured, because they stand in a reference of the profile."""


def segment_coefficients(store: Store, language: str, texts: Sequence[Sequence[str]]) -> SegmentCoefficients:
    """The coefficient of each segment, of its texts together, by the profile of the language that was made last.

    Lines that stand in a reference of the profile are not measured; a segment without others has no coefficient. Raises
    InputError where the language has no profile, or where it is corrupt.
    """
    profiles = profiles_of(store.connection, language)
    if not profiles:
        raise InputError(
            f"there is no profile of {language}; `corpusdb profile --lang {language} --spoken A --written B` makes one"
        )
    profile = profiles[-1]
    owners = np.repeat(np.arange(len(texts)), [len(each) for each in texts])
    lines = normalised([text for each in texts for text in each], profile.parameters["normalisation"])
    known = profile.reference_keys
    kept = np.array([text_key(line) not in known for line in lines], dtype=np.bool_)
    measured = [line if keep else "" for line, keep in zip(lines, kept.tolist(), strict=True)]
    statistics = Statistics.under(profile.smoothed(store.connection), measured).grouped(owners, len(texts))
    return SegmentCoefficients(profile, coefficients(statistics, profile.anchors), int((~kept).sum()))


def coefficients_note(found: SegmentCoefficients) -> str:
    """In words what the coefficients were measured by, and how many segments have none or one at an end."""
    given, values = found.profile.parameters, found.values
    spoken, written = ("+".join(given[side]) for side in ("spoken", "written"))
    told = f"; {found.left_out:,} lines are part of them, and are left out" if found.left_out else ""
    return (
        f"I of the references: 0 is {spoken}, 1 is {written} (order {given['order']}, {given['smoothing']}, "
        f"{given['normalisation']}){told}; undefined for {int(values.undefined.sum()):,} of {len(values.values):,} "
        f"segments, clipped for {int(values.clipped.sum()):,}"
    )
