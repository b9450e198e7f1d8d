"""What is looked up for hits is what was asked for, of every hit once and in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import import_rows, new_store

from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store
from corpusdb.search.patterns import Pattern
from corpusdb.search.queries import concordance as module
from corpusdb.search.queries.concordance import Concordance, Wanted, arrange_lines, first_details, hit_details
from corpusdb.search.queries.search import Hits, Search, Searcher

ROWS = [("a cat", "un chat"), ("a cat", "chat, oui"), ("cat, cat", "le chat"), ("a dog", "un chien")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as store:
        import_rows(store, ROWS)
        yield store


def found(store: Store, pattern: str = "cat", language: str = "eng") -> Hits:
    return Searcher(store).find(Search(language, Pattern(pattern)))


def lines(store: Store) -> Concordance:
    return finished(arrange_lines(found(store)))


def test_only_what_is_wanted_is_looked_up(store: Store) -> None:
    (first, _) = hit_details(store, found(store), Wanted(), range(2))
    assert (first.texts, first.spans, first.translations, first.places) == ({"text": "a cat"}, None, [], [])
    (first, second) = hit_details(store, found(store), Wanted((), places=True, spans=True), range(2))
    document = first.document()
    assert [place.pop("line") for place in document.pop("places")] == [1, 2]  # type: ignore[attr-defined]
    assert document == {
        "id": first.id,
        "language": "eng",
        "text": "a cat",
        "spans": [(2, 5)],
        "translations": {
            "fra": [
                {"text": "un chat", "distance": 1, "via": None},
                {"text": "chat, oui", "distance": 1, "via": None},
            ]
        },
    }
    assert second.spans == [(0, 3), (5, 8)]


@pytest.mark.parametrize(
    ("wanted", "columns", "cells"),
    [
        (Wanted(), ["language", "text"], ["eng", "a cat"]),
        (Wanted(("fra",)), ["text", "fra"], ["a cat", "un chat | chat, oui"]),
        (Wanted(("fra",)), ["text", "jpn"], ["a cat", ""]),
        (Wanted((), 2), ["translations"], ["un chat | chat, oui"]),
    ],
)
def test_cells(store: Store, wanted: Wanted, columns: list[str], cells: list[str]) -> None:
    (first,) = hit_details(store, found(store), wanted, range(1))
    assert first.cells(columns) == cells


def test_distant_translations_say_so(store: Store) -> None:
    (hit,) = hit_details(store, found(store, "un chat", "fra"), Wanted((), 2), range(1))
    assert hit.cells(["eng", "fra"]) == ["a cat", ""]
    (hit,) = hit_details(store, found(store, "un chat", "fra"), Wanted(("fra",), 2), range(1))
    assert hit.cells(["eng", "fra"]) == ["", "(2) chat, oui"]


def test_lines_are_split_at_their_matches(store: Store) -> None:
    details = list(hit_details(store, lines(store), Wanted(spans=True), range(1, 3)))
    assert [tuple(each.texts.values()) for each in details] == [("", "cat", ", cat"), ("cat, ", "cat", "")]
    assert [each.spans for each in details] == [None, None]


@pytest.mark.parametrize("page", [1, 2, 1000])
@pytest.mark.parametrize("limit", range(6))
def test_the_first_of_several_searches(store: Store, limit: int, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAGE", page)
    searches = [found(store), found(store, "dog"), found(store, "chien", "fra")]
    texts = ["a cat", "cat, cat", "a dog", "un chien"]
    details = first_details(store, searches, Wanted(("fra",)), limit)
    assert [each.texts["text"] for each in details] == (texts[:limit] if limit else texts)
