"""What references are worth, as tables and plots: how much they vary, what more of them change, what equivalents do.

Beside the numbers of other data stand those of the papers: Lepage and Denoual (2005), Owczarzak et al. (2006).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from corpusdb.base.cells import Axis, point_plot
from corpusdb.base.display import Cell
from corpusdb.base.estimates import Interval
from corpusdb.paraphrase.report import PAPER
from corpusdb.scoring.queries.reference_count import ReferenceWorth
from corpusdb.scoring.table_report import copies_note
from corpusdb.studies.figures import Row, StudyTable, decimal, format_interval, interval_bounds
from corpusdb.studies.queries.bitext import (
    PAPER_CORRELATIONS,
    PAPER_MEANING,
    PAPER_PEOPLE,
    PAPER_SCORES,
    PAPER_SETS,
    PAPER_SYNTAX,
    SINGLE,
    Accuracy,
    BitextStudy,
    Compared,
)
from corpusdb.studies.queries.precision import (
    Band,
    HeldOutLanguage,
    LanguagePrecision,
    MeasuredProbability,
    PrecisionPoint,
    PrecisionStudy,
)
from corpusdb.studies.queries.reference_sets import VariationReport

PAPER_TABLE_7: Final[Mapping[str, tuple[float, float]]] = {
    "Automatically produced set": (PAPER.set_bleu, PAPER.set_nist),
    "Hand-produced set 1": (0.10, 0.49),
    "Hand-produced set 2": (0.11, 0.49),
}
"""Average BLEU and average NIST as the paper prints them."""


def variation_lines(reports: Sequence[VariationReport], *, plots: bool = True) -> Iterator[str]:
    """Table 7 with the paper's rows, and for each kind of sets what Figure 2 shows, as plots if these are wanted."""
    rows = [(f"{name} (paper)", f"{bleu:.2f}", f"{nist:.2f}", "") for name, (bleu, nist) in PAPER_TABLE_7.items()]
    for report in reports:
        table = report.table_7
        what = f"{report.sets:,} of {report.of:,} sets, {table.sentences:,} sentences"
        rows.append((report.name, f"{table.bleu:.3f}", f"{table.nist:.3f}", what))
        rows.append(("  95 % interval", _range(table.bleu_interval), _range(table.nist_interval), ""))
    width = max(len(row[0]) for row in rows)
    yield "Table 7. Each sentence against one left out of its set; low scores mean variation."
    yield f"{'':{width}}  Average BLEU  Average NIST"
    yield from (f"{name:{width}}  {bleu:>12}  {nist:>12}  {what}".rstrip() for name, bleu, nist, what in rows)
    for report in reports:
        yield ""
        yield from _figure_lines(report, plots=plots)
        yield report.bleu_signature
        yield report.nist_signature


def _range(interval: Interval) -> str:
    return f"{interval.low:.3f}-{interval.high:.3f}"


def _figure_lines(report: VariationReport, *, plots: bool) -> Iterator[str]:
    yield f"Figure 2. {report.name}: paraphrases against their seed, {report.paraphrases:.2f} by seed."
    for curve in report.figure_2:
        of_what = "length of the seed" if curve.axis == "length" else "number of paraphrases"
        told = "not defined" if curve.pearson is None else f"{curve.pearson:.2f}"
        yield f"{curve.measure.upper()} and {of_what}: correlation {told}"
    for curve in report.figure_2 if plots else ():
        points = [(float(mean.x), mean.score) for mean in curve.means]
        if len(points) < 2:
            continue  # sets made by hand have one number of references
        yield ""
        yield from point_plot({"mean": points}, (72, 14), Axis(curve.axis), Axis(curve.measure.upper()))
    if plots:
        yield ""


def worth_lines(found: ReferenceWorth, *, plots: bool = True) -> Iterator[str]:
    """What stands below the table: the signatures, and the curves if these are wanted."""
    yield ""
    for curve in found.curves:
        yield f"{'+'.join(curve.origins)}: {curve.signature}"
        if curve.sentence_signature is not None:
            yield f"{'+'.join(curve.origins)}, segments: {curve.sentence_signature}"
    if (note := copies_note(found)) is not None:
        yield note
    if plots:
        yield from _worth_plot(found)


def _worth_plot(found: ReferenceWorth) -> Iterator[str]:
    """BLEU, the mean of the systems, over the mean number of references."""
    series = {
        "+".join(curve.origins): [
            (point.mean_references, sum(each.mean for each in point.scores) / len(point.scores))
            for point in curve.points
        ]
        for curve in found.curves
    }
    yield ""
    yield from point_plot(series, (72, 18), Axis("references"), Axis("BLEU"))


