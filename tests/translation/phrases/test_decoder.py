"""The decoder against all ways there are to put a translation together, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.translation.decoder import Decoder, DecoderLimits, WeightedOption

EVERYTHING = 100_000
WORDS = 3
LIMITS = (None, 0, 1, 2, 3)

Way: TypeAlias = tuple[float, tuple[int, ...]]


class Bigrams:
    """A language model whose state is the last word; -1 is none, and one more than all words the beginning."""

    def __init__(self, scores: Sequence[float]) -> None:
        self.scores = scores
        self.start = WORDS

    def follow(self, state: int, word: int) -> tuple[float, int]:
        return self.scores[(state + 1) * (WORDS + 1) + word], word

    def end(self, state: int) -> float:
        return self.scores[(state + 1) * (WORDS + 1) + WORDS]


figures = st.integers(-40, 0).map(lambda tenths: tenths / 10)
threes = st.tuples(figures, figures, figures)
models = st.lists(figures, min_size=(WORDS + 2) * (WORDS + 1), max_size=(WORDS + 2) * (WORDS + 1)).map(Bigrams)


@st.composite
def searches(draw: st.DrawFn) -> tuple[int, list[WeightedOption]]:
    length = draw(st.integers(1, 4))
    spans = [(begin, end) for begin in range(length) for end in range(begin + 1, length + 1)]
    found = draw(st.lists(st.sampled_from(spans), max_size=8))
    words = st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=3).map(tuple)
    return length, [
        WeightedOption(begin, end, draw(words), draw(figures), draw(threes), draw(threes), number)
        for number, (begin, end) in enumerate(found)
    ]


def all_ways(
    length: int, options: Sequence[WeightedOption], limit: int | None, weights: tuple[float, float], model: Bigrams
) -> list[Way]:
    """Every order of options that translates each word once, with its score by the definition, best first."""

    def goes_on(used: tuple[WeightedOption, ...], covered: frozenset[int]) -> Iterator[tuple[WeightedOption, ...]]:
        if len(covered) == length:
            yield used
            return
        gap = min(set(range(length)) - covered)
        last_end = used[-1].end if used else 0
        for option in options:
            own = range(option.begin, option.end)
            is_far = limit is not None and (
                abs(option.begin - last_end) > limit or (option.begin != gap and option.end - gap > limit)
            )
            if covered.isdisjoint(own) and not is_far:
                yield from goes_on((*used, option), covered | set(own))

    def score(used: tuple[WeightedOption, ...]) -> float:
        total, state = 0.0, model.start
        for number, option in enumerate(used):
            before = used[number - 1] if number else None
            begin, end = (before.begin, before.end) if before else (0, 0)
            turned = 0 if option.begin == end else 2
            if before and option.end == begin:
                turned = 1
            total += weights[1] * abs(option.begin - end) + option.score + option.before[turned]
            total += before.behind[turned] if before else 0
            for word in option.words:
                gain, state = model.follow(state, word)
                total += weights[0] * gain
        return total + weights[0] * model.end(state)

    ways = goes_on((), frozenset())
    return sorted(((score(used), tuple(option.number for option in used)) for used in ways), reverse=True)


@given(searches(), models, st.sampled_from(LIMITS), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, -0.3]))
def test_without_a_beam_all_ways_come_out_the_best_first(
    search: tuple[int, list[WeightedOption]], model: Bigrams, limit: int | None, weight: float, jump: float
) -> None:
    length, options = search
    expected = all_ways(length, options, limit, (weight, jump), model)
    decoder = Decoder(DecoderLimits(beam=None, distortion=limit), weight, jump)
    found = decoder.best(length, options, model, EVERYTHING)
    assert [each.score for each in found] == pytest.approx([score for score, _ in expected])
    ways = [tuple(option.number for option in each.options) for each in found]
    assert sorted(ways) == sorted(way for _, way in expected)
    scores = dict(zip((way for _, way in expected), (score for score, _ in expected), strict=True))
    assert [each.score for each in found] == pytest.approx([scores[way] for way in ways])
    assert decoder.best(length, options, model, 3) == found[:3]


@given(searches(), models, st.integers(1, 3), st.sampled_from(LIMITS))
def test_a_beam_gives_some_of_these_ways(
    search: tuple[int, list[WeightedOption]], model: Bigrams, beam: int, limit: int | None
) -> None:
    length, options = search
    scores = {way: score for score, way in all_ways(length, options, limit, (0.6, -0.1), model)}
    found = Decoder(DecoderLimits(beam=beam, distortion=limit), 0.6, -0.1).best(length, options, model, 5)
    for each in found:
        assert each.score == pytest.approx(scores[tuple(option.number for option in each.options)])


def test_a_beam_keeps_what_promises_most_at_the_end() -> None:
    """The first word is dear either way, and what is dearer at first is made up for by the language model."""
    options = [
        WeightedOption(0, 1, (0,), -1.0, (0, 0, 0), (0, 0, 0), 0),
        WeightedOption(0, 1, (1,), -1.5, (0, 0, 0), (0, 0, 0), 1),
        WeightedOption(1, 2, (2,), -1.0, (0, 0, 0), (0, 0, 0), 2),
    ]
    scores = [0.0] * ((WORDS + 2) * (WORDS + 1))
    scores[(0 + 1) * (WORDS + 1) + 2] = -5.0
    (best,) = Decoder(DecoderLimits(beam=10, width=10.0), 1.0, -1.0).best(2, options, Bigrams(scores), 1)
    assert [option.number for option in best.options] == [1, 2]
    assert best.score == pytest.approx(-2.5)


def test_what_no_option_covers_has_no_translation() -> None:
    option = WeightedOption(0, 1, (0,), 0.0, (0, 0, 0), (0, 0, 0), 0)
    model = Bigrams([0.0] * ((WORDS + 2) * (WORDS + 1)))
    decoder = Decoder(DecoderLimits(), 1.0, 0.0)
    assert decoder.best(2, [option], model, 5) == []
    assert decoder.best(1, [], model, 5) == []
    assert len(decoder.best(1, [option], model, 5)) == 1
