"""The language model of words against plain Python by the formulas of Chen & Goodman (1998)."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

import pytest
from corpora import generated_store, random_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import DatabaseDamaged
from corpusdb.base.jobs import finished
from corpusdb.base.text import units_of
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.models import load_word_model
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.paraphrase.word_model import ORDER, WordModel

Ngram = tuple[str, ...]


def _units(sentence: str) -> list[str]:
    return ["<s>", *(unit.strip() for unit in units_of(sentence)), "</s>"]


class _Plain:
    """Equations 4.21 to 4.24 of the technical report, word by word; the discounts and the vocabulary may be others'."""

    def __init__(self, sentences: Iterable[str], like: _Plain | None = None) -> None:
        self.counts: list[Counter[Ngram]] = [Counter() for _ in range(ORDER + 1)]
        for sentence in sentences:
            units = _units(sentence)
            for n in range(1, ORDER + 1):
                self.counts[n].update(tuple(units[at : at + n]) for at in range(len(units) - n + 1))
        self.adjusted = [Counter[Ngram](), *map(self._adjusted, range(1, ORDER + 1))]
        self.following: list[defaultdict[Ngram, list[int]]] = [defaultdict(list) for _ in range(ORDER + 1)]
        for n in range(1, ORDER + 1):
            for ngram, count in self.adjusted[n].items():
                self.following[n][ngram[:-1]].append(count)
        self.vocabulary: set[str] = like.vocabulary if like else {one for (one,) in self.counts[1]} - {"<s>"}
        self.discounts: list[list[float]] = like.discounts if like else [self._discount(n) for n in range(ORDER + 1)]

    def _adjusted(self, n: int) -> Counter[Ngram]:
        if n == ORDER:
            return self.counts[n]
        before = Counter(ngram[1:] for ngram in self.counts[n + 1])
        return before + Counter({each: often for each, often in self.counts[n].items() if n > 1 and each[0] == "<s>"})

    def _discount(self, n: int) -> list[float]:
        n1, n2, n3, n4 = (sum(count == often for count in self.adjusted[n].values()) for often in (1, 2, 3, 4))
        usual = [0, 0.5, 1, 1.5]
        if not (n1 and n2 and n3 and n4):
            return usual
        y = n1 / (n1 + 2 * n2)
        found = [0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
        in_order = 0 < found[1] <= found[2] <= found[3] and all(found[k] < k for k in (1, 2, 3))
        return found if in_order else usual

    def probability(self, unit: str, before: Ngram) -> float:
        n = len(before) + 1
        lower = self.probability(unit, before[1:]) if before else 1 / (len(self.vocabulary) + 1)
        following = self.following[n][before]
        if not following:
            return lower
        taken = self.discounts[n]
        count = self.adjusted[n][(*before, unit)]
        reserved = sum(taken[min(each, 3)] for each in following)
        return (count - taken[min(count, 3)] + reserved * lower) / sum(following)

    def score(self, sentence: str) -> float:
        units = [unit if unit == "<s>" or unit in self.vocabulary else "<unk>" for unit in _units(sentence)]
        places = range(1, len(units))
        return sum(math.log10(self.probability(units[at], tuple(units[max(at - 3, 0) : at]))) for at in places)


_WORDS = st.sampled_from(["a", "b", "c", "d", "I'm", "日本", "."])
_SENTENCES = st.lists(st.lists(_WORDS, min_size=1, max_size=7).map(" ".join), min_size=1, max_size=40, unique=True)


@given(_SENTENCES, st.lists(st.lists(_WORDS | st.just("x"), min_size=1, max_size=6).map(" ".join), max_size=5))
def test_scores_are_those_of_the_formulas(sentences: list[str], texts: list[str]) -> None:
    model, plain = WordModel.trained(sentences), _Plain(sentences)
    scored = [*sentences, *texts]
    assert model.scores(scored) == pytest.approx([plain.score(each) for each in scored], abs=1e-9)


@given(_SENTENCES, st.data())
def test_a_gain_is_that_of_a_model_which_has_not_seen_the_two(sentences: list[str], data: st.DataObject) -> None:
    texts = st.sampled_from([*sentences, "a x", "b b c ."])
    pairs = data.draw(st.lists(st.tuples(texts, texts).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=9))
    whole, expected = _Plain(sentences), []
    for seed, text in pairs:
        rest = _Plain([each for each in sentences if each not in (seed, text)], like=whole)
        expected.append(rest.score(text) - rest.score(seed))
    seeds, others = map(list, zip(*pairs, strict=True))
    assert WordModel.trained(sentences).figures(seeds, others)[0] == pytest.approx(expected, abs=1e-9)


_CORPUS = (
    """
Give me a glass of water.|Give me a cup of tea.|Give me the cup.|I'd like a cup of tea.|Tom's got a cup.|Tea with milk?
I don't like water.|I don't like tea.|Don't give me that.|I like tea.|I like water.|Do you have a cup of water?|Tea?
""".strip()
    .replace("\n", "|")
    .split("|")
)


@given(_SENTENCES, st.data())
def test_what_is_attested_is_counted_without_the_two(sentences: list[str], data: st.DataObject) -> None:
    texts = st.lists(_WORDS | st.just("x"), min_size=1, max_size=6).map(" ".join) | st.sampled_from(sentences)
    different = st.tuples(texts, texts).filter(lambda pair: pair[0] != pair[1])
    pairs = data.draw(st.lists(different, min_size=1, max_size=6))
    known = {unit for sentence in sentences for unit in _units(sentence)}
    model, whole = WordModel.trained(sentences), _Plain(sentences)
    _, found = model.figures(*map(list, zip(*pairs, strict=True)))
    for pair, row in zip(pairs, found.tolist(), strict=True):
        rest = _Plain(each for each in sentences if each not in pair)
        sides = [[unit if unit in known else "<unk>" for unit in _units(each)] for each in reversed(pair)]
        assert row == pytest.approx([*_attested(rest, sides), *_alike(whole, sides)]), pair


def _alike(whole: _Plain, sides: list[list[str]]) -> list[float]:
    """By the bigrams of all sentences: the cosine of those before the units with which two texts begin to differ, and
    of those after the units with which they cease to."""
    begin, stops = _differing(sides)
    found: list[float] = []
    for step, units in (
        (-1, [side[min(begin, len(side) - 1)] for side in sides]),
        (1, [side[max(stop - 1, 0)] for side, stop in zip(sides, stops, strict=True)]),
    ):
        bigrams = {pair[::step]: count for pair, count in whole.adjusted[2].items()}
        sums: Counter[tuple[int, str]] = Counter()
        for pair, count in bigrams.items():
            sums.update(dict.fromkeys(enumerate(pair), count))
        vectors: list[dict[str, float]] = [{}, {}]
        for (unit, other), count in bigrams.items():
            often = count * sum(bigrams.values()) / (sums[0, unit] * sums[1, other])
            for vector, wanted in zip(vectors, units, strict=True):
                if unit == wanted:
                    vector[other] = math.log1p(often) * math.sqrt(count / (count + 1))
        sizes = [math.sqrt(sum(value**2 for value in vector.values())) for vector in vectors]
        product = sum(value * vectors[1].get(other, 0) for other, value in vectors[0].items())
        found.append(round(64 * product / (sizes[0] * sizes[1])) if all(sizes) else 0)
    return found


def _differing(sides: list[list[str]]) -> tuple[int, list[int]]:
    """Where two texts begin to differ, and where either ceases to."""
    least = min(map(len, sides))
    begin = next((at for at in range(least) if sides[0][at] != sides[1][at]), least)
    after = next((at for at in range(least) if sides[0][-1 - at] != sides[1][-1 - at]), least)
    return begin, [len(units) - min(after, least - begin) for units in sides]


def _attested(rest: _Plain, sides: list[list[str]]) -> list[int]:
    """The others of ATTESTED, of a text and its seed, by the counts of the other sentences."""
    begin, stops = _differing(sides)
    row: list[float] = []
    for n in range(2, ORDER + 1):
        logs = [
            [
                math.log1p(rest.adjusted[n][tuple(units[last - n + 1 : last + 1])])
                for last in range(max(begin, n - 1), min(stop + n - 1, len(units)))
            ]
            for units, stop in zip(sides, stops, strict=True)
        ]
        (low, high, unseen, total), there = (
            (min(of, default=0), max(of, default=0), of.count(0), sum(of)) for of in logs
        )
        row += [high] if n == ORDER else [low, high, unseen, low - there[0]]
        row += [unseen - there[2], total - there[3]]
    return [max(-127, min(127, round(8 * value))) for value in row]


@given(_SENTENCES, st.lists(_WORDS | st.just("x"), min_size=1, max_size=6).map(" ".join))
def test_where_a_text_stands_is_counted(sentences: list[str], text: str) -> None:
    wanted = _units(text)[1:-1]
    size = len(wanted)
    stands = [
        units[at - 1] for units in map(_units, sentences) for at in range(len(units)) if units[at : at + size] == wanted
    ]
    expected = stands.count("<s>") + len(set(stands)) if size < ORDER else len(stands) if size == ORDER else 0
    assert WordModel.trained(sentences).standing([text, text]).tolist() == [expected] * 2


@pytest.mark.parametrize("before", ["", "Give", "Give me", "Give me a", "a cup of", "of a cup", "x", "Tea x"])
def test_what_the_scores_are_held_against_adds_up_to_one(before: str) -> None:
    plain = _Plain(_CORPUS)
    known = ["<s>", *(unit if unit in plain.vocabulary else "<unk>" for unit in before.split())]
    chances = [plain.probability(unit, tuple(known[-3:])) for unit in [*plain.vocabulary, "<unk>"]]
    assert min(chances) > 0
    assert sum(chances) == pytest.approx(1)
    texts = [f"{before} {unit}".strip() for unit in sorted(plain.vocabulary - {"</s>"})]
    assert WordModel.trained(_CORPUS).scores(texts) == pytest.approx([plain.score(each) for each in texts])


def test_the_order_of_sentences_does_not_matter_and_what_is_packed_comes_back() -> None:
    model = WordModel.trained(_CORPUS)
    assert WordModel.trained(_CORPUS[::-1]).packed() == model.packed()
    again = WordModel.unpacked(model.packed())
    texts = [*_CORPUS, "Give me a cup of water.", "unknown"]
    assert again.sizes == model.sizes
    assert again.packed() == model.packed()
    assert again.scores(texts).tolist() == model.scores(texts).tolist()


def test_more_texts_than_are_scored_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = WordModel.trained(_CORPUS)
    seeds, texts = _CORPUS[:-1], _CORPUS[1:]
    scores, gains = model.scores(_CORPUS), model.figures(seeds, texts)[0]
    monkeypatch.setattr("corpusdb.paraphrase.word_model._TEXTS_AT_ONCE", 5)
    again = WordModel.trained(_CORPUS)
    assert again.packed() == model.packed()
    assert again.scores(_CORPUS).tolist() == scores.tolist()
    assert again.figures(seeds, texts)[0].tolist() == gains.tolist()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("Give me a cup of water.", "Give me a a cup of water."),
        ("I don't like tea?", "I do like don't tea?"),
        ("Give me a cup.", "Give me cup a."),
    ],
)
def test_what_nobody_says_is_less_probable(better: str, worse: str) -> None:
    scores = WordModel.trained(_CORPUS).scores([better, worse])
    assert scores[0] > scores[1] + 1


