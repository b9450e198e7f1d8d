"""Sentences held out, against a look at every pair."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.translation.examples import hold_out

PAIRS = st.lists(st.tuples(st.sampled_from("abcdefghA"), st.sampled_from("tuvwxyzTa")), min_size=8, max_size=30)


@given(PAIRS, st.integers(1, 3), st.integers(0, 5))
def test_nothing_that_may_be_learned_from_tells_a_reference(
    pairs: list[tuple[str, str]], count: int, seed: int
) -> None:
    if len({source.casefold() for source, _ in pairs}) <= count:
        with pytest.raises(InputError, match="to hold"):
            hold_out(pairs, count, seed)
        return
    found = hold_out(pairs, count, seed)
    sources = {source.casefold() for source in found.sources}
    references = {each.casefold() for of_one in found.references for each in of_one}
    assert len(sources) == count
    assert {t.casefold() for s, t in pairs if s.casefold() in sources} == references
    for (source, target), kept in zip(pairs, found.training, strict=True):
        translations = {t.casefold() for s, t in pairs if s.casefold() == source.casefold()}
        told = source.casefold() in sources or target.casefold() in sources or bool(translations & references)
        assert kept == (not told)


def test_the_seed_decides() -> None:
    pairs = [(f"s{number}", f"t{number}") for number in range(100)]
    assert hold_out(pairs, 10, 1).sources == hold_out(pairs, 10, 1).sources != hold_out(pairs, 10, 2).sources
