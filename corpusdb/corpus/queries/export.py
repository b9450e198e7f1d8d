"""Export: the units of the corpus as records again, for the writers of formats."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias, cast

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats import Record
from corpusdb.corpus.formats.records import Annotation, Document, Role, Version
from corpusdb.corpus.queries.annotations import annotations_of
from corpusdb.corpus.queries.sentences import CorpusPart, FilePlace, check_collections, languages_of, places
from corpusdb.corpus.store import Store


class Held(NamedTuple):
    """Sentences of which a unit holds one, where it is in all of some parts of the corpus."""

    sentences: frozenset[int]
    parts: tuple[CorpusPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """Which part of the corpus is meant."""

    collections: tuple[str, ...] = ()
    """Empty = all."""
    languages: tuple[str, ...] = ()
    """ISO 639-3 codes in the order wanted. Empty = all, each unit in the order in which it was read."""
    document: str | None = None
    """Name of a file or of a document inside one. None = all."""
    least: int = 2
    """How many texts in the languages wanted a unit needs."""
    annotated: bool = False
    """Whether the texts come with what is known of their tokens."""
    held: tuple[Held, ...] | None = None
    """Only units of which one of these says so. None = all."""


@dataclass(slots=True)
class ExportProgress:
    """What a pass over the units has given so far."""

    units: int = 0
    left_out: int = 0
    """Units that have fewer texts than are needed in the languages wanted."""


def export_units(store: Store, selection: Selection, tally: ExportProgress | None = None) -> Iterator[Record]:
    """The units selected, as they stand in the files, by collection, file and line; they are numbered from 1.

    Texts are as they are stored, that is normalised. A unit with fewer than two texts in the languages wanted, or the
    least that the selection names, is left out; ``tally`` counts both kinds. Nothing is held but one unit, and the
    annotations of the languages where they are asked for. Where the records are read more than once, and
    others may write meanwhile, the caller keeps a ``Store.snapshot``. Raises InputError, before the first unit, for a
    collection, language or document that there is not, and says what there is.
    """
    chosen = places(store, selection.collections, selection.document)
    if selection.languages:
        there = dict.fromkeys(
            language
            for place in chosen
            # None are stored for a file of accepted candidates.
            for language in place.languages or [row[0] for row in store.connection.execute(_SPOKEN, (place.document,))]
        )
        _check_languages(selection.languages, list(there))
    wanted = {language: rank for rank, language in enumerate(selection.languages)}
    known: dict[int, Annotation] | None = {} if selection.annotated else None
    if known is not None:  # that of an import where there are two
        for language in selection.languages or languages_of(store):
            known.update(annotations_of(store.connection, language))
    inside = _Inside(wanted, known, selection.held)
    units = (unit for place in chosen for unit in _units(store.connection, place, inside))
    return _numbered(units, ExportProgress() if tally is None else tally, selection.least)


_SPOKEN = """
select distinct sentence.language from occurrence join sentence on sentence.id = occurrence.sentence
where occurrence.document = ? order by 1
"""


def _check_languages(wanted: Sequence[str], there: Sequence[str]) -> None:
    for language in wanted:
        if language not in there:
            raise InputError(f"there is no text in {language!r}; there are {', '.join(there) or 'none'}")


_Row: TypeAlias = tuple[
    int, str, str, int | None, str | None, str | None, int, str | None, int | None, str | None, str | None
]
"""Line, language, text; number, role and name of the version; sentence; name of the unit; section, its name and
attributes."""

_COLUMNS = """
select occurrence.line, sentence.language, sentence.text, version.number, version.role, version.name,
       sentence.id, unit.name, section.id, section.name, section.attributes
"""
_TEXTS = """
cross join sentence on sentence.id = occurrence.sentence
left join version on version.document = occurrence.document and version.line = occurrence.line
    and version.sentence = occurrence.sentence
