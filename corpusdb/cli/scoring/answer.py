"""How the scores of systems are told: tables, numbers and documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_text

if TYPE_CHECKING:
    from corpusdb.cli.scoring.options import ScoreOptions
    from corpusdb.queries.evaluation.score_rows import Chance, ScoreRow
    from corpusdb.queries.references.scoring_references import ScoringReferences
    from corpusdb.reports.evaluation.score_parts import OfMetrics

__all__ = ["document_of", "parts_document", "write_parts", "write_rows"]


def parts_document(row: ScoreRow, parts: OfMetrics) -> dict[str, object]:
    """The scores of the parts of a row, as JSON has them; nothing where none are asked for."""
    for scores, of_systems in parts:
        if scores is row.scores:
            return {"parts": [asdict(each) for each in of_systems[row.at]]}
    return {}


def write_parts(invocation: Invocation, rows: Sequence[ScoreRow], parts: OfMetrics) -> None:
    from corpusdb.reports.evaluation.score_parts import LONG_COLUMNS, long_part_rows, wide_part_table
    from corpusdb.reports.evaluation.scores import signature_lines

    if invocation.format not in ("table", "markdown", "latex"):
        invocation.show(LONG_COLUMNS, long_part_rows(parts))
        return
    invocation.show(*wide_part_table(parts))
    before, after = {"latex": ("% ", ""), "markdown": ("\n    ", "")}.get(invocation.format, ("", ""))
    for line in signature_lines(rows):
        write_text(f"{before}{line}{after}")


def write_rows(
    invocation: Invocation,
    rows: Sequence[ScoreRow],
    chance: Chance,
    said: tuple[Sequence[str], Sequence[str]],
    options: ScoreOptions,
) -> None:
    """The rows with what is said of them: remarks, and what stood on stderr and stands below a table, too."""
    remarks, noted = said
    from corpusdb.reports.evaluation import scores

    width = options.width
    lines = [*scores.signature_lines(rows), *scores.scale_lines(rows)]
    details = list(scores.detail_lines(rows)) if options.verbose else []
    if options.score_only:
        numbers = scores.number_lines(rows, width, segments=options.segments)
        if invocation.json:
            write_json([float(each) for each in numbers])
        for each in () if invocation.json else numbers:
            write_text(each)
    elif options.segments:
        found = scores.segment_rows(rows, width, worst_first=options.worst_first)
        invocation.show(("segment", "system", "metric", "score"), found)
        for line in (*scores.signature_lines(rows), *scores.zero_lines(rows, worst_first=options.worst_first)):
            invocation.say(line)
    elif invocation.format in ("table", "markdown", "latex"):
        invocation.show(*scores.wide_table(rows, width))
        before, after = {"latex": ("% ", ""), "markdown": ("\n    ", "")}.get(invocation.format, ("", ""))
        for line in (*details, *lines, *noted, *remarks):
            write_text(f"{before}{line}{after}")
        return
    else:
        invocation.show(*scores.long_table(rows, width, chance))
    for line in (*details, *remarks):
        invocation.say(line)


def document_of(row: ScoreRow, chance: Chance, references: ScoringReferences, *, segments: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "system": row.system,
        "metric": row.scores.settings.metric,
        "score": row.score,
        "signature": row.scores.signature,
        "short_signature": row.scores.short_signature,
        "name": row.scores.label,
    }
    if references.validity is not None:
        document["validity"] = references.validity
    if references.freezing is not None:
        document["guided"] = references.freezing.document()
    drawn = {"samples": chance.sampling.samples, "seed": chance.sampling.seed}
    if row.interval is not None:
        document["interval"] = asdict(row.interval) | {"confidence": chance.sampling.confidence} | drawn
    if row.comparison is not None:
        from corpusdb.queries.evaluation.scoring import NULL_HYPOTHESIS

        test = {"name": chance.test, "null_hypothesis": NULL_HYPOTHESIS}
        document["test"] = test | asdict(row.comparison) | drawn
    document |= row.details
    if row.spread is not None:
        document["variance"] = asdict(row.spread) | {"draws": chance.reference_draws} | drawn
    if segments:
        document["segments"] = row.segments.tolist()
    if row.stored is not None:
        document["stored"] = row.stored
    return document
