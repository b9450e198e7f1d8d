"""Writing what was accepted in a session into the corpus, as a job in the background."""

from __future__ import annotations

from corpusdb.queries.sessions.decisions import ApplyReport, apply_session
from corpusdb.queries.sessions.views import SeedView
from tui.background.jobs import JobState
from tui.shared.dialogs import ConfirmDialog
from tui.shared.place_screen import PlaceScreen

__all__ = ["Applying"]


class Applying:
    """Asks, starts the job, and knows its report."""

    def __init__(self, screen: PlaceScreen, session: str) -> None:
        self._screen = screen
        self._session = session
        self._job: int | None = None

    def ask(self, view: SeedView) -> None:
        """Write what was accepted, if somebody says so."""
        count = view.standing.to_apply
        if self._screen.shell.read_only:
            self._screen.say("the database may only be read", is_error=True)
        elif count:
            question = f"Write {count:,} accepted into the corpus? That cannot be undone."
            self._screen.app.push_screen(ConfirmDialog(question), lambda yes: self._start() if yes else None)
        else:
            self._start()  # what an interrupted one has left to be derived

    def _start(self) -> None:
        name = self._session
        job = self._screen.shell.jobs.start(f"write accepted of {name}", lambda store: apply_session(store, name))
        self._job = job.number
        self._screen.say("writing in the background")

    def report_of(self, state: JobState) -> ApplyReport | None:
        """The report of the job that was started here, where that is the one which has ended."""
        if state.number == self._job and isinstance(state.result, ApplyReport):
            return state.result
        return None
