"""The program as typer runs it: help by tasks, and every failure through ``failures``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

from corpusdb.cli.failures import exit_code_of

if TYPE_CHECKING:
    # typer has its own copy of click and no public name for these two.
    from typer._click import Context, HelpFormatter

__all__ = ["CorpusGroup"]


class CorpusGroup(TyperGroup):
    """A group whose help lists the commands by their panel, and whose ``main`` always ends in SystemExit."""

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write a section for each panel, one line a command, in the order in which they were added."""
        panels: dict[str, list[tuple[str, str]]] = {}
        width = max(map(len, self.commands))
        for name, command in self.commands.items():
            if not command.hidden:
                panel = getattr(command, "rich_help_panel", None) or "Commands"
                summary = command.get_short_help_str(formatter.width - width - 6)
                panels.setdefault(panel, []).append((name.ljust(width), summary))
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)

    def invoke(self, ctx: Context) -> None:
        """Run the command that was asked for."""
        try:
            super().invoke(ctx)
            sys.stdout.flush()  # here, where a full disk or a reader that went away can still be told
        except (KeyboardInterrupt, OSError) as error:
            # typer would turn these two into exit codes of its own, without a word.
            sys.exit(exit_code_of(error))

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> None:
        """Run the program; raises SystemExit with its exit code."""
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except Exception as error:  # the boundary: whatever it is, it is told in one line
            code = exit_code_of(error)
        sys.exit(code or 0)
