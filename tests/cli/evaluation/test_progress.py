"""Whatever takes over a second says from its beginning what it does and how far it is, and can be stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from typer.testing import Result

from corpusdb.base.jobs import Job, Progress, finished, told_if
from corpusdb.commands import output as progress

Run: TypeAlias = Callable[..., Result]

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
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Progress]]:
    """The steps that are shown."""
    shown: list[Progress] = []
    monkeypatch.setattr(progress.Meter, "show", lambda meter, step: shown.append(step))
    yield shown


CALLS: Final = [
    (("agreement", *SYSTEMS, *FILES, *HUMAN, "--metric", "ter", "--level", "system"), "scoring segments by TER", 360),
    (("agreement", *SYSTEMS, *FILES, *HUMAN, "--references", "1"), "drawing references", 10),
    (("agreement", *SYSTEMS, *FILES, *HUMAN, "--metric", "bleu,nist"), "measuring variants", 2),
    (
        ("agreement", *SYSTEMS, *FILES, *HUMAN, "--metric", "bleu,nist,mwer", "--compare", "all", "--samples", "9"),
        "comparing pairs of variants",
        3,
    ),
    (("compare", *SYSTEMS[:2], *FILES, "--metric", "bleu,nist"), "comparing one with two", 3),
    (("compare", *SYSTEMS[:2], *FILES, "--metric", "chrf", "--section", "origins"), "scoring segments by chrF2", 240),
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


@pytest.mark.parametrize(("arguments", "stage", "total"), CALLS, ids=[call[1] for call in CALLS])
def test_what_takes_long_tells_how_far_it_is(
    run: Run, files: Path, steps: list[Progress], arguments: tuple[str, ...], stage: str, total: int
) -> None:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    told = [each for each in steps if each.stage == stage]
    assert told and {each.total for each in told} == {total}
    # The first step is told before anything of it is done.
    assert told[0].done == 0


@pytest.mark.parametrize("arguments", [call[0] for call in CALLS], ids=[call[1] for call in CALLS])
def test_it_can_be_stopped(run: Run, files: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    def interrupt(meter: progress.Meter, step: Progress) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.Meter, "show", interrupt)
    result = run(*arguments)
    assert result.exit_code == 130, result.stderr
    assert "interrupted; nothing was written" in result.stderr


def test_stored_scores_tell_it_too(run: Run, files: Path, steps: list[Progress]) -> None:
    (files / "pairs.tsv").write_text("One.\tUn.\n", encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,fra").exit_code == 0
    assert run("score", *SYSTEMS, "--ref", "ref.txt", "--metric", "chrf", "--store").exit_code == 0
    steps.clear()
    assert run("scores", "list", "--baseline", "one").exit_code == 0
    assert {each.total for each in steps if each.stage == "scoring segments by chrF2"} == {360}


def test_a_short_job_tells_nothing() -> None:
    def job() -> Job[int]:
        yield Progress("counting", 0, 1)
        return 7

    steps: list[Progress] = []
    assert [finished(told_if(is_long, job()), steps.append) for is_long in (False, True)] == [7, 7]
    assert steps == [Progress("counting", 0, 1)]
