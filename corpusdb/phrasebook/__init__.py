"""The built-in travel phrasebook: English, Japanese and French, in the public domain (CC0)."""

from __future__ import annotations

from pathlib import Path

__all__ = ["LANGUAGES", "LICENCE", "phrasebook_files"]

LANGUAGES = ("eng", "jpn", "fra")
LICENCE = "CC0-1.0"


def phrasebook_files() -> list[Path]:
    """The files, one for each topic, in alphabetical order; tab-separated, with a header."""
    return sorted(Path(__file__).parent.glob("*.tsv"))
