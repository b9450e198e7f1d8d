"""What the coefficients of documents go with: their size, the length of their lines, their coefficients in another
language (Denoual 2005, section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corpusdb.arrays import F64, Bools
from corpusdb.homogeneity.scale import coefficients
from corpusdb.queries.homogeneity.among import Among
from corpusdb.queries.homogeneity.profile_levels import LevelSums, level_sums
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile, profile_languages, profiles_of
from corpusdb.stats.correlation import pearson
from corpusdb.stats.intervals import Interval, fisher
from corpusdb.store import Store

__all__ = ["DocumentCorrelation", "document_correlations"]


@dataclass(frozen=True, slots=True)
class DocumentCorrelation:
    """The correlation of the coefficient with something else, over documents."""

    beside: str
    """characters, characters per line, or I in a language."""
    documents: int
    """Those that have a coefficient, in both languages where there are two."""
    value: float
    """Pearson's."""
    interval: Interval
    """95 %, by Fisher's z."""


def document_correlations(
    store: Store, profile: StoredProfile, among: Among | None = None
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
