"""Results under a name: what a query finds, and sets made of them, against Python's own sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path

import pytest
from corpora import import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import options_to_json
from corpusdb.corpus.queries.export import Selection, by_sentence, export_units
from corpusdb.corpus.queries.sentences import sentences_of
from corpusdb.corpus.store import Store
from corpusdb.search.queries.frequencies import Count, frequency_list
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.results import (
    OPERATIONS,
    NewSelection,
    Operation,
    combine_results,
    found_by,
    keep_found,
    keep_selection,
    part_of_corpus,
    remove_selection,
    stored_selections,
)
from corpusdb.search.queries.saved_queries import save_query
from corpusdb.search.queries.token_index import TokenSelection

TEXTS = [f"{a} {b}" for a in ("cat", "dog", "cat dog", "bird") for b in ("runs", "sleeps", "eats")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as store:
        import_rows(store, [(text, f"fr {text}") for text in TEXTS])
        import_rows(store, [("cat runs", "encore"), ("lion", "lion")])
        yield store


def searched(pattern: str, lang: str = "eng") -> SearchRequest:
    return SearchRequest(pattern, lang=lang)


def numbers(store: Store, pattern: str) -> set[int]:
    sql = "select id from sentence where language = 'eng' and instr(text, ?)"
    return {row[0] for row in store.connection.execute(sql, (pattern,))}


def kept(store: Store, name: str) -> set[int]:
    return {*sentences_of(store, name).tolist()}


def test_all_that_is_found_is_kept(store: Store) -> None:
    count = keep_found(store, "A", SearchRequest("cat", lang="eng", limit=1), "in words")
    assert count == len(numbers(store, "cat")) == 6
    assert kept(store, "A") == numbers(store, "cat")
    (one,) = stored_selections(store)
    assert (one.name, one.language, one.sentences) == ("A", "eng", 6)
    assert one.parameters == {"method": "query", "query": "in words"}


def test_nothing_found_is_not_kept(store: Store) -> None:
    assert keep_found(store, "A", searched("wolf"), "") == 0
    assert stored_selections(store) == []


def test_a_name_is_that_of_one_set(store: Store) -> None:
    keep_found(store, "A", searched("cat"), "")
    with pytest.raises(InputError, match="there is a result 'A' already"):
        keep_found(store, "A", searched("dog"), "")
    with pytest.raises(InputError, match="there is a collection 'rows'"):
        keep_found(store, "rows", searched("dog"), "")
    with pytest.raises(InputError, match="there is a result 'A' already"):
        combine_results(store, "A", "union", ["A", "A"])


def test_a_result_takes_the_place_of_another(store: Store) -> None:
    keep_found(store, "A", searched("cat"), "cats")
    keep_found(store, "A", searched("dog"), "dogs", replace=True)
    assert [each.parameters["query"] for each in stored_selections(store)] == ["dogs"]
    keep_found(store, "B", searched("cat"), "")
    assert combine_results(store, "A", "union", ["A", "B"], replace=True) == 9
    assert keep_found(store, "A", searched("wolf"), "", replace=True) == 0
    assert {each.name: each.sentences for each in stored_selections(store)} == {"A": 9, "B": 6}
    with pytest.raises(InputError, match="there is a collection 'rows'"):
        keep_found(store, "rows", searched("dog"), "", replace=True)
    keep_selection(store, NewSelection("drawn", "eng", {"method": "random"}, [], 1), [(1, 0.0)])
    with pytest.raises(InputError, match="there is a selection 'drawn'"):
        keep_found(store, "drawn", searched("dog"), "", replace=True)


_COMBINED: dict[Operation, Callable[[set[int], set[int]], set[int]]] = {
    "union": lambda one, other: one | other,
    "intersection": lambda one, other: one & other,
    "difference": lambda one, other: one - other,
}


@given(st.sampled_from(OPERATIONS), st.lists(st.sampled_from(["A", "B", "C", "saved"]), min_size=2, max_size=4))
def test_sets_of_sets(tmp_path_factory: pytest.TempPathFactory, operation: Operation, names: list[str]) -> None:
    with new_store(tmp_path_factory.mktemp("sets")) as store:
        import_rows(store, [(text, f"fr {text}") for text in TEXTS])
        patterns = {"A": "cat", "B": "dog", "C": "runs", "saved": "sleeps"}
        for name in ("A", "B", "C"):
            keep_found(store, name, searched(patterns[name]), "")
        save_query(store, "saved", "search", options_to_json(searched("sleeps")))
        expected = reduce(_COMBINED[operation], [numbers(store, patterns[name]) for name in names])
        assert combine_results(store, "all", operation, names) == len(expected)
        if expected:
            assert kept(store, "all") == expected
        else:
            assert "all" not in [each.name for each in stored_selections(store)]


def test_of_a_collection_the_sentences_of_the_language_count(store: Store) -> None:
    keep_found(store, "A", searched("runs"), "")
    assert combine_results(store, "I", "intersection", ["A", "rows"]) == 4
    assert combine_results(store, "U", "union", ["A", "rows"]) == len(TEXTS) + 1
    assert kept(store, "U") == numbers(store, "")


@pytest.mark.parametrize(
    ("names", "error", "reason"),
    [
        (["A"], UsageError, "two sets or more"),
        (["A", "none"], InputError, "'none' is no result, no collection and no saved search; there are A, F, rows"),
        (["A", "F"], UsageError, "a result is of one language; these are in eng, fra"),
        (["rows", "rows"], UsageError, "collections alone do not say which"),
    ],
)
def test_what_is_no_set(store: Store, names: list[str], error: type[Exception], reason: str) -> None:
    keep_found(store, "A", searched("cat"), "")
    keep_found(store, "F", searched("cat", "fra"), "")
    with pytest.raises(error, match=reason):
        combine_results(store, "X", "union", names)
    assert [each.name for each in stored_selections(store)] == ["A", "F"]


def test_a_query_in_several_languages_is_no_result(store: Store) -> None:
    assert {*found_by(store, searched("cat", "all"))} == {"eng", "fra"}
    with pytest.raises(UsageError, match="finds sentences in eng, fra: give --lang"):
        keep_found(store, "A", searched("cat", "all"), "")
    assert keep_found(store, "lions", searched("encore", "all"), "") == 1


def test_a_result_is_a_subcorpus(store: Store) -> None:
    keep_found(store, "A", searched("cat"), "")
    counted = frequency_list(store, Count(TokenSelection("eng", collection="A")))
    assert {row.text: row.count for row in counted.rows} == {"cat": 6, "dog": 3, "runs": 2, "sleeps": 2, "eats": 2}
    remove_selection(store, "A")
    with pytest.raises(InputError, match="no collection 'A'"):
        sentences_of(store, "A")


def exported(
    store: Store, part: frozenset[int] | None, languages: tuple[str, ...] = ()
) -> list[tuple[str | None, ...]]:
    return [unit.texts for unit in export_units(store, Selection(languages=languages, sentences=part))]


def test_the_units_of_a_result_are_exported(store: Store) -> None:
    keep_found(store, "A", searched("cat runs"), "")
    part = part_of_corpus(store, ["A"])
    assert part.collections == ()
    assert exported(store, part.sentences) == [("cat runs", "fr cat runs"), ("cat runs", "encore")]
    assert exported(store, part.sentences, languages=("fra", "eng"))[1] == ("encore", "cat runs")
    assert exported(store, None) != exported(store, part.sentences)
    units = list(by_sentence(store, "eng", sentences=part.sentences))
    assert [unit.texts for unit in units] == [("cat runs", "encore", "fr cat runs")]


def test_results_and_a_query_narrow_what_is_exported(store: Store) -> None:
    keep_found(store, "A", searched("cat"), "")
    keep_found(store, "B", searched("bird"), "")
    whole = part_of_corpus(store, ["rows"])
    assert (whole.collections, whole.sentences) == (("rows",), None)
    assert part_of_corpus(store, ["A", "B"]).sentences == frozenset(numbers(store, "cat") | numbers(store, "bird"))
    narrowed = part_of_corpus(store, ["A", "B", "rows"], searched("runs"))
    assert narrowed.collections == ("rows",)
    assert narrowed.sentences == frozenset((numbers(store, "cat") | numbers(store, "bird")) & numbers(store, "runs"))
    with pytest.raises(InputError, match="the query finds nothing"):
        part_of_corpus(store, [], searched("wolf"))
    with pytest.raises(InputError, match="there is no collection 'none'"):
        part_of_corpus(store, ["none"])
