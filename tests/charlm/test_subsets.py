"""Models of subsets, of folds, and references of equal size, against training each of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.charlm.costs import (
    SubsetModels,
    drawn_characters,
    equal_references,
    fold_bits,
    fold_models,
    folds_of,
    text_bits,
)
from corpusdb.base.charlm.counts import Alphabet, train
from corpusdb.base.charlm.smoothing import SMOOTHINGS, model_of
from corpusdb.base.errors import InputError, UsageError

LETTERS = Alphabet.of(["abc "])
texts = st.lists(st.text("abc é", max_size=9), min_size=1, max_size=8)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@given(pool=texts, test=texts.filter(any), order=st.integers(1, 5), data=st.data())
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
@given(texts=texts, order=st.integers(1, 4))
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


@given(sides=st.lists(texts.filter(any), min_size=1, max_size=3), seed=st.integers(0, 9), most=st.integers(1, 30))
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
