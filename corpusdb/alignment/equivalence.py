"""Equivalence sets, words of closed classes, forms of one word, and where an equivalent can stand in a text.

Words of closed classes are prepositions, pronouns and others that are hardly ever equivalent: Owczarzak et al. (2006,
section 3.3) leave out prepositions, as which those of Japanese count that stand behind their nouns. The lists are
data, in closed_classes.tsv beside this module; a language that is not in it has none. Those of Japanese are its
particles, of which those of case are named prepositions, auxiliaries and others as they are inflected: what SudachiPy
finds three times or more in the sentences of Tatoeba, mostly in such a class."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from os.path import commonprefix
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from corpusdb.alignment.links import PhrasePairs, may_part
from corpusdb.base.arrays import F64, Bools
from corpusdb.base.text import has_undelimited_script

LeftOut: TypeAlias = Literal["closed", "prepositions", "auxiliaries", "nothing"]
CLOSED: Final[tuple[LeftOut, ...]] = ("closed", "prepositions", "auxiliaries", "nothing")
_CLASSES: Final[dict[LeftOut, str]] = {"prepositions": "preposition", "auxiliaries": "auxiliary"}
"""Those that are a class of their own."""


@cache
def closed_words(language: str, left_out: LeftOut) -> frozenset[str]:
    """The words, in lower case, that are to be left out of a language, an ISO 639-3 code."""
    if left_out == "nothing":
        return frozenset()
    classes = _classes().get(language, {})
    chosen = [_CLASSES[left_out]] if left_out in _CLASSES else list(classes)
    return frozenset(word for name in chosen for word in classes.get(name, ()))


def closed_share(words: Collection[str], closed: frozenset[str]) -> float:
    """Which part of some words, in lower case, is of closed classes."""
    return sum(map(closed.__contains__, words)) / len(words)


def closed_class_languages() -> tuple[str, ...]:
    return tuple(_classes())


@cache
def _classes() -> dict[str, dict[str, tuple[str, ...]]]:
    lines = files("corpusdb.alignment").joinpath("closed_classes.tsv").read_text(encoding="utf-8").splitlines()
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in lines[1:]:
        language, name, words = line.split("\t")
        found.setdefault(language, {})[name] = tuple(words.split())
    return found


# Equivalence sets: target phrases that are aligned with one source phrase (Owczarzak et al. 2006, sections 3.2, 3.3).
# There is no transitivity: two phrases are equivalent where one set holds both. Filters are values over figures that
# are there anyway, so that another filter needs no other alignment.


Phrase: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EquivalenceFilter:
    """Which members of sets are kept."""

    closed: frozenset[str] = frozenset()
    """Words in lower case; phrases of nothing else are left out."""
    min_count: int = 1
    """How often a member stands with the source phrase."""
    min_source_count: int = 1
    """How often the source phrase stands in a phrase pair."""
    min_source_length: int = 1
    """Words of the source phrase: more than one where words are characters, and most of them parts of words."""
    min_probability: float = 0.0
    """p(member | source phrase)."""

    def kept(self, pairs: PhrasePairs) -> Bools:
        is_open = np.array([not self.closed.issuperset(map(str.lower, each)) for each in pairs.target.texts], bool)
        kept: Bools = is_open[pairs.targets] & (pairs.counts >= self.min_count)
        kept &= pairs.source.counts[pairs.sources] >= self.min_source_count
        if self.min_source_length > 1:
            lengths = np.array([len(words) for words in pairs.source.texts], dtype=np.int64)
            kept &= lengths[pairs.sources] >= self.min_source_length
        kept &= pairs.forward >= self.min_probability
        return kept


@dataclass(frozen=True, slots=True)
class Member:
    """A target phrase of an equivalence set."""

    phrase: Phrase
    count: int
    """How often it stands with the source phrase."""
    probability: float
    """p(member | source phrase), over all that the source phrase stands with."""
    example: int
    """The number of a pair of texts in which both stand."""


@dataclass(frozen=True, slots=True)
class EquivalenceSet:
    """At least two target phrases of one source phrase, the most probable first."""

    source: Phrase
    members: tuple[Member, ...]


def equivalence_sets(pairs: PhrasePairs, kept: EquivalenceFilter) -> Iterator[EquivalenceSet]:
    """The sets of all source phrases that have two members or more, in the order of the source phrases."""
    rows = np.flatnonzero(kept.kept(pairs))
    sources, forward = pairs.sources[rows], pairs.forward
    firsts = np.flatnonzero(np.diff(sources, prepend=-1))
    for begin, end in zip(firsts.tolist(), [*firsts[1:].tolist(), len(rows)][: len(firsts)], strict=True):
        if end - begin < 2:
            continue
        members = [
            Member(pairs.target.texts[pairs.targets[row]], int(pairs.counts[row]), float(forward[row]), int(example))
            for row, example in zip(rows[begin:end], pairs.examples[rows[begin:end]], strict=True)
        ]
        members.sort(key=lambda member: (-member.count, member.phrase))
        yield EquivalenceSet(pairs.source.texts[sources[begin]], tuple(members))


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A phrase that stands in a set together with another, and what speaks for it."""

    phrase: Phrase
    pivot: float
    """p(phrase | other), the sum over source phrases f of p(f | other) p(phrase | f), as in Bannard and Callison-Burch
    (2005)."""
    count: int
    """How often the rarer of the two stands with a source phrase: the most of all source phrases."""
    sources: tuple[Phrase, ...]
    """The source phrases of the sets that hold both, the one that adds most to ``pivot`` first."""
    probability: float = 0.0
    """That it is one, where it is known from a corpus."""


