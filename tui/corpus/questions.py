"""What the corpus place asks the desk for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from corpusdb.errors import Cancelled, QueryError, UsageError
from corpusdb.jobs import Job, Progress
from corpusdb.queries.search.concordance import Concordance, Group, arrange_lines
from corpusdb.queries.search.request import SearchRequest
from corpusdb.queries.search.search import Hits
from corpusdb.stoppable.limit import SECONDS_FOR_PATTERNS, Limit
from tui.background.reader import Desk, Superseded
from tui.background.stepwise import StepwiseTask

if TYPE_CHECKING:
    from tui.shared.place_screen import PlaceScreen

__all__ = ["Answer", "SearchErrand", "answer"]

Answer: TypeAlias = Hits | Concordance | tuple[Concordance, list[Group]]
"""Sentences; lines; or lines and the groups in which they are counted."""


_SECONDS_UNTIL_TOLD = 0.3
"""A search that takes so long is told of in the status line."""


class SearchErrand(StepwiseTask[Answer]):
    """A search that the desk does, which can be stopped at any moment."""

    def __init__(self, screen: PlaceScreen, then: Callable[[Answer], None]) -> None:
        super().__init__(screen, "search", then, self._watch)
        self._limit = Limit(SECONDS_FOR_PATTERNS)
        self._is_told = False

    def look_for(self, words: SearchRequest, group: str | None) -> None:
        """Begin to search."""
        self.begin(lambda desk: answer(desk, words, group, self._limit))
        self._screen.set_timer(_SECONDS_UNTIL_TOLD, self._tell)

    def stop(self) -> None:
        """Do not go on, not even with the pattern that is being looked for."""
        self.give_up()
        super().stop()

    def give_up(self) -> None:
        """Let the pattern end, where nobody is left to hear of it."""
        self._limit.cancel()

    def _watch(self, progress: Progress) -> None:
        self._is_told = True
        of = f" of {progress.total:,}" if progress.total else ""
        self._screen.say(f"{progress.done:,}{of} {progress.stage} ...; escape stops it")

    def _tell(self) -> None:
        if not (self.is_over or self._is_told):
            self._screen.say("searching ...; escape stops it")


def answer(desk: Desk, words: SearchRequest, group: str | None, limit: Limit) -> Job[Answer]:
    """What the words find in the one language that they name; ``group`` asks for the lines of that group only.

    Raises UsageError and InputError for words that make no sense, TookTooLong for a pattern that takes more than its
    time, and Superseded where nobody waits for the answer any more.
    """
    try:
        hits = desk.searcher.find_while_typing(words.search(words.lang), limit)
    except Cancelled:
        raise Superseded from None
    except QueryError as error:  # the line of status is one line
        raise UsageError(f"{error.reason}, at character {error.position + 1}") from error
    if not words.kwic:
        return hits
    concordance = yield from arrange_lines(hits, words.arrangement)
    if words.group is None:
        return concordance
    if group is not None:
        return (yield from concordance.of_group(words.group, group, desk.store, words.shown_languages))
    groups = yield from concordance.grouping(words.group, desk.store, words.shown_languages)
    return concordance, groups
