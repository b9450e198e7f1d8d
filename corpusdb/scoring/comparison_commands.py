"""The command that compares systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from corpusdb.base.errors import InputError, UsageError, there_are
from corpusdb.base.jobs import usable_cores
from corpusdb.base.options import SHOWN_AND_WRITTEN, Argument, Headings, Option, is_sent, refuse_given
from corpusdb.base.outputs import Outputs, check_output
from corpusdb.base.text import language_code
from corpusdb.commands.command import command
from corpusdb.commands.invocation import FOR_PEOPLE, Invocation, is_terminal, room_of_table, write_json, write_line
from corpusdb.scoring.input_options import (
    OF_CORPUS,
    MeasureOptions,
    Metrics,
    SacrebleuOptions,
    SampleCount,
    SamplingSeed,
    expected_of,
    numbers_in,
    read_outputs,
    read_scored,
    settings_of_each,
    show_table,
    write_below,
)
from corpusdb.scoring.paper_report import paper_table, signatures_together
from corpusdb.scoring.reference_options import ScoreFileOptions, arranged, read_score_files, say_how_read, score_reading

if TYPE_CHECKING:
    from corpusdb.corpus.formats.segments import Output, Segmentation
    from corpusdb.scoring.metric_settings import MetricSettings
    from corpusdb.scoring.queries.comparison import ComparisonRequest, PairComparison, Section
    from corpusdb.scoring.queries.score_differences import OthersScores
    from corpusdb.scoring.queries.scoring import Chance, MetricScores
    from corpusdb.scoring.queries.scoring_references import ScoringReferences


_NO_ORIGINS = (
    "section origins: nothing to compare, for the references are all people's, or it is not known where they come from;"
    " --ref-from corpus and --ref generated:FILE say it"
)
_NO_BUCKETS = (
    "section buckets: nothing to compare, for all segments are of one length class, with one number of references;"
    " --lengths changes the classes, --documents names documents"
)


_MANY = "where two of them differ: `compare` with these alone; --section compares each with the first"


@dataclass(frozen=True, kw_only=True)
class WordClassOptions:
    HEADED: ClassVar[Headings] = {"Classes of words": ()}

    frequencies_from: Annotated[
        Path | None, Option("words: classes by frequency in this text, such as training data.", metavar="FILE")
    ] = None
    labels: Annotated[
        list[Path],
        Option(
            "words: classes by label; a file for the reference, then for A, B ..., one label per word.",
            metavar="FILE...",
        ),
    ] = field(default_factory=list)
    word_links: Annotated[
        list[Path],
        Option(
            "words: classes by how often the --source word they are linked with occurs there; files as for --labels, "
            "with links such as 0-0 1-2.",
            metavar="FILE...",
        ),
    ] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(SacrebleuOptions, MeasureOptions, ScoreFileOptions, WordClassOptions):
    HEADED: ClassVar[Headings] = {
        "What is compared": ("systems", "set", "metric", "scores", "documents"),
        "Significance": ("significance", "samples", "seed"),
        SHOWN_AND_WRITTEN: (),
    }

    systems: Annotated[list[Path], Argument("System outputs: files, or names of stored ones.", metavar="A B...")]
    set: Annotated[str | None, Option("Reference set of stored systems.", metavar="DIGEST")] = None
    metric: Metrics = "bleu"
    scores: Annotated[
        list[Path], Option("Scores of other metrics, in the forms of `scores import`.", metavar="FILE...")
    ] = field(default_factory=list)
    section: Annotated[
        str | None,
        Option("Only scores, segments, ngrams, words, buckets, histograms or origins; with commas.", metavar="NAMES"),
    ] = None
    examples: Annotated[int, Option("Show this many segments for each system; 0 shows all.", metavar="N", least=0)] = 3
    ngrams: Annotated[int, Option("Show this many n-grams for each system; 0 shows all.", metavar="N", least=0)] = 10
    lengths: Annotated[
        str | None, Option("Lower bounds of the length classes (default: 10,20,30,40,50,60 words).", metavar="N,N...")
    ] = None
    page: Annotated[
        Path | None,
        Option(
            "Also write an HTML page: every segment, with matches marked; for many systems, clusters.", metavar="FILE"
        ),
    ] = None
    documents: Annotated[Path | None, Option("A table: doc, first_segment, n_segments.", metavar="FILE")] = None
    min_segments: Annotated[int, Option("Only documents of at least this many segments.", metavar="N", least=1)] = 5
    significance: Annotated[Literal["randomisation", "bootstrap"], Option("The significance test.")] = "randomisation"
    samples: SampleCount = None
    seed: SamplingSeed = 12345


@command("compare", answers=True, kept=False)
def compare(invocation: Invocation, options: CompareOptions) -> int:
    """Compare two systems: where is A better, and why.

    Differences are A - B. Sections: scores, with 95 % intervals and significance; segments, those where each system is
    furthest ahead by the first --metric; ngrams that one gets and the other does not; words, by their frequency in the
    references or, with --lang, in the corpus; buckets of segments by length, number of references, document and, with
    --lang, similarity to the corpus; histograms of lengths and scores; origins, the differences due to generated
    references alone: those of the corpus, or of --ref generated:FILE. Of three systems or more a table has all pairs,
    as `score --pairs` does; --section, JSON and other formats have each of them compared with A.

    A system that is not a file is one stored by `corpusdb score --store`. Without --ref, it is compared on the
    references it was scored with, and with any scores imported for it.

    Formats other than table and JSON have only the section scores, one row per metric.
    """
    from corpusdb.scoring.queries.scoring import Chance, notes_on, scoring

    settings = settings_of_each(options, options.metric, options)
    _refuse_of_sections(options, ("scores",) if _is_rows(invocation) else _sections(options.section))
    if "scores" not in _sections(options.section) and _is_rows(invocation):  # before anything is read
        raise UsageError(f"--format {invocation.chosen_format} has the section scores, which is left out")
    if options.page is not None:
        check_output(options.page, invocation.guard(overwrite=invocation.overwrite))
    outputs, references = _read(invocation, options)
    is_table = not (invocation.json or _is_rows(invocation))
    are_many = len(outputs) > 2 and options.section is None and is_table
    if are_many:
        _refuse_of_sections(options, ("scores",))
    asked = _asked(invocation, options, outputs, references, settings)
    scores = invocation.run(scoring(outputs, references, settings, usable_cores()))
    for note in dict.fromkeys(notes_on(outputs, references, scores[:1])):
        invocation.say(note)
    if are_many:
        write_pairs(invocation, scores, Chance(sampling=asked.sampling, test=asked.test))
        invocation.say(_MANY)
        if options.page is None and not asked.others:
            return len(outputs)
    found = _compared(invocation, options.page, outputs, references, scores, asked)
    if options.section is not None and "origins" in asked.sections and all(each.origins is None for each in found):
        invocation.say(_NO_ORIGINS)
    if options.section is not None and "buckets" in asked.sections and not any(each.buckets for each in found):
        invocation.say(_NO_BUCKETS)
    if are_many:  # scores of others are not among those of all pairs
        asked = replace(asked, sections=("scores",))
    if not are_many or asked.others:
        _tell(invocation, found, references, asked)
    return len(found)


def _compared(
    invocation: Invocation,
    page: Path | None,
    outputs: Sequence[Output],
    references: ScoringReferences,
    scores: Sequence[MetricScores],
    asked: ComparisonRequest,
) -> Sequence[PairComparison]:
    """The first system with each other one, and the page of it."""
    from corpusdb.scoring.queries.comparison import comparing

    whole = asked if page is None else replace(asked, examples=0)
    found = invocation.run(comparing(outputs, references, scores, whole, usable_cores()))
    if page is None:
        return found
    lines = _page(invocation, found, outputs, references, scores, whole)
    with Outputs(invocation.guard(overwrite=invocation.overwrite)) as files, files.text(page) as file:
        file.writelines(lines)
    shown = asked.examples or None
    return [replace(each, better_a=each.better_a[:shown], better_b=each.better_b[:shown]) for each in found]


_OF_SECTIONS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("examples",): ("segments",),
    ("ngrams",): ("ngrams",),
    ("lengths", "documents", "min_segments"): ("buckets",),
    ("frequencies_from", "labels", "word_links"): ("words",),
    ("scores",): ("scores",),
    ("samples", "seed", "significance"): ("scores", "origins"),
}
"""The options that only some sections have."""


def _refuse_of_sections(options: CompareOptions, shown: Collection[str]) -> None:
    """Raise UsageError for an option of what is not shown; a page shows what sections do."""
    for names, of in _OF_SECTIONS.items():
        if options.page is None and not {*of} & {*shown}:
            refuse_given(options, names, f"{{}} is of the section {' or '.join(of)}, which is left out here")
    if options.documents is None:
        refuse_given(options, ("min_segments",), "{} is of --documents")


def _page(
    invocation: Invocation,
    found: Sequence[PairComparison],
    outputs: Sequence[Output],
    references: ScoringReferences,
    scores: Sequence[MetricScores],
    asked: ComparisonRequest,
) -> Iterable[str]:
    from corpusdb.scoring.page_report import comparison_page, systems_page
    from corpusdb.scoring.queries.scoring import comparing_pairs

    if len(outputs) == 2:
        return comparison_page(found, references, scores[0].settings, asked)
    pairs = [invocation.run(comparing_pairs(each, asked.test, asked.sampling)) for each in scores]
    return systems_page(found, pairs, outputs, references, asked)


def write_pairs(invocation: Invocation, scores: Sequence[MetricScores], chance: Chance) -> None:
    """Every system against every other, and the clusters that this makes of them."""
    from corpusdb.scoring import pair_report as report
    from corpusdb.scoring.queries.scoring import DEFAULT_TEST, comparing_pairs
    from corpusdb.scoring.report import chance_lines

    test = chance.test or DEFAULT_TEST
    found = [invocation.run(comparing_pairs(each, test, chance.sampling)) for each in scores]
    told = [*chance_lines("each other", chance), report.CLUSTERS_TOLD]
    if invocation.json:
        invocation.write_document(report.pair_documents(found, chance))
    elif invocation.format in FOR_PEOPLE:
        columns, table = report.pair_table(found, room_of_table())
        show_table(invocation, columns, table)
        told += filter(None, [report.NO_ROOM.get(columns[-1])])
        p_values = report.pair_p_lines(found) if invocation.format != "table" else ()
        signatures = signatures_together({each.label: each.signature for each in scores})
        return write_below(invocation, [*signatures, *p_values, *told])
    else:
        invocation.show(report.PAIR_COLUMNS, report.pair_rows(found, test))
    say_how_read(invocation, told)


def _is_rows(invocation: Invocation) -> bool:
    return invocation.chosen_format not in (None, "table", "json")


def _tell(
    invocation: Invocation, found: Sequence[PairComparison], references: ScoringReferences, asked: ComparisonRequest
) -> None:
    """Write the comparisons, and how many of the references of the corpus are expected to hold."""
    from corpusdb.scoring.comparison_report import comparison_lines, tried_by

    expected, nearness = expected_of(
        invocation, references.corpus_language, references.written, references.attributed, references.pivots
    )
    if expected is not None and (invocation.json or _is_rows(invocation)):
        invocation.say(expected)
    if invocation.json:
        return write_json([_document(each, references, nearness) for each in found])
    if _is_rows(invocation):
        if invocation.format in ("latex", "markdown"):
            show_table(invocation, *paper_table(found))
            signatures = {each.metric: each.signature for each in found[0].scores}
            return write_below(invocation, [*signatures_together(signatures), *tried_by(asked)])
        rows = [row for each in found for row in each.rows()]
        return invocation.show(list(rows[0]), [tuple(row.values()) for row in rows])
    write_line(f"{references}, digest {references.digest[:16]}")
    if expected is not None:
        write_line(expected)
    write_line()
    for number, each in enumerate(found):
        for line in comparison_lines(each, asked, whole_names=not is_terminal(), is_first=number == 0):
            write_line(line)


def _sections(given: str | None) -> tuple[Section, ...]:
    """Those that were named, in the order in which they are shown. Raises UsageError for what is none."""
    from corpusdb.scoring.queries.comparison import SECTIONS

    if given is None:
        return SECTIONS
    names = {name.strip() for name in given.split(",")}
    for name in names.difference(SECTIONS):
        raise UsageError(f"there is no section {name!r}; {there_are(name, SECTIONS)}")
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
    refuse_given(options, OF_CORPUS, "{} chooses references of the corpus, and needs --ref-from corpus")
    from corpusdb.scoring.queries.comparison import stored_comparison

    names = [str(path) for path in options.systems]
    outputs, references = invocation.look(lambda store: invocation.run(stored_comparison(store, names, options.set)))
    return with_distinct_names(outputs), references


def _is_file(path: Path) -> bool:
    return is_sent(path) or path.is_file()


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
) -> ComparisonRequest:
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.queries.comparison import ComparisonRequest
    from corpusdb.scoring.queries.scoring import Sampling

    asked = ComparisonRequest(
        sections=_sections(options.section),
        test=options.significance,
        sampling=Sampling.given(options.samples, options.seed),
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
    from corpusdb.scoring.queries.comparison import in_corpus

    language, texts = language_code(options.lang), [output.texts for output in outputs]
    with invocation.reading() as store:
        found = in_corpus(store, language, texts, references.texts, settings)
    if found.likeness is None:
        invocation.say(f"no n-grams of {language} are indexed, so similarity to the corpus is unknown")
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


# Words of references and outputs in classes that files say: by label, by a training text, by the source word.

_UNLINKED = "(no link)"


def with_word_classes(
    asked: ComparisonRequest,
    options: WordClassOptions,
    source: Path | None,
    outputs: Sequence[Output],
    references: ScoringReferences,
    settings: Sequence[MetricSettings],
) -> ComparisonRequest:
    """What is asked, with the classes of words that files say.

    Raises UsageError for files that do not go together, and InputError for a line that has not a label for each unit.
    """
    from corpusdb.base.tokenisation import tokeniser
    from corpusdb.scoring.queries.comparison import WordLabels, units_of_settings

    how = units_of_settings(settings)
    tokenise = tokeniser(how.tokenisation or "none", lowercase=how.lowercase)
    if (options.frequencies_from is not None) + bool(options.labels) + bool(options.word_links) > 1:
        raise UsageError("--frequencies-from, --labels and --word-links each say how words are classified: give one")
    if options.frequencies_from is not None:
        lines = _lines(options.frequencies_from)
        counts = Counter(unit for line in lines for unit in tokenise(line))
        return replace(asked, frequencies=counts, frequencies_of=f"the text {options.frequencies_from.name}")
    files = options.labels or options.word_links
    if not files:
        return asked
    if any(len(each) > 1 for each in references.texts):
        raise UsageError("words have labels and links in one reference, and segments here have several")
    texts = [[each[0] for each in references.texts], *(output.texts for output in outputs)]
    if len(files) != len(texts):
        raise UsageError(f"{len(texts)} files are needed, of the reference and of each output, and {len(files)} given")
    units = [[tokenise(text) for text in each] for each in texts]
    if options.labels:
        read = [_labels(path, of_text) for path, of_text in zip(files, units, strict=True)]
        by, names = "label", tuple(sorted({label for each in read for line in each for label in line}))
    else:
        from corpusdb.scoring.queries.matched_ngrams import frequency_class, frequency_classes

        if source is None:
            raise UsageError("--word-links needs the --source whose words they link")
        classes = (*frequency_classes(), _UNLINKED)
        sources = [tokenise(line) for line in _lines(source)]
        known = Counter(unit for line in sources for unit in line)
        class_of = lambda unit: frequency_class(known[unit])  # noqa: E731
        read = [_linked(path, of_text, sources, class_of, classes) for path, of_text in zip(files, units, strict=True)]
        by, names = "how often the source word that they are linked with occurs in the source", classes
    return replace(asked, labels=WordLabels(by, read[0], read[1:], names))


def _lines(path: Path) -> list[str]:
    from corpusdb.corpus.formats.reading import read_lines

    return [line for _, line in read_lines(path)]


def _labels(path: Path, units: Sequence[Sequence[str]]) -> list[list[str]]:
    found = [line.split() for line in _lines(path)]
    _check_lines(path, found, units)
    for number, (labels, of_segment) in enumerate(zip(found, units, strict=True), 1):
        if len(labels) != len(of_segment):
            told = f"{len(labels)} labels, and the text has {len(of_segment)} words"
            raise InputError(f"{told}; --tokenise none takes what is between spaces", path=path, line=number)
    return found


def _linked(
    path: Path,
    units: Sequence[Sequence[str]],
    sources: Sequence[Sequence[str]],
    class_of: Callable[[str], int],
    names: Sequence[str],
) -> list[list[str]]:
    """For each unit the class of the rarest source word that it is linked with."""
    lines = _lines(path)
    _check_lines(path, lines, units)
    _check_lines(path, lines, sources)
    found: list[list[str]] = []
    for number, (line, of_segment, of_source) in enumerate(zip(lines, units, sources, strict=True), 1):
        classes = [len(names) - 1] * len(of_segment)
        for link in line.split():
            one, mark, two = link.replace("?", "-").partition("-")
            if not (mark and one.isdecimal() and two.isdecimal()):
                raise InputError(f"{link!r} is no link such as 0-1", path=path, line=number)
            if int(one) >= len(of_source) or int(two) >= len(of_segment):
                told = f"{link} goes beyond {len(of_source)} and {len(of_segment)} words"
                raise InputError(f"{told}; --tokenise none takes what is between spaces", path=path, line=number)
            classes[int(two)] = min(classes[int(two)], class_of(of_source[int(one)]))
        found.append([names[each] for each in classes])
    return found


def _check_lines(path: Path, lines: Sequence[object], segments: Sequence[object]) -> None:
    if len(lines) != len(segments):
        raise InputError(f"it has {len(lines):,} lines, and there are {len(segments):,} segments", path=path)
