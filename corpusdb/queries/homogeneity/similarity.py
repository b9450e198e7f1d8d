"""How alike corpora are as wholes, and how often a measure of that is right on corpora of known similarity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.charlm.alphabet import Alphabet
from corpusdb.charlm.counts import train
from corpusdb.charlm.normalisation import DEFAULT_NORMALISATION
from corpusdb.charlm.references import equal_references
from corpusdb.charlm.scoring import text_bits
from corpusdb.charlm.smoothing import model_of
from corpusdb.errors import InputError
from corpusdb.homogeneity.features import character_ngrams
from corpusdb.homogeneity.scale import Anchors, Statistics, coefficients
from corpusdb.homogeneity.similarity import (
    chi_square_by_df,
    cross_entropy_distance,
    distance_table,
    judged,
    mixtures,
    of_features,
    rank_distance,
    similarity_table,
)
from corpusdb.jobs import Job, Progress
from corpusdb.queries.homogeneity.text_sources import SourceRecord, text_sources, texts_of
from corpusdb.store import Store

__all__ = ["Judged", "KnownSimilarity", "Measure", "SimilarityReport", "known_similarity", "similarity"]

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
    alphabet = Alphabet.of(texts)

    def entropy(trained: Sequence[str], measured: Sequence[str]) -> float:
        model = model_of(train(trained, alphabet, _ORDER), "wb")
        return float(text_bits([model], measured).entropies()[0])

    return lambda first, second: cross_entropy_distance(_chosen(texts, first), _chosen(texts, second), entropy)


def _chosen(texts: Sequence[str], places: I64) -> list[str]:
    return [texts[place] for place in places.tolist()]


@dataclass(frozen=True, slots=True)
class Judged:
    """How often one measure was right."""

    measure: str
    right: int
    all: int

    @property
    def share(self) -> float:
        """0 to 1."""
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
    measures: tuple[Judged, ...]


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
    measures = tuple(Judged(name, sums[0], sums[1]) for name, sums in right.items())
    records = tuple(source.record for source in text_sources(store, language, (first, second)))
    return KnownSimilarity(language, records, count, size, shuffles, measures)


def _mixed(sides: Sequence[I64], characters: I64, seed: int) -> list[I64]:
    """The places of the texts of each mixture."""
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
        bits = text_bits(models, chosen)
        return Statistics(bits.characters, bits.bits[0], bits.bits[1]).total()

    anchors = Anchors.of(measured(sides[0]), measured(sides[1]))
    values = np.array([coefficients(measured(_chosen(texts, own)), anchors).values[0] for own in sets])
    return np.asarray(np.abs(values[:, None] - values))
