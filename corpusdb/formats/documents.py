"""Which segments of a test set make a document, from tab-separated values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import read_lines

__all__ = ["Document", "read_documents"]

_COLUMNS = ("doc", "first_segment", "n_segments")


@dataclass(frozen=True, slots=True)
class Document:
    """Some segments that follow each other."""

    name: str
    first: int
    """The number of its first segment, from 0."""
    segments: int
    domain: str | None = None
    """What it is about, or where it comes from, where the file says so."""


def read_documents(path: Path, segments: int) -> list[Document]:
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
    found: dict[str, Document] = {}
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


def _document(row: dict[str, str], path: Path, line: int) -> Document:
    name, *numbers = (row[column] for column in _COLUMNS)
    if not all(each.isascii() and each.isdigit() and len(each) < 10 for each in numbers):
        raise InputError(
            f"first_segment and n_segments are numbers, unlike {' and '.join(numbers)}", path=path, line=line
        )
    first, count = map(int, numbers)
    if not name.strip() or not count:
        reason = "the document has no name" if count else f"{name} has no segments"
        raise InputError(reason, path=path, line=line)
    return Document(name, first, count, row.get("domain", "").strip() or None)


def _check_cover(ordered: list[Document], places: dict[str, int], path: Path, segments: int) -> None:
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
