"""Figures 1 to 3 of the study of data homogeneity as plots of characters and as image files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from corpusdb.outputs import NEW_ONLY, Guard
from corpusdb.queries.homogeneity_study.profile_tables import LanguageProfile
from corpusdb.queries.homogeneity_study.study import HomogeneityStudy
from corpusdb.reports.plots import Axis, point_plot
from corpusdb.reports.studies.images import Folders, check_figures, new_figure, write_figures
from corpusdb.studies.homogeneity.curves import SelectionCurve

__all__ = ["check_homogeneity_images", "homogeneity_figures", "write_homogeneity_images"]

_PLOT: Final = (72, 20)
_AXIS: Final = "percent of the characters"
_NAMES: Final = {"perplexity": "perplexity by character", "bleu": "BLEU", "nist": "NIST", "mwer": "mWER"}
_MARKS: Final = "os^D"


def homogeneity_figures(found: HomogeneityStudy, *, ascii: bool = False) -> Iterator[str]:
    """Those of the parts that were made, in block characters or in ASCII."""
    if "table" in found.request.parts:
        for profile in found.profiles:
            yield f"Figure 1. Coefficients in {profile.language}"
            yield from point_plot(_distributions(profile), _PLOT, Axis("I"), Axis("percent of each"), ascii=ascii)
            yield ""
    for title, curves in _all_curves(found):
        yield title
        axes = Axis(_AXIS, log=True), Axis(_NAMES[curves[0].measure], from_zero=False)
        yield from point_plot({each.method: _points(each) for each in curves}, _PLOT, *axes, ascii=ascii)
        yield ""


def _distributions(profile: LanguageProfile) -> dict[str, list[tuple[float, float]]]:
    """The middle of each part of the scale that is not empty, and what percentage of lines or documents is there."""
    return {
        f"{each.level}s": [
            ((place + 0.5) / len(each.counts), 100 * count / sum(each.counts))
            for place, count in enumerate(each.counts)
            if count
        ]
        for each in profile.histograms
    }


def _all_curves(found: HomogeneityStudy) -> Iterator[tuple[str, list[SelectionCurve]]]:
    if found.translation is not None:
        for system in found.translation.systems:
            for measure in dict.fromkeys(each.measure for each in system.curves):
                own = [each for each in system.curves if each.measure == measure]
                yield f"Figure 2. {_NAMES[measure]} of {system.system}", own
    for curves in found.perplexity:
        yield f"Figure 3. Perplexity in {curves.language}", list(curves.curves)


def _points(curve: SelectionCurve) -> list[tuple[float, float]]:
    return [(100 * share, value) for share, value in zip(curve.shares, curve.values, strict=False)]


def check_homogeneity_images(parts: Sequence[str], folders: Folders, guard: Guard) -> None:
    """Raise what write_homogeneity_images would raise, before there is anything to draw."""
    check_figures([name for name, part in _PARTS.items() if part in parts], folders, guard)


def write_homogeneity_images(found: HomogeneityStudy, folders: Folders, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write figure-1 to figure-3, those of the parts that were made, into the folder of each format; returns the paths.

    The same study gives the same bytes. Raises UsageError, with the command that installs it, without matplotlib, and
    as check_output does.
    """
    names = [name for name, part in _PARTS.items() if part in found.request.parts]
    return write_figures({name: partial(_DRAWN[name], found) for name in names}, folders, guard)


def _figure_1(found: HomogeneityStudy) -> Any:
    """A panel for each language, as in the paper; documents are the thick line."""
    figure = new_figure(5 * len(found.profiles), 4)
    for axes, profile in zip(figure.subplots(1, len(found.profiles), squeeze=False)[0], found.profiles, strict=True):
        for histogram, width in zip(profile.histograms, (0.8, 2.0), strict=True):
            total = sum(histogram.counts) or 1
            middles = [(place + 0.5) / len(histogram.counts) for place in range(len(histogram.counts))]
            values = [100 * count / total for count in histogram.counts]
            axes.plot(middles, values, linewidth=width, label=f"{histogram.level}s", drawstyle="steps-mid")
        axes.set(xlabel=f"coefficient in {profile.language}", ylabel="percent of each", xlim=(0, 1))
        axes.legend()
    return figure


def _figure_2(found: HomogeneityStudy) -> Any:
    """A row for each translator, a panel for each measure."""
    curves = [(title, own) for title, own in _all_curves(found) if own[0].measure != "perplexity"]
    measures = len({own[0].measure for _, own in curves})
    figure = new_figure(4.5 * measures, 4 * (len(curves) // measures))
    panels = figure.subplots(len(curves) // measures, measures, squeeze=False).flat
    for axes, (title, own) in zip(panels, curves, strict=True):
        _draw(axes, own)
        axes.set_title(title.partition(". ")[2], fontsize=9)
    return figure


def _figure_3(found: HomogeneityStudy) -> Any:
    """A panel for each language."""
    figure = new_figure(5 * len(found.perplexity), 4)
    panels = figure.subplots(1, len(found.perplexity), squeeze=False)[0]
    for axes, curves in zip(panels, found.perplexity, strict=True):
        _draw(axes, curves.curves)
        axes.set_title(curves.language, fontsize=9)
    return figure


def _draw(axes: Any, curves: Sequence[SelectionCurve]) -> None:
    """The curves of one measure; bars are the standard deviation of random draws."""
    for mark, curve in zip(_MARKS, curves, strict=False):
        across, up = zip(*_points(curve), strict=True)
        bars = [0.0 if each is None else each for each in curve.sd] if curve.draws else None
        axes.errorbar(across, up, yerr=bars, marker=mark, markersize=4, linewidth=1, capsize=2, label=curve.method)
    axes.set(xscale="log", xlabel=_AXIS, ylabel=_NAMES[curves[0].measure])
    percent = [100 * share for share in curves[0].shares]
    axes.set_xticks(percent, [f"{each:g}" for each in percent])
    axes.minorticks_off()
    axes.legend()


_PARTS: Final[Mapping[str, str]] = {"figure-1": "table", "figure-2": "translation", "figure-3": "perplexity"}
_DRAWN: Final[Mapping[str, Callable[[HomogeneityStudy], Any]]] = {
    "figure-1": _figure_1,
    "figure-2": _figure_2,
    "figure-3": _figure_3,
}
