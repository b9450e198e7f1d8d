"""Profiles and selections as rows and remarks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpusdb.base.display import Cell, counted
from corpusdb.homogeneity.queries.profile_levels import (
    DEFAULT_WIDTH,
    Bar,
    DocumentCorrelation,
    Level,
    ProfileEntry,
    ProfileReport,
    ProfileView,
    Scale,
    Stretch,
    if_defined,
)
from corpusdb.homogeneity.scale import Summary

_FEW_CHARACTERS = 2_000
"""Of a document: some forty lines, whose coefficients differ more than those of large documents."""

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


def entry_rows(entries: Iterable[ProfileEntry]) -> Iterator[Sequence[Cell]]:
    for entry in entries:
        yield (
            *(entry.name, entry.lines, entry.left_out, entry.characters, entry.unknown),
            *(_short(entry.coefficient), "clipped" if entry.clipped else "", _short(entry.position)),
        )


def format_correlations(found: Sequence[DocumentCorrelation]) -> Iterator[str]:
    """What the coefficients of documents go with, in one line; nothing of fewer than four documents."""
    if found:
        told = (
            f"{each.beside} {each.value:.2f} [{each.interval.low:.2f}, {each.interval.high:.2f}] ({each.documents:,})"
            for each in found
        )
        yield f"correlations of I over documents, with intervals of 95 % and the number of documents: {'; '.join(told)}"


def format_small(documents: Sequence[ProfileEntry]) -> Iterator[str]:
    """That documents are too small for their coefficients to say much, where some are."""
    small = sum(each.characters < _FEW_CHARACTERS for each in documents)
    if small:
        of = f"{small:,} of {counted(len(documents), 'documents')}" if small < len(documents) else "all documents"
        have = "has" if small == 1 and small < len(documents) else "have"
        yield f"{of} {have} fewer than {_FEW_CHARACTERS:,} characters: chance moves their I and J"


def profile_remarks(report: ProfileReport) -> Iterator[str]:
    given = report.parameters
    yield (
        f"order {given['order']}, {given['smoothing']}, texts normalised by {given['normalisation']!r}; "
        f"references of {report.characters[0]:,} characters each"
    )
    yield (
        f"bits per character: H11 {report.h11:.3f}  H12 {report.h12:.3f}  H21 {report.h21:.3f}  H22 {report.h22:.3f} "
        "(first number: model, second: reference; 1 is spoken, 2 written)"
    )
    yield format_unseen(report.unseen)
    if report.in_references:
        yield f"{report.in_references:,} sentences are in a reference, and are left out"
    if report.empty:
        yield f"{report.empty:,} sentences have nothing to measure, and are left out"
    if report.unknown:
        share = 100 * report.unknown / report.measured_characters
        yield f"{report.unknown:,} characters ({share:.2f} %) are in neither reference"
    for each in report.changed:
        yield f"this profile is stale: {each}; --rebuild renews it"


def format_unseen(unseen: tuple[float | None, float | None]) -> str:
    """Where text lies that is like the references: what a coefficient can be compared with."""
    spoken, written = unseen
    if spoken is None or written is None:
        return "I is not a share of writing; the references are too small to place unseen text of the same kind"
    return (
        f"I of text of the references that their models had not seen: spoken {spoken:.3f}, written {written:.3f}; "
        "it is not a share of writing, and seldom near 0 or 1. On J these are 0 and 1"
    )


def _short(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"


def entries_between(entries: Iterable[ProfileEntry], scale: Scale, low: float, high: float) -> list[ProfileEntry]:
    """The entries with values from ``low`` to ``high`` on a scale, both inclusive, ascending."""
    placed = [(entry.coefficient if scale == "I" else entry.position, entry) for entry in entries]
    known = [(value, entry) for value, entry in placed if value is not None and low <= value <= high]
    return [entry for _, entry in sorted(known, key=lambda pair: pair[0])]


def format_between(between: Stretch, level: Level) -> str:
    noun = level if between.entries == 1 else f"{level}s"
    return f"{between.entries:,} {noun}, {between.characters:,} characters ({100 * between.share:.1f} %)"


@dataclass(frozen=True, slots=True)
class Tick:
    """A document that stands in a bar, or a collection among documents."""

    name: str
    value: float | None


@dataclass(frozen=True, slots=True)
class TickedBar:
    bar: Bar
    ticks: tuple[Tick, ...]


_TICKS: Mapping[Level, Level] = {"line": "document", "document": "document", "collection": "collection"}
"""What is marked at the bars of a level: documents at lines; elsewhere what stands in the bars themselves."""


def histogram(view: ProfileView, level: Level, scale: Scale, width: float = DEFAULT_WIDTH) -> list[TickedBar]:
    """The bars of a level, without the empty ones at both ends; documents are marked where they stand.

    Those below, above and without a value are always there.
    """
    order = view.order(level, scale)
    edges = order.edges(width)
    bars = order.bars(width, edges)
    filled = [place for place, bar in enumerate(bars) if bar.kind != "bar" or bar.stretch.entries]
    inner = [place for place in filled if bars[place].kind == "bar"] or [1]
    kept = {*filled, *range(inner[0], inner[-1] + 1)}
    marks = _TICKS[level]
    marked = view.order(marks, scale) if view.groups else None
    marked_bars = marked.bars(width, edges) if marked else []
    found: list[TickedBar] = []
    for place, bar in enumerate(bars):
        ticks: tuple[Tick, ...] = ()
        if marked is not None and view.groups is not None:
            own = marked.places(marked_bars[place].stretch).tolist()
            names, values = view.groups[marks].names, marked.values
            ticks = tuple(Tick(names[each], if_defined(float(values[each]))) for each in own)
        if place in kept or ticks:
            found.append(TickedBar(bar, ticks))
    return found


BAR_COLUMNS = ("from", "to", "entries", "characters", "share", "documents")


def bar_rows(bars: Iterable[TickedBar]) -> Iterator[Sequence[Cell]]:
    for each in bars:
        bar, stretch = each.bar, each.bar.stretch
        ends = ("undefined", None) if bar.kind == "undefined" else (_edge(bar.low), _edge(bar.high))
        names = ", ".join(tick.name for tick in each.ticks)
        yield (*ends, stretch.entries, stretch.characters, f"{100 * stretch.share:.1f} %", names)


def _edge(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"


def bar_label(bar: Bar, scale: Scale) -> str:
    """What a bar is called, in at most 13 cells for usual values."""
    if bar.low is None or bar.high is None:
        if bar.kind == "undefined":
            return "undefined"
        end = bar.high if bar.low is None else bar.low
        return f"beyond {end:g}" if scale == "I" else f"{'<' if bar.kind == 'below' else '>='} {end:g}"
    digits = 2 if round(1000 * (bar.high - bar.low)) % 10 == 0 else 3
    return f"{bar.low:.{digits}f} - {bar.high:.{digits}f}"
