"""The commands for results and queries that are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.base.display import check_name
from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option, number_of, options_from_json
from corpusdb.commands.command import CommandGroup, Save, command, kept_command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.options import shell_line
from corpusdb.commands.output import write_json
from corpusdb.paraphrase.commands import Limit
from corpusdb.search.commands import lines_again
from corpusdb.search.queries.request import SearchRequest

if TYPE_CHECKING:
    from corpusdb.search.queries.results import Operation

# The commands that list the queries that were kept, and run them again.


def _line(command: str, options: Mapping[str, object]) -> str:
    """What one would type for a kept query."""
    try:
        return shell_line(command, options_from_json(kept_command(command).options, options))
    except UsageError:  # kept by another version of the program
        return f"corpusdb {command} {json.dumps(options, ensure_ascii=False)}"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `run` takes."""

    query: Annotated[str, Argument("A saved name, a number of the history, or - for the last one.", metavar="QUERY")]
    save: Save = None


@command("run", answers=True, kept=False, timed=True)
def run(invocation: Invocation, options: RunOptions) -> None:
    """Run a saved query, or one of the history, again.

    The database that it asks is the one of this call. --save keeps a query of the history under a name.
    """
    name, document = kept_query(invocation, options.query)
    kept = kept_command(name)
    again = options_from_json(kept.options, document, invocation.say, of=format_query(options.query))
    invocation.say(f"$ {shell_line(name, again)}")
    kept.answer(invocation, again, options.save)


def format_query(query: str) -> str:
    """What a kept query is called in a line about it."""
    return "the last query" if query == "-" else f"the query {query!r}"


def say_remembered(invocation: Invocation, query: str, request: object) -> None:
    """Say which search was taken where the history was asked for one, and not its name, for an answer that does not."""
    if query == "-" or query.isdecimal():
        invocation.say(f"of `{shell_line('search', request)}`, from your history; QUERY names another")


