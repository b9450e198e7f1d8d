"""What `score` takes, in our way and in sacrebleu's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.evaluation import equivalents_input
from corpusdb.cli.evaluation.scoring_input import MeasureOptions, settings_of
from corpusdb.errors import UsageError
from corpusdb.queries.evaluation.settings import check_resampling, metric_names, sorting_place

if TYPE_CHECKING:
    from corpusdb.metrics.settings import Settings

__all__ = ["ScoreOptions", "as_called", "check_together", "settings_as_called"]

_NOT_OF_PARTS = (
    "segments", "significance", "confidence", "resample_references", "sort", "verbose", "score_only", "width"
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnOptions(MeasureOptions):
    """What `score` takes, but for the choice of equivalents, which stands behind it in the help."""

    hypotheses: Annotated[
        list[Path],
        typer.Argument(
            metavar="HYP...",
            help="Outputs of systems, one segment a line, or tables: `corpusdb guide files`.",
            show_default=False,
        ),
    ] = field(default_factory=list)
    input: Annotated[
        list[Path],
        typer.Option(
            "--input",
            "-i",
            metavar="HYP...",
            help="Outputs, as in sacrebleu: what stands before are references, and its defaults hold.",
            show_default=False,
        ),
    ] = field(default_factory=list)
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            "--metrics",
            "-m",
            metavar="METRICS...",
            help=f"{', '.join(metric_names())}; with commas or blanks.",
        ),
    ] = "bleu"
    segments: Annotated[
        bool, typer.Option("--segments", "--sentence-level", "-sl", help="The score of every segment.")
    ] = False
    worst_first: Annotated[
        bool, typer.Option("--worst-first", help="With --segments: the worst first; equal ones by smoothed BLEU.")
    ] = False
    sort: Annotated[
        str | None,
        typer.Option(metavar="METRIC", help="The best system by this metric first.", show_default=False),
    ] = None
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Precisions, lengths and edits below the table.")] = (
        False
    )
    width: Annotated[
        int | None,
        typer.Option("--width", "-w", metavar="N", min=0, max=15, help="Decimals of scores.", show_default=False),
    ] = None
    score_only: Annotated[
        bool, typer.Option("--score-only", "-b", help="The numbers and nothing else, one a line.")
    ] = False
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
    by: Annotated[
        Literal["coefficient", "length", "references", "novelty"] | None,
        typer.Option(help="Scores of the parts of the test set, with intervals of 95 %.", show_default=False),
    ] = None
    store: Annotated[bool, typer.Option("--store", help="Keep the scores in the database, for `verify`.")] = False
    equivalents: Annotated[
        bool,
        typer.Option("--equivalents", help="Put equivalents into the references: what else translates the same words."),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(equivalents_input.EquivalentChoice, _OwnOptions):
    """What `score` takes."""


def settings_as_called(options: ScoreOptions) -> list[Settings]:
    """Those of each metric. Raises UsageError for what makes no sense."""
    from corpusdb.queries.evaluation.settings import parse_metrics, settings_of_sacrebleu

    settings = [settings_of(options, name) for name in parse_metrics(options.metric)]
    if not options.input:
        return settings
    smoothed = options.smoothing is not None
    return [settings_of_sacrebleu(each, smoothed=smoothed, segments=options.segments) for each in settings]


def as_called(options: ScoreOptions) -> ScoreOptions:
    """The same said in our way, where they came in sacrebleu's: references first, and outputs behind -i.

    Raises UsageError where there is no output, and where it is not clear what a file is.
    """
    from corpusdb.queries.evaluation.settings import OF_SACREBLEU, parse_metrics

    if not options.input:
        if not options.hypotheses:
            raise UsageError("no output is given: HYP... --ref REF..., or REF... -i HYP... as in sacrebleu")
        return options
    if options.hypotheses and (options.ref or options.ref_set):
        raise UsageError(
            f"with -i, what stands by itself is a reference, as in sacrebleu, and there are others:"
            f" is {options.hypotheses[0]} a reference or an output?"
        )
    # Rates per unit would be lost in one decimal, which is what sacrebleu prints.
    is_theirs = options.score_only and all(each in OF_SACREBLEU for each in parse_metrics(options.metric))
    width = 1 if is_theirs and options.width is None else options.width
    return replace(options, input=[], ref=options.ref or options.hypotheses, hypotheses=options.input, width=width)


def check_together(options: ScoreOptions, settings: Sequence[Settings]) -> None:
    """Raise UsageError for options that do not belong together, before anything is read or aligned."""
    if options.worst_first and not options.segments:
        raise UsageError("--worst-first puts segments in order, and needs --segments")
    defaults = {each.name: each.default for each in fields(options)}
    for name in _NOT_OF_PARTS:
        if options.by is not None and getattr(options, name) != defaults[name]:
            raise UsageError(f"--by tells scores of parts with their intervals, without --{name.replace('_', '-')}")
    _check_equivalents(options, settings)
    if options.resample_references:
        check_resampling(settings, options.resample_references, options.samples)
    if options.sort is not None:
        sorting_place(settings, options.sort)


def _check_equivalents(options: ScoreOptions, settings: Sequence[Settings]) -> None:
    """Raise UsageError for options that do not belong together."""
    if not options.equivalents:
        for each in fields(equivalents_input.EquivalentChoice):
            if each.name == "min_languages" and options.ref_from == "corpus":
                continue  # of paraphrases
            if getattr(options, each.name) != each.default:
                raise UsageError(f"--{each.name.replace('_', '-')} chooses equivalents, and needs --equivalents")
        return
    from corpusdb.queries.bitext_study.scores import LATTICE_METRICS

    if options.rules is not None:
        raise UsageError("--equivalents and --rules are two ways to more references: give one of them")
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
