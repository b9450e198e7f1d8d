"""References and outputs of systems in the documents of a test set, by the ids of their segments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from corpusdb.errors import InputError
from corpusdb.formats.format import ScoringReader
from corpusdb.formats.records import Document, Options, Role
from corpusdb.formats.segments import (
    Output,
    Reference,
    ReferenceTexts,
    Segmentation,
    SegmentId,
    base_name,
    check_counts,
    ids_in_order,
    make_reference,
)
from corpusdb.formats.test_sets.bundles import Side

__all__ = ["ANY_LANGUAGES", "ReadDocuments", "scoring_reader"]

ReadDocuments: TypeAlias = Callable[[Path], Iterator[tuple[Document, list[Side]]]]
"""Reads the documents of a file, each with some or all of its sides."""

ANY_LANGUAGES: Final = Options(languages=("und", "und"))
"""Any two codes: who scores need not say which languages these are, and files of references may say "any"."""


def scoring_reader(documents: ReadDocuments) -> ScoringReader:
    """The reader of references and outputs for a format whose documents are read so."""
    return ScoringReader(partial(_references, documents), partial(_outputs, documents))


def _references(documents: ReadDocuments, path: Path) -> ReferenceTexts:
    by_id: dict[SegmentId, list[Reference]] = {}
    for name, texts in _texts_by_version(documents, path, "reference").items():
        for id, each in texts.items():
            by_id.setdefault(id, []).append(make_reference(each.text, path, each.line, name))
    if not by_id:
        raise InputError("holds no reference", path=path, line=1)
    source = next(iter(_texts_by_version(documents, path, "source").values()), {})
    known = tuple(source[id].text if id in source else "" for id in by_id)
    segmentation = Segmentation(path, tuple(references[0].line for references in by_id.values()), tuple(by_id))
    return ReferenceTexts(segmentation, tuple(map(tuple, by_id.values())), known if any(known) else ())


def _outputs(documents: ReadDocuments, path: Path, segmentation: Segmentation) -> list[Output]:
    found = _texts_by_version(documents, path, "system")
    if not found:
        raise InputError("holds no output of a system", path=path, line=1)
    return [
        Output(name or base_name(path), path, tuple(_texts_in_order(path, texts, segmentation)))
        for name, texts in found.items()
    ]


def _texts_in_order(path: Path, texts: dict[SegmentId, Reference], segmentation: Segmentation) -> Iterator[str]:
    """The texts of an output in the order of the segments."""
    own = Segmentation(path, tuple(each.line for each in texts.values()), tuple(texts))
    check_counts(segmentation, own)
    for id in ids_in_order(segmentation, own):
        yield texts[id].text


def _texts_by_version(documents: ReadDocuments, path: Path, role: Role) -> dict[str, dict[SegmentId, Reference]]:
    """The texts of one role by the name of their translator or system; errors name the line of their document."""
    found: dict[str, dict[SegmentId, Reference]] = {}
    for document, sides in documents(path):
        for side in sides:
            if side.version.role == role:
                texts = found.setdefault(side.version.name, {})
                for segment, text in side.segments.items():
                    id = document.name, segment
                    if id in texts:
                        reason = f"segment {segment!r} of document {document.name!r} stands twice"
                        raise InputError(reason, path=path, line=side.line)
                    texts[id] = Reference(text, path, side.line, side.version.name)
    return found
