"""Files to aligned units and reference sets to files; knows no database.

records.py      what readers yield            lines.py        opening and checking of text files
tsv.py  moses.py  tatoeba.py     readers      references.py   writers of reference sets
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from corpusdb.errors import UsageError
from corpusdb.formats.lines import STDIN, first_line
from corpusdb.formats.moses import MosesSource
from corpusdb.formats.records import Item, Options, Record, Rejected, Source
from corpusdb.formats.references import WRITERS, ReferenceSet
from corpusdb.formats.tatoeba import TatoebaSource, holds_links
from corpusdb.formats.tsv import TsvSource
from corpusdb.languages import language_codes

__all__ = [
    "SOURCES",
    "WRITERS",
    "Item",
    "Options",
    "Record",
    "ReferenceSet",
    "Rejected",
    "Source",
    "open_source",
]

Opener: TypeAlias = Callable[[tuple[Path, ...], Options], Source]

# Formats that are known by their names alone; text files are told apart by what is in them.
_BY_EXTENSION: Final = {
    ".tmx": "tmx",
    ".xml": "wmt",
    ".sgm": "sgm",
    ".sgml": "sgm",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


def open_source(format: str | None, paths: Sequence[Path | str], options: Options) -> Source:
    """The source for the files of one import; ``format`` is a name in SOURCES, or None to have it recognised.

    ``-`` is standard input. Languages may be given by any code that corpusdb knows. Raises UsageError for a format,
    number of files or set of options that makes no sense, and InputError for an unknown language and, where the content
    has to be seen, for a file that cannot be read.
    """
    files = tuple(Path(path) for path in paths)
    if not files:
        raise UsageError("no file is given")
    if files.count(STDIN) > 1:
        raise UsageError("standard input (-) is given twice")
    options = replace(options, languages=language_codes(options.languages))
    name = _recognise(files) if format is None else format
    if name not in SOURCES:
        raise UsageError(f"format {name!r} cannot be read; there are {', '.join(sorted(SOURCES))}")
    return SOURCES[name](files, options)


def _recognise(files: tuple[Path, ...]) -> str:
    """The name of the format. Raises UsageError where the files do not tell."""
    named = {_BY_EXTENSION.get(path.suffix.lower()) for path in map(_without_gz, files)}
    if len(named) > 1:
        raise UsageError("the files are of different formats; import them one format at a time")
    by_extension = named.pop()
    if by_extension is not None:
        return by_extension
    if len(files) == 1:
        return "tsv"
    if any(holds_links(path) for path in files):
        return "tatoeba"
    if not any("\t" in first_line(path) for path in files):
        return "moses"
    raise UsageError("several files of tab-separated text: import them one at a time, or name their format")


def _without_gz(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


def _open_tsv(files: tuple[Path, ...], options: Options) -> Source:
    if len(files) > 1:
        raise UsageError("tab-separated files are read one at a time")
    return TsvSource(files[0], options)


def _open_moses(files: tuple[Path, ...], options: Options) -> Source:
    return MosesSource(files, options.languages)


def _open_tatoeba(files: tuple[Path, ...], options: Options) -> Source:
    return TatoebaSource.recognise(files, options.languages)


SOURCES: Final[Mapping[str, Opener]] = {"moses": _open_moses, "tatoeba": _open_tatoeba, "tsv": _open_tsv}
"""Every format that can be read, by its name."""
