"""JSON Lines: one object a line, one unit an object.

Three shapes are read; unknown keys are ignored, and null means no text:

    {"eng": "...", "fra": ["...", "..."]}                   languages by any code or English name, one text or several
    {"translation": {"en": "...", "fr": "..."}}             the same inside, as in the data sets of Hugging Face
    {"texts": [{"lang": "eng", "text": "...", "role": "reference", "name": "B"}, ...]}           what is written here

Each may have an "id" and a "document", the last one also "attributes" of the document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO, cast, get_args

from corpusdb.base.display import json_line, json_safe
from corpusdb.base.errors import InputError
from corpusdb.base.text import known_language, language_code
from corpusdb.corpus.formats.columns import language_of_heading
from corpusdb.corpus.formats.format import Format, Reader, ReferenceWriter, ScoringReader, Writer
from corpusdb.corpus.formats.reading import read_lines, read_lines_and_faults
from corpusdb.corpus.formats.records import (
    UNKNOWN,
    Document,
    FilesRead,
    Item,
    Provenance,
    Record,
    ReferenceSet,
    Rejected,
    Role,
    Variant,
    Version,
    check_sets,
    select,
    skip_or_raise,
    variants_of,
)
from corpusdb.corpus.formats.segments import ReferenceTexts, make_reference, segmentation_by_line

# Escapes can write what no text may hold: NUL, and halves of characters.
_IMPOSSIBLE: Final = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class JsonlSource(FilesRead):
    """Files of objects, read one after the other; the lines of units are counted on from file to file.

    ``options.languages`` chooses the texts and their order; empty = all, as they come. Units with fewer than two texts
    and blank lines are rejected one by one. Raises InputError with file and line for what is no JSON, no object or of
    another shape, unless the options have such lines skipped.
    """

    def items(self) -> Iterator[Item]:
        number = 0
        for path in self.paths:
            for line, row in read_lines_and_faults(path):
                number += 1
                try:
                    if isinstance(row, InputError):
                        raise row
                    item = _item(number, row, self.options.languages)
                except InputError as error:
                    placed = InputError(error.reason, path=path, line=line)
                    item = skip_or_raise(placed, number, skip_bad=self.options.skip_bad)
                yield item

    def licences(self) -> Iterator[str]:
        """Those of the units, empty for none: of the first of these alone."""
        for path in self.paths:
            for _, row in read_lines(path):
                with suppress(InputError):  # a line that is skipped
                    if not row.isspace() and row:
                        yield (licence := _label(_object(row), "licence"))
                        if not licence:
                            return


def write_jsonl(records: Iterable[Record], file: TextIO, licence: str = "") -> int:
    """Write units that name their languages, each with the licence; returns how many. Fields that a unit does not have
    are left out."""
    written = 0
    shown = json_safe if file.isatty() else str
    for record in records:
        unit: dict[str, object] = {"id": record.name} if record.name else {}
        if record.document is not None:
            unit["document"] = record.document.name
            if record.document.attributes:
                unit["attributes"] = dict(record.document.attributes)
        unit["texts"] = [
            {"lang": each.language, "text": each.text}
            | ({"role": each.version.role} if each.version.role else {})
            | ({"name": each.version.name} if each.version.name else {})
            for each in variants_of(record, ())
        ]
        unit |= {"licence": licence} if licence else {}
        file.write(shown(json_line(unit, compact=True)) + "\n")
        written += 1
    return written


def _item(number: int, row: str, languages: tuple[str, ...]) -> Item:
    """The unit of one line. Raises InputError without a place."""
    if not row or row.isspace():
        return Rejected(number, "blank line")
    unit = _object(row)
    variants = _variants(unit, languages)
    if not variants:
        return Rejected(number, "has no text")
    record = Record(
        number,
        texts=tuple(each.text for each in variants),
        languages=tuple(each.language for each in variants),
        name="" if _id_is_text(unit, languages) else _label(unit, "id"),
        document=_document(unit),
        versions=tuple(each.version for each in variants),
    )
    record = select(record, languages)
    if len(record.texts) < 2:
        return Rejected(number, f"has a text in {record.languages[0]} only" if record.texts else "has no text")
    return record


def _object(row: str) -> dict[str, Any]:
    try:
        unit = json.loads(row)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg} at character {error.pos + 1}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON that can be read: {error}") from error
    if not isinstance(unit, dict):
        raise InputError("is not a JSON object")
    return unit


def _variants(unit: Mapping[str, Any], languages: tuple[str, ...]) -> list[Variant]:
    told, translation = unit.get("texts"), unit.get("translation")
    if isinstance(told, list):
        return [variant for each in told if (variant := _variant(each, languages)) is not None]
    if isinstance(translation, dict):
        return list(_keyed_variants(translation, languages))
    return list(_keyed_variants(unit if _id_is_text(unit, languages) else {**unit, "id": None}, languages))


def _variant(told: object, languages: tuple[str, ...]) -> Variant | None:
    """A text with its language and version, as in the shape that is written here; None where its language is not known,
    and others are asked for."""
    if not isinstance(told, dict):
        raise InputError("a text in 'texts' is not an object with 'lang' and 'text'")
    role = told.get("role", "")
    if role not in get_args(Role):
        raise InputError(f"the role {role!r} is not one of {', '.join(get_args(Role)[1:])}")
    version = Version(cast(Role, role), _string(told.get("name", ""), "name"))
    tag = _string(told.get("lang"), "lang")
    if languages and known_language(tag) is None:
        return None
    return Variant(version, language_code(tag), _string(told.get("text"), "text"))


def _keyed_variants(unit: Mapping[str, Any], languages: tuple[str, ...]) -> Iterator[Variant]:
    """The texts of an object whose keys are languages; other keys and languages not asked for are ignored."""
    for key, value in unit.items():
        language = language_of_heading(key)
        if language is not None and (not languages or language in languages):
            for text in value if isinstance(value, list) else [value]:
                yield Variant(Version(), language, "" if text is None else _string(text, key))


def _id_is_text(unit: Mapping[str, Any], languages: tuple[str, ...]) -> bool:
    """Whether "id" is Indonesian, and not the id of the unit: it is asked for, and no other key has it."""
    is_keyed = not isinstance(unit.get("texts"), list) and not isinstance(unit.get("translation"), dict)
    return is_keyed and "ind" in languages and [key for key in unit if language_of_heading(key) == "ind"] == ["id"]


def _document(unit: Mapping[str, Any]) -> Document | None:
    if unit.get("document") is None:
        return None
    told = unit.get("attributes") or {}
    if not isinstance(told, dict):
        raise InputError("'attributes' is not an object")
    attributes = {name: _string(value, "attributes") for name, value in told.items()}
    return Document(_label(unit, "document"), tuple(sorted(attributes.items())))


def _label(unit: Mapping[str, Any], key: str) -> str:
    """A name that may be a number; empty where there is none."""
    value = unit.get(key)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return "" if value is None else _string(str(value) if is_number else value, key)


def _string(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"the value of {key!r} is not a string")
    impossible = _IMPOSSIBLE.search(value)
    if impossible is not None:
        raise InputError(f"the value of {key!r} holds {impossible[0]!r}, which is not a character")
    return value


def _reference_lines(sets: Iterable[ReferenceSet]) -> Iterator[str]:
    """One object with id, source and references a line.

    Without sources there is no source; where it is known where references come from, origin and validity stand beside,
    and where it is known how the test set stands to the corpus, corpus: see ReferenceSet.
    Raises InputError for a segment without references and for blank texts.
    """
    segments, have_sources = check_sets(sets)
    for segment in segments:
        unit: dict[str, object] = {"id": segment.id}
        if have_sources:
            unit["source"] = segment.source
        unit["references"] = list(segment.references)
        if segment.provenance:
            known = [segment.provenance_of(text) for text in segment.references]
            unit |= {"origin": [each.origin for each in known], "validity": [each.validity for each in known]}
            unit |= {"corpus": segment.corpus} if segment.corpus else {}
            changes = [each.change for each in known]
            unit |= {"change": changes} if any(changes) else {}
        yield json_line(unit, compact=True) + "\n"


def read_jsonl_references(path: Path) -> ReferenceTexts:
    """The references in the objects of a file, one segment an object, with its source where there is one."""
    segments, sources = [], []
    for line, text in read_lines(path):
        try:
            unit = json.loads(text)
        except (ValueError, RecursionError) as error:  # also for a number of over 4,300 digits
            raise InputError(f"is not JSON that can be read: {error}", path=path, line=line) from error
        told = unit.get("references") if isinstance(unit, dict) else None
        if not isinstance(told, list) or not told or not all(isinstance(each, str) for each in told):
            reason = "is not an object with a list of texts, one or more, as 'references'"
            raise InputError(reason, path=path, line=line)
        try:
            told = [_string(each, "references") for each in told]
            sources.append(_string(unit.get("source", ""), "source"))
        except InputError as error:
            raise InputError(error.reason, path=path, line=line) from error
        known = _provenances(unit, len(told), path, line)
        segments.append(
            tuple(make_reference(text, path, line, "", each) for text, each in zip(told, known, strict=True))
        )
    return ReferenceTexts(
        segmentation_by_line(path, len(segments)), tuple(segments), tuple(sources) if any(sources) else ()
    )


def _provenances(unit: Mapping[str, Any], count: int, path: Path, line: int) -> list[Provenance]:
    """Where so many references come from, as they are written here; unknown where an object does not say it so.

    Raises InputError where it says it of another number of references.
    """
    origins, validities = unit.get("origin"), unit.get("validity")
    if not isinstance(origins, list) or not all(isinstance(each, str) for each in origins):
        return [UNKNOWN] * count
    if len(origins) != count:
        raise InputError(f"{len(origins)} values of 'origin' for {count} references", path=path, line=line)
    told = validities if isinstance(validities, list) and len(validities) == count else [None] * count
    numbers = (None if isinstance(each, bool) or not isinstance(each, int | float) else float(each) for each in told)
    return [Provenance(*each) for each in zip(origins, numbers, strict=True)]


JSONL: Final = Format(
    name="jsonl",
    extensions=(".jsonl", ".ndjson"),
    reader=Reader(JsonlSource, options=("skip_bad",)),
    writer=Writer(lambda units, languages, name: {name: lambda file: write_jsonl(units(), file, units.licence)}),
    reference_writer=ReferenceWriter(("references.jsonl",), lines=_reference_lines),
    scoring_reader=ScoringReader(read_jsonl_references),
)
