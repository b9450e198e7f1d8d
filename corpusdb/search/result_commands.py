"""The commands for results and queries that are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option, RowLimit, RowLimitIfGiven, number_of, options_from_json, with_rows
from corpusdb.commands.command import CommandGroup, Save, command, kept_command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.options import shell_line
from corpusdb.search.commands import lines_again
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.report import SELECTION_COLUMNS, selection_rows

if TYPE_CHECKING:
    from corpusdb.search.queries.results import Operation


def _line(command: str, options: Mapping[str, object]) -> str:
    try:
        return shell_line(command, options_from_json(kept_command(command).options, options))
    except UsageError:  # kept by another version of the program
        return f"corpusdb {command} {json.dumps(options, ensure_ascii=False)}"


@dataclass(frozen=True, slots=True)
class RunOptions:
    query: Annotated[str, Argument("A saved name, a number of the history, or - for the last one.", metavar="QUERY")]
    limit: RowLimitIfGiven = None
    save: Save = None


@command("run", answers=True, kept=False, timed=True)
def run(invocation: Invocation, options: RunOptions) -> None:
    """Run a saved query, or one from the history, again.

    It runs on the database of this call, and shows -n rows, or writes all to a file (-o); the original limit is not
    part of the query. --save saves a query of the history under a name.
    """
    name, document = kept_query(invocation, options.query)
    kept = kept_command(name)
    again = options_from_json(kept.options, document, invocation.say, of=format_query(options.query))
    again = again if options.limit is None else with_rows(again, options.limit)
    invocation.say(f"$ {shell_line(name, again)}")
    kept.answer(invocation, again, options.save)


def format_query(query: str) -> str:
    return "the last query" if query == "-" else f"the query {query!r}"


def say_remembered(invocation: Invocation, query: str, request: object) -> None:
    """Say which search was taken where the history was asked for one, and not its name, for an answer that does not."""
    if query == "-" or query.isdecimal():
        invocation.say(f"of `{shell_line('search', request)}`, from your history; QUERY names another")


def kept_query(invocation: Invocation, query: str, *, only_own: bool = False) -> tuple[str, Mapping[str, object]]:
    """Command and options of a saved query or of one of the history of this database.

    The last query is that of this terminal, if it has asked any; that it is one of another is said. ``only_own``: it is
    none of another, for what it finds is written. Raises UsageError where there is none.
    """
    from corpusdb.corpus.queries.names import saved_query
    from corpusdb.corpus.store.user_history import last_asked, recall, this_terminal

    if query != "-" and not query.isdecimal():
        with invocation.reading() as store:
            saved = saved_query(store, query)
        return saved.command, saved.options
    entries = recall(invocation.path)
    if query == "-":
        here = this_terminal()
        chosen = last_asked(entries, here)
        if chosen is not None and here and chosen.terminal not in ("", here):
            told = "this terminal has no query yet"
            if only_own:
                raise UsageError(f"{told}: name a saved query, or a number of `corpusdb history`")
            invocation.say(f"{told}; taking that of another terminal")
    else:
        chosen = next((entry for entry in entries if entry.number == number_of(query)), None)
    if chosen is None:
        which = "query" if query == "-" else f"query {query}"
        raise UsageError(f"the history has no {which} of {invocation.path}; `corpusdb history` lists those there are")
    return chosen.command, chosen.options


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    limit: RowLimit = 20
    all: Annotated[bool, Option("List queries of all databases.")] = False
    clear: Annotated[bool, Option("Clear the history.")] = False


@command("history", answers=True, kept=False)
def history(invocation: Invocation, options: HistoryOptions) -> None:
    """List your own queries of this database, newest last.

    The last 1,000 are in $XDG_STATE_HOME/corpusdb/history.jsonl (~/.local/state if that is not set), each once. Nothing
    is recorded if that file cannot be written, or if CORPUSDB_HISTORY is off.
    """
    from corpusdb.corpus.store.user_history import forget, latest_of_each, recall

    database = None if options.all else invocation.path
    if options.clear:
        invocation.say(f"{forget(database):,} queries forgotten")
        return
    entries = latest_of_each(recall(database))
    shown = entries[-options.limit :] if options.limit else entries
    columns = ("number", "time", *(["database"] if options.all else []), "total", "query")
    rows = (asdict(entry) | {"query": _line(entry.command, entry.options)} for entry in shown)
    invocation.show(columns, ([row[column] for column in columns] for row in rows), document=shown)
    invocation.say_none(entries, "is no query in your history")
    invocation.say_cut(len(shown), len(entries), "queries")


@dataclass(frozen=True, slots=True)
class QueriesOptions:
    delete: Annotated[str | None, Option("Delete this one.", metavar="NAME")] = None


@command("queries", answers=True, kept=False)
def queries(invocation: Invocation, options: QueriesOptions) -> None:
    """List the queries saved in the database."""
    from corpusdb.corpus.queries.names import delete_query, saved_queries

    if options.delete is not None:
        with invocation.writing() as store:
            delete_query(store, options.delete)
        invocation.say(f"{options.delete!r} is forgotten")
        return
    with invocation.reading() as store:
        found = saved_queries(store)
    invocation.show(
        ("name", "saved", "note", "query"),
        ((each.name, each.saved, each.note, _line(each.command, each.options)) for each in found),
        document=found,
    )
    invocation.say_none(found, "is no saved query yet; --save with a query saves it")


# The commands for results of queries that are kept under a name.


_Name: TypeAlias = Annotated[str, Argument("The name of the result.", metavar="NAME")]
_Replace: TypeAlias = Annotated[bool, Option("Replace a result of that name.", "--replace")]
_Sets: TypeAlias = Annotated[list[str], Argument("Results, collections, selections, saved searches.", metavar="SET...")]


def kept_search(invocation: Invocation, query: str) -> SearchRequest:
    """A saved search, or one of the history. Raises UsageError for another command."""
    name, document = kept_query(invocation, query, only_own=True)
    if name != "search":
        which = "the last query" if query == "-" else repr(query)
        raise UsageError(f"{which} is one of {name}; only those of search find sentences")
    request = options_from_json(SearchRequest, document, invocation.say, of=format_query(query))
    is_of_history = query == "-" or query.isdecimal()
    return request if is_of_history else with_rows(request, 0)  # nobody knows which lines of it were shown


@dataclass(frozen=True, slots=True)
class KeepOptions:
    name: _Name
    query: Annotated[
        str, Argument("A saved search, a number of the history, or - for your last query.", metavar="[QUERY]")
    ] = "-"
    replace: _Replace = False


@command("keep", timed=True)
def keep(invocation: Invocation, options: KeepOptions) -> None:
    """Save what a search finds under a name.

    All sentences found are saved, not only those shown; with --sample, those of the sampled lines. The result is a
    subcorpus: use its name wherever a collection can be named, such as in `frequencies --collection NAME`,
    `collocates`, `keywords`, `profile`, `search` and `export`. It does not change when the corpus grows. A search with
    --collection, --document or --where limits the result to that part: other occurrences of its sentences count neither
    with --occurrences nor in `export`. If nothing is found, nothing is saved, and the exit code is 1.

    The last query is that of this terminal, if there is one; the answer says which was taken.
    """
    from corpusdb.search.queries.results import keep_found

    request = kept_search(invocation, options.query)
    asked = shell_line("search", with_rows(request))
    with invocation.writing() as store:
        count = keep_found(store, options.name, request, asked, invocation.limit(), replace=options.replace)
    _report(invocation, options.name, count, asked)
    if request.kwic:
        invocation.say(f"a result holds sentences; to see its lines: `{lines_again(options.name, asked)}`")


@dataclass(frozen=True, slots=True)
class CombineOptions:
    name: _Name
    sets: _Sets
    replace: _Replace = False


@command("union", timed=True)
def union(invocation: Invocation, options: CombineOptions) -> None:
    """Save the sentences that are in any of several sets.

    Sets are results, selections, collections, and saved searches, which are run. Of a collection, only sentences in the
    language of the other sets are taken.
    """
    _combine(invocation, "union", options)


@command("intersection", timed=True, aliases=("intersect",))
def intersection(invocation: Invocation, options: CombineOptions) -> None:
    """Save the sentences that are in all of several sets.

    Sets as in `results union`.
    """
    _combine(invocation, "intersection", options)


@command("difference", timed=True)
def difference(invocation: Invocation, options: CombineOptions) -> None:
    """Save the sentences of the first set that are in none of the others.

    Sets as in `results union`.
    """
    _combine(invocation, "difference", options)


def _combine(invocation: Invocation, operation: Operation, options: CombineOptions) -> None:
    from corpusdb.search.queries.results import combine_results

    with invocation.writing() as store:
        count = combine_results(
            *(store, options.name, operation, options.sets, invocation.limit()), replace=options.replace
        )
    _report(invocation, options.name, count)


def _report(invocation: Invocation, name: str, count: int, query: str = "") -> None:
    if not count:
        invocation.say("no sentences found, nothing saved")
        raise typer.Exit(1)
    asked = {"query": query} if query else {}
    figures = {"name": name, **asked, "sentences": count}
    invocation.report(figures, [("result", name), *asked.items(), ("sentences", count)])


@dataclass(frozen=True, slots=True)
class ListResultsOptions:
    """What `results list` takes: nothing."""


@command("list", answers=True, kept=False)
def list_results(invocation: Invocation, options: ListResultsOptions) -> None:
    """List the saved results and selections, and how each was made."""
    from corpusdb.search.queries.results import stored_selections

    with invocation.reading() as store:
        found = stored_selections(store)
    invocation.show(SELECTION_COLUMNS, selection_rows(found), document=found)
    invocation.say_none(found, "is no result yet; `corpusdb results keep` keeps one")


@dataclass(frozen=True, slots=True)
class RemoveResultOptions:
    name: _Name


@command("remove")
def remove(invocation: Invocation, options: RemoveResultOptions) -> None:
    """Delete a result or selection; its sentences stay."""
    from corpusdb.search.queries.results import remove_selection

    with invocation.writing() as store:
        count = remove_selection(store, options.name)
    invocation.report(
        {"name": options.name, "sentences": count, "removed": True}, [("forgotten", options.name), ("sentences", count)]
    )


results = CommandGroup(
    "results",
    """Save what queries find under a name, and combine it.

    After `corpusdb search coffee`, `corpusdb results keep A` saves what it found as A, a subcorpus to be used wherever
    a collection can. Every command takes --json.
    """,
    (keep, union, intersection, difference, list_results, remove),
)
