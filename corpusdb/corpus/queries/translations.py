"""What translates a sentence, and the translations that two sentences share."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from corpusdb.corpus.model import ACCEPTED, SharedTranslation
from corpusdb.corpus.queries.sentences import Place, languages_of, places_of
from corpusdb.corpus.store import Store

__all__ = [
    "SentenceDetail",
    "Translation",
    "sentence_detail",
    "shared_translations",
    "translated_into",
    "translations_into",
    "translations_of_sentence",
]


# What translates a sentence, directly and through other languages.


@dataclass(frozen=True, slots=True)
class Translation:
    """A translation of a sentence."""

    sentence: int
    language: str
    text: str
    distance: int
    """1: the corpus has the pair; 2: through a sentence of a third language, and so on."""
    via: int | None
    """The sentence through which it was reached, where it is not direct."""


_DIRECT = """
select distinct given.value, other.id, other.language, other.text
from json_each(?) given
join translation on translation.sentence = given.value
join sentence other on other.id = translation.translation
order by given.value, other.language, other.id
"""


def translations_of_sentence(
    store: Store, sentences: Iterable[int], languages: Collection[str] = (), distance: int = 1
) -> dict[int, list[Translation]]:
    """For each sentence its translations up to a distance: nearest first, then by language and age.

    ``languages`` chooses what is returned, empty = all but the sentence's own; through which languages a distant
    one is reached is free. A sentence that is reached on several ways is given once, on the shortest and first.
    """
    given = list(dict.fromkeys(sentences))
    found: dict[int, list[Translation]] = {sentence: [] for sentence in given}
    seen: dict[int, set[int]] = {sentence: {sentence} for sentence in given}
    own = _languages_of(store, given)
    edge: dict[int, list[int]] = {sentence: [sentence] for sentence in given}
    for step in range(1, distance + 1):
        neighbours = _neighbours(store, {node for nodes in edge.values() for node in nodes})
        for origin, nodes in edge.items():
            reached: list[Translation] = []
            for node in nodes:
                for other, language, text in neighbours.get(node, ()):
                    if other not in seen[origin]:
                        seen[origin].add(other)
                        via = None if node == origin else node
                        reached.append(Translation(other, language, text, step, via))
            edge[origin] = [each.sentence for each in reached]
            reached.sort(key=lambda each: (each.language, each.sentence))
            found[origin].extend(
                each for each in reached if (each.language in languages if languages else each.language != own[origin])
            )
    return found


_LANGUAGES = "select id, language from sentence where id in (select value from json_each(?))"


def _languages_of(store: Store, sentences: Sequence[int]) -> dict[int, str]:
    return dict(store.connection.execute(_LANGUAGES, (json.dumps(sentences),)).fetchall())


def _neighbours(store: Store, sentences: Collection[int]) -> dict[int, list[tuple[int, str, str]]]:
    neighbours: dict[int, list[tuple[int, str, str]]] = {}
    rows = store.connection.execute(_DIRECT, (json.dumps(sorted(sentences)),))
    for sentence, other, language, text in rows:
        neighbours.setdefault(sentence, []).append((other, language, text))
    return neighbours


# Through the index by language and text, one language after the other: without a language it is of no use.
_INTO = """
select distinct other.text from json_each(:languages) code
cross join sentence on sentence.language = code.value and sentence.text = :text
cross join translation on translation.sentence = sentence.id
cross join sentence other on other.id = translation.translation and other.language = :language
order by other.id
"""


def translations_into(store: Store, text: str, language: str) -> list[str]:
    """The translations into a language of a text in whatever other language, oldest first."""
    others = [code for code in languages_of(store) if code != language]
    values = {"text": text, "language": language, "languages": json.dumps(others)}
    return [row[0] for row in store.connection.execute(_INTO, values)]


_TRANSLATED_INTO = """
select code.value from json_each(:languages) code where exists (
    select 1 from sentence own
    cross join translation on translation.sentence = own.id
    cross join sentence other on other.id = translation.translation and other.language = code.value
    where own.language = :language)
order by code.value
"""


def translated_into(store: Store, language: str) -> tuple[str, ...]:
    """The languages that a sentence of this one has a translation into, ascending."""
    languages = [each for each in languages_of(store) if each != language]
    bound = {"language": language, "languages": json.dumps(languages)}
    return tuple(code for (code,) in store.connection.execute(_TRANSLATED_INTO, bound))


# The translations that two sentences share, with the places where people made them.


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


# What the corpus knows of one sentence.


@dataclass(frozen=True, slots=True)
class SentenceDetail:
    """A sentence with its translations and places."""

    sentence: int
    translations: tuple[Translation, ...]
    places: tuple[Place, ...]
    paraphrases: int
    """How many sentences of its language were detected as paraphrases of it."""


_PARAPHRASES = "select count(*) from paraphrase where sentence = ?"


def sentence_detail(store: Store, sentence: int, languages: Collection[str] = (), distance: int = 1) -> SentenceDetail:
    """The translations of a sentence in some languages (empty = all others) up to a distance, and where it stands."""
    with store.snapshot() as connection:
        (paraphrases,) = connection.execute(_PARAPHRASES, (sentence,)).fetchone()
        return SentenceDetail(
            sentence,
            tuple(translations_of_sentence(store, [sentence], languages, distance)[sentence]),
            tuple(places_of(store, [sentence])[sentence]),
            paraphrases,
        )
