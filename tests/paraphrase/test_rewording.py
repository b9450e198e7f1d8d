"""Exchanges between neighbours that they are known by, and several paraphrases of a sentence put together."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import chain, combinations
from math import prod

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.text import units_of
from corpusdb.corpus.orders import NO_LIMIT, REPLACES
from corpusdb.paraphrase.applying import Applying, CorpusJudge, Exchanges, OfOtherOrigins, Translated
from corpusdb.paraphrase.differences import END, Application, Exchange, change_of, difference, persons
from corpusdb.paraphrase.exchange_index import StoredExchange, StoredPart
from corpusdb.paraphrase.familiar import ANYWHERE, OF_CORPUS, FamiliarExchanges, familiar_exchanges, stays_apart
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.rewording import (
    LEAST_APPLIED,
    MOST_COMPOSED,
    AppliedExchange,
    Clauses,
    Composed,
    Judged,
    Part,
    PartRow,
    closing_clauses,
    composed,
    composed_of,
    composition,
    is_part,
    put_together,
    stepwise,
    words_inside,
)
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.paraphrase.validity import SHIPPED
from corpusdb.paraphrase.word_model import WordModel

BESIDE = [("left", " a", 3, 3, 2.5), ("right", " hat", 4, 4, 3.5)]


def made(
    x: str = " big",
    y: str = " large",
    sums: tuple[int, int, float] = (6, 5, 5.0),
    beside: Sequence[tuple[str, str, int, int, float]] = BESIDE,
    *others: StoredExchange,
    sentence: str = "Tom has a big hat.",
) -> list[str]:
    """What one exchange, with its sums in all and beside words, makes of a sentence."""
    pairs, shared, expected = sums
    exchanges = [StoredExchange(1, min(x, y), max(x, y), pairs, shared, round(expected * WHOLE)), *others]
    parts = [StoredPart(1, *each[:4], round(each[4] * WHOLE)) for each in beside]
    return [each.text for each, *_ in familiar_exchanges(exchanges, parts, "eng").applied(sentence)]


units_put_together = st.lists(
    st.sampled_from(
        [
            *("Tom", " l'", " can", "n't", "'s", " 5", " don", " x", " e\u0301", " 水", "é"),
            *(".", ",", "...", "'", "?", ".5"),
        ]
    ),
    min_size=1,
    max_size=4,
).map("".join)


@given(units_put_together, units_put_together, st.integers(0, 9), st.integers(1, 3))
def test_what_stays_apart_is_cut_as_it_is_by_itself(sentence: str, after: str, start: int, size: int) -> None:
    units = units_of(sentence)
    start = min(start, len(units) - 1)
    stop = min(start + size, len(units))
    before, right = "".join(units[start:stop]), units[stop] if stop < len(units) else END
    if stays_apart(before, after, start, right):
        made = [*units[:start], *units_of(after), *units[stop:]]
        assert units_of("".join(made)) == made


def test_an_exchange_is_made_between_words_that_it_is_known_by() -> None:
    assert made() == ["Tom has a large hat."]
    assert made(sentence="Tom has a large hat.") == ["Tom has a big hat."], "in either direction"
    assert made(sentence="A big hat is a big hat.") == ["A big hat is a large hat."], "A is another word than a"


RIGHT = [("right", " hat", 4, 4, 3.5)]
SAID = [
    "Tom has a big car.",
    "Tom has a large car.",
    "She saw the big dog.",
    "I had a large dinner.",
    "We had a large hat.",
]
"""Behind two words stands "big"."""
TWO_PAIRS = [StoredExchange(1, " big", " large", 2, 2, 2 * WHOLE)]


def test_what_stands_in_few_places_is_exchanged_in_all() -> None:
    model = WordModel.trained(SAID)
    (found,) = familiar_exchanges(TWO_PAIRS, [], "eng", model).applied("He bought one big cap.")
    assert (found[0].text, found[1]) == ("He bought one large cap.", False), "it is not known by what stands beside it"
    assert list(familiar_exchanges(TWO_PAIRS, [], "eng").applied("He bought one big cap.")) == [], "without a model"
    said = [f"{one}{other} big one." for one in "abcdefghijklmn" for other in "abcdefghijklmn"]
    many = WordModel.trained(said[: OF_CORPUS.standing * 2 - 1])
    more = WordModel.trained(said[: OF_CORPUS.standing * 2 + 1])
    assert list(familiar_exchanges(TWO_PAIRS, [], "eng", many).applied("He bought one big cap."))
    assert list(familiar_exchanges(TWO_PAIRS, [], "eng", more).applied("He bought one big cap.")) == [], "too many"
    single = [StoredExchange(1, " big", " large", 1, 1, WHOLE)]
    assert list(familiar_exchanges(single, [], "eng", model).applied("He bought one big cap.")) == [], "one pair"


def test_elsewhere_only_what_is_nearly_as_probable_is_made() -> None:
    model = WordModel.trained(SAID)
    sentences = list(enumerate(["Ann had a big dinner.", "Ann saw the big dog."]))
    familiar = familiar_exchanges(TWO_PAIRS, [], "eng", model)

    def judge(pairs: Sequence[Pair]) -> list[Judged]:
        return [Judged(0.99, 1, None) for _ in pairs]

    gains = {seed: model.figures([seed], [seed.replace("big", "large")])[0][0] for _, seed in sentences}
    assert sorted(gain >= -1 for gain in gains.values()) == [False, True]
    found = Applying(judge, NOTHING, model).exchanged(sentences, familiar)
    assert [each.text for each in found] == [seed.replace("big", "large") for _, seed in sentences if gains[seed] >= -1]
    assert Applying(judge, NOTHING, None).exchanged(sentences, familiar) == [], "without a model"


def test_one_neighbour_will_do_for_what_many_pairs_show() -> None:
    assert made(sums=(30, 20, 21.0), beside=RIGHT) == ["Tom has a large hat."]
    assert made(sums=(30, 20, 25.0), beside=RIGHT) == [], "not of so high a rate"
    assert made(sums=(30, 19, 19.0), beside=RIGHT) == [], "not so many"
    assert made(sums=(30, 20, 21.0), beside=RIGHT, sentence="Tom has a big cap.") == [], "another neighbour"


@pytest.mark.parametrize(
    ("why", "texts"),
    [
        ("four pairs share", made(sums=(6, 4, 4.0))),
        ("less than three were expected to", made(sums=(6, 5, 2.9))),
        ("half of them do", made(sums=(20, 5, 10.0))),
        ("nothing is known to the left", made(beside=RIGHT)),
        ("two pairs are known to the left", made(beside=[("left", " a", 3, 2, 1.5), *RIGHT])),
        ("few of those beside it share", made(beside=[("left", " a", 9, 3, 8.0), *RIGHT])),
        ("another word is known to the left", made(beside=[("left", " the", 3, 3, 2.5), *RIGHT])),
        ("a language is not a neighbour", made(beside=[("language", " a", 3, 3, 2.5), *RIGHT])),
        ("it only adds", made(y="", sentence="Tom has a hat.")),
        ("it only contracts", made(" is", "'s", sentence="Tom has a is hat.")),
        ("it only points", made(" this", " that", sentence="Tom has a this hat.")),
        ("somebody else is spoken of", made(" alone", " by himself", sentence="I want a alone hat.")),
        (
            "it is seldom what the word is exchanged for",
            made(" big", " large", (6, 5, 5.0), BESIDE, StoredExchange(2, " big", " huge", 300, 0, 9 * WHOLE)),
        ),
    ],
)
def test_what_is_not_made(why: str, texts: list[str]) -> None:
    assert texts == [], why


def test_somebody_whom_the_sentence_speaks_of_may_be_named() -> None:
    beside = [("left", " went", 3, 3, 2.5), ("right", ".", 4, 4, 3.5)]
    told = {
        who: made(" alone", " by himself", beside=beside, sentence=f"{who} went alone.") for who in ("I", "He", "Tom")
    }
    assert told == {"I": [], "He": ["He went by himself."], "Tom": []}


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("I've seen HIS dog.", "eng", {"I", "he"}),
        ("Yours, mine and ours.", "eng", {"you", "I", "we"}),
        ("Tom saw it.", "eng", set()),
        ("I je tu", "fra", set()),
    ],
)
def test_whom_a_text_speaks_of(text: str, language: str, found: set[str]) -> None:
    assert persons(text, language) == found


NOTHING = OfOtherOrigins([])


def no_parts(_: str) -> list[Part]:
    return []


def test_what_is_vouched_for_and_probable_is_made() -> None:
    def judge(pairs: Sequence[Pair]) -> list[Judged]:
        probable = {"Tom has a large hat.": LEAST_APPLIED + 0.01, "Mary has a large hat.": 0.99}
        vouched = [int(each.seed != "Mary has a big hat.") for each in pairs]
        return [
            Judged(probable.get(each.text, LEAST_APPLIED), said, 0.25)
            for each, said in zip(pairs, vouched, strict=True)
        ]

    exchanges = [StoredExchange(1, " big", " large", 9, 9, 8 * WHOLE)]
    parts = [StoredPart(1, kind, name, 3, 3, 2 * WHOLE) for kind, name in (("left", " a"), ("left", " the"), *_RIGHT)]
    familiar = familiar_exchanges(exchanges, parts, "eng")
    texts = ["Tom has a big hat.", "Mary has a big hat.", "Tom has the big hat.", "Tom has a bag."]
    found = Applying(judge, NOTHING, None).exchanged(list(enumerate(texts)), familiar)
    others = OfOtherOrigins([(0, "Tom has a large hat."), (1, "Tom has a big hat.")])
    again = Applying(judge, others, None).exchanged(list(enumerate(texts)), familiar)
    assert again == [], "what another origin has"
    made = AppliedExchange(0, "Tom has a large hat.", LEAST_APPLIED + 0.01, REPLACES, 0.25)
    assert found == [made], "the others are not vouched for, or not probable"


_RIGHT = (("right", " hat"), ("right", " car"))


# Several paraphrases of a sentence.


def together(seed: str, *texts: str, language: str = "eng") -> list[str]:
    return [each.text for each in composed(seed, [Part(text, 0.99, 1) for text in texts], language)]


SEED = "We must buy a big hat today."


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (("We have to buy a big hat today.", "We must buy a large hat today."), ["We have to buy a large hat today."]),
        (("We have to buy a big hat today.", "We should buy a big hat today."), []),
        (
            ("We must purchase a big hat today.", "We have to buy a big hat today."),
            ["We have to purchase a big hat today."],
        ),
        (("We must purchase a big hat today.", "We buy a big hat today."), []),
        (("We must purchase a big hat today.", "We must all buy a big hat today."), []),
        (("We must buy a large hat today.", "We must buy a large cap today."), []),
        (("We must buy a big hat now.", "Now we must buy a big hat."), []),
        (("We must buy that big hat today.", "It is that we must buy a big hat today."), []),
        (("We must buy a big hat today!", "We must buy a large hat today."), []),
        (("They must buy a big hat today.", "We must buy a large hat today."), []),
        (("Today we must buy a big hat.", "We must buy a large hat today."), ["Today we must buy a large hat."]),
    ],
)
def test_what_two_give_together(texts: tuple[str, str], found: list[str]) -> None:
    """Nothing where they change the same place, put in or leave out something beside another change, add the same word,
    or hardly change anything."""
    assert together(SEED, *texts) == found
    assert together(SEED, *reversed(texts)) == found


@pytest.mark.parametrize(("will", "is_going", "found"), [(" will", " is going", 1), ("'ll", "'s going", 0)])
def test_what_touches_is_put_together_at_a_space(will: str, is_going: str, found: int) -> None:
    everyone, everybody = (f"{who}{{}} call you." for who in ("Everyone", "Everybody"))
    both = [everybody.format(f"{is_going} to")][:found]
    assert together(everyone.format(will), everybody.format(will), everyone.format(f"{is_going} to")) == both


def test_three_give_each_two_of_them_too() -> None:
    parts = [
        Part("We have to buy a big hat today.", 0.99, 1),
        Part("We must buy a large hat today.", 0.98, 0),
        Part("We must buy a big hat this evening.", 0.97, 1),
    ]
    found = {each.text: each for each in composed(SEED, parts, "eng")}
    assert len(found) == 4
    every = found["We have to buy a large hat this evening."]
    assert every.parts == tuple(each.text for each in parts)
    assert (every.validity, every.replacement) == (round(0.99 * 0.98 * 0.97, 4), 0)
    assert found["We have to buy a big hat this evening."].replacement == 1
    assert (every.begin, every.text[every.stop :]) == (2, ".")
    assert composition(SEED, every.text, parts, no_parts, "eng") == every
    assert composition(SEED, "We have to.", parts, no_parts, "eng") is None


def test_what_is_known_is_left_out() -> None:
    parts = [Part("We have to buy a big hat today.", 0.99, 1), Part("We must buy a large hat today.", 0.98, 0)]
    both = "We have to buy a large hat today."
    assert composed(SEED, parts, "eng", {both}) == []
    assert composed(SEED, [*parts, Part(both, 0.5, 0)], "eng") == [], "one that is a part itself"


def test_of_many_those_of_different_parts_come_first() -> None:
    first = [Part(f"We {word} buy a big hat today.", 0.99, 1) for word in ("should", "shall", "will", "ought to")]
    second = [Part(f"We must buy a {word} hat today.", 0.98, 1) for word in ("large", "huge", "great", "vast")]
    third = [Part(f"We must buy a big hat {word}.", 0.97, 1) for word in ("now", "soon", "tonight", "at once")]
    found = composed(SEED, [*first, *second, *third], "eng")
    assert len(found) == MOST_COMPOSED
    uses = [sum(each.text in one.parts for one in found) for each in (*first, *second, *third)]
    assert min(uses) >= 1, "each of them is in some"
    assert composed(SEED, [*third, *second, *first], "eng") == found


@pytest.mark.parametrize(
    ("validity", "replacement", "order", "gain", "is_one"),
    [
        (0.95, 0, 20, None, True),
        (0.95, 0, 20, -5.01, False),
        (0.95, 0, NO_LIMIT, -5.01, True),
        (0.95, 1, 10, None, True),
        (0.95, 1, 10, -3.0, True),
        (0.95, 0, 19, None, False),
        (0.95, 0, 10, 0.0, True),
        (0.95, 0, 10, -0.01, False),
        (0.95, 0, 9, 2.0, False),
        (0.95, 5, 4, -0.51, False),
        (0.95, 1, 9, 2.0, False),
        (0.95, 4, 5, None, True),
        (0.95, 4, 4, 2.0, False),
        (0.95, 5, 2, -0.5, True),
        (0.9499, 1, NO_LIMIT, None, False),
        (None, 1, NO_LIMIT, None, False),
        (1.0, None, NO_LIMIT, None, True),
        (1.0, None, 12, None, False),
    ],
)
def test_what_the_usual_filter_keeps_may_be_a_part(
    validity: float | None, replacement: int | None, order: int, gain: float | None, is_one: bool
) -> None:
    assert is_part(validity, replacement, order, gain) == is_one


WORDS = ("big", "old", "red", "hat", "dog")


@st.composite
def sentences_with_parts(draw: st.DrawFn) -> tuple[str, list[Part]]:
    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)
    seed = " ".join(draw(words)) + "."
    texts = draw(st.lists(words.map(lambda each: " ".join(each) + "."), max_size=6))
    validity, replacement = st.floats(0.95, 1.0), st.integers(0, 1)
    return seed, [Part(text, draw(validity), draw(replacement)) for text in texts if text != seed]


def touches(units: list[str], one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the one ends at the space where the other begins, and nothing is only put in or left out there."""
    replacing = all(place[0] < place[1] and place[2] < place[3] for place in (one, other))
    return replacing and one[1] == other[0] and units[other[0]][0] == " "


