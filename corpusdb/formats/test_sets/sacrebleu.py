"""Reference sets as sacrebleu takes them: plain text files with a segment a line, one for each rank of references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from corpusdb.bounds import number_of
from corpusdb.errors import UsageError
from corpusdb.formats.format import Format, ReferenceWriter
from corpusdb.formats.references import ReferenceSet, check_set, lines_of, references_of_rank
from corpusdb.outputs import NEW_ONLY, Guard, write_files

__all__ = ["SACREBLEU", "write_sacrebleu"]


def write_sacrebleu(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write source.txt and ref0.txt, ref1.txt ..., one segment a line; returns their paths.

    There are as many reference files as the largest set has references. Smaller sets are filled up by repeating their
    own, because sacrebleu takes an empty line for a reference of length 0, which switches off the brevity penalty.
    Raises InputError for a segment without references and for texts that are blank or hold a line break, and UsageError
    where reference files of an earlier, larger set would stay behind in the directory.
    """
    segments = [check_set(segment, "\n\r") for segment in sets]
    width = max((len(segment.references) for segment in segments), default=0)
    for path in directory.glob("ref*.txt"):
        number = re.fullmatch(r"ref(\d+)\.txt", path.name)
        if number and number_of(number[1]) >= width:
            raise UsageError(f"{path} is left from a set with more references; remove it or choose another directory")
    files = {"source.txt": lines_of(segment.source for segment in segments)}
    for rank in range(width):
        files[f"ref{rank}.txt"] = lines_of(references_of_rank(segments, rank))
    return write_files(directory, files, guard)


SACREBLEU: Final = Format(
    name="sacrebleu", reference_writer=ReferenceWriter(write_sacrebleu, ("source.txt", "ref*.txt"), fills_up=True)
)
