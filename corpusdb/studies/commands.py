"""The commands that repeat the studies of the papers on other data."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import CommandGroup, Overwrite, command, replayable
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import stdout_in, write_json, write_line, write_text
from corpusdb.corpus.model import DEFAULT_ORDER
from corpusdb.homogeneity.commands import known_similarity
from corpusdb.paraphrase.commands import Address, LanguageIfTold, Marks, MinValidity, Order, Real
from corpusdb.scoring import reference_options as equivalents_input
from corpusdb.scoring.input_options import ReferenceOptions, numbers_in, read_scored
from corpusdb.scoring.reference_options import say_how_read
from corpusdb.studies.homogeneity.commands import homogeneity
from corpusdb.studies.worth.commands import worth

if TYPE_CHECKING:
    from corpusdb.corpus.formats.segments import Output, ReferenceTexts
    from corpusdb.scoring.queries.reference_count import ReferenceWorth
    from corpusdb.studies.bitext.study import Accuracy, Provided, StudyInput
    from corpusdb.studies.bleu_in_characters.report import CharactersStudy
    from corpusdb.studies.images import ImageFormat
    from corpusdb.studies.references.queries import Measuring, VariationReport


@dataclass(frozen=True, slots=True)
class PrecisionOptions:
    lang: Annotated[str | None, Option("Language; if not given, a row for each.", metavar="LANG")] = None
    held_out: Annotated[
        list[str], Option("Hold out this language; again for more. All, if not given.", metavar="LANG")
    ] = field(default_factory=list)
    order: Order = DEFAULT_ORDER
    marks: Marks = True
    plots: Annotated[bool, Option("The curves below the tables.", "--plots/--no-plots")] = True


@replayable()
@command("precision", answers=True, kept=False)
def precision(invocation: Invocation, options: PrecisionOptions) -> int:
    """Tell how often paraphrases hold, by their validity.

    Without --lang a row for each language: how many pairs are kept, how much of them is expected to hold, and what
    people found of those that they judged; pivots are the languages that validity was learned through, unseen is what
    the only one of them does not mark.

    With it one language of the translations after the other is held out: all is made again in a temporary database
    without it, and generated pairs both sentences of which have a translation into it are confirmed where they
    share one. The database is not changed. share: pairs that are confirmed, in %. precision: the same over what
    pairs of one meaning would have, which may exceed 100 and compares better than it counts. pass, all: what passes
    the filter at --fluency and this validity. sharing: whether translations that a pair shares in the other
    languages count for it. The area under the curve is 0.5 for chance; that of the former score, by the analogies
    alone, stands beside. What people judged is shown by its validity, which their judgements may have calibrated.
    Translations into one language alone can hold nothing out: there `corpusdb judge` has people judge a sample.
    """
    from corpusdb.paraphrase.queries.filters import NSequenceFilter
    from corpusdb.studies.precision.queries import precision_study
    from corpusdb.studies.precision.report import PRECISION_COLUMNS, precision_lines, precision_notes, precision_rows

    if options.lang is None:
        return _precision_by_language(invocation, options)
    kept = NSequenceFilter(options.order, options.marks)
    with invocation.reading() as store:
        found = invocation.run(precision_study(store, options.lang, options.held_out, kept))
    for note in precision_notes(found):
        invocation.say(note)
    measured = sum(bool(each.measured) for each in found.held_out)
    if invocation.json:
        invocation.write_document(found)
    elif invocation.format != "table":
        invocation.show(PRECISION_COLUMNS, precision_rows(found))
    else:
        is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        for line in precision_lines(found, plots=options.plots, ascii=not is_unicode):
            write_line(line)
    return measured


def _precision_by_language(invocation: Invocation, options: PrecisionOptions) -> int:
    from corpusdb.paraphrase.queries.filters import filter_of
    from corpusdb.studies.precision.queries import precision_by_language
    from corpusdb.studies.precision.report import LANGUAGE_COLUMNS, language_rows

    if options.held_out:
        raise UsageError("--held-out needs --lang: the language whose paraphrases are measured")
    kept = filter_of(options)
    with invocation.reading() as store:
        found = invocation.run(precision_by_language(store, kept))
    if invocation.json:
        invocation.write_document({"kept": kept.document(), "languages": found})
    else:
        invocation.show(LANGUAGE_COLUMNS, list(language_rows(found)))
    return len(found)


# References.


RandomSeed: TypeAlias = Annotated[int, Option("Of all that is drawn at random.", "--seed", least=0)]
Unit: TypeAlias = Annotated[str, Option("word or char.", metavar="UNIT")]
Tokenise: TypeAlias = Annotated[str | None, Option("How words are cut: 13a, none, intl ...", metavar="NAME")]
Lowercase: TypeAlias = Annotated[bool, Option("Fold case first.", "--lowercase")]


@dataclass(frozen=True, slots=True)
class ReferenceSetsOptions:
    lang: LanguageIfTold = None
    order: Order = 20
    min_validity: MinValidity = None
    marks: Marks = True
    real: Real = False
    address: Address = "same"
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
    from corpusdb.paraphrase.queries.filters import filter_of
    from corpusdb.studies.references.queries import SetSelection, generated_variation, hand_made_variation

    by_name = _by_name([Path(each) for each in options.ref])
    if options.lang is not None:
        selection = SetSelection(filter_of(options), options.least, options.sample, options.seed)
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


# Bitext.


@dataclass(frozen=True, slots=True, kw_only=True)
class BitextEquivalentsOptions(equivalents_input.EquivalentChoice):
    """The texts from which equivalents come, and which are taken."""

    source: Annotated[Path, Argument("What was translated.", metavar="SOURCE")]
    ref: Annotated[Path, Argument("Its reference, line by line.", metavar="REF")]
    lang: Annotated[str | None, Option("Language of the references; else by their extension.", metavar="LANG")] = None
    items: Annotated[int, Option("Of each kind on a sheet.", metavar="N", least=1, most=100_000)] = 50
    seed: Annotated[int, Option("Of all that is drawn at random.", metavar="NUMBER", least=0)] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BitextOptions(BitextEquivalentsOptions):
    hypotheses: Annotated[list[Path], Argument("Outputs of systems.", metavar="HYP...")]
    human: Annotated[Path | None, Option("Human scores: TSV with system, segment (from 0), z.", metavar="FILE")] = None
    human_column: Annotated[
        str | None,
        Option("The column that holds these; z, or the only one.", metavar="NAME"),
    ] = None
    second_ref: Annotated[Path | None, Option("A real second reference, to compare.", metavar="FILE")] = None
    documents: Annotated[Path | None, Option("TSV with doc, first_segment, n_segments.", metavar="FILE")] = None
    tokenise: Annotated[str | None, Option("How words are scored: 13a, none, intl ...", metavar="NAME")] = None
    lowercase: Annotated[bool, Option("Fold case.")] = False
    samples: Annotated[int, Option("Samples of the bootstrap.", metavar="N", least=1, most=1_000_000)] = 1000
    judged_category: Annotated[
        Path | None,
        Option("A sheet filled in: y same category, n not.", metavar="SHEET"),
    ] = None
    judged_meaning: Annotated[
        Path | None, Option("Filled in: = same meaning, > entailed, x neither.", metavar="SHEET")
    ] = None


@command("bitext", answers=True, kept=False)
def bitext(invocation: Invocation, options: BitextOptions) -> int:
    """Tell what equivalents from the evaluation's own bitext, or from a corpus, change.

    Repeats Owczarzak et al. (2006) on any source, reference and outputs: the scores of each system with the reference
    as given and with equivalents in it (Table 1), the correlation of both with human scores (2 and 4), those scores
    themselves (3), and what people say of the equivalents (5 and 6, from the sheets). Every number has its interval,
    also that of the difference from the reference as given, over segments and over documents. With --equivalents-from
    corpus those of the database stand beside those of the bitext. `corpusdb guide equivalents` explains it.
    """
    from corpusdb.studies.bitext.report import (
        BITEXT_COLUMNS,
        bitext_remarks,
        bitext_rows,
        bitext_tables,
        judged_rows,
        judged_tables,
    )
    from corpusdb.studies.bitext.study import bitext_study

    given = _given(invocation, options)
    provided = _provided(invocation, options, given)
    category, meaning = _judged(options, provided[-1])
    found = invocation.run(bitext_study(given, provided), resumes=False)
    if invocation.json:
        write_json(asdict(found) | {"category": category, "meaning": meaning})
    elif invocation.format == "table":
        for table in (*bitext_tables(found), *judged_tables(category, meaning)):
            write_line(table.title)
            invocation.show(table.columns, table.rows)
            write_line()
    else:
        invocation.show(BITEXT_COLUMNS, (*bitext_rows(found), *judged_rows(category, meaning)))
    for line in bitext_remarks(found):
        if invocation.format == "table" and not invocation.json:
            write_text(line)
        else:
            invocation.say(line)
    return len(found.scores)


def _given(invocation: Invocation, options: BitextOptions) -> StudyInput:
    from corpusdb.corpus.formats.scoring_input import (
        read_human_scores,
        read_output,
        read_references,
        read_sources,
        with_distinct_names,
    )
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.queries.imported_scores import human_ratings
    from corpusdb.scoring.queries.scoring import Sampling
    from corpusdb.scoring.queries.scoring_references import references_from_files
    from corpusdb.studies.bitext.study import StudyInput, study_settings

    texts = read_references([options.ref])
    sources, _ = read_sources(options.source, texts)
    outputs = with_distinct_names(
        [each for path in options.hypotheses for each in read_output(path, texts.segmentation)]
    )
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
    from corpusdb.studies.bitext.study import Provided

    language = equivalents_input.language_of_references(options.lang, [options.ref])
    asked = [equivalents_input.derivation_of(invocation, options, language)]
    if asked[0].recipe.origin == "corpus":
        asked.insert(0, EquivalentDerivation(language, SubstitutionRecipe(rejected=asked[0].recipe.rejected)))
    sets = given.references.sets
    return [Provided(equivalents_input.derived(invocation, sets, each, PUBLISHED), each.recipe) for each in asked]


def _judged(options: BitextOptions, drawn_from: Provided) -> tuple[list[Accuracy], list[Accuracy]]:
    """What sheets say, if any are given."""
    from corpusdb.studies.bitext.study import accuracies, drawn_pairs

    if not (options.judged_category or options.judged_meaning):
        return [], []
    drawn = drawn_pairs(drawn_from.found, drawn_from.recipe, options.items, options.seed)
    category = [] if options.judged_category is None else accuracies(drawn, options.judged_category, "grammaticality")
    meaning = [] if options.judged_meaning is None else accuracies(drawn, options.judged_meaning, "meaning")
    return category, meaning


@dataclass(frozen=True, slots=True, kw_only=True)
class BitextSheetOptions(BitextEquivalentsOptions):
    output: Annotated[Path | None, Option("The sheet, a new file; else stdout.", "--output -o", metavar="FILE")] = None
    overwrite: Overwrite = False


@command("equivalents-sheet")
def equivalents_sheet(invocation: Invocation, options: BitextSheetOptions) -> None:
    """Draw equivalents to be judged blind, for `study bitext`.

    A line holds a reference with a phrase in brackets, and the same with an equivalent in its place. --items of the
    best equivalents, as many of all, and half as many that are none are mixed. Fill in the column verdict, in one copy
    for the category (y, n), in another for the meaning (=, >, x), and give both to `study bitext` with the same
    filters, items and seed.
    """
    from corpusdb.corpus.formats.scoring_input import read_references, read_sources
    from corpusdb.people.queries.samples import COLUMNS, sheet_lines
    from corpusdb.scoring.queries.scoring_references import references_from_files
    from corpusdb.studies.bitext.study import drawn_pairs, sheet_of

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
        invocation.say(f"there are only {len(sheet):,} items to draw; wider filters, such as --anywhere, have more")


# BLEU in characters.


@dataclass(frozen=True, slots=True, kw_only=True)
class CharactersOptions(ReferenceOptions):
    hypotheses: Annotated[list[Path], Argument("The output of a system each.", metavar="HYP...")]
    max_order_words: Annotated[int, Option("The highest N.", least=2, most=1000)] = 4
    max_order_chars: Annotated[int, Option("The highest M.", least=1, most=1000)] = 30
    equivalent: Annotated[
        int | None, Option("The M for tables 2 to 4; else found.", metavar="M", least=1, most=1000)
    ] = None
    lengths: Annotated[str, Option("Last lengths of table 2's classes.", metavar="N,N...")] = "3,4,5,6,7,8,9,10"
    tokenise: Annotated[str, Option("How words are cut: none, 13a, intl ...", metavar="NAME")] = "13a"
    lowercase: Annotated[bool, Option("Fold case first.")] = False
    plots: Annotated[bool, Option("Figures 1 and 2 below the tables.", "--plots/--no-plots")] = True
    svg: Annotated[Path | None, Option("Write them as SVG.", metavar="DIR")] = None
    png: Annotated[Path | None, Option("Write them as PNG.", metavar="DIR")] = None
    overwrite: Overwrite = False

    @property
    def folders(self) -> Mapping[ImageFormat, Path]:
        """Where figures go as images, by their format."""
        chosen: Mapping[ImageFormat, Path | None] = {"svg": self.svg, "png": self.png}
        return {format: folder for format, folder in chosen.items() if folder is not None}


@replayable(lambda options, folder: replace(options, svg=None, png=None))
@command("bleu-in-characters")
def bleu_in_characters(invocation: Invocation, options: CharactersOptions) -> None:
    """Find the order in characters that equals one in words.

    Repeats Denoual and Lepage (2005) for any test set: which BLEUcM (characters, without white space) is equivalent to
    BLEUwN (words), by correlation, by agreement over ten grades and by behaviour, and whether the two rank systems
    alike. Files are read as `corpusdb score` reads them. The paper's numbers stand beside; scores are 0 to 1.
    """
    from corpusdb.studies.bleu_in_characters import report, tables

    guard = invocation.guard(overwrite=options.overwrite)
    if options.folders:
        report.check_images(options.folders, guard)  # before anything is computed
    classes = tables.length_classes(numbers_in(options.lengths))
    measurement = tables.Measurement(
        options.max_order_words, options.max_order_chars, options.tokenise, options.lowercase
    )
    outputs, references = read_scored(invocation, options.hypotheses, options)
    for note in report.study_notes(outputs, references, measurement):
        invocation.say(note)
    job = report.bleu_in_characters(outputs, references, measurement, classes, equivalent=options.equivalent)
    found = invocation.run(job, resumes=False)
    _write(invocation, found, plots=options.plots)
    if options.folders:
        for path in report.write_images(found.scores, found.equivalence, options.folders, guard):
            invocation.say(f"wrote {path}")


def _write(invocation: Invocation, found: CharactersStudy, *, plots: bool) -> None:
    from corpusdb.studies.bleu_in_characters.report import study_lines

    if invocation.json:
        signed = {"signatures": found.signatures, "findings": [asdict(each) for each in found.findings]}
        invocation.write_document(asdict(found.equivalence) | signed)
        return
    for line in study_lines(found, plots=plots):
        write_line(line)


study = CommandGroup(
    "study",
    """Repeat the studies of the papers on other data.

    Every command takes --json. Those of a paper print its numbers beside the new ones.
    """,
    (
        *(bitext, bleu_in_characters, equivalents_sheet, homogeneity, known_similarity, precision),
        *(reference_sets, reference_worth, worth),
    ),
)
