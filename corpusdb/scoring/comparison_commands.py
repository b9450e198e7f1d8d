"""The commands that compare systems, and that say how far metrics agree with people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Argument, Option, number_of
from corpusdb.commands.command import command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import is_terminal, write_json, write_line
from corpusdb.paraphrase.commands import MinValidity, Order
from corpusdb.rules.commands import DEFAULT_MOST
from corpusdb.scoring.input_options import (
    MeasureOptions,
    ReferenceOptions,
    expected_of,
    numbers_in,
    read_outputs,
    read_scored,
    read_with,
    settings_of,
    write_below,
)
from corpusdb.scoring.queries.metric_names import metric_names
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
from corpusdb.scoring.word_classes import WordClassOptions, with_word_classes

if TYPE_CHECKING:
    from corpusdb.corpus.formats.score_file import ScoreFile
    from corpusdb.corpus.formats.scoring_input import HumanJudgements
    from corpusdb.corpus.formats.segments import Output, Segmentation
    from corpusdb.scoring.metric_settings import MetricSettings
    from corpusdb.scoring.queries.agreement import JudgedSystems, Question, VariantChoice
    from corpusdb.scoring.queries.agreement_figures import ComputedScores, Level
    from corpusdb.scoring.queries.comparison import Asked, PairComparison, Section
    from corpusdb.scoring.queries.score_differences import OthersScores
    from corpusdb.scoring.queries.scoring_references import LabelledReferences, ScoringReferences


_NO_ORIGINS = (
    "section origins: nothing to compare, for the references are all people's, or it is not known where they come from;"
    " --ref-from corpus and --ref generated:FILE say it"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(MeasureOptions, ScoreFileOptions, WordClassOptions):
    systems: Annotated[list[Path], Argument("Outputs: files, or names of stored ones.", metavar="A B...")]
    set: Annotated[str | None, Option("Which reference set stored systems are scored with.", metavar="DIGEST")] = None
    metric: Annotated[str, Option(f"{', '.join(metric_names())}; segments go by the first.", metavar="NAMES")] = "bleu"
    scores: Annotated[list[Path], Option("Scores of others, as `scores import` takes.", metavar="FILE...")] = field(
        default_factory=list
    )
    section: Annotated[
        str | None,
        Option("Only scores, segments, ngrams, words, buckets, histograms or origins; with commas.", metavar="NAMES"),
    ] = None
    examples: Annotated[int, Option("Segments that are shown for each system; 0 is all.", metavar="N", least=0)] = 3
    ngrams: Annotated[int, Option("N-grams that are shown for each system; 0 is all.", metavar="N", least=0)] = 10
    lengths: Annotated[
        str | None, Option("Where classes of length begin; 10,20,30,40,50,60 words.", metavar="N,N...")
    ] = None
    page: Annotated[
        Path | None, Option("Write it also as a page of HTML with every segment, what matches marked.", metavar="FILE")
    ] = None
    documents: Annotated[Path | None, Option("A table: doc, first_segment, n_segments.", metavar="FILE")] = None
    min_segments: Annotated[
        int, Option("Least segments of a document in the table of documents.", metavar="N", least=1)
    ] = 5
    significance: Annotated[Literal["bootstrap", "randomisation"], Option("How differences are tested.")] = "bootstrap"
    samples: Annotated[int, Option("Samples or trials.", metavar="N", least=1, most=1_000_000)] = 1000
    seed: Annotated[int, Option("Of all that is drawn at random.", metavar="NUMBER", least=0)] = 1


@command("compare", answers=True, kept=False)
def compare(invocation: Invocation, options: CompareOptions) -> int:
    """Compare two systems: where is A better, and why.

    Differences are A - B. Sections: scores with intervals of 95 % and significance; segments in which one is better
    most; ngrams that one gets and the other does not; words by their frequency, in the references or, with --lang,
    in the corpus; buckets of segments by length, number of references, document and, with --lang, likeness to the
    corpus; histograms of lengths and of scores; origins, which differences come from generated references alone: of
    the corpus, or of --ref generated:FILE. More systems are compared with A one by one.

    A system that is not a file is one that `corpusdb score --store` keeps; without --ref, its references are those that
    it was scored with. Scores of others that are kept for it are shown, too.

    Other formats than text, which is table, and JSON have the section scores alone, a row for each metric.
    """
    from corpusdb.base.forks import usable_cores
    from corpusdb.scoring.queries.comparison import comparing
    from corpusdb.scoring.queries.metric_names import parse_metrics
    from corpusdb.scoring.queries.scoring import notes_on, scoring

    settings = [settings_of(options, name) for name in parse_metrics(options.metric)]
    if "scores" not in _sections(options.section) and _is_rows(invocation):  # before anything is read
        raise UsageError(f"--format {invocation.chosen_format} has the section scores, which is left out")
    if options.page is not None:
        from corpusdb.base.outputs import check_output

        check_output(options.page, invocation.guard(overwrite=invocation.overwrite))
    outputs, references = _read(invocation, options)
    asked = _asked(invocation, options, outputs, references, settings)
    scores = invocation.run(scoring(outputs, references, settings, usable_cores()), resumes=False)
    for note in dict.fromkeys(notes_on(outputs, references, scores[:1])):
        invocation.say(note)
    whole = asked if options.page is None else replace(asked, examples=0)
    found = invocation.run(comparing(outputs, references, scores, whole, usable_cores()), resumes=False)
    if options.page is not None:
        from corpusdb.base.outputs import Outputs
        from corpusdb.scoring.page_report import comparison_page

        with Outputs(invocation.guard(overwrite=invocation.overwrite)) as files, files.text(options.page) as file:
            file.writelines(comparison_page(found, references, settings[0], whole))
        shown = asked.examples or None
        found = [replace(x, better_a=x.better_a[:shown], better_b=x.better_b[:shown]) for x in found]
    if options.section is not None and "origins" in asked.sections and all(each.origins is None for each in found):
        invocation.say(_NO_ORIGINS)
    _tell(invocation, found, references, asked)
    return len(found)


def _is_rows(invocation: Invocation) -> bool:
    return invocation.chosen_format not in (None, "table", "json")


def _tell(invocation: Invocation, found: Sequence[PairComparison], references: ScoringReferences, asked: Asked) -> None:
    """Write the comparisons, and how many of the references of the corpus are expected to hold."""
    from corpusdb.scoring.comparison_report import DIFFERENCE_COLUMNS, comparison_lines, difference_rows, tried_by

    expected, nearness = expected_of(
        invocation, references.corpus_language, references.written, references.attributed, references.pivots
    )
    if expected is not None and (invocation.json or _is_rows(invocation)):
        invocation.say(expected)
    if invocation.json:
        return write_json([_document(each, references, nearness) for each in found])
    if _is_rows(invocation):
        digits = 4 if invocation.format in ("latex", "markdown") else None
        invocation.show(DIFFERENCE_COLUMNS, [row for each in found for row in difference_rows(each, digits)])
        return write_below(invocation, tried_by(asked)) if digits else None
    write_line(f"{references}, digest {references.digest[:16]}")
    if expected is not None:
        write_line(expected)
    write_line()
    for each in found:
        for line in comparison_lines(each, asked, whole_names=not is_terminal()):
            write_line(line)


def _sections(given: str | None) -> tuple[Section, ...]:
    """Those that were named, in the order in which they are shown. Raises UsageError for what is none."""
    from corpusdb.scoring.queries.comparison import SECTIONS

    if given is None:
        return SECTIONS
    names = {name.strip() for name in given.split(",")}
    for name in names.difference(SECTIONS):
        raise UsageError(f"there is no section {name!r}; there are {', '.join(SECTIONS)}")
    return tuple(section for section in SECTIONS if section in names)


def _read(invocation: Invocation, options: CompareOptions) -> tuple[list[Output], ScoringReferences]:
    from corpusdb.corpus.formats.scoring_input import with_distinct_names

    if options.ref or options.ref_from or options.ref_set is not None:
        if options.set is not None:
            raise UsageError("--set is one of the reference sets that are stored, and others are given")
        return read_scored(invocation, options.systems, options, lambda *what: _outputs(invocation, *what))
    files = [path for path in options.systems if _is_file(path)]
    if files:
        raise UsageError(f"{files[0]} is a file; where are its references? Give --ref FILE...")
    if options.rules is not None:
        raise UsageError("stored scores have their own references: --rules needs --ref, --ref-from or --ref-set")
    from corpusdb.scoring.queries.comparison import stored_comparison

    names = [str(path) for path in options.systems]
    outputs, references = invocation.look(lambda store: invocation.run(stored_comparison(store, names, options.set)))
    return with_distinct_names(outputs), references


def _is_file(path: Path) -> bool:
    return str(path) == "-" or path.is_file()


def _outputs(invocation: Invocation, systems: Sequence[Path], segmentation: Segmentation) -> list[Output]:
    """The outputs, of files and of the database, in the order in which they were named."""
    from corpusdb.scoring.queries.comparison import stored_system

    if all(_is_file(path) for path in systems) or not invocation.path.exists():
        return read_outputs(systems, segmentation)
    outputs: list[Output] = []
    with invocation.reading() as store:
        for path in systems:
            if _is_file(path):
                outputs += read_outputs([path], segmentation)
            else:
                outputs.append(stored_system(store, str(path), len(segmentation.lines)))
    return outputs


def _asked(
    invocation: Invocation,
    options: CompareOptions,
    outputs: Sequence[Output],
    references: ScoringReferences,
    settings: Sequence[MetricSettings],
) -> Asked:
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.queries.comparison import Asked
    from corpusdb.scoring.queries.scoring import Sampling

    asked = Asked(
        sections=_sections(options.section),
        test=options.significance,
        sampling=Sampling(options.samples, options.seed),
        examples=options.examples,
        ngrams=options.ngrams,
        lengths=tuple(sorted(set(numbers_in(options.lengths)))) if options.lengths else (),
        documents=tuple(read_documents(options.documents, len(references.sets))) if options.documents else (),
        least_document=options.min_segments,
    )
    if "scores" in asked.sections:
        asked = replace(asked, others=tuple(_others(invocation, options, outputs)))
    if "words" in asked.sections:
        asked = with_word_classes(asked, options, options.source, outputs, references, settings)
    if options.lang is None or not {"words", "buckets"} & {*asked.sections}:
        return asked
    from corpusdb.base.text import language_code
    from corpusdb.scoring.queries.comparison import in_corpus

    language, texts = language_code(options.lang), [output.texts for output in outputs]
    with invocation.reading() as store:
        found = in_corpus(store, language, texts, references.texts, settings)
    if found.likeness is None:
        invocation.say(f"no n-grams of {language} are indexed, so that likeness to the corpus is not known")
    return replace(asked, likeness=found.likeness, frequencies=asked.frequencies or found.frequencies)


def _others(invocation: Invocation, options: CompareOptions, outputs: Sequence[Output]) -> list[OthersScores]:
    """The scores of others in files, then those that are kept for systems of the database."""
    from corpusdb.scoring.queries.imported_scores import imported_scores
    from corpusdb.scoring.queries.score_differences import scores_in_files, scores_kept

    files = read_score_files(options.scores, score_reading(options))
    found = scores_in_files(arranged(invocation, files, len(outputs[0].texts)), outputs)
    if not all(_is_file(path) for path in options.systems):
        with invocation.reading() as store:
            found += scores_kept(imported_scores(store), outputs)
    return found


def _document(
    found: PairComparison, references: ScoringReferences, nearness: Mapping[str, object] | None
) -> dict[str, object]:
    """Accuracies with what follows from their counts; n-grams as the units that they are."""
    document = asdict(found)
    for each, words in zip(document["words"], found.words, strict=True):
        for letter, counts in (("a", words.a), ("b", words.b)):
            each[letter] |= {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    more = {} if nearness is None else {"corpus": nearness}
    return {"references": {"segments": len(references.sets), "digest": references.digest}} | more | document


# The options of `agreement`, and what they name: outputs, references, human scores, documents.


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOptions(ScoreFileOptions):
    hypotheses: Annotated[
        list[Path], Argument("Outputs of systems; the name of a file is that of its system.", metavar="HYP...")
    ] = field(default_factory=list)
    ref: Annotated[
        list[str], Option("References, of the origin that the file says, or original.", metavar="[ORIGIN:]FILE...")
    ] = field(default_factory=list)
    ref_set: Annotated[str | None, Option("The references of a frozen set of the database.", metavar="NAME")] = None
    ref_from: Annotated[
        Literal["corpus"] | None,
        Option("References from the database, as in `score`: by --source, and of --ref their paraphrases."),
    ] = None
    source: Annotated[Path | None, Option("What was translated, one segment a line.", metavar="FILE")] = None
    lang: Annotated[str | None, Option("Language of references from the corpus.", metavar="LANG")] = None
    fluency: Order = 20
    min_validity: MinValidity = None
    limit: Annotated[
        int, Option("References from the corpus a segment; 0 is all.", "--limit -n", metavar="N", least=0)
    ] = 20
    rules: RulesIfAny = None
    max_rewritings: MostOfReference = DEFAULT_MOST
    human: Annotated[
        Path, Option("Human scores: a table with system, segment, z; MQM, ESA; NAME.seg.score.", metavar="FILE")
    ]
    human_column: Annotated[
        str | None,
        Option("The column that holds these; z, or the only one.", metavar="NAME"),
    ] = None
    human_references: Annotated[
        list[str], Option("A human translation that people judged as NAME.", metavar="NAME=FILE")
    ] = field(default_factory=list)
    scores: Annotated[
        list[Path],
        Option("Scores of others: COMET, sacrebleu, tables, METRIC.seg.score; guide files.", metavar="FILE..."),
    ] = field(default_factory=list)
    metric: Annotated[str, Option(f"{', '.join(metric_names())}; with commas.", metavar="NAMES")] = "bleu"
    unit: Annotated[str, Option("word, char or word,char.", metavar="UNITS")] = "word"
    order: Annotated[str | None, Option("Longest n-grams; 4 words, 18 characters.", metavar="N,...")] = None
    tokenise: Annotated[
        str | None,
        Option("How texts are split into words: 13a, intl, ja-sudachi, flores200=FILE ...", metavar="NAMES"),
    ] = None
    lowercase: Annotated[bool, Option("Fold case.")] = False
    smoothing: Annotated[str, Option("Of BLEU, as in `score`; of sentences exp.", metavar="METHOD")] = "none"
    references: Annotated[str, Option("How many of each segment, drawn at random: 1,2,all.", metavar="N,...")] = "all"
    origins: Annotated[
        str | None,
        Option("Origins, + for together: original,original+generated.", metavar="NAMES"),
    ] = None
    draws: Annotated[int, Option("Draws where not all are taken.", metavar="N", least=1, most=100_000)] = 10
    level: Annotated[str, Option("system, segment or both.", metavar="LEVELS")] = "system,segment"
    documents: Annotated[
        Path | None, Option("TSV with doc, first_segment, n_segments: intervals over documents, too.", metavar="FILE")
    ] = None
    by: Annotated[
        Literal["document", "domain", "length", "references", "novelty"] | None,
        Option("Each part of the test set by itself, too."),
    ] = None
    without_outliers: Annotated[bool, Option("Also without systems far from the others.")] = False
    compare: Annotated[
        str | None,
        Option("Which of these metrics is better: bleu,chrf, or all.", metavar="NAMES"),
    ] = None
    clusters: Annotated[bool, Option("Nothing but the systems of --human in clusters, as WMT prints them.")] = False
    samples: Annotated[int, Option("Samples, and trials of tests.", metavar="N", least=1, most=1_000_000)] = 1000
    seed: Annotated[int, Option("Of all that is drawn at random.", metavar="NUMBER", least=0)] = 1
    confidence: Annotated[float, Option("Of the intervals.", metavar="SHARE", least=0.5, most=0.999)] = 0.95


@dataclass(frozen=True, slots=True)
class _Texts:
    """What is scored; without outputs, nothing, and only scores of others are looked at."""

    outputs: tuple[Output, ...] = ()
    references: LabelledReferences | None = None


def _show_clusters(invocation: Invocation, options: AgreementOptions) -> int:
    """The systems that people scored, by what they said of segments. Raises InputError where they said nothing."""
    from corpusdb.corpus.formats.scoring_input import USUAL, human_judgements
    from corpusdb.scoring.queries.imported_scores import human_clusters
    from corpusdb.scoring.report import CLUSTERS_TOLD, cluster_table

    (judged,) = read_score_files([options.human], score_reading(options, [options.human_column or USUAL]))
    human = human_judgements(judged, options.human_column, judged.count())
    say_how_read(invocation, human.notes)
    found = human_clusters(human, options.human)
    if invocation.json:
        write_json([asdict(each) for each in found])
    else:
        invocation.show(*cluster_table(found))
    told = f"Wilcoxon's rank-sum test of the scores of segments, one-sided; {CLUSTERS_TOLD}"
    if invocation.format in ("table", "markdown", "latex"):
        write_below(invocation, [told])
    else:
        invocation.say(told)
    return len(found)


def read_judged(invocation: Invocation, options: AgreementOptions) -> tuple[JudgedSystems, Question]:
    """All that the options name, and talk that says what is left out.

    Raises UsageError where they do not say what is scored, and InputError for files that do not belong together.
    """
    from corpusdb.corpus.formats.scoring_input import USUAL, human_judgements, missing_segments, missing_systems
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.queries.agreement import JudgedSystems, Question, judged_systems
    from corpusdb.scoring.queries.agreement_figures import given_scores, parts_by
    from corpusdb.scoring.queries.imported_scores import format_means, human_ratings
    from corpusdb.scoring.queries.scoring import Sampling

    texts = _texts(invocation, options)
    how = score_reading(options, [options.human_column or USUAL])
    (judged,) = read_score_files([options.human], how)
    files = read_score_files(options.scores, how)
    segments = len(texts.outputs[0].texts) if texts.outputs else _segments(files)
    given = arranged(invocation, files, segments)
    human = human_judgements(judged, options.human_column, segments, leaves_out=True)
    say_how_read(invocation, human.notes)
    names = tuple(each.system for each in texts.outputs) or judged_systems(given, human)
    # Scores of whole systems alone do not tell how many segments there are, and need no scores of these.
    known = human if segments is not None else replace(human, segments={})
    ratings = human_ratings(known, names, segments or 0)
    _say_left_out(invocation, names, human, segments or 0)
    _say_same(invocation, texts)
    say_how_read(invocation, [*missing_systems(given, names), *missing_segments(given, names), *format_means(given)])
    computed = _computed(invocation, texts, options)
    scores = (*computed, *given_scores(given, names, segments, [each.name for each in computed]))
    if options.documents is not None and segments is None:
        raise UsageError("--documents needs scores of segments; there are only those of whole systems")
    documents = read_documents(options.documents, segments) if options.documents and segments else []
    question = Question(
        levels=_levels(options.level),
        documents=documents,
        parts=parts_by(options.by, documents, texts.outputs, texts.references) if options.by else (),
        without_outliers=options.without_outliers,
        compare=None if options.compare is None else [] if options.compare.strip() == "all" else _list(options.compare),
        sampling=Sampling(options.samples, options.seed, options.confidence),
    )
    return JudgedSystems(names, ratings, scores, segments or 0), question


def _segments(files: Sequence[ScoreFile]) -> int | None:
    counts = [(each.usual_first is None, count) for each in files if (count := each.count())]
    whole = [count for is_whole, count in counts if is_whole]
    return whole[0] if whole else max((count for _, count in counts), default=None)


_OF_CORPUS = ("ref_from", "source", "lang", "fluency", "min_validity", "limit")


def _texts(invocation: Invocation, options: AgreementOptions) -> _Texts:
    """The outputs and the references of files, of the corpus or of a frozen set."""
    from corpusdb.scoring.queries.scoring_references import LabelledReferences

    is_given = bool(options.ref or options.ref_from) or options.ref_set is not None
    if not options.hypotheses and not options.human_references and not is_given:
        if not options.scores:
            raise UsageError("what is scored? Give HYP... with --ref FILE..., or --scores FILE...")
        return _Texts()
    if (options.ref or options.ref_from) and options.ref_set is not None:
        raise UsageError("--ref and --ref-set are two places for references; give one")
    if not is_given:
        # A word behind --scores FILE is an output: it may have been meant as one more file of scores.
        hint = "; without outputs, each file of scores needs its own --scores" if _may_be_scores(options) else ""
        raise UsageError(f"where are the references? Give --ref FILE..., --ref-from corpus or --ref-set NAME{hint}")
    of_corpus = {name: getattr(options, name) for name in _OF_CORPUS}
    of = ReferenceOptions(ref=list(map(Path, options.ref)), ref_set=options.ref_set, **of_corpus)
    outputs, found = read_with(invocation, lambda segmentation: _read_judged_outputs(options, segmentation), of)
    if not outputs:
        raise UsageError("what is scored? Give HYP..., the outputs of systems")
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


def _may_be_scores(options: AgreementOptions) -> bool:
    """Whether one of the outputs has lines of cells, as scores have, rather than of text."""
    from corpusdb.corpus.formats.scoring_input import looks_like_scores

    return bool(options.scores) and any(not each.is_file() or looks_like_scores(each) for each in options.hypotheses)


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
        invocation.say(f"{human.left_out:,} {scores} left out: of segments beyond the {segments:,} that there are")
    if unknown := [name for name in human.systems if name not in systems]:
        advice = "; the text of a human reference can be given with --human-references NAME=FILE"
        invocation.say(f"human scores without an output are left out: {', '.join(unknown)}{advice}")
    if unjudged := [name for name in systems if name not in human.systems]:
        invocation.say(f"left out, because people did not score them: {', '.join(unjudged)}")


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


def _computed(invocation: Invocation, texts: _Texts, options: AgreementOptions) -> list[ComputedScores]:
    from corpusdb.base.forks import usable_cores
    from corpusdb.scoring.queries.agreement import computing_scores

    if texts.references is None:
        return []
    job = computing_scores(texts.outputs, texts.references, _choice(options), usable_cores())
    return invocation.run(job, resumes=False)


def _choice(options: AgreementOptions) -> VariantChoice:
    from corpusdb.scoring.queries.agreement import VariantChoice
    from corpusdb.scoring.queries.metric_names import parse_metrics, parse_smoothing

    return VariantChoice(
        metrics=parse_metrics(options.metric),
        units=_list(options.unit),
        orders=[_number(each, "--order") for each in _list(options.order or "")] or [None],
        tokenisations=_list(options.tokenise or "") or [None],
        lowercase=options.lowercase,
        smoothing=parse_smoothing(options.smoothing),
        references=[None if each == "all" else _number(each, "--references") for each in _list(options.references)],
        origins=[each.split("+") for each in _list(options.origins or "")],
        draws=options.draws,
        seed=options.seed,
    )


def _list(text: str) -> list[str]:
    """Words with commas between them, each once."""
    return list(dict.fromkeys(each.strip() for each in text.split(",") if each.strip()))


def _number(text: str, option: str) -> int:
    if not (text.isascii() and text.isdigit() and number_of(text)):
        raise UsageError(f"{option} takes numbers from 1 with commas between them, unlike {text!r}")
    return number_of(text)


def _levels(text: str) -> list[Level]:
    from corpusdb.scoring.queries.agreement_figures import LEVELS

    wanted = _list(text)
    if not wanted or not set(wanted) <= set(LEVELS):
        raise UsageError(f"--level takes {', '.join(LEVELS)}, or both with a comma; not {text!r}")
    return [level for level in LEVELS if level in wanted]


@command("agreement", answers=True, kept=False)
def agreement(invocation: Invocation, options: AgreementOptions) -> int:
    """Tell how far scores agree with those of people.

    Of systems: Pearson, Spearman, Kendall tau-b, and the share of pairs of systems that are in the order in which
    people have them. Of segments: Pearson, Kendall, and the same share with ties (acc_eq), over all outputs, within
    systems and within segments. `corpusdb guide agreement` explains them. Lists with commas make variants, which are
    compared in one call: --metric bleu,chrf --unit word,char --order 1,2,4 --references 1,2,all.

    --by length and novelty make four classes of segments; novelty is the share of the n-grams of 1 to 4 words in the
    outputs (characters where the script has no spaces) that no reference of the segment matches.
    """
    from corpusdb.scoring.comparison_report import comparison_table, documents_of, figure_table, long_table, remarks
    from corpusdb.scoring.queries.agreement import agreement as measured

    if options.clusters:
        return _show_clusters(invocation, options)
    judged, question = read_judged(invocation, options)
    report = invocation.run(measured(judged, question), resumes=False)
    if invocation.json:
        write_json(documents_of(report, question))
    elif invocation.format in ("table", "markdown", "latex"):
        invocation.show(*figure_table(report))
        if report.comparisons:
            write_line()
            invocation.show(*comparison_table(report))
        write_below(invocation, remarks(report, question, is_table=True))
        return len(report.figures)
    else:
        invocation.show(*long_table(report))
    for line in remarks(report, question):
        invocation.say(line)
    return len(report.figures)
