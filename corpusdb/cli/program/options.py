"""The options of a command as JSON, to be kept, and as the line that one would type."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from corpusdb.errors import UsageError

__all__ = ["default_of", "names_of", "options_from_json", "options_to_json", "reads_stdin", "shell_line"]

Options = TypeVar("Options")


def default_of(option: Field[Any]) -> Any:
    """What a field holds when nothing is said, or MISSING."""
    return option.default if option.default_factory is MISSING else option.default_factory()


def _values(options: object) -> Iterator[tuple[Field[Any], Any]]:
    for option in fields(options):  # type: ignore[arg-type]
        yield option, getattr(options, option.name)


def reads_stdin(options: object) -> bool:
    """Whether one of the options is ``-``: what stood on stdin is not known afterwards."""
    return any(str(value) == "-" for _, value in _values(options))


def options_to_json(options: object) -> dict[str, object]:
    """The fields of ``options`` as JSON can hold them; paths as text."""
    return {option.name: _plain(value) for option, value in _values(options)}


def _plain(value: object) -> object:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value


def options_from_json(kind: type[Options], document: Mapping[str, object]) -> Options:
    """The options that options_to_json made ``document`` of.

    Raises UsageError where another version of the program kept it, whose command had other options.
    """
    hints = get_type_hints(kind)
    names = [option.name for option in fields(kind)]  # type: ignore[arg-type]
    for name in document:
        if name not in names:
            raise _other_version(f"there is no option {name!r} any more")
    for name in names:
        if name not in document:
            raise _other_version(f"it does not say what {name!r} is to be")
    return kind(**{name: _restored(document[name], hints[name], name) for name in names})


def _other_version(reason: str) -> UsageError:
    return UsageError(f"the query was kept by another version of corpusdb: {reason}")


def _restored(value: object, hint: Any, name: str) -> object:
    """``value`` as its field has it."""
    if get_origin(hint) is list and isinstance(value, list):
        (member,) = get_args(hint)
        return [_restored(each, member, name) for each in value]
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for kind in kinds:
        if get_origin(kind) is Literal:
            if value in get_args(kind):
                return value
        elif kind is Path and isinstance(value, str):
            return Path(value)
        elif type(value) is kind or (kind in (None, NoneType) and value is None):
            return value
        elif kind is float and type(value) is int:
            return float(value)
    raise _other_version(f"{name!r} cannot be {value!r}")


def shell_line(command: str, options: object) -> str:
    """The line that one would type for this; options that have their default are left out."""
    hints = get_type_hints(type(options), include_extras=True)
    named: list[str] = []
    placed: list[str] = []
    for option, value in _values(options):
        info = next(each for each in hints[option.name].__metadata__ if isinstance(each, OptionInfo | ArgumentInfo))
        values = value if isinstance(value, list) else [value]
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
    """How an option is said, and how it is denied where it is a flag."""
    # In an annotation typer takes the first name of an option for its default, until it sees what it is.
    said = [each for each in (info.default, *(info.param_decls or ())) if isinstance(each, str) and each[:1] == "-"]
    yes, _, no = (said[0] if said else f"--{field.replace('_', '-')}").partition("/")
    return yes, no or f"--no-{yes.removeprefix('--')}"


def _words(names: tuple[str, str], value: object) -> list[str]:
    if isinstance(value, bool):
        return [names[0] if value else names[1]]
    return [f"{names[0]}={value}"] if str(value).startswith("-") else [names[0], str(value)]
