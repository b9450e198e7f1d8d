"""Background jobs and readers without a screen: their order, their short steps, and what is told of them."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Event, Thread, get_ident
from typing import cast

import pytest

from corpusdb.base.errors import InputError, StoreError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.chain.queries.generation import prepare
from corpusdb.corpus.store import Store, open_store
from tui.kit.background import Jobs, JobState, Phase, Runner, kept_jobs
from tui.kit.programs import Program
from tui.kit.reader import DatabaseReader, SpareMemory, StepwiseJob, Superseded

# Background jobs without a screen: their order, what is told of them, and what stopping them leaves.


PATIENCE = 60.0
"""Seconds after which a test gives up; none waits so long."""


class Told:
    """What was told of jobs, and a way to wait for the end of one."""

    def __init__(self) -> None:
        self.states: list[JobState] = []
        self._over: dict[int, Event] = {}

    def __call__(self, state: JobState) -> None:
        self.states.append(state)
        if state.is_over:
            self._over.setdefault(state.number, Event()).set()

    def end_of(self, state: JobState) -> JobState:
        assert self._over.setdefault(state.number, Event()).wait(PATIENCE)
        return [each for each in self.states if each.number == state.number][-1]

    def phases(self, number: int) -> list[Phase]:
        return [state.phase for state in self.states if state.number == number]


@contextmanager
def jobs_on(path: Path, clock: Callable[[], float] | None = None) -> Iterator[tuple[Jobs, Told]]:
    told = Told()
    jobs = Jobs(path, told, clock) if clock else Jobs(path, told)
    try:
        yield jobs, told
    finally:
        jobs.close()


@pytest.mark.slow
def test_what_commands_answered_is_there_the_next_time(airport: Path) -> None:
    program = Program(("info",), form="info", typed={"sizes": "no"})
    with jobs_on(airport) as (jobs, told):
        ended = told.end_of(jobs.start("info", program))
        kept = json.loads(json.dumps(kept_jobs(jobs.states)))
    with jobs_on(airport) as (jobs, told):
        jobs.restore([*kept, {"program": "broken"}])
        assert jobs.states == [ended]
        assert jobs.typed_before("info") == ({"sizes": "no"}, False)
        again = jobs.again(1)
        assert again is not None and told.end_of(again).result == ended.result


def gated(gate: Event, begun: Event) -> Callable[[Store], Job[str]]:
    """A job that stops in the middle until the gate is opened."""

    def job(store: Store) -> Job[str]:
        yield Progress("before", 1, 2)
        begun.set()
        assert gate.wait(PATIENCE)
        yield Progress("after", 2, 2)
        return "report"

    return job


def test_a_job_runs_in_its_own_thread_on_a_store_of_its_own(phrasebook: Path) -> None:
    seen: list[object] = []

    def job(store: Store) -> Job[int]:
        seen.extend([get_ident(), store.read_only])
        yield Progress("counting", 1, 2)
        return int(store.connection.execute("select count(*) from sentence").fetchone()[0])

    with jobs_on(phrasebook) as (jobs, told):
        first = jobs.start("count", job)
        assert (first.number, first.title, first.phase) == (1, "count", "waiting")
        last = told.end_of(first)
    assert last.phase == "done"
    assert isinstance(last.result, int) and last.result > 1_000
    assert seen[0] != get_ident()
    assert seen[1] is False
    assert [state.line.split()[1] for state in told.states if state.line] == ["1", "1"]


def test_a_job_is_told_in_one_line_whatever_it_says() -> None:
    said = "reading the corpus, to tell how far the test set is from it, line 7 of , in a file called 3 of"
    assert JobState(1, "score a.en", "running", line=said).summary == f"{said}: score a.en"


def test_one_writes_and_the_others_wait(phrasebook: Path) -> None:
    gate, begun = Event(), Event()
    with jobs_on(phrasebook) as (jobs, told):
        one, two = (jobs.start(title, gated(gate, begun)) for title in ("one", "two"))
        assert begun.wait(PATIENCE)
        assert [state.phase for state in jobs.states] == ["running", "waiting"]
        assert jobs.active[0].summary == "before 50 % of this step: one"
        gate.set()
        assert told.end_of(one).phase == told.end_of(two).phase == "done"
        assert jobs.active == []
    order = [(state.number, state.phase) for state in told.states]
    assert order.index((1, "done")) < order.index((2, "running"))


def test_a_job_is_cancelled_between_two_steps_and_goes_on(phrasebook: Path) -> None:
    gate, begun, closed = Event(), Event(), Event()

    def job(store: Store) -> Job[str]:
        try:
            return (yield from gated(gate, begun)(store))
        finally:
            closed.set()

    with jobs_on(phrasebook) as (jobs, told):
        first = jobs.start("slow", job)
        assert begun.wait(PATIENCE)
        jobs.cancel(1)
        assert jobs.states[0].phase == "stopping"
        assert jobs.again(1) is None, "it is not over yet"
        gate.set()
        last = told.end_of(first)
        assert (last.phase, closed.is_set()) == ("cancelled", True)
        assert "what is done is kept" in last.error
        again = jobs.again(1)
        assert again is not None
        assert told.end_of(again).result == "report"
        assert jobs.again(again.number) is None, "what is done is not done again"
        jobs.cancel(again.number)
        assert jobs.states[1].phase == "done"


def test_a_job_that_waits_is_cancelled_at_once(phrasebook: Path) -> None:
    gate, begun = Event(), Event()
    with jobs_on(phrasebook) as (jobs, told):
        jobs.start("one", gated(gate, begun))
        two = jobs.start("two", gated(gate, begun))
        assert begun.wait(PATIENCE)
        jobs.cancel(2)
        assert told.end_of(two).phase == "cancelled"
        assert jobs.states[0].phase == "running"
        gate.set()


def test_closing_interrupts_a_long_statement(phrasebook: Path) -> None:
    begun = Event()

    def job(store: Store) -> Job[None]:
        yield Progress("begun", 0, 0)
        with store.write() as connection:
            connection.execute("update sentence set text = text || '!'")
            begun.set()
            endless = "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n"
            connection.execute(endless).fetchone()

    with jobs_on(phrasebook) as (jobs, told):
        state = jobs.start("endless", job)
        assert begun.wait(PATIENCE)
        closing = Thread(target=jobs.close)
        closing.start()
        while closing.is_alive():  # the interruption may come just before the statement
            closing.join(0.05)
            jobs.interrupt()
        assert told.end_of(state).phase == "cancelled"
    with open_store(phrasebook, read_only=True) as store:
        assert store.connection.execute("select count(*) from sentence where text like '%!!'").fetchone()[0] == 0


@pytest.mark.parametrize(
    ("error", "told_as"),
    [
        (InputError("no text", path="a.tsv", line=3), "a.tsv:3: no text"),
        (FileNotFoundError(2, "No such file or directory", "a.tsv"), "[Errno 2] No such file or directory: 'a.tsv'"),
        (KeyError("oops"), "KeyError: 'oops'"),
        (InputError("2 of 9 segments have no score"), "2 of 9 segments have no score"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_a_failure_is_one_line_and_the_next_job_runs(
    error: Exception, told_as: str, late: bool, phrasebook: Path
) -> None:
    def job(store: Store) -> Job[None]:
        if late:
            yield Progress("step", 1, 2)
        raise error

    with jobs_on(phrasebook) as (jobs, told):
        last = told.end_of(jobs.start("bad", job))
        assert (last.phase, last.error, last.summary) == ("failed", told_as, f"bad: {told_as}")
        assert told.end_of(jobs.start("good", lambda store: prepare(store, "eng"))).phase == "done"


def test_steps_of_a_stage_are_told_ten_times_a_second(phrasebook: Path) -> None:
    times = iter(number / 1000 for number in range(100_000))

    def job(store: Store) -> Job[None]:
        for done in range(1000):
            yield Progress("step", done, 1000)

    with jobs_on(phrasebook, clock=lambda: next(times)) as (jobs, told):
        told.end_of(jobs.start("many", job))
    running = [state for state in told.states if state.phase == "running"]
    assert 15 <= len(running) <= 35, "a step takes one or two ticks of this clock"


# Jobs that read in short steps: others are answered in between, and whatever ends one, it clears away.


@pytest.fixture
def database(tmp_path: Path) -> Path:
    open_store(tmp_path / "corpus.db", create=True).close()
    return tmp_path / "corpus.db"


@pytest.fixture
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


@asynccontextmanager
async def driven(database: Path) -> AsyncIterator[Runner]:
    runner = Runner(database, lambda state: None)
    try:
        yield runner
    finally:
        runner.close()


@pytest.mark.usefixtures("short_steps")
async def test_others_are_answered_between_two_steps(database: Path) -> None:
    async with driven(database) as runner:
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


@pytest.mark.usefixtures("short_steps")
@pytest.mark.parametrize("step", [0, 2])
async def test_a_job_is_stopped_and_clears_away(step: int, database: Path) -> None:
    async with driven(database) as runner:
        counting = Counting(5)
        job = StepwiseJob(counting)

        def watch(progress: Progress) -> None:
            assert progress.done <= step
            if progress.done == step:
                job.stop()

        with pytest.raises(Superseded):
            await runner.read_in_steps(job, watch)
        assert (job.is_over, job.is_open, counting.told) == (True, False, ["begun", "cleared away"])


@pytest.mark.usefixtures("short_steps")
async def test_a_job_that_is_stopped_before_it_began_never_begins(database: Path) -> None:
    async with driven(database) as runner:
        counting = Counting(5)
        job = StepwiseJob(counting)
        job.stop()
        with pytest.raises(Superseded):
            await runner.read_in_steps(job, lambda progress: None)
        assert counting.told == []


@pytest.mark.usefixtures("short_steps")
async def test_a_newer_one_of_its_kind_takes_its_place(database: Path) -> None:
    async with driven(database) as runner:
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


@pytest.mark.usefixtures("short_steps")
async def test_a_newer_one_takes_its_place_also_while_a_step_is_under_way(database: Path) -> None:
    """Then nothing of the older one waits that could give way."""

    async with driven(database) as runner:
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


@pytest.mark.usefixtures("short_steps")
async def test_its_error_is_raised_and_ends_it(database: Path) -> None:
    async with driven(database) as runner:
        counting = Counting(2, UsageError("no"))
        job = StepwiseJob(counting)
        with pytest.raises(UsageError, match="no"):
            await runner.read_in_steps(job, lambda progress: None)
        assert job.is_over and not job.is_stopped
        assert counting.told == ["begun", "cleared away"]


# What reads for the browser notices that its file was replaced, and reads the new one.


def _database(path: Path, name: str) -> Path:
    with open_store(path, create=True) as store, store.write() as writer:
        writer.execute("insert into collection (name) values (?)", (name,))
    return path


def _names(reader: DatabaseReader) -> list[str]:
    return [name for (name,) in reader.store.connection.execute("select name from collection")]


def test_a_database_that_was_replaced_is_opened_again(tmp_path: Path) -> None:
    path = _database(tmp_path / "corpus.db", "old")
    later = _database(tmp_path / "later.db", "new")

    async def ask() -> list[list[str]]:
        runner = Runner(path, lambda state: None)
        try:
            before = await runner.ask(_names)
            later.replace(path)
            return [before, await runner.ask(_names)]
        finally:
            runner.close()

    assert asyncio.run(ask()) == [["old"], ["new"]]


def test_an_answer_from_a_file_that_is_gone_is_none(tmp_path: Path) -> None:
    path = _database(tmp_path / "corpus.db", "old")
    later = _database(tmp_path / "later.db", "new")

    def slow(reader: DatabaseReader) -> list[str]:
        found = _names(reader)
        later.replace(path)
        return found

    async def ask() -> list[str]:
        runner = Runner(path, lambda state: None)
        try:
            with pytest.raises(StoreError, match="was replaced by another file"):
                await runner.ask(slow)
            return await runner.ask(_names)
        finally:
            runner.close()

    assert asyncio.run(ask()) == ["new"]


@pytest.mark.slow
def test_what_was_not_used_lately_is_let_go_in_a_large_process(phrasebook: Path) -> None:
    in_use = 0
    reader = DatabaseReader(phrasebook, lambda: in_use)

    def ask(question: Callable[[DatabaseReader], object], times: int = 1) -> object:
        for _ in range(times):
            reader.begin_question()
            found = question(reader)
            reader.end_question()
        return found

    models, searcher = ask(lambda it: it.models), ask(lambda it: it.searcher)
    ask(lambda it: it.store, 30)
    assert ask(lambda it: it.searcher) is searcher and ask(lambda it: it.models) is models
    ask(lambda it: it.searcher, 5)
    in_use = 1 << 40
    assert ask(lambda it: it.models) is models  # used a moment ago
    store = ask(lambda it: it.store, 7)
    assert ask(lambda it: it.store) is store  # what all others need
    assert ask(lambda it: it.models) is not models and ask(lambda it: it.searcher) is not searcher
    with pytest.raises(sqlite3.ProgrammingError):
        cast("Store", models).connection.execute("select 1")  # it was closed
    reader.close()


def test_spare_memory_is_given_back_where_a_large_process_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    process = {"mebibytes": 0}
    given: list[int] = []

    def give() -> None:
        given.append(process["mebibytes"])
        process["mebibytes"] -= 10

    monkeypatch.setattr("tui.kit.reader.memory_in_use", lambda: process["mebibytes"] << 20)
    monkeypatch.setattr("tui.kit.reader.give_memory_back", give)
    spare = SpareMemory()
    for process["mebibytes"] in (100, 130, 130, 140, 90, 125):
        spare.give_back()
    assert given == [130, 140, 125]
