"""What differs between two sentences, held against the definition: applied to the one, it gives the other."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from corpusdb.base.text import normalise, units_of
from corpusdb.paraphrase import differences
from corpusdb.paraphrase.differences import BEGIN, END, Exchange, difference, differences_apart

SENTENCES = st.lists(st.sampled_from("abc"), max_size=8)
"""Units of one character, so that the characters of a side of an exchange are its units."""


@given(SENTENCES, SENTENCES)
def test_applied_to_the_seed_it_gives_the_other(seed: list[str], other: list[str]) -> None:
    assume(seed != other)
    found = difference(seed, other)
    before, after = found.exchange
    assert found.units == (len(before), len(after))
    whole = [BEGIN, *seed, END]
    made = [
        ["".join(seed[:at]), after, "".join(seed[at + len(before) :])]
        for at in range(len(seed) - len(before) + 1)
        if "".join(seed[at : at + len(before)]) == before
        and (whole[at], whole[at + len(before) + 1]) == (found.left, found.right)
    ]
    assert "".join(other) in ["".join(each) for each in made]


@given(SENTENCES, SENTENCES)
def test_nothing_that_both_have_at_an_end_is_part_of_it(seed: list[str], other: list[str]) -> None:
    assume(seed != other)
    before, after = difference(seed, other).exchange
    assert before != after
    if before and after:
        assert before[0] != after[0]
        assert before[-1] != after[-1]


@given(SENTENCES, SENTENCES)
def test_it_is_the_same_in_the_other_direction(seed: list[str], other: list[str]) -> None:
    assume(seed != other)
    there, back = difference(seed, other), difference(other, seed)
    assert back.exchange == there.exchange[::-1]
    assert back.units == there.units[::-1]
    assert (back.left, back.right) == (there.left, there.right)


@given(SENTENCES, SENTENCES)
def test_the_regions_leave_the_longest_common_subsequence(seed: list[str], other: list[str]) -> None:
    assume(seed != other)
    found = difference(seed, other)
    assert all(one != two for one, two in found.regions)
    kept = [kept for kept in _kept(*found.exchange, found.regions) if all(kept[1:-1])]
    assert kept, "between two regions something stays"
    assert {sum(map(len, each)) for each in kept} == {_common(*found.exchange)}
    assert found.is_replacement == all(one and two for one, two in found.regions)


@given(SENTENCES, SENTENCES)
def test_regions_apart_are_what_differs_where_one_alone_is_exchanged(seed: list[str], other: list[str]) -> None:
    found = difference(seed, other)
    apart = differences_apart(seed, other, found)
    assert len(apart) == len(found.regions)
    if len(apart) == 1:
        assert apart == (found,)
    for each, region in zip(apart, found.regions, strict=True):
        assert len(each.regions) == 1
        # What is inserted beside an equal unit may stand one further: that (that) that.
        assert list(map(sorted, each.exchange)) == list(map(sorted, region))
    for each, (start, stop, begin, end) in zip(apart, found.places, strict=True):
        alone = difference(seed, [*seed[:start], *other[begin:end], *seed[stop:]])
        assert (found if len(apart) == 1 else alone)[:-1] == each[:-1]


def _kept(before: str, after: str, regions: tuple[Exchange, ...]) -> list[list[str]]:
    """Every way to come from one side to the other by the regions in their order: what stays around them."""
    if not regions:
        return [[before]] if before == after else []
    found = []
    (one, two), *rest = regions
    for size in range(len(before) + 1):
        same = before[:size]
        if after[:size] == same and before[size:].startswith(one) and after[size:].startswith(two):
            further = _kept(before[size + len(one) :], after[size + len(two) :], tuple(rest))
            found += [[same, *each] for each in further]
    return found


@cache
def _common(one: str, other: str) -> int:
    """The length of a longest common subsequence, by its definition."""
    if not one or not other:
        return 0
    if one[0] == other[0]:
        return 1 + _common(one[1:], other[1:])
    return max(_common(one[1:], other), _common(one, other[1:]))


def test_what_is_too_large_for_a_table_is_one_region(monkeypatch: pytest.MonkeyPatch) -> None:
    seed, other = list("xaybz"), list("uavbw")
    assert difference(seed, other).regions == (("x", "u"), ("y", "v"), ("z", "w"))
    monkeypatch.setattr(differences, "_MOST_CELLS", 24)
    assert difference(seed, other).regions == (("xaybz", "uavbw"),)
    monkeypatch.setattr(differences, "_MOST_CELLS", 25)
    assert len(difference(seed, other).regions) == 3


@pytest.mark.parametrize(
    ("seed", "other", "exchange", "beside", "regions"),
    [
        ("I am here.", "I'm here.", (" am", "'m"), ("I", " here"), 1),
        ("I am here.", "I am here", (".", ""), (" here", END), 1),
        ("Now I am here.", "I am here.", ("Now I", "I"), (BEGIN, " am"), 1),
        ("He said that.", "He said that that.", ("", " that"), (" that", "."), 1),
        ("Tom is a big man.", "Tom was a tall man.", (" is a big", " was a tall"), ("Tom", " man"), 2),
        ("是的。", "不是的。", ("", "不"), (BEGIN, "是"), 1),
    ],
)
def test_examples(seed: str, other: str, exchange: Exchange, beside: tuple[str, str], regions: int) -> None:
    found = difference(units_of(seed), units_of(other))
    assert (found.exchange, (found.left, found.right), len(found.regions)) == (exchange, beside, regions)


@given(st.text().map(normalise))
def test_the_units_are_the_sentence(text: str) -> None:
    assert "".join(units_of(text)) == text
    assert all(units_of(text))
