"""Regular expressions of people: what ``re`` finds, and an end to those that have none.

``re`` tries one way to match after the other, and nothing in this process can stop it in the middle of a text. So a
text is put to it here only where the pattern surely comes to an end in it soon; the others are looked at in a process
of its own, which can be ended at any moment.
"""

from __future__ import annotations

import marshal
import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import accumulate, pairwise
from tempfile import TemporaryFile
from typing import BinaryIO, TypeAlias

from corpusdb.base import regex_worker as worker
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Limit, shortened

# How long a text may be so that a pattern surely comes to an end in it soon, judged by what stands in the pattern: each
# repetition of a character has as many ways as lengths, each option two, each group as many as it has alternatives, and
# each way is tried at each place of the text. A group that is repeated and has any of that in it may have ways without
# number.

_MOST_STEPS = 2e7
"""So many take a fifth of a second at most, since the bound is never reached."""
_PARTS = re.compile(
    r"""(?P<again>\\[1-9]|\(\?P=)|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<group>\(\??)|(?P<end>\))
    |(?P<many>[*+][?+]?|\{[\d,]*\}[?+]?)|(?P<option>\?[?+]?)|(?P<or>\|)|.""",
    re.VERBOSE | re.DOTALL,
)
_IGNORES_SPACE = re.compile(r"\(\?[a-zA-Z]*x")
_CHOICES = frozenset({"again", "many", "option", "or"})
_SHORT = 500
"""Characters of a text in which it is looked for how matches begin."""
_AT_LEAST_ONCE = re.compile(r"\+|\{0*[1-9]")


def quick_length(pattern: str, flags: int = 0) -> int:
    """So long a text may be that ``re`` surely is soon done with it; -1 where that is not known of any length.

    ``flags`` are all those of the pattern, which re.compile takes.
    """
    found = list(_PARTS.finditer(pattern))
    kinds = [part.lastgroup for part in found]
    if flags & re.VERBOSE or _IGNORES_SPACE.search(pattern) or any(_repeated_choices(kinds)):
        return -1
    counts = Counter(kinds)
    groups = counts["group"] + 1
    try:
        ways = 2.0 ** counts["option"] * (counts["or"] / groups + 1) ** groups
    except OverflowError:
        return -1
    is_anchored = pattern.startswith(("^", r"\A")) and not counts["or"] and not flags & re.MULTILINE
    most = _MOST_STEPS / (ways * max(1, len(found)))
    power = max(1, counts["many"] + counts["again"] + (not is_anchored))
    return int(most ** (1 / power)) - 1


def _repeated_choices(kinds: Sequence[str | None]) -> Iterator[tuple[int, int]]:
    """Of each group that is repeated and has a choice in it where it begins and ends, the inner ones first."""
    begun: list[int] = []
    for place, (kind, following) in enumerate(pairwise([*kinds, None])):
        if kind == "group":
            begun.append(place)
        elif kind == "end" and begun:
            begin = begun.pop()
            if following == "many" and not _CHOICES.isdisjoint(kinds[begin:place]):
                yield begin, place


def beginning(pattern: str) -> str:
    """With what each match of a pattern begins, up to the first group of ways without number, which it has once; "" for
    nothing. It is a pattern that ``re`` is soon done with."""
    found = list(_PARTS.finditer(pattern))
    kinds = [part.lastgroup for part in found]
    depths = list(accumulate((kind == "group") - (kind == "end") for kind in kinds))
    repeated = list(_repeated_choices(kinds))
    if not repeated or ("or", 0) in zip(kinds, depths, strict=True) or "(?#" in pattern:
        return ""
    first = min(begin for begin, _ in repeated)
    begin, end = next((begin, end) for begin, end in repeated if begin == first)
    if depths[begin] > 1:  # it stands in a group, all of which is left out
        first = max(place for place in range(begin) if depths[place] == 1 and kinds[place] == "group")
        return pattern[: found[first].start()]
    is_inner = any(begin < inner < end for inner, _ in repeated)
    is_there = _AT_LEAST_ONCE.match(found[end + 1][0]) is not None
    return pattern[: found[begin].start() if is_inner or not is_there else found[end].end()]


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
        current.write(_NOT_BEGUN.to_bytes(8, sys.byteorder, signed=True))
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
            raise limit.too_slow(pattern, _current_text(current, texts))
        answer.seek(0)
        found: Mapping[int, list[Span]] = marshal.loads(answer.read())
        return found


def _watch(
    process: subprocess.Popen[bytes], current: BinaryIO, limit: Limit, pattern: str, texts: Sequence[str]
) -> None:
    """Wait until the process is done; raises what says that it must not go on."""
    number, since = _get(current), limit.clock()
    looked = since
    while True:
        limit.check(pattern)
        try:
            process.wait(_SECONDS_BETWEEN_LOOKS)
            return
        except subprocess.TimeoutExpired:
            pass
        now, reached = limit.clock(), _get(current)
        limit.waited(now - looked)
        looked = now
        if reached != number:
            number, since = reached, now
        elif number != _NOT_BEGUN and now - since > limit.seconds_a_text:  # a busy machine is slow to begin
            raise limit.too_slow(pattern, _current_text(current, texts))


