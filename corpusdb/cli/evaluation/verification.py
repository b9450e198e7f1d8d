"""The commands that ask a score how it came about: computed again, and taken apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corpusdb.cli.evaluation.scoring_input import MeasureOptions, read_scored, settings_of
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json, write_line
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.metrics.trace import SegmentTrace
    from corpusdb.queries.evaluation.scoring import ScoringReferences
    from corpusdb.queries.evaluation.trace import Background, ScoreTrace
    from corpusdb.queries.evaluation.verification import Given, Verification

__all__ = ["trace", "verify"]

_SEGMENTS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What `verify` takes."""

    score: Annotated[
        int | None, typer.Argument(metavar="SCORE", min=1, help="Number of a stored score; all if not given.")
    ] = None
    hyp: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An output, instead of the one kept.", show_default=False)
    ] = None
    ref: Annotated[
        list[Path],
        typer.Option(metavar="FILE...", help="References, instead of those made anew.", show_default=False),
    ] = field(default_factory=list)


@command("verify")
def verify(invocation: Invocation, options: VerifyOptions) -> None:
    """Compute stored scores again, and say what differs.

    Reference sets from the corpus are made anew from what they were made of. If anything differs, the exit code is 1.
    """
    from corpusdb.queries.evaluation.verification import verify as verify_scores

    if options.score is None and (options.hyp or options.ref):
        raise UsageError("files are compared with one score; say which")
    given = _given(options)
    found = invocation.look(lambda store: invocation.run(verify_scores(store, options.score, given)))
    if invocation.json:
        write_json([asdict(each) | {"ok": each.ok} for each in found])
    else:
        for each in found:
            _write_verification(each)
    if not found:
        invocation.say("no score is kept; `corpusdb score --store` keeps them")
    if not all(each.ok for each in found):
        raise typer.Exit(1)


def _given(options: VerifyOptions) -> Given:
    from corpusdb.formats.scoring_input import read_output, read_plain, read_references
    from corpusdb.queries.evaluation.scoring import references_from_files
    from corpusdb.queries.evaluation.verification import Given

    if not options.ref:
        return Given(hypotheses=tuple(read_plain(options.hyp)) if options.hyp else None)
    texts = read_references(options.ref)
    sets = references_from_files(texts, options.ref).sets
    return Given(sets, read_output(options.hyp, texts.segmentation)[0].texts if options.hyp else None)


