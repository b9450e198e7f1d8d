"""The commands that show guides and the whole chain, make results again, and launch the terminal browser."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import asdict, dataclass, replace
from io import StringIO
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

from corpusdb import __version__
from corpusdb.base.display import Format, cell_safe, lines_safe
from corpusdb.base.errors import InputError, UsageError, did_you_mean, there_are
from corpusdb.base.options import Argument, CommandForm, Option, number_of, options_from_json
from corpusdb.commands.command import LISTED, CommandGroup, command
from corpusdb.commands.group import fill_lists
from corpusdb.commands.invocation import (
    DocumentProvenance,
    Invocation,
    is_terminal,
    said_meanwhile,
    write_json,
    write_line,
    write_table,
    write_text,
)
from corpusdb.commands.options import form_fields
from corpusdb.guides import READ_FIRST, guide_text, guide_topics
from corpusdb.program.catalogue import replayed_command

if TYPE_CHECKING:
    from corpusdb.corpus.model import MadeFrom
    from corpusdb.program.replay_queries import Replayed

# Long texts on a terminal, by the program that the user reads with.

_PAGER = "less"


def show_text(text: str) -> None:
    """Write lines of text to stdout: by $PAGER, else less, where a person reads them and they are more than fit.

    Without a pager, and where stdout or stdin is no terminal, they are written as they are.
    """
    command = _pager() if _is_read(text) else []
    if not command or not _paged(command, lines_safe(text) + "\n"):
        write_text(text)


def _is_read(text: str) -> bool:
    if not (is_terminal() and sys.stdin.isatty()) or os.environ.get("TERM", "dumb") == "dumb":
        return False
    try:
        return text.count("\n") + 2 > os.get_terminal_size(sys.stdout.fileno()).lines
    except OSError:
        return False


def _pager() -> list[str]:
    """The command, as words; none where there is no such program, or where cat says that none is wanted."""
    try:
        words = shlex.split(os.environ.get("PAGER", _PAGER))
    except ValueError:  # a quote that is not closed
        return []
    return words if words and words[0] != "cat" and shutil.which(words[0]) else []


def _paged(command: list[str], text: str) -> bool:
    """Whether the text could be shown by this program, until its reader left it."""
    import subprocess

    sys.stdout.flush()
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, encoding="utf-8")
    except OSError:
        return False
    # ctrl+c is for the reader: less stops a search with it, and stays.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with suppress(BrokenPipeError):
            process.communicate(text)
        process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return True


# The command that shows what is to be known beyond `--help`.


@dataclass(frozen=True, slots=True)
class GuideOptions:
    topic: Annotated[str | None, Argument("A topic of the list.", metavar="TOPIC")] = None
    all: Annotated[bool, Option("List all topics, not only those that most people read.")] = False


@command("guide")
def guide(invocation: Invocation, options: GuideOptions) -> None:
    """Read about a topic; without one, list the topics.

    Without --all, the list has the topics that most people need. On a terminal, a long text is shown in $PAGER, or in
    less.
    """
    topics = guide_topics()
    if options.topic is None:
        if invocation.json:
            write_json(topics)
        else:
            behind = [] if options.all else [topic for topic in topics if topic not in READ_FIRST]
            listed = topics if options.all else READ_FIRST
            write_table(("topic", "about"), [(topic, topics[topic]) for topic in listed])
            if behind:
                invocation.say(f"on one subject each, and listed by --all: {', '.join(behind)}")
        return
    if options.topic not in topics:
        near = did_you_mean(options.topic, topics)
        raise UsageError(f"there is no guide to {options.topic!r}; {near or there_are(options.topic, topics)}")
    if invocation.json:
        write_json({"topic": options.topic, "text": guide_text(options.topic)})
    else:
        show_text(guide_text(options.topic).rstrip("\n"))


# The command that prints the manual page, made from the help of every command as it is.

_ENVIRONMENT = (
    ("CORPUSDB_DB", "The database, where --db names none."),
    ("CORPUSDB_CONFIG", "The file with the keys and looks of the browser."),
    ("CORPUSDB_HISTORY", "off: no query is remembered."),
    ("CORPUSDB_TIMEOUT", "Seconds for the patterns of a query, where --timeout gives none."),
    ("PAGER", "What guides are read with on a terminal."),
    ("NO_COLOR", "No colour in the browser."),
)
_FILES = (
    ("corpus.db", "The database in this folder, where nothing names another."),
    ("~/.config/corpusdb/browser.toml", "Keys and looks of the browser."),
    ("~/.local/state/corpusdb/history.jsonl", "Your queries."),
)


@dataclass(frozen=True, slots=True)
class ManualOptions:
    """What `man` takes: nothing of its own."""


@command("man")
def manual(invocation: Invocation, options: ManualOptions) -> None:
    """Print a manual page of all commands, for `man`.

    `corpusdb man | man -l -` shows it; `corpusdb man > ~/.local/share/man/man1/corpusdb.1` installs it for `man
    corpusdb`.
    """
    from corpusdb.program.catalogue import app  # which is made of all commands, of this one, too

    program = get_command(app)
    page = _page(typer.Context(program, info_name="corpusdb", **program.context_settings))
    if invocation.json:
        write_json({"format": "man", "text": page})
    else:
        write_text(page.rstrip("\n"))
        if is_terminal():
            invocation.say("this is what `man` reads: `corpusdb man | man -l -` shows the page")


def _page(root: typer.Context) -> str:
    program: Any = root.command
    page = _Roff()
    page.macro("TH", "CORPUSDB", "1", "", f"corpusdb {__version__}", "")
    page.macro("SH", "NAME")
    summary = inspect.cleandoc(program.help or "").partition("\n")[0].rstrip(".")
    page.text(f"corpusdb - {summary}")
    page.macro("SH", "SYNOPSIS")
    page.text("corpusdb [OPTIONS] COMMAND [ARGS]...")
    page.macro("SH", "DESCRIPTION")
    page.text(program.help or "")
    page.macro("SH", "OPTIONS")
    page.write_dl([record for each in program.get_params(root) if (record := each.get_help_record(root))])
    page.macro("SH", "COMMANDS")
    program.format_commands(root, page)
    for name in program.list_commands(root):
        _add_command(page, name, root)
    page.macro("SH", "GUIDES")
    page.text("`corpusdb guide TOPIC` shows:")
    page.write_dl(list(guide_topics().items()))
    for heading, entries in (("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        page.macro("SH", heading)
        page.write_dl(entries)
    page.macro("SH", "EXIT STATUS")
    page.text((program.epilog or "").removeprefix("Exit codes: "))
    return str(page.getvalue())


def _add_command(page: _Roff, name: str, parent: typer.Context) -> None:
    """A section for a command, and one for each of a group."""
    group: Any = parent.command
    found = group.get_command(parent, name)
    if found.hidden:
        return
    context = typer.Context(found, info_name=name, parent=parent)
    page.macro("SH", context.command_path.partition(" ")[2].upper())
    found.format_help(context, page)
    for each in found.list_commands(context) if hasattr(found, "list_commands") else ():
        _add_command(page, each, context)


_Formatter: Any = typer.Context.formatter_class


class _Roff(_Formatter):  # type: ignore[misc]
    """Writes a help as roff with the macros of man(7), where typer would write lines for a terminal."""

    def macro(self, name: str, *arguments: str) -> None:
        """A line with a macro."""
        quoted = [f'"{_escaped(each)}"' for each in arguments]
        self.write(" ".join([f".{name}", *quoted]) + "\n")

    def text(self, text: str) -> None:
        """Paragraphs, which empty lines tell apart."""
        for number, paragraph in enumerate(re.split(r"\n\s*\n", inspect.cleandoc(text))):
            if number:
                self.macro("PP")
            self.write(_line(" ".join(paragraph.split())) + "\n")

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """How a command is called."""
        self.macro("B", prog)
        self.write(_line(args) + "\n")

    def write_heading(self, heading: str) -> None:
        self.macro("SS", heading)

    def write_paragraph(self) -> None:
        self.macro("PP")

    def write_text(self, text: str) -> None:
        self.text(text)

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        for name, told in rows:
            self.macro("TP")
            self.macro("B", name.strip())
            self.write(_line(" ".join(told.split())) + "\n")

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        self.write_heading(name)
        yield


def _line(text: str) -> str:
    """A line of text, which is no macro whatever it begins with, and never empty."""
    escaped = _escaped(text)
    return f"\\&{escaped}" if escaped[:1] in (".", "'", "") else escaped


def _escaped(text: str) -> str:
    """Text as roff shows it: a backslash, quotation marks, and hyphens that can be copied."""
    special = {"\\": "\\e", "-": "\\-", '"': "\\(dq", "~": "\\(ti", "^": "\\(ha", "`": "\\(ga", "'": "\\(aq"}
    return "".join(special.get(char, char) for char in text)


# The command that shows the whole chain.

_COLLECTION = "phrasebook"


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What `demo` takes: nothing of its own."""


