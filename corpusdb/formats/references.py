"""Reference sets, the reference translations of each segment, and what their writers have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from corpusdb.bounds import number_of
from corpusdb.errors import InputError, UsageError
from corpusdb.formats.files.reading import read_lines
from corpusdb.formats.records import Record, Version
from corpusdb.outputs import Content
from corpusdb.rows import tsv_line

__all__ = [
    "ANY",
    "PROVENANCE",
    "UNKNOWN",
    "Provenance",
    "ReferenceSet",
    "check_set",
    "check_sets",
    "lines_of",
    "provenance_files",
    "read_provenance",
    "reference_units",
    "references_of_rank",
    "refuse_leftovers",
    "with_added",
]

ANY: Final = "any"
"""The language that test sets name where none is known."""

PROVENANCE: Final = "provenance.tsv"
"""Beside references in a form that has no room for it: where each comes from."""


class Provenance(NamedTuple):
    """Where a reference comes from."""

    origin: str
    """All that hold, with + between them: original+detected; empty where it is not known."""
    validity: float | None = None
    """The probability that it holds; None for those that people vouch for, and where it is not known."""

    @classmethod
    def of_cells(cls, origin: str, validity: str) -> Provenance:
        """From the cells of a table; a validity that is no number is not known."""
        try:
            return cls(origin, float(validity))
        except ValueError:
            return cls(origin)


UNKNOWN: Final = Provenance("")


@dataclass(frozen=True, slots=True)
class ReferenceSet:
    """One segment with its references."""

    id: str
    """What the segment is called in messages and in the output: its line, or its number in a document."""
    source: str
    """The text that was, or is to be, translated; the seed where there is no other; empty where it is not known."""
    references: tuple[str, ...]
    """Best first."""
    provenance: Mapping[str, Provenance] = field(default_factory=dict, compare=False)
    """By reference, where that is known: no part of what a set is, nor of its digest."""

    corpus: str = field(default="", compare=False)
    """How the test set stands to the corpus that made its references: near; or far, where their validities do not hold;
    empty where it is not known. No part of what a set is either."""

    def provenance_of(self, reference: str) -> Provenance:
        return self.provenance.get(reference, UNKNOWN)


def with_added(before: ReferenceSet, after: ReferenceSet, origin: str) -> ReferenceSet:
    """The set ``after`` with what is known of its references: those that it had ``before`` are given unless something
    else is known of them, the others are of that origin."""
    given = {text: Provenance("original") for text in before.references} | dict(before.provenance)
    found = {text: given.get(text, Provenance(origin)) for text in after.references}
    return replace(after, provenance=found, corpus=before.corpus)


def check_sets(sets: Iterable[ReferenceSet], forbidden: str = "") -> tuple[list[ReferenceSet], bool]:
    """The sets, and whether they have sources: all or none has. Raises InputError as check_set."""
    segments = list(sets)
    have_sources = any(each.source for each in segments)
    return [check_set(each, forbidden, has_source=have_sources) for each in segments], have_sources


def check_set(segment: ReferenceSet, forbidden: str = "", *, has_source: bool = True) -> ReferenceSet:
    """The set itself. Raises InputError for one without references, and for texts that are blank or hold a character of
    ``forbidden``, which are line breaks and tabs."""
    if not segment.references:
        raise InputError(f"segment {segment.id!r} has no reference; a missing one is not the same as an empty one")
    texts = {"source": segment.source} if has_source else {}
    texts |= {f"reference {n}": text for n, text in enumerate(segment.references, 1)}
    for what, text in texts.items():
        if not text or text.isspace():
            raise InputError(f"{what} of segment {segment.id!r} is empty")
        if any(character in text for character in forbidden):
            names = "a line break or a tab" if "\t" in forbidden else "a line break"
            raise InputError(f"{what} of segment {segment.id!r} holds {names}")
    return segment


def references_of_rank(segments: Sequence[ReferenceSet], rank: int) -> Iterator[str]:
    """The reference of each segment at a rank, from 0; smaller sets are filled up by repeating their own.

    They are repeated in the order of their texts, so that sets of the same references are filled up alike, and NIST and
    TER, which count each copy, say the same of them as the digest does.
    """
    for segment in segments:
        known = segment.references
        yield known[rank] if rank < len(known) else sorted(known)[(rank - len(known)) % len(known)]


def reference_units(sets: Iterable[ReferenceSet]) -> list[Record]:
    """The sets as units of a test set: each a source and the same number of references, named 1, 2 ... by rank.

    There is no unit without a source: the first reference stands for one where none is known.
    """
    segments, have_sources = check_sets(sets)
    if not have_sources:
        segments = [replace(each, source=each.references[0]) for each in segments]
    width = max((len(segment.references) for segment in segments), default=0)
    ranks = [list(references_of_rank(segments, rank)) for rank in range(width)]
    versions = (Version("source"), *(Version("reference", str(rank)) for rank in range(1, width + 1)))
    return [
        Record(line, (segment.source, *references), languages=(ANY,) * (width + 1), name=segment.id, versions=versions)
        for line, (segment, *references) in enumerate(zip(segments, *ranks, strict=True), 1)
    ]


def provenance_files(sets: Sequence[ReferenceSet]) -> dict[str, Content]:
    """The file of where each reference comes from; none where nothing is known of that."""
    if not any(each.provenance for each in sets):
        return {}
    rows: list[tuple[str | int | float | None, ...]] = [("segment", "rank", "origin", "validity", "corpus")]
    for number, each in enumerate(sets, 1):
        rows += [(number, rank, *each.provenance_of(text), each.corpus) for rank, text in enumerate(each.references, 1)]
    return {PROVENANCE: lambda file: file.writelines(map(tsv_line, rows))}


def read_provenance(path: Path) -> dict[tuple[int, int], Provenance]:
    """What such a file says of each reference, by segment and rank, from 1. Raises InputError for any other table."""
    found = {}
    for line, row in read_lines(path):
        cells = row.split("\t")
        if line == 1 and cells[:4] == ["segment", "rank", "origin", "validity"]:
            continue
        if line == 1 or len(cells) < 4 or not (cells[0].isdecimal() and cells[1].isdecimal()):
            reason = "is no table of segment, rank, origin and validity, as `corpusdb references` writes it"
            raise InputError(reason, path=path, line=line)
        found[number_of(cells[0]), number_of(cells[1])] = Provenance.of_cells(cells[2], cells[3])
    return found


def refuse_leftovers(directory: Path, written: Iterable[str], others: Iterable[str]) -> None:
    """Raise UsageError where a file of another set would stay beside those that are written and be taken for theirs."""
    for name in set(others).difference(written):
        if (directory / name).exists():
            raise UsageError(f"{directory / name} is left from another set; remove it or choose another directory")


def lines_of(lines: Iterable[str]) -> Content:
    """The content of a file with these lines."""
    return lambda file: file.writelines(f"{line}\n" for line in lines)
