"""Figures 1 and 2 of the study of BLEU in characters as image files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from corpusdb.arrays import F64
from corpusdb.outputs import NEW_ONLY, Guard
from corpusdb.reports.studies.images import Folders, check_figures, new_figure, write_figures
from corpusdb.studies.bleu_in_characters.scores import CandidateScores
from corpusdb.studies.bleu_in_characters.study import Equivalence

__all__ = ["check_images", "write_images"]

_THRESHOLD = 0.9


def check_images(folders: Folders, guard: Guard) -> None:
    """Raise what write_images would raise, before there is anything to draw."""
    check_figures(_FIGURES, folders, guard)


def write_images(scores: CandidateScores, study: Equivalence, folders: Folders, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write figure-1 and figure-2 into the folder of each format, which is made if need be; returns their paths.

    The same scores give the same bytes. Raises UsageError, with the command that installs it, without matplotlib, and
    as check_output does.
    """
    return write_figures({name: partial(draw, scores, study) for name, draw in _FIGURES.items()}, folders, guard)


def _figure_1(scores: CandidateScores, study: Equivalence) -> Any:
    figure = new_figure(5, 5)
    characters, words = scores.characters[study.equivalent - 1], scores.words[-1]
    _scatter(figure.subplots(), characters, words, f"BLEUc{study.equivalent}", f"BLEUw{study.word_order}")
    return figure


def _figure_2(scores: CandidateScores, study: Equivalence) -> Any:
    figure = new_figure(13, 4.5)
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
