"""Files to aligned units and back, reference sets to files, and what is scored; knows no database.

format.py       what a format is              registry.py     all formats, one line each
records.py      what is read: aligned units   selection.py    what is written of them
references.py   reference sets                segments.py     what is scored, by segment
opening.py  exports.py  scoring_input.py      read and write in whatever format
tables/  bitext/  test_sets/                  a module for each format
files/  markup/                               text files and mark-up, opened and checked
human_scores.py  judging_sheets.py            what people say of systems and of paraphrases
"""

from __future__ import annotations

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
