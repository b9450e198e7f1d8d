"""What differs between two sentences, exchanges made in sentences, and the evidence of a pair."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from math import log2
from pathlib import Path

import numpy as np
import pytest
from corpora import CHARACTERS
from hypothesis import assume, given
from hypothesis import strategies as st

from corpusdb.base.arrays import F64, I64
from corpusdb.base.text import differs_in_words, normalise, units_of
from corpusdb.paraphrase import differences
from corpusdb.paraphrase.differences import (
    BEGIN,
    END,
    Difference,
    Exchange,
    change_of,
    difference,
    differences_apart,
)
from corpusdb.paraphrase.exchange_index import (
    DERIVATION_FEATURES,
    EXCHANGE_FEATURES,
    Derived,
    ExchangeEvidence,
    Sums,
    features,
    most_probable,
)
from corpusdb.paraphrase.marking import Marking, marking_of
from corpusdb.paraphrase.pair_differences import (
    CONTRACTED,
    POINTING,
    POLITE,
    UNKNOWN,
    Pair,
    PairComparer,
    trifles_of_pairs,
)

# What differs between two sentences, held against the definition: applied to the one, it gives the other.


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
    monkeypatch.setattr(differences, "MOST_CELLS", 24)
    assert difference(seed, other).regions == (("xaybz", "uavbw"),)
    monkeypatch.setattr(differences, "MOST_CELLS", 25)
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


@given(st.text(CHARACTERS).map(normalise))
def test_the_units_are_the_sentence(text: str) -> None:
    assert "".join(units_of(text)) == text
    assert all(units_of(text))


# Many pairs at a time, each held against what is said of it alone.


_TEXTS = st.lists(st.sampled_from(["a", "b", "it", "'s", "do", "n't", "don't", ",", ".", "水", "を"]), max_size=7)


@given(st.lists(st.tuples(_TEXTS.map(" ".join), _TEXTS.map(" ".join)), min_size=1, max_size=5))
def test_many_pairs_differ_as_each_does_alone(pairs: list[tuple[str, str]]) -> None:
    units = [(units_of(seed), units_of(text)) for seed, text in pairs]
    whole = [difference(*each) for each in units]
    regions = [differences_apart(*each, found) for each, found in zip(units, whole, strict=True)]
    fillers = {text: n for n, text in enumerate(sorted({t for each in regions for one in each for t in one.exchange}))}
    fillers |= {text: len(fillers) + n for n, text in enumerate(sorted({t for each in whole for t in each.exchange}))}
    numbers: dict[str, int] = {}
    comparer = PairComparer({pairs[0][0]: 7}, numbers)
    comparer.add(Pair(n, *pair) for n, pair in enumerate(pairs))
    found, names = comparer.differences(fillers), list(numbers)

    def told(each: Difference) -> tuple[object, ...]:
        one, other = sorted(fillers[text] for text in each.exchange)
        return one * (max(fillers.values()) + 1) + other, each.left, each.right, *each.units

    def read(code: I64, left: I64, right: I64, before: F64, after: F64) -> list[tuple[object, ...]]:
        beside = ([names[number] for number in side.tolist()] for side in (left, right))
        return list(zip(code.tolist(), *beside, before.tolist(), after.tolist(), strict=True))

    of_pairs = read(found.code, found.left, found.right, found.units_before, found.units_after)
    beside = found.region_left, found.region_right
    of_regions = read(found.region_code, *beside, found.region_before, found.region_after)
    assert of_pairs == list(map(told, whole))
    assert of_regions == [told(one) for each in regions if len(each) > 1 for one in each]
    assert found.region_pair.tolist() == [n for n, each in enumerate(regions) for _ in each if len(each) > 1]
    changed = found.changed
    sides = ([changed.texts[number] for number in side.tolist()] for side in (changed.before, changed.after))
    assert list(zip(*sides, strict=True)) == [exchange for each in whole for exchange in each.regions]
    assert found.replacement.tolist() == [each.is_replacement for each in whole]
    assert found.units_of_seed.tolist() == [len(seed) for seed, _ in units]
    assert found.seed.tolist() == [7 if seed == pairs[0][0] else UNKNOWN for seed, _ in pairs]
    exchanged = {each.exchange for each in whole} | {one.exchange for each in regions if len(each) > 1 for one in each}
    assert comparer.exchanges() == {(min(each), max(each)) for each in exchanged}
    known = {one.exchange for each in regions[::2] for one in each}
    assert comparer.differ_by(known).tolist() == [all(one.exchange in known for one in each) for each in regions]


def test_nothing_differs_where_there_are_no_pairs() -> None:
    comparer = PairComparer({}, {})
    comparer.add([])
    found = comparer.differences({"a": 1})
    assert (len(found.row), len(found.region_pair), found.changed.pairs, comparer.exchanges()) == (0, 0, 0, set())


# The features of a pair, each held against its formula in plain numbers.


PAIRS, LANGUAGES = 30, 3


def drawn_sums(chance: np.random.Generator, *shape: int) -> Sums:
    return Sums(chance.integers(0, 6, shape).astype(np.float64), chance.random(shape) * 4)


@pytest.fixture(params=[LANGUAGES, 0])
def evidence(request: pytest.FixtureRequest) -> ExchangeEvidence:
    chance = np.random.default_rng(5)
    whole, left, right, worst = (drawn_sums(chance, PAIRS) for _ in range(4))
    numbers = [chance.integers(0, 9, PAIRS).astype(np.float64) for _ in range(5)]
    pairs, regions, before, after, seed = numbers
    doubt = -chance.random(PAIRS)
    by_language = drawn_sums(chance, request.param, PAIRS)
    return ExchangeEvidence(pairs, whole, left, right, worst, by_language, regions, doubt, before, after, seed)


def rate(sums: Sums, at: int, prior: float = 0.3) -> float:
    return float((sums.shared[at] + prior) / (sums.expected[at] + 1))


def expected_features(given: ExchangeEvidence, at: int) -> dict[str, float]:
    whole, worst = rate(given.all, at), rate(given.worst, at)
    languages = list(zip(given.by_language.shared[:, at], given.by_language.expected[:, at], strict=True))
    lowest = min([whole, *((shared + whole) / (expected + 1) for shared, expected in languages)])
    return {
        "rate": whole,
        "log rate": log2(whole),
        "shared": log2(1 + given.all.shared[at]),
        "missed": log2(1 + max(given.all.expected[at] - given.all.shared[at], 0)),
        "rate left": rate(given.left, at, whole),
        "rate right": rate(given.right, at, whole),
        "worst rate": worst,
        "worst shared": log2(1 + given.worst.shared[at]),
        "worst missed": log2(1 + max(given.worst.expected[at] - given.worst.shared[at], 0)),
        "lowest rate of a language": lowest,
        "log lowest rate": log2(lowest),
        "languages with evidence": log2(1 + sum(expected >= 1 for _, expected in languages)),
        "regions": given.regions[at],
        "doubt": given.doubt[at],
        "pairs": log2(1 + given.pairs[at]),
        "units before": given.units_before[at],
        "units after": given.units_after[at],
    }


def test_features_of_exchanges(evidence: ExchangeEvidence) -> None:
    found = features(evidence)
    assert found.shape == (PAIRS, len(EXCHANGE_FEATURES))
    for at in range(PAIRS):
        assert dict(zip(EXCHANGE_FEATURES, found[at].tolist(), strict=True)) == pytest.approx(
            expected_features(evidence, at)
        )


def test_features_of_derivations(evidence: ExchangeEvidence) -> None:
    chance = np.random.default_rng(6)
    frequency, languages = (chance.integers(1, 100, PAIRS).astype(np.float64) for _ in range(2))
    probability = chance.uniform(0.001, 1, PAIRS)
    found = features(evidence, Derived(frequency, languages, probability))
    assert (found[:, : len(EXCHANGE_FEATURES)] == features(evidence)).all()
    for at, row in enumerate(found[:, len(EXCHANGE_FEATURES) :].tolist()):
        assert dict(zip(DERIVATION_FEATURES, row, strict=True)) == pytest.approx(
            {
                "units of seed": evidence.units_of_seed[at],
                "frequency": log2(1 + frequency[at]),
                "languages": languages[at],
                "probability": log2(probability[at]),
            }
        )


@pytest.mark.parametrize(
    ("shared", "expected", "left"),
    [
        ([36, 0, 0], [22, 15, 10], 3 / 18),  # his / her, in French, German and Japanese
        ([206, 104, 17], [203, 123, 68], 1),  # this / that, of which Japanese has fewer
        ([0, 0, 0], [8, 1, 0], 1),  # too few pairs of any language
        ([0, 0, 0], [9.1, 30, 0], 3 / 33),
        ([], [], 1),
    ],
)
def test_a_language_that_keeps_far_too_little_bounds_what_the_others_say(
    shared: list[float], expected: list[float], left: float
) -> None:
    """The sums of all say 36 of 38."""
    (found,) = most_probable(Sums(*(np.array([each]).reshape(-1, 1) for each in (shared, expected)))).tolist()
    assert found == pytest.approx(left)


def test_nothing_is_left_below_nothing() -> None:
    """What one instance gave was rounded before it was summed up."""
    left = Sums(np.array([1.0, 2.0]), np.array([0.5, 0.25])).without(np.array([1.0, 0.0]), np.array([0.5000001, 0.0]))
    assert (left.shared.tolist(), left.expected.tolist()) == ([0.0, 2.0], [0.0, 0.25])


# What kind of change a paraphrase is.


@pytest.mark.parametrize(
    ("seed", "text", "language", "kind", "words"),
    [
        ("Hurry up or you'll be late.", "Hurry up, or you'll be late!", "eng", "mark", 0),
        ("Go home.", "GO HOME", "eng", "mark", 0),
        ("It\u2019s 5:30.", "It's 5.30.", "eng", "mark", 0),
        ("I'm sure.", "I am sure.", "eng", "contraction", 1),
        ("They aren't happy.", "They're not happy.", "eng", "contraction", 2),
        ("I can't, I won't, I shan't.", "I cannot, I will not, I shall not.", "eng", "contraction", 6),
        ("Let's go.", "Let us go.", "eng", "contraction", 1),
        ("He's gone.", "He has gone.", "eng", "contraction", 1),
        ("He is gone.", "He has gone.", "eng", "real", 1),
        ("I'd better go.", "I had better go.", "eng", "contraction", 1),
        ("It's Tom's.", "It is Tom's.", "eng", "contraction", 1),
        ("I'm sure.", "I am sure.", "fra", "real", 1),  # French has no such contraction
        ("What is this?", "What's that?", "eng", "pointing", 2),
        ("That's hot.", "It is hot.", "eng", "pointing", 2),
        ("I know he left.", "I know that he left.", "eng", "pointing", 1),
        ("I know he left.", "I know this he left.", "eng", "real", 1),
        ("This is what I know.", "What I know.", "eng", "real", 2),
        ("What is this?", "What are these?", "eng", "real", 2),
        ("We must leave.", "We have to go.", "eng", "real", 3),
        ("C'est cela.", "C'est ça.", "fra", "pointing", 1),
        ("Wie geht's?", "Wie geht es?", "deu", "contraction", 1),
        ("駅はどこ。", "駅はどこ?", "jpn", "mark", 0),
        ("駅はどこ。", "駅はあそこ。", "jpn", "real", 2),
        ("आप कैसे हैं?", "आप कैसी हैं?", "hin", "real", 1),  # nothing but a vowel sign
        ("...", "?!", "eng", "mark", 0),
    ],
)
def test_kinds_of_changes(seed: str, text: str, language: str, kind: str, words: int) -> None:
    for one, other in ((seed, text), (text, seed)):
        found = change_of(one, other, language)
        assert (found.kind, found.words) == (kind, words)
        assert found.is_real == (kind in ("real", "pointing")) == differs_in_words(one, other, language)


_WORDS = st.lists(
    st.sampled_from(["I", "I'm", "am", "this", "It's", "is", "that", "don't", "do", "not", "'d", "would", ",", "x"]),
    max_size=6,
).map(" ".join)


@given(_WORDS, _WORDS, st.sampled_from(["eng", "fra", "deu", ""]))
def test_what_is_real_is_one_thing(one: str, other: str, language: str) -> None:
    """For the filter and for the counts, in whatever direction; a sentence does not differ from itself."""
    found = change_of(one, other, language)
    assert found.is_real == differs_in_words(one, other, language) == differs_in_words(other, one, language)
    assert change_of(one, one.upper(), language).kind == "mark"


# What two texts differ in that one pivot language does not mark, by their words.


READINGS = Path(__file__).parents[1] / "readings"
SHEETS = {"fra": ("french", "french-2"), "deu": ("german", "german-2")}


def told(language: str, one: str, other: str) -> str:
    marking = marking_of(language)
    assert marking is not None
    return str(marking.change(units_of(one), units_of(other)) or "")


@pytest.mark.parametrize(
    ("language", "one", "other", "change"),
    [
        ("fra", "Tu viens ?", "Vous venez ?", "address (tu / vous)"),
        ("fra", "Ferme la porte.", "Fermez la porte.", "address ((nothing) / vous)"),
        ("fra", "Je t'ai vu.", "Je vous ai vu.", "address (tu / vous)"),
        ("fra", "Venez, s'il vous plaît.", "Viens, s'il vous plaît.", "address (vous / (nothing))"),
        ("fra", "Tu dois y aller.", "Tu dois m'y rendre.", "speaker ((nothing) / m')"),
        ("fra", "Je suis sûr.", "Je suis sûre.", "form (sûr / sûre)"),
        ("fra", "Je suis sûr.", "Je suis certaine.", "gender (sûr / certaine)"),
        ("fra", "Je suis heureux.", "Je suis contents.", "gender (heureux / contents)"),
        ("fra", "Vous êtes timide.", "Vous êtes craintive.", "gender (timide / craintive)"),
        ("fra", "Ils sont là.", "Elles sont là.", "gender (ils / elles)"),
        ("fra", "Elles font ça.", "Ils font cela.", "gender (elles / ils)"),
        ("deu", "Sie tat es.", "Er tat 's.", "gender (sie / er)"),
        ("fra", "Avez-vous un reçu ?", "En avez-vous un reçu ?", "pronoun ((nothing) / en)"),
        ("fra", "Il est à la maison.", "Il est chez moi.", "pronoun ((nothing) / chez moi)"),
        ("fra", "Tu as une idée.", "Est-ce que tu as une idée.", "form ((nothing) / est-ce)"),
        ("fra", "Vous avez tout pris.", "Avez-vous tout pris.", "form (vous avez / avez vous)"),
        ("fra", "C'est mon amie.", "Il est mon amie.", "pronoun ((nothing) / il est mon)"),
        ("fra", "Je ne pouvais pas.", "Je ne pourrais pas.", "form (pouvais / pourrais)"),
        ("deu", "Ich konnte es.", "Ich könnte es.", "form (konnte / könnte)"),
        ("deu", "Hast du Zeit?", "Habt ihr Zeit?", "address (du / ihr)"),
        ("deu", "Ich sehe dich.", "Ich sehe Sie.", "address (du / Sie)"),
        ("deu", "Du bist müde.", "Sie sind müde.", "address (du / Sie)"),
        ("deu", "Machen Sie, was Sie wollen.", "Mach, was Sie wollen.", "address (Sie Sie / Sie)"),
        ("deu", "Ihr habt kaum euer Essen angerührt.", "Ihr habt kaum Ihr Essen angerührt.", "address (ihr / Sie)"),
        ("deu", "Ich weiß, dass du da bist.", "Ich weiß, dass ihr da bist.", "gender (du / ihr)"),
        ("deu", "Öffne die Tür.", "Macht die Tür auf.", "address ((nothing) / ihr)"),
        ("deu", "Atme tief!", "Atmet tief!", "form (atme / atmet)"),
        ("deu", "Ich bin Lehrer.", "Ich bin Lehrerin.", "form (lehrer / lehrerin)"),
        ("deu", "Ich mag ihn.", "Ich mag es.", "gender (ihn / es)"),
        ("deu", "Ich will ein Foto machen.", "Ich will ein Foto tun.", "sense (machen / tun)"),
        ("deu", "Sie haben das Foto gemacht.", "Sie haben das Foto getan.", "sense (gemacht / getan)"),
        ("deu", "Die Schüler lachten.", "Die Studenten lachten.", "sense (schüler / studenten)"),
        ("fra", "J'ignore où il est.", "Je ne connais pas où il est.", "sense (ignore / connais)"),
        ("fra", "Elle prépare le dîner.", "Elle prépare le déjeuner.", "sense (dîner / déjeuner)"),
        ("deu", "Noch eins davon?", "Noch einen von denen?", "form (eins / einen)"),
        ("deu", "Sie sollten gehen.", "Man sollte gehen.", "gender (sie / man)"),
    ],
)
def test_what_is_not_seen(language: str, one: str, other: str, change: str) -> None:
    assert told(language, one, other) == change
    assert told(language, other, one), "in the other direction too"


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("fra", "Viens-tu ?", "Tu viens ?"),
        ("fra", "Présentez vos excuses.", "Présentez des excuses."),
        ("fra", "Avez-vous bu ?", "Est-ce que vous avez bu ?"),
        ("fra", "Pouvez-vous venir ?", "Êtes-vous en mesure de venir ?"),
        ("fra", "Je dois y aller.", "Il me faut y aller."),
        ("fra", "Souris, s'il te plaît.", "Souris, je te prie."),
        ("fra", "Vous devez partir.", "Il faut que vous partiez."),
        ("fra", "Nous avons mangé.", "On a mangé."),
        ("fra", "Je suis contente.", "Je suis heureuse."),
        ("fra", "Elle partit.", "Elle est partie."),
        ("fra", "Elle le sermonna.", "Elle l'a sermonné."),
        ("fra", "Une auto arrive.", "Un véhicule arrive."),
        ("fra", "C'est facile.", "Il est facile."),
        ("fra", "Il faut faire ça.", "Ceci doit être fait."),
        ("deu", "Können Sie kommen?", "Sie können kommen?"),
        ("deu", "Gestern haben Sie gelacht.", "Sie haben gestern gelacht."),
        ("deu", "Das ist ein Auto.", "Das ist ein Wagen."),
        ("deu", "Ich muss das tun.", "Ich muss das machen."),
        ("deu", "Was machst du hier?", "Was tust du hier?"),
        ("deu", "Ich habe einen Wagen.", "Ich habe ein Auto."),
        ("deu", "Die kommen.", "Sie kommen."),
        ("deu", "Komm!", "Komme!"),
        ("deu", "Ich hätte gern Tee.", "Ich hätte gerne Tee."),
        ("deu", "Kommt ihr bald?", "Kommt ihr in Kürze?"),
    ],
)
def test_what_is_seen(language: str, one: str, other: str) -> None:
    assert (told(language, one, other), told(language, other, one)) == ("", "")


def rows(language: str) -> list[tuple[str, ...]]:
    lines = files("corpusdb.paraphrase").joinpath("marking.tsv").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")[1:]) for line in lines[1:] if line.startswith(language)]


KINDS = {
    "address", "agreeing", "anything", "asking", "agreeing endings", "clitic", "either gender", "ending",
    "endings", "feminine", "forms", "imperative", "not ending", "nouns", "plural", "polite", "pronoun", "question",
    "senses", "senses of doing", "she", "singular or plural", "speaker", "personal", "phrase", "to be", "to have",
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(SHEETS))
def test_each_row_is_of_a_kind_that_is_known(language: str) -> None:
    assert {kind for kind, *_ in rows(language)} <= KINDS
    assert all(words.split() for *_, words in rows(language))


def test_each_word_that_agrees_is_told_from_its_feminine() -> None:
    pairs = [pair.split(":") for kind, _, words in rows("fra") if kind == "agreeing" for pair in words.split()]
    assert [pair for pair in pairs if not told("fra", f"Je suis {pair[0]}.", f"Je suis {pair[1]}.")] == []


def test_a_language_that_is_not_there_is_not_known() -> None:
    assert marking_of("jpn") is None


WORDS = {
    language: sorted({word for kind, _, words in rows(language) if "end" not in kind for word in words.split()})
    for language in SHEETS
}


@given(st.data(), st.sampled_from(sorted(SHEETS)))
def test_a_change_is_one_in_either_direction(data: st.DataObject, language: str) -> None:
    words = st.lists(st.sampled_from([*WORDS[language], "table", "Haus", "?", "."]), min_size=1, max_size=5)
    one, other = (" ".join(data.draw(words)) for _ in range(2))
    assert bool(told(language, one, other)) == bool(told(language, other, one))
    assert told(language, one, one) == ""


def test_a_language_without_rows_marks_nothing() -> None:
    assert Marking([]).change(["Tu", " viens"], ["Vous", " venez"]) is None


@pytest.mark.parametrize("language", sorted(SHEETS))
def test_pairs_that_were_read(language: str) -> None:
    """Of pairs that a reader found to differ in address, number or gender of persons nearly all are told."""
    found: list[bool] = []
    for sheet in SHEETS[language]:
        with (READINGS / f"{sheet}.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["reason"] in ("address", "gender", "number", "gender of it"):
                    found.append(bool(told(language, row["seed"], row["paraphrase"])))
    assert len(found) > 60
    assert sum(found) >= 0.95 * len(found)


# What a pair differs in that varies nothing, or that shared translations do not tell.


@pytest.mark.parametrize(
    ("seed", "text", "language", "found"),
    [
        ("Help me.", "Please help me.", "eng", POLITE),
        ("Help me, please.", "Help me.", "eng", POLITE),
        ("Can you help me?", "Can you please help me?", "eng", POLITE),
        ("Help me.", "Please help him.", "eng", 0),
        ("Help me.", "Help me, please?", "eng", 0),
        ("Please help me.", "Help me, please.", "eng", POLITE),
        ("Help me.", "Please help me.", "fra", 0),
        ("What is this?", "What's that?", "eng", POINTING),
        ("Nobody's seen it.", "Nobody is seen it.", "eng", CONTRACTED),
        ("I thought you would go.", "I thought you'd go.", "eng", CONTRACTED),
        ("He isn't here.", "He's not here.", "eng", CONTRACTED),
        ("He does not go.", "He doesn't go.", "eng", 0),
        ("Nobody's seen it.", "Nobody is seen here.", "eng", 0),
        ("So geht es.", "So geht's.", "deu", CONTRACTED),
        ("C'est vrai.", "Ce est vrai.", "fra", 0),
    ],
)
def test_what_asks_politely_points_or_contracts_is_told(seed: str, text: str, language: str, found: int) -> None:
    comparer = PairComparer({}, {})
    comparer.add([Pair(0, seed, text)])
    assert trifles_of_pairs(comparer.differences({}).changed, language).tolist() == [found]
