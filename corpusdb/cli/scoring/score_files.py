"""Files of scores that others gave, as `agreement`, `compare` and `scores import` take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.cli.program.invocation import Invocation

if TYPE_CHECKING:
    from corpusdb.formats.scores.reading import ScoreReading
    from corpusdb.formats.scores.score_file import ExternalScores, ScoreFile

__all__ = ["FirstSegment", "MqmWeights", "arranged", "read_score_files", "say_how_read", "score_reading"]

MqmWeights: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--mqm-weights",
        metavar="WHAT:N,...",
        help="Errors of MQM that weigh otherwise than WMT has them: major:10,minor/punctuation:1.",
        show_default=False,
    ),
]
FirstSegment: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--first-segment",
        metavar="0|1",
        min=0,
        max=1,
        help="What files of scores call the first segment, where they do not tell it.",
        show_default=False,
    ),
]


def score_reading(mqm_weights: str | None, first_segment: int | None, also: Sequence[str] = ()) -> ScoreReading:
    """What these options say of how files are to be read. Raises UsageError for weights that are none."""
    from corpusdb.formats.scores.annotations import ErrorWeights
    from corpusdb.formats.scores.reading import ScoreReading

    return ScoreReading(ErrorWeights.parse(mqm_weights), first_segment, also)


def read_score_files(paths: Iterable[Path], how: ScoreReading) -> list[ScoreFile]:
    """What the files hold. Raises InputError for one that cannot be read."""
    from corpusdb.formats.scores.reading import read_score_file

    return [read_score_file(path, how) for path in paths]


def arranged(invocation: Invocation, files: Iterable[ScoreFile], segments: int | None) -> list[ExternalScores]:
    """Their scores for so many segments, and talk of how they were read. Raises InputError for what does not fit."""
    found = []
    for file in files:
        found += file.scores(segments)
        say_how_read(invocation, (*file.columns_left, *file.how_read(segments)))
    return found


def say_how_read(invocation: Invocation, notes: Iterable[str]) -> None:
    for note in notes:
        invocation.say(note)
