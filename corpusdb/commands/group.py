"""The program as typer runs it, its commands loaded when they are called, and what went wrong as one line."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, get_args, get_origin

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from corpusdb.base import signals
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import MOST_TOLD, Cancelled, CorpusError, QueryError, StoreError, UsageError, one_line
from corpusdb.base.options import Option, described, headings_of
from corpusdb.base.text import normalise
from corpusdb.commands.options import ARGUMENTS, KNOWN_WORDS, convert_plainly, hints_of, takes_more, with_names_joined

if TYPE_CHECKING:
    from corpusdb.corpus.formats import Format

# The one place where what went wrong becomes a line on stderr and an exit code; never a traceback unless asked for.

_EXIT_FAILED = 1
_EXIT_INPUT = 3
_TRACEBACK = "CORPUSDB_TRACEBACK"

_LONGEST_VALUE = 40
_REASONS = {
    "int_parsing": "is not a whole number",
    "int_parsing_size": "is too large",
    "int_from_float": "is not a whole number",
    "float_parsing": "is not a number",
    "finite_number": "is not a finite number",
    "bool_parsing": "is neither yes nor no",
}
"""By what pydantic calls them."""
_LIMITS = {"ge": "less than", "le": "more than"}


def exit_code_of(error: BaseException) -> int:
    """Tell the user what happened, in one line on stderr, and return the exit code for it."""
    signals.close(telling=True)  # another one would tear the line apart
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
        case UnicodeEncodeError():  # the name of a file alone can hold what cannot be stored
            name = re.search(r'[^"]*[\udc80-\udcff][^"]*', error.object)
            _tell(f"error: {name and name[0]!a} is not UTF-8, so it cannot be stored; rename the file")
            return _EXIT_INPUT
        case OSError():  # a full disk, a folder that may not be written: the files' fault, not the program's
            _silence_stdout()
            reason = error.strerror or str(error) or type(error).__name__
            _tell(f"error: {error.filename}: {reason}" if error.filename else f"error: {reason}")
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
        takes_words = any(isinstance(each, TyperArgument) for each in context.command.params)
        in_quotes = 'put words that belong together in quotes: "cup of"'
        database = _first_database(message.rpartition("(")[2].rstrip(")").split())
        message += f"; {database or (in_quotes if takes_words else 'it takes options only')}"
        if any("--pattern" in each.opts for each in context.command.params):
            message += "; --pattern REGEX lists what that is found in"
    return f"{message} (see `{context.command_path} --help`)"


def _first_database(words: Iterable[str]) -> str | None:
    """How the database is named that somebody named like a file of other programs."""
    from corpusdb.base.outputs import begins_as_database  # which no other call needs

    for word in words:
        with contextlib.suppress(OSError, CorpusError):  # which may not be read
            if begins_as_database(Path(word)):
                return f"--db {shlex.quote(word)} names the database"
    return None


_TOO_MANY = "Got unexpected extra argument"
"""What typer says of words behind the last argument."""


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


def _tell_unexpected(error: BaseException) -> None:
    asked = bool(os.environ.get(_TRACEBACK))
    if asked:
        import traceback

        traceback.print_exception(error)
    advice = "" if asked else f"; run it again with {_TRACEBACK}=1 for the details, and please report them"
    _tell(f"error: unexpected {type(error).__name__}: {error}{advice}")


# What typer hands to the methods below are contexts and formatters of classes that it does not make public.

FORMER_OPTIONS: Final[Mapping[str, str]] = {"--order": "--fluency", "-T": "-V"}
"""Names that options had. They work where a command has no other option of this name, and say what to use instead."""
_LAST_VERSION: Final = "2.0"
"""In which old names of options and commands are gone."""


def tell_former(ctx: Any, old: str, new: str, words: Sequence[str]) -> None:
    """Say what something that was called by its old name is called now, unless the call is a quiet one."""
    if not (ctx.resilient_parsing or ctx.find_root().params.get("quiet") or "--quiet" in words):
        _tell(f"{old} is called {new} now; the old name works until version {_LAST_VERSION}")


def _plainly(value: str) -> str:
    return re.sub(r"[\W_]", "", value).casefold()


def _before_marker(words: Iterable[str]) -> Iterator[str]:
    """The words behind which no option can stand any more."""
    return takewhile(lambda word: word != "--", words)


_MOST_UNHEADED = 24
"""The help has so many options in one list, and more of them under headings."""


class CorpusCommand(TyperCommand):
    """A command whose help names its arguments as its documentation does: TEXT, where typer has {text} <str>.

    An option that may be given several times and shows its value as FILE... takes several at once, too.
    """

    options: ClassVar[Sequence[type[object]]] = ()
    """The dataclasses whose fields its parameters are."""
    refused: ClassVar[Mapping[str, str]] = {}
    """Options that it does not have, each with what to say instead."""
    spelled: ClassVar[Mapping[str, str]] = {}
    """Options of other programs, each with what is the same here."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words behind the name of the command. Raises UsageError for options that are refused by name."""
        convert_plainly(self.get_params(ctx), self.options)
        words = list(self._one_value_each(ctx, list(self._as_called_now(ctx, list(self._as_called_here(args))))))
        words = list(self._values_as_called_here(ctx, words))
        for word in () if ctx.resilient_parsing else _before_marker(words):
            name = word.partition("=")[0]
            if name in self.refused:
                raise UsageError(f"there is no {name}: {self.refused[name]}")
        return super().parse_args(ctx, words)

    def _as_called_here(self, args: Sequence[str]) -> Iterator[str]:
        """The words with options that are called otherwise in other programs as they are called here."""
        words = iter(args)
        for word in words:
            name, equals, value = word.partition("=")
            if word == "--" or name not in self.spelled:
                yield word
                yield from words if word == "--" else ()
            else:
                *before, last = self.spelled[name].split()
                yield from (*before, f"{last}{equals}{value}")

    def _values_as_called_here(self, ctx: Any, args: Sequence[str]) -> Iterator[str]:
        """The words with values that are to be chosen from as they are called here: logDice is logdice."""
        hints = {name: hint for kind in self.options for name, hint in hints_of(kind).items()}
        known = {name: option.called for kind in self.options for name, option in described(kind, Option).items()}
        chosen = {
            name: {_plainly(each): each for each in choices} | dict(known[option.name])
            for option in self.get_params(ctx)
            if option.name in known and (choices := _choices(hints[option.name]))
            for name in option.opts
        }
        words = iter(args)
        for word in words:
            name, equals, value = word.partition("=")
            if word == "--" or name not in chosen:
                yield word
                yield from words if word == "--" else ()
            elif equals:
                yield f"{name}={chosen[name].get(_plainly(value), value)}"
            else:
                yield from (word, *(chosen[name].get(_plainly(value), value) for value in islice(words, 1)))

    def _as_called_now(self, ctx: Any, args: Sequence[str]) -> Iterator[str]:
        """The words with options that were called otherwise before under the one name that the help has."""
        names = {name for each in self.get_params(ctx) for name in each.opts}
        former = {old: new for old, new in FORMER_OPTIONS.items() if old not in names and new in names}
        given = [word.partition("=")[0] if word.startswith("--") else word[:2] for word in _before_marker(args)]
        for old, new in former.items():
            if old in given:
                tell_former(ctx, old, new, args)
        words = iter(args)
        for word in words:
            if word == "--":
                yield from (word, *words)
            elif word.startswith("--"):
                name, equals, value = word.partition("=")
                yield f"{former.get(name, name)}{equals}{value}"
            else:
                yield former.get(word[:2], word[:2]) + word[2:]

    def _one_value_each(self, ctx: Any, args: Sequence[str]) -> Iterator[str]:
        """The words with such options repeated before each of their values.

        Which words they take, KNOWN_WORDS says by how they show their value.
        """
        options = {name: each for each in self.get_params(ctx) for name in each.opts if isinstance(each, TyperOption)}
        by_name = {
            name: KNOWN_WORDS[str(each.metavar)] for name, each in options.items() if each.metavar in KNOWN_WORDS
        }
        hints = {name: hint for kind in self.options for name, hint in hints_of(kind).items()}
        numbered = all(hints[each.name] is int for each in self._taken(ctx))
        many, argued, words = None, not self._taken(ctx), iter(with_names_joined(args, by_name))
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

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the name of the command in its usage."""
        return ["[OPTIONS]", *(name for name, _ in self._arguments(ctx))]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with the lists of formats that its texts name."""
        self._fill_lists(ctx)
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete a word; some shells show the help of options then."""
        self._fill_lists(ctx)
        return super().shell_complete(ctx, incomplete)

    def _fill_lists(self, ctx: Any) -> None:
        for each in (self, *self.get_params(ctx)):
            if isinstance(each, CorpusCommand | TyperOption | TyperArgument) and each.help:
                # The text with the names is kept: the formats may be others when the help is asked for again.
                each.help = fill_lists(vars(each).setdefault("help_with_names", each.help))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the options, each with its help."""
        if arguments := self._arguments(ctx):
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        headings = {name: heading for kind in self.options for name, heading in headings_of(kind).items()}
        records: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            if not isinstance(option, TyperArgument) and (record := option.get_help_record(ctx)):
                records.setdefault(headings.get(option.name, ""), []).append(record)
        if sum(map(len, records.values())) <= _MOST_UNHEADED:
            records = {"": [record for told in records.values() for record in told]}
        for heading, told in sorted(records.items(), key=lambda each: not each[0]):  # those of every command last
            with formatter.section(heading or "Options"):
                formatter.write_dl(told)

    def _arguments(self, ctx: Any) -> list[tuple[str, str]]:
        return [(argument.metavar or argument.name.upper(), argument.help or "") for argument in self._taken(ctx)]

    def _taken(self, ctx: Any) -> list[TyperArgument]:
        return [each for each in self.get_params(ctx) if isinstance(each, TyperArgument)]


