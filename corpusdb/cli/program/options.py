"""The options of a command as typer takes them, and as the line that one would type."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from corpusdb.options import Option, default_of, description, values_of

__all__ = ["hints_of", "info_of", "names_of", "reads_stdin", "shell_line"]


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
