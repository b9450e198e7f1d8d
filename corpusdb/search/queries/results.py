"""Sentences kept under a name, of a query or selected to train on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import I64
from corpusdb.base.display import check_name
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Limit, finished
from corpusdb.base.options import options_from_json
from corpusdb.base.text import nfc
from corpusdb.corpus.queries.export import Held
from corpusdb.corpus.queries.names import SavedQuery, saved_queries
from corpusdb.corpus.queries.sentences import (
    check_collections,
    collection_names,
    part_of,
    places_within,
    result_languages,
    sentences_of,
)
from corpusdb.corpus.store import Store, finish_run, start_run
from corpusdb.search.queries.concordance import (
    arrange_lines,
)
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.search import Searcher, searches


@dataclass(frozen=True, slots=True)
class SelectionSummary:
    name: str
    language: str
    parameters: dict[str, Any]
    sentences: int


_FOUND = ("query", "union", "intersection", "difference")
"""The methods by which results of queries are made; other selections were chosen by a measure."""

_METHOD = "select parameters ->> 'method' from selection where name = ?"


def check_selection_name(store: Store, name: str, *, replace: bool = False) -> None:
    """Raise UsageError for what is no name, and InputError where a selection or a collection has it, before any work.

    With ``replace`` a result of a query may have it.
    """
    check_name(name, "a result")
    name = nfc(name)
    if name in collection_names(store):
        raise InputError(f"there is a collection {name!r} already; give another name")
    row = store.connection.execute(_METHOD, (name,)).fetchone()
    if row is not None and row[0] not in _FOUND:
        raise InputError(f"there is a selection {name!r} already; give another name")
    if row is not None and not replace:
        raise InputError(f"there is a result {name!r} already; give another name, or `results keep --replace`")


_INSERT = "insert into selection (language, name, parameters, curve, run) values (?, ?, ?, ?, ?)"
_INSERT_MEMBER = "insert into selection_member (selection, rank, sentence, score) values (?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class NewSelection:
    """A selection, but for its sentences."""

    name: str
    language: str
    parameters: dict[str, Any]
    curve: list[dict[str, Any]]
    """Empty where nothing was measured."""
    characters: int


def keep_selection(
    store: Store, new: NewSelection, members: Iterable[tuple[int, float]], *, replace: bool = False
) -> int:
    """Keep sentences with their scores, lower is better, the best first; how many, in one transaction.

    Raises InputError as ``check_selection_name`` does, and for a selection without sentences.
    """
    name = nfc(new.name)
    with store.unchecked_references(), store.write() as connection:
        check_selection_name(store, name, replace=replace)
        _remove(connection, name)
        given = {"language": new.language, "name": name, "method": new.parameters["method"]}
        run = start_run(store, "select", given)
        written = [json.dumps(value, ensure_ascii=False, sort_keys=True) for value in (new.parameters, new.curve)]
        number = connection.execute(_INSERT, (new.language, name, *written, run.id)).lastrowid
        rows = [(number, rank, *row) for rank, row in enumerate(members, 1)]
        if not rows:
            raise InputError("there is no sentence to keep")
        connection.executemany(_INSERT_MEMBER, rows)
        finish_run(store, run, {"sentences": len(rows), "characters": new.characters})
    return len(rows)


_NUMBER = "select id from selection where name = ?"
_DELETE_MEMBERS = "delete from selection_member where selection = ?"
_DELETE = "delete from selection where id = ?"


def remove_selection(store: Store, name: str) -> int:
    """Forget a selection, whole or not at all; how many sentences it had. Raises InputError for an unknown name."""
    with store.write() as connection:
        count = _remove(connection, name)
        if count is None:
            raise InputError(_missing(store, name))
    return count


def _remove(connection: sqlite3.Connection, name: str) -> int | None:
    row = connection.execute(_NUMBER, (name,)).fetchone()
    if row is None:
        return None
    count = connection.execute(_DELETE_MEMBERS, row).rowcount
    connection.execute(_DELETE, row)
    return count


_LIST = """
select name, language, parameters,
    (select count(*) from selection_member where selection_member.selection = selection.id)
