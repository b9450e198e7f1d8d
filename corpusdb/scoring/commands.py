"""The command that scores systems, in our way and in sacrebleu's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from corpusdb.base.errors import InputError, UsageError, there_are
from corpusdb.base.jobs import usable_cores
from corpusdb.base.options import SHOWN_AND_WRITTEN, Argument, Headings, Option, default_of, refuse_given
from corpusdb.commands.command import Resolved, command, knowing, replayable, settling
from corpusdb.commands.invocation import FOR_PEOPLE, Invocation, room_of_table, write_json, write_text
from corpusdb.scoring import reference_options as equivalents_input
from corpusdb.scoring.comparison_commands import write_pairs
from corpusdb.scoring.input_options import (
    FROM_CORPUS,
    Idle,
    MeasureOptions,
    Metrics,
    SacrebleuOptions,
    SampleCount,
    SamplingSeed,
    coefficients_of_segments,
    expected_of,
    nearness_document,
    of_no_corpus,
    of_other_metrics,
    read_scored,
    settings_of_each,
    show_table,
    write_below,
)
from corpusdb.scoring.metrics import (
    are_of_sacrebleu,
    check_resampling,
    computed_place,
    parse_bounds,
    parse_metrics,
    settings_of_sacrebleu,
    without_missing,
)
from corpusdb.scoring.paper_report import as_of_sacrebleu

if TYPE_CHECKING:
    from corpusdb.corpus.formats.segments import Output
    from corpusdb.scoring.metric_settings import MetricSettings
    from corpusdb.scoring.queries.scoring import Chance, MetricScores, ScoreRow
    from corpusdb.scoring.queries.scoring_references import ScoringReferences
    from corpusdb.scoring.report import OfMetrics

_GUIDE: Final = "(`corpusdb guide sacrebleu`)"
SPELLED_BY_SACREBLEU: Final[Mapping[str, str]] = {
    name: ours
    for names, ours in {
        "--paired-bs -pbs": "--significance bootstrap",
        "--paired-ar -par": "--significance randomisation",
        "--paired-bs-n -pbsn --paired-ar-n -parn --confidence-n -cin": "--samples",
        "-ci": "--confidence",
        "-f": "--format",
        "-q": "--quiet",
        "--detail -d": "--verbose",
    }.items()
    for name in names.split()
}
"""What `score` has under another name."""
_OURS: Final = {
    ("--smooth-value", "-sv"): "--smoothing METHOD=VALUE, such as floor=0.1",
    ("--stdin",): "a pipe, `cat HYP | corpusdb score REF...`, or -i -",
}
"""What it has in another way."""
_NONE: Final = {
    ("--test-set", "-t", "--language-pair", "-l", "--origlang", "-ol", "--subset"): (
        "test sets are your own files, REF... -i HYP..."
    ),
    ("--list", "--download", "--echo", "--cite", "--citation"): "test sets are your own files, none is downloaded",
    ("--chrf-whitespace", "--chrf-eps-smoothing"): "chrF counts no white space, and is not smoothed",
    ("--chrf-lowercase",): "chrF without case is HYP... --ref REF... --metric chrf --lowercase",
    ("--num-refs", "-nr"): (
        "give a file for each reference, or a tsv with a column for each: its first line is ref1 TAB ref2"
    ),
    ("--encoding", "-e"): "texts are UTF-8",
    ("--short", "-sh"): "-v and --json have sacrebleu's signature, --json a short one, too",
    ("--paired-jobs", "-j"): "metrics that are slow use all cores",
    ("--no-color", "-nc"): "no information is in colour alone",
    ("--force",): "--tokenise says how texts are cut, and nothing is refused for it",
}
OPTIONS_OF_SACREBLEU: Final[Mapping[str, str]] = {
    **{name: f"here it is {ours} {_GUIDE}" for names, ours in _OURS.items() for name in names},
    **{name: f"{told} {_GUIDE}" for names, told in _NONE.items() for name in names},
}
"""By each of its names there, what to say here."""


# What `score` takes, in our way and in sacrebleu's.


_NOT_OF_PARTS = ("segments", "pairs", "resample_references", "sort", "verbose", "score_only", "width", "wide")


_NOT_OF_PAIRS = (
    *("segments", "resample_references", "confidence", "sort", "verbose", "score_only", "width", "by", "wide"),
)


_NOT_WIDE = ("segments", "score_only")
_OF_CHANCE = ("confidence", "significance", "resample_references")


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnOptions(SacrebleuOptions, MeasureOptions):
    """What `score` takes, but for the choice of equivalents, which stands behind it in the help."""

    HEADED: ClassVar[Headings] = {
        "What is scored": ("input", "metric"),
        "Significance": ("significance", "pairs", "baseline", "confidence", "resample_references", "samples", "seed"),
        "Parts of the test set": ("by", "documents"),
        "Equivalents": ("equivalents",),
        SHOWN_AND_WRITTEN: (),
    }

    hypotheses: Annotated[
        list[Path],
        Argument(
            "System outputs, one segment per line, or tables (`corpusdb guide files`), or their folder.",
            metavar="HYP...",
        ),
    ] = field(default_factory=list)
    input: Annotated[
        list[Path],
        Option(
            "System outputs, as in sacrebleu: the files before -i are references, and sacrebleu's defaults apply.",
            "--input -i",
            metavar="HYP...",
        ),
    ] = field(default_factory=list)
    metric: Metrics = "bleu"
    segments: Annotated[bool, Option("Show the score of every segment.", "--segments --sentence-level -sl")] = False
    worst_first: Annotated[bool, Option("With --segments: worst first; ties by smoothed BLEU.")] = False
    wide: Annotated[bool, Option("One row per system and one column per metric, also in TSV, CSV and JSON.")] = False
    fail_below: Annotated[
        list[str],
        Option(
            "Exit code 1 if a system scores worse than this; for several metrics, bleu=30,ter=50.",
            metavar="METRIC=VALUE",
        ),
    ] = field(default_factory=list)
    sort: Annotated[str | None, Option("Sort systems by this metric, best first.", metavar="METRIC")] = None
    verbose: Annotated[bool, Option("Also show precisions, lengths and edits.", "--verbose -v")] = False
    width: Annotated[int | None, Option("Number of decimals.", "--width -w", metavar="N", least=0, most=15)] = None
    score_only: Annotated[
        bool,
        Option("Print only the scores, one per line; with several systems, one line per system.", "--score-only -b"),
    ] = False
    significance: Annotated[
        Literal["randomisation", "bootstrap"] | None,
        Option("Test every system against the baseline, the first if none is given."),
    ] = None
    pairs: Annotated[bool, Option("Test every pair of systems, and print clusters as WMT does.")] = False
    baseline: Annotated[Path | None, Option("The system to test against (default: the first).", metavar="HYP")] = None
    confidence: Annotated[bool, Option("Show 95 % bootstrap intervals.")] = False
    resample_references: Annotated[
        int,
        Option(
            "Resample references too, for example 100 draws.",
            metavar="DRAWS",
            least=0,
            most=100_000,
            shows_default=False,
        ),
    ] = 0
    samples: SampleCount = None
    seed: SamplingSeed = 12345
    by: Annotated[
        Literal["coefficient", "length", "references", "novelty", "document", "domain"] | None,
        Option("Score, and with --significance test, each part of the test set separately."),
    ] = None
    documents: Annotated[
        Path | None, Option("With --by document: TSV with doc, first_segment, n_segments.", metavar="FILE")
    ] = None
    store: Annotated[bool, Option("Store the scores in the database, for `verify`.")] = False
    equivalents: Annotated[
        bool, Option("Add equivalents to the references: words that translate the same source words.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(equivalents_input.EquivalentChoice, _OwnOptions):
    """What `score` takes."""

    HEADED: ClassVar[Headings] = {FROM_CORPUS: ("min_languages",)}


def with_stdin(invocation: Invocation, options: ScoreOptions) -> Resolved[ScoreOptions]:
    """The options, and where only files are named, and something is piped in, that these are references, as in
    ``cat HYP | sacrebleu REF...``: without references behind a name of their own they can be nothing else."""
    said = options.input or options.ref or options.ref_from or options.ref_set
    if said or not options.hypotheses or sys.stdin is None or sys.stdin.isatty() or Path("-") in options.hypotheses:
        return Resolved(options)
    from corpusdb.corpus.formats.reading import read_lines

    try:
        next(iter(read_lines(Path("-"))))
    except InputError:  # nothing came
        return Resolved(options)
    return Resolved(
        replace(options, input=[Path("-")]),
        f"the output is what was piped in; references: {', '.join(map(str, options.hypotheses))}",
    )


def settings_as_called(options: ScoreOptions) -> list[MetricSettings]:
    """Those of each metric. Raises UsageError for what makes no sense."""
    settings = settings_of_each(options, options.metric, options)
    if not options.input:
        return settings
    smoothed = options.smoothing is not None
    return [settings_of_sacrebleu(each, smoothed=smoothed, segments=options.segments) for each in settings]


def as_called(options: ScoreOptions) -> ScoreOptions:
    """The same said in our way, where they came in sacrebleu's: references first, and outputs behind -i.

    Raises UsageError where there is no output, and where it is not clear what a file is.
    """
    if not options.input:
        if not options.hypotheses:
            raise UsageError("no output is given: HYP... --ref REF..., or REF... -i HYP... as in sacrebleu")
        return options
    if options.hypotheses and (options.ref or options.ref_set):
        raise UsageError(
            f"with -i, an argument is a reference, as in sacrebleu, and there are others:"
            f" is {options.hypotheses[0]} a reference or an output?"
        )
    # Rates per unit would be lost in one decimal, which is what sacrebleu prints.
    is_theirs = options.score_only and are_of_sacrebleu(parse_metrics(options.metric))
    width = 1 if is_theirs and options.width is None else options.width
    return replace(options, input=[], ref=options.ref or options.hypotheses, hypotheses=options.input, width=width)


def _idle(options: ScoreOptions) -> Iterator[Idle]:
    yield from of_other_metrics(parse_metrics(options.metric))
    yield of_no_corpus(options)
    if not (options.by or options.pairs or options.confidence or options.significance or options.resample_references):
        yield (
            ("samples", "seed"),
            "{} is of what is drawn by chance: --confidence, --significance, --pairs, --by, --resample-references",
        )


def _replayed(options: ScoreOptions, folder: Path) -> ScoreOptions:
    """The same without what is kept, and without what had no effect in a version that took it."""
    names = {name for idle in _idle(options) for name in idle[0]}
    usual = {each.name: default_of(each) for each in fields(options) if each.name in names}
    return replace(options, **usual | {"store": False, "fail_below": []})


def check_together(options: ScoreOptions, settings: Sequence[MetricSettings], *, has_all: bool) -> None:
    """Raise UsageError for options that do not belong together, before anything is read or aligned.

    ``has_all``: whether the answer is a document of all that is known.
    """
    if options.worst_first and not options.segments:
        raise UsageError("--worst-first sorts segments, and needs --segments")
    if options.documents is not None and options.by not in ("document", "domain"):
        raise UsageError("--documents needs --by document or --by domain")
    for option, is_given, others in (
        ("--by", options.by is not None, _NOT_OF_PARTS),
        ("--wide", options.wide, _NOT_WIDE),
        ("--pairs", options.pairs, _NOT_OF_PAIRS),
        ("--score-only", options.score_only, _OF_CHANCE),
        ("--segments", options.segments and not has_all, _OF_CHANCE),
    ):
        refuse_given(options, others if is_given else (), f"{option} cannot be combined with {{}}")
    for idle in _idle(options):
        refuse_given(options, *idle)
    if options.pairs and options.baseline is not None:
        raise UsageError("--pairs compares every pair of systems, without a --baseline")
    if options.baseline is not None and options.significance is None:
        raise UsageError("--baseline needs --significance")
    _check_equivalents(options, settings)
    if options.resample_references:
        check_resampling(settings, options.resample_references, options.samples or 1000)
    if options.sort is not None:
        computed_place(settings, options.sort, "--sort")
    parse_bounds(settings, options.fail_below)


def _check_equivalents(options: ScoreOptions, settings: Sequence[MetricSettings]) -> None:
    """Raise UsageError for options that do not belong together."""
    if not options.equivalents:
        of_others = {
            "min_languages": options.ref_from == "corpus",  # of paraphrases
            "equivalents_from": options.equivalents_from == "bitext",  # what was meant where nothing was said, and kept
            "closed_class": options.closed_class == "drop",  # the same of what earlier versions kept
        }
        equivalents_input.refuse_choice(options, [name for name, is_so in of_others.items() if is_so])
        return
    if options.rules is not None:
        raise UsageError("give --equivalents or --rules, not both")
    if not options.ref:
        raise UsageError("--equivalents are put into references of files: --ref")
    if options.source is None and options.equivalents_from == "bitext":
        raise UsageError(equivalents_input.NO_SOURCE)
    if options.resample_references:
        raise UsageError("references in which equivalents are substituted cannot be resampled")
    equivalents_input.check_choice(options, options.lang, options.ref, [each.metric for each in settings])


# How the scores of systems are told: tables, numbers and documents.


def write_parts(
    invocation: Invocation, rows: Sequence[ScoreRow], parts: OfMetrics, remarks: Sequence[str], chance: Chance
) -> None:
    from corpusdb.scoring.report import long_part_table, part_p_lines, signature_lines, wide_part_table

    if invocation.format in FOR_PEOPLE:
        show_table(invocation, *wide_part_table(parts, has_intervals=chance.intervals))
        p_values = part_p_lines(parts) if invocation.format != "table" else ()
        return write_below(invocation, [*signature_lines(rows), *p_values], printed=remarks)
    invocation.show(*long_part_table(parts))
    for line in remarks:
        invocation.say(line)


def write_rows(
    invocation: Invocation,
    rows: Sequence[ScoreRow],
    chance: Chance,
    said: tuple[Sequence[str], Sequence[str]],
    options: ScoreOptions,
) -> None:
    """The rows with what is said of them: remarks, and what stood on stderr and stands below a table, too."""
    remarks, noted = said
    from corpusdb.scoring import report as scores
    from corpusdb.scoring.pair_report import fits

    width = options.width
    lines = [*scores.signature_lines(rows), *scores.scale_lines(rows)]
    details = list(scores.detail_lines(rows)) if options.verbose else []
    if options.score_only:
        if invocation.json:
            numbers = scores.numbers(rows, width, segments=options.segments)
            return write_json([float(number) for _, of_row in numbers for number in of_row])
        for each in scores.number_lines(rows, width, segments=options.segments):
            write_text(each)
    elif options.segments:
        found = scores.segment_rows(rows, width, worst_first=options.worst_first)
        invocation.show(("segment", "system", "metric", "score"), found)
        for line in (*scores.signature_lines(rows), *scores.zero_lines(rows, worst_first=options.worst_first)):
            invocation.say(line)
    elif invocation.format in FOR_PEOPLE:
        is_latex = invocation.format == "latex"
        columns, cells = scores.wide_table(rows, width, with_p=not is_latex)
        has_p = not is_latex and fits([columns, *cells], room_of_table())
        show_table(invocation, *((columns, cells) if has_p else scores.wide_table(rows, width, with_p=False)))
        p_values = [*([] if has_p else scores.p_lines(rows)), *(scores.sacrebleu_lines(rows) if is_latex else ())]
        return write_below(invocation, (*details, *lines, *noted, *p_values), printed=remarks)
    elif options.wide and invocation.json:
        invocation.write_document(scores.wide_documents(rows, width))
    elif options.wide:
        invocation.show(*scores.wide_rows(rows, width))
        details += scores.signature_lines(rows)
    else:
        invocation.show(*scores.long_table(rows, width, chance))
    for line in (*details, *remarks):
        invocation.say(line)


def document_of(row: ScoreRow, chance: Chance, references: ScoringReferences, *, segments: bool) -> dict[str, object]:
    document: dict[str, object] = {
        "system": row.system,
        "metric": row.scores.settings.metric,
        "score": row.score,
        **row.scores.signatures(),
        "name": row.scores.label,
    }
    if references.validity is not None:
        document["validity"] = references.validity
    if references.freezing is not None:
        document["guided"] = references.freezing.document()
    drawn = {"samples": chance.sampling.samples, "seed": chance.sampling.seed}
    if row.interval is not None:
        document["interval"] = asdict(row.interval) | {"confidence": chance.sampling.confidence} | drawn
    if row.comparison is not None:
        from corpusdb.scoring.queries.scoring import DEFAULT_TEST, NULL_HYPOTHESIS

        test = {"name": chance.test, "null_hypothesis": NULL_HYPOTHESIS}
        trials = {"samples": chance.sampling.drawn(chance.test or DEFAULT_TEST)}
        document["test"] = test | asdict(row.comparison) | drawn | trials
    document |= row.details
    if row.spread is not None:
        document["variance"] = asdict(row.spread) | {"draws": chance.reference_draws} | drawn
    if segments:
        document["segments"] = row.segments.tolist()
    if row.stored is not None:
        document["stored"] = row.stored
    return document


def write_documents(
    invocation: Invocation,
    rows: Sequence[ScoreRow],
    documents: Sequence[dict[str, object]],
    parts: OfMetrics,
    *,
    width: int | None,
    as_theirs: bool,
) -> None:
    """What is known of each row as JSON, with its parts; of one system ``as_theirs``, which is sacrebleu's."""
    by_metric = {id(each): of_systems for each, of_systems in parts}
    for row, document in zip(rows, documents, strict=True) if parts else ():
        of_row = map(asdict, by_metric[id(row.scores)][row.at])
        document["parts"] = [{name: x for name, x in each.items() if x is not None} for each in of_row]
    if not as_theirs:
        return invocation.write_document(documents)
    found = [each | as_of_sacrebleu(row, width) for row, each in zip(rows, documents, strict=True)]
    invocation.write_document(found if len(found) > 1 else found[0])


