"""The sentences that a query found, kept under a name, and unions, intersections and differences of such sets.

A result is a selection (``selection`` of the schema): wherever a collection can be named, it can be named too. It
holds what was found when it was made, and does not follow the corpus. The sets are those of CQP's ``union``,
``intersection`` and ``difference`` (Evert and the CWB Development Team 2022, The CQP Interface and Query Language
Manual, section 3.4), of sentences instead of matches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, TypeAlias, get_args

import numpy as np

from corpusdb.arrays import I64
from corpusdb.errors import InputError, UsageError
from corpusdb.jobs import finished
from corpusdb.queries.corpus.files import collection_names
from corpusdb.queries.corpus.sentences import sentences_of
from corpusdb.queries.homogeneity.selections.stored_selections import (
    NewSelection,
    check_selection_name,
    keep_selection,
    stored_selections,
)
from corpusdb.queries.search.concordance import arrange_lines
from corpusdb.queries.search.request import SearchRequest
from corpusdb.queries.search.saved_queries import SavedQuery, saved_queries, saved_request
from corpusdb.queries.search.search import Searcher, searches
from corpusdb.stoppable.limit import Limit
from corpusdb.store import Store

__all__ = ["OPERATIONS", "SEARCH_CALL", "Operation", "combine_results", "found_by", "keep_found", "query_of"]

Operation: TypeAlias = Literal["union", "intersection", "difference"]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)


SEARCH_CALL = "corpusdb search"
"""With this begins the query of a result that was kept on the command line."""

_COMBINED: Mapping[Operation, Callable[[I64, I64], I64]] = {
    "union": np.union1d,
    "intersection": np.intersect1d,
    "difference": np.setdiff1d,
}


@dataclass(frozen=True, slots=True)
class _Operand:
    """A set of sentences by its name."""

    sentences: I64
    """Ascending and distinct."""
    language: str | None
    """None for a collection, which has several."""


def found_by(store: Store, request: SearchRequest, limit: Limit | None = None) -> dict[str, I64]:
    """The sentences that a search finds, by language, all of them, whatever it shows; only languages with some.

    Of a concordance of which lines were chosen at random it is the sentences of these.
    Raises UsageError, QueryError, InputError, TookTooLong and Cancelled as a search does.
    """
    searcher = Searcher(store)
    with store.snapshot():
        hits = [searcher.find(each, limit) for each in searches(store, request)]
        if request.sample is not None and (request.kwic or request.group):
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
    made = _Made(name, language, {"method": "query", "query": asked}, replace)
    return _keep(store, made, sentences)


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
    sentences = _in_language(store, reduce(_COMBINED[operation], [each.sentences for each in sets]), languages[0])
    if not len(sentences):
        return 0
    made = _Made(name, languages[0], {"method": operation, "of": list(operands)}, replace)
    return _keep(store, made, sentences)


def _operand(store: Store, name: str, limit: Limit | None) -> _Operand:
    if name in collection_names(store):
        return _Operand(sentences_of(store, name), None)
    kept = {each.name: each.language for each in stored_selections(store)}
    if name in kept:
        return _Operand(sentences_of(store, name), kept[name])
    saved = {each.name: each for each in saved_queries(store) if each.command == "search"}
    if name in saved:
        return _found(store, saved[name], limit)
    known = ", ".join(dict.fromkeys([*kept, *saved, *collection_names(store)])) or "none"
    raise InputError(f"{name!r} is no result, no collection and no saved search; there are {known}")


def _found(store: Store, saved: SavedQuery, limit: Limit | None) -> _Operand:
    request = saved_request(store, saved)
    found = found_by(store, request, limit)
    if len(found) > 1:
        raise UsageError(f"the query {saved.name!r} finds sentences in {', '.join(found)}; a result is of one language")
    if not found:
        languages = request.languages
        return _Operand(np.empty(0, np.int64), languages[0] if len(languages) == 1 else None)
    ((language, sentences),) = found.items()
    return _Operand(sentences, language)


_OF_LANGUAGE = """
select sentence.id from json_each(?) given cross join sentence on sentence.id = given.value
where sentence.language = ? order by sentence.id
"""


def _in_language(store: Store, sentences: I64, language: str) -> I64:
    rows = store.connection.execute(_OF_LANGUAGE, (json.dumps(sentences.tolist()), language))
    return np.fromiter((row[0] for row in rows), np.int64)


_CHARACTERS = """
select coalesce(sum(length(sentence.text)), 0)
from json_each(?) given cross join sentence on sentence.id = given.value
"""


@dataclass(frozen=True, slots=True)
class _Made:
    """What a result is, but for its sentences."""

    name: str
    language: str
    parameters: dict[str, object]
    replaces: bool
    """Whether a result of the name makes room."""


def _keep(store: Store, made: _Made, sentences: I64) -> int:
    numbers = sentences.tolist()
    characters = int(store.connection.execute(_CHARACTERS, (json.dumps(numbers),)).fetchone()[0])
    # Sentences of a result are not ranked: the score of all is the same, and the order that of the corpus.
    new = NewSelection(made.name, made.language, made.parameters, [], characters)
    return keep_selection(store, new, ((number, 0.0) for number in numbers), replace=made.replaces)
