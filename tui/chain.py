"""The overview of the database, and the jobs: what runs in the background, and what ran before."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from typing import ClassVar, TypeAlias, TypeVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from corpusdb.base.cells import cut_middle, cut_right, wrapped
from corpusdb.base.display import cell_safe, counted, moment
from corpusdb.base.jobs import SAME_COMMAND, duration
from corpusdb.chain.queries.overview import Overview, RunOverview, overview, recent_runs
from corpusdb.chain.report import (
    gist,
    job_details,
    next_steps,
    overview_lines,
    run_details,
    run_line,
    statistics_lines,
)
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER
from corpusdb.paraphrase.queries.statistics import CorpusStatistics, corpus_statistics
from corpusdb.people.queries.sessions import SessionProgress, sessions
from tui.kit.background import JobState, Offered, shell_call
from tui.kit.command_forms import begin_command
from tui.kit.dialogs import AnswerScreen, ConfirmDialog, DetailsDialog
from tui.kit.late_screen import is_there
from tui.kit.place_screen import Hints, Legend, PlaceScreen
from tui.kit.programs import ProgramOutput
from tui.kit.reader import DatabaseReader
from tui.kit.shown import DocumentsWanted, Highlighted, Opened, RowList, SessionOpened, Text, bind, said_here
from tui.kit.terminal import moved_validity

Row: TypeAlias = JobState | RunOverview | str
"""A job, a run, or a heading."""

_RUNS = 50
_JOBS = "Jobs: Enter shows the answer, also of earlier days (times are UTC)"
_RUNS_HEAD = "Latest runs in the database: what was computed; Enter shows all figures"
_LEAST_TITLE = 30
_BELOW = " " * 6
"""Before what stands below the row of a job."""
_BESIDE_ROW = 3
"""Cells for the mark of the cursor and the scroll bar."""
_BESIDE_TOLD = 5
"""The same, with the space before what a job says."""


class JobsScreen(PlaceScreen):
    """Jobs of this browser, the last first, and below them the latest runs in the database."""

    PLACE = "jobs"
    BEGINS = ("import", "detect", "generate", "align", "profile", "score", "scores import", "agreement", "export")
    HINTS = Hints(
        ("list.open", "screen.begin", "jobs.import", "jobs.detect", "jobs.generate", "jobs.cancel", "jobs.again"),
        needed=6,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("i", "begin('import')", "Import", "jobs.import", "Import files"),
        bind("d", "begin('detect')", "Detect", "jobs.detect", "Detect paraphrases"),
        bind("p", "begin('generate')", "Generate", "jobs.generate", "Generate paraphrases"),
        bind("c", "cancel", "Cancel", "jobs.cancel", "Cancel this job; its line then says what is kept"),
        bind("full_stop", "again", "Again", "jobs.again", "Begin a job once more, as it was"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._runs: tuple[RunOverview, ...] = ()
        self._goes_on = False
        """Whether a job, of whatever process, may go on with what has not ended."""
        self._rows: list[Row] = []
        self._details: tuple[int, AnswerScreen] | None = None
        """The job whose details are shown, by its number."""
        self._asked: tuple[int, ConfirmDialog] | None = None
        """The job that is asked about, whether it is to be cancelled."""

    def compose_body(self) -> ComposeResult:
        yield RowList(id="jobs", has_headings=True)

    def on_mount(self) -> None:
        self.shell.job_changed.subscribe(self, self._job_changed)
        self.query_one(RowList).focus()
        self._show()
        self._read_runs()

    def _read_runs(self) -> None:
        def question(reader: DatabaseReader) -> tuple[tuple[RunOverview, ...], bool]:
            holder = reader.store.job_holder()
            return recent_runs(reader.store, _RUNS), holder is not None and not holder.is_known_dead

        def read(runs: tuple[RunOverview, ...], goes_on: bool) -> None:
            if runs != self._runs or goes_on != self._goes_on:
                self._runs, self._goes_on = runs, goes_on
                self._show()

        self.ask(question, lambda found: read(*found), kind="runs")

    def on_resize(self) -> None:
        self._show()

    def look_again(self) -> None:
        """Another process, or a job, may have begun a run."""
        self._read_runs()

    def _job_changed(self, state: JobState) -> None:
        self._show()
        if state.phase == "running":
            self._read_runs()
        if state.is_over:
            if not self.is_current:  # whoever comes for its answer finds the cursor there
                names = [_name(row) for row in self._rows]
                self.query_one(RowList).cursor = names.index(_name(state))
            self._read_runs()
            if self._asked and self._asked[0] == state.number:
                self._asked[1].dismiss(False)  # nothing is left to cancel
        if self._details and self._details[0] == state.number and is_there(self._details[1]):
            self._details[1].signs_now = legend_of(state, self.size.width)
            self._details[1].show_more(_details(state, self.size.width, self.shell.commands))

    def _show(self) -> None:
        """Show jobs and runs as they are; the cursor goes to a new job, else it stays on what it is on."""
        rows = self.query_one(RowList)
        jobs = list(reversed(self.shell.jobs.states))
        is_new = len(jobs) > sum(isinstance(row, JobState) for row in self._rows)
        before = self._rows[rows.cursor] if self._rows and not is_new else None
        none = "   none: ! begins any, i import, d detect, p generate"
        listed = [each for job in jobs for each in self._rows_of(job)]
        self._rows = [_JOBS, *(listed or [none]), "", _RUNS_HEAD]
        self._rows += self._runs
        places = [place for place, row in enumerate(self._rows) if _name(row) == _name(before)]
        cursor = places[0] if places else 1 if before is None else rows.cursor
        rows.show_rows(len(self._rows), self._line, cursor=cursor)
        self._refresh_hints()

    def _line(self, place: int) -> Text:
        match self._rows[place]:
            case JobState() as job:
                return Text(self._told(job)[0])
            case RunOverview() as run:
                state = "" if run.finished else "  (not ended)" if self._goes_on else "  (stopped)"
                return Text(run_line(run, self.size.width - len(state) - _BESIDE_ROW) + state)
            case heading:
                return Text(str(heading), "bold" if heading[:1].isupper() else "")

    def _rows_of(self, job: JobState) -> Iterator[Row]:
        yield job
        yield from self._told(job)[1:]

    def _told(self, job: JobState) -> list[str]:
        """The row of a job, and those below it for which it has no room: the rest of its title, what the job says."""
        begun = moment(job.begun)
        row = f"{job.number:>4}  {job.phase:<9}  {begun[5:10] if _is_past(begun) else begun[-5:]:5}  "
        first, *more = wrapped(cell_safe(job.title), max(self.size.width - cell_len(row) - _BESIDE_ROW, _LEAST_TITLE))
        room = self.size.width - _BESIDE_ROW - len(_BELOW)
        rows = [row + first, *([_BELOW + cut_middle(" ".join(more), room)] if more else [])]
        told = said_here(job.told.replace(f", and {SAME_COMMAND} goes on", "; . goes on"))
        if job.phase == "waiting":
            told = f"waits for job {self.shell.jobs.active[0].number}"
        told = told or (job.result.gist if isinstance(job.result, ProgramOutput) else gist(job.result))
        if cell_len(rows[-1]) + cell_len(told) + _BESIDE_TOLD <= self.size.width:
            return [*rows[:-1], f"{rows[-1]}  {told}"]
        return [*rows, _BELOW + _fitting(told, room)]

    def first_hints(self) -> Sequence[str]:
        """How to begin what was stopped again comes first where the cursor is on it."""
        row = self._row_here if self._rows else None
        return ("jobs.again",) if isinstance(row, JobState) and row.phase in ("cancelled", "failed") else ()

    @on(Highlighted)
    def _refresh_hints(self) -> None:
        self.query_one(Legend).refresh()

    @property
    def _row_here(self) -> Row:
        """The row under the cursor; of those below a job, which say more of it, the job."""
        up_to_it = self._rows[self.query_one(RowList).cursor :: -1]
        return next((row for row in up_to_it if not isinstance(row, str) or not row.startswith(_BELOW)), "")

    def _job_here(self) -> JobState | None:
        """The job under the cursor; says so where there is none."""
        if isinstance(row := self._row_here, JobState):
            return row
        self.say("this is not a job of this browser", is_error=True)
        return None

    @on(Opened)
    def _opened(self) -> None:
        match self._row_here:
            case JobState() as job:
                title = cut_right(f"Job {job.number}: {cell_safe(job.title)}", self.size.width)
                screen = AnswerScreen(title, _details(job, self.size.width, self.shell.commands))
                screen.signs_now = legend_of(job, self.size.width)
                self._details = (job.number, screen)
                self.app.push_screen(screen)
            case RunOverview() as run:
                self.app.push_screen(DetailsDialog(f"Run {run.id}", run_details(run)))

    def action_begin(self, command: str) -> None:
        begin_command(self, command)

    def action_cancel(self) -> None:
        job = self._job_here()
        if job is None:
            return
        if job.is_over:
            self.say(f"job {job.number} is over", is_error=True)
            return
        what = f"Stop job {job.number}, {job.title}? It says then what is kept; the key . begins it again."
        self._asked = job.number, ConfirmDialog(cell_safe(what))
        self._asked[1].ask(self, lambda yes: self.shell.jobs.cancel(job.number))

    def action_again(self) -> None:
        """Begin it again; of a command that failed, ask with what."""
        job = self._job_here()
        if job is None:
            return
        if job.program is not None and job.program.form and job.phase == "failed":
            begin_command(self, job.program.form, job.program.typed)
        elif self.shell.jobs.again(job.number) is None:
            told = "is done" if job.is_over else "is not over"
            self.say(f"job {job.number} {told}", is_error=True)


def _details(job: JobState, width: int, commands: Offered | None) -> list[str]:
    """All that is known of a job, in lines of so many cells; of a command what it wrote, as it did, is first."""
    if not isinstance(job.result, ProgramOutput):
        return _folded(job_details(job.title, _state(job), said_here(job.told), job.result), width)
    when = f"begun: {moment(job.begun)} (UTC), took {duration(job.seconds or 0)}"
    shell = [] if job.program is None else [f"In a shell: {shell_call(commands, job.program.words)}"]
    talk = _folded([*map(said_here, job.result.talk), when, *shell], width)
    lines, _ = _without_legends(job, job.result.answer, width)
    answer = [part for line in _apart(lines) for part in _folded_text(line, width)]
    return [*answer, *([""] if answer else ()), *talk]


_MOST_LEGEND = 2
"""Lines below a table; longer, what is said there would be more than what was found."""


_OF_FIGURES = frozenset(("score", "scores", "compare", "agreement", "study"))
"""Commands below whose tables it stands what these mean; the lines of others may be texts."""


def _without_legends(job: JobState, lines: Sequence[str], width: int) -> tuple[list[str], list[tuple[str, str]]]:
    """An answer with one line for the signatures below a table where much is said there, and these by their metrics."""
    kept, legends = list[str](), list[tuple[str, str]]()
    if job.title.partition(" ")[0] not in _OF_FIGURES:
        return [*lines], legends
    for is_said, group in groupby(lines, lambda line: bool(line) and "  " not in line.strip()):
        said = list(group)
        is_below = bool(kept) and "  " in kept[-1].strip()
        if is_said and is_below and sum(len(_folded_text(line, width)) for line in said) > _MOST_LEGEND:
            signatures = [line for line in said if ": metric:" in line or "|" in line]
            found = [each.rpartition(": ") for line in signatures for each in _BETWEEN.split(line.strip())]
            legends += [("all of them" if name == "all" else name, text.replace("|", " | ")) for name, _, text in found]
            said = [line for line in said if line not in signatures]
            if names := dict.fromkeys(name for name, _, _ in found if name != "all"):
                indent = " " * (len(signatures[0]) - len(signatures[0].lstrip()))
                told = f"{indent}? has the signatures of {', '.join(names)}"
                said.append(cut_right(told, width - _BESIDE_LINES))
        kept += said
    return kept, legends


_BETWEEN = re.compile(r"; (?=[^ ;]+: )")
"""What stands between the signatures of two metrics in one line."""


def legend_of(job: JobState, width: int) -> list[tuple[str, str]]:
    """What the help says of an answer: the signatures that are left out of it."""
    lines = job.result.answer if isinstance(job.result, ProgramOutput) else []
    return _without_legends(job, lines, width)[1]


def _apart(lines: Sequence[str]) -> Iterator[str]:
    """Lines with an empty one between a table and what is said below it."""
    for before, line in zip(["", *lines], lines, strict=False):
        if "  " in before.strip() and line and "  " not in line:
            yield ""
        yield line


def _folded_text(line: str, width: int) -> list[str]:
    """A line of text folded, as far in as it begins; one of a table as it is, which goes on sideways."""
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    room = max(width - _BESIDE_LINES - len(indent), 20)  # as wide as the command was told to write
    return [line] if "  " in text else [indent + part for part in wrapped(cell_safe(text), room)] or [line]


def _fitting(told: str, room: int) -> str:
    """As many parts of what is told as there is room for, the first in any case; Enter shows them all."""
    parts = told.split("; ")
    fit = [count for count in range(1, len(parts)) if cell_len("; ".join(parts[:count])) <= room]
    return told if cell_len(told) <= room else "; ".join(parts[: max(fit, default=1)])


def _is_past(begun: str) -> bool:
    """Whether it was on another day, by UTC as times are."""
    return bool(begun) and begun[:10] != datetime.now(UTC).isoformat()[:10]


def _state(job: JobState) -> str:
    """What a job does or came to, when it was begun, and how long it took."""
    begun = f", begun {moment(job.begun)} (UTC)" if job.begun else ""
    return job.phase + begun + (f", took {duration(job.seconds)}" if job.seconds is not None else "")


def _folded(lines: Sequence[str], width: int) -> list[str]:
    return [part for line in lines for part in wrapped(cell_safe(line), max(width - _BESIDE_PLOTS, 20))]


def _name(row: Row | None) -> object:
    """What stays the same about a row while its figures change."""
    match row:
        case JobState():
            return "job", row.number
        case RunOverview():
            return "run", row.id
    return row


Answer = TypeVar("Answer")

_BESIDE_LINES = 3
"""Cells of a line of an answer: the mark of the cursor, and the scroll bar."""
_BESIDE_PLOTS = 4
"""Cells of a line that a plot cannot have: the mark of the cursor and the scroll bar."""


class OverviewScreen(PlaceScreen):
    """All figures of the database in one list, and below them the plots. They are counted when one comes here."""

    PLACE = "overview"
    BEGINS = ("info", "check", "backup", "sql", "import", "export")
    SIGNS = (
        ("units", "Lines of a collection's files as they were imported, with translations; Enter lists its documents"),
        ("accepted", "What sessions wrote: x in the session takes one out, or `remove accepted --sentence TEXT`"),
        ("sentences", "Each once; Frequencies tells how many words they have"),
        ("occurrences", "How often the sentences of a language are in files: each sentence is kept once"),
        ("+-", "The standard deviation, behind a mean"),
        ("up to date", "A layer: what is derived for a language, in the order in which it is built"),
        ("behind by", "So many sentences came since; the step above that Enter takes brings it up to date"),
        ("N, V", "The filter of the plots: runs of N characters were seen, and the least validity V"),
    )
    HINTS = Hints(("list.open", "screen.begin", "overview.language", "overview.sizes", "overview.recount"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("l", "language", "Language", "overview.language", "Plots of the next language"),
        bind("left", "order(-1)", "N - 1", "overview.less", "A lower N for the filter"),
        bind("right", "order(1)", "N + 1", "overview.more", "A higher N for the filter"),
        bind(
            "greater_than_sign",
            "validity(1)",
            "V+",
            "overview.validity-up",
            "A higher V, the least validity of the filter",
        ),
        bind(
            "less_than_sign",
            "validity(-1)",
            "V-",
            "overview.validity-down",
            "A lower V, the least validity; at 0 N alone decides",
        ),
        bind("t", "sizes", "Tables", "overview.sizes", "The size of each table, for which all is read"),
        bind("R", "recount", "Recount", "overview.recount", "Count everything again"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._overview: Overview | None = None
        self._statistics: CorpusStatistics | None = None
        self._version: int | None = None
        """Of the database that was counted."""
        self._language = ""
        self._kept = DEFAULT_FILTER
        self._lines: list[str] = []
        self._plots_from = sys.maxsize
        """Where pictures begin, which stand there whole."""
        self._session: SessionProgress | None = None
        """The one that was worked on last."""
        self._steps: list[_Step] = []

    def compose_body(self) -> ComposeResult:
        yield RowList(id="overview", empty="Counting ...", has_headings=True)

    def on_mount(self) -> None:
        self.query_one(RowList).focus()

        def job_changed(state: JobState) -> None:
            if state.is_over and self.is_current:
                self.on_screen_resume()

        self.shell.job_changed.subscribe(self, job_changed)

    def on_screen_resume(self) -> None:
        """Count again where somebody has changed the database since; what to go on with may be another in any case."""

        def look(version: int) -> None:
            if version != self._version:
                self._version = version
                self._count()
            self._show()

        self.ask(lambda reader: reader.store.version, look, kind="overview")

    def on_unmount(self) -> None:
        self.shell.runner.stop_beside()

    def on_resize(self) -> None:
        self._show()

    def _ask_beside(self, what: str, question: Callable[[Store], Answer], then: Callable[[Answer], None]) -> None:
        """As ``ask``, but beside other questions: this reads nearly all of the database, which may take seconds."""

        def answered(answer: Answer) -> None:
            self.say("")
            then(answer)

        self.say(f"{what} ...")
        self.wait_for(lambda: self.shell.runner.ask_beside(question), answered)

    def _count(self, *, sizes: bool = False) -> None:
        def question(store: Store) -> tuple[Overview, SessionProgress | None]:
            open_ones = (each for each in sessions(store) if each.done < each.seeds)
            return overview(store, sizes=sizes), next(open_ones, None)

        self._ask_beside("counting", question, lambda answer: self._counted(*answer))

    def _counted(self, found: Overview, session: SessionProgress | None) -> None:
        self._overview, self._session = found, session
        if self._language not in self._codes:
            most = max(found.languages, key=lambda each: (len(each.layers), each.sentences), default=None)
            self._language = most.code if most else ""
        self._show()
        self._describe()

    def _describe(self, *, goes_there: bool = False) -> None:
        """Count for the plots; with ``goes_there`` the cursor goes to them, unless it has moved meanwhile."""
        language, kept, rows = self._language, self._kept, self.query_one(RowList)
        before = rows.cursor

        def described(found: CorpusStatistics) -> None:
            self._statistics = found
            self._show()
            if goes_there and rows.cursor == before:
                rows.cursor = self._plots_from + 1
                self.call_after_refresh(rows.scroll_to, y=self._plots_from + 1, animate=False)

        if language:
            what = f"counting the paraphrases of {language}, for the plots below"
            self._ask_beside(what, lambda store: corpus_statistics(store, language, kept), described)

    def _show(self) -> None:
        rows = self.query_one(RowList)
        if self._overview is None:
            return
        self._steps = [*_steps_back(self, self._session), *_steps_on(self, self._overview)][:_MOST_STEPS]
        steps = [f"  {told}" for told, _ in self._steps]
        shown = None if self._codes else _OF_AN_EMPTY_ONE
        self._lines = [_BEGIN, *steps, "", *overview_lines(self._overview)[:shown]]
        if self._statistics is not None:
            width = max(self.size.width - _BESIDE_PLOTS, 20)
            plots = statistics_lines(self._statistics, width, ascii=self.shell.ascii_only)
            self._plots_from = len(self._lines)
            self._lines += ["", *plots[:-1]]  # which end with an empty line
        rows.show_rows(len(self._lines), self._line, cursor=rows.cursor)

    def _line(self, place: int) -> Text:
        """A line; those after an empty one are headings, with the names of the columns below them."""
        is_below = place > 1 and not self._lines[place - 2]
        return Text(
            self._lines[place], "bold" if place == 0 or not self._lines[place - 1] else "dim" if is_below else ""
        )

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """Take a step; any other line can be read whole, where it is longer than the screen is wide."""
        if 0 < message.row <= len(self._steps):
            self._steps[message.row - 1][1]()
            return
        line = self._lines[message.row].strip()
        names = [each.name for each in self._overview.collections] if self._overview else []
        if (name := line.partition("  ")[0]) in names and message.row < self._lines.index("Languages"):
            self.app.post_message(DocumentsWanted(name))
        elif (code := line.partition(" ")[0]) in self._codes:
            self._language = code
            self._describe(goes_there=True)
        elif message.row <= self._plots_from and cell_len(line) > self.size.width - _BESIDE_PLOTS:
            self.app.push_screen(DetailsDialog("The whole line", [line]))
        else:
            self.say("Enter does a step, lists the documents of a collection, or shows the plots of a language")

    @property
    def _codes(self) -> list[str]:
        return [each.code for each in self._overview.languages] if self._overview else []

    def action_language(self) -> None:
        if codes := self._codes:
            self._language = codes[(codes.index(self._language) + 1) % len(codes)]
            self._describe(goes_there=True)

    def action_order(self, step: int) -> None:
        self._kept = replace(self._kept, order=max(self._kept.order + step, 0))
        self._describe()

    def action_validity(self, step: int) -> None:
        self._kept = replace(self._kept, min_validity=moved_validity(self._kept.min_validity, step))
        self._describe()

    def action_sizes(self) -> None:
        self._count(sizes=True)

    def action_recount(self) -> None:
        self._count()


# What one may go on with: where one was, what the database lacks, and what any has.


_Step: TypeAlias = tuple[str, Callable[[], object]]
"""What is told of it, and what Enter does."""
_BEGIN = "What to do next: Enter does it"
_MOST_STEPS = 5
_OF_AN_EMPTY_ONE = 2
"""Lines of a database in which nothing is counted: its name and its size."""


def _steps_back(screen: PlaceScreen, session: SessionProgress | None) -> Iterator[_Step]:
    """To the last query, and to the last session that has seeds to be done."""
    app, query = screen.app, screen.shell.memory.query
    if query.get("pattern"):
        told = f"Go on with the search for {cell_safe(str(query['pattern']))} ({cell_safe(str(query.get('lang')))})"
        yield told, lambda: app.run_worker(app.run_action("go('corpus')"))
    if session is not None:
        told = f"Go on with session {cell_safe(session.name)}: seed {session.position:,} of {session.seeds:,}"
        yield told, lambda: app.post_message(SessionOpened(session.name, session.id))


def _steps_on(screen: PlaceScreen, found: Overview) -> Iterator[_Step]:
    app = screen.app
    is_busy = bool(screen.shell.jobs.active)
    for step in next_steps(found):
        if is_busy and step.renews:
            continue
        yield f"{step.told} ({step.command})", partial(begin_command, screen, step.command, step.said)
    go = lambda place: app.run_worker(app.run_action(f"go('{place}')"))  # noqa: E731
    if found.languages:
        count, places = sum(each.sentences for each in found.languages), counted(len(found.languages), "languages")
        yield f"Search {count:,} sentences in {places}: 1, then / and what is looked for", partial(go, "corpus")
        yield "Words: the most frequent, what occurs near them, how they are translated", partial(go, "frequencies")
        yield "Paraphrases: p on a sentence in Search; sessions to accept and export them", partial(go, "session")
    else:
        yield "Guides: what there is to do, by examples", lambda: app.run_worker(app.run_action("guides"))
    yield "Scores: of systems against references; people's, and how far both agree", partial(go, "scores")
