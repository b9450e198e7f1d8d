"""Leaving the browser, which asks first while jobs are running."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tui.background.jobs import Jobs, JobState
from tui.shown import Label

__all__ = ["LeaveDialog", "Leaving"]

Leave: TypeAlias = Literal["wait", "cancel", "stay"]
_CHOICES = (
    "w  wait: leave when they are done",
    "c  cancel: what is done is kept, and the same job goes on from there",
    "s  stay",
)


class LeaveDialog(ModalScreen[Leave]):
    """Asks what is to become of the jobs when somebody leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "dismiss('wait')", "Wait", id="leave.wait", tooltip="Leave when the jobs are done"),
        Binding("c", "dismiss('cancel')", "Cancel", id="leave.cancel", tooltip="Cancel the jobs and leave"),
        Binding("s,q,escape", "dismiss('stay')", "Stay", id="leave.stay", tooltip="Do not leave"),
    ]

    def __init__(self, active: list[JobState]) -> None:
        super().__init__(classes="dialog")
        self._active = active

    def compose(self) -> ComposeResult:
        with Vertical(classes="form wide"):
            for line in self.lines():
                yield Label(line)

    def lines(self) -> list[str]:
        """What runs, and what can be done about it."""
        return ["These jobs are not done:", *(f"   {job.title}" for job in self._active), *_CHOICES]


class Leaving:
    """Leaves the browser: at once where no job runs, else as its user says."""

    def __init__(self, app: App[None], jobs: Jobs) -> None:
        self._app = app
        self._jobs = jobs
        self.waits = False
        """Whether somebody who left waits for the jobs."""

    def leave(self) -> None:
        """Leave, or ask what is to become of the jobs."""
        if not self._jobs.active:
            self._app.exit()
        elif not isinstance(self._app.screen, LeaveDialog):
            self._app.push_screen(LeaveDialog(self._jobs.active), self._answered)

    def leave_if_idle(self) -> None:
        """Leave where somebody waits for the jobs and none is left."""
        if self.waits and not self._jobs.active:
            self._app.exit()

    def _answered(self, answer: Leave | None) -> None:
        self.waits = answer in ("wait", "cancel")
        if answer == "cancel":
            for job in self._jobs.active:
                self._jobs.cancel(job.number)
            self._jobs.interrupt()
        self.leave_if_idle()
