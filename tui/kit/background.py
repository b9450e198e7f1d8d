"""Work in the background, and what the screens know of the browser around them."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar

from textual.binding import Binding
from textual.screen import Screen
from textual.signal import Signal

from corpusdb.base.cells import cut_right
from corpusdb.base.errors import Cancelled, CorpusError, DatabaseLocked, StoreError
from corpusdb.base.jobs import Job, Pace, Progress, finished
from corpusdb.base.options import CommandForm
from corpusdb.base.startup import loaded_now
from corpusdb.corpus.store import Store, open_store
from corpusdb.corpus.store.connection import translated_errors
from tui.kit.programs import Program, ProgramOutput, run_program
from tui.kit.reader import DatabaseReader, OneOffReader, StepwiseJob, Superseded
from tui.kit.saved_state import SavedState

Factory: TypeAlias = Callable[[Store], Job[Any]]
"""Makes the job, in its thread, on a database that is open for writing."""

Phase: TypeAlias = Literal["waiting", "running", "stopping", "done", "failed", "cancelled"]
"""Waiting for the one before it, which writes; stopping at the end of its transaction; the last three are for good."""

_SECONDS_BETWEEN_TELLINGS = 0.1
_CANCELLED = "what is done is kept, and the same job goes on from there"
"""Of the jobs that are no commands: these say themselves what they keep."""
_NOT_BEGUN = "it had not begun"


@dataclass(frozen=True, slots=True)
class JobState:
    number: int
    """From 1, in the order in which they were started."""
    title: str
    phase: Phase = "waiting"
    result: object = None
    """Its report, when it is done."""
    error: str = ""
    """Why it failed, or what became of it when it was cancelled, in one line."""
    line: str = ""
    """What was said last of how it goes, the step first."""
    begun: str = ""
    """When it was begun, in UTC, as the database writes times; empty while it waits."""
    seconds: float | None = None
    """How long it took, once it is over."""
    program: Program | None = None
    """Of a command: what was begun."""
    stages: Sequence[tuple[str, float]] = ()
    """What it did one after the other, and how many seconds after its beginning each was begun."""
    whole: float | None = None
    """About how much of all it has done, 0 to 1, by how the same command went the last time; None where none did."""

    @property
    def is_over(self) -> bool:
        return self.phase in ("done", "failed", "cancelled")

    @property
    def told(self) -> str:
        if self.phase == "stopping":
            return "stops when its transaction ends"
        if self.is_over:
            return self.error
        whole = "" if self.whole is None else f"; about {100 * self.whole:.0f} % of all, as it went the last time"
        return self.line + whole

    @property
    def summary(self) -> str:
        """Title and state in one line, of what is counted what it is and how much is done: a long title is cut, and
        the rest told in Jobs."""
        state, counts = self.told or self.phase, _DONE.search(self.told)
        if self.phase == "running" and counts:
            stage = cut_right(self.told[: counts.start()].strip().partition(",")[0], _TITLE_CELLS)
            step = f"{stage} {100 * _step_done(self.told):.0f} % of this step".lstrip()
            state = step if self.whole is None else f"{stage}, {100 * self.whole:.0f} % of all"
        title = cut_right(self.title.partition(" --")[0], _TITLE_CELLS)
        return f"{title}: {state}" if self.is_over else f"{state}: {title}"  # its end has no room at times


_DONE = re.compile(r"(\d[\d,]*) of (\d[\d,]*)")
"""How many of how many are done, in what is told of a job that runs."""


@dataclass(slots=True)
class _Work:
    """A job with what is needed to run it, and to stop it."""

    state: JobState
    factory: Factory | Program
    stop: Event = field(default_factory=Event)
    future: Future[object] | None = None
    store: Store | None = None
    """While it runs."""
    last_told: float = float("-inf")
    begun: float | None = None


_TITLE_CELLS = 32
_MOST_KEPT = 12
"""So many commands are kept for the next time, the last ones."""
_LEFT = "the browser was left before it ended"


class Jobs:
    """The jobs of one browser. SQLite has one writer, so that one job runs at a time, and the others wait their turn.

    ``tell`` is given each new state, from whatever thread, and must not wait; steps of one stage are told of at most
    ten times a second.
    """

    def __init__(
        self, path: Path, tell: Callable[[JobState], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._tell = tell
        self._clock = clock
        self._works: dict[int, _Work] = {}
        self.left: dict[str, Mapping[str, str]] = {}
        """What forms said that were left since a job was begun with them, by their names."""
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="jobs")

    def restore(self, kept: Sequence[Mapping[str, Any]]) -> None:
        """Have the commands again that were begun in an earlier browser; what cannot be read of them is left out."""
        for each in kept:
            with suppress(KeyError, TypeError, ValueError):
                program = Program(**{**each["program"], "words": tuple(each["program"]["words"])})
                told = {**each["state"], "stages": tuple(map(tuple, each["state"].get("stages", ())))}
                state = JobState(len(self._works) + 1, program=program, **told)
                result = None if each["output"] is None else ProgramOutput.restored(each["output"])
                self._works[state.number] = _Work(replace(state, result=result), program)

    @property
    def states(self) -> list[JobState]:
        return [work.state for work in list(self._works.values())]

    @property
    def active(self) -> list[JobState]:
        """Those that are not over, the one that runs first."""
        return [state for state in self.states if not state.is_over]

    @property
    def summary(self) -> str:
        """The first of those that are not over, and how many more there are; nothing where there is none."""
        active = self.active
        more = f" (+{len(active) - 1})" if len(active) > 1 else ""
        return f"{active[0].summary}{more}" if active else ""

    def start(self, title: str, factory: Factory | Program) -> JobState:
        """Run a job when those before it are over."""
        with self._lock:
            number = len(self._works) + 1
            state = JobState(number, title, program=factory if isinstance(factory, Program) else None)
            work = self._works[number] = _Work(state, factory)
        self._tell(state)
        work.future = self._thread.submit(self._run, work)
        work.future.add_done_callback(lambda future: self._end(work, future))
        return state

    def again(self, number: int) -> JobState | None:
        """Start a job that failed or was cancelled once more, also a command that is done; None for any other."""
        work = self._works[number]
        may_again = work.state.is_over and (work.state.phase != "done" or isinstance(work.factory, Program))
        return self.start(work.state.title, work.factory) if may_again else None

    def typed_before(
        self, form: str, fits: Callable[[Mapping[str, str]], bool] = lambda typed: True
    ) -> tuple[Mapping[str, str], bool]:
        """What a form said when a job was begun with it the last time, where that ``fits``, and whether that failed or
        was cancelled."""
        for work in reversed(list(self._works.values())):
            if isinstance(work.factory, Program) and work.factory.form == form and fits(work.factory.typed):
                return work.factory.typed, work.state.phase in ("failed", "cancelled")
        return {}, False

    def typed_texts(self) -> Iterator[str]:
        """What the forms of jobs said, those begun last first."""
        for work in reversed(list(self._works.values())):
            if isinstance(work.factory, Program):
                yield from work.factory.typed.values()

    def cancel(self, number: int) -> None:
        """Stop a job between two of its transactions, or before it begins; nothing happens to one that is over."""
        work = self._works[number]
        work.stop.set()
        if work.future is not None and work.future.cancel():
            return  # it had not begun
        with self._lock:
            if work.state.is_over:
                return
            work.state = replace(work.state, phase="stopping")
        self._tell(work.state)

    def close(self, *, waits: bool = False) -> None:
        """Cancel all jobs at once, where one does not wait for them: the transaction under way is taken back."""
        try:
            self._thread.shutdown(wait=waits)
        finally:  # also where whoever waits has enough of it
            for work in list(self._works.values()):
                work.stop.set()
            self.interrupt()
            self._thread.shutdown(wait=True, cancel_futures=True)

    def interrupt(self) -> None:
        """End the statement that the running job is in, with an error."""
        with self._lock:
            for work in self._works.values():
                if work.store is not None:
                    work.store.connection.interrupt()

    def _run(self, work: _Work) -> object:
        _stop_if_asked(work, _NOT_BEGUN)
        with self._lock:
            work.begun, work.state = self._clock(), replace(work.state, begun=datetime.now(UTC).isoformat())
        factory = work.factory
        if isinstance(factory, Program):
            self._show(work)
            return run_program(self._path, factory, lambda line: self._show(work, line), work.stop.is_set)
        with open_store(self._path) as store, translated_errors(self._path):
            with self._lock:
                work.store = store
            try:
                return self._finish(work, factory(store))
            finally:
                with self._lock:
                    work.store = None

    def _finish(self, work: _Work, job: Job[Any]) -> object:
        pace = Pace(self._clock)

        def watch(step: Progress) -> None:
            self._show(work, pace.reading(step).told)
            _stop_if_asked(work)

        self._show(work)
        return finished(job, watch)

    def _show(self, work: _Work, line: str = "") -> None:
        with self._lock:
            before, moment = work.state, self._clock()
            phase: Phase = "stopping" if work.stop.is_set() else "running"
            stage = line.partition("  ")[0]
            if stage and stage not in dict(before.stages):
                before = replace(before, stages=(*before.stages, (stage, moment - (work.begun or moment))))
            whole = _of_all(stage, _step_done(line), self._last_done(before.program))
            work.state = replace(before, phase=phase, line=line, whole=whole)
            is_new = stage != before.line.partition("  ")[0]
            if not is_new and moment - work.last_told < _SECONDS_BETWEEN_TELLINGS:
                return
            work.last_told = moment
        self._tell(work.state)

    def _last_done(self, program: Program | None) -> JobState | None:
        """How the same command went the last time that it was done."""
        states = (work.state for work in reversed(list(self._works.values())) if work.state.phase == "done")
        return next((each for each in states if program and each.program and each.program.form == program.form), None)

    def _end(self, work: _Work, future: Future[object]) -> None:
        """Keep what came of a job. An error that is none of corpusdb's is shown with its name, to be reported."""
        error = Cancelled(_NOT_BEGUN) if future.cancelled() else future.exception()
        if work.stop.is_set() and isinstance(error, StoreError):  # its statement was interrupted
            error = Cancelled(_CANCELLED)
        with self._lock:
            if error is None:
                ended = replace(work.state, phase="done", result=future.result())
            elif isinstance(error, Cancelled):
                ended = replace(work.state, phase="cancelled", error=str(error))
            else:
                name = "" if isinstance(error, CorpusError | OSError) else f"{type(error).__name__}: "
                ended = replace(work.state, phase="failed", error=name + " ".join(str(error).split()))
            took = None if work.begun is None else self._clock() - work.begun
            work.state = ended = replace(ended, seconds=took)
        self._tell(ended)


