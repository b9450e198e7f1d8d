"""Concordances on the command line: their lines, or how these are grouped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json
from corpusdb.cli.search.hits import show_lines
from corpusdb.queries.search.arrangement import GroupBy
from corpusdb.queries.search.request import SearchRequest

if TYPE_CHECKING:
    from corpusdb.queries.search.concordance import Concordance
    from corpusdb.queries.search.search import Hits
    from corpusdb.stoppable.limit import Limit
    from corpusdb.store import Store

__all__ = ["show_concordances"]


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


def _show_groups(
    invocation: Invocation, store: Store, concordances: Sequence[Concordance], by: GroupBy, request: SearchRequest
) -> int:
    from corpusdb.queries.search.concordance import ordered_groups

    counts: Counter[str] = Counter()
    for concordance in concordances:
        for group in concordance.groups(by, store, request.shown_languages):
            counts[group.key] += group.count
    lines = sum(map(len, concordances))
    groups = ordered_groups(counts, lines)
    shown = groups[: request.limit or None]
    if invocation.json:
        write_json({"total": lines, "groups": [asdict(group) for group in shown]})
    else:
        invocation.show((by, "lines", "per cent"), ((each.key, each.count, each.share * 100) for each in shown))
    invocation.say(f"{lines:,} lines in {len(groups):,} groups")
    invocation.say_cut(len(shown), len(groups), "groups")
    return sum(each.total for each in concordances)
