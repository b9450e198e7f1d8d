"""Writing what was accepted in a session into the corpus, as a job in the background."""

from __future__ import annotations

from corpusdb.queries.sessions.decisions import ApplyReport, apply_session
from corpusdb.queries.sessions.sessions import Standing
from corpusdb.queries.sessions.views import SeedView
from tui.background.jobs import JobState
from tui.sessions.open_seed import OpenSeed
from tui.sessions.seed_lines import asked_to_write, told_untranslated
from tui.shared.dialogs import ConfirmDialog
from tui.shared.place_screen import PlaceScreen

__all__ = ["Applying"]


class Applying:
    """Asks, starts the job, and knows its report."""

    def __init__(self, screen: PlaceScreen, seed: OpenSeed) -> None:
        self._screen = screen
        self._seed = seed
        self._job: int | None = None

    def ask(self, view: SeedView) -> None:
        """Write what was accepted and can be written, if somebody says so."""
        at = view.standing
        if self._screen.shell.read_only:
            self._screen.say("the database may only be read", is_error=True)
        elif at.to_apply:
            dialog = ConfirmDialog(asked_to_write(at))
            self._screen.app.push_screen(dialog, lambda yes: self._start(at) if yes else None)
        else:
            self._start(at)  # what an interrupted one has left to be derived

    def _start(self, at: Standing) -> None:
        seed, left = self._seed, at.without_translations
        title = f"write {at.to_apply:,} accepted of {at.name}" if at.to_apply else f"write accepted of {at.name}"
        title += f", not {left:,} without translations" if left else ""
        job = self._screen.shell.jobs.start(title, lambda store: apply_session(store, seed.name_in(store)))
        self._job = job.number
        nothing = "" if at.to_apply else told_untranslated(at)
        self._screen.say(nothing or "writing in the background")

    def report_of(self, state: JobState) -> ApplyReport | None:
        """The report of the job that was started here, where that is the one which has ended."""
        if state.number == self._job and isinstance(state.result, ApplyReport):
            return state.result
        return None
