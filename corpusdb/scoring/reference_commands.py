"""The commands that make reference sets, and the tables that describe what they are made from."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NoReturn

import typer

from corpusdb.base.display import Cell
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import SHOWN_AND_WRITTEN, Argument, Headings, Option
from corpusdb.base.text import language_code
from corpusdb.commands.command import Overwrite, command, replayable
from corpusdb.commands.invocation import (
    AS_TEXT,
    Invocation,
    as_in_corpus,
    names_texts,
    texts_of,
    write_json,
    write_table,
    write_text,
)
from corpusdb.paraphrase.filter_options import (
    Address,
    FinalMarks,
    Language,
    LanguageIfTold,
    Marks,
    MinPivots,
    MinShared,
    MinValidity,
    Order,
    Real,
)
from corpusdb.rules.commands import DEFAULT_MOST
from corpusdb.scoring import reference_options as equivalents_input
from corpusdb.scoring.input_options import (
    FROM_CORPUS,
    ChosenBy,
    Origins,
    expected_of,
    language_of_file,
    marked,
    nearness_document,
    nearness_to_corpus,
    origins_in,
    say_coverage,
    say_waiting,
    with_those_of_corpus,
)
from corpusdb.scoring.metrics import counting_copies
from corpusdb.scoring.reference_options import (
    MostOfReference,
    RulesIfAny,
    check_lineage,
    refuse_most,
    with_rules,
    write_lineage,
)

if TYPE_CHECKING:
    from corpusdb.corpus.formats import ReferenceSet
    from corpusdb.corpus.store import Store
    from corpusdb.scoring.queries.attributed import AttributedSet
    from corpusdb.scoring.queries.reference_sets import Recipe
    from corpusdb.scoring.queries.scoring_references import ScoringReferences

_VARIATION = ("real", "real_seeds", "deep")
"""What tables tell of the variation of references, as JSON does."""
_PLOT = (80, 16)
"""Width in cells and height in lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnOptions:
    """What `references` takes, but for the choice of equivalents, which stands behind it in the help."""

    HEADED: ClassVar[Headings] = {
        "References added to": ("ref", "add", "ref_from", "rules", "max_rewritings"),
        SHOWN_AND_WRITTEN: ("output", "format", "skip_missing", "with_source", "overwrite"),
        FROM_CORPUS: (),
    }

    output: Annotated[Path, Option("The folder to write to.", "--output -o", metavar="DIR")]
    sources: Annotated[list[str], Argument("Sentences, or files of them; - is stdin.", metavar="[SOURCE...]")] = field(
        default_factory=list
    )
    lang: LanguageIfTold = None
    limit: Annotated[
        int, Option("At most this many references per segment; 0 is all.", "--limit -n", metavar="N", least=0)
    ] = 20
    references: Origins = None
    order: Order = 20
    min_validity: MinValidity = None
    final_marks: FinalMarks = False
    real: Real = False
    address: Address = "same"
    min_pivots: MinPivots = 0
    min_shared: MinShared = 0
    chosen_by: ChosenBy = "diversity"
    format: Annotated[str, Option("jsonl, tsv; or filled up: sacrebleu, sgm, wmt.", metavar="FORMAT")] = "sacrebleu"
    skip_missing: Annotated[
        bool, Option("Leave out sources without references; outputs then no longer match line by line.")
    ] = False
    with_source: Annotated[
        bool, Option("Make each SOURCE its own first reference, so that lines match those of outputs.")
    ] = False
    overwrite: Overwrite = False
    ref: Annotated[list[Path], Option("Your references of each SOURCE, to add to.", metavar="FILE...")] = field(
        default_factory=list
    )
    add: Annotated[Literal["equivalents"] | None, Option("Add variants of --ref with equivalents substituted.")] = None
    ref_from: Annotated[
        Literal["corpus"] | None,
        Option("Add references from the corpus to --ref: translations of SOURCE, or paraphrases of --ref."),
    ] = None
    rules: RulesIfAny = None
    max_rewritings: MostOfReference = DEFAULT_MOST
    as_text: Annotated[bool, AS_TEXT] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencesOptions(equivalents_input.EquivalentChoice, _OwnOptions):
    """What `references` takes."""


