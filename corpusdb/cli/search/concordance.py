"""Concordances on the command line: their lines, or how these are grouped."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json
from corpusdb.cli.search.hits import say_concordance, show_lines
from corpusdb.queries.search.arrangement import GroupBy
from corpusdb.queries.search.request import SearchRequest
from corpusdb.reports.wording.amounts import counted

if TYPE_CHECKING:
    from corpusdb.queries.search.concordance import Concordance, Group, GroupKey
    from corpusdb.queries.search.search import Hits
    from corpusdb.stoppable.limit import Limit
    from corpusdb.store import Store

__all__ = ["say_no_pattern", "show_concordances"]


def show_concordances(
    invocation: Invocation, store: Store, found: Sequence[Hits], request: SearchRequest, limit: Limit
) -> int:
    """The concordance of the hits in each language, one after the other, or how its lines are grouped.

    Returns how many lines there are, whether shown or not.
    """
    from corpusdb.jobs import finished
    from corpusdb.queries.search.concordance import arrange_lines

    concordances = [
        finished(arrange_lines(hits, request.arrangement), lambda step: limit.check(request.pattern)) for hits in found
    ]
    if request.group:
        return _show_groups(invocation, store, concordances, request.group, request)
    return show_lines(invocation, store, concordances, request)


def say_no_pattern(invocation: Invocation, store: Store, request: SearchRequest) -> None:
    """Say that a concordance is of a pattern; a result of a query holds sentences, and no lines."""
    from corpusdb.queries.results.named_results import query_of

    invocation.say("a concordance needs a pattern: each line has one match in the middle")
    if request.collection is not None and (asked := query_of(store, request.collection)) is not None:
        invocation.say(
            f"{request.collection!r} holds sentences; their lines again: `{lines_again(request.collection, asked)}`"
        )


def lines_again(result: str, asked: str) -> str:
    """The call for the concordance of a result, of the one by which it was kept."""
    from corpusdb.queries.results.named_results import SEARCH_CALL

    begin, rest = SEARCH_CALL, asked.removeprefix(SEARCH_CALL)
    return f"{begin} --kwic --collection {shlex.quote(result)}{rest.replace(' --kwic', '', 1)}"


_SHARE_OF: Mapping[GroupBy, str] = {
    "translation": "per cent: of the translations of all lines into the language, a line without one counted as one",
    "document": "per cent: of all pairs of a line and a document that has it",
    "collection": "per cent: of all pairs of a line and a collection that has it",
}
"""Where a line may count in several groups, so that the per cents are not of lines."""


def _show_groups(
    invocation: Invocation, store: Store, concordances: Sequence[Concordance], by: GroupBy, request: SearchRequest
) -> int:
    from corpusdb.queries.search.concordance import ordered_groups

    counts: Counter[GroupKey] = Counter()
    for concordance in concordances:
        for group in concordance.groups(by, store, request.shown_languages):
            counts[group.language, group.key] += group.count
    lines = sum(map(len, concordances))
    groups = ordered_groups(counts, request.shown_languages)
    of_languages = [list(each) for _, each in groupby(groups, lambda group: group.language)]
    shown = [group for each in of_languages for group in each[: request.limit or None]]
    if invocation.json:
        write_json({"total": lines, "groups": [_document(group) for group in shown]})
    elif by == "translation":
        # Last, since a translation may be longer than a line of the terminal, and figures behind it would be lost.
        rows = ((each.count, _per_cent(each), each.language, each.key) for each in shown)
        invocation.show(("lines", "per cent", "language", by), rows)
    else:
        invocation.show((by, "lines", "per cent"), ((each.key, each.count, _per_cent(each)) for each in shown))
    invocation.say(f"{counted(lines, 'lines')} in {counted(len(groups), 'groups')}")
    if of_what := _SHARE_OF.get(by):
        invocation.say(of_what)
    say_concordance(invocation, concordances, request)
    invocation.say_cut(len(shown), len(groups), "groups")
    return sum(each.total for each in concordances)


def _per_cent(group: Group) -> float:
    return round(group.share * 100, 2)


def _document(group: Group) -> dict[str, object]:
    """With the language where it is a translation."""
    language = {"language": group.language} if group.language else {}
    return language | {"key": group.key, "count": group.count, "share": group.share}
