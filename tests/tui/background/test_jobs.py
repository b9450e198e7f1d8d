"""Background jobs without a screen: their order, what is told of them, and what stopping them leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread, get_ident

import pytest

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.chain.queries.generation import generate, prepare
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.model import GenerationReport
from corpusdb.corpus.store import Store, open_store
from corpusdb.phrasebook import LANGUAGES, LICENCE, phrasebook_files
from tui.kit.background import Jobs, JobState, Phase

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
    assert [state.reading.step.done for state in told.states if state.reading] == [1, 1]


def test_one_writes_and_the_others_wait(phrasebook: Path) -> None:
    gate, begun = Event(), Event()
    with jobs_on(phrasebook) as (jobs, told):
        one, two = (jobs.start(title, gated(gate, begun)) for title in ("one", "two"))
        assert begun.wait(PATIENCE)
        assert [state.phase for state in jobs.states] == ["running", "waiting"]
        assert jobs.active[0].summary == "one: before  1 of 2"
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


def rows(path: Path) -> list[object]:
    with open_store(path, read_only=True) as store:
        return [
            store.connection.execute(f"select {columns} from {table} order by {columns}").fetchall()
            for table, columns in (
                ("candidate join seed on seed.id = candidate.seed", "seed.text, candidate.text, frequency, fluency"),
                ("paraphrase", "sentence, paraphrase, translations, probability"),
                ("filler", "text, contexts"),
            )
        ]


def imported(path: Path, files: Sequence[Path]) -> Path:
    """A database with files of the phrasebook, from which nothing was derived yet."""
    sources = open_sources("tsv", files, Options(languages=LANGUAGES))
    with open_store(path, create=True) as store:
        finished(import_files(store, sources, "phrasebook", LICENCE))
    return path


_KILLED = """
import os, signal, sys
from pathlib import Path
from threading import Event
from corpusdb.chain.queries import generation
from corpusdb.chain.queries.generation import generate
from tui.kit.background import Jobs

generation._SEEDS_PER_TRANSACTION = 100
steps = 0

def job(store):
    global steps
    for step in generate(store, "eng"):
        steps += 1
        if steps == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        yield step

over = Event()
Jobs(Path(sys.argv[1]), lambda state: state.is_over and over.set()).start("generate", job)
over.wait(60)
"""


def end_killed_job(path: Path, steps: int) -> int:
    """Kill a browser's process in the middle of a job, and let the same job end; how many candidates it made."""
    command = [sys.executable, "-c", _KILLED, str(path), str(steps)]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with jobs_on(path) as (jobs, told):
        last = told.end_of(jobs.start("generate", lambda store: generate(store, "eng")))
    assert isinstance(last.result, GenerationReport)
    return last.result.candidates


def test_a_killed_browser_leaves_what_the_command_line_leaves(tmp_path: Path) -> None:
    """The process dies in the middle of a job, and the same job ends with the rows of an undisturbed one."""
    killed, undisturbed = (imported(tmp_path / name, phrasebook_files()[:1]) for name in ("killed.db", "other.db"))
    with open_store(undisturbed) as store:
        finished(generate(store, "eng"))
    assert end_killed_job(killed, 3) > 100
    assert rows(killed) == rows(undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1, 3, 7, 11])
def test_a_browser_killed_over_the_whole_phrasebook(steps: int, finished_phrasebook: Path, tmp_path: Path) -> None:
    database = imported(tmp_path / "corpus.db", phrasebook_files())
    assert end_killed_job(database, steps) > 1_000
    assert rows(database) == rows(finished_phrasebook)
