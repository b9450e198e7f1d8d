"""The options of a command as typer takes them, their bounds, and names that are completed from the database."""

from __future__ import annotations

import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from math import isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints
from unicodedata import is_normalized

import typer
from typer.core import TyperArgument, TyperOption
from typer.models import ArgumentInfo, OptionInfo

from corpusdb.base.errors import CorpusError, UsageError
from corpusdb.base.options import (
    LARGEST,
    Argument,
    FormField,
    Option,
    default_of,
    described,
    headings_of,
    is_sent,
    values_of,
)
from corpusdb.base.text import is_utf8, nfc
from corpusdb.commands.invocation import Invocation


def with_options(run: Callable[..., None], *kinds: type[object]) -> Callable[..., None]:
    """A function that takes a context and options, with the signature of them that typer reads.

    Its options are the fields of these dataclasses.
    """
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [context, *(each for kind in kinds for each in _parameters(kind))]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _parameters(kind: type[object]) -> Iterator[inspect.Parameter]:
    options, hints = described(kind, Option), hints_of(kind)
    for each in fields(kind):  # type: ignore[arg-type]
        option, hint = options[each.name], hints[each.name]
        default = MISSING if isinstance(option, Argument) and option.is_required else default_of(each)
        yield inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is MISSING else default,
            annotation=Annotated[hint, _info(each.name, option, is_flag=hint is bool)],
        )


_HINTS: dict[type[object], dict[str, Any]] = {}
"""What ``hints_of`` has found: the types stand as text, which it takes a millisecond to evaluate."""


def hints_of(kind: type[object]) -> dict[str, Any]:
    """The type of each field as typer knows it: without None, and a list where the field is a tuple of any length."""
    if kind not in _HINTS:
        hints: dict[str, Any] = {}
        for name, hint in get_type_hints(kind).items():
            kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
            hint = next(each for each in kinds if each is not NoneType)
            hints[name] = list[get_args(hint)[0]] if get_origin(hint) is tuple else hint  # type: ignore[misc]
        _HINTS[kind] = hints
    return _HINTS[kind]


def _info(field: str, option: Option, *, is_flag: bool) -> OptionInfo | ArgumentInfo:
    info: OptionInfo | ArgumentInfo
    completion = _completion_of(field, option)
    if isinstance(option, Argument):
        info = typer.Argument(
            metavar=option.metavar,
            help=option.help,
            min=option.least,
            max=option.most,
            show_default=option.shows_default,
            autocompletion=completion,
        )
        return info
    instead = option.instead
    info = typer.Option(
        *(option.names.split() or ([f"--{field.replace('_', '-')}"] if is_flag else [])),
        metavar=option.metavar,
        help=option.help,
        min=option.least,
        max=option.most,
        show_default=option.shows_default,
        autocompletion=completion,
        callback=None if instead is None else lambda wanted: instead() if wanted else None,
        is_eager=instead is not None,
    )
    return info


def form_fields(kind: type[object]) -> tuple[FormField, ...]:
    """The fields of a dataclass of options as lines of a form, those that are given without a name first."""
    options, hints, headings = described(kind, Option), hints_of(kind), headings_of(kind)
    made = [
        replace(_form_field(each, options[each.name], hints[each.name]), heading=headings.get(each.name, ""))
        for each in fields(kind)  # type: ignore[arg-type]
        if options[each.name].instead is None
    ]
    return tuple(sorted(made, key=lambda field: bool(field.typed)))


_NAMES_FILES = ("FILE", "FOLDER", "DIR", "SOURCE")
"""What is in the words that stand for a file, or for what may be one."""


def _form_field(field: Field[Any], option: Option, hint: Any) -> FormField:
    default, is_argument = default_of(field), isinstance(option, Argument)
    is_required = default is MISSING or (isinstance(option, Argument) and option.is_required)
    yes, no = ("", "") if is_argument else names_of(field.name, option)
    is_many = get_origin(hint) is list
    kind = get_args(hint)[0] if is_many else hint
    is_flag = kind is bool
    choices = ("no", "yes") if is_flag else tuple(map(str, get_args(kind))) if get_origin(kind) is Literal else ()
    if default in (MISSING, None):
        told = ""
    elif is_flag:
        told = "yes" if default else "no"
    else:
        told = shlex.join(map(str, default)) if isinstance(default, list | tuple) else str(default)
    metavar = option.metavar or ("" if is_flag else field.name.upper())
    is_file = kind is Path or any(each in metavar for each in _NAMES_FILES)
    if choices and told not in choices:
        choices = (told, *choices)
    return FormField(field.name, option.help, yes, no, metavar, told, choices, is_flag, is_many, is_file, is_required)


def reads_stdin(options: object) -> bool:
    """Whether one of the options names what is sent once: that is not known afterwards."""
    return any(is_sent(value) for _, value in values_of(options))


