"""Words of the command line as values: those that are plain at once, all others by typer.

typer converts by pydantic, which takes a tenth of a second to load. A number in digits, a text, the name of a file or
one of a list of words need none of it. What is not plain, and so every value that is wrong, is left to typer: there is
one place that says what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from typer._coercion import RuntimeParam, build_runtime_param
from typer._param_types import coerce_cli_choice, coerce_cli_path
from typer.core import TyperArgument, TyperOption

if TYPE_CHECKING:
    from typer._click import Context, Parameter
    from typer._coercion import TypeDescriptor

__all__ = ["convert_plainly"]

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
