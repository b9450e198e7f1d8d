"""The texts of a unit one by one, as the writers take them."""

from __future__ import annotations

from dataclasses import dataclass

from corpusdb.formats.records import Record, Version

__all__ = ["Variant", "variants_of"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One text of a unit, which is not blank."""

    version: Version
    language: str
    text: str


def variants_of(record: Record, languages: tuple[str, ...]) -> list[Variant]:
    """The texts of a unit that are not blank; ``languages`` hold where the record names none."""
    versions = record.versions or (Version(),) * len(record.texts)
    return [
        Variant(version, language, text)
        for version, language, text in zip(versions, record.languages or languages, record.texts, strict=True)
        if text and not text.isspace()
    ]
