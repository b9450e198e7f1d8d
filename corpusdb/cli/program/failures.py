"""The one place where what went wrong becomes a line on stderr and an exit code; never a traceback unless asked for."""

from __future__ import annotations

import contextlib
import os
import sys

import typer

from corpusdb import signals
from corpusdb.display import cell_safe
from corpusdb.errors import MOST_TOLD, Cancelled, CorpusError, QueryError, StoreError, one_line
from corpusdb.text import normalise

__all__ = ["exit_code_of"]

_EXIT_FAILED = 1
_EXIT_INPUT = 3
_TRACEBACK = "CORPUSDB_TRACEBACK"


def exit_code_of(error: BaseException) -> int:
    """Tell the user what happened, in one line on stderr, and return the exit code for it."""
    signals.close()  # another one would tear the line apart
    if signals.received() is not None and not isinstance(error, Cancelled):
        error = KeyboardInterrupt()  # whatever else came of it on the way here
    match error:
        case BrokenPipeError():  # whoever read the output has seen enough
            _silence_stdout()
            return 0
        case KeyboardInterrupt():
            _tell(signals.told())
            return Cancelled.exit_code
        case Cancelled():
            _tell(str(error))
            return error.exit_code
        case QueryError():  # the query and a caret below it would be nothing in one line
            _tell(f"error: {error.reason}", *error.pointer().split("\n"))
            return error.exit_code
        case CorpusError():
            _tell(f"error: {error}")
            return error.exit_code
        case MemoryError():  # of SQLite or of the program; a transaction that it ended has left nothing
            _tell("error: out of memory; what was committed before is safe")
            return StoreError.exit_code
        case typer.TyperException():
            _tell(f"error: {_usage(error)}")
            return error.exit_code
        case OSError():  # a full disk, a folder that may not be written: the files' fault, not the program's
            _silence_stdout()
            _tell(f"error: {_told_by_system(error)}")
            return _EXIT_INPUT
    _tell_unexpected(error)
    return _EXIT_FAILED


def _silence_stdout() -> None:
    """Let the interpreter's last flush go nowhere, where stdout cannot be written to any more; it would complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(message: str, *below: str) -> None:
    """One line, and those below it as they are, indented."""
    lines = [f"corpusdb: {one_line(normalise(message), MOST_TOLD)}", *(f"  {line}" for line in below)]
    if sys.stderr.isatty():
        lines = [cell_safe(line) for line in lines]
    with contextlib.suppress(OSError):  # nobody is left to be told
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()


def _usage(error: typer.TyperException) -> str:
    """What is wrong with the call, with the help page that says how to make it."""
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    return message if context is None else f"{message} (see `{context.command_path} --help`)"


def _told_by_system(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}" if error.filename else reason


def _tell_unexpected(error: BaseException) -> None:
    asked = bool(os.environ.get(_TRACEBACK))
    if asked:
        import traceback

        traceback.print_exception(error)
    advice = "" if asked else f"; run it again with {_TRACEBACK}=1 for the details, and please report them"
    _tell(f"error: unexpected {type(error).__name__}: {error}{advice}")
