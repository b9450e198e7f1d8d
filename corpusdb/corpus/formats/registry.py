"""All formats: who adds one names it here; and files opened and written in whatever format."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Final, TextIO, TypeVar

from corpusdb.base.display import Formulas
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.outputs import NEW_ONLY, Guard, check_output, is_unfinished, write_files
from corpusdb.base.text import language_codes
from corpusdb.corpus.formats.bitexts import MOSES, SACREBLEU, TATOEBA
from corpusdb.corpus.formats.conllu import CONLLU
from corpusdb.corpus.formats.format import Format, Reader, ReferenceWriter, Writer
from corpusdb.corpus.formats.jsonl import JSONL
from corpusdb.corpus.formats.reading import STDIN
from corpusdb.corpus.formats.records import AskedReading, Options, Records, SelectedUnits, Source, languages_of
from corpusdb.corpus.formats.tables import CSV, TSV
from corpusdb.corpus.formats.tmx import TMX
from corpusdb.corpus.formats.vertical import VERTICAL
from corpusdb.corpus.formats.wmt import SGM, WMT

# All formats: who adds one writes a module for it and names it here.

FORMATS: Final[dict[str, Format]] = {
    format.name: format for format in (TSV, CSV, JSONL, MOSES, TATOEBA, TMX, WMT, SGM, SACREBLEU, CONLLU, VERTICAL)
}
"""Every format by its name, the most usual first."""


def format_of_extension(extension: str) -> Format | None:
    """The format whose files have this extension, which begins with a dot."""
    return next((format for format in FORMATS.values() if extension.lower() in format.extensions), None)


def format_of_file(path: Path) -> Format | None:
    """The format that the extension of a file names; that of gzip behind it says nothing."""
    return format_of_extension((path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix)


def writable_formats() -> list[str]:
    return [format.name for format in FORMATS.values() if format.writer]


_Part = TypeVar("_Part", Reader, Writer, ReferenceWriter)


def _required(name: str, part: Callable[[Format], _Part | None], done: str) -> _Part:
    """What a format has for something that is to be done. Raises UsageError where there is no such format."""
    found = part(FORMATS[name]) if name in FORMATS else None
    if found is None:
        there = ", ".join(sorted(each.name for each in FORMATS.values() if part(each)))
        raise UsageError(f"format {name!r} cannot be {done}; there are {there}")
    return found


def reader_of(name: str) -> Reader:
    """How units of a format are read. Raises UsageError where there is no such format."""
    return _required(name, lambda format: format.reader, "read")


def writer_of(name: str) -> Writer:
    """How units are written in a format. Raises UsageError where there is no such format."""
    return _required(name, lambda format: format.writer, "written")


def reference_writer_of(name: str) -> ReferenceWriter:
    """How reference sets are written in a format. Raises UsageError where there is no such format."""
    return _required(name, lambda format: format.reference_writer, "written")


# Files to be imported, opened as sources in a format that is given or recognised.


def open_sources(format: str | None, paths: Sequence[Path | str], options: Options) -> list[Source]:
    """The sources for the files of one import; ``format`` is a name, or None to have it recognised.

    Each file is a source of its own, but in formats whose files are read together, as those of moses. ``-`` is standard
    input. Languages may be given by any code that corpusdb knows. Raises UsageError for a format, number of files or
    set of options that makes no sense, and InputError for an unknown language and, where the content has to be seen,
    for a file that cannot be read.
    """
    files = tuple(Path(path) for path in paths)
    if not files:
        raise UsageError("no file is given")
    for file in filter(is_unfinished, files):
        raise InputError("is the unfinished file of a program that was killed", path=file)
    if files.count(STDIN) > 1:
        raise UsageError("standard input (-) is given twice")
    options = replace(options, languages=language_codes(options.languages))
    name = _recognise(files) if format is None else format
    reader = reader_of(name)
    if options.skip_bad and "skip_bad" not in reader.options:
        able = ", ".join(each.name for each in FORMATS.values() if each.reader and "skip_bad" in each.reader.options)
        raise UsageError(f"{name} files are read whole or not at all; lines can be skipped in {able}")
    for asked in (each.name for each in fields(AskedReading)):
        if getattr(options, asked) != getattr(Options(), asked) and asked not in reader.options:
            able = ", ".join(each.name for each in FORMATS.values() if each.reader and asked in each.reader.options)
            raise UsageError(f"--{asked} is for {able}, not for {name} files")
    is_one = reader.read_together and (len(options.languages) > 1 or not reader.only_in_several_languages)
    together = [files] if is_one else [(file,) for file in files]
    return [reader.open(each, options) for each in together]


def open_source(format: str | None, paths: Sequence[Path | str], options: Options) -> Source:
    """The one source for some files, as ``open_sources`` has it. Raises UsageError where they are several."""
    sources = open_sources(format, paths, options)
    if len(sources) > 1:
        raise UsageError("files of this format are read one at a time")
    return sources[0]


def _recognise(files: tuple[Path, ...]) -> str:
    """The name of the format. Raises UsageError where the files do not tell."""
    found = [format_of_file(path) for path in files]
    named = {format.name if format is not None and format.reader is not None else "" for format in found}
    # Those of several files first: one of the files by itself may look like another format.
    for format in sorted(FORMATS.values(), key=lambda each: not (each.reader and each.reader.read_together)):
        recognise = format.reader and format.reader.recognise
        if recognise and recognise(files, named):
            return format.name
    if len(named) > 1:
        raise UsageError("the files are of different formats; import them one format at a time")
    return named.pop()


# The one way in which units are written to files, in whatever format.

STDOUT: Final = STDIN
_TOO_FEW: Final = "fewer than two texts in the languages chosen"
_NONE: Final = "no text in the languages chosen"


@dataclass(frozen=True, slots=True)
class ExportReport:
    files: tuple[Path, ...]
    """Empty where it went to standard output."""
    units: int
    left_out: int
    reasons: Mapping[str, int]
    """How many units were left out for what."""
    formulas: Formulas = field(default_factory=Formulas)
    """Cells of CSV that a spreadsheet would run."""


def export_files(
    name: str,
    records: Records,
    languages: tuple[str, ...],
    target: Path,
    guard: Guard = NEW_ONLY,
    licence: str = "",
) -> ExportReport:
    """Write units in a format, given by its name, in these languages and their order; empty = all, as they come.

    The target is the file; for a format of several files their folder, as for tatoeba, or the beginning of their names,
    as in PREFIX.eng for moses; or ``-``, standard output, for formats of one file. The files appear under their names
    when all are complete. Units may be without languages of their own where ``languages`` are those of their texts.
    The ``licence`` stands in the file where the format has a place for it.
    Raises UsageError for an unknown format, for several files to standard output, and, before the units are read where
    the names are known by then, for files that ``guard`` does not let be replaced; InputError for what cannot be
    written.
    """
    writer = writer_of(name)
    if target == STDOUT and writer.target != "file":
        raise UsageError(f"{name} has several files and cannot go to standard output; name a {writer.target}")
    selected = SelectedUnits(records, languages, writer.least_in(languages), licence)
    folder = target if writer.target == "folder" else target.parent
    if target != STDOUT and (languages or writer.target != "prefix"):
        _check_all(folder, writer.files(selected, languages, target.name), guard)
    languages = languages or languages_of(selected())
    files = writer.files(selected, languages, target.name)
    if not languages or not files:
        raise InputError(f"there is no unit that could be written as {name}")
    counts: dict[str, int] = {}
    first = next(iter(files))

    def counted(file: str, output: TextIO) -> None:
        counts[file] = files[file](output)
        if file == first and not counts[file]:
            raise InputError(f"nothing to export: {name} takes none of the units: {writer.leaves_out or _TOO_FEW}")

    contents = {file: partial(counted, file) for file in files}
    if target == STDOUT:
        paths: list[Path] = []
        for write in contents.values():
            _write_to_stdout(write)
    else:
        _check_all(folder, files, guard)
        paths = write_files(folder, contents, guard)
    units = counts[first]
    reasons = {_TOO_FEW if selected.least > 1 else _NONE: selected.too_few, writer.leaves_out: selected.given - units}
    told = {reason: count for reason, count in reasons.items() if count}
    return ExportReport(tuple(paths), units, sum(told.values()), told, selected.formulas)


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
