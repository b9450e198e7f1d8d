"""Long texts on a terminal, by the program that the user reads with."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
from contextlib import suppress

from corpusdb.cli.program.output import is_terminal, write_text
from corpusdb.display import lines_safe

__all__ = ["show_text"]

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