def _step_done(line: str) -> float:
    """How much of a step is done, 0 to 1, by what a command says of it."""
    counts = _DONE.search(line)
    done, of = (float(each.replace(",", "")) for each in counts.groups()) if counts else (0.0, 0.0)
    return done / of if of else 0.0


def _of_all(stage: str, share: float, before: JobState | None) -> float | None:
    """How much of all is done with so much of a stage, where a job ``before`` came through it, too."""
    if before is None or not before.seconds or stage not in (names := [name for name, _ in before.stages]):
        return None
    ends = [*(begun for _, begun in before.stages), before.seconds]
    at = names.index(stage)
    return (ends[at] + share * (ends[at + 1] - ends[at])) / before.seconds


def kept_jobs(states: Sequence[JobState]) -> list[dict[str, Any]]:
    """The last commands with what they answered, as JSON can hold them, for ``Jobs.restore``."""
    return [_kept(each.program, each) for each in states if each.program is not None][-_MOST_KEPT:]


def _kept(program: Program, state: JobState) -> dict[str, Any]:
    ended = {"phase": state.phase, "error": state.error} if state.is_over else {"phase": "cancelled", "error": _LEFT}
    told = {"title": state.title, "begun": state.begun, "seconds": state.seconds, "stages": state.stages}
    output = asdict(state.result.shortened) if isinstance(state.result, ProgramOutput) else None
    return {"program": asdict(program), "state": {**told, **ended}, "output": output}


