"""The queue of a session: against a list of texts, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from corpora import new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NO_FILTER, filter_at
from corpusdb.people.queries.sessions import (
    SeedState,
    SessionSeed,
    add_seed,
    create_session,
    go_to_seed,
    mark_seed,
    seed_state,
    seeds_of_session,
    session_standing,
    sessions,
    set_filter,
    unused_name,
)

TEXTS = ["a.", "b.", "c.", "d.", "e."]
_numbers = count(1)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with new_store(tmp_path_factory.mktemp("sessions")) as opened:
        yield opened


STEPS = st.one_of(
    st.tuples(st.just("go"), st.integers(0, 6)),
    st.tuples(st.just("add"), st.sampled_from([*TEXTS, "é"])),
    st.tuples(st.just("done"), st.sampled_from(TEXTS)),
    st.tuples(st.just("order"), st.integers(0, 40)),
)


@given(st.lists(st.sampled_from(TEXTS[:3]), min_size=1), st.lists(STEPS, max_size=15))
def test_any_steps_are_those_on_a_list(store: Store, seeds: list[str], steps: list[tuple[str, int | str]]) -> None:
    name = f"session {next(_numbers)}"
    texts = list(dict.fromkeys(seeds))
    create_session(store, name, "eng", seeds)
    states: dict[str, SeedState] = {texts[0]: "seen"}
    place, order, least = 1, 20, None
    for step in steps:
        match step:
            case "go", int(wanted):
                if 1 <= wanted <= len(texts):
                    go_to_seed(store, name, wanted)
                    place = wanted
                else:
                    with pytest.raises(InputError, match=f"has no seed {wanted}; its seeds are 1 to {len(texts)}"):
                        go_to_seed(store, name, wanted)
            case "add", str(text):
                if text not in texts:
                    texts.insert(place, text)
                place = texts.index(text) + 1
                add_seed(store, name, f" {text}\n")
            case "done", str(text):
                if text in texts:
                    mark_seed(store, name, text, "done")
                    states[text] = "done"
                else:
                    with pytest.raises(InputError, match="is no seed of"):
                        mark_seed(store, name, text, "done")
            case "order", int(order):
                least = order / 100
                set_filter(store, name, filter_at(order, min_validity=least))
        states.setdefault(texts[place - 1], "seen")
    found = seeds_of_session(store, name)
    assert found == [SessionSeed(at, text, states.get(text, "waiting"), 0, 0) for at, text in enumerate(texts, 1)]
    at = session_standing(store, name)
    assert (at.position, at.seed, at.seeds, at.order) == (place, texts[place - 1], len(texts), order)
    assert at.kept == (DEFAULT_FILTER if least is None else filter_at(order, min_validity=least))
    assert (at.seen, at.done) == (len(states), list(states.values()).count("done"))
    assert seed_state(store, name, at.seed) == states[at.seed]


def test_the_session_used_last_comes_first(empty: Store) -> None:
    for name in ("one", "two", "three"):
        create_session(empty, name, "eng", TEXTS)
    assert [each.name for each in sessions(empty)] == ["three", "two", "one"]  # in one second, the newest
    with empty.write() as connection:
        connection.execute("update session set last_used = '2000-01-01T00:00:00+00:00'")
    go_to_seed(empty, "one", 3)
    assert [each.name for each in sessions(empty)] == ["one", "three", "two"]
    assert unused_name(empty, "one") == "one-1"
    create_session(empty, "one-1", "eng", TEXTS)
    assert unused_name(empty, "one") == "one-2"


def test_the_run_says_where_the_seeds_come_from(empty: Store) -> None:
    create_session(empty, "s", "eng", TEXTS, filter_at(7), {"file": "seeds.txt"})
    row = empty.connection.execute(
        "select operation, parameters, counts from run join session on session.run = run.id where finished is not null"
    )
    assert row.fetchall() == [
        ("session", '{"file": "seeds.txt", "language": "eng", "name": "s", "order": 7}', '{"seeds": 5}')
    ]


@pytest.mark.parametrize(
    ("name", "seeds", "error", "message"),
    [
        ("taken", TEXTS, UsageError, "there is a session 'taken' already"),
        (" ", TEXTS, UsageError, "is no name for a session"),
        ("a\nb", TEXTS, UsageError, "is no name for a session"),
        ("new", [" ", ""], InputError, "a session needs seeds"),
    ],
)
def test_what_is_no_session(empty: Store, name: str, seeds: list[str], error: type[CorpusError], message: str) -> None:
    create_session(empty, "taken", "eng", TEXTS)
    with pytest.raises(error, match=message):
        create_session(empty, name, "eng", seeds)
    assert [each.name for each in sessions(empty)] == ["taken"]


def test_a_session_that_is_not_there(empty: Store) -> None:
    with pytest.raises(InputError, match="there is no session 'no'; there are: none yet"):
        session_standing(empty, "no")
    create_session(empty, "yes", "eng", TEXTS)
    with pytest.raises(InputError, match="there is no session 'no'; there are: yes"):
        seeds_of_session(empty, "no")
    with pytest.raises(InputError, match="an empty sentence is no seed"):
        add_seed(empty, "yes", " ")


def test_the_filter_is_kept(empty: Store) -> None:
    lower = filter_at(12, min_validity=0.5)
    assert create_session(empty, "s", "eng", TEXTS, lower).kept == lower
    assert create_session(empty, "usual", "eng", TEXTS).kept == DEFAULT_FILTER
    for kept in (NO_FILTER, filter_at(15, min_validity=0), filter_at(15, min_validity=0.999), DEFAULT_FILTER):
        assert set_filter(empty, "s", kept).kept == session_standing(empty, "s").kept == kept