@replayable(lambda options, folder: replace(options, output=folder / "references", overwrite=False))
@command("references")
def references(invocation: Invocation, options: ReferencesOptions) -> None:
    """Write reference sets: for each source the best paraphrases.

    A source is a sentence to be paraphrased, or its translation in another language; --lang is then the language of the
    references. Each segment has at most --limit references, chosen to differ from each other; --chosen-by validity
    takes the most certain, --chosen-by variation leaves out what differs from another in a quarter of the words or
    less. validity: the share expected to hold of those that nobody wrote or accepted; real: how many of these differ in
    more than capitals, marks and contractions; deep: how many change two words or more. The digest identifies the set
    in signatures, whatever its format. jsonl and tsv keep each set as it is, with the origin and validity of each
    reference, and say whether the test set is near the corpus or far from it. Other formats put this into
    provenance.tsv, and fill up smaller sets by repeating references, which NIST and TER count.

    With --ref and --ref-from corpus, each segment keeps its references and gets those of the corpus, as in `corpusdb
    score`: translations of each SOURCE or, for a segment that has none, paraphrases of its references.

    The number of sources that have a reference is reported first. If some have none, nothing is written, because the
    remaining lines would not match those of outputs: --skip-missing leaves them out, --with-source makes each sentence
    its own first reference. If none has any, the exit code is 1. --min-... work as in `corpusdb paraphrases`.

    With --ref and --add equivalents, references are added with words and phrases replaced by others that translate the
    same source words (`corpusdb guide equivalents`).

    --rules adds rewritings of Japanese references, from the corpus or --ref, beyond --limit, and a file with the rules
    that made each (`corpusdb guide rules`).

    Paraphrases rejected in a session are left out. A message warns if the sources are far from the corpus.
    """
    from corpusdb.corpus.formats.registry import reference_writer_of

    writer = reference_writer_of(options.format)
    guard = invocation.guard(overwrite=options.overwrite)
    _check_folder(options.output)
    writer.check_directory(options.output, guard)
    if options.rules is None:
        refuse_most(options.max_rewritings)
    else:
        check_lineage(options.output, guard)
    sources = texts_of(invocation, options.sources, as_text=options.as_text)
    if options.ref_from is not None:
        return _write_both(invocation, options, sources)
    if not options.sources:
        raise UsageError("sources are missing: give SOURCE..., or --ref FILE --ref-from corpus")
    if options.with_source:
        return _write_added(invocation, options, *_sources_as_references(invocation, options, sources))
    if options.add is not None or options.ref:
        return _write_sets(invocation, options, *_of_files(invocation, options, sources))
    _write_sets(invocation, options, *_of_corpus(invocation, options, sources))


def _check_folder(output: Path) -> None:
    """Raise UsageError for the name of a file, where a folder is to be written: whoever gives it expects a file."""
    from corpusdb.corpus.formats.registry import format_of_file

    found = format_of_file(output)
    if (found is None and output.suffix.lower() != ".txt") or output.is_dir():
        return
    folder = (output.with_suffix("") if output.suffix.lower() == ".gz" else output).with_suffix("")
    name = "" if found is None or found.reference_writer is None else f" --format {found.name}"
    raise UsageError(f"{output} is the name of a file, and references writes a folder: --output {folder}{name}")


