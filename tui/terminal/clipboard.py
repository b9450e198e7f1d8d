"""Copying over SSH: to the terminal, which may or may not take it, to tmux where it runs, and always to a file."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from corpusdb.errors import CorpusError
from corpusdb.outputs import Guard, Outputs

__all__ = ["copy_beside_terminal", "copy_file", "fits_terminal"]

_TMUX_SECONDS = 2.0
_TERMINAL_BYTES = 74_994
"""The most that common terminals take in one sequence: 100,000 characters with its beginning and its end."""


def fits_terminal(text: str) -> bool:
    """Whether a terminal would take ``text`` whole; of more it takes nothing, or shows what it did not take."""
    return len(text.encode()) <= _TERMINAL_BYTES


def copy_file() -> Path:
    """The file that holds what was copied last: ``copied.txt`` in the state folder of corpusdb."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "corpusdb" / "copied.txt"


def copy_beside_terminal(text: str, environment: Mapping[str, str]) -> str:
    """Copy to the file, and inside tmux to its buffer; what to tell of both and of the terminal.

    The terminal itself is sent the text by whoever draws on it (OSC 52), which tmux keeps to itself as it is set up by
    default. It never answers, so that nobody can tell whether it took the text.
    """
    lines = text.count("\n") + 1
    reached: list[str] = []
    failures: list[str] = []
    try:
        reached.append(_shortened(_written(text)))
    except OSError as error:
        failures.append(f"no file: {error.strerror or error}")
    except CorpusError as error:
        failures.append(f"no file: {error}")
    if environment.get("TMUX"):
        try:
            _load_tmux_buffer(text)
            reached.append("tmux")
        except (OSError, subprocess.SubprocessError) as error:
            failures.append(f"no tmux buffer: {_reason(error)}")
    if fits_terminal(text):
        reached.append("terminal (OSC 52)")
    else:
        failures.append("too long for the terminal")
    what = "1 line" if lines == 1 else f"{lines:,} lines"
    return "; ".join([f"{what} to {', '.join(reached)}", *failures])


def _written(text: str) -> Path:
    path = copy_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Outputs(Guard(overwrite=True)) as outputs, outputs.text(path, mode=0o600) as file:  # the program's own file
        file.write(text + "\n")
    return path


def _shortened(path: Path) -> str:
    """A path as one would type it."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def _load_tmux_buffer(text: str) -> None:
    """Make a buffer of tmux, which passes it on to its terminal; tmux before 3.2 only keeps it."""
    for command in (["tmux", "load-buffer", "-w", "-"], ["tmux", "load-buffer", "-"]):
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=_TMUX_SECONDS, check=False)
        if done.returncode == 0:
            return
    raise subprocess.CalledProcessError(done.returncode, command, stderr=done.stderr)


def _reason(error: OSError | subprocess.SubprocessError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, subprocess.CalledProcessError):
        return error.stderr.decode(errors="replace").strip() or f"exit code {error.returncode}"
    return "no answer"
