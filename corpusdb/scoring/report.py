"""Scores as text: tables of systems, parts and segments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from corpusdb.base.arrays import F64
from corpusdb.base.display import Best, cell_safe
from corpusdb.base.estimates import BootstrapComparison, Interval, SystemComparison
from corpusdb.base.options import format_p_value
from corpusdb.scoring.metric_settings import SENTENCE_SMOOTHING
from corpusdb.scoring.metrics import parse_bounds
from corpusdb.scoring.paper_report import best_of, signatures_together, significance_mark
from corpusdb.scoring.queries.scoring import NULL_HYPOTHESIS, Chance, MetricScores, Sampling, ScoreRow, Significance

if TYPE_CHECKING:
    from corpusdb.scoring.queries.agreement_figures import PartScore

# The figures of rows about scores, each described once: tables, TSV and JSON of all commands have them under these
# names, and the guide of columns tells what they are. On which scale scores are, says their metric.


Cell: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True)
class ScoreFigure:
    """What stands in the column of a name."""

    help: str
    """What it is, in words: behind its name in the guide of columns."""
    of: Callable[[ScoreRow], Cell] = lambda row: None
    """The figure of a row of `score`, None where it has none; other rows are made where they are asked for."""
    is_rounded: bool = False
    """Whether it is on the scale of scores, and rounded with them where so many decimals are asked for."""


FIGURES: Final[Mapping[str, ScoreFigure]] = {
    "a": ScoreFigure("the first of two systems"),
    "b": ScoreFigure("the second"),
    "part": ScoreFigure("of the test set: all, or a class of segments"),
    "segments": ScoreFigure("how many segments the part has, or both systems have scores for"),
    "segment": ScoreFigure("its number, from 1"),
    "test_set": ScoreFigure("its number, for --test-set"),
    "system": ScoreFigure("the system that produced the output", lambda row: row.system),
    "metric": ScoreFigure("with unit and order, as above", lambda row: row.scores.label),
    "against": ScoreFigure("the metric it is compared with, whose agreement is subtracted"),
    "level": ScoreFigure("whether the agreement is on systems or on segments"),
    "statistic": ScoreFigure("how agreement is measured: `corpusdb guide agreement`"),
    "references": ScoreFigure("a short name for the set; or imported, or human"),
    "kind": ScoreFigure("computed here; or imported: from another metric, or human"),
    "score": ScoreFigure("of the system or segment by the metric", lambda row: row.score, is_rounded=True),
    "score_a": ScoreFigure("of the first system, between low_a and high_a"),
    "low_a": ScoreFigure("the lower end of its 95 % interval"),
    "high_a": ScoreFigure("the upper end"),
    "score_b": ScoreFigure("of the second, between low_b and high_b"),
    "low_b": ScoreFigure("the lower end of its 95 % interval"),
    "high_b": ScoreFigure("the upper end"),
    "value": ScoreFigure("the agreement, mostly -1 to 1; with against, the difference"),
    "low": ScoreFigure(
        "the lower end of the 95 % interval; in `compare`, of the difference",
        lambda row: None if row.interval is None else row.interval.low,
        is_rounded=True,
    ),
    "high": ScoreFigure(
        "the upper end", lambda row: None if row.interval is None else row.interval.high, is_rounded=True
    ),
    "document_low": ScoreFigure("the lower end if whole documents are drawn"),
    "document_high": ScoreFigure("the upper end"),
    "n": ScoreFigure("how many systems, segments or pairs of them the agreement is over"),
    "difference": ScoreFigure(
        "from the baseline, or of a from b",
        lambda row: None if row.comparison is None else row.comparison.difference,
        is_rounded=True,
    ),
    "p": ScoreFigure(
        "the probability of such a difference, or a larger one, by chance",
        lambda row: None if row.comparison is None else row.comparison.p_value,
    ),
    "sd_segments": ScoreFigure(
        "the standard deviation over samples of segments",
        lambda row: None if row.spread is None else row.spread.segments**0.5,
        is_rounded=True,
    ),
    "sd_references": ScoreFigure(
        "the same over draws of references",
        lambda row: None if row.spread is None else row.spread.references**0.5,
        is_rounded=True,
    ),
    "epsilon": ScoreFigure("two scores that differ by this or less count as equal"),
    "test": ScoreFigure("the significance test that gave p"),
    "samples": ScoreFigure("the number of samples drawn"),
    "trials": ScoreFigure("the number of trials of approximate randomisation"),
    "seed": ScoreFigure("the seed of the random draws"),
    "p_better": ScoreFigure("the probability that the metric agrees so much better than against by chance"),
    "p_worse": ScoreFigure("the same for so much worse"),
    "p_better_bootstrap": ScoreFigure("p_better by the bootstrap"),
    "p_worse_bootstrap": ScoreFigure("p_worse by the bootstrap"),
    "stored": ScoreFigure("its number, for `verify` and `trace --score`", lambda row: row.stored),
    "frozen": ScoreFigure("whether the references were signed before any score was shown"),
    "reference_set": ScoreFigure("the digest of the references"),
    "precisions": ScoreFigure("the share of n-grams that matched, by order from 1"),
    "brevity_penalty": ScoreFigure("the factor by which BLEU is reduced if the output is short"),
    "length": ScoreFigure("of the output, in units"),
    "reference_length": ScoreFigure("of the references: of the closest; for NIST and TER, the mean"),
    "edits": ScoreFigure("that turn the output into a reference"),
    "reason": ScoreFigure("why there is no value"),
    "signature": ScoreFigure("how it was computed, as below", lambda row: row.scores.signature),
}
"""By the names of their columns, in the order in which these stand."""


def figures_of(names: Iterable[str]) -> list[str]:
    """The columns of these names in the order of the figures; what a metric alone knows stands before the signature."""
    places = {name: float(at) for at, name in enumerate(FIGURES)}
    return sorted(dict.fromkeys(names), key=lambda name: places.get(name, places["signature"] - 0.5))


# Scores of systems as tables, with how chance was tried out in plain words.


MARKS_TOLD = "** p < 0.01, * p < 0.05"
"""What the marks of significance say."""
BOOTSTRAP_P = (
    "p of the bootstrap, as in sacrebleu: the share of samples whose |difference| exceeds its mean over the samples by"
    " the |difference| observed; that counts one tail, about half of a two-sided p, so that there is no star where the"
    " interval of the difference holds 0. --significance randomisation is two-sided"
)
"""What is said of it wherever it stands."""
_TESTS: Final[Mapping[Significance, str]] = {
    "bootstrap": "paired bootstrap (--paired-bs of sacrebleu",
    "randomisation": "approximate randomisation (--paired-ar of sacrebleu",
}


def wide_table(
    rows: Sequence[ScoreRow], width: int | None = None, *, with_p: bool = True
) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each system and a column for each metric, as in a paper, with so many decimals.

    Without p of a comparison its mark alone stands behind the number, so that columns are numbers.
    Beside TER, which is edits per 100 words, mWER is on the same scale.
    """
    by_system: dict[str, list[Cell]] = {}
    for metric in _metrics(rows):
        own = [row for row in rows if row.scores is metric]
        scale = _Scale.of(own[0], rows, width)
        are_best = best_of([scale(row.score) for row in own], lower_is_better=metric.measure.metric.lower_is_better)
        for row, is_best in zip(own, are_best, strict=True):
            cell = _cell(row, scale, with_p=with_p)
            by_system.setdefault(row.system, [row.system]).append(Best(cell) if is_best else cell)
    columns = ["system", *(each.label + (" %" if _is_scaled(each, rows) else "") for each in _metrics(rows))]
    return columns, [tuple(cells) for cells in by_system.values()]


