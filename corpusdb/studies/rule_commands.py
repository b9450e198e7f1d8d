"""The commands for rules under one name, and the study of what rewriting does to agreement with people."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from corpusdb.base.display import Cell
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import SAME_COMMAND
from corpusdb.base.options import Argument, Option, RandomSeed, names_in
from corpusdb.commands.command import CommandGroup, Overwrite, command, replayable
from corpusdb.commands.invocation import AS_TEXT, Invocation, names_texts, texts_of, write_json, write_line
from corpusdb.rules.commands import (
    DEFAULT_MOST,
    MostRewritings,
    Rules,
    change_set,
    check_rules,
    list_rules,
    list_sets,
    method_for,
    suggest,
    twins,
)
from corpusdb.rules.queries.rewritings import (
    RewritingReport,
    expansions,
    keep_corpus_rewritings,
    keep_rewritings,
    rewriting_counts,
)
from corpusdb.rules.queries.rule_sets import check_japanese, format_changes, rule_changes
from corpusdb.rules.report import REWRITING_COLUMNS, format_dropped, rewriting_document, rewriting_rows
from corpusdb.scoring.reference_options import check_lineage, with_rules, write_lineage
from corpusdb.studies.evaluation_commands import draws_in_ascii, outputs_of, show_rows, write_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpusdb.base.arrays import F64
    from corpusdb.corpus.formats.segments import Output
    from corpusdb.rules.rewriting import Expansion
    from corpusdb.studies.queries.rules import RuleStudy, RuleStudyInput


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleStudyOptions:
    hypotheses: Annotated[list[Path], Argument("Outputs of systems.", metavar="HYP...")]
    ref: Annotated[list[Path], Option("References; may be repeated.", metavar="FILE")]
    human: Annotated[Path, Option("Human scores: TSV with a column system.", metavar="FILE")]
    human_columns: Annotated[str, Option("The columns of human scores.", "--human-column", metavar="NAME,...")] = "z"
    rules: Rules = "all"
    parts: Annotated[
        Path | None, Option("Also by part: TSV with doc, first_segment, n_segments.", "--by", metavar="FILE")
    ] = None
    without: Annotated[
        str, Option("Outlying systems to leave out (default: found automatically).", metavar="SYSTEM,...")
    ] = ""
    each_rule: Annotated[bool, Option("Leave out every rule once.", "--each-rule/--no-each-rule")] = True
    most: MostRewritings = DEFAULT_MOST
    samples: Annotated[int, Option("Number of bootstrap samples.", metavar="N", least=1, most=100_000)] = 1000
    seed: RandomSeed = 1
    keep: Annotated[bool, Option("Store the effect of each rule in the database.")] = False
    plots: Annotated[bool, Option("Plot Figure 1 below the tables.", "--plots/--no-plots")] = True
    svg: Annotated[Path | None, Option("Write the figure as SVG.", metavar="DIR")] = None
    png: Annotated[Path | None, Option("Write the figure as PNG.", metavar="DIR")] = None


@command("study", answers=True, kept=False)
def study(invocation: Invocation, options: RuleStudyOptions) -> int:
    """Measure what rewriting references does to scores.

    Repeats Kanayama (2003) on your outputs, references and human scores of systems: BLEU over morphemes (B1), with
    parts of speech (B2), with references rewritten by polite rules (B3), by all rules (B4), and with words respelt, for
    each system and as correlation with human scores (Table 2, Figure 1); what is lost without each rule (Table 3); how
    many references are rewritten (4.1). Every correlation has an interval. `corpusdb guide rules` explains it.
    """
    from corpusdb.studies.figures import check_figures, image_folders, write_figures
    from corpusdb.studies.queries.rules import keep_study, rule_study
    from corpusdb.studies.rules_report import RULE_FIGURES

    guard, folders = invocation.guard(overwrite=invocation.overwrite), image_folders(options.svg, options.png)
    check_figures(RULE_FIGURES, folders, guard)  # before anything is computed
    given = _given(invocation, options)
    found = invocation.run(rule_study(given))
    _write(invocation, found, plots=options.plots)
    for path in write_figures(RULE_FIGURES, found, folders, guard):
        invocation.say(f"wrote {path}")
    if options.keep:
        with invocation.writing(create=True) as store:
            run = keep_study(store, given, found)
        invocation.say(f"kept as run {run}")
    return len(found.systems)


def _given(invocation: Invocation, options: RuleStudyOptions) -> RuleStudyInput:
    from corpusdb.corpus.formats.scoring_input import read_references
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.queries.scoring import Sampling
    from corpusdb.scoring.queries.scoring_references import references_from_files
    from corpusdb.studies.queries.rules import RuleStudyInput

    texts = read_references(options.ref)
    references = references_from_files(texts, options.ref)
    check_japanese([each.references[0] for each in references.sets], options.ref[0])
    outputs = outputs_of(options.hypotheses, texts)
    method = method_for(invocation, options.rules, options.most)
    judged, human = _human(invocation, options, outputs)
    return RuleStudyInput(
        outputs=judged,
        references=references,
        human=human,
        rules=method.rules,
        analyser=method.analyser,
        parts=[] if options.parts is None else read_documents(options.parts, len(references.sets)),
        without=_systems(options.without, judged),
        each_rule=options.each_rule,
        cap=options.most,
        sampling=Sampling(options.samples, options.seed),
    )


def _human(
    invocation: Invocation, options: RuleStudyOptions, outputs: Sequence[Output]
) -> tuple[list[Output], dict[str, F64]]:
    """The outputs that people scored in every column, and these scores; others are told."""
    import numpy as np

    from corpusdb.corpus.formats.scoring_input import read_human_scores

    columns = names_in(options.human_columns)
    if not columns:
        raise UsageError("no column of human scores is named")
    read = {name: read_human_scores(options.human, name).systems for name in columns}
    judged = [each for each in outputs if all(each.system in scores for scores in read.values())]
    if len(judged) < len(outputs):
        unjudged = sorted({each.system for each in outputs} - {each.system for each in judged})
        invocation.say(f"left out, without human scores: {', '.join(unjudged)}")
    if len(judged) < 2:
        reason = f"has scores of {len(judged)} of these systems, and two are needed"
        raise InputError(reason, path=options.human)
    return judged, {name: np.array([scores[each.system] for each in judged]) for name, scores in read.items()}


def _systems(said: str, outputs: Sequence[Output]) -> tuple[str, ...]:
    names = names_in(said)
    there = [each.system for each in outputs]
    for name in names:
        if name not in there:
            raise UsageError(f"no output is of a system {name!r}; there are {', '.join(there)}")
    if len(there) - len({*names}) < 2:
        raise UsageError("at least two systems have to be left")
    return names


def _write(invocation: Invocation, found: RuleStudy, *, plots: bool) -> None:
    from corpusdb.studies.rules_report import (
        RULE_STUDY_COLUMNS,
        rule_study_figure,
        rule_study_remarks,
        rule_study_rows,
        rule_study_tables,
    )

    remarks = rule_study_remarks(found)
    if invocation.json:
        write_json(asdict(found))
    elif invocation.format != "table":
        show_rows(invocation, RULE_STUDY_COLUMNS, rule_study_rows(found), remarks)
    else:
        figures = (*rule_study_figure(found, ascii=draws_in_ascii()), "") if plots else ()
        write_tables(invocation, rule_study_tables(found), figures, remarks)


# The command that rewrites texts by rules.


_LAYOUT: Final = "sacrebleu"


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    file: Annotated[
        str | None, Argument("A Japanese text, or a file of texts, one per line.", metavar="[TEXT|FILE|-]")
    ] = None
    """Called as in the calls that are kept to be replayed, which had files alone."""
    rules: Rules = "all"
    most: MostRewritings = DEFAULT_MOST
    explain: Annotated[bool, Option("Show where each rule changed what.")] = False
    output: Annotated[Path | None, Option("Write reference sets to this folder.", "--output -o", metavar="DIR")] = None
    layout: Annotated[str, Option("Format of the reference sets: sacrebleu, jsonl, tsv ...", metavar="FORMAT")] = (
        _LAYOUT
    )
    overwrite: Overwrite = False
    store: Annotated[bool, Option("Store the rewritings in the database.")] = False
    corpus: Annotated[bool, Option("Rewrite the Japanese sentences of the corpus instead of FILE; with --store.")] = (
        False
    )
    as_text: Annotated[bool, AS_TEXT] = False


def _elsewhere(options: ApplyOptions, folder: Path) -> ApplyOptions:
    output = None if options.output is None else folder / "references"
    return replace(options, output=output, overwrite=False, store=False)


@replayable(_elsewhere)
@command("apply")
def apply_rules(invocation: Invocation, options: ApplyOptions) -> None:
    """Rewrite Japanese texts by rules.

    Rules apply in order, each to the text and to all rewritings so far, at every place. Rewritings are dropped, and
    counted, if they are analysed otherwise than intended, are polite in one sentence and plain in the next, or exceed
    --max for a text. With -o texts and rewritings become reference sets, as `corpusdb references` writes them, and
    lineage.jsonl has the rules that made each. --store stores rewritings; if interrupted, run the same command again.
    """
    if (options.file is None) != options.corpus:
        raise UsageError("give a text, a file of texts, - for stdin, or --corpus")
    if options.corpus and (not options.store or options.output or options.explain):
        raise UsageError("--corpus is for --store alone: it keeps the rewritings of the sentences of the corpus")
    if options.output is None and options.layout != _LAYOUT:
        raise UsageError("--layout is that of the reference sets that --output writes; give both")
    if options.output is not None and options.explain:
        raise UsageError("--explain is for rewritings that are shown; of reference sets lineage.jsonl says it")
    if options.file is None:
        _keep_corpus(invocation, options)
        return
    texts = texts_of(invocation, [options.file], as_text=options.as_text)
    if not names_texts(options.file, as_text=options.as_text) and not options.file.strip():
        raise UsageError("there is nothing to rewrite: the text is empty")
    check_japanese(texts, options.file if names_texts(options.file, as_text=options.as_text) else "text")
    if options.output is not None:
        _write_sets(invocation, options, texts)
    else:
        _show(invocation, options, texts)
    if options.store:
        _keep(invocation, options, texts)


def _show(invocation: Invocation, options: ApplyOptions, texts: Sequence[str]) -> None:
    method = method_for(invocation, options.rules, options.most)
    found: list[Expansion] = invocation.run(expansions(method, texts))
    if invocation.json:
        document = {"rules": method.document(), "texts": [rewriting_document(each) for each in found]}
        invocation.write_document(document)
    elif options.explain:
        for each in found:
            write_line(each.text)
            for rewriting in each.rewritings:
                write_line(f"  {rewriting.text}")
                for line in format_changes(rule_changes(each.text, rewriting)):
                    write_line(f"    {line}")
    else:
        invocation.show(REWRITING_COLUMNS, rewriting_rows(found))
    _tell(invocation, rewriting_counts(found), options.most)


def _write_sets(invocation: Invocation, options: ApplyOptions, texts: Sequence[str]) -> None:
    from corpusdb.corpus.formats import ReferenceSet
    from corpusdb.corpus.formats.records import digest
    from corpusdb.corpus.formats.registry import reference_writer_of

    folder = options.output or Path()
    writer = reference_writer_of(options.layout)
    guard = invocation.guard(overwrite=options.overwrite)
    writer.check_directory(folder, guard)
    check_lineage(folder, guard)
    given = [ReferenceSet(str(number), text, (text,)) for number, text in enumerate(texts, 1)]
    sets, label, lineage = with_rules(invocation, given, options.rules, options.most)
    files = [*writer.write(sets, folder, guard), write_lineage(lineage, folder, guard)]
    figures: dict[str, Cell] = {
        "digest": digest(sets),
        "segments": len(sets),
        "references": sum(len(each.references) for each in sets),
        "rules": label,
    }
    if invocation.json:
        invocation.write_document(figures | {"format": options.layout, "files": [str(path) for path in files]})
    else:
        invocation.report(figures, [*figures.items(), *(("file", str(file)) for file in files)])


def _keep(invocation: Invocation, options: ApplyOptions, texts: Sequence[str]) -> None:
    method = method_for(invocation, options.rules, options.most)
    with invocation.writing(create=True) as store:
        report = invocation.run(keep_rewritings(store, method, texts), goes_on=SAME_COMMAND)
    invocation.say(f"kept the {report.rewritings:,} rewritings of {report.texts:,} texts")


def _keep_corpus(invocation: Invocation, options: ApplyOptions) -> None:
    method = method_for(invocation, options.rules, options.most)
    with invocation.writing() as store:
        report = invocation.run(keep_corpus_rewritings(store, method), goes_on=SAME_COMMAND)
    figures = {"texts": report.texts, "rewritten": report.rewritten, "rewritings": report.rewritings}
    invocation.report(figures | {"dropped": report.dropped}, [*figures.items(), *report.dropped.items()])


def _tell(invocation: Invocation, report: RewritingReport, most: int) -> None:
    invocation.say(f"{report.rewritings:,} rewritings of {report.rewritten:,} of {report.texts:,} texts")
    if dropped := format_dropped(report.dropped, "--max", most):
        invocation.say(dropped)


rules = CommandGroup(
    "rules",
    """Rewrite Japanese references by rules.

    Rules change politeness, the copula, spelling and other function words, but no content: `corpusdb guide rules`.
    They need the extra japanese. Every command takes --json.
    """,
    (list_rules, check_rules, apply_rules, list_sets, change_set, study, twins, suggest),
)