@command("demo")
def demo(invocation: Invocation, options: DemoOptions) -> None:
    """Try each part of corpusdb on the built-in phrasebook.

    It makes a new database: a temporary file, which is kept for you to explore, or the one that --db names. Japanese
    rules, and alignment with Japanese, need the extra japanese; without it they are left out.
    """
    from corpusdb.chain.queries.overview import overview
    from corpusdb.program.demonstration_queries import run_demo
    from corpusdb.program.demonstration_report import demonstration_document, demonstration_text

    if invocation.chosen is None:
        invocation = replace(invocation, chosen=Path(tempfile.mkdtemp(prefix="corpusdb-")) / "demo.db")
    with invocation.writing(create=True) as store:
        others = [each.name for each in overview(store).collections if each.name != _COLLECTION]
        if others:
            raise UsageError(f"{store.path} holds {', '.join(others)}; the demonstration needs a database of its own")
        report = invocation.run(run_demo(store), goes_on=f"`corpusdb demo --db {shlex.quote(str(store.path))}`")
    text = demonstration_text(report, invocation.path, _program())
    if invocation.json:
        figures = demonstration_document(report)
        write_json(figures | {"text": text, "database": str(invocation.path)})
    else:
        write_text(text)
    invocation.say(f"the database is {invocation.path}; --db FILE makes it where you say")
    invocation.say("`corpusdb guide linguists` and `guide evaluators` go on with it")


