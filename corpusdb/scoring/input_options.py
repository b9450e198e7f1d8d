"""The options that say what is scored and with what, and the texts that they name."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, TypeAlias

from corpusdb.base.display import Cell, latex_note
from corpusdb.base.errors import InputError, UsageError, did_you_mean
from corpusdb.base.options import Headings, Option, names_in, number_of, refuse_given
from corpusdb.base.text import language_code
from corpusdb.commands.invocation import FOR_PEOPLE, Invocation, write_text
from corpusdb.commands.options import KNOWN_WORDS
from corpusdb.paraphrase.filter_options import (
    Address,
    FinalMarks,
    MinPivots,
    MinShared,
    MinValidity,
    Order,
    Real,
    say_pivots,
)
from corpusdb.rules.commands import DEFAULT_MOST
from corpusdb.scoring.metrics import (
    OF_METRICS,
    is_metrics,
    metric_named,
    metric_names,
    parse_metrics,
    parse_smoothing,
    settings_for,
    with_chrf_options,
    with_ter_options,
)
from corpusdb.scoring.paper_report import in_papers
from corpusdb.scoring.reference_options import (
    NO_LANGUAGE,
    EquivalentChoice,
    MostOfReference,
    RulesIfAny,
    language_of_references,
    say_how_read,
    with_rewritings,
)

if TYPE_CHECKING:
    from corpusdb.corpus.formats import ReferenceSet
    from corpusdb.corpus.formats.segments import Output, Segmentation
    from corpusdb.homogeneity.scale import Coefficients
    from corpusdb.scoring.metric_settings import MetricSettings
    from corpusdb.scoring.queries.attributed import AttributedSet
    from corpusdb.scoring.queries.reference_sets import Recipe
    from corpusdb.scoring.queries.scoring_references import ScoringReferences


SampleCount: TypeAlias = Annotated[
    int | None,
    Option("Number of samples and trials (default: 1,000 and 10,000).", metavar="N", least=1, most=1_000_000),
]
SamplingSeed: TypeAlias = Annotated[int, Option("Random seed.", metavar="NUMBER", least=0)]

FROM_CORPUS: Final = "References from the corpus"
WORDS_AND_CHARACTERS: Final = "Words and characters"
"""Headings of options that several commands have."""

_METRICS: Final = "METRICS..."
KNOWN_WORDS[_METRICS] = is_metrics
Metrics: TypeAlias = Annotated[
    str,
    Option(f"{', '.join(metric_names())}; with commas or blanks.", "--metric --metrics -m", metavar=_METRICS),
]
"""Names of metrics; the words that follow the option belong to it as long as they are such."""


def nearness_to_corpus(
    invocation: Invocation, language: str | None, texts: Sequence[Sequence[str]], *, adds_nothing: bool = False
) -> dict[str, object] | None:
    """How far the texts of all segments stand from the corpus, as JSON has it; None where that cannot be known.

    Where they are far, a line says so, and, of a corpus that ``adds_nothing`` to them, that also.
    """
    if language is None:
        return None
    from corpusdb.homogeneity.queries.likeness import corpus_nearness, nearness_note

    lines = [text for of_segment in texts for text in of_segment]
    with invocation.reading() as store:
        found = invocation.run(corpus_nearness(store, language, lines))
    note = nearness_note(found, language, adds_nothing=adds_nothing)
    if note is not None:
        invocation.say(note)
    return None if found is None else {"language": language, **asdict(found), "far": found.is_far}


def is_far(nearness: Mapping[str, object] | None) -> bool:
    return nearness is not None and bool(nearness["far"])


def marked(sets: Sequence[ReferenceSet], nearness: Mapping[str, object] | None) -> list[ReferenceSet]:
    """The sets, each with how the test set stands to the corpus, for whoever gets them as files and reads no line."""
    if nearness is None:
        return list(sets)
    return [replace(each, corpus="far" if is_far(nearness) else "near") for each in sets]


def nearness_document(nearness: Mapping[str, object] | None) -> dict[str, object]:
    """What JSON tells of how far the test set is from the corpus."""
    return {} if nearness is None else {"corpus": nearness}


def expected_of(
    invocation: Invocation,
    language: str | None,
    texts: Sequence[Sequence[str]],
    attributed: Sequence[AttributedSet],
    pivots: Sequence[str],
) -> tuple[str | None, dict[str, object] | None]:
    """In words how many of the references of the corpus are expected to hold, and how far the test set is from it.

    ``language`` is that of what the corpus made, None where it made nothing; ``texts`` are those of all segments.
    """
    from corpusdb.scoring.queries.attributed import expected_precision

    nearness = nearness_to_corpus(invocation, language, texts)
    if expected_precision(attributed) is None:
        return None, nearness
    from corpusdb.scoring.queries.combined_sets import format_precision

    return format_precision(attributed, pivots, language=language), nearness


def coefficients_of_segments(
    invocation: Invocation, language: str | None, texts: Sequence[Sequence[str]]
) -> Coefficients:
    """The coefficient of each segment, and a line that says by what profile.

    Raises UsageError where the language is not known, and InputError where it has no profile.
    """
    from corpusdb.homogeneity.queries.likeness import coefficients_note, segment_coefficients

    if language is None:
        raise UsageError(f"{NO_LANGUAGE}: it chooses the profile")
    with invocation.reading() as store:
        found = segment_coefficients(store, language, texts)
    invocation.say(coefficients_note(found))
    return found.values


ReadOutputs: TypeAlias = Callable[[Sequence[Path], "Segmentation"], "list[Output]"]

SourceText: TypeAlias = Annotated[Path | None, Option("The source text, one segment per line.", metavar="FILE")]
CorpusLanguage: TypeAlias = Annotated[str | None, Option("Language of references from the corpus.", metavar="LANG")]
CorpusLimit: TypeAlias = Annotated[
    int, Option("References from the corpus per segment; 0 is all.", "--limit -n", metavar="N", least=0)
]
ChosenBy: TypeAlias = Annotated[
    Literal["diversity", "validity", "variation"],
    Option("Which to keep within the limit; variation also drops near-duplicates.", "--chosen-by"),
]

Origins: TypeAlias = Annotated[
    str | None,
    Option(
        "Origins to use from the corpus: original, accepted, detected, generated, exchanged; and, only if named, "
        "equivalent and rule.",
        metavar="ORIGINS",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceOptions:
    HEADED: ClassVar[Headings] = {"References": ("ref", "ref_from", "source"), FROM_CORPUS: ()}

    ref: Annotated[
        list[Path],
        Option(
            "References: files with one line per segment; or {extensions to score}; or their folder.",
            metavar="[ORIGIN:]FILE...",
        ),
    ] = field(default_factory=list)
    ref_from: Annotated[
        Literal["corpus"] | None,
        Option(
            "References from the database: translations of --source, else paraphrases of --ref, which takes minutes for"
            " a thousand segments; added to --ref."
        ),
    ] = None
    ref_set: Annotated[str | None, Option("Frozen references that `generate --for` made.", metavar="NAME")] = None
    source: SourceText = None
    lang: CorpusLanguage = None
    references: Origins = None
    fluency: Order = 20
    min_validity: MinValidity = None
    final_marks: FinalMarks = False
    real: Real = False
    address: Address = "same"
    min_pivots: MinPivots = 0
    min_languages: Annotated[int | None, Option("Minimum number of languages that show it.", metavar="N", least=1)] = (
        None
    )
    min_shared: MinShared = 0
    limit: CorpusLimit = 20
    chosen_by: ChosenBy = "diversity"
    skip_missing: Annotated[bool, Option("Skip segments without references from the corpus.")] = False
    rules: RulesIfAny = None
    max_rewritings: MostOfReference = DEFAULT_MOST


@dataclass(frozen=True, kw_only=True)
class SacrebleuOptions:
    """How chrF and TER count."""

    HEADED: ClassVar[Headings] = {"chrF and TER": ()}

    chrf_char_order: Annotated[
        int, Option("Longest n-grams of characters in chrF.", "--chrf-char-order -cc", metavar="N", least=1, most=20)
    ] = 6
    chrf_word_order: Annotated[
        int,
        Option(
            "Longest n-grams of words in chrF; 2 is chrF++.", "--chrf-word-order -cw", metavar="N", least=0, most=20
        ),
    ] = 0
    chrf_beta: Annotated[int, Option("Weight of recall in chrF.", metavar="N", least=0, most=1000)] = 2
    ter_case_sensitive: Annotated[bool, Option("Case-sensitive TER.")] = False
    ter_normalized: Annotated[bool, Option("TER with punctuation split off.")] = False
    ter_no_punct: Annotated[bool, Option("TER without punctuation.")] = False
    ter_asian_support: Annotated[bool, Option("With the two above: also for Chinese and Japanese, by characters.")] = (
        False
    )

    @property
    def chrf(self) -> tuple[int, int, int]:
        """As ``with_chrf_options`` takes it."""
        return self.chrf_char_order, self.chrf_word_order, self.chrf_beta

    @property
    def ter(self) -> tuple[bool, bool, bool, bool]:
        """As ``with_ter_options`` takes it."""
        return self.ter_case_sensitive, self.ter_normalized, self.ter_no_punct, self.ter_asian_support


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions(ReferenceOptions):
    HEADED: ClassVar[Headings] = {WORDS_AND_CHARACTERS: ()}

    unit: Annotated[Literal["word", "char"], Option("Count n-grams and edits in words or characters.")] = "word"
    order: Annotated[
        int | None,
        Option(
            "Longest n-grams: BLEU 4, NIST 5, both 18 in characters; WMT publishes 4.", metavar="N", least=1, most=1000
        ),
    ] = None
    tokenise: Annotated[
        str | None,
        Option(
            "Tokeniser: 13a (default), none, intl, char, zh, ja-mecab, ko-mecab, ja-sudachi, ja-sudachi-pos; "
            "flores200, flores101, spm, spBLEU-1K, with =MODEL.",
            "--tokenise --tokenize -tok",
            metavar="NAME",
        ),
    ] = None
    lowercase: Annotated[bool, Option("Ignore case.", "--lowercase -lc")] = False
    smoothing: Annotated[
        str | None,
        Option(
            "Smoothing of BLEU: none (default), floor, add-k or exp; floor=VALUE, add-k=VALUE.",
            "--smoothing --smooth-method -s",
            metavar="METHOD",
        ),
    ] = None


def settings_of(options: MeasureOptions, metric: str) -> MetricSettings:
    return settings_for(
        metric,
        unit=options.unit,
        order=options.order,
        tokenisation=options.tokenise,
        lowercase=options.lowercase,
        smoothing=parse_smoothing(options.smoothing or "none"),
    )


def settings_of_each(options: MeasureOptions, metrics: str, how: SacrebleuOptions) -> list[MetricSettings]:
    """Those of several metrics, each once. Raises UsageError for what makes no sense."""
    names = parse_metrics(metrics)
    refuse_of_others(how, names)
    asked = (with_chrf_options(settings_of(options, name), *how.chrf) for name in names)
    return list(dict.fromkeys(with_ter_options(each, *how.ter) for each in asked))


Idle: TypeAlias = "tuple[Collection[str], str]"
"""Options that would have no effect, and why; {} stands for that which was given."""


def refuse_of_others(options: SacrebleuOptions, metrics: Sequence[str]) -> None:
    """Raise UsageError for an option of metrics that are not asked for; for one that there is not."""
    for each in metrics:
        metric_named(each)
    for idle in of_other_metrics(metrics):
        refuse_given(options, *idle)


def of_other_metrics(metrics: Sequence[str]) -> Iterator[Idle]:
    for names, those in OF_METRICS.items():
        if not {*those} & {*metrics}:
            instead = "; chrf has --chrf-char-order" if names == ("order",) else ""
            yield names, f"{{}} is of {', '.join(those)}, not of {', '.join(metrics)}{instead}"


OF_CORPUS: Final = (
    *("references", "fluency", "min_validity", "final_marks", "real", "address", "min_pivots", "min_languages"),
    *("min_shared", "limit", "chosen_by", "skip_missing"),
)


def of_no_corpus(options: ReferenceOptions) -> Idle:
    """The options that choose references of the corpus, where there are none."""
    # With equivalents it says which of these there are.
    but = ("min_languages",) if isinstance(options, EquivalentChoice) else ()
    names = () if options.ref_from is not None else [each for each in OF_CORPUS if each not in but]
    return names, "{} chooses references of the corpus, and needs --ref-from corpus"


def show_table(invocation: Invocation, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Write a table for people; in LaTeX with the names that metrics have in papers."""
    if invocation.format != "latex":
        return invocation.show(columns, rows)
    named = ([in_papers(cell) if type(cell) is str else cell for cell in row] for row in rows)
    invocation.show(list(map(in_papers, columns)), named)


