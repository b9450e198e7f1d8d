"""The commands that tell what references are worth: reference sets, references that were made, equivalents in them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import usable_cores
from corpusdb.base.options import Argument, Option
from corpusdb.base.text import language_code
from corpusdb.commands.command import Overwrite, command, replayable
from corpusdb.commands.invocation import Invocation, stdout_in, write_json, write_line, write_text
from corpusdb.paraphrase.filter_options import Address, LanguageIfTold, Marks, MinValidity, Order, Real
from corpusdb.scoring import reference_options as equivalents_input
from corpusdb.scoring.input_options import numbers_in
from corpusdb.scoring.metrics import metric_names, parse_metrics, settings_for
from corpusdb.scoring.reference_options import say_how_read

if TYPE_CHECKING:
    from corpusdb.corpus.formats.segments import Output, Reference, ReferenceTexts
    from corpusdb.scoring.queries.reference_count import ReferenceWorth
    from corpusdb.scoring.substituted_measures import LatticeReferences
    from corpusdb.studies.figures import Row, StudyTable
    from corpusdb.studies.queries.bitext import Accuracy, Provided, StudyInput
    from corpusdb.studies.queries.worth import Gain, JudgedOutputs, MadeReferences, WorthReport


RandomSeed: TypeAlias = Annotated[int, Option("Random seed.", "--seed", least=0)]
Seed: TypeAlias = Annotated[int, Option("Random seed.", metavar="NUMBER", least=0)]
Unit: TypeAlias = Annotated[str, Option("word or char.", metavar="UNIT")]
Tokenise: TypeAlias = Annotated[str | None, Option("Tokeniser: 13a, none, intl ...", metavar="NAME")]
Lowercase: TypeAlias = Annotated[bool, Option("Ignore case.", "--lowercase")]
Outputs: TypeAlias = Annotated[list[Path], Argument("Outputs, one file for each system.", metavar="HYP...")]
HumanColumn: TypeAlias = Annotated[str | None, Option("Their column (default: z, or the only one).", metavar="NAME")]


@dataclass(frozen=True, slots=True)
class ReferenceSetsOptions:
    lang: LanguageIfTold = None
    order: Order = 20
    min_validity: MinValidity = None
    marks: Marks = True
    real: Real = False
    address: Address = "same"
    least: Annotated[int, Option("Minimum number of paraphrases of a seed.", least=1)] = 1
    sample: Annotated[int, Option("Number of sets to draw, of each kind; 0 is all.", least=0)] = 400
    varied: Annotated[bool, Option("Of generated sets, only what `--chosen-by variation` keeps.", "--varied")] = False
    ref: Annotated[list[str], Option("Sets made by hand; may be repeated.", metavar="[NAME:]FILE")] = field(
        default_factory=list
    )
    unit: Unit = "word"
    tokenise: Tokenise = None
    lowercase: Lowercase = False
    effective: Annotated[
        bool, Option("Use only the orders that a short sentence has, so that its BLEU is not 0.", "--effective-order")
    ] = False
    draws: Annotated[int, Option("Number of times that a sentence of each set is left out.", least=1, most=100_000)] = (
        20
    )
    seed: RandomSeed = 1
    plots: Annotated[bool, Option("Plot Figure 2 below the table.", "--plots/--no-plots")] = True


@replayable()
@command("reference-sets")
def reference_sets(invocation: Invocation, options: ReferenceSetsOptions) -> None:
    """Measure how much the sentences of reference sets vary.

    Repeats section 7 of Lepage and Denoual (2005): BLEU and NIST of the sentences of a set against one that is left out
    (Table 7), and of paraphrases against their seed (Figure 2), beside the paper's numbers. --lang takes generated sets
    of the database; --ref takes sets made by hand, files with one reference per segment; files of one NAME are one kind
    of set. Low scores mean much variation; they are 0 to 1.
    """
    from corpusdb.paraphrase.queries.filters import filter_of
    from corpusdb.studies.queries.reference_sets import (
        Measuring,
        SetSelection,
        generated_variation,
        hand_made_variation,
    )
    from corpusdb.studies.reference_report import variation_lines

    if options.lang is None and not options.ref:
        raise UsageError("say which sets: --lang LANG for generated ones, --ref FILE for sets made by hand, or both")
    how = Measuring(options.unit, options.tokenise, options.lowercase, options.effective, options.draws, options.seed)
    by_name = _by_name([Path(each) for each in options.ref])
    reports = []
    if options.lang is not None:
        selection = SetSelection(filter_of(options), options.least, options.sample, options.seed, options.varied)
        language = language_code(options.lang)
        with invocation.reading() as store:
            reports.append(generated_variation(store, language, selection, how))
    reports += [hand_made_variation(name, texts, how, sample=options.sample) for name, texts in by_name.items()]
    if invocation.json:
        invocation.write_document(reports)
        return
    for line in variation_lines(reports, plots=options.plots):
        write_line(line)


def _by_name(given: Sequence[Path]) -> dict[str, ReferenceTexts]:
    """The references of the files of each kind of sets, in the order in which the kinds first come."""
    from corpusdb.corpus.formats.scoring_input import labelled_files, read_references

    files: dict[str, list[Path]] = {}
    for name, path in labelled_files(given):
        files.setdefault(name or "by hand", []).append(path)
    return {name: read_references(paths) for name, paths in files.items()}


@dataclass(frozen=True, slots=True)
class ReferenceWorthOptions:
    hypotheses: Outputs
    ref: Annotated[
        list[str], Option("References, of origin original unless labelled; may be repeated.", metavar="[ORIGIN:]FILE")
    ]
    human: Annotated[Path | None, Option("Human scores, by segment or system.", metavar="FILE")] = None
    human_column: HumanColumn = None
    unit: Unit = "word"
    order: Annotated[int | None, Option("Order of BLEU (default: 4 words, 18 characters).", least=1, most=1000)] = None
    tokenise: Tokenise = None
    lowercase: Lowercase = False
    draws: Annotated[int, Option("Number of random orders in which references are added.", least=1, most=100_000)] = 50
    samples: Annotated[int, Option("Number of samples of the segments in each.", least=1, most=1_000_000)] = 200
    seed: RandomSeed = 1
    plots: Annotated[bool, Option("Plot the curves below the table.", "--plots/--no-plots")] = True


@replayable()
@command("reference-worth", answers=True, kept=False)
def reference_worth(invocation: Invocation, options: ReferenceWorthOptions) -> int:
    """Measure what more references change, by their origin.

    BLEU and its correlation with human scores with one, two, three ... references per segment, drawn at random; ORIGIN
    is original, detected, generated or another word. Each origin has a curve, and so have the origins added one after
    another. Intervals cover 95 % over samples of the segments and draws of the references; sd separates the two. Human
    scores may be in any form of `corpusdb guide files`, such as a table of system, segment and z.
    """
    from corpusdb.corpus.formats.scoring_input import read_human_scores, read_output, read_references
    from corpusdb.scoring.queries import reference_count as queries
    from corpusdb.scoring.queries.scoring_references import LabelledReferences, references_from_files
    from corpusdb.scoring.reference_count import Resampling
    from corpusdb.scoring.table_report import WORTH_COLUMNS, copies_note, worth_rows
    from corpusdb.studies.reference_report import worth_lines

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
    found = invocation.run(job)
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


# References that were made, beside those that people wrote.


COLUMNS = (
    *("metric", "level", "statistic", "references", "per_segment", "segments", "value", "gain", "low", "high"),
    *("doc_low", "doc_high", "p", "of_second", "signature"),
)
_SHOWN = frozenset({("segment", "pearson"), ("segment within segments", "acc_eq"), ("system", "pairwise_accuracy")})
"""What a table shows of the statistics; other formats have all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnWorthOptions:
    """What `study worth` takes, but for the choice of equivalents, which stands behind it in the help."""

    hypotheses: Outputs
    ref: Annotated[Path, Option("The human reference, one per segment.", metavar="FILE")]
    human: Annotated[Path, Option("Human scores, by segment or system.", metavar="FILE")]
    human_column: HumanColumn = None
    made: Annotated[
        list[Path],
        Option("Generated references, as `references` writes them; may be repeated.", metavar="[NAME:]FILE..."),
    ] = field(default_factory=list)
    equivalents: Annotated[bool, Option("Also use the reference with equivalents, as `score` does.")] = False
    source: Annotated[Path | None, Option("The source text, for --equivalents.", metavar="FILE")] = None
    lang: Annotated[str | None, Option("Language of the reference (default: by extension).", metavar="LANG")] = None
    second: Annotated[Path | None, Option("A second human reference, to compare.", metavar="FILE")] = None
    documents: Annotated[
        Path | None, Option("TSV with doc, first_segment, n_segments: adds intervals over documents.", metavar="FILE")
    ] = None
    metric: Annotated[str, Option(f"{', '.join(metric_names())}; with commas.", metavar="NAMES")] = "bleu,chrf"
    unit: Unit = "word"
    tokenise: Tokenise = None
    validities: Annotated[str, Option("Minimum validities of a curve, with commas.", metavar="V,...")] = (
        "0.5,0.8,0.9,0.95"
    )
    numbers: Annotated[str, Option("Maximum numbers of references per segment, with commas.", metavar="N,...")] = (
        "1,2,5"
    )
    samples: Annotated[
        int, Option("Number of samples, and of trials of the test.", metavar="N", least=1, most=1_000_000)
    ] = 1000
    seed: Seed = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthOptions(equivalents_input.EquivalentChoice, _OwnWorthOptions):
    """What `study worth` takes."""


