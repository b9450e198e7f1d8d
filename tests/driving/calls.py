"""What the fixtures of the program are called with: types for the tests that take them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from typer.testing import Result

Run: TypeAlias = Callable[..., Result]
"""The program in this process, by its arguments."""
Program: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
"""The program as a process of its own."""
MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]
"""Makes a folder of a name once, by a function that fills it."""
