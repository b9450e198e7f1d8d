"""Frames: exchanges at two places of a sentence at once, with the words between them left as they are.

"Let's _." and "Why don't we _?", "_ off" and "off _": what analogies of one gap cannot make, and what varies most. Some
turn two parts round: "if _, ..." and "... if _". They are those of pairs of sentences that share a translation, seen
around several texts; how often a frame keeps the meaning is told as of any exchange, by all pairs of sentences that
differ by it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import accumulate, chain
from typing import Final, NamedTuple

import numpy as np

from corpusdb.base.arrays import I64
from corpusdb.base.jobs import computed_in_order, usable_cores
from corpusdb.base.text import common_ends, units_of
from corpusdb.paraphrase.differences import BEGIN, END, GAP, LATER_GAP, Exchange, is_turn, points_ahead
from corpusdb.paraphrase.exchange_index import ExchangeIndex, Sharing, StoredExchange, StoredPart, summed_up
from corpusdb.paraphrase.sharing import Instances
from corpusdb.paraphrase.word_model import WordModel

LEAST_MIDDLES: Final = 2
"""Around so many different texts pairs that share a translation show a frame."""
_MOST_UNITS: Final = 6
"""Of a text of a frame: longer ones are sentences of their own."""
_SENTENCES_AT_ONCE: Final = 20_000


class Frame(NamedTuple):
    """How two sentences differ around what stays."""

    exchange: Exchange
    """The two texts, each with GAP."""
    left: str
    """The last unit before it, or BEGIN."""
    right: str
    """The first unit after it, or END."""
    middle: tuple[str, ...]
    """The units that stay."""


def frame_of(one: list[str], other: list[str]) -> Frame | None:
    """By which frame two sentences differ, given as their units; None where they do not differ at two places.

    What stays is the longest run of units that both have between their common beginning and their common end, unless
    two parts are turned round.
    """
    if other < one:
        back = frame_of(other, one)
        return None if back is None else back._replace(exchange=(back.exchange[1], back.exchange[0]))
    for turned in _turns(one, set(one)) if abs(len(one) - len(other)) == 1 else ():
        if turned.units == other:
            return Frame(turned.exchange, BEGIN, (*turned.marks, END)[0], (*turned.parts[0], *turned.parts[1]))
    begin, end = common_ends(one, other)
    before, after = one[begin : len(one) - end], other[begin : len(other) - end]
    run = _longest_run(before, after, max(len(before), len(after)) - _MOST_UNITS)
    if run is None:
        return None
    start, at, size = run
    middle = tuple(before[start : start + size])
    if not any(unit[-1].isalnum() for unit in middle):
        return None
    sides = (before[:start], before[start + size :]), (after[:at], after[at + size :])
    if not all(map(any, sides)):
        return None
    if not any(side[0] for side in sides) or not any(side[1] for side in sides):
        return None
    x, y = (GAP.join("".join(part) for part in side) for side in sides)
    left, right = one[begin - 1] if begin else BEGIN, one[len(one) - end] if end else END
    return Frame((x, y), left, right, middle)


class _Turned(NamedTuple):
    """A sentence with two parts turned round: "if it rains, I stay" and "I stay if it rains"."""

    unit: str
    """That begins the part which a comma sets off."""
    exchange: Exchange
    parts: tuple[Sequence[str], Sequence[str]]
    """In their order now."""
    marks: Sequence[str]
    """That end the sentence."""

    @property
    def units(self) -> list[str]:
        joint = [","] if self.exchange[0].startswith(LATER_GAP) else []
        return [*self.parts[0], *joint, *self.parts[1], *self.marks]


_LEAST_UNITS: Final = 2
"""Of each of two parts that are turned round."""


def _turns(units: Sequence[str], known: Container[str]) -> Iterator[_Turned]:
    """A sentence with two parts turned round of which one begins with a ``known`` unit; neither has marks inside, which
    may join something else."""
    end = len(units)
    while end and not units[end - 1][-1].isalnum():
        end -= 1
    inside = [place for place in range(end) if not units[place][-1].isalnum()]
    if len(inside) == 1 and units[inside[0]] == "," and units[0] in known:
        (comma,) = inside
        if min(comma, end - comma - 1) >= _LEAST_UNITS:
            yield _Turned(units[0], turn_by(units[0]), (units[comma + 1 : end], units[:comma]), units[end:])
    for place in range(_LEAST_UNITS, 0 if inside else end + 1 - _LEAST_UNITS):
        if units[place] in known:
            parts = units[place:end], units[:place]
            yield _Turned(units[place], turn_by(units[place])[::-1], parts, units[end:])


def turn_by(unit: str) -> Exchange:
    """The frame that turns round two parts of which one begins with a unit."""
    return f"{unit}{GAP},{LATER_GAP}", f"{LATER_GAP}{unit}{GAP}"


def _longest_run(one: list[str], other: list[str], least: int) -> tuple[int, int, int] | None:
    """Where the longest run of units that both have stands in either, the first of several, and how many units it has.

    None where it has fewer than ``least``, or none. Each unit is one character here, so that runs are found as texts.
    """
    number: dict[str, str] = {}
    text, others = ("".join([number.setdefault(unit, chr(len(number))) for unit in units]) for units in (one, other))
    for size in range(min(len(one), len(other)), max(least, 1) - 1, -1):
        for start in range(len(one) - size + 1):
            if (at := others.find(text[start : start + size])) >= 0:
                return start, at, size
    return None


def as_shown(text: str) -> str:
    """A text of an exchange for people: "do _ have" for one of a frame, "... if _" for one that turns parts round."""
    return text.replace(GAP, " _").replace(LATER_GAP, " ...").strip()


def as_stored(text: str) -> str:
    """A text of an exchange by what is shown of it, without the space before its first word."""
    return f" {text}".replace(" _", GAP).replace(" ...", LATER_GAP).lstrip(" ")


# What a frame moves may begin the one sentence and stand inside of the other, where it has no capital but its own. So
# sentences are looked at as they are written inside of others, as " today I am in London.".


def as_inside(sentences: Sequence[str], model: WordModel) -> list[str]:
    """Each sentence with a space before it, and with the capital only that ``model`` knows its first word to have."""
    first = [each.split(maxsplit=1)[0] if each[:1].lower() != each[:1].upper() else "" for each in sentences]
    words = sorted({word for word in first if word})
    low = [word[0].lower() + word[1:] for word in words]
    usual = model.scores([f", {word}" for word in words]), model.scores([f", {word}" for word in low])
    is_low = dict(zip(words, (usual[1] > usual[0]).tolist(), strict=True))
    return [
        sentence if not word else f" {sentence[0].lower() if is_low[word] else sentence[0]}{sentence[1:]}"
        for word, sentence in zip(first, sentences, strict=True)
    ]


def as_sentence(text: str) -> str:
    """What is written so as a sentence by itself."""
    text = text.lstrip(" ")
    return text[:1].upper() + text[1:]


class Framed(NamedTuple):
    """A sentence with a frame exchanged."""

    text: str
    exchange: Exchange
    """What stood in the sentence, and what stands there now, each with GAP."""
    left: str
    """The neighbours, as in Frame."""
    right: str
    is_sure: bool
    """Whether that is the frame by which the two differ, as is seen at once; where not, ``differs_so`` tells."""


_MARKS: Final = frozenset(".,?!")


class _Side(NamedTuple):
    """One text of a frame, as it is looked for in sentences."""

    first: str
    """What stands before the gap; may be empty."""
    last: str
    other: tuple[str, str]
    """What stands there afterwards."""
    left: frozenset[str]
    """The neighbours that it is known by."""
    right: frozenset[str]
    units: frozenset[str]
    """Of both texts of the frame."""
    longest: int | None
    """They have no longer run of units in common before the gap, behind it or across; None where they begin or end
    alike, are no frame, or might be cut into other units beside other words."""

    @property
    def exchange(self) -> Exchange:
        return f"{self.first}{GAP}{self.last}", GAP.join(self.other)


class Frames:
    """The frames of a language, by what of them is met first in a sentence."""

    def __init__(
        self, known: Mapping[Exchange, tuple[Iterable[str], Iterable[str]]], language: str, *, both_ways: bool = True
    ) -> None:
        """``known``: by frame the neighbours to the left and to the right that it is exchanged between.

        Unless ``both_ways``, its first text becomes the second, and not the other way round, but where it turns parts.
        """
        self._language = language
        self.figures: Mapping[Exchange, StoredExchange] = {}
        """Of those that are stored, the lesser text first."""
        self._sides: dict[str, list[_Side]] = defaultdict(list)
        self._turned_beside: dict[str, frozenset[str]] = {}
        """The final marks beside which parts are turned round, by the unit that the one begins with."""
        for exchange, beside in sorted(known.items()):
            left, right = map(frozenset, beside)
            if is_turn(exchange):
                self._turned_beside[exchange[0].strip(LATER_GAP + GAP)] = right
                continue
            one, other = ((text.partition(GAP)[0], text.partition(GAP)[2]) for text in exchange)
            units = [[units_of(part) for part in text] for text in (one, other)]
            told = frozenset(chain.from_iterable(chain(*units))), _longest_in_common(*units)
            for own, becomes in ((one, other), (other, one))[: 1 + both_ways]:
                self._sides[own[0] or own[1]].append(_Side(*own, becomes, left, right, *told))
        self._beginnings = {begun for text in self._sides for begun in accumulate(units_of(text))}

    @classmethod
    def stored(cls, exchanges: Iterable[StoredExchange], parts: Iterable[StoredPart], language: str) -> Frames:
        """Those among the exchanges of a language, with the neighbours of pairs that share a translation."""
        figures = {(each.x, each.y): each for each in exchanges if GAP in each.x}
        texts = {each.id: texts for texts, each in figures.items()}
        beside: dict[Exchange, tuple[set[str], set[str]]] = {each: (set(), set()) for each in figures}
        for part in parts:
            if part.exchange in texts and part.shared and part.kind != "language":
                beside[texts[part.exchange]][part.kind == "right"].add(part.name)
        found = cls(beside, language)
        found.figures = figures
        return found

    def applied(self, sentence: str) -> Iterator[Framed]:
        """The sentence with each frame exchanged that stands in it beside such neighbours, in the order of places."""
        units = units_of(sentence)
        yield from self._turned(units)
        bounds = [0, *accumulate(map(len, units))]
        for start in range(len(units)):
            met, stop = units[start], start + 1
            while met in self._beginnings:
                before, behind = units[start - 1] if start else BEGIN, units[stop] if stop < len(units) else END
                for side in self._sides.get(met, ()):
                    if before in side.left if side.first else behind in side.right:  # the other neighbour comes later
                        for places in _places(side, sentence, units, bounds, (start, stop)):
                            yield _exchanged(side, sentence, units, bounds, places)
                if stop == len(units):
                    break
                met, stop = met + units[stop], stop + 1

    def _turned(self, units: Sequence[str]) -> Iterator[Framed]:
        for turned in _turns(units, self._turned_beside):
            right = (*turned.marks, END)[0]
            first, then = map("".join, turned.parts)
            if right in self._turned_beside[turned.unit] and not points_ahead(first, then, self._language):
                yield Framed("".join(turned.units), turned.exchange, BEGIN, right, is_sure=False)


_Places = tuple[int, int, int, int]
"""Where what stands before the gap begins and ends, and what stands after it, in units."""


def _places(
    side: _Side, sentence: str, units: Sequence[str], bounds: Sequence[int], met: tuple[int, int]
) -> Iterator[_Places]:
    """Where a text of a frame stands around some units, of which its first text, if any, or its last was met.

    They stand beside a neighbour that it is known by.
    """
    start, stop = met
    if not side.first:
        for begin in range(start):
            if (units[begin - 1] if begin else BEGIN) in side.left:
                yield begin, begin, start, stop
        return
    for begin in range(stop + 1, len(units) + 1):
        end = begin
        if side.last:
            if not sentence.startswith(side.last, bounds[begin]):
                continue
            end = bisect_left(bounds, bounds[begin] + len(side.last))
            if bounds[end] != bounds[begin] + len(side.last):
                continue
        if (units[end] if end < len(units) else END) in side.right:
            yield start, stop, begin, end


def _exchanged(side: _Side, sentence: str, units: Sequence[str], bounds: Sequence[int], places: _Places) -> Framed:
    start, stop, begin, end = places
    made = side.other[0] + sentence[bounds[stop] : bounds[begin]] + side.other[1]
    left, right = units[start - 1] if start else BEGIN, units[end] if end < len(units) else END
    text = sentence[: bounds[start]] + made + sentence[bounds[end] :]
    return Framed(text, side.exchange, left, right, _is_sure(side, units[stop:begin], right))


def _longest_in_common(one: Sequence[list[str]], other: Sequence[list[str]]) -> int | None:
    """As ``_Side`` has it; ``one`` and ``other`` are the units before and behind the gap."""
    for part, others in zip(one, other, strict=True):
        if not part and not others:
            return None
        if part and others and (part[0] == others[0] or part[-1] == others[-1]):
            return None
    sizes = [[len(part) for part in side] for side in (one, other)]
    wholes = [sum(each) for each in sizes]
    if not all(0 < whole <= _MOST_UNITS for whole in wholes) or abs(wholes[0] - wholes[1]) == 1:  # it may be a turn
        return None
    parts = [part for side in (one, other) for part in side if part]
    behind = [side[1] for side in (one, other)]
    are_apart = all(part[0][0] == " " or (part in behind and part[0] in _MARKS) for part in parts)
    return min(map(max, sizes)) if are_apart else None


def _is_sure(side: _Side, middle: Sequence[str], right: str) -> bool:
    """Whether what stays is the longest run of units in common, and all units stay as they are cut.

    It is where its units are different, and others than those of the frame: then no other run has one of them. No unit
    goes on behind a space, nor a word that ends with a letter with one of some marks.
    """
    if side.longest is None or len(middle) <= side.longest or middle[0][0] != " " or not middle[-1][-1].isalpha():
        return False
    if right != END and right[0] != " ":
        lasts = side.last, side.other[1]
        if right not in _MARKS or not all(last[-1:].isalpha() or not last for last in lasts):
            return False
    different = set(middle)
    return len(different) == len(middle) and different.isdisjoint(side.units)


def differs_so(units: list[str], text: str, exchange: Exchange) -> bool:
    """Whether this is the frame by which a text differs from a sentence, given as its units: the two may have more in
    common."""
    found = frame_of(units, units_of(text))
    return found is not None and found.exchange == exchange


# The frames of a corpus, and how often sentences that differ by them share a translation.


class FrameSums(NamedTuple):
    exchanges: Sequence[Exchange]
    """The lesser text first, ascending."""
    sums: ExchangeIndex
    """Of these, by place."""


def frame_sums(
    language: str, texts: Sequence[str], detected: tuple[I64, I64], sharing: Sharing, numbers: dict[str, int]
) -> FrameSums:
    """The frames of a language and their sums over all pairs of sentences.

    ``texts``: all sentences, ``as_inside``; none without a word model. ``detected``: the places of pairs of them that
    share a translation. ``numbers`` of the units that stand beside exchanges is added to.
    """
    known = _frames_of(texts, detected)
    frames, place_of = Frames(known, language, both_ways=False), {text: place for place, text in enumerate(texts)}
    number = {exchange: place for place, exchange in enumerate(sorted(known))}
    batches = [
        range(begin, min(begin + _SENTENCES_AT_ONCE, len(texts))) for begin in range(0, len(texts), _SENTENCES_AT_ONCE)
    ]

    def pairs_of(batch: int) -> list[tuple[int, int, int, str, str]]:
        return [
            (number[made.exchange], place, place_of[made.text], made.left, made.right)
            for place in batches[batch]
            for made in frames.applied(texts[place])
            if made.exchange in number and made.text in place_of
        ]

    with closing(computed_in_order(pairs_of, len(batches), usable_cores())) as results:
        found = {each[:3]: each[3:] for some in results for each in some if each[1] != each[2]}
    once = {(frame, min(pair), max(pair)): beside for (frame, *pair), beside in sorted(found.items())}
    frame, one, other = np.array(sorted(once), dtype=np.int64).reshape(-1, 3).T
    beside = [[numbers.setdefault(unit, len(numbers)) for unit in once[each]] for each in sorted(once)]
    left, right = np.array(beside, dtype=np.int64).reshape(-1, 2).T
    instances = Instances(frame, np.arange(len(frame)), one, other)
    sums = summed_up(np.arange(len(number)), instances, sharing, PairsBeside(numbers, left, right))
    return FrameSums(list(number), sums)


def pairs_by(
    frame: Exchange,
    beside: tuple[Iterable[str], Iterable[str]],
    sides: Iterable[Sequence[tuple[int, str]]],
    language: str,
    model: WordModel,
) -> list[tuple[int, int, str, str]]:
    """The pairs of sentences that ``frame_sums`` counts for one frame, by their numbers, each with its neighbours.

    The one that has the first text of the frame comes first. ``beside``: as ``Frames`` has it for the frame. ``sides``:
    the sentences, with their numbers, that may have its first text, and those that may have its second.
    """
    one, other = (
        dict(zip(as_inside([text for _, text in side], model), (number for number, _ in side), strict=True))
        for side in sides
    )
    frames, found = (
        Frames({frame: beside}, language, both_ways=False),
        dict[frozenset[int], tuple[int, int, str, str]](),
    )
    for text, number in one.items():
        for made in frames.applied(text):
            if made.exchange == frame and other.get(made.text, number) != number:
                found[frozenset((number, other[made.text]))] = number, other[made.text], made.left, made.right
    return list(found.values())


def _frames_of(texts: Sequence[str], detected: tuple[I64, I64]) -> Mapping[Exchange, tuple[set[str], set[str]]]:
    """The frames that stand around several texts in these pairs, with their neighbours there."""
    middles: dict[Exchange, set[tuple[str, ...]]] = defaultdict(set)
    beside: dict[Exchange, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    units = cache(lambda place: units_of(texts[place]))
    for one, other in zip(*(places.tolist() for places in detected), strict=True):
        if one < other < len(texts) and (found := frame_of(units(one), units(other))) is not None:
            x, y = found.exchange
            exchange = min((x, y), (y, x))
            middles[exchange].add(found.middle)
            beside[exchange][0].add(found.left)
            beside[exchange][1].add(found.right)
    return {each: beside[each] for each, around in middles.items() if len(around) >= LEAST_MIDDLES}


class PairsBeside:
    """The neighbours of pairs, by their places."""

    def __init__(self, numbers: Mapping[str, int], left: I64, right: I64) -> None:
        self.numbers = numbers
        self._left, self._right = left, right

    def beside(self, context: I64) -> tuple[I64, I64]:
        return self._left[context], self._right[context]

    def starts(self, context: I64) -> I64:
        return np.zeros(len(context), dtype=np.int64)  # each pair is there once
