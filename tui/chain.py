"""The overview of the database, and the jobs: what runs in the background, and what ran before."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.base.display import check_name
from corpusdb.base.errors import DatabaseReadOnly, UsageError
from corpusdb.base.jobs import Job
from corpusdb.base.text import language_codes
from corpusdb.chain.queries.generation import generate, prepare
from corpusdb.chain.queries.importing import collection_name, import_files
from corpusdb.chain.queries.overview import Overview, RunOverview, overview, recent_runs
from corpusdb.chain.report import counts_in_words, gist, job_details, overview_lines, run_details, statistics_lines
from corpusdb.corpus.formats import Options, Source, open_sources
from corpusdb.corpus.formats.registry import readable_formats, reader_of
from corpusdb.corpus.model import ImportReport
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER
from corpusdb.paraphrase.queries.statistics import CorpusStatistics, corpus_statistics
from tui.kit.background import Factory, JobState
from tui.kit.dialogs import ChoiceDialog, ConfirmDialog, DetailsDialog, Field, FormDialog
from tui.kit.place_screen import Hints, PlaceScreen
from tui.kit.shown import Opened, RowList, Text, moved_validity

IMPORT_FIELDS = (
    Field("files", "Files", hint="as in a shell: one or several, with quotes around spaces"),
    Field("languages", "Languages", hint="in their order, such as eng,fra"),
    Field(
        "format",
        "Format",
        hint="recognised if empty; PgDn goes through them",
        choices=("", *sorted(readable_formats())),
    ),
    Field("name", "Collection", hint="named after the first file if empty"),
    Field("licence", "Licence", hint="of the collection; may be empty"),
)


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Files that somebody wants in the database."""

    files: tuple[Path, ...]
    languages: tuple[str, ...]
    format: str | None
    collection: str
    licence: str | None

    @property
    def title(self) -> str:
        more = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return f"import {self.files[0].name}{more}"

    def check(self) -> None:
        """Look into the files. Raises CorpusError where they are not what they are said to be; may take a moment."""
        self._sources()

    def _sources(self) -> list[Source]:
        return open_sources(self.format, self.files, Options(languages=self.languages))

    def job(self, store: Store) -> Job[ImportReport]:
        """The import. Opens the files to see what is in them, so that this is not for the screen's thread."""
        return import_files(store, self._sources(), self.collection, self.licence)


def import_request(values: Mapping[str, str]) -> ImportRequest:
    """What the fields say. Raises UsageError and InputError."""
    try:
        files = tuple(Path(word).expanduser() for word in shlex.split(values["files"]))
    except ValueError as error:
        raise UsageError(f"the files cannot be told apart: {error}") from error
    if not files:
        raise UsageError("no file is given")
    for file in files:
        if file == Path("-"):
            raise UsageError("standard input is the keyboard here; `corpusdb import -` reads it")
        if not file.is_file():
            raise UsageError(f"{file}: {'is a folder' if file.is_dir() else 'there is no such file'}")
    if values["format"]:
        reader_of(values["format"])
    if values["name"]:
        check_name(values["name"], "a collection")
    languages = language_codes(values["languages"]) if values["languages"] else ()
    return ImportRequest(
        files,
        languages,
        values["format"] or None,
        values["name"] or collection_name(files[0]),
        values["licence"] or None,
    )


Row: TypeAlias = JobState | RunOverview | str
"""A job, a run, or a heading."""

_RUNS = 50
_OPERATIONS: dict[str, tuple[str, Callable[[Store, str], Job[Any]]]] = {
    "detect": ("detect paraphrases", detect),
    "generate": ("generate paraphrases", generate),
    "index": ("index commutations", prepare),
}
"""What can be done for a language: in words, and the job."""


