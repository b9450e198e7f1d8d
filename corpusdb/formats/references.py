"""Reference sets, the reference translations of each segment, written for the tools that score with them."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from corpusdb.errors import InputError, UsageError

__all__ = ["WRITERS", "ReferenceSet", "digest", "write_jsonl", "write_sacrebleu", "write_tsv"]

Writer: TypeAlias = Callable[[Iterable["ReferenceSet"], Path], list[Path]]


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


def write_sacrebleu(sets: Iterable[ReferenceSet], directory: Path) -> list[Path]:
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
        if number and int(number[1]) >= width:
            raise UsageError(f"{path} is left from a set with more references; remove it or choose another directory")
    files: dict[str, Iterable[str]] = {"source.txt": (segment.source for segment in segments)}
    for rank in range(width):
        files[f"ref{rank}.txt"] = _references_of_rank(segments, rank)
    return _write(directory, files)


def write_jsonl(sets: Iterable[ReferenceSet], directory: Path) -> list[Path]:
    """Write references.jsonl, one object with id, source and references a line; returns its path.

    Raises InputError for a segment without references and for blank texts.
    """
    rows = (
        _json({"id": segment.id, "source": segment.source, "references": list(segment.references)})
        for segment in map(_checked, sets)
    )
    return _write(directory, {"references.jsonl": rows})


def write_tsv(sets: Iterable[ReferenceSet], directory: Path) -> list[Path]:
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

    return _write(directory, {"references.tsv": rows()})


WRITERS: Final[Mapping[str, Writer]] = {"jsonl": write_jsonl, "sacrebleu": write_sacrebleu, "tsv": write_tsv}
"""Every format by its name. Each writer is given the sets and a directory, and returns the paths of what it wrote."""


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


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _write(directory: Path, files: Mapping[str, Iterable[str]]) -> list[Path]:
    """Write lines to files that appear under their names only when all of them are complete."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with ExitStack() as leftovers:
            complete = []
            for name, lines in files.items():
                partial = directory / f".{name}.{os.getpid()}.part"
                leftovers.callback(partial.unlink, missing_ok=True)
                with open(partial, "w", encoding="utf-8", newline="\n") as file:
                    file.writelines(f"{line}\n" for line in lines)
                    file.flush()
                    os.fsync(file.fileno())
                complete.append((partial, directory / name))
            return [partial.replace(path) for partial, path in complete]
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=error.filename or directory) from error
