"""What takes over a second says from its beginning what it does and how far it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import Final

import pytest
from calls import Run, write_files

from corpusdb.base.display import walled
from corpusdb.base.errors import Cancelled
from corpusdb.base.jobs import Job, Progress, finished, with_progress_if
from corpusdb.commands import invocation as progress
from corpusdb.commands.invocation import Meter, run_job, said_meanwhile


class _Terminal(StringIO):
    """A terminal that remembers all that was written to it; without a file it has the usual 80 columns."""

    def isatty(self) -> bool:
        return True


def _shown(stream: StringIO, steps: Iterable[tuple[float, Progress]]) -> Meter:
    """Show steps at times, in seconds."""
    times = [0.0]
    meter = Meter(stream, clock=lambda: times[-1])
    for time, step in steps:
        times.append(time)
        meter.show(step)
    return meter


def test_what_is_said_meanwhile_is_taken_away_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wall before a terminal, too, lets pass what erases it."""
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", walled(terminal))
    with said_meanwhile("opening x.db ..."):
        assert terminal.getvalue() == "opening x.db ...\r"
    assert terminal.getvalue() == "opening x.db ...\r\x1b[K"
    with said_meanwhile("x" * 200):
        assert terminal.getvalue().endswith(f"K{'x' * 79}\r"), "in one line"


def test_one_line_is_rewritten_on_a_terminal_at_most_ten_times_a_second() -> None:
    terminal = _Terminal()
    _shown(terminal, ((100 + n / 1000, Progress("reading lines", n, 1000)) for n in range(1000)))
    drawn = terminal.getvalue().split("\r")[1:]
    assert 9 <= len(drawn) <= 10
    assert "\n" not in terminal.getvalue()


@pytest.mark.parametrize(
    ("done", "seconds", "told"),
    [
        (0, 0, "reading lines  0 of 1,000"),
        (500, 2, "reading lines  500 of 1,000  250/s  2 s left"),
        (10, 4, "reading lines  10 of 1,000  2.5/s  6 min 36 s left"),
        (1, 10, "reading lines  1 of 1,000  0.1/s  2 h 46 min left"),
        (1000, 4, "reading lines  1,000 of 1,000  250/s"),
    ],
)
def test_rate_and_the_time_left(done: int, seconds: float, told: str) -> None:
    terminal = _Terminal()
    first = [(0.0, Progress("reading lines", 0, 1000))]
    _shown(terminal, first if seconds == 0 else [*first, (seconds, Progress("reading lines", done, 1000))])
    assert terminal.getvalue().split("\r")[-1].rstrip() == told


def test_a_resumed_job_has_the_rate_of_this_call_only() -> None:
    terminal = _Terminal()
    _shown(terminal, [(0, Progress("lines", 900, 1000)), (5, Progress("lines", 950, 1000))])
    assert terminal.getvalue().split("\r")[-1].rstrip() == "lines  950 of 1,000  10/s  5 s left"


def test_a_shorter_line_leaves_nothing_of_a_longer_one_and_clearing_leaves_nothing() -> None:
    terminal = _Terminal()
    meter = _shown(terminal, [(0, Progress("storing commutations", 0, 0)), (1, Progress("語", 0, 0))])
    assert terminal.getvalue().endswith("\r語" + " " * (len("storing commutations") - 2))
    meter.clear()
    assert terminal.getvalue().endswith("\r  \r")


def test_a_line_never_reaches_the_last_column() -> None:
    terminal = _Terminal()
    _shown(terminal, [(0, Progress("語" * 100, 0, 0))])
    assert terminal.getvalue() == "\r" + "語" * 39


def test_a_job_is_one_line_where_stderr_is_redirected_and_a_long_one_some_more() -> None:
    stream = StringIO()
    steps = [(n / 10, Progress("reading", n, 0)) for n in range(1300)] + [(130, Progress("storing", 0, 7))]
    meter = _shown(stream, steps)
    meter.finish()
    meter.clear()
    lines = re.findall(r"corpusdb: (.*)\n", stream.getvalue())
    assert [re.sub("  .*", "", line) for line in lines] == [*["reading"] * 3, "reading ... storing: done in 2 min 10 s"]
    assert lines[0] == "reading  100  10/s"  # after 10 s, 30 s, 70 s
    assert "\r" not in stream.getvalue()


def test_many_short_stages_are_one_line_where_stderr_is_redirected() -> None:
    stream = StringIO()
    _shown(stream, ((n / 10, Progress(f"stage {n}", 0, 0)) for n in range(9))).finish()
    assert stream.getvalue() == "corpusdb: stage 0 ... stage 8: done\n"


def test_a_job_of_a_week_writes_at_most_six_lines_an_hour() -> None:
    stream = StringIO()
    _shown(stream, ((n * 60, Progress("reading", n, 0)) for n in range(7 * 24 * 60)))
    assert 1000 < stream.getvalue().count("\n") <= 7 * 24 * 6 + 6


def test_a_dumb_terminal_is_not_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    terminal = _Terminal()
    _shown(terminal, [(0, Progress("reading", 0, 0))]).finish()
    assert terminal.getvalue() == "corpusdb: reading: done\n"


def test_a_terminal_keeps_nothing_of_a_job_that_is_done() -> None:
    terminal = _Terminal()
    meter = _shown(terminal, [(0, Progress("reading", 0, 0))])
    meter.finish()
    meter.clear()
    assert terminal.getvalue() == "\rreading\r       \r"


def _job(closed: list[bool], *, interrupted: bool) -> Job[str]:
    try:
        yield Progress("first", 0, 0)
        if interrupted:
            raise KeyboardInterrupt
        return "report"
    finally:
        closed.append(True)