def kept_query(invocation: Invocation, query: str) -> tuple[str, Mapping[str, object]]:
    """Command and options of a saved query or of one of the history of this database.

    The last query is that of this terminal, if it has asked any; that it is one of another is said.
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
            invocation.say("this terminal has asked nothing yet; the last query of another is taken")
    else:
        chosen = next((entry for entry in entries if entry.number == number_of(query)), None)
    if chosen is None:
        which = "query" if query == "-" else f"query {query}"
        raise UsageError(f"the history has no {which} of {invocation.path}; `corpusdb history` lists those there are")
    return chosen.command, chosen.options


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """What `history` takes."""

    limit: Limit = 20
    all: Annotated[bool, Option("Of all databases.")] = False
    clear: Annotated[bool, Option("Forget them instead.")] = False


@command("history", answers=True, kept=False)
def history(invocation: Invocation, options: HistoryOptions) -> None:
    """List your own queries of this database, the newest last.

    They are in $XDG_STATE_HOME/corpusdb/history.jsonl (~/.local/state if that is not set), the last 1,000 of them.
    Nothing is remembered where that cannot be written, or CORPUSDB_HISTORY is off. A query asked twice is listed once.
    """
    from corpusdb.corpus.store.user_history import forget, latest_of_each, recall

    database = None if options.all else invocation.path
    if options.clear:
        invocation.say(f"{forget(database):,} queries forgotten")
        return
    entries = latest_of_each(recall(database))
    shown = entries[-options.limit :] if options.limit else entries
    if invocation.json:
        write_json(shown)
    else:
        columns = ("number", "time", *(["database"] if options.all else []), "total", "query")
        rows = (asdict(entry) | {"query": _line(entry.command, entry.options)} for entry in shown)
        invocation.show(columns, ([row[column] for column in columns] for row in rows))
    invocation.say_none(entries, "is no query in your history")
    invocation.say_cut(len(shown), len(entries), "queries")


@dataclass(frozen=True, slots=True)
class QueriesOptions:
    """What `queries` takes."""

    delete: Annotated[str | None, Option("Forget this one instead.", metavar="NAME")] = None


@command("queries", answers=True, kept=False)
def queries(invocation: Invocation, options: QueriesOptions) -> None:
    """List the queries that are saved in the database."""
    from corpusdb.corpus.queries.names import delete_query, saved_queries

    if options.delete is not None:
        with invocation.writing() as store:
            delete_query(store, options.delete)
        invocation.say(f"{options.delete!r} is forgotten")
        return
    with invocation.reading() as store:
        found = saved_queries(store)
    if invocation.json:
        write_json(found)
    else:
        invocation.show(
            ("name", "saved", "note", "query"),
            ((each.name, each.saved, each.note, _line(each.command, each.options)) for each in found),
        )
    invocation.say_none(found, "is no saved query yet; --save with a query saves it")


# The commands for results of queries that are kept under a name.


_Name: TypeAlias = Annotated[str, Argument("What the result is called.", metavar="NAME")]
_Replace: TypeAlias = Annotated[bool, Option("In place of the result of that name.", "--replace")]
_Sets: TypeAlias = Annotated[list[str], Argument("Results, collections, selections, saved searches.", metavar="SET...")]


def kept_search(invocation: Invocation, query: str) -> SearchRequest:
    """A saved search, or one of the history. Raises UsageError for another command."""
    name, document = kept_query(invocation, query)
    if name != "search":
        which = "the last query" if query == "-" else repr(query)
        raise UsageError(f"{which} is one of {name}; only those of search find sentences")
    return options_from_json(SearchRequest, document, invocation.say, of=format_query(query))


@dataclass(frozen=True, slots=True)
class KeepOptions:
    """What `results keep` takes."""

    name: _Name
    query: Annotated[
        str, Argument("A saved search, a number of the history, or - for your last query.", metavar="[QUERY]")
    ] = "-"
    replace: _Replace = False


@command("keep", timed=True)
def keep(invocation: Invocation, options: KeepOptions) -> None:
    """Keep what a search finds under a name.

    All sentences that it finds, however many it showed; with --sample those of the lines that were chosen. The result
    is then a subcorpus: what takes a collection takes its name, such as `frequencies --collection NAME`, `collocates`,
    `keywords`, `profile`, `search` and `export`. It stays as it is when the corpus grows. The exit code is 1, and
    nothing is kept, where nothing is found.

    The last query is that of this terminal, where it has asked any; the answer says which was taken.
    """
    from corpusdb.search.queries.results import keep_found

    check_name(options.name, "a result")
    request = kept_search(invocation, options.query)
    asked = shell_line("search", request)
    with invocation.writing() as store:
        count = keep_found(store, options.name, request, asked, invocation.limit(), replace=options.replace)
    _report(invocation, options.name, count, asked)
    if request.kwic:
        invocation.say(f"a result holds sentences; its lines again: `{lines_again(options.name, asked)}`")


@dataclass(frozen=True, slots=True)
class CombineOptions:
    """What the commands take that make a set of sets."""

    name: _Name
    sets: _Sets
    replace: _Replace = False


@command("union", timed=True)
def union(invocation: Invocation, options: CombineOptions) -> None:
    """Keep the sentences that are in any of some sets.

    Sets are results, selections and collections, and saved searches, which are run. Of a collection the sentences in
    the language of the others count.
    """
    _combine(invocation, "union", options)


@command("intersection", timed=True, aliases=("intersect",))
def intersection(invocation: Invocation, options: CombineOptions) -> None:
    """Keep the sentences that are in all of some sets.

    Sets as in `results union`.
    """
    _combine(invocation, "intersection", options)


@command("difference", timed=True)
def difference(invocation: Invocation, options: CombineOptions) -> None:
    """Keep the sentences of the first set that are in no other.

    Sets as in `results union`.
    """
    _combine(invocation, "difference", options)


def _combine(invocation: Invocation, operation: Operation, options: CombineOptions) -> None:
    from corpusdb.search.queries.results import combine_results

    check_name(options.name, "a result")
    with invocation.writing() as store:
        count = combine_results(
            *(store, options.name, operation, options.sets, invocation.limit()), replace=options.replace
        )
    _report(invocation, options.name, count)


def _report(invocation: Invocation, name: str, count: int, query: str = "") -> None:
    if not count:
        invocation.say("no sentence, and nothing is kept")
        raise typer.Exit(1)
    asked = {"query": query} if query else {}
    figures = {"name": name, **asked, "sentences": count}
    invocation.report(figures, [("result", name), *asked.items(), ("sentences", count)])


@dataclass(frozen=True, slots=True)
class ResultListOptions:
    """What `results list` takes."""


@command("list", answers=True, kept=False)
def list_results(invocation: Invocation, options: ResultListOptions) -> None:
    """List the results and selections that are kept, and what each was made of."""
    from corpusdb.search.queries.results import stored_selections
    from corpusdb.search.report import SELECTION_COLUMNS, selection_rows

    with invocation.reading() as store:
        found = stored_selections(store)
    if invocation.json:
        write_json(found)
    else:
        invocation.show(SELECTION_COLUMNS, selection_rows(found))
    invocation.say_none(found, "is no result yet; `corpusdb results keep` keeps one")


@dataclass(frozen=True, slots=True)
class RemoveOptions:
    """What `results remove` takes."""

    name: _Name


@command("remove")
def remove(invocation: Invocation, options: RemoveOptions) -> None:
    """Forget a result or selection; its sentences stay."""
    from corpusdb.search.queries.results import remove_selection

    with invocation.writing() as store:
        count = remove_selection(store, options.name)
    invocation.report(
        {"name": options.name, "sentences": count, "removed": True}, [("forgotten", options.name), ("sentences", count)]
    )


results = CommandGroup(
    "results",
    """Keep what queries find under a name, and combine it.

    After `corpusdb search coffee`, `corpusdb results keep A` keeps what it found as A: a subcorpus that can be named
    wherever a collection can. Every command takes --json.
    """,
    (keep, union, intersection, difference, list_results, remove),
)
