"""A paraphrase session as commands take its name and report how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.cli.program.output import Cell

if TYPE_CHECKING:
    from corpusdb.queries.sessions.sessions import Standing

__all__ = ["Name", "NameOptions", "figures"]

Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="Name of the session.", show_default=False)]


@dataclass(frozen=True, slots=True)
class NameOptions:
    """What a command takes that only needs to know the session."""

    name: Name


def figures(standing: Standing) -> list[tuple[str, Cell]]:
    """How a session stands, as a report."""
    return [
        ("session", standing.name),
        ("seed", standing.seed),
        ("its position", standing.position),
        ("seeds", standing.seeds),
        ("of these done", standing.done),
        ("accepted", standing.accepted),
        ("of these to apply", standing.to_apply),
        ("of these without translations to share", standing.without_translations),
        ("rejected", standing.rejected),
        ("N", standing.order),
        ("V", standing.kept.min_validity),
    ]