def shell_line(command: str, options: object) -> str:
    """The line that one would type for this; options that have their default are left out."""
    known = described(type(options), Option)
    named: list[str] = []
    placed: list[str] = []
    for field, value in values_of(options):
        option = known[field.name]
        values = value if isinstance(value, list | tuple) else [value]
        if isinstance(option, Argument):
            placed += [str(each) for each in values if each is not None]
        elif value != default_of(field):
            yes, no = names_of(field.name, option)
            for each in values:
                if isinstance(each, bool):
                    named.append(yes if each else no)
                elif each is not None:
                    named += [f"{yes}={each}"] if str(each).startswith("-") else [yes, str(each)]
    # Behind -- nothing is taken for an option; a lone - never is.
    marker = ["--"] if any(each.startswith("-") and each != "-" for each in placed) else []
    return " ".join(map(_quoted, ["corpusdb", command, *named, *marker, *placed]))


def _quoted(word: str) -> str:
    """A word as the shell takes it; with an apostrophe in double quotes, which are easier to read."""
    quoted = shlex.quote(word)
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else quoted


def names_of(field: str, option: Option) -> tuple[str, str]:
    """The name of an option, and of its opposite if it is a flag that has one."""
    yes, _, no = (option.names or f"--{field.replace('_', '-')}").split()[0].partition("/")
    return yes, no


# What the values of all options must be, whoever gives them: the command line, or a query that was kept.


