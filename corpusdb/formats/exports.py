"""The one way in which units are written to files, in whatever format."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, TextIO

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.files.reading import STDIN
from corpusdb.formats.registry import writer_of
from corpusdb.formats.selection import Records, SelectedUnits, languages_of
from corpusdb.outputs import NEW_ONLY, Guard, check_output, write_files
from corpusdb.spreadsheets import Formulas

__all__ = ["ExportReport", "export_files"]

STDOUT: Final = STDIN
_TOO_FEW: Final = "fewer than two texts in the languages chosen"
_NONE: Final = "no text in the languages chosen"


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written."""

    files: tuple[Path, ...]
    """Empty where it went to standard output."""
    units: int
    left_out: int
    reasons: Mapping[str, int]
    """How many units were left out for what."""
    formulas: Formulas = field(default_factory=Formulas)
    """Cells of CSV that a spreadsheet would run."""


def export_files(
    name: str, records: Records, languages: tuple[str, ...], target: Path, guard: Guard = NEW_ONLY
) -> ExportReport:
    """Write units in a format, given by its name, in these languages and their order; empty = all, as they come.

    The target is the file; for a format of several files their folder, as for tatoeba, or the beginning of their names,
    as in PREFIX.eng for moses; or ``-``, standard output, for formats of one file. The files appear under their names
    when all are complete. Units may be without languages of their own where ``languages`` are those of their texts.
    Raises UsageError for an unknown format, for several files to standard output, and, before the units are read where
    the names are known by then, for files that ``guard`` does not let be replaced; InputError for what cannot be
    written.
    """
    writer = writer_of(name)
    if target == STDOUT and writer.target != "file":
        raise UsageError(f"{name} has several files and cannot go to standard output; name a {writer.target}")
    selected = SelectedUnits(records, languages, writer.least)
    folder = target if writer.target == "folder" else target.parent
    if target != STDOUT and (languages or writer.target != "prefix"):
        _check_all(folder, writer.files(selected, languages, target.name), guard)
    languages = languages or languages_of(selected())
    files = writer.files(selected, languages, target.name)
    if not languages or not files:
        raise InputError(f"there is no unit that could be written as {name}")
    counts: dict[str, int] = {}
    contents = {file: partial(_count, counts, file, write) for file, write in files.items()}
    if target == STDOUT:
        paths: list[Path] = []
        for write in contents.values():
            _write_to_stdout(write)
    else:
        _check_all(folder, files, guard)
        paths = write_files(folder, contents, guard)
    units = counts[next(iter(files))]
    reasons = {_TOO_FEW if writer.least > 1 else _NONE: selected.too_few, writer.leaves_out: selected.given - units}
    told = {reason: count for reason, count in reasons.items() if count}
    return ExportReport(tuple(paths), units, sum(told.values()), told, selected.formulas)


def _count(counts: dict[str, int], file: str, write: Callable[[TextIO], int], output: TextIO) -> None:
    counts[file] = write(output)


def _write_to_stdout(write: Callable[[TextIO], object]) -> None:
    if sys.stdout.isatty():  # somebody looks at it
        write(sys.stdout)
        return
    # Whatever the encoding and the line ends of the system: what is written here is a file.
    sys.stdout.flush()
    output = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    try:
        write(output)
        output.flush()
    finally:
        output.detach()


def _check_all(folder: Path, names: Iterable[str], guard: Guard) -> None:
    if folder.exists():  # else it will be made
        for name in names:
            check_output(folder / name, guard)
