"""Figures of studies as image files, drawn by matplotlib (extra ``plots``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from corpusdb.base.errors import UsageError
from corpusdb.base.outputs import NEW_ONLY, Guard, Outputs, check_output, folder_for

ImageFormat: TypeAlias = Literal["svg", "png"]
Folders: TypeAlias = Mapping[ImageFormat, Path]
"""Where the images of each format go."""

_INSTALL = "figures need matplotlib: pip install 'corpusdb[plots]'"
_RESOLUTION = 150
"""Of PNG, in dots an inch."""


def check_figures(names: Iterable[str], folders: Folders, guard: Guard) -> None:
    """Raise what write_figures would raise, before there is anything to draw."""
    _matplotlib("matplotlib")
    for format, folder in folders.items():
        if folder.exists():
            for name in names:
                check_output(folder / f"{name}.{format}", guard)


def write_figures(figures: Mapping[str, Callable[[], Any]], folders: Folders, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write each figure, under its name, into the folder of each format, which is made if need be; returns the paths.

    The same figures give the same bytes. Raises UsageError, with the command that installs it, without matplotlib, and
    as check_output does.
    """
    # The salt makes the names inside an SVG the same every time, and no date is written.
    settings = {"svg.hashsalt": "corpusdb", "svg.fonttype": "none"}
    paths = []
    with ExitStack() as made, Outputs(guard) as outputs, _matplotlib("matplotlib").rc_context(settings):
        for format, folder in folders.items():
            made.enter_context(folder_for(folder))
            metadata = {"Date": None} if format == "svg" else None
            for name, draw in figures.items():
                paths.append(folder / f"{name}.{format}")
                with outputs.file(paths[-1]) as file:
                    draw().savefig(file, format=format, dpi=_RESOLUTION, metadata=metadata)
    return paths


def new_figure(width: float, height: float) -> Any:
    """A figure of its own, without the global state and the window of pyplot; inches."""
    return _matplotlib("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def _matplotlib(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(_INSTALL) from error
