"""A segment taken apart: source, output and references, what matches, and where the references come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.cells import cut_right, padded
from corpusdb.display import cell_safe
from corpusdb.errors import DatabaseReadOnly
from corpusdb.queries.scoretable.score_reader import ScoreReader
from corpusdb.queries.scoretable.segment_view import Origins, SegmentView, origins_of, segment_view
from corpusdb.queries.scoretable.table import ScoreTable
from corpusdb.reports.evaluation.score_tables import number
from corpusdb.reports.evaluation.score_trace import NGRAM_COLUMNS, ngram_rows
from tui.background.reader import DatabaseReader
from tui.messages import Highlighted, Opened
from tui.scores.background_screen import BackgroundScreen
from tui.scores.exporting import ask_export
from tui.scores.match_pane import MatchPane
from tui.scores.matched_texts import figures_told, match_told, matched_reference
from tui.shared.dialogs import DetailsDialog
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.head_line import HeadLine
from tui.widgets.legend import Hints
from tui.widgets.row_list import RowList

__all__ = ["SegmentScreen"]

_ORIGIN_CELLS = 18


class SegmentScreen(PlaceScreen):
    """One segment; Enter on a match goes to a reference that has it, and Enter on that to what stands behind it.

    Dismissed with the place of the segment in the list that it was opened from.
    """

    PLACE = "scores"
    AUTO_FOCUS = "#segment-match"
    REACHED = "Enter on a system, and on a segment"
    SIGNS = (
        ("1st figure", "How many n-grams of the output are in this reference"),
        ("2nd figure", "How many of these no other reference has"),
        ("+", "The match under the cursor stands in this reference"),
    )
    HINTS = Hints(
        ("match.next", "match.open", "list.open", "segment.next", "segment.previous", "segment.pane", "segment.swap"),
        needed=6,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,right_square_bracket", "step(1)", "Next", id="segment.next", tooltip="Go to the next segment"),
        Binding("p,left_square_bracket", "step(-1)", "Back", id="segment.previous", tooltip="Go to the segment before"),
        Binding("o", "swap", "Swap", id="segment.swap", tooltip="The matches of the other system of two"),
        Binding("e", "export", "Export", id="segment.export", tooltip="Write the n-grams of the output to a file"),
        Binding("tab", "other_pane", "Pane", id="segment.pane", tooltip="From matches to references and back"),
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
        self._names = tuple(next(row.name for row in table.rows if row.output == output) for output in outputs)
        self.view: SegmentView | None = None
        self._origins: Origins | None = None

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="scores-head")
        yield MatchPane(id="segment-match")
        yield Static("", id="segment-told")
        yield RowList(id="references", empty="...")
        yield Static("", id="segment-reference")

    def on_mount(self) -> None:
        self._load()

    def _load(self) -> None:
        segment = self._segments[self._at]

        def question(reader: DatabaseReader) -> tuple[SegmentView, list[float]]:
            scores = reader.score_reader
            view = segment_view(scores, self._table, self._column, self._outputs, segment)
            values = [scores.segment_values(self._table, self._column, output) for output in self._outputs]
            return view, [float(each[segment - 1]) for each in values]

        self.ask(question, lambda found: self._show(*found), kind="segment")

    def _show(self, view: SegmentView, scores: Sequence[float]) -> None:
        self.view, self._origins = view, None
        column = self._table.columns[self._column]
        told = " - ".join(number(None if each != each else each, column) for each in scores)
        where = f"segment {view.trace.segment:,} ({self._at + 1:,} of {len(self._segments):,})"
        names = " - ".join(self._names)
        self.query_one(HeadLine).show(cell_safe(f"{names}, {where}"), cell_safe(f"{column.name} {told}"))
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
        figures = f"{at + 1:>3} {label} {reference.matched:>4} {reference.alone:>3} "
        has_match = bool(view.matches) and at in view.matches[self.query_one(MatchPane).current].references
        mark = "+" if has_match else " "
        return Text.assemble(figures, (f"{mark} ", "bold"), cell_safe(reference.text), no_wrap=True)

    @on(MatchPane.Moved)
    def _match_moved(self) -> None:
        if self.view is None:
            return
        current = self.query_one(MatchPane).current
        told = f"{match_told(self.view, current)}\n{figures_told(self.view)}"
        self.query_one("#segment-told", Static).update(Text(told), layout=False)
        rows = self.query_one(RowList)
        if self.view.matches and rows.cursor not in self.view.matches[current].references:
            rows.cursor = next(iter(self.view.matches[current].references), rows.cursor)
        rows.refresh()
        self._show_reference()

    @on(Highlighted)
    def _show_reference(self) -> None:
        """The reference under the cursor in full, and what it is worth."""
        view, rows = self.view, self.query_one(RowList)
        if view is None or not rows.count:
            return
        reference = view.trace.references[rows.cursor]
        text = matched_reference(view, rows.cursor, self.query_one(MatchPane).current)
        closest = ", its length counts" if reference.is_closest else ""
        told = (
            f"{self._labels()[rows.cursor]}: {reference.matched} matches, {reference.alone} that no other has{closest}"
        )
        both = Text.assemble(text, "\n", (cell_safe(told), "bold"))
        self.query_one("#segment-reference", Static).update(both, layout=False)

    def lines(self) -> list[str]:
        """The texts, the match, what each order contributes, and the references."""
        if self.view is None:
            return []
        current = self.query_one(MatchPane).current
        told = [match_told(self.view, current), *figures_told(self.view).split("\n")]
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
        self.say("Enter shows what stands behind the reference; q goes back to the matches")

    def action_swap(self) -> None:
        if len(self._outputs) > 1:
            self._outputs, self._names = self._outputs[::-1], self._names[::-1]
            self._load()
        else:
            self.say("there is no other system here: select two in the table")

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