@replayable(_replayed)
@knowing(SPELLED_BY_SACREBLEU, OPTIONS_OF_SACREBLEU)
@settling(with_stdin)
@command("score", answers=True, kept=False)
def score(invocation: Invocation, options: ScoreOptions) -> int:
    """Score outputs of systems against references.

    BLEU (words as mteval-v13a cuts them, order 4; characters, order 18), chrF and TER range up to 100, as in sacrebleu;
    NIST is in bits; mWER is edits per word. Every score comes with a signature, which names the reference set by its
    digest. A hypothesis may be empty, a reference may not. With --equivalents, BLEU and NIST count everything that
    substitution makes of the references, chrF the nearest variant (`corpusdb guide equivalents`). `corpusdb score
    REF... -i HYP...` and `cat HYP | corpusdb score REF...` work as in sacrebleu, with its options and defaults
    (`corpusdb guide sacrebleu`).

    --by coefficient, length, references and novelty divide the segments into four classes; the coefficient places
    their references between speech and writing, by the latest profile of their language (`corpusdb guide homogeneity`).
    If the corpus made references for a test set that is far from it, a message says so.
    """
    from corpusdb.scoring.queries.scoring import notes_on
    from corpusdb.scoring.report import chance_lines, failures

    settings = settings_as_called(options)
    is_called_so, options = bool(options.input), as_called(options)
    if not options.score_only:  # of which each number is known by its place
        settings = without_missing(settings, invocation.say)
    check_together(options, settings, has_all=invocation.json)
    _check_store(invocation, options)
    outputs, references = read_scored(invocation, options.hypotheses, options)
    chance = _chance(options, outputs)
    scores_of_parts = _scores_of_parts(invocation, options, outputs, references)
    scores, kept = _scores(invocation, options, outputs, references, settings)
    for note in dict.fromkeys(notes_on(outputs, references, scores)):
        invocation.say(note)
    made_in = _corpus_language(kept)
    expected, nearness = expected_of(invocation, made_in, references.written, references.attributed, references.pivots)
    of_parts = scores_of_parts(scores, chance)
    rows = _rows(invocation, options, outputs, kept, scores, chance)
    remarks = [*filter(None, [expected]), *chance_lines(outputs[chance.baseline].system, chance)]
    if options.pairs:
        write_pairs(invocation, scores, chance)
    elif invocation.json and not (options.score_only or options.wide):
        documents = [document_of(row, chance, references, segments=options.segments) for row in rows]
        documents = [each | nearness_document(nearness) for each in documents]
        is_as_theirs = is_called_so and invocation.chosen_format == "json" and len(outputs) == 1
        write_documents(invocation, rows, documents, of_parts, width=options.width, as_theirs=is_as_theirs)
        for remark in remarks:
            invocation.say(remark)
    elif of_parts:
        write_parts(invocation, rows, of_parts, remarks, chance)
    else:
        noted = () if references.freezing is None else (references.freezing.note,)
        write_rows(invocation, rows, chance, (remarks, noted), options)
    invocation.fail(failures(rows, options.fail_below))
    return len(rows)