@replayable()
@command("worth", answers=True, kept=False)
def worth(invocation: Invocation, options: WorthOptions) -> int:
    """Measure what generated references add to agreement.

    How far scores of --metric agree with --human with one reference per segment (--ref), and how much more with those
    of --made added: all of them, those of a minimum validity, at most so many per segment, all sets together; with
    --equivalents, with full or partial credit (--credit); and with the second human reference (of_second: the part of
    its gain that the others reach). gain has 95 % intervals over segments (low, high) and over documents (doc_low,
    doc_high), and p, the probability of such a gain if the others add nothing (permutation). Human references in --made
    are left out. jsonl and tsv keep the validity and origin of each reference. Choose recipes on one test set and
    report them on another.
    """
    from corpusdb.corpus.formats.scoring_input import read_references
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.queries.scoring import Sampling
    from corpusdb.studies.queries.worth import SECOND, MadeReferences, WorthRequest, worth_study

    metrics = parse_metrics(options.metric)
    if options.equivalents:
        equivalents_input.check_choice(options, options.lang, [options.ref], metrics)
    else:
        equivalents_input.refuse_choice(options)
    texts = read_references([options.ref])
    human = [_only(row, options.ref, number) for number, row in enumerate(texts.references, 1)]
    made = list(_made(options.made))
    if options.second is not None:
        made.insert(0, MadeReferences(SECOND, read_references([options.second]).references))
    if not made and not options.equivalents:
        raise UsageError(
            "what was made? Give --made FILE, as `corpusdb references` writes it, --equivalents, or --second FILE"
        )
    judged = _judged(invocation, options, texts)
    request = WorthRequest(
        settings=[settings_for(name, unit=options.unit, tokenisation=options.tokenise) for name in metrics],
        lattices=_lattices(invocation, options, texts) if options.equivalents else None,
        validities=_validities(options.validities),
        numbers=numbers_in(options.numbers),
        sampling=Sampling(options.samples, options.seed),
        documents=read_documents(options.documents, len(human)) if options.documents else (),
        processes=usable_cores(),
    )
    found = invocation.run(worth_study(judged, human, made, request))
    _show(invocation, found)
    return len(found.gains)


