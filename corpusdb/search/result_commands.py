"""The commands for results and queries that are kept, and for categories of the lines of concordances."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.base.display import counted
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Argument, Option, RowLimit, RowLimitIfGiven, number_of, options_from_json, with_rows
from corpusdb.commands.command import CommandGroup, Save, command, kept_command
from corpusdb.commands.invocation import Invocation, write_json
from corpusdb.commands.options import shell_line
from corpusdb.search.commands import lines_again
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.report import kwic_line

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

    It is run on the database of this call, and shows as many rows as -n says here, or all in a file (-o): how many were
    shown before is no part of a query. --save keeps one from the history under a name.
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
            invocation.say(f"{told}; the last query of another is taken")
    else:
        chosen = next((entry for entry in entries if entry.number == number_of(query)), None)
    if chosen is None:
        which = "query" if query == "-" else f"query {query}"
        raise UsageError(f"the history has no {which} of {invocation.path}; `corpusdb history` lists those there are")
    return chosen.command, chosen.options


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    limit: RowLimit = 20
    all: Annotated[bool, Option("Of all databases.")] = False
    clear: Annotated[bool, Option("Clear the history instead.")] = False


@command("history", answers=True, kept=False)
def history(invocation: Invocation, options: HistoryOptions) -> None:
    """List your own queries of this database, the newest last.

    They are in $XDG_STATE_HOME/corpusdb/history.jsonl (~/.local/state if that is not set), the last 1,000 of them.
    Nothing is remembered if that file cannot be written, or if CORPUSDB_HISTORY is off. A query asked twice is listed
    once.
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
    delete: Annotated[str | None, Option("Delete this one instead.", metavar="NAME")] = None


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
    if invocation.json:
        write_json(found)
    else:
        invocation.show(
            ("name", "saved", "note", "query"),
            ((each.name, each.saved, each.note, _line(each.command, each.options)) for each in found),
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

    All sentences found are saved, however many were shown; with --sample, those of the lines drawn. The result is then
    a subcorpus: its name can be given wherever a collection can, such as in `frequencies --collection NAME`,
    `collocates`, `keywords`, `profile`, `search` and `export`. It stays as it is when the corpus grows. A search with
    --collection, --document or --where limits the result to that part: with --occurrences, and in `export`, other
    occurrences of its sentences do not count. If nothing is found, nothing is saved, and the exit code is 1.

    The last query is the last one made in this terminal, if there was one; the answer says which was taken.
    """
    from corpusdb.search.queries.results import keep_found

    request = kept_search(invocation, options.query)
    asked = shell_line("search", with_rows(request))
    with invocation.writing() as store:
        count = keep_found(store, options.name, request, asked, invocation.limit(), replace=options.replace)
    _report(invocation, options.name, count, asked)
    if request.kwic:
        invocation.say(f"a result holds sentences; its lines again: `{lines_again(options.name, asked)}`")


@dataclass(frozen=True, slots=True)
class CombineOptions:
    name: _Name
    sets: _Sets
    replace: _Replace = False


@command("union", timed=True)
def union(invocation: Invocation, options: CombineOptions) -> None:
    """Save the sentences that are in any of several sets.

    Sets are results, selections and collections, and saved searches, which are run. From a collection, the sentences in
    the language of the other sets are taken.
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
        invocation.say("no sentence, and nothing is kept")
        raise typer.Exit(1)
    asked = {"query": query} if query else {}
    figures = {"name": name, **asked, "sentences": count}
    invocation.report(figures, [("result", name), *asked.items(), ("sentences", count)])


@dataclass(frozen=True, slots=True)
class ListResultsOptions:
    """What `results list` and `categories list` take: nothing."""


@command("list", answers=True, kept=False)
def list_results(invocation: Invocation, options: ListResultsOptions) -> None:
    """List the saved results and selections, and how each was made."""
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

    After `corpusdb search coffee`, `corpusdb results keep A` saves what it found as A, a subcorpus that can be used
    wherever a collection can. Every command takes --json.
    """,
    (keep, union, intersection, difference, list_results, remove),
)


# Categories of the lines of concordances.


_SIDE_CELLS = 24
"""So much of a line is shown on either side of its match."""

_SetName: TypeAlias = Annotated[str, Argument("The set of categories, such as senses.", metavar="NAME")]
_LinesOf: TypeAlias = Annotated[
    str, Argument("A saved search, a number of the history, or - for your last query.", metavar="[QUERY]")
]
_Among: TypeAlias = Annotated[
    str,
    Argument(
        "Only lines of this saved search, number of the history, or - for your last query.",
        metavar="[QUERY]",
        shows_default="all lines of the set",
    ),
]
_Lines: TypeAlias = Annotated[
    str, Option("Only these lines, as `search --kwic` numbers them.", metavar="N,N-N", shows_default="all")
]


def chosen_lines(given: str, count: int, request: SearchRequest) -> Sequence[int]:
    """The lines of "3,5-9" among the ``count`` that a search finds, counted from 0; of "" all.

    Raises UsageError for anything else, for lines that there are not, and for those that the search did not show: who
    counts lines has them on the screen.
    """
    if not given:
        return range(count)
    if not request.kwic or request.group:
        again = shell_line("search", replace(request, kwic=True, group=None))
        raise UsageError(f"this search showed no lines that could be counted; `{again}` shows them")
    shown = min(request.limit or count, count)
    chosen: list[int] = []
    for part in given.split(","):
        match = re.fullmatch(r"\s*([0-9]+)(?:-([0-9]+))?\s*", part)
        if match is None:
            raise UsageError(f"{given!r} names no lines; write 3,5-9")
        first, last = number_of(match[1]), number_of(match[2] or match[1])
        if not 1 <= first <= last <= count:
            raise UsageError(f"{part.strip()!r} is not among the lines 1 to {count:,} that the query finds")
        if last > shown:
            again = shell_line("search", replace(request, limit=0))
            raise UsageError(
                f"{part.strip()!r} was not shown, only the lines 1 to {shown:,}; `{again}` shows all {count:,}"
            )
        chosen += range(first - 1, last)
    return chosen


@dataclass(frozen=True, slots=True)
class CategorySetOptions:
    name: _SetName
    category: Annotated[str, Argument("What the lines are, such as literal.", metavar="CATEGORY")]
    query: _LinesOf = "-"
    lines: _Lines = ""


@command("set", timed=True)
def set_lines(invocation: Invocation, options: CategorySetOptions) -> None:
    """Assign a category to the lines that a search finds.

    To all lines found, or drawn by its --sample, however many were shown; with --lines, only to some of them, as
    `corpusdb search --kwic` numbers them. A category belongs to the match in its sentence, so other searches show it
    too. The exit code is 1 if nothing is found.

    The last query is the last one made in this terminal, if there was one; the answer says which was taken, and shows
    the first of the lines.
    """
    _assign(invocation, options.name, options.category, options.query, options.lines)


@dataclass(frozen=True, slots=True)
class ClearOptions:
    name: _SetName
    query: _LinesOf = "-"
    lines: _Lines = ""


@command("clear", timed=True)
def clear(invocation: Invocation, options: ClearOptions) -> None:
    """Remove the categories of the lines that a search finds.

    Lines as in `categories set`.
    """
    _assign(invocation, options.name, None, options.query, options.lines)


def _assign(invocation: Invocation, name: str, category: str | None, query: str, lines: str) -> None:
    from corpusdb.search.queries.results import (
        check_category,
        check_category_set,
        first_line,
        found_lines,
        require_category_set,
        set_category,
    )

    check_category_set(name)
    if category is not None:
        check_category(category)
    request = kept_search(invocation, query)
    asked = shell_line("search", with_rows(request))
    with invocation.writing() as store:
        if category is None:
            require_category_set(store, name)
        found = found_lines(store, request, invocation.limit()).places
        if not found:
            invocation.say(f"no line, and nothing is changed: {asked}")
            raise typer.Exit(1)
        chosen = chosen_lines(lines, len(found), request)
        places = [found[place] for place in chosen]
        changed = set_category(store, name, places, category)
        first = first_line(store, places)
    figures: dict[str, object] = {"name": name, "category": category, "query": asked}
    figures |= {"lines": len(places), "changed": changed}
    figures["first"] = {"line": chosen[0] + 1, "left": first.left, "match": first.match, "right": first.right}
    near = kwic_line(first.left, first.match, first.right, _SIDE_CELLS, _SIDE_CELLS)
    shown = f"{chosen[0] + 1}: {near.left.lstrip()}[{near.match}]{near.right}"
    report = [("set", name), ("category", category or "-"), ("query", asked), ("first line", shown)]
    invocation.report(figures, [*report, ("lines", len(places)), ("changed", changed)])


@dataclass(frozen=True, slots=True)
class CategoryNameOptions:
    name: _SetName


@command("undo")
def undo(invocation: Invocation, options: CategoryNameOptions) -> None:
    """Undo the last step in a set: everything assigned at once.

    Repeat it to go further back. The exit code is 1 if there is nothing left to undo.
    """
    from corpusdb.search.queries.results import require_category_set, undo_categories

    with invocation.writing() as store:
        require_category_set(store, options.name)
        count = len(undo_categories(store, options.name))
    if not count:
        invocation.say(f"nothing to undo in {options.name!r}")
        raise typer.Exit(1)
    invocation.report({"name": options.name, "lines": count}, [("set", options.name), ("lines", count)])


@command("list", answers=True, kept=False)
def list_sets(invocation: Invocation, options: ListResultsOptions) -> None:
    """List the sets of categories, and how many lines each has."""
    from corpusdb.search.queries.results import category_sets

    with invocation.reading() as store:
        found = category_sets(store)
    if invocation.json:
        write_json(found)
    else:
        invocation.show(("name", "categories", "lines"), [(each.name, each.categories, each.lines) for each in found])
    invocation.say_none(found, "is no set of categories yet; `corpusdb categories set` makes one")


@dataclass(frozen=True, slots=True)
class RatiosOptions:
    name: _SetName
    query: _Among = ""


@command("ratios", answers=True, kept=False, timed=True)
def ratios(invocation: Invocation, options: RatiosOptions) -> None:
    """Count the lines in each category of a set.

    The ratio is to all lines of the set that have a category. With a query, it is to all lines found, including those
    without a category; if these were drawn with --sample, the interval in which the ratio among all lines lies is given
    too, with a confidence of 95 % (Wilson 1927). Lines that are only in the set are not part of that sample.
    """
    from corpusdb.search.queries.results import category_counts, counts_among, found_lines, require_category_set

    request = kept_search(invocation, options.query) if options.query else None
    with invocation.reading() as store:
        require_category_set(store, options.name)
        found = category_counts(store, options.name)
        if not found:
            raise InputError(f"no line has a category in the set {options.name!r} any more")
        if request is not None:
            found = counts_among(store, options.name, found_lines(store, request, invocation.limit()))
    asked = None if request is None else shell_line("search", request)
    if invocation.json:
        categories = [asdict(each) | {"category": each.category or None} for each in found]
        write_json({"name": options.name, "query": asked, "categories": categories})
    else:
        has_interval = any(each.interval is not None for each in found)
        columns = ("category", "lines", "per cent", *(("from", "to") if has_interval else ()))
        rows = []
        for each in found:
            shares = (each.share, *((each.interval.low, each.interval.high) if each.interval else ()))
            rows.append((each.category or "(none)", each.lines, *(round(100 * part, 2) for part in shares)))
        invocation.show(columns, rows)
    if asked is not None:
        invocation.say(f"of {counted(sum(each.lines for each in found), 'lines')} of `{asked}`")
    if not any(each.interval is not None for each in found):
        which = (
            "`categories ratios NAME -` is of the lines of your last query" if asked is None else "all lines are there"
        )
        invocation.say(f"no interval, which is of lines drawn with --sample; {which}")


@dataclass(frozen=True, slots=True)
class CategoryExportOptions:
    name: _SetName
    query: _Among = ""
    query_as_option: Annotated[
        str | None, Option("The same, as `corpusdb export` has it.", "--query", metavar="QUERY")
    ] = None
    collection: Annotated[
        str | None,
        Option("Only lines in this collection, selection or result.", metavar="NAME"),
    ] = None
    shown: Annotated[str, Option("Translations in these languages.", "--with", metavar="LANG,...")] = ""
    places: Annotated[bool, Option("Where each line is.")] = False


@command("export", answers=True, kept=False, timed=True)
def export(invocation: Invocation, options: CategoryExportOptions) -> None:
    """Write the lines of a set with their categories.

    To a file with -o, such as `categories export senses -o senses.tsv`; every line that has a category, by language and
    in the order of the corpus, whichever search found it. With a query, only those among the lines it finds.
    """
    from corpusdb.base.text import language_codes
    from corpusdb.search.queries.concordance import Wanted
    from corpusdb.search.queries.results import categorised_lines, found_lines

    languages = language_codes([each.strip() for each in options.shown.split(",")]) if options.shown else None
    if options.query and options.query_as_option:
        raise UsageError("QUERY and --query are the same; give one of them")
    query = options.query or options.query_as_option
    request = kept_search(invocation, query) if query else None
    wanted = Wanted(languages, places=options.places)
    with invocation.reading() as store:
        among = None if request is None else found_lines(store, request, invocation.limit()).places
        lines = list(categorised_lines(store, options.name, wanted, among, options.collection))
    if query and request is not None:
        say_remembered(invocation, query, request)
    if not lines:
        invocation.say(f"no line of these has a category in the set {options.name!r}")
    if invocation.json:
        write_json({"name": options.name, "lines": [line.document() for line in lines]})
        return
    where = ["places"] if options.places else []
    columns = ["id", "language", "category", "left", "match", "right", *(languages or ()), *where]
    invocation.show(columns, (line.cells(columns) for line in lines))


categories = CommandGroup(
    "categories",
    """Assign categories to lines of concordances, and count them.

    After `corpusdb search --kwic --sample 100 run`, `corpusdb categories set senses motion --lines 1,4-6` assigns the
    category motion, in the set senses, to four of its lines, and `corpusdb search --kwic --categories senses run` shows
    it. In the browser, c does this on the lines of a concordance. Every command takes --json.
    """,
    (set_lines, clear, undo, list_sets, ratios, export),
)
