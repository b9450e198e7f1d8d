"""What reference sets are worth, as tables and plots: how much they vary, and what one more reference changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from corpusdb.base.estimates import Interval
from corpusdb.base.plots import Axis, point_plot
from corpusdb.paraphrase.report import PAPER
from corpusdb.scoring.queries.reference_count import ReferenceWorth
from corpusdb.scoring.table_report import copies_note
from corpusdb.studies.references.queries import VariationReport

PAPER_TABLE_7: Final[Mapping[str, tuple[float, float]]] = {
    "Automatically produced set": (PAPER.set_bleu, PAPER.set_nist),
    "Hand-produced set 1": (0.10, 0.49),
    "Hand-produced set 2": (0.11, 0.49),
}
"""Average BLEU and average NIST as the paper prints them."""


def variation_lines(reports: Sequence[VariationReport], *, plots: bool = True) -> Iterator[str]:
    """Table 7 with the paper's rows, and for each kind of sets what Figure 2 shows, as plots if these are wanted."""
    rows = [(f"{name} (paper)", f"{bleu:.2f}", f"{nist:.2f}", "") for name, (bleu, nist) in PAPER_TABLE_7.items()]
    for report in reports:
        table = report.table_7
        what = f"{report.sets:,} of {report.of:,} sets, {table.sentences:,} sentences"
        rows.append((report.name, f"{table.bleu:.3f}", f"{table.nist:.3f}", what))
        rows.append(("  95 % interval", _range(table.bleu_interval), _range(table.nist_interval), ""))
    width = max(len(row[0]) for row in rows)
    yield "Table 7. Each sentence against one left out of its set; low scores mean variation."
    yield f"{'':{width}}  Average BLEU  Average NIST"
    yield from (f"{name:{width}}  {bleu:>12}  {nist:>12}  {what}".rstrip() for name, bleu, nist, what in rows)
    for report in reports:
        yield ""
        yield from _figure_lines(report, plots=plots)
        yield report.bleu_signature
        yield report.nist_signature


def _range(interval: Interval) -> str:
    return f"{interval.low:.3f}-{interval.high:.3f}"


def _figure_lines(report: VariationReport, *, plots: bool) -> Iterator[str]:
    yield f"Figure 2. {report.name}: paraphrases against their seed, {report.paraphrases:.2f} by seed."
    for curve in report.figure_2:
        of_what = "length of the seed" if curve.axis == "length" else "number of paraphrases"
        told = "not defined" if curve.pearson is None else f"{curve.pearson:.2f}"
        yield f"{curve.measure.upper()} and {of_what}: correlation {told}"
    for curve in report.figure_2 if plots else ():
        points = [(float(mean.x), mean.score) for mean in curve.means]
        if len(points) < 2:
            continue  # sets made by hand have one number of references
        yield ""
        yield from point_plot({"mean": points}, (72, 14), Axis(curve.axis), Axis(curve.measure.upper()))
    if plots:
        yield ""


def worth_lines(found: ReferenceWorth, *, plots: bool = True) -> Iterator[str]:
    """What stands below the table: the signatures, and the curves if these are wanted."""
    yield ""
    for curve in found.curves:
        yield f"{'+'.join(curve.origins)}: {curve.signature}"
        if curve.sentence_signature is not None:
            yield f"{'+'.join(curve.origins)}, segments: {curve.sentence_signature}"
    if (note := copies_note(found)) is not None:
        yield note
    if plots:
        yield from _worth_plot(found)


def _worth_plot(found: ReferenceWorth) -> Iterator[str]:
    """BLEU, the mean of the systems, over the mean number of references."""
    series = {
        "+".join(curve.origins): [
            (point.mean_references, sum(each.mean for each in point.scores) / len(point.scores))
            for point in curve.points
        ]
        for curve in found.curves
    }
    yield ""
    yield from point_plot(series, (72, 18), Axis("references"), Axis("BLEU"))
