"""What differs between two sentences, exchanges applied to one, and differences that their translations leave open."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from corpusdb.base.text import (
    ambiguous_words,
    are_same_words,
    common_ends,
    lower_words,
    shared_beginning,
    unit_ends,
    words_in_full,
)
from corpusdb.base.values import dataclass

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


# Whether two texts differ in what their translations leave open: in whom they address how, or in gender or number.
#
# Where all translations are into one language that does not mark these, sentences that differ in them share their
# translations always, and nothing else in the corpus tells. So it is told by the words: each language that
# marking.tsv beside this module has is described there in closed classes, in forms of words and in endings that
# alternate. A language that is not in it is not known, and any pair of its texts may differ so.

FORM: Final = "form"
TOLD_BY_WORDS: Final = frozenset({"address", "gender", "number of those addressed"})
"""What of ``unmarked_by`` the words of a text tell, where its language is known."""
_OPENS: Final = frozenset('.!?…:"„“”«»‚‘(-–—')
"""Behind these, as at the beginning, a capital says nothing."""
_LEAST_STEM: Final = 2


@dataclass(frozen=True, slots=True)
class MarkingChange:
    """What two texts differ in that is not seen."""

    what: str
    """``address``, ``speaker``, ``gender``, ``pronoun``, or ``form``: gender or number of one word."""
    before: tuple[str, ...]
    after: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.what} ({' '.join(self.before) or '(nothing)'} / {' '.join(self.after) or '(nothing)'})"


class Marking:
    """What the words of one language mark, by its rows of marking.tsv: kind, name and words."""

    def __init__(self, rows: Iterable[tuple[str, str, str]]) -> None:
        self._named: dict[str, dict[str, str]] = defaultdict(dict)
        """By kind and word: the name of the last row of that kind that has it."""
        self._pronouns: dict[str, set[str]] = defaultdict(set)
        self._groups: dict[str, dict[str, set[int]]] = {"forms": defaultdict(set), "endings": defaultdict(set)}
        """By kind and word, or ending: the rows that it is in."""
        self._agreeing: dict[str, frozenset[str]] = {}
        for number, (kind, name, words) in enumerate(rows):
            for word in words.split():
                self._named[kind][word] = name
                if kind == "pronoun":
                    self._pronouns[word].add(name)
                elif kind in self._groups:
                    self._groups[kind][word.replace("-", "")].add(number)
                elif kind == "agreeing":
                    self._add_agreeing(*word.split(":"))
                elif kind == "either gender":
                    self._agreeing |= {word: _SINGULAR, word if word[-1] in "sx" else f"{word}s": _PLURAL}
        self._agreeing_endings = dict(zip(self._named["agreeing endings"], _VALUES, strict=False))

    def _add_agreeing(self, masculine: str, feminine: str) -> None:
        plural = (
            masculine if masculine[-1] in "sx" else f"{masculine}x" if masculine.endswith("au") else f"{masculine}s"
        )
        plural = f"{masculine[:-2]}aux" if masculine.endswith("al") else plural
        for word, value in zip((masculine, feminine, plural, f"{feminine}s"), _VALUES, strict=True):
            self._agreeing[word] = self._agreeing.get(word, frozenset()) | {value}

    def change(
        self, seed: Sequence[str], other: Sequence[str], found: Difference | None = None
    ) -> MarkingChange | None:
        """What differs between two texts, given as their units, that is not seen; None where nothing does."""
        found = found or difference(seed, other)
        pairs = [(seed[i:stop_i], other[j:stop_j]) for i, stop_i, j, stop_j in found.places]
        removed, added = (
            Counter(word for side in sides for word in _words(side)) for sides in zip(*pairs, strict=True)
        )
        removed, added = removed - added, added - removed
        return (
            self._address_change(seed, other, pairs)
            or self._pronoun_change(removed, added)
            or self._form_change(pairs)
            or self._phrase_change(seed, other)
            or self._speaker_change((*removed, *added), seed, other)
            or (self._agreement_change(removed, added, seed, other) if self._agreeing else None)
        )

    # Address: what one text has and the other cannot have.

    def _address_change(
        self, seed: Sequence[str], other: Sequence[str], pairs: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> MarkingChange | None:
        if not any(self._is_of_address(unit.strip()) for sides in pairs for side in sides for unit in side):
            return None
        for sides in pairs:  # one of several who are addressed, or a second word of one
            before, after = (set(filter(None, (self._names(unit.strip()) for unit in side))) for side in sides)
            if (before and after and before.isdisjoint(after)) or self._is_other_imperative(seed[-1], *sides):
                return MarkingChange("address", tuple(sorted(before)), tuple(sorted(after)))
        sure, possible = self._addressed(seed)
        other_sure, other_possible = self._addressed(other)
        if sure <= other_possible and other_sure <= possible:
            return None
        shown = (tuple(sorted(some.elements())) for some in (sure or possible, other_sure or other_possible))
        return MarkingChange("address", *shown)

    def _is_other_imperative(self, end: str, *sides: Sequence[str]) -> bool:
        """Whether one text begins with a verb that addresses somebody by its ending, and the other with none."""
        words = [side[0].lower() for side in sides if len(side) == 1 and side[0][:1].isupper()]
        told = [self._addressing(word) for word in words if word not in self._named["address"]]
        return "?" not in end and len(told) == 2 and told.count(None) == 1

    def _names(self, word: str) -> str | None:
        """How a word addresses somebody, if it may."""
        return self._named["polite"].get(word) or self._addressing(word.lower())

    def _is_of_address(self, word: str) -> bool:
        small, named = word.lower(), self._named
        return word in named["polite"] or small in named["imperative"] or self._addressing(small) is not None

    def _addressing(self, word: str) -> str | None:
        found = self._named["address"].get(word)
        if found is None and word not in self._named["not ending"]:
            endings = self._named["ending"].items()
            return next((name for ending, name in endings if word.endswith(ending)), None)
        return found

    def _addressed(self, units: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
        """How somebody is addressed, and how somebody may be where a capital at the beginning does not tell.

        What is polite counts as often as it stands: who asks politely at one place does so at all.
        """
        sure: Counter[str] = Counter()
        possible: Counter[str] = Counter()
        opens, asks = True, bool(units) and "?" in units[-1]
        for unit in units:
            word = unit.strip()
            small = word.lower()
            if (polite := self._named["polite"].get(word)) is not None:
                (possible if opens else sure)[polite] += 1
            elif (name := self._addressing(small)) is not None:
                sure[name] = 1
            elif opens and not asks and small in self._named["imperative"]:
                sure[self._named["imperative"][small]] = 1
            opens = word in _OPENS or (opens and not word.isalnum())
        return sure, sure + possible

    def _speaker_change(self, some: Iterable[str], seed: Sequence[str], other: Sequence[str]) -> MarkingChange | None:
        """Of I, where one text alone speaks of it: "m'y rendre" is not "y aller" of somebody else."""
        of_speaker = self._named["speaker"].keys()
        if of_speaker.isdisjoint(some):
            return None
        words, others = (set(_words(units)) for units in (seed, other))
        before, after = (tuple(sorted(of_speaker & each)) for each in (words, others))
        is_asked = not self._named["asking"].keys().isdisjoint(words | others)
        return None if is_asked or bool(before) == bool(after) else MarkingChange("speaker", before, after)

    # Pronouns that are exchanged for one another, or added; forms of one word.

    def _pronoun_change(self, removed: Mapping[str, int], added: Mapping[str, int]) -> MarkingChange | None:
        clitics = self._named["clitic"]
        if bool(removed) != bool(added) and all(word in clitics for word in (*removed, *added)):
            return MarkingChange("pronoun", tuple(removed), tuple(added))
        before, after = ([word for word in words if word in self._pronouns] for words in (removed, added))
        values, others = (set[str]().union(*(self._pronouns[word] for word in words)) for words in (before, after))
        differs = values and others and not values & others
        return MarkingChange("gender", tuple(before), tuple(after)) if differs else None

    def _form_change(self, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> MarkingChange | None:
        for sides in pairs:
            before, after = (Counter(_words(side)) for side in sides)
            left, others = list((before - after).elements()), list((after - before).elements())
            if left and len(left) == len(others) and all(map(self.are_forms, left, others)):
                return MarkingChange(FORM, tuple(left), tuple(others))
            if "capital" in self._named["nouns"] and not all(map(_has_capital, sides)):
                # Without a noun that it stands with, a form is of what is spoken of.
                for one in left:
                    if (form := next((each for each in others if self._share("forms", one, each)), None)) is not None:
                        return MarkingChange(FORM, (one,), (form,))
        return None

    def _phrase_change(self, seed: Sequence[str], other: Sequence[str]) -> MarkingChange | None:
        texts = tuple("".join(units).lower() for units in (seed, other))
        # At whose home somebody is, or which thing "it" is: at home, and it, for all that is seen.
        phrases = [phrase.replace("_", " ") for phrase in self._named["phrase"]]
        before, after = (tuple(phrase for phrase in phrases if phrase in text) for text in texts)
        if before != after:
            return MarkingChange("pronoun", before, after)
        # What only a question has, in one text alone and without the mark of one: a form of that sentence.
        words, others = _words(seed), _words(other)
        if (
            words[:2] == others[1::-1] != others[:2]
            and words[2:] == others[2:]
            and not any("?" in text for text in texts)
        ):
            return MarkingChange(FORM, tuple(words[:2]), tuple(others[:2]))
        for phrase in self._named["question"]:
            has, other_has = (text.count(phrase) for text in texts)
            if has != other_has and "?" not in (seed if has > other_has else other)[-1]:
                return MarkingChange(FORM, (phrase,) * bool(has), (phrase,) * bool(other_has))
        return None

    def are_forms(self, one: str, other: str) -> bool:
        """Whether two words in lower case are forms of one word that differ in what is not seen."""
        ends = range(_LEAST_STEM, shared_beginning(one, other) + 1)
        return self._share("forms", one, other) or any(self._share("endings", one[at:], other[at:]) for at in ends)

    def _share(self, kind: str, one: str, other: str) -> bool:
        groups = self._groups[kind]
        return one in groups and other in groups and bool(groups[one] & groups[other])

    # Agreement: words that say gender and number of somebody.

    def _agreement_change(
        self, removed: Mapping[str, int], added: Mapping[str, int], seed: Sequence[str], other: Sequence[str]
    ) -> MarkingChange | None:
        before, after = ([word for word in words if self._agreement(word)] for words in (removed, added))
        if not before and not after:
            return None
        values, others = (set[str]().union(*map(self._agreement, words)) for words in (before, after))
        change = MarkingChange("gender", tuple(before), tuple(after))
        if before and after and not values & others:
            return change
        common = set(_words(seed)) & set(_words(other))
        is_feminine = any(map(self._is_feminine, common))
        if (bool(values & _MASCULINE) or not before) != (bool(others & _MASCULINE) or not after) and not is_feminine:
            return change  # a word of the feminine where one of either gender stands, or none
        if before and after:
            return None if self._asked(values, common) == self._asked(others, common) else change
        one_sided = added if after else removed
        says_to_be = any(word in self._named["to be"] for word in one_sided)
        has = any(word in self._named["to have"] for word in one_sided)
        she = any(word in self._named["she"] for word in common)
        return change if she and says_to_be and not has and (values or others) <= _MASCULINE else None

    def _asked(self, values: set[str], common: set[str]) -> set[str]:
        """Of the numbers that words say the ones that the words around them leave open."""
        numbers = {value[1] for value in values}
        if not common.isdisjoint(self._named["singular or plural"]):
            return numbers
        return numbers & {"p" if not common.isdisjoint(self._named["plural"]) else "s"}

    def _is_feminine(self, word: str) -> bool:
        values = self._agreement(word)
        return word in self._named["feminine"] or (bool(values) and not values & _MASCULINE)

    def _agreement(self, word: str) -> frozenset[str]:
        if (found := self._agreeing.get(word)) is not None:
            return found
        ends = self._agreeing_endings.items()
        return next((_ALONE[value] for end, value in ends if word.endswith(end)), _NOTHING)


_VALUES: Final = ("ms", "fs", "mp", "fp")
_ALONE: Final = {value: frozenset({value}) for value in _VALUES}
_NOTHING: Final = frozenset[str]()
_MASCULINE: Final = frozenset({"ms", "mp"})
_SINGULAR: Final = frozenset({"ms", "fs"})
_PLURAL: Final = frozenset({"mp", "fp"})


def _words(units: Iterable[str]) -> list[str]:
    return [word for unit in units if any(map(str.isalpha, word := unit.strip().lower()))]


def _has_capital(units: Iterable[str]) -> bool:
    return any(unit.strip()[:1].isupper() for unit in units if unit[:1] == " ")


@cache
def marking_of(language: str) -> Marking | None:
    """What the words of a language, an ISO 639-3 code, mark; None where that is not known."""
    rows = list(_rows(language))
    return Marking(rows) if rows else None


def _rows(language: str) -> Iterator[tuple[str, str, str]]:
    lines = files("corpusdb.paraphrase").joinpath("marking.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        code, kind, name, words = line.split("\t")
        if code == language:
            yield kind, name, words
