"""Stored scores as rows, curves over the number of references, verification, and guided generation, as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from string import ascii_letters
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.cells import Axis, bar_plot, cut_middle, cut_right, padded, point_plot
from corpusdb.base.display import Best, Cell, cell_safe
from corpusdb.base.estimates import SystemComparison
from corpusdb.base.options import format_share
from corpusdb.scoring.metric_settings import signature_fields
from corpusdb.scoring.metrics import metric_named
from corpusdb.scoring.paper_report import best_of, significance_mark
from corpusdb.scoring.queries.agreement_figures import AgreementStatistic
from corpusdb.scoring.queries.attributed import AttributedSet, expected_precision
from corpusdb.scoring.queries.frozen_sets import GuidedReferences, Reach, reach_by_order
from corpusdb.scoring.queries.reference_count import ReferenceWorth
from corpusdb.scoring.queries.score_table import SAMPLING, Column, ScoreTable, SegmentRow, SystemRow
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.queries.stored_people import JudgedColumn
from corpusdb.scoring.queries.verification import Verification
from corpusdb.scoring.reference_count import Estimate, ReferenceCountPoint
from corpusdb.scoring.report import MARKS_TOLD, interval_of, test_name

Marks: TypeAlias = Mapping[int, Mapping[int, SystemComparison]]
"""For the places of columns each compared output by its number; none of one in which nothing can be compared."""
NO_MARKS: Marks = MappingProxyType({})

LONG_COLUMNS = (
    *("test_set", "system", "metric", "references", "kind", "score", "difference", "p", "stored", "frozen"),
    *("reference_set", "signature"),
)


def number(value: float | None, column: Column) -> str:
    return "-" if value is None else f"{value:.{column.decimals}f}"


def mark_of(marks: Marks, column: int, row: SystemRow) -> str:
    """The stars of a cell; a question mark in a column where nothing could be compared."""
    if column not in marks or row.cells[column] is None:
        return ""
    if not marks[column]:
        return "?"
    compared = marks[column].get(row.output)
    return "" if compared is None else significance_mark(compared.p_value, interval_of(compared))


def format_marks(baseline: str, marks: Marks) -> str:
    not_compared = "" if all(marks.values()) else "; ? not compared"
    return f"{MARKS_TOLD}, against {baseline}: {test_name('randomisation', SAMPLING)}{not_compared}"


def system_table(table: ScoreTable, marks: Marks = NO_MARKS) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each system and a column for each metric and reference set, as in a paper."""
    cells: list[list[str]] = []
    for at, column in enumerate(table.columns):
        shown = ["" if (cell := row.cells[at]) is None else number(cell.value, column) for row in table.rows]
        are_best = best_of(shown, lower_is_better=column.lower_is_better)
        marked = [text and text + mark_of(marks, at, row) for text, row in zip(shown, table.rows, strict=True)]
        cells.append([Best(text) if is_best else text for text, is_best in zip(marked, are_best, strict=True)])
    rows: list[tuple[Cell, ...]] = [(row.name, *of_row) for row, *of_row in zip(table.rows, *cells, strict=True)]
    return ["system", *(column.name for column in table.columns)], rows


def long_rows(table: ScoreTable, marks: Marks = NO_MARKS) -> Iterator[tuple[Cell, ...]]:
    """A row for each number with all that is known of it: LONG_COLUMNS."""
    digests = {each.id: each.digest for each in table.test_set.reference_sets}
    for row in table.rows:
        for at, (cell, column) in enumerate(zip(row.cells, table.columns, strict=True)):
            if cell is None:
                continue
            compared = marks.get(at, {}).get(row.output)
            yield (
                table.test_set.number,
                row.name,
                column.label,
                column.references,
                column.kind,
                cell.value,
                None if compared is None else compared.difference,
                None if compared is None else compared.p_value,
                cell.number if column.kind == "computed" else None,
                column.is_frozen,
                None if column.reference_set is None else digests[column.reference_set],
                column.signature,
            )


def column_lines(table: ScoreTable) -> list[str]:
    return [f"{column.name}: {format_signature(column)}" for column in table.columns]


def table_notes(table: ScoreTable, baseline: str | None, marks: Marks) -> list[str]:
    """What the reader of a table has to know: of which columns less is better, and against what its marks are."""
    lower = dict.fromkeys(column.label for column in table.columns if column.lower_is_better)
    return [f"{', '.join(lower)}: less is better"] * bool(lower) + ([format_marks(baseline, marks)] if baseline else [])


