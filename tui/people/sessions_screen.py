"""The sessions: queues of seeds with what was decided of their paraphrases, and the way into each."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.cells import set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from corpusdb.base.display import cell_safe, counted
from corpusdb.base.errors import UsageError
from corpusdb.base.options import number_of
from corpusdb.base.text import language_code
from corpusdb.corpus.orders import DEFAULT_ORDER
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import filter_at
from corpusdb.people.queries.sessions import (
    SeedSource,
    SessionProgress,
    create_session,
    delete_session,
    deleted_sessions,
    distinct_seeds,
    rename_session,
    restore_session,
    seeds_from,
    session_name,
    sessions,
    unused_name,
)
from corpusdb.people.queries.views import UnstoredSession
from tui.kit.dialogs import ConfirmDialog, FormDialog
from tui.kit.fields import Field
from tui.kit.place_screen import Hints, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Opened, PlaceWanted, RowList, SessionOpened, SessionWanted, Static, Text, bind
from tui.people.deciding import ask_name, ask_references
from tui.people.seed_screen import SeedScreen


@dataclass(frozen=True, slots=True)
class SessionRequest:
    name: str
    language: str
    source: SeedSource
    order: int

    def create(self, store: Store) -> tuple[SessionProgress, str]:
        """Begin it; what of the seeds was left out or lacks, in words. Raises as seeds_from and create_session do."""
        kept = filter_at(self.order)
        seeds = seeds_from(store, self.source, self.language, kept)
        standing = create_session(store, self.name, self.language, seeds, kept, self.source.described)
        return standing, distinct_seeds(seeds).left_out or self.source.shortage(len(seeds))


def session_fields(name: str, languages: Sequence[str], language: str) -> list[Field]:
    """The lines of the form; one of four tells where the seeds come from, or a sample is one of another."""
    return [
        Field("name", "Name", name, "what the session is called; R in the list of sessions changes it"),
        Field("language", "Language", language, "of the seeds and their paraphrases", tuple(languages)),
        Field("sample", "Seeds: a sample of", hint="how many, with paraphrases, of all or of these"),
        Field("file", "or those of a file", hint="one seed a line", is_file=True),
        Field("search", "or those found with", hint="the sentences that hold this"),
        Field("text", "or one sentence", hint="the only seed; t adds others later"),
        Field("seed", "Random seed", "1", "of the sample: the same number draws the same ones"),
        Field(
            "order",
            "Least order N",
            str(DEFAULT_ORDER),
            "all runs of N characters were seen in the corpus; 0: all pass",
        ),
    ]


def session_request(values: Mapping[str, str]) -> SessionRequest:
    """What the fields say. Raises CorpusError."""
    if not values["name"]:
        raise UsageError("a session needs a name")
    file = Path(values["file"]).expanduser() if values["file"] else None
    if file is not None and not file.is_file():
        raise UsageError(f"there is no file {values['file']!r}")
    source = SeedSource(
        texts=(values["text"],) if values["text"] else (),
        file=file,
        search=values["search"] or None,
        sample=_number(values["sample"], "the sample", 1) if values["sample"] else None,
        seed=_number(values["seed"], "the random seed"),
    )
    return SessionRequest(values["name"], language_code(values["language"]), source, _number(values["order"], "N"))


def _number(text: str, what: str, least: int = 0) -> int:
    if not text.isdecimal() or number_of(text) < least:
        raise UsageError(f"{what} is a whole number from {least}, not {text!r}")
    return number_of(text)


_NAME_CELLS = 14
_HEADING = f"  {'session':<{_NAME_CELLS}}  lang  {'seed':>11}  {'done':>5} accepted rejected to write"
_BLOCKED = " blocked"
"""A column that is there where a session has any."""
_FIRST_LANGUAGE = "eng"
_EMPTY = """No session yet: c begins one, and so does p on a sentence in Search.