# Equivalents in references: the tables of Owczarzak et al. (2006), each number with its interval.


BITEXT_COLUMNS: Final = (
    *("table", "system", "metric", "references", "level", "statistic", "n", "value", "low", "high"),
    *("document_low", "document_high", "difference", "difference_low", "difference_high"),
    *("difference_document_low", "difference_document_high", "reason"),
)


def bitext_tables(found: BitextStudy) -> Iterator[StudyTable]:
    """The sets, and tables 1 to 4; those that need human scores only where there are some."""
    rows: list[Row] = [("paper (2,000 segments)", *PAPER_SETS, f"{PAPER_SETS[1] / PAPER_SETS[0]:.2f}", "")]
    rows += [
        (each.recipe, each.sets, each.members, f"{each.members / max(1, each.sets):.2f}", f"{each.substitutions:.2f}")
        for each in found.sets
    ]
    columns = ("filter", "sets", "members", "members by set", "substitutions by segment")
    yield StudyTable("Equivalence sets (section 3.2)", columns, rows)
    yield _scores(found)
    if found.agreement:
        yield _agreement(found)
    if found.people:
        yield _people(found)
    if found.own:
        yield _own(found)


_COMPARED: Final = ("value", "interval", "difference", "interval of it", "over documents")


def _scores(found: BitextStudy) -> StudyTable:
    rows: list[Row] = []
    for system, scores in PAPER_SCORES.items():
        for metric, (single, multiple), factor in zip(("BLEU", "NIST"), scores, (100, 1), strict=True):
            rows.append((f"paper {system}", metric, "single", f"{single * factor:.2f}", "", "", "", ""))
            added = f"{(multiple - single) * factor:+.2f}"
            rows.append((f"paper {system}", metric, "multiple", f"{multiple * factor:.2f}", "", added, "", ""))
    rows += [(each.system, each.metric, each.references, *_cells(each.score, 2)) for each in found.scores]
    return StudyTable("Table 1. Scores of systems", ("system", "metric", "references", *_COMPARED), rows)


def _agreement(found: BitextStudy) -> StudyTable:
    rows: list[Row] = []
    for system, correlations in PAPER_CORRELATIONS.items():
        for metric, (single, multiple) in correlations.items():
            where = (f"paper {system}, segments", "pearson", metric)
            rows.append((*where, "single", f"{single:.3f}", "", "", "", ""))
            rows.append((*where, "multiple", f"{multiple:.3f}", "", f"{multiple - single:+.3f}", "", ""))
    rows += [
        (each.level, each.statistic, each.metric, each.references, *_cells(each.correlation, 4))
        for each in found.agreement
    ]
    title = "Table 2. Correlation with people, all systems"
    return StudyTable(title, ("level", "statistic", "metric", "references", *_COMPARED), rows)


def _people(found: BitextStudy) -> StudyTable:
    rows: list[Row] = [
        (f"paper {system}", 100, f"{mean:.3f}", "", f"{variation:.1%}")
        for system, (mean, variation) in PAPER_PEOPLE.items()
    ]
    rows += [
        (
            system,
            mean.segments,
            f"{mean.mean:.3f}",
            decimal(mean.deviation, 3),
            "-" if mean.variation is None else f"{mean.variation:.1%}",
        )
        for system, mean in found.people.items()
    ]
    return StudyTable("Table 3. Human scores", ("system", "segments", "mean", "deviation", "variation"), rows)


def _own(found: BitextStudy) -> StudyTable:
    rows: list[Row] = [(each.system, each.metric, each.references, *_cells(each.correlation, 3)) for each in found.own]
    title = "Tables 2 and 4. Pearson of the segments of each system"
    return StudyTable(title, ("system", "metric", "references", *_COMPARED), rows)


def judged_tables(category: Sequence[Accuracy], meaning: Sequence[Accuracy]) -> Iterator[StudyTable]:
    for title, paper, accuracies in (
        ("Table 5. Same category", PAPER_SYNTAX, category),
        ("Table 6. Same meaning", PAPER_MEANING, meaning),
    ):
        if accuracies:
            yield StudyTable(
                title, ("equivalents", "judged", "accepted", "share", "interval"), _judged(paper, accuracies)
            )


