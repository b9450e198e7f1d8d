"""What a search means where nothing is said, and queries kept under a name for all who use the database."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from corpusdb.base.display import check_name
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import options_from_json
from corpusdb.corpus.queries.sentences import languages_of, result_languages
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.permissions import now
from corpusdb.corpus.store.user_history import HistoryEntry, recall
from corpusdb.search.queries.request import SearchRequest

# What is meant where nothing is said: which language, and whether case counts.
#
# Where a person sits that is what they used last in this database. A script's answer depends on its call and on the
# database only.


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


def _latest(history: Sequence[HistoryEntry], present: Sequence[str]) -> str | None:
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


# Queries kept under a name in the database, for all who use it.


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A command with the values of its options."""

    name: str
    command: str
    options: Mapping[str, object]
    """By the names of the command's fields."""
    note: str
    saved: str
    """UTC, ISO 8601."""


def saved_request(store: Store, saved: SavedQuery) -> SearchRequest:
    """What a saved search asks; what of it there is no more is noted in the store. Raises UsageError."""
    return options_from_json(SearchRequest, saved.options, store.remarks.append, of=f"the query {saved.name!r}")


_ALL = "select name, command, options, note, saved from saved_query order by name"
_ONE = "select name, command, options, note, saved from saved_query where name = ?"
_SAVE = """
insert into saved_query (name, command, options, note, saved) values (?, ?, ?, ?, ?)
on conflict (name) do update set
    command = excluded.command, options = excluded.options, note = excluded.note, saved = excluded.saved
"""
_DELETE = "delete from saved_query where name = ?"


def check_saving(store: Store, name: str, command: str, options: Mapping[str, object]) -> bool:
    """Whether a query is still to be kept under a name: False where the same is kept under it already.

    Raises UsageError for a name that could be taken for something else, and for one that another query has.
    """
    _check_name(name)
    row = store.connection.execute(_ONE, (name,)).fetchone()
    if row is None:
        return True
    if (row[1], row[2]) != (command, _written(options)):
        raise UsageError(f"another query is saved as {name!r}; `corpusdb queries --delete {name}` makes room")
    return False


def save_query(
    store: Store, name: str, command: str, options: Mapping[str, object], *, note: str = "", replace: bool = False
) -> None:
    """Keep a query; to keep the same one again changes nothing. ``options`` must be what JSON can hold.

    Raises UsageError as ``check_saving`` does; with ``replace`` another query may have the name.
    """
    with store.write() as connection:
        if replace:
            _check_name(name)
        elif not check_saving(store, name, command, options):
            return
        connection.execute(_SAVE, (name, command, _written(options), note, now()))


def _check_name(name: str) -> None:
    check_name(name, "a query")
    if name != name.strip() or re.fullmatch(r"-.*|\d*", name):
        raise UsageError(f"{name!r} cannot be the name of a query: no number, no - in front, no space at the ends")


def _written(options: Mapping[str, object]) -> str:
    return json.dumps(options, ensure_ascii=False, sort_keys=True)


def saved_queries(store: Store) -> list[SavedQuery]:
    """All of them, by name."""
    return [_query(row) for row in store.connection.execute(_ALL)]


def saved_query(store: Store, name: str) -> SavedQuery:
    """The query of that name. Raises InputError, with the names that are like it, where there is none."""
    row = store.connection.execute(_ONE, (name,)).fetchone()
    if row is None:
        raise InputError(_missing(store, name))
    return _query(row)


def delete_query(store: Store, name: str) -> None:
    """Forget the query of that name. Raises InputError, as saved_query does, where there is none."""
    with store.write() as connection:
        if not connection.execute(_DELETE, (name,)).rowcount:
            raise InputError(_missing(store, name))


def _missing(store: Store, name: str) -> str:
    near = get_close_matches(name, [query.name for query in saved_queries(store)])
    advice = f"did you mean {' or '.join(map(repr, near))}?" if near else "`corpusdb queries` lists those there are"
    return f"no query is saved as {name!r}; {advice}"


def _query(row: tuple[str, str, str, str, str]) -> SavedQuery:
    name, command, options, note, saved = row
    return SavedQuery(name, command, json.loads(options), note, saved)