In a session one goes from sentence to sentence: each has its translations,
its paraphrases, and why each holds; a accepts one, x rejects it, u undoes.
e writes what was accepted as references, w into the corpus.
Where the corpus has no paraphrases, 6 and p generate them."""


class SessionScreen(PlaceScreen):
    """All sessions, the one used last first, with how much was decided in each, and how much is to be written."""

    PLACE = "session"
    BEGINS = ("paraphrases", "detect", "generate", "session", "accept", "references")
    NEEDS_ROWS = ("rename", "delete", "export")
    SIGNS = (
        ("seed", "The position of the open seed, of all in the session"),
        ("done", "Seeds that are marked as done"),
        ("to write", "Accepted, and not yet in the corpus: w in the session writes them, as `session apply`"),
        ("blocked", "Accepted, but cannot be written: their seed has no translations to share"),
    )
    HINTS = Hints(
        (
            "list.open",
            "session.create",
            "session.rename",
            "session.delete",
            "session.undo-names",
            "session.export-listed",
        )
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("c", "create", "New", "session.create", "Begin a session; its seeds are the sentences to be paraphrased"),
        bind("R", "rename", "Rename", "session.rename", "Give this session another name"),
        bind("D", "delete", "Delete", "session.delete", "Delete this session; u brings it back"),
        bind(
            "u",
            "undo",
            "Undo",
            "session.undo-names",
            "Take back the last renaming or deletion made here, or the last deletion by anyone",
        ),
        bind("e", "export", "Export", "session.export-listed", "Write its accepted references to a file"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.sessions: list[SessionProgress] = []
        self._offered: tuple[list[str], str] | None = None
        """What a new session may be of, and be called: the form opens at once."""
        self._version = 0
        """Of the file, when it was last looked whether the sessions have changed."""
        self._decided_here: set[int] = set()
        """The numbers of the decisions that were made in this browser, in any session."""
        self._opened_last: SeedScreen | None = None
        """The session from which one comes back."""
        self._undo: list[tuple[str, Callable[[Store], SessionProgress]]] = []
        """What takes back what was done here to sessions as a whole, the last one last, and what is told of it."""

    def compose_body(self) -> ComposeResult:
        yield Static("", id="sessions-head")
        yield RowList(id="sessions", empty="reading the sessions ...")

    def on_mount(self) -> None:
        """What was decided in a session may be written after one has left it."""
        self.shell.unwritten_changed.subscribe(self, lambda count: self.look_again() if self.is_current else None)

    def on_screen_resume(self) -> None:
        self.ask(self._read, self._show, kind="sessions")

    def _read(self, reader: DatabaseReader) -> list[SessionProgress]:
        self._offered = languages_of(reader.store), unused_name(reader.store, "session")
        return sessions(reader.store)

    def look_again(self) -> None:
        def question(reader: DatabaseReader) -> list[SessionProgress] | None:
            before, self._version = self._version, reader.store.version
            return None if before == self._version else self._read(reader)

        def then(found: list[SessionProgress] | None) -> None:
            if found is not None and self.is_current:
                self._show(found)

        self.ask(question, then, kind="sessions.again")

    def _show(self, found: list[SessionProgress]) -> None:
        rows = self.query_one(RowList)
        before = self.sessions[rows.cursor].id if self.sessions else None
        if self._opened_last is not None:
            before, self._opened_last = self._opened_last.seed.id, None
        self.sessions = found
        self.query_one("#sessions-head", Static).update(_heading(found) if found else "")
        has_blocked = _BLOCKED in _heading(found)
        rows.show_rows(
            len(found),
            lambda row: Text(_row(found[row], has_blocked=has_blocked)),
            cursor=next((row for row, each in enumerate(found) if each.id == before), rows.cursor),
            empty=_EMPTY,
        )

    def lines(self) -> list[str]:
        return [_heading(self.sessions).strip(), *super().lines()]

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        session = self.sessions[message.row]
        self._open(session.name, session.id)

    def _open(self, name: str, id: int | None = None, told: str = "", unstored: UnstoredSession | None = None) -> None:
        decided = self._decided_here
        self._opened_last = SeedScreen(name, id, decided_here=decided, told=told, unstored=unstored)
        self.app.push_screen(self._opened_last)

    def take(self, wanted: PlaceWanted) -> None:
        if isinstance(wanted, SessionOpened):
            self._open(wanted.name, wanted.id)
        if isinstance(wanted, SessionWanted):
            session = wanted.session
            told = "only looked at: the session is stored when you decide something"
            self._open(session.name, told=told, unstored=session)

    def action_create(self) -> None:
        if self._offered is None:
            self.ask(self._read, lambda found: self.action_create(), kind="sessions", opens=True)
        else:
            self._ask_what(*self._offered)

    def _ask_what(self, languages: Sequence[str], name: str) -> None:
        language = _FIRST_LANGUAGE if _FIRST_LANGUAGE in languages or not languages else languages[0]
        if self.shell.language in languages:
            language = self.shell.language
        fields = session_fields(name, languages, language)
        made: list[tuple[SessionProgress, str]] = []

        async def create(values: Mapping[str, str]) -> None:
            made.append(await self.shell.runner.change(session_request(values).create))

        def created(values: Mapping[str, str]) -> None:
            standing, left_out = made[-1]
            self._open(standing.name, standing.id, left_out)

        def created_late(values: Mapping[str, str]) -> None:
            self._changed(f"the session {made[-1][0].name} has begun", made[-1][0].id)

        FormDialog(
            "Begin a session; its seeds are the sentences to be paraphrased", fields, session_request, create
        ).ask(self, created, created_late)

    @property
    def current(self) -> SessionProgress | None:
        """The session under the cursor; says so where there is none."""
        if not self.sessions:
            self.say("there is no session here", is_error=True)
            return None
        return self.sessions[self.query_one(RowList).cursor]

    def action_rename(self) -> None:
        session = self.current
        if session is None:
            return
        name, id = session.name, session.id

        def renamed(new: str) -> None:
            back = lambda store: rename_session(store, session_name(store, id), name)  # noqa: E731
            self._undo.append((f"it is called {name} again", back))
            self._changed(f"{name} is called {new} now; u takes that back", id)

        ask_name(self, session, renamed)

    def action_delete(self) -> None:
        session = self.current
        if session is None:
            return

        def deleted(standing: SessionProgress) -> None:
            name = standing.name
            self._undo.append((f"{name} is back", lambda store: restore_session(store, name)))
            later = f"later `corpusdb session restore {shlex.quote(name)}`"
            self._changed(f"{name} is deleted; u brings it back, {later}")

        def delete(yes: bool) -> None:
            self.write(lambda store: delete_session(store, session_name(store, session.id)), deleted)

        decisions = counted(session.accepted + session.rejected, "decisions")
        ConfirmDialog(f"Delete {cell_safe(session.name)}, with {decisions}? u brings it back.").ask(self, delete)

    def action_export(self) -> None:
        session = self.current
        if session is not None:
            ask_references(self, session)

    def action_undo(self) -> None:
        if self._undo:
            told, change = self._undo.pop()
            self.write(change, lambda standing: self._changed(told, standing.id))
            return

        def restored(standing: SessionProgress | None) -> None:
            if standing is None:
                self.say("nothing was renamed or deleted here, and no session is deleted", is_error=True)
            else:
                self._changed(f"{standing.name} is back, which was deleted earlier or elsewhere", standing.id)

        self.write(lambda store: restore_session(store) if deleted_sessions(store) else None, restored)

    def _changed(self, told: str, id: int | None = None) -> None:
        """List the sessions as they are now, with the cursor on one, and say what was done."""

        def then(found: list[SessionProgress]) -> None:
            rows = self.query_one(RowList)
            cursor = next((row for row, each in enumerate(found) if each.id == id), rows.cursor)
            self._show(found)
            rows.cursor = cursor
            self.say(told)

        self.ask(self._read, then)


def _heading(sessions: Sequence[SessionProgress]) -> str:
    return _HEADING + _BLOCKED * any(each.without_translations for each in sessions)


def _row(standing: SessionProgress, *, has_blocked: bool) -> str:
    name = set_cell_size(cell_safe(standing.name), _NAME_CELLS)
    seed = f"{standing.position:,} of {standing.seeds:,}"
    figures = f"{standing.done:>5,} {standing.accepted:>8,} {standing.rejected:>8,} {standing.to_apply:>8,}"
    figures += f" {standing.without_translations:>{len(_BLOCKED) - 1},}" if has_blocked else ""
    return f"{name}  {standing.language:<4}  {seed:>11}  {figures}"
