"""Search requests: what they mean, that they come back as they were kept, and while somebody types."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from corpora import CHARACTERS, import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import CorpusError, UsageError
from corpusdb.base.options import options_from_json, options_to_json
from corpusdb.corpus.store import Store, open_store
from corpusdb.search.patterns import Folding, Pattern
from corpusdb.search.queries.conditions import (
    HasTranslation,
    InDocuments,
    Length,
    Paraphrased,
    Search,
    TranslationCondition,
)
from corpusdb.search.queries.request import SearchRequest, length_bounds
from corpusdb.search.queries.search import Searcher


@pytest.mark.parametrize(
    ("given", "bounds"),
    [("", (0, None)), ("3-7", (3, 7)), ("3-", (3, None)), ("-7", (0, 7)), ("5", (5, 5))],
)
def test_lengths(given: str, bounds: tuple[int, int | None]) -> None:
    assert length_bounds(given) == bounds


@pytest.mark.parametrize("given", ["-", "a", "3-a", "3--4"])
def test_no_lengths(given: str) -> None:
    with pytest.raises(UsageError):
        length_bounds(given)


@pytest.mark.parametrize(
    ("words", "search"),
    [
        (SearchRequest(), Search("eng")),
        (SearchRequest("a", ignore_case=False), Search("eng", Pattern("a"))),
        (
            SearchRequest("a", word=True, ignore_case=True),
            Search("eng", Pattern("a", "word", Folding(case=True, alike=""))),
        ),
        (
            SearchRequest("l'a-b c", word=True),
            Search("eng", Pattern("l'a-b c", "word", Folding(case=True, alike=" '-"))),
        ),
        (
            SearchRequest("A", aligned=("fr:b",), not_aligned=("jpn:C:d",), regex=True),
            Search(
                "eng",
                Pattern("A", "regex", Folding(alike="")),
                (
                    TranslationCondition("fra", Pattern("b", "regex", Folding(case=True, alike=""))),
                    TranslationCondition("jpn", Pattern("C:d", "regex", Folding(alike="")), negated=True),
                ),
            ),
        ),
        (
            SearchRequest(translated="fr, ja", untranslated="deu", length="2-", paraphrased=False, collection="c"),
            Search(
                "eng",
                None,
                (
                    HasTranslation("fra"),
                    HasTranslation("jpn"),
                    HasTranslation("deu", negated=True),
                    Paraphrased(negated=True),
                    InDocuments("c"),
                    Length(2),
                ),
            ),
        ),
        (
            SearchRequest(collection="c", document="d"),
            Search("eng", None, (InDocuments("c", "d"),)),
        ),
    ],
)
def test_the_search_that_they_mean(words: SearchRequest, search: Search) -> None:
    assert words.search("eng") == search


@pytest.mark.parametrize(
    ("words", "folds"),
    [
        (SearchRequest("us"), True),
        (SearchRequest("US"), False),
        (SearchRequest("école"), True),
        (SearchRequest("École"), False),
        (SearchRequest("\u01c5"), False),  # a title case letter of its own
        (SearchRequest("us", ignore_case=False), False),
        (SearchRequest("US", ignore_case=True), True),
        (SearchRequest(r"\Wus\S+(?P<Name>x)(?P=Name)", regex=True), True),
        (SearchRequest(r"\\Us", regex=True), False),
        (SearchRequest(r"\WUs", regex=True), False),
        (SearchRequest(r"\W"), False),
        (SearchRequest('"us"', cqp=True), False),
        (SearchRequest("猫"), True),
    ],
)
def test_case_counts_where_the_pattern_has_a_capital(words: SearchRequest, folds: bool) -> None:
    assert words.folds_case is folds
    assert words.pattern_of(words.pattern).folding.case is folds


def test_a_query_kept_by_an_older_version_finds_what_it_found() -> None:
    """It says that case counts, where newer ones say nothing."""
    kept = options_to_json(SearchRequest("us", lang="")) | {"ignore_case": False}
    again = options_from_json(SearchRequest, kept)
    assert (again.folds_case, again.languages) == (False, ())


@pytest.mark.parametrize(
    "words",
    [
        SearchRequest("a", word=True, cqp=True),
        SearchRequest('"a"', cqp=True, ignore_case=True),
        SearchRequest(aligned=("chat",)),
        SearchRequest(translated="xx!"),
        SearchRequest(length="x"),
        SearchRequest('"a"', cqp=True, sort="target"),
        SearchRequest('"a"', cqp=True, sort="left,target"),
        SearchRequest("a", sort="left,category"),
        SearchRequest("a", sort="left,random"),
        SearchRequest("a", width="wide"),
        SearchRequest("@a", group="target"),
    ],
)
def test_words_that_make_no_sense(words: SearchRequest) -> None:
    with pytest.raises(CorpusError):
        words.search("eng")


TEXT = st.text(CHARACTERS, max_size=5)


@given(
    st.builds(
        SearchRequest,
        pattern=TEXT,
        aligned=st.lists(TEXT, max_size=2).map(tuple),
        paraphrased=st.none() | st.booleans(),
        collection=st.none() | TEXT,
        sort=st.sampled_from(["left", "random"]),
        group=st.sampled_from([None, "match"]),
        sample=st.none() | st.integers(1),
    )
)
def test_they_come_back_as_they_were_kept(words: SearchRequest) -> None:
    assert options_from_json(SearchRequest, json.loads(json.dumps(options_to_json(words)))) == words


@pytest.mark.parametrize(
    "options",
    [{"pattern": 1}, {"sort": 2}, {"distance": True}, {"aligned": [1]}, {"sample": "3"}],
)
def test_words_of_another_version(options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="another version"):
        options_from_json(SearchRequest, options_to_json(SearchRequest()) | options)


# Searching while somebody types: what is remembered of the conditions never shows.


TEXTS = [
    ("a cat", "x"),
    ("a dog", "y"),
    ("the cat sleeps", "x"),
    ("cats", "z"),
    ("ca\u00adt, a cat", "z"),
    ("\uff43at", "x"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as store:
        import_rows(store, TEXTS)
        yield store


CONDITIONS = [
    Search("eng"),
    Search("eng", None, (Length(2),)),
    Search("eng", None, (Length(0, 1),)),
    Search("eng", None, (TranslationCondition("fra", Pattern("x")),)),
    Search("eng", None, (HasTranslation("fra", negated=True),)),
    Search("eng", None, (Length(2), HasTranslation("fra"))),
]


def test_it_finds_what_a_searcher_finds(store: Store) -> None:
    live = Searcher(store)
    for conditions in [*CONDITIONS, *CONDITIONS]:
        for text in ("c", "ca", "cat", "cats", ""):
            search = replace(conditions, pattern=SearchRequest().pattern_of(text) if text else None)
            found, expected = live.find_while_typing(search), Searcher(store).find(search)
            assert (found.sentences.tolist(), found.notes) == (expected.sentences.tolist(), expected.notes)
            for place in range(len(expected)):
                assert (found.text(place), found.spans(place)) == (expected.text(place), expected.spans(place))


def test_it_sees_what_others_have_added(store: Store) -> None:
    with open_store(store.path, read_only=True) as reader:
        live = Searcher(reader)
        search = Search("eng", Pattern("cat"), (Length(2),))
        assert len(live.find_while_typing(search)) == 3
        import_rows(store, [("one more cat", "x")])
        assert len(live.find_while_typing(search)) == 4
