"""What a phrase is translated by where it stands, by the links of its words: pure, over pairs of texts.

As Moses extracts phrases (Koehn, Och and Marcu 2003; Koehn et al. 2007): no word inside is linked with one outside, and
words without a link may stand at the edges, on either side. Of the translations that this allows in one place that is
taken which other places have, too, so that "of course" is "bien sûr" though only "course" and "sûr" are linked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Protocol

from corpusdb.alignment.links import Link, has_letter, may_begin, may_part

LONGEST_TRANSLATION: Final = 7
"""Tokens of a translation at most, as in Moses; a longer one is no phrase."""
_LONGEST_OF_WORD: Final = 3
_HYPHENS: Final = frozenset("-\N{HYPHEN}\N{NON-BREAKING HYPHEN}")


class LinkedTexts(Protocol):
    """A text and its translation, where the tokens of that stand in it, and the links between tokens of both."""

    @property
    def translation(self) -> str: ...
    @property
    def translation_spans(self) -> Sequence[tuple[int, int]]: ...
    @property
    def links(self) -> Sequence[Link]: ...


@dataclass(frozen=True, slots=True)
class PhraseAlignment:
    pair: int
    """The number of the pair of texts."""
    own: range
    """The tokens of the phrase."""
    other: range | None
    """Those of its translation; None: none of its words has a link, or it is no phrase there."""
    text: str = ""
    """The translation in lower case, as it is written; empty where there is none."""
    is_unlinked: bool = False


@dataclass(frozen=True, slots=True)
class _Translation:
    """The other side of a pair of texts."""

    tokens: Sequence[str]
    spans: Sequence[tuple[int, int]]
    text: str
    linked: frozenset[int]

    def written(self, place: range) -> str:
        return " ".join(self.text[self.spans[place[0]][0] : self.spans[place[-1]][1]].lower().split())

    def is_phrase(self, place: range) -> bool:
        """Whether it is of words, with hyphens between them, and not too long."""
        edges = self.tokens[place[0]], self.tokens[place[-1]]
        return len(place) <= LONGEST_TRANSLATION and all(
            has_letter(token) or (token in _HYPHENS and token not in edges)
            for token in (self.tokens[at] for at in place)
        )

    def is_free(self, at: int) -> bool:
        return 0 <= at < len(self.tokens) and at not in self.linked

    def are_one(self, at: int) -> bool:
        """Whether a token and the next are parts of one word: a clitic and its host, or what a hyphen joins."""
        pair = self.tokens[at], self.tokens[at + 1]
        is_joined = self.spans[at][1] == self.spans[at + 1][0]
        return not may_part(*pair) or (is_joined and not _HYPHENS.isdisjoint(pair))

    def begins(self, at: int) -> bool:
        """Whether a phrase may begin there though the token before is joined to it: école in l'école."""
        return may_begin(self.tokens[at]) and _HYPHENS.isdisjoint(self.tokens[at - 1 : at + 1])

    def whole(self, place: range) -> range:
        """With the rest of the words at its edges, where nothing of that is linked."""
        first, last = place[0], place[-1]
        while self.is_free(first - 1) and self.are_one(first - 1) and not self.begins(first):
            first -= 1
        while self.is_free(last + 1) and self.are_one(last):
            last += 1
        while self.tokens[first] in _HYPHENS and first < place[0]:
            first += 1
        while self.tokens[last] in _HYPHENS and last > place[-1]:
            last -= 1
        return range(first, last + 1)

    def is_apart(self, place: range) -> bool:
        """Whether it cuts no clitic from its host."""
        first, end = place[0], place[-1] + 1
        return (not first or may_begin(self.tokens[first])) and (
            end == len(self.tokens) or may_part(self.tokens[end - 1], self.tokens[end])
        )

    def options(self, place: range) -> Iterator[range]:
        """The place, and those with words without a link at its edges."""
        most = LONGEST_TRANSLATION - len(place)
        before = next((n for n in range(most) if not self.is_free(place[0] - n - 1)), most)
        after = next((n for n in range(most) if not self.is_free(place[-1] + n + 1)), most)
        for left, right in product(range(before + 1), range(after + 1)):
            wider = range(place.start - left, place.stop + right)
            if self.is_phrase(wider) and self.whole(wider) == wider:
                yield wider


def phrase_alignments(
    pairs: Sequence[LinkedTexts], places: Sequence[tuple[int, range]], *, widens: bool = True
) -> list[PhraseAlignment]:
    """How a phrase is translated at each of its places, the number of a pair and the tokens there.

    ``widens``: words without a link are let in at the edges where at least two places have them, and half of those that
    have the rest. Otherwise the translation is what is counted of a word (see ``consistent_spans``), but with the rest
    of a word with hyphens.
    """
    sides = [
        _Translation(
            _tokens(pair), pair.translation_spans, pair.translation, frozenset(there for _, there in pair.links)
        )
        for pair in pairs
    ]
    found: list[tuple[int, range, list[range]]] = []
    for number, own in places:
        inside = [there for here, there in pairs[number].links if here in own]
        options: list[range] = []
        if inside:
            tight = range(min(inside), max(inside) + 1)
            if all(here in own for here, there in pairs[number].links if there in tight):
                least = sides[number].whole(tight)
                if widens:
                    options = list(sides[number].options(least))
                elif (
                    len(tight) <= _LONGEST_OF_WORD and sides[number].is_phrase(least) and sides[number].is_apart(least)
                ):
                    options = [least]
        found.append((number, own, sorted(options, key=len)))
    having = Counter(sides[number].written(each) for number, _, options in found for each in options)
    alignments = []
    for number, own, options in found:
        if not options:
            is_unlinked = all(here not in own for here, _ in pairs[number].links)
            alignments.append(PhraseAlignment(number, own, None, is_unlinked=is_unlinked))
            continue
        written = {each: sides[number].written(each) for each in options}
        enough = max(2, having[written[options[0]]] / 2)
        kept = [each for each in options if having[written[each]] >= enough]
        chosen = max(kept, key=lambda each: (len(each), having[written[each]]), default=options[0])
        alignments.append(PhraseAlignment(number, own, chosen, written[chosen]))
    return alignments


def _tokens(pair: LinkedTexts) -> list[str]:
    return [pair.translation[begin:end] for begin, end in pair.translation_spans]
