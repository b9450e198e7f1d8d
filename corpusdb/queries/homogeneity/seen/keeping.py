"""Lines that were seen in a profile, or among the outlying ones, kept as a selection."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from corpusdb.arrays import I64
from corpusdb.display import check_name
from corpusdb.queries.homogeneity.outlying import OutlierReport, lines_to_measure
from corpusdb.queries.homogeneity.profile_levels import ALL_ASKED, Level
from corpusdb.queries.homogeneity.seen.profile_view import ProfileView, entry_sentences
from corpusdb.queries.homogeneity.selections.stored_selections import (
    NewSelection,
    check_selection_name,
    keep_selection,
)
from corpusdb.store import Store

__all__ = ["check_new_name", "keep_lines", "keep_outliers", "line_places"]


def check_new_name(store: Store, name: str) -> None:
    """Raise UsageError for what is no name, and InputError for that of a selection or collection."""
    check_name(name, "a selection")
    check_selection_name(store, name)


def line_places(store: Store, view: ProfileView, level: Level, places: I64) -> I64:
    """The places of the lines of some entries of a level, in the order of these; each line once."""
    if level == "line" or view.groups is None:
        return places
    keys = view.groups[level].keys
    own = [
        view.lines.sentences
        if keys[place] == ALL_ASKED
        else entry_sentences(store, level, keys[place], view.profile.language)
        for place in places.tolist()
    ]
    found = [np.flatnonzero(np.isin(view.lines.sentences, each, assume_unique=True)) for each in own]
    together = np.concatenate([np.empty(0, dtype=np.int64), *found])
    _, first = np.unique(together, return_index=True)
    return together[np.sort(first)]


def keep_lines(store: Store, name: str, view: ProfileView, places: I64, seen: Mapping[str, object]) -> int:
    """Keep the lines at these places as a selection; how many.

    The score of each is H1 - H2, bits per character: the lower, the nearer to the spoken reference, and the first of
    them is the lowest. ``seen`` says what was seen. Raises UsageError and InputError for a name that cannot be given,
    and where there are no lines.
    """
    check_new_name(store, name)
    profile, lines = view.profile, view.lines
    scores = lines.statistics.difference()[places]
    ranked = np.argsort(scores, kind="stable")
    members = zip(lines.sentences[places][ranked].tolist(), scores[ranked].tolist(), strict=True)
    parameters = {"method": "profile", "profile": profile.parameters, **seen}
    new = NewSelection(name, profile.language, parameters, [], int(lines.statistics.characters[places].sum()))
    return keep_selection(store, new, members)


def keep_outliers(
    store: Store, name: str, report: OutlierReport, collection: str | None = None, *, others: bool = False
) -> int:
    """Keep the outlying lines of a report as a selection, the strangest last, or all others of what was measured.

    The score is that of the report; others have 0. Raises as ``keep_lines`` does.
    """
    check_new_name(store, name)
    listed = {line.sentence for line in report.lines}
    if others:
        numbers, originals, _ = lines_to_measure(store, report.language, collection)
        kept = [(each, text) for each, text in zip(numbers, originals, strict=True) if each not in listed]
        members, characters = [(each, 0.0) for each, _ in kept], sum(len(text) for _, text in kept)
    else:
        lines = sorted(report.lines, key=lambda line: line.score)
        members, characters = [(line.sentence, line.score) for line in lines], sum(len(line.text) for line in lines)
    parameters = {"method": "outliers", "collection": collection, "listed": len(listed), "others": others}
    return keep_selection(store, NewSelection(name, report.language, parameters, [], characters), members)