def _lattices(invocation: Invocation, options: WorthOptions, texts: ReferenceTexts) -> LatticeReferences:
    """The human references with what the options put into them."""
    from corpusdb.corpus.formats.scoring_input import read_sources
    from corpusdb.scoring.queries.scoring_references import references_from_files

    sources = () if options.source is None else read_sources(options.source, texts)[0]
    sets = references_from_files(texts, [options.ref], sources).sets
    language = equivalents_input.language_of_references(options.lang, [options.ref])
    return equivalents_input.substituted(invocation, sets, options, language, have_sources=bool(sources))[0]


def _only(row: Sequence[Reference], path: Path, number: int) -> str:
    if len(row) != 1:
        raise InputError(f"has {len(row)} references of segment {number}; --ref is one, --second another", path=path)
    return row[0].text


def _made(paths: Sequence[Path]) -> Iterator[MadeReferences]:
    from corpusdb.corpus.formats.scoring_input import labelled_files, read_references
    from corpusdb.studies.queries.worth import MadeReferences

    names: set[str] = set()
    for label, path in labelled_files(paths):
        name = label or (path.stem if path.stem != "references" else path.parent.name) or path.name
        if name in names:
            raise UsageError(f"two sets are called {name!r}: give another as NAME:{path}")
        names.add(name)
        yield MadeReferences(name, read_references([path]).references)


