"""Models of characters against dictionaries that follow the definitions, whole, of subsets, and of folds."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.char_model_counts import Alphabet, shared_characters, train
from corpusdb.base.char_model_probabilities import (
    FALLBACK,
    POOL_TIMES,
    SMOOTHINGS,
    Model,
    SubsetModels,
    arpa_lines,
    character_bits,
    drawn_characters,
    equal_references,
    fold_bits,
    fold_models,
    folds_of,
    measured,
    model_of,
    read_arpa,
    task_counterparts,
    text_bits,
)
from corpusdb.base.errors import InputError, UsageError
from corpusdb.phrasebook import phrasebook_files

# Models against dictionaries that follow the definitions.


S, E, U = "<s>", "</s>", "<unk>"
Probability: TypeAlias = Callable[[str, tuple[str, ...]], float]
"""Of a symbol after others."""

ENGLISH = [
    "the cat sat on the mat.",
    "the dog sat on the log.",
    "a cat and a dog met.",
    "is that a cat?",
    "that cat sat there.",
    "no.",
    "no, no.",
    "où est le chat ?",
]
PHRASES = [line.split("\t")[0] for line in phrasebook_files()[3].read_text(encoding="utf-8").splitlines()[1:300]]
JAPANESE = ["猫が好きです。", "犬が好きですか。", "猫も犬も好きです。", "はい。", "はい、そうです。"]

texts = st.lists(st.text("abc é", max_size=9), max_size=8)
orders = st.integers(1, 6)


def marked(text: str, known: str) -> list[str]:
    return [S, *(char if char in known else U for char in text), E]


def counted(trained: list[str], known: str, order: int) -> list[Counter[tuple[str, ...]]]:
    """For each length how often each n-gram stands inside of the marked texts."""
    counts: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(order + 1)]
    for text in filter(None, trained):
        symbols = marked(text, known)
        for size in range(1, order + 1):
            counts[size].update(tuple(symbols[at : at + size]) for at in range(len(symbols) - size + 1))
    counts[1].pop((S,), None) if order else None
    return counts


def by_witten_bell(trained: list[str], known: str, order: int) -> Probability:
    counts = counted(trained, known, order)
    following: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for level in counts:
        for gram, often in level.items():
            following[gram[:-1]][gram[-1]] = often

    @cache
    def probability(symbol: str, context: tuple[str, ...]) -> float:
        lower = probability(symbol, context[1:]) if context else 1 / (len(known) + 2)
        after = following.get(context)
        if not after:
            return lower
        return (after[symbol] + len(after) * lower) / (sum(after.values()) + len(after))

    return probability


def adjusted_counts(trained: list[str], known: str, order: int) -> list[Counter[tuple[str, ...]]]:
    """Shorter n-grams count by what stands before them, unless that is nothing."""
    raw = counted(trained, known, order)
    adjusted = [Counter[tuple[str, ...]]() for _ in range(order)] + [raw[order]]
    for size in range(1, order):
        adjusted[size].update(gram[1:] for gram in raw[size + 1])
        adjusted[size].update({gram: often for gram, often in raw[size].items() if gram[0] == S})
    return adjusted


def discounts_of(level: Counter[tuple[str, ...]]) -> tuple[float, ...]:
    n = Counter(level.values())
    if n[1] and n[2] and n[3]:
        y = n[1] / (n[1] + 2 * n[2])
        own = tuple(k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
        if all(0 < amount <= k for k, amount in zip((1, 2, 3), own, strict=True)):
            return own
    return FALLBACK


def by_kneser_ney(trained: list[str], known: str, order: int) -> Probability:
    adjusted = adjusted_counts(trained, known, order)
    following: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    discounts: list[tuple[float, ...]] = [()]
    for level in adjusted[1:]:
        for gram, often in level.items():
            following[gram[:-1]][gram[-1]] = often
        discounts.append(discounts_of(level))

    @cache
    def probability(symbol: str, context: tuple[str, ...]) -> float:
        lower = probability(symbol, context[1:]) if context else 1 / (len(known) + 2)
        after = following.get(context)
        if not after:
            return lower
        taken = discounts[len(context) + 1]
        discount = {each: taken[min(often, 3) - 1] for each, often in after.items()}
        own = after[symbol] - discount[symbol] if symbol in after else 0
        return (own + sum(discount.values()) * lower) / sum(after.values())

    return probability


DEFINITIONS = {"wb": by_witten_bell, "mkn": by_kneser_ney}


def trained_model(trained: list[str], known: str, order: int, smoothing: str) -> Model:
    return model_of(train(trained, Alphabet("".join(sorted(set(known)))), order), smoothing)


def expected_bits(probability: Probability, text: str, known: str, order: int) -> list[float]:
    symbols = marked(text, known)
    return [
        -math.log2(probability(symbols[at], tuple(symbols[max(0, at - order + 1) : at])))
        for at in range(1, len(symbols))
    ]


def assert_as_defined(smoothing: str, order: int, trained: list[str], asked: list[str], known: str) -> None:
    model = trained_model(trained, known, order, smoothing)
    probability = DEFINITIONS[smoothing](trained, known, order)
    for text, bits in zip(asked, character_bits(model, asked), strict=True):
        assert bits.tolist() == pytest.approx(expected_bits(probability, text, known, order), abs=1e-12, rel=1e-12)


@pytest.mark.parametrize("smoothing", DEFINITIONS)
@given(order=orders, trained=texts, asked=texts)
@example(order=6, trained=[], asked=["ab"])
@example(order=3, trained=["a"], asked=["b", "a", ""])
def test_bits_are_those_of_the_definition(smoothing: str, order: int, trained: list[str], asked: list[str]) -> None:
    assert_as_defined(smoothing, order, trained, asked, "abc ")  # é is unknown


@pytest.mark.parametrize("smoothing", DEFINITIONS)
@pytest.mark.parametrize("trained", [ENGLISH, JAPANESE, ENGLISH * 3 + JAPANESE])
@pytest.mark.parametrize("order", [1, 2, 5, 9])
def test_sentences_cost_what_the_definition_says(smoothing: str, trained: list[str], order: int) -> None:
    known = "".join(sorted(set("".join(trained))))
    assert_as_defined(smoothing, order, trained, [*ENGLISH, *JAPANESE, "the cat sat there.", "xyzé"], known)


def test_real_text_has_discounts_of_its_own() -> None:
    """Where counts of counts are missing the fallback stands for them, and the formula is compared with nothing."""
    known = "".join(sorted(set("".join(PHRASES))))
    own = [discounts_of(level) for level in adjusted_counts(PHRASES, known, 4)[2:]]
    assert FALLBACK not in own
    assert_as_defined("mkn", 4, PHRASES, [*PHRASES[:40], "Whose keys are these?"], known)


@pytest.mark.parametrize("smoothing", DEFINITIONS)
@pytest.mark.parametrize("order", [1, 4])
@pytest.mark.parametrize("context", ["", "t", "the c", "zzz", "th"])
def test_probabilities_after_a_context_sum_to_one(smoothing: str, order: int, context: str) -> None:
    known = "".join(sorted(set("".join(ENGLISH))))
    model = trained_model(ENGLISH, known, order, smoothing)
    after = [bits[len(context)] for bits in character_bits(model, [context + char for char in f"{known}\x00"])]
    after.append(character_bits(model, [context])[0][-1])
    assert sum(2.0 ** -np.array(after)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("smoothing", DEFINITIONS)
@given(trained=texts, asked=texts, lines=st.integers(1, 4))
def test_sums_are_those_of_the_characters(smoothing: str, trained: list[str], asked: list[str], lines: int) -> None:
    models = [trained_model(trained, "abc ", order, smoothing) for order in (2, 3)]
    found = text_bits(models, asked)
    for row, model in enumerate(models):
        each = character_bits(model, asked)
        assert found.bits[row].tolist() == pytest.approx([bits[:-1].sum() for bits in each])
        assert found.end_bits[row].tolist() == pytest.approx([bits[-1] for bits in each])
    assert found.characters.tolist() == [len(text) for text in asked]
    assert found.unknown.tolist() == [text.count("é") for text in asked]
    parts = list(measured(models, asked, lines))
    assert [start for start, _ in parts] == list(range(0, max(len(asked), 1), lines))
    assert np.concatenate([part.bits for _, part in parts], axis=1).tolist() == found.bits.tolist()


def test_models_of_different_alphabets_are_not_compared() -> None:
    models = [trained_model(["ab"], known, 2, "wb") for known in ("ab", "abc")]
    with pytest.raises(InputError, match="do not share an alphabet"):
        text_bits(models, ["a"])


def test_a_smoothing_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no smoothing 'kn', but wb, mkn"):
        trained_model(["ab"], "ab", 2, "kn")


@pytest.mark.parametrize("smoothing", DEFINITIONS)
@given(order=orders, trained=texts, asked=texts)
def test_a_model_comes_back_from_its_arpa(smoothing: str, order: int, trained: list[str], asked: list[str]) -> None:
    model = trained_model(trained, "abc ", order, smoothing)
    lines = list(arpa_lines(model))
    again = read_arpa(lines)
    assert again.alphabet == model.alphabet
    assert list(arpa_lines(again)) == pytest.approx(lines) or _numbers(arpa_lines(again)) == _numbers(lines)
    for own, read in zip(character_bits(model, asked), character_bits(again, asked), strict=True):
        assert read.tolist() == pytest.approx(own.tolist(), abs=1e-12, rel=1e-12)


def _numbers(lines: object) -> list[object]:
    return [[round(float(part), 9) if _is_number(part) else part for part in str(line).split("\t")] for line in lines]  # type: ignore[attr-defined]


def _is_number(part: str) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True


WHOLE = """\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-99\t<s>\t-0.3
-0.5\t</s>
-0.9\t<unk>
-0.4\ta\t-0.2

