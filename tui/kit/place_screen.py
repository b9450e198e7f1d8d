"""What the screens of every place have: the line of places, the status line, finding, copying, background work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar, TypeVar, cast

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from corpusdb.base.errors import CorpusError
from corpusdb.corpus.store import Store
from tui.kit.background import Shell, place_key
from tui.kit.lines import FindLine, Hints, Legend, PlacesLine, StatusLine
from tui.kit.messages import PlaceWanted, StatusChanged
from tui.kit.reader import DatabaseReader, Superseded
from tui.kit.row_list import RowList

Answer = TypeVar("Answer")


class PlaceScreen(Screen[object]):
    """A screen of a place, the first one or one that is opened from it."""

    PLACE: ClassVar[str] = ""
    """The key of its place, for a screen of one place only."""
    REACHED: ClassVar[str] = ""
    """How one comes here from the first screen of the place, such as ``Enter on a session``; empty for that itself."""
    SIGNS: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Its letters, marks and columns, and what each means, for the help."""
    HINTS: ClassVar[Hints] = Hints(("list.open", "screen.find", "screen.copy"))
    """What its line of hints names, besides the way out and the help."""
    FORGETS_SAID: ClassVar[bool] = False
    """Whether its status line tells what was done last, which is old when one comes back from elsewhere."""
    AUTO_FOCUS: ClassVar[str | None] = (
        "RowList"  # and no line of input: what is typed while a screen is being made is for the keys
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "Find", id="screen.find", tooltip="Find in this list; n and N go on"),
        Binding("y", "copy", "Copy", id="screen.copy", tooltip="Copy this row, or the selected rows"),
        Binding("q", "back", "Back", id="screen.back", tooltip="Go back; leave the browser from the first screen"),
        Binding(
            "escape", "app.leave_screen", "Back", id="screen.leave", tooltip="Go back to the screen before", show=False
        ),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.place = self.PLACE
        """The key of the place to which it belongs."""

    def compose(self) -> ComposeResult:
        """The frame; what is inside comes from compose_body."""
        places = self.shell.places
        here = next((place.name for place in places if place.key == self.place), "")
        keys = [(place_key(number).upper(), place.name) for number, place in enumerate(places, 1)]
        yield PlacesLine(keys, here, id="places")
        yield from self.compose_body()
        yield Legend(self.HINTS, self._name_of)
        yield FindLine()
        yield StatusLine(id="status", mark="read only" if self.shell.read_only else "")

    def compose_body(self) -> ComposeResult:
        """The widgets between the line of places and the status line."""
        raise NotImplementedError

    def on_mount(self) -> None:
        line, jobs = self.query_one(StatusLine), self.shell.jobs
        self.shell.job_changed.subscribe(line, lambda state: line.show_job(jobs.summary))
        line.show_job(jobs.summary)
        self.shell.unwritten_changed.subscribe(line, line.show_unwritten)
        line.show_unwritten(self.shell.runner.unwritten)

    def lines(self) -> list[str]:
        """What the screen shows, as lines to be read aloud or piped on."""
        return [line for rows in self.query(RowList) for line in rows.lines()]

    def take(self, wanted: PlaceWanted) -> None:
        """Go on with what somebody wanted of this place; only its first screen is asked."""

    def _name_of(self, binding: Binding) -> str:
        """What the line of hints calls a binding."""
        if binding.id == "screen.back" and self.shell.is_lowest(self):
            return "quit"
        return binding.description.lower()

    @property
    def shell(self) -> Shell:
        """The browser around this screen."""
        return cast("Shell", self.app)

    def say(self, text: str, *, is_error: bool = False) -> None:
        self.query_one(StatusLine).say(text, is_error=is_error)

    def on_screen_suspend(self) -> None:
        """Forget what was said, when somebody goes elsewhere; a dialog over the screen is not elsewhere."""
        if self.FORGETS_SAID and isinstance(self.app.screen, PlaceScreen):
            self.say("")

    def on_status_changed(self, message: StatusChanged) -> None:
        self.say(message.text, is_error=message.is_error)

    def ask(
        self, question: Callable[[DatabaseReader], Answer], then: Callable[[Answer], None], kind: str | None = None
    ) -> None:
        """Ask a short question, and hand its answer to ``then`` here, on the thread of the screen.

        Errors go to the status line. Of several questions of one ``kind`` only the newest is answered.
        """
        self.wait_for(lambda: self.shell.runner.ask(question, kind), then)

    def write(self, change: Callable[[Store], Answer], then: Callable[[Answer], None], *, kept: bool = False) -> None:
        """Change the database in the background, and hand what the change returned to ``then`` here.

        What is ``kept`` is written when no other process writes. Errors go to the status line.
        """
        self.wait_for(lambda: self.shell.runner.change(change, kept=kept), then)

    @work(exclusive=False)
    async def wait_for(self, begin: Callable[[], Awaitable[Answer]], then: Callable[[Answer], None]) -> None:
        """Hand what comes of work in the background to ``then`` here, if this screen is still there.

        Errors go to the status line.
        """
        with self.errors_shown():
            answer = await begin()
            if self.is_attached:
                then(answer)

    @contextmanager
    def errors_shown(self) -> Iterator[None]:
        """Say what went wrong instead of stopping the browser."""
        try:
            yield
        except Superseded:
            pass
        except CorpusError as error:
            if self.is_attached:
                self.say(str(error), is_error=True)

    def main_list(self) -> RowList | None:
        """The list that is being looked at: the one with the focus, else the first."""
        if isinstance(self.focused, RowList):
            return self.focused
        return next(iter(self.query(RowList)), None)

    def action_find(self) -> None:
        rows = self.main_list()
        if rows is not None:
            self.query_one(FindLine).open_for(rows)

    def copied_text(self) -> str:
        """What is copied: the selected rows, else the row with the cursor."""
        rows = self.main_list()
        if rows is None or not rows.count:
            return ""
        return "\n".join(rows.text_of(row) for row in sorted(rows.selected) or [rows.cursor])

    @work(exclusive=True, group="copy")
    async def action_copy(self) -> None:
        text = self.copied_text()
        if text:
            self.say(await self.shell.copy(text))
        else:
            self.say("nothing to copy here", is_error=True)

    def action_back(self) -> None:
        self.shell.go_back()
