"""The commands that repeat the studies of the papers on other data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option, RandomSeed, names_in
from corpusdb.base.text import language_code, language_codes
from corpusdb.commands.command import CommandGroup, Overwrite, command, replayable
from corpusdb.commands.invocation import Invocation, write_line
from corpusdb.corpus.orders import DEFAULT_ORDER
from corpusdb.homogeneity.commands import known_similarity
from corpusdb.paraphrase.filter_options import Marks, Order
from corpusdb.scoring.input_options import ReferenceOptions, numbers_in, read_scored
from corpusdb.studies.evaluation_commands import (
    bitext,
    draws_in_ascii,
    equivalents_sheet,
    reference_sets,
    reference_worth,
    show_rows,
    worth,
    write_tables,
)

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.homogeneity.queries.selecting import Method
    from corpusdb.studies.queries.homogeneity import HomogeneityStudy
    from corpusdb.studies.queries.homogeneity_profiles import StudyRequest, TranslationTask


@dataclass(frozen=True, slots=True)
class PrecisionOptions:
    lang: Annotated[str | None, Option("Language (default: a row for each).", metavar="LANG")] = None
    held_out: Annotated[
        list[str], Option("Hold out this language; may be repeated (default: all).", metavar="LANG")
    ] = field(default_factory=list)
    order: Order = DEFAULT_ORDER
    marks: Marks = True
    plots: Annotated[bool, Option("Plot the curves below the tables.", "--plots/--no-plots")] = True


@replayable()
@command("precision", answers=True, kept=False)
def precision(invocation: Invocation, options: PrecisionOptions) -> int:
    """Measure how often paraphrases hold, by their validity.

    Without --lang a row for each language: how many pairs are kept, what share should hold, and what people found of
    those that they judged; pivots are the languages that validity was learned through, unseen is what a single pivot
    does not mark.

    With --lang, each language of the translations is held out in turn: everything is rebuilt without it in a temporary
    database, and a generated pair whose sentences both have translations into it is confirmed if they share one. The
    database is not changed. share: confirmed pairs, in %. precision: share relative to that of pairs with the same
    meaning, so it may exceed 100; use it to compare. pass, all: what passes the filter at --fluency and this validity.
    sharing: whether translations that a pair shares in the other languages count for it. The area under the curve is
    0.5 for chance, and stands beside that of the former score, by analogies alone. Human verdicts are shown by
    validity, which they may have calibrated. With translations into a single language nothing can be held out: have
    people judge a sample with `corpusdb judge`.
    """
    from corpusdb.paraphrase.queries.filters import NSequenceFilter
    from corpusdb.studies.queries.precision import precision_study
    from corpusdb.studies.reference_report import PRECISION_COLUMNS, precision_lines, precision_notes, precision_rows

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
        for line in precision_lines(found, plots=options.plots, ascii=draws_in_ascii()):
            write_line(line)
    return measured


def _precision_by_language(invocation: Invocation, options: PrecisionOptions) -> int:
    from corpusdb.paraphrase.queries.filters import filter_of
    from corpusdb.studies.queries.precision import precision_by_language
    from corpusdb.studies.reference_report import LANGUAGE_COLUMNS, language_rows

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


# BLEU in characters.


@dataclass(frozen=True, slots=True, kw_only=True)
class CharactersOptions(ReferenceOptions):
    hypotheses: Annotated[list[Path], Argument("Outputs, one file for each system.", metavar="HYP...")]
    max_order_words: Annotated[int, Option("The highest N.", least=2, most=1000)] = 4
    max_order_chars: Annotated[int, Option("The highest M.", least=1, most=1000)] = 30
    equivalent: Annotated[
        int | None, Option("The M for tables 2 to 4 (default: found).", metavar="M", least=1, most=1000)
    ] = None
    lengths: Annotated[str, Option("Last lengths of table 2's classes.", metavar="N,N...")] = "3,4,5,6,7,8,9,10"
    tokenise: Annotated[str, Option("Tokeniser: none, 13a, intl ...", metavar="NAME")] = "13a"
    lowercase: Annotated[bool, Option("Ignore case.")] = False
    plots: Annotated[bool, Option("Plot figures 1 and 2 below the tables.", "--plots/--no-plots")] = True
    svg: Annotated[Path | None, Option("Write the figures as SVG.", metavar="DIR")] = None
    png: Annotated[Path | None, Option("Write the figures as PNG.", metavar="DIR")] = None
    overwrite: Overwrite = False


@replayable(lambda options, folder: replace(options, svg=None, png=None))
@command("bleu-in-characters")
def bleu_in_characters(invocation: Invocation, options: CharactersOptions) -> None:
    """Find the order in characters that equals one in words.

    Repeats Denoual and Lepage (2005) for any test set: which BLEUcM (characters, without white space) is equivalent to
    BLEUwN (words), by correlation, by agreement over ten grades and by behaviour, and whether both rank systems alike.
    Files are read as by `corpusdb score`. The paper's numbers stand beside; scores are 0 to 1.
    """
    from corpusdb.studies import bleu_in_characters as tables
    from corpusdb.studies import characters_report as report
    from corpusdb.studies.figures import check_figures, image_folders, write_figures

    guard, folders = invocation.guard(overwrite=options.overwrite), image_folders(options.svg, options.png)
    check_figures(report.CHARACTERS_FIGURES, folders, guard)  # before anything is computed
    classes = tables.length_classes(numbers_in(options.lengths))
    measurement = tables.Measurement(
        options.max_order_words, options.max_order_chars, options.tokenise, options.lowercase
    )
    outputs, references = read_scored(invocation, options.hypotheses, options)
    for note in report.study_notes(outputs, references, measurement):
        invocation.say(note)
    job = report.bleu_in_characters(outputs, references, measurement, classes, equivalent=options.equivalent)
    found = invocation.run(job)
    if invocation.json:
        signed = {"signatures": found.signatures, "findings": [asdict(each) for each in found.findings]}
        invocation.write_document(asdict(found.equivalence) | signed)
    else:
        for line in report.study_lines(found, plots=options.plots):
            write_line(line)
    for path in write_figures(report.CHARACTERS_FIGURES, found, folders, guard):
        invocation.say(f"wrote {path}")


# Homogeneity.


@dataclass(frozen=True, slots=True, kw_only=True)
class HomogeneityOptions:
    lang: Annotated[str, Option("Languages, such as jpn,eng.", metavar="LANG,...")]
    spoken: Annotated[str, Option("The reference of I = 0; eng=FILE is for one language.", metavar="NAMES")]
    written: Annotated[str, Option("The reference of I = 1, likewise.", metavar="NAMES")]
    corpus: Annotated[
        str | None,
        Option("Collections to measure (default: all but the references).", metavar="A,B"),
    ] = None
    pool: Annotated[str | None, Option("Collections to train on (default: those measured).", metavar="A,B")] = None
    task: Annotated[str | None, Option("The task of the models (default: held-out sentences).", metavar="A,B")] = None
    held_out: Annotated[int, Option("Number of held-out sentences.", metavar="N", least=2)] = 510
    method: Annotated[
        str,
        Option("coefficient, moore-lewis, cynical (up to 10 %).", metavar="NAME,..."),
    ] = "coefficient,moore-lewis"
    shares: Annotated[
        str,
        Option("Amounts, in percent of the characters.", metavar="N,..."),
    ] = "0.5,1,3,5,10,15,25,50,75,100"
    draws: Annotated[int, Option("Number of random draws of each amount.", metavar="N", least=1, most=1000)] = 5
    source: Annotated[str | None, Option("Translate from this language.", "--from", metavar="LANG")] = None
    target: Annotated[str | None, Option("Into this one.", "--to", metavar="LANG")] = None
    system: Annotated[
        str | None, Option("Translators: analogy+memory, phrases (default: those that are ready).", metavar="NAME,...")
    ] = None
    by: Annotated[
        str | None, Option("The language whose coefficients select pairs (default: the source).", metavar="LANG")
    ] = None
    part: Annotated[
        str | None, Option("table, correlations, perplexity, translation (default: all).", metavar="NAME,...")
    ] = None
    seed: RandomSeed = 1
    plots: Annotated[bool, Option("Plot the figures below the tables.", "--plots/--no-plots")] = True
    svg: Annotated[Path | None, Option("Write the figures as SVG.", metavar="DIR")] = None
    png: Annotated[Path | None, Option("Write the figures as PNG.", metavar="DIR")] = None


@replayable(lambda options, folder: replace(options, svg=None, png=None))
@command("homogeneity", answers=True, kept=False)
def homogeneity(invocation: Invocation, options: HomogeneityOptions) -> int:
    """Test whether homogeneous data are better to train on.

    Repeats Denoual (2005) on collections of the database: coefficients of lines and documents (Table 1, Figure 1) and
    what they correlate with (3.2); perplexity of models (Figure 3), and BLEU, NIST and mWER of translators (Figure 2),
    by the amount of data selected or drawn at random, where these cross, and how sure the difference at 50 % is. The
    paper's numbers stand beside. Documents are those of the collections, or their files.

    A held-out task shares no sentence and no translation with the training data. Translation takes long; --part,
    --system, --shares and --draws do less. Phrases need `corpusdb align`.
    """
    from corpusdb.studies.figures import check_figures, image_folders, write_figures
    from corpusdb.studies.homogeneity_report import figures_of
    from corpusdb.studies.queries.homogeneity import homogeneity_study

    guard, folders = invocation.guard(overwrite=invocation.overwrite), image_folders(options.svg, options.png)
    figures = figures_of(parts := _parts(options))
    check_figures(figures, folders, guard)  # before anything is computed
    with invocation.reading() as store:
        request = _request(invocation, store, options, parts)
        found = invocation.run(homogeneity_study(store, request))
    _write(invocation, found, plots=options.plots)
    for path in write_figures(figures, found, folders, guard):
        invocation.say(f"wrote {path}")
    return len(found.profiles) + len(found.perplexity) + (found.translation is not None)


def _parts(options: HomogeneityOptions) -> tuple[str, ...]:
    """The parts that are wanted; translation only where it is said from what to what."""
    from corpusdb.studies.queries.homogeneity_profiles import PARTS

    if options.part is not None:
        return names_in(options.part)
    return tuple(part for part in PARTS if part != "translation" or options.source or options.target)


def _request(invocation: Invocation, store: Store, options: HomogeneityOptions, parts: tuple[str, ...]) -> StudyRequest:
    from corpusdb.homogeneity.queries.profiles import ProfileRecipe
    from corpusdb.studies.queries.homogeneity_profiles import Pool, StudyRequest, corpus_of

    languages = language_codes(options.lang)
    spoken, written = (_by_language(given, languages) for given in (options.spoken, options.written))
    recipes = {code: ProfileRecipe(spoken=spoken[code], written=written[code], seed=options.seed) for code in languages}
    task = names_in(options.task)
    corpus = corpus_of(store, names_in(options.corpus), recipes, task)
    pool = Pool(
        collections=names_in(options.pool) or corpus,
        task=task,
        held_out=options.held_out,
        methods=cast("tuple[Method, ...]", names_in(options.method)),
        shares=_shares(options.shares),
        draws=options.draws,
    )
    bitext = _bitext(invocation, store, options) if "translation" in parts else None
    return StudyRequest(recipes=recipes, corpus=corpus, pool=pool, bitext=bitext, parts=parts, seed=options.seed)


def _bitext(invocation: Invocation, store: Store, options: HomogeneityOptions) -> TranslationTask:
    """What is translated; by the translators that the corpus is ready for where none is named."""
    from corpusdb.studies.queries.homogeneity import ready_systems
    from corpusdb.studies.queries.homogeneity_profiles import TranslationTask

    if options.source is None or options.target is None:
        raise UsageError("the part translation needs two languages: --from LANG --to LANG")
    source, target = language_code(options.source), language_code(options.target)
    by = source if options.by is None else language_code(options.by)
    if by not in (source, target):
        raise UsageError(f"pairs are selected by the coefficients of {source} or {target}, not of {by}")
    systems = names_in(options.system)
    if not systems:
        systems, reasons = ready_systems(store, source, target)
        for reason in reasons:
            invocation.say(reason)
    return TranslationTask(source, target, systems, by)


def _by_language(given: str, languages: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The names for each language: those that are for all, and those behind its code. Raises UsageError for none."""
    found: dict[str, list[str]] = {code: [] for code in languages}
    for name in names_in(given):
        code, equals, file = name.partition("=")
        chosen = [code] if equals and code in found else languages
        for each in chosen:
            found[each].append(file if chosen == [code] else name)
    for code, names in found.items():
        if not names:
            raise UsageError(f"no reference is given for {code} in {given!r}")
    return {code: tuple(names) for code, names in found.items()}