def test_without_sentences_all_units_are_the_same_and_without_texts_there_is_nothing_to_score() -> None:
    model = WordModel.trained(["a"])
    assert len(model.scores([])) == 0
    assert len(model.figures([], [])[0]) == 0
    assert model.figures(["a"], ["b"])[0] == pytest.approx([0])
    nothing = WordModel.trained([])
    assert nothing.figures(["a"], ["a b"])[0] == pytest.approx([math.log10(1 / 2)])
    assert WordModel.unpacked(nothing.packed()).sizes == nothing.sizes == (0, 3, 0, 0, 0)


# The model that the database keeps, and the gains beside the validity.


_ROWS = random_rows(random.Random(1), 120, "abcd", 20)


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr("corpusdb.paraphrase.word_model.LEAST_SENTENCES", 1)
    with generated_store(tmp_path, _ROWS) as store:
        yield store


_PAIRS = "select seed.text, candidate.text, word_gain from candidate join seed on seed.id = candidate.seed"


@pytest.mark.slow
def test_the_stored_model_is_that_of_the_sentences_and_gives_the_stored_gains(judged: Store) -> None:
    sentences = [text for _, text in sentences_after(judged, "eng", 0)]
    model = load_word_model(judged, "eng")
    assert model is not None
    assert model is load_word_model(judged, "eng"), "it is read once"
    assert model.packed() == WordModel.trained(sentences).packed()
    assert load_word_model(judged, "fra") is None
    seeds, texts, gains = map(list, zip(*judged.connection.execute(_PAIRS), strict=True))
    assert len(set(gains)) > 20
    whole = _Plain(sentences)
    for seed, text, gain in random.Random(1).sample([*zip(seeds, texts, gains, strict=True)], 20):
        rest = _Plain([each for each in sentences if each not in (seed, text)], like=whole)
        assert gain == pytest.approx(rest.score(text) - rest.score(seed), abs=0.0051)


