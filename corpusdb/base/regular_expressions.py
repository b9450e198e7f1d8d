"""How long a text may be so that ``re`` surely comes to an end in it soon, judged by the pattern alone.

``re`` tries one way to match after the other. How many ways there are, and how many steps they take together, has an
upper bound that follows from the parts of the pattern and the length of the text:

    one after the other     every way of the first with every way of the second
    one or another          the ways of both; of one only, where they cannot begin with the same character
    a repetition            as many ways as lengths, where what is repeated has one way; else to the power of lengths

What stands behind a repetition decides too. In ``\\w+ `` only the whole run of letters can have a space behind it, so
that it has one way and not one for each length: ``(\\w+ )*`` is quick, and ``(\\w+ ?)*`` is not. At the end of the
pattern any way will do.
"""

from __future__ import annotations

import marshal
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations
from tempfile import TemporaryFile
from typing import BinaryIO, Final, TypeAlias

from corpusdb.base import regex_worker as worker
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Limit, shortened
from corpusdb.base.regex_syntax import (
    Anchor,
    Atomic,
    Branch,
    Conditional,
    Group,
    Item,
    Look,
    Node,
    Nodes,
    OneOf,
    Repeat,
    bodies,
    least_width,
    parse_regex,
)

# Which characters one part of a regular expression matches, as far as two of them can be told apart.

_FEW = 256
"""Ranges of so many characters are looked at one by one."""
_LAST_SPACE = 0x3000
_OTHER_CATEGORIES = re.ASCII | re.LOCALE
"""Flags under which the categories are not those of ``str``."""

_CATEGORIES: Final[Mapping[str, Callable[[str], bool]]] = {
    "\\w": lambda char: char.isalnum() or char == "_",
    "\\d": str.isdecimal,
    "\\s": str.isspace,
    "\\W": lambda char: not (char.isalnum() or char == "_"),
    "\\D": lambda char: not char.isdecimal(),
    "\\S": lambda char: not char.isspace(),
}
_OPPOSITES: Final = frozenset(
    frozenset(pair) for pair in (("\\w", "\\W"), ("\\d", "\\D"), ("\\d", "\\W"), ("\\s", "\\S"))
)


@dataclass(frozen=True, slots=True)
class Characters:
    """A set of characters as a pattern has it."""

    items: tuple[Item, ...]
    negated: bool
    flags: int
    """All those of the pattern."""

    def excludes(self, other: Characters) -> bool:
        """Whether no character is surely in both; false where that is not known."""
        if self.flags & _OTHER_CATEGORIES or self == other:
            return False
        for one, two in ((self, other), (other, self)):
            few = one._listed()
            if few is not None:
                return all(two._surely_lacks(char) for char in few)
        return (
            not self.negated
            and not other.negated
            and all(frozenset((a, b)) in _OPPOSITES for a in self.items for b in other.items)
        )

    def _listed(self) -> list[str] | None:
        """The characters one by one, where they are few."""
        if self.negated:
            return None
        found: list[str] = []
        for item in self.items:
            if isinstance(item, tuple):
                first, last = item
                if last - first >= _FEW:
                    return None
                found += map(chr, range(first, last + 1))
            elif item == "\\s":
                found += _spaces()
            elif item in _CATEGORIES:
                return None
            else:
                found.append(item)
        return found

    def _surely_lacks(self, char: str) -> bool:
        # What else a character with two cases may match is a long story.
        if self.flags & re.IGNORECASE and (char.lower() != char or char.upper() != char):
            return False
        return any(self._has(item, char) for item in self.items) is self.negated

    @staticmethod
    def _has(item: Item, char: str) -> bool:
        if isinstance(item, tuple):
            return item[0] <= ord(char) <= item[1]
        return _CATEGORIES[item](char) if item in _CATEGORIES else item == char


END = Characters((), False, 0)
"""No character: where the text has to end, or the pattern does."""


@cache
def _spaces() -> list[str]:
    return [char for char in map(chr, range(_LAST_SPACE + 1)) if char.isspace()]


_MOST_STEPS = 2e7
"""So many take a fifth of a second at most, since the bound is never reached."""
_LENGTHS = tuple(dict.fromkeys([0, *(round(1.25**power) for power in range(80))]))
"""Which are tried, to fifty million characters."""

