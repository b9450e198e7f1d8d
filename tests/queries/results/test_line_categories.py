"""Categories of lines: against a dictionary for each step, over other searches, and what cannot be one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from corpora import import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, StoreError, UsageError
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.store import Store
from corpusdb.search.queries.concordance import LinePlace, Wanted
from corpusdb.search.queries.line_categories import (
    CategorySet,
    FoundLines,
    categories_of,
    categorised_lines,
    category_counts,
    category_sets,
    counts_among,
    found_places,
    set_category,
    undo_categories,
)
from corpusdb.search.queries.request import SearchRequest

TEXTS = ["run and run", "she runs 😀 a run", "a cat runs"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as store:
        import_rows(store, [(text, f"fr {text}") for text in TEXTS])
        yield store


def lines(store: Store, pattern: str = "run") -> list[LinePlace]:
    return found_places(store, SearchRequest(pattern, lang="eng", limit=1))


def test_every_match_is_a_line(store: Store) -> None:
    texts = dict(store.connection.execute("select id, text from sentence where language = 'eng'"))
    assert sorted(texts.values()) == sorted(TEXTS)
    expected = [
        (number, start, start + 3)
        for number, text in sorted(texts.items())
        for start in range(len(text))
        if text.startswith("run", start)
    ]
    assert lines(store) == expected


_PLACES = [(0, 0, 3), (0, 8, 11), (1, 4, 7), (2, 6, 9)]
_STEPS = st.lists(
    st.one_of(
        st.none(),
        st.tuples(st.sampled_from("AB"), st.sets(st.sampled_from(_PLACES)), st.sampled_from(["x", "y", "z", None])),
    ),
    max_size=12,
)


@given(_STEPS)
def test_steps_and_their_undoing_are_those_of_dictionaries(steps: list[tuple[str, set[LinePlace], str | None]]) -> None:
    """A step is what changed something; None undoes the last one of A, also after others were undone."""
    with TemporaryDirectory() as folder, new_store(Path(folder)) as store:
        import_rows(store, [(text, f"fr {text}") for text in TEXTS])
        states: dict[str, list[dict[LinePlace, str]]] = {"A": [{}], "B": [{}]}
        numbers = [row[0] for row in store.connection.execute("select id from sentence where language = 'eng'")]
        for step in steps:
            if step is None:
                undone = len(states["A"]) > 1
                before = states["A"].pop() if undone else states["A"][-1]
                changed = sum(before.get(place) != states["A"][-1].get(place) for place in {*before, *states["A"][-1]})
                assert len(undo_categories(store, "A")) == changed
                continue
            name, chosen, category = step
            places = [LinePlace(numbers[sentence], *span) for sentence, *span in chosen]
            after = {place: each for place, each in states[name][-1].items() if place not in places}
            after |= {place: category for place in places if category is not None}
            changed = sum(states[name][-1].get(place) != after.get(place) for place in places)
            assert set_category(store, name, places, category) == changed
            if changed:
                states[name].append(after)
        for name, (*_, now) in states.items():
            assert categories_of(store, name) == now
            counts = category_counts(store, name)
            assert {each.category: each.lines for each in counts} == Counter(now.values())
        assert category_sets(store) == [
            CategorySet(name, len({*now.values()}), len(now)) for name, (*_, now) in states.items() if now
        ]
        assert check(store, full=True).problems == ()


def test_another_search_finds_the_categories(store: Store) -> None:
    first, second, *_ = lines(store)
    set_category(store, "senses", [first], "x")
    set_category(store, "other", [second], "y")
    assert categories_of(store, "senses") == {first: "x"}
    again = found_places(store, SearchRequest("run and|cat", lang="eng", regex=True))
    assert first not in again  # the match is another one, of which nobody said anything
    assert first in found_places(store, SearchRequest('"run"', lang="eng", cqp=True))


def test_ratios_with_their_interval_in_the_order_of_the_first(store: Store) -> None:
    found = lines(store)
    set_category(store, "senses", found[:3], "z")
    set_category(store, "senses", found[3:4], "a")
    z, a = category_counts(store, "senses")
    assert (z.category, z.lines, z.share, a.category, a.lines, a.share) == ("z", 3, 0.75, "a", 1, 0.25)
    assert z.interval is None
    z, a, none = counts_among(store, "senses", FoundLines(found[:4], are_drawn=True))
    assert (z.category, z.lines, z.share, none.category, none.lines) == ("z", 3, 0.75, "", 0)
    assert z.interval is not None
    # Wilson (1927), with 1.959964 for 95 %, for 3 of 4
    q, n, p = 1.959964, 4, 0.75
    centre, half = (
        (p + q * q / (2 * n)) / (1 + q * q / n),
        q / (1 + q * q / n) * sqrt(p * (1 - p) / n + q * q / (4 * n * n)),
    )
    assert (z.interval.low, z.interval.high) == pytest.approx((centre - half, centre + half), abs=1e-6)
    *_, none = counts_among(store, "senses", FoundLines(found, are_drawn=False))
    assert (none.lines, none.interval) == (len(found) - 4, None)
    assert counts_among(store, "others", FoundLines(found, are_drawn=False)) == []


def test_the_lines_with_their_categories(store: Store) -> None:
    found = lines(store)
    set_category(store, "senses", [found[-1], found[2]], "x")
    shown = list(categorised_lines(store, "senses", Wanted(("fra",), places=True)))
    assert [each.texts["category"] for each in shown] == ["x", "x"]
    assert [(each.texts["left"], each.texts["match"], each.texts["right"]) for each in shown] == [
        ("she ", "run", "s 😀 a run"),
        ("a cat ", "run", "s"),
    ]
    assert [each.translations[0].text for each in shown] == ["fr she runs 😀 a run", "fr a cat runs"]
    assert all(each.places for each in shown)
    with pytest.raises(InputError, match="no set of categories 'sense'; did you mean 'senses'"):
        list(categorised_lines(store, "sense", Wanted()))
    undo_categories(store, "senses")
    with pytest.raises(InputError, match="in the set 'senses' any more"):
        list(categorised_lines(store, "senses", Wanted()))


@pytest.mark.parametrize("name", ["", " ", "a\x1bb", "-a", " a"])
def test_what_is_no_name(store: Store, name: str) -> None:
    for set_name, category in ((name, "x"), ("senses", name)):
        with pytest.raises(UsageError):
            set_category(store, set_name, lines(store), category)
    with pytest.raises(UsageError, match="no digit"):
        set_category(store, "senses", lines(store), "1st")
    assert category_sets(store) == []


def test_nobody_deletes_or_changes_a_category(store: Store) -> None:
    set_category(store, "senses", lines(store), "x")
    for statement in ("delete from line_category", "update line_category set category = 'y'"):
        with pytest.raises(StoreError, match="never"), store.write() as connection:
            connection.execute(statement)