\\2-grams:
-0.2\t<s> a
-0.1\ta </s>

\\end\\
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("\\end\\", "", None, "whole"),
        ("ngram 2=2", "ngram 2=3", None, "whole"),
        ("ngram 2=2", "ngram 3=2", 3, "out of place"),
        ("\\2-grams:", "\\3-grams:", 11, "out of place"),
        ("-0.4\ta", "-0.4\tab", 9, "'ab' is not one character"),
        ("-0.4\ta", "-0.4\t<U+110000>", 9, "not one character"),
        ("-0.4\ta", "x\ta", 9, "not a number"),
        ("-0.4\ta", "0.4\ta", 9, "not a logarithm, 1 tokens"),
        ("-0.4\ta", "nan\ta", 9, "not a logarithm"),
        ("-0.4\ta", "-1e9\ta", 9, "not a logarithm"),
        ("-0.1\ta </s>", "-0.1\ta", 13, "not a logarithm, 2 tokens"),
        ("-0.1\ta </s>", "-0.1\tb </s>", 13, "'b' is not among the unigrams"),
        ("-0.1\ta </s>", "-0.1\t<s> a", None, "2 tokens appears twice"),
        ("-0.4\ta", "-0.4\t<s>", None, "twice among the unigrams"),
        ("\\1-grams:\n", "", 5, "before the first section"),
    ],
)
def test_a_damaged_arpa_is_refused(old: str, new: str, line: int | None, reason: str) -> None:
    assert read_arpa(WHOLE.splitlines()).order == 2
    assert old in WHOLE
    with pytest.raises(InputError, match=reason) as raised:
        read_arpa(WHOLE.replace(old, new, 1).splitlines(), "file.arpa")
    assert (raised.value.path, raised.value.line) == ("file.arpa", line)


