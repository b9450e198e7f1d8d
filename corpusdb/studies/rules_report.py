"""The tables of Kanayama (2003) for other data, beside the paper's, and its figure as an image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from corpusdb.base.cells import Axis, point_plot
from corpusdb.base.estimates import Interval
from corpusdb.studies.figures import Row, StudyTable, decimal, format_interval, interval_bounds, new_figure
from corpusdb.studies.queries.rules import (
    ALL,
    METHODS,
    PAPER_CORRELATIONS,
    PAPER_COVERAGE,
    PAPER_HUMAN,
    PAPER_RULES,
    PAPER_SCORES,
    PAPER_WORDS,
    WORDS,
    MethodCorrelation,
    RuleStudy,
    StudiedEffect,
)

RULE_STUDY_COLUMNS: Final = (
    *("table", "part", "segments", "systems", "system", "rule", "human", "method", "statistic"),
    *("value", "low", "high", "difference", "difference_low", "difference_high", "reason"),
)
_NAMES: Final = tuple(method.name for method in METHODS)
_DRAWN: Final = ("B2", "B3", "B4")
_PLOT: Final = (64, 20)


def rule_study_tables(found: RuleStudy) -> Iterator[StudyTable]:
    """Table 2, Figure 1 as numbers, correlations, Table 3 and section 4.1."""
    yield _scores(found)
    yield _normalised(found)
    yield _correlations(found, "Correlation with people: all segments, and parts of them", "pearson")
    yield _correlations(found, "The same by Kendall's tau", "kendall")
    if found.effects:
        yield _effects(found)
    yield _coverage(found)


def _scores(found: RuleStudy) -> StudyTable:
    humans = list(found.systems[0].human)
    rows: list[Row] = [
        (f"paper {system}", *(f"{each:.3f}" for each in scores), "", f"{PAPER_HUMAN[system]:.2f}", *[""] * len(humans))
        for system, scores in PAPER_SCORES.items()
    ]
    words = f"{PAPER_WORDS[1]:.3f}"
    rows.append(("paper, Pearson", *(f"{each:.3f}" for each in PAPER_CORRELATIONS), words, "", *[""] * len(humans)))
    for each in found.systems:
        scores = (f"{each.scores[name]:.4f}" for name in _NAMES)
        rows.append((each.system, *scores, "", *(f"{each.human[name]:.3f}" for name in humans)))
    for statistic in ("pearson", "kendall"):
        for human in humans:
            values = [
                decimal(agreement.correlation.value, 3)
                for agreement in found.agreement
                if (agreement.part, agreement.systems, agreement.human) == (ALL, ALL, human)
                and agreement.correlation.statistic == statistic
            ]
            rows.append((f"{statistic} with {human}", *values, "", *[""] * len(humans)))
    return StudyTable("Table 2. BLEU of the systems, 0 to 1", ("system", *_NAMES, "M1", *humans), rows)


def _normalised(found: RuleStudy) -> StudyTable:
    names = (*_NAMES, next(iter(found.systems[0].human)))
    rows: list[Row] = []
    for each in found.systems:
        rows.append((each.system, *(decimal(each.normalised[name], 3) for name in names)))
    title = "Figure 1. The same, the worst system by people at 0 and the best at 1"
    return StudyTable(title, ("system", *names), rows)


def _correlations(found: RuleStudy, title: str, statistic: str) -> StudyTable:
    rows: list[Row] = [
        (each.part, each.segments, each.systems, each.human, each.method, *_compared(each.correlation, 4))
        for each in found.agreement
        if each.correlation.statistic == statistic
    ]
    columns = ("segments", "n", "systems", "human", "method", "value", "interval", "minus B1", "interval of it")
    return StudyTable(title, columns, rows)


def _effects(found: RuleStudy) -> StudyTable:
    """The rules by what they do to Pearson's correlation with the first human column, what helps most first."""
    rows: list[Row] = [
        (f"paper: {rule}", "", "", "pearson", f"{effect:+.3f}", "") for rule, effect in PAPER_RULES.items()
    ]
    for each in in_order(found.effects):
        difference = each.correlation.difference
        rows.append(
            (
                each.rule,
                each.segments,
                each.human,
                each.correlation.statistic,
                "-" if difference is None else f"{-difference or 0.0:+.4f}",
                format_interval(_turned(each.correlation.difference_interval), 4, "+"),
            )
        )
    title = "Table 3. What the correlation loses without the rule"
    return StudyTable(title, ("rule", "segments", "human", "statistic", "loss", "interval"), rows)


