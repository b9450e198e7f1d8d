"""An open seed without a screen: the filter, hiding, going on, and decisions on their way to the file."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from corpusdb.corpus.store import open_store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NO_FILTER, NSequenceFilter
from corpusdb.people.queries.views import SeedReader, SeedView
from tui.kit.rewriting_lines import moved_validity
from tui.people.open_seed import Decided, OpenSeed


@pytest.fixture
def views(begun: Path) -> list[SeedView]:
    """The three seeds of the session."""
    with open_store(begun) as store:
        reader = SeedReader(store, lambda: nullcontext(store))
        return [reader.read("s", position) for position in (1, 2, 3)]


def test_one_goes_from_the_seed_that_was_asked_for_last(views: list[SeedView]) -> None:
    seed = OpenSeed("s")
    assert seed.neighbour(1) is None, "nothing is open yet"
    assert seed.update(views[0]), "another seed"
    assert not seed.update(views[0]), "the same one"
    assert (seed.neighbour(1), seed.neighbour(-1)) == (2, None)
    seed.goal = 2
    assert (seed.neighbour(1), seed.neighbour(-1)) == (3, 1)
    seed.goal = 3
    assert seed.neighbour(1) is None


def test_what_fails_the_filter_is_hidden(views: list[SeedView]) -> None:
    seed = OpenSeed("s")
    assert (seed.shown(), seed.filter) == ([], "")
    seed.update(views[1])
    everything = len(views[1].paraphrases)
    assert (seed.order, len(seed.shown())) == (views[1].standing.order, everything)
    seed.hides = True
    assert len(seed.shown()) == views[1].passing(seed.kept) < everything
    assert seed.filter_and_hidden == f"{seed.filter}, others hidden"
    seed.order = 0
    assert len(seed.shown()) == everything
    assert seed.filter_and_hidden == seed.filter == f"N = 0: {everything} of {everything} pass"
    seed.update(views[2])
    assert seed.order == 0, "the filter stays where it was put"


def test_the_least_validity_is_the_usual_one_until_it_is_moved(views: list[SeedView]) -> None:
    seed = OpenSeed("s")
    seed.update(views[1])
    assert seed.kept == DEFAULT_FILTER
    assert seed.filter.startswith("N = 20, V = 0.95: ")
    seed.order = 0
    assert seed.kept == NO_FILTER
    seed.min_validity = 0.5
    assert seed.kept == NSequenceFilter(0, min_validity=0.5, final_marks=False)
    assert seed.filter.startswith("N = 0, V = 0.5: ")
    seed.min_validity = 0.0
    seed.order = 20
    assert (seed.kept, seed.filter[:8]) == (NSequenceFilter(20, final_marks=False), "N = 20: ")
    seed.update(views[2])
    assert seed.kept == NSequenceFilter(20, final_marks=False), "the filter stays where it was put"


@pytest.mark.parametrize(
    ("at", "by", "moved"),
    [
        (0.95, 1, 0.98),
        (0.95, -1, 0.9),
        (0.93, 1, 0.95),
        (0.93, -1, 0.9),
        (0.0, -1, 0.0),
        (0.999, 1, 0.999),
        (1, -1, 0.999),
    ],
)
def test_the_least_validity_moves_in_steps(at: float, by: int, moved: float) -> None:
    assert moved_validity(at, by) == moved


def test_decisions_are_marked_until_the_last_is_stored(views: list[SeedView]) -> None:
    seed = OpenSeed("s")
    seed.update(views[0])
    first, second = Decided(views[0].seed, ["a", "b"], "accept"), Decided(views[0].seed, ["b"], "reject")
    elsewhere = Decided(views[1].seed, ["c"], "accept")
    for decided in (first, second, elsewhere):
        seed.decide(decided)
    assert seed.unstored == {"a": "accept", "b": "reject"}
    seed.settle(first)
    assert seed.unstored == {"b": "reject"}
    seed.settle(second)
    assert seed.unstored == {}
    seed.update(views[1])
    assert seed.unstored == {"c": "accept"}