class Equivalents:
    """The equivalents of target phrases, through the sets that a filter leaves."""

    def __init__(self, pairs: PhrasePairs, kept: EquivalenceFilter, min_cover: float = 0.0) -> None:
        """``min_cover``: the least p(phrase | f) + p(other | f) of a source phrase f that counts."""
        self._pairs = pairs
        self._min_cover = min_cover - 1e-12  # sums of shares are not exact
        self._rows_of_target: defaultdict[int, list[int]] = defaultdict(list)
        self._rows_of_source: defaultdict[int, list[int]] = defaultdict(list)
        for row in np.flatnonzero(kept.kept(pairs)).tolist():
            self._rows_of_target[int(pairs.targets[row])].append(row)
            self._rows_of_source[int(pairs.sources[row])].append(row)
        self._numbers = {pairs.target.texts[number]: number for number in self._rows_of_target}
        self._found: dict[Phrase, list[Equivalent]] = {}
        self._forward: F64 = pairs.forward
        self._backward: F64 = pairs.backward

    def phrases(self) -> tuple[Phrase, ...]:
        """Every phrase that is left, whether it has an equivalent or not."""
        return tuple(self._numbers)

    def of(self, phrase: Phrase, min_pivot: float = 0.0) -> list[Equivalent]:
        """The equivalents of a phrase, the most probable first, then by words; of an unknown one there are none."""
        if phrase not in self._numbers:
            return []
        if phrase not in self._found:
            self._found[phrase] = self._through_sources(self._numbers[phrase])
        return [each for each in self._found[phrase] if each.pivot >= min_pivot]

    def _through_sources(self, number: int) -> list[Equivalent]:
        pairs = self._pairs
        shares: defaultdict[int, list[tuple[float, int, int]]] = defaultdict(list)
        for row in self._rows_of_target[number]:
            source = int(pairs.sources[row])
            for other in self._rows_of_source[source]:
                if other != row and self._forward[row] + self._forward[other] >= self._min_cover:
                    share = float(self._backward[row] * self._forward[other])
                    shares[int(pairs.targets[other])].append(
                        (share, min(int(pairs.counts[row]), int(pairs.counts[other])), source)
                    )
        found = []
        for target, parts in shares.items():
            parts.sort(key=lambda part: (-part[0], part[2]))
            sources = tuple(pairs.source.texts[source] for _, _, source in parts)
            pivot, count = sum(share for share, _, _ in parts), max(count for _, count, _ in parts)
            found.append(Equivalent(pairs.target.texts[target], pivot, count, sources))
        return sorted(found, key=lambda each: (-each.pivot, each.phrase))


def differing(one: Phrase, other: Phrase) -> tuple[Phrase, Phrase]:
    """What two phrases differ by, between the words that both begin and end with; at least one word of each."""
    before = 0
    while before < min(len(one), len(other)) - 1 and one[before] == other[before]:
        before += 1
    after = 0
    while after < min(len(one), len(other)) - before - 1 and one[-1 - after] == other[-1 - after]:
        after += 1
    return one[before : len(one) - after], other[before : len(other) - after]


def is_rejected(one: Phrase, other: Phrase, rejected: Container[tuple[str, str]]) -> bool:
    """Whether two phrases are among pairs of which somebody said that they are not equivalent.

    So are those that differ by such a pair alone: where house is not home, the house is not the home. The pairs have
    the lesser phrase first, its words in lower case with a space between two.
    """
    pairs = ((" ".join(first), " ".join(second)) for first, second in ((one, other), differing(one, other)))
    return any((min(pair), max(pair)) in rejected for pair in pairs)


# Places of a text where an equivalent can stand instead: what reference lattices are made of (section 3.5).
# Phrases are looked for among the tokens of the text, never among its characters, and in the original text alone: what
# was put in is not replaced again, and substitutions do not overlap.