def _program() -> str:
    """How this program is called: by its name where that is found, else as it was called now."""
    called = sys.argv[0]
    if which("corpusdb"):
        return "corpusdb"
    return called if Path(called).name == "corpusdb" else "python -m corpusdb"


# What was made again, as text.


def replay_lines(found: Replayed) -> Iterator[str]:
    """What it is and whether it is the same; below that what differs, and which input is another."""
    yield f"{'equal  ' if found.equal else 'differs'}  {found.what}"
    for difference in found.differences:
        yield f"    {difference}"
    for line in found.inputs:
        yield f"    {'but ' if found.equal else ''}{line}"
    if not found.equal and not found.inputs and not found.notes:
        yield "    no input that is known has changed"
    for note in found.notes:
        yield f"    {note}"


# The command that makes results again, and says whether they are the same.


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    what: Annotated[list[str], Argument("RUN, score:N, set:NAME or FILE.json.", metavar="WHAT...")]


@command("replay")
def replay(invocation: Invocation, options: ReplayOptions) -> None:
    """Reproduce results, and compare them bit for bit.

    A number is a run listed by `corpusdb info`: its scores, its frozen set, or the derived data of its language, which
    are rebuilt separately and compared row by row. score:N is a stored score, set:NAME a frozen reference set. A file
    is the --json of a study, of `references` or of `score`; its input files are read from the paths that it names,
    relative to this folder. If something differs, the answer says what, and which input has changed: a file, the
    corpus, derived data, or the version. The exit code is then 1. Nothing is stored.
    """
    found = [each for what in options.what for each in _replayed(invocation, what)]
    if invocation.json:
        write_json([asdict(each) for each in found])
    else:
        for each in found:
            for line in replay_lines(each):
                write_line(line)
    if not found:
        invocation.say("nothing to replay")
    if not all(each.equal for each in found):
        raise typer.Exit(1)


def _replayed(invocation: Invocation, what: str) -> Sequence[Replayed]:
    from corpusdb.program import replay_queries as stored

    kind, colon, name = what.partition(":")
    if colon and kind == "set":
        return invocation.look(lambda store: invocation.run(stored.replay_set(store, name)))
    if colon and kind in ("score", "run"):
        number = _number(name, what)
        again = stored.replay_score if kind == "score" else stored.replay_run
        return invocation.look(lambda store: invocation.run(again(store, number)))
    if what.isascii() and what.isdecimal():
        return invocation.look(lambda store: invocation.run(stored.replay_run(store, _number(what, what))))
    return [_replayed_file(invocation, Path(what))]


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"{what!r} is not a number; give RUN, run:N, score:N, set:NAME and FILE.json")
    return number_of(text)


