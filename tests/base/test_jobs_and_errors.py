"""The errors that are raised for users, and jobs that can be stopped."""

from __future__ import annotations

import pytest

from corpusdb.base.errors import CorpusError, InputError, QueryError, UsageError, one_line
from corpusdb.base.jobs import Pace, Progress, Reading, duration


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


@pytest.mark.parametrize("position", [0, 59, 60, 61, 500, 9_940, 10_000])
def test_the_caret_stands_below_the_fault_of_a_long_query(position: int) -> None:
    query = "a" * position + "!" + "b" * (10_000 - position) if position < 10_000 else "a" * 10_000
    shown, caret = QueryError("no", query=query, position=position).pointer().split("\n")
    assert len(shown) <= 131
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
