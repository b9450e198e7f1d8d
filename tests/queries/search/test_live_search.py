"""Searching while somebody types: what is remembered of the conditions never shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from corpora import import_rows, new_store

from corpusdb.corpus.store import Store, open_store
from corpusdb.search.patterns import Pattern
from corpusdb.search.queries.conditions import Aligned, Length, Translated
from corpusdb.search.queries.search import Search, Searcher

TEXTS = [("a cat", "x"), ("a dog", "y"), ("the cat sleeps", "x"), ("cats", "z")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as store:
        import_rows(store, TEXTS)
        yield store


CONDITIONS = [
    Search("eng"),
    Search("eng", None, (Length(2),)),
    Search("eng", None, (Length(0, 1),)),
    Search("eng", None, (Aligned("fra", Pattern("x")),)),
    Search("eng", None, (Translated("fra", negated=True),)),
    Search("eng", None, (Length(2), Translated("fra"))),
]


def test_it_finds_what_a_searcher_finds(store: Store) -> None:
    live = Searcher(store)
    for conditions in [*CONDITIONS, *CONDITIONS]:
        for text in ("c", "ca", "cat", "cats", ""):
            search = replace(conditions, pattern=Pattern(text) if text else None)
            found, expected = live.find_while_typing(search), Searcher(store).find(search)
            assert found.sentences.tolist() == expected.sentences.tolist()
            for place in range(len(expected)):
                assert (found.text(place), found.spans(place)) == (expected.text(place), expected.spans(place))


def test_it_sees_what_others_have_added(store: Store) -> None:
    with open_store(store.path, read_only=True) as reader:
        live = Searcher(reader)
        search = Search("eng", Pattern("cat"), (Length(2),))
        assert len(live.find_while_typing(search)) == 2
        import_rows(store, [("one more cat", "x")])
        assert len(live.find_while_typing(search)) == 3
