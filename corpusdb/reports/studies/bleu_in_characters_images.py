"""Figures 1 and 2 of the study of BLEU in characters as image files, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from corpusdb.arrays import F64
from corpusdb.errors import UsageError
from corpusdb.outputs import NEW_ONLY, Guard, Outputs, check_output, folder_for
from corpusdb.studies.bleu_in_characters.scores import CandidateScores
from corpusdb.studies.bleu_in_characters.study import Equivalence

__all__ = ["ImageFormat", "check_images", "write_images"]

ImageFormat: TypeAlias = Literal["svg", "png"]
Folders: TypeAlias = Mapping[ImageFormat, Path]
"""Where the images of each format go."""

_INSTALL = "figures need matplotlib: pip install 'corpusdb[plots]'"
_RESOLUTION = 150
"""Of PNG, in dots an inch."""
_THRESHOLD = 0.9


def check_images(folders: Folders, guard: Guard) -> None:
    """Raise what write_images would raise, before there is anything to draw."""
    _matplotlib("matplotlib")
    for format, folder in folders.items():
        if folder.exists():
            for name in _FIGURES:
                check_output(folder / f"{name}.{format}", guard)


def write_images(scores: CandidateScores, study: Equivalence, folders: Folders, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write figure-1 and figure-2 into the folder of each format, which is made if need be; returns their paths.

    The same scores give the same bytes. Raises UsageError, with the command that installs it, without matplotlib, and
    as check_output does.
    """
    # The salt makes the names inside an SVG the same every time, and no date is written.
    settings = {"svg.hashsalt": "corpusdb", "svg.fonttype": "none"}
    paths = []
    with ExitStack() as made, Outputs(guard) as outputs, _matplotlib("matplotlib").rc_context(settings):
        for format, folder in folders.items():
            made.enter_context(folder_for(folder))
            metadata = {"Date": None} if format == "svg" else None
            for name, draw in _FIGURES.items():
                paths.append(folder / f"{name}.{format}")
                with outputs.file(paths[-1]) as file:
                    draw(scores, study).savefig(file, format=format, dpi=_RESOLUTION, metadata=metadata)
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


_FIGURES: Mapping[str, Callable[[CandidateScores, Equivalence], Any]] = {"figure-1": _figure_1, "figure-2": _figure_2}


def _scatter(axes: Any, across: F64, up: F64, x: str, y: str) -> None:
    axes.plot((0, 1), (0, 1), color="black", linewidth=0.8)
    axes.scatter(across, up, s=4, alpha=0.3, linewidths=0, rasterized=True)  # thousands of shapes make a huge SVG
    axes.set(xlabel=x, ylabel=y, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