def write_below(invocation: Invocation, lines: Iterable[str], printed: Sequence[str] = ()) -> None:
    """Write what is to be known of a table below it, in a format for people: as comments where it has these, but for
    what must be ``printed`` with it; of other formats it is said."""
    if invocation.format not in FOR_PEOPLE:
        return say_how_read(invocation, [*lines, *printed])
    before = {"latex": "% ", "markdown": "\n    "}.get(invocation.format, "")
    is_latex = invocation.format == "latex"
    for line in lines if is_latex else (*lines, *printed):
        write_text(f"{before}{in_papers(line) if is_latex else line}")
    for line in printed if is_latex else ():
        write_text(latex_note(in_papers(line)))


def numbers_in(text: str) -> list[int]:
    """Numbers with commas between them. Raises UsageError for anything else."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise UsageError(f"lengths are numbers with commas between them, unlike {text!r}")
    return [number_of(part) for part in parts]


def read_outputs(files: Sequence[Path], segmentation: Segmentation) -> list[Output]:
    """The outputs in files; a folder stands for the files in it that are not hidden."""
    from corpusdb.corpus.formats.scoring_input import read_output

    for path in files:
        if not path.exists():
            beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
            if near := did_you_mean(path.name, [*metric_names(), *beside]):
                raise InputError(f"no such file; {near}", path=path)
    found = [file for path in files for file in (_files_in(path) if path.is_dir() else [path])]
    return [output for file in found for output in read_output(file, segmentation)]


def _files_in(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not found:
        raise InputError("is a folder without files", path=folder)
    return found


def read_scored(
    invocation: Invocation, files: Sequence[Path], options: ReferenceOptions, read: ReadOutputs = read_outputs
) -> tuple[list[Output], ScoringReferences]:
    """The outputs and their references, and talk that says what was read.

    Raises UsageError where it is not said where the references are, and InputError for texts that cannot be used.
    """
    given = bool(options.ref) or options.ref_from is not None
    if given and options.ref_set is not None:
        raise UsageError("--ref-set is a whole set of references: leave it out, or --ref and --ref-from")
    if not given and options.ref_set is None:
        raise UsageError(
            "where are the references? Give --ref FILE..., --ref-from corpus with --source FILE, or both of these; "
            "or --ref-set NAME; or REF... -i HYP..., as sacrebleu"
        )
    from corpusdb.corpus.formats.scoring_input import with_distinct_names
    from corpusdb.scoring.queries.scoring import freezing_notes

    outputs, references = read_with(invocation, lambda segmentation: read(files, segmentation), options)
    references = with_rewritings(invocation, references, options.rules, options.max_rewritings)
    invocation.say(f"{references}; {len(outputs)} system{'' if len(outputs) == 1 else 's'}")
    for note in freezing_notes(outputs, references.freezing):
        invocation.say(note)
    return with_distinct_names(outputs), references


def read_with(
    invocation: Invocation, read: Callable[[Segmentation], list[Output]], options: ReferenceOptions
) -> tuple[list[Output], ScoringReferences]:
    """What is read for the segments of the references, and these. Raises as read_scored does."""
    refuse_given(options, *of_no_corpus(options))
    with_references = _frozen if options.ref_set is not None else _from_files if options.ref else _from_corpus
    return with_references(invocation, read, options)


def _from_files(
    invocation: Invocation, read: Callable[[Segmentation], list[Output]], options: ReferenceOptions
) -> tuple[list[Output], ScoringReferences]:
    """Those of files, with those of the corpus where these are asked for, too."""
    from corpusdb.corpus.formats.scoring_input import read_references, read_sources
    from corpusdb.scoring.queries.scoring_references import references_from_files

    texts = read_references(options.ref)
    sources = read_sources(options.source, texts)[0] if options.source else []
    outputs, given = read(texts.segmentation), references_from_files(texts, options.ref, sources)
    if not options.ref_from:
        return outputs, given
    recipe = _recipe_of(invocation, options, language_of_references(options.lang, options.ref))
    return outputs, with_those_of_corpus(invocation, given, recipe, language_of_file(options.source))


def _frozen(
    invocation: Invocation, read: Callable[[Segmentation], list[Output]], options: ReferenceOptions
) -> tuple[list[Output], ScoringReferences]:
    if options.source is not None:
        raise UsageError("a frozen reference set has its sources with it: --source makes no sense with --ref-set")
    references, segmentation = read_frozen(invocation, str(options.ref_set))
    return read(segmentation), references


def read_frozen(invocation: Invocation, name: str) -> tuple[ScoringReferences, Segmentation]:
    from corpusdb.corpus.formats.segments import segmentation_by_line
    from corpusdb.scoring.queries.frozen_sets import frozen_references

    with invocation.reading() as store:
        references = frozen_references(store, name)
    return references, segmentation_by_line(Path(f"--ref-set {name}"), len(references.sets))


def _from_corpus(
    invocation: Invocation, read: Callable[[Segmentation], list[Output]], options: ReferenceOptions
) -> tuple[list[Output], ScoringReferences]:
    from corpusdb.corpus.formats.scoring_input import read_sources
    from corpusdb.scoring.queries.combined_sets import check_covered
    from corpusdb.scoring.queries.reference_sets import attributed_sets
    from corpusdb.scoring.queries.scoring_references import covered_segments

    if options.source is None or options.lang is None:
        raise UsageError("--ref-from corpus needs --source FILE and --lang, the language of the references; or --ref")
    sources, segmentation = read_sources(options.source)
    outputs = read(segmentation)
    recipe = _recipe_of(invocation, options, options.lang)
    needs_all = not options.skip_missing
    sets = invocation.look(lambda store: invocation.run(attributed_sets(store, sources, recipe, needs_all=needs_all)))
    lacking, pivots = say_coverage(invocation, sources, sets, recipe, language_of_file(options.source))
    if needs_all or not any(each.references for each in sets):
        check_covered(sets, recipe, options.source, lacking)
    outputs, references = covered_segments(outputs, sets, recipe)
    return outputs, replace(references, pivots=pivots)


def say_coverage(
    invocation: Invocation,
    sources: Sequence[str],
    sets: Sequence[AttributedSet],
    recipe: Recipe,
    source_language: str | None,
) -> tuple[str | None, tuple[str, ...]]:
    """Say how many sources the corpus has references for, what was rejected, and through which languages they came.

    Returns why the corpus has nothing for the sources, where that is known, and these languages.
    """
    from corpusdb.scoring.queries.combined_sets import format_coverage, format_lacking, format_rejected, pivot_languages

    left = len(sources) - len(sets)
    invocation.say(format_coverage(sets) + (f"; the {left:,} after them were skipped" if left else ""))
    if rejected := format_rejected(sets):
        invocation.say(rejected)
    with invocation.reading() as store:
        lacking = format_lacking(store, sources, source_language)
        pivots = pivot_languages(store, recipe.language)
        say_pivots(invocation, store, recipe.language, recipe.kept)
    return lacking, pivots


def with_those_of_corpus(
    invocation: Invocation, given: ScoringReferences, recipe: Recipe, source_language: str | None
) -> ScoringReferences:
    """References with what the corpus adds to them, by their sources or as their paraphrases; how many is told.

    Where it adds nothing they are those of the files, and their signature says nothing else.
    """
    from corpusdb.scoring.queries.combined_sets import additions, format_rejected, pivot_languages
    from corpusdb.scoring.queries.scoring_references import references_from_both

    added = invocation.look(lambda store: invocation.run(additions(store, given.sets, recipe, source_language)))
    if added.reason is not None:
        invocation.say(added.reason)
    invocation.say(str(added))
    invocation.look(lambda store: say_pivots(invocation, store, recipe.language, recipe.kept))
    adds_any = any(added.added)
    if not adds_any:
        _say_held_back(invocation, given, recipe, source_language)
    if rejected := format_rejected(added.sets):
        invocation.say(rejected)
    if not adds_any:
        return given
    with invocation.reading() as store:
        pivots = pivot_languages(store, recipe.language)
    return replace(references_from_both(given, added, recipe), pivots=pivots)


def _say_held_back(
    invocation: Invocation, given: ScoringReferences, recipe: Recipe, source_language: str | None
) -> None:
    """Say that the test set is far from the corpus, which explains it, or what less strict filters would add."""
    from corpusdb.scoring.queries.combined_sets import Additions, additions, held_back, looking_again

    # That explains it, and a second look would cost as much as the first.
    if is_far(nearness_to_corpus(invocation, recipe.language, given.written, adds_nothing=True)):
        return

    def found_by(less: Recipe) -> Additions:
        return invocation.look(
            lambda store: invocation.run(looking_again(additions(store, given.sets, less, source_language)))
        )

    back = held_back(given.sets, recipe, found_by)
    if back is not None:
        invocation.say(back)


def language_of_file(path: Path | None) -> str | None:
    """The language that the extension of a file of sources names, as in source.de; None where it names none."""
    try:
        return None if path is None else language_code(path.suffix.removeprefix("."))
    except InputError:
        return None


def origins_in(given: str | None) -> tuple[str, ...]:
    """The origins that were named, with commas; without any the usual ones, so that all commands make the same set."""
    from corpusdb.scoring.queries.reference_sets import usual_origins

    return usual_origins() if given is None else names_in(given)


def _recipe_of(invocation: Invocation, options: ReferenceOptions, language: str) -> Recipe:
    """How the corpus is asked for references; what was accepted and does not count yet is told."""
    from corpusdb.paraphrase.queries.filters import Thresholds, filter_at
    from corpusdb.paraphrase.queries.paraphrases import last_decision
    from corpusdb.scoring.queries.reference_sets import Recipe, what_is_not_made

    marks, real, address = options.final_marks, options.real, options.address
    recipe = Recipe(
        language=language,
        origins=origins_in(options.references),
        kept=filter_at(
            options.fluency, min_validity=options.min_validity, final_marks=marks, real=real, address=address
        ),
        limit=options.limit,
        chosen_by=options.chosen_by,
        least=Thresholds.of(options),
    )
    recipe = replace(recipe, decisions=invocation.look(lambda store: last_decision(store, recipe.language)))
    if told := invocation.look(lambda store: what_is_not_made(store, recipe)):
        invocation.say(told)
    if options.references is not None:
        say_waiting(invocation, recipe)
    return recipe


def say_waiting(invocation: Invocation, recipe: Recipe) -> None:
    """Say what was accepted in sessions and is no reference yet, where accepted ones are asked for."""
    from corpusdb.scoring.queries.reference_sets import waiting_acceptances

    waiting = invocation.look(lambda store: waiting_acceptances(store, recipe.language))
    for name, count in waiting if "accepted" in recipe.origins else ():
        invocation.say(
            f"session {name} has {count:,} accepted that are not in the corpus yet and do not count:"
            f" `corpusdb session apply {shlex.quote(name)}` writes them"
        )