def _check_store(invocation: Invocation, options: ScoreOptions) -> None:
    """Raise what keeping scores would raise for the database, before hours of work and not behind it."""
    # One that is not there yet is made when there is something to keep, if its folder is there.
    if options.store and not (invocation.path.parent.is_dir() and not invocation.path.exists()):
        with invocation.writing(create=True):
            pass


def _rows(
    invocation: Invocation,
    options: ScoreOptions,
    outputs: Sequence[Output],
    kept: ScoringReferences,
    scores: Sequence[MetricScores],
    chance: Chance,
) -> list[ScoreRow]:
    from corpusdb.scoring.queries.scoring import best_first, making_rows, with_numbers

    rows = invocation.run(making_rows(outputs, scores, chance))
    if options.store:
        from corpusdb.scoring.queries.stored_scores import store_scores

        with invocation.writing(create=True) as store:
            rows = with_numbers(rows, scores, store_scores(store, outputs, kept, scores))
    return rows if options.sort is None else best_first(rows, options.sort)


def _chance(options: ScoreOptions, outputs: Sequence[Output]) -> Chance:
    from corpusdb.scoring.queries.scoring import DEFAULT_TEST, Chance, Sampling

    return Chance(
        sampling=Sampling.given(options.samples, options.seed),
        intervals=options.confidence,
        test=options.significance or (DEFAULT_TEST if options.pairs else None),
        baseline=_baseline(outputs, options.baseline) if options.significance else 0,
        reference_draws=options.resample_references,
    )


