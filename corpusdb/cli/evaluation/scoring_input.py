"""The options that say what is scored and with what, and the texts that they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from corpusdb.bounds import number_of
from corpusdb.cli.paraphrases.paraphrases import MinValidity
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.rules.reference_rules import MostOfReference, RulesIfAny, with_rewritings
from corpusdb.cli.rules.rule_choice import DEFAULT_MOST
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.formats.scoring_input import Output, ReferenceTexts, Segmentation
    from corpusdb.metrics.settings import Settings
    from corpusdb.queries.evaluation.scoring import ScoringReferences

__all__ = [
    "ChosenBy",
    "MeasureOptions",
    "ReadOutputs",
    "ReferenceOptions",
    "numbers_in",
    "read_frozen",
    "read_labelled",
    "read_outputs",
    "read_scored",
    "settings_of",
]

ReadOutputs: TypeAlias = Callable[[Sequence[Path], "Segmentation"], "list[Output]"]
"""The outputs that some words of the command line name, for these segments."""

ChosenBy: TypeAlias = Annotated[
    Literal["diversity", "validity"],
    typer.Option("--chosen-by", help="Which references stay where the limit leaves some out."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceOptions:
    """Where the references come from."""

    ref: Annotated[
        list[Path],
        typer.Option(
            "--ref",
            metavar="FILE...",
            help="References: a file has one of every segment, one a line; or {extensions to score}.",
            show_default=False,
        ),
    ] = field(default_factory=list)
    ref_from: Annotated[
        Literal["corpus"] | None, typer.Option("--ref-from", help="Take references for --source from the database.")
    ] = None
    ref_set: Annotated[
        str | None,
        typer.Option(
            "--ref-set", metavar="NAME", help="Frozen references that `generate --for` made.", show_default=False
        ),
    ] = None
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What was translated, one segment a line.", show_default=False)
    ] = None
    lang: Annotated[
        str | None, typer.Option(metavar="LANG", help="Language of references from the corpus.", show_default=False)
    ] = None
    references: Annotated[
        str,
        typer.Option(
            metavar="ORIGINS",
            help="Which of the corpus: original, detected, generated, exchanged, accepted; with commas.",
        ),
    ] = "original,detected,generated,exchanged,accepted"
    fluency: Annotated[
        int, typer.Option("--fluency", "-N", metavar="N", min=0, help="Fluency order of generated references.")
    ] = 20
    min_validity: MinValidity = None
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=0, help="References from the corpus a segment; 0 is all.")
    ] = 20
    chosen_by: ChosenBy = "diversity"
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave out segments that the corpus has no reference for.")
    ] = False
    rules: RulesIfAny = None
    max_rewritings: MostOfReference = DEFAULT_MOST


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions(ReferenceOptions):
    """The same, and how texts are cut and counted."""

    unit: Annotated[Literal["word", "char"], typer.Option(help="What n-grams and edits are made of.")] = "word"
    order: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=1000,
            help="Longest n-grams: BLEU 4, NIST 5, both 18 in characters.",
            show_default=False,
        ),
    ] = None
    tokenise: Annotated[
        Literal["none", "13a", "intl", "char", "ja-mecab", "zh", "ja-sudachi", "ja-sudachi-pos"] | None,
        typer.Option(help="How words are told apart; 13a, as in sacrebleu, if not given.", show_default=False),
    ] = None
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Fold case.")] = False
    smoothing: Annotated[
        str, typer.Option(metavar="METHOD", help="Of BLEU: none, floor, add-k or exp; =VALUE for the middle two.")
    ] = "none"


def settings_of(options: MeasureOptions, metric: str) -> Settings:
    """The settings for one metric. Raises UsageError for what makes no sense."""
    from corpusdb.queries.evaluation.settings import parse_smoothing, settings_for

    return settings_for(
        metric,
        unit=options.unit,
        order=options.order,
        tokenisation=options.tokenise,
        lowercase=options.lowercase,
        smoothing=parse_smoothing(options.smoothing),
    )


def numbers_in(text: str) -> list[int]:
    """Numbers with commas between them. Raises UsageError for anything else."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise UsageError(f"lengths are numbers with commas between them, unlike {text!r}")
    return [number_of(part) for part in parts]


def read_outputs(files: Sequence[Path], segmentation: Segmentation) -> list[Output]:
    """The outputs in files. Raises InputError as read_output does."""
    from corpusdb.formats.scoring_input import read_output

    return [output for path in files for output in read_output(path, segmentation)]


