"""The formats of rows, as commands print them; the browser exports in the same ones."""

from __future__ import annotations

from corpusdb.reports.row_formats import Cell, Format, write_rows

__all__ = ["Cell", "Format", "write_rows"]
