"""The study of data homogeneity for programs: one document, or every number in a row of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Final

from corpusdb.queries.homogeneity_study.profile_tables import LanguageProfile
from corpusdb.queries.homogeneity_study.study import HomogeneityStudy
from corpusdb.reports.row_formats import Cell
from corpusdb.studies.homogeneity.confidence import PairedConfidence
from corpusdb.studies.homogeneity.curves import Crossing, SelectionCurve
from corpusdb.studies.homogeneity.published import (
    PAPER_BETTER_UP_TO,
    PAPER_CONFIDENCE,
    PAPER_CORRELATIONS,
    PAPER_DOCUMENTS,
    PAPER_SHARE_COMPARED,
    PAPER_TABLE_1,
    PAPER_TASK,
)

__all__ = ["HOMOGENEITY_COLUMNS", "PAPER", "homogeneity_document", "homogeneity_rows"]

PAPER: Final = "paper (BTEC)"
"""What a row of Denoual (2005) has in place of a collection."""
HOMOGENEITY_COLUMNS: Final = (
    *("table", "language", "collection", "level", "system", "measure", "method", "share", "draw", "statistic"),
    *("value", "low", "high"),
)
"""Those of homogeneity_rows."""


def homogeneity_document(found: HomogeneityStudy) -> dict[str, object]:
    """All that was found, what it says of crossings in words, and the paper's numbers under ``paper``."""
    document = asdict(found)
    translation = () if found.translation is None else found.translation.systems
    verdicts = [
        {"of": name, "measure": each.measure, "method": each.method, "verdict": each.verdict}
        for name, crossings in (
            *((curves.language, curves.crossings) for curves in found.perplexity),
            *((system.system, system.crossings) for system in translation),
        )
        for each in crossings
    ]
    paper = {
        "table 1": {
            level: {code: asdict(cell) for code, cell in languages.items()}
            for level, languages in PAPER_TABLE_1.items()
        },
        "correlations": dict(PAPER_CORRELATIONS),
        "task": PAPER_TASK,
        "better up to": dict(PAPER_BETTER_UP_TO),
        "confidence at 50 %": dict(PAPER_CONFIDENCE),
    }
    return {**document, "verdicts": verdicts, "paper": paper}


def homogeneity_rows(found: HomogeneityStudy) -> Iterator[Sequence[Cell]]:
    """The columns are HOMOGENEITY_COLUMNS; draws count from 1. Those of the paper come first, as far as it has some."""
    yield from _paper(found)
    for profile in found.profiles:
        yield from _profile(profile)
    for each in found.correlations:
        bounds = (None, None) if each.interval is None else (each.interval.low, each.interval.high)
        where = ("3.2", each.language, each.collection, "document", None, each.other, None, None, None)
        yield (*where, "pearson", each.value, *bounds)
        yield (*where, "documents", each.documents, None, None)
    for curves in found.perplexity:
        yield from _curves("figure 3", curves.language, None, curves.curves, curves.crossings)
    if found.translation is not None:
        languages = f"{found.translation.source}-{found.translation.target}"
        for system in found.translation.systems:
            yield from _curves("figure 2", languages, system.system, system.curves, system.crossings)
            yield from _confidence(languages, system.system, system.confidence)


def _paper(found: HomogeneityStudy) -> Iterator[Sequence[Cell]]:
    """What the paper prints for the parts that were made: the rows that stand in the tables for people."""
    languages = {profile.language for profile in found.profiles}
    if "table" in found.request.parts:
        for level, cells in PAPER_TABLE_1.items():
            for language, cell in cells.items():
                if language in languages:
                    where = ("1", language, PAPER, level, *[None] * 5)
                    if level == "document":
                        yield (*where, "n", PAPER_DOCUMENTS, None, None)
                    yield (*where, "mean", cell.mean, None, None)
                    yield (*where, "sd", cell.sd, None, None)
    if "correlations" in found.request.parts:
        for other, value in PAPER_CORRELATIONS.items():
            where = ("3.2", None, PAPER, "document", None, other, None, None, None)
            yield (*where, "pearson", value, None, None)
            yield (*where, "documents", PAPER_DOCUMENTS, None, None)
    measured = {each.measure for curves in found.perplexity for each in curves.crossings}
    systems = () if found.translation is None else found.translation.systems
    measured |= {each.measure for system in systems for each in system.crossings}
    for measure, share in PAPER_BETTER_UP_TO.items():
        if measure in measured:
            table = "figure 3" if measure == "perplexity" else "figure 2"
            yield (table, None, PAPER, None, None, measure, "coefficient", None, None, "crossing", share, None, None)
    if any(system.confidence for system in systems):
        for measure, value in PAPER_CONFIDENCE.items():
            told = ("4.1.2", None, PAPER, None, None, measure, "coefficient", PAPER_SHARE_COMPARED, None)
            yield (*told, "confidence", value, None, None)


def _profile(found: LanguageProfile) -> Iterator[Sequence[Cell]]:
    for row in found.rows:
        own = row.coefficients
        for name, value in (
            *(("n", own.entries), ("undefined", own.undefined), ("clipped", own.clipped)),
            *(("mean", own.mean), ("sd", own.sd), ("median", own.median)),
        ):
            yield ("1", found.language, row.collection, row.level, *[None] * 5, name, value, None, None)
    for histogram in found.histograms:
        width = 1 / len(histogram.counts)
        for place, count in enumerate(histogram.counts):
            ends = (place * width, (place + 1) * width)
            yield ("figure 1", found.language, None, histogram.level, *[None] * 5, "count", count, *ends)


def _curves(
    table: str, language: str, system: str | None, curves: Iterable[SelectionCurve], crossings: Iterable[Crossing]
) -> Iterator[Sequence[Cell]]:
    for curve in curves:
        where = (table, language, None, None, system, curve.measure, curve.method)
        for place, value in enumerate(curve.values):
            share = curve.shares[place]
            if not curve.draws:
                yield (*where, share, None, "value", value, None, None)
                continue
            yield (*where, share, None, "mean", value, None, None)
            for draw, values in enumerate(curve.draws, 1):
                yield (*where, share, draw, "value", values[place], None, None)
    for each in crossings:
        where = (table, language, None, None, system, each.measure, each.method)
        yield (*where, None, None, "crossing", each.share, None, None)
        yield (*where, None, None, "crossing beyond all draws", each.beyond_draws, None, None)
        for draw, crossed in enumerate(each.of_draws, 1):
            yield (*where, None, draw, "crossing", crossed, None, None)


def _confidence(language: str, system: str, found: Sequence[PairedConfidence]) -> Iterator[Sequence[Cell]]:
    draws: dict[str, int] = {}
    for each in found:
        draw = draws[each.measure] = draws.get(each.measure, 0) + 1
        where = ("4.1.2", language, None, None, system, each.measure, "coefficient", 0.5, draw)
        yield (*where, "difference", each.difference, None, None)
        yield (*where, "t", each.t, None, None)
        yield (*where, "confidence", each.confidence, None, None)