def _replayed_file(invocation: Invocation, path: Path) -> Replayed:
    """A document of a file, made again by the command that it names."""
    from corpusdb.corpus.formats.reading import file_inputs
    from corpusdb.program.replay_queries import (
        Replayed,
        check_analysers,
        differences,
        differing_inputs,
        is_as_sacrebleu,
        read_document,
        version_difference,
    )

    document, record = read_document(path)
    check_analysers(record, path)
    what = f"{path}: {record.command}"
    files = [Path(each.name) for each in record.inputs if each.kind == "file"]
    if Path("-") in files:
        raise InputError("it was made from standard input, which was not kept", path=path)
    of_files = tuple(each for each in record.inputs if each.kind == "file")
    others = [*differing_inputs(of_files, tuple(file_inputs(files)))]
    try:
        again, now = _made_again(invocation, record, path, as_sacrebleu=is_as_sacrebleu(document))
    except InputError as error:
        if not others:
            raise
        return Replayed(
            what, False, (f"it cannot be made again: {error}",), (*version_difference(record.version), *others)
        )
    found = differences(document, again)
    inputs = (*version_difference(record.version), *differing_inputs(record.inputs, now.inputs))
    return Replayed(what, not found, tuple(found), inputs)


def _made_again(invocation: Invocation, record: MadeFrom, path: Path, *, as_sacrebleu: bool) -> tuple[Any, MadeFrom]:
    """The document that the command now prints, and what it is made of. Raises InputError for another's command."""
    from corpusdb.base.tokenisation import analysers_used
    from corpusdb.corpus.formats.reading import files_read
    from corpusdb.program.replay_queries import database_inputs

    command = replayed_command(record.command)
    if command is None or command.replayed is None:
        raise InputError(f"it was made by {record.command!r}, which is not replayed", path=path)
    try:
        options = options_from_json(command.options, record.options, invocation.say, of=f"{path} of {record.command}")
    except UsageError as error:
        raise InputError(f"its options are not those of {record.command!r}: {error}", path=path) from error
    with (
        TemporaryDirectory(prefix="corpusdb-") as folder,
        files_read() as files,
        analysers_used() as analysers,
        redirect_stdout(StringIO()) as out,
    ):
        making = DocumentProvenance(command.name, options, files, analysers, database_inputs)
        chosen: Format | None = "json" if as_sacrebleu else None
        silent = replace(invocation, quiet=True, json=True, chosen_format=chosen, making=making)
        command.run(silent, command.replayed(options, Path(folder)))
        now = making.record()
    return json.loads(out.getvalue()), now


# The command that launches the terminal browser, and the one module of the command line that knows it.


@dataclass(frozen=True, slots=True)
class BrowseOptions:
    config: Annotated[Path | None, Option("Use this configuration file instead of your own.", metavar="FILE")] = None
    keys: Annotated[bool, Option("Show every setting, and where it comes from.")] = False
    check_config: Annotated[bool, Option("Check the settings.")] = False
    lines: Annotated[str | None, Option("Print what a place shows, as lines.", metavar="PLACE")] = None
    find: Annotated[str | None, Option("lines: text to type there, or the row to open.", metavar="TEXT")] = None
    press: Annotated[tuple[str, ...], Option("lines: keys to press after that; may be repeated.", metavar="KEY")] = ()


@command("browse")
def browse(invocation: Invocation, options: BrowseOptions) -> int | None:
    """Browse the corpus by keyboard; asks before it makes a new database.

    --lines prints one place instead, for pipes and screen readers: corpus, session, frequencies, judging, scores, jobs,
    overview, equivalents, profile, rules, paradigms, collocates or keywords. --press sends keys to it: --lines corpus
    --find please --press v, or --press "?" for the keys of a place. Settings come from $CORPUSDB_CONFIG, else from
    corpusdb/browser.toml in ~/.config.
    """
    _check(options)
    if options.keys:
        _show_settings(invocation, options)
    elif options.check_config:
        _check_settings(invocation, options)
    elif options.lines is not None:
        _show_lines(invocation, options, options.lines)
    else:
        _browse(invocation, options)
    return None


def _check(options: BrowseOptions) -> None:
    modes = {"--keys": options.keys, "--check-config": options.check_config, "--lines": options.lines is not None}
    chosen = [name for name, is_chosen in modes.items() if is_chosen]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} exclude each other")
    if (options.find is not None or options.press) and options.lines is None:
        raise UsageError("--find and --press go with --lines")


