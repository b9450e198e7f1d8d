"""Commands as the program lists them: loaded when they are called, so that no call waits for all the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from corpusdb.base.errors import UsageError
from corpusdb.commands.group import CorpusGroup

if TYPE_CHECKING:
    from corpusdb.commands.command import Command, CommandGroup


@dataclass(frozen=True, slots=True)
class Listed:
    """A command, or a group of commands, by the place where it stands."""

    name: str
    place: str
    """A module and the name that the command has there, with a colon between them."""
    summary: str
    """The first line of its help."""
    aliases: Sequence[str] = field(default=())

    def load(self) -> Command[Any] | CommandGroup:
        """The command itself."""
        module, _, name = self.place.partition(":")
        loaded: Command[Any] | CommandGroup = getattr(import_module(module), name)
        return loaded


LISTED: dict[str, Listed] = {}
"""The commands by their names, entered by the catalogue of the program."""


def kept_command(name: str) -> Command[Any]:
    """The command of that name, if it is one whose queries are kept. Raises UsageError otherwise."""
    from corpusdb.commands.command import KEPT_COMMANDS

    if name in LISTED:
        LISTED[name].load()
    if name not in KEPT_COMMANDS:
        raise UsageError(f"{name!r} is no query that this version of corpusdb can run")
    return KEPT_COMMANDS[name]


class ListedGroup(CorpusGroup):
    """A program of listed commands: its help and the completion of names load none of them, and a call loads one."""

    panels: ClassVar[Mapping[str, Sequence[Listed]]] = {}
    """The commands under the headings that the help gives them."""
    other_names: ClassVar[Mapping[str, str]] = {}
    """What other programs call something, and the call that does it here."""

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
    """A command under each of its names."""
    alone = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    command.add_to(alone)
    return get_group(alone).commands
