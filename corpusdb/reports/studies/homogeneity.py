"""The study of data homogeneity as tables, each beside what Denoual (2005) prints, and as remarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from corpusdb.queries.homogeneity_study.perplexity_curves import PerplexityCurves
from corpusdb.queries.homogeneity_study.profile_tables import Correlation
from corpusdb.queries.homogeneity_study.study import HomogeneityStudy
from corpusdb.queries.homogeneity_study.translation_curves import SystemCurves, TranslationCurves
from corpusdb.reports.studies.bitext_paraphrases import Cell, StudyTable
from corpusdb.reports.studies.homogeneity_rows import PAPER
from corpusdb.studies.homogeneity.curves import Crossing, SelectionCurve
from corpusdb.studies.homogeneity.published import (
    PAPER_BETTER_UP_TO,
    PAPER_CONFIDENCE,
    PAPER_CORRELATIONS,
    PAPER_DOCUMENTS,
    PAPER_TABLE_1,
    PAPER_TASK,
)

__all__ = ["homogeneity_remarks", "homogeneity_tables"]

_DECIMALS: Final = {"perplexity": 2, "bleu": 2, "nist": 3, "mwer": 3}
_NAMES: Final = {"bleu": "BLEU", "nist": "NIST", "mwer": "mWER"}


def homogeneity_tables(found: HomogeneityStudy) -> Iterator[StudyTable]:
    """Those of the parts that were made."""
    if "table" in found.request.parts:
        yield _table_1(found)
    if "correlations" in found.request.parts:
        yield _correlations(found.correlations)
    for each in found.perplexity:
        yield _perplexity(each)
    if found.translation is not None:
        for system in found.translation.systems:
            yield from _scores(found.translation, system)
    if found.perplexity or found.translation is not None:
        yield _crossings(found)
    if found.translation is not None and any(each.confidence for each in found.translation.systems):
        yield _confidence(found.translation)


def _table_1(found: HomogeneityStudy) -> StudyTable:
    rows: list[tuple[Cell, ...]] = []
    for level, languages in PAPER_TABLE_1.items():
        for profile in found.profiles:
            if profile.language in languages:
                cell = languages[profile.language]
                count = PAPER_DOCUMENTS if level == "document" else None
                spread = (f"{cell.mean:.3f}", f"{cell.sd:.3f}")
                rows.append((PAPER, level, profile.language, count, None, None, *spread, None, None, None))
    for profile in found.profiles:
        for each in profile.rows:
            own = each.coefficients
            low, high = (own.quantiles[1], own.quantiles[2]) if own.quantiles else (None, None)
            figures = tuple(_number(value, 3) for value in (own.mean, own.sd, low, own.median, high))
            counts = (own.entries, own.undefined, own.clipped)
            rows.append((each.collection, each.level, profile.language, *counts, *figures))
    columns = ("collection", "level", "language", "n", "undefined", "clipped", "mean", "sd", "q25", "median", "q75")
    return StudyTable("Table 1. Coefficients of documents and lines, 0 (spoken) to 1 (written)", columns, rows)


def _correlations(found: Sequence[Correlation]) -> StudyTable:
    rows: list[tuple[Cell, ...]] = [
        (PAPER, "", name, PAPER_DOCUMENTS, f"{value:.3f}", "") for name, value in PAPER_CORRELATIONS.items()
    ]
    for each in found:
        interval = "" if each.interval is None else f"[{each.interval.low:.3f}, {each.interval.high:.3f}]"
        figures = (each.documents, _number(each.value, 3), interval)
        rows.append((each.collection, each.language, each.other, *figures))
    columns = ("collection", "language", "with", "documents", "r", "interval of 95 %")
    return StudyTable("Section 3.2. What the coefficients of documents go with", columns, rows)


def _perplexity(found: PerplexityCurves) -> StudyTable:
    title = f"Figure 3. Perplexity by character, {found.language}, of {found.test:,} sentences, by amount of data"
    return StudyTable(title, *_columns(found.curves))


def _columns(curves: Sequence[SelectionCurve]) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """The shares, random draws with their sd, and the other methods beside."""
    first, *others = curves
    digits = _DECIMALS[first.measure]
    rows: list[tuple[Cell, ...]] = []
    for place, share in enumerate(first.shares):
        values = [each.values[place] if place < len(each.values) else None for each in others]
        drawn = (_number(first.values[place], digits), _number(first.sd[place], digits))
        rows.append((f"{100 * share:g} %", *drawn, *(_number(value, digits) for value in values)))
    return ("share", "random", "sd", *(each.method for each in others)), rows


def _scores(found: TranslationCurves, system: SystemCurves) -> Iterator[StudyTable]:
    """Figure 2 of one translator, a table for each measure."""
    for measure in dict.fromkeys(each.measure for each in system.curves):
        what = f"{_NAMES[measure]}, {found.source} to {found.target} by {system.system}"
        title = f"Figure 2. {what}, {found.test:,} sentences, by amount of data"
        yield StudyTable(title, *_columns([each for each in system.curves if each.measure == measure]))


def _crossings(found: HomogeneityStudy) -> StudyTable:
    measured = {each.measure for curves in found.perplexity for each in curves.crossings}
    if found.translation is not None:
        measured |= {each.measure for system in found.translation.systems for each in system.crossings}
    rows: list[tuple[Cell, ...]] = [
        (PAPER, _NAMES.get(measure, measure), "coefficient", f"{100 * share:g} %", "", "")
        for measure, share in PAPER_BETTER_UP_TO.items()
        if measure in measured
    ]
    for curves in found.perplexity:
        rows += [_crossing(curves.language, each) for each in curves.crossings]
    if found.translation is not None:
        for system in found.translation.systems:
            rows += [_crossing(system.system, each) for each in system.crossings]
    columns = ("of", "measure", "method", "crossing", "beyond draws", "of each draw")
    return StudyTable("Up to where selected data are better than random data", columns, rows)


def _crossing(name: str, found: Crossing) -> tuple[Cell, ...]:
    crossed = sorted(share for share in found.of_draws if share is not None)
    of_draws = f"{len(crossed)} of {len(found.of_draws)}"
    if crossed:
        of_draws += ": " + " to ".join(dict.fromkeys(_percent(crossed[place]) for place in (0, -1)))
    what = (name, _NAMES.get(found.measure, found.measure), found.method)
    return (*what, _percent(found.share), _percent(found.beyond_draws), of_draws)


def _confidence(found: TranslationCurves) -> StudyTable:
    rows: list[tuple[Cell, ...]] = [
        (PAPER, _NAMES[measure], "", "", "", f"{100 * value:.2f} %", "", "")
        for measure, value in PAPER_CONFIDENCE.items()
    ]
    for system in found.systems:
        for measure in dict.fromkeys(each.measure for each in system.confidence):
            own = [each for each in system.confidence if each.measure == measure]
            better = sum((each.difference < 0) if measure == "mwer" else (each.difference > 0) for each in own)
            sure = sorted(each.confidence for each in own)
            digits = _DECIMALS[measure]
            differences = [each.difference for each in own]
            rows.append(
                (
                    *(system.system, _NAMES[measure], f"{better} of {len(own)}"),
                    f"{sum(differences) / len(own):+.{digits}f}",
                    f"{min(differences):+.{digits}f} to {max(differences):+.{digits}f}",
                    f"{100 * median(sure):.2f} %",
                    f"{100 * sure[0]:.2f} to {100 * sure[-1]:.2f} %",
                    f"{sum(each.ties for each in own) / len(own):.0f} of {own[0].sentences}",
                )
            )
    columns = (
        *(
            "translator",
            "measure",
            "random better",
            "difference",
            "over draws",
            "confidence",
            "of each draw",
            "ties",
        ),
    )
    return StudyTable("Section 4.1.2. Random less selected data at 50 %, means over sentences", columns, rows)


def homogeneity_remarks(found: HomogeneityStudy) -> Iterator[str]:
    """What is to be known of the figures."""
    request = found.request
    recipe = next(iter(request.recipes.values()))
    yield (
        f"coefficients of order {recipe.order}, {recipe.smoothing}, texts normalised by {recipe.normalisation!r}; seed "
        f"{request.seed}; clipped coefficients count at the end of the scale, undefined ones do not count"
    )
    for profile in found.profiles:
        unseen = " and ".join(_number(value, 3) for value in profile.unseen)
        yield (
            f"{profile.language}: references of {profile.characters[0]:,} characters; text of theirs that their models "
            f"had not seen has {unseen}; {profile.in_references:,} sentences stand in one, and are left out"
        )
    if found.correlations:
        yield "intervals of correlations by Fisher's z, which takes documents for independent"
    for each in found.perplexity:
        yield (
            f"{each.language}: {each.pool:,} sentences of {each.pool_characters:,} characters to train on; the task "
            f"has {_number(each.task, 3)} (paper {PAPER_TASK}), all of them {_number(each.pool_coefficient, 3)}; "
            f"{each.beside_task:,} sentences left out that share a translation with the task; models of order 5, wb"
        )
        if each.in_references:
            yield f"{each.language}: {each.in_references:,} test sentences stand in a reference, and move the task"
        yield from _against_moore_lewis(each)
    if found.translation is not None:
        yield from _translation_remarks(found.translation)
    yield from _verdicts(found)
    if found.perplexity or found.translation is not None:
        yield (
            f"random draws: {request.pool.draws}, their mean and standard deviation; crossings are interpolated "
            "between the amounts; beyond draws: against the best draw of each amount"
        )


def _verdicts(found: HomogeneityStudy) -> Iterator[str]:
    """Of each curve where it crosses that of random data, in words."""
    named = [(curves.language, curves.crossings) for curves in found.perplexity]
    if found.translation is not None:
        named += [(system.system, system.crossings) for system in found.translation.systems]
    for name, crossings in named:
        for each in crossings:
            yield f"{name}, {_NAMES.get(each.measure, each.measure)}, {each.method}: crossing {each.verdict}"


def _against_moore_lewis(found: PerplexityCurves) -> Iterator[str]:
    """Whether the greedy choice is better than the difference of cross-entropies, and what the latter is worth."""
    curves = {each.method: each for each in found.curves}
    if "moore-lewis" not in curves:
        return
    theirs, random = curves["moore-lewis"], curves["random"]
    better = [share for share, value in zip(theirs.shares, theirs.values, strict=True) if value < random.values[-1]]
    than_all = ", ".join(f"{100 * share:g}" for share in better if share < 1)
    what = f"{than_all} % of the data by Moore-Lewis are" if than_all else "no part of the data by Moore-Lewis is"
    yield f"{found.language}: {what} better than all of them"
    if "cynical" in curves:
        both = zip(theirs.shares, curves["cynical"].values, theirs.values, strict=False)
        lower = ", ".join(f"{100 * share:g}" for share, ours, other in both if ours < other)
        yield f"{found.language}: cynical is better than Moore-Lewis at {f'{lower} %' if lower else 'no amount'}"


def _translation_remarks(found: TranslationCurves) -> Iterator[str]:
    yield (
        f"{found.source} to {found.target}: {found.examples:,} source sentences of {found.characters:,} characters to "
        f"learn from, {found.references:.2f} references of a test sentence; selected by the coefficients of "
        f"{found.selected_by}, where the test set has {_number(found.task, 3)}"
    )
    for system in found.systems:
        rungs = ", ".join(f"{count} by {name}" for name, count in sorted(system.rungs.items()))
        yield f"{system.system}, all data: {rungs}"
    if any(each.system == "phrases" for each in found.systems):
        yield "phrases are counted in the data of each amount; the links between words are those of the whole corpus"
    yield (
        "confidence: 1 - p, two-sided, by randomisation of the signs of paired differences, the median of the draws; "
        "that of one draw tells nothing of another draw"
    )
    yield from found.signatures


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.1f} %"
