"""What the values of all options must be, whoever gives them: the command line, or a query that was kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field
from math import isfinite
from pathlib import Path
from typing import Any

from typer.models import ArgumentInfo

from corpusdb.bounds import LARGEST
from corpusdb.cli.program.options import hints_of, info_of, names_of
from corpusdb.errors import UsageError
from corpusdb.options import values_of

__all__ = ["check_text", "check_values"]


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
