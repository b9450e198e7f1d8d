"""What a piece of work is about to take, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpusdb.chain.queries.foreseen import Expected, Foreseen, Range, foreseen_told, room_warning

EXPECTED = Expected(
    seconds=Range(40, 160), memory=Range(0.63e9, 1.2e9), growth=Range(131e6, 438e6), beside=Range(22e6, 110e6)
)
FORESEEN = Foreseen(EXPECTED, 110_690_304, 10**12)


def test_ranges_in_a_line() -> None:
    told = "about 1 to 3 minutes, 0.6 to 1.2 GB of memory, the file grows to 240 to 550 MB"
    assert foreseen_told(FORESEEN) == told
    assert room_warning(FORESEEN) is None


def test_a_file_that_is_not_there_yet_does_not_grow() -> None:
    told = foreseen_told(replace(FORESEEN, size=0))
    assert told is not None
    assert told.endswith(", a file of 130 to 440 MB")


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0.5, 9.9, None),
        (0.5, 12, "1 to 12 seconds"),
        (20, 89, "20 to 89 seconds"),
        (20, 91, "1 to 2 minutes"),
        (130, 170, "2 to 3 minutes"),
        (1_000, 5_399, "16 to 90 minutes"),
        (4_000, 9_000, "1 to 3 hours"),
        (3_600 * 1_000, 3_600 * 4_000, "1,000 to 4,000 hours"),
    ],
)
def test_times(low: float, high: float, told: str | None) -> None:
    line = foreseen_told(replace(FORESEEN, expected=replace(EXPECTED, seconds=Range(low, high))))
    assert (line and line.partition(" of memory")[0].rpartition(", ")[0]) == (told and f"about {told}")


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (14e6, 59e6, "14 to 59 MB"),
        (100e6, 104e6, "100 MB"),
        (0.4e6, 9.96e6, "0.4 to 10 MB"),
        (500, 40_400, "0.5 to 40 kB"),
        (994e6, 996e6, "1 GB"),
        (370e6, 1_250e6, "0.4 to 1.2 GB"),
        (12.4e9, 123.4e9, "12 to 120 GB"),
    ],
)
def test_sizes(low: float, high: float, told: str) -> None:
    line = foreseen_told(replace(FORESEEN, expected=replace(EXPECTED, memory=Range(low, high))))
    assert line is not None
    assert line.split(", ")[1] == f"{told} of memory"


def test_a_disk_that_is_too_small() -> None:
    warning = "the disk has 300 MB left, and this takes about 150 to 550 MB of it"
    assert room_warning(replace(FORESEEN, free=300_000_000)) == warning
    assert room_warning(replace(FORESEEN, free=547_000_000)) is not None
    assert room_warning(replace(FORESEEN, free=548_000_000)) is None, "growth and journal have room"
    assert room_warning(replace(FORESEEN, free=None)) is None, "the system does not tell"
