"""How far the probability that paraphrases hold can be trusted, as tables and plots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from corpusdb.base.display import Cell
from corpusdb.base.plots import Axis, point_plot
from corpusdb.studies.queries.precision import (
    Band,
    HeldOutLanguage,
    LanguagePrecision,
    MeasuredProbability,
    PrecisionPoint,
    PrecisionStudy,
)

PRECISION_COLUMNS = (
    *("held_out", "sharing", "figure", "from", "to", "pairs", "confirmed", "value", "low", "high"),
    *("mean_validity", "precision", "kept"),
)
"""Those of precision_rows."""

_PEOPLE = "people"
"""What stands for the language held out where people confirmed the pairs."""


def precision_notes(found: PrecisionStudy) -> Iterator[str]:
    """What could not be measured, and what someone should know of the rest."""
    for each in found.held_out:
        if not each.measured:
            yield (
                f"{each.language}: no generated pair has translations into it on both sides;"
                " the corpus is too small to say anything"
            )
        elif not each.labelled:
            yield f"{each.language}: too few pairs have a label without it; the model is the one that is shipped"
    if not found.judged:
        yield "nobody has judged the meaning of pairs of this language yet; `corpusdb judge` lets people do so"


def precision_rows(found: PrecisionStudy) -> Iterator[tuple[Cell, ...]]:
    """One row for each area, band and point of the curve; shares and precisions are 0 to 1.

    ``value`` is the area under the curve, or the share of the pairs that are confirmed, with its interval of 95 %.
    """
    for each in found.held_out:
        kept = {one.least: one.kept for one in each.yields}
        for measured in each.measured:
            where: tuple[Cell, ...] = (each.language, "yes" if measured.with_sharing else "no")
            for area in measured.areas:
                of = ", translated elsewhere" if area.elsewhere else ""
                for name, value in (("area", area.validity), ("former area", area.former)):
                    yield (*where, name + of, None, None, area.pairs, None, _rounded(value), *(None,) * 5)
            for band in measured.bands:
                yield (*where, *_band_cells(band), None)
            for point in measured.curve:
                yield (*where, *_point_cells(point), kept.get(point.least) if measured.with_sharing else None)
    for band in found.judged:
        yield (_PEOPLE, "yes", *_band_cells(band), None)


def _band_cells(band: Band) -> tuple[Cell, ...]:
    counted = band.pairs, band.confirmed, _rounded(band.share), _rounded(band.interval.low)
    return (
        "band",
        band.low,
        band.high,
        *counted,
        _rounded(band.interval.high),
        _rounded(band.mean),
        _rounded(band.precision),
    )


def _point_cells(point: PrecisionPoint) -> tuple[Cell, ...]:
    counted = point.pairs, point.confirmed, _rounded(point.share), _rounded(point.interval.low)
    return "at least", point.least, None, *counted, _rounded(point.interval.high), None, _rounded(point.precision)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


LANGUAGE_COLUMNS = ("language", "kept", "expected", "judged", "held", "low", "high", "pivots", "unseen")
"""Those of language_rows."""


def language_rows(found: Iterable[LanguagePrecision]) -> Iterator[tuple[Cell, ...]]:
    """One row a language; shares are 0 to 1."""
    for each in found:
        bounds = (each.interval.low, each.interval.high) if each.judged else (None, None)
        shares = (_rounded(each.held), *map(_rounded, bounds))
        yield (
            *(each.language, each.kept, _rounded(each.expected), each.judged, *shares),
            *(",".join(each.pivots), ", ".join(each.unseen) or None),
        )


def precision_lines(found: PrecisionStudy, *, plots: bool = True, ascii: bool = False) -> Iterator[str]:
    """For each language held out the areas, the bands and the curve, then what people said."""
    for each in found.held_out:
        if each.measured:
            yield from _held_out_lines(each, plots=plots, ascii=ascii)
            yield ""
    if any(each.measured for each in found.held_out):
        yield from _WHAT_PRECISION_IS
        yield ""
    if found.judged:
        yield "What people said, by the validity of the pairs as it is now"
        yield _BAND_HEADER
        yield from (_line(_range_of(band), band, _percent(band.mean), None) for band in found.judged if band.pairs)


_WHAT_PRECISION_IS = (
    "precision: the share over what pairs of one meaning would have,",
    "which may exceed 100 and compares better than it counts",
)
_BAND_HEADER = f"  {'':>11}  {'pairs':>8}  {'share %':>7}  {'95 %':^13}  {'mean validity %':>15}  {'precision %':>11}"
_CURVE_HEADER = f"  {'':>11}  {'pairs':>8}  {'share %':>7}  {'95 %':^13}  {'pass, all':>15}  {'precision %':>11}"


def _held_out_lines(each: HeldOutLanguage, *, plots: bool, ascii: bool) -> Iterator[str]:
    yield f"{each.language} held out: {each.pairs:,} pairs, the model fitted to {each.labelled:,}"
    yield f"  {'area under the curve':<43}  {'pairs':>8}  {'validity':>8}  {'former score':>12}"
    for measured in each.measured:
        for area in measured.areas:
            what = f"{_evidence(measured)}, {'translated elsewhere too' if area.elsewhere else 'all'}"
            yield f"  {what:<43}  {area.pairs:>8,}  {_area(area.validity):>8}  {_area(area.former):>12}"
    for measured in each.measured:
        yield ""
        yield f"  confirmed by {each.language}, {_evidence(measured)}"
        yield _BAND_HEADER
        yield from (_line(_range_of(band), band, _percent(band.mean), 1) for band in measured.bands if band.pairs)
    yield ""
    yield f"  precision against yield, {_evidence(each.measured[-1])}"
    yield _CURVE_HEADER
    kept = {one.least: f"{one.kept:,}" for one in each.yields}
    for point in each.measured[-1].curve:
        if point.pairs:
            yield _line(f">= {point.least:g}", point, kept.get(point.least, ""), 1)
    if plots:
        yield ""
        series = {
            _evidence(measured): [
                (float(point.pairs), point.precision) for point in measured.curve if point.precision is not None
            ]
            for measured in each.measured
        }
        yield from point_plot(series, (72, 14), Axis("pairs"), Axis("precision"), ascii=ascii)


def _evidence(measured: MeasuredProbability) -> str:
    return "with sharing" if measured.with_sharing else "without sharing"


def _range_of(band: Band) -> str:
    return f"{band.low:g} - {band.high:g}"


def _line(label: str, figures: Band | PrecisionPoint, middle: str, expected: int | None) -> str:
    interval = f"{100 * figures.interval.low:.1f} - {100 * figures.interval.high:.1f}"
    precision = "" if expected is None else _percent(figures.precision)
    share = _percent(figures.share)
    return f"  {label:>11}  {figures.pairs:>8,}  {share:>7}  {interval:^13}  {middle:>15}  {precision:>11}".rstrip()


def _area(area: float | None) -> str:
    return "-" if area is None else f"{area:.3f}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"