def column_words(column: Column) -> str:
    """What the numbers of a column are, in words."""
    if column.kind == "human":
        return "scores that people gave; p in the column of a metric draws how far that agrees with them"
    if column.settings is None:
        return "scores that were imported from elsewhere"
    metric = metric_named(column.settings.metric)
    if column.lacks_words:
        instead = "score again with --unit char" if column.settings.tokenisation else "chrF needs no words"
        return f"{column.label} is meaningless: the references are in a script without spaces; {instead}"
    what, scale = metric.help.partition(": ")[0], "from 0" if metric.most is None else f"0 to {metric.most:g}"
    told = f"{column.label}: {what}; {scale}, {'less' if metric.lower_is_better else 'more'} is better"
    return told + _PUBLISHED if column.label == "BLEUc18" else told


_PUBLISHED = ". 18 characters are as long as 4 words; WMT and sacrebleu publish --order 4, which is higher"


def format_signature(column: Column) -> str:
    """The signature, whether its references were there before any score, and of which part of the segments it is."""
    own = "; scores of systems as they are given, not the means of their segments" if column.gives_systems else ""
    part = "" if column.part is None else f"of {column.part}; "
    return f"frozen before it was scored; {column.signature}" if column.is_frozen else f"{part}{column.signature}{own}"


def signature_signs(column: Column, cells: int) -> list[tuple[str, str]]:
    """The fields of its signature, cut to so many cells, each with what it says; none of scores from elsewhere."""
    fields = signature_fields(column.signature)
    return [(cut_right(f"{key}:{value}", cells), meaning) for key, value, meaning in fields]


def segment_columns(names: Sequence[str]) -> list[str]:
    if len(names) == 1:
        return ["segment", "score", "source", "output"]
    return ["segment", names[0], names[1], "difference", "source", f"output {names[0]}", f"output {names[1]}"]


def segment_table(
    rows: Sequence[SegmentRow], sources: Sequence[str], outputs: Sequence[Sequence[str]]
) -> Iterator[tuple[Cell, ...]]:
    """A row for each segment with its texts."""
    for row in rows:
        texts = (sources[row.segment - 1], *(output[row.segment - 1] for output in outputs))
        scores = (row.score,) if len(outputs) == 1 else (row.score, row.other, row.difference)
        yield (row.segment, *scores, *texts)


def segments_won(rows: Sequence[SegmentRow], column: Column) -> str:
    """In how many segments each of two systems is better, of those in which both have a score."""
    known = np.array([row.difference for row in rows if row.difference is not None])
    a, b = np.count_nonzero(known > 0), np.count_nonzero(known < 0)
    a, b = (b, a) if column.lower_is_better else (a, b)
    return f"A is better in {a:,}, B in {b:,}, they are equal in {known.size - a - b:,} of {known.size:,}"


# Curves over the number of references as plots of characters, with one point that is looked at.


_SCORE, _AGREEMENT = "BLEU", "Pearson"
_DECIMALS = {_SCORE: 2, _AGREEMENT: 4}


@dataclass(frozen=True, slots=True)
class ScoreCurve:
    name: str
    axis: str
    system: str | None
    """Whose score it is; None for agreement."""
    points: tuple[tuple[ReferenceCountPoint, Estimate], ...]
    """The values with each number of references."""

    def plot(self, current: int, size: tuple[int, int], *, ascii: bool = False) -> list[str]:
        """The curve with the current point marked, and the ends of the intervals."""
        places = [(point.references, estimate) for point, estimate in self.points]
        here, estimate = places[current]
        series = {
            _counted(here): [(here, estimate.mean)],
            "mean": [(right, each.mean) for right, each in places],
            "95 %": [(right, end) for right, each in places for end in (each.interval.low, each.interval.high)],
        }
        x, y = Axis("references of a segment at most", from_zero=False), Axis(self.axis, from_zero=False)
        return point_plot(series, size, x, y, ascii=ascii)

    def format_point(self, at: int) -> str:
        point, estimate = self.points[at]
        mean, low, high = (f"{value:.{_DECIMALS[self.axis]}f}" for value in _mean_and_bounds(estimate))
        where = f"{_counted(point.references)} at most (mean {point.mean_references:.2f})"
        return f"{where}: {self.axis} {mean}, 95 % {low} to {high}"


