"""The commands that tell what reference sets are worth: how much they vary, and what one more reference changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import command, replayable
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import write_line
from corpusdb.paraphrase.commands import LanguageIfTold, Marks, MinValidity, Order
from corpusdb.scoring.reference_options import say_how_read

if TYPE_CHECKING:
    from corpusdb.corpus.formats.segments import Output, ReferenceTexts
    from corpusdb.scoring.queries.reference_count import ReferenceWorth
    from corpusdb.studies.references.queries import Measuring, VariationReport

RandomSeed: TypeAlias = Annotated[int, Option("Of all that is drawn at random.", "--seed", least=0)]
Unit: TypeAlias = Annotated[str, Option("word or char.", metavar="UNIT")]
Tokenise: TypeAlias = Annotated[str | None, Option("How words are cut: 13a, none, intl ...", metavar="NAME")]
Lowercase: TypeAlias = Annotated[bool, Option("Fold case first.", "--lowercase")]


@dataclass(frozen=True, slots=True)
class ReferenceSetsOptions:
    """What `study reference-sets` takes."""

    lang: LanguageIfTold = None
    order: Order = 20
    min_validity: MinValidity = None
    marks: Marks = True
    least: Annotated[int, Option("Paraphrases that a seed must have.", least=1)] = 1
    sample: Annotated[int, Option("Sets to draw, of each kind; 0 is all.", least=0)] = 400
    ref: Annotated[list[str], Option("Sets made by hand; again for more.", metavar="[NAME:]FILE")] = field(
        default_factory=list
    )
    unit: Unit = "word"
    tokenise: Tokenise = None
    lowercase: Lowercase = False
    effective: Annotated[
        bool, Option("BLEU of short sentences by the orders they have, not 0.", "--effective-order")
    ] = False
    draws: Annotated[int, Option("How often one sentence of each set is left out.", least=1, most=100_000)] = 20
    seed: RandomSeed = 1
    plots: Annotated[bool, Option("Figure 2 below the table.", "--plots/--no-plots")] = True


@replayable()
@command("reference-sets")
def reference_sets(invocation: Invocation, options: ReferenceSetsOptions) -> None:
    """Measure how much the sentences of reference sets vary.

    Repeats section 7 of Lepage and Denoual (2005): BLEU and NIST of the sentences of a set against one that is left out
    (Table 7), and of paraphrases against their seed (Figure 2), beside the paper's numbers. With --lang for generated
    sets of the database; with --ref for sets made by hand, a file holding one reference of each segment; files of one
    NAME make one kind of sets. Low scores mean much variation; they are 0 to 1.
    """
    from corpusdb.studies.references.queries import Measuring
    from corpusdb.studies.references.report import variation_lines

    if options.lang is None and not options.ref:
        raise UsageError("say which sets: --lang LANG for generated ones, --ref FILE for sets made by hand, or both")
    how = Measuring(options.unit, options.tokenise, options.lowercase, options.effective, options.draws, options.seed)
    reports = list(_variation_reports(invocation, options, how))
    if invocation.json:
        invocation.write_document(reports)
        return
    for line in variation_lines(reports, plots=options.plots):
        write_line(line)


def _variation_reports(
    invocation: Invocation, options: ReferenceSetsOptions, how: Measuring
) -> Iterator[VariationReport]:
    from corpusdb.base.text import language_code
    from corpusdb.paraphrase.queries.filters import filter_at
    from corpusdb.studies.references.queries import SetSelection, generated_variation, hand_made_variation

    by_name = _by_name([Path(each) for each in options.ref])
    if options.lang is not None:
        kept = filter_at(options.order, marks=options.marks, min_validity=options.min_validity)
        selection = SetSelection(kept, options.least, options.sample, options.seed)
        language = language_code(options.lang)
        with invocation.reading() as store:
            report = generated_variation(store, language, selection, how)
        yield report
    for name, texts in by_name.items():
        yield hand_made_variation(name, texts, how, sample=options.sample)


def _by_name(given: Sequence[Path]) -> dict[str, ReferenceTexts]:
    """The references of the files of each kind of sets, in the order in which the kinds first come."""
    from corpusdb.corpus.formats.scoring_input import labelled_files, read_references

    files: dict[str, list[Path]] = {}
    for name, path in labelled_files(given):
        files.setdefault(name or "by hand", []).append(path)
    return {name: read_references(paths) for name, paths in files.items()}


@dataclass(frozen=True, slots=True)
class WorthOptions:
    """What `study reference-worth` takes."""

    hypotheses: Annotated[list[Path], Argument("The output of a system each.", metavar="HYP...")]
    ref: Annotated[list[str], Option("References; original if not said; again for more.", metavar="[ORIGIN:]FILE")]
    human: Annotated[Path | None, Option("Human scores, by segment or system.", metavar="FILE")] = None
    human_column: Annotated[
        str | None,
        Option("The column that holds these; z, or the only one.", metavar="NAME"),
    ] = None
    unit: Unit = "word"
    order: Annotated[int | None, Option("Of BLEU; 4 for words, 18 for characters.", least=1, most=1000)] = None
    tokenise: Tokenise = None
    lowercase: Lowercase = False
    draws: Annotated[int, Option("Orders in which references are added.", least=1, most=100_000)] = 50
    samples: Annotated[int, Option("Samples of the segments in each.", least=1, most=1_000_000)] = 200
    seed: RandomSeed = 1
    plots: Annotated[bool, Option("The curves below a table.", "--plots/--no-plots")] = True


@replayable()
@command("reference-worth", answers=True, kept=False)
def reference_worth(invocation: Invocation, options: WorthOptions) -> int:
    """Tell what more references change, by their origin.

    BLEU and its correlation with human scores for one, two, three ... references of each segment, drawn at
    random; ORIGIN is original, detected, generated or another word. Each origin has a curve, and so have the origins
    one after the other. Intervals hold 95 % over samples of the segments and draws of the references; sd tells the two
    apart. The human file is any that `corpusdb guide files` has among scores, such as a table of system, segment and z.
    """
    from corpusdb.corpus.formats.scoring_input import read_human_scores, read_output, read_references
    from corpusdb.scoring.metrics import settings_for
    from corpusdb.scoring.queries import reference_count as queries
    from corpusdb.scoring.queries.scoring_references import LabelledReferences, references_from_files
    from corpusdb.scoring.reference_count import Resampling
    from corpusdb.scoring.table_report import WORTH_COLUMNS, copies_note, worth_rows
    from corpusdb.studies.references.report import worth_lines

    paths = [Path(each) for each in options.ref]
    texts = read_references(paths)
    references = LabelledReferences.of(references_from_files(texts, paths))
    outputs: list[Output] = [each for path in options.hypotheses for each in read_output(path, texts.segmentation)]
    settings = settings_for(
        "bleu",
        unit=options.unit,
        order=options.order,
        tokenisation=options.tokenise,
        lowercase=options.lowercase,
    )
    segments = len(texts.segmentation.lines)
    human = None if options.human is None else read_human_scores(options.human, options.human_column, segments)
    say_how_read(invocation, () if human is None else human.notes)
    resampling = Resampling(options.seed, options.draws, options.samples)
    job = queries.measuring_worth(outputs, references, settings, resampling, human)
    found = invocation.run(job, resumes=False)
    _say_left_out(invocation, found, judged=human is not None)
    if invocation.json:
        invocation.write_document(found)
        return len(found.curves)
    rows = list(worth_rows(found))
    if invocation.format != "table":
        if (note := copies_note(found)) is not None:
            invocation.say(note)
        invocation.show(WORTH_COLUMNS, rows)
        return len(found.curves)
    invocation.show(WORTH_COLUMNS[:-1], [row[:-1] for row in rows])  # the signatures would not fit beside
    for line in worth_lines(found, plots=options.plots):
        write_line(line)
    return len(found.curves)


def _say_left_out(invocation: Invocation, found: ReferenceWorth, *, judged: bool) -> None:
    """Which systems nobody judged, where people were asked, and which origins have no curve."""
    if judged and len(found.judged) < len(found.systems):
        invocation.say(f"no human scores of {', '.join(name for name in found.systems if name not in found.judged)}")
    if found.left_out:
        names = ", ".join("+".join(each) for each in found.left_out)
        invocation.say(f"no curve of {names}: some segments have no reference of that origin")
