"""Judging: the samples that were drawn, how far the judge is with each, and the way to judge them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.queries.judging.samples import Sample, draw_sample, samples
from corpusdb.queries.judging.verdicts import Standing, progress
from tui.background.reader import DatabaseReader
from tui.judging.dialogs import JudgeDialog, SampleDialog, SampleRequest
from tui.judging.items_screen import ITEM_SCREENS
from tui.judging.report_screen import REPORT, ReportScreen
from tui.messages import Opened
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.legend import Hints, Legend
from tui.widgets.row_list import RowList

__all__ = ["JudgingScreen"]

_NAME_CELLS = 20
_HEADINGS = f"  {'sample':<{_NAME_CELLS}}  {'judged':>9}  {'%':>5}  {'kind':<14}  lang  {'N':>3}  seed"


class JudgingScreen(PlaceScreen):
    """The samples with the progress of one judge."""

    PLACE = "judging"
    SIGNS = (
        ("judged", "Items that were judged, of all"),
        ("%", "Of these, how many were found correct, or to say the same"),
        ("N", "Of the filter by fluency; - where none was used"),
    )
    HINTS = Hints(("list.open", "judging.draw", "judging.judge", "judging.report"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "draw", "Draw", id="judging.draw", tooltip="Draw a new sample"),
        Binding("J", "judge", "Judge", id="judging.judge", tooltip="Change who judges"),
        REPORT,
    ]

    def __init__(self) -> None:
        super().__init__()
        self.judge = os.environ.get("USER", "").strip()
        self.samples: list[tuple[Sample, Standing]] = []

    def compose_body(self) -> ComposeResult:
        yield Static(id="judge-line")
        yield Static(_HEADINGS, id="samples-head")
        yield RowList(id="samples", empty="No sample was drawn yet.")

    def on_screen_resume(self) -> None:
        self._load()

    def lines(self) -> list[str]:
        """Who judges, the headings, a line for each sample, and the keys."""
        return [self._judge_line(), _HEADINGS.strip(), *super().lines(), self.query_one(Legend).line()]

    def _judge_line(self) -> str:
        return f"Judge: {self.judge or 'nobody yet'}"

    def _load(self, name: str | None = None) -> None:
        """Read the samples again, and go to the one of this name."""
        judge = self.judge

        def question(reader: DatabaseReader) -> list[tuple[Sample, Standing]]:
            return [(sample, progress(reader.store, sample, judge)) for sample in samples(reader.store)]

        def then(found: list[tuple[Sample, Standing]]) -> None:
            self.samples = found
            rows = self.query_one(RowList)
            cursor = next((row for row, (sample, _) in enumerate(found) if sample.name == name), rows.cursor)
            rows.show_rows(len(found), lambda row: Text(_row(*found[row])), cursor=cursor)
            self.query_one("#judge-line", Static).update(Text(self._judge_line()))

        self.ask(question, then)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        sample, _ = self.samples[message.row]
        if self.judge:
            self.app.push_screen(ITEM_SCREENS[sample.kind](sample, self.judge))
        else:
            self._ask_judge(lambda: self._opened(message))

    def action_judge(self) -> None:
        self._ask_judge(self._load)

    def _ask_judge(self, then: Callable[[], None]) -> None:
        def answered(judge: str | None) -> None:
            if judge is not None:
                self.judge = judge
                then()

        self.app.push_screen(JudgeDialog(self.judge), answered)

    def action_draw(self) -> None:
        language = self.samples[-1][0].language if self.samples else "eng"
        drawn: list[Sample] = []

        async def draw(request: SampleRequest) -> None:
            change = self.shell.runner.change
            drawn.append(await change(lambda store: draw_sample(store, request.name, request.options)))

        def answered(request: SampleRequest | None) -> None:
            if request is not None:
                self._drawn(drawn[-1])

        self.app.push_screen(SampleDialog(language, [sample.name for sample, _ in self.samples], draw), answered)

    def _drawn(self, sample: Sample) -> None:
        what = "sentences" if sample.kind == "grammaticality" else "pairs"
        self.say(f"{sample.name}: {sample.items - sample.controls:,} of {sample.population:,} {what} drawn")
        self._load(sample.name)

    def action_report(self) -> None:
        if self.samples:
            self.app.push_screen(ReportScreen(self.samples[self.query_one(RowList).cursor][0]))
        else:
            self.say("there is no sample to report on", is_error=True)


def _row(sample: Sample, standing: Standing) -> str:
    rate = "-" if standing.rate is None else f"{100 * standing.rate:.1f}"
    judged = f"{standing.judged}/{standing.total}"
    name = Text(sample.name)
    name.truncate(_NAME_CELLS, overflow="ellipsis", pad=True)
    order = sample.order if sample.drawn_from == "generated" else "-"
    return f"{name}  {judged:>9}  {rate:>5}  {sample.kind:<14}  {sample.language:<4}  {order:>3}  {sample.seed}"
