"""What the command `profile` takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

import typer

from corpusdb.cli.homogeneity.models import Normalise, Smoothing

__all__ = ["ProfileOptions"]

_FARTHEST: Final = 1000.0
"""On the scale J, which has no bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileOptions:
    """What `profile` takes."""

    lang: Annotated[
        str | None, typer.Option("--lang", metavar="LANG", help="Language; may be left out if only one.")
    ] = None
    spoken: Annotated[
        str | None, typer.Option(metavar="A,B", help="Collections or files: I = 0.", show_default=False)
    ] = None
    written: Annotated[
        str | None, typer.Option(metavar="C,D", help="Collections or files: I = 1.", show_default=False)
    ] = None
    order: Annotated[int, typer.Option(metavar="N", min=1, max=20, help="The longest n-grams, in characters.")] = 5
    smoothing: Smoothing = "wb"
    normalise: Normalise = "case"
    level: Annotated[
        Literal["line", "document", "collection", "whole"] | None,
        typer.Option(help="Only this level; all if not given.", show_default=False),
    ] = None
    each: Annotated[bool, typer.Option("--each", help="With --level: a row for each of them.")] = False
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Make it anew, as where its references changed.")] = False
    outliers: Annotated[bool, typer.Option("--outliers", help="The lines that belong least to the others.")] = False
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Lines that have the same letters, or all but one word.")
    ] = False
    collection: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only sentences of this collection or selection.")
    ] = None
    document: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this document or file.")] = None
    query: Annotated[str | None, typer.Option(metavar="NAME", help="Only what this saved search finds.")] = None
    histogram: Annotated[bool, typer.Option("--histogram", help="Rows are the bars of a scale.")] = False
    scale: Annotated[Literal["I", "J"], typer.Option(help="Of --histogram, --from and --to.")] = "I"
    low: Annotated[
        float | None,
        typer.Option("--from", metavar="X", min=-_FARTHEST, max=_FARTHEST, help="List what stands at X or above."),
    ] = None
    high: Annotated[
        float | None,
        typer.Option("--to", metavar="X", min=-_FARTHEST, max=_FARTHEST, help="List what stands at X or below."),
    ] = None
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Keep the lines that are listed as a selection.")] = (
        None
    )
    others: Annotated[bool, typer.Option("--others", help="With --name: keep all others instead.")] = False
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=0, help="Rows at most; 0 is all.")] = 50

    @property
    def places(self) -> dict[str, str | None]:
        """Where the sentences that are measured stand."""
        return {"collection": self.collection, "document": self.document, "query": self.query}

    @property
    def is_bounded(self) -> bool:
        """Whether a stretch of the scale is asked for."""
        return self.low is not None or self.high is not None

    @property
    def is_stretch(self) -> bool:
        """Whether rows are of a scale, not of levels."""
        return self.histogram or self.is_bounded