def _validities(given: str) -> list[float]:
    try:
        found = [float(each) for each in given.split(",") if each.strip()]
    except ValueError:
        found = [-1.0]
    if not all(0 <= each <= 1 for each in found):
        raise UsageError(f"--validities takes numbers from 0 to 1 with commas between them, unlike {given!r}")
    return found


def _judged(invocation: Invocation, options: WorthOptions, texts: ReferenceTexts) -> JudgedOutputs:
    from corpusdb.corpus.formats.scoring_input import read_human_scores
    from corpusdb.scoring.queries.imported_scores import human_ratings
    from corpusdb.studies.queries.worth import JudgedOutputs

    outputs, segments = outputs_of(options.hypotheses, texts), len(texts.references)
    human = read_human_scores(options.human, options.human_column, segments, leaves_out=True)
    say_how_read(invocation, human.notes)
    if unjudged := [each.system for each in outputs if each.system not in human.systems]:
        invocation.say(f"left out, without human scores: {', '.join(unjudged)}")
    return JudgedOutputs(outputs, human_ratings(human, [each.system for each in outputs], segments))


def outputs_of(hypotheses: Sequence[Path], texts: ReferenceTexts) -> list[Output]:
    """The outputs that files have for the segments of references, each of a name of its own."""
    from corpusdb.corpus.formats.scoring_input import read_output, with_distinct_names

    return with_distinct_names([each for path in hypotheses for each in read_output(path, texts.segmentation)])


def _show(invocation: Invocation, found: WorthReport) -> None:
    if invocation.json:
        invocation.write_document(found)
        return
    is_table = invocation.format == "table"
    gains = [each for each in found.gains if not is_table or (each.level, each.statistic) in _SHOWN]
    if not any(each.level == "segment" for each in gains):
        gains = list(found.gains)
    columns = [each for each in COLUMNS if not is_table or each != "signature"]
    if not any(each.document_interval for each in gains):
        columns = [each for each in columns if not each.startswith("doc_")]
    if all(each.of_second is None for each in gains):
        columns.remove("of_second")
    rows = [dict(zip(COLUMNS, _cells(each), strict=True)) for each in gains]
    invocation.show(columns, [[row[name] for name in columns] for row in rows])


def _cells(gain: Gain) -> tuple[str | int | float | None, ...]:
    bounds: list[float | None] = []
    for each in (gain.interval, gain.document_interval):
        bounds += [None, None] if each is None else [round(each.low, 5), round(each.high, 5)]
    figures = [None if each is None else round(each, 5) for each in (gain.value, gain.gain)]
    p = None if gain.p is None else round(gain.p, 4)
    part = None if gain.of_second is None else round(gain.of_second, 3)
    described = (gain.metric, gain.level, gain.statistic, gain.references)
    return (*described, round(gain.per_segment, 3), gain.segments, *figures, *bounds, p, part, gain.signature)


# Bitext.