def curves_of(found: ReferenceWorth) -> list[ScoreCurve]:
    """The curve of each system, then those of the agreement with people, as far as it is defined at every number.

    They are those of all references of the set.
    """
    points = found.curves[-1].points
    curves = [
        ScoreCurve(cell_safe(system), _SCORE, system, tuple((point, point.scores[at]) for point in points))
        for at, system in enumerate(found.systems)
    ]
    for name, estimates in (
        ("agreement by segment", [each.segment_correlation for each in points]),
        ("agreement by system", [each.system_correlation for each in points]),
    ):
        known = [(point, each) for point, each in zip(points, estimates, strict=True) if each is not None]
        if len(known) == len(points):
            curves.append(ScoreCurve(name, _AGREEMENT, None, tuple(known)))
    return curves


WORTH_COLUMNS = (
    *("origins", "references", "mean", "measure", "value", "low", "high", "sd_segments", "sd_references"),
    "signature",
)


def worth_rows(found: ReferenceWorth) -> Iterator[tuple[Cell, ...]]:
    for curve in found.curves:
        of_sentences = curve.sentence_signatures or (None,) * len(curve.points)
        for point, signature, sentence_signature in zip(curve.points, curve.signatures, of_sentences, strict=True):
            where: tuple[Cell, ...] = ("+".join(curve.origins), point.references, round(point.mean_references, 2))
            for system, score, spread in zip(found.systems, point.scores, point.spreads, strict=True):
                deviations = spread.segments**0.5, spread.references**0.5
                yield (*where, f"BLEU {system}", *_rounded(*_mean_and_bounds(score), *deviations), signature)
            for name, estimate, own in (
                ("segments", point.segment_correlation, sentence_signature),
                ("systems", point.system_correlation, signature),
            ):
                if estimate is not None:
                    yield (*where, f"Pearson {name}", *_rounded(*_mean_and_bounds(estimate)), None, None, own)