def brute_force(seed: str, parts: list[Part]) -> set[tuple[str, float, int]]:
    """All that two or three give in one, region by region from the right."""
    best: dict[str, Part] = {}
    for each in parts:
        other = best.get(each.text, each)
        figures = max(each.validity, other.validity), max(each.replacement, other.replacement)
        best[each.text] = Part(each.text, *figures)
    real = [each for each in best.values() if change_of(seed, each.text, "eng").kind == "real"]
    units, found = units_of(seed), dict[str, tuple[str, float, int]]()
    for chosen in (*combinations(real, 2), *combinations(real, 3)):
        regions = [(place, part.text) for part in chosen for place in difference(units, units_of(part.text)).places]
        others = [(place, at) for (place, of), (at, other) in combinations(regions, 2) if of != other]
        met = [(place, at) for place, at in others if place[1] >= at[0] and at[1] >= place[0]]
        apart = all(touches(units, *sorted(both)) for both in met)
        added = [
            {unit for place, of in regions if of == part.text for unit in units_of(of)[place[2] : place[3]]}
            for part in chosen
        ]
        if not apart or any(one & other for one, other in combinations(added, 2)):
            continue
        made = list(units)
        for place, of in sorted(regions, reverse=True):
            made[place[0] : place[1]] = units_of(of)[place[2] : place[3]]
        text = "".join(made)
        if text != text.strip() or units_of(text) != made or text in best or text == seed:
            continue
        validity = round(prod(sorted(each.validity for each in chosen)) * (0.99 if met else 1), 4)
        if text not in found or found[text][1] < validity:
            found[text] = text, validity, min(each.replacement for each in chosen)
    return set(found.values())


