"""Where sentences stand: collection, file, document, line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from corpusdb.store import Store

__all__ = ["Place", "places_of", "surroundings"]


@dataclass(frozen=True, slots=True)
class Place:
    """One occurrence of a sentence."""

    collection: str
    file: str
    document: str
    """The document inside the file; empty where the file has none."""
    unit: str
    """The id of the unit there; empty where it has none."""
    line: int
    """In the file, from 1; the number of the unit in formats without lines."""

    def __str__(self) -> str:
        inside = f"/{self.document}" if self.document else ""
        return f"{self.collection}/{self.file}{inside}:{self.unit or self.line}"


_PLACES = """
select given.value, collection.name, document.name, coalesce(section.name, ''), coalesce(unit.name, ''), occurrence.line
from json_each(?) given
join occurrence on occurrence.sentence = given.value
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
order by given.value, occurrence.document, occurrence.line
"""


def places_of(store: Store, sentences: Iterable[int]) -> dict[int, list[Place]]:
    """For each sentence every place where it stands, in the order in which the files were imported."""
    given = list(dict.fromkeys(sentences))
    found: dict[int, list[Place]] = {sentence: [] for sentence in given}
    for sentence, *place in store.connection.execute(_PLACES, (json.dumps(given),)):
        found[sentence].append(Place(*place))
    return found


_FIRST_PLACE = "select document, line from occurrence where sentence = ? order by document, line limit 1"
_AROUND = """
select occurrence.line, sentence.language, sentence.id, sentence.text
from occurrence join sentence on sentence.id = occurrence.sentence
where occurrence.document = ? and occurrence.line between ? and ?
order by occurrence.line, sentence.language = (select language from sentence where id = ?) desc, sentence.language
"""


def surroundings(store: Store, sentence: int, lines: int = 5) -> list[tuple[int, str, int, str]]:
    """The lines around the first place of a sentence: line, language, sentence, text; the sentence's language first."""
    place = store.connection.execute(_FIRST_PLACE, (sentence,)).fetchone()
    if place is None:
        return []
    document, line = place
    return store.connection.execute(_AROUND, (document, line - lines, line + lines, sentence)).fetchall()