def _corpus_language(references: ScoringReferences) -> str | None:
    """The language of the references that the corpus made, or made equivalents for; None where it made none."""
    from corpusdb.scoring.queries.scoring_references import EQUIVALENTS

    made_by: dict[str, Any] | None = references.parameters.get(EQUIVALENTS)
    if made_by is None or made_by["recipe"]["origin"] == "bitext":
        return references.corpus_language
    return str(made_by["language"])


def _scores_of_parts(
    invocation: Invocation,
    options: ScoreOptions,
    outputs: Sequence[Output],
    references: ScoringReferences,
) -> Callable[[Sequence[MetricScores], Chance], OfMetrics]:
    """What scores the parts that are asked for; none where none are. Raises UsageError and InputError, before anything
    is scored, where they are not known."""
    if options.by is None:
        return lambda scores, chance: ()
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.queries.agreement_figures import part_scores, parts_of

    coefficients = None
    if options.by == "coefficient":
        language = references.language or equivalents_input.language_of_references(options.lang, options.ref)
        coefficients = coefficients_of_segments(invocation, language, references.written)
    documents = read_documents(options.documents, len(references.sets)) if options.documents else ()
    parts = parts_of(options.by, outputs, references, coefficients, documents)
    return lambda scores, chance: [(each, part_scores(each, parts, chance)) for each in scores]


