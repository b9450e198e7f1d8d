"""The decoder against all ways there are, the phrases that it puts together, and texts made of tokens."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from math import log
from typing import NamedTuple, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.arrays import I64
from corpusdb.base.errors import InputError
from corpusdb.search.token_corpus import token_spans, tokenise
from corpusdb.translation.decoder import (
    LONGEST,
    Decoder,
    DecoderLimits,
    LinkedBitext,
    NumberedBitext,
    SortedPlaces,
    WeightedOption,
    stream_of,
)
from corpusdb.translation.phrase_choices import OptionLimits, PhraseSource, Spacing, written_text

# The decoder against all ways there are to put a translation together, one by one.


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


KINDS = 3


class Pair(NamedTuple):
    source: list[int]
    target: list[int]
    links: list[tuple[int, int]]


@st.composite
def linked_pairs(draw: st.DrawFn) -> Pair:
    source, target = (draw(st.lists(st.integers(0, KINDS - 1), min_size=1, max_size=6)) for _ in range(2))
    links = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return Pair(source, target, sorted(draw(st.lists(links, unique=True, max_size=8))))


bitexts = st.lists(linked_pairs(), min_size=1, max_size=5)


def lengths_of(parts: Sequence[Sequence[object]]) -> I64:
    return np.array(list(map(len, parts)), dtype=np.int64)


def numbered(pairs: list[Pair]) -> NumberedBitext:
    sides = [
        (np.array([word for text in texts for word in text], dtype=np.int32), lengths_of(texts))
        for texts in ([pair.source for pair in pairs], [pair.target for pair in pairs])
    ]
    links = np.array([link for pair in pairs for link in pair.links], dtype=np.int32).reshape(-1, 2)
    return NumberedBitext(*sides[0], *sides[1], links, lengths_of([pair.links for pair in pairs]))


def phrases_at(pair: Pair, begin: int, end: int, longest: int) -> list[tuple[int, int]]:
    """The target phrases of a source phrase: consistent with the links, with none or some free words at each edge."""
    inside = [theirs for own, theirs in pair.links if begin <= own < end]
    if not inside:
        return []
    low, high = min(inside), max(inside) + 1
    if high - low > longest or any(low <= theirs < high and not begin <= own < end for own, theirs in pair.links):
        return []
    linked = {theirs for _, theirs in pair.links}
    found = []
    for left, right in product((0, 1), (0, 1)):
        edges = [low - left] * left + [high] * right
        if all(0 <= place < len(pair.target) and place not in linked for place in edges) and (
            high - low + left + right <= longest
        ):
            found.append((low - left, high + right))
    return found


@given(bitexts, st.lists(st.integers(0, KINDS), min_size=1, max_size=5), st.integers(1, 4))
def test_options_are_the_phrases_of_all_places(pairs: list[Pair], sentence: list[int], longest: int) -> None:
    limits = OptionLimits(longest=longest, sample=1000, options=1000)
    asked = [None if word == KINDS else word for word in sentence]
    present = {word for pair in pairs for word in pair.source}
    asked = [word if word in present else None for word in asked]
    options = PhraseSource(LinkedBitext(numbered(pairs)), limits).options(asked)
    expected: dict[tuple[int, int, tuple[int, ...]], float] = defaultdict(float)
    seen: Counter[tuple[int, int]] = Counter()
    for begin in range(len(asked)):
        for end in range(begin + 1, min(len(asked), begin + longest) + 1):
            for pair in pairs:
                for place in range(len(pair.source) - (end - begin) + 1):
                    if pair.source[place : place + end - begin] == asked[begin:end]:
                        seen[begin, end] += 1
                        found = phrases_at(pair, place, place + end - begin, longest)
                        for low, high in found:
                            expected[begin, end, tuple(pair.target[low:high])] += 1 / len(found)
    known = {(each.begin, each.end, each.words): each for each in options if not each.is_copied}
    assert known.keys() == expected.keys()
    for key, share in expected.items():
        option = known[key]
        assert option.looked_at == seen[key[:2]]
        assert option.features[0] == pytest.approx(log(share / (option.looked_at + 0.5)))
        assert option.features[6:] == (1.0, float(len(option.words)), 0.0)
        assert option.pair is not None
        assert all(word in pairs[option.pair].target for word in option.words)
        assert np.exp(option.before).sum() == pytest.approx(1)
        assert np.exp(option.behind).sum() == pytest.approx(1)
    copied = [each.begin for each in options if each.is_copied]
    singles = {begin for begin, end, _ in expected if end == begin + 1}
    assert copied == [place for place in range(len(asked)) if place not in singles]


@given(st.lists(st.lists(st.integers(0, KINDS - 1), max_size=12), max_size=6), st.integers(1, LONGEST))
def test_phrases_are_found_and_counted_where_they_stand(texts: list[list[int]], longest: int) -> None:
    words = np.array([word for text in texts for word in text], dtype=np.int32)
    stream, places = stream_of(words, np.array(list(map(len, texts)), dtype=np.int64))
    assert (stream[places] == words + 1).all()
    whole = "".join(map(chr, stream.tolist()))
    index = SortedPlaces(stream, longest)
    for text in [*texts, [0, 0, 0], [KINDS - 1, 0]]:
        wanted = [word + 1 for word in text]
        intervals = list(index.intervals(wanted, longest))
        for length, low, high in intervals:
            phrase = "".join(map(chr, wanted[:length]))
            expected = [place for place in range(len(whole)) if whole.startswith(phrase, place)]
            assert sorted(index.sample(low, high, 1000).tolist()) == expected
            at, lengths = np.array(expected), np.full(len(expected), length)
            numbers = index.numbers(at, lengths)
            assert len(set(numbers.tolist())) == 1
            assert (index.counts(numbers, lengths) == len(expected)).all()
            assert set(index.sample(low, high, 2).tolist()) <= set(expected)
        longer = len(intervals) + 1
        if longer <= min(len(wanted), longest):
            assert "".join(map(chr, wanted[:longer])) not in whole


def test_orientations_are_those_of_the_links() -> None:
    """In the first pair both words stand in order, in the second they are swapped."""
    pairs = [Pair([0, 1], [0, 1], [(0, 0), (1, 1)]), Pair([0, 1], [1, 0], [(0, 1), (1, 0)])]
    options = PhraseSource(LinkedBitext(numbered(pairs)), OptionLimits()).options([0, 1])
    first = {each.words: each for each in options if (each.begin, each.end) == (0, 1)}
    assert first.keys() == {(0,)}
    # One in order, one swapped, and three more by their usual shares of 0.6, 0.1 and 0.3.
    assert np.exp(first[0,].before) == pytest.approx([2.8 / 5, 1.3 / 5, 0.9 / 5])
    assert np.exp(first[0,].behind) == pytest.approx([2.8 / 5, 0.3 / 5, 1.9 / 5])
    swapped = PhraseSource(LinkedBitext(numbered(pairs[1:])), OptionLimits()).options([0, 1])
    (first_word,) = (each for each in swapped if (each.begin, each.end) == (0, 1))
    (second_word,) = (each for each in swapped if (each.begin, each.end) == (1, 2))
    assert np.exp(first_word.before) == pytest.approx([1.8 / 4, 1.3 / 4, 0.9 / 4])
    assert np.exp(second_word.behind) == pytest.approx([1.8 / 4, 1.3 / 4, 0.9 / 4])


def word_figures(pairs: list[Pair]) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
    """p(target | source) and p(source | target) of words by their links; -1 stands for nothing."""
    linked: Counter[tuple[int, int]] = Counter()
    for source, target, links in pairs:
        linked.update((source[own], target[theirs]) for own, theirs in links)
        linked.update((word, -1) for place, word in enumerate(source) if place not in {own for own, _ in links})
        linked.update((-1, word) for place, word in enumerate(target) if place not in {theirs for _, theirs in links})
    sources, targets = Counter[int](), Counter[int]()
    for (own, theirs), count in linked.items():
        sources[own] += count
        targets[theirs] += count
    forward = {key: count / sources[key[0]] for key, count in linked.items() if key[0] >= 0}
    return forward, {key: count / targets[key[1]] for key, count in linked.items() if key[1] >= 0}


@given(bitexts, st.lists(st.integers(0, KINDS - 1), min_size=1, max_size=4))
def test_words_of_phrases_are_judged_by_their_links(pairs: list[Pair], sentence: list[int]) -> None:
    present = {word for pair in pairs for word in pair.source}
    asked = [word for word in sentence if word in present]
    options = PhraseSource(LinkedBitext(numbered(pairs)), OptionLimits(options=1000)).options(asked)
    forward, backward = word_figures(pairs)
    for each in options:
        if each.is_copied:
            continue
        own = asked[each.begin : each.end]
        expected = (
            sum(log(max(1e-4, *(forward.get((f, e), 0) for f in own))) for e in each.words),
            sum(log(max(1e-4, *(backward.get((f, e), 0) for e in each.words))) for f in own),
            sum(log(max(1e-4, *(forward.get((f, e), 0) for e in (-1, *each.words)))) for f in own),
            sum(log(max(1e-4, *(backward.get((f, e), 0) for f in (-1, *own)))) for e in each.words),
        )
        assert each.features[2:6] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_links_outside_of_texts_are_refused() -> None:
    with pytest.raises(InputError, match="outside"):
        LinkedBitext(numbered([Pair([0], [0], [(1, 0)]), Pair([0, 1], [0], [])]))


def test_a_bitext_without_links_gives_copies_alone() -> None:
    options = PhraseSource(LinkedBitext(numbered([Pair([0, 1], [1], [])])), OptionLimits()).options([0, 1, None])
    assert [(each.begin, each.end, each.is_copied) for each in options] == [(0, 1, True), (1, 2, True), (2, 3, True)]


def test_an_empty_bitext_gives_copies_alone() -> None:
    options = PhraseSource(LinkedBitext(numbered([])), OptionLimits()).options([None, None])
    assert [each.words for each in options] == [(-1,), (-2,)]


ENGLISH = [
    "I don't know Tom's house.",
    'He said, "Let\'s go home."',
    "Let me go, will you?",
    "The well-known man (a friend) left.",
    "Let's go.",
]
FRENCH = ["L'eau est froide.", "Où est-il ?", "J'ai dit : « Non ! »", "C'est l'ami de Tom."]
JAPANESE = ["私は学校へ行きます。", "彼は「はい」と言った。"]


def spacing(texts: list[str]) -> Spacing:
    return Spacing((text, token_spans(text)) for text in texts)


@pytest.mark.parametrize("texts", [ENGLISH, FRENCH, JAPANESE])
def test_what_was_seen_is_written_as_it_was(texts: list[str]) -> None:
    for text in texts:
        assert spacing(texts).joined(tokenise(text)) == text


@pytest.mark.parametrize(
    ("texts", "tokens", "expected"),
    [
        (ENGLISH, ["Tom", "'s", "dog", "did", "n't", "let", "my", "dog", "go", "."], "Tom's dog didn't let my dog go."),
        (ENGLISH, ['"', "Go", "home", '"', ",", "he", "said", "."], '"Go home", he said.'),
        (FRENCH, ["l'", "ami", "froid", "est", "là", "?"], "l'ami froid est là ?"),
        (JAPANESE, ["学校", "は", "近い", "。"], "学校は近い。"),
    ],
)  # fmt: skip
def test_what_was_not_seen_follows_what_either_token_allows(texts: list[str], tokens: list[str], expected: str) -> None:
    assert spacing(texts).joined(tokens) == expected


@given(st.lists(st.text("ab.'\"", min_size=1, max_size=3), max_size=6))
def test_no_token_is_lost(tokens: list[str]) -> None:
    joined = spacing(ENGLISH).joined(tokens)
    assert joined.replace(" ", "") == "".join(tokens)


def test_capitals_are_those_of_names_and_of_beginnings() -> None:
    forms = {"tom": "Tom", "i": "I"}
    tokens = ["yes", ".", "i", "know", "tom", "."]
    assert written_text(tokens, forms, spacing(ENGLISH), capital=True) == "Yes. I know Tom."
    quoted = ['"', "go", "?", '"', "he", "said", ".", '"', "no", "."]
    assert written_text(quoted, forms, spacing(ENGLISH), capital=True).split() == ['"Go?"', "he", "said.", '"No.']
    assert written_text(tokens[:1], forms, spacing(ENGLISH), capital=False) == "yes"
    assert written_text([], forms, spacing(ENGLISH), capital=True) == ""
