"""A comparison of systems as one page of HTML: figures, pictures, and every segment in which they differ.

The page needs nothing else: no script, no picture, no address. Texts and names are strangers', and are escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from itertools import combinations, zip_longest
from typing import Final

from corpusdb.base.display import cell_safe
from corpusdb.base.estimates import Interval
from corpusdb.base.options import format_p_value
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.comparison_report import better_in, ngram_text, percent, tried_by, words_by
from corpusdb.scoring.measures import smoothed_for_segments
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.pair_report import CLUSTERS_TOLD, pair_table
from corpusdb.scoring.paper_report import significance_mark
from corpusdb.scoring.queries.comparison import ComparisonRequest, PairComparison, SegmentExample
from corpusdb.scoring.queries.matched_ngrams import ClassAccuracy, NgramDifferences, SegmentTexts, trace_texts
from corpusdb.scoring.queries.score_differences import (
    Breakdown,
    ClassSizes,
    OriginsComparison,
    ScoreDifference,
    by_segment,
)
from corpusdb.scoring.queries.scoring import MetricScores, SystemPairs
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.queries.segment_view import bleu_like, longest_matches, unit_places
from corpusdb.scoring.report import interval_of

_STYLE: Final = """
:root{color-scheme:light dark;--line:#8886;--a:#2a78c8;--b:#c8642a}
body{font:15px/1.45 system-ui,sans-serif;max-width:72em;margin:2em auto;padding:0 1em;overflow-wrap:anywhere}
h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em;border-bottom:1px solid var(--line)}h3{font-size:1em}
table{border-collapse:collapse;margin:.5em 0}th,td{padding:.15em .6em;text-align:right;vertical-align:top}
th{font-weight:600;border-bottom:1px solid var(--line)}th:first-child,td:first-child{text-align:left}
.t td{text-align:left}.t td:first-child{white-space:nowrap;color:GrayText}
.bar{display:inline-block;height:.75em;background:var(--a)}.bar.b{background:var(--b)}td.p{text-align:left;width:14em}
.s{border-top:1px solid var(--line);padding:.4em 0}.s p{margin:0}
i{font-style:normal;border-bottom:2px solid #2a8a4a55}i.m2{border-color:#2a8a4a99}i.m3{border-color:#2a8a4a}
i.m4{border-color:#2a8a4a;background:#2a8a4a33}
small{color:GrayText}
""".strip().replace("\n", "")
_MOST_BYTES: Final = 1_900_000
"""Of a page of many systems, by which its segments are chosen."""
_LEADING: Final = 5
"""Segments of a pair that have a link, for each of its systems."""
_BYTES_OF_A_PAIR: Final = 600
"""What the names and links of a pair take at most, about."""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_CLASSES: Final = 4
"""Stretches of so many units or more are marked alike, as the n-grams of BLEU end there."""


def comparison_page(
    found: Sequence[PairComparison], references: ScoringReferences, settings: MetricSettings, asked: ComparisonRequest
) -> Iterator[str]:
    """The page, piece by piece, of what ``compare`` found with all examples.

    What matches in a segment is marked by the n-grams of BLEU in the units of ``settings``, the first metric.
    """
    yield from _head(f"{found[0].a} and {', '.join(each.b for each in found)}", references)
    for each in found:
        yield f"<h2>A: {_safe(each.a)}<br>B: {_safe(each.b)}</h2>\n"
        yield from _figures(each, asked)
        yield from _segments(each, settings)
    yield "</html>\n"


def systems_page(
    found: Sequence[PairComparison],
    pairs: Sequence[SystemPairs],
    outputs: Sequence[Output],
    references: ScoringReferences,
    asked: ComparisonRequest,
) -> Iterator[str]:
    """The same of more than two systems: their clusters by each metric, where every difference leads to the two, what
    ``compare`` found of the first and each other one, and, once each, as many of the segments in which two differ most
    as a page of about 2 MB can hold.
    """
    couples = {(a, b): by_segment(pairs[0].scores, a, b) for a, b in combinations(range(len(outputs)), 2)}
    leading = {
        (*couple, first): each.leading(_LEADING, first=first)
        for couple, each in couples.items()
        for first in (True, False)
    }
    head = [*_head(f"{len(outputs)} systems", references), *_clusters(pairs, asked)]
    figures = {
        (a, b): "".join(_figures(found[b - 1], asked) if a == 0 else _differences(pairs, a, b)) for a, b in couples
    }
    ranked = dict.fromkeys(number for row in zip_longest(*leading.values()) for number in row if number is not None)
    taken = sum(len(each.encode()) + _BYTES_OF_A_PAIR for each in (*head, *figures.values()))
    shown: dict[int, str] = {}
    for number in ranked:
        text = _segment_of_all(number, outputs, references, pairs[0].scores)
        taken += len(text.encode())
        if taken > _MOST_BYTES:
            break
        shown[number] = text
    yield from head
    for (a, b), pair in couples.items():
        yield f"<h2 id=p{a}-{b}>A: {_safe(outputs[a].system)}<br>B: {_safe(outputs[b].system)}</h2>\n{figures[a, b]}"
        for letter, first in (("A", True), ("B", False)):
            numbers = [at for at in leading[a, b, first] if at in shown]
            links = ", ".join(f"<a href=#s{at + 1}>{at + 1}</a> ({pair.difference[at]:+.2f})" for at in numbers)
            yield f"<p>Segments where {letter} is better most: {links or '-'}</p>\n"
    yield f"<h2>Segments</h2>\n<p>{len(shown):,} of the {len(ranked):,} in which two systems differ most.</p>\n"
    yield from (shown[number] for number in sorted(shown))
    yield "</html>\n"


def _head(title: str, references: ScoringReferences) -> Iterator[str]:
    yield "<!doctype html>\n<html lang=en><meta charset=utf-8>"
    yield f'<meta http-equiv=Content-Security-Policy content="{_POLICY}">'
    yield '<meta name=viewport content="width=device-width,initial-scale=1">'
    yield f"<title>{_safe(title)}</title>\n<style>{_STYLE}</style>\n<h1>{_safe(title)}</h1>\n"
    yield f"<p>{_safe(str(references))}, digest {references.digest[:16]}. Differences are A - B.</p>\n"


def _clusters(pairs: Sequence[SystemPairs], asked: ComparisonRequest) -> Iterator[str]:
    columns, rows = pair_table(pairs)
    first = columns.index("wins") + 1
    of_metric = len(pairs[0].order)
    for at, each in enumerate(pairs):
        table = []
        for place, row in enumerate(rows[at * of_metric : (at + 1) * of_metric]):
            cells = [str(cell) for cell in row]
            couples = (sorted((each.order[place], other)) for other in each.order)
            links = [
                f"<a href=#p{a}-{b}>{_safe(cell)}</a>" if cell else ""
                for (a, b), cell in zip(couples, cells[first:], strict=True)
            ]
            table.append((*map(_safe, (cells[4], *cells[1:4], *cells[5:first])), *links))
        names = "system", *columns[1:4], *columns[5:]
        yield from _table(f"Systems by {each.scores.label}: row - column", names, table)
        yield f"<p><small>{_safe(f'{each.scores.label}: {each.scores.signature}')}</small></p>\n"
    yield from (f"<p><small>{_safe(line)}</small></p>\n" for line in (CLUSTERS_TOLD, *tried_by(asked)))


def _differences(pairs: Sequence[SystemPairs], a: int, b: int) -> Iterator[str]:
    """What the metrics say of two systems that were not compared in full."""
    rows = []
    for each in pairs:
        one, values = each.comparisons[a][b], each.scores.scores[[a, b]]
        numbers = (*(f"{value:.4f}" for value in values), f"{one.difference:+.4f}")
        rows.append((_safe(each.scores.label), *numbers, _chance(one.p_value, interval_of(one))))
    yield from _table("Scores", ("", "A", "B", "A - B", "p"), rows)


def _segment_of_all(number: int, outputs: Sequence[Output], references: ScoringReferences, scores: MetricScores) -> str:
    """A segment, from 0, with what all systems made of it, the best first."""
    found, label = references.sets[number], references.labels[number]
    values = smoothed_for_segments(scores.measure).of_segments.scores(scores.statistics[:, number]).tolist()
    texts = [*([("source", found.source)] if found.source else [])]
    texts += [(f"ref {at}", text) for at, text in enumerate(found.references, 1)]
    rows = [(name, "", _safe(text)) for name, text in texts]
    sign = 1 if scores.measure.metric.lower_is_better else -1
    for at in sorted(range(len(outputs)), key=lambda at: sign * values[at]):
        where = SegmentTexts(outputs[at].system, number + 1, outputs[at].texts[number], found.references, label)
        rows.append((_safe(where.system), f"{values[at]:.2f}", _marked(where, scores.settings)))
    table = "".join(f"<tr>{''.join(f'<td>{cell}' for cell in row)}" for row in rows)
    return f"<div class=s id=s{number + 1}><p>{number + 1}</p><table class=t>{table}</table></div>\n"


def _safe(text: str) -> str:
    return escape(cell_safe(text))


def _figures(found: PairComparison, asked: ComparisonRequest) -> Iterator[str]:
    yield from _scores(found.scores, asked)
    for histogram in found.histograms:
        yield from _histogram(histogram)
    for breakdown in found.buckets:
        yield from _breakdown(breakdown, found.metric)
    if found.ngrams is not None:
        yield from _ngrams(found.ngrams)
    if found.words:
        yield from _words(found.words, found.words_by)
    if found.origins is not None:
        yield from _origins(found.origins)


def _table(heading: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Cells are HTML already."""
    if not rows:
        return
    yield f"<h3>{_safe(heading)}</h3>\n<table><tr>{''.join(f'<th>{each}' for each in columns)}\n"
    yield from (
        "<tr>" + "".join(cell if cell.startswith("<td") else f"<td>{cell}" for cell in row) + "\n" for row in rows
    )
    yield "</table>\n"


def _scores(scores: Sequence[ScoreDifference], asked: ComparisonRequest) -> Iterator[str]:
    rows = [
        (
            _safe(f"{each.metric}{', ' if each.given else ''}{each.given}"),
            *(
                f"{value:.4f}{_interval(held)}"
                for value, held in ((each.a, each.interval_a), (each.b, each.interval_b))
            ),
            f"{each.difference:+.4f}{_interval(each.interval)}",
            "" if each.p_value is None else _chance(each.p_value, each.interval),
        )
        for each in scores
    ]
    yield from _table("Scores", ("", "A", "B", "A - B", "p"), rows)
    if rows:
        told = [*tried_by(asked), *(f"{each.metric}: {each.signature}" for each in scores)]
        yield from (f"<p><small>{_safe(line)}</small></p>\n" for line in told)


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f" <small>[{interval.low:.4f}, {interval.high:.4f}]</small>"


def _chance(p_value: float, interval: Interval | None) -> str:
    return _safe(f"{format_p_value(p_value)}{significance_mark(p_value, interval)}")


def _histogram(found: ClassSizes) -> Iterator[str]:
    most = max((*found.a, *found.b))
    rows = [
        (name, f"{a:,}", _bar(a / most), f"{b:,}", _bar(b / most, " b"))
        for name, a, b in zip(found.names, found.a, found.b, strict=True)
        if a or b
    ]
    yield from _table(f"Segments by {found.by}", ("", "A", "", "B", ""), rows)


def _bar(share: float, more: str = "") -> str:
    return f'<td class=p><span class="bar{more}" style="width:{100 * share:.0f}%"></span>'


def _breakdown(found: Breakdown, metric: str) -> Iterator[str]:
    rows = [
        (
            _safe(each.name),
            *(f"{each.segments:,}", f"{each.a:.2f}", f"{each.b:.2f}", f"{each.difference:+.2f}"),
            f"{each.tally.a:,}/{each.tally.equal:,}/{each.tally.b:,}",
        )
        for each in found.buckets
    ]
    yield from _table(f"Segments by {found.by}, {metric}", ("", "segments", "A", "B", "A - B", "better A/=/B"), rows)


def _ngrams(found: NgramDifferences) -> Iterator[str]:
    for letter, differences in (("A", found.for_a), ("B", found.for_b)):
        rows = [(_safe(ngram_text(each)), f"{each.a:,}", f"{each.b:,}", f"{each.ratio:.3f}") for each in differences]
        yield from _table(f"What {letter} gets more often, up to {found.order} units", ("", "A", "B", "ratio"), rows)


def _words(found: Sequence[ClassAccuracy], by: str) -> Iterator[str]:
    rows = [
        (_safe(each.name), f"{each.a.wanted:,}", *map(percent, (each.a.recall, each.b.recall, each.a.f1, each.b.f1)))
        for each in found
    ]
    columns = ("frequency", "wanted", "recall A", "B", "F1 A", "B")
    yield from _table(f"Units by {words_by(by)}, in %", columns, rows)


def _origins(found: OriginsComparison) -> Iterator[str]:
    rows = [
        (name, f"{each.a:.4f}", f"{each.b:.4f}", f"{each.difference:+.4f}{_interval(each.interval)}")
        for name, each in (("those of people", found.by_people), ("all", found.by_all))
    ]
    yield from _table("By the references of people and by all", ("", "A", "B", "A - B"), rows)


def _segments(found: PairComparison, settings: MetricSettings) -> Iterator[str]:
    """Every segment in which one is better, most first."""
    if not (found.better_a or found.better_b):
        return
    yield f"<h3>Segments by {_safe(found.metric)}</h3>\n<p>{better_in(found)}. "
    yield "<i class=m1>Marked</i> is what a reference has: "
    yield " ".join(f"<i class=m{length}>{length}{'+' * (length == _CLASSES)}</i>" for length in range(1, _CLASSES + 1))
    yield " units in a row.</p>\n"
    for letter, examples in (("A", found.better_a), ("B", found.better_b)):
        yield f"<details{' open' if letter == 'A' else ''}><summary>Where {letter} is better</summary>\n"
        for each in examples:
            yield from _segment(each, settings)
        yield "</details>\n"


def _segment(found: SegmentExample, settings: MetricSettings) -> Iterator[str]:
    yield f"<div class=s><p>{found.segment}: A {found.a:.2f}, B {found.b:.2f}, A - B {found.difference:+.2f}</p>"
    texts_of = partial(SegmentTexts, "", found.segment, references=found.references, labels=found.labels)
    source = [("source", _safe(found.source))] if found.source else []
    outputs = [
        (name, _marked(texts_of(text), settings)) for name, text in (("A", found.output_a), ("B", found.output_b))
    ]
    references = ((f"ref {number}", _safe(text)) for number, text in enumerate(found.references, 1))
    texts = [*source, *outputs, *references]
    yield f"<table class=t>{''.join(f'<tr><td>{name}<td>{text}' for name, text in texts)}</table></div>\n"


def _marked(where: SegmentTexts, settings: MetricSettings) -> str:
    """An output with what its references have marked; as it is where cutting it into units changed it."""
    output = where.hypothesis
    bleu = settings if settings.metric == "bleu" else bleu_like(settings, where.references)
    trace = trace_texts(where, bleu, "").trace
    places = unit_places(output, trace.hypothesis, lowercase=bleu.lowercase)
    if not places:
        return _safe(output) or "<small>(empty)</small>"
    pieces, at = [], 0
    for match in longest_matches(trace):
        start, stop = max(places[match.start][0], at), places[match.stop - 1][1]
        if start < stop:
            pieces.append(
                f"{_safe(output[at:start])}<i class=m{min(match.length, _CLASSES)}>{_safe(output[start:stop])}</i>"
            )
            at = stop
    return "".join(pieces) + _safe(output[at:])
