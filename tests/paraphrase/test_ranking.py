"""Ranking by what several origins say, diversity, and the choice of a diverse set."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import units_of
from corpusdb.corpus.model import Diversity, Finding, VariationCounts
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.paraphrase.differences import change_of, difference
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.paraphrase.ranking import (
    APART,
    EligibleParaphrase,
    changed_units,
    diverse_choice,
    diversity,
    merge,
    rank,
    score,
    variation_counts,
    varied,
)

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
    second = Finding("g", "a", frequency=7, pivots=2, languages=1, probability=0.4, fluency=12, inner_fluency=14)
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
    return [choices[place].text for place in diverse_choice(choices, limit, beside, "eng")]


def test_what_is_new_comes_before_what_is_certain() -> None:
    choices = [
        EligibleParaphrase(CONTRACTED, SEED, 0.99),
        EligibleParaphrase(BOTH, SEED, 0.98),
        EligibleParaphrase(REWORDED, SEED, 0.9),
    ]
    assert chosen(choices, 1) == [REWORDED]
    assert chosen(choices, 3) == [REWORDED, CONTRACTED, BOTH]


def test_an_exchange_is_not_repeated_where_another_is_as_good() -> None:
    other = "No one can help."
    again = EligibleParaphrase("Nobody can help.", other, 0.9)
    fresh = EligibleParaphrase("None can help.", other, 0.9)
    first = EligibleParaphrase("No one is here.", "Nobody is here.", 1.0)
    assert chosen([first, again, fresh], 2, ()) == [first.text, fresh.text]
    # By themselves they are worth the same, and the first in code points is taken.
    assert chosen([again, fresh], 1, ()) == [again.text]


def test_a_much_lower_validity_is_not_made_up_for() -> None:
    assert chosen([EligibleParaphrase(CONTRACTED, SEED, 0.99), EligibleParaphrase(REWORDED, SEED, 0.2)], 1) == [
        CONTRACTED
    ]


def test_they_are_apart_from_the_seed_and_each_other() -> None:
    """In more than a quarter of the words: 1 of 4 is too little, 2 of 5 is enough."""
    seed = "Nobody could help me."
    texts = [
        "No one could help me.",
        "Nobody could assist me.",
        "No one could assist me.",
        "Nobody was able to help me.",
    ]
    choices = [EligibleParaphrase(text, seed, 0.99 - place / 100) for place, text in enumerate(texts)]
    left = [choices[place].text for place in diverse_choice(choices, 4, [seed], "eng", apart=APART)]
    assert left == [texts[2], texts[3]]
    assert len(diverse_choice(choices, 4, [seed], "eng")) == 4
    assert diverse_choice(choices, 1, [seed], "eng", apart=APART) == [2]


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


WANTED = "It's what I would like, and I don't know where it is."
WORDS = ("it's", "it is", "this is", "that's", "i'd like", "i would like", "i want", "don't", "do not", "cannot", "can")
_SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" and ".join)


@given(st.lists(_SENTENCES, max_size=12, unique=True), st.lists(st.sampled_from([0.95, 0.98, 1.0]), min_size=12))
def test_among_the_first_at_most_one_of_what_is_no_rewording(texts: list[str], values: list[float]) -> None:
    """Of contractions and marks, and of this, that and it, others come behind all that is more."""
    choices = [EligibleParaphrase(text, WANTED, value) for text, value in zip(texts, values, strict=False)]
    choices += [EligibleParaphrase("It is what I'd like, and I do not know where it's.", WANTED, 1.0)]
    choices += [EligibleParaphrase("It's what I'd like, and I don't know where it is.", WANTED, 0.99)]
    choices += [EligibleParaphrase("That's what I would like, and I don't know where it is.", WANTED, 0.99)]
    choices += [EligibleParaphrase("This is what I would like, and I don't know where it is.", WANTED, 1.0)]
    for limit in (0, 20):
        places = varied(choices, [WANTED], "eng", limit)
        assert sorted(places) == list(range(len(choices)))
        kinds = [change_of(WANTED, choices[place].text, "eng").kind for place in places]
        groups = ["form" if kind in ("mark", "contraction") else kind for kind in kinds]
        real = max((place for place, group in enumerate(groups) if group == "real"), default=-1)
        assert max(groups[: real + 1].count("form"), groups[: real + 1].count("pointing")) <= 1


def test_what_changes_more_comes_first_among_those_about_as_valid() -> None:
    seed = "You need to leave."
    choices = [
        EligibleParaphrase("You need to go.", seed, 0.999),
        EligibleParaphrase("You must go.", seed, 0.978),
        EligibleParaphrase("You are free to go away.", seed, 0.6),
    ]
    assert chosen(choices, 3, (seed,)) == ["You must go.", "You need to go.", "You are free to go away."]


def test_beyond_the_first_they_stand_as_they_are_given() -> None:
    choices = [EligibleParaphrase(f"{number} a b", "x y z", 0.5) for number in range(100, 140)]
    places = varied(choices, ["x y z"], "eng")
    assert (sorted(places), places[20:]) == (list(range(40)), sorted(places[20:]))
    assert varied(choices, ["x y z"], "eng", 30)[:20] == places[:20]


def test_those_that_fail_keep_their_places() -> None:
    findings = [
        Finding("d", text, validity=validity)
        for text, validity in (
            ("It is here.", 0.99),
            ("It's here!", 0.98),
            ("It's close to us.", 0.97),
            ("Here it is.", 0.96),
        )
    ]
    everything = [each.text for each in rank(findings, "It's here.", "eng")]
    assert everything[0] == "Here it is."
    shown = [each.text for each in rank(findings, "It's here.", "eng", lambda each: each.text != "It's here!")]
    assert shown[1] == "It's here!"
    assert [text for text in shown if text != "It's here!"] == [
        each.text for each in rank([findings[0], *findings[2:]], "It's here.", "eng")
    ]


def test_how_many_pairs_vary() -> None:
    pairs = [
        ("I'm here.", "I am here."),
        ("I'm here.", "I'm over there."),
        ("I'm here.", "I'm back."),
        ("Take it.", "Take this."),
        ("Take it.", "take it!"),
    ]
    assert variation_counts(pairs, "eng") == VariationCounts(real=3, real_seeds=2, deep=1)
    assert variation_counts([], "eng") == VariationCounts(0, 0, 0)


@given(st.lists(st.tuples(_SENTENCES, _SENTENCES), max_size=8))
def test_they_are_counted_as_each_is(pairs: list[tuple[str, str]]) -> None:
    found = [(seed, change_of(seed, text, "eng")) for seed, text in pairs]
    real = [seed for seed, each in found if each.is_real]
    deep = sum(each.is_real and each.words > 1 for _, each in found)
    assert variation_counts(pairs, "eng") == VariationCounts(len(real), len(set(real)), deep)


@pytest.mark.parametrize("low", [0.5048, None])
def test_what_is_said_of_the_validity_is_the_one_that_is_shown(low: float | None) -> None:
    said = [Finding(name, "text", 0, fluency=20, validity=0.898) for name in ("analogy", "equivalent")]
    said.append(Finding("exchange", "text", 0, fluency=9, validity=low))
    for findings in (said, said[::-1]):
        found = merge(findings)
        kept = NSequenceFilter(20, min_validity=0.95)
        assert found.validity == 0.898 and kept.failing(found) == "validity"
        assert kept.reason(found) == "fails: validity 0.8980 is below V = 0.95"
