"""Texts by the name of a collection or of a file: what models are trained on, and what tells that it has changed since.

A collection gives each sentence as often as it stands there; a file gives its lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from corpusdb.charlm.normalisation import normalised
from corpusdb.errors import InputError
from corpusdb.formats.files.reading import digest_of
from corpusdb.formats.scoring_input import read_plain
from corpusdb.options import record_from_json
from corpusdb.queries.corpus.files import collection_names
from corpusdb.store import Store

__all__ = ["SourceRecord", "TextSource", "changed_sources", "source_records", "text_sources", "texts_of"]


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """Where texts came from, as the database keeps it."""

    kind: Literal["collection", "file"]
    name: str
    digest: str
    """Of the bytes of the file, or of what the collection was made of."""


@dataclass(frozen=True, slots=True)
class TextSource:
    """Texts, and where they came from."""

    record: SourceRecord
    texts: tuple[str, ...]


def text_sources(store: Store, language: str, names: Sequence[str]) -> list[TextSource]:
    """The texts of collections and files; what is both is the collection.

    Raises InputError for what is neither, for what was named twice, and for a collection without such sentences.
    """
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        raise InputError(f"{twice[0]!r} is named twice")
    return [_text_source(store, language, name) for name in names]


_TEXTS = """
select sentence.text from collection
join document on document.collection = collection.id
join occurrence on occurrence.document = document.id
join sentence on sentence.id = occurrence.sentence
where collection.name = ? and sentence.language = ?
order by occurrence.document, occurrence.line, occurrence.sentence
"""


def _text_source(store: Store, language: str, name: str) -> TextSource:
    known = collection_names(store)
    if name in known:
        texts = tuple(row[0] for row in store.connection.execute(_TEXTS, (name, language)))
        if not texts:
            raise InputError(f"the collection {name!r} has no sentences in {language}")
        return TextSource(SourceRecord("collection", name, _collection_digest(store, name)), texts)
    path = Path(name)
    if not path.exists():
        listed = f"collections are {', '.join(known)}" if known else "there are no collections"
        raise InputError(f"{name!r} is neither a collection nor a file; {listed}")
    lines = tuple(line for line in read_plain(path) if line.strip())
    return TextSource(SourceRecord("file", name, digest_of([path])), lines)


_DOCUMENTS = """
select document.digest, lines_done from document join collection on collection.id = document.collection
where collection.name = ? order by document.id
"""


def _collection_digest(store: Store, name: str) -> str:
    digest = hashlib.sha256()
    for own, lines in store.connection.execute(_DOCUMENTS, (name,)):
        digest.update(f"{own} {lines}\n".encode())
    return digest.hexdigest()


def source_records(document: Sequence[object], tell: Callable[[str], object]) -> tuple[SourceRecord, ...]:
    """Where texts came from, out of the JSON that the database keeps. Raises InputError for what says no such thing."""
    return tuple(record_from_json(SourceRecord, each, tell, of="where texts came from") for each in document)


def changed_sources(store: Store, records: Iterable[SourceRecord]) -> list[str]:
    """Which of these collections and files are not what they were, or are gone, in words."""
    known, changed = {*collection_names(store)}, []
    for record in records:
        if record.kind == "collection":
            if record.name not in known:
                changed.append(f"the collection {record.name} is gone")
            elif _collection_digest(store, record.name) != record.digest:
                changed.append(f"the collection {record.name} has other texts now")
            continue
        path = Path(record.name)
        if path.exists() and digest_of([path]) != record.digest:
            changed.append(f"the file {record.name} is another one now")
    return changed


def texts_of(sources: Iterable[TextSource], normalisation: str) -> list[str]:
    """All texts of some sources, normalised, without those that come out empty."""
    return [text for source in sources for text in normalised(source.texts, normalisation) if text]
