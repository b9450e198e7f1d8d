"""Reference sets, the reference translations of each segment, written for the tools that score with them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from corpusdb.bounds import number_of
from corpusdb.errors import InputError, UsageError
from corpusdb.formats.records import Record, Version
from corpusdb.outputs import NEW_ONLY, Content, Guard, check_output, write_files

__all__ = [
    "WRITERS",
    "ReferenceSet",
    "check_directory",
    "digest",
    "write_jsonl",
    "write_reference_sgm",
    "write_reference_wmt",
    "write_sacrebleu",
    "write_tsv",
]

_ANY: Final = ("any", "any")
"""What test sets say whose languages are not told."""


class Writer(Protocol):
    """Writes sets into a directory."""

    def __call__(self, sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]: ...


@dataclass(frozen=True, slots=True)
class ReferenceSet:
    """One segment with its references."""

    id: str
    """What the segment is called in messages and in the output: its line, or its number in a document."""
    source: str
    """The text that was, or is to be, translated; the seed where there is no other."""
    references: tuple[str, ...]
    """Best first."""


def digest(sets: Iterable[ReferenceSet]) -> str:
    """SHA-256 of the texts, in hexadecimal: the same for the same segments in whatever format they are written.

    Serialised as one line for each segment in order, ``["source",["reference 1","reference 2"]]``: JSON without spaces,
    characters beyond ASCII as they are, UTF-8, ended by LF. The ids are no part of it.
    """
    sha = hashlib.sha256()
    for segment in sets:
        sha.update((_json([segment.source, list(segment.references)]) + "\n").encode())
    return sha.hexdigest()


def write_sacrebleu(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write source.txt and ref0.txt, ref1.txt ..., one segment a line; returns their paths.

    There are as many reference files as the largest set has references. Smaller sets are filled up by repeating their
    own, because sacrebleu takes an empty line for a reference of length 0, which switches off the brevity penalty.
    Raises InputError for a segment without references and for texts that are blank or hold a line break, and UsageError
    where reference files of an earlier, larger set would stay behind in the directory.
    """
    segments = [_checked(segment, "\n\r") for segment in sets]
    width = max((len(segment.references) for segment in segments), default=0)
    for path in directory.glob("ref*.txt"):
        number = re.fullmatch(r"ref(\d+)\.txt", path.name)
        if number and number_of(number[1]) >= width:
            raise UsageError(f"{path} is left from a set with more references; remove it or choose another directory")
    files = {"source.txt": _lines(segment.source for segment in segments)}
    for rank in range(width):
        files[f"ref{rank}.txt"] = _lines(_references_of_rank(segments, rank))
    return write_files(directory, files, guard)


def write_jsonl(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write references.jsonl, one object with id, source and references a line; returns its path.

    Raises InputError for a segment without references and for blank texts.
    """
    rows = (
        _json({"id": segment.id, "source": segment.source, "references": list(segment.references)})
        for segment in map(_checked, sets)
    )
    return write_files(directory, {"references.jsonl": _lines(rows)}, guard)


def write_tsv(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write references.tsv, one reference a line: segment (from 1), rank (from 1), source, reference; returns its path.

    The first line names the columns. Raises InputError for a segment without references and for texts that are blank or
    hold a line break or a tab.
    """

    def rows() -> Iterator[str]:
        yield "segment\trank\tsource\treference"
        for number, segment in enumerate(sets, 1):
            _checked(segment, "\n\r\t")
            for rank, reference in enumerate(segment.references, 1):
                yield f"{number}\t{rank}\t{segment.source}\t{reference}"

    return write_files(directory, {"references.tsv": _lines(rows())}, guard)


def write_reference_wmt(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write references.xml, a WMT test set of one document; returns its path.

    The languages are "any", the translators 1, 2 ... by rank; smaller sets are filled up as for sacrebleu, because each
    reference of a test set is complete. Ids stay where they are unlike, and are numbers otherwise. Raises InputError
    for a segment without references and for blank texts.
    """
    from corpusdb.formats.test_sets.wmt import write_wmt  # loads an XML library, which the other formats do without

    records = _test_set(sets)
    return write_files(directory, {"references.xml": lambda file: write_wmt(records, (), file)}, guard)


def write_reference_sgm(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write references-src.sgm and references-ref.sgm for mteval, otherwise as ``write_reference_wmt``."""
    from corpusdb.formats.test_sets.sgm import write_sgm  # with the readers, which the other formats do without

    records = _test_set(sets)
    files: dict[str, Content] = {
        "references-src.sgm": lambda file: write_sgm(records, _ANY, file, "src"),
        "references-ref.sgm": lambda file: write_sgm(records, _ANY, file, "ref"),
    }
    return write_files(directory, files, guard)


WRITERS: Final[Mapping[str, Writer]] = {
    "jsonl": write_jsonl,
    "sacrebleu": write_sacrebleu,
    "sgm": write_reference_sgm,
    "tsv": write_tsv,
    "wmt": write_reference_wmt,
}
"""Every format by its name.

Each writer is given the sets, a directory and what may be replaced there, and returns the paths of what it wrote; it
raises as check_output does.
"""

_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "jsonl": ("references.jsonl",),
    "sacrebleu": ("source.txt", "ref*.txt"),
    "sgm": ("references-src.sgm", "references-ref.sgm"),
    "tsv": ("references.tsv",),
    "wmt": ("references.xml",),
}
"""What the files of each format are called."""


def check_directory(name: str, directory: Path, guard: Guard) -> None:
    """Raise what would be raised if a format of WRITERS were written there, before there is anything to write."""
    if not directory.exists():
        return  # it will be made
    check_output(directory / _NAMES[name][0], guard)
    for pattern in _NAMES[name]:
        for path in directory.glob(pattern):
            check_output(path, guard)


def _checked(segment: ReferenceSet, forbidden: str = "") -> ReferenceSet:
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


def _references_of_rank(segments: Sequence[ReferenceSet], rank: int) -> Iterator[str]:
    return (segment.references[rank % len(segment.references)] for segment in segments)


def _test_set(sets: Iterable[ReferenceSet]) -> list[Record]:
    """The sets as units with a source and the same number of references each."""
    segments = [_checked(segment) for segment in sets]
    width = max((len(segment.references) for segment in segments), default=0)
    ranks = [list(_references_of_rank(segments, rank)) for rank in range(width)]
    versions = (Version("source"), *(Version("reference", str(rank)) for rank in range(1, width + 1)))
    return [
        Record(
            line, (segment.source, *references), languages=_ANY[:1] * (width + 1), name=segment.id, versions=versions
        )
        for line, (segment, *references) in enumerate(zip(segments, *ranks, strict=True), 1)
    ]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _lines(lines: Iterable[str]) -> Content:
    return lambda file: file.writelines(f"{line}\n" for line in lines)
