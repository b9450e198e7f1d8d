"""Regular expressions of people: what ``re`` finds, in steps between which the search can be stopped."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from corpusdb.errors import UsageError
from corpusdb.stoppable.effort import Effort
from corpusdb.stoppable.limit import Limit, shortened
from corpusdb.stoppable.process import Span, spans_in_process

__all__ = ["Regex", "Span", "check_named_classes"]

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
