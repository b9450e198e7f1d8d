"""The texts of units that are to be written, one by one, and checked for what a format cannot hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from corpusdb.errors import InputError
from corpusdb.formats.annotated.annotation import Annotation
from corpusdb.formats.records import Record, Version
from corpusdb.spreadsheets import Formulas

__all__ = ["Records", "SelectedUnits", "Variant", "check_writable", "languages_of", "select", "variants_of"]

Records: TypeAlias = Callable[[], Iterable[Record]]
"""Units that may be read several times, each time from the beginning and in the same order."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One text of a unit, which is not blank."""

    version: Version
    language: str
    text: str
    annotation: Annotation | None = None


def variants_of(record: Record, languages: tuple[str, ...]) -> list[Variant]:
    """The texts of a unit that are not blank; ``languages`` hold where the record names none."""
    versions = record.versions or (Version(),) * len(record.texts)
    annotations = record.annotations or (None,) * len(record.texts)
    texts = zip(versions, record.languages or languages, record.texts, annotations, strict=True)
    return [
        Variant(version, language, text, annotation)
        for version, language, text, annotation in texts
        if text and not text.isspace()
    ]


def select(record: Record, languages: tuple[str, ...]) -> Record:
    """The unit with those of its texts that are there and in one of the languages, in their order; empty = all.

    The languages are named by the unit that is returned; they are also those of a unit that does not name its own.
    """
    is_selected = bool(record.languages) and languages in ((), record.languages)
    if is_selected and not record.versions and all(text and not text.isspace() for text in record.texts):
        return record
    variants = variants_of(record, languages)
    if languages:
        chosen = (each for each in variants if each.language in languages)
        variants = sorted(chosen, key=lambda each: languages.index(each.language))
    versions = tuple(each.version for each in variants)
    return Record(
        record.line,
        tuple(each.text for each in variants),
        tuple(each.language for each in variants),
        record.name,
        record.document,
        versions if any(each != Version() for each in versions) else (),
        tuple(each.annotation for each in variants) if record.annotations else (),
    )


@dataclass(slots=True)
class SelectedUnits:
    """The units with the texts to be written, and counts of the latest pass over them."""

    records: Records
    languages: tuple[str, ...]
    least: int = 2
    """How many texts a unit needs."""
    given: int = field(default=0, init=False)
    too_few: int = field(default=0, init=False)
    """Units with fewer texts in the languages chosen, which are left out."""
    formulas: Formulas = field(default_factory=Formulas, init=False)
    """Where writers of CSV count the cells that a spreadsheet would run."""

    def __call__(self) -> Iterator[Record]:
        """Read the units from the beginning."""
        self.given = self.too_few = 0
        for record in self.records():
            chosen = select(record, self.languages)
            if len(chosen.texts) < self.least:
                self.too_few += 1
            else:
                self.given += 1
                yield chosen


def languages_of(records: Iterable[Record]) -> tuple[str, ...]:
    """The languages that units name, in the order in which they first appear."""
    return tuple(dict.fromkeys(language for record in records for language in record.languages))


def check_writable(text: str, forbidden: re.Pattern[str], format: str) -> str:
    """``text`` itself. Raises InputError where it holds what that format has no way to write."""
    found = forbidden.search(text)
    if found is not None:
        raise InputError(f"{format} cannot hold the character {found[0]!r} in {text[:60]!r}")
    return text
