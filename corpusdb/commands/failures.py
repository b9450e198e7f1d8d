"""The one place where what went wrong becomes a line on stderr and an exit code; never a traceback unless asked for."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

import typer
from typer.core import TyperArgument

from corpusdb.base import signals
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import MOST_TOLD, Cancelled, CorpusError, QueryError, StoreError, one_line
from corpusdb.base.text import normalise

__all__ = ["exit_code_of"]

_EXIT_FAILED = 1
_EXIT_INPUT = 3
_TRACEBACK = "CORPUSDB_TRACEBACK"

_LONGEST_VALUE = 40
_REASONS = {
    "int_parsing": "is no whole number",
    "int_parsing_size": "is too large",
    "int_from_float": "is no whole number",
    "float_parsing": "is no number",
    "finite_number": "is no finite number",
    "bool_parsing": "is neither yes nor no",
}
"""By what pydantic calls them."""
_LIMITS = {"ge": "less than", "le": "more than"}


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
    reason = _reason_of_validation(error.__cause__)
    if reason is not None:
        error.message = reason  # the name of the option stands before it
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    if message.startswith(_TOO_MANY):
        message += _how_to_give_words([each.name for each in context.command.params if isinstance(each, TyperArgument)])
        if any("--pattern" in each.opts for each in context.command.params):
            message += "; --pattern REGEX lists what that is found in"
    return f"{message} (see `{context.command_path} --help`)"


_TOO_MANY = "Got unexpected extra argument"
"""What typer says of words behind the last argument."""


def _how_to_give_words(arguments: Sequence[str]) -> str:
    """What to do with several words where a command takes so many arguments."""
    if not arguments:
        return "; it takes options only"
    return '; words that belong together stand in quotes: "cup of"'


def _reason_of_validation(cause: BaseException | None) -> str | None:
    """Why a value is refused, in our words; None where no validation of pydantic, on which typer rests, refused it.

    Its own words are made for programmers ("Input should be ..."), and none of them are told.
    """
    found = cause.errors() if cause is not None and hasattr(cause, "errors") else []
    if not found:
        return None
    kind, given, limits = found[0]["type"], found[0]["input"], found[0].get("ctx", {})
    if kind == "value_error":  # from a function that typer has called, with a reason of its own
        return _reason_of_validation(limits["error"]) or str(limits["error"])
    said = repr(given if len(str(given)) <= _LONGEST_VALUE else f"{str(given)[:_LONGEST_VALUE]}...")
    if str(given).strip().lower() == "nan":  # which is outside of all limits, and above and below none
        kind = "float_parsing"
    if kind in _REASONS:
        return f"{said} {_REASONS[kind]}"
    return next(
        (f"{said} is {_LIMITS[name]} {limits[name]:,.15g}" for name in _LIMITS if name in limits), f"not {said}"
    )


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
