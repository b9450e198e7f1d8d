"""What is scored and what it is scored with: outputs of systems, sources and references, read from any file.

Plain text has one segment a line, and a file of references one reference of every segment. Where segments have
different numbers of references, other formats say how many; the extension of the file says which format it is. Errors
name the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from corpusdb.base.errors import InputError
from corpusdb.base.options import number_of
from corpusdb.corpus.formats.columns import check_no_table
from corpusdb.corpus.formats.format import ScoringReader
from corpusdb.corpus.formats.reading import read_lines
from corpusdb.corpus.formats.records import PROVENANCE, Provenance, read_provenance
from corpusdb.corpus.formats.registry import format_of_file
from corpusdb.corpus.formats.score_reading import looks_like_scores
from corpusdb.corpus.formats.segments import (
    Output,
    Reference,
    ReferenceTexts,
    Segmentation,
    base_name,
    check_counts,
    make_reference,
    references_in_order,
    segmentation_by_line,
)

__all__ = [
    "Output",
    "Reference",
    "ReferenceTexts",
    "Segmentation",
    "labelled_files",
    "read_output",
    "read_plain",
    "read_references",
    "read_sources",
    "read_texts",
    "reference_files",
    "with_distinct_names",
]

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
        return [_of_origin(each, label) for each in files]
    return _with_provenance(files, path / PROVENANCE) if is_folder and (path / PROVENANCE).is_file() else files


def _of_origin(texts: ReferenceTexts, label: str) -> ReferenceTexts:
    known = Provenance(label)
    return replace(
        texts, references=tuple(tuple(replace(one, provenance=known) for one in each) for each in texts.references)
    )


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
        if found := _MARKUP.match(line):
            reason = f"markup where plain text is expected: {found[1][:40]!r}; name the file .sgm or .xml if it is that"
            raise InputError(reason, path=path, line=number)
        lines.append(line)
    check_no_table(lines, path)
    return lines


def _scoring_reader(path: Path, what: str) -> ScoringReader | None:
    """How a file is read; None for plain text. Raises InputError for a format that nothing of this is read from."""
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
    format = format_of_file(path)
    name = "this format" if format is None else format.name
    return InputError(f"{what} cannot be read from {name}: give plain text, one a line, or a table", path=path)


def _references(path: Path) -> ReferenceTexts:
    """The references in one file."""
    _refuse_scores(path)
    reader = _scoring_reader(path, "references")
    if reader is not None:
        return reader.references(path)
    segments = tuple((make_reference(text, path, line),) for line, text in enumerate(read_plain(path), 1))
    return ReferenceTexts(segmentation_by_line(path, len(segments)), segments)


def with_distinct_names(outputs: Sequence[Output]) -> list[Output]:
    """The outputs under the names of their systems; by their files where two systems have one name."""
    names = [output.system for output in outputs]
    return [
        output if names.count(output.system) == 1 else replace(output, system=str(output.path)) for output in outputs
    ]