Replaceable: TypeAlias = Callable[[Phrase], Sequence[Equivalent]]
"""The equivalents of a phrase in lower case."""


@dataclass(frozen=True, slots=True)
class Substitution:
    """The tokens from ``start`` up to, not including, ``end`` replaced by an equivalent."""

    start: int
    end: int
    equivalent: Equivalent
    probability: float | None = None
    """That it holds in its text; None where that is not known."""

    @property
    def phrase(self) -> Phrase:
        return self.equivalent.phrase


def substitutions(tokens: Sequence[str], equivalents: Replaceable, longest: int) -> Iterator[Substitution]:
    """All substitutions of phrases of up to ``longest`` tokens, by place, length and then as the equivalents come.

    An equivalent that is what stands there is none. A clitic is not cut from its host.
    """
    lowered = [token.lower() for token in tokens]
    for start in range(len(tokens)):
        if start and not may_part(lowered[start - 1], lowered[start]):
            continue
        for end in range(start + 1, min(start + longest, len(tokens)) + 1):
            if end < len(tokens) and not may_part(lowered[end - 1], lowered[end]):
                continue
            original = tuple(lowered[start:end])
            for equivalent in equivalents(original):
                if tuple(map(str.lower, equivalent.phrase)) != original:
                    yield Substitution(start, end, equivalent)


# Forms and spellings of one word are often aligned with the same word. The year, the years: Icelandic "ár" is both,
# and only one of them can stand where the other does. Words that begin alike are taken for forms of one word, and so
# are the irregular forms of irregular_forms.tsv beside this module. In Japanese what ends in different kana behind the
# same kanji is one word.

_LEAST: Final = 3
"""Letters that two forms begin with."""
_PART: Final = 0.5
"""Of the longer form."""
_LONGEST_ENDING: Final = 4
_LONGEST_PREFIX: Final = 3


def are_forms_of_one(language: str, first: Sequence[str], second: Sequence[str], closed: frozenset[str]) -> bool:
    """Whether two phrases, in lower case, differ by nothing but endings, order and words of closed classes."""
    if sorted(first) == sorted(second):
        return True
    if len(first) == len(second):
        return all(_are_forms(language, *pair, closed) for pair in zip(first, second, strict=True))
    own, other = ([word for word in phrase if word not in closed] for phrase in (first, second))
    return len(own) == len(other) and all(_are_forms(language, *pair, closed) for pair in zip(own, other, strict=True))


def _are_forms(language: str, one: str, other: str, closed: frozenset[str]) -> bool:
    if one == other or (one in closed and other in closed):
        return True
    return are_alike(one, other) or bool(_irregular(language, one) & _irregular(language, other))


def are_alike(one: str, other: str) -> bool:
    """Whether two words begin or end alike, and differ in what stands before or behind: run, runs; likely, unlikely."""
    if has_undelimited_script(one) or has_undelimited_script(other):
        stem = commonprefix([one, other])
        return _is_han(stem[-1:]) and not any(map(_is_han, one[len(stem) :] + other[len(stem) :]))
    return any(_begin_alike(*forms) for forms in product(_stems(one), _stems(other))) or _begin_alike(
        one[::-1], other[::-1], _LONGEST_PREFIX
    )


def _begin_alike(one: str, other: str, longest: int = 2 * _LONGEST_ENDING) -> bool:
    short, long = sorted((one, other), key=len)
    common = len(commonprefix([short, long]))
    if longest == _LONGEST_PREFIX and common < len(short):
        return False  # mother and brother end alike, and are two words
    least = max(_LEAST, math.ceil(_PART * len(long)))
    return common >= least and len(short) - common <= _LONGEST_ENDING and len(long) - common <= longest


def _stems(word: str) -> tuple[str, ...]:
    """Also with i for a last y: try, tried."""
    return (word, f"{word[:-1]}i") if word.endswith("y") else (word,)


def form_keys(language: str, word: str) -> Iterator[str | int]:
    """What two forms of one word, in lower case, share one of at least; others may share it, too."""
    yield from (stem[: 1 if has_undelimited_script(stem) else _LEAST] for stem in _stems(word))
    yield f"-{word[-_LEAST:]}"
    yield from _irregular(language, word)


def _irregular(language: str, word: str) -> frozenset[int]:
    """The numbers of the words that have this form."""
    return _forms().get((language, word), frozenset())


@cache
def _forms() -> dict[tuple[str, str], frozenset[int]]:
    lines = files("corpusdb.alignment").joinpath("irregular_forms.tsv").read_text(encoding="utf-8")
    return _by_form(line.split("\t") for line in lines.splitlines()[1:])


