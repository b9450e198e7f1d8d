"""What differs between two sentences, and exchanges applied to one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from corpusdb.base.text import (
    ambiguous_words,
    are_same_words,
    common_ends,
    lower_words,
    unit_ends,
    words_in_full,
)

BEGIN: Final = "^"
END: Final = "$"
"""What stands for the neighbour at the beginning and at the end of a sentence; a unit in a sentence has letters or
marks with the space before them, and these two are compared only where no unit stands."""
GAP: Final = "\n"
"""Stands in both texts of a frame, an exchange at two places at once, for what stays between these; no normalised text
has it."""
LATER_GAP: Final = "\v"
"""Stands besides in those of a frame that turns two parts of a sentence round, for the part that the one ends with."""
MOST_CELLS: Final = 4_000
"""The largest table that is made to find the regions of a difference; a larger one is a single region."""

Unit = TypeVar("Unit", str, int)
_Place: TypeAlias = tuple[int, int, int, int]
Exchange: TypeAlias = tuple[str, str]
"""What stands in the one sentence, and what in the other; a text carries the space before it, and may be empty."""


def is_turn(frame: Exchange) -> bool:
    """Whether a frame turns two parts of a sentence round."""
    return LATER_GAP in frame[0]


class Difference(NamedTuple):
    """How one sentence differs from another.

    A named tuple, since there are many of them: a dataclass takes several times as long to make.
    """

    exchange: Exchange
    """Everything between the common beginning and the common end."""
    left: str
    """The last unit of the common beginning, or BEGIN."""
    right: str
    """The first unit of the common end, or END."""
    units: tuple[int, int]
    regions: tuple[Exchange, ...]
    """The parts of it that differ, each by itself: more than one where units stay the same in between."""
    places: tuple[_Place, ...]
    """Where each of these begins and ends in the one sentence and in the other, of whatever the two were cut from."""

    @property
    def is_replacement(self) -> bool:
        """Whether nothing is only inserted or only left out."""
        return all(before and after for before, after in self.regions)


def difference(seed: Sequence[str], other: Sequence[str]) -> Difference:
    """What differs between two sentences, given as their units; the beginning is cut before the end."""
    begin, end = common_ends(seed, other)
    whole = begin, len(seed) - end, begin, len(other) - end
    before, after = seed[begin : whole[1]], other[begin : whole[3]]
    places = (whole,) if set(before).isdisjoint(after) else tuple(_places(before, after, begin))
    return _at(seed, other, whole, places)


def differences_apart(seed: Sequence[str], other: Sequence[str], found: Difference) -> tuple[Difference, ...]:
    """How the seed differs from what it is with one region of their difference exchanged, and no other.

    ``found`` is the difference of the two; where it has one region, that is all.
    """
    if len(found.places) == 1:
        return (found,)
    *places, (start, stop, begin, end) = found.places
    apart = [_at(seed, other, place, (place,)) for place in places]
    if start < stop and begin < end:
        apart.append(_at(seed, other, found.places[-1], found.places[-1:]))
    else:  # what is inserted may be what stands behind it too, and then counts to the common beginning
        apart.append(difference(seed, [*seed[:start], *other[begin:end], *seed[stop:]]))
    return tuple(apart)


def _at(seed: Sequence[str], other: Sequence[str], whole: _Place, places: tuple[_Place, ...]) -> Difference:
    start, stop, begin, end = whole
    exchange = "".join(seed[start:stop]), "".join(other[begin:end])
    return Difference(
        exchange,
        left=seed[start - 1] if start else BEGIN,
        right=seed[stop] if stop < len(seed) else END,
        units=(stop - start, end - begin),
        regions=(exchange,)
        if len(places) == 1
        else tuple(("".join(seed[i:stop_i]), "".join(other[j:stop_j])) for i, stop_i, j, stop_j in places),
        places=places,
    )


def _places(before: Sequence[str], after: Sequence[str], begin: int) -> Iterator[_Place]:
    """Where the runs of units between those of a longest common subsequence, the first of several, begin and end.

    ``begin`` is where both begin in their sentences.
    """
    rows, columns = len(before), len(after)
    for i, stop_i, j, stop_j in runs_apart(before, after) if rows * columns <= MOST_CELLS else [(0, rows, 0, columns)]:
        yield begin + i, begin + stop_i, begin + j, begin + stop_j


def runs_apart(before: Sequence[Unit], after: Sequence[Unit]) -> list[_Place]:
    """Where the runs between the units of a longest common subsequence begin and end, in the one and in the other."""
    rows, columns = len(before), len(after)
    common = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        below, row = common[i + 1], common[i]
        for j in range(columns - 1, -1, -1):
            row[j] = below[j + 1] + 1 if before[i] == after[j] else max(below[j], row[j + 1])
    found: list[_Place] = []
    i = j = first_i = first_j = 0
    while i < rows and j < columns:
        if before[i] == after[j]:
            if i > first_i or j > first_j:
                found.append((first_i, i, first_j, j))
            i, j = i + 1, j + 1
            first_i, first_j = i, j
        elif common[i + 1][j] >= common[i][j + 1]:
            i += 1
        else:
            j += 1
    if first_i < rows or first_j < columns:
        found.append((first_i, rows, first_j, columns))
    return found


def units_beside(text: str, start: int, stop: int) -> tuple[str, str]:
    """The unit that ends at ``start`` and the one that begins at ``stop``, which are ends of units or of the text."""
    ends = unit_ends(text)
    before, after = BEGIN, END
    if start > 0:
        place = bisect_left(ends, start)
        before = text[ends[place - 1] if place else 0 : start]
    if stop < len(text):
        after = text[stop : ends[bisect_left(ends, stop + 1)]]
    return before, after


class Application(NamedTuple):
    """A sentence in which one exchange was made, at one place."""

    text: str
    exchange: Exchange
    """What stood in the sentence, and what stands there now; neither is empty."""
    begin: int
    stop: int
    """Where that is, as offsets in ``text``."""


# What kind of change a paraphrase is, and how deep: what an evaluator can use, and what raises figures alone.


ChangeKind: TypeAlias = Literal["mark", "contraction", "pointing", "real"]
"""What two sentences differ in: capitals and marks only; contractions too; words that point (this, that, it), or an
added or dropped "that", and nothing else; or more."""
_POINTING: Final[Mapping[str, frozenset[str]]] = {
    "eng": frozenset({"this", "that", "it", "these", "those"}),
    "fra": frozenset({"ce", "cet", "cette", "ces", "ceci", "cela", "ça"}),
    "deu": frozenset({"das", "dies", "dieses", "es"}),
}
"""By language: words that point, each of which is taken for the others."""
_DROPPED: Final[Mapping[str, str]] = {"eng": "that"}
"""By language: the word that may be left out before a clause."""


class Change(NamedTuple):
    """What a sentence and its paraphrase differ in."""

    kind: ChangeKind
    words: int
    """How many words differ, in each changed region those of its longer side; a contraction is two words. Characters
    where the script does not delimit words."""

    @property
    def is_real(self) -> bool:
        """Whether it is more than capitals, marks and contractions."""
        return self.kind in ("real", "pointing")


def change(seed: Sequence[str], text: Sequence[str], language: str) -> Change:
    """What two sentences of a language differ in, given as their ``lower_words``."""
    words = changed_words(seed, text)
    return Change(_kind(seed, text, language) if words else "mark", words)


def change_of(seed: str, text: str, language: str) -> Change:
    """The same of their texts."""
    return change(lower_words(seed), lower_words(text), language)


def points_elsewhere(regions: Iterable[Exchange], language: str) -> bool:
    """Whether sentences that differ in these exchanges differ in words that point, and in contractions, alone."""
    kinds = {change_of(before, after, language).kind for before, after in regions}
    return "pointing" in kinds and "real" not in kinds


# Whom a sentence speaks of: a paraphrase speaks of nobody else. Who else it speaks of may be right in a sentence that
# an exchange is known from ("alone", "by himself"), and the neighbours do not tell.

_PERSONS: Final[Mapping[str, Mapping[str, str]]] = {
    "eng": {
        word: person
        for person, words in (
            ("I", "i me my mine myself"),
            ("we", "we us our ours ourselves"),
            ("you", "you your yours yourself yourselves"),
            ("he", "he him his himself"),
            ("she", "she her hers herself"),
            ("they", "they them their theirs themselves"),
        )
        for word in words.split()
    },
}
"""By language: words, and whom each speaks of."""
_NOBODY: Final[Mapping[str, str]] = {}


def persons(text: str, language: str) -> frozenset[str]:
    """Whom the pronouns of a text speak of; nobody in a language of which they are not listed."""
    return spoken_of(lower_words(text), language) if language in _PERSONS else frozenset()


def spoken_of(words: Iterable[str], language: str) -> frozenset[str]:
    """The same of a text given as its ``lower_words``."""
    known = _PERSONS.get(language, _NOBODY)
    return frozenset(known[word] for word in words if word in known)


def refers_elsewhere(regions: Iterable[Exchange], language: str) -> bool:
    """Whether sentences that differ in these exchanges point with other words, or speak of somebody else."""
    one, other = ({word for region in regions for word in lower_words(region[side])} for side in (0, 1))
    pointing = _POINTING.get(language, frozenset())
    return bool((one ^ other) & pointing) or spoken_of(one, language) != spoken_of(other, language)


_PRESENT: Final = frozenset({"I", "we", "you"})
"""Those whom pronouns speak of whatever is said before."""


def points_ahead(first: str, then: str, language: str) -> bool:
    """Whether the first part of a sentence speaks of what its second part seems to name, and does not speak of so:
    "if you heat it, ice melts"."""
    one, other = (frozenset(lower_words(part)) for part in (first, then))
    whom = spoken_of(one, language) - _PRESENT - spoken_of(other, language)
    return bool(whom or (one - other) & _POINTING.get(language, frozenset()))


def only_contracts(regions: Iterable[Exchange], language: str) -> bool:
    """Whether sentences that differ in these exchanges differ in contractions alone."""
    kinds = {change_of(before, after, language).kind for before, after in regions}
    return "contraction" in kinds and kinds <= {"contraction", "mark"}


_POLITE: Final[Mapping[str, str]] = {"eng": "please"}
"""By language: the word that says that somebody asks politely."""


def is_more_polite(regions: Iterable[Exchange], language: str) -> bool:
    """Whether sentences that differ in these exchanges differ in where one asks politely, or whether, and no more."""
    polite = _POLITE.get(language)
    changes = False
    for before, after in regions:
        one, other = lower_words(before), lower_words(after)
        if [word for word in one if word != polite] != [word for word in other if word != polite]:
            return False
        if before.count("?") != after.count("?"):
            return False
        changes = changes or len(one) != len(other)
    return changes


def trifling_words(language: str) -> frozenset[str]:
    """The words without one of which nothing points, speaks of somebody, asks more politely or may be contracted in
    two ways."""
    dropped = _DROPPED.get(language), _POLITE.get(language)
    others = {word for word in dropped if word is not None} | _PERSONS.get(language, _NOBODY).keys()
    return _POINTING.get(language, frozenset()) | others | ambiguous_words(language)


def changed_words(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words differ: in each changed region those of its longer side."""
    return sum(max(stop - start, end - begin) for start, stop, begin, end in word_regions(one, other))


def _kind(seed: Sequence[str], text: Sequence[str], language: str) -> ChangeKind:
    one, other = words_in_full(seed, language), words_in_full(text, language)
    if are_same_words(one, other, language):
        return "contraction"
    pointing, dropped = _POINTING.get(language, frozenset()), _DROPPED.get(language)
    for start, stop, begin, end in word_regions(one, other):
        before, after = one[start:stop], other[begin:end]
        if len(before) != len(after):
            if (before and after) or any(word != dropped for word in (*before, *after)):
                return "real"
        elif not all(
            pointing.issuperset(pair) or are_same_words(pair[:1], pair[1:], language)
            for pair in zip(before, after, strict=True)
        ):
            return "real"
    return "pointing"


def word_regions(one: Sequence[str], other: Sequence[str]) -> Iterator[_Place]:
    """Where two lists of words differ: begin and end in the one, then in the other."""
    begin, end = common_ends(one, other)
    before, after = one[begin : len(one) - end], other[begin : len(other) - end]
    if before or after:
        yield from _places(before, after, begin)
