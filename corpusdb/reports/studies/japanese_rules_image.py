"""Figure 1 of the study of Japanese rules as an image file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Final

from corpusdb.outputs import NEW_ONLY, Guard
from corpusdb.queries.rule_study.study import RuleStudy
from corpusdb.reports.studies.images import Folders, check_figures, new_figure, write_figures
from corpusdb.reports.studies.japanese_rules import normalised_lines

__all__ = ["check_rule_images", "write_rule_images"]

_NAME: Final = "figure-1"
_MARKS: Final = "os^D"


def check_rule_images(folders: Folders, guard: Guard) -> None:
    """Raise what write_rule_images would raise, before there is anything to draw."""
    check_figures([_NAME], folders, guard)


def write_rule_images(found: RuleStudy, folders: Folders, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write figure-1 into the folder of each format, which is made if need be; returns the paths.

    The same study gives the same bytes. Raises UsageError, with the command that installs it, without matplotlib, and
    as check_output does.
    """
    return write_figures({_NAME: partial(_figure_1, found)}, folders, guard)


def _figure_1(found: RuleStudy) -> Any:
    """A line for each method and one for people, the systems across from the worst to the best."""
    figure = new_figure(max(5.0, 0.5 * len(found.systems)), 4.5)
    axes = figure.subplots()
    for mark, (name, values) in zip(_MARKS, normalised_lines(found).items(), strict=False):
        # NaN leaves a gap where there is no value.
        line = [float("nan") if value is None else value for value in reversed(values)]
        axes.plot(range(len(line)), line, marker=mark, markersize=4, linewidth=1, label=name)
    axes.set_xticks(range(len(found.systems)), [each.system for each in reversed(found.systems)], rotation=90)
    axes.set(ylabel="worst system 0, best 1")
    axes.legend()
    return figure