def check_values(options: object) -> None:
    """Raise UsageError for a number out of its range, and for text that neither SQLite nor JSON could hold.

    The range of a number is that of its option, which the help shows; where that is open, 0 and LARGEST bound it.
    """
    known = described(type(options), Option)
    for field, value in _values(options):
        if isinstance(value, str | Path):
            check_text(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            option = known[field.name]
            low = 0 if option.least is None else option.least
            high = LARGEST if option.most is None else option.most
            # Every comparison with NaN is false.
            if not (isfinite(value) and low <= value <= high):
                name = option.metavar if isinstance(option, Argument) else names_of(field.name, option)[0]
                raise UsageError(f"{name} must be {low:,} to {high:,}, not {value}")


def check_text(value: str | Path) -> None:
    """Raise UsageError for NUL, and for text that was typed in another encoding; the names of files may be so."""
    if "\0" in str(value):
        raise UsageError(f"{str(value)!a} holds a NUL character")
    if isinstance(value, str) and not is_utf8(value):
        raise UsageError(f"{value!a} is not UTF-8")


def in_nfc(value: Any, metavar: str | None) -> Any:
    """What was typed in NFC, in which names and texts are kept.

    What may be a file stays as a file that is there is called, also as one of several names or behind a name. SQL has
    what it asks for as it stands.
    """
    if isinstance(value, list):
        return [in_nfc(each, metavar) for each in value]
    if not isinstance(value, str) or value.isascii() or is_normalized("NFC", value) or metavar == "SELECT":
        return value
    is_name = metavar in _NAMES and "=" not in value
    return value if not is_name and any(map(_is_there, (value, *_APART.split(value)))) else nfc(value)


_NAMES: Final = ("NAME", "[NAME]", "NEW", "COLLECTION")
"""What stands for a name that is no file's."""
_APART: Final = re.compile("[,=@]")


def _is_there(name: str) -> bool:
    try:
        return bool(name) and Path(name).exists()
    except (OSError, ValueError):  # no name that a file could have
        return False


def _values(options: object) -> Iterator[tuple[Field[Any], object]]:
    """Every value with its field, those of a list one by one."""
    for option, value in values_of(options):
        for each in value if isinstance(value, list | tuple) else [value]:
            yield option, each


# Words of the command line as values: those that are plain at once, since typer converts by pydantic, which takes a
# tenth of a second to load. What is not plain, and so every value that is wrong, is left to typer, which says what is
# wrong.

_INTEGER = re.compile("-?[0-9]{1,15}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


class _NotPlain(Exception):
    """A value that typer has to look at."""


@dataclass(frozen=True, slots=True)
class _Conversion:
    """How one parameter converts its values."""

    parameter: TyperArgument | TyperOption
    hint: Any
    """Of which type they are."""
    option: Option
    by_typer: Callable[[Any, Any], Any]

    def __call__(self, ctx: Any, value: Any) -> Any:
        try:
            converted = self._converted(ctx, value)
        except _NotPlain:
            return self.by_typer(ctx, value)
        callback = self.parameter.callback
        return converted if callback is None else callback(ctx, self.parameter, converted)

    def _converted(self, ctx: Any, value: Any) -> Any:
        if value is not None:
            return _plain(self.hint, value, self.option)
        if self.parameter.required:
            if get_origin(self.hint) is Literal:
                raise _NotPlain  # typer says which there are
            is_argument = isinstance(self.parameter, TyperArgument)
            names = [self.option.metavar or self.parameter.name] if is_argument else self.parameter.opts
            missing = f"Missing {'argument' if is_argument else 'option'} {' / '.join(map(repr, names))}"
            raise UsageError(f"{missing} (see `{ctx.command_path} --help`)")
        return () if get_origin(self.hint) is list else None


def convert_plainly(parameters: Iterable[object], kinds: Iterable[type[object]]) -> None:
    """Let parameters convert values that are plain without what typer would load for it.

    Those that stand for the fields of these dataclasses have their types from there; what typer adds are flags.
    """
    known: dict[str, Option] = {}
    hints: dict[str, Any] = {}
    for kind in kinds:
        known |= described(kind, Option)
        hints |= hints_of(kind)
    for each in parameters:
        if isinstance(each, TyperArgument | TyperOption) and not isinstance(each.process_value, _Conversion):
            option, hint = known.get(each.name, _ADDED), hints.get(each.name, bool)
            each.process_value = _Conversion(each, hint, option, each.process_value)  # type: ignore[method-assign]


_ADDED: Final = Option("")
"""An option of every program, such as --help."""


def _plain(kind: Any, value: Any, option: Option) -> Any:
    """A value as the type has it. Raises _NotPlain where typer has to look at it."""
    if kind is bool and type(value) is bool:
        return value
    if get_origin(kind) is list and isinstance(value, list | tuple):
        return [_plain(get_args(kind)[0], each, option) for each in value]
    if kind is int or kind is float:
        return _number(kind, value, option)
    if kind is Path and isinstance(value, str | Path) and "\0" not in str(value):
        if os.access(value, os.R_OK) or not os.path.exists(value):
            return Path(value)
    elif type(value) is str and (kind is str or (get_origin(kind) is Literal and value in get_args(kind))):
        return value
    raise _NotPlain


def _number(kind: type[int] | type[float], value: Any, option: Option) -> int | float:
    if type(value) is str:
        if not (_INTEGER if kind is int else _DECIMAL).fullmatch(value):
            raise _NotPlain
        value = kind(value)
    least, most = option.least, option.most
    if type(value) is not kind or not (least is None or value >= least) or not (most is None or value <= most):
        raise _NotPlain
    return value


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


def with_names_joined(words: Sequence[str], options: Mapping[str, Callable[[str], bool]]) -> list[str]:
    """The words with names that follow one of these options made one word, with commas: -m bleu,ter.

    What is given again is added: -m bleu -m ter. ``options`` have what tells whether a word is such names.
    """
    at, end = 0, words.index("--") if "--" in words else len(words)
    joined: list[str] = []
    places: dict[Callable[[str], bool], int] = {}
    while at < len(words):
        word = words[at]
        at += 1
        if word not in options or at >= end:
            joined.append(word)
            continue
        is_known = options[word]
        last = at + 1
        while last < end and is_known(words[at]) and is_known(words[last]):
            last += 1
        names = ",".join(words[at:last])
        at = last
        if is_known in places:
            joined[places[is_known]] += f",{names}"
        else:
            joined += [word, names]
            places[is_known] = len(joined) - 1
    return joined


# Names from the database where one presses Tab: languages, collections, saved queries, sessions, samples, systems ...
# The kind is told by what the help shows, LANG or SYSTEM, by the option, or by the group. Nothing is said where it
# cannot be read.

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


def _completion_of(field: str, option: Option) -> Callable[..., list[str]] | None:
    """What completes names in the option or argument of a field, if it takes names; else it completes by its type."""
    metavar = option.metavar or ""
    name = "" if isinstance(option, Argument) else names_of(field, option)[0]
    is_of_command = metavar == "NAME" and name in ("", "--name")
    told = _BY_OPTION.get((name, metavar)) or _BY_METAVAR.get(metavar)
    if not (told or is_of_command):
        return None

    def complete(ctx: typer.Context, args: list[str], incomplete: str) -> list[str]:
        command = " ".join(_path(ctx))
        by_command = _BY_COMMAND.get(command) or _BY_COMMAND.get(command.partition(" ")[0])
        kind = told or (None if command in _NEW else by_command)
        return list(_completed(ctx, kind, metavar, incomplete)) if kind else []

    return complete


class _Completion(str):
    """A word as the shell takes it, with backslashes, which typer does not find to begin like the one that is typed."""

    __slots__ = ()

    def startswith(self, *args: Any) -> bool:
        return True


def _completed(context: typer.Context, kind: str, metavar: str, incomplete: str) -> Iterator[str]:
    before, comma, begins = incomplete.rpartition(",") if "," in metavar else ("", "", incomplete)
    after = ":" if metavar == "LANG:PATTERN" else ""
    for name in _names(context, kind, begins):
        if name.isprintable() and name not in before.split(","):
            yield _Completion(_as_typed(f"{before}{comma}{name}{after}"))


def _path(context: Any) -> list[str]:
    return [*_path(context.parent), context.info_name or ""] if context.parent else []


def _names(context: typer.Context, kind: str, begins: str) -> Iterable[str]:
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


def _database(context: typer.Context) -> Path:
    """The database that the call will be about; the shell has not put in yet what ~ and variables stand for."""
    at: Any = context
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
