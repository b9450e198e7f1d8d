"""What translates a sentence, directly and through other languages."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.store import Store

__all__ = ["Translation", "translated_into", "translations_into", "translations_of"]


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


def translations_of(
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
