"""Translations at a distance against a breadth-first walk, and the places where sentences stand."""

from __future__ import annotations

import random

import pytest
from corpora import import_rows

from corpusdb.corpus.queries.sentences import places_of, sentence_id, sentences_after, surroundings
from corpusdb.corpus.queries.translations import translations_of_sentence
from corpusdb.corpus.store import Store


def walked(edges: dict[int, set[int]], origin: int, distance: int) -> dict[int, int]:
    """How far each sentence is."""
    distances, edge = {origin: 0}, {origin}
    for step in range(1, distance + 1):
        edge = {other for node in edge for other in edges[node]} - distances.keys()
        distances |= dict.fromkeys(edge, step)
    del distances[origin]
    return distances


@pytest.mark.parametrize("number", range(20))
def test_distances(empty: Store, number: int) -> None:
    chance = random.Random(number)
    for languages in (("eng", "fra"), ("fra", "jpn"), ("eng", "jpn", "deu")):
        rows = [tuple(f"{code}{chance.randrange(6)}" for code in languages) for _ in range(chance.randint(1, 8))]
        import_rows(empty, rows, languages)
    edges: dict[int, set[int]] = {}
    language = dict(empty.connection.execute("select id, language from sentence").fetchall())
    for one, other in empty.connection.execute("select sentence, translation from translation"):
        edges.setdefault(one, set()).add(other)
    for distance in (1, 2, 3):
        found = translations_of_sentence(empty, edges, (), distance)
        chosen = translations_of_sentence(empty, edges, ("jpn",), distance)
        for origin in edges:
            everything = walked(edges, origin, distance)
            others = {one: far for one, far in everything.items() if language[one] != language[origin]}
            assert {each.sentence: each.distance for each in found[origin]} == others
            assert {each.sentence: each.distance for each in chosen[origin]} == {
                one: far for one, far in everything.items() if language[one] == "jpn"
            }
            order = [(each.distance, each.language, each.sentence) for each in found[origin]]
            assert order == sorted(order)
            for each in found[origin]:
                assert (each.via is None) == (each.distance == 1)
                if each.via is not None:
                    assert each.sentence in edges[each.via]
                    assert walked(edges, origin, distance)[each.via] == each.distance - 1


def test_a_sentence_without_translations(empty: Store) -> None:
    import_rows(empty, [("a", "b")])
    assert translations_of_sentence(empty, [12345]) == {12345: []}
    assert translations_of_sentence(empty, []) == {}


def test_places_and_surroundings(empty: Store) -> None:
    import_rows(empty, [(f"s{line}", f"t{line}") for line in range(1, 8)] + [("s2", "t7")])
    number = sentence_id(empty, "eng", "s2")
    assert number is not None
    places = places_of(empty, [number, 999])
    assert [(place.collection, place.line, str(place)) for place in places[number]] == [
        ("rows", 2, "rows/corpus-0.tsv:2"),
        ("rows", 8, "rows/corpus-0.tsv:8"),
    ]
    assert places[999] == []
    around = surroundings(empty, number, 1)
    assert [(line, language, text) for line, language, _, text in around] == [
        (line, code, f"{letter}{line}") for line in (1, 2, 3) for code, letter in (("eng", "s"), ("fra", "t"))
    ]
    assert surroundings(empty, 999) == []
    assert len(sentences_after(empty, "eng", 0)) == 7
