"""The confidence is that of all ways in which signs can fall, and t is that of scipy."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest

from corpusdb.studies.homogeneity.curves import TRIALS, paired_confidence


@pytest.mark.parametrize("seed", range(4))
def test_all_signs_of_a_few_sentences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    random, selected = rng.integers(0, 6, size=(2, 11)).astype(np.float64)
    found = paired_confidence("bleu", random, selected, seed=seed)
    differences = random - selected
    means = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=len(differences))]
    p = np.mean(np.array(means) >= abs(differences.sum()) - 1e-9)
    assert found.confidence == pytest.approx(1 - p, abs=4 * sqrt(p * (1 - p) / TRIALS) + 2 / TRIALS)
    assert (found.sentences, found.ties) == (11, int((random == selected).sum()))
    assert found.difference == pytest.approx(found.random - found.selected)
    scipy = pytest.importorskip("scipy.stats")
    assert found.t == pytest.approx(scipy.ttest_rel(random, selected).statistic)


def test_equal_scores_say_nothing() -> None:
    found = paired_confidence("mwer", np.ones(8), np.ones(8), seed=1)
    assert (found.difference, found.t, found.confidence, found.ties) == (0.0, None, 0.0, 8)


def test_what_is_better_everywhere_is_sure() -> None:
    found = paired_confidence("nist", np.arange(40.0) + 1, np.arange(40.0), seed=1)
    assert found.confidence > 0.999 and found.difference == 1.0
