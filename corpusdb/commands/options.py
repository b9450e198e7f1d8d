"""The options of a command as typer takes them, their bounds, and names that are completed from the database."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args, get_origin, get_type_hints

import typer
from typer._coercion import RuntimeParam, build_runtime_param
from typer._param_types import coerce_cli_choice, coerce_cli_path
from typer.core import TyperArgument, TyperOption
from typer.models import ArgumentInfo, OptionInfo

from corpusdb.base.errors import CorpusError, UsageError
from corpusdb.base.options import LARGEST, Option, default_of, description, values_of
from corpusdb.commands.invocation import Invocation

if TYPE_CHECKING:
    from typer._click import Context, Parameter
    from typer._coercion import TypeDescriptor

# The options of a command as typer takes them, and as the line that one would type.


def hints_of(kind: type[object]) -> dict[str, Any]:
    """The annotation of each option as typer takes it, made where the field has a description instead."""
    hints = get_type_hints(kind, include_extras=True)
    for option in fields(kind):  # type: ignore[arg-type]
        if (described := description(option, Option)) is not None:
            hint = hints[option.name]
            hint = list[get_args(hint)[0]] if get_origin(hint) is tuple else hint  # type: ignore[misc]
            hints[option.name] = Annotated[hint, _info(described)]
    return hints


def _info(option: Option) -> OptionInfo | ArgumentInfo:
    info: OptionInfo | ArgumentInfo
    if option.is_argument:
        info = typer.Argument(metavar=option.metavar, help=option.help)
        return info
    info = typer.Option(
        *option.names,
        metavar=option.metavar,
        help=option.help,
        min=option.least,
        max=option.most,
        show_default=option.shows_default,
    )
    return info


def info_of(hint: Any) -> OptionInfo | ArgumentInfo:
    """What typer knows of an option, by its annotation."""
    return next(each for each in hint.__metadata__ if isinstance(each, OptionInfo | ArgumentInfo))


def reads_stdin(options: object) -> bool:
    """Whether one of the options is ``-``: what stood on stdin is not known afterwards."""
    return any(str(value) == "-" for _, value in values_of(options))


def shell_line(command: str, options: object) -> str:
    """The line that one would type for this; options that have their default are left out."""
    hints = hints_of(type(options))
    named: list[str] = []
    placed: list[str] = []
    for option, value in values_of(options):
        info = info_of(hints[option.name])
        values = value if isinstance(value, list | tuple) else [value]
        if isinstance(info, ArgumentInfo):
            placed += [str(each) for each in values if each is not None]
        elif value != default_of(option):
            names = names_of(option.name, info)
            named += [word for each in values if each is not None for word in _words(names, each)]
    # Behind -- nothing is taken for an option; a lone - never is.
    marker = ["--"] if any(each.startswith("-") and each != "-" for each in placed) else []
    return " ".join(map(_quoted, ["corpusdb", command, *named, *marker, *placed]))


def _quoted(word: str) -> str:
    """A word as the shell takes it; with an apostrophe in double quotes, which are easier to read."""
    quoted = shlex.quote(word)
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else quoted


def names_of(field: str, info: OptionInfo) -> tuple[str, str]:
    """The name of an option, and of its opposite if it is a flag."""
    # In an annotation typer takes the first name of an option for its default, until it sees what it is.
    said = [each for each in (info.default, *(info.param_decls or ())) if isinstance(each, str) and each[:1] == "-"]
    yes, _, no = (said[0] if said else f"--{field.replace('_', '-')}").partition("/")
    return yes, no or f"--no-{yes.removeprefix('--')}"


def _words(names: tuple[str, str], value: object) -> list[str]:
    if isinstance(value, bool):
        return [names[0] if value else names[1]]
    return [f"{names[0]}={value}"] if str(value).startswith("-") else [names[0], str(value)]


# What the values of all options must be, whoever gives them: the command line, or a query that was kept.


def check_values(options: object) -> None:
    """Raise UsageError for a number out of its range, and for text that neither SQLite nor JSON could hold.

    The range of a number is that of its option, which the help shows; where that is open, 0 and LARGEST bound it.
    """
    hints = hints_of(type(options))
    for option, value in _values(options):
        if isinstance(value, str | Path):
            check_text(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            info = info_of(hints[option.name])
            low = 0 if info.min is None else info.min
            high = LARGEST if info.max is None else info.max
            # Every comparison with NaN is false.
            if not (isfinite(value) and low <= value <= high):
                name = info.metavar if isinstance(info, ArgumentInfo) else names_of(option.name, info)[0]
                raise UsageError(f"{name} must be {low:,} to {high:,}, not {value}")


def check_text(value: str | Path) -> None:
    """Raise UsageError for NUL, and for text that was typed in another encoding; the names of files may be so."""
    if "\0" in str(value):
        raise UsageError(f"{str(value)!a} holds a NUL character")
    if isinstance(value, str) and not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise UsageError(f"{value!a} is not UTF-8")


def _values(options: object) -> Iterator[tuple[Field[Any], object]]:
    """Every value with its field, those of a list one by one."""
    for option, value in values_of(options):
        for each in value if isinstance(value, list | tuple) else [value]:
            yield option, each


# Words of the command line as values: those that are plain at once, all others by typer.
#
# typer converts by pydantic, which takes a tenth of a second to load. A number in digits, a text, the name of a file
# or one of a list of words need none of it. What is not plain, and so every value that is wrong, is left to typer:
# there is one place that says what is wrong.


_INTEGER = re.compile("-?[0-9]{1,15}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


class _NotPlain(Exception):
    """A value that typer has to look at."""


@dataclass(frozen=True)
class _Plain(RuntimeParam):
    """How one parameter is converted."""

    descriptor: TypeDescriptor

    def _coerce_value(self, value: Any, param: Any, ctx: Context) -> Any:
        try:
            return self._plain(self.annotation, value, ctx)
        except _NotPlain:
            return build_runtime_param(self.descriptor)._coerce_value(value, param, ctx)

    def _plain(self, kind: Any, value: Any, ctx: Context) -> Any:
        if get_origin(kind) is list and isinstance(value, list | tuple):
            return [self._plain(get_args(kind)[0], each, ctx) for each in value]
        info = self.parameter_info
        if info.parser is not None or self.descriptor.is_file or info.clamp:
            raise _NotPlain
        if kind is str and type(value) is str:
            return value
        if kind is int or kind is float:
            return self._number(kind, value)
        try:
            if self.descriptor.choices is not None and get_origin(kind) is not list:
                return coerce_cli_choice(
                    value, choices=self.descriptor.choices, case_sensitive=info.case_sensitive, ctx=ctx
                )
            if kind is Path and isinstance(value, str | Path):
                return coerce_cli_path(Path(value), info, path_type=Path, ctx=ctx)
        except ValueError as error:
            raise _NotPlain from error
        raise _NotPlain

    def _number(self, kind: type[int] | type[float], value: Any) -> int | float:
        if type(value) is str:
            if not (_INTEGER if kind is int else _DECIMAL).fullmatch(value):
                raise _NotPlain
            value = kind(value)
        least, most = self.parameter_info.min, self.parameter_info.max
        if type(value) is not kind or not (least is None or value >= least) or not (most is None or value <= most):
            raise _NotPlain
        return value


def convert_plainly(parameters: Iterable[Parameter]) -> None:
    """Convert the values of parameters, wherever they are plain, without what typer would load for it."""
    for each in parameters:
        if isinstance(each, TyperArgument | TyperOption) and each._runtime_param is None:
            described = each.type_descriptor
            each._runtime_param = _Plain(described.parameter_info, described.annotation, described)


# Options that take several words behind one name, as in `--ref one.en two.en` and `-m bleu ter`.


KNOWN_WORDS: dict[str, Callable[[str], bool]] = {}
"""Which words are values of an option, by how it shows its value: for options whose values are names.

