"""Guided generation on the command line: references generated for the outputs of systems, as a frozen set."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.homogeneity.test_sets import is_far, nearness_document, nearness_to_corpus
from corpusdb.cli.paraphrases.filter_options import FinalMarks, MinValidity, Order, say_pivots
from corpusdb.cli.paraphrases.paraphrases import Language
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_line, write_table
from corpusdb.cli.program.texts import AS_TEXT
from corpusdb.errors import UsageError
from corpusdb.ngrams.fluency_orders import DEFAULT_ORDER
from corpusdb.options import default_of, described, values_of

if TYPE_CHECKING:
    from corpusdb.formats.scoring_input import Output
    from corpusdb.queries.guided.guided_references import Guidance, GuidedReferences
    from corpusdb.queries.references.scoring_references import ScoringReferences
    from corpusdb.store import Store

__all__ = ["GuidedOptions", "generate_for_outputs", "is_guided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedOptions:
    """What paraphrases are generated from, and what is kept of them."""

    lang: Language
    seed: Annotated[
        list[str], typer.Option(metavar="TEXT", help="Only from this sentence; may be repeated.", show_default=False)
    ] = field(default_factory=list)
    seeds: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Only from these sentences, one a line; - is stdin.")
    ] = None
    order: Order = DEFAULT_ORDER
    min_validity: MinValidity = None
    final_marks: FinalMarks = False
    as_text: bool = described(False, AS_TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidedOptions(SeedOptions):
    """The same, and what generating for outputs takes."""

    outputs: Annotated[
        list[Path],
        typer.Option(
            "--for", metavar="HYP...", help="Generate references for these outputs of systems.", show_default=False
        ),
    ] = field(default_factory=list)
    ref: Annotated[
        list[Path],
        typer.Option(metavar="FILE...", help="With --for: the references at hand.", show_default=False),
    ] = field(default_factory=list)
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --for: what was translated.", show_default=False)
    ] = None
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --for: of the set that is frozen.", show_default=False)
    ] = None
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=0, help="With --for: new references a segment; 0 is all.")
    ] = 20
    ngrams: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=1000, help="With --for: n-grams of 1 to N; 4, in characters 18.", show_default=False
        ),
    ] = None
    unit: Annotated[Literal["word", "char"], typer.Option(help="With --for: what n-grams are made of.")] = "word"
    tokenise: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With --for: 13a if not given.", show_default=False),
    ] = None
    lowercase: Annotated[bool, typer.Option("--lowercase", help="With --for: fold case.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --for: tell what is reached, keep nothing.")] = False


def is_guided(options: GuidedOptions) -> bool:
    """Whether outputs are given. Raises UsageError where they are not, and options for them are."""
    if options.outputs:
        return True
    for option, value in values_of(options):
        if option.name not in SeedOptions.__dataclass_fields__ and value != default_of(option):
            named = "-n" if option.name == "limit" else f"--{option.name.replace('_', '-')}"
            raise UsageError(f"{named} is for references that are generated --for outputs, and none is given")
    return False


def generate_for_outputs(invocation: Invocation, options: GuidedOptions) -> None:
    """Generate references for outputs, freeze them with those given, and tell what they reach; never a score."""
    from corpusdb.queries.guided.frozen_sets import check_name, freeze
    from corpusdb.queries.guided.guided_references import guided_references

    begun = time.monotonic()
    if not options.ref:
        raise UsageError("--for needs --ref FILE, the references at hand")
    if (options.name is None) != options.dry_run:
        raise UsageError("--name NAME is the name of the set that is frozen; --dry-run keeps none: give one of the two")
    outputs, given = _read(options)
    guidance = _guidance(options)

    def found_in(store: Store) -> GuidedReferences:
        return invocation.run(guided_references(store, given, outputs, guidance))

    references: ScoringReferences | None = None
    if options.name is None:
        found = invocation.look(found_in)
    else:
        with invocation.writing() as store:
            check_name(store, options.name)
            found = found_in(store)
            references = freeze(store, found, options.name)
    _tell(invocation, found, references, time.monotonic() - begun)


def _read(options: GuidedOptions) -> tuple[list[Output], ScoringReferences]:
    from corpusdb.formats.scoring_input import read_output, read_references, read_sources, with_distinct_names
    from corpusdb.queries.references.scoring_references import references_from_files

    texts = read_references(options.ref)
    sources = read_sources(options.source, texts)[0] if options.source else ()
    outputs = [output for path in options.outputs for output in read_output(path, texts.segmentation)]
    return with_distinct_names(outputs), references_from_files(texts, options.ref, sources)


def _guidance(options: GuidedOptions) -> Guidance:
    from corpusdb.languages import language_code
    from corpusdb.queries.evaluation.settings import settings_for
    from corpusdb.queries.guided.guided_references import Guidance
    from corpusdb.queries.paraphrase.filters import filter_at

    counted = settings_for(
        "bleu",
        unit=options.unit,
        order=options.ngrams,
        tokenisation=options.tokenise,
        lowercase=options.lowercase,
    )
    kept = filter_at(options.order, min_validity=options.min_validity, final_marks=options.final_marks)
    return Guidance(language=language_code(options.lang), settings=counted, kept=kept, limit=options.limit)


def _tell(
    invocation: Invocation, found: GuidedReferences, references: ScoringReferences | None, seconds: float
) -> None:
    from corpusdb.reports.evaluation.guided import REACH_COLUMNS, guided_document, guided_figures, reach_rows

    invocation.look(lambda store: say_pivots(invocation, store, found.guidance.language))
    nearness = nearness_to_corpus(invocation, found.guidance.language, found.given.written)
    if invocation.json:
        write_json(guided_document(found, references) | nearness_document(nearness) | {"seconds": seconds})
        return
    write_table((), guided_figures(found, references, is_far=is_far(nearness)))
    write_line()
    write_table(REACH_COLUMNS, reach_rows(found))
    invocation.say("such references favour the systems that they were made for: `corpusdb guide guided`")
    if references is not None and references.freezing is not None:
        invocation.say(f"score on them with `corpusdb score HYP... --ref-set {shlex.quote(references.freezing.name)}`")
