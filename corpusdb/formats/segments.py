"""The segments of what is scored and of what it is scored with: outputs, references, and which belongs to which.

Files are matched by the ids of their segments where both have ids, and otherwise by their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from corpusdb.errors import InputError
from corpusdb.formats.references import UNKNOWN, Provenance

__all__ = [
    "Output",
    "Reference",
    "ReferenceTexts",
    "SegmentId",
    "Segmentation",
    "base_name",
    "check_counts",
    "ids_in_order",
    "make_reference",
    "references_in_order",
    "segmentation_by_line",
]

SegmentId: TypeAlias = tuple[str, str]
"""Of the document, and of the segment in it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference, and where it stands."""

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
    """By segment."""
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
        raise InputError(
            f"{what} is blank; what is missing is to be left out, as JSONL, TSV and SGM can", path=path, line=line
        )
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
