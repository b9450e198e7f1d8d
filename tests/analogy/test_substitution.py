"""Where a filler can be replaced in a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import unit_ends
from corpusdb.paraphrase.derivation import NOWHERE, UNCLEAR, filler_places
from corpusdb.paraphrase.equations import solve


@pytest.mark.parametrize(
    ("filler", "sentence", "expected"),
    [
        (" beer", "Can I have a beer?", 12),
        (" tea", "Can I have a beer?", NOWHERE),
        ("Can", "Can I have a beer?", 0),
        ("?", "Can I have a beer?", 17),
        (" have a beer", "Can I have a beer?", 5),
        ("n't", "I don't.", 4),
        ("", "I don't.", UNCLEAR),
        ("", "", UNCLEAR),
        ("a", "", NOWHERE),
        (" a", "a cat and a dog", UNCLEAR),  # ends within " and", and stands there twice
        (" be", "I want a beer.", UNCLEAR),  # ends within a unit
        ("eer", "I want a beer.", UNCLEAR),  # begins within one
        (" do", "do do do", UNCLEAR),
        ("おお", "おおお", UNCLEAR),  # twice, overlapping
        ("ビール", "ビールをください。", 0),
        ("水", "お水をください。", 1),
    ],
)
def test_places(filler: str, sentence: str, expected: int) -> None:
    assert filler_places([filler], sentence, set(unit_ends(sentence))) == [expected]


sentences = st.lists(st.sampled_from(["a", "ab", "do", "n't", "don't", ",", "水", "水を"]), max_size=6).map(" ".join)


@given(sentences, st.lists(sentences, max_size=5))
def test_places_by_the_rule(sentence: str, fillers: list[str]) -> None:
    ends = unit_ends(sentence)
    asked = [each + blank for each in fillers for blank in ("", " ")] + [" " + each for each in fillers]
    for filler, place in zip(asked, filler_places(asked, sentence, ends), strict=True):
        found = [start for start in range(len(sentence) + 1) if sentence.startswith(filler, start)]
        clear = [start for start in found if filler and start in (0, *ends) and start + len(filler) in ends]
        if not found:
            assert place == NOWHERE
        elif len(found) == 1 and clear:
            assert place == clear[0]
        else:
            assert place == UNCLEAR


def test_replacing_at_a_clear_place_is_what_the_solver_does() -> None:
    seed_context, rewording = ("A", ", please."), "Can I have a beer?"
    (place,) = filler_places([" beer"], rewording, unit_ends(rewording))
    replaced = rewording[:place] + " slice of pizza" + rewording[place + len(" beer") :]
    a, c = (filler.join(seed_context) for filler in (" beer", " slice of pizza"))
    assert solve(a, rewording, c) == replaced == "Can I have a slice of pizza?"
