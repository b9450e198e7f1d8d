"""Exchanges made in sentences, against all that could be made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import units_of
from corpusdb.paraphrase.differences import Application, applications, difference


@pytest.mark.parametrize(
    ("sentence", "before", "after", "made"),
    [
        ("It is so.", " is", "'s", ["It's so."]),
        ("Is it is?", " is", "'s", ["Is it's?"]),
        ("This list is his.", " is", "'s", ["This list's his."]),  # not within "This" and "list"
        ("He is what he is.", " is", "'s", ["He's what he is.", "He is what he's."]),
        ("It's so.", "It's", "This is", ["This is so."]),
        ("So it's.", "It's", "This is", []),  # where it stands at the beginning only
        ("Go home.", ".", "!", ["Go home!"]),
        ("I need to go.", " need to", " must", ["I must go."]),
        ("I need two.", " need to", " must", []),
        ("Tom saw Tom.", " Tom", " him", ["Tom saw him."]),
        ("a b", " b", " b c", []),  # nothing is replaced by it
    ],
)
def test_examples(sentence: str, before: str, after: str, made: list[str]) -> None:
    assert [each.text for each in applications(sentence, {before: [after]}, 3)] == made


words = st.lists(st.sampled_from(["a", "b", "it", "'s", "n't", "do", ",", "."]), min_size=1, max_size=6)
fillers = st.lists(st.sampled_from([" a", " b", "'s", " is", "n't", " not", ".", "!", "It", " it is"]), max_size=4)


@given(sentence=words.map(" ".join), one=fillers, other=fillers)
def test_each_exchange_is_made_at_each_of_its_places_and_is_what_the_sentences_differ_in(
    sentence: str, one: list[str], other: list[str]
) -> None:
    partners = {before: sorted(set(other) - {before}) for before in one}
    found = list(applications(sentence, partners, 2))
    expected = set()
    for before, afters in partners.items():
        for after in afters:
            at = sentence.find(before)
            while at >= 0:
                text = sentence[:at] + after + sentence[at + len(before) :]
                if difference(units_of(sentence), units_of(text)).exchange == (before, after):
                    expected.add(Application(text, (before, after), at, at + len(after)))
                at = sentence.find(before, at + 1)
    assert {each for each in found if len(units_of(each.exchange[0])) <= 2} == expected
    assert len(found) == len(set(found))