class JobsScreen(PlaceScreen):
    """Jobs of this browser, the last first, and below them the latest runs in the database."""

    PLACE = "jobs"
    HINTS = Hints(
        ("list.open", "jobs.import", "jobs.detect", "jobs.generate", "jobs.index", "jobs.cancel", "jobs.again")
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "import", "Import", id="jobs.import", tooltip="Import files"),
        Binding("d", "language_job('detect')", "Detect", id="jobs.detect", tooltip="Detect paraphrases"),
        Binding("p", "language_job('generate')", "Generate", id="jobs.generate", tooltip="Generate paraphrases"),
        Binding("x", "language_job('index')", "Index", id="jobs.index", tooltip="Index a language for paradigms"),
        Binding("c", "cancel", "Cancel", id="jobs.cancel", tooltip="Cancel this job; what is done is kept"),
        Binding("r", "again", "Again", id="jobs.again", tooltip="Go on with a job that failed or was cancelled"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._runs: tuple[RunOverview, ...] = ()
        self._rows: list[Row] = []
        self._details: tuple[int, DetailsDialog] | None = None
        """The job whose details are shown, by its number."""

    def compose_body(self) -> ComposeResult:
        yield RowList(id="jobs")

    def on_mount(self) -> None:
        self.shell.job_changed.subscribe(self, self._job_changed)
        self.query_one(RowList).focus()
        self._show()
        self._read_runs()

    def _read_runs(self) -> None:
        self.ask(lambda reader: recent_runs(reader.store, _RUNS), self._runs_read, kind="runs")

    def _runs_read(self, runs: tuple[RunOverview, ...]) -> None:
        self._runs = runs
        self._show()

    def _job_changed(self, state: JobState) -> None:
        self._show()
        if state.is_over:
            self._read_runs()
        if self._details and self._details[0] == state.number and self._details[1].is_attached:
            self._details[1].show_more(job_details(state.title, state.phase, state.told, state.result))

    def _show(self) -> None:
        """Show jobs and runs as they are; the cursor stays on what it is on."""
        rows = self.query_one(RowList)
        before = self._rows[rows.cursor] if self._rows else None
        jobs: list[Row] = list(reversed(self.shell.jobs.states))
        none = "   none: i import, d detect, p generate, x index"
        self._rows = ["Jobs of this browser", *(jobs or [none]), "", "Latest runs in the database (times are UTC)"]
        self._rows += self._runs
        places = [place for place, row in enumerate(self._rows) if _name(row) == _name(before)]
        cursor = places[0] if places and not isinstance(before, str) else 1
        rows.show_rows(len(self._rows), self._line, cursor=cursor)

    def _line(self, place: int) -> Text:
        match self._rows[place]:
            case JobState() as job:
                return Text(f"{job.number:>4}  {job.phase:<9}  {job.title}  {job.told or gist(job.result)}")
            case RunOverview() as run:
                state = "finished" if run.finished else "no end"
                when = run.started[:16].replace("T", " ")
                return Text(f"{run.id:>4}  {state:<9}  {when}  {run.operation}  {counts_in_words(run.counts)}")
            case heading:
                return Text(str(heading), "bold" if heading[:1].isupper() else "")

    def _job_here(self) -> JobState | None:
        """The job under the cursor; says so where there is none."""
        row = self._rows[self.query_one(RowList).cursor]
        if isinstance(row, JobState):
            return row
        self.say("this is no job of this browser", is_error=True)
        return None

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        match self._rows[message.row]:
            case JobState() as job:
                lines = job_details(job.title, job.phase, job.told, job.result)
                self._details = (job.number, DetailsDialog(f"Job {job.number}", lines))
                self.app.push_screen(self._details[1])
            case RunOverview() as run:
                self.app.push_screen(DetailsDialog(f"Run {run.id}", run_details(run)))

    def _start(self, title: str, factory: Factory) -> None:
        """Start a job and go to it, if the database may be written to."""
        with self.errors_shown():
            if self.shell.read_only:
                raise DatabaseReadOnly(f"{self.shell.path}: the database may only be read")
            self.shell.jobs.start(title, factory)
            self._show()
            self.query_one(RowList).cursor = 1

    def action_import(self) -> None:
        def answered(values: dict[str, str] | None) -> None:
            if values is not None:
                request = import_request(values)
                self._start(request.title, request.job)

        async def look(values: Mapping[str, str]) -> None:
            """See whether the files can be read as what they are said to be."""
            await asyncio.to_thread(import_request(values).check)

        form = FormDialog("Import files into a collection", IMPORT_FIELDS, import_request, look)
        self.app.push_screen(form, answered)

    def action_language_job(self, operation: str) -> None:
        words, job = _OPERATIONS[operation]

        def start(language: str) -> None:
            self._start(f"{words}: {language}", lambda store: job(store, language))

        def choose(languages: list[str]) -> None:
            if len(languages) == 1:
                start(languages[0])
            elif languages:
                dialog = ChoiceDialog(f"{words.capitalize()} in which language?", languages, self.shell.language)
                self.app.push_screen(dialog, lambda place: None if place is None else start(languages[place]))
            else:
                self.say("the corpus is empty; i imports something", is_error=True)

        self.ask(lambda reader: languages_of(reader.store), choose, kind="languages")

    def action_cancel(self) -> None:
        job = self._job_here()
        if job is None:
            return
        if job.is_over:
            self.say(f"{job.title} is over", is_error=True)
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.shell.jobs.cancel(job.number)

        self.app.push_screen(ConfirmDialog(f"Cancel {job.title}? What is done is kept."), answered)

    def action_again(self) -> None:
        job = self._job_here()
        if job is not None and self.shell.jobs.again(job.number) is None:
            self.say(f"{job.title} neither failed nor was cancelled", is_error=True)


def _name(row: Row | None) -> object:
    """What stays the same about a row while its figures change."""
    match row:
        case JobState():
            return "job", row.number
        case RunOverview():
            return "run", row.id
    return row


Answer = TypeVar("Answer")

_BESIDE_PLOTS = 4
"""Cells of a line that a plot cannot have: the mark of the cursor and the scroll bar."""


class OverviewScreen(PlaceScreen):
    """All figures of the database in one list, and below them the plots. They are counted when one comes here."""

    PLACE = "overview"
    HINTS = Hints(
        (
            "overview.language",
            "overview.less",
            "overview.more",
            "overview.validity-down",
            "overview.validity-up",
            "overview.sizes",
            "overview.recount",
        ),
        needed=5,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "language", "Language", id="overview.language", tooltip="Plots of the next language"),
        Binding("left", "order(-1)", "N - 1", id="overview.less", tooltip="A lower N for the filter", show=False),
        Binding("right", "order(1)", "N + 1", id="overview.more", tooltip="A higher N for the filter", show=False),
        Binding(
            "greater_than_sign",
            "validity(1)",
            "V+",
            id="overview.validity-up",
            tooltip="A higher V, the least validity of the filter",
            show=False,
        ),
        Binding(
            "less_than_sign",
            "validity(-1)",
            "V-",
            id="overview.validity-down",
            tooltip="A lower V, the least validity; at 0 N alone decides",
            show=False,
        ),
        Binding("t", "sizes", "Tables", id="overview.sizes", tooltip="The size of each table, for which all is read"),
        Binding("R", "recount", "Recount", id="overview.recount", tooltip="Count everything again"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._overview: Overview | None = None
        self._statistics: CorpusStatistics | None = None
        self._language = ""
        self._kept = DEFAULT_FILTER
        self._lines: list[str] = []

    def compose_body(self) -> ComposeResult:
        yield RowList(id="overview", empty="Counting ...")

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self._count()

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
        self._ask_beside("counting", lambda store: overview(store, sizes=sizes), self._counted)

    def _counted(self, found: Overview) -> None:
        self._overview = found
        codes = [each.code for each in found.languages]
        if self._language not in codes:
            most = max(found.languages, key=lambda each: (len(each.layers), each.sentences), default=None)
            self._language = most.code if most else ""
        self._show()
        self._describe()

    def _describe(self) -> None:
        language, kept = self._language, self._kept
        if language:
            what = f"counting the paraphrases of {language} at {kept}"
            self._ask_beside(what, lambda store: corpus_statistics(store, language, kept), self._described)

    def _described(self, found: CorpusStatistics) -> None:
        self._statistics = found
        self._show()

    def _show(self) -> None:
        rows = self.query_one(RowList)
        if self._overview is None:
            return
        self._lines = overview_lines(self._overview)
        if self._statistics is not None:
            width = max(self.size.width - _BESIDE_PLOTS, 20)
            plots = statistics_lines(self._statistics, width, ascii=self.shell.ascii_only)
            self._lines += ["", *plots[:-1]]  # which end with an empty line
        rows.show_rows(len(self._lines), self._line, cursor=rows.cursor)

    def _line(self, place: int) -> Text:
        """A line; those after an empty one are headings."""
        return Text(self._lines[place], "bold" if place == 0 or not self._lines[place - 1] else "")

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        """A line that is longer than the screen is wide can be read whole."""
        self.app.push_screen(DetailsDialog("The whole line", [self._lines[message.row].strip()]))

    def action_language(self) -> None:
        codes = [each.code for each in self._overview.languages] if self._overview else []
        if codes:
            self._language = codes[(codes.index(self._language) + 1) % len(codes)]
            self._describe()

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
