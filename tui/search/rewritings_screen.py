"""The rewritings of a Japanese sentence with their rules: those that are kept, else made when it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.base.display import cell_safe, counted
from corpusdb.base.errors import CorpusError
from corpusdb.rules.queries.checking import all_sets
from corpusdb.rules.queries.method import changes_told, rule_changes
from corpusdb.rules.queries.rewritings import TextRewritings, kept_rewritings_of, rewritings_of
from corpusdb.rules.report import dropped_told, lineage_told
from tui.kit.dialogs import ChoiceDialog, DetailsDialog, one_line
from tui.kit.lines import HeadLine, Hints, Legend
from tui.kit.messages import Opened
from tui.kit.place_screen import PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.rewriting_lines import marked_texts
from tui.kit.row_list import RowList
from tui.kit.shown import Static, Text

__all__ = ["RewritingsScreen"]

_USUAL = "all"


@dataclass(frozen=True, slots=True)
class _Found:
    sets: tuple[str, ...]
    """The rule sets there are."""
    rewritings: TextRewritings | None
    reason: str = ""
    """Why there are none."""


class RewritingsScreen(PlaceScreen):
    """Two rows for each rewriting: its text, and below it the rules."""

    PLACE = "corpus"
    AUTO_FOCUS = "#rewritings"
    REACHED = "r on a Japanese sentence"
    HINTS = Hints(("list.open", "rewritings.set", "screen.find"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "choose_set", "Rule set", id="rewritings.set", tooltip="Rewrite it by another rule set, now"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._found = _Found((), None)
        self._rows: list[Text] = []

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="rewritings-head")
        yield Static(Text(cell_safe(self._text), "bold"), id="rewritten-text")
        yield RowList(id="rewritings", empty="rewriting ...")

    def on_mount(self) -> None:
        self._ask(None)

    def _ask(self, name: str | None) -> None:
        """Rewrite the sentence by a rule set; where none is named, look for what is kept first."""
        text = self._text

        def question(reader: DatabaseReader) -> _Found:
            sets = all_sets(reader.store)
            kept = kept_rewritings_of(reader.store, text) if name is None else None
            try:
                return _Found(sets, kept or rewritings_of(reader.store, text, name or _USUAL))
            except CorpusError as error:
                return _Found(sets, None, one_line(error))

        self.ask(question, self._show, kind="rewritings")

    def _show(self, found: _Found) -> None:
        self._found, made = found, found.rewritings
        if made is None:
            self.query_one(RowList).show_rows(0, lambda row: Text(), empty=found.reason)
            self.say(found.reason, is_error=True)
            return
        self._rows = [*_rows(made)]
        self.query_one(RowList).show_rows(len(self._rows), lambda row: self._rows[row], empty="No rule rewrites this.")
        self.query_one(HeadLine).show(cell_safe(f"by {made.by}"), counted(len(made.rewritings), "rewritings"))
        self.say(dropped_told(made.dropped, made.most) or "")

    def lines(self) -> list[str]:
        """The sentence, its rewritings with their rules, and the keys."""
        head = self.query_one(HeadLine)
        rows = [row.rstrip() for row in super().lines()]
        told = [f"{head.left}  {head.right}"] if self._found.rewritings else [self._found.reason]
        return [self._text, *told, *rows, self.query_one(Legend).line()]

    def action_choose_set(self) -> None:
        sets = self._found.sets

        def answered(place: int | None) -> None:
            if place is not None:
                self._ask(sets[place])

        if sets:
            self.app.push_screen(ChoiceDialog("Which rule set?", [cell_safe(name) for name in sets]), answered)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        made = self._found.rewritings
        if made is None:
            return
        rewriting = made.rewritings[message.row // 2]
        before, after = marked_texts(made.text, rewriting)
        told = [cell_safe(line) for line in changes_told(rule_changes(made.text, rewriting))]
        self.app.push_screen(DetailsDialog(f"Rewriting {message.row // 2 + 1}", [before.plain, after.plain, *told]))


def _rows(made: TextRewritings) -> Iterator[Text]:
    for number, rewriting in enumerate(made.rewritings, 1):
        yield Text(f"{number:>3}  ", no_wrap=True) + marked_texts(made.text, rewriting)[1]
        yield Text(f"       {cell_safe(lineage_told(rewriting))}", "dim", no_wrap=True)
