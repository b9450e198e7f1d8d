"""Concordances: every match once, in the order that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.jobs import Progress, finished
from corpusdb.corpus.store import Store
from corpusdb.search.patterns import Pattern
from corpusdb.search.queries.arrangement import Arrangement, GroupBy, Sorting
from corpusdb.search.queries.concordance import Concordance, Group, arrange_lines
from corpusdb.search.queries.search import Search, Searcher

TEXTS = ["b cat a", "A cat b cat", "the cat.", "dog", "c cat a", "b Cat d"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("concordance")
    with new_store(folder) as store:
        import_rows(store, [(text, f"t{place % 2}") for place, text in enumerate(TEXTS)])
        import_rows(store, [("b cat a", "u"), ("b cat a", "t1")])
        import_rows(store, [("猫が寝る", "x"), ("黒い猫", "y")], ("jpn", "eng"))
        yield store


def concordance(store: Store, arrangement: Arrangement | None = None, pattern: str = "cat") -> Concordance:
    return finished(arrange_lines(Searcher(store).find(Search("eng", Pattern(pattern))), arrangement))


def shown(found: Concordance) -> list[str]:
    return [f"{line.left}[{line.match}]{line.right}" for line in found.lines()]


@pytest.mark.parametrize(
    ("sorting", "expected"),
    [
        ("corpus", ["b [cat] a", "A [cat] b cat", "A cat b [cat]", "the [cat].", "c [cat] a"]),
        ("left", ["A [cat] b cat", "b [cat] a", "A cat b [cat]", "c [cat] a", "the [cat]."]),
        ("right", ["A cat b [cat]", "the [cat].", "b [cat] a", "c [cat] a", "A [cat] b cat"]),
    ],
)
def test_order(store: Store, sorting: Sorting, expected: list[str]) -> None:
    assert shown(concordance(store, Arrangement(sorting))) == expected


def test_a_page_is_a_part_of_the_whole(store: Store) -> None:
    found = concordance(store, Arrangement("right"))
    assert found.lines(1, 2) == found.lines()[1:3]
    assert len(found) == found.total == 5


@given(st.integers(0, 2**32), st.integers(1, 7))
def test_a_sample_is_a_part_and_the_same_for_the_same_seed(store: Store, seed: int, size: int) -> None:
    whole = shown(concordance(store))
    sample = concordance(store, Arrangement(sample=size, seed=seed))
    assert len(sample) == min(size, 5)
    assert sample.total == 5
    assert [line for line in whole if line in shown(sample)] == shown(sample)
    assert shown(concordance(store, Arrangement(sample=size, seed=seed))) == shown(sample)
    mixed = shown(concordance(store, Arrangement("random", seed=seed)))
    assert sorted(mixed) == sorted(whole)
    assert mixed == shown(concordance(store, Arrangement("random", seed=seed)))


def test_every_line_is_chosen_by_some_seed(store: Store) -> None:
    chosen = {shown(concordance(store, Arrangement(sample=1, seed=seed)))[0] for seed in range(60)}
    assert len(chosen) == 5


def test_groups(store: Store) -> None:
    found = concordance(store)
    assert found.groups("left", store) == [
        Group("b", 2, 0.4),
        Group("A", 1, 0.2),
        Group("c", 1, 0.2),
        Group("the", 1, 0.2),
    ]
    assert found.groups("right", store)[0] == Group("a", 2, 0.4)
    assert found.groups("match", store) == [Group("cat", 5, 1.0)]
    assert found.groups("collection", store) == [Group("rows", 5, 1.0)]
    documents = {group.key: group.count for group in found.groups("document", store)}
    assert documents == {"rows/corpus-0.tsv": 5, "rows/corpus-1.tsv": 1}


def test_translations_are_grouped_by_language(store: Store) -> None:
    """One of the five lines has three translations into French, the others one; none has one into Japanese."""
    found = concordance(store)
    french = [Group("t0", 3, 3 / 7, "fra"), Group("t1", 3, 3 / 7, "fra"), Group("u", 1, 1 / 7, "fra")]
    japanese = [Group("(no translation)", 5, 1.0, "jpn")]
    assert found.groups("translation", store) == french + japanese
    assert found.groups("translation", store, ["fra"]) == french
    assert found.groups("translation", store, ["jpn", "fra"]) == japanese + french


def test_shares_of_each_language_add_up(store: Store) -> None:
    for by in ("match", "left", "translation"):
        shares: dict[str, float] = {}
        for group in concordance(store, pattern="at").groups(by, store):
            shares[group.language] = shares.get(group.language, 0) + group.share
        assert shares
        assert list(shares.values()) == pytest.approx([1.0] * len(shares))


def test_characters_are_the_neighbours_where_nothing_delimits_words(store: Store) -> None:
    hits = Searcher(store).find(Search("jpn", Pattern("猫")))
    found = finished(arrange_lines(hits))
    assert found.groups("right", store) == [Group("-", 1, 0.5), Group("が", 1, 0.5)]
    assert found.groups("left", store) == [Group("-", 1, 0.5), Group("い", 1, 0.5)]


def test_neighbours_are_tokens_and_not_what_stands_between_blanks(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, [(text, "t") for text in ("make it.", "make it up", "make it?", "make; it", '"it, make"')])
        found = concordance(store, pattern="make")
        assert {group.key: group.count for group in found.groups("right", store)} == {"it": 3, ";": 1, '"': 1}
        assert {group.key: group.count for group in found.groups("left", store)} == {"-": 4, ",": 1}
        opened = finished(found.of_group("right", "it", store))
        assert shown(opened) == ["[make] it.", "[make] it up", "[make] it?"]
        ordered = shown(concordance(store, Arrangement("right"), "make"))
        assert ordered == ['"it, [make]"', "[make]; it", "[make] it.", "[make] it?", "[make] it up"]


def test_no_line_is_lost(store: Store) -> None:
    expected = sum(len(re.findall("[ab]", text)) for text in TEXTS)
    hits = Searcher(store).find(Search("eng", Pattern("[ab]", "regex")))
    assert len(finished(arrange_lines(hits, Arrangement("left")))) == expected


@pytest.mark.parametrize("sorting", ["corpus", "left", "right", "match", "random"])
@pytest.mark.parametrize("step", [1, 2, 100])
def test_in_small_steps_it_is_the_same(
    store: Store, sorting: Sorting, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrangement = Arrangement(sorting, seed=3)
    whole = concordance(store, arrangement)
    monkeypatch.setattr("corpusdb.search.queries.concordance._STEP", step)
    monkeypatch.setattr("corpusdb.search.queries.concordance._MATCHED", step)
    monkeypatch.setattr("corpusdb.search.queries.concordance._RUN", 2 * step)
    steps = list[Progress]()
    stepwise = finished(arrange_lines(whole.hits, arrangement), steps.append)
    assert shown(stepwise) == shown(whole)
    assert stepwise.total == whole.total
    assert len(steps) >= len(whole.hits) // step
    assert stepwise.groups("left", store) == whole.groups("left", store)


@pytest.mark.parametrize("by", ["match", "left", "right", "collection", "document", "translation"])
def test_the_lines_of_each_group(store: Store, by: GroupBy) -> None:
    found = concordance(store, Arrangement("left"))
    for group in found.groups(by, store):
        lines = shown(finished(found.of_group(by, group.name, store)))
        assert len(lines) == group.count
        assert [line for line in shown(found) if line in lines] == lines
