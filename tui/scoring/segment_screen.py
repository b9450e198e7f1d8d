"""The segments of systems, worst first, and one taken apart: what matches, and where the references come from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.message import Message

from corpusdb.base.cells import cut_right, padded
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.exchanges import reports_behind
from corpusdb.scoring.queries.attributed import AttributedReference
from corpusdb.scoring.queries.matched_ngrams import Background, background_of
from corpusdb.scoring.queries.score_table import ScoreReader, ScoreTable, SegmentRow, segment_rows
from corpusdb.scoring.queries.segment_view import (
    Match,
    Origins,
    SegmentView,
    TracedOutput,
    origins_of,
    places_in,
    segment_view,
    unit_places,
)
from corpusdb.scoring.table_report import number, segment_columns, segment_table, segments_won
from corpusdb.scoring.trace_report import NGRAM_COLUMNS, figure_lines, joined_units, ngram_rows
from tui.kit.dialogs import DetailsDialog
from tui.kit.exports import ask_export
from tui.kit.place_screen import HeadLine, Hints, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Highlighted, Opened, RowList, Static, Text, bind
from tui.kit.terminal import MATCH
from tui.kit.wide_lines import FoldedText
from tui.people.explanation_screen import (
    ANALOGIES,
    EXAMPLES,
    ExplanationRow,
    ExplanationScreen,
    explanation_rows,
    shared_rows,
)
from tui.people.open_seed import difference_marked

CURRENT = f"{MATCH} reverse"
_LONGEST_TOLD = 40
_ORDERS_TOLD = 4


def matched_output(output: TracedOutput, current: int | None = None) -> Text:
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


def format_match(view: SegmentView, current: int) -> str:
    """The match under the cursor: which it is, where it stands, and how many n-grams it counts for."""
    if not view.matches:
        return "no unit of the output is in a reference"
    match: Match = view.matches[current]
    text = cut_right(cell_safe(_as_written(view, match)), _LONGEST_TOLD)
    where = ",".join(str(number + 1) for number in match.references)
    in_references = f"in reference {where}" if match.references else "in no reference whole"
    more = ", ..." * (len(match.contributions) > _ORDERS_TOLD)
    which = f"match {current + 1} of {len(view.matches)}, {in_references}: {text!r}"
    return f"{which}\nit has {_by_length(match.contributions[:_ORDERS_TOLD])}{more}"


def _by_length(counts: Iterable[object]) -> str:
    """How many n-grams there are of 1, 2 ... units: "6 1-grams, 5 2-grams"."""
    return ", ".join(
        f"{count} {n}-gram{'' if str(count) in ('1', '1/1') else 's'}" for n, count in enumerate(counts, 1) if count
    )


def _as_written(view: SegmentView, match: Match) -> str:
    """The stretch as the output has it, where that is known."""
    trace = view.trace.trace
    places = unit_places(view.trace.hypothesis, trace.hypothesis, lowercase=view.trace.settings.lowercase)
    if places is None:
        return joined_units(trace, trace.hypothesis[match.start : match.stop])
    return view.trace.hypothesis[places[match.start][0] : places[match.stop - 1][1]]


def format_figures(view: SegmentView) -> str:
    """What each order contributes, and the lengths."""
    trace = view.trace.trace
    order, row = trace.order, trace.statistics
    parts = [f"{row[n]}/{row[order + n]}" for n in range(order) if row[order + n]]
    told = [f"matched of all: {_by_length(parts[:_ORDERS_TOLD])}{', ...' * (len(parts) > _ORDERS_TOLD)}"]
    told += [" ".join(line.split()) for line in figure_lines(trace)][1:]
    if view.reference_set.has_equivalents:
        told.insert(0, f"n-grams of {view.trace.label} without the equivalents of words, with which it is scored")
    elif view.is_stand_in:
        told.insert(0, f"these n-grams are those of {view.trace.label}; this column counts otherwise")
    return "\n".join(told)


class MatchPane(VerticalScroll, can_focus=True):
    """Posts Moved when the cursor comes to another match, and Chosen on Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("right", "walk(1)", "Match", "match.next", "Go to the next match"),
        bind("left", "walk(-1)", "Match", "match.previous", "Go to the match before"),
        bind("enter", "choose", "Reference", "match.open", "Go to a reference that has this match"),
        bind("j,down", "screen.step(1)", "Next", "match.down", "Go to the next segment"),
        bind("k,up", "screen.step(-1)", "Back", "match.up", "Go to the segment before"),
    ]

    class Moved(Message):
        """The cursor is on another match."""

    class Chosen(Message):
        """Somebody pressed Enter on a match."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.current = 0
        """The match under the cursor, from 0."""
        self._view: SegmentView | None = None
        self._names: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        yield FoldedText(id="match-texts")

    def show(self, view: SegmentView, names: tuple[str, ...]) -> None:
        """Show another segment of the systems of these names, from its first match."""
        self._view, self._names, self.current = view, names, 0
        self._draw(is_other=True)
        self.scroll_home(animate=False)

    def _draw(self, *, is_other: bool = False) -> None:
        """Draw the texts; where they are others, their lines may be more or fewer."""
        view = self._view
        if view is None:
            return
        parts = [Text.assemble(("source  ", "bold"), cell_safe(view.source))] if view.source else []
        for at, (name, output) in enumerate(zip(self._names, view.outputs, strict=True)):
            text = matched_output(output, None if at else self.current)
            parts.append(Text.assemble((f"{cell_safe(name)}  ", "bold"), text))
        self.query_one(FoldedText).fold(Text("\n").join(parts), layout=is_other)
        self._scroll_to_match(parts)

    def _scroll_to_match(self, parts: Sequence[Text]) -> None:
        """Bring the match under the cursor into sight, about where its line is, in texts that have no room."""
        width = max(self.scrollable_content_region.width, 1)
        line = 0
        for part in parts:
            here = next((span.start for span in part.spans if span.style == CURRENT), None)
            if here is not None:
                self.scroll_to(y=max(line + here // width - 1, 0), animate=False)
                return
            line += part.cell_len // width + 1

    def lines(self) -> list[str]:
        view = self._view
        if view is None:
            return []
        outputs = (f"output of {each.trace.system}: {each.trace.hypothesis}" for each in view.outputs)
        return [f"source: {view.source}", *outputs]

    def action_walk(self, by: int) -> None:
        if self._view is None or not self._view.matches:
            return
        self.current = (self.current + by) % len(self._view.matches)
        self._draw()
        self.post_message(self.Moved())

    def action_choose(self) -> None:
        self.post_message(self.Chosen())


# What stands behind a reference, down to the sentences of people and the documents in which they stand.


class BackgroundScreen(ExplanationScreen):
    """The places, analogies and shared translations behind a reference; Enter on a sentence shows its document."""

    PLACE = "scores"

    def __init__(self, reference: AttributedReference, language: str, source: str) -> None:
        super().__init__(reference.seed, reference.text, language)
        self._reference = reference
        self._source = source

    def rows_behind(self, store: Store) -> list[ExplanationRow]:
        found = background_of(store, self._reference, self._language, analogies=ANALOGIES)
        if found.explanation is None:
            return list(background_rows(found, self._language, self._source))
        exchanges = reports_behind(store, self._language, found.explanation, EXAMPLES)
        rows = list(explanation_rows(found.explanation, exchanges, self._language))
        return rows[:2] + list(_place_rows(found, self._language)) + rows[2:]


def _place_rows(found: Background, language: str) -> Iterator[ExplanationRow]:
    for place in found.places:
        yield ExplanationRow(f"  is at {place}", found.reference.text, language)


def background_rows(found: Background, language: str, source: str) -> Iterator[ExplanationRow]:
    """The reference, where it stands, and what it shares with the original that it is a paraphrase of."""
    reference = found.reference
    yield ExplanationRow(reference.text, reference.text, language)
    if reference.seed == reference.text:
        yield ExplanationRow(f"  {', '.join(reference.origins)}: a reference for {source}" if source else "  original")
    else:
        yield ExplanationRow(f"  {', '.join(reference.origins)}: a paraphrase of")
        yield ExplanationRow(f"  {reference.seed}", reference.seed, language)
    yield from _place_rows(found, language)
    if found.shared:
        yield ExplanationRow(f"Both have the translations ({len(found.shared):,})")
        yield from shared_rows(found.shared)


_ORIGIN_CELLS = 18
_REFERENCE_COLUMNS = f"      {'reference':{_ORIGIN_CELLS}} n-grams only   text"


class SegmentScreen(PlaceScreen):
    """One segment; Enter on a match goes to a reference that has it, and Enter on that to what stands behind it.

    Dismissed with the place of the segment in the list that it was opened from.
    """

    PLACE = "scores"
    AUTO_FOCUS = "#segment-match"
    VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall")]  # noqa: RUF012
    REACHED = "Enter on a system, and on a segment"
    SIGNS = (
        ("n-grams", "How many n-grams of the output are in this reference"),
        ("only", "How many of these are only in this reference"),
        ("+", "The match under the cursor is in this reference"),
    )
    HINTS = Hints(
        ("match.next", "match.open", "list.open", "segment.next", "segment.previous", "segment.pane", "segment.swap"),
        needed=6,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("right_square_bracket", "step(1)", "Next", "segment.next", "Go to the next segment"),
        bind("left_square_bracket", "step(-1)", "Back", "segment.previous", "Go to the segment before"),
        bind("o", "swap", "Swap", "segment.swap", "The matches of the other system of two"),
        bind("e", "export", "Export", "segment.export", "Write the n-grams of the output to a file"),
        bind("tab", "other_pane", "Pane", "segment.pane", "From matches to references and back"),
    ]

    def __init__(
        self, table: ScoreTable, column: int, outputs: tuple[int, ...], segments: Sequence[int], at: int
    ) -> None:
        """``segments`` are those of a list, in its order; the one at the place ``at`` is shown."""
        super().__init__()
        self._table = table
        self._column = column
        self._outputs = outputs
        self._segments = segments
        self._at = at
        self._names = _lettered([next(row.name for row in table.rows if row.output == each) for each in outputs])
        self.view: SegmentView | None = None
        self._origins: Origins | None = None

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield MatchPane(id="segment-match")
        yield Static("", id="segment-told")
        yield Static(_REFERENCE_COLUMNS, id="references-columns", classes="scores-columns")
        yield RowList(id="references", empty="reading the references ...")
        yield FoldedText(id="segment-reference")

    def on_mount(self) -> None:
        self._load()

    def _load(self) -> None:
        segment = self._segments[self._at]

        def question(reader: DatabaseReader) -> tuple[SegmentView, list[float], bool]:
            scores = reader.score_reader
            view = segment_view(scores, self._table, self._column, self._outputs, segment)
            values, is_smoothed = scores.sentence_values(self._table, self._column, self._outputs)
            return view, [float(each[segment - 1]) for each in values], is_smoothed

        self.ask(question, lambda found: self._show(*found), kind="segment")

    def _show(self, view: SegmentView, scores: Sequence[float], is_smoothed: bool) -> None:
        self.view, self._origins = view, None
        column = self._table.columns[self._column]
        figures = [number(None if each != each else each, column) for each in scores]
        letters = [name[:2] if len(figures) > 1 else "" for name in self._names]
        told = ", ".join(map("".join, zip(letters, figures, strict=True))) + ", smoothed" * is_smoothed
        where = f"segment {view.trace.segment:,}, {self._at + 1:,} of {len(self._segments):,} here"
        self.query_one(HeadLine).show(where, cell_safe(f"{column.name} {told}"))
        self.query_one(MatchPane).show(view, self._names)
        self._show_references(0)
        self._match_moved()
        self.ask(lambda reader: _origins(reader, view), lambda found: self._show_origins(view, found), kind="origins")

    def _show_references(self, cursor: int) -> None:
        view = self.view
        if view is None:
            return
        rows = self.query_one(RowList)
        rows.show_rows(len(view.trace.references), self._row, cursor=cursor, empty="No reference.")

    def _show_origins(self, view: SegmentView, found: Origins) -> None:
        if view is self.view:
            self._origins = found
            self.query_one(RowList).refresh()
            self._show_reference()

    def _labels(self) -> tuple[str, ...]:
        if self.view is None:
            return ()
        labels = tuple(each.label for each in self.view.trace.references)
        return labels if self._origins is None else self._origins.labels(labels)

    def _row(self, at: int) -> Text:
        view = self.view
        if view is None or at >= len(view.trace.references):
            return Text()
        reference = view.trace.references[at]
        label = padded(cut_right(cell_safe(self._labels()[at]), _ORIGIN_CELLS), _ORIGIN_CELLS)
        figures = f"{at + 1:>3} {label} {reference.matched:>7} {reference.alone:>4} "
        has_match = bool(view.matches) and at in view.matches[self.query_one(MatchPane).current].references
        mark = "+" if has_match else " "
        return Text.assemble(figures, (f"{mark} ", "bold"), cell_safe(reference.text), no_wrap=True)

    @on(MatchPane.Moved)
    def _match_moved(self) -> None:
        if self.view is None:
            return
        current = self.query_one(MatchPane).current
        told = f"{format_match(self.view, current)}\n{format_figures(self.view)}"
        self.query_one("#segment-told", Static).update(Text(told), layout=False)
        rows = self.query_one(RowList)
        if self.view.matches and rows.cursor not in self.view.matches[current].references:
            rows.cursor = next(iter(self.view.matches[current].references), rows.cursor)
        rows.refresh()
        self._show_reference()

    @on(Highlighted)
    def _show_reference(self) -> None:
        view, rows = self.view, self.query_one(RowList)
        if view is None or not rows.count:
            return
        reference = view.trace.references[rows.cursor]
        text = matched_reference(view, rows.cursor, self.query_one(MatchPane).current)
        closest = ", the closest in length" if reference.is_closest else ""
        told = (
            f"{self._labels()[rows.cursor]}: {reference.matched} n-grams, {reference.alone} only in this one{closest}"
        )
        both = Text.assemble(text, "\n", (cell_safe(told), "bold"))
        self.query_one("#segment-reference", FoldedText).fold(both)

    def lines(self) -> list[str]:
        if self.view is None:
            return []
        current = self.query_one(MatchPane).current
        told = f"{format_match(self.view, current)}\n{format_figures(self.view)}".split("\n")
        return [*self.query_one(MatchPane).lines(), *told, *self.query_one(RowList).lines()]

    def action_step(self, by: int) -> None:
        if 0 <= self._at + by < len(self._segments):
            self._at += by
            self._load()
        else:
            self.say(f"this is the {'last' if by > 0 else 'first'} segment of the list")

    @on(MatchPane.Chosen)
    def _go_to_reference(self) -> None:
        if self.view is None or not self.view.trace.references:
            return
        self.query_one(RowList).focus()
        self.say("Enter shows what is behind the reference; q goes back to the matches")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """One system is swapped with none."""
        return (action != "swap" or len(self._outputs) > 1) and super().check_action(action, parameters)

    def action_swap(self) -> None:
        self._outputs, self._names = self._outputs[::-1], self._names[::-1]
        self._load()

    def action_export(self) -> None:
        if self.view is not None:
            ask_export(self, "ngrams", (NGRAM_COLUMNS, ngram_rows(self.view.trace.trace)))

    def action_other_pane(self) -> None:
        rows, pane = self.query_one(RowList), self.query_one(MatchPane)
        self.set_focus(pane if self.focused is rows else rows)

    def action_back(self) -> None:
        """From the references to the matches, and from these to the list."""
        if isinstance(self.focused, RowList):
            self.query_one(MatchPane).focus()
        else:
            self.dismiss(self._at)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """What stands behind a reference; of one that the corpus does not know, the text."""
        view, origins = self.view, self._origins
        if view is None or origins is None:
            self.say("looking where the references come from ...")
            return
        known = origins.references[message.row]
        if known is not None and origins.language is not None:
            self.app.push_screen(BackgroundScreen(known, origins.language, view.source))
        else:
            text, label = view.trace.references[message.row].text, self._labels()[message.row]
            told = [text, "", f"From {label}.", "The corpus does not have this sentence."]
            self.app.push_screen(DetailsDialog(f"Reference {message.row + 1}", told))


def _origins(reader: DatabaseReader, view: SegmentView) -> Origins:
    try:
        return origins_of(reader.score_reader, view)
    except DatabaseReadOnly:  # a source that was never looked at is taken in, and out again
        with reader.writing() as store:
            return origins_of(ScoreReader(store), view)


# The segments of one or two systems, worst first.


_FIGURE_CELLS = 9


def _lettered(names: Sequence[str]) -> tuple[str, ...]:
    """Names of systems; of two behind A and B."""
    return tuple(f"{letter} {name}" for letter, name in zip("AB", names, strict=False)) if len(names) > 1 else (*names,)


class SegmentsScreen(PlaceScreen):
    """The list; below it the texts of the segment under the cursor."""

    PLACE = "scores"
    AUTO_FOCUS = "#segments"
    REACHED = "Enter on a system"
    SIGNS = (
        ("segment", "Its line in the files of the test set, from 1"),
        ("smoothed", "BLEU smoothed for segments, as sacrebleu has it: else one order without a match makes it 0"),
        ("underlined", "What an output does not share with the other one, or with the first reference"),
    )
    HINTS = Hints(("list.open", "segments.right", "segments.reverse", "segments.export"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("right", "column(1)", "Metric", "segments.right", "By the next column of the table"),
        bind("left", "column(-1)", "Metric", "segments.left", "By the column before of the table"),
        bind("s", "reverse", "Reverse", "segments.reverse", "The best first, or the worst again"),
        bind("e", "export", "Export", "segments.export", "Write the list to a file"),
    ]

    def __init__(
        self, table: ScoreTable, column: int, outputs: tuple[int, ...], bar: tuple[float, float] | None = None
    ) -> None:
        """The cursor begins on the first segment whose score, or difference, is in ``bar``: from, and below."""
        super().__init__()
        self._table = table
        self._column = column
        self._outputs = outputs
        self._bar = bar
        self._names = [next(row.name for row in table.rows if row.output == output) for output in outputs]
        self._best_first = False
        self._rows: list[SegmentRow] = []
        self._sources: tuple[str, ...] = ()
        self._texts: tuple[tuple[str, ...], ...] = ()
        self._references: tuple[ReferenceSet, ...] = ()
        """Of the column, by segment; empty where its scores were imported."""
        self._is_smoothed = False

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield Static("", id="segments-columns", classes="scores-columns")
        yield RowList(id="segments", empty="reading the segments and their scores ...")
        yield FoldedText(id="segment-texts")

    def on_mount(self) -> None:
        self._load()

    def _load(self, by: int = 0) -> None:
        """Read the segments by a column; by the next one, ``by`` places on, where that can be done."""
        column, best_first = self._column + by, self._best_first

        def question(reader: DatabaseReader) -> list[SegmentRow]:
            scores = reader.score_reader
            self._sources = scores.sources(self._table.test_set)
            self._texts = tuple(map(scores.output, self._outputs))
            of_column = self._table.columns[column].reference_set
            self._references = () if of_column is None else scores.sets(of_column)
            _, self._is_smoothed = scores.sentence_values(self._table, column, self._outputs)
            return segment_rows(scores, self._table, column, self._outputs, best_first=best_first, smoothed=True)

        def then(found: list[SegmentRow]) -> None:
            self._column = column
            self._show(found)

        self.ask(question, then, kind="segments")

    def _show(self, found: list[SegmentRow]) -> None:
        self._rows = found
        column = self._table.columns[self._column]
        order = "best" if self._best_first else "worst"
        if len(self._names) == 1:
            what, heads = self._names[0], ["score"]
        else:
            heads = ["A", "B", "A - B"]
            cells = zip(self._names, (self._table.row(name).cells[self._column] for name in self._names), strict=True)
            scored = [f"{name} {number(cell.value if cell else None, column)}" for name, cell in cells]
            what = ", ".join(_lettered(scored))
            order = f"where {'A' if self._best_first else 'B'} is better"
        by = f"{column.name if len(self._names) == 1 else column.label}{', smoothed' * self._is_smoothed}"
        self.query_one(HeadLine).show(cell_safe(f"{what}: {by}"), cell_safe(f"{order} first"))
        head = "".join(padded(name, _FIGURE_CELLS, right=True) for name in ["segment", *heads])
        self.query_one("#segments-columns", Static).update(
            Text(f"  {head}  output{' of A' * (len(self._names) > 1)}"), layout=False
        )
        rows = self.query_one(RowList)
        values = [row.score if len(self._outputs) == 1 else row.difference for row in found]
        low, high = self._bar or (math.nan, math.nan)
        cursor = next((at for at, value in enumerate(values) if value is not None and low <= value < high), 0)
        rows.show_rows(len(found), self._row, cursor=cursor, empty="No segment has a score.")
        self._show_texts()
        self.say(segments_won(found, column) if len(self._outputs) > 1 else "", stays=True)

    def _row(self, at: int) -> Text:
        row, column = self._rows[at], self._table.columns[self._column]
        scores = [row.score] if len(self._outputs) == 1 else [row.score, row.other, row.difference]
        cells = [f"{row.segment:,}", *(number(score, column) for score in scores)]
        figures = "".join(padded(cell, _FIGURE_CELLS, right=True) for cell in cells)
        return Text(f"{figures}  {cell_safe(self._texts[0][row.segment - 1])}", no_wrap=True)

    @on(Highlighted)
    def _show_texts(self) -> None:
        rows = self.query_one(RowList)
        if not self._rows:
            return
        at = self._rows[rows.cursor].segment - 1
        references = self._references[at].references if self._references else ()
        texts = [each[at] for each in self._texts]
        others = [*reversed(texts)] if len(texts) > 1 else [*references[:1], *texts][:1]
        told = [("source", Text(cell_safe(self._sources[at])))] if self._sources[at] else []
        each = zip(_lettered(self._names), texts, others, strict=True)
        told += [(name, difference_marked(other, text)) for name, text, other in each]
        told += [(f"reference {place}", Text(cell_safe(text))) for place, text in enumerate(references, 1)]
        lines = [Text.assemble((f"{cell_safe(name)}  ", "bold"), text) for name, text in told]
        self.query_one("#segment-texts", FoldedText).fold(Text("\n").join(lines))

    def action_column(self, by: int) -> None:
        if 0 <= self._column + by < len(self._table.columns):
            self._load(by)
        else:
            self.say("there is no other column")

    def action_reverse(self) -> None:
        self._best_first = not self._best_first
        self._load()

    def action_export(self) -> None:
        rows = list(segment_table(self._rows, self._sources, self._texts))
        ask_export(self, "segments", (segment_columns(self._names), rows))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        def moved(at: object) -> None:
            if isinstance(at, int):
                self.query_one(RowList).cursor = at

        segments = [row.segment for row in self._rows]
        self.app.push_screen(SegmentScreen(self._table, self._column, self._outputs, segments, message.row), moved)
