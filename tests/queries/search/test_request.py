"""The words of a search: what they mean, and that they come back as they were kept."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.cli.search.search import SearchOptions
from corpusdb.errors import CorpusError, UsageError
from corpusdb.queries.search.request import SearchRequest, length_bounds, search_options, search_words
from corpusdb.queries.search.search import Aligned, Search
from corpusdb.textsearch.folding import Folding
from corpusdb.textsearch.patterns import Pattern


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


def test_the_command_and_the_words_have_the_same_options() -> None:
    told = {each.name: each.default for each in fields(SearchOptions)}
    assert {each.name: each.default for each in fields(SearchRequest)} == told | {"pattern": ""}


@pytest.mark.parametrize(
    ("words", "search"),
    [
        (SearchRequest(), Search("eng")),
        (SearchRequest("a", word=True, ignore_case=True), Search("eng", Pattern("a", "word", Folding(case=True)))),
        (
            SearchRequest("a", aligned=("fr:b",), not_aligned=("jpn:c:d",), regex=True),
            Search(
                "eng",
                Pattern("a", "regex"),
                (Aligned("fra", Pattern("b", "regex")), Aligned("jpn", Pattern("c:d", "regex"), negated=True)),
            ),
        ),
        (
            SearchRequest(translated="fr, ja", untranslated="deu", length="2-", paraphrased=False, collection="c"),
            Search("eng", None, (), ("fra", "jpn"), ("deu",), "c", None, 2, None, False),
        ),
    ],
)
def test_the_search_that_they_mean(words: SearchRequest, search: Search) -> None:
    assert words.search("eng") == search


@pytest.mark.parametrize(
    "words",
    [
        SearchRequest("a", word=True, cqp=True),
        SearchRequest('"a"', cqp=True, ignore_case=True),
        SearchRequest(aligned=("chat",)),
        SearchRequest(translated="xx!"),
        SearchRequest(length="x"),
    ],
)
def test_words_that_make_no_sense(words: SearchRequest) -> None:
    with pytest.raises(CorpusError):
        words.search("eng")


TEXT = st.text(max_size=5)


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
    assert search_words(json.loads(json.dumps(search_options(words)))) == words


@pytest.mark.parametrize(
    "options",
    [{"colour": "red"}, {"pattern": 1}, {"sort": "up"}, {"distance": True}, {"aligned": [1]}, {"sample": "3"}],
)
def test_words_of_another_version(options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="another version"):
        search_words(options)