left join section on section.id = unit.section
"""
# In the order of a key, so that nothing has to be sorted: a file may have millions of units.
_OF_FILE = f"""{_COLUMNS} from occurrence
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
{_TEXTS} where occurrence.document = ? order by occurrence.line
"""
_OF_SECTION = f"""{_COLUMNS} from unit
cross join occurrence on occurrence.document = unit.document and occurrence.line = unit.line
{_TEXTS} where unit.section = ? order by unit.document, unit.line
"""


@dataclass(frozen=True, slots=True)
class _Inside:
    languages: dict[str, int]
    """With their ranks; empty = all."""
    annotations: dict[int, Annotation] | None
    """Of sentences; None where they are not asked for."""
    held: tuple[Held, ...] | None
    """One of these a unit must be, by a text in whatever language; None = it need not."""

    def holds(self, document: int, section: int | None, texts: Sequence[_Row]) -> bool:
        return self.held is None or any(
            not sentences.isdisjoint([row[6] for row in texts])
            and all(part.languages_at(document, section) is not None for part in parts)
            for sentences, parts in self.held
        )


def _units(connection: sqlite3.Connection, place: FilePlace, inside_of: _Inside) -> Iterator[Record]:
    """The units of a place with what is left of their texts, at their own lines."""
    wanted, known = inside_of.languages, inside_of.annotations
    rows: Iterable[_Row] = (
        connection.execute(_OF_FILE, (place.document,))
        if place.section is None
        else connection.execute(_OF_SECTION, (place.section,))
    )
    ranks = {language: rank for rank, language in enumerate(place.languages)}
    section: int | None = None
    document: Document | None = None
    for line, group in groupby(rows, itemgetter(0)):
        texts = list(group)
        *_, name, inside, title, attributes = texts[0]
        if inside != section:
            section = inside
            document = None if inside is None else Document(title or "", tuple(json.loads(attributes or "{}").items()))
        if not inside_of.holds(place.document, inside, texts):
            continue
        if texts[0][3] is not None:  # as the file had them
            texts.sort(key=lambda row: row[3] or 0)
        else:  # by the languages of the file
            texts.sort(key=lambda row: (ranks.get(row[1], len(ranks)), row[1]))
        if wanted:
            texts = sorted((row for row in texts if row[1] in wanted), key=lambda row: wanted[row[1]])
        yield Record(
            line,
            tuple([row[2] for row in texts]),
            tuple([row[1] for row in texts]),
            name or "",
            document,
            tuple(Version(cast("Role", row[4] or ""), row[5] or "") for row in texts)
            if any(row[4] or row[5] for row in texts)
            else (),
            () if known is None else tuple([known.get(row[6]) for row in texts]),
        )


def _numbered(units: Iterable[Record], tally: ExportProgress, least: int = 2) -> Iterator[Record]:
    """The units that have enough texts, numbered from 1; the others are counted."""
    for unit in units:
        if len(unit.texts) < least:
            tally.left_out += 1
            continue
        tally.units += 1
        yield replace(unit, line=tally.units)


# By number, that is in the order in which they were first read, and without sorting.
_TRANSLATED = """
select sentence.id, sentence.text, other.language, other.text
from sentence not indexed
cross join translation on translation.sentence = sentence.id
    and (:collections = '[]' or translation.collection in (
        select id from collection where name in (select value from json_each(:collections))))
cross join sentence other on other.id = translation.translation
where sentence.language = :language order by sentence.id
"""


def by_sentence(
    store: Store,
    language: str,
    languages: Sequence[str] = (),
    collections: Sequence[str] = (),
    tally: ExportProgress | None = None,
    sentences: frozenset[int] | None = None,
) -> Iterator[Record]:
    """One unit for each sentence of a language, or each of ``sentences``, with all its translations in the others.

    The sentences come in the order in which they were first read. The translations come in the order of ``languages``
    (empty = all, by code), those in one language by their text, so that the units do not depend on what was read
    before. Sentences whose translations, in these collections, are all in other languages are left out and counted.
    Raises InputError, before the first unit, for a language or collection that there is not.
    """
    check_collections(store, collections)
    there = languages_of(store)
    _check_languages([language, *languages], there)
    ranks = {code: rank for rank, code in enumerate(languages or there) if code != language}
    values = {"language": language, "collections": json.dumps(list(collections))}
    rows: Iterable[tuple[int, str, str, str]] = store.connection.execute(_TRANSLATED, values)
    if sentences is not None:
        rows = (row for row in rows if row[0] in sentences)
    return _numbered(_translated(rows, language, ranks), ExportProgress() if tally is None else tally)


def _translated(rows: Iterable[tuple[int, str, str, str]], language: str, ranks: dict[str, int]) -> Iterator[Record]:
    for number, group in groupby(rows, itemgetter(0)):
        translations = list(group)
        # A set, since several collections may have the same translation.
        others = sorted({(ranks[row[2]], row[2], row[3]) for row in translations if row[2] in ranks})
        texts = (translations[0][1], *(text for _, _, text in others))
        yield Record(number, texts, (language, *(code for _, code, _ in others)))
