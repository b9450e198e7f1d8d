"""Regular expressions of people: what ``re`` finds, so that the search can be stopped at any moment."""

from __future__ import annotations

import marshal
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from typing import BinaryIO, TypeAlias

from corpusdb.base import regex_worker as worker
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Limit, shortened
from corpusdb.base.pattern_effort import Effort

__all__ = [
    "Regex",
    "Span",
    "check_named_classes",
    "spans_in_process",
]


# A regular expression in a process of its own, which can be ended at any moment.


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


# Regular expressions of people: what ``re`` finds, in steps between which the search can be stopped.


_NAMED_CLASS = re.compile(r"(?<!\\)(?:\\\\)*(?=\\[pP]\{)")
"""As Perl, PCRE and CWB have it."""
_POSIX_CLASS = re.compile(
    r"\[(?:\\.|[^\]\\])*?(\[:\^?(?:al(?:pha|num)|ascii|blank|cntrl|x?digit|graph|lower|print|punct|space|upper|word):\])"
)
_TEXTS_A_STEP = 256
"""So many texts are looked at before the limit is."""


def check_named_classes(pattern: str) -> None:
    """Raise re.error for a class such as \\p{Lu} or [[:upper:]], which Python does not have.

    Of the one it only says \\p, and the other it takes for other characters.
    """
    if (named := _NAMED_CLASS.search(pattern)) is not None:
        told = "there is no \\p{...} in Python's re; \\w, \\d and sets such as [A-ZÀ-Þ] are what there is"
        raise re.error(told, pattern, named.end())
    if (named := _POSIX_CLASS.search(pattern)) is not None:
        told = f"there is no {named[1]} in Python's re; \\w, \\d and sets such as [A-ZÀ-Þ] are what there is"
        raise re.error(told, pattern, named.start(1))


class Regex:
    """A pattern in the syntax of ``re``.

    Raises what re.compile raises: re.error for a pattern that is none, OverflowError and RecursionError for one that is
    too large.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        check_named_classes(pattern)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a later Python may read in another way
            self._compiled = re.compile(pattern, flags)
            self._effort = Effort(pattern, flags)
        self.pattern = pattern
        self._flags = int(flags)
        self._quick = -1
        """So long a text is known to be quick."""
        self._slow = sys.maxsize
        """So long a text may be slow."""
        self._spans: dict[str, list[Span]] = {}
        """Of the texts that were looked at in another process and matched: they need no second look."""

    def among(self, texts: Sequence[str], places: Sequence[int], limit: Limit, longest: int | None = None) -> list[int]:
        """Those of some places in ``texts``, ascending, where the pattern is found in the text.

        ``longest``: the length of the longest of all the texts, where it is known. Raises TookTooLong and Cancelled.
        """
        if not self._is_quick(max(map(len, texts), default=0) if longest is None else longest):
            slow = [place for place in places if not self._is_quick(len(texts[place]))]
            places = [place for place in places if self._is_quick(len(texts[place]))]
        else:
            slow = []
        found: list[int] = []
        search = self._compiled.search
        with _own_faults_told(self.pattern):
            for first in range(0, len(places), _TEXTS_A_STEP):
                limit.check(self.pattern)
                found += [place for place in places[first : first + _TEXTS_A_STEP] if search(texts[place])]
        if not slow:
            return found
        matching = spans_in_process(self.pattern, self._flags, [texts[place] for place in slow], limit)
        self._spans.update((texts[slow[number]], spans) for number, spans in matching.items())
        return sorted([*found, *(slow[number] for number in matching)])

    def matching_whole(self, texts: Sequence[str], limit: Limit) -> list[int]:
        """The places of the texts of which the whole matches, ascending. Raises TookTooLong and Cancelled."""
        found: list[int] = []
        slow: list[int] = []
        fullmatch = self._compiled.fullmatch
        with _own_faults_told(self.pattern):
            for first in range(0, len(texts), _TEXTS_A_STEP):
                limit.check(self.pattern)
                part = texts[first : first + _TEXTS_A_STEP]
                if self._is_quick(max(map(len, part))):
                    found += [place for place, text in enumerate(part, first) if fullmatch(text)]
                else:
                    slow += range(first, first + len(part))
        if not slow:
            return found
        matching = spans_in_process(self.pattern, self._flags, [texts[place] for place in slow], limit, whole=True)
        return sorted([*found, *(slow[number] for number in matching)])

    def _is_quick(self, length: int) -> bool:
        """Whether ``re`` soon comes to an end in every text that is no longer than that."""
        while self._quick < length < self._slow:
            if self._effort.is_quick(length):
                self._quick = length
            else:
                self._slow = length
        return length <= self._quick

    def spans(self, text: str) -> list[Span]:
        """Where the pattern matches in a text, from left to right without overlap, as finditer has it.

        Raises TookTooLong for a text in which ``among`` has not looked.
        """
        if self._is_quick(len(text)):
            with _own_faults_told(self.pattern):
                return [match.span() for match in self._compiled.finditer(text)]
        if text not in self._spans:
            self._spans[text] = spans_in_process(self.pattern, self._flags, [text], Limit()).get(0, [])
        return self._spans[text]


@contextmanager
def _own_faults_told(pattern: str) -> Iterator[None]:
    """Some patterns with possessive repetitions make ``re`` of Python 3.11 stumble over itself."""
    try:
        yield
    except SystemError as error:
        raise UsageError(f"Python's re cannot run the regular expression {shortened(pattern)!r}: {error}") from error
