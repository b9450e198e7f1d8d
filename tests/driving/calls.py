"""What the fixtures of the program are called with, what they answer, and files for them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from typer.testing import Result

Run: TypeAlias = Callable[..., Result]
"""The program in this process, by its arguments."""
Program: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
"""The program as a process of its own."""
MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]
"""Makes a folder of a name once, by a function that fills it."""
Prepare: TypeAlias = Callable[[str, Callable[[], object]], Path]
"""Does something in a folder of a name once, and puts what it left into the folder of the test."""


def document(result: Result) -> Any:
    """The JSON that a call printed."""
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def write_files(folder: Path, files: Mapping[str, Iterable[str]]) -> None:
    """Write the lines of each file."""
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
