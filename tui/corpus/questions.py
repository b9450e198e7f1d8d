"""What the corpus place reads from the database."""

from __future__ import annotations

from typing import TypeAlias

from corpusdb.errors import Cancelled
from corpusdb.jobs import Job
from corpusdb.queries.lexicon.nothing_found import nothing_found
from corpusdb.queries.search.concordance import Concordance, Group, arrange_lines
from corpusdb.queries.search.request import SearchRequest
from corpusdb.queries.search.search import Hits
from corpusdb.stoppable.limit import SECONDS_FOR_PATTERNS, Limit
from tui.background.reader import DatabaseReader
from tui.background.stepwise import StepwiseJob
from tui.background.superseded import Superseded

__all__ = ["Answer", "SearchJob", "answer"]

Answer: TypeAlias = Hits | Concordance | tuple[Concordance, list[Group]]
"""Sentences; lines; or lines and the groups in which they are counted."""


class SearchJob(StepwiseJob[Answer]):
    """A search, which can be stopped at any moment."""

    def __init__(self, words: SearchRequest, group: str | None) -> None:
        """``group`` as for ``answer``."""
        limit = Limit(SECONDS_FOR_PATTERNS)
        super().__init__(lambda reader: answer(reader, words, group, limit))
        self._limit = limit
        self.is_told = False
        """Whether the user has heard how it goes."""

    def stop(self) -> None:
        """Do not go on, not even with the pattern that is being looked for."""
        self._limit.cancel()
        super().stop()


def answer(reader: DatabaseReader, words: SearchRequest, group: str | None, limit: Limit) -> Job[Answer]:
    """What the words find in the one language that they name; ``group`` asks for the lines of that group only.

    Raises UsageError and InputError for words that make no sense, QueryError for a query that cannot be read,
    TookTooLong for a pattern that takes more than its time, and Superseded where nobody waits for the answer any more.
    """
    try:
        search = words.search(words.lang)
        hits = reader.searcher.find_while_typing(search, limit)
        if not len(hits):
            # Other languages are not read for that: the next letter may already be on its way.
            hits.notes += tuple(nothing_found(reader.searcher, search, limit, elsewhere=False))
    except Cancelled:
        raise Superseded from None
    if not words.kwic:
        return hits
    concordance = yield from arrange_lines(hits, words.arrangement)
    if words.group is None:
        return concordance
    if group is not None:
        return (yield from concordance.of_group(words.group, group, reader.store, words.shown_languages))
    groups = yield from concordance.grouping(words.group, reader.store, words.shown_languages)
    return concordance, groups
