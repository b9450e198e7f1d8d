"""What the judges of a sample found: the report, and each disagreement in full."""

from __future__ import annotations

from collections.abc import Iterator

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding

from corpusdb.display import cell_safe
from corpusdb.queries.judging.report import Disagreement, JudgingReport, judging_report
from corpusdb.queries.judging.samples import Sample
from corpusdb.reports.judging import render
from tui.background.reader import DatabaseReader
from tui.messages import Opened
from tui.shared.dialogs import DetailsDialog
from tui.shared.place_screen import PlaceScreen
from tui.shown import Text
from tui.widgets.legend import Hints
from tui.widgets.row_list import RowList

__all__ = ["REPORT", "ReportScreen"]

REPORT = Binding("r", "report", "Report", id="judging.report", tooltip="Show the report on this sample")
"""The key that leads here, from every other screen of judging."""


class ReportScreen(PlaceScreen):
    """The report on a sample, as `judge report` gives it; Enter shows a row in full."""

    PLACE = "judging"
    REACHED = "r on a sample"
    HINTS = Hints(("list.open", "screen.find", "screen.copy"))

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self._sample = sample
        self._disagreements: dict[int, Disagreement] = {}

    def compose_body(self) -> ComposeResult:
        yield RowList(id="report", empty="...")

    def on_screen_resume(self) -> None:
        def question(reader: DatabaseReader) -> JudgingReport:
            return judging_report(reader.store, self._sample)

        self.ask(question, self._show, kind="judging.report")

    def _show(self, report: JudgingReport) -> None:
        lines = render(report).split("\n")
        self._disagreements = dict(_disagreement_rows(report, lines))
        rows = self.query_one(RowList)
        rows.show_rows(len(lines), lambda row: Text(lines[row]), cursor=rows.cursor)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        disagreement = self._disagreements.get(message.row)
        line = self.query_one(RowList).text_of(message.row)
        if disagreement is not None:
            self.app.push_screen(DetailsDialog(f"Item {disagreement.item}", list(_in_full(disagreement))))
        elif line:
            self.app.push_screen(DetailsDialog(f"Row {message.row + 1}", [line.strip()]))


def _disagreement_rows(report: JudgingReport, lines: list[str]) -> Iterator[tuple[int, Disagreement]]:
    """The rows of the report that are about a disagreement: one for its texts and one for each judge."""
    if not report.disagreements:
        return
    row = lines.index(f"Disagreements: {len(report.disagreements):,}") + 1
    for disagreement in report.disagreements:
        for _ in range(1 + len(disagreement.verdicts)):
            yield row, disagreement
            row += 1


def _in_full(disagreement: Disagreement) -> Iterator[str]:
    """The texts, and what each judge said of them, each after an empty line."""
    for sentence in (disagreement.seed, disagreement.text):
        if sentence is not None:
            yield from ("", cell_safe(sentence))
    for judge, verdict in disagreement.verdicts.items():
        comment = f" ({cell_safe(disagreement.comments[judge])})" if judge in disagreement.comments else ""
        yield from ("", f"{judge}: {verdict}{comment}")
