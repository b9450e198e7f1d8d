"""Data on stdout: lines, tables and JSON; and jobs run to their end, with what they are doing on stderr."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from corpusdb.base.cells import cell_width
from corpusdb.base.display import Cell, behind_wall, cell_safe, json_safe, lines_safe, write_rows
from corpusdb.base.errors import Cancelled
from corpusdb.base.jobs import Job, Pace, Progress, duration, finished
from corpusdb.base.options import options_to_json

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
        self._options = options_to_json(options)
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


def run_job(job: Job[Result], *, quiet: bool = False, resumes: bool = True) -> Result:
    """Run ``job`` to its end and return its report.

    Raises Cancelled for ctrl+c: the transaction that it hits is rolled back, so that the file is as after the last one.
    A job that does not ``resume`` has nothing that it could keep.
    """
    meter = None if quiet else Meter(sys.stderr)
    try:
        report = finished(job, meter.show if meter else None)
        if meter:
            meter.finish()
        return report
    except KeyboardInterrupt:
        kept = "what is done so far is kept, and the same command goes on from there"
        raise Cancelled(f"interrupted; {kept if resumes else 'nothing was written'}") from None
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
                self._rewrite(_shortened(cell_safe(reading.told), self._columns() - 1))
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

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS_UNKNOWN
        except OSError:
            return _COLUMNS_UNKNOWN


def _shortened(text: str, cells: int) -> str:
    while cell_width(text) > cells and text:
        text = text[:-1]
    return text
