"""The parts of a test set in which agreement is measured, and scores are computed, by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.errors import UsageError
from corpusdb.formats.documents import Document
from corpusdb.formats.segments import Output
from corpusdb.homogeneity.scale import Coefficients
from corpusdb.metrics.bleu import bleu_statistics
from corpusdb.metrics.encoding import References
from corpusdb.metrics.registry import settings_for
from corpusdb.queries.evaluation.labelled_references import LabelledReferences
from corpusdb.text import are_undelimited

__all__ = ["BREAKDOWNS", "Breakdown", "Part", "parts_by"]

Breakdown: TypeAlias = Literal["document", "domain", "length", "references", "novelty", "coefficient"]
BREAKDOWNS: Final[tuple[Breakdown, ...]] = get_args(Breakdown)
_CLASSES: Final = 4
_ORDER: Final = 4
"""Of the n-grams that are new."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some segments."""

    name: str
    segments: I64
    """Their numbers, from 0, ascending."""


def parts_by(
    breakdown: Breakdown,
    documents: Sequence[Document],
    outputs: Sequence[Output] = (),
    references: LabelledReferences | None = None,
    coefficients: Coefficients | None = None,
) -> list[Part]:
    """The parts of all segments, each segment in one.

    Raises UsageError where it is not known what is needed: documents, their domains, outputs and references, or the
    coefficients of the segments.
    """
    if breakdown == "coefficient":
        return list(_by_coefficient(coefficients))
    if breakdown in ("document", "domain"):
        return list(_by_documents(breakdown, documents))
    if references is None or not outputs:
        raise UsageError(f"--by {breakdown} needs outputs of systems and their references")
    if breakdown == "references":
        return list(_by_number(references))
    unit = "char" if are_undelimited(text for each in references.sets for text in each.references) else "word"
    cut = references.texts.cut(settings_for("bleu", unit=unit))
    if breakdown == "length":
        sums = np.bincount(cut.segments, cut.sequences.lengths)
        return _classes("length", sums / cut.counts, f" {unit}s")
    return _classes("novelty", 100 * _novelty(outputs, cut), " %")


def _by_documents(breakdown: Breakdown, documents: Sequence[Document]) -> Iterator[Part]:
    if not documents:
        raise UsageError(f"--by {breakdown} needs --documents FILE")
    members: dict[str, list[I64]] = {}
    for each in documents:
        if breakdown == "domain" and each.domain is None:
            raise UsageError(
                "--by domain needs a column domain in the file of the documents, filled in for all of them"
            )
        name = each.name if breakdown == "document" else each.domain or ""
        members.setdefault(name, []).append(np.arange(each.first, each.first + each.segments))
    for name, segments in members.items():
        yield Part(f"{breakdown} {name}", np.sort(np.concatenate(segments)))


def _by_coefficient(found: Coefficients | None) -> Iterator[Part]:
    """Four classes of about as many segments from the spoken end to the written one, and those without coefficient."""
    if found is None:
        raise UsageError("--by coefficient needs a profile of the language of the references")
    known, unknown = np.flatnonzero(~found.undefined), np.flatnonzero(found.undefined)
    if len(known):
        yield from (Part(each.name, known[each.segments]) for each in _classes("I", found.values[known], decimals=2))
    if len(unknown):
        yield Part("I undefined", unknown)


def _by_number(references: LabelledReferences) -> Iterator[Part]:
    counts = references.counts(np.ones(len(references.origins), dtype=np.bool_))
    for count in np.unique(counts).tolist():
        yield Part(f"{count} reference{'' if count == 1 else 's'}", np.flatnonzero(counts == count))


def _novelty(outputs: Sequence[Output], references: References) -> F64:
    """The share of n-grams of 1 to 4 units that no reference of the segment matches, as BLEU counts matches: the mean
    over the systems, of each segment; an empty output has none."""
    shares = []
    for output in outputs:
        statistics = bleu_statistics(references.encode(output.texts), references, _ORDER)
        matched, every = statistics[:, :_ORDER].sum(axis=1), statistics[:, _ORDER : 2 * _ORDER].sum(axis=1)
        shares.append(np.divide(every - matched, every, out=np.zeros(len(every)), where=every > 0))
    mean: F64 = np.mean(shares, axis=0)
    return mean


def _classes(name: str, values: F64, unit: str = "", decimals: int = 0) -> list[Part]:
    """Four classes of about as many segments, those with equal values in one."""
    bounds = np.unique(np.quantile(values, np.arange(1, _CLASSES) / _CLASSES))
    numbers = np.searchsorted(bounds, values, side="right")
    found = []
    for number in np.unique(numbers).tolist():
        segments = np.flatnonzero(numbers == number)
        least, most = values[segments].min(), values[segments].max()
        found.append(Part(f"{name} {least:.{decimals}f}-{most:.{decimals}f}{unit}", segments))
    names = [part.name for part in found]
    if len(set(names)) == len(names):
        return found
    return [Part(f"{part.name} ({number})", part.segments) for number, part in enumerate(found, 1)]
