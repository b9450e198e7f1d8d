"""Texts with what matches in bold and underlined, and the match under the cursor reversed too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpusdb.cells import cut_right
from corpusdb.display import cell_safe
from corpusdb.queries.scoretable.matches import Match, places_in, unit_places
from corpusdb.queries.scoretable.segment_view import SegmentView, TracedOutput
from corpusdb.reports.evaluation.score_trace import figure_lines, joined_units
from tui.meanings import MATCH
from tui.shown import Text

__all__ = ["CURRENT", "figures_told", "match_told", "matched_output", "matched_reference"]

CURRENT = f"{MATCH} reverse"
_LONGEST_TOLD = 40
_ORDERS_TOLD = 4


def matched_output(output: TracedOutput, current: int | None = None) -> Text:
    """The output of a system."""
    trace = output.trace
    spans = [(match.start, match.stop, at == current) for at, match in enumerate(output.matches)]
    return _marked(trace.hypothesis, trace.trace.hypothesis, spans, lowercase=trace.settings.lowercase)


def matched_reference(view: SegmentView, reference: int, current: int) -> Text:
    """A reference, from 0, with every stretch that the output has of it."""
    trace = view.trace.trace
    units = trace.references[reference]
    spans = []
    for at, match in enumerate(view.matches):
        if reference in match.references:
            for start in places_in(units, trace.hypothesis[match.start : match.stop]):
                spans.append((start, start + match.length, at == current))
    text = view.trace.references[reference].text
    return _marked(text, units, spans, lowercase=view.trace.settings.lowercase)


def _marked(text: str, units: Sequence[str], spans: Iterable[tuple[int, int, bool]], *, lowercase: bool) -> Text:
    """The text with marked units; as units between spaces where the tokenisation has changed it."""
    places = unit_places(text, units, lowercase=lowercase)
    if places is None:
        text = " ".join(units)
        places = unit_places(text, units) or []
    shown = Text(cell_safe(text))
    for start, stop, is_current in sorted(spans, key=lambda span: span[2]):
        if stop <= len(places):
            shown.stylize(CURRENT if is_current else MATCH, places[start][0], places[stop - 1][1])
    return shown


def match_told(view: SegmentView, current: int) -> str:
    """The match under the cursor: which it is, where it stands, and how many n-grams it counts for."""
    if not view.matches:
        return "no unit of the output is in a reference"
    match: Match = view.matches[current]
    text = cut_right(cell_safe(_as_written(view, match)), _LONGEST_TOLD)
    where = ",".join(str(number + 1) for number in match.references)
    orders = [f"{n}-grams {count}" for n, count in enumerate(match.contributions, 1) if count]
    counted = ", ".join(orders[:_ORDERS_TOLD] + ["..."] * (len(orders) > _ORDERS_TOLD))
    in_references = f"in reference {where}" if match.references else "in no reference whole"
    return f"match {current + 1} of {len(view.matches)}: {text!r} {in_references}; {counted}"


def _as_written(view: SegmentView, match: Match) -> str:
    """The stretch as the output has it, where that is known."""
    trace = view.trace.trace
    places = unit_places(view.trace.hypothesis, trace.hypothesis, lowercase=view.trace.settings.lowercase)
    if places is None:
        return joined_units(trace, trace.hypothesis[match.start : match.stop])
    return view.trace.hypothesis[places[match.start][0] : places[match.stop - 1][1]]


def figures_told(view: SegmentView) -> str:
    """What each order contributes, and the lengths."""
    told = [" ".join(line.split()) for line in figure_lines(view.trace.trace)]
    if view.reference_set.has_equivalents:
        told.insert(0, f"n-grams of {view.trace.label} without equivalents, which the score has in its references")
    elif view.is_stand_in:
        told.insert(0, f"n-grams of {view.trace.label}, since this metric is not made of them")
    return "\n".join(told)
