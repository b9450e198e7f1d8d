"""Curves over the number of references as plots of characters, with one point that is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corpusdb.display import cell_safe
from corpusdb.queries.evaluation.reference_count import ReferenceWorth
from corpusdb.reports.plots import Axis, point_plot
from corpusdb.studies.reference_count import Estimate, Point

__all__ = ["Curve", "CurvePoint", "copies_note", "curves_of"]

_SCORE, _AGREEMENT = "BLEU", "Pearson"
_DECIMALS = {_SCORE: 2, _AGREEMENT: 4}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A value at a number of references."""

    references: int
    """The most that a segment has."""
    mean_references: float
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Curve:
    """A value over the number of references."""

    name: str
    """Of what it is the curve."""
    axis: str
    """Of the values."""
    system: str | None
    """Whose score it is; None for agreement."""
    points: tuple[CurvePoint, ...]

    def plot(self, current: int, size: tuple[int, int], *, ascii: bool = False) -> list[str]:
        """The curve with the current point marked, and the ends of the intervals."""
        places = [(point.references, point.estimate) for point in self.points]
        here = self.points[current]
        series = {
            _counted(here.references): [(here.references, here.estimate.mean)],
            "mean": [(right, estimate.mean) for right, estimate in places],
            "95 %": [
                (right, end) for right, estimate in places for end in (estimate.interval.low, estimate.interval.high)
            ],
        }
        x, y = Axis("references of a segment at most", from_zero=False), Axis(self.axis, from_zero=False)
        return point_plot(series, size, x, y, ascii=ascii)

    def point_told(self, at: int) -> str:
        """The numbers of a point."""
        point = self.points[at]
        interval, places = point.estimate.interval, _DECIMALS[self.axis]
        return (
            f"{_counted(point.references)} at most (mean {point.mean_references:.2f}): "
            f"{self.axis} {point.estimate.mean:.{places}f}, 95 % {interval.low:.{places}f} to"
            f" {interval.high:.{places}f}"
        )


def curves_of(found: ReferenceWorth) -> list[Curve]:
    """The curve of each system, then those of the agreement with people, as far as it is defined at every number.

    They are those of all references of the set.
    """
    return list(_curves(found, found.curves[-1].points))


def copies_note(found: ReferenceWorth) -> str | None:
    """In words that what is repeated weighs more; None where nothing is."""
    if not found.copies:
        return None
    repeat = "reference repeats" if found.copies == 1 else "references repeat"
    return (
        f"{found.copies:,} {repeat} another of the segment and may be drawn beside it: a copy weighs as much as any"
        " other, and adds nothing; as jsonl or tsv a set has none"
    )


def _curves(found: ReferenceWorth, points: tuple[Point, ...]) -> Iterator[Curve]:
    for at, system in enumerate(found.systems):
        yield Curve(cell_safe(system), _SCORE, system, tuple(_point(each, each.scores[at]) for each in points))
    for name, estimates in (
        ("agreement by segment", [each.segment_correlation for each in points]),
        ("agreement by system", [each.system_correlation for each in points]),
    ):
        known = [(point, each) for point, each in zip(points, estimates, strict=True) if each is not None]
        if len(known) == len(points):
            yield Curve(name, _AGREEMENT, None, tuple(_point(point, each) for point, each in known))


def _counted(references: int) -> str:
    return f"{references} reference{'' if references == 1 else 's'}"


def _point(point: Point, estimate: Estimate) -> CurvePoint:
    return CurvePoint(point.references, point.mean_references, estimate)
