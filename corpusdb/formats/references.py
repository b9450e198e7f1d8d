"""Reference sets, the reference translations of each segment, and what their writers have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from corpusdb.errors import InputError
from corpusdb.formats.records import Record, Version
from corpusdb.outputs import Content

__all__ = [
    "ANY",
    "ReferenceSet",
    "check_set",
    "lines_of",
    "reference_units",
    "references_of_rank",
]

ANY: Final = "any"
"""The language that test sets name where none is known."""


@dataclass(frozen=True, slots=True)
class ReferenceSet:
    """One segment with its references."""

    id: str
    """What the segment is called in messages and in the output: its line, or its number in a document."""
    source: str
    """The text that was, or is to be, translated; the seed where there is no other."""
    references: tuple[str, ...]
    """Best first."""


def check_set(segment: ReferenceSet, forbidden: str = "") -> ReferenceSet:
    """The set itself. Raises InputError for one without references, and for texts that are blank or hold a character of
    ``forbidden``, which are line breaks and tabs."""
    if not segment.references:
        raise InputError(f"segment {segment.id!r} has no reference; a missing one is not the same as an empty one")
    texts = {"source": segment.source} | {f"reference {n}": text for n, text in enumerate(segment.references, 1)}
    for what, text in texts.items():
        if not text or text.isspace():
            raise InputError(f"{what} of segment {segment.id!r} is empty")
        if any(character in text for character in forbidden):
            names = "a line break or a tab" if "\t" in forbidden else "a line break"
            raise InputError(f"{what} of segment {segment.id!r} holds {names}")
    return segment


def references_of_rank(segments: Sequence[ReferenceSet], rank: int) -> Iterator[str]:
    """The reference of each segment at a rank, from 0; smaller sets are filled up by repeating their own."""
    return (segment.references[rank % len(segment.references)] for segment in segments)


def reference_units(sets: Iterable[ReferenceSet]) -> list[Record]:
    """The sets as units of a test set: each a source and the same number of references, named 1, 2 ... by rank."""
    segments = [check_set(segment) for segment in sets]
    width = max((len(segment.references) for segment in segments), default=0)
    ranks = [list(references_of_rank(segments, rank)) for rank in range(width)]
    versions = (Version("source"), *(Version("reference", str(rank)) for rank in range(1, width + 1)))
    return [
        Record(line, (segment.source, *references), languages=(ANY,) * (width + 1), name=segment.id, versions=versions)
        for line, (segment, *references) in enumerate(zip(segments, *ranks, strict=True), 1)
    ]


def lines_of(lines: Iterable[str]) -> Content:
    """The content of a file with these lines."""
    return lambda file: file.writelines(f"{line}\n" for line in lines)
