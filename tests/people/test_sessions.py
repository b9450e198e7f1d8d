"""Sessions: their queues and names, and where seeds come from."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from corpora import generated_store, import_rows, new_store, random_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.queries.names import names_beginning
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NO_FILTER, NSequenceFilter, filter_at
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.people.queries.decisions import decide, decisions
from corpusdb.people.queries.sessions import (
    SeedSource,
    SeedState,
    SessionSeed,
    add_seed,
    create_session,
    delete_session,
    deleted_sessions,
    distinct_seeds,
    go_to_seed,
    mark_seed,
    rename_session,
    restore_session,
    sample_seeds,
    seed_state,
    seeds_from,
    seeds_of_session,
    session_name,
    session_standing,
    sessions,
    set_filter,
    unused_name,
)

# The queue of a session: against a list of texts, and what is refused.


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
                    with pytest.raises(InputError, match="is not a seed of"):
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
        (" ", TEXTS, UsageError, "is not a name for a session"),
        ("a\nb", TEXTS, UsageError, "is not a name for a session"),
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
    with pytest.raises(InputError, match="an empty sentence is not a seed"):
        add_seed(empty, "yes", " ")


def test_the_filter_is_kept(empty: Store) -> None:
    lower = filter_at(12, min_validity=0.5)
    assert create_session(empty, "s", "eng", TEXTS, lower).kept == lower
    assert create_session(empty, "usual", "eng", TEXTS).kept == DEFAULT_FILTER
    for kept in (NO_FILTER, filter_at(15, min_validity=0), filter_at(15, min_validity=0.999), DEFAULT_FILTER):
        assert set_filter(empty, "s", kept).kept == session_standing(empty, "s").kept == kept


# Sessions that are renamed, deleted and brought back, with what was decided in them.


@pytest.fixture
def names_store(empty: Store) -> Store:
    """With two sessions, in one of which something was decided."""
    create_session(empty, "work", "eng", ["a.", "b."])
    create_session(empty, "other", "eng", ["c."])
    decide(empty, "work", "a.", "b.", "accept")
    return empty


def names(store: Store) -> set[str]:
    return {each.name for each in sessions(store)}


def test_a_session_under_another_name_is_the_same(names_store: Store) -> None:
    before = session_standing(names_store, "work")
    after = rename_session(names_store, "work", " play ")
    assert names(names_store) == {"play", "other"}
    assert (after.seeds, after.accepted, after.made) == (before.seeds, before.accepted, before.made)
    assert [each.text for each in decisions(names_store, "play")] == ["b."]
    assert rename_session(names_store, "play", "play") == after
    assert check(names_store, full=True).problems == ()


def test_a_deleted_session_is_in_no_list_and_comes_back_as_it_was(names_store: Store) -> None:
    before = session_standing(names_store, "work")
    assert delete_session(names_store, "work") == before
    assert names(names_store) == {"other"}
    with pytest.raises(InputError, match="there is no session 'work'; there are: other"):
        session_standing(names_store, "work")
    assert check(names_store, full=True).problems == ()
    assert restore_session(names_store, "work") == before
    assert [each.text for each in decisions(names_store, "work")] == ["b."]
    assert names(names_store) == {"work", "other"}
    assert check(names_store, full=True).problems == ()


def test_the_name_of_a_deleted_session_is_free(names_store: Store) -> None:
    delete_session(names_store, "work")
    create_session(names_store, "work", "fra", ["d."])
    with pytest.raises(UsageError, match="there is a session 'work' already"):
        restore_session(names_store, "work")
    delete_session(names_store, "work")
    assert restore_session(names_store, "work").language == "fra"  # the newest of that name
    rename_session(names_store, "work", "french")
    assert restore_session(names_store, "work").language == "eng"
    with pytest.raises(InputError, match="no session 'work' was deleted"):
        restore_session(names_store, "work")


def test_a_session_may_be_called_as_deleted_ones_are_kept(names_store: Store) -> None:
    rename_session(names_store, "other", "deleted 1: work")
    delete_session(names_store, "work")
    assert names(names_store) == {"deleted 1: work"}
    assert restore_session(names_store).name == "work"


def test_a_new_session_is_not_called_as_a_deleted_one_is_kept(names_store: Store) -> None:
    delete_session(names_store, "work")
    with pytest.raises(UsageError, match="there is a session 'deleted 1: work' already"):
        create_session(names_store, "deleted 1: work", "eng", ["a"])


def test_the_last_that_was_deleted_comes_back_first(names_store: Store) -> None:
    with pytest.raises(InputError, match="no session was deleted"):
        restore_session(names_store)
    for name in ("other", "work"):
        delete_session(names_store, name)
    assert [(each.name, each.seeds, each.decisions) for each in deleted_sessions(names_store)] == [
        ("work", 2, 1),
        ("other", 1, 0),
    ]
    assert names_beginning(names_store, "session", "", 9) == []
    assert (restore_session(names_store).name, restore_session(names_store).name) == ("work", "other")
    delete_session(names_store, "other")  # which is now the last one, though it began before
    delete_session(names_store, "work")
    assert restore_session(names_store).name == "work"


def test_its_number_follows_a_session(names_store: Store) -> None:
    number = session_standing(names_store, "work").id
    rename_session(names_store, "work", "play")
    assert session_name(names_store, number) == "play"
    delete_session(names_store, "play")
    with pytest.raises(InputError, match=r"deleted elsewhere; `corpusdb session restore play` brings it back"):
        session_name(names_store, number)


@pytest.mark.parametrize(
    ("name", "new", "error", "message"),
    [
        ("work", "other", UsageError, "there is a session 'other' already"),
        ("work", " ", UsageError, "is not a name for a session"),
        ("no", "new", InputError, "there is no session 'no'"),
    ],
)
def test_what_is_no_other_name(names_store: Store, name: str, new: str, error: type[CorpusError], message: str) -> None:
    with pytest.raises(error, match=message):
        rename_session(names_store, name, new)
    assert names(names_store) == {"work", "other"}


# Where seeds come from: one source, and samples that a seed repeats.


ROWS = random_rows(random.Random(11), 50)
SEEDS_TEXTS = sorted({row[0] for row in ROWS})


@pytest.fixture
def generated(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, ROWS) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("order", [0, 3, 6, 20])
def test_the_population_is_every_sentence_with_a_paraphrase(generated: Store, order: int) -> None:
    having = [text for text in SEEDS_TEXTS if paraphrases(generated, text, "eng", kept=NSequenceFilter(order))]
    assert len(having) > 0
    assert sorted(sample_seeds(generated, "eng", 1_000, 1, NSequenceFilter(order))) == having


def test_the_seed_decides_and_a_larger_sample_begins_with_the_smaller(generated: Store) -> None:
    ten = sample_seeds(generated, "eng", 10, seed=5)
    assert sample_seeds(generated, "eng", 10, seed=5) == ten
    assert sample_seeds(generated, "eng", 4, seed=5) == ten[:4]
    assert sample_seeds(generated, "eng", 10, seed=6) != ten


def test_each_source(generated: Store, tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("one\n\n two \n", encoding="utf-8")
    wanted: list[tuple[SeedSource, list[str], dict[str, object]]] = [
        (SeedSource(texts=("a", "b")), ["a", "b"], {}),
        (SeedSource(file=file), ["one", "", " two "], {"file": "seeds.txt"}),
        (SeedSource(search="a b"), [text for text in SEEDS_TEXTS if "a b" in text], {"search": "a b"}),
        (SeedSource(sample=3, seed=2), sample_seeds(generated, "eng", 3, 2), {"sample": 3, "seed": 2}),
        (
            SeedSource(search="a b", sample=1_000, seed=2),
            sorted(each for each in sample_seeds(generated, "eng", 1_000, 2) if "a b" in each),
            {"search": "a b", "sample": 1_000, "seed": 2},
        ),
    ]
    for source, seeds, described in wanted:
        found = seeds_from(generated, source, "eng")
        assert (sorted(found) if source.search else found) == seeds
        assert source.described == described


@pytest.mark.parametrize(
    ("lines", "texts", "told"),
    [
        (["a", "", "b", "a ", "c", "d"], ("a", "b", "c", "d"), "6 lines: 4 seeds, 1 blank, 1 double"),
        (["a", " a"], ("a",), "2 lines: 1 seed, 1 double"),
        (["a", "b"], ("a", "b"), ""),
    ],
)
def test_what_is_left_out_is_told(lines: list[str], texts: tuple[str, ...], told: str) -> None:
    found = distinct_seeds(lines)
    assert (found.texts, found.left_out) == (texts, told)
    assert found.lines == len(lines) == len(texts) + found.blank + found.double


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"texts": ("a",), "search": "b"},
        {"sample": 0},
        {"sample": 3, "seed": -1},
        {"file": Path("x"), "texts": ("a",)},
    ],
)
def test_what_is_no_source(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        SeedSource(**given)


def test_where_nothing_is_found(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, ROWS)
    with pytest.raises(InputError, match="no sentence in eng has a paraphrase at N = 20"):
        seeds_from(empty, SeedSource(sample=3), "eng")
    with pytest.raises(InputError, match="no sentence in eng holds 'zzz'"):
        seeds_from(empty, SeedSource(search="zzz"), "eng")
    with pytest.raises(InputError):
        seeds_from(empty, SeedSource(file=tmp_path / "none.txt"), "eng")
