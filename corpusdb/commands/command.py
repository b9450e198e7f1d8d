"""Commands from dataclasses, and groups of commands under one name: every option of a command is a field.

typer reads a command's options from the parameters of a function. A command with nine options would be a function of
nine parameters, and each of them would have to repeat --db, --quiet and --json. Here the options of a command are one
frozen dataclass, and the signature that typer reads is made from its fields and from the options that all share.
"""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeAlias, TypeVar, cast, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from corpusdb import __version__
from corpusdb.base.display import Format
from corpusdb.base.errors import CorpusError, UsageError
from corpusdb.base.jobs import SECONDS_FOR_PATTERNS
from corpusdb.base.options import (
    SHOWN_AND_WRITTEN,
    Headings,
    Option,
    RowLimit,
    RowLimitIfGiven,
    annotations_of,
    described,
    options_to_json,
    with_rows,
)
from corpusdb.base.startup import loaded_now
from corpusdb.base.text import marks_dropped
from corpusdb.commands.group import CorpusCommand, CorpusGroup, tell_former
from corpusdb.commands.invocation import DocumentProvenance, Invocation, stdout_in, write_text
from corpusdb.commands.options import check_text, check_values, in_nfc, reads_stdin, with_options

Options = TypeVar("Options")

Database: TypeAlias = Annotated[Path | None, Option("The database.", "--db", metavar="FILE")]
Quiet: TypeAlias = Annotated[bool, Option("No messages or progress, except errors.", "--quiet")]
Overwrite: TypeAlias = Annotated[bool, Option("Replace an existing file, unless it is a database.", "--overwrite")]
Follow: TypeAlias = Annotated[
    bool,
    Option(
        "Update derived paraphrases afterwards: seconds for a few hundred sentences, minutes for many.",
        "--follow/--no-follow",
    ),
]
Save: TypeAlias = Annotated[str | None, Option("Save the query, for `corpusdb run NAME`.", "--save", metavar="NAME")]
_Timeout: TypeAlias = Annotated[
    float | None,
    Option(
        f"Stop patterns after so much processor time ({SECONDS_FOR_PATTERNS:g}, or $CORPUSDB_TIMEOUT); 0 never does.",
        "--timeout",
        metavar="SECONDS",
        least=0,
    ),
]


_FORMAT_OF_ENDING: Mapping[str, Format] = {
    ".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "jsonl", ".md": "markdown", ".tex": "latex"
}  # fmt: skip
"""What a file is written as, by the end of its name, where no format is said."""


_SPREADSHEETS = (".xlsx", ".xls", ".ods")


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """What may be said before the name of a command or behind it."""

    db: Database = None
    quiet: Quiet = False


@dataclass(frozen=True, slots=True)
class _ReportOptions(CommonOptions):
    json: Annotated[bool, Option("Print one JSON document.")] = False


@dataclass(frozen=True, slots=True)
class _AnswerOptions(_ReportOptions):
    HEADED: ClassVar[Headings] = {SHOWN_AND_WRITTEN: ()}

    format: Annotated[
        Format | None,
        Option(
            "If not given: by the ending of -o FILE, else table on a terminal, else tsv; csv keeps =1+1 as it is.",
            called={"text": "table", "md": "markdown", "tex": "latex"},
        ),
    ] = None
    output: Annotated[
        Path | None, Option("Write all rows to FILE, which must be new.", "--output -o", metavar="FILE")
    ] = None
    overwrite: Overwrite = False


@dataclass(frozen=True, slots=True)
class _TimedOptions(_AnswerOptions):
    timeout: _Timeout = None


@dataclass(frozen=True, slots=True)
class _KeptOptions(_AnswerOptions):
    save: Save = None


@dataclass(frozen=True, slots=True)
class _TimedKeptOptions(_KeptOptions):
    timeout: _Timeout = None


_TOLD = ("db", "quiet", "json", "format", "timeout", "overwrite")


@dataclass(frozen=True, slots=True)
class Resolved(Generic[Options]):
    """Options with what was decided where nothing was said."""

    options: Options
    told: str = ""
    """A line that says so behind the answer, or nothing."""