from selection order by name
"""


def stored_selections(store: Store) -> list[SelectionSummary]:
    rows = store.connection.execute(_LIST).fetchall()
    return [SelectionSummary(name, language, json.loads(given), count) for name, language, given, count in rows]


_MEMBERS = """
select sentence.id, sentence.text, score from selection
join selection_member on selection_member.selection = selection.id
join sentence on sentence.id = selection_member.sentence
where selection.name = ? order by rank
"""


def selection_members(store: Store, name: str) -> list[tuple[int, str, float]]:
    """Number, text and score of the sentences of a selection, the best first. Raises InputError for an unknown name."""
    if store.connection.execute(_NUMBER, (name,)).fetchone() is None:
        raise InputError(_missing(store, name))
    return store.connection.execute(_MEMBERS, (name,)).fetchall()


def _missing(store: Store, name: str) -> str:
    known = ", ".join(each.name for each in stored_selections(store))
    return f"there is no selection {name!r}; " + (f"there are {known}" if known else "none is kept")


# The sentences that a query found, kept under a name, and unions, intersections and differences of such sets.
# A result is a selection (``selection`` of the schema): wherever a collection can be named, it can be named too. It
# holds what was found when it was made, and does not follow the corpus. The sets are those of CQP's ``union``,
# ``intersection`` and ``difference`` (Evert and the CWB Development Team 2022, The CQP Interface and Query Language
# Manual, section 3.4), of sentences instead of matches.


Operation: TypeAlias = Literal["union", "intersection", "difference"]

SEARCH_CALL = "corpusdb search"
"""With this begins the query of a result that was kept on the command line."""

_COMBINED: Mapping[Operation, Callable[[I64, I64], I64]] = {
    "union": np.union1d,
    "intersection": np.intersect1d,
    "difference": np.setdiff1d,
}


@dataclass(frozen=True, slots=True)
class _Operand:
    sentences: I64
    """Ascending and distinct."""
    language: str | None
    """None for a collection, which has several."""
    within: list[tuple[str | None, str | None]]
    """The collections and documents that they were looked for in."""


def found_by(store: Store, request: SearchRequest, limit: Limit | None = None) -> dict[str, I64]:
    """The sentences that a search finds, by language, all of them, whatever it shows; only languages with some.

    Of a concordance of which lines were chosen, at random or by their category, it is the sentences of these.
    Raises UsageError, QueryError, InputError, TookTooLong and Cancelled as a search does.
    """
    searcher, request = Searcher(store), request.for_lines
    with store.snapshot():
        hits = [searcher.find(each, limit) for each in searches(store, request)]
        if (request.sample is not None or request.category) and (request.kwic or request.group):
            chosen = [finished(arrange_lines(each, request.arrangement)) for each in hits]
            lines = [(each.hits.language, [line.sentence for line in each.lines()]) for each in chosen]
            return {language: np.unique(np.array(found, dtype=np.int64)) for language, found in lines if found}
    return {each.language: each.sentences for each in hits if len(each)}


def keep_found(
    store: Store, name: str, request: SearchRequest, asked: str, limit: Limit | None = None, *, replace: bool = False
) -> int:
    """Keep what a search finds as a result; how many sentences. 0 where it finds nothing: then nothing is kept.

    ``asked`` is the query in words. Raises InputError where a collection, a selection or a result has the name, with
    ``replace`` no result, UsageError for a query that finds sentences of several languages, and as ``found_by`` does.
    """
    check_selection_name(store, name, replace=replace)
    found = found_by(store, request, limit)
    if not found:
        return 0
    if len(found) > 1:
        raise UsageError(f"a result is of one language; the query finds sentences in {', '.join(found)}: give --lang")
    ((language, sentences),) = found.items()
    how = {"method": "query", "query": asked, "within": _within(store, *request.place)}
    return _keep(store, name, language, how, sentences, replace=replace)


def _within(store: Store, collection: str | None, document: str | None = None) -> list[tuple[str | None, str | None]]:
    """The places that limit what is found in a collection or result and document."""
    if collection is None or collection in collection_names(store):
        return [(collection, document)] if collection or document else []
    return [*places_within(store, collection), *([(None, document)] if document else [])]


def query_of(store: Store, name: str) -> str | None:
    """The call of the search that a result was kept of; None for other sets, and for what the browser kept."""
    parameters = next((each.parameters for each in stored_selections(store) if each.name == name), {})
    asked = parameters.get("query")
    return asked if isinstance(asked, str) and asked.startswith(SEARCH_CALL) else None


def combine_results(
    store: Store,
    name: str,
    operation: Operation,
    operands: Sequence[str],
    limit: Limit | None = None,
    *,
    replace: bool = False,
) -> int:
    """Keep a set made of others as a result; how many sentences. 0 where it is empty: then nothing is kept.

    ``operands``, two or more, are results, selections, collections, of which the sentences in the language of the
    others count, and saved searches, which are run. A difference is the first without all others. Raises InputError
    for a name that there is not, or that the new one cannot have, with ``replace`` that of a result, and UsageError for
    results of several languages.
    """
    check_selection_name(store, name, replace=replace)
    if len(operands) < 2:
        raise UsageError(f"a {operation} is of two sets or more")
    sets = [_operand(store, each, limit) for each in operands]
    languages = sorted({each.language for each in sets if each.language is not None})
    if len(languages) != 1:
        what = f"these are in {', '.join(languages)}" if languages else "collections alone do not say which"
        raise UsageError(f"a result is of one language; {what}")
    combined = reduce(_COMBINED[operation], [each.sentences for each in sets]).tolist()
    rows = store.connection.execute(_OF_LANGUAGE, (json.dumps(combined), languages[0]))
    sentences = np.fromiter((row[0] for row in rows), np.int64)
    if not len(sentences):
        return 0
    within = sets[0].within
    if operation == "intersection":
        within = [place for each in sets for place in each.within]
    elif operation == "union" and any(each.within != within for each in sets):
        within = []
    how = {"method": operation, "of": list(operands), "within": within}
    return _keep(store, name, languages[0], how, sentences, replace=replace)


def saved_request(store: Store, saved: SavedQuery) -> SearchRequest:
    """What a saved search asks; what of it there is no more is noted in the store. Raises UsageError."""
    return options_from_json(SearchRequest, saved.options, store.remarks.append, of=f"the query {saved.name!r}")


def _operand(store: Store, name: str, limit: Limit | None) -> _Operand:
    kept = result_languages(store)
    if name in kept or name in collection_names(store):
        return _Operand(sentences_of(store, name), kept.get(name), _within(store, name))
    saved = {each.name: each for each in saved_queries(store) if each.command == "search"}
    if name in saved:
        return _found(store, saved[name], limit)
    known = ", ".join(dict.fromkeys([*kept, *saved, *collection_names(store)])) or "none"
    raise InputError(f"{name!r} is not a result, a collection or a saved search; there are {known}")


def _found(store: Store, saved: SavedQuery, limit: Limit | None) -> _Operand:
    request = saved_request(store, saved)
    found = found_by(store, request, limit)
    if len(found) > 1:
        raise UsageError(f"the query {saved.name!r} finds sentences in {', '.join(found)}; a result is of one language")
    if not found:
        languages = request.languages
        return _Operand(np.empty(0, np.int64), languages[0] if len(languages) == 1 else None, [])
    ((language, sentences),) = found.items()
    return _Operand(sentences, language, _within(store, *request.place))


_OF_LANGUAGE = """
select sentence.id from json_each(?) given cross join sentence on sentence.id = given.value
where sentence.language = ? order by sentence.id
"""


_CHARACTERS = """
select coalesce(sum(length(sentence.text)), 0)
from json_each(?) given cross join sentence on sentence.id = given.value
"""


def _keep(store: Store, name: str, language: str, parameters: dict[str, Any], sentences: I64, *, replace: bool) -> int:
    numbers = sentences.tolist()
    if not parameters["within"]:  # most are of the whole corpus
        del parameters["within"]
    characters = int(store.connection.execute(_CHARACTERS, (json.dumps(numbers),)).fetchone()[0])
    # Sentences of a result are not ranked: the score of all is the same, and the order that of the corpus.
    new = NewSelection(name, language, parameters, [], characters)
    return keep_selection(store, new, ((number, 0.0) for number in numbers), replace=replace)


@dataclass(frozen=True, slots=True)
class PartOfCorpus:
    collections: tuple[str, ...]
    """Empty = all."""
    held: tuple[Held, ...] | None
    """None = all, as of the sentences."""

    @property
    def sentences(self) -> frozenset[int] | None:
        return None if self.held is None else frozenset().union(*(each.sentences for each in self.held))


def part_of_corpus(
    store: Store, names: Sequence[str], request: SearchRequest | None = None, limit: Limit | None = None
) -> PartOfCorpus:
    """The collections among some names, and the sentences that are in one of the selections and that a search finds,
    each in the part of the corpus that was searched.

    Raises InputError for a name that there is not, and where the search finds nothing, and as a search does.
    """
    kept = result_languages(store)
    inside = tuple(name for name in names if name not in kept)
    check_collections(store, inside, or_results=True)
    chosen = [name for name in names if name in kept]
    held = [Held(frozenset(sentences_of(store, name).tolist()), (part_of(store, name, None),)) for name in chosen]
    if request is not None:
        found = found_by(store, request, limit)
        if not found:
            raise InputError("the query finds nothing")
        asked, place = frozenset().union(*(each.tolist() for each in found.values())), part_of(store, *request.place)
        held = [Held(each.sentences & asked, (*each.parts, place)) for each in held or [Held(asked)]]
    return PartOfCorpus(inside, tuple(held) or None)
