"""What is meant where nothing is said: which language, and whether case counts.

Where a person sits that is what they used last in this database. A script's answer depends on its call and on the
database only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpusdb.corpus.queries.sentences import languages_of, result_languages
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.user_history import Entry, recall

__all__ = ["UsualLanguage", "ignored_case", "language_of_results", "usual_language"]


@dataclass(frozen=True, slots=True)
class UsualLanguage:
    """A language, and why it is taken for the one that is meant."""

    language: str
    reason: str
    others: tuple[str, ...]
    """The other languages of the corpus, ascending."""
    is_remembered: bool = False
    """Whether what the user asked before decided it."""

    def __str__(self) -> str:
        return f"{self.language}, {self.reason}"


_FIRST = "select languages from document order by id limit 1"
_MOST = "select language from sentence group by language order by count(*) desc, language limit 1"


def usual_language(store: Store, *, remembered: bool = True) -> UsualLanguage | None:
    """The language to begin with; None for an empty corpus. With one language there is nothing to choose.

    Where it is ``remembered``, the one used last: that of the latest query of the user's own history of this database,
    so that nobody changes it for others, that a person asked and that found something. Else the first column of the
    first file that was imported, and where the corpus has no sentence of it, the language of most sentences.
    """
    present = languages_of(store)
    if not present:
        return None
    if len(present) == 1:
        return UsualLanguage(present[0], "the only language", ())
    language, reason = _latest(recall(store.path), present) if remembered else None, "which was used last here"
    is_remembered = language is not None
    if language is None:
        language, reason = _first_column(store), "the first column of the first import"
    if language not in present:
        language, reason = str(store.connection.execute(_MOST).fetchone()[0]), "which has most sentences"
    return UsualLanguage(language, reason, tuple(each for each in present if each != language), is_remembered)


def language_of_results(store: Store, names: Sequence[str | None]) -> UsualLanguage | None:
    """The language of the first of some names that is that of a result or selection; None where none is."""
    results = result_languages(store)
    found = next((name for name in names if name in results), None)
    if found is None:
        return None
    language = results[found]
    others = tuple(each for each in languages_of(store) if each != language)
    return UsualLanguage(language, f"the language of {found!r}", others)


def _first_column(store: Store) -> str | None:
    row = store.connection.execute(_FIRST).fetchone()
    return None if row is None else str(row[0]).partition(",")[0]


def _latest(history: Sequence[Entry], present: Sequence[str]) -> str | None:
    """The language that the latest query names, of several the first; None where none names one that is there.

    Queries that found nothing, and those of scripts, do not count.
    """
    for entry in reversed(history):
        if entry.total == 0 or not entry.attended:
            continue
        named = entry.options.get("lang")
        if isinstance(named, str) and (first := named.partition(",")[0].strip()) in present:
            return first
    return None


def ignored_case(store: Store) -> bool:
    """Whether the user's last search in this database was told to ignore case; it is meant until one is told not to.

    CQP queries, which say themselves where case counts, do not count, nor do the searches of scripts.
    """
    for entry in reversed(recall(store.path)):
        if entry.attended and entry.command == "search" and not entry.options.get("cqp"):
            return entry.options.get("ignore_case") is True
    return False
