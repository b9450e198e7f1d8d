"""The built-in travel phrasebook in English, Japanese and French, and short texts near speech and near writing.

All of it was written for this program, and is in the public domain (CC0).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, TypeAlias

__all__ = ["LANGUAGES", "LICENCE", "REGISTER_LANGUAGES", "Register", "phrasebook_files", "register_file"]

LANGUAGES = ("eng", "jpn", "fra")
LICENCE = "CC0-1.0"
Register: TypeAlias = Literal["spoken", "written"]
REGISTER_LANGUAGES: Final = ("eng", "jpn")


def phrasebook_files() -> list[Path]:
    """The files, one for each topic, in alphabetical order; tab-separated, with a header."""
    return sorted(Path(__file__).parent.glob("*.tsv"))


def register_file(register: Register, language: str) -> Path:
    """Sentences near speech or near writing, one a line, in a language of REGISTER_LANGUAGES.

    Line N of one language translates line N of the other. They are references for profiles, and no part of the
    phrasebook.
    """
    return Path(__file__).parent / "registers" / f"{register}.{language}.txt"
