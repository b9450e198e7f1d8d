"""A regular expression in a process of its own, which can be ended at any moment."""

from __future__ import annotations

import marshal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import BinaryIO, TypeAlias

from corpusdb.stoppable import worker
from corpusdb.stoppable.limit import Limit

__all__ = ["Span", "spans_in_process"]

Span: TypeAlias = tuple[int, int]

_SECONDS_BETWEEN_LOOKS = 0.02
_NOT_BEGUN = -1


def spans_in_process(
    pattern: str, flags: int, texts: Sequence[str], limit: Limit, *, whole: bool = False
) -> Mapping[int, list[Span]]:
    """Where the pattern matches in each of the texts in which it does, by their numbers.

    ``whole``: only where it matches the whole of a text. Raises TookTooLong and Cancelled as ``limit`` has it, and
    TookTooLong for a text that by itself takes more than its time.
    """
    with ExitStack() as open_files:
        task, answer, current = (open_files.enter_context(TemporaryFile(buffering=0)) for _ in range(3))
        task.write(marshal.dumps((pattern, flags, whole, list(texts))))
        task.seek(0)
        _put(current, _NOT_BEGUN)
        command = [sys.executable, "-I", "-S", worker.__file__, str(current.fileno())]
        process = subprocess.Popen(
            command, stdin=task, stdout=answer, stderr=subprocess.DEVNULL, pass_fds=[current.fileno()]
        )
        try:
            _watch(process, current, limit, pattern, texts)
        finally:
            process.kill()
            process.wait()
        if process.returncode:  # it was ended from outside, or has no memory left
            raise limit.too_slow(pattern, _text_at(current, texts))
        answer.seek(0)
        found: Mapping[int, list[Span]] = marshal.loads(answer.read())
        return found


def _watch(
    process: subprocess.Popen[bytes], current: BinaryIO, limit: Limit, pattern: str, texts: Sequence[str]
) -> None:
    """Wait until the process is done; raises what says that it must not go on."""
    number, since = _get(current), limit.clock()
    while True:
        limit.check(pattern)
        try:
            process.wait(_SECONDS_BETWEEN_LOOKS)
            return
        except subprocess.TimeoutExpired:
            pass
        now, reached = limit.clock(), _get(current)
        if reached != number:
            number, since = reached, now
        elif number != _NOT_BEGUN and now - since > limit.seconds_a_text:  # a busy machine is slow to begin
            raise limit.too_slow(pattern, _text_at(current, texts))


def _text_at(current: BinaryIO, texts: Sequence[str]) -> str | None:
    number = _get(current)
    return None if number == _NOT_BEGUN else texts[number]


def _put(file: BinaryIO, number: int) -> None:
    file.write(number.to_bytes(8, sys.byteorder, signed=True))


def _get(file: BinaryIO) -> int:
    file.seek(0)
    return int.from_bytes(file.read(8), sys.byteorder, signed=True)