def _scores(
    invocation: Invocation,
    options: ScoreOptions,
    outputs: Sequence[Output],
    references: ScoringReferences,
    settings: Sequence[MetricSettings],
) -> tuple[list[MetricScores], ScoringReferences]:
    from corpusdb.scoring.queries.scoring import score_over_lattices, scoring
    from corpusdb.scoring.queries.scoring_references import EQUIVALENTS

    if not options.equivalents:
        job = scoring(outputs, references, settings, usable_cores())
        return invocation.run(job), references
    language = equivalents_input.language_of_references(options.lang, options.ref)
    lattices, made_by = equivalents_input.substituted(
        invocation, references.sets, options, language, have_sources=options.source is not None
    )
    kept = replace(references, parameters=references.parameters | {EQUIVALENTS: made_by.document()})
    return score_over_lattices(outputs, references, lattices, settings), kept


def _baseline(outputs: Sequence[Output], given: Path | None) -> int:
    """Which of the outputs the others are compared with. Raises UsageError where it is none of them."""
    if given is None:
        return 0
    for number, output in enumerate(outputs):
        if given == output.path or str(given) == output.system:
            return number
    names = [output.system for output in outputs]
    raise UsageError(f"the baseline {given} is not one of the outputs; {there_are(str(given), names)}")