@given(sentences_with_parts())
def test_it_is_what_a_brute_force_finds(case: tuple[str, list[Part]]) -> None:
    seed, parts = case
    found = composed(seed, parts, "eng")
    expected = brute_force(seed, parts)
    if len(expected) <= MOST_COMPOSED:
        assert {(each.text, each.validity) for each in found} == {each[:2] for each in expected}
    least = {each.text: max(one.validity for one in parts if one.text == each.text) for each in parts}
    for each in found:
        assert each.validity <= round(min(least[part] for part in each.parts), 4)
        assert each.text.startswith(seed[: each.begin]) and seed.endswith(each.text[each.stop :])
        assert composition(seed, each.text, parts, no_parts, "eng") == each


# Paraphrases of paraphrases.


def steps(seed: str, parts: list[Part], of: dict[str, list[Part]], known: Container[str] = ()) -> list[Composed]:
    return stepwise(seed, parts, lambda text: of.get(text, []), "eng", known)


HOME = "I must go home."
FIRST = [Part("I have to go home.", 0.99, 1), Part("I need to go home.", 0.98, 0)]
SECOND = {
    "I have to go home.": [
        Part("I've got to go home.", 0.99, 1),
        Part("I have to leave.", 0.97, 0),
        Part(HOME, 1.0, 1),
    ],
    "I need to go home.": [Part("I have to go home.", 0.99, 1), Part("I have to leave.", 0.99, 1)],
}