def _stop_if_asked(work: _Work, told: str = _CANCELLED) -> None:
    if work.stop.is_set():
        raise Cancelled(told)


# Everything that the browser asks of the database, each in a thread that suits it, so that a screen never waits.
# Short questions are answered one after the other in one thread, and so are the steps of jobs that read for long;
# short changes have a thread of their own, since a change waits while another process holds the file; so has a
# question that takes seconds without steps, and so have long jobs that write, which tell how they go and can be
# cancelled.


Answer = TypeVar("Answer")
Result = TypeVar("Result")

_SECONDS_UNTIL_TOLD = 0.5
"""A change that has to wait for longer is mentioned."""
_PAUSE_SECONDS = 0.05


class Runner:
    """Runs questions, changes and jobs on one database. Answers come in the order of the questions."""

    def __init__(
        self,
        path: Path,
        tell: Callable[[JobState], object],
        tell_unwritten: Callable[[int], object] = lambda count: None,
    ) -> None:
        """``tell`` is given each new state of the long jobs, from whatever thread, and must not wait.

        ``tell_unwritten`` is given, on the thread of the screen, how many changes that are kept wait for another
        process: when that is more than a moment, and whenever one of them is written.
        """
        self.path = path
        self.jobs = Jobs(path, tell)
        """Long jobs that write."""
        self._reader = DatabaseReader(path)
        self._one_off = OneOffReader(path)
        self._reading = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader")
        self._writing = ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer")
        self._newest: dict[str, int] = {}
        self._in_steps: dict[str, StepwiseJob[Any]] = {}
        self.unwritten = 0
        """Changes that are kept until they can be written, and are not written yet."""
        self._tell_unwritten = tell_unwritten
        self._closing = Event()
        self._given_up = False
        """Whether, since it closes, a change could not be written any more."""

    async def ask(self, question: Callable[[DatabaseReader], Answer], kind: str | None = None) -> Answer:
        """The answer to a short question.

        Of several questions of one ``kind``, such as the searches while somebody types, only the newest matters: those
        that wait when it comes raise Superseded. Raises what the question raises, SQLite's errors as corpusdb's.
        """
        self._give_way(kind)
        return await self._ask(question, kind)

    def _give_way(self, kind: str | None) -> None:
        """Stop the job of a kind, of which nothing may wait while its step is under way."""
        if kind is not None and (older := self._in_steps.pop(kind, None)) is not None:
            older.stop()

    async def _ask(self, question: Callable[[DatabaseReader], Answer], kind: str | None = None) -> Answer:
        number = 0
        if kind is not None:
            number = self._newest[kind] = self._newest.get(kind, 0) + 1

        def asked() -> Answer:
            if kind is not None and self._newest[kind] != number:
                raise Superseded
            with translated_errors(self.path):
                self._reader.begin_question()
                answer = question(self._reader)
                self._reader.end_question()
                return answer

        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._reading, asked))

    async def read_in_steps(
        self, job: StepwiseJob[Result], watch: Callable[[Progress], None], kind: str | None = None
    ) -> Result:
        """What a job that reads returns; ``watch`` hears how it goes, on the thread of the screen.

        Raises what the job raises, and Superseded where it was stopped or a newer one of its ``kind`` has come.
        """
        self._give_way(kind)
        if kind is not None:
            self._in_steps[kind] = job
        try:
            # What was stopped only clears away: it takes nobody's place.
            while (progress := await self._ask(job.advance, None if job.is_over else kind)) is not None:
                watch(progress)
        except Superseded:
            if job.is_open:
                job.stop()
                await self._ask(job.advance)  # which clears away
            raise
        if job.is_stopped:
            raise Superseded
        return job.result

    async def ask_beside(self, question: Callable[[Store], Answer]) -> Answer:
        """The answer to a question that takes seconds; it gives up the one before. Raises what OneOffReader raises."""
        return await self._one_off.ask(question)

    def stop_beside(self) -> None:
        """Give up the question that takes seconds."""
        self._one_off.stop()

    async def change(self, change: Callable[[Store], Answer], *, kept: bool = False) -> Answer:
        """What a short change of the database, made whole or not at all, returns. Changes keep their order.

        One that is ``kept``, such as what a person decided, is tried again for as long as another process writes.
        Raises what the change raises, DatabaseReadOnly, and DatabaseLocked for one that is not kept, or when it closes.
        """

        def changed() -> Answer:
            with translated_errors(self.path), self._reader.writing() as store, store.write():
                return change(store)

        # Shielded: what was asked to be written is written, even if the screen that asked has gone.
        loop = asyncio.get_running_loop()
        if not kept:
            return await asyncio.shield(loop.run_in_executor(self._writing, changed))
        self.unwritten += 1
        timer = loop.call_later(_SECONDS_UNTIL_TOLD, lambda: self._tell_unwritten(self.unwritten))
        future = loop.run_in_executor(self._writing, self._insisting, changed)
        future.add_done_callback(lambda done: self._written(timer))
        answer = await asyncio.shield(future)
        if isinstance(answer, DatabaseLocked):
            raise answer
        return answer

    def _insisting(self, changed: Callable[[], Answer]) -> Answer | DatabaseLocked:
        """Make a change as soon as no other process writes, in the thread that writes; or why not, when it closes."""
        while True:
            if self._given_up:
                return DatabaseLocked(f"{self.path}: another process is writing")
            try:
                return changed()
            except DatabaseLocked:
                self._given_up = self._closing.wait(_PAUSE_SECONDS)

    def _written(self, timer: asyncio.TimerHandle) -> None:
        self.unwritten -= 1
        timer.cancel()
        self._tell_unwritten(self.unwritten)

    def close(self, *, waits: bool = False) -> None:
        """Cancel the long jobs, or wait for them, and close the file once all changes are made and all is answered.

        Changes that are kept are tried once more: whoever leaves while another process writes was told of them.
        """
        self._closing.set()
        self.jobs.close(waits=waits)
        self._writing.shutdown(wait=True)
        self._reading.submit(self._reader.close)
        self._reading.shutdown(wait=True, cancel_futures=False)
        self._leave_one_file()

    def _leave_one_file(self) -> None:
        """Have SQLite move the journal into the database, which the last to close does, but not if it only reads.

        Who copies the file would else copy it without what was changed here.
        """
        journal = self.path.with_name(f"{self.path.name}-wal")
        if journal.exists() and os.access(self.path, os.W_OK):
            with suppress(StoreError), open_store(self.path):
                pass


