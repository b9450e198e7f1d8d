"""`profile --histogram`, and `profile --from --to`: the bars of a scale, and what stands on a part of it."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING

from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json
from corpusdb.errors import UsageError
from corpusdb.languages import language_code

if TYPE_CHECKING:
    from corpusdb.cli.homogeneity.profile_options import ProfileOptions
    from corpusdb.queries.homogeneity.profile_references import ProfileRecipe
    from corpusdb.queries.homogeneity.seen.profile_view import ProfileView

__all__ = ["stretch"]


def stretch(invocation: Invocation, options: ProfileOptions, recipe: ProfileRecipe) -> int:
    """The rows that were asked for; with a name what was listed is kept. How many there are."""
    low = -math.inf if options.low is None else options.low
    high = math.inf if options.high is None else options.high
    if not low <= high:
        raise UsageError(f"nothing stands from {low:g} to {high:g}")
    from corpusdb.queries.homogeneity.among import among
    from corpusdb.queries.homogeneity.profile_levels import entries_of
    from corpusdb.queries.homogeneity.profiles import make_profile
    from corpusdb.queries.homogeneity.seen.keeping import check_new_name, keep_lines, line_places
    from corpusdb.queries.homogeneity.seen.profile_view import ProfileView, read_groups, read_lines
    from corpusdb.queries.lexicon.selection import require_language
    from corpusdb.reports.homogeneity import ENTRY_COLUMNS, between_told, entries_between, entry_rows

    level = options.level or "line"
    with invocation.writing() as store:
        language = require_language(store, None if options.lang is None else language_code(options.lang))
        if options.name:
            check_new_name(store, options.name)
        chosen = among(store, language, **options.places)
        made = invocation.run(make_profile(store, language, recipe, rebuild=options.rebuild))
        view = ProfileView(made, read_lines(store, made, chosen), read_groups(store, made, chosen))
        order = view.order(level, options.scale)
        between = order.between(low, high)
        entries = [] if options.histogram else entries_of(store, made, level, chosen)
        if options.name:
            seen = {"level": level, "scale": options.scale, "from": options.low, "to": options.high}
            places = line_places(store, view, level, order.places(between, others=options.others))
            count = keep_lines(store, options.name, view, places, seen | {"others": options.others})
            invocation.say(f"{count:,} lines are kept as {options.name!r}")
    if options.is_bounded:
        invocation.say(between_told(between, level))
    if options.histogram:
        return _histogram(invocation, view, options)
    listed = entries_between(entries, options.scale, low, high)
    shown = listed[: options.limit or None]
    if invocation.json:
        write_json({"between": asdict(between), "entries": [asdict(each) for each in shown]})
    else:
        invocation.show(ENTRY_COLUMNS, entry_rows(shown))
    invocation.say_cut(len(shown), len(listed), f"{level}s")
    return len(listed)


def _histogram(invocation: Invocation, view: ProfileView, options: ProfileOptions) -> int:
    from corpusdb.reports.homogeneity import BAR_COLUMNS, bar_rows, histogram

    bars = histogram(view, options.level or "line", options.scale)
    if invocation.json:
        write_json([{"bar": asdict(each.bar), "ticks": [asdict(tick) for tick in each.ticks]} for each in bars])
    else:
        invocation.show(BAR_COLUMNS, bar_rows(bars))
    return len(bars)
