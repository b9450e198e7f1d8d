"""Files to be imported, opened as sources in a format that is given or recognised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.files.reading import STDIN
from corpusdb.formats.records import Options, Source
from corpusdb.formats.registry import FORMATS, format_of_file, reader_of
from corpusdb.languages import language_codes
from corpusdb.outputs import is_unfinished

__all__ = ["open_source", "open_sources"]


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
        raise InputError("was left unfinished by a program that was killed, and is no data", path=file)
    if files.count(STDIN) > 1:
        raise UsageError("standard input (-) is given twice")
    options = replace(options, languages=language_codes(options.languages))
    name = _recognise(files) if format is None else format
    reader = reader_of(name)
    if options.skip_bad and "skip_bad" not in reader.options:
        able = ", ".join(each.name for each in FORMATS.values() if each.reader and "skip_bad" in each.reader.options)
        raise UsageError(
            f"no lines of {name} files can be skipped: they are read whole or not at all; those of {able} can"
        )
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
