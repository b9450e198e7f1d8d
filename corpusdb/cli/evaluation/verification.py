"""The commands that ask a score how it came about: computed again, and taken apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corpusdb.cli.evaluation.scoring_input import MeasureOptions, read_scored, settings_of
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json, write_line, write_table
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.queries.evaluation.trace import Background, ScoreTrace
    from corpusdb.queries.evaluation.verification import Given
    from corpusdb.queries.scoretable.rule_trace import RuleMatch
    from corpusdb.store import Store

__all__ = ["trace", "verify"]


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
        typer.Option(
            metavar="FILE...", help="References, instead of those made anew; alone: their digest.", show_default=False
        ),
    ] = field(default_factory=list)


@command("verify")
def verify(invocation: Invocation, options: VerifyOptions) -> None:
    """Compute stored scores again, and say what differs.

    Reference sets from the corpus are made anew from what they were made of. If anything differs, the exit code is 1.

    With --ref and no score the digest of these references is told, which signatures have behind set:, and how many of
    them only repeat others; no database is needed.
    """
    from corpusdb.queries.evaluation.stored_scores import require_scores
    from corpusdb.queries.evaluation.verification import verify as verify_scores
    from corpusdb.reports.evaluation.verification import verification_lines

    if options.score is None and options.hyp:
        raise UsageError("files are compared with one score; say which")
    if options.score is None and options.ref:
        _tell_digest(invocation, options.ref)
        return
    given = _given(options)
    require_scores(invocation.path)
    found = invocation.look(lambda store: invocation.run(verify_scores(store, options.score, given)))
    if invocation.json:
        write_json([asdict(each) | {"ok": each.ok} for each in found])
    else:
        for each in found:
            for line in verification_lines(each):
                write_line(line)
    if not found:
        invocation.say("no score is kept; `corpusdb score --store` keeps them")
    if not all(each.ok for each in found):
        raise typer.Exit(1)


def _tell_digest(invocation: Invocation, paths: Sequence[Path]) -> None:
    """Tell what names the references of files in signatures, and what no digest tells of them."""
    from corpusdb.formats.reference_digest import repeated
    from corpusdb.formats.scoring_input import read_references
    from corpusdb.queries.references.scoring_references import references_from_files

    found = references_from_files(read_references(paths), paths)
    report: dict[str, Cell] = {
        "digest": found.digest,
        "segments": len(found.sets),
        "references": sum(len(each.references) for each in found.sets),
        "copies": sum(map(repeated, found.sets)),
    }
    if invocation.json:
        write_json(report)
    else:
        write_table((), list(report.items()))


def _given(options: VerifyOptions) -> Given:
    from corpusdb.formats.scoring_input import read_output, read_plain, read_references
    from corpusdb.queries.evaluation.verification import Given
    from corpusdb.queries.references.scoring_references import references_from_files

    if not options.ref:
        return Given(hypotheses=tuple(read_plain(options.hyp)) if options.hyp else None)
    texts = read_references(options.ref)
    sets = references_from_files(texts, options.ref).sets
    return Given(sets, read_output(options.hyp, texts.segmentation)[0].texts if options.hyp else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions(MeasureOptions):
    """What `trace` takes."""

    hypothesis: Annotated[
        Path | None, typer.Argument(metavar="[HYP]", help="Output of a system; or --score.", show_default=False)
    ] = None
    score: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, help="A stored BLEU, instead of files.", show_default=False),
    ] = None
    segment: Annotated[
        int, typer.Option("--segment", metavar="NUMBER", min=1, help="Which, from 1.", show_default=False)
    ]
    missed: Annotated[bool, typer.Option("--missed", help="Only n-grams that are missed.")] = False


@command("trace", answers=True, kept=False)
def trace(invocation: Invocation, options: TraceOptions) -> int:
    """Show where the BLEU of one segment comes from.

    Every n-gram of the hypothesis with how often it stands there, how often that counts, and which references account
    for it. References from the corpus come with the sentences of people behind them, and the analogies of those that
    were generated. --score takes output, references and settings from the database.
    Of references that rules rewrote, the n-grams that no other has are told with the rules and what stood there before.
    """
    from corpusdb.reports.evaluation.score_trace import NGRAM_COLUMNS, ngram_rows, rule_match_lines, trace_lines

    if (options.hypothesis is None) == (options.score is None):
        raise UsageError("give the output of a system, or --score NUMBER for a stored one")
    found = _stored_trace(invocation, options) if options.score else _traced(invocation, options)
    rows = ngram_rows(found.trace.trace, only_missed=options.missed)
    if invocation.json:
        write_json(_trace_document(found, [dict(zip(NGRAM_COLUMNS, row, strict=True)) for row in rows]))
        return len(rows)
    of_references = [*trace_lines(found.trace, found.source, found.backgrounds), ""]
    is_text = invocation.format == "table"
    for line in (*of_references, *rule_match_lines(found.trace.trace, found.by_rules)):
        if is_text:
            write_line(line)
        elif line:  # the answer is rows of n-grams alone
            invocation.say(line)
    invocation.show(NGRAM_COLUMNS, rows)
    return len(rows)


@dataclass(frozen=True, slots=True)
class _Traced:
    """A segment taken apart."""

    trace: ScoreTrace
    source: str
    """May be empty."""
    backgrounds: list[Background]
    by_rules: list[RuleMatch]


def _traced(invocation: Invocation, options: TraceOptions) -> _Traced:
    """The segment of an output in a file."""
    from corpusdb.queries.evaluation.trace import background_of, trace_score
    from corpusdb.queries.scoretable.rule_trace import rule_matches

    settings = settings_of(options, "bleu")
    outputs, references = read_scored(invocation, [options.hypothesis] if options.hypothesis else [], options)
    found = trace_score(outputs[0], references, settings, options.segment)
    made = {} if references.rewriting is None else references.rewriting.lineages[options.segment - 1]
    backgrounds: list[Background] = []
    if references.attributed and (language := references.language) is not None:
        wanted = references.attributed[options.segment - 1].references
        backgrounds = invocation.look(lambda store: [background_of(store, each, language) for each in wanted])
    return _Traced(found, references.sets[options.segment - 1].source, backgrounds, rule_matches(found, made))


def _stored_trace(invocation: Invocation, options: TraceOptions) -> _Traced:
    """The segment of a stored score."""
    if options.ref or options.ref_from or options.source or options.rules:
        raise UsageError(
            "a stored score has its own references: --score goes without --ref, --ref-from, --source and --rules"
        )
    from corpusdb.queries.evaluation.trace import background_of
    from corpusdb.queries.scoretable.rule_trace import rule_matches
    from corpusdb.queries.scoretable.segment_view import stored_lineages, stored_trace

    def question(store: Store) -> _Traced:
        view, origins = stored_trace(store, options.score or 0, options.segment)
        language = origins.language
        known = [each for each in origins.references if each is not None]
        backgrounds = [] if language is None else [background_of(store, each, language) for each in known]
        lineages = stored_lineages(store, view.reference_set, options.segment)
        return _Traced(view.trace, view.source, backgrounds, rule_matches(view.trace, lineages))

    return invocation.look(question)


def _trace_document(traced: _Traced, ngrams: Sequence[Mapping[str, Cell]]) -> dict[str, object]:
    found = traced.trace
    from corpusdb.reports.evaluation.score_trace import background_number, rule_match_document

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
        "ngrams": ngrams,
        "backgrounds": [
            {"number": background_number(found, each)} | _background_document(each) for each in traced.backgrounds
        ],
        **({"by_rules": [rule_match_document(each) for each in traced.by_rules]} if traced.by_rules else {}),
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
        if reasons := [*found.explanation.accepted, *found.explanation.reasons]:
            document["explanation"] |= {"reasons": reasons}
    return document