def _of_corpus(
    invocation: Invocation, options: ReferencesOptions, sources: Sequence[str]
) -> tuple[list[ReferenceSet], Mapping[str, object]]:
    """The references that the corpus has for the sources, and what JSON tells of them; how many it has is told."""
    from corpusdb.scoring.queries.attributed import expected_precision, written_of
    from corpusdb.scoring.queries.combined_sets import letting_more_pass
    from corpusdb.scoring.queries.reference_sets import attributed_sets, variation_of

    sources = invocation.look(lambda store: as_in_corpus(invocation, store, sources))

    def sets_of(store: Store) -> tuple[Recipe, list[AttributedSet]]:
        recipe = _recipe(store, options, invocation.language(store, options.lang, sources[0]))
        return recipe, invocation.run(attributed_sets(store, sources, recipe, needs_all=not options.skip_missing))

    recipe, attributed = invocation.look(sets_of)
    say_waiting(invocation, recipe)
    lacking, pivots = say_coverage(invocation, sources, attributed, recipe, _language_of_sources(options))
    sets = [each.plain(number) for number, each in enumerate(attributed, 1) if each.references]
    missing = [each.source for each in attributed if not each.references]
    if missing and not (sets and options.skip_missing):

        def sets_by(less: Recipe) -> list[AttributedSet]:
            return invocation.look(lambda store: invocation.run(attributed_sets(store, missing, less)))

        advice = (not sets and lacking) or letting_more_pass(recipe, sets_by)
        _refuse_missing(invocation, attributed, len(sources), advice)
    if missing:
        invocation.say("segments are renumbered without these: outputs no longer match line by line")
    written = [written_of(each) for each in attributed]
    nearness = _expected_of(invocation, recipe.language, written, attributed, pivots)
    told = _coverage(attributed, expected_precision(attributed), nearness)
    return marked(sets, nearness), told | asdict(variation_of(attributed, recipe.language))


def _expected_of(
    invocation: Invocation,
    language: str | None,
    written: Sequence[Sequence[str]],
    attributed: Sequence[AttributedSet],
    pivots: Sequence[str],
) -> dict[str, object] | None:
    """How far the test set stands from the corpus; how many references are expected to hold is told."""
    told, nearness = expected_of(invocation, language, written, attributed, pivots)
    if told is not None:
        invocation.say(told)
    return nearness


def _write_both(invocation: Invocation, options: ReferencesOptions, sources: Sequence[str]) -> None:
    """Write the references of files, with what the corpus adds to them, and report it."""
    if not options.ref or options.add is not None:
        raise UsageError("--ref-from corpus adds to the references of --ref FILE, and goes without --add")
    if options.with_source:
        raise UsageError("--with-source is of sentences without --ref: what is in --ref stays a reference anyway")
    given = _given_references(options, sources)
    _write_added(invocation, options, given, equivalents_input.language_of_references(options.lang, options.ref))


def _sources_as_references(
    invocation: Invocation, options: ReferencesOptions, sources: Sequence[str]
) -> tuple[ScoringReferences, str]:
    """Sentences as references of themselves, and their language, which is that of the references."""
    from corpusdb.corpus.formats import ReferenceSet
    from corpusdb.scoring.queries.scoring_references import ScoringReferences

    if options.ref or options.add is not None:
        raise UsageError("--with-source is of sentences without --ref and --add")
    sources = invocation.look(lambda store: as_in_corpus(invocation, store, sources, options.lang))
    language = invocation.look(lambda store: invocation.language(store, options.lang, sources[0]))
    own = _language_of_sources(options)
    if own is not None and own != language_code(language):
        raise UsageError(f"the sources are in {own}, and references in {language}: --with-source would mix them")
    sets = tuple(ReferenceSet(str(number), "", (text,)) for number, text in enumerate(sources, 1))
    labels = tuple((f"source {number}",) for number, _ in enumerate(sources, 1))
    return ScoringReferences(sets, labels, "files", {"files": []}), language


def _write_added(invocation: Invocation, options: ReferencesOptions, given: ScoringReferences, language: str) -> None:
    """Write references with what the corpus adds to them, and report it."""
    from corpusdb.scoring.queries.attributed import GIVEN
    from corpusdb.scoring.queries.combined_sets import found_by, given_parameter
    from corpusdb.scoring.queries.reference_sets import variation_of

    recipe = invocation.look(lambda store: _recipe(store, options, language))
    say_waiting(invocation, recipe)
    both = with_those_of_corpus(invocation, given, recipe, _language_of_sources(options))
    nearness = _expected_of(invocation, both.corpus_language, both.written, both.attributed, both.pivots)
    added = found_by(both.sets, both.parameters) if GIVEN in both.parameters else {}
    more = {**given_parameter(given.sets), "added": added, "validity": both.validity, **nearness_document(nearness)}
    more |= asdict(variation_of(both.attributed, language))
    _write_sets(invocation, options, marked(both.sets, nearness), more)


