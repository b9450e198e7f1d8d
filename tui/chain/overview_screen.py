"""The overview: what the database holds, and the distributions of the paper for one of its languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.chain.queries.overview import Overview, overview
from corpusdb.chain.report import overview_lines, statistics_lines
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER
from corpusdb.paraphrase.queries.statistics import CorpusStatistics, corpus_statistics
from tui.kit.dialogs import DetailsDialog
from tui.kit.lines import Hints
from tui.kit.messages import Opened
from tui.kit.place_screen import PlaceScreen
from tui.kit.rewriting_lines import moved_validity
from tui.kit.row_list import RowList
from tui.kit.shown import Text

__all__ = ["OverviewScreen"]

Answer = TypeVar("Answer")

_BESIDE_PLOTS = 4
"""Cells of a line that a plot cannot have: the mark of the cursor and the scroll bar."""


class OverviewScreen(PlaceScreen):
    """All figures of the database in one list, and below them the plots. They are counted when one comes here."""

    PLACE = "overview"
    HINTS = Hints(
        (
            "overview.language",
            "overview.less",
            "overview.more",
            "overview.validity-down",
            "overview.validity-up",
            "overview.sizes",
            "overview.recount",
        ),
        needed=5,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "language", "Language", id="overview.language", tooltip="Plots of the next language"),
        Binding("left", "order(-1)", "N - 1", id="overview.less", tooltip="A lower N for the filter", show=False),
        Binding("right", "order(1)", "N + 1", id="overview.more", tooltip="A higher N for the filter", show=False),
        Binding(
            "greater_than_sign",
            "validity(1)",
            "V+",
            id="overview.validity-up",
            tooltip="A higher V, the least validity of the filter",
            show=False,
        ),
        Binding(
            "less_than_sign",
            "validity(-1)",
            "V-",
            id="overview.validity-down",
            tooltip="A lower V, the least validity; at 0 N alone decides",
            show=False,
        ),
        Binding("t", "sizes", "Tables", id="overview.sizes", tooltip="The size of each table, for which all is read"),
        Binding("R", "recount", "Recount", id="overview.recount", tooltip="Count everything again"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._overview: Overview | None = None
        self._statistics: CorpusStatistics | None = None
        self._language = ""
        self._kept = DEFAULT_FILTER
        self._lines: list[str] = []

    def compose_body(self) -> ComposeResult:
        yield RowList(id="overview", empty="Counting ...")

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self._count()

    def on_unmount(self) -> None:
        self.shell.runner.stop_beside()

    def on_resize(self) -> None:
        self._show()

    def _ask_beside(self, what: str, question: Callable[[Store], Answer], then: Callable[[Answer], None]) -> None:
        """As ``ask``, but beside other questions: this reads nearly all of the database, which may take seconds."""

        def answered(answer: Answer) -> None:
            self.say("")
            then(answer)

        self.say(f"{what} ...")
        self.wait_for(lambda: self.shell.runner.ask_beside(question), answered)

    def _count(self, *, sizes: bool = False) -> None:
        self._ask_beside("counting", lambda store: overview(store, sizes=sizes), self._counted)

    def _counted(self, found: Overview) -> None:
        self._overview = found
        codes = [each.code for each in found.languages]
        if self._language not in codes:
            most = max(found.languages, key=lambda each: (len(each.layers), each.sentences), default=None)
            self._language = most.code if most else ""
        self._show()
        self._describe()

    def _describe(self) -> None:
        language, kept = self._language, self._kept
        if language:
            what = f"counting the paraphrases of {language} at {kept}"
            self._ask_beside(what, lambda store: corpus_statistics(store, language, kept), self._described)

    def _described(self, found: CorpusStatistics) -> None:
        self._statistics = found
        self._show()

    def _show(self) -> None:
        rows = self.query_one(RowList)
        if self._overview is None:
            return
        self._lines = overview_lines(self._overview)
        if self._statistics is not None:
            width = max(self.size.width - _BESIDE_PLOTS, 20)
            plots = statistics_lines(self._statistics, width, ascii=self.shell.ascii_only)
            self._lines += ["", *plots[:-1]]  # which end with an empty line
        rows.show_rows(len(self._lines), self._line, cursor=rows.cursor)

    def _line(self, place: int) -> Text:
        """A line; those after an empty one are headings."""
        return Text(self._lines[place], "bold" if place == 0 or not self._lines[place - 1] else "")

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """A line that is longer than the screen is wide can be read whole."""
        self.app.push_screen(DetailsDialog("The whole line", [self._lines[message.row].strip()]))

    def action_language(self) -> None:
        codes = [each.code for each in self._overview.languages] if self._overview else []
        if codes:
            self._language = codes[(codes.index(self._language) + 1) % len(codes)]
            self._describe()

    def action_order(self, step: int) -> None:
        self._kept = replace(self._kept, order=max(self._kept.order + step, 0))
        self._describe()

    def action_validity(self, step: int) -> None:
        self._kept = replace(self._kept, min_validity=moved_validity(self._kept.min_validity, step))
        self._describe()

    def action_sizes(self) -> None:
        self._count(sizes=True)

    def action_recount(self) -> None:
        self._count()
