from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from corpusdb.base.errors import DatabaseReadOnly, InputError, UsageError
from corpusdb.corpus.store import Store, open_store
from corpusdb.search.queries.saved_queries import SavedQuery, delete_query, save_query, saved_queries, saved_query

OPTIONS = {"text": "水を飲む。", "limit": 20, "lang": None, "seeds": ["a", "b"]}


def test_a_query_is_found_as_it_was_saved(empty: Store) -> None:
    save_query(empty, "water", "paraphrases", OPTIONS, note="for the course")
    found = saved_query(empty, "water")
    assert found == SavedQuery("water", "paraphrases", OPTIONS, "for the course", found.saved)
    assert datetime.fromisoformat(found.saved).tzinfo == UTC


def test_queries_are_listed_by_name(empty: Store) -> None:
    for name in ("b", "a", "水"):
        save_query(empty, name, "sql", {"statement": name})
    assert [query.name for query in saved_queries(empty)] == ["a", "b", "水"]


def test_the_same_query_may_be_saved_again_and_another_not(empty: Store) -> None:
    save_query(empty, "water", "paraphrases", OPTIONS)
    before = saved_queries(empty)
    save_query(empty, "water", "paraphrases", dict(reversed(OPTIONS.items())))
    for command, options in (("paraphrases", OPTIONS | {"limit": 21}), ("sql", OPTIONS)):
        with pytest.raises(UsageError, match="another query is saved as 'water'"):
            save_query(empty, "water", command, options)
    assert saved_queries(empty) == before
    save_query(empty, "water", "sql", {"statement": "select 1"}, replace=True)
    assert [(query.command, query.options) for query in saved_queries(empty)] == [("sql", {"statement": "select 1"})]


@pytest.mark.parametrize("name", ["", "7", "-", "-x", " a", "a ", "a\nb", "a\x1b"])
def test_names_that_could_be_something_else(name: str, empty: Store) -> None:
    with pytest.raises(UsageError, match=r"cannot be the name|is no name for a query"):
        save_query(empty, name, "sql", {})
    assert saved_queries(empty) == []


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("colours", "did you mean 'colour'"),
        ("colou", "did you mean 'colour' or 'colon'"),
        ("x", "`corpusdb queries` lists those there are"),
    ],
)
def test_a_name_that_is_not_there(name: str, advice: str, empty: Store) -> None:
    for known in ("colour", "colon", "verbs"):
        save_query(empty, known, "sql", {})
    for look in (saved_query, delete_query):
        with pytest.raises(InputError, match=advice):
            look(empty, name)
    assert len(saved_queries(empty)) == 3


def test_a_deleted_query_makes_room(empty: Store) -> None:
    save_query(empty, "a", "sql", {"statement": "select 1"})
    delete_query(empty, "a")
    save_query(empty, "a", "sql", {"statement": "select 2"})
    assert [query.options for query in saved_queries(empty)] == [{"statement": "select 2"}]


def test_options_are_plain_json_in_the_database(empty: Store) -> None:
    save_query(empty, "a", "sql", OPTIONS)
    (written,) = empty.connection.execute("select options from saved_query").fetchone()
    assert json.loads(written) == OPTIONS
    assert "水" in written


def test_nothing_is_saved_where_nothing_may_be_written(empty: Store) -> None:
    with open_store(empty.path, read_only=True) as reader, pytest.raises(DatabaseReadOnly):
        save_query(reader, "a", "sql", {})