def test_a_longer_ngram_needs_the_one_without_its_last_token() -> None:
    text = WHOLE.replace("ngram 2=2", "ngram 2=2\nngram 3=1").replace(
        "\\end\\", "\\3-grams:\n-0.1\ta a </s>\n\n\\end\\"
    )
    with pytest.raises(InputError, match="lacks its last token"):
        read_arpa(text.splitlines())


@given(
    first=st.lists(st.text("abcd ", max_size=9), max_size=5), second=st.lists(st.text("cde ", max_size=9), max_size=5)
)
def test_shared_characters_are_those_that_both_have_as_often(first: list[str], second: list[str]) -> None:
    """Both repeated to the same length, one is paired with the other character by character."""
    ours, theirs = ([char for text in texts for char in text if char != " "] for texts in (first, second))
    size = len(ours) * len(theirs)
    common = Counter(ours * len(theirs)) & Counter(theirs * len(ours))
    assert shared_characters(first, second) == pytest.approx(common.total() / size if size else 1)


# Models of subsets, of folds, and references of equal size, against training each of them.


LETTERS = Alphabet.of(["abc "])
subsets_texts = st.lists(st.text("abc é", max_size=9), min_size=1, max_size=8)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@given(pool=subsets_texts, test=subsets_texts.filter(any), order=st.integers(1, 5), data=st.data())
def test_a_subset_is_measured_as_if_it_had_been_trained(
    smoothing: str, pool: list[str], test: list[str], order: int, data: st.DataObject
) -> None:
    models = SubsetModels(pool, test, LETTERS, order)
    chosen = data.draw(st.lists(st.integers(0, len(pool) - 1), max_size=12))
    trained = train([pool[place] for place in chosen], LETTERS, order)
    expected = text_bits([model_of(trained, smoothing)], test).entropies()[0]
    found = models.entropy(np.array(chosen, dtype=np.int64), smoothing)
    assert found == pytest.approx(expected, rel=1e-12)
    assert models.perplexity(np.array(chosen, dtype=np.int64), smoothing) == pytest.approx(2**expected, rel=1e-12)


