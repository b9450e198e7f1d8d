"""The segments of what is scored and of what it is scored with: outputs, references, and which belongs to which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.reading import read_lines
from corpusdb.corpus.formats.records import UNKNOWN, Provenance

# Outputs and references are matched by the ids of their segments where both files have ids, else by their order.

SegmentId: TypeAlias = tuple[str, str]
"""Of the document, and of the segment in it."""


@dataclass(frozen=True, slots=True)
class Reference:
    text: str
    path: Path
    line: int
    """From 1; in mark-up, of the beginning of its document."""
    name: str = ""
    """Of the translator, where the file names one."""
    provenance: Provenance = UNKNOWN
    """Where it comes from, where the file says it, or who named the file."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" + (f" ({self.name})" if self.name else "")


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The segments of a file, to which those of other files are matched."""

    path: Path
    lines: tuple[int, ...]
    """Where each segment stands in the file, from 1."""
    ids: tuple[SegmentId, ...] = ()
    """An id for each segment, or none where the file gives none."""
    files: int = 1
    """How many files of references there are."""


@dataclass(frozen=True, slots=True)
class ReferenceTexts:
    """The references of every segment, one or more each, none of them blank."""

    segmentation: Segmentation
    """That of the first file."""
    references: tuple[tuple[Reference, ...], ...]
    sources: tuple[str, ...] = ()
    """A source for each segment, or none where the files hold no sources."""


@dataclass(frozen=True, slots=True)
class Output:
    """The translation of every segment by one system."""

    system: str
    path: Path
    texts: tuple[str, ...]
    """A blank one is legal: the system gave no translation."""


def make_reference(text: str, path: Path, line: int, name: str = "", provenance: Provenance = UNKNOWN) -> Reference:
    """A reference. Raises InputError for a blank one."""
    if not text.strip():
        what = f"the reference of {name}" if name else "a reference"
        raise InputError(f"{what} is blank; leave out what is missing, as JSONL, TSV and SGM can", path=path, line=line)
    return Reference(text, path, line, name, provenance)


def base_name(path: Path) -> str:
    """The name of a file without its extension and that of gzip: the name of a system where the file gives none."""
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).stem


def segmentation_by_line(path: Path, count: int) -> Segmentation:
    """The segmentation of a file with one segment a line."""
    return Segmentation(path, tuple(range(1, count + 1)))


def check_counts(one: Segmentation, two: Segmentation) -> None:
    """Raise InputError, for the first segment that has no counterpart, unless both have the same number."""
    counts = len(one.lines), len(two.lines)
    if counts[0] == counts[1]:
        return
    longer, shorter = (one, two) if counts[0] > counts[1] else (two, one)
    end = min(counts)
    reason = f"has no counterpart: {shorter.path} ends after {end:,} segments, this file has {max(counts):,}"
    if one.files > 1 and one.files == counts[1]:
        reason += "; a file of references holds one reference of every segment, not all references of one"
    raise InputError(reason, path=longer.path, line=longer.lines[end])


def ids_in_order(segmentation: Segmentation, other: Segmentation) -> Sequence[SegmentId]:
    """The ids of another file, which has ids and as many segments, in the order of the segments.

    Where only the other file has ids, its own order holds. Raises InputError for an id that the segments have not.
    """
    if not segmentation.ids:
        return other.ids
    known = set(segmentation.ids)
    for (document, segment), line in zip(other.ids, other.lines, strict=True):
        if (document, segment) not in known:
            reason = f"segment {segment!r} of document {document!r} is not in {segmentation.path}"
            raise InputError(reason, path=other.path, line=line)
    return segmentation.ids  # as many, and all of them known


def references_in_order(segmentation: Segmentation, other: ReferenceTexts) -> Iterator[tuple[Reference, ...]]:
    """The references of another file in the order of the segments. Raises InputError as ``ids_in_order`` does."""
    if not other.segmentation.ids:
        return iter(other.references)
    by_id = dict(zip(other.segmentation.ids, other.references, strict=True))
    return (by_id[id] for id in ids_in_order(segmentation, other.segmentation))


# Which segments of a test set make a document, from tab-separated values.

_COLUMNS = ("doc", "first_segment", "n_segments")


@dataclass(frozen=True, slots=True)
class SegmentDocument:
    """Some segments that follow each other."""

    name: str
    first: int
    """The number of its first segment, from 0."""
    segments: int
    domain: str | None = None
    """What it is about, or where it comes from, where the file says so."""


def read_documents(path: Path, segments: int) -> list[SegmentDocument]:
    """The documents of a test set of so many segments: columns doc, first_segment, n_segments, domain if any.

    Segments count from 0, or from 1 where the documents then have all of them, to the last. Raises InputError, with the
    line, for a missing column, a number that is none, two documents of one name, documents that overlap or end behind
    the last segment, and segments that are in none.
    """
    lines = read_lines(path)
    header = next(lines)[1].split("\t")
    for name in _COLUMNS:
        if name not in header:
            raise InputError(f"no column {name!r}; there are {', '.join(header)}", path=path, line=1)
    found: dict[str, SegmentDocument] = {}
    places: dict[str, int] = {}
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != len(header):
            raise InputError(f"{len(fields)} fields under {len(header)} names", path=path, line=number)
        document = _document(dict(zip(header, fields, strict=True)), path, number)
        if document.name in found:
            raise InputError(f"two documents are called {document.name!r}", path=path, line=number)
        found[document.name], places[document.name] = document, number
    ordered = sorted(found.values(), key=lambda each: each.first)
    if ordered and ordered[0].first == 1 and ordered[-1].first + ordered[-1].segments == segments + 1:
        found = {name: replace(each, first=each.first - 1) for name, each in found.items()}
        ordered = [found[each.name] for each in ordered]
    _check_cover(ordered, places, path, segments)
    return list(found.values())


def _document(row: dict[str, str], path: Path, line: int) -> SegmentDocument:
    name, *numbers = (row[column] for column in _COLUMNS)
    if not all(each.isascii() and each.isdigit() and len(each) < 10 for each in numbers):
        raise InputError(
            f"first_segment and n_segments are numbers, unlike {' and '.join(numbers)}", path=path, line=line
        )
    first, count = map(int, numbers)
    if not name.strip() or not count:
        reason = "the document has no name" if count else f"{name} has no segments"
        raise InputError(reason, path=path, line=line)
    return SegmentDocument(name, first, count, row.get("domain", "").strip() or None)


def _check_cover(ordered: list[SegmentDocument], places: dict[str, int], path: Path, segments: int) -> None:
    end, before = 0, "the beginning"
    for each in ordered:
        line = places[each.name]
        if each.first < end:
            raise InputError(
                f"{each.name} overlaps with {before}: segment {each.first} is in both", path=path, line=line
            )
        if each.first > end:
            left = f"segments {end} to {each.first - 1}"
            raise InputError(f"{left} between {before} and {each.name} are in no document", path=path, line=line)
        end, before = each.first + each.segments, each.name
        if end > segments:
            reason = f"{each.name} ends with segment {end - 1}, and there are {segments:,}, counted from 0"
            raise InputError(reason, path=path, line=line)
    if end < segments:
        reason = f"segments {end} to {segments - 1}, the last, are in no document"
        raise InputError(reason, path=path, line=places[ordered[-1].name] if ordered else None)
