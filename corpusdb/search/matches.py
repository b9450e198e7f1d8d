"""The sentences of a language in memory, to be searched: one after the other, or all in one piece.

Going through all of them is what every search does. In one piece, eight million characters are searched for a string in
five milliseconds; one by one, a regular expression needs half a microsecond for most sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from corpusdb.base.arrays import I64, Bools, distinct, is_new
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import Limit
from corpusdb.base.text import LOOK_ALIKES, has_undelimited_script, look_alike_pattern, nfc
from corpusdb.search.patterns import Folding, Pattern, fold, meant_mode, original_offsets

if TYPE_CHECKING:
    from corpusdb.base.regular_expressions import Regex
    from corpusdb.search.token_corpus import TokenCorpus

_RARE = 2
"""Where more than one sentence in this many is wanted, it is faster to decode all."""


@dataclass(frozen=True)
class LanguageText:
    """The sentences of a language, in the order of their ids."""

    language: str
    sentences: I64
    """Their ids, ascending."""
    encoded: bytes
    """The sentences in UTF-8, each ended by a line break: where few are found, the others are never decoded."""
    _folded: dict[Folding, LanguageText] = field(default_factory=dict, repr=False, compare=False)
    _holding: dict[str, I64] = field(default_factory=dict, repr=False, compare=False)

    # Not kept: together they take seven times the room of what they are made of, in a twentieth of a second.

    @property
    def joined(self) -> str:
        return self.encoded.decode()

    @property
    def lines(self) -> list[str]:
        return self.joined.split("\n")[:-1]

    @cached_property
    def longest(self) -> int:
        """The characters of the longest sentence, which has no fewer bytes than that."""
        sizes = np.diff(self.ends, prepend=-1) - 1
        least = len(self.line(int(sizes.argmax()))) if len(sizes) else 0
        return max((len(self.line(index)) for index in np.flatnonzero(sizes > least).tolist()), default=least)

    @cached_property
    def ends(self) -> I64:
        """Where the line break after each sentence stands in ``encoded``."""
        return np.flatnonzero(np.frombuffer(self.encoded, dtype=np.uint8) == ord("\n"))

    @property
    def _lowered(self) -> bytes:
        """``encoded`` with ASCII letters in lower case."""
        return self.encoded.lower()

    def line(self, index: int) -> str:
        """The sentence at an index."""
        start = int(self.ends[index - 1]) + 1 if index else 0
        return self.encoded[start : int(self.ends[index])].decode()

    def texts(self, indexes: I64) -> Iterator[str]:
        """The sentences at some indexes."""
        if len(indexes) > len(self.sentences) // _RARE:
            return map(self.lines.__getitem__, indexes.tolist())
        encoded, begins = self.encoded, np.append(0, self.ends + 1)[indexes]
        places = zip(begins.tolist(), self.ends[indexes].tolist(), strict=True)
        return (encoded[begin:end].decode() for begin, end in places)

    def folded(self, folding: Folding) -> LanguageText:
        """The same sentences without the differences that do not count; kept for the next time."""
        if not folding:
            return self
        if folding not in self._folded:
            # What looks alike comes last: with and without it, case is folded once.
            is_last = folding.alike is not None
            cased = self.folded(replace(folding, alike=None)) if is_last else self
            encoded = fold(cased.joined, Folding(alike=folding.alike) if is_last else folding).encode()
            same = encoded == cased.encoded
            self._folded[folding] = cased if same else LanguageText(self.language, self.sentences, encoded)
        return self._folded[folding]

    def indexes_with_folded(self, text: str, folding: Folding) -> I64:
        """The indexes of the sentences that hold ``text``, which is folded, without the differences that do not count.

        Of ASCII letters that costs no more than of their bytes: nothing but these becomes one by folding case, but for
        two letters; and only where something that nobody sees is left out do two stand side by side that did not.
        """
        if folding.width or folding.alike or not text.isascii():
            return self.folded(folding).indexes_with(text)
        unseen = "" if folding.alike is None else LOOK_ALIKES[""]
        odd = self.indexes_with_any(f"{_LOWER_IS_ASCII if folding.case else ''}{unseen}")
        others = [index for index in odd.tolist() if text in fold(self.line(index), folding)]
        return distinct(np.concatenate([self.indexes_with(text, lowered=folding.case), np.array(others, np.int64)]))

    def indexes_with_any(self, characters: str) -> I64:
        """The indexes of the sentences that hold one of some characters beyond ASCII, ascending; kept for next time."""
        if characters not in self._holding:
            cells = np.frombuffer(self.encoded, dtype=np.uint8)
            beyond = cells[cells > 0x7F].tobytes()  # looked through much sooner than all
            present = [each for each in characters if each.encode() in beyond]
            found = distinct(np.concatenate([np.empty(0, np.int64), *map(self.indexes_with, present)]))
            self._holding[characters] = found
        return self._holding[characters]

    def indexes_with(self, text: str, *, lowered: bool = False) -> I64:
        """The indexes of the sentences that hold ``text``, ascending; ``lowered``: with ASCII letters in lower case."""
        if not text or "\n" in text:  # none has a line break
            return np.arange(0 if text else len(self.sentences))
        encoded, wanted = self._lowered if lowered else self.encoded, text.encode()
        found: list[int] = []
        place = encoded.find(wanted)
        while place >= 0:
            found.append(place)
            if len(found) > _MANY:
                indexes = np.searchsorted(self.ends, _all_places(encoded, wanted))
                return indexes[is_new(indexes)]
            place = encoded.find(wanted, encoded.index(b"\n", place))
        return np.searchsorted(self.ends, np.array(found, dtype=np.int64)) if found else np.empty(0, np.int64)


_MANY = 4_000
"""Sentences with a string that are found one after the other; more are found faster all at once."""


def _all_places(encoded: bytes, wanted: bytes) -> I64:
    """Where a string that is not empty stands, ascending; of those that overlap each."""
    cells = np.frombuffer(encoded, dtype=np.uint8)
    places = np.flatnonzero(cells[: len(cells) - len(wanted) + 1] == wanted[0])
    for offset, byte in enumerate(wanted[1:], 1):
        places = places[cells[places + offset] == byte]
    return places


_LOWER_IS_ASCII = "\u0130\u212a"
"""The letters that are no ASCII, and in lower case begin with one that is: the dotted I, and the sign of Kelvin."""
_ONE_WITH_ASCII = f"{_LOWER_IS_ASCII}\u0131\u017f"
"""And those that are one for regular expressions that ignore case: also the dotless i, and the long s."""
_NAMED_CHARACTER = re.compile(r"\\[xuUN0]")


class Matcher:
    """A string or a regular expression made ready: which sentences hold it, and where in them.

    Raises UsageError for an empty pattern and, with the place of the error, for a bad regular expression.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._ignores_case = False
        """Whether what is required of a sentence is so ignoring case."""
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
            self._literal = required_literal(text)
            self._ignores_case = pattern.folding.case
            if self._ignores_case:
                self._literal = self._literal.lower() if self._literal.isascii() else ""
        else:
            self._folding = pattern.folding
            self._regex = None
            self._literal = fold(text, pattern.folding)
            if text and not self._literal:  # of what nobody sees alone, just that is meant
                self._folding = replace(pattern.folding, alike=None)
                self._literal = fold(text, self._folding)
        # A string is found by ``re`` too, which gives all its places in one call.
        self._string = re.compile(re.escape(self._literal)) if pattern.mode == "substring" else None

    def indexes(self, text: LanguageText, limit: Limit | None = None) -> I64:
        """The indexes of the sentences that hold the pattern, ascending.

        Raises TookTooLong and Cancelled where a regular expression may not go on.
        """
        if self._regex is None:
            return text.indexes_with_folded(self._literal, self._folding)
        odd = np.empty(0, np.int64)
        if self._folding == Folding(alike=""):  # few sentences have what is not seen, and no other is folded
            odd = text.indexes_with_any(LOOK_ALIKES[""])
        else:
            text = text.folded(self._folding)
        held = self._held(text, odd)
        lines = list(text.texts(held))
        for place in np.searchsorted(held, odd).tolist():
            lines[place] = fold(lines[place], self._folding)
        return held[self._regex.among(lines, limit or Limit(), text.longest)]

    def _held(self, text: LanguageText, odd: I64) -> I64:
        """The indexes of the sentences in which a regular expression may be found, and of ``odd`` ones; ascending."""
        if not self._literal:
            return np.arange(len(text.sentences))
        held = [odd, text.indexes_with(self._literal, lowered=self._ignores_case)]
        if self._ignores_case:
            held.append(text.indexes_with_any(_ONE_WITH_ASCII))
        return distinct(np.concatenate(held))

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
    from corpusdb.base.regular_expressions import Regex

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

    A group that may be missing gives none, nor one with alternatives, nor flags or a comment anywhere in the pattern.
    """
    best = run = held = ""  # held: by the group that just ended, which may yet be missing
    outside: list[tuple[str, str]] = []
    has_choice = {0: False}
    for match in _TOKEN.finditer(pattern):
        kind, text = match.lastgroup, match[0]
        escaped = kind == "escape" and not text[1].isalnum()
        if kind == "char" or escaped:
            best, held = max(best, held, key=len), ""
            run += text[-1]
            continue
        if kind == "repeat" and text != "+":  # what it stands behind may be missing
            run, held = run[:-1], ""
        best, run, held = max(best, run, held, key=len), "", ""
        if kind == "open":
            if re.match(r"\(\?[aiLmsux#-]", text):
                return ""
            outside.append((best, text))
            best, has_choice[len(outside)] = "", False
        elif kind == "close" and outside:
            is_sure = not has_choice[len(outside)] and outside[-1][1] not in _NOT_HELD
            held, best = best if is_sure else "", outside.pop()[0]
        elif text == "|":
            has_choice[len(outside)] = True
    return "" if has_choice[0] else max(best, run, held, key=len)


_NOT_HELD = frozenset({"(?!", "(?<!", "(?"})
"""How groups begin that must not be there, that mean another group, or depend on one."""


Span: TypeAlias = tuple[int, int]
"""Where something stands in a sentence, as offsets of code points, half open."""


class Matching(Protocol):
    @property
    def indexes(self) -> I64:
        """The indexes of the sentences, in the order of their ids, that hold the pattern; ascending."""

    def spans(self, index: int) -> list[Span]:
        """Where the pattern stands in the sentence with an index, from left to right."""


class PatternMatching:
    """The sentences that hold a string or a regular expression; every sentence where there is no pattern."""

    def __init__(self, text: LanguageText, matcher: Matcher | None, limit: Limit | None = None) -> None:
        self.indexes = matcher.indexes(text, limit) if matcher else np.arange(len(text.sentences))
        self._text = text
        self._matcher = matcher

    def spans(self, index: int) -> list[Span]:
        return self._matcher.spans(self._text.line(index)) if self._matcher else []


class TokenMatching:
    """Sentences in which some tokens, one behind the other, are what was looked for."""

    def __init__(self, text: LanguageText, corpus: TokenCorpus, places: I64) -> None:
        """``places``: of each match the index of the sentence, and in it the first token and the one behind the last,
        which may have a target beside them; shape (matches, 3 or 4)."""
        self._text = text
        self._corpus = corpus
        self._places = places
        self.indexes = distinct(places[:, 0])

    def spans(self, index: int) -> list[Span]:
        first, last = np.searchsorted(self._places[:, 0], [index, index + 1]).tolist()
        begin = int(self._corpus.ends[index]) - int(self._corpus.lengths[index])
        offsets = self._token_spans(index, begin)
        return [(offsets[start][0], offsets[stop - 1][1]) for _, start, stop, *_ in self._places[first:last].tolist()]

    def _span(self, index: int, start: int, stop: int) -> Span:
        offsets = self._token_spans(index, int(self._corpus.ends[index]) - int(self._corpus.lengths[index]))
        return offsets[start][0], offsets[stop - 1][1]

    def targets(self, index: int) -> dict[Span, Span]:
        """The targets of the matches in a sentence that have one there."""
        first, last = np.searchsorted(self._places[:, 0], [index, index + 1]).tolist()
        offsets = self._token_spans(index, int(self._corpus.ends[index]) - int(self._corpus.lengths[index]))
        rows = self._places[first:last].tolist()
        return {(offsets[row[1]][0], offsets[row[2] - 1][1]): offsets[row[3]] for row in rows if row[3:] > [-1]}

    def _token_spans(self, index: int, begin: int) -> list[Span]:
        """Where each token of a sentence stands: the next place where it is found, for only white space is between.

        An annotation says it itself: a word of it may stand in no text.
        """
        annotated = self._corpus.annotated
        if annotated is not None and annotated.sentences[index]:
            of_sentence = slice(begin, int(self._corpus.ends[index]))
            return list(zip(annotated.begins[of_sentence].tolist(), annotated.ends[of_sentence].tolist(), strict=True))
        line, types = self._text.line(index), self._corpus.types
        spans, end = [], 0
        for number in self._corpus.tokens[begin : int(self._corpus.ends[index])].tolist():
            start = line.index(types[number], end)
            end = start + len(types[number])
            spans.append((start, end))
        return spans


class WordMatching(TokenMatching):
    """The sentences that hold a string which begins where a token begins and ends where a token ends.

    So a word is what frequencies count. Raises UsageError for a string without anything that is seen.
    """

    def __init__(self, text: LanguageText, corpus: TokenCorpus, pattern: Pattern) -> None:
        literal = fold(nfc(pattern.text), pattern.folding).strip()
        if not literal:
            raise UsageError("the pattern is empty")
        # All at once, which is many times as fast; no word has a line break.
        types = fold("\n".join(corpus.types), pattern.folding).split("\n") if corpus.types else []
        ranges = _tokens_that_make(literal, types, corpus)
        sentences = corpus.sentence_at(ranges[:, 0])
        begins = (corpus.ends - corpus.lengths)[sentences]
        super().__init__(text, corpus, np.column_stack([sentences, ranges - begins[:, np.newaxis]]))
        if np.any(ranges[:, 1] - ranges[:, 0] > 1):  # spaces between tokens are in none of them
            self._keep_as_written(literal, pattern.folding)

        def folded(index: int) -> str:
            return fold(text.line(index), pattern.folding)

        self.by_letters, self.cut_otherwise = _by_letters(literal, types, corpus, folded, self.indexes)
        """In how many sentences it stands where words are all that has no letter on either side, as regular expressions
        understand \\b: clock in o'clock, don in Don't, no do there. None where that is not known.

        And a word, in lower case where that does not count, in which it is one of these and not the other; "" for none.
        """

    def _keep_as_written(self, literal: str, folding: Folding) -> None:
        """Keep the matches that stand in the text as the string does, and none that begins inside another."""
        counts = np.bincount(self._places[:, 0], minlength=len(self._text.sentences))
        kept = np.ones(len(self._places), dtype=np.bool_)
        for index in self.indexes.tolist():
            line = self._text.line(index)
            if fold(line, folding).count(literal) != counts[index]:
                first, end = int(np.searchsorted(self._places[:, 0], index)), 0
                for place, (start, stop) in enumerate(self.spans(index), first):
                    kept[place] = start >= end and fold(line[start:stop], folding) == literal
                    end = stop if kept[place] else end
        self._places = self._places[kept]
        self.indexes = distinct(self._places[:, 0])


_ONE: I64 = np.array([0, 1])


def _tokens_that_make(literal: str, types: Sequence[str], corpus: TokenCorpus) -> I64:
    """Begin and end, in the stream, of all runs of tokens that make a string, whatever spaces stand between them.

    Shape (matches, 2), ascending.
    """
    numbers: dict[str, list[int]] = {}
    for number, text in enumerate(types):
        if text and text in literal:
            numbers.setdefault(text, []).append(number)
    tables = {text: types_chosen(found, len(types)) for text, found in numbers.items()}
    complete = [np.empty((0, 2), dtype=np.int64)]
    unseen = types_chosen([number for number, text in enumerate(types) if not text], len(types))
    growing: list[tuple[int, I64]] = [
        (len(text), np.add.outer(_places_of(found, corpus), _ONE))
        for text, found in numbers.items()
        if literal.startswith(text)
    ]
    while growing:
        done, ranges = growing.pop()
        done = len(literal) - len(literal[done:].lstrip())
        if done == len(literal):
            complete.append(ranges)
            continue
        ranges = ranges[ranges[:, 1] < corpus.ends[corpus.sentence_at(ranges[:, 0])]]
        following = corpus.tokens[ranges[:, 1]]
        for text, table in tables.items():
            if literal.startswith(text, done):
                growing.append((done + len(text), ranges[table[following]] + _ONE))
        if np.any(unseen[following]):
            growing.append((done, ranges[unseen[following]] + _ONE))
    ranges = np.concatenate(complete)
    size = len(corpus.tokens) + 1
    return np.stack(np.divmod(distinct(ranges[:, 0] * size + ranges[:, 1]), size), axis=1)


_FEW = 8
"""Places of so few types are found by comparing, without a table of all."""


def _places_of(numbers: Sequence[int], corpus: TokenCorpus) -> I64:
    """Where the tokens stand that have one of some types, ascending."""
    if len(numbers) > _FEW:
        return np.flatnonzero(types_chosen(numbers, len(corpus.types))[corpus.tokens])
    found = [np.empty(0, np.int64), *(np.flatnonzero(corpus.tokens == number) for number in numbers)]
    return np.sort(np.concatenate(found))


def types_chosen(numbers: Sequence[int], size: int) -> Bools:
    table = np.zeros(size, dtype=np.bool_)
    table[numbers] = True
    return table


_NEGATION = re.compile(r"n['\N{RIGHT SINGLE QUOTATION MARK}]t", re.IGNORECASE)
"""The one token before which no word ends for a regular expression."""


def _by_letters(
    literal: str, types: Sequence[str], corpus: TokenCorpus, folded: Callable[[int], str], found: I64
) -> tuple[int | None, str]:
    """In how many sentences a string stands with no letter on either side; in ``found`` it is some tokens.

    ``folded`` gives the sentence at an index without the differences that do not count.
    And a run between spaces, without the marks around it, in which it is the one and not the other.
    """
    if not re.fullmatch(r"\w+", literal) or has_undelimited_script(literal) or corpus.annotated is not None:
        return None, ""
    from corpusdb.search.token_corpus import tokenise

    whole = re.compile(rf"(?<!\w){re.escape(literal)}(?!\w)")
    inside = [number for number, text in enumerate(types) if text != literal and literal in text and whole.search(text)]
    places = [_places_of(inside, corpus)]
    if literal[-1] in "nN":  # do and n't
        negation = types_chosen([number for number, text in enumerate(types) if _NEGATION.fullmatch(text)], len(types))
        stems = _places_of([number for number, text in enumerate(types) if text == literal[:-1]], corpus)
        stems = stems[stems + 1 < len(corpus.tokens)]
        places.append(stems[negation[corpus.tokens[stems + 1]]])
    sentences = distinct(np.concatenate([found, corpus.sentence_at(np.concatenate(places))]))
    holding = [index for index in sentences.tolist() if whole.search(folded(index)) is not None]
    different = sorted({*found.tolist()} ^ {*holding})
    runs = (run for index in different for run in folded(index).split() if literal in run)
    cut = ((run.strip(_MARKS), tokenise(run)) for run in runs)
    return len(holding), next((run for run, tokens in cut if (literal in tokens) != bool(whole.search(run))), "")


_MARKS = '.,;:!?"()[]«»“”…'
