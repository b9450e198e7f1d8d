"""How often sentences of each language occur and are translated: from what imports counted, where that is enough.

Going over every occurrence and translation takes a second for half a million of them. A document in two languages, of
which no unit has two texts in one, has a text of each language in every unit, and only pairs of one with the other. So
what was counted while it was read says how many of each there are; that it still holds is seen by the totals.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass, field

from corpusdb.model import ACCEPTED

__all__ = ["LanguageCounts", "language_counts"]


@dataclass(frozen=True, slots=True)
class LanguageCounts:
    """Of each language that has any."""

    occurrences: Counter[str] = field(default_factory=Counter)
    """Places where its sentences stand in documents."""
    translations: Counter[str] = field(default_factory=Counter)
    """Ordered pairs of a sentence in it and one that translates it, in each collection."""


def language_counts(connection: sqlite3.Connection) -> LanguageCounts:
    """The counts of all languages; inside a snapshot of the caller if the corpus may grow meanwhile."""
    return _from_documents(connection) or _from_rows(connection)


_DOCUMENTS = """
select document.id, document.collection, document.languages, coalesce(json_extract(document.counts, '$.read'), -1),
       coalesce(json_extract(document.counts, '$.translations'), -1), collection.name = ?,
       exists (select 1 from version where version.document = document.id)
from document join collection on collection.id = document.collection
"""
_TOTALS = "select (select count(*) from occurrence), (select count(*) from translation)"


def _from_documents(connection: sqlite3.Connection) -> LanguageCounts | None:
    """The counts as the documents tell them; None where they do not."""
    found = LanguageCounts()
    for document, collection, named, read, pairs, is_accepted, has_versions in connection.execute(
        _DOCUMENTS, (ACCEPTED,)
    ).fetchall():
        languages = set(named.split(","))
        if is_accepted and read < 0:
            _add_accepted(connection, document, collection, found)
        elif len(languages) == 2 and not has_versions and min(read, pairs) >= 0:
            found.occurrences.update(dict.fromkeys(languages, read))
            found.translations.update(dict.fromkeys(languages, pairs))
        else:
            return None
    totals = found.occurrences.total(), found.translations.total()
    return found if totals == connection.execute(_TOTALS).fetchone() else None


_ACCEPTED_OCCURRENCES = """
select sentence.language, count(*) from occurrence join sentence on sentence.id = occurrence.sentence
where occurrence.document = ? group by sentence.language
"""
_ACCEPTED_PAIRS = """
select translation.sentence, own.language, translation.translation, other.language
from (select distinct sentence from occurrence where document = ?) accepted
join translation on translation.sentence = accepted.sentence and translation.collection = ?
join sentence own on own.id = translation.sentence
join sentence other on other.id = translation.translation
"""


def _add_accepted(connection: sqlite3.Connection, document: int, collection: int, found: LanguageCounts) -> None:
    """Add what people accepted, which is little."""
    found.occurrences.update(dict(connection.execute(_ACCEPTED_OCCURRENCES, (document,)).fetchall()))
    pairs: dict[tuple[int, int], str] = {}
    for one, language, other, others in connection.execute(_ACCEPTED_PAIRS, (document, collection)):
        pairs[one, other], pairs[other, one] = language, others
    found.translations.update(pairs.values())


# The sentences come by id, as the index on the occurrences and the key of the translations have them.
_OCCURRENCES = """
select language, count(*) from sentence cross join occurrence on occurrence.sentence = sentence.id group by language
"""
_TRANSLATIONS = """
select language, count(*) from sentence cross join translation on translation.sentence = sentence.id group by language
"""


def _from_rows(connection: sqlite3.Connection) -> LanguageCounts:
    occurrences, translations = (
        Counter(dict(connection.execute(each).fetchall())) for each in (_OCCURRENCES, _TRANSLATIONS)
    )
    return LanguageCounts(occurrences, translations)