@dataclass(frozen=True, slots=True, kw_only=True)
class BitextEquivalentsOptions(equivalents_input.EquivalentChoice):
    """The texts from which equivalents come, and which are taken."""

    source: Annotated[Path, Argument("The source text.", metavar="SOURCE")]
    ref: Annotated[Path, Argument("Its reference, line by line.", metavar="REF")]
    lang: Annotated[str | None, Option("Language of the references (default: by extension).", metavar="LANG")] = None
    items: Annotated[int, Option("Number of items of each kind on a sheet.", metavar="N", least=1, most=100_000)] = 50
    seed: Seed = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BitextOptions(BitextEquivalentsOptions):
    hypotheses: Annotated[list[Path], Argument("Outputs of systems.", metavar="HYP...")]
    human: Annotated[Path | None, Option("Human scores: TSV with system, segment (from 0), z.", metavar="FILE")] = None
    human_column: HumanColumn = None
    second_ref: Annotated[Path | None, Option("A real second reference, to compare.", metavar="FILE")] = None
    documents: Annotated[Path | None, Option("TSV with doc, first_segment, n_segments.", metavar="FILE")] = None
    tokenise: Annotated[str | None, Option("Tokeniser: 13a, none, intl ...", metavar="NAME")] = None
    lowercase: Annotated[bool, Option("Ignore case.")] = False
    samples: Annotated[int, Option("Number of bootstrap samples.", metavar="N", least=1, most=1_000_000)] = 1000
    judged_category: Annotated[
        Path | None,
        Option("A sheet filled in: y same category, n not.", metavar="SHEET"),
    ] = None
    judged_meaning: Annotated[
        Path | None, Option("Filled in: = same meaning, > entailed, x neither.", metavar="SHEET")
    ] = None


@command("bitext", answers=True, kept=False)
def bitext(invocation: Invocation, options: BitextOptions) -> int:
    """Measure what equivalents change: from the evaluation's bitext, or a corpus.

    Repeats Owczarzak et al. (2006) on any source, reference and outputs: scores of each system with the reference as
    given and with equivalents in it (Table 1), the correlation of both with human scores (2 and 4), those scores
    themselves (3), and what people say of the equivalents (5 and 6, from the sheets). All numbers, and differences from
    the reference as given, have intervals over segments and over documents. --equivalents-from corpus shows those of
    the database beside those of the bitext. `corpusdb guide equivalents` explains it.
    """
    from corpusdb.studies.queries.bitext import bitext_study
    from corpusdb.studies.reference_report import (
        BITEXT_COLUMNS,
        bitext_remarks,
        bitext_rows,
        bitext_tables,
        judged_rows,
        judged_tables,
    )

    given = _given(invocation, options)
    provided = _provided(invocation, options, given)
    category, meaning = _judged_pairs(options, provided[-1])
    found = invocation.run(bitext_study(given, provided))
    remarks = list(bitext_remarks(found))
    if invocation.json:
        write_json(asdict(found) | {"category": category, "meaning": meaning})
        for line in remarks:
            invocation.say(line)
    elif invocation.format == "table":
        write_tables(invocation, (*bitext_tables(found), *judged_tables(category, meaning)), (), remarks)
    else:
        rows = (*bitext_rows(found), *judged_rows(category, meaning))
        show_rows(invocation, BITEXT_COLUMNS, rows, remarks)
    return len(found.scores)


def show_rows(invocation: Invocation, columns: Sequence[str], rows: Iterable[Row], remarks: Iterable[str]) -> None:
    """What a study found for programs: a row for each number; what is to be known of them is said."""
    invocation.show(columns, rows)
    for line in remarks:
        invocation.say(line)


def write_tables(
    invocation: Invocation, tables: Iterable[StudyTable], figures: Iterable[str], remarks: Iterable[str]
) -> None:
    """What a study found for people: tables under their titles, figures as text, and remarks."""
    before, after = {"latex": ("% ", ""), "markdown": ("\n", "\n")}.get(invocation.format, ("", ""))
    for table in tables:
        write_line(f"{before}{table.title}{after}")
        invocation.show(table.columns, table.rows)
        write_line()
    for line in figures:
        write_line(line)
    for line in remarks:
        write_text(f"{before}{line}{after}")


def draws_in_ascii() -> bool:
    """Whether stdout takes no block characters."""
    return not (sys.stdout.encoding or "").lower().startswith("utf")


