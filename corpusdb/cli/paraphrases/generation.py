"""The command that generates paraphrases: of the sentences of the corpus, or guided by the outputs of systems."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpusdb.cli.paraphrases.guided import GuidedOptions, generate_for_outputs, is_guided
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell
from corpusdb.cli.program.texts import texts_of
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.model import GenerationReport

__all__ = ["generate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions(GuidedOptions):
    """What `generate` takes."""


@command("generate")
def generate(invocation: Invocation, options: GenerateOptions) -> None:
    """Generate paraphrases by analogy, from all sentences or some.

    What it needs is made or brought up to date first: paraphrases by shared translations, the index of commutations,
    and that of character sequences. An interrupted call is continued by the same call. The counts are for the
    candidates that pass the filter at --fluency and --min-validity; the filter itself is applied when paraphrases are
    shown, so that it can be moved.

    With --for, references are generated for the outputs of systems instead: those that would match n-grams which some
    output has and no reference in --ref, by the evidence for them. With the references they are kept as a frozen set,
    --name, for `corpusdb score --ref-set NAME`, before any score on it was computed. Such references favour the
    systems that they were made for: see `corpusdb guide guided`.
    """
    if is_guided(options):
        if options.seed or options.seeds:
            raise UsageError("--for takes its seeds from --ref: --seed and --seeds make no sense with it")
        generate_for_outputs(invocation, options)
        return
    from corpusdb.languages import language_code
    from corpusdb.queries.chain.foreseen import foreseen_generation
    from corpusdb.queries.chain.generation import generate as generate_candidates
    from corpusdb.queries.exchange.validity_rows import validity_pivots
    from corpusdb.queries.paraphrase.filters import NO_FILTER, filter_at
    from corpusdb.queries.paraphrase.nothing_kept import nothing_kept_told

    language = language_code(options.lang)
    seeds = _seeds(invocation, options)
    with invocation.writing() as store:
        kept = filter_at(options.order, min_validity=options.min_validity, final_marks=options.final_marks)
        invocation.say_foreseen(foreseen_generation(store, language, seeded=seeds is not None))
        report = invocation.run(generate_candidates(store, language, seeds, kept))
        nothing = nothing_kept_told(store, language, kept, report, seeds)
        pivots = validity_pivots(store, language)
    document = {} if pivots is None or len(pivots.languages) != 1 else {"pivot": pivots.document()}
    invocation.report(asdict(report) | document, _figures(report, "no filter" if kept == NO_FILTER else str(kept)))
    if nothing is not None:
        invocation.say(nothing)
    if pivots is not None and (told := pivots.told()) is not None:
        invocation.say(told)


def _figures(report: GenerationReport, kept: str) -> list[tuple[str, Cell]]:
    """The report by names; ``kept`` is the filter in words."""
    return [
        ("seeds with candidates", report.seeds),
        ("analogies solved", report.analogies),
        ("candidates", report.candidates),
        ("contexts too common to use", report.too_common),
        ("sentences too long to use", report.too_long),
        (f"candidates kept, {kept}", report.kept),
        ("seeds of these", report.kept_seeds),
        ("different sentences", report.distinct),
        ("of these new to the corpus", report.novel),
        ("kept besides, by exchanges of words alone", report.exchanged),
        ("different exchanges of words", report.diversity.exchanges),
        ("units changed, mean", _shown(report.diversity.changed)),
        ("the same as part of the seed", _shown(report.diversity.distance)),
        ("seconds", round(report.seconds, 1)),
    ]


def _seeds(invocation: Invocation, options: GenerateOptions) -> list[str] | None:
    """Those that were given; None for all sentences."""
    if not (options.seed or options.seeds):
        return None
    seeds = texts_of(invocation, options.seed, as_text=options.as_text)
    return seeds + (_lines(options.seeds) if options.seeds else [])


def _shown(mean: float | None) -> float | None:
    return None if mean is None else round(mean, 3)


def _lines(file: Path) -> list[str]:
    """The lines of a file that hold something."""
    from corpusdb.formats.scoring_input import read_plain

    return [line for line in read_plain(file) if line.strip()]
