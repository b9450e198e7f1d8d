"""Hits in a file: all of them, with their translations and the places where they stand."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TextIO, TypeAlias, get_args

from corpusdb.errors import InputError
from corpusdb.model import Progress
from corpusdb.queries import Job
from corpusdb.queries.concordance import Concordance
from corpusdb.queries.places import Place, places_of
from corpusdb.queries.search import Hits
from corpusdb.queries.translations import Translation, translations_of
from corpusdb.store import Store

__all__ = ["EXPORT_FORMATS", "ExportFormat", "HitExport", "export_hits"]

ExportFormat: TypeAlias = Literal["tsv", "csv", "jsonl"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

_STEP = 500
"""So many hits are looked up and written between two steps of the job."""


@dataclass(frozen=True, slots=True)
class HitExport:
    """Where hits go, and with what."""

    path: Path
    format: ExportFormat
    languages: tuple[str, ...]
    """Of the translations; in a table each has a column."""
    distance: int = 1


@dataclass(frozen=True, slots=True)
class _Hit:
    id: int
    language: str
    texts: Mapping[str, str]
    """The sentence under ``text``, or a line of a concordance under ``left``, ``match`` and ``right``."""
    translations: Sequence[Translation]
    places: Sequence[Place]


def export_hits(store: Store, found: Hits | Concordance, export: HitExport) -> Job[int]:
    """Write every hit, or every line of a concordance, to a new file; returns how many they are.

    The file is there when it is complete. It is UTF-8; lines end in LF, in CSV in CR LF (RFC 4180). Raises InputError
    where there is such a file already, or where it cannot be written.
    """
    if export.path.exists():
        raise InputError("is there already; choose another name", path=export.path)
    partial = export.path.with_name(f".{export.path.name}.{os.getpid()}.part")
    try:
        with open(partial, "w", encoding="utf-8", newline="") as file:
            write = _FORMATS[export.format](file, export, ("left", "match", "right") if _is_kwic(found) else ("text",))
            for first in range(0, len(found), _STEP):
                for hit in _looked_up(store, found, first, export):
                    write(hit)
                yield Progress("hits written", min(first + _STEP, len(found)), len(found))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(export.path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=export.path) from error
    finally:
        partial.unlink(missing_ok=True)
    return len(found)


def _is_kwic(found: Hits | Concordance) -> bool:
    return isinstance(found, Concordance)


def _looked_up(store: Store, found: Hits | Concordance, first: int, export: HitExport) -> Iterator[_Hit]:
    texts: list[tuple[int, dict[str, str]]]
    if isinstance(found, Concordance):
        language = found.hits.language
        texts = [
            (line.sentence, {"left": line.left, "match": line.match, "right": line.right})
            for line in found.lines(first, _STEP)
        ]
    else:
        language = found.language
        last = min(first + _STEP, len(found))
        texts = [(int(found.sentences[place]), {"text": found.text(place)}) for place in range(first, last)]
    ids = [sentence for sentence, _ in texts]
    translations = translations_of(store, ids, export.languages, export.distance)
    places = places_of(store, ids)
    for sentence, said in texts:
        yield _Hit(sentence, language, said, translations[sentence], places[sentence])


_Writer: TypeAlias = Callable[[_Hit], object]


def _cells(hit: _Hit, languages: Sequence[str]) -> list[str]:
    """The cells of a table; translations that are not direct have their distance in front: "(2) Coucou."."""
    columns = [
        " | ".join(
            f"({each.distance}) {each.text}" if each.distance > 1 else each.text
            for each in hit.translations
            if each.language == language
        )
        for language in languages
    ]
    return [str(hit.id), hit.language, *hit.texts.values(), *columns, " | ".join(map(str, hit.places))]


# A tab or a line break inside a cell would make two of it.
_ESCAPES = str.maketrans({"\t": r"\t", "\n": r"\n", "\r": r"\r"})


def _tsv(file: TextIO, export: HitExport, texts: Sequence[str]) -> _Writer:
    def write(cells: Sequence[str]) -> None:
        file.write("\t".join(cell.translate(_ESCAPES) for cell in cells) + "\n")

    write(["id", "language", *texts, *export.languages, "places"])
    return lambda hit: write(_cells(hit, export.languages))


def _csv(file: TextIO, export: HitExport, texts: Sequence[str]) -> _Writer:
    writer = csv.writer(file)
    writer.writerow(["id", "language", *texts, *export.languages, "places"])
    return lambda hit: writer.writerow(_cells(hit, export.languages))


def _jsonl(file: TextIO, export: HitExport, texts: Sequence[str]) -> _Writer:
    def write(hit: _Hit) -> None:
        translations: dict[str, list[dict[str, object]]] = {}
        for each in hit.translations:
            told: dict[str, object] = {"text": each.text, "distance": each.distance, "via": each.via}
            translations.setdefault(each.language, []).append(told)
        document = {"id": hit.id, "language": hit.language, **hit.texts}
        document |= {"translations": translations, "places": [asdict(place) for place in hit.places]}
        file.write(json.dumps(document, ensure_ascii=False) + "\n")

    return write


_FORMATS: Mapping[ExportFormat, Callable[[TextIO, HitExport, Sequence[str]], _Writer]] = {
    "tsv": _tsv,
    "csv": _csv,
    "jsonl": _jsonl,
}
