"""chrF and TER: sacrebleu's own scores through our statistics, the published ones of WMT21, and edits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.arrays import F64
from corpusdb.base.errors import UsageError
from corpusdb.scoring import character_f
from corpusdb.scoring import metric as counting
from corpusdb.scoring.character_f import matched_ngrams
from corpusdb.scoring.edit_rate import LONGEST, Pair, cut_as_tercom, edits_of
from corpusdb.scoring.measures import measures
from corpusdb.scoring.metric import Measure, References, Sequences
from corpusdb.scoring.metrics import settings_for, with_chrf_options, with_ter_options

metrics: Any = pytest.importorskip("sacrebleu.metrics")
HYPOTHESES = ["The cat sat on a mat.", "", "Nothing in common", "on the mat the cat sat"]
REFERENCES = [["The cat sat on the mat.", "a cat is here"], ["empty"], ["xyz"], ["The cat sat on the mat", "x", "y z"]]


def measure_of(name: str, references: Sequence[Sequence[str]], *, lowercase: bool = False) -> Measure:
    (found,) = measures([settings_for(name, lowercase=lowercase)], references)
    return found


def check_scores(ours: Measure, theirs: Any, hypotheses: list[str], references: Sequence[Sequence[str]]) -> None:
    """Those of the corpus and of its sentences."""
    statistics: F64 = np.asarray(ours.statistics(hypotheses), dtype=np.float64)
    most = max(map(len, references))
    ranks = [[texts[rank] if rank < len(texts) else None for texts in references] for rank in range(most)]
    expected = theirs.corpus_score(hypotheses, ranks).score
    assert float(ours.scores(statistics.sum(axis=0))) == pytest.approx(expected, rel=0, abs=1e-9)
    sentences = [theirs.sentence_score(*pair).score for pair in zip(hypotheses, references, strict=True)]
    assert ours.scores(statistics) == pytest.approx(np.array(sentences), rel=0, abs=1e-9)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", ["chrf", "chrf++", "ter"])
def test_scores_are_those_of_sacrebleu(name: str, lowercase: bool) -> None:
    options = {"lowercase": lowercase, "word_order": 2 * (name == "chrf++")}
    theirs = metrics.TER(case_sensitive=not lowercase) if name == "ter" else metrics.CHRF(**options)
    ours = measure_of(name, REFERENCES, lowercase=lowercase)
    check_scores(ours, theirs, HYPOTHESES, REFERENCES)
    statistics = ours.statistics(HYPOTHESES)
    assert ours.scores(np.stack([statistics] * 3).astype(np.float64)).shape == (3, 4)


# Few letters, so that texts share them; half a surrogate pair; spaces that are no ASCII; letters that fold to two.
LETTERS = st.sampled_from("abAB.,!( \t\u3000\u00a0\u2028\x1fñÑİßœжЖ我们がカ한\u0301😀\ud800")
TEXTS = st.text(LETTERS, max_size=25)
SEGMENTS = st.lists(st.tuples(TEXTS, st.lists(TEXTS.filter(str.strip), min_size=1, max_size=3)), min_size=1, max_size=4)


@given(
    segments=SEGMENTS,
    orders=st.tuples(st.integers(1, 9), st.integers(0, 4)),
    beta=st.integers(0, 4),
    lowercase=st.booleans(),
)
@example(segments=[("A cat.", ["a cat", "the cat."])], orders=(6, 2), beta=2, lowercase=False)
def test_chrf_of_any_texts(
    segments: list[tuple[str, list[str]]], orders: tuple[int, int], beta: int, lowercase: bool
) -> None:
    hypotheses, references = [own for own, _ in segments], [texts for _, texts in segments]
    theirs = metrics.CHRF(*orders, beta, lowercase=lowercase)
    settings = with_chrf_options(settings_for("chrf", lowercase=lowercase), *orders, beta)
    (ours,) = measures([settings], references)
    check_scores(ours, theirs, hypotheses, references)
    name = theirs.corpus_score(["a"], [["a"]]).name
    assert (ours.label, settings.metric == "chrf++") == (name, orders[1] == 2)


TERCOM = st.text("ab .,'-2\u4e2d\u56fd\u3042\u30a2\u3002\uff0c\u3010&;", max_size=20)


@given(
    segments=st.lists(
        st.tuples(TERCOM, st.lists(TERCOM.filter(str.strip), min_size=1, max_size=3)), min_size=1, max_size=4
    ),
    options=st.tuples(*[st.booleans()] * 4),
)
@example(segments=[("b", ["..."]), ("!", ["?"]), ("b b", ["a", "."])], options=(False, False, True, False))
@example(
    segments=[("\u4e2d\u56fd\u3002 a's", ["\u56fd\u4e2d\uff0c a 's-2", "\u3010a"])], options=(True, True, True, True)
)
def test_ter_of_any_texts_with_all_options(
    segments: list[tuple[str, list[str]]], options: tuple[bool, bool, bool, bool]
) -> None:
    hypotheses, references = [own for own, _ in segments], [texts for _, texts in segments]
    names = ("case_sensitive", "normalized", "no_punct", "asian_support")
    theirs = metrics.TER(**dict(zip(names, options, strict=True)))
    (ours,) = measures([with_ter_options(settings_for("ter"), *options)], references)
    check_scores(ours, theirs, hypotheses, references)
    statistics = ours.statistics(hypotheses)
    kept = ours.statistics_of_scores(ours.scores(statistics))
    assert statistics[:, 1].all() == (kept is not None) and (kept is None or np.array_equal(kept, statistics))
    told = theirs.get_signature().info
    expected = {f"{name}:{'yes' if told[name] else 'no'}" for name in ("norm", "punct", "asian")}
    assert expected <= set(str(ours.signature("0" * 16)).split("|"))


def test_orders_too_high_for_the_units_are_refused() -> None:
    with pytest.raises(UsageError, match="give a lower order"):
        matched_ngrams(Sequences(np.arange(2000), np.array([2000])), References.of([["a"]], list), 12)


UNITS = st.text("abc", max_size=9)


@given(
    segments=st.lists(st.tuples(UNITS, st.lists(st.text("abcx", min_size=1, max_size=9), min_size=1, max_size=3))),
    order=st.integers(1, 7),
    batch=st.sampled_from([1, 30, 1 << 15]),
    together=st.integers(1, 3),
)
def test_matched_ngrams_as_counted_one_by_one(segments: list[Any], order: int, batch: int, together: int) -> None:
    segments = [("ab", ["ab", "x"]), *segments]
    references = References.of([texts for _, texts in segments], list)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_BATCH", batch)
        patch.setattr(character_f, "_MOST_TOGETHER", together)
        found = matched_ngrams(references.encode([own for own, _ in segments]), references, order)
    counted = [
        [(ngrams(own, n) & ngrams(text, n)).total() for n in range(1, order + 1)]
        for own, texts in segments
        for text in texts
    ]
    assert found.tolist() == counted


def ngrams(text: str, n: int) -> Counter[str]:
    return Counter(text[first : first + n] for first in range(len(text) - n + 1))


@pytest.mark.slow
def test_a_long_text_of_many_characters() -> None:
    """So many different ones that what brings n-grams together does not fit in one number with their places."""
    characters = [chr(0x4E00 + number * 7 % 20_000) for number in range(20_000)]
    text, other = "".join(characters), "".join(characters[100:] + characters[:100])
    check_scores(measure_of("chrf", [[other]]), metrics.CHRF(), [text], [[other]])


@pytest.mark.parametrize("name", ["chrf", "chrf++"])
def test_other_references_are_drawn(name: str) -> None:
    both = [REFERENCES[0], REFERENCES[3][:2]]
    drawn = list(measure_of(name, both).resampled(40, seed=1))
    assert {each.counts for each in drawn} == {(1, 1), (1, 2), (2, 1), (2, 2)}
    chosen = {str(each.statistics(HYPOTHESES[2:])) for each in drawn if each.counts == (1, 1)}
    single = [measure_of(name, [[one], [other]]) for one in both[0] for other in both[1]]
    assert chosen == {str(each.statistics(HYPOTHESES[2:])) for each in single}


_TER_OPTIONS = [*product([False, True], repeat=4)]


@pytest.mark.parametrize(
    "options",
    [pytest.param(each, marks=[pytest.mark.slow] * (sum(each) not in (0, 4))) for each in _TER_OPTIONS],
    ids=str,
)
@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 31])
def test_words_of_ter_are_those_of_tercom(options: tuple[bool, bool, bool, bool], step: int) -> None:
    """Characters of the first planes between others, all or each so manieth, and texts in which rules meet."""
    names = ("case_sensitive", "normalized", "no_punct", "asian_support")
    theirs = metrics.TER(**dict(zip(names, options, strict=True))).tokenizer
    settings = with_ter_options(settings_for("ter"), *options)
    starts = [*range(0xD800), *range(0xE000, 0x20000, 7)]
    texts = [f"A{chr(each)}1.{chr(each)}か{chr(each)}'s x" for each in [*starts[:0x180], *starts[0x180::step]]]
    texts += [
        "かな",
        "カナ",
        "ㇰㇱ",
        "\n-a\nb&amp;lt;",
        "1-2,3.4,.5 it's 's's a'S",
        "&quot;&lt;&gt;!?(x):;",
        "",
        " ",
        "'s",
    ]
    assert [" ".join(cut_as_tercom(text, settings)) for text in texts] == [theirs(text.rstrip()) for text in texts]


# The edits of TER, held against sacrebleu's own search, ties of its beam and limits included.


EditRate = Callable[[list[str], list[str]], tuple[int, int]]


@pytest.fixture(scope="module")
def peer() -> EditRate:
    found: EditRate = pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate
    return found


def expected(peer: EditRate, pairs: Sequence[Pair]) -> list[int]:
    return [peer(list(hypothesis), list(reference))[0] for hypothesis, reference in pairs]


def drawn(seed: int, *, words: int, most: int, pairs: int) -> list[Pair]:
    """Hypotheses that are references with runs moved, and words left out, put in and replaced."""
    rng = random.Random(seed)
    found: list[Pair] = []
    for _ in range(pairs):
        reference = [str(rng.randrange(words)) for _ in range(rng.randint(1, most))]
        text = list(reference)
        for _ in range(rng.randint(0, 3)):
            start, stop = sorted(rng.choices(range(len(text) + 1), k=2))
            run, text = text[start:stop], text[:start] + text[stop:]
            place = rng.randint(0, len(text))
            text = text[:place] + run + text[place:]
        kept = [word if rng.random() > 0.1 else str(rng.randrange(words)) for word in text if rng.random() > 0.1]
        found.append((kept + [str(rng.randrange(words))] * rng.randint(0, 2), reference))
    return found


@pytest.mark.parametrize(
    ("words", "most"), [(4, 9), (12, 20), *(pytest.param(40, most, marks=pytest.mark.slow) for most in (70, 140))]
)
@pytest.mark.parametrize("seed", range(4))
def test_the_edits_are_those_of_sacrebleu(peer: EditRate, words: int, most: int, seed: int) -> None:
    pairs = drawn(seed, words=words, most=most, pairs=40 if most < 50 else 560 // most)
    assert edits_of(pairs).tolist() == expected(peer, pairs)


WORDS = st.lists(st.sampled_from("abcdef"), max_size=14)


@given(pairs=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6))
def test_any_texts(pairs: list[Pair]) -> None:
    peer = pytest.importorskip("sacrebleu.metrics.lib_ter").translation_edit_rate
    assert edits_of(pairs).tolist() == expected(peer, pairs)


@pytest.mark.slow
def test_lengths_far_apart_widen_the_beam_and_many_moves_are_not_tried(peer: EditRate) -> None:
    rng = random.Random(1)
    far = [(["a", "b"], ["a"] * 130), (["x"] * 90, ["x", "y"]), (["b"], ["a"] * 60 + ["b"])]
    same = [rng.choice("ab") for _ in range(40)]
    many = [(same, same[20:] + same[:20]), (same[::-1], same)]
    pairs: list[Pair] = [*far, *many]
    assert edits_of(pairs).tolist() == expected(peer, pairs)


def test_no_words() -> None:
    assert edits_of([([], []), (["a", "b"], []), ([], ["a"]), (["a"], ["a"])]).tolist() == [0, 2, 1, 0]
    assert edits_of([]).tolist() == []
    with pytest.raises(ValueError, match="more than"):
        edits_of([(["a"] * (LONGEST + 1), ["a"])])


@pytest.mark.slow
def test_pairs_do_not_depend_on_those_beside_them() -> None:
    pairs = drawn(9, words=8, most=15, pairs=300)
    alone = [int(edits_of([pair])[0]) for pair in pairs]
    assert edits_of(pairs).tolist() == alone
    assert edits_of(pairs[::-1]).tolist() == alone[::-1]