def _mean_and_bounds(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.mean, estimate.interval.low, estimate.interval.high


def _rounded(*values: float) -> tuple[float, ...]:
    return tuple(round(value, 6) for value in values)


def copies_note(found: ReferenceWorth) -> str | None:
    """In words that what is repeated weighs more; None where nothing is."""
    if not found.copies:
        return None
    repeat = "reference repeats" if found.copies == 1 else "references repeat"
    return (
        f"{found.copies:,} {repeat} another of the segment and may be drawn beside it: a copy weighs as much as any"
        " other, and adds nothing; as jsonl or tsv a set has none"
    )


def _counted(references: int) -> str:
    return f"{references} reference{'' if references == 1 else 's'}"


_SEGMENTS_SHOWN = 5


def verification_lines(found: Verification) -> Iterator[str]:
    yield f"{found.id}  {found.system}  {found.stored:.4f}  {'ok' if found.ok else 'differs'}  {found.signature}"
    for difference in found.differences:
        yield f"    {difference}"
    for each in found.segments[:_SEGMENTS_SHOWN]:
        for sign, texts in (("+", each.gained), ("-", each.lost)):
            for text in texts:
                yield f"      {each.segment} {sign} {text}"
    if (more := len(found.segments) - _SEGMENTS_SHOWN) > 0:
        yield f"      and {more:,} more segments whose references differ"
    if not found.ok:
        now = "none: a segment has no reference" if found.current is None else f"{found.current:.4f}"
        yield f"    the score is now {now}"
    for note in found.notes:
        yield f"    {note}"


# What guided generation gave, as figures and a table.


REACH_COLUMNS: Final = ("n", "unmatched", "any %", "pass %", "kept %", "segments", "any %", "pass %", "kept %")
"""N-grams of one order that no reference has, and what share of them paraphrases have: any, those that pass the
filter, those that are kept; then the same of the segments that have such n-grams."""


def guided_figures(found: GuidedReferences, references: ScoringReferences | None) -> list[tuple[str, Cell]]:
    """The figures by name; ``references`` is the frozen set, None where nothing was kept."""
    validity = expected_precision(_chosen(found))
    expected = None if validity is None else format_share(validity)
    having = sum(bool(each.chosen) for each in found.segments)
    figures: list[tuple[str, Cell]] = [
        ("systems", len(found.outputs)),
        ("segments", len(found.segments)),
        ("references given", sum(len(each.references) for each in found.given.sets)),
        ("candidates that match something missed", found.candidates),
        ("references chosen", found.chosen),
        ("segments that have one of these", having),
        ("expected to hold", expected),
    ]
    if references is None or references.freezing is None:
        return [*figures, ("frozen", "no: a dry run")]
    frozen = references.freezing
    return [*figures, ("name", frozen.name), ("digest", references.digest), ("frozen", frozen.frozen)]


def reach_rows(found: GuidedReferences) -> Iterator[tuple[Cell, ...]]:
    """A row for each order, and one for all of them together."""
    for each in _reaches(found):
        yield (
            each.order,
            each.ngrams,
            *(_percent(part, each.ngrams) for part in (each.by_any, each.by_passing, each.by_chosen)),
            each.segments,
            *(
                _percent(part, each.segments)
                for part in (each.segments_by_any, each.segments_by_passing, each.segments_by_chosen)
            ),
        )


def guided_document(found: GuidedReferences, references: ScoringReferences | None) -> dict[str, object]:
    frozen: Mapping[str, object] = {}
    if references is not None and references.freezing is not None:
        frozen = {
            "name": references.freezing.name,
            "digest": references.digest,
            "frozen": references.freezing.frozen,
            "guided_by": [list(each) for each in references.freezing.guided_by],
        }
    return {
        "systems": [output.system for output in found.outputs],
        "segments": len(found.segments),
        "given": sum(len(each.references) for each in found.given.sets),
        "candidates": found.candidates,
        "chosen": found.chosen,
        "segments_with_chosen": sum(bool(each.chosen) for each in found.segments),
        "validity": expected_precision(_chosen(found)),
        "guidance": found.guidance.document(),
        "reach": [asdict(each) for each in _reaches(found)],
        **frozen,
    }


def _reaches(found: GuidedReferences) -> list[Reach]:
    return reach_by_order(found.segments, found.guidance.settings.order or 1)


def _chosen(found: GuidedReferences) -> Iterator[AttributedSet]:
    for each, segment in zip(found.given.sets, found.segments, strict=True):
        yield AttributedSet(each.source, segment.chosen)


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None


# Stored scores as pictures in cells: systems beside each other, segments by their scores, agreement with people.

_BARS = 20
"""At most, of a picture of segments."""
_NAME_CELLS = 20
_STEPS = (1.0, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class PictureLine:
    """A line, and what it is about."""

    text: str
    is_heading: bool = False
    output: int | None = None
    """Of the system that it shows, or of the segments that it counts."""
    bar: tuple[float, float] | None = None
    """The scores of these segments: from, and below."""


def system_lines(table: ScoreTable, column: int, width: int, *, ascii: bool = False) -> Iterator[PictureLine]:
    """Every system, the best first, with a dot on one scale from the lowest score; better is further to the right."""
    told = table.columns[column]
    rows = [(row, cell) for row in table.rows if (cell := row.cells[column]) is not None]
    rows.sort(key=lambda each: each[1].value, reverse=not told.lower_is_better)
    ends = [cell.value for _, cell in reversed(rows)]
    scale = f"{number(ends[0], told)} to {number(ends[-1], told)}"
    yield PictureLine(f"Systems by {cell_safe(told.name)}{_of_part(told)}, {scale}", True)
    cells = max((len(cell_safe(row.name)) for row, _ in rows), default=0)
    cells = min(cells, _NAME_CELLS)
    room = max(width - cells - 14, 10)
    dot, line = ("o", ".") if ascii else ("●", "·")
    for row, cell in rows:
        part = (cell.value - ends[0]) / (ends[-1] - ends[0]) if ends[0] != ends[-1] else 1.0
        place = round(part * (room - 1))
        name = padded(cut_middle(cell_safe(row.name), cells), cells)
        drawn = f"{line * place}{dot}{line * (room - 1 - place)}"
        yield PictureLine(f"  {name}  {number(cell.value, told):>8}  {drawn}", output=row.output)


def _of_part(column: Column) -> str:
    return "" if column.part is None else f" (of {column.part})"


def segment_lines(
    values: F64, output: int, what: str, width: int, *, are_differences: bool = False, ascii: bool = False
) -> Iterator[PictureLine]:
    """How many segments have about the same score, or difference; those without one are not counted.

    Of differences those of 0 have a bar of their own: neither of the two is better there.
    """
    known = values[~np.isnan(values)]
    if not known.size:  # two systems that nobody scored in the same segments
        yield PictureLine(f"{cell_safe(what)}: no segment has both scores", True)
        return
    count = f"{known.size:,}" if known.size == values.size else f"{known.size:,} of {values.size:,}"
    yield PictureLine(f"{cell_safe(what)}: {count} segments, median {np.median(known):.4g}", True)
    edges = bin_edges(known)
    ends = edges.tolist()
    counts = np.histogram(known[known != 0] if are_differences else known, edges)[0].tolist()
    labels = [f"{low:,.6g} to {high:,.6g}" for low, high in pairwise(ends)]
    bins = list(zip(labels, counts, pairwise([*ends[:-1], math.inf]), strict=True))
    if are_differences and (ties := int(np.count_nonzero(known == 0))):
        at, above = ends.index(0), math.nextafter(0, 1)
        worse = [(label, count, (low, min(high, 0.0))) for label, count, (low, high) in bins[:at]]
        better = [(label, count, (low or above, high)) for label, count, (low, high) in bins[at:]]
        bins = [*worse, ("equal", ties, (0.0, above)), *better]
    bars = bar_plot([(label, f"{count:,}", float(count)) for label, count, _ in bins], width, ascii=ascii)
    for text, (_, count, bar) in zip(bars, bins, strict=True):
        yield PictureLine(text if count else text[: text.rindex("0") + 1], output=output, bar=bar)


def bin_edges(values: F64) -> F64:
    """Round ends of at most 20 bars over all values, ascending; the last bar has its upper end, too."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.array([low, low + 1])
    power = 10.0 ** math.floor(math.log10((high - low) / _BARS))
    steps = (power * step for step in (*_STEPS, *(10 * step for step in _STEPS)))
    step = next(step for step in steps if math.ceil(high / step) - math.floor(low / step) <= _BARS)
    edges: F64 = np.round(np.arange(math.floor(low / step), math.ceil(high / step) + 1) * step, 10)
    return edges


def agreement_lines(
    table: ScoreTable, column: int, judged: Mapping[int, JudgedColumn], size: tuple[int, int], *, ascii: bool = False
) -> Iterator[PictureLine]:
    """How far a column agrees with each column of people, and the systems by both: a letter each, which the lines
    below name."""
    told = table.columns[column]
    outputs = {row.name: row.output for row in table.rows}
    for place, each in judged.items():
        human = table.columns[place]
        axes = Axis(cell_safe(human.label), from_zero=False), Axis(cell_safe(told.label), from_zero=False)
        named = f"{cell_safe(told.name)} agrees with people's {axes[0].label}"
        yield PictureLine(f"How far {named}: {len(each.points)} systems", True)
        yield from (PictureLine(f"  {line}") for line in agreement_in_words(each.figures))
        if each.points:
            yield PictureLine(f"  {_segments_of(table, told, human)}")
            names = sorted(each.points, key=lambda name: -each.points[name][0])
            letters = ascii_letters if len(names) <= len(ascii_letters) else "o" * len(names)
            series = {name: [each.points[name]] for name in names}
            yield from (
                PictureLine(f"  {line}") for line in point_plot(series, size, *axes, ascii=ascii, marks=letters)
            )
            yield PictureLine(f"     {'':{_NAME_CELLS}}  {axes[0].label:>9} {axes[1].label:>9}")
            for letter, name in zip(letters, names, strict=False):
                theirs, ours = each.points[name]
                shown = padded(cut_middle(cell_safe(name), _NAME_CELLS), _NAME_CELLS)
                figures = f"{number(theirs, human):>9} {number(ours, told):>9}"
                yield PictureLine(f"  {letter}  {shown}  {figures}", output=outputs[name])


def _segments_of(table: ScoreTable, column: Column, human: Column) -> str:
    """Of which segments the scores of a picture are, in words."""
    if human.part is not None:
        return f"of each only segments that people scored: {human.part}"
    return f"over {column.part or f'all {table.test_set.segments:,} segments'}"


_SCALES: Final = {
    "pearson": ("Pearson", 3, "1 on one line, 0 without any relation"),
    "kendall": ("Kendall", 3, "the same of the order alone"),
    "pairwise_accuracy": ("pairs in the same order", 0, "50 % is chance"),
}


def agreement_in_words(figures: Sequence[AgreementStatistic]) -> Iterator[str]:
    """Figures of systems with their intervals, and what their ends mean; or why there are none."""
    if reasons := {each.reason for each in figures if each.reason}:
        yield from reasons
        return
    if figures[0].n == 2:
        yield "two systems, whose correlation is 1 or -1 by any metric"
        return
    for each in figures:
        name, decimals, meaning = _SCALES[each.statistic]
        scale = 1 if decimals else 100
        ends = [] if each.interval is None else [each.interval.low, each.interval.high]
        value, *bounds = (f"{scale * end:.{decimals}f}" for end in (each.value or 0.0, *ends))
        interval = f" [{', '.join(bounds)}]" if bounds else ""
        yield f"{name} {value}{' %' * (not decimals)}{interval}: {meaning}"
    if any(each.interval for each in figures):
        yield "[95 % by bootstrap: 1,000 samples of the segments, of these systems]"
