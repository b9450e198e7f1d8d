"""Files that appear under their names only when all of them are complete."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO, TypeAlias

from corpusdb.errors import InputError

__all__ = ["Content", "write_files"]

Content: TypeAlias = Callable[[TextIO], object]
"""What writes a file: given the open file; what it returns is of no account."""


def write_files(directory: Path, files: Mapping[str, Content]) -> list[Path]:
    """Write files, by their names, into a directory, which is made if it is missing; returns their paths.

    UTF-8 with LF. If one of them fails, none of them is there and those of before stay as they were. Raises InputError
    where the disk or its permissions do not allow it.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with ExitStack() as leftovers:
            complete = []
            for name, write in files.items():
                partial = directory / f".{name}.{os.getpid()}.part"
                leftovers.callback(partial.unlink, missing_ok=True)
                with open(partial, "w", encoding="utf-8", newline="\n") as file:
                    write(file)
                    file.flush()
                    os.fsync(file.fileno())
                complete.append((partial, directory / name))
            return [partial.replace(path) for partial, path in complete]
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", path=error.filename or directory) from error
