"""Leaving the browser with jobs under way, and the terminal that is too small for it."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tui.kit.background import JobState, Runner
from tui.kit.dialogs import Dialog
from tui.kit.late_screen import LateScreen
from tui.kit.place_screen import Hints
from tui.kit.shown import Label, Static, bind

Leave: TypeAlias = Literal["wait", "cancel", "stay"]
_CHOICES = (
    "w  wait: leave when they are done",
    "c  cancel: what they have written to the database is kept",
    "s  stay",
)
_UNWRITTEN_CHOICES = ("w  wait: leave when they are written", "c  leave without them: they are lost", "s  stay")


class LeaveDialog(Dialog[Leave]):
    """Asks what is to become of jobs, and of what is not written yet, when somebody leaves."""

    HINTS = Hints(last=("leave.stay", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("w", "dismiss('wait')", "Wait", "leave.wait", "Leave when all is done"),
        bind("c", "dismiss('cancel')", "Cancel", "leave.cancel", "Cancel it and leave"),
        bind("s,q,escape", "dismiss('stay')", "Stay", "leave.stay", "Do not leave"),
    ]

    def __init__(self, active: list[JobState], unwritten: int = 0) -> None:
        super().__init__()
        self._active = active
        self._unwritten = unwritten

    def compose(self) -> ComposeResult:
        with Vertical(classes="form wide"):
            for line in self.lines():
                yield Label(line)
            yield self.hints()

    def lines(self) -> list[str]:
        waiting = f"Not written yet, since another process writes: {self._unwritten:,} of your changes; c loses them"
        lines = [waiting] if self._unwritten else []
        if self._active:
            lines += ["These jobs are not done:", *(f"   {job.title}" for job in self._active)]
        return [*lines, *(_CHOICES if self._active else _UNWRITTEN_CHOICES)]


class Leaving:
    """Leaves the browser: at once where no job runs and all is written, else as its user says."""

    def __init__(self, app: App[None], runner: Runner) -> None:
        self._app = app
        self._runner = runner
        self._jobs = runner.jobs
        self.waits = False
        """Whether somebody who left waits for what is not done."""
        self._drops = False
        """Whether they do without what is not written."""

    @property
    def _is_idle(self) -> bool:
        return not self._jobs.active and (self._drops or not self._runner.unwritten)

    def leave(self) -> None:
        """Leave, or ask what is to become of what is not done."""
        if self._is_idle:
            self._app.exit()
        elif not isinstance(self._app.screen, LeaveDialog):
            self._app.push_screen(LeaveDialog(self._jobs.active, self._runner.unwritten), self._answered)

    def leave_if_idle(self) -> None:
        """Leave where somebody waits for what is not done and nothing is left."""
        if self.waits and self._is_idle:
            self._app.exit()

    def _answered(self, answer: Leave | None) -> None:
        self.waits = answer in ("wait", "cancel")
        self._drops = answer == "cancel"
        if answer == "cancel":
            for job in self._jobs.active:
                self._jobs.cancel(job.number)
            self._jobs.interrupt()
        self.leave_if_idle()


LEAST_WIDTH, LEAST_HEIGHT = 40, 10


class TooSmallScreen(ModalScreen[None], LateScreen[None]):
    """Says that the terminal is too small, until it is made larger."""

    def compose(self) -> ComposeResult:
        yield Static("\n".join(self.lines()), id="too-small")

    def on_screen_resume(self) -> None:
        """It may have become larger while another place was looked at."""
        if self.app.size.width >= LEAST_WIDTH and self.app.size.height >= LEAST_HEIGHT:
            self.dismiss()

    def lines(self) -> list[str]:
        return ["This terminal is too small.", f"{LEAST_WIDTH}x{LEAST_HEIGHT} are needed.", "ctrl+q leaves."]
