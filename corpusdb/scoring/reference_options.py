"""Options of several commands: what is substituted in references, what rules make of them, scores of others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, TypeAlias

from corpusdb.base.display import json_line
from corpusdb.base.errors import DatabaseMissing, InputError, UsageError
from corpusdb.base.options import Headings, Option, refuse_given
from corpusdb.base.outputs import Guard, Outputs, check_output
from corpusdb.base.text import language_code
from corpusdb.commands.invocation import Invocation
from corpusdb.rules.commands import DEFAULT_MOST, method_for

if TYPE_CHECKING:
    from corpusdb.alignment.equivalence import LeftOut
    from corpusdb.corpus.formats import ReferenceSet
    from corpusdb.corpus.formats.score_file import ExternalScores, ScoreFile
    from corpusdb.corpus.formats.scoring_input import ScoreReading
    from corpusdb.rules.queries.rewritings import RewritingReport
    from corpusdb.scoring.queries.recipe import SubstitutionRecipe
    from corpusdb.scoring.queries.reference_equivalents import EquivalentDerivation, ReferenceEquivalents
    from corpusdb.scoring.queries.scoring_references import RewrittenReferences, ScoringReferences
    from corpusdb.scoring.substituted_measures import LatticeReferences

_LEAST: Final = ("min_count", "min_pivot", "min_cover", "min_languages", "min_probability")
"""What the recipe has its own values for, unless these are given."""
_LEFT_OUT: Final[Mapping[str, LeftOut]] = {
    "drop": "closed",
    "prepositions": "prepositions",
    "auxiliaries": "auxiliaries",
    "keep": "nothing",
}


@dataclass(frozen=True, kw_only=True)  # without slots, so that it can stand beside other options
class EquivalentChoice:
    """Which equivalents are put into references; the defaults were chosen on one test set, see the guide."""

    HEADED: ClassVar[Headings] = {"Equivalents": ()}

    equivalents_from: Annotated[
        Literal["bitext", "corpus"] | None,
        Option("Align --source and --ref, or use the alignments of the database (default: corpus, if it has any)."),
    ] = None
    substitutions: Annotated[
        str, Option("Substitute this many equivalents at a time: 1, 2 ... or any.", metavar="N")
    ] = "any"
    links: Annotated[
        Literal["intersection", "grow-diag-final-and"], Option("Links from which phrases are extracted.")
    ] = "intersection"
    closed_class: Annotated[
        Literal["drop", "prepositions", "auxiliaries", "keep"] | None,
        Option(
            "Closed-class words (the, of, she ...): drop all, drop only prepositions or auxiliaries (be, have "
            "...), or keep all (default: auxiliaries from a corpus, else drop)."
        ),
    ] = None
    min_count: Annotated[
        int | None, Option("Minimum count of both with one source phrase (default: 2).", metavar="N", least=1)
    ] = None
    min_pivot: Annotated[
        float | None,
        Option("Minimum p(equivalent | phrase) (default: 0.1; from a corpus 0).", metavar="P", least=0, most=1),
    ] = None
    min_cover: Annotated[
        float | None,
        Option(
            "Minimum share of a source phrase's links that go to the two (default: 0.75).",
            metavar="P",
            least=0,
            most=1,
        ),
    ] = None
    min_languages: Annotated[
        int | None,
        Option("Minimum number of languages that show it (default for equivalents: 1).", metavar="N", least=1),
    ] = None
    min_probability: Annotated[
        float | None,
        Option(
            "From a corpus: minimum probability that it holds in its sentence (default: 0.7).",
            metavar="P",
            least=0,
            most=1,
        ),
    ] = None
    context_words: Annotated[
        int | None,
        Option("Require that sequences of this many words were seen there (default: 2).", metavar="N", least=2, most=3),
    ] = None
    anywhere: Annotated[bool, Option("Substitute in any context.")] = False
    with_parts: Annotated[
        bool, Option("Include phrases that contain the phrase or are part of it: first, first time.")
    ] = False
    with_forms: Annotated[bool, Option("Include other forms and names: year, years; May, month.")] = False
    best_only: Annotated[bool, Option("Only the most probable equivalent of each phrase.")] = False
    spellings: Annotated[
        bool,
        Option(
            "Include spelling variants: hyphens, dates, numbers, colour and color.",
            "--spellings/--no-spellings",
        ),
    ] = False
    credit: Annotated[
        float | None,
        Option(
            "Credit for n-grams that only equivalents match (default: 1). Below 1, other word forms get it too "
            "(help, helped; not in chrF), and the default from a corpus is --min-probability 0.3 --anywhere.",
            metavar="C",
            least=0.01,
            most=1,
        ),
    ] = None
    with_rejected: Annotated[bool, Option("Include equivalents rejected in the database (`rejections`).")] = False
    tokenise_source: Annotated[
        Literal["none", "13a", "intl", "char", "ja-mecab", "zh", "ja-sudachi", "ja-sudachi-pos"] | None,
        Option("Tokeniser for the source; none splits at spaces."),
    ] = None
    alignment: Annotated[
        Path | None, Option("Links of another aligner: Pharaoh lines, or A3 of GIZA++.", metavar="FILE")
    ] = None
    alignment_text: Annotated[
        Path | None, Option("With --alignment: the tokens, as source ||| reference.", metavar="FILE")
    ] = None
    phrase_table: Annotated[Path | None, Option("Phrases of Moses, with their counts.", metavar="FILE")] = None


def recipe_of(options: EquivalentChoice) -> SubstitutionRecipe:
    """The recipe that the options ask for; what was rejected in a database is not in it, see derivation_of.

    Where they do not say where equivalents come from it is one of the source, unless only a database has what they ask.
    Raises UsageError for substitutions that are no number, and for what makes no sense together.
    """
    from corpusdb.scoring.queries.recipe import CORPUS, PARTIAL, SubstitutionRecipe, parse_substitutions

    of_corpus = [each for each in _LEAST[-2:] if getattr(options, each) is not None]
    is_corpus = options.equivalents_from == "corpus" or (options.equivalents_from is None and bool(of_corpus))
    if options.anywhere and options.context_words is not None:
        raise UsageError("--anywhere and --context-words exclude each other")
    if of_corpus and not is_corpus:
        raise UsageError(f"--{of_corpus[0].replace('_', '-')} is for --equivalents-from corpus")
    _check_files(options, is_corpus=is_corpus)
    if is_corpus and _is_of_source(options):
        raise UsageError("--equivalents-from corpus aligns no source: no --tokenise-source, --links or --min-cover")
    credit = 1.0 if options.credit is None else options.credit
    of_a_corpus = CORPUS if credit == 1 else PARTIAL
    usual = of_a_corpus if is_corpus else SubstitutionRecipe()
    context = usual.context if options.context_words is None else options.context_words
    return replace(
        usual,
        links=options.links,
        left_out=_LEFT_OUT.get(options.closed_class or "", usual.left_out),
        context=0 if options.anywhere else context,
        with_parts=options.with_parts,
        with_forms=options.with_forms,
        best_only=options.best_only,
        credit=credit,
        spellings=options.spellings,
        most=parse_substitutions(options.substitutions),
        **{name: value for name in _LEAST if (value := getattr(options, name)) is not None},
    )


def _check_files(options: EquivalentChoice, *, is_corpus: bool) -> None:
    given = [each for each in (options.alignment, options.alignment_text, options.phrase_table) if each is not None]
    if is_corpus and given:
        raise UsageError(
            "--equivalents-from corpus takes no files; `corpusdb align --links` takes links into a database"
        )
    if options.alignment_text is not None and options.alignment is None:
        raise UsageError("--alignment-text is the text of the links that --alignment names")
    if given and options.links != "intersection":
        raise UsageError("--links is for texts aligned here; links of a file are used unchanged")
    if options.phrase_table is not None and (options.alignment, options.tokenise_source) != (None, None):
        raise UsageError("--phrase-table has its phrases: no --alignment and no --tokenise-source")


def _is_of_source(options: EquivalentChoice) -> bool:
    """Whether they ask for what only aligning the source gives."""
    files = (options.alignment, options.alignment_text, options.phrase_table)
    asked = (options.tokenise_source, options.links, options.min_cover)
    return asked != (None, "intersection", None) or any(each is not None for each in files)


def _with_origin(invocation: Invocation, options: EquivalentChoice, language: str) -> EquivalentChoice:
    """The options with a database as the origin where none is told and one has what they ask for."""
    from corpusdb.alignment.queries.phrases import aligned_languages

    if options.equivalents_from is not None or _is_of_source(options) or not invocation.path.exists():
        return options
    with invocation.reading() as store:
        if language not in aligned_languages(store):
            return options
    invocation.say(f"equivalents from the alignments in {invocation.path}; --equivalents-from bitext aligns the source")
    return replace(options, equivalents_from="corpus")


def _recipe_for(invocation: Invocation, options: EquivalentChoice, language: str) -> SubstitutionRecipe:
    """The recipe that the options ask for, and what was rejected of this language in the database, if there is one.

    Raises as recipe_of does, and DatabaseMissing where a database that was named, or is needed, is not there.
    """
    recipe = recipe_of(_with_origin(invocation, options, language))
    if recipe.origin == "corpus" and not invocation.path.exists():
        reason = "there is no such database, and --equivalents-from corpus takes what `corpusdb align` aligned in one"
        raise DatabaseMissing(f"{reason}; without it the bitext alone is used, and no database", path=invocation.path)
    if options.with_rejected or (invocation.chosen is None and not invocation.path.exists()):
        return recipe
    from corpusdb.alignment.queries.phrases import rejections

    with invocation.reading() as store:
        rejected = rejections(store, language)
    if rejected:
        pairs = "1 pair" if len(rejected) == 1 else f"{len(rejected):,} pairs"
        invocation.say(f"left out: {pairs} rejected in {invocation.path}; --with-rejected includes them")
    return replace(recipe, rejected=rejected)


def derivation_of(invocation: Invocation, options: EquivalentChoice, language: str) -> EquivalentDerivation:
    """How the options make equivalents for references in a language. Raises as recipe_of does, and DatabaseMissing
    where a database that was named, or is needed, is not there.
    """
    from corpusdb.alignment.queries.aligner_files import AlignerFiles
    from corpusdb.scoring.queries.reference_equivalents import EquivalentDerivation

    paths = options.alignment, options.alignment_text, options.phrase_table
    files = AlignerFiles(*("" if path is None else str(path.absolute()) for path in paths)) if any(paths) else None
    return EquivalentDerivation(language, _recipe_for(invocation, options, language), options.tokenise_source, files)


def derived(
    invocation: Invocation,
    sets: Sequence[ReferenceSet],
    made_by: EquivalentDerivation,
    *others: SubstitutionRecipe,
) -> ReferenceEquivalents:
    """The equivalents of references by a derivation, and for ``others``, from the sources or the database.

    The progress is shown, and what is to be known of the texts is said.
    """
    from corpusdb.scoring.queries.reference_equivalents import bitext_notes, closed_class_notes, derived_equivalents

    links = [each.links for each in others]
    for note in closed_class_notes(made_by.language, made_by.recipe):
        invocation.say(note)
    if made_by.recipe.origin == "corpus":
        with invocation.reading() as store:
            return invocation.run(derived_equivalents(store, sets, made_by))
    for note in bitext_notes(sets, made_by.tokenise_source):
        invocation.say(note)
    return invocation.run(derived_equivalents(None, sets, made_by, links))


NO_SOURCE: Final = (
    "--equivalents come from aligning what was translated with its references: --source and --ref; "
    "or --equivalents-from corpus"
)


def refuse_choice(options: EquivalentChoice, but: Collection[str] = ()) -> None:
    """Raise UsageError for a choice of equivalents, apart from some options, where none are put into references."""
    names = {each.name for each in fields(EquivalentChoice)}.difference(but)
    refuse_given(options, names, "{} chooses equivalents, and needs --equivalents")


def check_choice(
    options: EquivalentChoice, language: str | None, files: Sequence[Path], metrics: Iterable[str]
) -> None:
    """Raise UsageError for options that do not belong together, before anything is read or aligned."""
    from corpusdb.scoring.substituted_measures import LATTICE_METRICS

    recipe_of(options)
    language_of_references(language, files)
    for metric in metrics:
        if metric not in LATTICE_METRICS:
            raise UsageError(f"{metric} has no score with --equivalents; {', '.join(LATTICE_METRICS)} have")


def substituted(
    invocation: Invocation,
    sets: Sequence[ReferenceSet],
    options: EquivalentChoice,
    language: str,
    *,
    have_sources: bool,
) -> tuple[LatticeReferences, EquivalentDerivation]:
    """The references with what the options put in, and how it was derived; the talk says how much that is.

    Raises as derivation_of does, and UsageError where what was translated is needed and not there.
    """
    from corpusdb.scoring.queries.scoring import substitution_note

    made_by = derivation_of(invocation, options, language)
    if made_by.recipe.origin == "bitext" and not have_sources:
        raise UsageError(NO_SOURCE)
    found = derived(invocation, sets, made_by)
    lattices = found.lattices(made_by.recipe)
    invocation.say(substitution_note(found, made_by.recipe, lattices))
    return lattices, made_by


def language_of_references(given: str | None, files: Sequence[Path]) -> str:
    """The language that was given, or that of the extension of the first file that has one: ref.A.en.

    Raises UsageError where neither tells it.
    """
    if given is not None:
        return language_code(given)
    for path in files:
        try:
            return language_code(path.suffix.removeprefix("."))
        except InputError:
            continue
    raise UsageError(f"{NO_LANGUAGE}{f', or call their file {files[0].stem}.en' if files else ''}")


NO_LANGUAGE: Final = "in which language are the references? Add it, such as --lang eng"


# The options by which references are rewritten, and the references with what rules made of them.


RulesIfAny: TypeAlias = Annotated[
    str | None, Option("Add rewritings of Japanese references by rules: polite, all ...", "--rules", metavar="SET")
]
MostOfReference: TypeAlias = Annotated[
    int, Option("With --rules: at most this many rewritings per reference.", metavar="N", least=1, most=1000)
]


def with_rewritings(
    invocation: Invocation, references: ScoringReferences, rules: str | None, most: int
) -> ScoringReferences:
    """The references to score with, and what rules make of them, if any are named; the talk says what was added."""
    from corpusdb.scoring.queries.scoring_references import rewritten_references

    if rules is None:
        refuse_most(most)
        return references
    method = method_for(invocation, rules, most)
    found, report = invocation.run(rewritten_references(references, method))
    _tell(invocation, report, method.label, most)
    return found


def rewritten(
    invocation: Invocation, sets: Sequence[ReferenceSet], rules: str, most: int
) -> tuple[RewrittenReferences, str]:
    """The sets with what rules make of their references, and the label of the rules."""
    from corpusdb.scoring.queries.scoring_references import rewritten_sets

    method = method_for(invocation, rules, most)
    found = invocation.run(rewritten_sets(sets, method))
    _tell(invocation, found.report, method.label, most)
    return found, method.label


def refuse_most(most: int) -> None:
    """Raise UsageError for a limit of rewritings that nothing asks for."""
    if most != DEFAULT_MOST:
        raise UsageError("--max-rewritings needs --rules")


def _tell(invocation: Invocation, report: RewritingReport, label: str, most: int) -> None:
    from corpusdb.rules.report import format_dropped

    invocation.say(
        f"rules {label}: {report.rewritings:,} rewritings of {report.rewritten:,} of {report.texts:,} references"
    )
    if dropped := format_dropped(report.dropped, "--max-rewritings", most):
        invocation.say(dropped)


# Reference sets with what rules made of them, written with the lineage of each.


LINEAGE: Final = "lineage.jsonl"
"""Beside the files of a layout: of each reference that rules made its segment, its place and its steps."""


def check_lineage(folder: Path, guard: Guard) -> None:
    """Raise what writing the lineage there would raise, before there is anything to write."""
    if folder.exists():
        check_output(folder / LINEAGE, guard)


def with_rules(
    invocation: Invocation, sets: Sequence[ReferenceSet], rules: str, most: int
) -> tuple[list[ReferenceSet], str, list[dict[str, object]]]:
    """The sets with what rules make of them, the label of the rules, and the lineage of all that was added."""
    from corpusdb.corpus.formats.records import with_added
    from corpusdb.scoring.queries.scoring_references import lineage_documents

    found, label = rewritten(invocation, sets, rules, most)
    known = [with_added(before, after, "rule") for before, after in zip(sets, found.sets, strict=True)]
    return known, label, lineage_documents(found)


def write_lineage(lineage: Sequence[object], folder: Path, guard: Guard) -> Path:
    """Write the file of the lineage; returns its path."""
    path = folder / LINEAGE
    with Outputs(guard) as outputs, outputs.text(path) as stream:
        stream.writelines(f"{json_line(each)}\n" for each in lineage)
    return path


# Files of scores that others gave, as `agreement`, `compare` and `scores import` take them.


MqmWeights: TypeAlias = Annotated[
    str | None,
    Option(
        "Weights of MQM errors that differ from WMT's: major:10,minor/punctuation:1.",
        "--mqm-weights",
        metavar="WHAT:N,...",
    ),
]
FirstSegment: TypeAlias = Annotated[
    int | None,
    Option(
        "Number of the first segment, for score files that do not give it.",
        "--first-segment",
        metavar="0|1",
        least=0,
        most=1,
    ),
]


Rater: TypeAlias = Annotated[
    str | None, Option("MQM: only this rater, instead of the mean over raters.", metavar="NAME")
]
LanguagePair: TypeAlias = Annotated[
    str | None,
    Option("ESA, DA: language pair to take, if a file has several: eng-jpn.", "--language-pair", metavar="PAIR"),
]


@dataclass(frozen=True, kw_only=True)
class ScoreFileOptions:
    """How files of scores are read; without slots, so that it can stand beside other options."""

    HEADED: ClassVar[Headings] = {"Scores of others": ()}

    mqm_weights: MqmWeights = None
    language_pair: LanguagePair = None
    first_segment: FirstSegment = None
    rater: Rater = None


def score_reading(options: ScoreFileOptions, also: Sequence[str] = ()) -> ScoreReading:
    """What the options say of how files are to be read. Raises UsageError for weights that are none."""
    from corpusdb.corpus.formats.score_kinds import ErrorWeights
    from corpusdb.corpus.formats.scoring_input import ScoreReading

    weights = ErrorWeights.parse(options.mqm_weights)
    return ScoreReading(weights, options.first_segment, options.language_pair, also, options.rater)


def read_score_files(paths: Iterable[Path], how: ScoreReading) -> list[ScoreFile]:
    """What the files hold. Raises InputError for one that cannot be read."""
    from corpusdb.corpus.formats.scoring_input import read_score_file

    return [read_score_file(path, how) for path in paths]


def arranged(invocation: Invocation, files: Iterable[ScoreFile], segments: int | None) -> list[ExternalScores]:
    """Their scores for so many segments, and talk of how they were read. Raises InputError for what does not fit."""
    found = []
    for file in files:
        found += file.scores(segments)
        say_how_read(invocation, (*file.columns_left, *file.how_read(segments)))
    return found


def say_how_read(invocation: Invocation, notes: Iterable[str]) -> None:
    for note in notes:
        invocation.say(note)