Entered by the capability that has such an option.
"""

ARGUMENTS = "HYP..."
"""And the one whose values take the place of arguments, as in sacrebleu."""


def takes_more(metavar: str, *, argued: bool) -> bool:
    """Whether the words that follow a value are values, too, by how the option shows its value.

    ARGUMENTS takes them wherever it stands. Others that end so do where an argument of the command stands before them
    (``argued``), which all else would have to be mistaken for, and where its arguments are numbers, which no value is.
    """
    return metavar.endswith("...") and (argued or metavar == ARGUMENTS)


def with_names_joined(words: Sequence[str], options: Mapping[str, Callable[[str], bool]]) -> Iterator[str]:
    """The words with names that follow one of these options made one word, with commas: -m bleu,ter.

    ``options`` have what tells whether a word is such names.
    """
    at, end = 0, words.index("--") if "--" in words else len(words)
    while at < len(words):
        word = words[at]
        yield word
        at += 1
        if word in options and at < end:
            is_known = options[word]
            last = at + 1
            while last < end and is_known(words[at]) and is_known(words[last]):
                last += 1
            yield ",".join(words[at:last])
            at = last


# Names from the database where one presses Tab: languages, collections, saved queries, sessions, samples, systems ...
#
# The kind of a name is told by what the help shows for it, LANG or SYSTEM, by the option, or by the group of the
# command. Nothing is said where the database cannot be read: whoever types sees that when the command runs.


_MOST: Final = 500
_BY_METAVAR: Final[Mapping[str, str]] = {
    "LANG": "language",
    "LANG,...": "language",
    "LANG[,LANG]": "language",
    "LANG:PATTERN": "language",
    "COLLECTION": "collection",
    "QUERY": "query",
    "[QUERY]": "query",
    "SET": "rule set",
    "SYSTEM": "system",
    "[SYSTEM]": "system",
    "[OTHER]": "system",
    "SYSTEM,...": "system",
    "TOPIC": "guide",
}
_BY_OPTION: Final[Mapping[tuple[str, str], str]] = {
    ("--collection", "NAME"): "collection",
    ("--against", "NAME"): "collection",
    ("--document", "NAME"): "document",
    ("--delete", "NAME"): "query",
    ("--categories", "NAME"): "category set",
    ("--query", "NAME"): "query",
    ("--ref-set", "NAME"): "frozen set",
    ("--attribute", "NAME"): "attribute",
    ("--remove", "NAME"): "selection",
    ("--show", "NAME"): "selection",
    ("--model", "NAME|FILE.arpa"): "model",
}
_BY_COMMAND: Final[Mapping[str, str]] = {
    "session": "session",
    "judge": "sample",
    "model export": "model",
    "rules set": "rule set",
    "import": "collection",
    "categories": "category set",
    "results remove": "selection",
}
"""What a NAME is in a command, or in one of a group."""
_NEW: Final = ("session new", "judge sample")
"""Commands whose NAME is that of something that is not there yet."""


def add_completion(field: str, info: OptionInfo | ArgumentInfo) -> None:
    """Let names be completed in the option or argument of a field, if it takes names; else it completes as it did."""
    metavar = info.metavar or ""
    option = names_of(field, info)[0] if isinstance(info, OptionInfo) else ""
    is_of_command = metavar == "NAME" and option in ("", "--name")
    told = _BY_OPTION.get((option, metavar)) or _BY_METAVAR.get(metavar)
    if not (told or is_of_command):
        return

    def complete(ctx: Any, args: list[str], incomplete: str) -> list[str]:
        kind = told or _kind_in(" ".join(_path(ctx)))
        return list(_completed(ctx, kind, metavar, incomplete)) if kind else []

    info.autocompletion = complete


class _Completion(str):
    """A word as the shell takes it, with backslashes, which typer does not find to begin like the one that is typed."""

    __slots__ = ()

    def startswith(self, *args: Any) -> bool:
        return True


def _completed(context: Context, kind: str, metavar: str, incomplete: str) -> Iterator[str]:
    """What the word that is being typed may become."""
    before, comma, begins = incomplete.rpartition(",") if "," in metavar else ("", "", incomplete)
    after = ":" if metavar == "LANG:PATTERN" else ""
    for name in _names(context, kind, begins):
        if name.isprintable() and name not in before.split(","):
            yield _Completion(_as_typed(f"{before}{comma}{name}{after}"))


def _kind_in(command: str) -> str | None:
    """What a NAME is in a command; None where it is that of something new."""
    if command in _NEW:
        return None
    return _BY_COMMAND.get(command) or _BY_COMMAND.get(command.partition(" ")[0])


def _path(context: Context) -> list[str]:
    """The words of the command, without the name of the program."""
    return [*_path(context.parent), context.info_name or ""] if context.parent else []


def _names(context: Context, kind: str, begins: str) -> Iterable[str]:
    if kind == "guide":
        from corpusdb.guides import guide_topics

        return [topic for topic in guide_topics() if topic.startswith(begins)]
    from corpusdb.corpus.queries.names import names_beginning
    from corpusdb.corpus.store import open_store
    from corpusdb.corpus.store.connection import translated_errors

    path = _database(context)
    try:
        with open_store(path, read_only=True) as store, translated_errors(path):
            return names_beginning(store, kind, begins, _MOST)
    except (CorpusError, OSError):
        return []


def _database(context: Context) -> Path:
    """The database that the call will be about; the shell has not put in yet what ~ and variables stand for."""
    at: Context | None = context
    while at is not None and not at.params.get("db"):
        at = at.parent
    chosen = at.params["db"] if at else None
    path = Invocation(chosen=chosen).path
    return Path(os.path.expandvars(path)).expanduser()


def _as_typed(name: str) -> str:
    """A name as bash wants it, which puts it into the line as it is; the other shells quote it themselves."""
    words, place = os.environ.get("COMP_WORDS"), os.environ.get("COMP_CWORD", "")
    if words is None or not any(value == "complete_bash" for key, value in os.environ.items() if key[:1] == "_"):
        return name
    typed = words.split("\n")[int(place)] if place.isdigit() and int(place) < len(words.split("\n")) else ""
    return name if typed[:1] in ("'", '"') else re.sub(r"([^\w@%+:,./=-])", r"\\\1", name)
