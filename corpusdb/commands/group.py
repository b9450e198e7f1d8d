"""The program as typer runs it, its commands loaded when they are called, and every failure a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar, Final

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from corpusdb.base.errors import Cancelled, UsageError
from corpusdb.commands.failures import exit_code_of
from corpusdb.commands.options import ARGUMENTS, METRICS, convert_plainly, takes_more, with_metrics_joined
from corpusdb.commands.texts import fill_lists

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter
    from typer._click.shell_completion import CompletionItem

__all__ = [
    "CorpusCommand",
    "CorpusGroup",
]


_FORMER: Final = {"--order": "--fluency", "-T": "-V"}
"""Names that options had, which are understood where a command has no other option of this name."""


class CorpusCommand(TyperCommand):
    """A command whose help names its arguments as its documentation does: TEXT, where typer has {text} <str>.

    An option that may be given several times and shows its value as FILE... takes several at once, too.
    """

    refused: ClassVar[Mapping[str, str]] = {}
    """Options that it does not have, each with what to say instead."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse the words behind the name of the command. Raises UsageError for options that are refused by name."""
        convert_plainly(self.get_params(ctx))
        words = list(self._one_value_each(ctx, list(self._as_called_now(ctx, args))))
        for word in () if ctx.resilient_parsing else takewhile(lambda word: word != "--", words):
            name = word.partition("=")[0]
            if name in self.refused:
                raise UsageError(f"there is no {name}: {self.refused[name]}")
        return super().parse_args(ctx, words)

    def _as_called_now(self, ctx: Context, args: Sequence[str]) -> Iterator[str]:
        """The words with options that were called otherwise before under the one name that the help has."""
        names = {name for each in self.get_params(ctx) for name in each.opts}
        former = {old: new for old, new in _FORMER.items() if old not in names and new in names}
        words = iter(args)
        for word in words:
            if word == "--":
                yield from (word, *words)
            elif word.startswith("--"):
                name, equals, value = word.partition("=")
                yield f"{former.get(name, name)}{equals}{value}"
            else:
                yield former.get(word[:2], word[:2]) + word[2:]

    def _one_value_each(self, ctx: Context, args: Sequence[str]) -> Iterator[str]:
        """The words with such options repeated before each of their values.

        Which words they take, several.py says by how they show their value.
        """
        options = {name: each for each in self.get_params(ctx) for name in each.opts if isinstance(each, TyperOption)}
        by_metrics = [name for name, each in options.items() if each.metavar == METRICS]
        numbered = all(each.type_descriptor.annotation is int for each in self._taken(ctx))
        many, argued, words = None, not self._taken(ctx), iter(with_metrics_joined(args, by_metrics))
        for word in words:
            if word == "--":
                yield from (word, *words)
            elif word.startswith("-") and len(word) > 1:
                option, many = options.get(word), None
                yield word
                if option is not None and not option.is_flag and (value := next(words, None)) is not None:
                    yield value
                    takes = takes_more(str(option.metavar), argued=argued or numbered)
                    many = word if option.multiple and takes else None
                    argued = argued or option.metavar == ARGUMENTS
            else:
                if numbered and not argued and word.isdecimal():
                    many = None
                argued = argued or many is None
                yield from (word,) if many is None else (many, word)

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """What follows the name of the command in its usage."""
        return ["[OPTIONS]", *(name for name, _ in self._arguments(ctx))]

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the help, with the lists of formats that its texts name."""
        self._fill_lists(ctx)
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """Complete a word; some shells show the help of options then."""
        self._fill_lists(ctx)
        return super().shell_complete(ctx, incomplete)

    def _fill_lists(self, ctx: Context) -> None:
        for each in (self, *self.get_params(ctx)):
            if isinstance(each, CorpusCommand | TyperOption | TyperArgument) and each.help:
                # The text with the names is kept: the formats may be others when the help is asked for again.
                each.help = fill_lists(vars(each).setdefault("help_with_names", each.help))

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the arguments and the options, each with its help."""
        if arguments := self._arguments(ctx):
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        with formatter.section("Options"):
            formatter.write_dl(
                [
                    record
                    for option in self.get_params(ctx)
                    if not isinstance(option, TyperArgument) and (record := option.get_help_record(ctx))
                ]
            )

    def _arguments(self, ctx: Context) -> list[tuple[str, str]]:
        return [(argument.metavar or argument.name.upper(), argument.help or "") for argument in self._taken(ctx)]

    def _taken(self, ctx: Context) -> list[TyperArgument]:
        """The parameters that are its arguments."""
        return [each for each in self.get_params(ctx) if isinstance(each, TyperArgument)]


class CorpusGroup(TyperGroup):
    """A group of commands whose ``main`` always ends in SystemExit."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse the words behind the name of the program or group."""
        convert_plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write one line a command, in the order in which they were added."""
        width = max(map(len, self.commands))
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name.ljust(width), command.get_short_help_str(formatter.width - width - 6))
                    for name, command in self.commands.items()
                    if not command.hidden
                ]
            )

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
        _prepare_stdout()
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except Exception as error:  # the boundary: whatever it is, it is told in one line
            code = exit_code_of(error)
        else:
            if code == Cancelled.exit_code:  # what typer makes of ctrl+c outside of a command, without a word
                code = exit_code_of(KeyboardInterrupt())
        sys.exit(code or 0)


def _prepare_stdout() -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:  # data is UTF-8 whatever the terminal of the user speaks
            # Only the name of a file can hold what UTF-8 cannot, and then it stands there as JSON has it.
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
