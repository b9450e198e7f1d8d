"""The tables of Owczarzak et al. (2006) for other data, each number with its interval and beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from corpusdb.base.estimates import Interval
from corpusdb.studies.bitext.study import (
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

TableCell: TypeAlias = str | int | float | None
BITEXT_COLUMNS: Final = (
    *("table", "system", "metric", "references", "level", "statistic", "n", "value", "low", "high"),
    *("document_low", "document_high", "difference", "difference_low", "difference_high"),
    *("difference_document_low", "difference_document_high", "reason"),
)
"""Those of bitext_rows."""


@dataclass(frozen=True, slots=True)
class StudyTable:
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[TableCell, ...]]


def bitext_tables(found: BitextStudy) -> Iterator[StudyTable]:
    """The sets, and tables 1 to 4; those that need human scores only where there are some."""
    rows: list[tuple[TableCell, ...]] = [
        ("paper (2,000 segments)", *PAPER_SETS, f"{PAPER_SETS[1] / PAPER_SETS[0]:.2f}", "")
    ]
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
    rows: list[tuple[TableCell, ...]] = []
    for system, scores in PAPER_SCORES.items():
        for metric, (single, multiple), factor in zip(("BLEU", "NIST"), scores, (100, 1), strict=True):
            rows.append((f"paper {system}", metric, "single", f"{single * factor:.2f}", "", "", "", ""))
            added = f"{(multiple - single) * factor:+.2f}"
            rows.append((f"paper {system}", metric, "multiple", f"{multiple * factor:.2f}", "", added, "", ""))
    rows += [(each.system, each.metric, each.references, *_cells(each.score, 2)) for each in found.scores]
    return StudyTable("Table 1. Scores of systems", ("system", "metric", "references", *_COMPARED), rows)


def _agreement(found: BitextStudy) -> StudyTable:
    rows: list[tuple[TableCell, ...]] = []
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
    rows: list[tuple[TableCell, ...]] = [
        (f"paper {system}", 100, f"{mean:.3f}", "", f"{variation:.1%}")
        for system, (mean, variation) in PAPER_PEOPLE.items()
    ]
    rows += [
        (
            system,
            mean.segments,
            f"{mean.mean:.3f}",
            "-" if mean.deviation is None else f"{mean.deviation:.3f}",
            "-" if mean.variation is None else f"{mean.variation:.1%}",
        )
        for system, mean in found.people.items()
    ]
    return StudyTable("Table 3. Human scores", ("system", "segments", "mean", "deviation", "variation"), rows)


def _own(found: BitextStudy) -> StudyTable:
    rows: list[tuple[TableCell, ...]] = [
        (each.system, each.metric, each.references, *_cells(each.correlation, 3)) for each in found.own
    ]
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


def _judged(paper: Mapping[str, tuple[float, float]], accuracies: Sequence[Accuracy]) -> list[tuple[TableCell, ...]]:
    rows: list[tuple[TableCell, ...]] = []
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
    for kind in dict.fromkeys(each.references for each in found.agreement if each.references != SINGLE):
        told = []
        levels = {each.level for each in found.agreement}
        level = "segment" if "segment" in levels else "system"
        for each in found.agreement:
            if (each.references, each.level, each.statistic) != (kind, level, "pearson"):
                continue
            told.append(f"{each.metric} {_verdict(each.correlation)}")
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


def _paper_rows(found: BitextStudy) -> Iterator[tuple[TableCell, ...]]:
    """What the paper prints for the tables that there are; the systems are called paper PH and paper LM."""
    for name, count in zip(("sets", "members"), PAPER_SETS, strict=True):
        yield ("sets", "paper", None, None, None, name, 2000, count, *[None] * 10)
    for system, scores in PAPER_SCORES.items():
        for metric, both, factor in zip(("BLEU", "NIST"), scores, (100, 1), strict=True):
            for references, value in zip(("single", "multiple"), both, strict=True):
                score = round(value * factor, 4)  # as it is printed
                yield ("1", f"paper {system}", metric, references, "system", "score", None, score, *[None] * 10)
    if found.agreement:
        for system, correlations in PAPER_CORRELATIONS.items():
            for metric, both in correlations.items():
                for references, value in zip(("single", "multiple"), both, strict=True):
                    named = ("2", f"paper {system}", metric, references)
                    yield (*named, "segment", "pearson", 100, value, *[None] * 10)
    if found.people:
        for system, (mean, variation) in PAPER_PEOPLE.items():
            for name, value in (("mean", mean), ("variation", variation)):
                yield ("3", f"paper {system}", None, None, None, name, 100, value, *[None] * 10)


def judged_rows(category: Sequence[Accuracy], meaning: Sequence[Accuracy]) -> Iterator[tuple[TableCell, ...]]:
    """Tables 5 and 6 of what was judged, as rows with the columns BITEXT_COLUMNS."""
    for table, paper, accuracies in (("5", PAPER_SYNTAX, category), ("6", PAPER_MEANING, meaning)):
        for name, shares in paper.items() if accuracies else ():
            for group, known in zip(("best", "all"), shares, strict=True):
                yield (table, f"paper, {name}", None, group, None, "accepted", 50, known, *[None] * 10)
        for each in accuracies:
            share = each.accepted / each.judged if each.judged else None
            bounds = (each.interval.low, each.interval.high) if each.judged else (None, None)
            yield (table, None, None, each.group, None, "accepted", each.judged, share, *bounds, *[None] * 8)


def bitext_rows(found: BitextStudy) -> Iterator[tuple[TableCell, ...]]:
    """One row for each number, those of the paper first; the columns are BITEXT_COLUMNS."""
    yield from _paper_rows(found)
    for each in found.sets:
        for name, value in (("sets", each.sets), ("members", each.members), ("substitutions", each.substitutions)):
            yield ("sets", None, None, each.recipe, None, name, None, value, *[None] * 10)
    for score in found.scores:
        yield ("1", score.system, score.metric, score.references, "system", "score", None, *_figures(score.score))
    for row in found.agreement:
        numbers = (row.n, *_figures(row.correlation))
        yield ("2", None, row.metric, row.references, row.level, row.statistic, *numbers)
    for system, mean in found.people.items():
        for name, part in (("mean", mean.mean), ("deviation", mean.deviation), ("variation", mean.variation)):
            yield ("3", system, None, None, None, name, mean.segments, part, *[None] * 10)
    for own in found.own:
        numbers = (None, *_figures(own.correlation))
        yield ("4", own.system, own.metric, own.references, "segment", "pearson", *numbers)


def _figures(compared: Compared) -> tuple[TableCell, ...]:
    return (
        compared.value,
        *interval_bounds(compared.interval),
        *interval_bounds(compared.over_documents),
        compared.difference,
        *interval_bounds(compared.difference_interval),
        *interval_bounds(compared.difference_over_documents),
        compared.reason,
    )


def interval_bounds(interval: Interval | None) -> tuple[TableCell, TableCell]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _cells(compared: Compared, decimals: int) -> tuple[TableCell, ...]:
    value = "-" if compared.value is None else f"{compared.value:.{decimals}f}"
    difference = "" if compared.difference is None else f"{compared.difference:+.{decimals}f}"
    return (
        value,
        format_interval(compared.interval, decimals, ""),
        difference,
        format_interval(compared.difference_interval, decimals, "+"),
        format_interval(compared.difference_over_documents, decimals, "+"),
    )


def format_interval(interval: Interval | None, decimals: int, sign: str) -> str:
    return "" if interval is None else f"[{interval.low:{sign}.{decimals}f}, {interval.high:{sign}.{decimals}f}]"
