"""The command that tells how far scores agree with people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Argument, Option, number_of
from corpusdb.commands.command import command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import write_json, write_line, write_text
from corpusdb.rules.choice_options import DEFAULT_MOST
from corpusdb.scoring.input_options import read_frozen
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

if TYPE_CHECKING:
    from corpusdb.corpus.formats.score_file import ScoreFile
    from corpusdb.corpus.formats.scoring_input import HumanJudgements
    from corpusdb.corpus.formats.segments import Output, Segmentation
    from corpusdb.scoring.queries.agreement import JudgedSystems, Question, VariantChoice
    from corpusdb.scoring.queries.agreement_figures import ComputedScores, Level
    from corpusdb.scoring.queries.scoring_references import LabelledReferences

# The options of `agreement`, and what they name: outputs, references, human scores, documents.


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOptions(ScoreFileOptions):
    """What `agreement` takes."""

    hypotheses: Annotated[
        list[Path], Argument("Outputs of systems; the name of a file is that of its system.", metavar="HYP...")
    ] = field(default_factory=list)
    ref: Annotated[
        list[str], Option("References, of the origin that the file says, or original.", metavar="[ORIGIN:]FILE...")
    ] = field(default_factory=list)
    ref_set: Annotated[str | None, Option("The references of a frozen set of the database.", metavar="NAME")] = None
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
        Option("How words are told apart: 13a, intl, ja-sudachi ...", metavar="NAMES"),
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
    samples: Annotated[int, Option("Samples, and trials of tests.", metavar="N", least=1, most=1_000_000)] = 1000
    seed: Annotated[int, Option("Of all that is drawn at random.", metavar="NUMBER", least=0)] = 1
    confidence: Annotated[float, Option("Of the intervals.", metavar="SHARE", least=0.5, most=0.999)] = 0.95


@dataclass(frozen=True, slots=True)
class _Texts:
    """What is scored; without outputs, nothing, and only scores of others are looked at."""

    outputs: tuple[Output, ...] = ()
    references: LabelledReferences | None = None


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
    _say_same(invocation, texts.outputs)
    _say_same_as_references(invocation, texts)
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
        compare=_compared(options.compare),
        sampling=Sampling(options.samples, options.seed, options.confidence),
    )
    return JudgedSystems(names, ratings, scores, segments or 0), question


def _segments(files: Sequence[ScoreFile]) -> int | None:
    counts = [(each.usual_first is None, count) for each in files if (count := each.count())]
    whole = [count for is_whole, count in counts if is_whole]
    return whole[0] if whole else max((count for _, count in counts), default=None)


def _texts(invocation: Invocation, options: AgreementOptions) -> _Texts:
    from corpusdb.corpus.formats.scoring_input import read_output, with_distinct_names

    if not options.hypotheses and not options.human_references and not options.ref and options.ref_set is None:
        if not options.scores:
            raise UsageError("what is scored? Give HYP... with --ref FILE..., or --scores FILE...")
        return _Texts()
    references, segmentation = _references(invocation, options)
    outputs = [each for path in options.hypotheses for each in read_output(path, segmentation)]
    outputs = with_distinct_names(outputs)
    for name, path in _named_files(options.human_references):
        if name in (each.system for each in outputs):
            raise UsageError(f"{name} is a system and a human reference")
        (output,) = read_output(path, segmentation)
        _refuse_reference(output, path, references)
        outputs.append(replace(output, system=name))
    if not outputs:
        raise UsageError("what is scored? Give HYP..., the outputs of systems")
    return _Texts(tuple(outputs), references)


def _references(invocation: Invocation, options: AgreementOptions) -> tuple[LabelledReferences, Segmentation]:
    """The references of files, or of a frozen set, and how outputs are cut into their segments."""
    from corpusdb.corpus.formats.scoring_input import read_references
    from corpusdb.scoring.queries.scoring_references import LabelledReferences, references_from_files

    if options.ref and options.ref_set is not None:
        raise UsageError("--ref and --ref-set are two places for references; give one")
    if options.ref:
        paths = [Path(each) for each in options.ref]
        texts = read_references(paths)
        references, segmentation = references_from_files(texts, paths), texts.segmentation
    elif options.ref_set is not None:
        references, segmentation = read_frozen(invocation, options.ref_set)
    else:
        # A word behind --scores FILE is an output: it may have been meant as one more file of scores.
        hint = "; without outputs, each file of scores needs its own --scores" if _may_be_scores(options) else ""
        raise UsageError(f"where are the references? Give --ref FILE... or --ref-set NAME{hint}")
    added = with_rewritings(invocation, references, options.rules, options.max_rewritings)
    return LabelledReferences.of(added), segmentation


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


def _refuse_reference(output: Output, path: Path, references: LabelledReferences) -> None:
    """Raise InputError for a human reference that would be scored against itself."""
    if all(text in each.references for text, each in zip(output.texts, references.sets, strict=True)):
        reason = "it is among the references, and would be scored against itself: leave it out of --ref"
        raise InputError(reason, path=path)


def _say_same_as_references(invocation: Invocation, texts: _Texts) -> None:
    from corpusdb.scoring.queries.scoring import freezing_notes, notes_on_sameness

    if texts.references:
        references = texts.references.references
        say_how_read(invocation, notes_on_sameness(texts.outputs, references))
        say_how_read(invocation, freezing_notes(texts.outputs, references.freezing))


def _say_left_out(invocation: Invocation, systems: Sequence[str], human: HumanJudgements, segments: int) -> None:
    if human.left_out:
        scores = "human score is" if human.left_out == 1 else "human scores are"
        invocation.say(f"{human.left_out:,} {scores} left out: of segments beyond the {segments:,} that there are")
    if unknown := [name for name in human.systems if name not in systems]:
        advice = "; the text of a human reference can be given with --human-references NAME=FILE"
        invocation.say(f"human scores without an output are left out: {', '.join(unknown)}{advice}")
    if unjudged := [name for name in systems if name not in human.systems]:
        invocation.say(f"left out, because people did not score them: {', '.join(unjudged)}")


def _say_same(invocation: Invocation, outputs: Sequence[Output]) -> None:
    """Two systems with one output are one, and count twice."""
    systems: dict[tuple[str, ...], list[str]] = {}
    for each in outputs:
        systems.setdefault(each.texts, []).append(each.system)
    for names in systems.values():
        if len(names) > 1:
            invocation.say(f"{' and '.join(names)} are the same text: tied by every metric")


def _computed(invocation: Invocation, texts: _Texts, options: AgreementOptions) -> list[ComputedScores]:
    from corpusdb.base.jobs import usable_cores
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


def _compared(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [] if text.strip() == "all" else _list(text)


# The command that tells how far scores agree with people.


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

    judged, question = read_judged(invocation, options)
    report = invocation.run(measured(judged, question), resumes=False)
    if invocation.json:
        write_json(documents_of(report, question))
    elif invocation.format == "table":
        invocation.show(*figure_table(report))
        if report.comparisons:
            write_line()
            invocation.show(*comparison_table(report))
    else:
        invocation.show(*long_table(report))
    for line in remarks(report, question, is_table=invocation.format == "table"):
        if invocation.format == "table":
            write_text(line)
        else:
            invocation.say(line)
    return len(report.figures)
