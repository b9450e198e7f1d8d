"""NIST over lattices: without replacements that of mteval, with them a sum over the paths by its definition."""

from __future__ import annotations

from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.metrics.encoding import References
from corpusdb.scoring.metrics.lattices import Lattice, OriginalWeights, Replacement, lattice_nist_statistics
from corpusdb.scoring.metrics.nist import nist_scores, nist_statistics

unit = st.sampled_from(["a", "b", "c", "0"])
words = st.lists(unit, min_size=1, max_size=8)
segments = st.lists(
    st.tuples(st.lists(unit, max_size=8), st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=4
)


@given(segments, st.integers(1, 5))
def test_without_replacements_it_is_nist(given_segments: list[tuple[list[str], list[list[str]]]], order: int) -> None:
    hypotheses = [hypothesis for hypothesis, _ in given_segments]
    originals = [references for _, references in given_segments]
    encoded = References.of([[" ".join(each) for each in own] for own in originals], tokeniser("none"))
    expected = nist_statistics(encoded.encode([" ".join(each) for each in hypotheses]), encoded, order)
    lattices = [[Lattice(each) for each in own] for own in originals]
    found = lattice_nist_statistics(hypotheses, lattices, OriginalWeights(originals, order))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(nist_scores(found), nist_scores(expected), atol=1e-9)


def test_what_was_put_in_weighs_as_if_it_stood_once() -> None:
    original = "the old house and the old tree".split()
    lattice = Lattice(original, [Replacement(2, 3, ("building",))])
    hypothesis = "the old building".split()
    rows = lattice_nist_statistics([hypothesis], [[lattice]], OriginalWeights([[original]], 3))
    counts = Counter(original)
    unigrams = log2(7 / counts["the"]) + log2(7 / counts["old"]) + log2(7 / 1)
    # "the old" stands twice; "old building" and "the old building" are new, after "old" and "the old" that stand twice.
    bigrams, trigrams = log2(2 / 2) + log2(2 / 1), log2(2 / 1)
    assert rows[0].tolist() == pytest.approx([unigrams, bigrams, trigrams, 3, 2, 1, 3, 7])


def test_segments_and_orders_are_checked() -> None:
    with pytest.raises(InputError, match="0 hypotheses for 1 segments"):
        lattice_nist_statistics([], [[Lattice("a")]], OriginalWeights([["a"]], 5))
    with pytest.raises(UsageError, match="order"):
        OriginalWeights([["a"]], 0)
