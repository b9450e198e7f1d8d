"""What a phrase is translated by where it stands: against the definition of Moses, word by word, and in known cases."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.links import Link, may_part
from corpusdb.alignment.phrase_extraction import LONGEST_TRANSLATION, phrase_alignments


@dataclass(frozen=True, slots=True)
class Pair:
    text: str
    translation: str
    links: tuple[Link, ...]

    @property
    def translation_spans(self) -> tuple[tuple[int, int], ...]:
        return tuple(found.span() for found in re.finditer(r"[\w']+|[^\w\s]", self.translation))

    @property
    def tokens(self) -> list[str]:
        return [self.translation[begin:end] for begin, end in self.translation_spans]


def translations(pairs: list[Pair], phrase: range, *, widens: bool = True) -> list[str]:
    found = phrase_alignments(pairs, [(number, phrase) for number in range(len(pairs))], widens=widens)
    return ["-" if each.is_unlinked else each.text for each in found]


def test_words_without_a_link_are_let_in_where_most_places_have_them() -> None:
    """Of course . / Bien sûr . with the links of its words in Tatoeba: course and sûr, and nothing of Of and Bien."""
    sure = Pair("Of course .", "Bien sûr .", ((1, 1), (2, 2)))
    bare = Pair("Of course .", "Pour sûr .", ((1, 1), (2, 2)))
    assert translations([sure, sure, sure, bare], range(2)) == ["bien sûr"] * 3 + ["sûr"]
    assert translations([sure, bare], range(2)) == ["sûr", "sûr"], "what one place alone has may be an error"
    assert translations([sure, sure], range(2), widens=False) == ["sûr", "sûr"]
    before = [f"{' '.join(letters)} bien sûr" for letters in ("abcdefgh", "ijklmnop")]
    far = [Pair("of course", text, ((1, 9),)) for text in before]
    assert translations(far, range(2)) == ["bien sûr"] * 2, "though none of the words before it has a link"
    assert translations([Pair("Of course .", "Mais oui .", ((2, 2),))], range(2)) == ["-"]
    assert translations([Pair("Of course she", "Elle sûr", ((1, 0), (1, 1), (2, 0)))], range(2)) == [""]


def test_a_word_with_a_hyphen_is_whole_unless_its_parts_mean_something_else() -> None:
    date = Pair("an appointment", "un rendez-vous", ((0, 0), (1, 1)))
    assert translations([date], range(1, 2), widens=False) == ["rendez-vous"]
    can = Pair("can he", "peut-il", ((0, 0), (1, 2)))
    assert translations([can], range(1), widens=False) == ["peut"]
    assert translations([can], range(2)) == ["peut-il"]
    comma = Pair("well yes", "eh, oui", ((0, 0), (1, 2)))
    assert translations([comma], range(2)) == [""], "a phrase goes over no comma"


_WORDS = st.lists(st.sampled_from(["a", "b", "c", "l'", "x", ",", "y"]), min_size=1, max_size=6)


@st.composite
def linked(draw: st.DrawFn) -> Pair:
    own, other = draw(_WORDS), draw(_WORDS)
    places = st.tuples(st.integers(0, len(own) - 1), st.integers(0, len(other) - 1))
    return Pair(" ".join(own), " ".join(other), tuple(sorted(draw(st.sets(places, max_size=6)))))


@given(st.lists(linked(), min_size=1, max_size=4), st.integers(0, 2), st.integers(1, 3))
def test_each_is_a_phrase_pair_of_moses(pairs: list[Pair], first: int, length: int) -> None:
    places = [
        (number, range(first, first + length))
        for number, pair in enumerate(pairs)
        if first + length <= len(pair.text.split())
    ]
    for found in phrase_alignments(pairs, places):
        pair = pairs[found.pair]
        consistent = [
            span
            for begin in range(len(pair.tokens))
            for end in range(begin + 1, min(len(pair.tokens), begin + LONGEST_TRANSLATION) + 1)
            if any(here in found.own and there in (span := range(begin, end)) for here, there in pair.links)
            and all((here in found.own) == (there in span) for here, there in pair.links)
            and "," not in pair.tokens[begin:end]
        ]
        if found.other is not None:
            assert found.other in consistent
            assert found.text == " ".join(pair.tokens[found.other.start : found.other.stop])
        else:
            if all(map(may_part, pair.tokens, pair.tokens[1:])):  # else the host of a clitic may be a comma
                assert not consistent
            assert found.is_unlinked == all(here not in found.own for here, _ in pair.links)
