"""Which sentences hold a string or a regular expression, and where in them it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from corpusdb.errors import UsageError
from corpusdb.stoppable.limit import Limit
from corpusdb.stoppable.look_alikes import look_alike_pattern
from corpusdb.stoppable.regex import Regex
from corpusdb.text import nfc
from corpusdb.textsearch.corpus_text import LanguageText
from corpusdb.textsearch.folding import Folding, fold, original_offsets
from corpusdb.textsearch.mistaken_modes import meant_mode
from corpusdb.textsearch.patterns import Pattern

__all__ = ["Matcher", "required_literal"]


_NAMED_CHARACTER = re.compile(r"\\[xuUN0]")


class Matcher:
    """A string or a regular expression made ready: which sentences hold it, and where in them.

    Raises UsageError for an empty pattern and, with the place of the error, for a bad regular expression.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        text = nfc(pattern.text)
        if not text:
            raise UsageError("the pattern is empty")
        if pattern.mode == "regex":
            # Letters in a pattern may be part of its syntax (\W), so that only its matching can be blind to case.
            # What is written as an escape is meant as it is: then nothing else is taken for it.
            alike = None if _NAMED_CHARACTER.search(text) else pattern.folding.alike
            if alike is not None:
                text, alike = look_alike_pattern(text, alike)
            self._folding = Folding(width=pattern.folding.width, alike=alike)
            self._regex: Regex | None = _compiled(text, re.IGNORECASE if pattern.folding.case else 0)
            self._literal = "" if pattern.folding.case else required_literal(text)
        else:
            self._folding = pattern.folding
            self._regex = None
            self._literal = fold(text, pattern.folding)
            if text and not self._literal:  # of what nobody sees alone, just that is meant
                self._folding = replace(pattern.folding, alike=None)
                self._literal = fold(text, self._folding)
        # A string is found by ``re`` too, which gives all its places in one call.
        self._string = re.compile(re.escape(self._literal)) if pattern.mode == "substring" else None

    @property
    def required(self) -> str:
        """What every sentence that holds the pattern has in it just so; "" where nothing is known of that."""
        return "" if self._folding else self._literal

    def indexes(self, text: LanguageText, limit: Limit | None = None) -> npt.NDArray[np.int64]:
        """The indexes of the sentences that hold the pattern, ascending.

        Raises TookTooLong and Cancelled where a regular expression may not go on.
        """
        text = text.folded(self._folding)
        if self._regex is not None:
            held = text.indexes_with(self._literal).tolist() if self._literal else range(len(text.lines))
            found = self._regex.among(text.lines, held, limit or Limit(), text.longest)
        else:
            return text.indexes_with(self._literal)
        return np.array(found, dtype=np.int64)

    def spans(self, sentence: str) -> list[tuple[int, int]]:
        """Where in a sentence the pattern stands, as offsets of code points, from left to right without overlap.

        A regular expression may match an empty string; such a match is reported once, where it is the only one.
        """
        if self._string is not None and not self._folding:
            return [match.span() for match in self._string.finditer(sentence)]
        folded = fold(sentence, self._folding)
        found = list(self._spans_in(folded))
        found = [span for span in found if span[0] < span[1]] or found[:1]
        if folded == sentence:
            return found
        offsets = original_offsets(sentence, self._folding)
        # Two that lie in one original character, as the two letters of ﬁ, are one.
        return list(dict.fromkeys((offsets[start], _end_of(offsets, start, stop)) for start, stop in found))

    def _spans_in(self, folded: str) -> Iterator[tuple[int, int]]:
        if self._regex is not None:
            yield from self._regex.spans(folded)
            return
        place = folded.find(self._literal)
        while place >= 0:
            yield place, place + len(self._literal)
            place = folded.find(self._literal, place + len(self._literal))


def _end_of(offsets: list[int], start: int, stop: int) -> int:
    """Where the original of a folded span ends: after all that its last character came from."""
    return offsets[start] if start == stop else offsets[bisect_right(offsets, offsets[stop - 1])]


def _compiled(pattern: str, flags: int) -> Regex:
    try:
        return Regex(pattern, flags)
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        if meant_mode(pattern, "regex") == "cqp":
            raise UsageError(f"{pattern!r} is a CQP query; --cqp takes it for one") from error
        raise UsageError(f"the regular expression {pattern!r} is wrong{place}: {error.msg}") from error
    except (RecursionError, OverflowError) as error:
        raise UsageError(f"the regular expression {pattern[:40]!r}... is too large") from error


_TOKEN = re.compile(
    r"""(?P<escape>\\(?:[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|.))
    |(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<open>\((?:\?(?:P?<\w+>|<[=!]|[:=!>#]|[aiLmsux-]+:?)?)?)|(?P<close>\))
    |(?P<repeat>[*+?]|\{\d*,?\d*\})|(?P<other>[.^$|])|(?P<char>.)""",
    re.VERBOSE | re.DOTALL,
)


def required_literal(pattern: str) -> str:
    """The longest string that every match of a regular expression is sure to hold; "" where none is found.

    Only what stands outside of all groups is looked at; an alternative, flags or a comment in the pattern give none.
    """
    best = run = ""
    depth = 0
    for match in _TOKEN.finditer(pattern):
        kind, text = match.lastgroup, match[0]
        if kind == "open":
            if re.match(r"\(\?[aiLmsux#-]", text):
                return ""
            depth += 1
        elif kind == "close":
            depth -= 1
        elif depth:
            continue
        elif text == "|":
            return ""
        escaped = kind == "escape" and not text[1].isalnum()
        if kind == "char" or escaped:
            run += text[-1]
            continue
        if kind == "repeat" and text != "+":  # what it stands behind may be missing
            run = run[:-1]
        best, run = max(best, run, key=len), ""
    return max(best, run, key=len)