@pytest.mark.slow
def test_seeds_that_are_not_in_the_corpus_have_gains(judged: Store) -> None:
    known = {text for _, text in sentences_after(judged, "eng", 0)}
    model, told = load_word_model(judged, "eng"), 0
    assert model is not None
    for seed in sorted({" ".join(words) for words in product("abcd", repeat=3)} - known):
        found = paraphrases(judged, seed, "eng", limit=0, kept=NO_FILTER)
        gains = model.figures([seed] * len(found), [each.text for each in found])[0]
        assert [each.word_gain for each in found] == pytest.approx(gains, abs=0.0051)
        told += len(found)
    assert told > 20


@pytest.mark.parametrize("change", ["model = zeroblob(length(model))", "checksum = checksum + 1"])
@pytest.mark.slow
def test_a_damaged_model_is_found_and_refused(judged: Store, change: str) -> None:
    assert check(judged).ok
    judged.connection.execute(f"update word_model set {change}")
    with pytest.raises(DatabaseDamaged, match="word model of eng"):
        load_word_model(judged, "eng")
    assert "the word model of eng is not the one that was written" in check(judged).problems
    finished(repair(judged))
    assert check(judged, full=True).ok
    assert load_word_model(judged, "eng") is not None


@pytest.mark.slow
def test_few_sentences_have_no_model(tmp_path: Path) -> None:
    with generated_store(tmp_path, random_rows(random.Random(2), 60, "abcd", 20)) as store:
        assert load_word_model(store, "eng") is None
        assert {gain for *_, gain in store.connection.execute(_PAIRS)} == {None}