def _show_settings(invocation: Invocation, options: BrowseOptions) -> None:
    from tui.app import all_bindings, load_configuration

    settings = load_configuration(options.config).shown(all_bindings())
    if invocation.json:
        write_json(settings)
        return
    write_table(("setting", "value", "origin"), [(each.name, each.value, each.origin) for each in settings])


def _check_settings(invocation: Invocation, options: BrowseOptions) -> None:
    from tui.app import load_configuration

    file = load_configuration(options.config).file
    if invocation.json:
        write_json({"ok": True, "file": None if file is None else str(file)})
    else:
        write_line("ok" if file is None else f"{file}: ok")
    if file is None:
        invocation.say("there is no configuration file; all settings are the defaults")


def _show_lines(invocation: Invocation, options: BrowseOptions, place: str) -> None:
    from tui.app import Visit, visit_place

    view = visit_place(invocation.path, Visit(place, options.find, options.press), options.config)
    if invocation.json:
        write_json(asdict(view))
    else:
        for line in view.lines:
            write_line(line)
    if view.message:
        invocation.say(view.message)
    if view.is_error:
        raise typer.Exit(1)


_NOT_OFFERED = frozenset({"browse", "guide", "man", "demo"})
"""Commands that the browser is, has or has no use for."""


class OfferedCommands:
    """The commands of the program, as far as a browser offers them: each as a form, loaded when it is asked for.

    ``chosen``: the database, where --db named it.
    """

    def __init__(self, chosen: Path | None = None) -> None:
        self.database: Sequence[str] = () if chosen is None else ("--db", str(chosen))

    def listed(self, group: str = "") -> list[tuple[str, str]]:
        """Names and the first lines of their help: of all commands, or of those in a group."""
        from corpusdb.program.catalogue import COMMANDS

        if not group:
            every = (each for commands in COMMANDS.values() for each in commands)
            return [(each.name, each.summary) for each in every if each.name not in _NOT_OFFERED]
        loaded = LISTED[group].load()
        members = loaded.commands if isinstance(loaded, CommandGroup) else ()
        return [(f"{group} {each.name}", (inspect.getdoc(each.run) or "").partition("\n")[0]) for each in members]

    def form(self, name: str) -> CommandForm | None:
        """The form of a command; None for a group of commands."""
        first, _, own = name.partition(" ")
        loaded = LISTED[first].load()
        if isinstance(loaded, CommandGroup):
            members = {each.name: each for each in loaded.commands}
            if own not in members:
                return None
            loaded = members[own]
        help = inspect.getdoc(loaded.run) or ""
        every = (*form_fields(loaded.options), *form_fields(loaded.common))
        fields = tuple(each for each in every if each.name not in _NOT_ASKED)
        if all(each.typed for each in fields):  # there is no argument that could be taken as text
            fields = tuple(each for each in fields if each.name != "as_text")
        return CommandForm(name, help, tuple(replace(each, help=_in_form(each.help)) for each in fields))


def _in_form(help: str) -> str:
    """What the help of an option says where it is a line of a form, which has no standard input."""
    told = fill_lists(help).replace("; - is stdin", "")
    return told.replace("; may be repeated", "; several: each in quotes").replace(
        "; repeatable", "; several: by spaces"
    )


_NOT_ASKED = frozenset({"db", "quiet", "json", "save", "input"})
"""Options that say nothing to whoever looks at the answer in the browser, or are for the words of a shell."""


def _browse(invocation: Invocation, options: BrowseOptions) -> None:
    streams = {"stdin": sys.stdin, "stdout": sys.stdout, "stderr": sys.stderr}
    away = [name for name, stream in streams.items() if not stream.isatty()]
    if away:
        raise UsageError(f"{away[0]} is not a terminal; `corpusdb browse --lines PLACE` prints what a place shows")
    if os.environ.get("TERM", "dumb") == "dumb":
        raise UsageError("this terminal cannot be drawn on; `corpusdb browse --lines PLACE` prints what a place shows")
    if not invocation.path.exists() and typer.confirm(
        f"{invocation.path}: there is no such database; make a new one?", default=True, err=True
    ):
        with invocation.writing(create=True):
            pass
    with said_meanwhile(f"opening {cell_safe(str(invocation.path))} ..."):
        from tui.app import run
    run(invocation.path, options.config, OfferedCommands(invocation.chosen))