def test_what_cannot_be_measured() -> None:
    with pytest.raises(InputError, match="test set has no characters"):
        SubsetModels(["a"], [""], LETTERS, 2)
    with pytest.raises(UsageError, match="no smoothing 'x'"):
        SubsetModels(["a"], ["b"], LETTERS, 2).entropy(np.array([0]), "x")


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@given(texts=subsets_texts, order=st.integers(1, 4))
def test_each_fold_is_measured_by_the_others(smoothing: str, texts: list[str], order: int) -> None:
    folds = folds_of(texts, 3)
    assert [folds_of([text], 3)[0] for text in texts] == folds.tolist()
    if folds.max() == 0:
        return
    members = [[text for text, own in zip(texts, folds, strict=True) if own == fold] for fold in range(3)]
    found = fold_bits(fold_models([train(own, LETTERS, order) for own in members], smoothing), texts, folds)
    for place, text in enumerate(texts):
        others = [other for fold, other in zip(folds, texts, strict=True) if fold != folds[place]]
        expected = text_bits([model_of(train(others, LETTERS, order), smoothing)], [text])
        assert found.bits[0, place] == pytest.approx(expected.bits[0, 0])
        assert found.end_bits[0, place] == pytest.approx(expected.end_bits[0, 0])
        assert (found.characters[place], found.unknown[place]) == (len(text), text.count("é"))


def test_one_fold_has_no_others() -> None:
    with pytest.raises(InputError, match="two folds or more"):
        fold_models([train(["a"], LETTERS, 2)], "wb")


@given(
    sides=st.lists(subsets_texts.filter(any), min_size=1, max_size=3), seed=st.integers(0, 9), most=st.integers(1, 30)
)
def test_references_have_equal_characters(sides: list[list[str]], seed: int, most: int) -> None:
    smallest = min(sum(map(len, side)) for side in sides)
    for limit, expected in ((None, smallest), (most, min(smallest, most))):
        cut = equal_references(sides, seed, limit)
        assert {sum(map(len, side)) for side in cut} == {expected}
        assert cut == equal_references(sides, seed, limit)
        for side, whole in zip(cut, sides, strict=True):
            left = iter(whole)  # in the order in which they stand, one of them perhaps without its end
            assert all(any(text.startswith(part) for text in left) for part in side)
            assert sum(part not in whole for part in side) <= 1


def test_another_seed_draws_others_and_an_empty_side_is_refused() -> None:
    many = [f"{number:04}" for number in range(500)]
    assert drawn_characters(many, 100, 1) != drawn_characters(many, 100, 2)
    assert drawn_characters(many, 9_999, 1) == many
    with pytest.raises(InputError, match="reference 2 has no characters"):
        equal_references([["a"], ["", ""]], 1)


# The models of a task and of a pool.


def test_the_task_is_added_to_a_part_of_the_pool() -> None:
    task, pool = ["the cat"], ["a dog", "dogs"]  # so little that the part is all of it
    assert sum(map(len, pool)) < POOL_TIMES * len(task[0])
    alphabet = Alphabet.of([*task, *pool])
    expected = [model_of(train(texts, alphabet, 3), "mkn") for texts in ([*task, *pool], pool)]
    asked = ["a cat", "the dog", "z"]
    found = text_bits(task_counterparts(task, pool, 3, "mkn", 1), asked)
    assert found.bits.tolist() == text_bits(expected, asked).bits.tolist()
    assert found.bits[0, 0] < found.bits[1, 0]


def test_no_more_of_a_large_pool_than_is_said() -> None:
    task, pool = ["cats"], [f"{number:03}" for number in range(1_000)]
    many = [task_counterparts(task, pool, 2, "wb", seed)[1] for seed in (1, 1, 2)]
    bits = [text_bits([model], pool[:20]).bits.tolist() for model in many]
    assert bits[0] == bits[1] != bits[2]
    assert len(many[0].keys[1]) < 30  # of 20 characters, not of 3,000


@pytest.mark.parametrize(("task", "pool", "which"), [([""], ["a"], "task"), (["a"], ["", ""], "pool")])
def test_what_has_no_characters_is_refused(task: list[str], pool: list[str], which: str) -> None:
    with pytest.raises(InputError, match=f"the {which} has no characters"):
        task_counterparts(task, pool, 2, "wb", 1)
