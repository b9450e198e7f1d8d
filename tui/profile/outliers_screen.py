"""The lines that belong least to the others, with the characters that make it so."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import ClassVar, Final

from textual.binding import Binding, BindingType

from corpusdb.errors import Cancelled
from corpusdb.jobs import Pace, Progress, finished
from corpusdb.queries.homogeneity.outlying import OutlierReport, outliers
from corpusdb.queries.homogeneity.seen.keeping import keep_outliers
from corpusdb.store import Store
from tui.profile.rows import marked_line
from tui.profile.sentences_screen import SentencesScreen
from tui.shown import Text
from tui.widgets.legend import Hints

__all__ = ["OutliersScreen"]

_MOST: Final = 500
_SECONDS: Final = 0.2
"""Between two looks at how far it is."""


class OutliersScreen(SentencesScreen):
    """The strangest line first; brackets stand around the characters that cost half of its bits."""

    COLUMNS: ClassVar[str] = f"{'score':>6} {'bits':>6} {'rarest':>6}  line, [what is dear] in brackets"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", id="outliers.stop", tooltip="Stop measuring"),
    ]
    REACHED = "o"
    HINTS = Hints(("list.open", "list.select", "lines.keep", "lines.corpus", "outliers.stop"))

    def __init__(self, language: str, collection: str | None) -> None:
        where = f" of {collection}" if collection else ""
        super().__init__(f"Outlying lines{where}: {language}", language)
        self._collection = collection
        self._report: OutlierReport | None = None
        self._stopped = Event()
        self._told = "measuring ..."

    def on_mount(self) -> None:
        language, collection, pace = self.language, self._collection, Pace()

        def watch(step: Progress) -> None:
            self._told = pace.reading(step).told
            if self._stopped.is_set():
                raise Cancelled("measuring was stopped; q goes back, and o begins again")

        def question(store: Store) -> OutlierReport:
            return finished(outliers(store, language, collection, limit=_MOST), watch)

        self.show_sentences(0, "measuring every line by a model of the others ...; escape stops it")
        self.set_interval(_SECONDS, self._tell)
        self.wait_for(lambda: self.shell.runner.ask_beside(question), self._found)

    def on_unmount(self) -> None:
        self._stopped.set()

    def _tell(self) -> None:
        if self._report is None and not self._stopped.is_set():
            self.say(self._told)

    def _found(self, report: OutlierReport) -> None:
        self._report = report
        self.say(f"the {self.count:,} strangest of {report.measured:,} lines")
        self.show_sentences(self.count, "No line is there.")

    @property
    def count(self) -> int:
        return len(self._report.lines) if self._report else 0

    @property
    def counted(self) -> str:
        return f"{self.count:,} of {self._report.measured:,} lines" if self._report else ""

    def sentence(self, row: int) -> tuple[int, str]:
        lines = self._report.lines if self._report else ()
        return lines[row].sentence, lines[row].text

    def figures(self, row: int) -> str:
        if self._report is None:
            return ""
        line = self._report.lines[row]
        return f"{line.score:6.2f} {line.self_entropy:6.2f} {line.rarity:6.2f} "

    def row_text(self, row: int, width: int) -> Text:
        return marked_line(self._report.lines[row], width) if self._report else Text()

    def told(self, row: int) -> Text:
        return marked_line(self._report.lines[row]) if self._report else Text()

    def keep(self, store: Store, name: str, rows: list[int], *, others: bool) -> int:
        if self._report is None:
            return 0
        chosen = replace(self._report, lines=tuple(self._report.lines[row] for row in rows))
        return keep_outliers(store, name, chosen, self._collection, others=others)

    def action_stop(self) -> None:
        if self._report is not None:
            self.say("all lines are measured")
        else:
            self._stopped.set()
            self.say("stopping ...")
