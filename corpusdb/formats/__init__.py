"""Files to aligned units and back, and reference sets to files; knows no database.

records.py      what readers yield            lines.py        opening and checking of text files
tsv.py  delimited.py                          tables with a column a language: columns.py, rows.py; tables.py writes
moses.py  tatoeba.py  jsonl.py                other plain text, read and written
tmx.py  wmt.py  sgm.py                        mark-up, read and written
exports.py      all writers of units          references.py   writers of reference sets
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.bitext.jsonl import JsonlSource
from corpusdb.formats.bitext.moses import MosesSource
from corpusdb.formats.bitext.tatoeba import TatoebaSource, holds_links
from corpusdb.formats.exports import EXPORTS, Export, ExportReport, export_files
from corpusdb.formats.files.reading import STDIN, first_line
from corpusdb.formats.records import Item, Options, Record, Rejected, Source
from corpusdb.formats.references import WRITERS, ReferenceSet
from corpusdb.formats.tables.csv import CsvSource
from corpusdb.formats.tables.tsv import TsvSource
from corpusdb.languages import language_codes
from corpusdb.outputs import is_unfinished

__all__ = [
    "EXPORTS",
    "SOURCES",
    "WRITERS",
    "Export",
    "ExportReport",
    "Item",
    "Options",
    "Record",
    "ReferenceSet",
    "Rejected",
    "Source",
    "export_files",
    "open_source",
    "open_sources",
]

Opener: TypeAlias = Callable[[tuple[Path, ...], Options], Source]

# Formats that are known by their names alone; text files are told apart by what is in them.
_BY_EXTENSION: Final = {
    ".csv": "csv",
    ".tmx": "tmx",
    ".xml": "wmt",
    ".sgm": "sgm",
    ".sgml": "sgm",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
# Formats in which one corpus is several files; in the others each file is a source of its own.
_READ_TOGETHER: Final = frozenset({"moses", "sgm", "tatoeba"})


def open_sources(format: str | None, paths: Sequence[Path | str], options: Options) -> list[Source]:
    """The sources for the files of one import; ``format`` is a name in SOURCES, or None to have it recognised.

    The files of moses, sgm and tatoeba are one source together, those of any other format one each. ``-`` is standard
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
    if name not in SOURCES:
        raise UsageError(f"format {name!r} cannot be read; there are {', '.join(sorted(SOURCES))}")
    together = [files] if name in _READ_TOGETHER else [(file,) for file in files]
    return [SOURCES[name](each, options) for each in together]


def open_source(format: str | None, paths: Sequence[Path | str], options: Options) -> Source:
    """The one source for some files, as ``open_sources`` has it. Raises UsageError where they are several."""
    sources = open_sources(format, paths, options)
    if len(sources) > 1:
        raise UsageError("files of this format are read one at a time")
    return sources[0]


def _recognise(files: tuple[Path, ...]) -> str:
    """The name of the format. Raises UsageError where the files do not tell."""
    named = {_BY_EXTENSION.get(path.suffix.lower()) for path in map(_without_gz, files)}
    # What Tatoeba offers is tab-separated under either name, eng_sentences.tsv and links.csv.
    if named <= {None, "csv"} and len(files) > 1 and any(holds_links(path) for path in files):
        return "tatoeba"
    if len(named) > 1:
        raise UsageError("the files are of different formats; import them one format at a time")
    by_extension = named.pop()
    if by_extension == "csv" and all("\t" in first_line(path) for path in files):
        return "tsv"
    if by_extension is not None:
        return by_extension
    if len(files) == 1:
        return "tsv"
    tabs = ["\t" in first_line(path) for path in files]
    if any(tabs) and not all(tabs):
        raise UsageError("some of the files are tab-separated and some are not; import them one format at a time")
    return "tsv" if all(tabs) else "moses"


def _without_gz(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


def _open_tsv(files: tuple[Path, ...], options: Options) -> Source:
    return TsvSource.recognise(files[0], options)


def _open_csv(files: tuple[Path, ...], options: Options) -> Source:
    return CsvSource.recognise(files[0], options)


def _open_moses(files: tuple[Path, ...], options: Options) -> Source:
    return MosesSource(files, options.languages)


def _open_tatoeba(files: tuple[Path, ...], options: Options) -> Source:
    return TatoebaSource.recognise(files, options.languages)


# Loaded when needed: most of the time no XML is read.


def _open_tmx(files: tuple[Path, ...], options: Options) -> Source:
    from corpusdb.formats.bitext.tmx import TmxSource

    return TmxSource(files, options)


def _open_wmt(files: tuple[Path, ...], options: Options) -> Source:
    from corpusdb.formats.test_sets.wmt import WmtSource

    return WmtSource(files, options)


def _open_sgm(files: tuple[Path, ...], options: Options) -> Source:
    from corpusdb.formats.test_sets.sgm import SgmSource

    return SgmSource(files, options)


SOURCES: Final[Mapping[str, Opener]] = {
    "csv": _open_csv,
    "jsonl": JsonlSource,
    "moses": _open_moses,
    "sgm": _open_sgm,
    "tatoeba": _open_tatoeba,
    "tmx": _open_tmx,
    "tsv": _open_tsv,
    "wmt": _open_wmt,
}
"""Every format that can be read, by its name."""
