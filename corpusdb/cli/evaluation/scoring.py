"""The command that scores systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.evaluation import equivalents_input
from corpusdb.cli.evaluation.scoring_input import MeasureOptions, read_scored, settings_of
from corpusdb.cli.program.command import command, replayable
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_text
from corpusdb.errors import UsageError
from corpusdb.queries.evaluation.settings import metric_names

if TYPE_CHECKING:
    from corpusdb.formats.scoring_input import Output
    from corpusdb.metrics.settings import Settings
    from corpusdb.queries.evaluation.score_rows import Chance, ScoreRow
    from corpusdb.queries.evaluation.scoring import MetricScores, ScoringReferences

__all__ = ["score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnOptions(MeasureOptions):
    """What `score` takes, but for the choice of equivalents, which stands behind it in the help."""

    hypotheses: Annotated[
        list[Path],
        typer.Argument(metavar="HYP...", help="Outputs of systems, one segment a line.", show_default=False),
    ]
    metric: Annotated[str, typer.Option(metavar="NAMES", help=f"{', '.join(metric_names())}; with commas.")] = "bleu"
    segments: Annotated[bool, typer.Option("--segments", help="The score of every segment.")] = False
    significance: Annotated[
        Literal["bootstrap", "randomisation"] | None,
        typer.Option(help="Test every system against the baseline.", show_default=False),
    ] = None
    baseline: Annotated[
        Path | None, typer.Option(metavar="HYP", help="One of the outputs; the first if not given.", show_default=False)
    ] = None
    confidence: Annotated[bool, typer.Option("--confidence", help="Intervals of 95 % by bootstrap.")] = False
    resample_references: Annotated[
        int,
        typer.Option(
            metavar="DRAWS", min=0, max=100_000, help="Vary the references, too: e.g. 100 draws.", show_default=False
        ),
    ] = 0
    samples: Annotated[int, typer.Option(metavar="N", min=1, max=1_000_000, help="Samples or trials.")] = 1000
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Of all that is drawn at random.")] = 1
    store: Annotated[bool, typer.Option("--store", help="Keep the scores in the database, for `verify`.")] = False
    equivalents: Annotated[
        bool,
        typer.Option("--equivalents", help="Put equivalents into the references: what else translates the same words."),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(equivalents_input.EquivalentChoice, _OwnOptions):
    """What `score` takes."""


def _without_keeping(options: ScoreOptions, folder: Path) -> ScoreOptions:
    return replace(options, store=False)


@replayable(_without_keeping)
@command("score", answers=True, kept=False)
def score(invocation: Invocation, options: ScoreOptions) -> int:
    """Score outputs of systems against references.

    BLEU (words of mteval 13a, order 4; characters, order 18), chrF and TER go up to 100, as in sacrebleu; NIST is in
    bits; mWER is edits per word. Every number comes with its signature, which names the reference set by its digest.
    A hypothesis may be empty, a reference may not. With --equivalents BLEU and NIST are those of all that the
    references become by substitution: `corpusdb guide equivalents`.
    """
    from corpusdb.queries.evaluation.score_rows import Chance, score_rows
    from corpusdb.queries.evaluation.scoring import Sampling, notes_on
    from corpusdb.queries.evaluation.settings import parse_metrics
    from corpusdb.reports.evaluation.scores import chance_lines

    settings = [settings_of(options, name) for name in parse_metrics(options.metric)]
    _check_equivalents(options, settings)
    outputs, references = read_scored(invocation, options.hypotheses, options)
    chance = Chance(
        sampling=Sampling(options.samples, options.seed),
        intervals=options.confidence,
        test=options.significance,
        baseline=_baseline(outputs, options.baseline) if options.significance else 0,
        reference_draws=options.resample_references,
    )
    scores, kept = _scores(invocation, options, outputs, references, settings)
    for note in dict.fromkeys(notes_on(outputs, references, scores)):
        invocation.say(note)
    stored: list[list[int]] | None = None
    if options.store:
        from corpusdb.queries.evaluation.stored_scores import store_scores

        with invocation.writing() as store:
            stored = store_scores(store, outputs, kept, scores)
    rows = score_rows(outputs, scores, chance, stored)
    remarks = [
        *filter(None, [references.precision_note]),
        *chance_lines(outputs[chance.baseline].system, chance),
    ]
    if invocation.json:
        invocation.write_document([_document(row, chance, references, segments=options.segments) for row in rows])
        for remark in remarks:
            invocation.say(remark)
    else:
        noted = () if references.freezing is None else (references.freezing.note,)
        _write(invocation, rows, remarks, noted, segments=options.segments)
    return len(rows)


def _check_equivalents(options: ScoreOptions, settings: Sequence[Settings]) -> None:
    """Raise UsageError for options that do not belong together, before anything is read or aligned."""
    if not options.equivalents:
        for each in fields(equivalents_input.EquivalentChoice):
            if getattr(options, each.name) != each.default:
                raise UsageError(f"--{each.name.replace('_', '-')} chooses equivalents, and needs --equivalents")
        return
    from corpusdb.queries.bitext_study.scores import LATTICE_METRICS

    if not options.ref:
        raise UsageError("--equivalents are put into references of files: --ref")
    if options.source is None and options.equivalents_from == "bitext":
        raise UsageError(
            "--equivalents come from aligning what was translated with its references: --source and --ref; "
            "or --equivalents-from corpus"
        )
    if options.resample_references:
        raise UsageError("references in which equivalents are substituted cannot be resampled")
    equivalents_input.recipe_of(options)
    equivalents_input.language_of_references(options.lang, options.ref)
    for metric in (each.metric for each in settings):
        if metric not in LATTICE_METRICS:
            raise UsageError(f"{metric} has no score with --equivalents; {' and '.join(LATTICE_METRICS)} have")


def _scores(
    invocation: Invocation,
    options: ScoreOptions,
    outputs: Sequence[Output],
    references: ScoringReferences,
    settings: Sequence[Settings],
) -> tuple[list[MetricScores], ScoringReferences]:
    """The scores, and the references as they are kept with them."""
    from corpusdb.queries.bitext_study.scores import score_over_lattices, substitution_note
    from corpusdb.queries.evaluation.scoring import score_systems
    from corpusdb.queries.substitution.derivation import EQUIVALENTS

    if not options.equivalents:
        return score_systems(outputs, references, settings), references
    language = equivalents_input.language_of_references(options.lang, options.ref)
    made_by = equivalents_input.derivation_of(invocation, options, language)
    found = equivalents_input.derived(invocation, references.sets, made_by)
    lattices = found.lattices(made_by.recipe)
    invocation.say(substitution_note(found, made_by.recipe, lattices))
    kept = replace(references, parameters=references.parameters | {EQUIVALENTS: made_by.document()})
    return score_over_lattices(outputs, references, lattices, settings), kept


def _baseline(outputs: Sequence[Output], given: Path | None) -> int:
    """Which of the outputs the others are compared with. Raises UsageError where it is none of them."""
    if given is None:
        return 0
    for number, output in enumerate(outputs):
        if given == output.path or str(given) == output.system:
            return number
    raise UsageError(f"the baseline {given} is none of the outputs that are scored")


def _write(
    invocation: Invocation, rows: Sequence[ScoreRow], remarks: Sequence[str], noted: Sequence[str], *, segments: bool
) -> None:
    """The rows with remarks on them; what was ``noted`` on stderr stands below a table for a paper, too."""
    from corpusdb.reports.evaluation.scores import long_table, segment_rows, signature_lines, wide_table

    is_wide = not segments and invocation.format in ("table", "markdown", "latex")
    if segments:
        invocation.show(("segment", "system", "metric", "score", "signature"), segment_rows(rows))
    elif is_wide:
        invocation.show(*wide_table(rows))
        before, after = {"latex": ("% ", ""), "markdown": ("\n    ", "")}.get(invocation.format, ("", ""))
        for line in (*signature_lines(rows), *noted, *remarks):
            write_text(f"{before}{line}{after}")
    else:
        invocation.show(*long_table(rows))
    for remark in () if is_wide else remarks:
        invocation.say(remark)


def _document(row: ScoreRow, chance: Chance, references: ScoringReferences, *, segments: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "system": row.system,
        "metric": row.scores.settings.metric,
        "score": row.score,
        "signature": row.scores.signature,
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
    if row.spread is not None:
        document["variance"] = asdict(row.spread) | {"draws": chance.reference_draws} | drawn
    if segments:
        document["segments"] = row.segments.tolist()
    if row.stored is not None:
        document["stored"] = row.stored
    return document
