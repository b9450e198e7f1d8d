"""The command that says how far metrics agree with people, and what its options name."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import usable_cores
from corpusdb.base.options import (
    SHOWN_AND_WRITTEN,
    Argument,
    Headings,
    Option,
    RandomSeed,
    is_sent,
    names_in,
    number_of,
    refuse_given,
)
from corpusdb.commands.command import command
from corpusdb.commands.invocation import FOR_PEOPLE, Invocation, room_of_table, write_json, write_line
from corpusdb.paraphrase.filter_options import MinValidity, Order
from corpusdb.rules.commands import DEFAULT_MOST
from corpusdb.scoring.input_options import (
    FROM_CORPUS,
    WORDS_AND_CHARACTERS,
    CorpusLanguage,
    CorpusLimit,
    Metrics,
    ReferenceOptions,
    SacrebleuOptions,
    SourceText,
    read_outputs,
    read_with,
    refuse_of_others,
    show_table,
    write_below,
)
from corpusdb.scoring.metrics import parse_metrics, parse_smoothing
from corpusdb.scoring.reference_options import (
    MostOfReference,
    RulesIfAny,
    ScoreFileOptions,
    arranged,
    read_score_files,
    say_how_read,
    score_reading,
    with_rewritings,
)

if TYPE_CHECKING:
    from corpusdb.corpus.formats.score_file import ScoreFile
    from corpusdb.corpus.formats.scoring_input import HumanJudgements
    from corpusdb.corpus.formats.segments import Output, Segmentation
    from corpusdb.scoring.queries.agreement import AgreementReport, JudgedSystems, Question
    from corpusdb.scoring.queries.agreement_figures import Level
    from corpusdb.scoring.queries.scoring_references import LabelledReferences
    from corpusdb.scoring.queries.stored_people import KeptJudgements, StoredPeople
    from corpusdb.scoring.queries.variant_scores import ComputedScores, VariantChoice, VariantScores
    from corpusdb.scoring.reference_count import HumanScores


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOptions(SacrebleuOptions, ScoreFileOptions):
    HEADED: ClassVar[Headings] = {
        "What is scored": ("hypotheses", "metric", "documents", "by", "test_set", "set"),
        "References": ("ref", "ref_from", "source", "references", "origins", "draws"),
        FROM_CORPUS: ("ref_set", "lang", "fluency", "min_validity", "limit", "rules", "max_rewritings"),
        WORDS_AND_CHARACTERS: ("unit", "order", "tokenise", "lowercase", "smoothing"),
        "Scores of others": ("human", "human_column", "human_references", "scores", "pool"),
        "Significance": ("compare", "human_p", "samples", "seed", "confidence"),
        SHOWN_AND_WRITTEN: (),
    }

    hypotheses: Annotated[
        list[Path], Argument("System outputs; each system is named after its file.", metavar="HYP...")
    ] = field(default_factory=list)
    ref: Annotated[
        list[str], Option("References; their origin is the file's, or original.", metavar="[ORIGIN:]FILE...")
    ] = field(default_factory=list)
    ref_set: Annotated[str | None, Option("A frozen reference set of the database.", metavar="NAME")] = None
    ref_from: Annotated[
        Literal["corpus"] | None,
        Option("References from the database, as in `score`: translations of --source, paraphrases of --ref."),
    ] = None
    source: SourceText = None
    lang: CorpusLanguage = None
    fluency: Order = 20
    min_validity: MinValidity = None
    limit: CorpusLimit = 20
    rules: RulesIfAny = None
    max_rewritings: MostOfReference = DEFAULT_MOST
    human: Annotated[
        Path,
        Option(
            "Human scores: a table with system, segment, z; MQM, ESA; NAME.seg.score; or the name of stored ones,"
            " which need no other files.",
            metavar="FILE|NAME",
        ),
    ]
    human_column: Annotated[str | None, Option("Their column (default: z, or the only one).", metavar="NAME")] = None
    test_set: Annotated[
        int | None,
        Option("With stored scores: number of the test set in `scores list`.", metavar="NUMBER", least=1),
    ] = None
    set: Annotated[
        str | None,
        Option("Reference set of stored outputs (default: that scored last).", metavar="DIGEST"),
    ] = None
    human_references: Annotated[
        list[str], Option("A human translation that was judged as system NAME.", metavar="NAME=FILE")
    ] = field(default_factory=list)
    scores: Annotated[
        list[Path],
        Option(
            "Scores of other metrics: COMET, sacrebleu, tables, METRIC.seg.score (`corpusdb guide files`).",
            metavar="FILE...",
        ),
    ] = field(default_factory=list)
    metric: Metrics = "bleu"
    unit: Annotated[str, Option("word, char or word,char.", metavar="UNITS")] = "word"
    order: Annotated[str | None, Option("Longest n-grams; 4 words, 18 characters.", metavar="N,...")] = None
    tokenise: Annotated[
        str | None, Option("Tokenisers: 13a, intl, ja-sudachi, flores200=FILE ...", metavar="NAMES")
    ] = None
    lowercase: Annotated[bool, Option("Ignore case.")] = False
    smoothing: Annotated[str, Option("Smoothing of BLEU, as in `score`; of segments exp.", metavar="METHOD")] = "none"
    references: Annotated[
        str, Option("Number of references per segment, drawn at random: 1,2,all.", metavar="N,...")
    ] = "all"
    origins: Annotated[
        str | None, Option("Origins of references, combined by +: original,original+generated; all.", metavar="NAMES")
    ] = None
    draws: Annotated[
        int, Option("Number of draws, if not all references are used.", metavar="N", least=1, most=100_000)
    ] = 10
    level: Annotated[str, Option("system, segment, or both with a comma.", metavar="LEVELS")] = "system,segment"
    statistic: Annotated[
        str,
        Option(
            "Only these: pearson, spearman, kendall, pairwise_accuracy (pa), soft_pairwise_accuracy (spa), acc_eq;"
            " tau_10, tau_13, tau_14, darr.",
            metavar="NAMES",
        ),
    ] = "all"
    wide: Annotated[bool, Option("One row per metric and one column per statistic, without intervals.")] = False
    documents: Annotated[
        Path | None, Option("TSV with doc, first_segment, n_segments: adds intervals over documents.", metavar="FILE")
    ] = None
    by: Annotated[
        Literal["document", "domain", "length", "references", "novelty"] | None,
        Option("Also show each part of the test set separately."),
    ] = None
    without_outliers: Annotated[bool, Option("Also show figures without outlying systems.")] = False
    compare: Annotated[
        str | None, Option("Test which of these metrics is better: bleu,chrf, or all.", metavar="NAMES")
    ] = None
    pool: Annotated[
        list[Path],
        Option("Pool system pairs with those of other test sets: their --json output.", metavar="FILE..."),
    ] = field(default_factory=list)
    human_p: Annotated[
        str | None,
        Option("Add accuracy over system pairs that people tell apart at these p: 0.05,0.01.", metavar="P,..."),
    ] = None
    clusters: Annotated[bool, Option("Only rank the systems of --human in clusters, as WMT does.")] = False
    samples: Annotated[int, Option("Number of samples, and trials of tests.", metavar="N", least=1, most=1_000_000)] = (
        1000
    )
    seed: RandomSeed = 1
    confidence: Annotated[
        float, Option("Confidence level of the intervals.", metavar="SHARE", least=0.5, most=0.999)
    ] = 0.95


@dataclass(frozen=True, slots=True)
class _Texts:
    """What is scored; without outputs, nothing, and only scores of others are looked at."""

    outputs: tuple[Output, ...] = ()
    references: LabelledReferences | None = None


_OF_CLUSTERS = ("clusters", "human", "human_column", "test_set", *(each.name for each in fields(ScoreFileOptions)))


def _show_clusters(invocation: Invocation, options: AgreementOptions) -> int:
    """The systems that people scored, by what they said of segments. Raises InputError where they said nothing."""
    from corpusdb.corpus.formats.scoring_input import USUAL, human_judgements
    from corpusdb.scoring.pair_report import CLUSTERS_TOLD, cluster_table
    from corpusdb.scoring.queries.imported_scores import human_clusters

    if (kept := _kept_judgements(invocation, options)) is not None:
        human = _human(invocation, kept, None, options.test_set)
    else:
        (judged,) = read_score_files([options.human], score_reading(options, [options.human_column or USUAL]))
        human = human_judgements(judged, options.human_column, judged.count())
    say_how_read(invocation, human.notes)
    found = human_clusters(human, options.human)
    invocation.show(
        *cluster_table(found, is_read=invocation.format in FOR_PEOPLE), document=[asdict(each) for each in found]
    )
    told = f"Wilcoxon's rank-sum test of the scores of segments, one-sided; {CLUSTERS_TOLD}"
    write_below(invocation, [told])
    return len(found)


def read_judged(invocation: Invocation, options: AgreementOptions) -> tuple[JudgedSystems, Question]:
    """All that the options name, and talk that says what is left out.

    Raises UsageError where they do not say what is scored, and InputError for files that do not belong together.
    """
    from corpusdb.corpus.formats.scoring_input import USUAL, human_judgements, missing_segments, missing_systems
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.queries.agreement import JudgedSystems, Question, judged_systems
    from corpusdb.scoring.queries.agreement_figures import named_statistics, parts_by
    from corpusdb.scoring.queries.imported_scores import format_means, human_ratings
    from corpusdb.scoring.queries.scoring import Sampling
    from corpusdb.scoring.queries.variant_scores import given_scores

    kept = _kept_judgements(invocation, options := _with_all_scores(options))
    choice, levels, statistics = _choice(options), _levels(options.level), named_statistics(names_in(options.statistic))
    how = score_reading(options, [options.human_column or USUAL])
    judged = [] if kept else read_score_files([options.human], how)
    files = read_score_files(options.scores, how)
    people = None if kept is None or _has_texts(options) else kept.of(number=options.test_set)
    texts = _stored_texts(invocation, options, people) if people else _texts(invocation, options)
    segments = len(texts.outputs[0].texts) if texts.outputs else _segments(files)
    given = arranged(invocation, files, segments)
    if kept is None:
        human = human_judgements(judged[0], options.human_column, segments, leaves_out=True)
    else:
        human = _human(invocation, kept, segments, options.test_set)
    say_how_read(invocation, human.notes)
    names = tuple(each.system for each in texts.outputs) or judged_systems(given, human)
    rated = segments or (_last_segment(human) if options.human_p else 0)
    ratings = human_ratings(human if rated else replace(human, segments={}), names, rated)
    _say_left_out(invocation, names, human, segments or 0)
    _say_same(invocation, texts)
    say_how_read(invocation, [*missing_systems(given, names), *missing_segments(given, names), *format_means(given)])
    computed = _computed(invocation, texts, choice)
    scores = (*computed, *given_scores(given, names, segments, [each.name for each in computed]))
    say_how_read(invocation, _coverage(ratings, rated, scores))
    if options.documents is not None and segments is None:
        raise UsageError("--documents needs scores of segments; there are only those of whole systems")
    documents = read_documents(options.documents, segments) if options.documents and segments else []
    question = Question(
        levels=levels,
        documents=documents,
        parts=parts_by(options.by, documents, texts.outputs, texts.references) if options.by else (),
        without_outliers=options.without_outliers,
        statistics=statistics,
        human_p=_limits(options.human_p),
        compare=options.compare and (names_in(options.compare) if options.compare.strip() != "all" else ()),
        sampling=Sampling(options.samples, options.seed, options.confidence),
    )
    return JudgedSystems(names, ratings, scores, segments or 0), question


def _last_segment(human: HumanJudgements) -> int:
    """How many segments people scored, as far as they tell: scores of whole systems do not, and need no others."""
    return max((at + 1 for of_system in human.segments.values() for at in of_system), default=0)


def _coverage(ratings: HumanScores, segments: int, scores: Sequence[VariantScores]) -> Iterator[str]:
    """Over which segments the scores of systems are, where people did not score all of each."""
    import numpy as np

    from corpusdb.scoring.queries.stored_scores import PartlyScored

    if ratings.segments is None:
        return
    known, judged = np.isfinite(ratings.segments), ratings.judged
    scored = int(known.any(axis=0).sum())
    if judged is not None and not judged.all():
        of_each = known.sum(axis=1)[known.any(axis=1)]
        each = "" if (least := int(of_each.min())) == scored else " of each"
        known_of = PartlyScored(least, int(of_each.max()), segments)
        yield f"people scored {known_of}; scores of systems are over these{each}"
        fixed = [each.name for each in scores if each.judged(ratings) is each]
        if fixed:
            yield f"as given, whatever segments they are of: the scores of systems by {', '.join(fixed)}"
    elif judged is None and scored < segments:
        told = "scores of systems are those given for people, and over all segments for metrics"
        yield f"people scored {scored:,} of {segments:,} segments; {told}"


def _segments(files: Sequence[ScoreFile]) -> int | None:
    counts = [(each.usual_first is None, count) for each in files if (count := each.count())]
    whole = [count for is_whole, count in counts if is_whole]
    return whole[0] if whole else max((count for _, count in counts), default=None)


def _kept_judgements(invocation: Invocation, options: AgreementOptions) -> KeptJudgements | None:
    """The kept scores of people that --human names; None where it is a file, and where nothing can be kept."""
    if is_sent(options.human) or options.human.exists() or not invocation.path.exists():
        if options.test_set is not None:
            raise UsageError("--test-set is for stored human scores, and --human is a file")
        if options.set is not None:
            raise UsageError("--set is for stored outputs, and --human is a file")
        return None
    if options.set is not None and _has_texts(options):
        raise UsageError("--set is for stored outputs, and files are given")
    if options.human_column is not None:
        raise UsageError(f"--human-column is for a file, and there is no file {options.human}")
    from corpusdb.scoring.queries.stored_people import kept_judgements

    return invocation.look(lambda store: kept_judgements(store, str(options.human)))


def _human(invocation: Invocation, kept: KeptJudgements, segments: int | None, number: int | None) -> HumanJudgements:
    """Kept scores of people, and talk that says which these are."""
    people = kept.of(segments, number)
    invocation.say(people.told)
    return people.human


def _has_texts(options: AgreementOptions) -> bool:
    """Whether anything says what is scored, and with what."""
    given = (options.hypotheses, options.human_references, options.ref, options.ref_from, options.ref_set)
    return any(given) or bool(options.scores)


def _stored_texts(invocation: Invocation, options: AgreementOptions, people: StoredPeople) -> _Texts:
    """What people scored of stored outputs, and the references of these."""
    from corpusdb.scoring.queries.scoring_references import LabelledReferences
    from corpusdb.scoring.queries.stored_people import scored_systems

    outputs, references = invocation.look(lambda store: scored_systems(store, people, options.set))
    found = with_rewritings(invocation, references, options.rules, options.max_rewritings)
    return _Texts(tuple(outputs), LabelledReferences.of(found))


_OF_OUTPUTS = (
    *("metric", "unit", "order", "tokenise", "lowercase", "smoothing", "references", "origins", "draws"),
    *("source", "rules", "max_rewritings"),
)
_OF_CORPUS = ("ref_from", "source", "lang", "fluency", "min_validity", "limit")


def _texts(invocation: Invocation, options: AgreementOptions) -> _Texts:
    """The outputs and the references of files, of the corpus or of a frozen set."""
    from corpusdb.scoring.queries.scoring_references import LabelledReferences

    is_given = bool(options.ref or options.ref_from) or options.ref_set is not None
    if not options.hypotheses and not options.human_references and not is_given:
        if not options.scores:
            raise UsageError("outputs are missing: give the outputs of systems with --ref, or --scores")
        refuse_given(options, _OF_OUTPUTS, "{} is of what is computed from outputs, and --scores alone are given")
        return _Texts()
    if (options.ref or options.ref_from) and options.ref_set is not None:
        raise UsageError("give --ref or --ref-set, not both")
    if not is_given:
        raise UsageError("references are missing: give --ref, --ref-from or --ref-set")
    of_corpus = {name: getattr(options, name) for name in _OF_CORPUS}
    of = ReferenceOptions(ref=list(map(Path, options.ref)), ref_set=options.ref_set, **of_corpus)
    outputs, found = read_with(invocation, lambda segmentation: _read_judged_outputs(options, segmentation), of)
    if not outputs:
        raise UsageError("outputs are missing: give the outputs of systems")
    references = LabelledReferences.of(with_rewritings(invocation, found, options.rules, options.max_rewritings))
    for output in outputs[len(outputs) - len(options.human_references) :]:
        _refuse_reference(output, references)
    return _Texts(tuple(outputs), references)


def _read_judged_outputs(options: AgreementOptions, segmentation: Segmentation) -> list[Output]:
    """Those of the systems, then the human references that were judged like them."""
    from corpusdb.corpus.formats.scoring_input import read_output, with_distinct_names

    outputs = with_distinct_names(read_outputs(options.hypotheses, segmentation))
    for name, path in _named_files(options.human_references):
        if name in (each.system for each in outputs):
            raise UsageError(f"{name} is a system and a human reference")
        (output,) = read_output(path, segmentation)
        outputs.append(replace(output, system=name))
    return outputs


def _with_all_scores(options: AgreementOptions) -> AgreementOptions:
    """The options with all files of scores behind --scores: without references, what looks like one is no output."""
    from corpusdb.corpus.formats.scoring_input import looks_like_scores

    if not options.scores or options.ref or options.ref_from or options.ref_set is not None:
        return options
    more = [each for each in options.hypotheses if not (is_sent(each) or each.is_file()) or looks_like_scores(each)]
    others = [each for each in options.hypotheses if each not in more]
    return replace(options, hypotheses=others, scores=[*options.scores, *more])


def _named_files(given: Sequence[str]) -> Iterator[tuple[str, Path]]:
    for each in given:
        name, sign, path = each.partition("=")
        if not (name and sign and path):
            raise UsageError(f"a human reference is given as NAME=FILE, unlike {each!r}")
        yield name, Path(path)


def _refuse_reference(output: Output, references: LabelledReferences) -> None:
    """Raise InputError for a human reference that would be scored against itself."""
    if all(text in each.references for text, each in zip(output.texts, references.sets, strict=True)):
        reason = "it is among the references, and would be scored against itself: leave it out of --ref"
        raise InputError(reason, path=output.path)


def _say_left_out(invocation: Invocation, systems: Sequence[str], human: HumanJudgements, segments: int) -> None:
    if human.left_out:
        scores = "human score is" if human.left_out == 1 else "human scores are"
        invocation.say(f"{human.left_out:,} {scores} left out: of segments beyond the last, {segments:,}")
    if unknown := [name for name in human.systems if name not in systems]:
        advice = "; the text of a human reference can be given with --human-references NAME=FILE"
        invocation.say(f"human scores without an output are left out: {', '.join(unknown)}{advice}")
    if unjudged := [name for name in systems if name not in human.systems]:
        invocation.say(f"left out, without human scores: {', '.join(unjudged)}")
    if (known := len(systems) - len(unjudged)) == 2:
        invocation.say("with two systems the correlation of any metric is 1 or -1")
    elif known < _FEW_SYSTEMS:
        invocation.say(f"{known} systems are few: intervals are over segments, and say nothing of other systems")


_FEW_SYSTEMS = 8
"""Below which figures of systems would be others with one system more or less."""


def _say_same(invocation: Invocation, texts: _Texts) -> None:
    """Say where outputs are references; and where two are the same: they are one system, which counts twice."""
    from corpusdb.scoring.queries.scoring import freezing_notes, notes_on_sameness

    systems: dict[tuple[str, ...], list[str]] = {}
    for each in texts.outputs:
        systems.setdefault(each.texts, []).append(each.system)
    alike = (" and ".join(names) for names in systems.values() if len(names) > 1)
    say_how_read(invocation, (f"{names} are the same text: tied by every metric" for names in alike))
    if texts.references:
        references = texts.references.references
        say_how_read(invocation, notes_on_sameness(texts.outputs, references))
        say_how_read(invocation, freezing_notes(texts.outputs, references.freezing))


def _computed(invocation: Invocation, texts: _Texts, choice: VariantChoice) -> list[ComputedScores]:
    from corpusdb.scoring.queries.scoring import note_on_words
    from corpusdb.scoring.queries.variant_scores import computing_scores

    if texts.references is None:
        return []
    found = invocation.run(computing_scores(texts.outputs, texts.references, choice, usable_cores()))
    notes = (note_on_words(each.measure.settings, each.name, texts.references.sets) for each in found)
    say_how_read(invocation, dict.fromkeys(filter(None, notes)))
    return found


def _choice(options: AgreementOptions) -> VariantChoice:
    """The variants that are asked for. Raises UsageError for what cannot be, before anything is read or made."""
    from corpusdb.scoring.queries.variant_scores import VariantChoice, variant_settings

    metrics = parse_metrics(options.metric)
    refuse_of_others(options, metrics)
    if not options.references.replace("all", "").strip(", "):
        refuse_given(options, ("draws",), "{} is of --references that are drawn, such as 1,2,all")
    choice = VariantChoice(
        metrics=metrics,
        units=names_in(options.unit),
        orders=[_number(each, "--order") for each in names_in(options.order)] or [None],
        tokenisations=names_in(options.tokenise) or [None],
        lowercase=options.lowercase,
        smoothing=parse_smoothing(options.smoothing),
        references=[None if each == "all" else _number(each, "--references") for each in names_in(options.references)],
        origins=[each.split("+") for each in names_in(options.origins)],
        draws=options.draws,
        seed=options.seed,
        chrf=options.chrf,
        ter=options.ter,
    )
    variant_settings(choice)
    _check_origins(options, {name for names in choice.origins for name in names})
    return choice


def _check_origins(options: AgreementOptions, names: Collection[str]) -> None:
    """Raise UsageError for an origin that neither the corpus has nor a file may have."""
    from corpusdb.scoring.queries.reference_sets import reference_origins
    from corpusdb.scoring.queries.variant_scores import ALL_ORIGINS

    known = [*reference_origins(), *(each.partition(":")[0] for each in options.ref if ":" in each)]
    may_have_others = options.ref_set or any(Path(each).suffix in (".jsonl", ".tsv") for each in options.ref)
    for name in names:
        if options.ref_from and not may_have_others and name not in (ALL_ORIGINS, *known):
            raise UsageError(f"there are no references of the origin {name!r}; the corpus has {', '.join(known)}")


def _number(text: str, option: str) -> int:
    if not (text.isascii() and text.isdigit() and number_of(text)):
        raise UsageError(f"{option} takes numbers from 1 with commas between them, unlike {text!r}")
    return number_of(text)


def _limits(given: str | None) -> list[float]:
    limits = names_in(given)
    for each in limits:
        if not (each.replace(".", "", 1).isdecimal() and 0 < float(each) < 1):
            raise UsageError(f"--human-p takes numbers above 0 and below 1, with commas between them, unlike {each!r}")
    return list(map(float, limits))


def _levels(text: str) -> list[Level]:
    from corpusdb.scoring.queries.agreement_figures import LEVELS

    wanted = names_in(text)
    if not wanted or not set(wanted) <= set(LEVELS):
        raise UsageError(f"--level takes {', '.join(LEVELS)}, or both with a comma; not {text!r}")
    return [level for level in LEVELS if level in wanted]


_SCALE = (
    "1 is as people have it; chance is 0 for correlations, 0.5 for pairwise_accuracy (PA) and soft_pairwise (SPA);"
    " acc_eq: pairs of outputs with the order, or the tie, that people have; n: systems, or outputs that people scored;"
    " `corpusdb guide agreement`"
)


@command("agreement", answers=True, kept=False)
def agreement(invocation: Invocation, options: AgreementOptions) -> int:
    """Measure how well scores agree with human scores.

    For systems: Pearson, Spearman, Kendall tau-b, and pairwise accuracy, plain and soft. For segments: Pearson,
    Kendall, and pairwise accuracy with ties (acc_eq), over all outputs, within systems and within segments. `corpusdb
    guide agreement` explains them. Lists with commas make variants, all computed in one call: --metric bleu,chrf --unit
    word,char --order 1,2,4 --references 1,2,all.

    --by length and novelty make four classes of segments; novelty is the share of n-grams of 1 to 4 words in the
    outputs (characters in scripts without spaces) that match no reference of the segment.
    """
    from corpusdb.scoring.comparison_report import documents_of, format_best, remarks
    from corpusdb.scoring.queries.agreement import agreement as measured
    from corpusdb.scoring.queries.agreement import pooled

    _refuse_idle(invocation, options)
    if options.clusters:
        return _show_clusters(invocation, options)
    judged, question = read_judged(invocation, options)
    report = invocation.run(measured(judged, question))
    report = pooled(report, [_written(path) for path in options.pool]) if options.pool else report
    if invocation.json and not options.wide:
        write_json(documents_of(report, question))
    else:
        has_intervals = _write_tables(invocation, report, wide=options.wide)
    if invocation.format in FOR_PEOPLE:
        told = remarks(report, question, is_table=True, is_wide=not has_intervals)
        is_without = not (has_intervals or options.wide) and any(each.figure.interval for each in report.figures)
        no_room = ["intervals that have no room here: --format tsv"] * is_without
        write_below(invocation, [*format_best(report), _SCALE, *no_room, *told])
    else:
        say_how_read(invocation, remarks(report, question, is_wide=options.wide))
    return len(report.figures)


def _refuse_idle(invocation: Invocation, options: AgreementOptions) -> None:
    """Raise UsageError for options without an effect beside --clusters or --wide."""
    told = "--clusters is of the scores of --human alone, and has no {}"
    if options.clusters and options.hypotheses:
        raise UsageError(told.format("HYP..."))
    idle = {each.name for each in fields(options)}.difference(_OF_CLUSTERS) if options.clusters else set()
    refuse_given(options, idle, told)
    if options.wide and invocation.format not in FOR_PEOPLE:
        refuse_given(options, ("compare",), "--wide has agreement alone, and no {}")


def _write_tables(invocation: Invocation, report: AgreementReport, *, wide: bool) -> bool:
    """Whether the table has intervals."""
    from corpusdb.scoring.comparison_report import comparison_table, figure_table, long_table, wide_table

    is_read, has_intervals = invocation.format in FOR_PEOPLE, not wide
    if wide:
        columns, rows = wide_table(report, is_read=is_read)
    elif is_read:
        (columns, rows), has_intervals = figure_table(report, room_of_table())
    else:
        columns, rows = long_table(report)
    if invocation.json:
        write_json([dict(zip(columns, row, strict=True)) for row in rows])
        return has_intervals
    show_table(invocation, columns, rows)
    if report.comparisons and is_read:
        write_line()
        show_table(invocation, *comparison_table(report))
    return has_intervals


def _written(path: Path) -> list[dict[str, Any]]:
    """What `agreement --json` wrote of a test set. Raises InputError for anything else."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        if all({"name", "statistic", "value", "n"} <= row.keys() for row in rows):
            return list(rows)
    except (OSError, UnicodeError, ValueError, AttributeError, TypeError) as error:
        raise InputError(f"it is not what `corpusdb agreement --json` writes: {error}", path=path) from error
    raise InputError("it is not what `corpusdb agreement --json` writes", path=path)
