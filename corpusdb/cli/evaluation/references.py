"""The commands that make reference sets, and the tables that describe what they are made from."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.evaluation import equivalents_input
from corpusdb.cli.evaluation.scoring_input import ChosenBy
from corpusdb.cli.paraphrases.paraphrases import Language, LanguageIfTold, Limit, Marks, MinValidity, Order
from corpusdb.cli.program.command import Overwrite, command, replayable
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json, write_table, write_text
from corpusdb.cli.rules.reference_rules import MostOfReference, RulesIfAny, refuse_most
from corpusdb.cli.rules.reference_sets import check_lineage, with_rules, write_lineage
from corpusdb.cli.rules.rule_choice import DEFAULT_MOST
from corpusdb.errors import InputError, UsageError

if TYPE_CHECKING:
    from corpusdb.formats import ReferenceSet
    from corpusdb.queries.references.reference_sets import AttributedSet
    from corpusdb.store import Store

__all__ = ["references", "statistics"]

_PLOT = (80, 16)
"""Width in cells and height in lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnOptions:
    """What `references` takes, but for the choice of equivalents, which stands behind it in the help."""

    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Sentences; @FILE or - for one a line.", show_default=False)
    ]
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write to.", show_default=False)
    ]
    lang: LanguageIfTold = None
    limit: Limit = 20
    order: Order = 20
    min_validity: MinValidity = None
    chosen_by: ChosenBy = "diversity"
    format: Annotated[str, typer.Option(metavar="FORMAT", help="sacrebleu, jsonl, tsv ...")] = "sacrebleu"
    skip_missing: Annotated[bool, typer.Option("--skip-missing", help="Leave out sources that have no reference.")] = (
        False
    )
    overwrite: Overwrite = False
    ref: Annotated[
        list[Path],
        typer.Option("--ref", metavar="FILE...", help="References to add to, of each SOURCE.", show_default=False),
    ] = field(default_factory=list)
    add: Annotated[
        Literal["equivalents"] | None,
        typer.Option("--add", help="To --ref: the same with equivalents in it.", show_default=False),
    ] = None
    rules: RulesIfAny = None
    max_rewritings: MostOfReference = DEFAULT_MOST


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencesOptions(equivalents_input.EquivalentChoice, _OwnOptions):
    """What `references` takes."""


def _elsewhere(options: ReferencesOptions, folder: Path) -> ReferencesOptions:
    return replace(options, output=folder / "references", overwrite=False)


@replayable(_elsewhere)
@command("references")
def references(invocation: Invocation, options: ReferencesOptions) -> None:
    """Write reference sets: for each source the best paraphrases.

    A source is a sentence whose paraphrases are wanted, or its translation in another language: then --lang says in
    which language the references are to be. Each segment has at most --limit references. Where there are more, those
    that differ much from the others come before those that are more certain, unless --chosen-by validity. validity: the
    part of the detected and generated references that is expected to hold. The digest names the set in signatures.

    With --ref and --add equivalents references that there are get others, in which words and phrases are replaced by
    what else translates the same source words (`corpusdb guide equivalents`).

    --rules adds what rules make of Japanese references, of those of the corpus or of --ref, beyond --limit, with a file
    that says which rules made each (`corpusdb guide rules`).
    """
    from corpusdb.formats.registry import reference_writer_of
    from corpusdb.queries.paraphrase.filters import filter_at
    from corpusdb.queries.references.reference_sets import Recipe, attributed_sets, expected_precision

    writer = reference_writer_of(options.format)
    guard = invocation.guard(overwrite=options.overwrite)
    writer.check_directory(options.output, guard)
    if options.rules is None:
        refuse_most(options.max_rewritings)
    else:
        check_lineage(options.output, guard)
    sources = list(_sources(options.sources))
    if options.add is not None or options.ref:
        _write_sets(invocation, options, _of_files(invocation, options, sources), {})
        return

    def sets_of(store: Store) -> list[AttributedSet]:
        language = invocation.language(store, options.lang, sources[0])
        kept = filter_at(options.order, min_validity=options.min_validity)
        recipe = Recipe(language=language, kept=kept, limit=options.limit, chosen_by=options.chosen_by)
        return invocation.run(attributed_sets(store, sources, recipe))

    attributed = invocation.look(sets_of)
    sets = [each.plain(number) for number, each in enumerate(attributed, 1)]
    sets = _without_missing(invocation, sets, skip=options.skip_missing)
    validity = expected_precision(attributed)
    if validity is not None:
        invocation.say(f"of the detected and generated references {validity:.1%} are expected to hold")
    more = {"validity": validity, "validities": [each.validity for each in attributed if each.references]}
    _write_sets(invocation, options, sets, more)


