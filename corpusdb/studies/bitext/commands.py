"""The command that repeats the study of paraphrases derived from a bitext."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import Overwrite, command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import stdout_in, write_json, write_line, write_text
from corpusdb.scoring import reference_options as equivalents_input
from corpusdb.scoring.reference_options import say_how_read

if TYPE_CHECKING:
    from corpusdb.studies.bitext.study import Accuracy, Provided, StudyInput


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
    """What `study bitext` takes."""

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
    from corpusdb.scoring.queries.substituted_references import EquivalentDerivation
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
    """What `study equivalents-sheet` takes."""

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