_BEGINNINGS = frozenset({"^", "A"})
_ENDS = frozenset({"$", "Z", "z"})
_AT_END = (Characters(("\n",), False, 0), END)
_Firsts: TypeAlias = tuple[Characters, ...] | None
"""All that can come next, or END; None: it is not known."""


@dataclass(frozen=True, slots=True)
class _Cost:
    """Of finding every way in which a part matches from one place on."""

    ways: float
    steps: float
    is_exact: bool = True
    """Whether nothing is looked at that is not matched, but for one failure at the end."""


class Effort:
    """How much work a pattern that re.compile takes may be, for texts of any length."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._nodes, self._flags = parse_regex(pattern, flags)
        self._length = 0

    def is_quick(self, length: int) -> bool:
        """Whether it surely is little in every text that is no longer than that."""
        self._length = length
        steps = self._sequence(self._nodes, (END,)).steps
        return (length + steps if self._is_anchored else (length + 1) * steps) <= _MOST_STEPS

    @cached_property
    def longest(self) -> int:
        """So long a text may be, by a fifth too little at most; -1 where it may not even be empty."""
        low = 0
        high = len(_LENGTHS)
        while low < high:
            middle = (low + high) // 2
            if self.is_quick(_LENGTHS[middle]):
                low = middle + 1
            else:
                high = middle
        return _LENGTHS[low - 1] if low else -1

    @cached_property
    def _is_anchored(self) -> bool:
        first = self._nodes[0] if self._nodes else None
        return isinstance(first, Anchor) and first.name in _BEGINNINGS and not self._flags & re.MULTILINE

    def _sequence(self, nodes: Sequence[Node], follow: _Firsts) -> _Cost:
        """The cost of parts one after the other; ``follow`` is what must come behind them."""
        ways, steps, is_exact = 1.0, 1.0, True
        for place, node in enumerate(nodes):
            if isinstance(node, OneOf | Anchor):
                steps += ways
                continue
            behind = self._first(nodes[place + 1 :], follow)
            cost = self._cost(node, behind)
            steps += ways * cost.steps
            if cost.ways > 1 and self._is_settled(node, behind):
                steps += ways * cost.ways
            else:
                ways *= cost.ways
            is_exact &= cost.is_exact
        return _Cost(ways, steps, is_exact)

    def _cost(self, node: Node, behind: _Firsts) -> _Cost:
        match node:
            case Repeat():
                return self._repetition(node, behind)
            case Group(body):
                return self._sequence(body, behind)
            case Branch(branches):
                return self._alternatives(branches, behind)
            case Conditional(yes, no):
                one, other = self._sequence(yes, behind), self._sequence(no or (), behind)
                return _Cost(one.ways + other.ways, one.steps + other.steps, is_exact=False)
            case Look(body) | Atomic(body):
                return _Cost(1, self._sequence(body, (END,)).steps, is_exact=False)
        return _Cost(1, self._length + 1, is_exact=False)  # what a group has matched, once more

    def _repetition(self, node: Repeat, behind: _Firsts) -> _Cost:
        least, body, is_possessive = node.least, node.body, node.is_possessive
        once = self._sequence(body, (END,) if is_possessive else self._first(body, behind, or_follow=True))
        # Each but the last matches a character or more; one that matches nothing is not repeated.
        count = min(node.most, least + self._length // max(1, least_width(body)) + 1)
        if once.ways <= 1 or is_possessive:
            steps = count * _size(body) + self._length + once.steps if once.is_exact else (count + 1) * once.steps
            ways = count - least + 1.0
        else:
            ways = _power_sum(once.ways, least, count)
            steps = once.steps * _power_sum(once.ways, 0, count)
        return _Cost(1, steps, is_exact=False) if is_possessive else _Cost(ways, steps, once.is_exact)

    def _alternatives(self, branches: Sequence[Nodes], behind: _Firsts) -> _Cost:
        costs = [self._sequence(branch, behind) for branch in branches]
        ways = [cost.ways for cost in costs]
        only_one = self._have_different_literals(branches) or _are_apart(
            [self._first(branch, behind) for branch in branches]
        )
        return _Cost(
            max(ways) if only_one else sum(ways),
            sum(cost.steps for cost in costs) + len(costs),
            all(cost.is_exact for cost in costs),
        )

    def _have_different_literals(self, branches: Sequence[Nodes]) -> bool:
        """Whether all are strings of which none begins with another."""
        if self._flags & re.IGNORECASE:
            return False
        strings = [text for text in map(_literal, branches) if text is not None]
        if len(strings) < len(branches):
            return False
        return not any(one.startswith(other) or other.startswith(one) for one, other in combinations(strings, 2))

    def _is_settled(self, node: Node, behind: _Firsts) -> bool:
        """Whether a repetition can only end where no more of it can follow, because of what must stand behind it."""
        if isinstance(node, Group) and len(node.body) == 1:
            return self._is_settled(node.body[0], behind)
        if not isinstance(node, Repeat) or least_width(node.body) == 0:
            return False
        if self._sequence(node.body, self._first(node.body, behind, or_follow=True)).ways > 1:
            return False
        return _are_apart([self._first(node.body, None), behind])

    def _first(self, nodes: Iterable[Node], follow: _Firsts, *, or_follow: bool = False) -> _Firsts:
        """What ``nodes`` and ``follow`` behind them, or ``follow`` instead of them, can begin with; None: not known."""
        found: list[Characters] = []
        is_nullable = True
        for node in nodes:
            first, is_nullable = self._begin(node)
            if first is None:
                return None
            found += first
            if not is_nullable:
                break
        if not (is_nullable or or_follow):
            return tuple(found)
        return None if follow is None else (*found, *follow)

    def _begin(self, node: Node) -> tuple[_Firsts, bool]:
        """What one part can begin with, and whether it can match without a character."""
        match node:
            case OneOf(items, is_negated):
                return (Characters(items, is_negated, self._flags),), False
            case Anchor(name):
                return (_AT_END, False) if name in _ENDS else ((), True)
            case Look():
                return (), True
            case Group(body) | Atomic(body):
                return self._begin_of(body)
            case Repeat(least, _, body):
                first, is_nullable = self._begin_of(body)
                return first, is_nullable or least == 0
            case Branch(branches):
                begun = [self._begin_of(branch) for branch in branches]
                known = [first for first, _ in begun if first is not None]
                first = tuple(chain.from_iterable(known)) if len(known) == len(begun) else None
                return first, any(nullable for _, nullable in begun)
        return None, True

    def _begin_of(self, nodes: Iterable[Node]) -> tuple[_Firsts, bool]:
        found: list[Characters] = []
        for node in nodes:
            first, is_nullable = self._begin(node)
            if first is None:
                return None, True
            found += first
            if not is_nullable:
                return tuple(found), False
        return tuple(found), True


def _are_apart(firsts: Sequence[_Firsts]) -> bool:
    """Whether no two of them surely can begin with the same character, or both at the end."""
    return all(
        one is not None and other is not None and all(a.excludes(b) for a in one for b in other)
        for one, other in combinations(firsts, 2)
    )


def _power_sum(ways: float, least: int, most: int) -> float:
    """At least as much as the sum of the powers of ``ways``, which is more than 1, from ``least`` to ``most``."""
    try:
        return float(ways**most) * (most - least + 1)
    except OverflowError:
        return float("inf")


def _size(nodes: Nodes) -> int:
    return sum(1 + sum(map(_size, bodies(node))) for node in nodes)


def _literal(nodes: Nodes) -> str | None:
    """The one string that parts match; None where it is not one."""
    text = ""
    for node in nodes:
        match node:
            case OneOf((str(char),), is_negated=False) if char not in _CATEGORIES:
                text += char
            case _:
                return None
    return text


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
        with _own_faults_reported(self.pattern):
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
        with _own_faults_reported(self.pattern):
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
            with _own_faults_reported(self.pattern):
                return [match.span() for match in self._compiled.finditer(text)]
        if text not in self._spans:
            self._spans[text] = spans_in_process(self.pattern, self._flags, [text], Limit()).get(0, [])
        return self._spans[text]


@contextmanager
def _own_faults_reported(pattern: str) -> Iterator[None]:
    """Some patterns with possessive repetitions make ``re`` of Python 3.11 stumble over itself."""
    try:
        yield
    except SystemError as error:
        raise UsageError(f"Python's re cannot run the regular expression {shortened(pattern)!r}: {error}") from error
