"""What a format is: how its files are recognised, and what can be read from them and written to them.

The module of a format makes one value of ``Format``, and a line in registry.py adds it to the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO, TypeAlias

from corpusdb.base.errors import UsageError
from corpusdb.base.outputs import NEW_ONLY, Content, Guard, check_output, write_files
from corpusdb.corpus.formats.records import (
    PROVENANCE,
    Options,
    ReferenceSet,
    SelectedUnits,
    Source,
    provenance_files,
)
from corpusdb.corpus.formats.segments import Output, ReferenceTexts, Segmentation

FileContents: TypeAlias = Mapping[str, Callable[[TextIO], int]]
"""The files of one folder by their names; each writes its content and returns how many units are in it."""


@dataclass(frozen=True, slots=True)
class Reader:
    open: Callable[[tuple[Path, ...], Options], Source]
    """Makes the source of one file; where files are read together, that of all of them."""
    options: tuple[str, ...] = ()
    """Which of the options that not every format knows this one takes, by the names of their fields."""
    read_together: str = ""
    """What the files are that make up one corpus together, as help lists it; empty where each file is by itself."""
    only_in_several_languages: bool = False
    """Whether files are read together only where there is more than one language; else one after the other."""
    recognise: Callable[[tuple[Path, ...], AbstractSet[str]], bool] | None = None
    """Whether files are of this format by what is in them, where their names do not tell.

    Also given are the formats that the extensions name, with "" for an extension of none. Formats whose files are read
    together are asked first, and then in the order of the registry. Raises UsageError for files that do not go
    together, and InputError as reading does.
    """


@dataclass(frozen=True, slots=True)
class Writer:
    files: Callable[[SelectedUnits, tuple[str, ...], str], FileContents]
    """From the units, which name their languages, all of these languages, and the name of the target: what to write.

    Each file is written by a pass of its own over the units, the first one all of those that have a place at all.
    """
    leaves_out: str = ""
    target: Literal["file", "folder", "prefix"] = "file"
    """What the target is: the file, the folder of the files, or the prefix of their names."""
    least: int = 2
    """How many texts a unit needs, where it may have texts of several languages."""
    annotated: bool = False
    """Whether what is known of tokens is written."""

    def least_in(self, languages: Collection[str]) -> int:
        """How many texts a unit needs in these languages: one where one is asked for, as for a tagger."""
        return 1 if len(languages) == 1 else self.least


@dataclass(frozen=True, slots=True)
class ReferenceWriter:
    """How reference sets are written into a directory.

    What a format has no room for, where each reference comes from, stands in PROVENANCE, where that is among the names.
    """

    names: tuple[str, ...]
    """What the files are called; ``*`` stands for a number. The first one is always written."""
    contents: Callable[[Sequence[ReferenceSet]], Mapping[str, Content]] | None = None
    """The files but for PROVENANCE; None where ``lines`` has the one. Raises InputError for what cannot be written."""
    fills_up: bool = False
    """Whether every segment gets as many references as the largest set has, by repeating its own."""
    lines: Callable[[Iterable[ReferenceSet]], Iterator[str]] | None = None
    """The lines of the one file, each with its end; None for a format of several files. Raises InputError, too."""

    def write(self, sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
        """Write the files into a directory, which is made where there is none; returns their paths.

        Raises InputError for sets that cannot be written, as check_output does for files that stand in the way, and
        UsageError where a file of another set would stay beside them and be taken for one of theirs.
        """
        segments = list(sets)
        files: dict[str, Content] = dict(self.contents(segments)) if self.contents else {}
        if (lines := self.lines) is not None:
            files[self.names[0]] = lambda file: file.writelines(lines(segments))
        if PROVENANCE in self.names:
            files |= provenance_files(segments)
        for pattern in self.names:
            for path in directory.glob(pattern):
                if path.name not in files and re.fullmatch(pattern.replace("*", "[0-9]+"), path.name):
                    other = "a set with more references" if "*" in pattern else "another set"
                    raise UsageError(f"{path} is left from {other}; remove it or choose another directory")
        return write_files(directory, files, guard)

    def check_directory(self, directory: Path, guard: Guard) -> None:
        """Raise what writing there would raise for files that stand in the way, before there is anything to write."""
        if not directory.exists():
            return  # it will be made
        check_output(directory / self.names[0], guard)
        for pattern in self.names:
            for path in directory.glob(pattern):
                check_output(path, guard)


@dataclass(frozen=True, slots=True)
class ScoringReader:
    """How references, and the outputs of systems, are read to be scored."""

    references: Callable[[Path], ReferenceTexts]
    """Raises InputError for a blank reference, for a segment without any, and for what cannot be read."""
    outputs: Callable[[Path, Segmentation], list[Output]] | None = None
    """The outputs in a file, in the order of the segments; None where outputs are one a line in any text file."""
    sources: Callable[[Path], list[str]] | None = None
    """The sources in a file, one for each segment; None where sources are one a line in any text file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format by its name; what it cannot do is None."""

    name: str
    extensions: tuple[str, ...] = ()
    """Those that files of this format have, in lower case and with the dot; the usual one first."""
    reader: Reader | None = None
    writer: Writer | None = None
    reference_writer: ReferenceWriter | None = None
    scoring_reader: ScoringReader | None = None
