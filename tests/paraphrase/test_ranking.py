"""Ranking by what several origins say, diversity, and the choice of a diverse set."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import units_of
from corpusdb.corpus.model import NO_LIMIT, Diversity, Finding
from corpusdb.paraphrase.differences import difference
from corpusdb.paraphrase.ranking import EligibleParaphrase, changed_units, diverse_choice, diversity, rank, score

# Ranking as arithmetic: what several origins say makes one score, and which paraphrase comes first.


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([], 0.0),
        ([(0.95, 0.0)], 0.95),
        ([(0.0, 1.0)], 1 / 2),
        ([(0.95, 0.0), (0.0, 1.0)], 0.975),
        ([(0.95, 0.0), (0.0, 1.0), (0.8, 0.0)], 0.995),
        ([(1.0, 0.0), (0.5, 0.0)], 1.0),
    ],
)
def test_score(evidence: list[tuple[float, float]], expected: float) -> None:
    """Worked out by hand from 1 - product of (1 - strength), where odds of 1 are a strength of 1/2."""
    findings = [Finding(str(n), "a", strength=strength, odds=odds) for n, (strength, odds) in enumerate(evidence)]
    assert score(findings) == pytest.approx(expected)


def test_two_origins_are_combined_to_the_last_digit_as_stored_scores_were() -> None:
    """Samples and recipes keep scores and ranks: 1 - (1 - d) / (1 + odds), not another order of operations."""
    chance = random.Random(1)
    for _ in range(1000):
        strength, odds = 1 - 0.05 * 0.2 ** chance.randrange(8), chance.random() * 30
        both = [Finding("d", "a", strength=strength), Finding("g", "a", odds=odds)]
        assert score(both) == 1 - (1 - strength) / (1 + odds)
        assert score(both[1:]) == 1 - 1 / (1 + odds)
        assert score(both[:1]) == 1 - (1 - strength)


def test_each_text_once_with_the_figures_of_all_its_origins() -> None:
    first = Finding("d", "a", languages=3, probability=0.1, shared=2, fluency=NO_LIMIT, inner_fluency=NO_LIMIT)
    second = Finding("g", "a", 7, 2, 1, 0.4, 0, 12, 14)
    (one,) = rank([first, second], "b", "eng")
    assert (one.frequency, one.pivots, one.languages, one.probability, one.shared) == (7, 2, 3, 0.4, 2)
    assert (one.order, one.inner_order, one.in_corpus) == (12, 14, False)
    assert (one.origins, one.findings) == (("d", "g"), (first, second))


def test_the_best_first_and_ties_by_code_points() -> None:
    found = rank(
        [Finding("d", text, strength=0.5) for text in ("b", "é", "a", "Z")] + [Finding("g", "b", odds=0.1)], "c", "eng"
    )
    assert [one.text for one in found] == ["b", "Z", "a", "é"]


SEED = "I am sure that we are late."
CONTRACTED, BOTH = "I'm sure that we are late.", "I'm sure that we're late."
REWORDED = "There is no doubt that we are late."


@pytest.mark.parametrize(
    ("seed", "text", "units"),
    [
        ("We have a car.", "We have a car.", 0),
        ("We have a car.", "We own a car.", 1),
        ("We have a car.", "We have got a car.", 1),
        ("We have a car.", "They have a bus.", 2),  # two regions of one unit each
        ("We have a car.", "", 5),
    ],
)
def test_units_that_differ(seed: str, text: str, units: int) -> None:
    assert changed_units(difference(units_of(seed), units_of(text))) == units


def edit_distance(one: list[str], other: list[str]) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


@given(st.lists(st.sampled_from("abcd"), max_size=6), st.lists(st.sampled_from("abcd"), max_size=6))
def test_they_are_no_fewer_than_the_edits_that_it_takes(one: list[str], other: list[str]) -> None:
    """They may be more: the regions are those beside a longest common subsequence."""
    units, others = units_of(" ".join(one)), units_of(" ".join(other))
    found = changed_units(difference(units, others))
    assert edit_distance(units, others) <= found <= len(units) + len(others)
    assert (found == 0) == (units == others)


def test_diversity() -> None:
    pairs = [
        ("We have a car.", "We own a car."),  # 1 of 5 units
        ("They own a dog.", "They have a dog."),  # the same exchange the other way round
        ("We go.", "Tom and Mary leave."),  # 4 units for 2 of 3
    ]
    found = diversity(pairs)
    assert found.exchanges == 2
    assert found.changed == pytest.approx(2.0)
    assert found.distance == pytest.approx((1 / 5 + 1 / 5 + 4 / 3) / 3)
    assert diversity([]) == Diversity(0, None, None)


def chosen(choices: list[EligibleParaphrase], limit: int, beside: tuple[str, ...] = (SEED,)) -> list[str]:
    return [choices[place].text for place in diverse_choice(choices, limit, beside)]


def test_what_is_new_comes_before_what_is_certain() -> None:
    choices = [
        EligibleParaphrase(CONTRACTED, SEED, 0.99),
        EligibleParaphrase(BOTH, SEED, 0.98),
        EligibleParaphrase(REWORDED, SEED, 0.9),
    ]
    assert chosen(choices, 1) == [REWORDED]
    assert chosen(choices, 3) == [REWORDED, BOTH, CONTRACTED]


def test_an_exchange_is_not_repeated_where_another_is_as_good() -> None:
    seed, other = "I am here.", "Tom is the one I am with now."
    again = EligibleParaphrase("Tom is the one I'm with now.", other, 0.9)
    fresh = EligibleParaphrase("Tom's the one I am with now.", other, 0.9)
    first = EligibleParaphrase("I'm here.", seed, 1.0)
    assert chosen([first, again, fresh], 2, ()) == [first.text, fresh.text]
    # By themselves they are worth the same, and the first in code points is taken.
    assert chosen([again, fresh], 1, ()) == [again.text]


def test_a_much_lower_validity_is_not_made_up_for() -> None:
    assert chosen([EligibleParaphrase(CONTRACTED, SEED, 0.99), EligibleParaphrase(REWORDED, SEED, 0.2)], 1) == [
        CONTRACTED
    ]


_TEXTS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=5).map(" ".join)
_CHOICES = st.lists(
    st.builds(EligibleParaphrase, _TEXTS, st.just("a b c"), st.sampled_from([0.5, 0.9, 0.95, 1.0])),
    max_size=7,
    unique_by=lambda choice: choice.text,
)


@given(_CHOICES, st.integers(0, 8), st.randoms())
def test_the_order_of_the_choices_does_not_matter(
    choices: list[EligibleParaphrase], limit: int, chance: object
) -> None:
    found = chosen(choices, limit)
    assert len(found) == len(set(found)) == min(limit, len(choices))
    shuffled = list(choices)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert chosen(shuffled, limit) == found
    assert found == chosen(choices, len(choices))[:limit]  # a larger set holds the smaller one
