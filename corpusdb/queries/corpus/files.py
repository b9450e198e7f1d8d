"""Files and the documents inside them, found by the names that people know them by."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from corpusdb.errors import InputError
from corpusdb.store import Store

__all__ = [
    "Place",
    "check_collections",
    "collection_names",
    "other_language_told",
    "places",
    "result_languages",
]

_SHOWN_NAMES = 10


@dataclass(frozen=True, slots=True)
class Place:
    """A file, or one document inside it."""

    document: int
    """Number of the file."""
    languages: tuple[str, ...]
    """Those of the file, in its order."""
    section: int | None = None
    """Number of the document inside it; None is the whole file."""


_FILES = """
select document.id, document.languages, document.name, collection.name
from document join collection on collection.id = document.collection
where :collections = '[]' or collection.name in (select value from json_each(:collections))
order by collection.id, document.id
"""
_SECTIONS = "select document, id from section where name = ? order by document, number"


def places(store: Store, collections: Sequence[str] = (), document: str | None = None) -> list[Place]:
    """All files of some collections, or what is called ``document`` in them: files, and documents inside files.

    Without collections, of all. The order is that of the collections, the files and the documents in these. Raises
    InputError, which says what there is, for a collection or document that there is not. A document may have the name
    of its collection in front, as places are shown.
    """
    check_collections(store, collections)
    rows = store.connection.execute(_FILES, {"collections": json.dumps(list(collections))}).fetchall()
    files = [(Place(number, tuple(filter(None, languages.split(",")))), name) for number, languages, name, _ in rows]
    if document is None:
        return [place for place, _ in files]
    found = _called(store, files, document)
    if not found:  # as it is shown where it stands: with its collection in front
        for each in dict.fromkeys(row[-1] for row in rows if document.startswith(f"{row[-1]}/")):
            of_it = [file for file, row in zip(files, rows, strict=True) if row[-1] == each]
            found += _called(store, of_it, document.removeprefix(f"{each}/"))
    if not found:
        raise InputError(f"there is no document {document!r}; there are {_names(store, files)}")
    return found


def _called(store: Store, files: Sequence[tuple[Place, str]], document: str) -> list[Place]:
    """Those of some files, and of the documents inside them, that have a name."""
    inside: dict[int, list[int]] = {}
    for number, section in store.connection.execute(_SECTIONS, (document,)):
        inside.setdefault(number, []).append(section)
    found: list[Place] = []
    for place, name in files:
        if document in (name, *name.split(", ")):
            found.append(place)
        else:
            found += [Place(place.document, place.languages, section) for section in inside.get(place.document, ())]
    return found


_COLLECTIONS = "select name from collection order by id"


def collection_names(store: Store) -> list[str]:
    """The names of all collections, in the order in which they were imported."""
    return [row[0] for row in store.connection.execute(_COLLECTIONS)]


_RESULTS = """
select name, language from selection where name not in (select name from collection) order by id
"""


def result_languages(store: Store) -> dict[str, str]:
    """The languages of the results and selections that are kept, by their names, the oldest first.

    Those whose name a collection has are left out: there the collection is meant.
    """
    return dict(store.connection.execute(_RESULTS).fetchall())


def other_language_told(store: Store, name: str | None, language: str) -> str | None:
    """That a result is in another language than was asked for, which then finds nothing in it; None where it is not."""
    of_result = None if name is None else result_languages(store).get(name)
    if of_result in (None, language):
        return None
    return f"{name!r} is a result in {of_result}, and holds no sentence of {language}"


def check_collections(store: Store, collections: Sequence[str], *, or_results: bool = False) -> None:
    """Raise InputError, which says which there are, for the name of a collection that there is not.

    With ``or_results`` the message names results and selections too, for a question that takes them as well.
    """
    known = collection_names(store)
    for name in collections:
        if name not in known:
            kept = ", ".join(result_languages(store)) if or_results else ""
            listed = (", ".join(known) or "none") + (f", and of results {kept}" if kept else "")
            raise InputError(f"there is no collection {name!r}; there are {listed}")


_SOME_SECTIONS = """
select distinct name from section where document in (select value from json_each(?)) order by document, number limit ?
"""


def _names(store: Store, files: Sequence[tuple[Place, str]]) -> str:
    """Some of the files and of the documents inside them, as a list for a message."""
    numbers = json.dumps([place.document for place, _ in files])
    sections = [row[0] for row in store.connection.execute(_SOME_SECTIONS, (numbers, _SHOWN_NAMES + 1))]
    names = list(dict.fromkeys([*(name for _, name in files), *sections]))
    return ", ".join([*names[:_SHOWN_NAMES], *(["..."] if len(names) > _SHOWN_NAMES else [])]) or "none"