@dataclass(frozen=True, slots=True)
class Command(Generic[Options]):
    """A command that can be added to a program."""

    name: str
    run: Callable[[Invocation, Options], int | None]
    """Returns how many results there are, where that is known. Its docstring is the help of the command; the first line
    must fit behind the name in 80 columns."""
    options: type[Options]
    common: type[CommonOptions]
    aliases: Sequence[str] = field(default=())
    """Other names, which the help does not list."""
    settled: Callable[[Invocation, Options], Resolved[Options]] | None = None
    """The options with what the database decides. These are run, remembered and saved."""
    replayed: Callable[[Options, Path], Options] | None = None
    """Options for the same result that write nothing but into a folder that is given; None: nothing is replayed."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Options of other programs that it does not have, each with what to say instead."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Options of other programs that it has under other names: "--paired-ar" is "--significance randomisation"."""

    def add_to(self, app: typer.Typer) -> None:
        told = {"refused": self.refused, "spelled": self.spelled, "options": (self.options, self.common)}
        parsed_by = type("RefusingCommand", (CorpusCommand,), told)
        for name in (self.name, *self.aliases):
            app.command(
                name,
                help=inspect.getdoc(self.run),
                hidden=name != self.name,
                cls=parsed_by,
                context_settings={"help_option_names": ["-h", "--help"]},
            )(self._callback())

    def answer(self, invocation: Invocation, options: Options, save: str | None = None) -> None:
        """Run the command; if it is one that is kept, remember that it was, and keep it in the database as ``save``.

        Raises UsageError for a value that no option may have, and where the command is to be kept and reads stdin,
        which nobody has afterwards.
        """
        if save is not None and reads_stdin(options):
            raise UsageError("input from stdin cannot be saved")
        check_values(options)
        if save is not None:
            check_text(save)
        settled = Resolved(options) if self.settled is None else self.settled(invocation, options)
        options = settled.options
        if save is not None:
            _check_saving(invocation, save, self.name, options_to_json(with_rows(options)))
        try:
            total = self._run_noted(invocation, options)
        except BrokenPipeError:  # it was found, and whoever reads it has seen enough: it is the last query all the same
            self._keep(invocation, options, None, save)
            raise
        if invocation.format == "latex":  # in a paper it stands alone
            write_text(f"% made by corpusdb {__version__}: {shlex.join(['corpusdb', *sys.argv[1:]])}")
        if settled.told:
            invocation.say(settled.told)
        self._keep(invocation, options, total, save)

    def _keep(self, invocation: Invocation, options: Options, total: int | None, save: str | None) -> None:
        """Remember a query for this user, and with a name keep it in the database for all."""
        if issubclass(self.common, _KeptOptions) and not reads_stdin(options):
            from corpusdb.corpus.store.user_history import remember

            if save is not None:
                _save(invocation, save, self.name, options_to_json(with_rows(options)))
            remember(invocation.path, self.name, options_to_json(options), total, attended=invocation.attended)

    def _run_noted(self, invocation: Invocation, options: Options) -> int | None:
        """Run the command; what was left out of files is told."""
        with marks_dropped() as names:
            try:
                return self._run_making(invocation, options)
            finally:
                for name in dict.fromkeys(names):
                    invocation.say(f"{name}: begins with a byte order mark, which is not a part of its text: left out")

    def _run_making(self, invocation: Invocation, options: Options) -> int | None:
        """Run the command; where its document can be replayed, it tells what it was made from."""
        if self.replayed is None or not invocation.json:
            return self.run(invocation, options)
        from corpusdb.base.tokenisation import analysers_used
        from corpusdb.corpus.formats.reading import files_read

        with files_read() as files, analysers_used() as analysers:
            making = DocumentProvenance(self.name, options, files, analysers, invocation.database_inputs)
            return self.run(replace(invocation, making=making), options)

    def _callback(self) -> Callable[..., None]:
        def callback(context: typer.Context, **values: Any) -> None:
            own = _taken(self.options, values)
            invocation: Invocation = context.obj
            told = {name: values[name] for name in _TOLD if name in values}
            if (file := values.get("output")) is not None and str(file) != "-":
                if file.suffix.casefold() in _SPREADSHEETS:
                    raise UsageError(f"no {file.suffix} is written; spreadsheets read .csv and .tsv, imported as UTF-8")
                if told["format"] is None and not told["json"]:
                    told["format"] = _FORMAT_OF_ENDING.get(file.suffix.casefold())
                is_said = context.get_parameter_source("limit")
                has_rows = annotations_of(cast("Hashable", self.options)).get("limit") in (RowLimit, RowLimitIfGiven)
                if has_rows and is_said and is_said.name == "DEFAULT":
                    own = replace(cast("Any", own), limit=0)  # a file has all rows unless somebody says how many
            invocation = invocation.with_options(**told)
            with stdout_in(file, invocation.guard(overwrite=values["overwrite"])) if file else nullcontext():
                self.answer(invocation, own, values.get("save"))
            if invocation.failures:
                raise CorpusError("; ".join(invocation.failures))

        return with_options(callback, self.options, self.common)


