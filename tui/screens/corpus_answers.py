"""What the corpus place asks the desk for."""

from __future__ import annotations

from typing import TypeAlias

from corpusdb.errors import QueryError, UsageError
from corpusdb.queries import Job
from corpusdb.queries.concordance import Concordance, Group
from corpusdb.queries.search import Hits
from corpusdb.queries.search_words import SearchWords
from tui.desk import Desk

__all__ = ["Answer", "answer"]

Answer: TypeAlias = Hits | Concordance | tuple[Concordance, list[Group]]
"""Sentences; lines; or lines and the groups in which they are counted."""


def answer(desk: Desk, words: SearchWords, group: str | None) -> Job[Answer]:
    """What the words find in the one language that they name; ``group`` asks for the lines of that group only.

    Raises UsageError and InputError for words that make no sense.
    """
    try:
        hits = desk.live_searcher.find(words.search(words.lang))
    except QueryError as error:  # the line of status is one line
        raise UsageError(f"{error.reason}, at character {error.position + 1}") from error
    if not words.kwic:
        return hits
    concordance = yield from Concordance.in_steps(hits, words.arrangement)
    if words.group is None:
        return concordance
    if group is not None:
        return (yield from concordance.of_group(words.group, group, desk.store, words.shown_languages))
    groups = yield from concordance.grouping(words.group, desk.store, words.shown_languages)
    return concordance, groups
