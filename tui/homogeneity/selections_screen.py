"""The selections that are kept, what is in one, and forgetting one."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.base.cells import padded
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import UsageError
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.report import selection_told
from corpusdb.search.queries.results import SelectionSummary, remove_selection, selection_members, stored_selections
from tui.homogeneity.lines_screens import SentencesScreen
from tui.homogeneity.profile_view import cut
from tui.kit.dialogs import ConfirmDialog
from tui.kit.lines import HeadLine, Hints, Legend
from tui.kit.messages import Opened
from tui.kit.place_screen import PlaceScreen
from tui.kit.row_list import RowList
from tui.kit.shown import Static, Text

__all__ = ["SelectionsScreen"]

_NAME, _LANGUAGE, _COUNT, _METHOD = 20, 4, 9, 11
_NONE = "None is kept: w in a profile, or `corpusdb select --name NAME`, makes one."


class SelectionsScreen(PlaceScreen):
    """One selection a row. Enter lists its sentences."""

    PLACE = "profile"
    AUTO_FOCUS = "#selections"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "remove", "Forget", id="selections.remove", tooltip="Forget this selection; sentences stay"),
    ]
    REACHED = "s"
    HINTS = Hints(("list.open", "selections.remove", "screen.find"))

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[SelectionSummary] = []

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="profile-head")
        names = (padded("name", _NAME), padded("lang", _LANGUAGE), padded("lines", _COUNT, right=True))
        yield Static(f"  {' '.join(names)}  {padded('method', _METHOD)} made of", id="profile-columns")
        yield RowList(id="selections", empty="...")
        yield Static("", id="profile-line")

    def on_screen_resume(self) -> None:
        self._load()

    def _load(self) -> None:
        self.ask(lambda reader: stored_selections(reader.store), self._show, kind="selections")

    def _show(self, found: list[SelectionSummary]) -> None:
        self._rows = found
        rows = self.query_one(RowList)
        self.query_one(HeadLine).show("Selections: each stands wherever a collection does", f"{len(found):,} kept")
        rows.show_rows(len(found), self._row, cursor=rows.cursor, empty=_NONE)
        self.query_one("#profile-line", Static).update(
            "`corpusdb select --show NAME` writes one; search, keywords, profile and select take one for a collection"
        )

    def _row(self, row: int) -> Text:
        each = self._rows[row]
        cells = (
            padded(cut(each.name, _NAME), _NAME),
            padded(each.language, _LANGUAGE),
            padded(f"{each.sentences:,}", _COUNT, right=True),
        )
        told = f"{' '.join(cells)}  {padded(str(each.parameters['method']), _METHOD)} {selection_told(each)}"
        return Text(cell_safe(told), no_wrap=True)

    def lines(self) -> list[str]:
        """The selections and the keys."""
        head = self.query_one(HeadLine)
        return [f"{head.left}  {head.right}", *super().lines(), self.query_one(Legend).line()]

    def _current(self) -> SelectionSummary | None:
        rows = self.query_one(RowList)
        return self._rows[rows.cursor] if self._rows else None

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        self.app.push_screen(SelectionScreen(self._rows[message.row]))

    def action_remove(self) -> None:
        chosen = self._current()
        if chosen is None:
            self.say("no selection is kept", is_error=True)
            return
        name = chosen.name

        def removed(count: int) -> None:
            self.say(f"{name} is forgotten; its {count:,} sentences are still in the corpus")
            self._load()

        def answered(yes: bool | None) -> None:
            if yes:
                self.write(lambda store: remove_selection(store, name), removed)

        question = f"Forget the selection {cell_safe(name)} of {chosen.sentences:,} sentences?"
        self.app.push_screen(ConfirmDialog(question), answered)


class SelectionScreen(SentencesScreen):
    """The sentences of a selection, the best first."""

    COLUMNS: ClassVar[str] = f"{'rank':>8} {'score':>9}  line"
    HINTS = Hints(("list.open", "lines.corpus", "screen.find"))

    def __init__(self, selection: SelectionSummary) -> None:
        super().__init__(f"Selection {selection.name}: {selection_told(selection)}", selection.language)
        self._kept_as = selection.name
        self._members: list[tuple[int, str, float]] = []

    def on_mount(self) -> None:
        name = self._kept_as

        def show(members: list[tuple[int, str, float]]) -> None:
            self._members = members
            self.show_sentences(len(members), "Nothing is in it.")

        self.ask(lambda reader: selection_members(reader.store, name), show)

    @property
    def count(self) -> int:
        return len(self._members)

    def sentence(self, row: int) -> tuple[int, str]:
        number, text, _ = self._members[row]
        return number, text

    def figures(self, row: int) -> str:
        return f"{row + 1:>8,} {self._members[row][2]:9.4f} "

    def keep(self, store: Store, name: str, rows: list[int], *, others: bool) -> int:
        raise UsageError("these are kept already")

    def action_keep(self) -> None:
        self.say(f"these are kept already, as {self._kept_as}", is_error=True)
