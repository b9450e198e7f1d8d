"""Whether two texts differ in what their translations leave open, as one language does not say it.

Told by the words of languages that marking.tsv beside this module describes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise, product
from typing import Final

from corpusdb.base.text import shared_beginning
from corpusdb.paraphrase.differences import Difference, difference

# In whom they address how, in gender or number, or in the sense of a word.
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
_IN_GROUPS: Final = ("forms", "endings", "senses", "senses of doing")


@dataclass(frozen=True, slots=True)
class MarkingChange:
    """What two texts differ in that is not seen."""

    what: str
    """``address``, ``speaker``, ``gender``, ``pronoun``, ``sense``, or ``form``: gender or number of one word."""
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
        self._groups: dict[str, dict[str, set[int]]] = {kind: defaultdict(set) for kind in _IN_GROUPS}
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
            or self._sense_change(removed, added, seed, other)
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
        # Beside who is spoken of, "ça" and "das" say nothing: "elles font ça" is not "ils font cela".
        before, after = (
            [word for word in words if word in self._named["personal"]]
            or [word for word in words if word in self._pronouns]
            for words in (removed, added)
        )
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

    def _sense_change(
        self, removed: Iterable[str], added: Collection[str], *texts: Sequence[str]
    ) -> MarkingChange | None:
        """One word for another, where the other language has one for both: ein Foto machen is not ein Foto tun.

        Who does it, or something, makes it as well, whatever it is.
        """
        is_anything = all(_does_anything(units, self._named["anything"]) for units in texts)
        kinds = ["senses"] if is_anything else ["senses", "senses of doing"]
        for before, after in product(removed, added):
            if any(self._share(kind, before, after) for kind in kinds):
                return MarkingChange("sense", (before,), (after,))
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


def _does_anything(units: Sequence[str], anything: Mapping[str, str]) -> bool:
    """Whether a text has a word for anything, given by name; one that is an article, too, is none before a noun."""
    for unit, following in pairwise((*units, "")):
        name = anything.get(unit.strip().lower())
        if name is not None and not (name == "article" and _has_capital([following])):
            return True
    return False


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
