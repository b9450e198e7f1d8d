"""The translations that two sentences share, with the places where people made them."""

from __future__ import annotations

from corpusdb.model import ACCEPTED, SharedTranslation
from corpusdb.store import Store

__all__ = ["shared_translations"]

_PLACES_SHOWN = 3

_SHARED = """
select sentence.id, sentence.language, sentence.text
from translation one
join translation two on two.translation = one.translation and two.sentence = :two
join sentence on sentence.id = one.translation
where one.sentence = :one and sentence.language <> (select language from sentence where id = :one)
group by sentence.id order by sentence.language, sentence.id
"""
_PLACES = """
select distinct collection.name, document.name, here.line
from occurrence here
join occurrence there on there.document = here.document and there.line = here.line and there.sentence = :translation
join document on document.id = here.document
join collection on collection.id = document.collection
where here.sentence in (:one, :two) order by document.id, here.line limit :limit
"""

# Where one of the two has the translation only because it was accepted with those of its seed, what was accepted.
_ACCEPTED = """
select translation.translation, collection.name, document.name, occurrence.line
from collection
join translation on translation.collection = collection.id and translation.sentence in (:one, :two)
join occurrence on occurrence.sentence = translation.sentence
join document on document.id = occurrence.document and document.collection = collection.id
where collection.name = :accepted and not exists (
    select 1 from translation given where given.sentence = translation.sentence
        and given.translation = translation.translation and given.collection <> collection.id
)
order by occurrence.line
"""


def shared_translations(store: Store, one: int, two: int) -> tuple[SharedTranslation, ...]:
    """The translations that two sentences share, with the first places where one of them stands beside each.

    Before these the line of what was accepted, where one has the translation for that alone.
    """
    pair = {"one": one, "two": two}
    accepted: dict[int, list[str]] = {}
    for translation, *place in store.connection.execute(_ACCEPTED, {**pair, "accepted": ACCEPTED}):
        accepted.setdefault(translation, []).append("{}/{}:{}".format(*place))
    found = []
    for translation, language, text in store.connection.execute(_SHARED, pair).fetchall():
        values = {**pair, "translation": translation, "limit": _PLACES_SHOWN}
        places = [
            f"{collection}/{document}:{line}"
            for collection, document, line in store.connection.execute(_PLACES, values)
        ]
        found.append(SharedTranslation(language, text, (*accepted.get(translation, ())[:1], *places)))
    return tuple(found)
