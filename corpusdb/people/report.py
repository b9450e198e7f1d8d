"""The report on a judged sample as plain text: rates, Table 6 of the paper, agreement, disagreements, thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from corpusdb.base.display import Cell, cell_safe, counted
from corpusdb.base.estimates import Interval
from corpusdb.people.queries.samples import Sample
from corpusdb.people.queries.verdicts import (
    Disagreement,
    JudgeAgreement,
    JudgeReport,
    JudgingReport,
    Precision,
    Rate,
    Refused,
    RulePrecision,
)

_TABLE_6 = "Equivalence or entailment in meaning (Table 6 of Lepage and Denoual, 2005)"

_BY_ORDER = "Accepted, %, from this order on (all runs of so many characters were seen)"
_BY_SCORE = (
    "Accepted, %, from this ranking score on: that by which paraphrases are listed,",
    "the validity, where it was known when the sample was drawn. In steps of 0.05,",
    "and 0.99; a step that leaves out no more than the one before it is not shown",
)
_EQUIVALENT = "Equivalence alone, of the candidates with one verdict, %"


def render(report: JudgingReport) -> str:
    """The report in lines of at most 80 columns, but for the texts, which stand whole."""
    everybody = [*report.judges, *([report.pooled] if len(report.judges) > 1 else [])]
    if not report.judges:
        return "\n".join([*_drawn(report.sample), "", "Nobody has judged any of it yet."])
    lines = [*_drawn(report.sample), "", "Accepted of the candidates judged, %, with 95 % confidence intervals"]
    lines += _rates(everybody, lambda each: each.candidates)
    if report.pooled.undecided:
        lines.append(f"  {report.pooled.undecided:,} candidates are undecided: as many judges for them as against")
    if report.sample.controls:
        lines += ["", "Accepted of the controls judged", *_rates(everybody, lambda each: each.controls)]
    if report.sample.kind == "meaning":
        lines += ["", _TABLE_6, *_table_6(everybody)]
        lines += ["", _EQUIVALENT, *_rates(everybody, lambda each: each.equivalence)]
    if report.agreements:
        lines += ["", "Agreement: items that both judged, % judged alike, Cohen's kappa", *_kappas(report.agreements)]
        lines += ["", f"Disagreements: {len(report.disagreements):,}", *_disagreements(report.disagreements)]
    if report.by_order:
        lines += ["", _BY_ORDER, *_precisions(report.by_order, "order", ".0f")]
        lines += ["", *_BY_SCORE, *_precisions(report.by_score, "score", ".2f")]
    if report.by_rule:
        lines += ["", "Accepted of the rewritings that a rule had a part in, %", *_rules(report.by_rule)]
        lines += ["", f"Not accepted: {len(report.refused):,}", *_refused(report.refused)]
    return "\n".join(lines)


def _drawn(sample: Sample) -> list[str]:
    what = "sentences" if sample.kind == "grammaticality" else "pairs"
    drawn = f"{sample.items - sample.controls:,} of {sample.population:,} {what}"
    head = f"Sample {sample.name}: {sample.kind}, {sample.language}, seed {sample.seed}"
    if sample.drawn_from == "rewritings":
        return [head, f"{drawn} that rules made, and {counted(sample.controls, 'controls')}"]
    ends = ", also at its ends" if sample.marks else ""
    seen = [f"the corpus has every run of {sample.order} characters{ends}" if sample.order else "whatever their N"]
    if sample.order and sample.min_validity:
        seen = [f"{seen[0]},", "or of fewer, where other evidence is strong"]
    valid = f"; validity >= {sample.min_validity:g}" if sample.min_validity else ""
    return [head, f"{drawn} and {counted(sample.controls, 'controls')}:", *seen[:-1], f"{seen[-1]}{valid}"]


COLUMNS = ("of", "at_least", "judge", "judged", "accepted", "rate", "low", "high", "kappa")
"""Those of report_rows."""


def report_rows(report: JudgingReport) -> Iterator[tuple[Cell, ...]]:
    """The figures as rows: rates of each judge and of the majority, kappas of pairs, and rates by order, score or rule.

    low and high are Wilson's bounds at 95 %; those of a kappa are its own.
    """
    for each in (*report.judges, report.pooled):
        for what, rate in (
            ("candidates", each.candidates),
            ("equivalence", each.equivalence),
            ("controls", each.controls if report.sample.controls else None),
        ):
            if rate is not None:
                figures = rate.judged, rate.accepted, rate.rate, rate.wilson.low, rate.wilson.high
                yield what, None, _name(each), *figures, None
    for pair in report.agreements:
        kappa, bounds = pair.kappa, pair.kappa.interval
        low, high = (None, None) if bounds is None else (bounds.low, bounds.high)
        yield (
            "agreement",
            None,
            f"{pair.first}, {pair.second}",
            kappa.items,
            None,
            kappa.observed,
            low,
            high,
            kappa.value,
        )
    for what, precisions in (("order", report.by_order), ("score", report.by_score)):
        for one in precisions:
            threshold = "whole" if one.threshold is None else one.threshold
            figures = one.judged, round(one.rate * one.judged), one.rate, one.interval.low, one.interval.high
            yield what, threshold, "majority", *figures, None
    for rule in report.by_rule:
        figures = rule.judged, rule.accepted, rule.rate, rule.interval.low, rule.interval.high
        yield "rule", rule.rule, "majority", *figures, None


def _rates(reports: Iterable[JudgeReport], of: Callable[[JudgeReport], Rate | None]) -> Iterator[str]:
    intervals = f"{'Wilson':^13}  {'Clopper-Pearson':^15}"
    yield f"  {'judged':>6}  {'skipped':>7}  {'accepted':>8}  {'rate':>6}  {intervals}  judge"
    for report in reports:
        if (rate := of(report)) is None:
            continue
        shown = "-" if rate.rate is None else f"{100 * rate.rate:.1f}"
        skipped = f"{report.skipped:,}" if rate is report.candidates else ""
        yield (
            f"  {rate.judged:>6,}  {skipped:>7}  {rate.accepted:>8,}  {shown:>6}  {_percents(rate.wilson):^13}  "
            f"{_percents(rate.clopper_pearson):^15}  {_name(report)}"
        )


def _table_6(reports: Iterable[JudgeReport]) -> Iterator[str]:
    yield f"  {'Paraphrase':^23}  {'Not a paraphrase':>16}"
    yield f"  {'Equivalence':>11}  {'Entailment':>10}"
    for report in reports:
        equivalence, entailment, neither = (report.verdicts[each] for each in ("equivalence", "entailment", "neither"))
        yield f"  {equivalence:>11,}  {entailment:>10,}  {neither:>16,}  {_name(report)}"


def _kappas(agreements: Iterable[JudgeAgreement]) -> Iterator[str]:
    yield f"  {'items':>6}  {'alike':>5}  {'kappa':>6}  {'95 %':^15}  judges"
    for each in agreements:
        kappa = each.kappa
        alike = "-" if kappa.observed is None else f"{100 * kappa.observed:.1f}"
        value = "-" if kappa.value is None else f"{kappa.value:.3f}"
        bounds = "" if kappa.interval is None else f"{kappa.interval.low:.3f} - {kappa.interval.high:.3f}"
        yield f"  {kappa.items:>6,}  {alike:>5}  {value:>6}  {bounds:^15}  {each.first}, {each.second}"


def _disagreements(disagreements: Iterable[Disagreement]) -> Iterator[str]:
    for each in disagreements:
        yield _texts(each)
        for judge, verdict in each.verdicts.items():
            comment = f" ({cell_safe(each.comments[judge])})" if judge in each.comments else ""
            yield f"          {judge}: {verdict}{comment}"


def _precisions(precisions: Sequence[Precision], figure: str, form: str) -> Iterator[str]:
    yield f"  {figure + ' >=':>8}  {'judged':>6}  {'rate':>6}  Wilson, 95 %"
    for each in precisions:
        threshold = "whole" if each.threshold is None else f"{each.threshold:{form}}" if each.threshold else "all"
        yield f"  {threshold:>8}  {each.judged:>6,}  {100 * each.rate:>6.1f}  {_percents(each.interval)}"


def _rules(rules: Iterable[RulePrecision]) -> Iterator[str]:
    yield f"  {'judged':>6}  {'accepted':>8}  {'rate':>6}  {'Wilson, 95 %':<13}  rule"
    for each in rules:
        figures = f"{each.judged:>6,}  {each.accepted:>8,}  {100 * each.rate:>6.1f}"
        yield f"  {figures}  {_percents(each.interval):<13}  {cell_safe(each.rule)}"


def _refused(refused: Iterable[Refused]) -> Iterator[str]:
    for each in refused:
        yield _texts(each)
        yield f"          {cell_safe(', '.join(each.made))}"
        for judge, comment in each.comments.items():
            yield f"          {judge}: {cell_safe(comment)}"


def _texts(each: Disagreement | Refused) -> str:
    """An item by its number, with the seed that it is judged beside."""
    text = each.text if each.seed is None else f"{each.seed}  ->  {each.text}"
    return f"  {each.item:>6,}  {cell_safe(text)}"


def _percents(interval: Interval) -> str:
    return f"{100 * interval.low:.1f} - {100 * interval.high:.1f}"


def _name(report: JudgeReport) -> str:
    return "majority" if report.judge is None else report.judge
