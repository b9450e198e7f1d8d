"""The commands for categories of the lines of concordances."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, TypeAlias

import typer

from corpusdb.base.display import counted
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Argument, Option, number_of, with_rows
from corpusdb.base.text import language_codes
from corpusdb.commands.command import CommandGroup, command
from corpusdb.commands.invocation import Invocation, write_json
from corpusdb.commands.options import shell_line
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.report import kwic_line
from corpusdb.search.result_commands import kept_search, say_remembered

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
    str, Option("Only these lines, by their numbers in `search --kwic`.", metavar="N,N-N", shows_default="all")
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
    category: Annotated[str, Argument("The category, such as literal.", metavar="CATEGORY")]
    query: _LinesOf = "-"
    lines: _Lines = ""


@command("set", timed=True)
def set_lines(invocation: Invocation, options: CategorySetOptions) -> None:
    """Assign a category to the lines that a search finds.

    It applies to all lines found or sampled, not only those shown; with --lines, to some of them, by their numbers in
    `corpusdb search --kwic`. A category belongs to the match in its sentence, so other searches show it too. The exit
    code is 1 if nothing is found.

    The last query is that of this terminal, if there is one; the answer says which was taken, and shows the first line.
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
    from corpusdb.search.queries.categories import (
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
            invocation.say(f"no lines found, nothing changed: {asked}")
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
    from corpusdb.search.queries.categories import require_category_set, undo_categories

    with invocation.writing() as store:
        require_category_set(store, options.name)
        count = len(undo_categories(store, options.name))
    if not count:
        invocation.say(f"nothing to undo in {options.name!r}")
        raise typer.Exit(1)
    invocation.report({"name": options.name, "lines": count}, [("set", options.name), ("lines", count)])


@command("remove")
def remove(invocation: Invocation, options: CategoryNameOptions) -> None:
    """Delete a set of categories, with everything assigned in it.

    This cannot be undone; save it first with `corpusdb categories export NAME -o FILE`. The lines and sentences stay.
    """
    from corpusdb.search.queries.categories import remove_category_set

    with invocation.writing() as store:
        count = remove_category_set(store, options.name)
    invocation.report(
        {"name": options.name, "lines": count, "removed": True}, [("forgotten", options.name), ("lines", count)]
    )


@dataclass(frozen=True, slots=True)
class RenameSetOptions:
    name: _SetName
    new: Annotated[str, Argument("Its new name.", metavar="NEW")]


@command("rename")
def rename(invocation: Invocation, options: RenameSetOptions) -> None:
    """Give a set of categories another name."""
    from corpusdb.search.queries.categories import rename_category_set

    with invocation.writing() as store:
        rename_category_set(store, options.name, options.new)
    invocation.report({"name": options.name, "new": options.new}, [("set", options.name), ("is now", options.new)])


@dataclass(frozen=True, slots=True)
class ListSetsOptions:
    """What `categories list` takes: nothing."""


@command("list", answers=True, kept=False)
def list_sets(invocation: Invocation, options: ListSetsOptions) -> None:
    """List the sets of categories, and how many lines each has."""
    from corpusdb.search.queries.categories import category_sets

    with invocation.reading() as store:
        found = category_sets(store)
    invocation.show(
        ("name", "categories", "lines"), [(each.name, each.categories, each.lines) for each in found], document=found
    )
    invocation.say_none(found, "is no set of categories yet; `corpusdb categories set` makes one")


@dataclass(frozen=True, slots=True)
class RatiosOptions:
    name: _SetName
    query: _Among = ""


@command("ratios", answers=True, kept=False, timed=True)
def ratios(invocation: Invocation, options: RatiosOptions) -> None:
    """Count the lines in each category of a set.

    Ratios are of all lines of the set that have a category; with a query, of all lines found, even without a category.
    If these were drawn with --sample, the 95 % confidence interval of the ratio among all lines is added (Wilson 1927).
    Lines that are only in the set are not part of that sample.
    """
    from corpusdb.search.queries.categories import category_counts, counts_among, found_lines, require_category_set

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
        invocation.say(f"no interval, for lack of lines drawn with --sample; {which}")


@dataclass(frozen=True, slots=True)
class CategoryExportOptions:
    name: _SetName
    query: _Among = ""
    query_as_option: Annotated[str | None, Option("The same as QUERY.", "--query", metavar="QUERY")] = None
    collection: Annotated[
        str | None,
        Option("Only lines in this collection, selection or result.", metavar="NAME"),
    ] = None
    shown: Annotated[str, Option("Translations in these languages.", "--with", metavar="LANG,...")] = ""
    places: Annotated[bool, Option("Show the file and line of each.")] = False


@command("export", answers=True, kept=False, timed=True)
def export(invocation: Invocation, options: CategoryExportOptions) -> None:
    """Write the lines of a set with their categories.

    Every line that has a category, by language and in corpus order, whichever search found it; with a query, only lines
    that it finds. -o writes a file, such as `categories export senses -o senses.tsv`.
    """
    from corpusdb.search.queries.categories import categorised_lines, found_lines
    from corpusdb.search.queries.concordance import Wanted

    languages = language_codes([each.strip() for each in options.shown.split(",")]) if options.shown else None
    if options.query and options.query_as_option:
        raise UsageError("give QUERY or --query, not both")
    query = options.query or options.query_as_option
    request = kept_search(invocation, query) if query else None
    wanted = Wanted(languages, places=options.places)
    with invocation.reading() as store:
        among = None if request is None else found_lines(store, request, invocation.limit()).places
        lines = list(categorised_lines(store, options.name, wanted, among, options.collection))
    if query and request is not None:
        say_remembered(invocation, query, request)
    if not lines:
        invocation.say(f"none of these lines has a category in the set {options.name!r}")
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
    (set_lines, clear, undo, remove, rename, list_sets, ratios, export),
)
