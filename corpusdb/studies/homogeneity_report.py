"""The study of data homogeneity as tables and figures beside those of Denoual (2005), and as rows for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any, Final

from corpusdb.base.cells import Axis, point_plot
from corpusdb.studies.figures import Row, StudyTable, decimal, format_interval, interval_bounds, new_figure
from corpusdb.studies.queries.homogeneity import (
    HomogeneityStudy,
    PairedConfidence,
    PerplexityCurves,
    SystemCurves,
    TranslationCurves,
)
from corpusdb.studies.queries.homogeneity_profiles import (
    PAPER_BETTER_UP_TO,
    PAPER_CONFIDENCE,
    PAPER_CORRELATIONS,
    PAPER_DOCUMENTS,
    PAPER_SHARE_COMPARED,
    PAPER_TABLE_1,
    PAPER_TASK,
    CoefficientCorrelation,
    Crossing,
    LanguageProfile,
    SelectionCurve,
)

_PLOT: Final = (72, 20)
_AXIS: Final = "percent of the characters"
_FIGURE_NAMES: Final = {"perplexity": "perplexity by character", "bleu": "BLEU", "nist": "NIST", "mwer": "mWER"}
_MARKS: Final = "os^D"


def homogeneity_figures(found: HomogeneityStudy, *, ascii: bool = False) -> Iterator[str]:
    """Those of the parts that were made, in block characters or in ASCII."""
    if "table" in found.request.parts:
        for profile in found.profiles:
            yield f"Figure 1. Coefficients in {profile.language}"
            yield from point_plot(_distributions(profile), _PLOT, Axis("I"), Axis("percent of each"), ascii=ascii)
            yield ""
    for title, curves in _all_curves(found):
        yield title
        axes = Axis(_AXIS, log=True), Axis(_FIGURE_NAMES[curves[0].measure], from_zero=False)
        yield from point_plot({each.method: _points(each) for each in curves}, _PLOT, *axes, ascii=ascii)
        yield ""


def _distributions(profile: LanguageProfile) -> dict[str, list[tuple[float, float]]]:
    """The middle of each part of the scale that is not empty, and what percentage of lines or documents is there."""
    return {
        f"{each.level}s": [
            ((place + 0.5) / len(each.counts), 100 * count / sum(each.counts))
            for place, count in enumerate(each.counts)
            if count
        ]
        for each in profile.histograms
    }


def _all_curves(found: HomogeneityStudy) -> Iterator[tuple[str, list[SelectionCurve]]]:
    for system in _systems(found):
        for measure in dict.fromkeys(each.measure for each in system.curves):
            own = [each for each in system.curves if each.measure == measure]
            yield f"Figure 2. {_FIGURE_NAMES[measure]} of {system.system}", own
    for curves in found.perplexity:
        yield f"Figure 3. Perplexity in {curves.language}", list(curves.curves)


def _points(curve: SelectionCurve) -> list[tuple[float, float]]:
    return [(100 * share, value) for share, value in zip(curve.shares, curve.values, strict=False)]


def _figure_1(found: HomogeneityStudy) -> Any:
    """A panel for each language, as in the paper; documents are the thick line."""
    figure = new_figure(5 * len(found.profiles), 4)
    for axes, profile in zip(figure.subplots(1, len(found.profiles), squeeze=False)[0], found.profiles, strict=True):
        for histogram, width in zip(profile.histograms, (0.8, 2.0), strict=True):
            total = sum(histogram.counts) or 1
            middles = [(place + 0.5) / len(histogram.counts) for place in range(len(histogram.counts))]
            values = [100 * count / total for count in histogram.counts]
            axes.plot(middles, values, linewidth=width, label=f"{histogram.level}s", drawstyle="steps-mid")
        axes.set(xlabel=f"coefficient in {profile.language}", ylabel="percent of each", xlim=(0, 1))
        axes.legend()
    return figure


def _figure_2(found: HomogeneityStudy) -> Any:
    """A row for each translator, a panel for each measure."""
    curves = [(title, own) for title, own in _all_curves(found) if own[0].measure != "perplexity"]
    measures = len({own[0].measure for _, own in curves})
    figure = new_figure(4.5 * measures, 4 * (len(curves) // measures))
    panels = figure.subplots(len(curves) // measures, measures, squeeze=False).flat
    for axes, (title, own) in zip(panels, curves, strict=True):
        _draw(axes, own)
        axes.set_title(title.partition(". ")[2], fontsize=9)
    return figure


def _figure_3(found: HomogeneityStudy) -> Any:
    """A panel for each language."""
    figure = new_figure(5 * len(found.perplexity), 4)
    panels = figure.subplots(1, len(found.perplexity), squeeze=False)[0]
    for axes, curves in zip(panels, found.perplexity, strict=True):
        _draw(axes, curves.curves)
        axes.set_title(curves.language, fontsize=9)
    return figure


def _draw(axes: Any, curves: Sequence[SelectionCurve]) -> None:
    """The curves of one measure; bars are the standard deviation of random draws."""
    for mark, curve in zip(_MARKS, curves, strict=False):
        across, up = zip(*_points(curve), strict=True) if curve.values else ((), ())
        bars = [0.0 if each is None else each for each in curve.sd] if curve.draws else None
        axes.errorbar(across, up, yerr=bars, marker=mark, markersize=4, linewidth=1, capsize=2, label=curve.method)
    axes.set(xscale="log", xlabel=_AXIS, ylabel=_FIGURE_NAMES[curves[0].measure])
    percent = [100 * share for share in curves[0].shares]
    axes.set_xticks(percent, [f"{each:g}" for each in percent])
    axes.minorticks_off()
    axes.legend()


def figures_of(parts: Sequence[str]) -> dict[str, Callable[[HomogeneityStudy], Any]]:
    """What draws the figures of these parts, by the names of their files."""
    drawn = {"table": _figure_1, "translation": _figure_2, "perplexity": _figure_3}
    return {f"figure-{number}": draw for number, (part, draw) in enumerate(drawn.items(), 1) if part in parts}


# The study of data homogeneity for programs: one document, or every number in a row of its own.


PAPER: Final = "paper (BTEC)"
"""What a row of Denoual (2005) has in place of a collection."""
HOMOGENEITY_COLUMNS: Final = (
    *("table", "language", "collection", "level", "system", "measure", "method", "share", "draw", "statistic"),
    *("value", "low", "high"),
)


def homogeneity_document(found: HomogeneityStudy) -> dict[str, object]:
    """All that was found, what it says of crossings in words, and the paper's numbers under ``paper``."""
    verdicts = [
        {"of": name, "measure": each.measure, "method": each.method, "verdict": each.verdict}
        for name, each in _all_crossings(found)
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
    return {**asdict(found), "verdicts": verdicts, "paper": paper}


def _all_crossings(found: HomogeneityStudy) -> Iterator[tuple[str, Crossing]]:
    """Those of perplexity, by language, then those of the translators, by their names."""
    for curves in found.perplexity:
        yield from ((curves.language, each) for each in curves.crossings)
    for system in _systems(found):
        yield from ((system.system, each) for each in system.crossings)


def _systems(found: HomogeneityStudy) -> Sequence[SystemCurves]:
    return () if found.translation is None else found.translation.systems


def homogeneity_rows(found: HomogeneityStudy) -> Iterator[Row]:
    """The columns are HOMOGENEITY_COLUMNS; draws count from 1. Those of the paper come first, as far as it has some."""
    for row in (*_paper(found), *_own(found)):
        yield (*row, *[None] * (len(HOMOGENEITY_COLUMNS) - len(row)))


def _own(found: HomogeneityStudy) -> Iterator[Row]:
    for profile in found.profiles:
        yield from _profile(profile)
    for each in found.correlations:
        where = ("3.2", each.language, each.collection, "document", None, each.other, None, None, None)
        yield (*where, "pearson", each.value, *interval_bounds(each.interval))
        yield (*where, "documents", each.documents)
    for curves in found.perplexity:
        yield from _curves("figure 3", curves.language, None, curves.curves, curves.crossings)
    if found.translation is not None:
        languages = f"{found.translation.source}-{found.translation.target}"
        for system in found.translation.systems:
            yield from _curves("figure 2", languages, system.system, system.curves, system.crossings)
            yield from _confidence_rows(languages, system.system, system.confidence)


def _paper(found: HomogeneityStudy) -> Iterator[Row]:
    """What the paper prints for the parts that were made: the rows that stand in the tables for people."""
    languages = {profile.language for profile in found.profiles}
    if "table" in found.request.parts:
        for level, cells in PAPER_TABLE_1.items():
            for language, cell in cells.items():
                if language in languages:
                    where = ("1", language, PAPER, level, *[None] * 5)
                    if level == "document":
                        yield (*where, "n", PAPER_DOCUMENTS)
                    yield (*where, "mean", cell.mean)
                    yield (*where, "sd", cell.sd)
    if "correlations" in found.request.parts:
        for other, value in PAPER_CORRELATIONS.items():
            about = ("3.2", None, PAPER, "document", None, other, None, None, None)
            yield (*about, "pearson", value)
            yield (*about, "documents", PAPER_DOCUMENTS)
    for measure, share in _paper_crossings(found):
        table = "figure 3" if measure == "perplexity" else "figure 2"
        yield (table, None, PAPER, None, None, measure, "coefficient", None, None, "crossing", share)
    if any(system.confidence for system in _systems(found)):
        for measure, value in PAPER_CONFIDENCE.items():
            told = ("4.1.2", None, PAPER, None, None, measure, "coefficient", PAPER_SHARE_COMPARED, None)
            yield (*told, "confidence", value)


def _paper_crossings(found: HomogeneityStudy) -> list[tuple[str, float]]:
    """Those of the measures that were made."""
    measured = {each.measure for _, each in _all_crossings(found)}
    return [(measure, share) for measure, share in PAPER_BETTER_UP_TO.items() if measure in measured]


def _profile(found: LanguageProfile) -> Iterator[Row]:
    for row in found.rows:
        for name in ("n", "undefined", "clipped", "mean", "sd", "median"):
            value = getattr(row.coefficients, "entries" if name == "n" else name)
            yield ("1", found.language, row.collection, row.level, *[None] * 5, name, value)
    for histogram in found.histograms:
        width = 1 / len(histogram.counts)
        for place, count in enumerate(histogram.counts):
            ends = (place * width, (place + 1) * width)
            yield ("figure 1", found.language, None, histogram.level, *[None] * 5, "count", count, *ends)


def _curves(
    table: str, language: str, system: str | None, curves: Iterable[SelectionCurve], crossings: Iterable[Crossing]
) -> Iterator[Row]:
    for curve in curves:
        where = (table, language, None, None, system, curve.measure, curve.method)
        for place, value in enumerate(curve.values):
            share = curve.shares[place]
            yield (*where, share, None, "mean" if curve.draws else "value", value)
            for draw, values in enumerate(curve.draws, 1):
                yield (*where, share, draw, "value", values[place])
    for each in crossings:
        where = (table, language, None, None, system, each.measure, each.method)
        yield (*where, None, None, "crossing", each.share)
        yield (*where, None, None, "crossing beyond all draws", each.beyond_draws)
        for draw, crossed in enumerate(each.of_draws, 1):
            yield (*where, None, draw, "crossing", crossed)


def _confidence_rows(language: str, system: str, found: Sequence[PairedConfidence]) -> Iterator[Row]:
    draws: Counter[str] = Counter()
    for each in found:
        draws[each.measure] += 1
        where = ("4.1.2", language, None, None, system, each.measure, "coefficient", 0.5, draws[each.measure])
        for name in ("difference", "t", "confidence"):
            yield (*where, name, getattr(each, name))


# The study of data homogeneity as tables, each beside what Denoual (2005) prints, and as remarks.


_DECIMALS: Final = {"perplexity": 2, "bleu": 2, "nist": 3, "mwer": 3}
_NAMES: Final = {"bleu": "BLEU", "nist": "NIST", "mwer": "mWER"}


def homogeneity_tables(found: HomogeneityStudy) -> Iterator[StudyTable]:
    """Those of the parts that were made."""
    if "table" in found.request.parts:
        yield _table_1(found)
    if "correlations" in found.request.parts:
        yield _correlations(found.correlations)
    for each in found.perplexity:
        title = f"Figure 3. Perplexity by character, {each.language}, of {each.test:,} sentences, by amount of data"
        yield StudyTable(title, *_columns(each.curves))
    if found.translation is not None:
        for system in found.translation.systems:
            yield from _scores(found.translation, system)
    if found.perplexity or found.translation is not None:
        yield _crossings(found)
    if found.translation is not None and any(each.confidence for each in found.translation.systems):
        yield _confidence(found.translation)


def _table_1(found: HomogeneityStudy) -> StudyTable:
    rows: list[Row] = []
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
            figures = tuple(decimal(value, 3) for value in (own.mean, own.sd, low, own.median, high))
            counts = (own.entries, own.undefined, own.clipped)
            rows.append((each.collection, each.level, profile.language, *counts, *figures))
    columns = ("collection", "level", "language", "n", "undefined", "clipped", "mean", "sd", "q25", "median", "q75")
    return StudyTable("Table 1. Coefficients of documents and lines, 0 (spoken) to 1 (written)", columns, rows)


def _correlations(found: Sequence[CoefficientCorrelation]) -> StudyTable:
    rows: list[Row] = [
        (PAPER, "", name, PAPER_DOCUMENTS, f"{value:.3f}", "") for name, value in PAPER_CORRELATIONS.items()
    ]
    for each in found:
        figures = (each.documents, decimal(each.value, 3), format_interval(each.interval, 3))
        rows.append((each.collection, each.language, each.other, *figures))
    columns = ("collection", "language", "with", "documents", "r", "interval of 95 %")
    return StudyTable("Section 3.2. What the coefficients of documents go with", columns, rows)


def _columns(curves: Sequence[SelectionCurve]) -> tuple[tuple[str, ...], list[Row]]:
    """The shares, random draws with their sd, and the other methods beside."""
    first, *others = curves
    digits = _DECIMALS[first.measure]
    rows: list[Row] = []
    for place, share in enumerate(first.shares):
        values = [each.values[place] if place < len(each.values) else None for each in others]
        drawn = (decimal(first.values[place], digits), decimal(first.sd[place], digits))
        rows.append((f"{100 * share:g} %", *drawn, *(decimal(value, digits) for value in values)))
    return ("share", "random", "sd", *(each.method for each in others)), rows


def _scores(found: TranslationCurves, system: SystemCurves) -> Iterator[StudyTable]:
    """Figure 2 of one translator, a table for each measure."""
    for measure in dict.fromkeys(each.measure for each in system.curves):
        what = f"{_NAMES[measure]}, {found.source} to {found.target} by {system.system}"
        title = f"Figure 2. {what}, {found.test:,} sentences, by amount of data"
        yield StudyTable(title, *_columns([each for each in system.curves if each.measure == measure]))


def _crossings(found: HomogeneityStudy) -> StudyTable:
    rows: list[Row] = [
        (PAPER, _NAMES.get(measure, measure), "coefficient", f"{100 * share:g} %", "", "")
        for measure, share in _paper_crossings(found)
    ]
    rows += [_crossing(name, each) for name, each in _all_crossings(found)]
    columns = ("of", "measure", "method", "crossing", "beyond draws", "of each draw")
    return StudyTable("Up to where selected data are better than random data", columns, rows)


def _crossing(name: str, found: Crossing) -> Row:
    crossed = sorted(share for share in found.of_draws if share is not None)
    of_draws = f"{len(crossed)} of {len(found.of_draws)}"
    if crossed:
        of_draws += ": " + " to ".join(dict.fromkeys(_percent(crossed[place]) for place in (0, -1)))
    what = (name, _NAMES.get(found.measure, found.measure), found.method)
    return (*what, _percent(found.share), _percent(found.beyond_draws), of_draws)


def _confidence(found: TranslationCurves) -> StudyTable:
    rows: list[Row] = [
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
        *("translator", "measure", "random better", "difference", "over draws"),
        *("confidence", "of each draw", "ties"),
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
        unseen = " and ".join(decimal(value, 3) for value in profile.unseen)
        yield (
            f"{profile.language}: references of {profile.characters[0]:,} characters; text of theirs that their models "
            f"had not seen has {unseen}; {profile.in_references:,} sentences are part of one, and are left out"
        )
    if found.correlations:
        yield "intervals of correlations by Fisher's z, which takes documents for independent"
    for each in found.perplexity:
        yield (
            f"{each.language}: {each.pool:,} sentences of {each.pool_characters:,} characters to train on; the task "
            f"has {decimal(each.task, 3)} (paper {PAPER_TASK}), all of them {decimal(each.pool_coefficient, 3)}; "
            f"{each.beside_task:,} sentences left out that share a translation with the task; models of order 5, wb"
        )
        if each.in_references:
            yield f"{each.language}: {each.in_references:,} test sentences are part of a reference, and move the task"
        yield from _against_moore_lewis(each)
    if found.translation is not None:
        yield from _translation_remarks(found.translation)
    for name, crossing in _all_crossings(found):
        measure = _NAMES.get(crossing.measure, crossing.measure)
        yield f"{name}, {measure}, {crossing.method}: crossing {crossing.verdict}"
    if found.perplexity or found.translation is not None:
        yield (
            f"random draws: {request.pool.draws}, their mean and standard deviation; crossings are interpolated "
            "between the amounts; beyond draws: against the best draw of each amount"
        )


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
        f"{found.selected_by}, where the test set has {decimal(found.task, 3)}"
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


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.1f} %"