@pytest.mark.parametrize("quiet", [False, True])
def test_a_job_runs_to_its_end_and_quiet_is_quiet(quiet: bool, capsys: pytest.CaptureFixture[str]) -> None:
    closed: list[bool] = []
    assert run_job(_job(closed, interrupted=False), quiet=quiet) == "report"
    assert closed == [True]
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "" if quiet else "corpusdb: first: done\n")


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize(
    ("goes_on", "told"),
    [
        (None, "interrupted; nothing was written, and the same command starts from the beginning"),
        ("the same command", "interrupted; what is done so far is kept, and the same command goes on from there"),
    ],
)
def test_an_interrupted_job_is_closed_and_says_what_goes_on(
    quiet: bool, goes_on: str | None, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    closed: list[bool] = []
    with pytest.raises(Cancelled, match=f"^{told}$"):
        run_job(_job(closed, interrupted=True), quiet=quiet, goes_on=goes_on)
    assert closed == [True]
    assert capsys.readouterr().err == ""


SEGMENTS: Final = 120
SYSTEMS: Final = ("one.txt", "two.txt", "three.txt")
FILES: Final = ("--ref", "ref.txt", "--ref", "generated:more.txt")
HUMAN: Final = ("--human", "human.tsv")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    words = [f"the cat number {number} sat on the mat and slept all day" for number in range(SEGMENTS)]
    texts = {"ref.txt": words, "more.txt": [text.replace("slept", "lay there") for text in words]}
    texts |= {"one.txt": [text.replace("sat on", "sits at") for text in words]}
    texts |= {"two.txt": [text.replace("the mat", "a mat") for text in words], "three.txt": words[::-1]}
    rows = (f"{name}\t{at}\t{at % 7 + len(name)}" for name in ("one", "two", "three") for at in range(SEGMENTS))
    texts["human.tsv"] = ["system\tsegment\tz", *rows]
    write_files(tmp_path, texts)
    return tmp_path


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Progress]]:
    """The steps that are shown."""
    shown: list[Progress] = []
    monkeypatch.setattr(progress.Meter, "show", lambda meter, step: shown.append(step))
    yield shown


CALLS: Final = [
    (("agreement", *SYSTEMS, *FILES, *HUMAN, "--metric", "ter", "--level", "system"), "scoring segments by TER", 360),
    (
        ("agreement", *SYSTEMS, *FILES, *HUMAN, "--references", "1", "--samples", "20"),
        "drawing references",
        10,
    ),
    (("agreement", *SYSTEMS, *FILES, *HUMAN, "--metric", "bleu,nist"), "measuring variants", 2),
    (
        ("agreement", *SYSTEMS, *FILES, *HUMAN, "--metric", "bleu,nist,mwer", "--compare", "all", "--samples", "9"),
        "comparing pairs of variants",
        3,
    ),
    (("compare", *SYSTEMS[:2], *FILES, "--metric", "bleu,nist"), "comparing one with two", 3),
    (("compare", *SYSTEMS[:2], *FILES, "--metric", "ter", "--section", "origins"), "scoring segments by TER", 240),
    (
        ("study", "reference-worth", *SYSTEMS, *FILES, "--draws", "60", "--samples", "5", "--no-plots"),
        "scoring systems with drawn references",
        3,
    ),
    (
        ("score", *SYSTEMS, *FILES, "--significance", "bootstrap", "--samples", "3000"),
        "resampling segments to compare systems by BLEUw4",
        0,
    ),
    (
        ("score", *SYSTEMS, *FILES, "--confidence", "--samples", "3000"),
        "resampling segments for the intervals of BLEUw4",
        0,
    ),
    (
        ("score", *SYSTEMS, *FILES, "--resample-references", "3", "--samples", "3000"),
        "drawing references of BLEUw4",
        9,
    ),
]


_FURTHER = ("drawing references of BLEUw4", "comparing one with two")
"""Stages that are gone through as others are."""


@pytest.mark.parametrize(
    ("arguments", "stage", "total"),
    [pytest.param(*call, id=call[1], marks=pytest.mark.slow if call[1] in _FURTHER else ()) for call in CALLS],
)
def test_what_takes_long_tells_how_far_it_is(
    run: Run, files: Path, steps: list[Progress], arguments: tuple[str, ...], stage: str, total: int
) -> None:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    told = [each for each in steps if each.stage == stage]
    assert told and {each.total for each in told} == {total}
    # The first step is told before anything of it is done.
    assert told[0].done == 0


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [call[0] for call in CALLS], ids=[call[1] for call in CALLS])
def test_it_can_be_stopped(run: Run, files: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    def interrupt(meter: progress.Meter, step: Progress) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.Meter, "show", interrupt)
    result = run(*arguments)
    assert result.exit_code == 130, result.stderr
    assert "interrupted; nothing was written" in result.stderr


@pytest.mark.slow
def test_segments_whose_scores_are_stored_are_not_scored_again(run: Run, files: Path, steps: list[Progress]) -> None:
    (files / "pairs.tsv").write_text("One.\tUn.\n", encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,fra").exit_code == 0
    assert run("score", *SYSTEMS, "--ref", "ref.txt", "--metric", "ter", "--store").exit_code == 0
    steps.clear()
    assert run("scores", "list", "--baseline", "one").exit_code == 0
    assert [each for each in steps if each.stage == "scoring segments by TER"] == []


def test_a_short_job_tells_nothing() -> None:
    def job() -> Job[int]:
        yield Progress("counting", 0, 1)
        return 7

    steps: list[Progress] = []
    assert [finished(with_progress_if(is_long, job()), steps.append) for is_long in (False, True)] == [7, 7]
    assert steps == [Progress("counting", 0, 1)]