def long_table(
    rows: Sequence[ScoreRow], width: int | None = None, chance: Chance | None = None
) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each number, in full or with so many decimals; the columns are those that some row has.

    What was asked about ``chance`` is told with the numbers that came of it.
    """
    table = [_cells(row, width, chance) for row in rows]
    columns = figures_of(name for each in table for name in each)
    return columns, [tuple(each.get(name) for name in columns) for each in table]


_BESIDE: Final = ("score", "low", "high", "difference", "p", "sd_segments", "sd_references")
"""The figures that a metric may have in the one row of a system."""


def wide_rows(rows: Sequence[ScoreRow], width: int | None = None) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """The same as numbers: a column for each metric, called as it is, and BLEUw4_low where it has more than a score."""
    found = {
        (row.system, row.scores.label + f"_{name}" * (name != "score")): value
        for name in _BESIDE
        for row in rows
        if (value := _figure(row, name, width)) is not None
    }
    columns = [
        column
        for metric in _metrics(rows)
        for name in _BESIDE
        if any((row.system, column := metric.label + f"_{name}" * (name != "score")) in found for row in rows)
    ]
    systems = dict.fromkeys(row.system for row in rows)
    return ["system", *columns], [(system, *(found.get((system, name)) for name in columns)) for system in systems]


def wide_documents(rows: Sequence[ScoreRow], width: int | None = None) -> list[dict[str, object]]:
    """The same as JSON has it, with the signatures."""
    columns, table = wide_rows(rows, width)
    signatures = {each.label: each.signature for each in _metrics(rows)}
    return [dict(zip(columns, row, strict=True)) | {"signatures": signatures} for row in table]


_FAILURES_TOLD: Final = 5


def failures(rows: Sequence[ScoreRow], given: Sequence[str]) -> str | None:
    """Which scores are worse than those that were given as good enough, as parse_bounds reads them, and by how much,
    the worst first; None where none is."""
    metrics, failed, asked = _metrics(rows), [], 0
    for place, bound in parse_bounds([each.settings for each in metrics], given):
        own = [row for row in rows if row.scores is metrics[place]]
        is_above = metrics[place].measure.metric.lower_is_better
        gaps = [(row.score - bound if is_above else bound - row.score, row) for row in own]
        asked += len(own)
        for gap, row in sorted(gaps, key=lambda each: -each[0]):
            if gap > 0:
                digits = max(_decimals(row, None), -math.floor(math.log10(gap)))  # it never looks like 0
                told = f"{row.system}: {row.scores.label} {row.score:.{digits}f} is {gap:.{digits}f}"
                failed.append(f"{told} {'above' if is_above else 'below'} {bound:g}")
    if not failed:
        return None
    more = f"; and {len(failed) - _FAILURES_TOLD:,} more" if len(failed) > _FAILURES_TOLD else ""
    return f"{len(failed):,} of {asked:,} scores fail: {'; '.join(failed[:_FAILURES_TOLD])}{more}"


def segment_rows(
    rows: Sequence[ScoreRow], width: int | None = None, *, worst_first: bool = False
) -> Iterator[tuple[Cell, ...]]:
    """The score of every segment: segment, system, metric, score; in their order, or the worst by each metric first.

    Of those with the same BLEU the one stands first whose smoothed BLEU is worse.
    """
    by_metric = [[row for row in rows if row.scores is each] for each in _metrics(rows)]
    for own in by_metric if worst_first else [[row] for row in rows]:
        cells = [
            (segment, row.system, row.scores.label, value, smoothed)
            for row in own
            for segment, (value, smoothed) in enumerate(
                zip(row.segments.tolist(), row.smoothed_segments.tolist(), strict=True), 1
            )
        ]
        if worst_first:
            cells.sort(key=lambda cell: cell[-2:], reverse=own[0].scores.measure.metric.lower_is_better)
        yield from ((*cell[:-2], _rounded(cell[-2], width)) for cell in cells)


def numbers(rows: Sequence[ScoreRow], width: int | None, *, segments: bool) -> Iterator[tuple[str, list[str]]]:
    """The number of each row, or those of all its segments, rounded as in a table, behind the name of its system."""
    for row in rows:
        values = row.segments.tolist() if segments else [row.score]
        yield row.system, [f"{value:.{_decimals(row, width)}f}" for value in values]


def number_lines(rows: Sequence[ScoreRow], width: int | None = None, *, segments: bool = False) -> list[str]:
    """The numbers and nothing else, one a line; of several systems a line for each, or for each of its segments, with
    its name in front and tabs between."""
    found = list(numbers(rows, width, segments=segments))
    systems = list(dict.fromkeys(system for system, _ in found))
    if len(systems) == 1:
        return [number for _, of_row in found for number in of_row]
    by_metric = {each: [of_row for system, of_row in found if system == each] for each in systems}
    return ["\t".join((cell_safe(each), *line)) for each in systems for line in zip(*by_metric[each], strict=True)]


def detail_lines(rows: Sequence[ScoreRow]) -> Iterator[str]:
    for row in rows:
        if told := row.scores.measure.metric.format_details(row.details):
            yield f"{row.scores.label} of {row.system}: {told}"
    yield from sacrebleu_lines(rows)


def sacrebleu_lines(rows: Sequence[ScoreRow]) -> Iterator[str]:
    """The signature of each metric by which readers of papers know it, where sacrebleu has the same number."""
    for each in _metrics(rows):
        if (signature := each.sacrebleu_signature) is not None:
            yield f"{each.label} in sacrebleu: {signature}"


def zero_lines(rows: Sequence[ScoreRow], *, worst_first: bool = False) -> Iterator[str]:
    """That BLEU is not smoothed, where it is not: why many segments have nothing, and what tells them apart."""
    for each in _metrics(rows):
        if each.settings.is_plain_bleu:
            yield unsmoothed_line(
                each.label, each.segments, "--smoothing exp tells them apart", are_ordered=worst_first
            )


def unsmoothed_line(name: str, segments: F64, advice: str, *, are_ordered: bool) -> str:
    """The same for one measure: ``advice`` is what tells segments with 0 apart, where there are several.

    ``are_ordered``: whether the segments stand by their scores.
    """
    zeros = int((segments == 0).sum())
    why = f"{zeros:,} of {segments.size:,} segments have 0, as one order without a match is enough for that; {advice}"
    smoothed = f"by BLEU smoothed by {SENTENCE_SMOOTHING}"
    compared = f"equal ones go {smoothed}, as `compare` has it" if are_ordered else f"`compare` goes {smoothed}"
    return f"{name}: {f'{why}; ' if zeros > 1 else 'not smoothed; '}{compared}"


def scale_lines(rows: Sequence[ScoreRow]) -> Iterator[str]:
    """On which scale a column is that has another than by itself."""
    for each in _metrics(rows):
        if _is_scaled(each, rows):
            per = "words, as TER; per word" if each.settings.unit == "word" else "characters; per character"
            yield f"{each.label} %: edits per 100 {per} in TSV and JSON"


def signature_lines(rows: Sequence[ScoreRow]) -> list[str]:
    """The signatures of all metrics in one line or two."""
    return signatures_together({each.label: each.signature for each in _metrics(rows)})


def chance_lines(baseline: str, chance: Chance) -> Iterator[str]:
    """How chance was tried out, in plain words; ``baseline`` is the name of a system, or what else is compared."""
    drawn = f"{chance.sampling.samples:,} samples of segments, seed {chance.sampling.seed}"
    if chance.test:
        told = test_name(chance.test, chance.sampling)
        yield f"p against {baseline}: {told}; the null hypothesis is that {NULL_HYPOTHESIS}"
        yield f"{MARKS_TOLD}; not corrected for the number of comparisons"
        if chance.test == "bootstrap":
            yield BOOTSTRAP_P
    if chance.intervals:
        yield f"intervals of 95 % by bootstrap: {drawn}"
    if chance.reference_draws:
        yield f"deviations over {drawn}, and over {chance.reference_draws:,} draws of references"


def _metrics(rows: Sequence[ScoreRow]) -> list[MetricScores]:
    return list({id(row.scores): row.scores for row in rows}.values())


def _is_scaled(scores: MetricScores, rows: Sequence[ScoreRow]) -> bool:
    """Whether it is mWER, and TER stands beside it."""
    return scores.settings.metric == "mwer" and any(row.scores.settings.metric == "ter" for row in rows)


def _decimals(row: ScoreRow, width: int | None) -> int:
    return row.scores.measure.metric.decimals if width is None else width


def _rounded(value: float, width: int | None) -> float:
    return value if width is None else round(value, width)


def _figure(row: ScoreRow, name: str, width: int | None) -> Cell:
    figure = FIGURES[name]
    value = figure.of(row)
    return _rounded(value, width) if figure.is_rounded and isinstance(value, float) else value


def _cells(row: ScoreRow, width: int | None, chance: Chance | None) -> dict[str, Cell]:
    """What a row has of the figures, and the details of its metric among them."""
    found: dict[str, Cell] = {}
    for name in FIGURES:
        if (value := _figure(row, name, width)) is not None:
            found[name] = value
    if chance is not None and (row.interval or row.comparison or row.spread) is not None:
        found |= {} if row.comparison is None else {"test": chance.test}
        is_random = row.comparison is not None and chance.test == "randomisation"
        found |= {"trials": chance.sampling.trials} if is_random else {}
        if not is_random or (row.interval or row.spread) is not None:
            found |= {"samples": chance.sampling.samples}
        found |= {"seed": chance.sampling.seed}
    for name, detail in row.details.items():
        found[name] = "/".join(f"{each:.4f}" for each in detail) if isinstance(detail, list) else detail
    return found


@dataclass(frozen=True, slots=True)
class _Scale:
    factor: int
    decimals: int

    @classmethod
    def of(cls, row: ScoreRow, rows: Sequence[ScoreRow], width: int | None) -> _Scale:
        scaled = _is_scaled(row.scores, rows)
        return cls(100 if scaled else 1, 2 if scaled and width is None else _decimals(row, width))

    def __call__(self, value: float) -> str:
        return f"{self.factor * value:.{self.decimals}f}"


def _cell(row: ScoreRow, scale: _Scale, *, with_p: bool) -> str:
    """A number as in a paper: its interval or deviations behind it, and how it compares with the baseline."""
    text = scale(row.score)
    if row.interval is not None:
        text += f" [{scale(row.interval.low)}, {scale(row.interval.high)}]"
    if row.spread is not None:
        text += f" ± {scale(row.spread.segments**0.5)} ± {scale(row.spread.references**0.5)}"
    if row.comparison is not None:
        mark = significance_mark(row.comparison.p_value, interval_of(row.comparison))
        text += f" {_compared(row, row.comparison)}" if with_p else mark
    return text


def _compared(row: ScoreRow, comparison: SystemComparison) -> str:
    """How probable the difference from the baseline is by chance, and, where it is significant, which is better:
    (better, p = 0.012*), (p = 0.948)."""
    mark = significance_mark(comparison.p_value, interval_of(comparison))
    gain = -comparison.difference if row.scores.measure.metric.lower_is_better else comparison.difference
    direction = "better" if gain > 0 else "worse" if gain < 0 else "equal"
    return f"({f'{direction}, ' if mark else ''}p {p_told(comparison)})"


def p_told(comparison: SystemComparison) -> str:
    return f"{format_p_value(comparison.p_value)}{significance_mark(comparison.p_value, interval_of(comparison))}"


def p_lines(rows: Sequence[ScoreRow]) -> Iterator[str]:
    """The p of each comparison with the baseline, for tables that have the marks alone."""
    for metric in _metrics(rows):
        own = [row for row in rows if row.scores is metric]
        if known := [f"{row.system} {p_told(row.comparison)}" for row in own if row.comparison is not None]:
            yield f"p by {metric.label}: {', '.join(known)}"


def interval_of(comparison: SystemComparison) -> Interval | None:
    """That of the difference, where the test gives one."""
    return comparison.interval if isinstance(comparison, BootstrapComparison) else None


def test_name(test: Significance, sampling: Sampling) -> str:
    """The test in words, whose it is, and how often it was tried out."""
    count = f"{sampling.drawn(test):,} {'trials' if test == 'randomisation' else 'samples'}"
    return f"{_TESTS[test]}: {count}, seed {sampling.seed})"


# Scores of the parts of a test set as tables.


OfMetrics: TypeAlias = "Sequence[tuple[MetricScores, Sequence[Sequence[PartScore]]]]"
"""For each metric, of each system, the scores of the parts."""

_PARTS_BESIDE: Final = 12
"""So many parts stand beside each other; more stand below each other."""


def wide_part_table(found: OfMetrics, *, has_intervals: bool = False) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each system by each metric and a column for each part, with the marks of significance; where parts are
    many, such as documents, they are the rows.
    """
    names = (each.part.removeprefix("domain ").removeprefix("document ") for each in found[0][1][0])
    parts = [f"{name} ({each.segments:,})" for name, each in zip(names, found[0][1][0], strict=True)]
    cells: list[list[str]] = []
    for scores, of_metric in found:
        shown = [
            [_part_cell(scores, each, has_interval=has_intervals) for each in of_system] for of_system in of_metric
        ]
        metric = scores.measure.metric
        for part in range(len(parts)):
            rounded = [f"{of_system[part].score:.{metric.decimals}f}" for of_system in of_metric]
            for own, is_best in zip(shown, best_of(rounded, lower_is_better=metric.lower_is_better), strict=True):
                own[part] = Best(own[part]) if is_best else own[part]
        cells += shown
    heads = [(scores.label, system) for scores, _ in found for system in scores.systems]
    if len(parts) <= _PARTS_BESIDE:
        return ["metric", "system", *parts], [(*head, *own) for head, own in zip(heads, cells, strict=True)]
    columns = ["part", *(f"{label} {system}" for label, system in heads)]
    return columns, list(zip(parts, *cells, strict=True))