# What the screens know of the browser around them: its places, its work in the background, and what it can do.


_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the browser; its key follows from its position in the registry."""

    key: str
    """What settings, messages and the command line call it."""
    name: str
    """What it is called on the line of places; places that share a name are parts of one there."""
    screen: str | Callable[[], Screen[object]]
    """What makes its first screen, as ``module:name`` where that is loaded when somebody goes there."""
    part: str = ""
    """What it is called among places of its name."""

    def load(self) -> Callable[[], Screen[object]]:
        """What makes its first screen."""
        return self.screen if callable(self.screen) else loaded_now(self.screen)

    def open(self) -> Screen[object]:
        return self.load()()

    @property
    def title(self) -> str:
        """Its name, with that of the part."""
        return f"{self.name}, {self.part}" if self.part else self.name

    @property
    def help(self) -> str:
        """What its key does, for the help and the palette."""
        return f"Go to {self.title}"


def place_key(number: int) -> str:
    """The key of the place with this number, from 1: digits for ten places, then f2 and so on, since f1 is the help."""
    return str(number % 10) if number <= _DIGITS else f"f{number - _DIGITS + 1}"


class Offered(Protocol):
    """The commands of the program, each as a form."""

    database: Sequence[str]
    """The words that name the database in a shell, where it would be another one without them."""

    def listed(self, group: str = "") -> Sequence[tuple[str, str]]:
        """Names and the first lines of their help: of all commands, or of those in a group."""

    def form(self, name: str) -> CommandForm | None:
        """The form of a command; None for a group of commands."""


def shell_call(commands: Offered | None, words: Iterable[str]) -> str:
    """What somebody types in a shell for what is done here."""
    return shlex.join(["corpusdb", *(commands.database if commands else ()), *words])


class Shell(Protocol):
    """The browser as a screen may use it. Whatever leads to another place is a message, see ``PlaceWanted``."""

    path: Path
    """The database."""
    places: Sequence[Place]
    runner: Runner
    jobs: Jobs
    job_changed: Signal[JobState]
    """Published with each new state of a background job."""
    language: str
    """The one that was looked at last, with which lists and forms begin; empty at first."""
    test_sets: dict[int, str]
    """The test set that the references of a session were written for last, by the number of the session."""
    commands: Offered | None
    """What can be begun here besides what has a key; None where nothing is."""
    unwritten_changed: Signal[int]
    """Published with how many changes wait until no other process writes."""

    @property
    def read_only(self) -> bool:
        """Whether the database may only be read."""

    @property
    def memory(self) -> SavedState:
        """What is kept for the next time."""

    @property
    def ascii_only(self) -> bool:
        """Whether nothing but ASCII may be drawn."""

    async def copy(self, text: str) -> str:
        """Copy to the terminal's clipboard, to tmux and to a file; what to tell the user."""

    def is_lowest(self, screen: Screen[object]) -> bool:
        """Whether going back from a screen leaves the browser."""

    async def go_and_do(self, place: str, owner: type[Screen[object]], binding: Binding) -> None:
        """Go to a screen of a place and do what one of its bindings does."""

    def go_back(self) -> None:
        """To the screen below this one; from the lowest of a place to the first place, and from there out, if twice."""
