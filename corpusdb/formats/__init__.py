"""Files to aligned units and back, reference sets to files, and what is scored; knows no database.

format.py       what a format is              registry.py     all formats, one line each
records.py      what is read: aligned units   selection.py    what is written of them
references.py   reference sets                segments.py     what is scored, by segment
opening.py  exports.py  scoring_input.py      read and write in whatever format
tables/  bitext/  test_sets/  annotated/      a module for each format
files/  markup/                               text files and mark-up, opened and checked
scores/  judging_sheets.py                    scores of others; what people say of paraphrases
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpusdb.needed.later import loaded_later

if TYPE_CHECKING:
    from corpusdb.formats.exports import ExportReport, export_files
    from corpusdb.formats.format import Format
    from corpusdb.formats.opening import open_source, open_sources
    from corpusdb.formats.records import Item, Options, Record, Rejected, Source
    from corpusdb.formats.references import ReferenceSet
    from corpusdb.formats.registry import FORMATS

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
    __getattr__ = loaded_later(
        __name__,
        {
            "ExportReport": "exports",
            "export_files": "exports",
            "Format": "format",
            "open_source": "opening",
            "open_sources": "opening",
            "Item": "records",
            "Options": "records",
            "Record": "records",
            "Rejected": "records",
            "Source": "records",
            "ReferenceSet": "references",
            "FORMATS": "registry",
        },
    )
