"""The nearest examples and what texts have in common, against trying all; and sentences held out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.base.text import units_of
from corpusdb.translation.example_rungs import common_lengths, differences, open_memory, stretches
from corpusdb.translation.examples import UNKNOWN, UnitTexts, examples_of_pairs, hold_out

# The longest common subsequence as textbooks have it.


def common_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """How long the longest common subsequence is; -1 is the same as nothing."""

    @cache
    def rest(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return 0
        if one[i] == other[j] != -1:
            return 1 + rest(i + 1, j + 1)
        return max(rest(i + 1, j), rest(i, j + 1))

    return rest(0, 0)


WORDS = st.lists(st.sampled_from(["a", "A", "bb", "ccc", "d,", "e'f", "猫", "犬が", "İx", "."]), min_size=1, max_size=6)
SENTENCE = WORDS.map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCE, st.sampled_from(["x", "y", "z"])), min_size=1, max_size=25)


def folded(text: str) -> list[str]:
    return [unit.strip() for unit in units_of(text.casefold())]


def ratio(one: list[str], other: list[str]) -> float:
    return 2 * common_length(one, other) / (len(one) + len(other))


def fuzzy(sources: list[list[str]], example: list[str], text: list[str]) -> float:
    """The score as the module says it."""

    def told(units: set[str]) -> float:
        return float(sum(log((len(sources) + 2) / (sum(unit in each for each in sources) + 1)) for unit in units))

    known = {unit for each in sources for unit in each}
    own = told(set(text) & known) + sum(unit not in known for unit in text) * log(len(sources) + 2)
    information = 2 * told(set(text) & set(example)) / (own + told(set(example)))
    return 0.8 * ratio(example, text) + 0.2 * information


@given(PAIRS, SENTENCE, st.integers(1, 4))
def test_the_nearest_are_those_of_all(pairs: list[tuple[str, str]], text: str, limit: int) -> None:
    examples = examples_of_pairs(pairs)
    sources = [folded(source) for source in examples.sources]
    ranked = sorted(
        (
            -round(fuzzy(sources, sources[place], folded(text)), 9),
            -ratio(list(source.casefold()), list(text.casefold())),
            place,
        )
        for place, source in enumerate(examples.sources)
    )
    expected = [(place, -first) for first, _, place in ranked[:limit] if first < 0]
    found = open_memory(examples).nearest(text, limit)
    assert [place for place, _ in found] == [place for place, _ in expected]
    assert all(abs(own - other) < 1e-8 for (_, own), (_, other) in zip(found, expected, strict=True))


@given(SENTENCE, SENTENCE)
def test_an_example_with_its_differences_made_good_is_the_text(example: str, text: str) -> None:
    made, done = "", 0
    for each in differences(example, text):
        made += example[done : each.start] + f" {each.text} "
        done = each.stop
    made += example[done:]
    assert "".join(made.split()).casefold() == "".join(text.split()).casefold()


def test_marks_tell_the_differences_without_colour() -> None:
    memory = open_memory(examples_of_pairs([("Il fait un discours ici.", "He makes a speech here.")]))
    (found,) = memory.translations("Il fait un gros effort.", 1)
    near = found.evidence[0]
    assert near.marked == "Il fait un [-discours ici-]{+gros effort+}."  # type: ignore[union-attr]
    assert found.text == "He makes a speech here." and 0.5 < found.score < 0.7
    assert memory.translations("xyz", 1) == []


def test_the_score_is_one_where_only_case_and_spaces_differ() -> None:
    memory = open_memory(examples_of_pairs([("Salut !", "Hi!"), ("Salut", "Hi")]))
    (found,) = memory.translations("SALUT!", 1)
    assert (found.text, found.score, found.evidence[0].differences) == ("Hi!", 1.0, ())  # type: ignore[union-attr]


UNITS = st.lists(st.integers(0, 3), max_size=9)
TEXT = st.one_of(st.lists(st.integers(UNKNOWN, 3), max_size=9), st.lists(st.integers(0, 3), min_size=60, max_size=70))


@given(TEXT, st.lists(UNITS, min_size=1, max_size=6))
def test_many_at_a_time(text: list[int], others: list[list[int]]) -> None:
    offsets = np.concatenate(([0], np.cumsum([len(each) for each in others])))
    texts = UnitTexts({}, np.array([unit for each in others for unit in each], dtype=np.int32), offsets)
    found = common_lengths(np.array(text, dtype=np.int32), texts, np.arange(len(others)))
    assert found.tolist() == [common_length(text, other) for other in others]


@given(TEXT, UNITS)
def test_beside_the_stretches_both_are_the_same_and_longest(text: list[int], other: list[int]) -> None:
    found = stretches(text, other)
    common, made, done, seen = 0, [], 0, 0
    for start, stop, begin, end in found:
        assert text[done:start] == other[seen:begin]
        assert (start < stop or begin < end) and (done < start or not done)
        common += start - done
        made += [*text[done:start], *other[begin:end]]
        done, seen = stop, end
    assert common + len(text) - done == common_length(text, other)
    assert [*made, *text[done:]] == other


HELD_OUT_PAIRS = st.lists(
    st.tuples(st.sampled_from("abcdefghA"), st.sampled_from("tuvwxyzTa")), min_size=8, max_size=30
)


@given(HELD_OUT_PAIRS, st.integers(1, 3), st.integers(0, 5))
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