def _judged(paper: Mapping[str, tuple[float, float]], accuracies: Sequence[Accuracy]) -> list[Row]:
    rows: list[Row] = []
    for name, shares in paper.items():
        for group, known in zip(("best", "all"), shares, strict=True):
            rows.append((f"{group} (paper, {name})", 50, "", f"{known:.0%}", ""))
    for each in accuracies:
        share = f"{each.accepted / each.judged:.0%}" if each.judged else "-"
        interval = f"[{each.interval.low:.0%}, {each.interval.high:.0%}]" if each.judged else "-"
        rows.append((each.group, each.judged, each.accepted, share, interval))
    return rows


def bitext_remarks(found: BitextStudy) -> Iterator[str]:
    """What is to be known of the figures."""
    sampling = found.sampling
    drawn = f"{sampling.samples:,} samples, seed {sampling.seed}"
    yield f"intervals of {sampling.confidence:.0%} by bootstrap over {found.segments:,} segments: {drawn}"
    if found.documents > 1:
        yield f"over documents: the same, {found.documents:,} whole documents drawn"
    else:
        yield "segments of one document are alike, and intervals over documents wider: --documents says where they are"
    yield f'difference: from the references "{SINGLE}", on the same samples; not corrected for the number of rows'
    yield from _judgement(found)
    for reason in dict.fromkeys(
        each.reason
        for each in (*(row.correlation for row in found.agreement), *(row.correlation for row in found.own))
        if each.reason
    ):
        yield f"no value: {reason}"
    if found.people and all(each.variation is None for each in found.people.values()):
        yield "no variation: standardised scores have a mean near 0; --human-column raw has one"
    if found.agreement:
        yield (
            "people who were shown the reference reward what is like it: a further one, even a real one, may then "
            "lower every correlation"
        )
    for name, signatures in found.signatures.items():
        yield from (f"{name}: {signature}" for signature in signatures)


def _judgement(found: BitextStudy) -> Iterator[str]:
    """In words: where Pearson of segments is lower or higher than with the references as given, beyond the interval."""
    level = "segment" if any(each.level == "segment" for each in found.agreement) else "system"
    chosen = [each for each in found.agreement if (each.level, each.statistic) == (level, "pearson")]
    for kind in dict.fromkeys(each.references for each in found.agreement if each.references != SINGLE):
        told = (f"{each.metric} {_verdict(each.correlation)}" for each in chosen if each.references == kind)
        yield f"{kind}, Pearson of {level}s: {', '.join(told)}"


def _verdict(compared: Compared) -> str:
    intervals = [compared.difference_interval, compared.difference_over_documents]
    known = [each for each in intervals if each is not None]
    if compared.difference is None or not known:
        return "not compared"
    if all(each.high < 0 for each in known):
        return "lower"
    if all(each.low > 0 for each in known):
        return "higher"
    if any(each.high < 0 or each.low > 0 for each in known):
        return f"{'lower' if compared.difference < 0 else 'higher'} over segments or documents, not both"
    return "no difference beyond the interval"


def _paper_rows(found: BitextStudy) -> Iterator[Row]:
    """What the paper prints for the tables that there are; the systems are called paper PH and paper LM."""
    for name, count in zip(("sets", "members"), PAPER_SETS, strict=True):
        yield ("sets", "paper", None, None, None, name, 2000, count)
    for system, scores in PAPER_SCORES.items():
        for metric, both, factor in zip(("BLEU", "NIST"), scores, (100, 1), strict=True):
            for references, value in zip(("single", "multiple"), both, strict=True):
                score = round(value * factor, 4)  # as it is printed
                yield ("1", f"paper {system}", metric, references, "system", "score", None, score)
    if found.agreement:
        for system, correlations in PAPER_CORRELATIONS.items():
            for metric, both in correlations.items():
                for references, value in zip(("single", "multiple"), both, strict=True):
                    named = ("2", f"paper {system}", metric, references)
                    yield (*named, "segment", "pearson", 100, value)
    if found.people:
        for system, (mean, variation) in PAPER_PEOPLE.items():
            for name, value in (("mean", mean), ("variation", variation)):
                yield ("3", f"paper {system}", None, None, None, name, 100, value)


