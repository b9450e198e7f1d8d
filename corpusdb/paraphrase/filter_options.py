"""The options by which paraphrases are filtered, called the same in every command, and what is said of the filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.base.fluency_orders import DEFAULT_MIN_VALIDITY
from corpusdb.commands.invocation import Invocation

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store

__all__ = ["FinalMarks", "Marks", "MinLanguages", "MinPivots", "MinShared", "MinValidity", "Order", "say_pivots"]

Order: TypeAlias = Annotated[
    int,
    typer.Option(
        "--fluency",
        "-N",
        metavar="N",
        min=0,
        help="Every run of N characters was seen in the corpus; N/2 where V vouches for a replacement; 0: no filter.",
    ),
]
Marks: TypeAlias = Annotated[
    bool, typer.Option("--marks/--no-marks", help="Whether the ends of a sentence count in these runs.")
]
MinValidity: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--min-validity",
        "-V",
        metavar="V",
        min=0,
        max=1,
        help=f"Least probability that the meaning is kept; {DEFAULT_MIN_VALIDITY} if not given, 0 with -N 0.",
        show_default=False,
    ),
]
FinalMarks: TypeAlias = Annotated[
    bool, typer.Option("--final-marks", help="Also what differs from its seed in the marks at the end alone.")
]
MinPivots: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=0, help="Least rewordings behind a paraphrase.", show_default=False)
]
MinLanguages: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=0, help="Least languages that show these to be such.", show_default=False)
]
MinShared: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=0, help="Least translations shared with the seed.", show_default=False)
]


def say_pivots(invocation: Invocation, store: Store, language: str) -> None:
    """Say where one pivot language, which does not see all that paraphrases may change, stands behind validities."""
    from corpusdb.paraphrase.queries.validity_rows import validity_pivots

    known = validity_pivots(store, language)
    if known is not None and known.unseen and (told := known.told()) is not None:
        invocation.say(told)
