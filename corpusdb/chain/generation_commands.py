"""The command that generates paraphrases: of sentences of the corpus, or guided by outputs of systems."""

from __future__ import annotations

import shlex
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from corpusdb.base.display import Cell
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import SAME_COMMAND
from corpusdb.base.options import Option, default_of, values_of
from corpusdb.base.text import language_code
from corpusdb.commands.command import command
from corpusdb.commands.invocation import AS_TEXT, Invocation, texts_of, write_json, write_line, write_table
from corpusdb.corpus.orders import DEFAULT_ORDER
from corpusdb.paraphrase.filter_options import Address, FinalMarks, Language, MinValidity, Order, Real, say_pivots

if TYPE_CHECKING:
    from corpusdb.corpus.formats.segments import Output
    from corpusdb.corpus.model import GenerationReport
    from corpusdb.corpus.store import Store
    from corpusdb.scoring.queries.frozen_sets import Guidance, GuidedReferences
    from corpusdb.scoring.queries.scoring_references import ScoringReferences


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedOptions:
    """What paraphrases are generated from, and what is kept of them."""

    lang: Language
    seed: Annotated[list[str], Option("Only for this sentence; may be repeated.", metavar="TEXT")] = field(
        default_factory=list
    )
    seeds: Annotated[Path | None, Option("Only for these sentences, one per line; - is stdin.", metavar="FILE")] = None
    order: Order = DEFAULT_ORDER
    min_validity: MinValidity = None
    final_marks: FinalMarks = False
    real: Real = False
    address: Address = "same"
    as_text: Annotated[bool, AS_TEXT] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions(SeedOptions):
    """What `generate` takes: the same, and what generating for outputs takes."""

    outputs: Annotated[
        list[Path], Option("Generate references for these outputs of systems.", "--for", metavar="HYP...")
    ] = field(default_factory=list)
    ref: Annotated[list[Path], Option("With --for: the references you have.", metavar="FILE...")] = field(
        default_factory=list
    )
    source: Annotated[Path | None, Option("With --for: the source text.", metavar="FILE")] = None
    name: Annotated[str | None, Option("With --for: the name of the frozen set.", metavar="NAME")] = None
    limit: Annotated[
        int, Option("With --for: new references per segment; 0 is all.", "--limit -n", metavar="N", least=0)
    ] = 20
    ngrams: Annotated[
        int | None,
        Option("With --for: n-grams up to order N (default: 4 words, 18 characters).", metavar="N", least=1, most=1000),
    ] = None
    unit: Annotated[Literal["word", "char"], Option("With --for: n-grams of words or characters.")] = "word"
    tokenise: Annotated[str | None, Option("With --for: the tokeniser (default: 13a).", metavar="NAME")] = None
    lowercase: Annotated[bool, Option("With --for: ignore case.")] = False
    dry_run: Annotated[bool, Option("With --for: report what could be reached, store nothing.")] = False


def is_guided(options: GenerateOptions) -> bool:
    """Whether outputs are given. Raises UsageError where they are not, and options for them are."""
    if options.outputs:
        return True
    for option, value in values_of(options):
        if option.name not in SeedOptions.__dataclass_fields__ and value != default_of(option):
            named = "-n" if option.name == "limit" else f"--{option.name.replace('_', '-')}"
            raise UsageError(f"{named} needs --for OUTPUT")
    return False


def generate_for_outputs(invocation: Invocation, options: GenerateOptions) -> None:
    """Generate references for outputs, freeze them with those given, and tell what they reach; never a score."""
    from corpusdb.scoring.queries.frozen_sets import check_name, freeze, guided_references

    begun = time.monotonic()
    if not options.ref:
        raise UsageError("--for needs --ref FILE, the references you have")
    if (options.name is None) != options.dry_run:
        raise UsageError("--name names the set to freeze, and --dry-run freezes none: give one of them")
    outputs, given = _read(options)
    guidance = _guidance(options)

    def found_in(store: Store) -> GuidedReferences:
        return invocation.run(guided_references(store, given, outputs, guidance))

    references: ScoringReferences | None = None
    if options.name is None:
        found = invocation.look(found_in)
    else:
        with invocation.writing() as store:
            check_name(store, options.name)
            found = found_in(store)
            references = freeze(store, found, options.name)
    _tell(invocation, found, references, time.monotonic() - begun)


def _read(options: GenerateOptions) -> tuple[list[Output], ScoringReferences]:
    from corpusdb.corpus.formats.scoring_input import read_output, read_references, read_sources, with_distinct_names
    from corpusdb.scoring.queries.scoring_references import references_from_files

    texts = read_references(options.ref)
    sources = read_sources(options.source, texts)[0] if options.source else ()
    outputs = [output for path in options.outputs for output in read_output(path, texts.segmentation)]
    return with_distinct_names(outputs), references_from_files(texts, options.ref, sources)


def _guidance(options: GenerateOptions) -> Guidance:
    from corpusdb.paraphrase.queries.filters import filter_of
    from corpusdb.scoring.metrics import settings_for
    from corpusdb.scoring.queries.frozen_sets import Guidance

    counted = settings_for(
        "bleu",
        unit=options.unit,
        order=options.ngrams,
        tokenisation=options.tokenise,
        lowercase=options.lowercase,
    )
    kept = filter_of(options)
    return Guidance(language=language_code(options.lang), settings=counted, kept=kept, limit=options.limit)