def _part_cell(scores: MetricScores, of_part: PartScore, *, has_interval: bool) -> str:
    decimals, interval, compared = scores.measure.metric.decimals, of_part.interval, of_part.comparison
    mark = "" if compared is None else significance_mark(compared.p_value, interval_of(compared))
    bounds = f" [{interval.low:.{decimals}f}, {interval.high:.{decimals}f}]" if has_interval else ""
    return f"{of_part.score:.{decimals}f}{mark}{bounds}"


def part_p_lines(found: OfMetrics) -> Iterator[str]:
    """The p of each comparison with the baseline on each part."""
    for scores, of_metric in found:
        for of_part in zip(*of_metric, strict=True):
            told = zip(scores.systems, (each.comparison for each in of_part), strict=True)
            if known := [f"{system} {p_told(compared)}" for system, compared in told if compared is not None]:
                yield f"p by {scores.label}, {of_part[0].part}: {', '.join(known)}"


def long_part_table(found: OfMetrics) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each number, with its interval and, where systems were compared, the difference and p."""
    rows: list[dict[str, Cell]] = []
    for scores, of_metric in found:
        for system, parts in zip(scores.systems, of_metric, strict=True):
            for each in parts:
                row: dict[str, Cell] = {"part": each.part, "segments": each.segments, "system": system}
                row |= {"metric": scores.label, "score": each.score, "signature": scores.signature}
                row |= {"low": each.interval.low, "high": each.interval.high}
                if (compared := each.comparison) is not None:
                    row |= {"difference": compared.difference, "p": compared.p_value}
                rows.append(row)
    columns = figures_of(name for row in rows for name in row)
    return columns, [tuple(row.get(name) for name in columns) for row in rows]
