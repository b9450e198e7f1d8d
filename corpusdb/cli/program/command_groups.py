"""Commands of several words: a group of commands under one name, each with options of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import typer

from corpusdb.cli.program.command import Command, Database, Quiet
from corpusdb.cli.program.group import CorpusGroup

__all__ = ["CommandGroup"]


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """Commands that are called by the name of the group and their own."""

    name: str
    help: str
    """The first line must fit behind the name in 80 columns."""
    commands: tuple[Command[Any], ...]

    def add_to(self, app: typer.Typer, panel: str) -> None:
        """Add the group to a program, under a heading of its help."""
        group = typer.Typer(
            name=self.name,
            cls=CorpusGroup,
            help=self.help,
            rich_markup_mode=None,
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        group.callback()(_take_options)
        for each in self.commands:
            each.add_to(group, "Commands")
        app.add_typer(group, rich_help_panel=panel)


def _take_options(context: typer.Context, db: Database = None, quiet: Quiet = False) -> None:
    context.obj = context.obj.with_options(db=db, quiet=quiet, json=False)