def _given(invocation: Invocation, options: BitextOptions) -> StudyInput:
    from corpusdb.corpus.formats.scoring_input import (
        read_human_scores,
        read_references,
        read_sources,
    )
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.queries.imported_scores import human_ratings
    from corpusdb.scoring.queries.scoring import Sampling
    from corpusdb.scoring.queries.scoring_references import references_from_files
    from corpusdb.studies.queries.bitext import StudyInput, study_settings

    texts = read_references([options.ref])
    sources, _ = read_sources(options.source, texts)
    outputs = outputs_of(options.hypotheses, texts)
    both = None if options.second_ref is None else [options.ref, options.second_ref]
    segments = len(sources)
    human = None if options.human is None else read_human_scores(options.human, options.human_column, segments)
    say_how_read(invocation, () if human is None else human.notes)
    names = [each.system for each in outputs]
    if human is not None and (unjudged := [name for name in names if name not in human.systems]):
        invocation.say(f"no human scores of {', '.join(unjudged)}")
    return StudyInput(
        outputs=outputs,
        references=references_from_files(texts, [options.ref], sources),
        second=None if both is None else references_from_files(read_references(both), both, sources),
        human=None if human is None else human_ratings(human, names, segments),
        documents=[] if options.documents is None else read_documents(options.documents, segments),
        settings=study_settings(tokenise=options.tokenise, lowercase=options.lowercase),
        sampling=Sampling(options.samples, options.seed),
    )


def _provided(invocation: Invocation, options: BitextOptions, given: StudyInput) -> list[Provided]:
    """The equivalents of the bitext, and behind them those of the corpus, where they are asked for.

    The filters are for what is asked for; beside a corpus the bitext has its usual ones.
    """
    from corpusdb.scoring.queries.recipe import PUBLISHED, SubstitutionRecipe
    from corpusdb.scoring.queries.reference_equivalents import EquivalentDerivation
    from corpusdb.studies.queries.bitext import Provided

    language = equivalents_input.language_of_references(options.lang, [options.ref])
    asked = [equivalents_input.derivation_of(invocation, options, language)]
    if asked[0].recipe.origin == "corpus":
        asked.insert(0, EquivalentDerivation(language, SubstitutionRecipe(rejected=asked[0].recipe.rejected)))
    sets = given.references.sets
    return [Provided(equivalents_input.derived(invocation, sets, each, PUBLISHED), each.recipe) for each in asked]


def _judged_pairs(options: BitextOptions, drawn_from: Provided) -> tuple[list[Accuracy], list[Accuracy]]:
    """What sheets say, if any are given."""
    from corpusdb.studies.queries.bitext import accuracies, drawn_pairs

    if not (options.judged_category or options.judged_meaning):
        return [], []
    drawn = drawn_pairs(drawn_from.found, drawn_from.recipe, options.items, options.seed)
    category, meaning = options.judged_category, options.judged_meaning
    return (
        [] if category is None else accuracies(drawn, category, "grammaticality"),
        [] if meaning is None else accuracies(drawn, meaning, "meaning"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BitextSheetOptions(BitextEquivalentsOptions):
    output: Annotated[
        Path | None, Option("The sheet, a new file (default: stdout).", "--output -o", metavar="FILE")
    ] = None
    overwrite: Overwrite = False


@command("equivalents-sheet")
def equivalents_sheet(invocation: Invocation, options: BitextSheetOptions) -> None:
    """Draw equivalents to be judged blind, for `study bitext`.

    Each line has a reference with a phrase in brackets, and the same with an equivalent in its place: --items of the
    best equivalents, as many of all, and half as many false ones, mixed. Fill in the column verdict, in one copy for
    category (y, n), in another for meaning (=, >, x), and give both to `study bitext` with the same filters, items and
    seed.
    """
    from corpusdb.corpus.formats.scoring_input import read_references, read_sources
    from corpusdb.people.queries.samples import COLUMNS, sheet_lines
    from corpusdb.scoring.queries.scoring_references import references_from_files
    from corpusdb.studies.queries.bitext import drawn_pairs, sheet_of

    with stdout_in(options.output, invocation.guard(overwrite=options.overwrite)):
        texts = read_references([options.ref])
        sources, _ = read_sources(options.source, texts)
        sets = references_from_files(texts, [options.ref], sources).sets
        language = equivalents_input.language_of_references(options.lang, [options.ref])
        made_by = equivalents_input.derivation_of(invocation, options, language)
        found = equivalents_input.derived(invocation, sets, made_by)
        sheet = sheet_of(drawn_pairs(found, made_by.recipe, options.items, options.seed))
        if invocation.json:
            write_json([{name: getattr(line, name) for name in COLUMNS} for line in sheet])
            return
        for text in sheet_lines(sheet):
            write_text(text)
    if len(sheet) < 2 * options.items + options.items // 2:
        invocation.say(f"there are only {len(sheet):,} items; wider filters, such as --anywhere, have more")
