"""Files of scores that others gave, as `agreement`, `compare` and `scores import` take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.cli.program.invocation import Invocation

if TYPE_CHECKING:
    from corpusdb.formats.scores.reading import ScoreReading
    from corpusdb.formats.scores.score_file import ExternalScores, ScoreFile

__all__ = ["ScoreFileOptions", "arranged", "read_score_files", "say_how_read", "score_reading"]

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


LanguagePair: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--language-pair",
        metavar="PAIR",
        help="Which ratings of ESA or DA are meant, where a file has more: eng-jpn.",
        show_default=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class ScoreFileOptions:
    """How files of scores are read; without slots, so that it can stand beside other options."""

    mqm_weights: MqmWeights = None
    language_pair: LanguagePair = None
    first_segment: FirstSegment = None


def score_reading(options: ScoreFileOptions, also: Sequence[str] = ()) -> ScoreReading:
    """What the options say of how files are to be read. Raises UsageError for weights that are none."""
    from corpusdb.formats.scores.annotations import ErrorWeights
    from corpusdb.formats.scores.reading import ScoreReading

    return ScoreReading(ErrorWeights.parse(options.mqm_weights), options.first_segment, options.language_pair, also)


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
