"""Profiles and selections as rows and remarks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from corpusdb.homogeneity.scale import Summary
from corpusdb.queries.homogeneity.profile_levels import Entry, ProfileReport
from corpusdb.reports.row_formats import Cell

__all__ = ["ENTRY_COLUMNS", "LEVEL_COLUMNS", "entry_rows", "level_rows", "profile_remarks"]

LEVEL_COLUMNS = (*("level", "scale", "n", "undefined", "clipped", "mean", "sd", "q05", "q25", "median", "q75", "q95"),)
ENTRY_COLUMNS = ("name", "lines", "left_out", "characters", "unknown", "I", "clipped", "J")


def level_rows(report: ProfileReport) -> Iterator[Sequence[Cell]]:
    """For each level the coefficient I, and the position J where there is one."""
    for level in report.levels:
        yield (level.level, "I", *_figures(level.coefficients))
        if level.positions is not None:
            yield (level.level, "J", *_figures(level.positions))


def _figures(summary: Summary) -> tuple[Cell, ...]:
    low5, low25, high75, high95 = summary.quantiles or (None,) * 4
    shown = (summary.mean, summary.sd, low5, low25, summary.median, high75, high95)
    return (summary.entries, summary.undefined, summary.clipped, *map(_short, shown))


def entry_rows(entries: Iterable[Entry]) -> Iterator[Sequence[Cell]]:
    """A row for each line, document or collection."""
    for entry in entries:
        yield (
            *(entry.name, entry.lines, entry.left_out, entry.characters, entry.unknown),
            *(_short(entry.coefficient), "clipped" if entry.clipped else "", _short(entry.position)),
        )


def profile_remarks(report: ProfileReport) -> Iterator[str]:
    """What has to be known to read the figures."""
    given = report.parameters
    yield (
        f"order {given['order']}, {given['smoothing']}, texts normalised by {given['normalisation']!r}; "
        f"references of {report.characters[0]:,} characters each"
    )
    yield (
        f"bits per character: H11 {report.h11:.3f}  H12 {report.h12:.3f}  H21 {report.h21:.3f}  H22 {report.h22:.3f} "
        "(first number: model, second: reference; 1 is spoken, 2 written)"
    )
    if report.unseen[0] is not None and report.unseen[1] is not None:
        yield (
            f"I of text of the references that their models had not seen: spoken {report.unseen[0]:.3f}, "
            f"written {report.unseen[1]:.3f}; it is no share of writing, and seldom near 0 or 1. On J these are 0 and 1"
        )
    else:
        yield "I is no share of writing; the references are too small to tell where unseen text of theirs stands"
    if report.in_references:
        yield f"{report.in_references:,} sentences stand in a reference, and are left out"
    if report.empty:
        yield f"{report.empty:,} sentences have nothing to measure, and are left out"
    if report.unknown:
        share = 100 * report.unknown / report.measured_characters
        yield f"{report.unknown:,} characters ({share:.2f} %) are in neither reference"
    for each in report.changed:
        yield f"this profile is stale: {each}; --rebuild makes it anew"


def _short(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"
