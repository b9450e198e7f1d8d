"""Figures 1 and 2 of the study of BLEU in characters as image files, drawn by matplotlib."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from corpusdb.errors import InputError, UsageError
from corpusdb.metrics.candidate_scores import CandidateScores
from corpusdb.metrics.equivalence import Equivalence
from corpusdb.metrics.segments import F64

__all__ = ["ImageFormat", "require_matplotlib", "write_images"]

ImageFormat: TypeAlias = Literal["svg", "png"]

_INSTALL = "figures need matplotlib: pip install 'corpusdb[plots]'"
_RESOLUTION = 150
"""Of PNG, in dots an inch."""
_THRESHOLD = 0.9


def require_matplotlib() -> None:
    """Raise UsageError, with the command that installs it, where matplotlib is missing."""
    _matplotlib("matplotlib")


def write_images(scores: CandidateScores, study: Equivalence, folder: Path, format: ImageFormat) -> list[Path]:
    """Write figure-1 and figure-2 into ``folder``, which is made if need be; returns their paths.

    The same scores give the same bytes. Raises UsageError without matplotlib and InputError where ``folder`` cannot be
    one.
    """
    figures = {"figure-1": _figure_1(scores, study), "figure-2": _figure_2(scores, study)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError("is no folder", path=folder) from error
    # The salt makes the names inside an SVG the same every time, and no date is written.
    settings = {"svg.hashsalt": "corpusdb", "svg.fonttype": "none"}
    metadata = {"Date": None} if format == "svg" else None
    paths = []
    with _matplotlib("matplotlib").rc_context(settings):
        for name, figure in figures.items():
            path = folder / f"{name}.{format}"
            figure.savefig(path, format=format, dpi=_RESOLUTION, metadata=metadata)
            paths.append(path)
    return paths


def _matplotlib(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(_INSTALL) from error


def _figure(width: float, height: float) -> Any:
    """A figure of its own, without the global state and the window of pyplot; inches."""
    return _matplotlib("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def _figure_1(scores: CandidateScores, study: Equivalence) -> Any:
    figure = _figure(5, 5)
    characters, words = scores.characters[study.equivalent - 1], scores.words[-1]
    _scatter(figure.subplots(), characters, words, f"BLEUc{study.equivalent}", f"BLEUw{study.word_order}")
    return figure


def _figure_2(scores: CandidateScores, study: Equivalence) -> Any:
    figure = _figure(13, 4.5)
    left, middle, right = figure.subplots(1, 3)
    lower = f"BLEUw{study.word_order - 1}"
    _scatter(left, scores.words[-2], scores.words[-1], lower, f"BLEUw{study.word_order}")
    middle.bar(range(1, study.character_order + 1), study.below[-2])
    middle.axhline(_THRESHOLD, color="black", linewidth=0.8, linestyle="--")
    middle.set(xlabel="M", ylabel=f"share of BLEUcM <= {lower}", ylim=(0, 1))
    _scatter(right, scores.words[-2], scores.characters[study.equivalent - 1], lower, f"BLEUc{study.equivalent}")
    return figure


def _scatter(axes: Any, across: F64, up: F64, x: str, y: str) -> None:
    axes.plot((0, 1), (0, 1), color="black", linewidth=0.8)
    axes.scatter(across, up, s=4, alpha=0.3, linewidths=0, rasterized=True)  # thousands of shapes make a huge SVG
    axes.set(xlabel=x, ylabel=y, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
