"""The commands that list the queries that were kept, and run them again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from corpusdb.bounds import number_of
from corpusdb.cli.catalogue import kept_command
from corpusdb.cli.paraphrases.paraphrases import Limit
from corpusdb.cli.program.command import Save, command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.options import shell_line
from corpusdb.cli.program.output import write_json
from corpusdb.errors import UsageError
from corpusdb.options import options_from_json

__all__ = ["history", "kept_query", "queries", "run", "say_remembered", "told_query"]


def _line(command: str, options: Mapping[str, object]) -> str:
    """What one would type for a kept query."""
    try:
        return shell_line(command, options_from_json(kept_command(command).options, options))
    except UsageError:  # kept by another version of the program
        return f"corpusdb {command} {json.dumps(options, ensure_ascii=False)}"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `run` takes."""

    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A saved name, a number of the history, or - for the last one.")
    ]
    save: Save = None


@command("run", answers=True, kept=False, timed=True)
def run(invocation: Invocation, options: RunOptions) -> None:
    """Run a saved query, or one of the history, again.

    The database that it asks is the one of this call. --save keeps a query of the history under a name.
    """
    name, document = kept_query(invocation, options.query)
    kept = kept_command(name)
    again = options_from_json(kept.options, document, invocation.say, of=told_query(options.query))
    invocation.say(f"$ {shell_line(name, again)}")
    kept.answer(invocation, again, options.save)


def told_query(query: str) -> str:
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
    from corpusdb.queries.search.saved_queries import saved_query
    from corpusdb.store.user_history import last_asked, recall, this_terminal

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
    all: Annotated[bool, typer.Option("--all", help="Of all databases.")] = False
    clear: Annotated[bool, typer.Option("--clear", help="Forget them instead.")] = False


@command("history", answers=True, kept=False)
def history(invocation: Invocation, options: HistoryOptions) -> None:
    """List your own queries of this database, the newest last.

    They are in $XDG_STATE_HOME/corpusdb/history.jsonl (~/.local/state if that is not set), the last 1,000 of them.
    Nothing is remembered where that cannot be written, or CORPUSDB_HISTORY is off. A query asked twice is listed once.
    """
    from corpusdb.store.user_history import forget, latest_of_each, recall

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

    delete: Annotated[
        str | None, typer.Option("--delete", metavar="NAME", help="Forget this one instead.", show_default=False)
    ] = None


@command("queries", answers=True, kept=False)
def queries(invocation: Invocation, options: QueriesOptions) -> None:
    """List the queries that are saved in the database."""
    from corpusdb.queries.search.saved_queries import delete_query, saved_queries

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
