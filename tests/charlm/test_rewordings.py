"""The orders of rewordings against their definition, with the sequences of the seed among those that were seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.fluency_orders import NO_LIMIT
from corpusdb.base.ngrams import SuffixIndex, sort_suffixes
from corpusdb.paraphrase.fluency import rewording_orders


def index_of(corpus: list[str]) -> SuffixIndex:
    text = "\n" + "".join(f"{sentence}\n" for sentence in corpus)
    return SuffixIndex([(text, sort_suffixes(text).tolist())])


def order_by_definition(text: str, seen: list[str]) -> int:
    """The largest N for which each run of N characters of ``text`` is one of a text that was seen."""
    for size in range(1, len(text) + 1):
        runs = {text[start : start + size] for start in range(len(text) - size + 1)}
        if not all(any(run in each for each in seen) for run in runs):
            return size - 1
    return NO_LIMIT


texts = st.text("ab ", min_size=1, max_size=12)


@given(
    corpus=st.lists(texts, min_size=1, max_size=4), left=texts, old=texts, new=texts, right=st.text("ab ", max_size=6)
)
def test_both_orders_are_those_of_the_definition(corpus: list[str], left: str, old: str, new: str, right: str) -> None:
    seed, text = left + old + right, left + new + right
    found = rewording_orders(seed, text, len(left), len(left) + len(new), index_of(corpus).longest)
    seen = [*corpus, seed]
    marked = order_by_definition(f"\n{text}\n", [f"\n{each}\n" for each in seen])
    assert found == (marked, order_by_definition(text, seen))


@pytest.mark.parametrize(
    ("corpus", "expected"),
    [
        (["It is so."], (5, 5)),  # "is so" stands in the corpus, "s so " in the seed, and "is so " in neither
        (["It is so nice."], (10, 10)),
        (["It is so nice now, Tom!"], (19, 19)),
        (["It is so nice now, Tom."], (NO_LIMIT, NO_LIMIT)),
        (["nothing"], (1, 1)),  # no s has an i before it
    ],
)
def test_an_example(corpus: list[str], expected: tuple[int, int]) -> None:
    seed, text = "It's so nice now, Tom.", "It is so nice now, Tom."
    found = rewording_orders(seed, text, 2, 5, index_of(corpus).longest)
    marked = order_by_definition(f"\n{text}\n", [f"\n{each}\n" for each in [*corpus, seed]])
    assert found[0] == marked
    assert found == expected