def _language_of_sources(options: ReferencesOptions) -> str | None:
    """That of the extension of the one file of sources; None for sentences, and where it is not known."""
    is_file = len(options.sources) == 1 and names_texts(options.sources[0], as_text=options.as_text)
    return language_of_file(Path(options.sources[0])) if is_file else None


def _given_references(options: ReferencesOptions, sources: Sequence[str]) -> ScoringReferences:
    """The references of --ref. Raises InputError unless there are as many of them as of sources, if there are any."""
    from corpusdb.corpus.formats.scoring_input import read_references
    from corpusdb.scoring.queries.scoring_references import references_from_files

    texts = read_references(options.ref)
    if sources and len(sources) != len(texts.references):
        raise InputError(
            f"{len(texts.references):,} segments of references for {len(sources):,} sources", path=options.ref[0]
        )
    return references_from_files(texts, options.ref, sources)


def _recipe(store: Store, options: ReferencesOptions, language: str) -> Recipe:
    from corpusdb.paraphrase.queries.filters import Thresholds, filter_of
    from corpusdb.paraphrase.queries.paraphrases import last_decision
    from corpusdb.scoring.queries.reference_sets import Recipe

    kept = filter_of(options)
    return Recipe(
        language=language,
        origins=origins_in(options.references),
        kept=kept,
        limit=options.limit,
        chosen_by=options.chosen_by,
        least=Thresholds.of(options),
        decisions=last_decision(store, language_code(language)),
    )


def _coverage(
    attributed: Sequence[AttributedSet], validity: float | None, nearness: Mapping[str, object] | None
) -> dict[str, object]:
    """What JSON tells besides the sets: coverage, validities, and the rest."""
    missing = [number for number, each in enumerate(attributed, 1) if not each.references]
    validities = [each.validity for each in attributed if each.references]
    told: dict[str, object] = {"sources": len(attributed), "missing": missing, "validity": validity}
    return told | {"validities": validities} | nearness_document(nearness)


def _of_files(
    invocation: Invocation, options: ReferencesOptions, sources: Sequence[str]
) -> tuple[list[ReferenceSet], Mapping[str, object]]:
    """The references of files, with equivalents in them where these are to be added; and what JSON tells of them."""
    from corpusdb.scoring.queries.reference_sets import expanded_sets
    from corpusdb.scoring.queries.scoring import substitution_note

    if not options.ref or (options.add is None and options.rules is None):
        raise UsageError(
            "--ref and --ref-from corpus, --add equivalents or --rules belong together: the references, and what is"
            " added to them"
        )
    if options.credit is not None:
        raise UsageError("--credit is for scores: partial credit cannot be written as a reference")
    given = _given_references(options, sources)
    if options.add is None:
        return list(given.sets), {}
    language = equivalents_input.language_of_references(options.lang, options.ref)
    made_by = equivalents_input.derivation_of(invocation, options, language)
    found = equivalents_input.derived(invocation, given.sets, made_by)
    lattices = found.lattices(made_by.recipe)
    invocation.say(substitution_note(found, made_by.recipe, lattices))
    of_corpus = language if made_by.recipe.origin == "corpus" else None
    nearness = nearness_to_corpus(invocation, of_corpus, given.written)
    return marked(expanded_sets(given.sets, lattices, options.limit), nearness), nearness_document(nearness)


