"""A comparison of systems as one page of HTML: figures, pictures, and every segment in which they differ.

The page needs nothing else: no script, no picture, no address. Texts and names are strangers', and are escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from typing import Final

from corpusdb.base.display import cell_safe
from corpusdb.base.estimates import Interval
from corpusdb.base.options import format_p_value
from corpusdb.scoring.comparison_report import better_in, ngram_text, percent, tried_by, words_by
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.queries.comparison import Asked, PairComparison, SegmentExample
from corpusdb.scoring.queries.matched_ngrams import (
    ClassAccuracy,
    NgramDifferences,
    SegmentTexts,
    trace_texts,
)
from corpusdb.scoring.queries.score_differences import Breakdown, Histogram, OriginsComparison, ScoreDifference
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.queries.segment_view import bleu_like, longest_matches, unit_places
from corpusdb.scoring.report import significance_mark

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
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_CLASSES: Final = 4
"""Stretches of so many units or more are marked alike, as the n-grams of BLEU end there."""


def comparison_page(
    found: Sequence[PairComparison], references: ScoringReferences, settings: MetricSettings, asked: Asked
) -> Iterator[str]:
    """The page, piece by piece, of what ``compare`` found with all examples.

    What matches in a segment is marked by the n-grams of BLEU in the units of ``settings``, the first metric.
    """
    title = f"{found[0].a} and {', '.join(each.b for each in found)}"
    yield "<!doctype html>\n<html lang=en><meta charset=utf-8>"
    yield f'<meta http-equiv=Content-Security-Policy content="{_POLICY}">'
    yield '<meta name=viewport content="width=device-width,initial-scale=1">'
    yield f"<title>{_safe(title)}</title>\n<style>{_STYLE}</style>\n<h1>{_safe(title)}</h1>\n"
    yield f"<p>{_safe(str(references))}, digest {references.digest[:16]}. Differences are A - B.</p>\n"
    for each in found:
        yield f"<h2>A: {_safe(each.a)}<br>B: {_safe(each.b)}</h2>\n"
        yield from _figures(each, asked)
        yield from _segments(each, settings)
    yield "</html>\n"


def _safe(text: str) -> str:
    return escape(cell_safe(text))


def _figures(found: PairComparison, asked: Asked) -> Iterator[str]:
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


def _scores(scores: Sequence[ScoreDifference], asked: Asked) -> Iterator[str]:
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


def _histogram(found: Histogram) -> Iterator[str]:
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
    marked = partial(_marked, found, settings)
    source = [("source", _safe(found.source))] if found.source else []
    references = ((f"ref {number}", _safe(text)) for number, text in enumerate(found.references, 1))
    texts = [*source, ("A", marked(found.output_a)), ("B", marked(found.output_b)), *references]
    yield f"<table class=t>{''.join(f'<tr><td>{name}<td>{text}' for name, text in texts)}</table></div>\n"


def _marked(found: SegmentExample, settings: MetricSettings, output: str) -> str:
    """An output with what its references have marked; as it is where cutting it into units changed it."""
    bleu = settings if settings.metric == "bleu" else bleu_like(settings, found.references)
    where = SegmentTexts("", found.segment, output, found.references, found.labels)
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
