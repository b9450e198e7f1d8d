"""Human scores of machine translations, for systems or their segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import fmean

from corpusdb.errors import InputError
from corpusdb.formats.scores.reading import ScoreReading, read_score_file
from corpusdb.formats.scores.score_file import ScoreFile

__all__ = ["USUAL", "HumanJudgements", "human_judgements", "read_human_scores"]

USUAL = "z"
"""What is taken where several columns hold scores: those standardised by annotator, by which WMT ranks systems."""


@dataclass(frozen=True, slots=True)
class HumanJudgements:
    """Scores by the name of the system."""

    systems: Mapping[str, float]
    segments: Mapping[str, Mapping[int, float]]
    """By the number of the segment, from 0, too; empty where only systems were scored."""
    left_out: int = 0
    """How many scores are of segments that are not there."""
    notes: tuple[str, ...] = ()
    """What is to be told of how the file was read."""


def read_human_scores(
    path: Path, column: str | None = None, segments: int | None = None, *, leaves_out: bool = False
) -> HumanJudgements:
    """The human scores in a file of any kind: those called ``column``, else z, else the only ones.

    Raises InputError as ``read_score_file`` and ``human_judgements`` do.
    """
    file = read_score_file(path, ScoreReading(also=[column or USUAL]))
    return human_judgements(file, column, segments, leaves_out=leaves_out)


def human_judgements(
    file: ScoreFile, column: str | None = None, segments: int | None = None, *, leaves_out: bool = False
) -> HumanJudgements:
    """What people said of systems and of ``segments`` segments, as far as it is known how many there are.

    Where segments are scored, the score of a system is the mean of theirs, as WMT computes it. Raises InputError where
    it is not clear which scores are meant, for a segment that is not there unless it ``leaves_out`` those, and for
    another number of segments where they have no numbers.
    """
    name = _chosen(file, column)
    systems = {system: score.value for system, score in file.of_systems.get(name, {}).items() if isfinite(score.value)}
    file.check_equal()
    first, left_out = file.first(segments), 0
    by_segment: dict[str, dict[int, float]] = {}
    if name in file.of_segments:
        if segments is None or not leaves_out:
            file.scores(segments)  # which refuses what does not fit
        if file.usual_first is None and segments is not None:
            _check_count(file, name, segments, leaves_out=leaves_out)
        for system, scores in file.of_segments[name].items():
            finite = {number - first: each.value for number, each in scores.items() if isfinite(each.value)}
            known = {at: value for at, value in finite.items() if segments is None or at < segments}
            left_out += len(finite) - len(known)
            if known:
                by_segment[system] = known
    if left_out and not by_segment:
        raise InputError(f"all its scores are of segments beyond the {segments or 0:,} that there are", path=file.path)
    means = {system: fmean(scores.values()) for system, scores in by_segment.items()}
    return HumanJudgements(systems or means, by_segment, left_out, file.how_read(segments))


def _chosen(file: ScoreFile, column: str | None) -> str:
    there_are = file.metrics
    if column is None and len(there_are) == 1:
        return there_are[0]
    if (name := USUAL if column is None else column) in there_are:
        return name
    raise InputError(f"no column {name!r} holds scores; there are {', '.join(there_are)}", path=file.path, line=1)


def _check_count(file: ScoreFile, name: str, segments: int, *, leaves_out: bool) -> None:
    """Segments without numbers are all there, or those of a larger test set are."""
    count = min(len(scores) for scores in file.of_segments[name].values())
    if count < segments or (count > segments and not leaves_out):
        reason = f"{count:,} segments of each system are scored, and there are {segments:,}"
        raise InputError(reason, path=file.path, line=min(file.systems.values()))
