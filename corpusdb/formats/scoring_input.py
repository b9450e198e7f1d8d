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

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import read_lines
from corpusdb.formats.format import ScoringReader
from corpusdb.formats.registry import format_of_file
from corpusdb.formats.segments import (
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
    "read_output",
    "read_plain",
    "read_references",
    "read_sources",
]

_MARKUP: Final = re.compile(
    r"\s*(<\?xml\b|<!doctype\b|</?(?:seg|refset|tstset|srcset|mteval|dataset|tmx|tuv?|doc)(?:\s[^<>]*)?/?>)",
    re.IGNORECASE,
)


def read_references(paths: Sequence[Path]) -> ReferenceTexts:
    """The references of some files together: of each segment those of the first file, then those of the next.

    Raises InputError where the files have different numbers of segments, or ids that do not agree, for a blank
    reference, for a segment without any, and for what cannot be read.
    """
    if not paths:
        raise InputError("no file of references is given")
    files = [_references(path) for path in paths]
    segmentation = replace(files[0].segmentation, files=len(files))
    for other in files[1:]:
        check_counts(segmentation, other.segmentation)
    references = tuple(
        tuple(reference for part in parts for reference in part)
        for parts in zip(*(references_in_order(segmentation, each) for each in files), strict=True)
    )
    return ReferenceTexts(segmentation, references, next((each.sources for each in files if each.sources), ()))


def read_sources(path: Path, references: ReferenceTexts | None = None) -> tuple[list[str], Segmentation]:
    """The sources in a plain text file, none of them blank.

    Raises InputError unless there is one for every segment of the references, and for sources that are the references:
    where a translator has the text of the source in more than half of the segments.
    """
    sources = read_plain(path)
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
            raise InputError(reason, path=path, line=lines[0])


def read_output(path: Path, segmentation: Segmentation) -> list[Output]:
    """The output in a file, of one system, or of several where the format can hold several.

    With ids on both sides, segments are joined by these. Raises InputError unless there is one text for every segment,
    which may be blank, and for what cannot be read.
    """
    reader = _scoring_reader(path)
    if reader is not None and reader.outputs is not None:
        return reader.outputs(path, segmentation)
    texts = read_plain(path)
    check_counts(segmentation, segmentation_by_line(path, len(texts)))
    return [Output(base_name(path), path, tuple(texts))]


def read_plain(path: Path) -> list[str]:
    """The lines of a plain text file; ``-`` is standard input. Raises InputError for mark-up, and as ``read_lines``."""
    lines = []
    for number, line in read_lines(path):
        if found := _MARKUP.match(line):
            reason = f"markup where plain text is expected: {found[1][:40]!r}; name the file .sgm or .xml if it is that"
            raise InputError(reason, path=path, line=number)
        lines.append(line)
    return lines


def _scoring_reader(path: Path) -> ScoringReader | None:
    format = format_of_file(path)
    return None if format is None else format.scoring_reader


def _references(path: Path) -> ReferenceTexts:
    """The references in one file."""
    reader = _scoring_reader(path)
    if reader is not None:
        return reader.references(path)
    segments = tuple((make_reference(text, path, line),) for line, text in enumerate(read_plain(path), 1))
    return ReferenceTexts(segmentation_by_line(path, len(segments)), segments)
