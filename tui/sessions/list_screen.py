"""The sessions: queues of seeds with what was decided of their paraphrases, and the way into each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.display import cell_safe
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.sessions.sessions import Standing, sessions, unused_name
from tui.background.reader import DatabaseReader
from tui.messages import Opened, PlaceWanted, SessionWanted
from tui.sessions.forms import session_fields, session_request
from tui.sessions.seed_screen import SeedScreen
from tui.shared.form import FormDialog
from tui.shared.place_screen import PlaceScreen
from tui.shown import Static, Text
from tui.widgets.row_list import RowList

__all__ = ["SessionScreen"]

_NAME_CELLS = 14
_HEADING = f"  {'session':<{_NAME_CELLS}}  lang  {'seed':>11}  {'done':>5} {'+':>4} {'-':>4} write"
_FIRST_LANGUAGE = "eng"


class SessionScreen(PlaceScreen):
    """All sessions, the one used last first: + accepted, - rejected, and how many of the former are to be written."""

    PLACE = "session"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "create", "New", id="session.create", tooltip="Begin a session"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.sessions: list[Standing] = []

    def compose_body(self) -> ComposeResult:
        yield Static(_HEADING, id="sessions-head")
        yield RowList(id="sessions", empty="...")

    def on_screen_resume(self) -> None:
        self.ask(lambda reader: sessions(reader.store), self._show, kind="sessions")

    def _show(self, found: list[Standing]) -> None:
        self.sessions = found
        rows = self.query_one(RowList)
        rows.show_rows(
            len(found),
            lambda row: Text(_row(found[row])),
            empty="No session yet: c begins one, so does p in the corpus.",
        )

    def lines(self) -> list[str]:
        """The headings, and a line for each session."""
        return [_HEADING.strip(), *super().lines()]

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        self._open(self.sessions[message.row].name)

    def _open(self, name: str) -> None:
        self.app.push_screen(SeedScreen(name))

    def take(self, wanted: PlaceWanted) -> None:
        """Open a session."""
        if isinstance(wanted, SessionWanted):
            self._open(wanted.name)

    def action_create(self) -> None:
        def question(reader: DatabaseReader) -> tuple[list[str], str]:
            languages = languages_of(reader.store)
            return languages, unused_name(reader.store, "session")

        self.ask(question, lambda known: self._ask_what(*known), kind="session.languages")

    def _ask_what(self, languages: Sequence[str], name: str) -> None:
        language = _FIRST_LANGUAGE if _FIRST_LANGUAGE in languages or not languages else languages[0]
        if self.sessions:
            language = self.sessions[0].language
        fields = session_fields(name, languages, language)
        self.app.push_screen(FormDialog("Begin a session", fields, session_request), self._create)

    def _create(self, values: dict[str, str] | None) -> None:
        if values is None:
            return
        request = session_request(values)

        self.say("looking for the seeds ...")
        self.write(request.create, lambda made: self._open(made.name))


def _row(standing: Standing) -> str:
    name = set_cell_size(cell_safe(standing.name), _NAME_CELLS)
    seed = f"{standing.position:,} of {standing.seeds:,}"
    figures = f"{standing.done:>5,} {standing.accepted:>4,} {standing.rejected:>4,} {standing.to_apply:>5,}"
    return f"{name}  {standing.language:<4}  {seed:>11}  {figures}"
