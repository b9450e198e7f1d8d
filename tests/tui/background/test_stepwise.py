"""Jobs that read in short steps: others are answered in between, and whatever ends one, it clears away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.store import open_store
from tui.kit.background import Runner
from tui.kit.reader import DatabaseReader, StepwiseJob, Superseded


@pytest.fixture
def database(tmp_path: Path) -> Path:
    open_store(tmp_path / "corpus.db", create=True).close()
    return tmp_path / "corpus.db"


@pytest.fixture(autouse=True)
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of a job is a step of its own."""
    monkeypatch.setattr("tui.kit.reader._SECONDS", -1.0)


class Counting:
    """A job that counts, and what became of it."""

    def __init__(self, steps: int, error: Exception | None = None) -> None:
        self.steps = steps
        self.error = error
        self.told: list[str] = []

    def __call__(self, reader: DatabaseReader) -> Job[int]:
        self.told.append("begun")
        try:
            for done in range(self.steps):
                yield Progress("steps", done, self.steps)
            if self.error is not None:
                raise self.error
            return self.steps
        finally:
            self.told.append("cleared away")


def drive(database: Path, steps: Callable[[Runner], Awaitable[None]]) -> None:
    async def main() -> None:
        runner = Runner(database, lambda state: None)
        try:
            await steps(runner)
        finally:
            runner.close()

    asyncio.run(main())


def test_others_are_answered_between_two_steps(database: Path) -> None:
    async def steps(runner: Runner) -> None:
        seen: list[int] = []
        others: list[asyncio.Task[int]] = []

        def watch(progress: Progress) -> None:
            seen.append(progress.done)
            if progress.done == 1:
                others.append(asyncio.ensure_future(runner.ask(lambda reader: len(seen))))

        counting = Counting(5)
        assert await runner.read_in_steps(StepwiseJob(counting), watch) == 5
        assert seen == [0, 1, 2, 3, 4]
        assert await others[0] in (2, 3)
        assert counting.told == ["begun", "cleared away"]

    drive(database, steps)


@pytest.mark.parametrize("step", [0, 2])
def test_a_job_is_stopped_and_clears_away(step: int, database: Path) -> None:
    async def steps(runner: Runner) -> None:
        counting = Counting(5)
        job = StepwiseJob(counting)

        def watch(progress: Progress) -> None:
            assert progress.done <= step
            if progress.done == step:
                job.stop()

        with pytest.raises(Superseded):
            await runner.read_in_steps(job, watch)
        assert (job.is_over, job.is_open, counting.told) == (True, False, ["begun", "cleared away"])

    drive(database, steps)


def test_a_job_that_is_stopped_before_it_began_never_begins(database: Path) -> None:
    async def steps(runner: Runner) -> None:
        counting = Counting(5)
        job = StepwiseJob(counting)
        job.stop()
        with pytest.raises(Superseded):
            await runner.read_in_steps(job, lambda progress: None)
        assert counting.told == []

    drive(database, steps)


def test_a_newer_one_of_its_kind_takes_its_place(database: Path) -> None:
    async def steps(runner: Runner) -> None:
        older, newer = Counting(1000), Counting(3)
        begun = asyncio.Event()
        first = asyncio.ensure_future(
            runner.read_in_steps(StepwiseJob(older), lambda progress: begun.set(), kind="search")
        )
        await asyncio.wait_for(begun.wait(), 60)
        assert await runner.read_in_steps(StepwiseJob(newer), lambda progress: None, kind="search") == 3
        with pytest.raises(Superseded):
            await first
        assert older.told == ["begun", "cleared away"]

    drive(database, steps)


def test_a_newer_one_takes_its_place_also_while_a_step_is_under_way(database: Path) -> None:
    """Then nothing of the older one waits that could give way."""

    async def steps(runner: Runner) -> None:
        under_way, may_end = threading.Event(), threading.Event()
        older, newer = Counting(1000), Counting(3)

        def slow(reader: DatabaseReader) -> Job[int]:
            counting = older(reader)
            for progress in counting:
                under_way.set()
                assert may_end.wait(60)
                yield progress
            return older.steps

        job = StepwiseJob(slow)
        first = asyncio.ensure_future(runner.read_in_steps(job, lambda progress: None, kind="search"))
        await asyncio.get_running_loop().run_in_executor(None, under_way.wait)
        second = asyncio.ensure_future(runner.read_in_steps(StepwiseJob(newer), lambda progress: None, kind="search"))
        await asyncio.sleep(0)
        assert job.is_stopped
        may_end.set()
        assert await second == 3
        with pytest.raises(Superseded):
            await first

    drive(database, steps)


def test_its_error_is_raised_and_ends_it(database: Path) -> None:
    async def steps(runner: Runner) -> None:
        counting = Counting(2, UsageError("no"))
        job = StepwiseJob(counting)
        with pytest.raises(UsageError, match="no"):
            await runner.read_in_steps(job, lambda progress: None)
        assert job.is_over and not job.is_stopped
        assert counting.told == ["begun", "cleared away"]

    drive(database, steps)
