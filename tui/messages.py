"""What widgets and workers tell the screens, in the past tense."""

from __future__ import annotations

from dataclasses import dataclass

from textual.dom import DOMNode
from textual.message import Message

from tui.background.jobs import JobState

__all__ = ["Chosen", "Highlighted", "JobChanged", "Opened", "StatusChanged"]


@dataclass
class _FromRow(Message):
    """Something about a row of a list."""

    list_id: str
    row: int

    @property
    def control(self) -> DOMNode | None:
        """The list, so that ``@on`` can tell one list from another."""
        return self._sender if isinstance(self._sender, DOMNode) else None


@dataclass
class Highlighted(_FromRow):
    """The cursor of a list came to a row."""

    def can_replace(self, message: Message) -> bool:
        """Only the last row that the cursor came to matters."""
        return isinstance(message, Highlighted) and message.list_id == self.list_id


@dataclass
class Opened(_FromRow):
    """Somebody pressed Enter on a row of a list."""


@dataclass
class StatusChanged(Message):
    """There is something to say in the status line."""

    text: str
    is_error: bool = False


@dataclass
class Chosen(Message):
    """Somebody chose another one of a few words."""

    choice_id: str
    value: str


@dataclass
class JobChanged(Message):
    """A background job began, came on or ended."""

    state: JobState

    def can_replace(self, message: Message) -> bool:
        """Only the newest state of a job matters."""
        return isinstance(message, JobChanged) and message.state.number == self.state.number
