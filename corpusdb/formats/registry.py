"""All formats: who adds one writes a module for it and names it here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from corpusdb.errors import UsageError
from corpusdb.formats.annotated.conllu import CONLLU
from corpusdb.formats.annotated.vertical import VERTICAL
from corpusdb.formats.bitext.jsonl import JSONL
from corpusdb.formats.bitext.moses import MOSES
from corpusdb.formats.bitext.tatoeba import TATOEBA
from corpusdb.formats.bitext.tmx import TMX
from corpusdb.formats.format import Format, Reader, ReferenceWriter, Writer
from corpusdb.formats.tables.csv import CSV
from corpusdb.formats.tables.tsv import TSV
from corpusdb.formats.test_sets.sacrebleu import SACREBLEU
from corpusdb.formats.test_sets.sgm import SGM
from corpusdb.formats.test_sets.wmt import WMT

__all__ = [
    "FORMATS",
    "format_of_extension",
    "format_of_file",
    "readable_formats",
    "reader_of",
    "reference_writer_of",
    "writable_formats",
    "writer_of",
]

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


def readable_formats() -> list[str]:
    """The formats that units can be read from."""
    return [format.name for format in FORMATS.values() if format.reader]


def writable_formats() -> list[str]:
    """The formats that units can be written in."""
    return [format.name for format in FORMATS.values() if format.writer]


def reader_of(name: str) -> Reader:
    """How units of a format are read. Raises UsageError where there is no such format."""
    found = FORMATS[name].reader if name in FORMATS else None
    if found is None:
        raise UsageError(f"format {name!r} cannot be read; there are {_listed(readable_formats())}")
    return found


def writer_of(name: str) -> Writer:
    """How units are written in a format. Raises UsageError where there is no such format."""
    found = FORMATS[name].writer if name in FORMATS else None
    if found is None:
        raise UsageError(f"format {name!r} cannot be written; there are {_listed(writable_formats())}")
    return found


def reference_writer_of(name: str) -> ReferenceWriter:
    """How reference sets are written in a format. Raises UsageError where there is no such format."""
    found = FORMATS[name].reference_writer if name in FORMATS else None
    if found is None:
        there = (format.name for format in FORMATS.values() if format.reference_writer)
        raise UsageError(f"format {name!r} cannot be written; there are {_listed(there)}")
    return found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
