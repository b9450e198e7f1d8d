"""The commands for results of queries that are kept under a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.cli.program.command import CommandGroup, command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.options import shell_line
from corpusdb.cli.program.output import write_json
from corpusdb.cli.search.concordance import lines_again
from corpusdb.cli.search.saved_queries import kept_query, told_query
from corpusdb.display import check_name
from corpusdb.errors import UsageError
from corpusdb.options import options_from_json
from corpusdb.queries.search.request import SearchRequest

if TYPE_CHECKING:
    from corpusdb.queries.results.named_results import Operation

__all__ = ["kept_search", "results"]

_Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="What the result is called.", show_default=False)]
_Replace: TypeAlias = Annotated[bool, typer.Option("--replace", help="In place of the result of that name.")]
_Sets: TypeAlias = Annotated[
    list[str],
    typer.Argument(metavar="SET...", help="Results, collections, selections, saved searches.", show_default=False),
]


def kept_search(invocation: Invocation, query: str) -> SearchRequest:
    """A saved search, or one of the history. Raises UsageError for another command."""
    name, document = kept_query(invocation, query)
    if name != "search":
        which = "the last query" if query == "-" else repr(query)
        raise UsageError(f"{which} is one of {name}; only those of search find sentences")
    return options_from_json(SearchRequest, document, invocation.say, of=told_query(query))


@dataclass(frozen=True, slots=True)
class KeepOptions:
    """What `results keep` takes."""

    name: _Name
    query: Annotated[
        str,
        typer.Argument(metavar="[QUERY]", help="A saved search, a number of the history, or - for your last query."),
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
    from corpusdb.queries.results.named_results import keep_found

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
    from corpusdb.queries.results.named_results import combine_results

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
class ListOptions:
    """What `results list` takes."""


@command("list", answers=True, kept=False)
def list_results(invocation: Invocation, options: ListOptions) -> None:
    """List the results and selections that are kept, and what each was made of."""
    from corpusdb.queries.homogeneity.selections.stored_selections import stored_selections
    from corpusdb.reports.homogeneity import SELECTION_COLUMNS, selection_rows

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
    from corpusdb.queries.homogeneity.selections.stored_selections import remove_selection

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
