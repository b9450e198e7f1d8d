"""Options as fields of dataclasses: what each is called and means, and how their values are kept and restored.

A field is described once, where it stands. From that the command line makes an option and the browser a line of a form;
a query that was kept is restored by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from corpusdb.errors import UsageError

__all__ = [
    "FormLine",
    "Option",
    "default_of",
    "described",
    "description",
    "options_from_json",
    "options_to_json",
    "values_of",
]

Options = TypeVar("Options")
Value = TypeVar("Value")
Description = TypeVar("Description")


@dataclass(frozen=True, slots=True)
class Option:
    """A field on the command line, as far as its name, its type and its default do not say what it is."""

    help: str
    names: tuple[str, ...] = ()
    """"--with", "-w"; "--yes/--no" for a flag and its opposite. Empty: the name of the field with -- in front."""
    metavar: str | None = None
    least: int | None = None
    most: int | None = None
    shows_default: bool = True
    is_argument: bool = False
    """A word that has to be given, with no name in front."""
    may_be_missing: bool = False
    """A query that was kept before there was this option means its default, which asks for nothing."""


@dataclass(frozen=True, slots=True)
class FormLine:
    """A field as a line of a form."""

    label: str
    hint: str
    """May name what there is to choose from: "all of these: {languages}"."""
    summary: str = "{}"
    """What is shown of a value that is not the default: "length {}"; "short/long" for yes and no."""
    choices: str = ""
    """What of the corpus there is to choose from: "languages", "collections", or nothing."""
    place: int = 100
    """Lines stand in this order, those of one place in the order of the fields."""


def described(default: Value, *descriptions: object) -> Value:
    """A field of a dataclass with its default and descriptions of it, at most one of each kind."""
    return field(default=default, metadata={type(each).__name__: each for each in descriptions})


def description(option: Field[Any], kind: type[Description]) -> Description | None:
    """The description of that kind that a field has, if any."""
    return cast("Description | None", option.metadata.get(kind.__name__))


def default_of(option: Field[Any]) -> Any:
    """What a field holds if no value is given, or MISSING."""
    return option.default if option.default_factory is MISSING else option.default_factory()


def values_of(options: object) -> Iterator[tuple[Field[Any], Any]]:
    """Every field with its value."""
    for option in fields(options):  # type: ignore[arg-type]
        yield option, getattr(options, option.name)


def options_to_json(options: object) -> dict[str, object]:
    """The fields of ``options`` as JSON can hold them; paths as text."""
    return {option.name: _plain(value) for option, value in values_of(options)}


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, Path) else value


def options_from_json(kind: type[Options], document: Mapping[str, object]) -> Options:
    """The options that options_to_json made ``document`` of.

    Raises UsageError where another version of the program kept it, whose command had other options.
    """
    hints = get_type_hints(kind)
    known = {option.name: option for option in fields(kind)}  # type: ignore[arg-type]
    for name in document:
        if name not in known:
            raise _other_version(f"there is no option {name!r} any more")
    for name, option in known.items():
        described_as = description(option, Option)
        if name not in document and not (described_as and described_as.may_be_missing):
            raise _other_version(f"it does not say what {name!r} is to be")
    return kind(**{name: _restored(value, hints[name], name) for name, value in document.items()})


def _other_version(reason: str) -> UsageError:
    return UsageError(f"the query was kept by another version of corpusdb: {reason}")


def _restored(value: object, hint: Any, name: str) -> object:
    """``value`` as its field has it."""
    sequence = get_origin(hint)
    if sequence in (list, tuple) and isinstance(value, list):
        return sequence(_restored(each, get_args(hint)[0], name) for each in value)
    kinds = get_args(hint) if sequence in (Union, UnionType) else (hint,)
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
