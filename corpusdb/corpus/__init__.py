"""The corpus: the database file, the formats of files, and what goes in and comes out."""

from __future__ import annotations
