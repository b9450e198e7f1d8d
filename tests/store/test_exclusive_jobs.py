"""Jobs of several connections take turns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.corpus.store import Store, exclusive_jobs, open_store
from corpusdb.corpus.store.exclusive_jobs import exclusive as alone


@alone("count")
def _counting(store: Store, upto: int) -> Job[int]:
    """Counts in a row of the database, with what it read before its transaction."""
    for _ in range(upto):
        (before,) = store.connection.execute("select count(*) from collection").fetchone()
        yield Progress("counting", before, upto)
        with store.write() as writer:
            writer.execute("insert into collection (name) values (?)", (str(before),))
    return upto


@alone("outer")
def _outer(store: Store) -> Job[int]:
    return (yield from _counting(store, 2))


@pytest.fixture
def stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Store, Store]]:
    monkeypatch.setattr(exclusive_jobs, "_SECONDS_BETWEEN_LOOKS", 0.0)
    path = tmp_path / "corpus.db"
    with open_store(path, create=True) as one, open_store(path) as two:
        yield one, two


def test_a_job_waits_for_another_and_names_it(stores: tuple[Store, Store]) -> None:
    one, two = stores
    first, second = _counting(one, 3), _counting(two, 3)
    assert next(first).stage == "counting"
    assert next(second).stage.startswith("waiting for `count` of process ")
    assert finished(first) == 3
    assert next(second) == Progress("counting", 3, 3)
    assert finished(second) == 3
    assert one.connection.execute("select count(*) from collection").fetchone() == (6,)
    assert one.job_holder() is None


def test_a_job_that_is_given_up_lets_the_next_one_begin(stores: tuple[Store, Store]) -> None:
    first, second = _counting(stores[0], 3), _counting(stores[1], 3)
    next(first)
    next(second)
    first.close()
    assert next(second).stage == "counting"
    second.close()
    assert stores[0].job_holder() is None


def test_a_job_that_waits_can_be_given_up(stores: tuple[Store, Store]) -> None:
    first, second = _counting(stores[0], 3), _counting(stores[1], 3)
    next(first)
    next(second)
    second.close()
    assert stores[0].in_job
    assert not stores[1].in_job
    first.close()


def test_a_job_inside_a_job_is_a_part_of_it(stores: tuple[Store, Store]) -> None:
    one, two = stores
    job = _outer(one)
    next(job)
    holder = two.job_holder()
    assert holder is not None
    assert holder.operation == "outer"
    assert finished(job) == 2
    assert not one.in_job


def test_who_gives_no_sign_is_taken_for_dead_and_stops_if_it_is_not(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = stores
    first, second = _counting(one, 2), _counting(two, 2)
    next(first)
    next(second)
    monkeypatch.setattr(exclusive_jobs, "_SECONDS_UNTIL_DEAD", -1.0)
    assert next(second).stage == "counting"
    with pytest.raises(Exception, match="took this job for dead"):
        next(first)
    assert finished(second) == 2


def test_a_store_that_may_only_be_read_runs_a_job_that_finds_nothing_to_do(stores: tuple[Store, Store]) -> None:
    with open_store(stores[0].path, read_only=True) as reader:
        assert finished(_counting(reader, 0)) == 0
