"""Which document each segment of a test set belongs to, from a table of documents."""

from __future__ import annotations

from pathlib import Path

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import read_lines

__all__ = ["read_documents"]

_COLUMNS = ("doc", "first_segment", "n_segments")


def read_documents(path: Path, segments: int) -> tuple[str, ...]:
    """The document of each of so many segments, from columns ``doc``, ``first_segment`` (from 0) and ``n_segments``.

    Raises InputError, with the line, for a missing column, what is no number, two documents with one name, and where
    a segment belongs to no document or to two.
    """
    lines = read_lines(path)
    header = next(lines)[1].split("\t")
    for name in _COLUMNS:
        if name not in header:
            raise InputError(f"no column {name!r}; there are {', '.join(header)}", path=path, line=1)
    found: dict[int, str] = {}
    known: set[str] = set()
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != len(header):
            raise InputError(f"{len(fields)} fields under {len(header)} names", path=path, line=number)
        name, first, count = (dict(zip(header, fields, strict=True))[each] for each in _COLUMNS)
        if not all(each.isascii() and each.isdecimal() and len(each) < 10 for each in (first, count)):
            raise InputError(f"{first!r} and {count!r} are no numbers of segments", path=path, line=number)
        if name in known:
            raise InputError(f"two documents are called {name!r}", path=path, line=number)
        known.add(name)
        last = int(first) + int(count)
        if last > segments:
            raise InputError(f"{name} ends with segment {last:,} of {segments:,}", path=path, line=number)
        for segment in range(int(first), last):
            if segment in found:
                raise InputError(f"segment {segment} is in {found[segment]} and {name}", path=path, line=number)
            found[segment] = name
    missing = next((segment for segment in range(segments) if segment not in found), None)
    if missing is not None:
        raise InputError(f"segment {missing} (from 0) is in no document; there are {segments:,}", path=path)
    return tuple(found[segment] for segment in range(segments))
