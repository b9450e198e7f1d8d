"""Commands from dataclasses: every option of a command is a field.

typer reads a command's options from the parameters of a function. A command with nine options would be a function of
nine parameters, and each of them would have to repeat --db, --quiet and --json. Here the options of a command are one
frozen dataclass, and the signature that typer reads is made from its fields and from the options that all share.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Generic, TypeAlias, TypeVar, get_type_hints

import typer

from corpusdb.cli.group import CorpusCommand
from corpusdb.cli.session import Session
from corpusdb.errors import UsageError

__all__ = ["Command", "Database", "Quiet", "command"]

Options = TypeVar("Options")

Database: TypeAlias = Annotated[
    Path | None, typer.Option("--db", metavar="FILE", help="The database.", show_default=False)
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", help="No talk and no progress; errors are still told.")]


@dataclass(frozen=True, slots=True)
class _CommonOptions:
    """What may be said before the name of a command or behind it."""

    db: Database = None
    quiet: Quiet = False


@dataclass(frozen=True, slots=True)
class _ReportOptions(_CommonOptions):
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False


@dataclass(frozen=True, slots=True)
class Command(Generic[Options]):
    """A command that can be added to a program."""

    name: str
    run: Callable[[Session, Options], None]
    """Its docstring is the help of the command; the first line must fit behind the name in 80 columns."""
    options: type[Options]
    reports: bool
    """Whether it takes --json."""
    aliases: Sequence[str] = field(default=())
    """Other names, which the help does not list."""

    def add_to(self, app: typer.Typer, panel: str) -> None:
        """Add the command to a program, under a heading of its help."""
        for name in (self.name, *self.aliases):
            app.command(
                name,
                help=inspect.getdoc(self.run),
                rich_help_panel=panel,
                hidden=name != self.name,
                cls=CorpusCommand,
                context_settings={"help_option_names": ["-h", "--help"]},
            )(self._callback())

    def _callback(self) -> Callable[..., None]:
        common = _ReportOptions if self.reports else _CommonOptions

        def callback(context: typer.Context, **values: Any) -> None:
            own = {option.name: values.pop(option.name) for option in fields(self.options)}  # type: ignore[arg-type]
            _check_text(own.values())
            session: Session = context.obj
            session = session.with_options(db=values["db"], quiet=values["quiet"], json=values.get("json", False))
            self.run(session, self.options(**own))

        parameters = [
            inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
            *_parameters(self.options),
            *_parameters(common),
        ]
        callback.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        callback.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return callback


def command(
    name: str, *, reports: bool = True, aliases: Sequence[str] = ()
) -> Callable[[Callable[[Session, Options], None]], Command[Options]]:
    """Make a command of a function that takes the session and a dataclass of options."""

    def decorate(run: Callable[[Session, Options], None]) -> Command[Options]:
        options = get_type_hints(run)["options"]
        return Command(name, run, options, reports, aliases)

    return decorate


def _check_text(values: Iterable[object]) -> None:
    """Refuse text that was typed in another encoding: neither the database nor JSON could take it."""
    for value in values:
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and not text.isascii() and any("\udc80" <= char <= "\udcff" for char in text):
                raise UsageError(f"{text!a} is not UTF-8")


def _parameters(options: type[object]) -> list[inspect.Parameter]:
    hints = get_type_hints(options, include_extras=True)
    return [
        inspect.Parameter(
            option.name, inspect.Parameter.KEYWORD_ONLY, default=_default(option), annotation=hints[option.name]
        )
        for option in fields(options)  # type: ignore[arg-type]
    ]


def _default(option: Field[Any]) -> Any:
    if option.default_factory is not MISSING:
        return option.default_factory()
    return inspect.Parameter.empty if option.default is MISSING else option.default
