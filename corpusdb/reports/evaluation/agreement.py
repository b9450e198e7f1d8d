"""Agreement of scores with people as tables, with what they mean in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Final, TypeAlias

from corpusdb.bounds import p_value_told
from corpusdb.queries.agreement.agreement import WHOLE, AgreementFigure, AgreementReport, Question
from corpusdb.queries.agreement.comparison import NULL_HYPOTHESES, MetricComparison
from corpusdb.stats.intervals import Interval
from corpusdb.stats.metric_comparison import Superiority

__all__ = ["comparison_table", "documents_of", "figure_table", "long_table", "remarks"]

Cell: TypeAlias = str | int | float | None
Table: TypeAlias = tuple[list[str], list[tuple[Cell, ...]]]

_BOOTSTRAP: Final = "paired bootstrap"
_COLUMNS: Final = (
    *("part", "metric", "against", "level", "statistic", "value", "low", "high", "document_low", "document_high", "n"),
    *("epsilon", "test", "p_better", "p_worse", "p_better_bootstrap", "p_worse_bootstrap", "reason", "signature"),
)


def figure_table(report: AgreementReport) -> Table:
    """For people: a row for each statistic of each variant, those of one statistic below each other."""
    figures = [each for each in _in_order(report) if each.figure.n]
    has_parts = any(each.part != WHOLE for each in report.figures)
    has_documents = any(each.figure.document_interval for each in report.figures)
    columns = [*(["part"] if has_parts else []), "level", "statistic", "metric", "value", "interval"]
    columns += [*(["over documents"] if has_documents else []), "n"]
    shown = [
        dict(_of_figure(each))
        | {
            "value": _number(each.figure.value),
            "interval": _range(each.figure.interval),
            "over documents": _range(each.figure.document_interval),
        }
        for each in figures
    ]
    return columns, [tuple(row.get(name) for name in columns) for row in shown]


def comparison_table(report: AgreementReport) -> Table:
    """For people: each pair of variants by each statistic."""
    columns = ["level", "statistic", "metric", "against", "difference", "interval", "n", "p better", "p worse", "test"]
    rows: list[tuple[Cell, ...]] = []
    for each in report.comparisons:
        interval = _range(each.resampled.interval if each.resampled else None)
        p_values = (_p(each.permuted.first_better), _p(each.permuted.second_better)) if each.permuted else ()
        tail = (*(p_values or ("-", "-")), each.test or "-")
        rows.append(
            (each.level, each.statistic, each.first, each.second, _number(each.difference), interval, each.n, *tail)
        )
    return columns, rows


def long_table(report: AgreementReport) -> Table:
    """A row for each number, comparisons behind figures; the columns are those that some row has."""
    table = [
        *(dict(_of_figure(each)) for each in _in_order(report)),
        *(dict(_of_comparison(each)) for each in report.comparisons),
    ]
    had = {name for row in table for name in row}
    has_parts = any(each.part != WHOLE for each in report.figures)
    columns: list[str] = [name for name in _COLUMNS if name in had and (has_parts or name != "part")]
    return columns, [tuple(row.get(name) for name in columns) for row in table]


def documents_of(report: AgreementReport, question: Question) -> list[dict[str, object]]:
    """The same as JSON can hold it."""
    sampling = asdict(question.sampling)
    found: list[dict[str, object]] = []
    for each in _in_order(report):
        figure, scores = each.figure, each.scores
        document: dict[str, object] = {
            "metric": scores.metric,
            "level": figure.level,
            "statistic": figure.statistic,
            "value": figure.value,
            **_bounds(figure.interval),
            "n": figure.n,
            "name": scores.name,
            "part": each.part,
            "signature": _signature(each),
        }
        if figure.document_interval is not None:
            document["over_documents"] = _bounds(figure.document_interval)
        if figure.epsilon is not None:
            document["epsilon"] = figure.epsilon
        if figure.reason is not None:
            document["reason"] = figure.reason
        found.append(document | sampling)
    names = {each.scores.name: each.scores.metric for each in report.figures}
    for compared in report.comparisons:
        found.append(_comparison_document(compared, names) | sampling)
    return found


def _comparison_document(compared: MetricComparison, metrics: Mapping[str, str]) -> dict[str, object]:
    document: dict[str, object] = {
        "metric": metrics[compared.first],
        "level": compared.level,
        "statistic": compared.statistic,
        "value": compared.difference,
        **_bounds(compared.resampled.interval if compared.resampled else None),
        "n": compared.n,
        "name": compared.first,
        "against": compared.second,
    }
    tests = [(compared.test, compared.permuted), (_BOOTSTRAP, compared.resampled)]
    document["tests"] = [
        {
            "test": name,
            "null_hypothesis": NULL_HYPOTHESES[name],
            "p_better": found.first_better,
            "p_worse": found.second_better,
        }
        for name, found in tests
        if name is not None and found is not None
    ]
    if compared.reason is not None:
        document["reason"] = compared.reason
    return document


def remarks(report: AgreementReport, question: Question, *, is_table: bool = False) -> Iterator[str]:
    """What is to be known of the figures: what has no value and why, how chance was tried out, the signatures.

    Tables for people do not show what the bootstrap says of pairs of metrics but for its intervals.
    """
    yield from _undefined(report)
    yield from dict.fromkeys(f"{x.first} against {x.second}: {x.reason}" for x in report.comparisons if x.reason)
    if question.without_outliers:
        yield f"outliers by 2.5 median absolute deviations: {', '.join(report.outliers) or 'none'}"
    yield from _chance(report, question, has_bootstrap=not is_table)
    signatures = {each.scores.name: _signatures(each) for each in report.figures if each.scores.signature}
    yield from (f"{name}: {told}" for name, told in signatures.items())


def _undefined(report: AgreementReport) -> Iterator[str]:
    """A line for each reason: which statistics of which metrics have no value."""
    cases: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
    for each in _in_order(report):
        if each.figure.reason:
            names, statistics = cases.setdefault((each.part, each.figure.reason), ({}, {}))
            names[each.scores.name] = None
            statistics[
                each.figure.level if each.figure.n == 0 else f"{each.figure.statistic} ({each.figure.level})"
            ] = None
    for (part, reason), (names, statistics) in cases.items():
        where = "" if part == WHOLE else f", {part}"
        yield f"no value: {', '.join(names)}{where}: {', '.join(statistics)}: {reason}"


def _chance(report: AgreementReport, question: Question, *, has_bootstrap: bool) -> Iterator[str]:
    sampling = question.sampling
    drawn = f"{sampling.samples:,} samples, seed {sampling.seed}"
    yield f"intervals of {sampling.confidence:.0%} by bootstrap over the segments: {drawn}"
    if report.human_is_fixed and "segment" in question.levels:
        yield "there are no figures of segments: metrics or people scored whole systems only"
    if report.human_is_fixed:
        yield "the human scores are those of whole systems, and the same in every sample"
    tests = dict.fromkeys(x.test for x in report.comparisons if x.test and x.permuted)
    for test in (*tests, *([_BOOTSTRAP] if has_bootstrap and any(x.resampled for x in report.comparisons) else [])):
        if test is not None:
            yield f"{test}: the null hypothesis is that {NULL_HYPOTHESES[test]}"
    if tests:
        yield "p better: of the first being better than the second; p worse: of the second; for one pair, not for many"


def _in_order(report: AgreementReport) -> list[AgreementFigure]:
    """By part, then by statistic, then by variant: what is compared stands together."""
    parts = list(dict.fromkeys(each.part for each in report.figures))
    statistics = list(dict.fromkeys((each.figure.level, each.figure.statistic) for each in report.figures))
    return sorted(
        report.figures,
        key=lambda each: (parts.index(each.part), statistics.index((each.figure.level, each.figure.statistic))),
    )


def _of_figure(each: AgreementFigure) -> Iterator[tuple[str, Cell]]:
    figure = each.figure
    yield from (
        ("part", each.part),
        ("metric", each.scores.name),
        ("level", figure.level),
        ("statistic", figure.statistic),
    )
    yield from (("value", figure.value), *_bounds(figure.interval).items(), ("n", figure.n))
    if figure.document_interval is not None:
        low, high = _bounds(figure.document_interval).values()
        yield from (("document_low", low), ("document_high", high))
    for name in ("epsilon", "reason"):
        if getattr(figure, name) is not None:
            yield name, getattr(figure, name)
    yield "signature", _signature(each)


def _of_comparison(each: MetricComparison) -> Iterator[tuple[str, Cell]]:
    yield from (("metric", each.first), ("against", each.second), ("level", each.level), ("statistic", each.statistic))
    interval = each.resampled.interval if each.resampled else None
    yield from (("value", each.difference), *_bounds(interval).items(), ("n", each.n), ("test", each.test))
    for found, ending in ((each.permuted, ""), (each.resampled, "_bootstrap")):
        if isinstance(found, Superiority):
            yield from ((f"p_better{ending}", found.first_better), (f"p_worse{ending}", found.second_better))
    if each.reason:
        yield "reason", each.reason


def _signature(each: AgreementFigure) -> str | None:
    """That of the scores which the figure is of."""
    return each.scores.signature if each.figure.level == "system" else each.scores.segment_signature


def _signatures(each: AgreementFigure) -> str:
    scores = each.scores
    same = scores.segment_signature in (None, scores.signature)
    return f"{scores.signature}" + ("" if same else f"; segments: {scores.segment_signature}")


def _bounds(interval: Interval | None) -> dict[str, float | None]:
    return {"low": None, "high": None} if interval is None else {"low": interval.low, "high": interval.high}


def _number(value: Cell) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "-"


def _p(value: float) -> str:
    return p_value_told(value).removeprefix("= ")


def _range(interval: Interval | None) -> str:
    return "-" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"