def judged_rows(category: Sequence[Accuracy], meaning: Sequence[Accuracy]) -> Iterator[Row]:
    """Tables 5 and 6 of what was judged, as rows with the columns BITEXT_COLUMNS."""
    rows: list[Row] = []
    for table, paper, accuracies in (("5", PAPER_SYNTAX, category), ("6", PAPER_MEANING, meaning)):
        for name, shares in paper.items() if accuracies else ():
            for group, known in zip(("best", "all"), shares, strict=True):
                rows.append((table, f"paper, {name}", None, group, None, "accepted", 50, known))
        for each in accuracies:
            found = (each.accepted / each.judged, each.interval.low, each.interval.high) if each.judged else ()
            rows.append((table, None, None, each.group, None, "accepted", each.judged, *found))
    yield from _whole(rows)


def bitext_rows(found: BitextStudy) -> Iterator[Row]:
    """One row for each number, those of the paper first; the columns are BITEXT_COLUMNS."""
    yield from _whole((*_paper_rows(found), *_own_rows(found)))


def _whole(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        yield (*row, *[None] * (len(BITEXT_COLUMNS) - len(row)))


def _own_rows(found: BitextStudy) -> Iterator[Row]:
    for each in found.sets:
        for name in ("sets", "members", "substitutions"):
            yield ("sets", None, None, each.recipe, None, name, None, getattr(each, name))
    for score in found.scores:
        yield ("1", score.system, score.metric, score.references, "system", "score", None, *_figures(score.score))
    for row in found.agreement:
        yield ("2", None, row.metric, row.references, row.level, row.statistic, row.n, *_figures(row.correlation))
    for system, mean in found.people.items():
        for name in ("mean", "deviation", "variation"):
            yield ("3", system, None, None, None, name, mean.segments, getattr(mean, name))
    for own in found.own:
        figures = _figures(own.correlation)
        yield ("4", own.system, own.metric, own.references, "segment", "pearson", None, *figures)


def _figures(compared: Compared) -> Row:
    return (
        compared.value,
        *interval_bounds(compared.interval),
        *interval_bounds(compared.over_documents),
        compared.difference,
        *interval_bounds(compared.difference_interval),
        *interval_bounds(compared.difference_over_documents),
        compared.reason,
    )


def _cells(compared: Compared, decimals: int) -> Row:
    difference = "" if compared.difference is None else f"{compared.difference:+.{decimals}f}"
    return (
        decimal(compared.value, decimals),
        format_interval(compared.interval, decimals),
        difference,
        format_interval(compared.difference_interval, decimals, "+"),
        format_interval(compared.difference_over_documents, decimals, "+"),
    )


# How far the probability that paraphrases hold can be trusted, as tables and plots.

PRECISION_COLUMNS = (
    *("held_out", "sharing", "figure", "from", "to", "pairs", "confirmed", "value", "low", "high"),
    *("mean_validity", "precision", "kept"),
)

_PEOPLE = "people"
"""What stands for the language held out where people confirmed the pairs."""


def precision_notes(found: PrecisionStudy) -> Iterator[str]:
    """What could not be measured, and what someone should know of the rest."""
    for each in found.held_out:
        if not each.measured:
            yield (
                f"{each.language}: no generated pair has translations into it on both sides;"
                " the corpus is too small to say anything"
            )
        elif not each.labelled:
            yield f"{each.language}: too few pairs have a label without it; the model is the one that is shipped"
    if not found.judged:
        yield "nobody has judged the meaning of pairs of this language yet; `corpusdb judge` lets people do so"


def precision_rows(found: PrecisionStudy) -> Iterator[tuple[Cell, ...]]:
    """One row for each area, band and point of the curve; shares and precisions are 0 to 1.

    ``value`` is the area under the curve, or the share of the pairs that are confirmed, with its interval of 95 %.
    """
    for each in found.held_out:
        kept = {one.least: one.kept for one in each.yields}
        for measured in each.measured:
            where: tuple[Cell, ...] = (each.language, "yes" if measured.with_sharing else "no")
            for area in measured.areas:
                of = ", translated elsewhere" if area.elsewhere else ""
                for name, value in (("area", area.validity), ("former area", area.former)):
                    yield (*where, name + of, None, None, area.pairs, None, _rounded(value), *(None,) * 5)
            for band in measured.bands:
                yield (*where, *_band_cells(band), None)
            for point in measured.curve:
                yield (*where, *_point_cells(point), kept.get(point.least) if measured.with_sharing else None)
    for band in found.judged:
        yield (_PEOPLE, "yes", *_band_cells(band), None)


def _band_cells(band: Band) -> tuple[Cell, ...]:
    counted = band.pairs, band.confirmed, _rounded(band.share), _rounded(band.interval.low)
    return (
        "band",
        band.low,
        band.high,
        *counted,
        _rounded(band.interval.high),
        _rounded(band.mean),
        _rounded(band.precision),
    )


def _point_cells(point: PrecisionPoint) -> tuple[Cell, ...]:
    counted = point.pairs, point.confirmed, _rounded(point.share), _rounded(point.interval.low)
    return "at least", point.least, None, *counted, _rounded(point.interval.high), None, _rounded(point.precision)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


LANGUAGE_COLUMNS = ("language", "kept", "expected", "judged", "held", "low", "high", "pivots", "unseen")


def language_rows(found: Iterable[LanguagePrecision]) -> Iterator[tuple[Cell, ...]]:
    """One row a language; shares are 0 to 1."""
    for each in found:
        bounds = (each.interval.low, each.interval.high) if each.judged else (None, None)
        shares = (_rounded(each.held), *map(_rounded, bounds))
        yield (
            *(each.language, each.kept, _rounded(each.expected), each.judged, *shares),
            *(",".join(each.pivots), ", ".join(each.unseen) or None),
        )


def precision_lines(found: PrecisionStudy, *, plots: bool = True, ascii: bool = False) -> Iterator[str]:
    """For each language held out the areas, the bands and the curve, then what people said."""
    for each in found.held_out:
        if each.measured:
            yield from _held_out_lines(each, plots=plots, ascii=ascii)
            yield ""
    if any(each.measured for each in found.held_out):
        yield from _WHAT_PRECISION_IS
        yield ""
    if found.judged:
        yield "What people said, by the validity of the pairs as it is now"
        yield _BAND_HEADER
        yield from (_line(_range_of(band), band, _percent(band.mean), None) for band in found.judged if band.pairs)


_WHAT_PRECISION_IS = (
    "precision: the share over what pairs of one meaning would have,",
    "which may exceed 100 and compares better than it counts",
)
_BAND_HEADER = f"  {'':>11}  {'pairs':>8}  {'share %':>7}  {'95 %':^13}  {'mean validity %':>15}  {'precision %':>11}"
_CURVE_HEADER = f"  {'':>11}  {'pairs':>8}  {'share %':>7}  {'95 %':^13}  {'pass, all':>15}  {'precision %':>11}"


def _held_out_lines(each: HeldOutLanguage, *, plots: bool, ascii: bool) -> Iterator[str]:
    yield f"{each.language} held out: {each.pairs:,} pairs, the model fitted to {each.labelled:,}"
    yield f"  {'area under the curve':<43}  {'pairs':>8}  {'validity':>8}  {'former score':>12}"
    for measured in each.measured:
        for area in measured.areas:
            what = f"{_evidence(measured)}, {'translated elsewhere too' if area.elsewhere else 'all'}"
            yield f"  {what:<43}  {area.pairs:>8,}  {_area(area.validity):>8}  {_area(area.former):>12}"
    for measured in each.measured:
        yield ""
        yield f"  confirmed by {each.language}, {_evidence(measured)}"
        yield _BAND_HEADER
        yield from (_line(_range_of(band), band, _percent(band.mean), 1) for band in measured.bands if band.pairs)
    yield ""
    yield f"  precision against yield, {_evidence(each.measured[-1])}"
    yield _CURVE_HEADER
    kept = {one.least: f"{one.kept:,}" for one in each.yields}
    for point in each.measured[-1].curve:
        if point.pairs:
            yield _line(f">= {point.least:g}", point, kept.get(point.least, ""), 1)
    if plots:
        yield ""
        series = {
            _evidence(measured): [
                (float(point.pairs), point.precision) for point in measured.curve if point.precision is not None
            ]
            for measured in each.measured
        }
        yield from point_plot(series, (72, 14), Axis("pairs"), Axis("precision"), ascii=ascii)


def _evidence(measured: MeasuredProbability) -> str:
    return "with sharing" if measured.with_sharing else "without sharing"


def _range_of(band: Band) -> str:
    return f"{band.low:g} - {band.high:g}"


def _line(label: str, figures: Band | PrecisionPoint, middle: str, expected: int | None) -> str:
    interval = f"{100 * figures.interval.low:.1f} - {100 * figures.interval.high:.1f}"
    precision = "" if expected is None else _percent(figures.precision)
    share = _percent(figures.share)
    return f"  {label:>11}  {figures.pairs:>8,}  {share:>7}  {interval:^13}  {middle:>15}  {precision:>11}".rstrip()


def _area(area: float | None) -> str:
    return "-" if area is None else f"{area:.3f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
