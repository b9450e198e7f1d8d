"""One job at a time: the dead are taken over, and jobs of several connections take turns."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpusdb.base import holders
from corpusdb.base.errors import DatabaseLocked, DatabaseReadOnly
from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.corpus.store import Store, open_store
from corpusdb.corpus.store import runs as exclusive_jobs
from corpusdb.corpus.store.runs import exclusive as alone

_ROW = "update job_lock set host = coalesce(:host, host), boot = coalesce(:boot, boot), pid = coalesce(:pid, pid)"


@pytest.fixture
def other(store: Store) -> Iterator[Store]:
    """Another connection to the same file."""
    with open_store(store.path) as opened:
        yield opened


def test_one_job_at_a_time(store: Store, other: Store) -> None:
    assert store.start_job("import") is None
    assert store.in_job
    holder = other.start_job("generate")
    assert holder is not None
    assert (holder.operation, holder.pid, holder.host) == ("import", os.getpid(), socket.gethostname())
    assert str(holder).startswith(f"`import` of process {os.getpid()} on {socket.gethostname()}, begun 20")
    assert not other.in_job
    store.end_job()
    assert other.start_job("generate") is None
    assert other.job_holder() is not None
    other.end_job()
    assert (store.job_holder(), store.in_job, other.in_job) == (None, False, False)


def test_ending_no_job_changes_nothing(store: Store, other: Store) -> None:
    assert other.start_job("import") is None
    store.end_job()
    assert store.job_holder() is not None


def test_other_changes_do_not_wait_for_a_job(store: Store, other: Store) -> None:
    assert store.start_job("import") is None
    with other.write() as writer:
        writer.execute("insert into collection (name) values ('a')")


def test_a_job_beats_with_every_transaction(store: Store, other: Store) -> None:
    assert store.start_job("import") is None
    beats = []
    for _ in range(3):
        with store.write():
            pass
        holder = other.job_holder()
        beats.append(holder.beats if holder else None)
    assert beats == [1, 2, 3]


def test_who_was_taken_over_writes_nothing_more(store: Store, other: Store) -> None:
    assert store.start_job("import") is None
    holder = other.job_holder()
    assert holder is not None
    assert other.start_job("import", given_up=holder.token) is None
    with pytest.raises(DatabaseLocked, match="took this job for dead"), store.write():
        pytest.fail("the block must not run")
    store.end_job()  # and does not end that of the other
    with other.write():
        pass
    assert not store.in_job


def test_nothing_is_locked_in_a_file_that_may_only_be_read(store: Store) -> None:
    with open_store(store.path, read_only=True) as reader, pytest.raises(DatabaseReadOnly):
        reader.start_job("import")


@pytest.mark.parametrize("ends", ["killed", "zombie", "closed"])
def test_a_dead_process_is_taken_over(path: Path, store: Store, ends: str) -> None:
    program = (
        "import sys; from corpusdb.corpus.store import open_store; store = open_store(sys.argv[1]); "
        "assert store.start_job('import') is None; print(flush=True); sys.stdin.read()"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        assert store.start_job("import") is not None
        if ends == "closed":
            process.stdin.close()
        else:
            process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet taken notice of
        if ends != "zombie":
            process.wait(60)
        assert store.start_job("import") is None


@pytest.mark.parametrize(
    ("host", "boot", "pid", "dead"),
    [
        (None, None, None, False),  # this very job
        ("elsewhere", None, None, False),
        ("elsewhere", None, 2**22 + 1, False),
        (None, None, 2**22 + 1, True),  # more than Linux gives
        (None, None, 2**70, True),
        (None, "machine/boot/numbers", None, False),  # another container of this name
        (None, "{machine}/another/{numbers}", None, True),  # the machine was started again
        (None, "{machine}/{boot}/others", 2**22 + 1, False),
        (None, "", 2**22 + 1, False),
    ],
)
def test_what_can_be_told_of_a_holder(
    store: Store, host: str | None, boot: str | None, pid: int | None, dead: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holders, "_boot", lambda: "m/b/n")
    assert store.start_job("import") is None
    if boot is not None:
        boot = boot.format(machine="m", boot="b", numbers="n")
    with store.write() as writer:
        writer.execute(_ROW, {"host": host, "boot": boot, "pid": pid and min(pid, 2**63 - 1)})
    holder = store.job_holder()
    assert holder is not None
    assert holder.is_known_dead is dead


def test_a_later_process_of_the_same_number_is_not_the_holder(store: Store) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert store.start_job("import") is None
    with store.write() as writer:
        writer.execute("update job_lock set pid = ?, process_started = process_started - 1", (process.pid,))
    holder = store.job_holder()
    assert holder is not None
    assert holder.is_known_dead
    process.communicate(b"\n")


def test_a_job_that_could_not_give_the_lock_back_is_known_to_have_ended(store: Store, other: Store) -> None:
    assert store.start_job("import") is None
    store.connection.execute("pragma query_only = on")  # as on a full disk
    store.end_job()
    assert other.job_holder() is not None
    assert other.start_job("import") is None


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
