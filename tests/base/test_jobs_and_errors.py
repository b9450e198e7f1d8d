"""The errors that are raised for users, and jobs that can be stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from corpusdb.base import jobs
from corpusdb.base.errors import CorpusError, InputError, QueryError, UsageError, one_line
from corpusdb.base.jobs import Pace, Progress, Reading, beside, computed, computed_in_order, duration, usable_cores


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("short", "short"),
        ("two\nlines\r\nor\u2028more", "two lines or more"),
        ("a" * 400, "a" * 400),
        ("a" * 200 + "b" * 186_000 + "c" * 200, "a" * 198 + " ... " + "c" * 197),
    ],
)
def test_a_message_is_one_line_of_bounded_length(message: str, line: str) -> None:
    assert one_line(message) == line
    assert str(CorpusError(message)) == str(UsageError(message)) == str(InputError(message)) == line


def test_place_and_reason_are_bounded_each_for_itself() -> None:
    error = InputError("r" * 1000, path="p" * 1000 + "/end", line=7)
    assert len(str(error)) < 620
    assert "/end:7: r" in str(error)
    assert error.path == "p" * 1000 + "/end"
    assert str(InputError(error.reason)) == error.reason


@pytest.mark.parametrize("position", [0, 32, 33, 34, 500, 9_967, 10_000])
def test_the_caret_stands_below_the_fault_of_a_long_query(position: int) -> None:
    query = "a" * position + "!" + "b" * (10_000 - position) if position < 10_000 else "a" * 10_000
    shown, caret = QueryError("no", query=query, position=position).pointer().split("\n")
    assert len(shown) <= 76 and len(caret) <= 76
    assert caret.strip() == "^"
    assert shown[len(caret) - 1 : len(caret)] == ("!" if position < 10_000 else "")


def _readings(*steps: tuple[float, Progress]) -> list[Reading]:
    """What is read when steps come at these moments, in seconds."""
    moments = iter([moment for moment, _ in steps])
    pace = Pace(clock=lambda: next(moments))
    return [pace.reading(step) for _, step in steps]


def test_the_rate_is_that_of_this_call_and_comes_after_a_second() -> None:
    first, early, late = _readings(
        (10.0, Progress("lines", 900, 1000)), (10.9, Progress("lines", 920, 1000)), (15.0, Progress("lines", 950, 1000))
    )
    assert (first.rate, early.rate) == (None, None)
    assert (late.rate, late.seconds_left) == (10.0, 5.0)
    assert late.told == "lines  950 of 1,000  10/s  5 s left"


def test_each_stage_has_a_rate_of_its_own() -> None:
    readings = _readings(
        (0.0, Progress("reading", 0, 10)), (5.0, Progress("storing", 0, 10)), (7.0, Progress("storing", 8, 10))
    )
    assert [reading.rate for reading in readings] == [None, None, 4.0]
    assert readings[-1].seconds_left == 0.5


@pytest.mark.parametrize(
    ("step", "rate", "told"),
    [
        (Progress("opening", 0, 0), None, "opening"),
        (Progress("lines", 50_000, 0), None, "lines  50,000"),
        (Progress("lines", 50_000, 0), 12_345.6, "lines  50,000  12,346/s"),
        (Progress("lines", 10, 1000), 2.5, "lines  10 of 1,000  2.5/s  6 min 36 s left"),
        (Progress("lines", 1000, 1000), 250.0, "lines  1,000 of 1,000  250/s"),
    ],
)
def test_told(step: Progress, rate: float | None, told: str) -> None:
    assert Reading(step, rate).told == told


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "0 s"), (59.6, "1 min 00 s"), (396, "6 min 36 s"), (9990, "2 h 46 min"), (3600, "1 h 00 min")],
)
def test_duration(seconds: float, told: str) -> None:
    assert duration(seconds) == told


# Copies of this process: what they compute is what one computes, and none of them outlives its work.


pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="copies are made on Linux")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a program of one thread: what runs the tests, and tests before this one, may have left another asleep."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def squares(seen: list[int]) -> Callable[[int], tuple[int, int]]:
    return lambda task: (seen[task] ** 2, os.getpid())


def is_there(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.05)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("processes", [0, 1, 2, 3, 50])
@pytest.mark.slow
def test_every_task_is_done_once_in_so_many_processes(processes: int) -> None:
    found = list(computed(squares(list(range(20))), 20, processes))
    assert sorted((task, square) for task, (square, _) in found) == [(task, task**2) for task in range(20)]
    workers = {process for _, (_, process) in found}
    assert len(workers) <= max(processes, 1)
    assert (os.getpid() in workers) == (processes < 2)
    assert not any(map(is_there, workers - {os.getpid()}))


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("processes", [0, 2, 3])
def test_results_come_in_the_order_of_the_tasks(processes: int) -> None:
    def work(task: int) -> int:
        time.sleep(0.02 if task % 3 == 0 else 0)
        return task

    assert list(computed_in_order(work, 20, processes)) == list(range(20))
    assert list(computed_in_order(work, 0, processes)) == []


@pytest.mark.usefixtures("alone")
def test_what_it_raises_comes_from_here() -> None:
    def work(task: int) -> int:
        if task == 3:
            raise InputError("too long", line=task)
        return task

    with pytest.raises(InputError, match="too long"):
        list(computed(work, 9, 2))


@pytest.mark.usefixtures("alone")
def test_a_copy_that_is_ended_from_outside_leaves_no_gap() -> None:
    here = os.getpid()

    def work(task: int) -> int:
        if task in (1, 2) and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return task

    assert sorted(task for task, _ in computed(work, 9, 2)) == list(range(9))


@pytest.mark.usefixtures("alone")
def test_an_iterator_that_is_closed_ends_its_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """And lets the collector go through everything again, which the tests themselves do not want."""
    asked: list[str] = []
    names = ("collect", "freeze", "unfreeze")
    monkeypatch.setattr(jobs, "gc", SimpleNamespace(**{name: partial(asked.append, name) for name in names}))

    def work(task: int) -> int:
        time.sleep(0.01 if task < 2 else 600)
        return os.getpid()

    iterator = computed(work, 9, 2)
    workers = {next(iterator)[1], next(iterator)[1]}
    assert all(map(is_there, workers))
    assert asked == ["collect", "freeze"]
    iterator.close()
    assert not any(map(is_there, workers))
    assert asked == ["collect", "freeze", "unfreeze"]


@pytest.mark.usefixtures("alone")
def test_what_is_done_beside_is_done_in_a_copy() -> None:
    with beside(lambda: (os.getpid(), sum(range(1000))), 2) as result:
        copy, found = result()
        assert (found, copy == os.getpid()) == (499_500, False)
    assert not is_there(copy)


@pytest.mark.usefixtures("alone")
def test_what_a_copy_beside_does_not_end_is_done_here() -> None:
    here = os.getpid()

    def work() -> int:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    with beside(work, 2) as result:
        assert result() == here
    with pytest.raises(InputError, match="too long"), beside(partial(_fail, "too long"), 2) as result:
        result()


def _fail(why: str) -> int:
    raise InputError(why)


@pytest.mark.usefixtures("alone")
def test_a_block_that_ends_early_ends_the_copy_beside(tmp_path: Path) -> None:

    def work() -> None:
        (tmp_path / str(os.getpid())).touch()
        time.sleep(600)

    with pytest.raises(KeyboardInterrupt), beside(work, 2):
        until(lambda: any(tmp_path.iterdir()))
        raise KeyboardInterrupt
    (copy,) = (int(each.name) for each in tmp_path.iterdir())
    assert not is_there(copy)


def test_one_core_has_nothing_beside() -> None:
    with beside(os.getpid, 1) as result:
        assert result() == os.getpid()


def test_threads_make_no_copies() -> None:
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        assert {process for _, (_, process) in computed(squares([1, 2, 3]), 3, 2)} == {os.getpid()}
    finally:
        end.set()
        other.join(60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_program_that_is_ended_leaves_no_copy(number: signal.Signals, tmp_path: Path) -> None:
    script = """
        import os, pathlib, signal, sys, time
        from corpusdb.base import signals
        from corpusdb.base.jobs import computed
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
        signals.listen()
        signals.begin()
        def work(task):
            pathlib.Path(sys.argv[1], str(os.getpid())).touch()
            end = time.monotonic() + 600
            while time.monotonic() < end:
                time.sleep(0.01)
        list(computed(work, 4, 2))
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as program:
        try:
            until(lambda: len(list(tmp_path.iterdir())) == 2)
            copies = [int(each.name) for each in tmp_path.iterdir()]
            assert all(map(is_there, copies))
        finally:
            program.send_signal(number)
            program.wait(60)
    until(lambda: not any(map(is_there, copies)))


def test_there_is_a_core() -> None:
    assert usable_cores() >= 1