def in_order(effects: Sequence[StudiedEffect]) -> list[StudiedEffect]:
    """Those of one rule together, by Pearson with the first human column; rules that were never used are left out."""
    first = effects[0].human if effects else ""
    losses = {
        each.rule: -(each.correlation.difference or 0.0)
        for each in effects
        if each.human == first and each.correlation.statistic == "pearson"
    }
    used = [each for each in effects if each.segments]
    return sorted(used, key=lambda each: (-losses[each.rule], each.rule))


def _turned(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(-interval.high, -interval.low)


def _coverage(found: RuleStudy) -> StudyTable:
    paper: Row = (
        "paper, all",
        PAPER_COVERAGE[1],
        f"{PAPER_COVERAGE[0]} ({PAPER_COVERAGE[0] / PAPER_COVERAGE[1]:.1%})",
        *[""] * 6,
    )
    rows: list[Row] = [paper]
    for each in found.coverage:
        share = each.rewritten_with_predicate / max(1, each.with_predicate)
        rows.append(
            (
                each.rules,
                each.references,
                f"{each.rewritten} ({each.rewritten / each.references:.1%})",
                each.with_predicate,
                f"{each.rewritten_with_predicate} ({share:.1%})",
                f"{each.drawn_rewritten} of {each.drawn}",
                f"{each.mean:.2f}",
                each.most,
                each.capped,
            )
        )
    columns = ("rules", "references", "rewritten", "with predicate", "of these", "drawn", "mean", "most", "at the cap")
    return StudyTable("References that rules rewrite (section 4.1)", columns, rows)


def rule_study_figure(found: RuleStudy, *, ascii: bool = False) -> list[str]:
    """Figure 1 as a plot of characters: each method's line over that of people."""
    if any(value is None for each in found.systems for value in each.normalised.values()):
        return ["  none: the worst and the best system have the same score"]
    human = next(iter(found.systems[0].human))
    series = {
        name: [(each.normalised[human] or 0.0, each.normalised[name] or 0.0) for each in found.systems]
        for name in _DRAWN
    }
    return point_plot(series, _PLOT, Axis(f"people ({human})"), Axis("BLEU"), ascii=ascii)


def rule_study_remarks(found: RuleStudy) -> Iterator[str]:
    """What is to be known of the figures."""
    sampling = found.sampling
    drawn = f"{sampling.samples:,} samples, seed {sampling.seed}"
    yield f"intervals of {sampling.confidence:.0%} by bootstrap over {found.segments:,} segments: {drawn}"
    yield "human scores of systems are taken as they are; few systems make Kendall's tau coarse"
    kinds = ", ".join(f"{count} {kind}" for kind, count in found.rules.items())
    yield f"rules: {kinds}, digest {found.digest}; at most {found.cap} rewritings of a reference"
    for each in found.coverage:
        reasons = {"reading": "read otherwise than meant", "mixed": "of mixed style", "cap": "over the cap"}
        left = ", ".join(f"{count:,} {reasons.get(reason, reason)}" for reason, count in each.dropped.items())
        if left:
            yield f"{each.rules} rules: rewritings left out: {left}"
    for name, reason in found.off.items():
        yield f"off: {name}{': ' if reason else ''}{reason}"
    styles = ", ".join(f"{count:,} {style}" for style, count in sorted(found.styles.items()))
    yield f"references by style: {styles} (none: without a predicate)"
    yield f"{WORDS}: {found.respellings:,} words were respelt (paper: {PAPER_WORDS[0]:,} rules)"
    if found.effects:
        yield "a rule left out: references in whose making it had a part are lost; those left out by the cap stay out"
    yield from (f"{each.name}: {each.explanation}" for each in METHODS)
    yield f"analyser: {found.analyser}; references: {found.references[:12]}"
    for row in found.agreement:
        if (row.part, row.systems, row.correlation.statistic) == (ALL, ALL, "pearson") and row.method != "B1":
            yield f"{row.method} against B1, Pearson with {row.human}: {_verdict(row.correlation)}"


def _verdict(correlation: MethodCorrelation) -> str:
    interval = correlation.difference_interval
    if interval is None or correlation.difference is None:
        return "not compared"
    if interval.low > 0:
        return "higher"
    return "lower" if interval.high < 0 else "no difference beyond the interval"


def _paper_rows(found: RuleStudy) -> Iterator[Row]:
    """What the paper prints, for the tables that there are; its systems and rules have "paper" before their names."""
    for system, scores in PAPER_SCORES.items():
        where = ("2", ALL, None, None, f"paper {system}", None)
        for name, score in zip(("B1", "B2", "B3", "B4"), scores, strict=True):
            yield (*where, None, name, "bleu", score)
        yield (*where, "grade", None, "human", PAPER_HUMAN[system])
    methods = {**dict(zip(("B1", "B2", "B3", "B4"), PAPER_CORRELATIONS, strict=True)), WORDS: PAPER_WORDS[1]}
    for name, value in methods.items():
        yield ("2", ALL, None, ALL, "paper", None, "grade", name, "pearson", value)
    for rule, effect in PAPER_RULES.items() if found.effects else ():
        lost = ("3", ALL, None, ALL, None, f"paper: {rule}", "grade", "B4 without", "pearson", None, None, None)
        yield (*lost, -effect)
    for name, count in zip(("rewritten", "references"), PAPER_COVERAGE, strict=True):
        yield ("4.1", ALL, None, None, None, "paper, all", None, None, name, count)


def rule_study_rows(found: RuleStudy) -> Iterator[Row]:
    """One row for each number, those of the paper first; the columns are RULE_STUDY_COLUMNS."""
    for row in (*_paper_rows(found), *_own_rows(found)):
        yield (*row, *[None] * (len(RULE_STUDY_COLUMNS) - len(row)))


def _own_rows(found: RuleStudy) -> Iterator[Row]:
    for system in found.systems:
        for name, score in system.scores.items():
            yield ("2", ALL, found.segments, None, system.system, None, None, name, "bleu", score)
        for name, grade in system.human.items():
            yield ("2", ALL, found.segments, None, system.system, None, name, None, "human", grade)
        for name, place in system.normalised.items():
            yield ("figure 1", ALL, found.segments, None, system.system, None, None, name, "place", place)
    for each in found.agreement:
        where = ("2", each.part, each.segments, each.systems, None, None, each.human, each.method)
        yield (*where, *_figures(each.correlation))
    for effect in found.effects:
        lost = ("3", ALL, effect.segments, ALL, None, effect.rule, effect.human, "B4 without")
        yield (*lost, *_figures(effect.correlation))
    for coverage in found.coverage:
        counts = {
            "rewritten": coverage.rewritten,
            "with predicate": coverage.with_predicate,
            "rewritten with predicate": coverage.rewritten_with_predicate,
            "drawn": coverage.drawn,
            "drawn rewritten": coverage.drawn_rewritten,
            "references of a segment": coverage.mean,
            "at the cap": coverage.capped,
        }
        for name, value in counts.items():
            yield ("4.1", ALL, found.segments, None, None, coverage.rules, None, None, name, value)


def _figures(found: MethodCorrelation) -> Row:
    return (
        *(found.statistic, found.value, *interval_bounds(found.interval)),
        *(found.difference, *interval_bounds(found.difference_interval), found.reason),
    )


def _compared(found: MethodCorrelation, decimals: int) -> Row:
    difference = "" if found.difference is None else f"{found.difference:+.{decimals}f}"
    return (
        decimal(found.value, decimals),
        format_interval(found.interval, decimals),
        difference,
        format_interval(found.difference_interval, decimals, "+"),
    )


# Figure 1 of the study of Japanese rules as an image file.


_MARKS: Final = "os^D"


def _figure_1(found: RuleStudy) -> Any:
    """A line for each method and one for people, the systems across from the worst to the best."""
    figure = new_figure(max(5.0, 0.5 * len(found.systems)), 4.5)
    axes = figure.subplots()
    names = (*_DRAWN, next(iter(found.systems[0].human)))
    lines = {name: [each.normalised[name] for each in found.systems] for name in names}
    for mark, (name, values) in zip(_MARKS, lines.items(), strict=False):
        # NaN leaves a gap where there is no value.
        line = [float("nan") if value is None else value for value in reversed(values)]
        axes.plot(range(len(line)), line, marker=mark, markersize=4, linewidth=1, label=name)
    axes.set_xticks(range(len(found.systems)), [each.system for each in reversed(found.systems)], rotation=90)
    axes.set(ylabel="worst system 0, best 1")
    axes.legend()
    return figure


RULE_FIGURES: Final = {"figure-1": _figure_1}
