"""Agreement of scores with people, and two systems side by side, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from corpusdb.base.cells import bar, cut_middle, cut_right, padded, table_lines, wrapped
from corpusdb.base.display import Best, cell_safe, counted
from corpusdb.base.estimates import Interval
from corpusdb.base.options import format_p_value
from corpusdb.base.segment_agreement import SEGMENT_STATISTICS
from corpusdb.scoring.pair_report import fits
from corpusdb.scoring.paper_report import best_of, signatures_together, significance_mark
from corpusdb.scoring.queries.agreement import (
    APART,
    NULL_HYPOTHESES,
    POOLED,
    WHOLE,
    AgreementFigure,
    AgreementReport,
    MetricComparison,
    Question,
    RowValue,
    bounds,
    rank_key,
    ranks_of,
)
from corpusdb.scoring.queries.agreement_figures import AgreementStatistic
from corpusdb.scoring.queries.comparison import DOCUMENT, ComparisonRequest, PairComparison, Section, SegmentExample
from corpusdb.scoring.queries.matched_ngrams import ClassAccuracy, NgramDifference, NgramDifferences
from corpusdb.scoring.queries.score_differences import Breakdown, Bucket, ClassSizes, OriginsComparison, ScoreDifference
from corpusdb.scoring.queries.scoring import NULL_HYPOTHESIS
from corpusdb.scoring.report import BOOTSTRAP_P, MARKS_TOLD, figures_of, test_name

Table: TypeAlias = tuple[list[str], list[tuple[RowValue, ...]]]

_BOOTSTRAP: Final = "paired bootstrap"


def figure_table(report: AgreementReport, room: int | None) -> tuple[Table, bool]:
    """For people, and whether it has intervals, as it has if there is ``room``: a row for each statistic and a column
    for each metric. What has none without them, ranks and intervals over documents stand in a row for each metric."""
    names = list(dict.fromkeys(each.scores.name for each in report.figures))
    if len(names) > 1 and not ranks_of(report) and not any(each.figure.document_interval for each in report.figures):
        for has_intervals in (True, False):
            columns, rows = _by_metric(report, names, has_intervals=has_intervals)
            if fits([columns, *rows], room):
                return (columns, rows), has_intervals
    return _one_below_the_other(report), True


def _by_metric(report: AgreementReport, names: Sequence[str], *, has_intervals: bool) -> Table:
    found: dict[tuple[str, str, str], dict[str, AgreementStatistic]] = {}
    for each in report.ordered():
        key = each.part, each.figure.level.removeprefix("segment "), _short(each.figure.statistic)
        found.setdefault(key, {})[each.scores.name] = each.figure
    has_parts = any(part != WHOLE for part, _, _ in found)
    rows: list[tuple[RowValue, ...]] = []
    for (part, *what), known in found.items():
        figures = [known.get(name) for name in names]
        cells = _marked(["" if each is None or each.value is None else f"{each.value:.3f}" for each in figures])
        if has_intervals:
            ranges = [f" {_range(each.interval)}" if each and each.interval else "" for each in figures]
            both = zip(cells, ranges, strict=True)
            cells = [(Best if isinstance(cell, Best) else str)(f"{cell}{told}") for cell, told in both]
        rows.append((*[part] * has_parts, *what, *cells, max(each.n for each in known.values())))
    return [*["part"] * has_parts, "level", "statistic", *names, "n"], rows


def format_best(report: AgreementReport) -> Iterator[str]:
    """Which metric agrees best by most statistics of systems, and of segments."""
    values: dict[tuple[str, str], dict[str, float]] = {}
    for each in report.figures:
        if each.part == WHOLE and each.figure.value is not None:
            key = each.figure.level, each.figure.statistic
            values.setdefault(key, {})[each.scores.name] = round(each.figure.value, 3)
    best: dict[str, list[str]] = {}
    for (level, _), known in values.items():
        first = [name for name, value in known.items() if value == max(known.values())]
        of_level = best.setdefault("systems" if level == "system" else "segments", [])
        of_level += [first[0] if len(first) == 1 else "none alone"] * (len(known) > 1)
    for what, names in best.items():
        told = ", ".join(f"{name} by {count}" for name, count in Counter(names).most_common())
        yield from [f"agrees best, of {len(names)} statistics of {what}: {told}"] * bool(names)


def _one_below_the_other(report: AgreementReport) -> Table:
    figures, ranks = [each for each in report.ordered() if each.figure.n], ranks_of(report)
    parts = ["part"] * any(each.part != WHOLE for each in report.figures)
    documents = ["over documents"] * any(each.figure.document_interval for each in report.figures)
    intervals = ["interval"] * _has_intervals(report)
    columns = [*parts, "level", "statistic", "metric", "value", *intervals, *documents, "n", *["rank"] * bool(ranks)]
    shown = [
        each.row()
        | {
            "level": each.figure.level.removeprefix("segment "),
            "statistic": _short(each.figure.statistic),
            "rank": ranks.get(rank_key(each)),
            "value": _number(each.figure.value),
            "interval": _range(each.figure.interval),
            "over documents": _range(each.figure.document_interval),
        }
        for each in figures
    ]
    return columns, [tuple(row.get(name) for name in columns) for row in shown]


def wide_table(report: AgreementReport, *, is_read: bool) -> Table:
    """A row for each metric, on each part, and a column for each statistic, as a paper has them.

    Where people read it (``is_read``) all have three decimals, and the best of a column on its part is marked.
    """
    figures = [each for each in report.ordered() if each.figure.n]
    values = {(each.part, each.scores.name, _column(each)): each.figure.value for each in figures}
    headed = {_column(each): _column(each, _IN_PAPERS if is_read else {}) for each in figures}
    columns = list(headed)
    has_parts = any(each.part != WHOLE for each in figures)
    rows: list[tuple[RowValue, ...]] = []
    for part in dict.fromkeys(each.part for each in figures):
        names = list(dict.fromkeys(each.scores.name for each in figures if each.part == part))
        cells: list[list[RowValue]] = [[values.get((part, name, column)) for name in names] for column in columns]
        if is_read:
            shown = [["" if each is None else f"{each:.3f}" for each in of_column] for of_column in cells]
            cells = [_marked(each) for each in shown]
        rows += [(*[part] * has_parts, name, *own) for name, *own in zip(names, *cells, strict=True)]
    return [*["part"] * has_parts, "metric", *headed.values()], rows


def _short(statistic: str) -> str:
    return statistic.replace("soft_pairwise_accuracy", "soft_pairwise")


_IN_PAPERS: Final = {"pairwise_accuracy": "PA", "soft_pairwise_accuracy": "SPA", "kendall": "tau"} | {
    name: name.capitalize() for name in ("pearson", "spearman")
}
"""What statistics are called where columns are to be narrow."""


def _column(each: AgreementFigure, names: Mapping[str, str] | None = None) -> str:
    statistic = each.figure.statistic
    return f"{each.figure.level.removeprefix('segment ')} {(names or {}).get(statistic, statistic)}"


def _marked(shown: Sequence[str]) -> list[RowValue]:
    are_best = best_of(shown, lower_is_better=False)
    return [Best(text) if is_best else text for text, is_best in zip(shown, are_best, strict=True)]


def comparison_table(report: AgreementReport) -> Table:
    """For people: each pair of variants by each statistic."""
    intervals = ["interval"] * any(each.resampled for each in report.comparisons)
    columns = ["level", "statistic", "metric", "against", "difference", *intervals, "n", "p better", "p worse", "test"]
    rows: list[tuple[RowValue, ...]] = []
    for each in report.comparisons:
        interval = [_range(each.resampled.interval if each.resampled else None)] * len(intervals)
        p_values = (_p(each.permuted.first_better), _p(each.permuted.second_better)) if each.permuted else ()
        tail = (*(p_values or ("-", "-")), each.test or "-")
        rows.append(
            (each.level, each.statistic, each.first, each.second, _number(each.difference), *interval, each.n, *tail)
        )
    return columns, rows


def long_table(report: AgreementReport) -> Table:
    """A row for each number, comparisons behind figures; the columns are those that some row has."""
    table = report.rows()
    has_parts = any(each.part != WHOLE for each in report.figures)
    columns = [name for name in figures_of(name for row in table for name in row) if has_parts or name != "part"]
    return columns, [tuple(row.get(name) for name in columns) for row in table]


def documents_of(report: AgreementReport, question: Question) -> list[dict[str, object]]:
    drawn, ranks = question.sampling, ranks_of(report)
    sampling = {"samples": drawn.samples, "seed": drawn.seed, "confidence": drawn.confidence}
    names = {each.scores.name: each.scores.metric for each in report.figures}
    return [
        *(
            _document(each) | ({"rank": ranks[key]} if (key := rank_key(each)) in ranks else {}) | sampling
            for each in report.ordered()
        ),
        *(_comparison_document(each, names) | sampling for each in report.comparisons),
    ]


def _document(each: AgreementFigure) -> dict[str, object]:
    figure = each.figure
    document: dict[str, object] = {
        "metric": each.scores.metric,
        "level": figure.level,
        "statistic": figure.statistic,
        "value": figure.value,
        **bounds(figure.interval),
        "n": figure.n,
        "name": each.scores.name,
        "part": each.part,
        "signature": each.signature,
    }
    if figure.document_interval is not None:
        document["over_documents"] = bounds(figure.document_interval)
    return document | each.asides()


def _comparison_document(compared: MetricComparison, metrics: Mapping[str, str]) -> dict[str, object]:
    tests = [(compared.test, compared.permuted), (_BOOTSTRAP, compared.resampled)]
    return {
        "metric": metrics[compared.first],
        "level": compared.level,
        "statistic": compared.statistic,
        "value": compared.difference,
        **bounds(compared.resampled.interval if compared.resampled else None),
        "n": compared.n,
        "name": compared.first,
        "against": compared.second,
        "tests": [
            {
                "test": name,
                "null_hypothesis": NULL_HYPOTHESES[name],
                "p_better": found.first_better,
                "p_worse": found.second_better,
            }
            for name, found in tests
            if name is not None and found is not None
        ],
        **({} if compared.reason is None else {"reason": compared.reason}),
    }


def remarks(
    report: AgreementReport, question: Question, *, is_table: bool = False, is_wide: bool = False
) -> Iterator[str]:
    """What is to be known of the figures: what has no value and why, how chance was tried out, the signatures.

    Tables for people do not show what the bootstrap says of pairs of metrics but for its intervals, and those with a
    row for each metric have none of these.
    """
    yield from _undefined(report)
    yield from _uneven(report)
    for sets in dict.fromkeys(each.sets for each in report.figures if each.sets):
        yield f"{POOLED}: over all pairs of systems of {sets} test sets; n: these pairs"
    if question.human_p:
        yield f"{APART}...: over the pairs of systems that people tell apart so (rank-sum test of segments); n: these"
    yield from dict.fromkeys(f"{x.first} against {x.second}: {x.reason}" for x in report.comparisons if x.reason)
    if question.without_outliers:
        yield f"outliers by 2.5 median absolute deviations: {', '.join(report.outliers) or 'none'}"
    if _has_intervals(report) and not is_wide:
        yield from _intervals(report, question)
    yield from _chance(report, question, has_bootstrap=not is_table)
    signed = [each.scores for each in report.figures if each.scores.signature is not None]
    yield from signatures_together({each.name: str(each.signature) for each in signed})
    of_segments = [each.scores for each in report.figures if each.figure.is_of_segments]
    others = {x.name: x.segment_signature for x in of_segments if x.segment_signature not in (None, x.signature)}
    yield from (f"segments: {line}" for line in signatures_together({name: str(each) for name, each in others.items()}))


def _undefined(report: AgreementReport) -> Iterator[str]:
    """A line for each reason: which statistics of which metrics have no value."""
    cases: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for each in report.ordered():
        figure = each.figure
        if figure.reason:
            names, statistics = cases.setdefault((each.part, figure.reason), ({}, {}))
            names[each.scores.name] = None
            statistics[figure.level if figure.n == 0 else f"{figure.statistic} ({figure.level})"] = None
    for (part, reason), (names, statistics) in cases.items():
        where = "" if part == WHOLE else f", {part}"
        yield f"no value: {', '.join(names)}{where}: {', '.join(statistics)}: {reason}"


def _uneven(report: AgreementReport) -> Iterator[str]:
    """That figures are of different systems, or outputs of them, by which some metrics may look better than others."""
    for level, what in (("system", "systems"), ("segment", "outputs")):
        names: dict[int, dict[str, None]] = {}
        for each in report.figures:
            if (each.part, each.figure.level) == (WHOLE, level) and each.figure.n:
                names.setdefault(each.figure.n, {})[each.scores.name] = None
        if len(names) > 1:
            told = "; ".join(f"{count:,} by {', '.join(those)}" for count, those in names.items())
            yield f"over different {what}, and not to be compared with each other: {told}"


def _has_intervals(report: AgreementReport) -> bool:
    return any(each.figure.interval for each in report.figures)


def _intervals(report: AgreementReport, question: Question) -> Iterator[str]:
    sampling = question.sampling
    drawn = f"{sampling.samples:,} samples, seed {sampling.seed}"
    yield f"intervals of {100 * sampling.confidence:g} % by bootstrap over the segments: {drawn}"
    if report.human_is_fixed:
        yield "the human scores of systems are as given, and the same in every sample"


def _chance(report: AgreementReport, question: Question, *, has_bootstrap: bool) -> Iterator[str]:
    wants_segments = "segment" in question.levels and not set(question.statistics).isdisjoint(SEGMENT_STATISTICS)
    if wants_segments and all(each.figure.level == "system" for each in report.figures):
        yield "there are no figures of segments: metrics or people scored whole systems only"
    tests = dict.fromkeys(x.test for x in report.comparisons if x.test and x.permuted)
    for test in (*tests, *([_BOOTSTRAP] if has_bootstrap and any(x.resampled for x in report.comparisons) else [])):
        if test is not None:
            yield f"{test}: the null hypothesis is that {NULL_HYPOTHESES[test]}"
    if ranks := ranks_of(report):
        told = "rank: metrics of one rank do not differ significantly (p < 0.05, not corrected for many pairs)"
        are_all = all(rank_key(each) in ranks for each in report.figures if each.figure.n)
        yield told if are_all else f"{told}; - where that is not tested"
    if tests:
        yield "p better, p worse: of such a difference by chance if both agree equally well; one-sided, for one pair"
        yield "where p better is small, the metric named first agrees better with people; where p worse is, the second"
        yield from _disagreeing(report)


def _disagreeing(report: AgreementReport) -> Iterator[str]:
    """How often one way to try out chance finds a difference and the other does not."""
    both = [(x.permuted, x.resampled.interval) for x in report.comparisons if x.permuted and x.resampled]
    count = sum(min(p.first_better, p.second_better) < 0.05 and drawn.low <= 0 <= drawn.high for p, drawn in both)
    if count:
        yield f"p is below 0.05, and the interval holds 0, in {count:,} of {counted(len(both), 'comparisons')}: unclear"


def _number(value: RowValue) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "-"


def _p(value: float) -> str:
    return format_p_value(value).removeprefix("= ")


def _range(interval: Interval | None) -> str:
    return "-" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"


# Two systems side by side, as text of at most 80 columns but for what may not be broken: signatures and names.


_WIDTH = 77
_LABEL = 10
"""Cells before a text."""
_NAME = 30
"""Cells of the name of a bucket."""
_NGRAM = 50
"""Cells of an n-gram."""
_BUCKETS_SHOWN = 12
"""Of more, such as documents, those with the largest differences are shown."""
_CHANGES_SHOWN = 10
_BAR = 20
"""Cells of the longest bar of a histogram."""
_ACCURACY = "prec.: of the output, against all references together; recall: of every reference by itself"


def comparison_lines(
    found: PairComparison, asked: ComparisonRequest, *, whole_names: bool = False, is_first: bool = True
) -> Iterator[str]:
    """What was asked for of two systems, section by section, and a blank line behind each.

    How scores were tried and signed is said of the first pair of several, where it is that of all.
    Names that take more room than there is in a terminal are cut in the middle, unless they are wanted whole.
    """
    yield from _text("A", found.a, indent=3)
    yield from _text("B", found.b, indent=3)
    yield ""
    for section in asked.sections:
        lines = list(_section(section, found, asked, whole_names=whole_names))
        if section == "scores" and is_first:
            lines += _legend(found, asked)
        yield from lines
        if lines and lines[-1]:
            yield ""


def _section(section: Section, found: PairComparison, asked: ComparisonRequest, *, whole_names: bool) -> Iterator[str]:
    match section:
        case "scores":
            yield from _scores(found)
        case "segments":
            yield from _segments(found)
        case "ngrams" if found.ngrams is not None:
            yield from _ngrams(found.ngrams)
        case "words":
            yield from _words(found)
        case "buckets":
            for each in found.buckets:
                yield from _breakdown(each, found.metric, asked, whole_names=whole_names)
        case "histograms":
            for histogram in found.histograms:
                yield from _histogram(histogram)
        case "origins" if found.origins is not None:
            yield from _origins(found.origins)


def _text(label: str, text: str, *, indent: int = _LABEL) -> Iterator[str]:
    for number, line in enumerate(wrapped(cell_safe(text), _WIDTH - indent)):
        yield f"{label if not number else '':{indent}}{line}".rstrip()


def _heading(text: str) -> Iterator[str]:
    yield from wrapped(cell_safe(text), _WIDTH)


def _scores(found: PairComparison) -> Iterator[str]:
    yield "Scores"
    for each in found.scores:
        if each.segments:
            yield from _score(each, found.segments)
    rows = [
        (f"{cell_safe(each.metric)}, {each.given}", f"{each.a:.4f}", f"{each.b:.4f}", f"{each.difference:+.4f}")
        for each in found.scores
        if not each.segments
    ]
    yield from table_lines(("of whole systems only", "A", "B", "A - B"), rows, left=1)


def _legend(found: PairComparison, asked: ComparisonRequest) -> Iterator[str]:
    for line in tried_by(asked):
        yield from (f"  {part}" for part in wrapped(line, _WIDTH - 2))
    for each in found.scores:
        yield f"  {cell_safe(each.metric)}: {cell_safe(each.signature)}"


def tried_by(asked: ComparisonRequest) -> Iterator[str]:
    """What intervals and p of the scores are, a line each."""
    sampling = asked.sampling
    yield f"[95 % by bootstrap: {sampling.samples:,} samples of the segments, seed {sampling.seed}]"
    null_hypothesis = NULL_HYPOTHESIS.replace("the two systems", "A and B")
    yield f"p: {test_name(asked.test, sampling)}; null hypothesis: {null_hypothesis}"
    yield f"{MARKS_TOLD}; not corrected for the number of comparisons"
    if asked.test == "bootstrap":
        yield BOOTSTRAP_P


def _score(found: ScoreDifference, segments: int) -> Iterator[str]:
    """``segments`` is how many there are; the metric may have scores of fewer."""
    less = ", less is better" if found.lower_is_better else ""
    some = f", {found.segments:,} of {segments:,} segments that both have" if found.segments < segments else ""
    yield f"  {cell_safe(found.metric)}{', ' if found.given else ''}{found.given}{less}{some}"
    yield f"    A      {found.a:9.4f}{_interval(found.interval_a)}"
    yield f"    B      {found.b:9.4f}{_interval(found.interval_b)}"
    p_value = found.p_value
    chance = "" if p_value is None else f"  p {format_p_value(p_value)}{significance_mark(p_value, found.interval)}"
    yield f"    A - B  {found.difference:+9.4f}{_interval(found.interval, '+')}{chance}".rstrip()


def _interval(interval: Interval | None, sign: str = "") -> str:
    return "" if interval is None else f"  [{interval.low:{sign}.4f}, {interval.high:{sign}.4f}]"


def _segments(found: PairComparison) -> Iterator[str]:
    tally = found.tally
    yield from _heading(f"Segments by {found.metric}")
    yield f"  {better_in(found)}"
    for letter, examples, better in (("A", found.better_a, tally.a), ("B", found.better_b, tally.b)):
        yield ""
        yield f"Where {letter} is better most, {len(examples):,} of {better:,}"
        for each in examples:
            yield from _example(each)


def better_in(found: PairComparison) -> str:
    """In how many segments each of the two is better."""
    tally = found.tally
    return f"A is better in {tally.a:,}, B in {tally.b:,}, they are equal in {tally.equal:,} of {found.segments:,}"


def _example(found: SegmentExample) -> Iterator[str]:
    yield f"  segment {found.segment}: A {found.a:.2f}, B {found.b:.2f}, A - B {found.difference:+.2f}"
    if found.source:
        yield from _text("    source", found.source, indent=_LABEL + 2)
    yield from _text("    A", found.output_a or "(empty)", indent=_LABEL + 2)
    yield from _text("    B", found.output_b or "(empty)", indent=_LABEL + 2)
    for number, reference in enumerate(found.references, 1):
        yield from _text(f"    ref {number}", reference, indent=_LABEL + 2)


def _ngrams(ngrams: NgramDifferences) -> Iterator[str]:
    yield f"Matched n-grams, up to {ngrams.order}"
    rows = [
        (f"{order}", f"{a:,}", f"{b:,}", f"{a - b:+,}")
        for order, (a, b) in enumerate(zip(ngrams.matched_a, ngrams.matched_b, strict=True), 1)
    ]
    yield from table_lines(("n", "A", "B", "A - B"), rows, left=0)
    for letter, differences in (("A", ngrams.for_a), ("B", ngrams.for_b)):
        yield ""
        yield f"What {letter} gets more often; ratio: (own + 1) / (A + B + 2) of the matches"
        rows = [(_shown(each), f"{each.a:,}", f"{each.b:,}", f"{each.ratio:.3f}") for each in differences]
        yield from table_lines(("", "A", "B", "ratio"), rows, left=1)


def _shown(found: NgramDifference) -> str:
    return cut_right(cell_safe(ngram_text(found)), _NGRAM)


def ngram_text(found: NgramDifference) -> str:
    """The units of an n-gram as one writes them."""
    return ("" if all(len(unit) == 1 for unit in found.units) else " ").join(found.units)


def _words(found: PairComparison) -> Iterator[str]:
    yield from _heading(f"Units by {words_by(found.words_by)}, in %")
    rows = [_accuracy(each) for each in found.words]
    columns = (
        "label" if found.words_by == "label" else "frequency",
        "wanted",
        "prec. A",
        "B",
        "recall A",
        "B",
        "F1 A",
        "B",
        "A - B",
    )
    yield from table_lines(columns, rows, left=1)
    yield from (f"  {line}" for line in wrapped(_ACCURACY, _WIDTH - 2))


def words_by(by: str) -> str:
    """Frequencies are those in something; other classes are what they are called."""
    return f"how often they occur in {by}" if by.startswith("the ") else by


def _accuracy(found: ClassAccuracy) -> tuple[str, ...]:
    a, b = found.a, found.b
    difference = None if a.f1 is None or b.f1 is None else a.f1 - b.f1
    figures = (a.precision, b.precision, a.recall, b.recall, a.f1, b.f1)
    return (found.name, f"{a.wanted:,}", *map(percent, figures), percent(difference, "+"))


def percent(value: float | None, sign: str = "") -> str:
    """A share, 0 to 1, in hundredths; - where there is none."""
    return "-" if value is None else f"{100 * value:{sign}.1f}"


def _breakdown(found: Breakdown, metric: str, asked: ComparisonRequest, *, whole_names: bool) -> Iterator[str]:
    yield from _heading(f"Segments by {found.by}, {metric}")
    least = asked.least_document if found.by == DOCUMENT else 1
    large = [each for each in found.buckets if each.segments >= least]
    buckets = _most_telling(large)
    rows = [
        (
            cell_safe(each.name) if whole_names else cut_middle(cell_safe(each.name), _NAME),
            f"{each.segments:,}",
            f"{each.a:.2f}",
            f"{each.b:.2f}",
            f"{each.difference:+.2f}",
            f"{each.tally.a:,}/{each.tally.equal:,}/{each.tally.b:,}",
        )
        for each in buckets
    ]
    if rows:
        yield from table_lines(("", "segments", "A", "B", "A - B", "better A/=/B"), rows, left=1)
    if len(buckets) < len(large):
        yield f"  those of {len(large):,} with the largest differences; --json has all"
    if small := len(found.buckets) - len(large):
        told = f"{small:,} of {len(found.buckets):,} have fewer than {least:,} segments"
        yield f"  {told}, and are left out: --min-segments"
    yield ""


def _histogram(found: ClassSizes) -> Iterator[str]:
    yield from _heading(f"Segments by {found.by}")
    most = max((*found.a, *found.b))
    rows = [
        (name, *(part for count in counts for part in (f"{count:,}", padded(_bar(count, most), _BAR))))
        for name, *counts in zip(found.names, found.a, found.b, strict=True)
        if any(counts)
    ]
    yield from table_lines(("", "A", "", "B", ""), rows, left=1)
    yield ""


def _bar(count: int, most: int) -> str:
    return bar(_BAR * count / most, ascii=True) if count else ""


def _most_telling(buckets: Sequence[Bucket]) -> Sequence[Bucket]:
    """All, or those with the largest differences on either side, from the best of A to that of B."""
    if len(buckets) <= _BUCKETS_SHOWN:
        return buckets
    ranked = sorted(buckets, key=lambda bucket: -bucket.difference)
    return [*ranked[: _BUCKETS_SHOWN // 2], *ranked[-_BUCKETS_SHOWN // 2 :]]


def _origins(found: OriginsComparison) -> Iterator[str]:
    yield from _heading(
        f"With the {found.people:,} references that people made, and with all, which are {found.generated:,} more, in"
        f" {found.segments:,} segments"
    )
    if found.left_out:
        yield f"  {found.left_out:,} segments have no reference that people made, and are left out"
    for name, each in (("people's", found.by_people), ("all", found.by_all)):
        metric, *lines = _score(each, each.segments)
        yield f"{metric}, with {name}"
        yield from lines
    yield f"  generated references alone move A - B by {found.shift:+.4f}{_interval(found.shift_interval, '+')}"
    yield f"  segments that change sides: {len(found.changed):,} of {found.segments:,}"
    yield f"  equal with people's references, and not with all: {found.decided:,}; the reverse: {found.levelled:,}"
    for one in found.changed[:_CHANGES_SHOWN]:
        yield f"    segment {one.segment}: A - B {one.by_people:+.2f} by people's, {one.by_all:+.2f} by all"
    if (more := len(found.changed) - _CHANGES_SHOWN) > 0:
        yield f"    and {more:,} more; --json has all"