def _current_text(current: BinaryIO, texts: Sequence[str]) -> str | None:
    number = _get(current)
    return None if number == _NOT_BEGUN else texts[number]


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
        self.pattern = pattern
        self._flags = int(flags)
        self._quick = quick_length(pattern, self._compiled.flags)
        self._beginning = _compiled_if_quick(beginning(pattern), flags) if self._quick < 0 else None
        self._spans: dict[str, list[Span]] = {}
        """Of the texts that were looked at in another process and matched: they need no second look."""

    def among(self, texts: Sequence[str], limit: Limit, longest: int | None = None) -> list[int]:
        """The places of the texts in which the pattern is found, ascending.

        ``longest``: as long as the longest of them, or longer, where that is known. Raises TookTooLong and Cancelled.
        """
        quick, slow = self._by_length(texts, longest)
        found = self._quickly(self._compiled.search, texts, quick, limit)
        matching = self._in_process(texts, self._begun(texts, slow, limit), limit)
        self._spans.update((texts[place], spans) for place, spans in matching.items())
        return sorted([*found, *matching])

    def _begun(self, texts: Sequence[str], places: Sequence[int], limit: Limit) -> Sequence[int]:
        """Those of some places where it may be found: where matches begin as few texts do, the others are left out."""
        begun = self._beginning
        if begun is None:
            return places
        some = [text for place in places[:: len(places) // _TEXTS_A_STEP + 1] if len(text := texts[place]) <= _SHORT]
        if 2 * sum(1 for text in some if begun.search(text)) > len(some):
            return places
        return self._quickly(lambda text: len(text) > _SHORT or begun.search(text), texts, places, limit)

    def matching_whole(self, texts: Sequence[str], limit: Limit) -> list[int]:
        """The places of the texts of which the whole matches, ascending. Raises TookTooLong and Cancelled."""
        quick, slow = self._by_length(texts)
        found = self._quickly(self._compiled.fullmatch, texts, quick, limit)
        return sorted([*found, *self._in_process(texts, slow, limit, whole=True)])

    def _by_length(self, texts: Sequence[str], longest: int | None = None) -> tuple[Sequence[int], list[int]]:
        """The places of the texts with which ``re`` is surely soon done, and of the others."""
        slow = list[int]()
        if longest is None or longest > self._quick:
            slow = [place for place, text in enumerate(texts) if len(text) > self._quick]
        if not slow:
            return range(len(texts)), slow
        return [place for place, text in enumerate(texts) if len(text) <= self._quick], slow

    def _quickly(
        self, match: Callable[[str], object], texts: Sequence[str], places: Sequence[int], limit: Limit
    ) -> list[int]:
        found: list[int] = []
        with _own_faults_reported(self.pattern):
            for first in range(0, len(places), _TEXTS_A_STEP):
                limit.check(self.pattern)
                found += [place for place in places[first : first + _TEXTS_A_STEP] if match(texts[place])]
        return found

    def _in_process(
        self, texts: Sequence[str], places: Sequence[int], limit: Limit, *, whole: bool = False
    ) -> dict[int, list[Span]]:
        """By place, where the pattern is found in the texts at these places."""
        chosen = [texts[place] for place in places]
        found = spans_in_process(self.pattern, self._flags, chosen, limit, whole=whole) if places else {}
        return {places[number]: spans for number, spans in found.items()}

    def spans(self, text: str) -> list[Span]:
        """Where the pattern matches in a text, from left to right without overlap, as finditer has it.

        Raises TookTooLong for a text in which ``among`` has not looked.
        """
        if len(text) <= self._quick:
            with _own_faults_reported(self.pattern):
                return [match.span() for match in self._compiled.finditer(text)]
        if text not in self._spans:
            self._spans[text] = spans_in_process(self.pattern, self._flags, [text], Limit()).get(0, [])
        return self._spans[text]


def _compiled_if_quick(pattern: str, flags: int) -> re.Pattern[str] | None:
    """None for what is no pattern, matches everywhere, or does not surely come to an end soon in each short text."""
    try:
        return re.compile(pattern, flags) if pattern and quick_length(pattern, flags) >= _SHORT else None
    except re.error:
        return None


@contextmanager
def _own_faults_reported(pattern: str) -> Iterator[None]:
    """Some patterns with possessive repetitions make ``re`` of Python 3.11 stumble over itself."""
    try:
        yield
    except SystemError as error:
        raise UsageError(f"Python's re cannot run the regular expression {shortened(pattern)!r}: {error}") from error
