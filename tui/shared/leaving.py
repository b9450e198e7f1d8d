"""Leaving the browser, which asks first while jobs are running."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tui.background.jobs import JobState
from tui.shown import Label

if TYPE_CHECKING:
    from tui.app import Browser

__all__ = ["LeaveDialog", "leave"]

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


def leave(browser: Browser) -> None:
    """Leave the browser: at once where no job runs, else as its user says."""
    if not browser.jobs.active:
        browser.exit()
    elif not isinstance(browser.screen, LeaveDialog):
        browser.push_screen(LeaveDialog(browser.jobs.active), lambda answer: _answered(browser, answer))


def _answered(browser: Browser, answer: Leave | None) -> None:
    browser.leaves_when_idle = answer in ("wait", "cancel")
    if answer == "cancel":
        for job in browser.jobs.active:
            browser.jobs.cancel(job.number)
        browser.jobs.interrupt()
    if browser.leaves_when_idle and not browser.jobs.active:
        browser.exit()
