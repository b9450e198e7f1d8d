"""What programs print for people to read, and people keep: comet-score and sacrebleu."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from corpusdb.errors import InputError
from corpusdb.formats.scores.score_file import Collected, ScoreFile, score_of
from corpusdb.formats.segments import base_name

__all__ = ["is_comet", "is_grid", "is_sacrebleu", "leading_number", "named_by_file", "read_comet", "read_grid"]
__all__ += ["read_sacrebleu", "system_in"]

_COMET: Final = re.compile(
    r"(?P<file>[^\t]+)(?:\tSegment (?P<segment>[0-9]+))?\tscore: (?P<score>[^\t]+)(?:\tvariance: [^\t]+)?"
)
_COMET_TALK: Final = "Predictions saved in: "
_SACREBLEU: Final = re.compile(r"\s*(?P<metric>[^|\s]+)\|\S+ = (?P<score>\S+)(?: .*)?")
_BASELINE: Final = "Baseline: "
_GRID: Final = "╒"
_LEADING: Final = re.compile(r"[^\s(]+(?=\s*(?:\(|$))")


def system_in(file: str) -> str:
    """The system of which a program scored a file: the name of the file, as of outputs that are scored here."""
    return base_name(Path(file.strip().removeprefix(_BASELINE)))


def is_comet(line: str) -> bool:
    """Whether comet-score printed it."""
    return _COMET.fullmatch(line) is not None


def read_comet(lines: Iterable[tuple[int, str]], path: Path, first: int | None = None) -> ScoreFile:
    """``FILE TAB Segment N TAB score: X`` for each segment of each file, and ``FILE TAB score: X`` for each file."""
    found = Collected(path, usual_first=0)
    for number, line in lines:
        if line.startswith(_COMET_TALK):
            continue
        read = _COMET.fullmatch(line)
        if read is None:
            reason = "no line of comet-score: FILE TAB Segment N TAB score: NUMBER is expected"
            raise InputError(reason, path=path, line=number)
        segment = None if read["segment"] is None else int(read["segment"][:9])
        found.add("COMET", system_in(read["file"]), segment, score_of(read["score"], path, number), number)
    return found.file(first)


def is_sacrebleu(line: str) -> bool:
    """Whether sacrebleu printed it: a metric with its signature, and a score."""
    return _SACREBLEU.fullmatch(line) is not None


def named_by_file(path: Path) -> str:
    """What is told of a file that names no system."""
    return f"{path.name} names no system, and is taken for scores of {base_name(path)}"


def read_sacrebleu(lines: Iterable[tuple[int, str]], path: Path) -> ScoreFile:
    """``BLEU|signature = score ...``: of the system that the file is named for, or a line for each of its segments."""
    read: list[tuple[int, str, float]] = []
    for number, line in lines:
        match = _SACREBLEU.fullmatch(line)
        if match is None:
            reason = "no line of sacrebleu: METRIC|SIGNATURE = NUMBER is expected"
            raise InputError(reason, path=path, line=number)
        read.append((number, match["metric"], score_of(match["score"], path, number)))
    found = Collected(path)
    counted = Counter(metric for _, metric, _ in read)
    for number, metric, value in read:
        if counted[metric] > 1:
            found.add_next(metric, base_name(path), value, number)
        else:
            found.add(metric, base_name(path), None, value, number)
    return found.file(notes=[named_by_file(path)])


def is_grid(line: str) -> bool:
    """Whether it begins the table that sacrebleu prints of several systems."""
    return line.startswith(_GRID)


def read_grid(lines: Iterable[tuple[int, str]], path: Path) -> ScoreFile:
    """The table of sacrebleu: a system in each row and a metric in each column, with intervals or not."""
    found = Collected(path)
    metrics: Sequence[str] = ()
    for number, line in lines:
        if not line.strip():
            break  # signatures follow
        if not line.startswith("│"):
            continue
        cells = [cell.strip() for cell in line.strip("│").split("│")]
        if not metrics:
            metrics = [leading_number(cell) for cell in cells[1:]]
            continue
        if len(cells) != len(metrics) + 1:
            raise InputError(f"{len(cells)} cells under {len(metrics) + 1} names", path=path, line=number)
        if not cells[0]:
            continue  # p-values of the row above
        for metric, cell in zip(metrics, cells[1:], strict=True):
            found.add(metric, system_in(cells[0]), None, score_of(leading_number(cell), path, number), number)
    return found.file()


def leading_number(cell: str) -> str:
    """What stands before a bracket: ``37.1 (35.6 ± 9.2)`` is a score with its interval."""
    found = _LEADING.match(cell.strip())
    return found[0] if found else cell