def _by_form(rows: Iterable[Sequence[str]]) -> dict[tuple[str, str], frozenset[int]]:
    found: dict[tuple[str, str], frozenset[int]] = {}
    for number, (language, forms) in enumerate(rows):
        for form in forms.split():
            found[language, form] = found.get((language, form), frozenset()) | {number}
    return found


def _is_han(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff" or character == "\u3005"


# The same words written otherwise: hyphens, dates, numbers and the two spellings of English, which change no meaning.
#
# What is here holds in whatever sentence. Marks of quotation, dashes, digits as words and 1,000 as 1000 are none of it:
# on sets of WMT they did not help, and systems that write them as the reference does are often the better ones. Words
# of two spellings are rows of spellings.tsv beside this module: endings, as a regular expression, and pairs of what
# stands before them, of which either may stand for the other (of ``>`` the second for the first only; _ is a space).

_PREFIXES: Final = frozenset("anti co de e ex mid multi non post pre pro re semi sub un x".split())
"""What is written apart from no word."""
_HYPHEN: Final = re.compile(r"(?<![\w-])([a-z]+)-([a-z]+)(?![\w-])")

_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY_FIRST: Final = re.compile(rf"(?<![\w.,])(\d\d?)(?:st|nd|rd|th)? (?:of )?({_MONTHS})\b", re.IGNORECASE)
_MONTH_FIRST: Final = re.compile(rf"\b({_MONTHS}) (\d\d?)(?:st|nd|rd|th)?\b(?![.,]?\d)", re.IGNORECASE)
_NUMBERS: Final = "two three four five six seven eight nine ten eleven twelve".split()
_ALONE: Final = r"(?<![$€£] )(?<!\bto )(?<!\bor )(?<!\band )(?<!\d - )"
"""What stands in a range, or behind a currency, is written as the rest of it."""
_WORD: Final = re.compile(rf"{_ALONE}(?<![\w-])({'|'.join(_NUMBERS)})(?= (?!(?:to|or|and)\b)[a-z])")


class Alternative(NamedTuple):
    """What may stand from ``start`` up to, not including, ``end``, in code points."""

    start: int
    end: int
    text: str


def written_otherwise(language: str, text: str, is_word: Callable[[str], bool]) -> Iterator[Alternative]:
    """Each place of a text that may be written otherwise, once for each way, by kind and then by place.

    ``is_word``: whether a word, in lower case, is known: what a hyphen joins may then stand as one.
    """
    if language == "eng":
        for found in _HYPHEN.finditer(text):
            if is_word(found[1] + found[2]):
                yield Alternative(*found.span(), found[1] + found[2])
            elif found[1] not in _PREFIXES:
                yield Alternative(*found.span(), f"{found[1]} {found[2]}")
        yield from _figures(text)
    for pattern, others in _spellings(language):
        for found in pattern.finditer(text):
            if found[0][:1].isupper() and any(map(str.isalnum, text[: found.start()])):
                continue  # a name: the Labour Party
            if other := others.get(found[1].lower()):  # none with \u017f or \u0131, which match an s and an i
                yield Alternative(*found.span(), in_case_of(found[0], other + found[2]))


def _figures(text: str) -> Iterator[Alternative]:
    """Dates the other way round, and small numbers as digits."""
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        for found in pattern.finditer(text):
            day, month = found.groups() if pattern is _DAY_FIRST else found.groups()[::-1]
            if month in ("may", "march") and re.match(r",? [^\W\d_]", text[found.end() :]):
                continue  # no date: 10 may enter
            yield from (
                Alternative(*found.span(), way) for way in (f"{day} {month}", f"{month} {day}") if way != found[0]
            )
    for found in _WORD.finditer(text):
        yield Alternative(*found.span(), str(_NUMBERS.index(found[0]) + 2))


def in_case_of(before: str, written: str) -> str:
    if len(before) > 1 and before.isupper():
        return written.upper()
    return f"{written[:1].upper()}{written[1:]}" if before[:1].isupper() else written


@cache
def _spellings(language: str) -> tuple[tuple[re.Pattern[str], dict[str, str]], ...]:
    """For each row of a language what finds a spelling and its ending, and the other spelling of each."""
    lines = files("corpusdb.alignment").joinpath("spellings.tsv").read_text(encoding="utf-8").splitlines()
    found = []
    for code, endings, pairs in (line.split("\t") for line in lines[1:]):
        if code == language:
            others: dict[str, str] = {}
            for pair in pairs.split(" "):
                one, other = re.split("[/>]", pair.replace("_", " "))
                others[one] = other
                if "/" in pair:
                    others[other.lower()] = one
            longest = sorted(others, key=lambda each: (-len(each), each))
            words = "|".join(map(re.escape, longest))
            found.append((re.compile(rf"(?<![\w-])({words})({endings})(?![\w-])", re.IGNORECASE), others))
    return tuple(found)
