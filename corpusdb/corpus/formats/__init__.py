"""Files to aligned units and back, reference sets to files, and what is scored; knows no database.

format.py says what a format is, records.py what is read and written; registry.py names all formats, a line each,
and opens files in whatever format; scoring_input.py reads what is scored; reading.py opens every text file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpusdb.base.startup import loaded_later

if TYPE_CHECKING:
    from corpusdb.corpus.formats.format import Format
    from corpusdb.corpus.formats.records import Item, Options, Record, ReferenceSet, Rejected, Source
    from corpusdb.corpus.formats.registry import FORMATS, ExportReport, export_files, open_source, open_sources

__all__ = [
    "FORMATS",
    "ExportReport",
    "Format",
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

if not TYPE_CHECKING:
    _NAMES = {
        "format": ["Format"],
        "records": ["Item", "Options", "Record", "ReferenceSet", "Rejected", "Source"],
        "registry": ["FORMATS", "ExportReport", "export_files", "open_source", "open_sources"],
    }
    __getattr__ = loaded_later(__name__, {name: module for module, names in _NAMES.items() for name in names})
