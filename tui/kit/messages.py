"""What widgets and workers tell the screens, in the past tense, and what screens want of other places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message

from corpusdb.people.queries.views import UnstoredSession
from tui.kit.background import JobState


@dataclass
class _FromRow(Message):
    """Something about a row of a list."""

    list_id: str
    row: int


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
    text: str
    is_error: bool = False


@dataclass
class Chosen(Message):
    """Somebody chose another one of a few words."""

    choice_id: str
    value: str


@dataclass
class JobChanged(Message):
    state: JobState

    def can_replace(self, message: Message) -> bool:
        """Only the newest state of a job matters."""
        return isinstance(message, JobChanged) and message.state.number == self.state.number


@dataclass
class PlaceWanted(Message):
    """Somebody wants to go on with something in another place: the browser goes there, and its first screen takes it.

    Posted to the browser itself.
    """

    place: ClassVar[str]
    """The key of the place."""


@dataclass
class CorpusWanted(PlaceWanted):
    place = "corpus"
    text: str
    language: str


@dataclass
class SessionWanted(PlaceWanted):
    place = "session"
    session: UnstoredSession


@dataclass
class ParadigmWanted(PlaceWanted):
    place = "paradigms"
    text: str
    language: str


@dataclass
class WordAsked(PlaceWanted):
    """How a word is translated, and what else it is called, is to be shown."""

    place = "equivalents"
    word: str
    language: str
