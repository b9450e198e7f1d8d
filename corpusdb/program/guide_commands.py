"""The commands that show what is to be known beyond `--help`: guides, and the manual page."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer._click import Context, HelpFormatter
from typer._click.globals import get_current_context

from corpusdb import __version__
from corpusdb.base.display import lines_safe
from corpusdb.base.errors import UsageError
from corpusdb.commands.command import command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import is_terminal, write_json, write_table, write_text
from corpusdb.guides import guide_text, guide_topics

if TYPE_CHECKING:
    from typer._click import Command

__all__ = [
    "guide",
    "manual",
    "show_text",
]


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
    """What `guide` takes."""

    topic: Annotated[str | None, typer.Argument(metavar="TOPIC", help="One of those listed without it.")] = None


@command("guide")
def guide(invocation: Invocation, options: GuideOptions) -> None:
    """Read about a topic; without one, list the topics.

    On a terminal a text that is longer than it is shown by $PAGER, or by less; anywhere else as it is.
    """
    topics = guide_topics()
    if options.topic is None:
        if invocation.json:
            write_json(topics)
        else:
            write_table(("topic", "about"), list(topics.items()))
        return
    if options.topic not in topics:
        near = get_close_matches(options.topic, topics)
        meant = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"there is no guide to {options.topic!r}{meant or '; there are ' + ', '.join(topics)}")
    if invocation.json:
        write_json({"topic": options.topic, "text": guide_text(options.topic)})
    else:
        show_text(guide_text(options.topic).rstrip("\n"))


# The command that prints the manual page, made from the help of every command as it is.


_ENVIRONMENT = (
    ("CORPUSDB_DB", "The database, where --db names none."),
    ("CORPUSDB_CONFIG", "The file with the keys and looks of the browser."),
    ("CORPUSDB_HISTORY", "off: no query is remembered."),
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
    """Print the manual page, for `man`: every command, from its help.

    corpusdb man | man -l - shows it, and corpusdb man > ~/.local/share/man/man1/corpusdb.1 puts it where `man corpusdb`
    finds it.
    """
    page = _page(get_current_context().find_root())
    if invocation.json:
        write_json({"format": "man", "text": page})
    else:
        write_text(page.rstrip("\n"))
        if is_terminal():
            invocation.say("this is what `man` reads: `corpusdb man | man -l -` shows the page")


def _page(root: Context) -> str:
    page = _Roff()
    page.macro("TH", "CORPUSDB", "1", "", f"corpusdb {__version__}", "")
    page.macro("SH", "NAME")
    page.text(f"corpusdb - {_first_line(root.command)}")
    page.macro("SH", "SYNOPSIS")
    page.text("corpusdb [OPTIONS] COMMAND [ARGS]...")
    page.macro("SH", "DESCRIPTION")
    page.text(root.command.help or "")
    page.macro("SH", "OPTIONS")
    page.write_dl([record for each in root.command.get_params(root) if (record := each.get_help_record(root))])
    page.macro("SH", "COMMANDS")
    root.command.format_commands(root, page)  # type: ignore[attr-defined]
    for name in root.command.list_commands(root):  # type: ignore[attr-defined]
        _add_command(page, name, root)
    page.macro("SH", "GUIDES")
    page.text("`corpusdb guide TOPIC` shows:")
    page.write_dl(list(guide_topics().items()))
    for heading, entries in (("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        page.macro("SH", heading)
        page.write_dl(entries)
    page.macro("SH", "EXIT STATUS")
    page.text((root.command.epilog or "").removeprefix("Exit codes: "))
    return page.getvalue()


def _add_command(page: _Roff, name: str, parent: Context) -> None:
    """A section for a command, and one for each of a group."""
    found: Any = parent.command.get_command(parent, name)  # type: ignore[attr-defined]
    if found.hidden:
        return
    context = Context(found, info_name=name, parent=parent)
    page.macro("SH", context.command_path.partition(" ")[2].upper())
    found.format_help(context, page)
    for each in found.list_commands(context) if hasattr(found, "list_commands") else ():
        _add_command(page, each, context)


def _first_line(described: Command) -> str:
    return inspect.cleandoc(described.help or "").partition("\n")[0].rstrip(".")


class _Roff(HelpFormatter):
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
        """How a command is called; the program is called as the page is."""
        words = prog.split(" ")
        path = words[next((place + 1 for place, word in enumerate(words) if "corpusdb" in word), 1) :]
        self.macro("B", " ".join(["corpusdb", *path]))
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