def test_what_becomes_in_two_steps() -> None:
    leave, got = steps(HOME, FIRST, SECOND)
    assert (leave.text, leave.parts) == ("I have to leave.", ("I need to go home.", "I have to leave."))
    assert (leave.validity, leave.replacement, leave.in_steps) == (round(0.98 * 0.99 * 0.99, 4), 1, True)
    assert (got.text, got.validity) == ("I've got to go home.", round(0.99 * 0.99 * 0.99, 4))
    for each in (leave, got):
        assert composition(HOME, each.text, FIRST, lambda text: SECOND.get(text, []), "eng") == each
    assert [each.text for each in steps(HOME, FIRST, SECOND, {"I have to leave."})] == [got.text]


@pytest.mark.parametrize(
    ("why", "text"), [("it contracts", "I must go home!"), ("somebody else is spoken of", "We must go home.")]
)
def test_what_two_steps_do_not_make(why: str, text: str) -> None:
    assert steps(HOME, FIRST, {FIRST[0].text: [Part(text, 0.99, 1)]}) == [], why


def test_of_many_in_two_steps_the_most_probable_are_kept() -> None:
    several = [Part(f"I must go {number}.", 0.95 + number / 1000, 1) for number in range(MOST_COMPOSED + 5)]
    found = steps(HOME, FIRST[:1], {FIRST[0].text: several})
    assert {each.text for each in found} == {each.text for each in several[5:]}


