"""One call of the program: its database, how it talks, what it writes to stdout, and jobs run to their end."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from math import inf
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final, TextIO, TypeVar

from corpusdb.base.cells import cell_width
from corpusdb.base.display import (
    Cell,
    Format,
    behind_wall,
    cell_safe,
    json_safe,
    lines_safe,
    short,
    singular,
    write_rows,
)
from corpusdb.base.errors import MOST_TOLD, Cancelled, DatabaseDamaged, DatabaseReadOnly, UsageError, one_line
from corpusdb.base.jobs import (
    SAME_COMMAND,
    SECONDS_FOR_PATTERNS,
    TIMEOUT_VARIABLE,
    Job,
    Limit,
    Pace,
    Progress,
    duration,
    finished,
)
from corpusdb.base.options import Option, options_given
from corpusdb.base.text import LOOK_ALIKES, language_code, normalise

if TYPE_CHECKING:
    from corpusdb.base.outputs import Guard
    from corpusdb.corpus.model import Input, MadeFrom
    from corpusdb.corpus.store import Store


# Data on stdout: lines, tables and JSON. To a terminal, tables are aligned by terminal cells and texts are made
# harmless; anywhere else tabs separate columns and texts stand as they are, so that ``cut``, ``sort`` and ``grep`` have
# the data itself.


def is_terminal() -> bool:
    """Whether stdout is read by a person rather than by a program."""
    return sys.stdout.isatty()


FOR_PEOPLE: Final = ("table", "markdown", "latex")
"""Formats that people read."""


def room_of_table() -> int | None:
    """The columns of the terminal that stdout is; None where it is none, and whatever is written has room."""
    return get_terminal_size().columns if is_terminal() else None


def write_line(text: str = "") -> None:
    """One line of text; on a terminal it is one whatever it holds."""
    sys.stdout.write(f"{cell_safe(text) if is_terminal() else text}\n")


def write_text(text: str) -> None:
    """Lines of text, and the line break that ends the last."""
    sys.stdout.write(f"{lines_safe(text) if is_terminal() else text}\n")


def write_terminal(text: str) -> None:
    """One line whose texts were made harmless by the caller, and which may hold escape sequences of its own."""
    behind_wall(sys.stdout).write(text + "\n")


def write_json(value: object, *, indent: int | None = 2) -> None:
    """One JSON document; dataclasses become objects and bytes their hexadecimal digits."""
    document = json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)
    sys.stdout.write(f"{json_safe(document) if is_terminal() else document}\n")


def write_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, aligned: bool | None = None) -> None:
    """Rows under the names of their columns, or without any; ``aligned`` None = where stdout is a terminal."""
    write_rows("table" if (is_terminal() if aligned is None else aligned) else "tsv", columns, rows, sys.stdout)


@contextmanager
def stdout_in(file: Path | None, guard: Guard) -> Iterator[None]:
    """Inside the block, stdout goes to ``file``, which is there only when the block has ended without an error.

    None and ``-`` are stdout itself. What is no file, such as a pipe, is written to directly. Raises as check_output
    does, before the block begins.
    """
    if file is None or str(file) == "-":
        yield
        return
    from corpusdb.base.outputs import Outputs

    with Outputs(guard) as outputs, outputs.text(file) as stream, redirect_stdout(stream):
        yield


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} is not JSON")


# What one call of a command is made of, noted while it runs, for the document that it prints.


class DocumentProvenance:
    """The command and its options, the files that it reads, and the database as it is when it is opened.

    So are the analysers that cut its texts into morphemes.
    """

    def __init__(
        self,
        command: str,
        options: object,
        files: Sequence[Path],
        analysers: Collection[str],
        database_inputs: Callable[[Store], Iterable[Input]],
    ) -> None:
        """``files`` and ``analysers`` grow while the command reads."""
        self._command = command
        self._options = options_given(options)
        self._files = files
        self._analysers = analysers
        self._database_inputs = database_inputs
        self._database: list[Input] = []
        self._rules: list[Input] = []

    def note_database(self, store: Store) -> None:
        """Note what of the database there is to be used; at first, where it is opened several times."""
        if not self._database:
            self._database = list(self._database_inputs(store))

    def note_rules(self, name: str, digest: str) -> None:
        from corpusdb.corpus.model import Input

        self._rules.append(Input("rule set", name, digest))

    def record(self) -> MadeFrom:
        """What was noted so far, with the digests of the files as they are now."""
        from corpusdb.corpus.formats.reading import file_inputs
        from corpusdb.corpus.model import MadeFrom, analyser_inputs

        inputs = (*file_inputs(self._files), *analyser_inputs(self._analysers), *self._rules, *self._database)
        return MadeFrom(self._command, self._options, inputs)

    def document(self, value: object) -> object:
        """A document, or a list of them, with what it was made from."""
        from corpusdb.corpus.model import with_record

        members = [_plain_value(each) for each in value] if isinstance(value, list) else _plain_value(value)
        return with_record(members, self.record())


def _plain_value(value: object) -> object:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


# Jobs run to their end, with what they are doing on stderr.

Result = TypeVar("Result")

_SECONDS_BETWEEN_DRAWINGS = 0.1
_SECONDS_UNTIL_LINE = 10.0
"""Of a job: a shorter one writes a line at its end only, where lines are not rewritten."""
_MOST_SECONDS_BETWEEN_LINES = 600.0
_COLUMNS_UNKNOWN = 80


def run_job(job: Job[Result], *, quiet: bool = False, goes_on: str | None = None) -> Result:
    """Run ``job`` to its end and return its report.

    Raises Cancelled for ctrl+c: the transaction that it hits is rolled back, so that the file is as after the last one.
    ``goes_on`` is what goes on from there; None: the job writes nothing until its end, and begins anew.
    """
    meter = None if quiet else Meter(sys.stderr)
    try:
        report = finished(job, meter.show if meter else None)
        if meter:
            meter.finish()
        return report
    except KeyboardInterrupt:
        kept = f"what is done so far is kept, and {goes_on} goes on from there"
        told = kept if goes_on else f"nothing was written, and {SAME_COMMAND} starts from the beginning"
        raise Cancelled(f"interrupted; {told}") from None
    finally:
        if meter:
            meter.clear()


class Meter:
    """What a job is doing: one line that is rewritten on a terminal.

    Anywhere else it is a line when the job is done, and before that one after 10 s, 20 s more, 40 s more, and so on.
    """

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._rewrites = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._pace = Pace(clock)
        self._stages: list[str] = []
        """The first, and the last where that is another one."""
        self._begun = self._drawn = clock()
        self._between = _SECONDS_UNTIL_LINE
        self._width = 0

    def show(self, step: Progress) -> None:
        """Show a step, unless another was shown a moment ago; on a terminal the first of a stage always is."""
        now = self._clock()
        reading = self._pace.reading(step)
        is_new = step.stage not in self._stages[-1:]
        self._stages = [*self._stages[:1], step.stage] if is_new else self._stages
        if self._rewrites:
            if is_new or now - self._drawn >= _SECONDS_BETWEEN_DRAWINGS:
                self._drawn = now
                # in the last column some terminals wrap
                self._rewrite(_shortened(cell_safe(reading.told), _columns_of(self._stream) - 1))
        elif now - self._drawn >= self._between:
            self._drawn, self._between = now, min(2 * self._between, _MOST_SECONDS_BETWEEN_LINES)
            self._write_line(reading.told)

    def finish(self) -> None:
        """Say that the job is done, where no line is rewritten: what is left of it in a file."""
        if self._stages and not self._rewrites:
            seconds = self._clock() - self._begun
            took = f" in {duration(seconds)}" if seconds >= 1 else ""
            self._write_line(f"{' ... '.join(self._stages)}: done{took}")

    def clear(self) -> None:
        """Take the line away, so that what comes next stands at its place."""
        if self._width:
            self._rewrite("")
            self._draw("\r")

    def _write_line(self, text: str) -> None:
        self._stream.write(f"corpusdb: {text}\n")
        self._stream.flush()

    def _rewrite(self, text: str) -> None:
        width = cell_width(text)
        # Blanks rather than an escape sequence: they erase on every terminal.
        self._draw("\r" + text + " " * (self._width - width))
        self._width = width

    def _draw(self, text: str) -> None:
        stream = behind_wall(self._stream)
        stream.write(text)
        stream.flush()


def _columns_of(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _COLUMNS_UNKNOWN
    except OSError:
        return _COLUMNS_UNKNOWN


def _shortened(text: str, cells: int) -> str:
    while cell_width(text) > cells and text:
        text = text[:-1]
    return text


DATABASE_VARIABLE = "CORPUSDB_DB"
_DEFAULT_DATABASE = "corpus.db"


@dataclass(frozen=True, slots=True)
class Invocation:
    """What holds for one call, wherever on the line it was said."""

    chosen: Path | None = None
    quiet: bool = False
    json: bool = False
    chosen_format: Format | None = None
    timeout: float | None = None
    """So many seconds the patterns of the call may take; 0 is all that they take, None what the environment says."""
    overwrite: bool = False
    making: DocumentProvenance | None = None
    """What the call is made of; None where its documents do not tell that."""
    database_inputs: Callable[[Store], Iterable[Input]] = lambda store: ()
    """What of a database results depend on; the program says it."""
    said: set[str] = field(default_factory=set, compare=False, repr=False)
    """The lines of talk so far: what several steps of a call have to say is said once."""
    failures: list[str] = field(default_factory=list, compare=False, repr=False)
    """What the answer fails to be, told as an error when all of it is written."""

    @property
    def format(self) -> Format:
        """How rows are to be written: as was said, else ``table`` on a terminal and ``tsv`` elsewhere."""
        return self.chosen_format or ("json" if self.json else "table" if is_terminal() else "tsv")

    @property
    def attended(self) -> bool:
        """Whether a person asks, and reads the answer: only then what they asked before may change what it is."""
        return not self.quiet and not self.json and is_terminal() and sys.stdin.isatty()

    @property
    def path(self) -> Path:
        """The database: the one named, else that of $CORPUSDB_DB, else corpus.db in the current folder."""
        return self.chosen or Path(os.environ.get(DATABASE_VARIABLE) or _DEFAULT_DATABASE)

    def guard(self, *, overwrite: bool) -> Guard:
        """What the outputs of this call may replace: never its database."""
        from corpusdb.base.outputs import Guard

        return Guard(self.path, overwrite)

    def with_options(
        self,
        *,
        db: Path | None,
        quiet: bool,
        json: bool = False,
        format: Format | None = None,
        timeout: float | None = None,
        overwrite: bool = False,
    ) -> Invocation:
        """The invocation with what was said behind the name of the command. Raises UsageError for two formats."""
        if json and format not in (None, "json"):
            raise UsageError(f"--json and --format {format} are two formats")
        json = json or format == "json"
        chosen, quiet = db or self.chosen, self.quiet or quiet
        said = replace(self, chosen=chosen, quiet=quiet, json=json, chosen_format=format)
        return replace(said, timeout=timeout, overwrite=overwrite)

    def limit(self) -> Limit:
        """The time for patterns. Raises UsageError where the environment gives no number of seconds."""
        if self.timeout is not None:
            return Limit(self.timeout, by_processor=True)
        told = os.environ.get(TIMEOUT_VARIABLE) or str(SECONDS_FOR_PATTERNS)
        try:
            seconds = float(told)
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds < inf:
            raise UsageError(f"{TIMEOUT_VARIABLE}={told} is not a number of seconds; 0 is no limit")
        return Limit(seconds, by_processor=True)

    @contextmanager
    def reading(self, *, damaged: bool = False) -> Iterator[Store]:
        """The database, for commands that only read; they never wait for a writer. One that a check found damaged is
        refused unless it is wanted."""
        from corpusdb.corpus.store import open_for_reading

        with self._opened(open_for_reading(self.path, damaged=damaged, tell=self.say)) as store:
            yield store

    @contextmanager
    def writing(self, *, create: bool = False, damaged: bool = False) -> Iterator[Store]:
        """The database, for commands that change it; with ``create`` a missing one is made, and that is said."""
        from corpusdb.corpus.store import open_store

        is_new = create and not self.path.exists()
        with self._opened(open_store(self.path, create=create, damaged=damaged, tell=self.say)) as store:
            if is_new:
                self.say(f"{self.path} is a new database")
            yield store

    def look(self, question: Callable[[Store], Result]) -> Result:
        """The answer to a question that only needs to read, unless it is about a text that was never looked at.

        A seed that is not in the corpus is taken into the index, in a transaction that is taken back. That takes a
        writer, which other questions need not wait for.
        """
        try:
            with self.reading() as store:
                return question(store)
        except DatabaseReadOnly:
            with self.writing() as store:
                return question(store)

    @contextmanager
    def _opened(self, store: Store) -> Iterator[Store]:
        # sqlite3 and its translation come with the store: a module that is imported for --help must not load them.
        from corpusdb.corpus.store.connection import translated_errors

        with store, translated_errors(store.path):
            if self.making is not None:
                self.making.note_database(store)
            told = len(store.notes)
            for note in store.notes:
                self.say(note)
            try:
                yield store
            except DatabaseDamaged:
                store.require_current()  # what seems damaged may be what another process writes
                raise
            for note in dict.fromkeys((*store.notes[told:], *store.remarks)):
                self.say(note)
            store.require_current()

    def run(self, job: Job[Result], *, goes_on: str | None = None) -> Result:
        """Run a job to its end, showing its progress; ``goes_on`` is what goes on where an interruption left it."""
        return run_job(job, quiet=self.quiet, goes_on=goes_on)

    def say(self, message: str) -> None:
        """Talk: a line on stderr that nobody needs in order to use the output."""
        if not self.quiet and message not in self.said:
            self.said.add(message)
            message = one_line(message, MOST_TOLD)
            sys.stderr.write(f"corpusdb: {cell_safe(message) if sys.stderr.isatty() else message}\n")

    def fail(self, message: str | None) -> None:
        """Let the call end with exit code 1 and this line, when all that it answers is written; None: let it be."""
        if message is not None:
            self.failures.append(message)

    def say_cut(self, shown: int, total: int, what: str) -> None:
        """Say how much of a list was left out, if anything was."""
        if total > shown:
            left = total - shown
            self.say(f"{left:,} more {singular(what) if left == 1 else what}; `-n 0` shows all {total:,}")

    def say_none(self, rows: Sized, what: str) -> None:
        """Say that a list is empty, where it is: a table without rows may as well have lost them."""
        if not rows:
            self.say(f"there {what}")

    def report(self, value: object, figures: Sequence[tuple[str, Cell]]) -> None:
        """A report: one JSON document of ``value``, or ``figures`` by name."""
        if self.json:
            write_json(value)
            return
        write_table((), figures)

    def write_document(self, value: object) -> None:
        """One JSON document, or a list of them, with what it was made from, by which `corpusdb replay` makes it again.

        Dataclasses become objects.
        """
        write_json(value if self.making is None else self.making.document(value))

    def show(self, columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, document: object = None) -> None:
        """An answer: rows, in the format that was asked for; as one JSON document what is one, where there is."""
        if self.json and document is not None:
            return write_json(document)
        formulas = write_rows(self.format, columns, rows, sys.stdout)
        if formulas.cells:
            self.say(str(formulas))

    def show_records(self, columns: Sequence[str], records: Sequence[object]) -> None:
        """An answer of dataclasses: rows of the fields that ``columns`` name; in JSON all of their fields."""
        if self.json:
            write_json(records)
        else:
            self.show(columns, [tuple(short(getattr(each, column)) for column in columns) for each in records])

    def language(self, store: Store, given: str | None, text: str) -> str:
        """The language that was given, or the one ``text`` is in. Raises UsageError where the corpus does not tell."""
        from corpusdb.corpus.queries.meant_language import language_of

        found = language_code(given) if given else language_of(store, text)
        if found is None:
            raise UsageError(f"the corpus does not show the language of {text!r}; give it with --lang")
        return found


# Texts on the command line: what names a file that is there is the file, one text a line; so is ``@FILE``, there or
# not, and ``-`` is standard input. Anything else is the text itself, and so is everything with ``--text``. Words,
# patterns and strings that are looked for, such as WORD and PATTERN, are no texts: they are never files.

AS_TEXT: Final = Option("Take the argument as text even if a file has that name.", "--text")
"""The option of every command that takes texts."""
_MOST_TOLD: Final = 3
"""Sentences that are told one by one to be taken as the corpus has them."""
_LIKE_A_FILE: Final = re.compile(r"\S*/\S+|\S+\.(txt|tsv|csv|gz|[a-z]{2,3})")


def texts_of(invocation: Invocation, given: Sequence[str], *, as_text: bool = False) -> list[str]:
    """The texts that arguments stand for, those of files in their place.

    A text that is called like a file which is not there is remarked on. Raises InputError for a file that cannot be
    read, and for @FILE where there is none.
    """
    return [text for each in given for text in _texts(invocation, each, as_text=as_text)]


def names_texts(given: str, *, as_text: bool = False) -> bool:
    return not as_text and (_is_marked(given) or _is_file(given))


def sentence_of(invocation: Invocation, given: str, *, as_text: bool = False) -> str:
    """The one text that an argument stands for. Raises UsageError for a file that has another number of lines."""
    texts = texts_of(invocation, [given], as_text=as_text)
    if len(texts) != 1:
        reason = f"one sentence is expected, and the file {given} has {len(texts):,} lines"
        raise UsageError(f"{reason}; use --text if it is a sentence")
    return texts[0]


def as_in_corpus(invocation: Invocation, store: Store, texts: Sequence[str], language: str | None = None) -> list[str]:
    """The texts, for those that the corpus lacks the one sentence that differs from them in spaces, apostrophes and
    hyphens alone; which are taken so is told. Where several are like a text it stays, and they are told.
    """
    from corpusdb.corpus.queries.names import alike_sentences

    alike = alike_sentences(store, list(dict.fromkeys(texts)), None if language is None else language_code(language))
    taken = {text: found[0] for text, found in alike.items() if len(found) == 1}
    for text in taken if len(taken) <= _MOST_TOLD else ():
        invocation.say(f"{text!r} is read as in the corpus, {_marked(taken[text])}: spaces, apostrophes or hyphens")
    if len(taken) > _MOST_TOLD:
        invocation.say(f"{len(taken):,} sentences are read as in the corpus, with other spaces, apostrophes or hyphens")
    for text, found in alike.items():
        if len(found) > 1:
            several = ", ".join(map(_marked, found))
            invocation.say(
                f"the corpus does not have {text!r}, but with other spaces, apostrophes or hyphens: {several}"
            )
    return [taken.get(normalise(text), text) for text in texts]


def _marked(text: str) -> str:
    """The text as a quotation in which what looks like something else is written by its number."""
    hidden = {char: f"\\u{ord(char):04x}" for chars in LOOK_ALIKES.values() for char in chars}
    return "'" + "".join(hidden.get(char, char) for char in text) + "'"


def _texts(invocation: Invocation, given: str, *, as_text: bool) -> Iterator[str]:
    if as_text:
        yield given
    elif names_texts(given):
        from corpusdb.corpus.formats.scoring_input import read_texts  # a sentence needs none of the formats

        yield from read_texts(Path(given.removeprefix("@") if _is_marked(given) else given))
    else:
        if _LIKE_A_FILE.fullmatch(given):
            invocation.say(f"there is no file {given}: taken as a sentence")
        yield given


def _is_marked(given: str) -> bool:
    return given == "-" or (given.startswith("@") and len(given) > 1)


def _is_file(given: str) -> bool:
    try:
        return Path(given).is_file()
    except (OSError, ValueError):  # a text that is no name a file can have
        return False


@contextmanager
def said_meanwhile(text: str) -> Iterator[None]:
    """Say something on the terminal while what takes seconds on a busy machine is loaded, and take it away again."""
    terminal = behind_wall(sys.stderr)
    terminal.write(_shortened(text, _columns_of(terminal) - 1) + "\r")  # of two lines one would stay
    terminal.flush()
    try:
        yield
    finally:
        terminal.write("\x1b[K")
        terminal.flush()