def read_scored(
    invocation: Invocation, files: Sequence[Path], options: ReferenceOptions, read: ReadOutputs = read_outputs
) -> tuple[list[Output], ScoringReferences]:
    """The outputs and their references, and talk that says what was read.

    Raises UsageError where it is not said where the references are, and InputError for texts that cannot be used.
    """
    if [bool(options.ref), options.ref_from is not None, options.ref_set is not None].count(True) != 1:
        raise UsageError(
            "where are the references? Give one of --ref FILE..., --ref-from corpus with --source FILE, --ref-set NAME"
        )
    from corpusdb.queries.evaluation.scoring import freezing_notes, with_distinct_names

    with_references = _from_corpus if options.ref_from else _frozen if options.ref_set is not None else _from_files
    outputs, references = with_references(invocation, lambda segmentation: read(files, segmentation), options)
    references = with_rewritings(invocation, references, options.rules, options.max_rewritings)
    invocation.say(f"{references}; {len(outputs)} system{'' if len(outputs) == 1 else 's'}")
    for note in freezing_notes(outputs, references.freezing):
        invocation.say(note)
    return with_distinct_names(outputs), references


def read_labelled(given: Sequence[str], label: str) -> dict[str, ReferenceTexts]:
    """The references of the files of each label, in the order in which the labels first come.

    A label has two characters or more, since one letter before a colon is a drive of Windows; a file whose whole name
    this is has none.
    """
    from corpusdb.formats.scoring_input import read_references

    files: dict[str, list[Path]] = {}
    for each in given:
        name, colon, path = each.partition(":")
        if colon and len(name) > 1 and not set(name) & set("/\\") and not Path(each).exists():
            files.setdefault(name, []).append(Path(path))
        else:
            files.setdefault(label, []).append(Path(each))
    return {name: read_references(paths) for name, paths in files.items()}


def _from_files(
    invocation: Invocation, read: Callable[[Segmentation], list[Output]], options: ReferenceOptions
) -> tuple[list[Output], ScoringReferences]:
    from corpusdb.formats.scoring_input import read_references, read_sources
    from corpusdb.queries.evaluation.scoring import references_from_files

    texts = read_references(options.ref)
    sources = read_sources(options.source, texts)[0] if options.source else []
    return read(texts.segmentation), references_from_files(texts, options.ref, sources)


def _frozen(
    invocation: Invocation, read: Callable[[Segmentation], list[Output]], options: ReferenceOptions
) -> tuple[list[Output], ScoringReferences]:
    if options.source is not None:
        raise UsageError("a frozen reference set has its sources with it: --source makes no sense with --ref-set")
    references, segmentation = read_frozen(invocation, str(options.ref_set))
    return read(segmentation), references


def read_frozen(invocation: Invocation, name: str) -> tuple[ScoringReferences, Segmentation]:
    """A frozen set of the database, and how outputs are cut into its segments."""
    from corpusdb.formats.segments import segmentation_by_line
    from corpusdb.queries.guided.frozen_sets import frozen_references

    with invocation.reading() as store:
        references = frozen_references(store, name)
    return references, segmentation_by_line(Path(f"--ref-set {name}"), len(references.sets))


def _from_corpus(
    invocation: Invocation, read: Callable[[Segmentation], list[Output]], options: ReferenceOptions
) -> tuple[list[Output], ScoringReferences]:
    from corpusdb.formats.scoring_input import read_sources
    from corpusdb.queries.evaluation.scoring import check_covered, covered_segments
    from corpusdb.queries.paraphrase.filters import filter_at
    from corpusdb.queries.references.reference_sets import Recipe, attributed_sets

    if options.source is None or options.lang is None:
        raise UsageError("--ref-from corpus needs --source FILE and --lang, the language of the references")
    sources, segmentation = read_sources(options.source)
    outputs = read(segmentation)
    origins = tuple(each.strip() for each in options.references.split(",") if each.strip())
    kept = filter_at(options.fluency, min_validity=options.min_validity)
    recipe = Recipe(language=options.lang, origins=origins, kept=kept, limit=options.limit, chosen_by=options.chosen_by)
    sets = invocation.look(lambda store: invocation.run(attributed_sets(store, sources, recipe)))
    if not options.skip_missing:
        check_covered(sets, recipe, options.source)
    chosen, references = covered_segments(outputs, sets, recipe, options.source)
    if missing := len(sets) - len(references.sets):
        invocation.say(f"{missing:,} of {len(sets):,} segments have no reference in the corpus and are left out")
    return chosen, references