def _tell(
    invocation: Invocation, found: GuidedReferences, references: ScoringReferences | None, seconds: float
) -> None:
    from corpusdb.scoring.input_options import nearness_document, nearness_to_corpus
    from corpusdb.scoring.table_report import REACH_COLUMNS, guided_document, guided_figures, reach_rows

    invocation.look(lambda store: say_pivots(invocation, store, found.guidance.language, found.guidance.kept))
    nearness = nearness_to_corpus(invocation, found.guidance.language, found.given.written)
    if invocation.json:
        write_json(guided_document(found, references) | nearness_document(nearness) | {"seconds": seconds})
        return
    write_table((), guided_figures(found, references))
    write_line()
    write_table(REACH_COLUMNS, reach_rows(found))
    invocation.say("such references favour the systems that they were made for: `corpusdb guide guided`")
    if references is not None and references.freezing is not None:
        invocation.say(f"score on them with `corpusdb score HYP... --ref-set {shlex.quote(references.freezing.name)}`")


@command("generate")
def generate(invocation: Invocation, options: GenerateOptions) -> None:
    """Generate paraphrases by analogy, of all sentences or some.

    Everything it needs is made or updated first: paraphrases by shared translations, the index of commutations, and
    that of character sequences. If interrupted, run the same command again. Counts are of candidates that pass the
    filter at --fluency and --min-validity; the filter itself is applied when paraphrases are shown, so you can change
    it there.

    With --for, references for system outputs are generated instead: those that match n-grams that some output has and
    no reference of --ref has, best evidence first. With those of --ref they are stored as a frozen set, --name, for
    `corpusdb score --ref-set NAME`, before any score on it is computed. Such references favour the systems they were
    made for (`corpusdb guide guided`).
    """
    if is_guided(options):
        if options.seed or options.seeds:
            raise UsageError("--for takes its seeds from --ref, not from --seed or --seeds")
        generate_for_outputs(invocation, options)
        return
    from corpusdb.chain.queries.foreseen import foreseen_generation, foreseen_lines
    from corpusdb.chain.queries.generation import generate as generate_candidates
    from corpusdb.paraphrase.queries.filters import NO_FILTER, filter_of
    from corpusdb.paraphrase.queries.paraphrases import validity_pivots
    from corpusdb.paraphrase.queries.statistics import format_nothing_kept

    language = language_code(options.lang)
    seeds = _seeds(invocation, options)
    with invocation.writing() as store:
        kept = filter_of(options)
        foreseen = foreseen_generation(store, language, seeded=seeds is not None)
        for line in foreseen_lines(foreseen, document=invocation.json):
            invocation.say(line)
        report = invocation.run(generate_candidates(store, language, seeds, kept), goes_on=SAME_COMMAND)
        nothing = format_nothing_kept(store, language, kept, report, seeds)
        pivots = validity_pivots(store, language)
    document = {} if pivots is None or len(pivots.languages) != 1 else {"pivot": pivots.document()}
    invocation.report(asdict(report) | document, _figures(report, "no filter" if kept == NO_FILTER else str(kept)))
    if nothing is not None:
        invocation.say(nothing)
    if pivots is not None and (told := pivots.told(kept)) is not None:
        invocation.say(told)


def _figures(report: GenerationReport, kept: str) -> list[tuple[str, Cell]]:
    """The report by names; ``kept`` is the filter in words."""
    return [
        ("seeds with candidates", report.seeds),
        ("analogies solved", report.analogies),
        ("candidates", report.candidates),
        ("contexts too common to use", report.too_common),
        ("sentences too long to use", report.too_long),
        (f"candidates kept, {kept}", report.kept),
        ("seeds of these", report.kept_seeds),
        ("different sentences", report.distinct),
        ("of these new to the corpus", report.novel),
        ("kept besides, by exchanges of words alone", report.exchanged),
        ("real pairs: more than capitals, marks and contractions", report.real),
        ("seeds of these", report.real_seeds),
        ("real pairs of which two words or more differ", report.deep),
        ("different exchanges of words", report.diversity.exchanges),
        ("units changed, mean", _shown(report.diversity.changed)),
        ("the same as part of the seed", _shown(report.diversity.distance)),
        ("seconds", round(report.seconds, 1)),
    ]


def _seeds(invocation: Invocation, options: GenerateOptions) -> list[str] | None:
    """Those that were given, but for blank ones; None for all sentences. Raises InputError where none is left."""
    if not (options.seed or options.seeds):
        return None
    seeds = texts_of(invocation, options.seed, as_text=options.as_text)
    if options.seeds is not None:
        from corpusdb.corpus.formats.scoring_input import read_plain

        seeds += read_plain(options.seeds)
    if not (found := [seed for seed in seeds if seed.strip()]):
        raise InputError("an empty sentence is not a seed, and no other is given")
    return found


def _shown(mean: float | None) -> float | None:
    return None if mean is None else round(mean, 3)