def _of_files(invocation: Invocation, options: ReferencesOptions, sources: Sequence[str]) -> list[ReferenceSet]:
    """The references of files, with equivalents in them where these are to be added."""
    from corpusdb.formats.scoring_input import read_references
    from corpusdb.queries.bitext_study.scores import substitution_note
    from corpusdb.queries.evaluation.scoring import references_from_files
    from corpusdb.queries.substitution.expansion import expanded_sets

    if not options.ref or (options.add is None and options.rules is None):
        raise UsageError(
            "--ref and --add equivalents, or --rules, belong together: the references, and what is added to them"
        )
    texts = read_references(options.ref)
    if len(sources) != len(texts.references):
        raise InputError(
            f"{len(texts.references):,} segments of references for {len(sources):,} sources", path=options.ref[0]
        )
    given = references_from_files(texts, options.ref, sources)
    if options.add is None:
        return list(given.sets)
    language = equivalents_input.language_of_references(options.lang, options.ref)
    made_by = equivalents_input.derivation_of(invocation, options, language)
    found = equivalents_input.derived(invocation, given.sets, made_by)
    lattices = found.lattices(made_by.recipe)
    invocation.say(substitution_note(found, made_by.recipe, lattices))
    return expanded_sets(given.sets, lattices, options.limit)


def _write_sets(
    invocation: Invocation, options: ReferencesOptions, sets: list[ReferenceSet], more: Mapping[str, object]
) -> None:
    """Write the sets, with what rules make of them where these are asked for, and report what was written.

    ``more`` is what only JSON tells.
    """
    from corpusdb.formats.reference_digest import digest
    from corpusdb.formats.registry import reference_writer_of

    writer, guard = reference_writer_of(options.format), invocation.guard(overwrite=options.overwrite)
    label, lineage = None, None
    if options.rules is not None:
        sets, label, lineage = with_rules(invocation, sets, options.rules, options.max_rewritings)
    paths = writer.write(sets, options.output, guard)
    files = [str(path) for path in paths]
    if lineage is not None:
        files.append(str(write_lineage(lineage, options.output, guard)))
    report: dict[str, Cell] = {
        "digest": digest(sets),
        "segments": len(sets),
        "references": sum(len(each.references) for each in sets),
    }
    if label is not None:
        report["rules"] = label
    if invocation.json:
        invocation.write_document({**report, **more, "format": options.format, "files": files})
    else:
        write_table((), [*report.items(), *(("file", file) for file in files)])


def _without_missing(invocation: Invocation, sets: Sequence[ReferenceSet], *, skip: bool) -> list[ReferenceSet]:
    """The sets that have a reference; raises InputError for the others unless they are to be left out."""
    missing = ", ".join(each.id for each in sets if not each.references)
    if missing and not skip:
        raise InputError(f"no reference for source {missing}; --skip-missing leaves out what the corpus does not know")
    if missing:
        invocation.say(f"no reference for source {missing}: left out")
    return [each for each in sets if each.references]


def _sources(given: Sequence[str]) -> Iterator[str]:
    """The sources themselves, with those of files in their place."""
    from corpusdb.formats.files.reading import read_lines

    for source in given:
        if source == "-" or (source.startswith("@") and len(source) > 1):
            yield from (line for _, line in read_lines(Path(source.removeprefix("@"))))
        else:
            yield source


@dataclass(frozen=True, slots=True)
class StatisticsOptions:
    """What `statistics` takes."""

    lang: Language
    order: Order = 20
    min_validity: MinValidity = None
    marks: Marks = True
    plot: Annotated[bool, typer.Option("--plot", help="Also Figure 1, and what passes at each N, as plots.")] = False


@command("statistics", aliases=("stats",))
def statistics(invocation: Invocation, options: StatisticsOptions) -> None:
    """Print the tables of Lepage and Denoual (2005)."""
    from corpusdb.languages import language_code
    from corpusdb.queries.paraphrase.counts import corpus_statistics
    from corpusdb.queries.paraphrase.filters import filter_at
    from corpusdb.reports.corpus_figures import figures
    from corpusdb.reports.corpus_tables import corpus_tables

    language = language_code(options.lang)
    with invocation.reading() as store:
        found = corpus_statistics(
            store, language, filter_at(options.order, marks=options.marks, min_validity=options.min_validity)
        )
    if invocation.json:
        write_json(found)
    else:
        write_text(corpus_tables(found))
        if options.plot:
            is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
            write_text("\n".join(["", *figures(found, _PLOT, ascii=not is_unicode)]))
