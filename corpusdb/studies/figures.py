"""What studies show: tables, intervals in words, and figures as image files, drawn by matplotlib (extra ``plots``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from corpusdb.base.display import Cell
from corpusdb.base.errors import UsageError
from corpusdb.base.estimates import Interval
from corpusdb.base.outputs import NEW_ONLY, Guard, Outputs, check_output, folder_for

Row: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class StudyTable:
    title: str
    columns: tuple[str, ...]
    rows: list[Row]


def interval_bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def format_interval(interval: Interval | None, decimals: int, sign: str = "") -> str:
    return "" if interval is None else f"[{interval.low:{sign}.{decimals}f}, {interval.high:{sign}.{decimals}f}]"


def decimal(value: float | None, decimals: int) -> str:
    """The value as tables have it: - where there is none."""
    return "-" if value is None else f"{value:.{decimals}f}"


ImageFormat: TypeAlias = Literal["svg", "png"]
Folders: TypeAlias = Mapping[ImageFormat, Path]
"""Where the images of each format go."""
Found = TypeVar("Found")

_INSTALL = "figures need matplotlib: pip install 'corpusdb[plots]'"
_RESOLUTION = 150
"""Of PNG, in dots an inch."""


def check_figures(names: Iterable[str], folders: Folders, guard: Guard) -> None:
    """Raise what write_figures would raise, before there is anything to draw."""
    if not folders:
        return
    _matplotlib("matplotlib")
    for format, folder in folders.items():
        if folder.exists():
            for name in names:
                check_output(folder / f"{name}.{format}", guard)


def image_folders(svg: Path | None, png: Path | None) -> Folders:
    """Where figures go as images, by their format; empty where they are not wanted."""
    chosen: Mapping[ImageFormat, Path | None] = {"svg": svg, "png": png}
    return {format: folder for format, folder in chosen.items() if folder is not None}


def write_figures(
    figures: Mapping[str, Callable[[Found], Any]], found: Found, folders: Folders, guard: Guard = NEW_ONLY
) -> list[Path]:
    """Write each figure of a study, under its name, into the folder of each format, which is made if need be.

    Returns the paths. The same study gives the same bytes. Raises UsageError, with the command that installs it,
    without matplotlib, and as check_output does.
    """
    if not folders:
        return []
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
                    draw(found).savefig(file, format=format, dpi=_RESOLUTION, metadata=metadata)
    return paths


def new_figure(width: float, height: float) -> Any:
    """A figure of its own, without the global state and the window of pyplot; inches."""
    return _matplotlib("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")


def _matplotlib(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(_INSTALL) from error