def test_they_come_with_what_several_give_together() -> None:
    def together(
        sentences: Iterable[tuple[int, str]], rows: Iterable[PartRow], made: Iterable[tuple[int, str]]
    ) -> list[tuple[int, Composed]]:
        return list(chain.from_iterable(composed_of(sentences, rows, "eng", made, lambda _, found: found)))

    rows: list[PartRow] = [(1, *part, 30, None) for part in FIRST]
    rows += [(2, *part, 30, None) for part in SECOND["I have to go home."]]
    sentences = [(1, HOME), (2, "I have to go home."), (3, "So what?")]
    found = together(sentences, rows, [(1, "I have to leave.")])
    assert [(number, each.text) for number, each in found if number == 1] == [(1, "I've got to go home.")]
    found = together([(0, "So what?"), (1, HOME)], [*rows[:2], (0, "Got it?", 0.99, 1, 30, None)], [])
    assert found == [], "none of a text that is not a sentence, whatever number one has"
    few = [(*row[:4], 9, None) for row in rows]
    assert together(sentences[:2], few, []) == [], "none is kept by itself"


def test_of_two_ways_to_a_text_the_more_probable_counts() -> None:
    seed, large, now = "We must buy a big hat.", "We must buy a large hat.", "We have to buy a big hat."
    both = "We have to buy a large hat."
    parts = [Part(large, 0.96, 1), Part(now, 0.98, 1)]
    step = round(0.98 * 0.995 * 0.99, 4)
    of = {seed: parts, now: [Part(both, 0.995, 1)]}
    (found,) = put_together(seed, lambda text: of.get(text, ()), "eng", ())
    assert (found.text, found.validity, found.in_steps) == (both, step, True)
    assert composition(seed, both, parts, lambda text: of.get(text, ()), "eng") == found
    of[now] = [Part(both, 0.95, 1)]
    (found,) = put_together(seed, lambda text: of.get(text, ()), "eng", ())
    assert (found.validity, found.in_steps) == (round(0.96 * 0.98, 4), False)


