"""The command that rewrites texts by rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corpusdb.cli.program.command import Overwrite, command, replayable
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_line
from corpusdb.cli.program.texts import AS_TEXT, names_texts, texts_of
from corpusdb.cli.rules.reference_sets import check_lineage, with_rules, write_lineage
from corpusdb.cli.rules.rule_choice import DEFAULT_MOST, MostRewritings, Rules, method_for
from corpusdb.errors import UsageError
from corpusdb.options import described

if TYPE_CHECKING:
    from corpusdb.japanese import Expansion
    from corpusdb.queries.rules.rewritings import RewritingReport

__all__ = ["apply_rules"]


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """What `rules apply` takes."""

    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEXT|FILE|-]", help="A text in Japanese, or a file of them, one a line.", show_default=False
        ),
    ] = None
    """Called as in the calls that are kept to be replayed, which had files alone."""
    rules: Rules = "all"
    most: MostRewritings = DEFAULT_MOST
    explain: Annotated[bool, typer.Option("--explain", help="Also where each rule changed what.")] = False
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write reference sets to this folder.", show_default=False),
    ] = None
    layout: Annotated[
        str, typer.Option("--layout", metavar="FORMAT", help="Of the reference sets: sacrebleu, jsonl, tsv ...")
    ] = "sacrebleu"
    overwrite: Overwrite = False
    store: Annotated[bool, typer.Option("--store", help="Keep the rewritings in the database.")] = False
    corpus: Annotated[
        bool, typer.Option("--corpus", help="Of the Japanese sentences of the corpus, in place of FILE; with --store.")
    ] = False
    as_text: bool = described(False, AS_TEXT)


def _elsewhere(options: ApplyOptions, folder: Path) -> ApplyOptions:
    output = None if options.output is None else folder / "references"
    return replace(options, output=output, overwrite=False, store=False)


@replayable(_elsewhere)
@command("apply")
def apply_rules(invocation: Invocation, options: ApplyOptions) -> None:
    """Rewrite Japanese texts, with the rules behind each.

    Rules are applied in their order, each to the text and to all that was made of it so far, at every place. What
    analyses otherwise than it was meant, what is polite in one sentence and plain in the next, and what is more than
    --max of a text is dropped, and counted. With -o the texts and their rewritings become reference sets, as
    `corpusdb references` writes them, and lineage.jsonl says which rules made each. --store keeps rewritings; the same
    call again goes on where an interrupted one stopped.
    """
    if (options.file is None) != options.corpus:
        raise UsageError("give a text, a file of texts, - for stdin, or --corpus")
    if options.corpus and (not options.store or options.output or options.explain):
        raise UsageError("--corpus is for --store alone: it keeps the rewritings of the sentences of the corpus")
    if options.file is None:
        _keep_corpus(invocation, options)
        return
    from corpusdb.queries.rules.method import check_japanese

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
    from corpusdb.queries.rules.lineage import changes_told, rule_changes
    from corpusdb.queries.rules.rewritings import expansions, rewriting_counts
    from corpusdb.reports.rules import REWRITING_COLUMNS, rewriting_document, rewriting_rows

    method = method_for(invocation, options.rules, options.most)
    found: list[Expansion] = invocation.run(expansions(method, texts), resumes=False)
    if invocation.json:
        document = {"rules": method.document(), "texts": [rewriting_document(each) for each in found]}
        invocation.write_document(document)
    elif options.explain:
        for each in found:
            write_line(each.text)
            for rewriting in each.rewritings:
                write_line(f"  {rewriting.text}")
                for line in changes_told(rule_changes(each.text, rewriting)):
                    write_line(f"    {line}")
    else:
        invocation.show(REWRITING_COLUMNS, rewriting_rows(found))
    _tell(invocation, rewriting_counts(found), options.most)


def _write_sets(invocation: Invocation, options: ApplyOptions, texts: Sequence[str]) -> None:
    from corpusdb.formats import ReferenceSet
    from corpusdb.formats.reference_digest import digest
    from corpusdb.formats.registry import reference_writer_of

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
    from corpusdb.queries.rules.rewritings import keep_rewritings

    method = method_for(invocation, options.rules, options.most)
    with invocation.writing(create=True) as store:
        report = invocation.run(keep_rewritings(store, method, texts))
    invocation.say(f"kept the {report.rewritings:,} rewritings of {report.texts:,} texts")


def _keep_corpus(invocation: Invocation, options: ApplyOptions) -> None:
    from corpusdb.queries.rules.corpus_rewritings import keep_corpus_rewritings

    method = method_for(invocation, options.rules, options.most)
    with invocation.writing() as store:
        report = invocation.run(keep_corpus_rewritings(store, method))
    figures = {"texts": report.texts, "rewritten": report.rewritten, "rewritings": report.rewritings}
    invocation.report(figures | {"dropped": report.dropped}, [*figures.items(), *report.dropped.items()])


def _tell(invocation: Invocation, report: RewritingReport, most: int) -> None:
    from corpusdb.reports.rules import dropped_told

    invocation.say(f"{report.rewritings:,} rewritings of {report.rewritten:,} of {report.texts:,} texts")
    if dropped := dropped_told(report.dropped, most):
        invocation.say(dropped)