def _write_verification(found: Verification) -> None:
    write_line(f"{found.id}  {found.system}  {found.stored:.4f}  {'ok' if found.ok else 'differs'}  {found.signature}")
    for difference in found.differences:
        write_line(f"    {difference}")
    for each in found.segments[:_SEGMENTS_SHOWN]:
        for sign, texts in (("+", each.gained), ("-", each.lost)):
            for text in texts:
                write_line(f"      {each.segment} {sign} {text}")
    if (more := len(found.segments) - _SEGMENTS_SHOWN) > 0:
        write_line(f"      and {more:,} more segments")
    if not found.ok:
        now = "none: a segment has no reference" if found.current is None else f"{found.current:.4f}"
        write_line(f"    the score is now {now}")
    for note in found.notes:
        write_line(f"    {note}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions(MeasureOptions):
    """What `trace` takes."""

    hypothesis: Annotated[Path, typer.Argument(metavar="HYP", help="Output of a system.", show_default=False)]
    segment: Annotated[
        int, typer.Option("--segment", metavar="NUMBER", min=1, help="Which, from 1.", show_default=False)
    ]
    missed: Annotated[bool, typer.Option("--missed", help="Only n-grams that are missed.")] = False


@command("trace", answers=True, kept=False)
def trace(invocation: Invocation, options: TraceOptions) -> int:
    """Show where the BLEU of one segment comes from.

    Every n-gram of the hypothesis with how often it stands there, how often that counts, and which references account
    for it. References from the corpus come with the sentences of people behind them, and the analogies of those that
    were generated.
    """
    from corpusdb.queries.evaluation.trace import background_of, trace_score

    settings = settings_of(options, "bleu")
    outputs, references = read_scored(invocation, [options.hypothesis], options)
    found = trace_score(outputs[0], references, settings, options.segment)
    rows = [row for row in _ngram_rows(found.trace) if not options.missed or row[3]]
    backgrounds: list[Background] = []
    if references.attributed and options.lang:
        language = str(references.parameters["language"])
        wanted = references.attributed[options.segment - 1].references
        backgrounds = invocation.look(lambda store: [background_of(store, each, language) for each in wanted])
    if invocation.json:
        write_json(_trace_document(found, rows, backgrounds))
        return len(rows)
    if invocation.format == "table":
        _write_summary(found, references)
        for number, background in enumerate(backgrounds, 1):
            _write_background(number, background)
        write_line()
    invocation.show(_COLUMNS, rows)
    return len(rows)


_COLUMNS = ("order", "count", "matched", "missed", "references", "ngram")


def _ngram_rows(found: SegmentTrace) -> list[tuple[int, int, int, int, str, str]]:
    joint = "" if all(len(unit) == 1 for unit in found.hypothesis) else " "
    return [
        (
            each.order,
            each.count,
            each.matched,
            each.missed,
            ",".join(str(number + 1) for number in each.references),
            joint.join(each.units),
        )
        for each in found.ngrams
    ]


def _write_summary(found: ScoreTrace, references: ScoringReferences) -> None:
    write_line(f"{found.system}, segment {found.segment}: {found.settings.label} {found.score:.4f}")
    write_line(found.signature)
    if source := references.sets[found.segment - 1].source:
        write_line(f"source      {source}")
    write_line(f"hypothesis  {found.hypothesis}")
    for line in _figures(found.trace):
        write_line(line)
    for number, each in enumerate(found.references, 1):
        closest = ", its length counts" if each.is_closest else ""
        write_line(f"{number:3}  {each.text}")
        write_line(f"     {each.label}: {each.matched:,} matches, {each.alone:,} that no other has{closest}")


def _figures(found: SegmentTrace) -> Iterator[str]:
    order, row = found.order, found.statistics
    parts = [f"{row[n]}/{row[order + n]}" for n in range(order)]
    yield f"matched     {'  '.join(parts)}, by order from 1"
    yield f"length      {row[-2]}, and of the closest reference {row[-1]}"


def _write_background(number: int, found: Background) -> None:
    write_line()
    write_line(f"Reference {number} is {', '.join(found.reference.origins)}: {found.reference.text}")
    for place in found.places:
        write_line(f"     stands at {place}")
    if found.shared:
        write_line(f"     shares with {found.reference.seed!r}")
    for each in found.shared:
        write_line(f"       {each.language}  {each.text}  ({', '.join(each.places)})")
    if found.explanation is None:
        return
    for analogy in found.explanation.analogies:
        write_line(f"     {analogy.a} : {analogy.b} :: {analogy.c} : {analogy.d}")
        write_line(f"       B' = {analogy.rewording}")
        for each in found.explanation.shared.get((analogy.b, analogy.rewording), ()):
            write_line(f"         {each.language}  {each.text}  ({', '.join(each.places)})")
    if (more := found.explanation.total - len(found.explanation.analogies)) > 0:
        write_line(f"     and {more:,} more analogies: corpusdb explain {found.explanation.seed!r} ...")


def _trace_document(
    found: ScoreTrace, rows: Sequence[tuple[Cell, ...]], backgrounds: Sequence[Background]
) -> dict[str, object]:
    row, order = found.trace.statistics, found.trace.order
    return {
        "system": found.system,
        "segment": found.segment,
        "metric": found.settings.metric,
        "score": found.score,
        "signature": found.signature,
        "hypothesis": found.hypothesis,
        "statistics": {
            "matched": row[:order],
            "total": row[order : 2 * order],
            "length": row[-2],
            "closest": row[-1],
        },
        "references": [asdict(each) for each in found.references],
        "ngrams": [dict(zip(_COLUMNS, each, strict=True)) for each in rows],
        "backgrounds": [_background_document(each) for each in backgrounds],
    }


def _background_document(found: Background) -> dict[str, object]:
    document = asdict(found)
    if found.explanation is not None:  # pairs are no keys in JSON: what B and B' share stands with each analogy
        analogies = [
            asdict(each)
            | {"shared": [asdict(one) for one in found.explanation.shared.get((each.b, each.rewording), ())]}
            for each in found.explanation.analogies
        ]
        document["explanation"] = {"total": found.explanation.total, "analogies": analogies}
    return document