def _write_sets(
    invocation: Invocation, options: ReferencesOptions, sets: list[ReferenceSet], more: Mapping[str, object]
) -> None:
    """Write the sets, with what rules make of them where these are asked for, and report what was written.

    ``more`` is what only JSON tells.
    """
    from corpusdb.corpus.formats.records import digest
    from corpusdb.corpus.formats.registry import reference_writer_of

    writer, guard = reference_writer_of(options.format), invocation.guard(overwrite=options.overwrite)
    label, lineage = None, None
    if options.rules is not None:
        sets, label, lineage = with_rules(invocation, sets, options.rules, options.max_rewritings)
    paths = writer.write(sets, options.output, guard)
    if writer.fills_up and len({len(each.references) for each in sets}) > 1:
        counting = " and ".join(counting_copies())
        invocation.say(
            f"{options.format} fills smaller sets with repeated references, which {counting} count:"
            " --format jsonl or tsv keeps every set as it is"
        )
    if options.format == "sacrebleu":
        folder = shlex.quote(str(options.output))
        invocation.say(
            f"for the numbers of `corpusdb score --ref {folder}`: sacrebleu {folder}/ref*.txt -i OUTPUT -m bleu chrf"
            " ter --smooth-method none"
        )
    files = [str(path) for path in paths]
    if lineage is not None:
        files.append(str(write_lineage(lineage, options.output, guard)))
    report: dict[str, Cell] = {
        "digest": digest(sets),
        "segments": len(sets),
        "references": sum(len(each.references) for each in sets),
    }
    report |= {name: each for name in _VARIATION if isinstance(each := more.get(name), int)}
    if label is not None:
        report["rules"] = label
    if invocation.json:
        invocation.write_document({**report, **more, "format": options.format, "files": files})
    else:
        write_table((), [*report.items(), *(("file", file) for file in files)])


def _refuse_missing(invocation: Invocation, found: Sequence[AttributedSet], total: int, advice: str) -> NoReturn:
    """The answer is no where no source has a reference; raises InputError where only some have none.

    Of ``total`` sources those that were ``found`` are the first; they are all where none has one.
    ``advice`` says why the corpus has none, or what finds more, if anything does.
    """
    told = f"{advice}; {_OF_ONES_OWN}" if advice else _OF_ONES_OWN
    missing = [(number, each.source) for number, each in enumerate(found, 1) if not each.references]
    if len(missing) == len(found):
        invocation.say(f"nothing is written; {told}")
        raise typer.Exit(1)
    number, source = missing[0]
    first = "the first " if len(found) < total else ""
    raise InputError(
        f"{len(missing):,} of {first}{len(found):,} sources have no reference, the first is {number}, {source!r}:"
        f" --with-source keeps their lines, --skip-missing leaves them out; {told}"
    )


_OF_ONES_OWN = (
    "with `--ref FILE --ref-from corpus` the same command adds to references that you have, without SOURCE their"
    " paraphrases"
)


@dataclass(frozen=True, slots=True)
class StatisticsOptions:
    lang: Language
    order: Order = 20
    min_validity: MinValidity = None
    marks: Marks = True
    final_marks: FinalMarks = False
    real: Real = False
    address: Address = "same"
    plot: Annotated[bool, Option("Also plot Figure 1, and what passes at each N.")] = False


@command("statistics", answers=True, kept=False, aliases=("stats",))
def statistics(invocation: Invocation, options: StatisticsOptions) -> None:
    """Print the tables of Lepage and Denoual (2005)."""
    from corpusdb.paraphrase.queries.filters import filter_of
    from corpusdb.paraphrase.queries.statistics import corpus_statistics
    from corpusdb.paraphrase.report import (
        STATISTICS_COLUMNS,
        corpus_tables,
        figures,
        statistics_document,
        statistics_rows,
    )

    is_rows = invocation.chosen_format not in (None, "table", "json")
    if options.plot and is_rows:
        raise UsageError(f"--plot is text, not {invocation.chosen_format}")
    language = language_code(options.lang)
    with invocation.reading() as store:
        found = corpus_statistics(store, language, filter_of(options))
    if invocation.json:
        write_json(statistics_document(found))
    elif is_rows:
        invocation.show(STATISTICS_COLUMNS, statistics_rows(found))
    else:
        write_text(corpus_tables(found))
        if options.plot:
            is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
            write_text("\n".join(["", *figures(found, _PLOT, ascii=not is_unicode)]))