def _check_saving(invocation: Invocation, name: str, command: str, options: dict[str, object]) -> None:
    """Raise UsageError where a query cannot be kept under a name, before it is run."""
    from corpusdb.corpus.queries.names import check_saving

    with invocation.reading() as store:
        check_saving(store, name, command, options)


def _save(invocation: Invocation, name: str, command: str, options: dict[str, object]) -> None:
    from corpusdb.corpus.queries.names import save_query

    with invocation.writing() as store:
        save_query(store, name, command, options)
    invocation.say(f"saved; `corpusdb run {shlex.quote(name)}` runs it again")


class _Group(CorpusGroup):
    options = (CommonOptions,)


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """Commands that are called by the name of the group and their own."""

    name: str
    help: str
    """The first line must fit behind the name in 80 columns."""
    commands: tuple[Command[Any], ...]

    def add_to(self, app: typer.Typer) -> None:
        def take_options(context: typer.Context, db: Path | None, quiet: bool) -> None:
            context.obj = context.obj.with_options(db=db, quiet=quiet, json=False)

        group = typer.Typer(
            name=self.name,
            cls=_Group,
            help=self.help,
            rich_markup_mode=None,
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        group.callback()(with_options(take_options, CommonOptions))
        for each in self.commands:
            each.add_to(group)
        app.add_typer(group)


KEPT_COMMANDS: dict[str, Command[Any]] = {}
REPLAYED_COMMANDS: dict[str, Command[Any]] = {}
"""The commands whose documents can be made again, by their names."""


def command(
    name: str,
    *,
    reports: bool = True,
    answers: bool = False,
    kept: bool | None = None,
    timed: bool = False,
    aliases: Sequence[str] = (),
) -> Callable[[Callable[[Invocation, Options], int | None]], Command[Options]]:
    """Make a command of a function that takes the invocation and a dataclass of options.

    One that ``reports`` takes --json. One that ``answers`` with rows takes --format and --output too; unless told
    otherwise by ``kept``, its queries are remembered and can be saved. One that is ``timed`` runs patterns, which
    --timeout stops; how long a question may take is not part of it, and is not kept.
    """

    def decorate(run: Callable[[Invocation, Options], int | None]) -> Command[Options]:
        common = _AnswerOptions if answers else _ReportOptions if reports else CommonOptions
        is_kept = answers if kept is None else kept
        if is_kept:
            common = _TimedKeptOptions if timed else _KeptOptions
        elif timed:
            common = _TimedOptions
        made = Command(name, run, get_type_hints(run)["options"], common, aliases)
        if is_kept:
            KEPT_COMMANDS[name] = made
        return made

    return decorate


def knowing(spelled: Mapping[str, str], refused: Mapping[str, str]) -> Callable[[Command[Options]], Command[Options]]:
    """Let a command take options that its users know from another program for its own, and refuse those that it does
    not have by a line that says what it has."""
    return lambda made: replace(made, spelled=spelled, refused=refused)


def settling(
    settled: Callable[[Invocation, Any], Resolved[Any]],
) -> Callable[[Command[Options]], Command[Options]]:
    """Let a command whose queries are kept have options that the database settles where nothing was said.

    A query that is kept has them as they were settled, so that it asks the same again.
    """

    def decorate(made: Command[Options]) -> Command[Options]:
        made = replace(made, settled=settled)
        KEPT_COMMANDS[made.name] = made
        return made

    return decorate


def replayable(
    harmless: Callable[[Any, Path], Any] = lambda options, folder: options,
) -> Callable[[Command[Options]], Command[Options]]:
    """Let the JSON of a command, which it writes by ``invocation.write_document``, be made again by `corpusdb replay`.

    ``harmless`` gives the options for the same result with nothing written but into the folder that it is given; a
    command that writes no file needs none.
    """

    def decorate(made: Command[Options]) -> Command[Options]:
        made = replace(made, replayed=harmless)
        REPLAYED_COMMANDS[made.name] = made
        return made

    return decorate


def _taken(options: type[Options], values: dict[str, Any]) -> Options:
    known = described(cast("type[object]", options), Option)
    taken = {
        option.name: in_nfc(values.pop(option.name), known[option.name].metavar)
        for option in fields(options)  # type: ignore[arg-type]
    }
    return options(**taken | {name: tuple(taken[name]) for name in _tuples_of(cast("Hashable", options))})


@cache
def _tuples_of(options: Hashable) -> tuple[str, ...]:
    """The fields that are tuples, of which typer makes lists."""
    return tuple(name for name, hint in get_type_hints(options).items() if get_origin(hint) is tuple)


# Commands as the program lists them: loaded when they are called, so that no call waits for all the others.


@dataclass(frozen=True, slots=True)
class Listed:
    """A command, or a group of commands, by the place where it stands."""

    name: str
    place: str
    """A module of the program; with a colon and the name that the command has there, where that is another one."""
    summary: str
    aliases: Sequence[str] = ()

    @property
    def module(self) -> str:
        """The full name of the module."""
        return f"corpusdb.{self.place.partition(':')[0]}"

    def load(self) -> Command[Any] | CommandGroup:
        loaded: Command[Any] | CommandGroup
        loaded = loaded_now(f"{self.module}:{self.place.partition(':')[2] or self.name}")
        return loaded


LISTED: dict[str, Listed] = {}
"""The commands by their names, entered by the catalogue of the program."""


def kept_command(name: str) -> Command[Any]:
    """The command of that name, if it is one whose queries are kept. Raises UsageError otherwise."""
    if name in LISTED:
        LISTED[name].load()
    if name not in KEPT_COMMANDS:
        raise UsageError(f"{name!r} is not a query that this version of corpusdb can run")
    return KEPT_COMMANDS[name]


class ListedGroup(CorpusGroup):
    """A program of listed commands: its help and the completion of names load none of them, and a call loads one."""

    panels: ClassVar[Mapping[str, Sequence[Listed]]] = {}
    """The commands under the headings that the help gives them."""
    other_names: ClassVar[Mapping[str, str]] = {}
    """What other programs call something, and the call that does it here."""
    former_names: ClassVar[Mapping[str, str]] = {}
    """Old names of commands, and what does the same now: they work, and say so."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands, in the order of the help."""
        return [name for each in self._listed() for name in (each.name, *each.aliases)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name; None where there is none."""
        if cmd_name not in self.commands:
            for each in self._listed():
                if cmd_name in (each.name, *each.aliases):
                    self.commands.update(_as_typer_has_it(each.load()))
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that is called, and its words. Raises typer's usage error with the names that are like it."""
        if args[0] in self.former_names:
            tell_former(ctx, args[0], self.former_names[args[0]], args)
            args = [*self.former_names[args[0]].split(), *args[1:]]
        if self.get_command(ctx, args[0]) is None:
            if args[0] in self.other_names:
                ctx.fail(f"No such command {args[0]!r}; `{ctx.command_path} {self.other_names[args[0]]}` does that")
            for name in self.list_commands(ctx):
                self.get_command(ctx, name)  # what is like a name is looked for among those that are loaded
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel, one line a command."""
        width = max(len(each.name) for each in self._listed())
        for panel, commands in self.panels.items():
            with formatter.section(panel):
                formatter.write_dl([(each.name.ljust(width), each.summary) for each in commands])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete the name of a command or an option of the program."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        names = [TyperCommand(each.name, short_help=each.summary) for each in self._listed()]
        known = TyperGroup(name=self.name, commands=names)
        return known.shell_complete(typer.Context(known), incomplete)

    def _listed(self) -> Iterator[Listed]:
        for commands in self.panels.values():
            yield from commands


def _as_typer_has_it(command: Command[Any] | CommandGroup) -> Mapping[str, Any]:
    alone = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    command.add_to(alone)
    return get_group(alone).commands
