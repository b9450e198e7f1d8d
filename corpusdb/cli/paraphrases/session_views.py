"""A seed of a paraphrase session as the command line shows it."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from corpusdb.bounds import rounded_probability
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json, write_line

if TYPE_CHECKING:
    from corpusdb.queries.paraphrase.filters import Filter
    from corpusdb.queries.sessions.views import SeedView
    from corpusdb.store import Store

__all__ = ["read_view", "write_view"]


def read_view(invocation: Invocation, store: Store, name: str) -> SeedView:
    """The open seed of a session."""
    from corpusdb.queries.sessions.views import SeedReader

    return SeedReader(store, invocation.writing).read(name)


def _advice(view: SeedView, kept: Filter) -> str:
    """How to let some pass, where that is the filter's doing."""
    from corpusdb.queries.paraphrase.filters import relaxations

    name = shlex.quote(view.standing.name)
    return "".join(
        f"; `session order {name} {each.kept.order} -V {each.kept.min_validity:g}` lets {each.found:,} pass"
        for each in relaxations(kept, view.passing)
    )


def write_view(invocation: Invocation, view: SeedView, min_validity: float | None = None) -> None:
    """Write the seed with its translations, and its numbered paraphrases; the filter is that of the session.

    ``min_validity`` is another least validity, for this once.
    """
    from corpusdb.queries.paraphrase.origins.registry import origin_marks

    if invocation.json:
        write_json(view.document())
        return
    standing = view.standing
    kept = standing.kept if min_validity is None else replace(standing.kept, min_validity=min_validity)
    passing = view.passing(kept)
    invocation.say(
        f"seed {standing.position:,} of {standing.seeds:,}, {view.state}; "
        f"{passing:,} of {view.proposed:,} pass at {kept}{_advice(view, kept) if not passing else ''}"
    )
    if view.note:
        invocation.say(view.note)
    write_line(view.seed)
    for translation in view.translations:
        write_line(f"  {translation.language}  {translation.text}")
    rows: list[tuple[Cell, ...]] = []
    for number, each in enumerate(view.paraphrases, 1):
        decision = view.decisions.get(each.text)
        said = "" if decision is None else "w" if decision.applied else "+" if decision.verdict == "accept" else "-"
        origin = origin_marks(each).replace(" ", "") + ("" if kept.passes(each) else "x")
        order = "whole" if each.order is None else str(each.order)
        validity = None if each.validity is None else rounded_probability(each.validity)
        failing = kept.failing(each) or None
        rows.append(
            (number, said, origin, failing, validity, each.frequency, order, each.pivots, each.languages, each.text)
        )
    invocation.show(
        ("number", "said", "from", "fails", "validity", "frequency", "order", "pivots", "langs", "text"), rows
    )
