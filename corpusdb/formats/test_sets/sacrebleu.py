"""Reference sets as sacrebleu takes them: plain text files with a segment a line, one for each rank of references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from corpusdb.bounds import number_of
from corpusdb.errors import UsageError
from corpusdb.formats.format import Format, ReferenceWriter
from corpusdb.formats.references import (
    PROVENANCE,
    ReferenceSet,
    check_sets,
    lines_of,
    provenance_files,
    references_of_rank,
    refuse_leftovers,
)
from corpusdb.outputs import NEW_ONLY, Guard, write_files

__all__ = ["SACREBLEU", "write_sacrebleu"]

_SOURCES: Final = "source.txt"


def write_sacrebleu(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write source.txt and ref0.txt, ref1.txt ..., one segment a line; returns their paths.

    There are as many reference files as the largest set has references. Smaller sets are filled up by repeating their
    own, because sacrebleu takes an empty line for a reference of length 0, which switches off the brevity penalty.
    Without sources there is no source.txt; provenance.tsv says where each reference comes from, as far as it is known.
    Raises InputError for a segment without references and for texts that are blank or hold a line break, and UsageError
    where files of an earlier set would stay behind in the directory.
    """
    segments, have_sources = check_sets(sets, "\n\r")
    width = max((len(segment.references) for segment in segments), default=0)
    for path in directory.glob("ref*.txt"):
        number = re.fullmatch(r"ref(\d+)\.txt", path.name)
        if number and number_of(number[1]) >= width:
            raise UsageError(f"{path} is left from a set with more references; remove it or choose another directory")
    files = {_SOURCES: lines_of(segment.source for segment in segments)} if have_sources else {}
    for rank in range(width):
        files[f"ref{rank}.txt"] = lines_of(references_of_rank(segments, rank))
    files |= provenance_files(segments)
    refuse_leftovers(directory, files, (_SOURCES, PROVENANCE))
    return write_files(directory, files, guard)


SACREBLEU: Final = Format(
    name="sacrebleu",
    reference_writer=ReferenceWriter(write_sacrebleu, ("ref0.txt", "ref*.txt", _SOURCES, PROVENANCE), fills_up=True),
)