# Paraphrases of clauses.

CLAUSES = [(1, "The shop is shut."), (2, "Could you help me?")]
OF_CLAUSES: list[PartRow] = [
    (1, "The shop is closed.", 0.99, 1, 30, None),
    (1, "The shop's shut.", 0.99, 1, 30, None),
    (1, "Is the shop closed?", 0.99, 1, 30, None),
    (1, "No shop is open.", 0.955, 1, 30, None),
    (2, "Can you help me?", 0.97, 1, 30, None),
    (2, "Can he help me?", 0.97, 1, 30, None),
]


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("I think the shop is shut.", ["I think the shop is closed."]),
        ("The shop is shut, and I'm tired!", ["The shop is closed, and I'm tired!"]),
        ("Sorry. The shop is shut.", ["Sorry. The shop is closed."]),
        ("Excuse me, could you help me?", ["Excuse me, can he help me?", "Excuse me, can you help me?"]),
        ("Could you help me with it?", ["Can he help me with it?", "Can you help me with it?"]),
        ("The shop is shut", []),
        ("The shop is shutting.", []),
        ("The shop is shut.", []),
    ],
)
def test_clauses_are_exchanged(sentence: str, found: list[str]) -> None:
    texts = [(0, "The shop of the man, can you see it?"), *CLAUSES]
    clauses = Clauses(texts, OF_CLAUSES, "eng", words_inside(texts).__getitem__)
    assert sorted(text for text, _ in clauses.exchanged(sentence)) == found


@pytest.mark.parametrize(
    ("sentence", "clauses"),
    [
        ("So maybe we go.", ["Maybe we go."]),
        ("Okay, um, yes, I see.", ["Um, yes, I see.", "Yes, I see.", "I see."]),
        ("Hey Tom, so can we go, now?", ["Tom, so can we go, now?", "So can we go, now?", "Can we go, now?"]),
        ("I think so too.", []),
        ("Well. Go away.", ["Go away."]),
    ],
)
def test_sentences_end_with_clauses(sentence: str, clauses: list[str]) -> None:
    assert list(closing_clauses(sentence, "eng")) == [(len(sentence) - len(each), each) for each in clauses]
    assert [clause for _, clause in closing_clauses("So geht es, sagte er dann.", "deu")] == ["Sagte er dann."]
    last = [clause for _, clause in closing_clauses("one, two, " * 50 + "three.", "eng")]
    assert (len(last), len(last[0].split())) == (8, 40), "and not a hundred"