def _shares(given: str) -> tuple[float, ...]:
    """Percentages as shares, ascending. Raises UsageError for what is no number."""
    try:
        return tuple(sorted({float(each) / 100 for each in given.split(",")}))
    except ValueError:
        raise UsageError(f"{given!r} are not amounts in percent, such as 0.5,10,100") from None


def _write(invocation: Invocation, found: HomogeneityStudy, *, plots: bool) -> None:
    from corpusdb.studies.homogeneity_report import (
        HOMOGENEITY_COLUMNS,
        homogeneity_document,
        homogeneity_figures,
        homogeneity_remarks,
        homogeneity_rows,
        homogeneity_tables,
    )

    remarks = homogeneity_remarks(found)
    if invocation.json:
        invocation.write_document(homogeneity_document(found))
    elif invocation.format in ("table", "markdown", "latex"):
        is_drawn = plots and invocation.format == "table"
        figures = homogeneity_figures(found, ascii=draws_in_ascii()) if is_drawn else ()
        write_tables(invocation, homogeneity_tables(found), figures, remarks)
    else:
        show_rows(invocation, HOMOGENEITY_COLUMNS, homogeneity_rows(found), remarks)


study = CommandGroup(
    "study",
    """Repeat published studies on your own data.

    Every command takes --json. Studies of a paper print its numbers beside the new ones.
    """,
    (
        *(bitext, bleu_in_characters, equivalents_sheet, homogeneity, known_similarity, precision),
        *(reference_sets, reference_worth, worth),
    ),
)