def _choices(hint: object) -> tuple[str, ...]:
    """The values of a hint that has a choice of them, or of such a choice or None."""
    return next((get_args(each) for each in (hint, *get_args(hint)) if get_origin(each) is Literal), ())


class CorpusGroup(TyperGroup):
    """A group of commands whose ``main`` always ends in SystemExit."""

    options: ClassVar[Sequence[type[object]]] = ()
    """The dataclasses whose fields its parameters are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words behind the name of the program or group."""
        convert_plainly(self.get_params(ctx), self.options)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the first sentence of each command, whole, in the order in which they were added."""
        width = max(map(len, self.commands))
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name.ljust(width), command.get_short_help_str(sys.maxsize))
                    for name, command in self.commands.items()
                    if not command.hidden
                ]
            )

    def invoke(self, ctx: Any) -> None:
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
        if isinstance(sys.stdout, TextIOWrapper):
            if sys.stdout.isatty():
                sys.stdout.reconfigure(errors="replace")
            else:  # data is UTF-8 whatever the terminal of the user speaks
                # Only the name of a file can hold what UTF-8 cannot, and then it stands there as JSON has it.
                sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except Exception as error:  # the boundary: whatever it is, it is told in one line
            code = exit_code_of(error)
        else:
            if code == Cancelled.exit_code:  # what typer makes of ctrl+c outside of a command, without a word
                code = exit_code_of(KeyboardInterrupt())
        sys.exit(code or 0)


# The formats that help texts list: made from the registry when a help is shown, since it costs time to load.


# What people ask for most stands first; what is not named here follows in the order of the registry.
_FIRST_WRITTEN: Final = ("tmx", "wmt", "sgm", "jsonl")
_FIRST_TOGETHER: Final = ("moses", "sgm")
_FIRST_SCORED: Final = ("jsonl", "tsv", "csv", "sgm")


def fill_lists(help: str) -> str:
    """A help text with each list in its place, for which its name stands in braces."""
    if not any(name in help for name in ("{formats", "{files", "{extensions")):
        return help
    from corpusdb.corpus.formats import FORMATS

    def fill(match: re.Match[str]) -> str:
        name = " ".join(match[1].split())
        formats = list(FORMATS.values())
        if name in _LISTS:
            return _LISTS[name](formats)
        option = name.removeprefix("formats with ")  # that not every format knows, by the name of its field
        return ", ".join(each.name for each in formats if each.reader and option in each.reader.options)

    return re.sub(r"\{([a-z_\s]+)\}", fill, help)


def _written_to(target: str) -> Callable[[Sequence[Format]], str]:
    return lambda formats: _joined([each.name for each in formats if each.writer and each.writer.target == target])


def _put_first(formats: Iterable[Format], names: Sequence[str]) -> list[Format]:
    return sorted(formats, key=lambda each: names.index(each.name) if each.name in names else len(names))


def _joined(names: Sequence[str], last: str = "and") -> str:
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


_LISTS: Final[Mapping[str, Callable[[Sequence[Format]], str]]] = {
    "formats to read": lambda formats: _joined([each.name for each in formats if each.reader], "or"),
    "formats to write": lambda formats: _joined(
        [each.name for each in _put_first(formats, _FIRST_WRITTEN) if each.writer]
    ),
    "formats with a prefix": _written_to("prefix"),
    "formats with a folder": _written_to("folder"),
    "files read together": lambda formats: _joined(
        [
            each.reader.read_together
            for each in _put_first(formats, _FIRST_TOGETHER)
            if each.reader and each.reader.read_together
        ]
    ),
    "extensions to score": lambda formats: ", ".join(
        each.extensions[0] for each in _put_first(formats, _FIRST_SCORED) if each.scoring_reader
    ),
}