def test_of_clauses_what_is_as_probable_is_made() -> None:
    sentence = "Excuse me, could you help me?"
    texts = [(0, "I can see it, can you?"), *CLAUSES, (3, sentence)]
    model = WordModel.trained([f"Excuse me, can you help {word}?" for word in ("me", "him", "us")] * 2)
    clauses = Clauses(texts, OF_CLAUSES, "eng", words_inside(texts).__getitem__)

    def judge(pairs: Sequence[Pair]) -> list[Judged]:
        return [Judged(0.9, 0, -0.5) for _ in pairs]

    found = Applying(judge, NOTHING, model).clauses(texts, clauses)
    made = AppliedExchange(3, "Excuse me, can you help me?", round(0.97 * 0.99, 4), REPLACES, -0.5)
    assert found == [made], "he is spoken of nowhere"
    assert Applying(judge, OfOtherOrigins([found[0][:2]]), model).clauses(texts, clauses) == []
    assert Applying(judge, NOTHING, None).clauses(texts, clauses) == [], "no model says so"
    doubted = [Judged(0.5, 1, -0.5)]
    assert Applying(lambda _: doubted, NOTHING, model).clauses(texts, clauses) == []


sums_of_a_language = st.tuples(st.integers(0, 30), st.floats(0, 30))


@given(st.dictionaries(st.sampled_from(["cmn", "deu", "fra"]), sums_of_a_language, max_size=3))
@example({"fra": (0, 9.0)})
@example({"fra": (0, 9.1)})
@example({"deu": (0, 8.9), "fra": (9, 9.0)})
def test_frames_are_left_out_only_where_nothing_that_they_make_is_kept(sums: dict[str, tuple[int, float]]) -> None:
    shared, expected = (sum(column) for column in zip(*sums.values(), strict=True)) if sums else (0, 0.0)
    exchange = StoredExchange(0, "\n.", " can you\n?", 30, int(shared), round(expected * WHOLE))
    parts = [StoredPart(0, "language", name, 30, had, round(of * WHOLE)) for name, (had, of) in sums.items()]
    exchanges = Exchanges([exchange, StoredExchange(1, " big", " large", 9, 9, 9 * WHOLE)], parts)
    judge = CorpusJudge("eng", SHIPPED, exchanges, Translated((), ()).heard, None)
    frame = exchange.x, exchange.y
    (judged,) = judge([Pair(0, "Wait here.", "Can you wait here?", frame=frame)])
    objects = any(4 * (had + 3) < round(of * WHOLE) / WHOLE + 3 for had, of in sums.values())
    assert judge.frames(exchanges).figures == ({} if objects else {frame: exchange})
    assert not objects or judged.validity <= LEAST_APPLIED


# Exchanges that keep the meaning wherever their texts stand, made in sentences, against all that could be made.


def everywhere(*exchanges: Exchange) -> FamiliarExchanges:
    """Those that many pairs show to keep the meaning; it may be in either direction."""
    known = sorted({(min(each), max(each)) for each in exchanges})
    stored = [StoredExchange(number, *each, 30, 30, 30 * WHOLE) for number, each in enumerate(known)]
    return familiar_exchanges(stored, [], "eng", gates=ANYWHERE)


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
        ("Tom saw Tom.", " Tom", " Ann", ["Tom saw Ann."]),
        ("Tom saw Tom.", " Tom", " him", []),  # of whom it does not speak
        ("a b", " b", " b c", []),  # nothing is replaced by it
    ],
)
def test_examples_of_exchanges_made(sentence: str, before: str, after: str, made: list[str]) -> None:
    found = list(everywhere((before, after)).applied(sentence))
    assert [each.text for each, _ in found] == made
    assert all(is_known for _, is_known in found), "whatever stands beside it"


words = st.lists(st.sampled_from(["a", "b", "it", "'s", "n't", "do", ",", "."]), min_size=1, max_size=6)
fillers = st.lists(st.sampled_from([" a", " b", "'s", " is", "n't", " not", ".", "!", "It", " it is"]), max_size=4)


@given(sentence=words.map(" ".join), one=fillers, other=fillers)
def test_each_exchange_is_made_at_each_of_its_places_and_is_what_the_sentences_differ_in(
    sentence: str, one: list[str], other: list[str]
) -> None:
    pairs = {pair for x in one for y in other if x != y for pair in ((x, y), (y, x))}
    found = [each for each, _ in everywhere(*pairs).applied(sentence)]
    expected = set()
    for before, after in pairs:
        at = sentence.find(before)
        while at >= 0:
            text = sentence[:at] + after + sentence[at + len(before) :]
            if difference(units_of(sentence), units_of(text)).exchange == (before, after):
                expected.add(Application(text, (before, after), at, at + len(after)))
            at = sentence.find(before, at + 1)
    assert set(found) == expected
    assert len(found) == len(set(found))
