"""What is scored and what it is scored with, and the scores that others gave: one reader for each."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import chain
from math import fsum, isfinite
from pathlib import Path
from typing import Final

import numpy as np

from corpusdb.base.errors import InputError, UsageError, there_are
from corpusdb.base.options import is_sent, number_of
from corpusdb.corpus.formats import score_kinds
from corpusdb.corpus.formats.columns import check_no_table
from corpusdb.corpus.formats.format import ScoringReader
from corpusdb.corpus.formats.reading import first_line, read_lines, read_text
from corpusdb.corpus.formats.records import PROVENANCE, Provenance, read_provenance
from corpusdb.corpus.formats.score_file import Collected, ExternalScores, Level, ScoreFile, score_of
from corpusdb.corpus.formats.segments import (
    Output,
    ReferenceTexts,
    Segmentation,
    base_name,
    check_counts,
    make_reference,
    references_in_order,
    segmentation_by_line,
)
from corpusdb.corpus.formats.tables import CsvSource, Row

# The scores in a file of any kind, which its name and its first line tell.
#
# - ``NAME.seg.score``, ``NAME.sys.score`` of mt-metrics-eval (github.com/google-research/mt-metrics-eval): a line
#   "system TAB score" for each segment of each system, or for each system; ``None`` where there is no score. A file of
#   another name may hold the same.
# - the kinds of score_kinds.py; cells of tables are delimited by tabs, by commas, or by spaces.

_NAMED: Final = re.compile(r"(?P<name>.+)\.(?P<level>seg|sys)\.score")
_NUMBER: Final = re.compile(r"-?[0-9]*\.?[0-9]+(?:e-?[0-9]+)?|None")
_LEVELS: Final[Mapping[str, Level]] = {"seg": "segment", "sys": "system"}


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """What a person says of how files are to be read."""

    weights: score_kinds.ErrorWeights = field(default_factory=score_kinds.ErrorWeights)
    first_segment: int | None = None
    """The number of the first segment, 0 or 1, where a file does not tell it."""
    languages: str | None = None
    """Of which ratings are meant where a file has more: SOURCE-TARGET, as the file calls them."""
    also: Sequence[str] = ()
    """Columns that hold scores although they do not look like it."""
    rater: str | None = None
    """Of MQM only what this rater marked; None: the mean over raters."""


_AS_USUAL: Final = ScoreReading()


def read_score_file(path: Path, how: ScoreReading = _AS_USUAL) -> ScoreFile:
    """The scores in a file. Raises InputError, with the line where there is one, for whatever is wrong with it."""
    if named := _NAMED.fullmatch(path.name.removesuffix(".gz")):
        return _read_pairs(read_lines(path), path, named["name"], _LEVELS[named["level"]])
    head = first_line(path)
    if head.lstrip()[:1] in ("{", "["):
        return score_kinds.read_document("".join(read_text(path)), path, how.first_segment)
    if score_kinds.is_comet(head):
        return score_kinds.read_comet(read_lines(path), path, how.first_segment)
    if score_kinds.is_sacrebleu(head):
        return score_kinds.read_sacrebleu(read_lines(path), path)
    if score_kinds.is_grid(head):
        return score_kinds.read_grid(read_lines(path), path)
    return _read_rows(path, how, head)


def looks_like_scores(path: Path) -> bool:
    """Whether a file begins like one of scores, and not like texts. Raises InputError for one that cannot be read."""
    head = first_line(path)
    if "\t" not in head:  # commas are more often those of a text
        names = head.split(",")
        return score_kinds.is_sacrebleu(head) or (
            len(names) > 2 and score_kinds.has_header(names) and not any(map(str.isspace, head))
        )
    cells = head.split("\t")
    is_pair = len(cells) == 2 and bool(_NUMBER.fullmatch(cells[1].strip()))
    return is_pair or score_kinds.has_header(cells) or score_kinds.is_comet(head) or score_kinds.is_appraise(cells)


def _read_rows(path: Path, how: ScoreReading, head: str) -> ScoreFile:
    rows = _rows(path, head)
    begin = next(rows)
    if score_kinds.is_appraise(begin[1]):
        return score_kinds.read_appraise(chain([begin], rows), path, how.first_segment, how.languages)
    if score_kinds.is_mqm(begin[1]):
        if how.rater is not None:
            rows = score_kinds.of_rater(begin[1], rows, path, how.rater)
        return score_kinds.read_mqm(begin[1], rows, path, how.weights, how.first_segment)
    if score_kinds.has_header(begin[1]):
        if "\t" not in head and "  " in head.strip():
            reason = "a table that is made for the screen; `--format tsv` writes one that can be read"
            raise InputError(reason, path=path, line=begin[0])
        return score_kinds.read_table(begin[1], rows, path, also=how.also, first=how.first_segment)
    return _read_pairs(read_lines(path), path, base_name(path), None)


def _rows(path: Path, head: str) -> Iterator[Row]:
    """The lines, cut at tabs where the first has one, else at commas, else where spaces are."""
    if "\t" in head:
        return ((number, line.split("\t")) for number, line in read_lines(path))
    if "," in head:
        return CsvSource.rows(path)
    # What Google published as averages has a header with spaces over lines with tabs.
    return ((number, line.split()) for number, line in read_lines(path))


def _read_pairs(lines: Iterable[tuple[int, str]], path: Path, name: str, told: Level | None) -> ScoreFile:
    """Lines of a system and a score.

    The lines of one system stand in the order of its segments, with those of other systems between them or not. Where
    the name of the file does not tell the level, systems that come once each are scored as a whole.
    """
    read: list[tuple[int, str, float]] = []
    for number, line in lines:
        fields = line.split("\t")
        hint = "" if told or number > 1 else "; nor is it a header with a column system"
        if not line.strip():
            raise InputError("a blank line in a table of scores", path=path, line=number)
        if len(fields) != 2:
            raise InputError(f"{len(fields)} fields where system TAB score is expected{hint}", path=path, line=number)
        try:
            read.append((number, fields[0].strip(), score_of(fields[1], path, number)))
        except InputError as error:
            raise (InputError(f"{error.reason}{hint}", path=path, line=number) if hint else error) from error
    systems = {system for _, system, _ in read}
    level = told or ("segment" if len(systems) < len(read) else "system")
    found = Collected(path)
    for number, system, value in read:
        if level == "segment":
            found.add_next(name, system, value, number)
        else:
            found.add(name, system, None, value, number)
    return found.file()


# What scores of others leave open: systems and segments without one, and names that belong to no system.

_SHOWN: Final = 5


def missing_segments(scores: Iterable[ExternalScores], systems: Collection[str]) -> list[str]:
    """A line for each metric that scores only some segments of a system; for several that lack the same, one line."""
    metrics: dict[str, list[str]] = {}
    for each in scores:
        if each.level == "system":
            continue
        missing = {system: int(np.isnan(array).sum()) for system, array in each.scores.items() if system in systems}
        parts = [f"{count:,} of {system}" for system, count in missing.items() if 0 < count < (each.segments or 0)]
        if parts:
            metrics.setdefault(f"of {each.segments:,} segments have no score: {first_few(parts)}", []).append(each.name)
    return [f"{', '.join(names)}: {lacking}" for lacking, names in metrics.items()]


def missing_systems(scores: Iterable[ExternalScores], systems: Collection[str]) -> list[str]:
    """Which of the systems have no score of a metric, and of which others there are scores."""
    metrics: dict[str, dict[str, None]] = {}
    for each in scores:
        scored = [system for system, array in each.scores.items() if not np.isnan(array).all()]
        metrics.setdefault(each.name, {}).update(dict.fromkeys(scored))
    absent: dict[str, list[str]] = {}
    others: dict[str, None] = {}
    for name, scored_by in metrics.items():
        unknown = [system for system in scored_by if system not in systems]
        others.update(dict.fromkeys(unknown))
        lacking = [system + named_alike(system, unknown) for system in systems if system not in scored_by]
        if lacking:
            absent.setdefault(first_few(lacking), []).append(name)
    lines = [f"{', '.join(names)}: no scores of {lacking}" for lacking, names in absent.items()]
    if others:
        lines.append(f"scores of systems that are not here are left out: {first_few(list(others))}")
    return lines


def named_alike(system: str, names: Collection[str]) -> str:
    """The name that is most like that of a system, in brackets; nothing where none is like it."""
    by_folded: Mapping[str, str] = {name.casefold(): name for name in names}
    found = get_close_matches(system.casefold(), by_folded, n=1, cutoff=0.75)
    return f" ({by_folded[found[0]]}?)" if found else ""


def first_few(parts: Sequence[str]) -> str:
    """Some of them with commas, and how many more there are."""
    more = [f"{len(parts) - _SHOWN:,} more"] if len(parts) > _SHOWN else []
    return ", ".join([*parts[:_SHOWN], *more])


# Human scores of machine translations, for systems or their segments.

USUAL = "z"
"""What is taken where several columns hold scores: those standardised by annotator, by which WMT ranks systems."""


@dataclass(frozen=True, slots=True)
class HumanJudgements:
    systems: Mapping[str, float]
    segments: Mapping[str, Mapping[int, float]]
    """By the number of the segment, from 0, too; empty where only systems were scored."""
    left_out: int = 0
    """How many scores are of segments that are not there."""
    notes: tuple[str, ...] = ()
    """What is to be told of how the file was read."""


def read_human_scores(
    path: Path, column: str | None = None, segments: int | None = None, *, leaves_out: bool = False
) -> HumanJudgements:
    """The human scores in a file of any kind: those called ``column``, else z, else the only ones.

    Raises InputError as ``read_score_file`` and ``human_judgements`` do.
    """
    file = read_score_file(path, ScoreReading(also=[column or USUAL]))
    return human_judgements(file, column, segments, leaves_out=leaves_out)


def human_judgements(
    file: ScoreFile, column: str | None = None, segments: int | None = None, *, leaves_out: bool = False
) -> HumanJudgements:
    """What people said of systems and of ``segments`` segments, as far as it is known how many there are.

    Where segments are scored, the score of a system is the mean of theirs, as WMT computes it. Raises InputError where
    it is not clear which scores are meant, for a segment that is not there unless it ``leaves_out`` those, and for
    another number of segments where they have no numbers.
    """
    name = _chosen(file, column)
    systems = {system: score.value for system, score in file.of_systems.get(name, {}).items() if isfinite(score.value)}
    file.check_equal()
    first, left_out = file.first(segments), 0
    by_segment: dict[str, dict[int, float]] = {}
    if name in file.of_segments:
        if segments is None or not leaves_out:
            file.scores(segments)  # which refuses what does not fit
        if file.usual_first is None and segments is not None:
            # Segments without numbers are all there, or those of a larger test set are.
            count = min(map(len, file.of_segments[name].values()))
            if count < segments or (count > segments and not leaves_out):
                reason = f"{count:,} segments of each system are scored, and there are {segments:,}"
                raise InputError(reason, path=file.path, line=min(file.systems.values()))
        for system, scores in file.of_segments[name].items():
            finite = {number - first: each.value for number, each in scores.items() if isfinite(each.value)}
            known = {at: value for at, value in finite.items() if segments is None or at < segments}
            left_out += len(finite) - len(known)
            if known:
                by_segment[system] = known
    if left_out and not by_segment:
        raise InputError(f"all its scores are of segments beyond the {segments or 0:,} that there are", path=file.path)
    means = {system: fsum(scores.values()) / len(scores) for system, scores in by_segment.items()}
    return HumanJudgements(systems or means, by_segment, left_out, file.how_read(segments))


def _chosen(file: ScoreFile, column: str | None) -> str:
    known = file.metrics
    if column is None and len(known) == 1:
        return known[0]
    if (name := USUAL if column is None else column) in known:
        return name
    raise InputError(f"no column {name!r} holds scores; {there_are(name, known)}", path=file.path, line=1)


# What is scored and what it is scored with: outputs of systems, sources and references, in plain text with a segment,
# or one reference of every segment, a line; or in other formats, by the extension, which say how many references there
# are.

_MARKUP: Final = re.compile(
    r"\s*(<\?xml\b|<!doctype\b|</?(?:seg|refset|tstset|srcset|mteval|dataset|tmx|tuv?|doc)(?:\s[^<>]*)?/?>)",
    re.IGNORECASE,
)

_RANK: Final = re.compile(r"ref([0-9]+)\.txt")
_TABLES: Final = (".tsv", ".csv", ".txt", ".score", "")
_WRITTEN: Final = re.compile(r"references(-ref)?\.(jsonl|tsv|xml|sgm)")
"""What the formats of reference sets call their files of references."""


def read_references(paths: Sequence[Path]) -> ReferenceTexts:
    """The references of some files together: of each segment those of the first file, then those of the next.

    A folder stands for the files in it: reference_files. A file with a label in front has references of that origin:
    labelled_files; of the others the file says where each comes from, or nothing does.

    Raises InputError where the files have different numbers of segments, or ids that do not agree, for a blank
    reference, for a segment without any, and for what cannot be read.
    """
    if not paths:
        raise InputError("no file of references is given")
    files = [file for label, path in labelled_files(paths) for file in _labelled(label, path)]
    segmentation = replace(files[0].segmentation, files=len(files))
    for other in files[1:]:
        check_counts(segmentation, other.segmentation)
    references = tuple(
        tuple(reference for part in parts for reference in part)
        for parts in zip(*(references_in_order(segmentation, each) for each in files), strict=True)
    )
    return ReferenceTexts(segmentation, references, next((each.sources for each in files if each.sources), ()))


def reference_files(paths: Sequence[Path]) -> list[Path]:
    """The files, and in the place of a folder those with the references that a writer of reference sets wrote there.

    Raises InputError for a folder in which it is not clear which these are.
    """
    return [file for _, path in labelled_files(paths) for file in (_files_in(path) if path.is_dir() else [path])]


def labelled_files(given: Sequence[Path]) -> list[tuple[str, Path]]:
    """What ``ORIGIN:FILE`` names: the label, empty where there is none, and the file or folder.

    A label has two characters or more, since one letter before a colon is a drive of Windows; a file whose whole name
    this is has none.
    """
    found = []
    for path in given:
        name, colon, rest = str(path).partition(":")
        is_label = colon and rest and len(name) > 1 and not set(name) & set("/\\") and not path.exists()
        found.append((name, Path(rest)) if is_label else ("", path))
    return found


def _labelled(label: str, path: Path) -> list[ReferenceTexts]:
    """The references in a file, or in those of a folder, with the origin that their label says or they say themselves.

    What is read in a folder may have it beside it.
    """
    is_folder = path.is_dir()
    files = [_references(file) for file in (_files_in(path) if is_folder else [path])]
    if label:
        known = Provenance(label)
        return [
            replace(
                each, references=tuple(tuple(replace(one, provenance=known) for one in of) for of in each.references)
            )
            for each in files
        ]
    return _with_provenance(files, path / PROVENANCE) if is_folder and (path / PROVENANCE).is_file() else files


def _with_provenance(files: Sequence[ReferenceTexts], path: Path) -> list[ReferenceTexts]:
    """The references of a folder with what the file beside them says of each, by its rank in its segment.

    A copy, with which a format filled up a smaller set, has no rank there: it is what it is a copy of. Raises
    InputError where the file has no such rank.
    """
    known = read_provenance(path)
    by_text: dict[tuple[int, str], Provenance] = {}
    ranks = [0] * max(len(each.references) for each in files)
    told = []
    for each in files:
        rows = []
        for number, references in enumerate(each.references, 1):
            row = []
            for one in references:
                ranks[number - 1] += 1
                rank = ranks[number - 1]
                found = known.get((number, rank)) or by_text.get((number, one.text))
                if found is None:
                    raise InputError(f"says nothing of reference {rank} of segment {number} beside it", path=path)
                by_text.setdefault((number, one.text), found)
                row.append(replace(one, provenance=found))
            rows.append(tuple(row))
        told.append(replace(each, references=tuple(rows)))
    return told


def _files_in(folder: Path) -> list[Path]:
    ranks = {path: number_of(found[1]) for path in folder.iterdir() if (found := _RANK.fullmatch(path.name))}
    if ranks:
        return sorted(ranks, key=ranks.__getitem__)
    written = [path for path in folder.iterdir() if _WRITTEN.fullmatch(path.name)]
    if len(written) != 1:
        raise InputError(
            "is a folder, and holds neither ref0.txt, ref1.txt ... nor one file references.*, as `corpusdb references`"
            " writes them: give its files",
            path=folder,
        )
    return written


def read_sources(path: Path, references: ReferenceTexts | None = None) -> tuple[list[str], Segmentation]:
    """The sources in a file, plain text or a table, none of them blank.

    Raises InputError unless there is one for every segment of the references, and for sources that are the references:
    where a translator has the text of the source in more than half of the segments.
    """
    sources = read_texts(path)
    for line, text in enumerate(sources, 1):
        if not text.strip():
            raise InputError("the source is blank", path=path, line=line)
    segmentation = segmentation_by_line(path, len(sources))
    if references is not None:
        check_counts(references.segmentation, segmentation)
        _refuse_sources(sources, references)
    return sources, segmentation


def _refuse_sources(sources: Sequence[str], references: ReferenceTexts) -> None:
    copies: dict[tuple[Path, str], list[int]] = {}
    for source, texts in zip(sources, references.references, strict=True):
        translators = {(each.path, each.name): each.line for each in texts}
        for translator, line in translators.items():
            texts_of_one = (each.text for each in texts if (each.path, each.name) == translator)
            if all(text.strip() == source.strip() for text in texts_of_one):
                copies.setdefault(translator, []).append(line)
    for (path, _), lines in copies.items():
        if 2 * len(lines) > len(sources):
            reason = f"the source is given as a reference: {len(lines):,} of {len(sources):,} segments are the same"
            reason += "; without sources --ref-from corpus paraphrases the references themselves"
            raise InputError(reason, path=path, line=lines[0])


def read_output(path: Path, segmentation: Segmentation) -> list[Output]:
    """The output in a file, of one system, or of several where the format can hold several.

    With ids on both sides, segments are joined by these. Raises InputError unless there is one text for every segment,
    which may be blank, and for what cannot be read.
    """
    _refuse_scores(path)
    reader = _scoring_reader(path, "outputs of systems")
    if reader is not None:
        if reader.outputs is None:
            raise _unreadable(path, "outputs of systems")
        return reader.outputs(path, segmentation)
    texts = read_plain(path)
    check_counts(segmentation, segmentation_by_line(path, len(texts)))
    return [Output(base_name(path), path, tuple(texts))]


def read_texts(path: Path) -> list[str]:
    """The texts in a file, one a line, or the sources in a table. Raises InputError as reading does."""
    reader = _scoring_reader(path, "texts")
    if reader is None:
        return read_plain(path)
    if reader.sources is None:
        raise _unreadable(path, "texts")
    return reader.sources(path)


def read_plain(path: Path) -> list[str]:
    """The lines of a plain text file; ``-`` is standard input.

    Raises InputError for mark-up and for tables, and as ``read_lines`` does.
    """
    lines = []
    for number, line in read_lines(path):
        if "<" in line and (found := _MARKUP.match(line)):
            reason = f"markup where plain text is expected: {found[1][:40]!r}; name the file .sgm or .xml if it is that"
            raise InputError(reason, path=path, line=number)
        lines.append(line)
    check_no_table(lines, path)
    return lines


def _scoring_reader(path: Path, what: str) -> ScoringReader | None:
    """How a file is read; None for plain text. Raises InputError for a format that nothing of this is read from."""
    # No format has such an extension, as of a language, and to load them all takes longer than to read the file.
    if path.suffix in ("", ".txt") or (len(path.suffix) == len(".en") and path.suffix.lower() != ".gz"):
        return None
    from corpusdb.corpus.formats.registry import format_of_file

    format = format_of_file(path)
    if format is not None and format.scoring_reader is None:
        raise _unreadable(path, what)
    return None if format is None else format.scoring_reader


def _refuse_scores(path: Path) -> None:
    """Raise InputError for what is no text of anybody, but a table of scores."""
    if path.suffix in _TABLES and looks_like_scores(path):
        reason = "it looks like a table of scores, and texts are expected: --scores and --human take scores"
        raise InputError(reason, path=path, line=1)


def _unreadable(path: Path, what: str) -> InputError:
    from corpusdb.corpus.formats.registry import format_of_file

    format = format_of_file(path)
    name = "this format" if format is None else format.name
    return InputError(f"{what} cannot be read from {name}: give plain text, one a line, or a table", path=path)


def _references(path: Path) -> ReferenceTexts:
    _refuse_scores(path)
    reader = _scoring_reader(path, "references")
    if reader is not None:
        return reader.references(path)
    segments = tuple((make_reference(text, path, line),) for line, text in enumerate(read_plain(path), 1))
    return ReferenceTexts(segmentation_by_line(path, len(segments)), segments)


_STDIN: Final = (Path("-"), Path("/dev/stdin"))


def with_distinct_names(outputs: Sequence[Output]) -> list[Output]:
    """The outputs under the names of their systems; by their files where two systems have one name.

    What is sent through a pipe has no name: it is stdin, or pipe 1, pipe 2 ..., in their order. Raises UsageError for
    one that is given twice.
    """
    sent = dict.fromkeys(output.path for output in outputs if is_sent(output.path) and output.path not in _STDIN)
    pipes = dict.fromkeys(_STDIN, "stdin") | {path: f"pipe {number}" for number, path in enumerate(sent, 1)}
    outputs = [
        replace(each, system=pipes.get(each.path, each.system)) if each.system == base_name(each.path) else each
        for each in outputs
    ]
    names = [output.system for output in outputs]
    named = [
        output if names.count(output.system) == 1 else replace(output, system=str(output.path)) for output in outputs
    ]
    given = set[str]()
    for output in named:
        if output.system in given:
            raise UsageError(f"{output.system} is given twice")
        given.add(output.system)
    return named
