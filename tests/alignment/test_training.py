"""Training against EM and sums over all sequences of states, written out in plain Python; and threads."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from math import exp, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment import bitext
from corpusdb.alignment import model as threads
from corpusdb.alignment.bitext import Bitext, vocabulary_of
from corpusdb.alignment.links import agreement
from corpusdb.alignment.model import AlignmentModel, Emissions, Vocabularies, jump_counts, posteriors
from corpusdb.alignment.training import Training, TrainingSettings, align, train
from corpusdb.base.arrays import F64
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished

# Training against EM that is written out over words, in plain Python.


Texts = Sequence[Sequence[str]]
Table = dict[tuple[str, str], float]

SPECIAL_PLACES = "no word", "never seen together", "one is not known", "both are not known"
"""Behind the pairs of a table."""
PLAIN = TrainingSettings(alike=0, stems=(), ending=0)
SOURCE = [line.split() for line in ("la maison bleue", "la fleur", "maison", "une fleur bleue", "la la maison")]
TARGET = [line.split() for line in ("the blue house", "the flower", "house", "a blue flower", "the the house")]


def training(source: Texts, target: Texts, settings: TrainingSettings) -> Training:
    vocabularies = Vocabularies(vocabulary_of(source), vocabulary_of(target))
    return Training(Bitext.of(source, target, vocabularies.source, vocabularies.target), vocabularies, settings)


def table_of(made: Training, name: str) -> Table:
    """The probabilities of one direction, by source and target word."""
    numbers = made.vocabularies.source, made.vocabularies.target
    together = {(f, e) for s, t in zip(SOURCE, TARGET, strict=True) for f in s for e in t}
    pairs = sorted(together, key=lambda pair: (numbers[0][pair[0]], numbers[1][pair[1]]))
    return dict(zip(pairs, made.state()[f"{name}.words"][: -len(SPECIAL_PLACES)].tolist(), strict=True))


def first_table(given: Texts, made: Texts) -> Table:
    """p(made word | given word), the root of how much of the occurrences of both the two stand together.

    By the number of words that the given one stands with, so that it is no distribution.
    """
    together = Counter(pair for text, other in zip(given, made, strict=True) for pair in product(text, other))
    own, theirs = (Counter(word for text in texts for word in text) for texts in (given, made))
    others = Counter(word for word, _ in together)
    return {
        (word, other): min(1, 2 * count / (own[word] + theirs[other])) ** 0.5 / others[word]
        for (word, other), count in together.items()
    }


def ibm1_posteriors(
    given: Sequence[str], made: Sequence[str], table: Table, null: dict[str, float]
) -> list[list[float]]:
    """For each word that is made, how probable it is that it comes from each given word."""
    rows = []
    for word in made:
        weights = [table[each, word] for each in given]
        rows.append([weight / (sum(weights) + null[word]) for weight in weights])
    return rows


def words_of(texts: Texts) -> list[str]:
    return list(dict.fromkeys(word for text in texts for word in text))


def ibm1_step(
    tables: tuple[Table, Table], nulls: tuple[dict[str, float], dict[str, float]]
) -> tuple[tuple[Table, Table], tuple[dict[str, float], dict[str, float]]]:
    counts: defaultdict[tuple[str, str], float] = defaultdict(float)
    null_counts: tuple[defaultdict[str, float], defaultdict[str, float]] = (defaultdict(float), defaultdict(float))
    for source, target in zip(SOURCE, TARGET, strict=True):
        forward = ibm1_posteriors(source, target, tables[0], nulls[0])
        backward = ibm1_posteriors(target, source, tables[1], nulls[1])
        for e, word in enumerate(target):
            null_counts[0][word] += 1 - sum(forward[e])
            for f, other in enumerate(source):
                counts[other, word] += forward[e][f] * backward[f][e]
        for f, other in enumerate(source):
            null_counts[1][other] += 1 - sum(backward[f])
    by_source: defaultdict[str, float] = defaultdict(float)
    by_target: defaultdict[str, float] = defaultdict(float)
    for (other, word), count in counts.items():
        by_source[other] += count
        by_target[word] += count
    return (
        (
            {(f, e): count / by_source[f] for (f, e), count in counts.items()},
            {(e, f): count / by_target[e] for (f, e), count in counts.items()},
        ),
        tuple({w: c / sum(each.values()) for w, c in each.items()} for each in null_counts),  # type: ignore[return-value]
    )


def test_ibm1_by_agreement_is_em_with_the_product_of_the_posteriors() -> None:
    made = training(SOURCE, TARGET, PLAIN)
    tables = first_table(SOURCE, TARGET), first_table(TARGET, SOURCE)
    nulls = tuple({word: 1 / len(words_of(texts)) for word in words_of(texts)} for texts in (TARGET, SOURCE))
    for _ in range(3):
        finished(made.step())
        tables, nulls = ibm1_step(tables, nulls)  # type: ignore[arg-type]
        forward, backward = table_of(made, "forward"), table_of(made, "backward")
        for (f, e), value in forward.items():
            assert value == pytest.approx(tables[0][f, e], abs=1e-6)
            assert backward[f, e] == pytest.approx(tables[1][e, f], abs=1e-6)
        np.testing.assert_allclose(
            made.state()["forward.null"][:-1], [nulls[0][w] for w in words_of(TARGET)], atol=1e-6
        )


def test_words_that_stand_together_oftener_begin_as_more_probable() -> None:
    """p(made | given) begins by the root of Dice's coefficient, though x stands with both words of its texts."""
    made = training([["x", "y"], ["x"]], [["a", "b"], ["a"]], PLAIN)
    table = made.state()["forward.words"][:4].reshape(2, 2)
    np.testing.assert_allclose(table, np.sqrt([[1, 2 / 3], [2 / 3, 1]]) / 2, rtol=1e-6)


def test_endings_that_translate_each_other_speak_for_words() -> None:
    """Which of two words is meant only their endings say, by those of words that are clear."""
    source = [["fooing"], ["baring"], ["oted"], ["plated"], ["newing", "coted"]]
    target = [["fuendo"], ["barendo"], ["otado"], ["platado"], ["abcendo", "efado"]]
    tables = {}
    for size in (0, 3):
        made = training(source, target, replace(PLAIN, ending=size, doubt=1.0, hmm_steps=0))
        finished(made.run())
        words = made.vocabularies.source["newing"], made.vocabularies.target["abcendo"]
        place = int(np.searchsorted(made._pairs.keys, words[0] * made._pairs.target_size + words[1]))
        tables[size] = float(made.state()["forward.words"][place])
    assert tables[0] == pytest.approx(0.5)
    assert tables[3] > 0.9


def test_words_that_look_alike_begin_as_translations() -> None:
    source, target = [["Régime", "1999", "xy"]], [["regime", "1999", "xz"]]
    made = training(source, target, replace(PLAIN, alike=9))
    table = made.state()["forward.words"][:9].reshape(3, 3)
    np.testing.assert_allclose(table, np.array([[10, 1, 1], [1, 10, 1], [1, 1, 1]]) / 3, rtol=1e-6)


def test_a_word_takes_translations_from_its_stem() -> None:
    """marchait stands with the wrong word alone, marche with the right one of the same stem thrice."""
    source = [["marche", "x"], ["marche", "y"], ["marche", "z"], ["marchait", "lundi"]]
    target = [["walks", "a"], ["walks", "b"], ["walks", "c"], ["walked", "monday"]]
    tables = {}
    for smoothing in (0.0, 3.0):
        made = training(source, target, replace(PLAIN, stems=((4, smoothing),), hmm_steps=0))
        finished(made.run())
        keys = [("marche", each) for each in ("walks", "a", "b", "c")] + [("x", "walks"), ("x", "a")]
        keys += [("y", "walks"), ("y", "b"), ("z", "walks"), ("z", "c")]
        keys += [("marchait", "walked"), ("marchait", "monday"), ("lundi", "walked"), ("lundi", "monday")]
        words = made.state()["forward.words"][: -len(SPECIAL_PLACES)].tolist()
        tables[smoothing] = dict(zip(keys, words, strict=True))
    assert tables[0.0]["marchait", "walked"] < 0.9
    assert tables[3.0]["marchait", "walked"] > max(0.95, tables[0.0]["marchait", "walked"])


def test_jumps_begin_near_one_step_forward() -> None:
    jumps = training(SOURCE, TARGET, PLAIN).state()["forward.jumps"]
    expected = [exp(-0.5 * abs(jump - 1)) for jump in range(-15, 16)]
    assert jumps == pytest.approx([each / sum(expected) for each in expected])


texts = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "dog", "dogs"]), min_size=1, max_size=6), min_size=1, max_size=5
)


@given(texts, texts)
def test_probabilities_add_up_to_one(source: list[list[str]], target: list[list[str]]) -> None:
    size = min(len(source), len(target))
    source, target = source[:size], target[:size]
    made = training(source, target, TrainingSettings())
    finished(made.run())
    state = made.state()
    assert all(np.isfinite(array).all() for array in state.values())
    sides = (("forward", source, target), ("backward", target, source))
    for name, texts_given, other in sides:
        words = {word for text in texts_given for word in text}
        table = state[f"{name}.words"][: -len(SPECIAL_PLACES)]
        assert table.sum() == pytest.approx(len(words), abs=1e-3)
        assert len(table) == len({(f, e) for s, t in zip(texts_given, other, strict=True) for f in s for e in t})
        assert state[f"{name}.jumps"].sum() == pytest.approx(1)


def test_the_same_bitext_gives_the_same_bytes() -> None:
    models = [finished(train(SOURCE, TARGET)).to_bytes() for _ in range(2)]
    assert models[0] == models[1]


@pytest.mark.parametrize("steps", [1, 4, 6])
def test_a_training_that_was_stopped_goes_on_where_it_was(steps: int) -> None:
    whole = finished(training(SOURCE, TARGET, TrainingSettings()).run()).to_bytes()
    first = training(SOURCE, TARGET, TrainingSettings())
    job = first.run()
    while first.steps < steps:
        next(job)
    next(job)  # in the middle of a step, which is lost
    job.close()
    second = training(SOURCE, TARGET, TrainingSettings())
    second.restore(first.state())
    assert second.steps == steps
    assert finished(second.run()).to_bytes() == whole
    assert finished(first.run()).to_bytes() == whole


def test_progress_goes_from_nothing_to_all() -> None:
    seen = list(training(SOURCE, TARGET, TrainingSettings()).run())
    total = 7 * len(SOURCE)
    assert (seen[0].done, seen[-1].done, {step.total for step in seen}) == (0, total, {total})
    assert [step.done for step in seen] == sorted(step.done for step in seen)


def test_cells_that_are_not_kept_are_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = finished(train(SOURCE, TARGET)).to_bytes()
    monkeypatch.setattr("corpusdb.alignment.training._MOST_CELLS_KEPT", 0)
    assert finished(train(SOURCE, TARGET)).to_bytes() == kept


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ([["a"]], [["b"], ["c"]], "1 source texts for 2 target texts"),
        ([[]], [["b"]], "no pair of texts"),
        ([], [], "no pair of texts"),
        ([["a"] * 1001], [["b"]], "no pair of texts"),
    ],
)
def test_what_cannot_be_trained_with_is_refused(source: Texts, target: Texts, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        finished(train(source, target))


def test_a_state_of_another_training_is_refused() -> None:
    made = training(SOURCE, TARGET, TrainingSettings())
    other = training([["one", "two"]], [["un", "deux"]], TrainingSettings())
    with pytest.raises(InputError, match="another training"):
        made.restore(other.state())


def test_a_model_is_the_same_from_its_bytes() -> None:
    model = finished(train(SOURCE, TARGET))
    stored = model.to_bytes()
    again = AlignmentModel.from_bytes(stored)
    assert again.to_bytes() == stored
    assert again.vocabularies == model.vocabularies
    np.testing.assert_array_equal(again.pairs.keys, model.pairs.keys)


@given(st.data())
def test_a_damaged_model_is_refused(data: st.DataObject) -> None:
    stored = bytearray(finished(train(SOURCE[:2], TARGET[:2])).to_bytes())
    at = data.draw(st.integers(0, len(stored) - 1))
    stored[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(InputError, match="alignment model"):
        AlignmentModel.from_bytes(bytes(stored))
    with pytest.raises(InputError, match="alignment model"):
        AlignmentModel.from_bytes(bytes(stored[:at]))


# The HMM, and a step of its training, against sums over all sequences of states.


JUMPS = np.array([0.05, 0.1, 0.2, 0.4, 0.25])
"""Of -2 to 2."""


def weight(jump: int, jumps: F64) -> float:
    return float(jumps[max(-2, min(2, jump)) + 2])


def paths(length: int, states: int) -> Iterator[tuple[tuple[int, bool], ...]]:
    """Each word comes from a state, or from none and keeps the state before it."""
    return product(product(range(states), (False, True)), repeat=length)


def probability(path: tuple[tuple[int, bool], ...], words: tuple[F64, F64], null: float, jumps: F64) -> float:
    """Of one path and the words; ``words``: how probable they are by state, shape (L, J), and from none."""
    by_state, by_null = words
    states = by_state.shape[1]
    factors, before = [], -1
    for at, (state, is_null) in enumerate(path):
        jump = weight(state - before, jumps) / sum(weight(other - before, jumps) for other in range(states))
        if is_null:
            # The first null word stands at a place drawn as that of another first word.
            stays = jump if at == 0 else float(state == before)
            factors.append(null * stays * by_null[at])
        else:
            factors.append((1 - null) * jump * by_state[at, state])
        before = state
    return float(prod(factors))


def enumerated(by_state: F64, by_null: F64, null: float, jumps: F64 = JUMPS) -> tuple[F64, F64]:
    links, nulls, total = np.zeros_like(by_state), np.zeros(len(by_null)), 0.0
    for path in paths(*by_state.shape):
        share = probability(path, (by_state, by_null), null, jumps)
        total += share
        for at, (state, is_null) in enumerate(path):
            if is_null:
                nulls[at] += share
            else:
                links[at, state] += share
    return links / total, nulls / total


sizes = st.tuples(st.integers(1, 4), st.integers(1, 4))


@given(st.lists(sizes, min_size=1, max_size=3), st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.2, 0.7]))
def test_posteriors_are_those_of_all_paths(shapes: list[tuple[int, int]], seed: int, null: float) -> None:
    """Texts of different lengths in one batch, padded."""
    random = np.random.default_rng(seed)
    lengths, states = (np.array(sides, dtype=np.int64) for sides in zip(*shapes, strict=True))
    by_state = random.random((lengths.max(), len(shapes), states.max()))
    by_null = random.random((lengths.max(), len(shapes)))
    for number, (length, width) in enumerate(shapes):
        by_state[:, number, width:] = 0
        by_state[length:, number] = 0
    found = posteriors(Emissions(by_state, by_null, lengths, states), JUMPS, null)
    for number, (length, width) in enumerate(shapes):
        links, nulls = enumerated(by_state[:length, number, :width], by_null[:length, number], null)
        np.testing.assert_allclose(found.states[:length, number, :width], links, atol=1e-12)
        np.testing.assert_allclose(found.null[:length, number], nulls, atol=1e-12)
        assert not found.states[length:, number].any()
        assert not found.states[:, number, width:].any()
        assert not found.null[length:, number].any()


def test_single_precision_is_near_double() -> None:
    random = np.random.default_rng(1)
    by_state, by_null = random.random((30, 5, 40)), random.random((30, 5))
    lengths, states = np.array([30, 20, 10, 5, 1]), np.array([40, 3, 40, 20, 1])
    by_state *= np.arange(40) < states[:, np.newaxis]
    exact = posteriors(Emissions(by_state, by_null, lengths, states), JUMPS, 0.2)
    single = Emissions(by_state.astype(np.float32), by_null.astype(np.float32), lengths, states)
    found = posteriors(single, JUMPS, 0.2)
    assert found.states.dtype == np.float32
    np.testing.assert_allclose(found.states, exact.states, atol=1e-4)


@pytest.mark.parametrize("count", [3, 5, 7])
def test_jumps_are_counted_between_neighbours(count: int) -> None:
    links = np.random.default_rng(2).random((2, 4, 5))
    expected = np.zeros(count)
    most = count // 2
    for text in links:
        for before, after in pairwise(text):
            for state, other in product(range(5), repeat=2):
                expected[max(-most, min(most, other - state)) + most] += before[state] * after[other]
    np.testing.assert_allclose(jump_counts(links, count), expected)


HMM_SOURCE = [line.split() for line in ("w x y", "x w", "y", "w y")]
HMM_TARGET = [line.split() for line in ("a b c", "b a", "c d", "a")]


def test_a_step_counts_what_both_directions_find() -> None:
    """EM by agreement over all paths of both directions: words by the product, jumps by products of neighbours."""
    settings = replace(PLAIN, ibm1_steps=0, hmm_steps=1, widest_jump=2)
    numbers = vocabulary_of(HMM_SOURCE), vocabulary_of(HMM_TARGET)
    made = Training(Bitext.of(HMM_SOURCE, HMM_TARGET, *numbers), Vocabularies(*numbers), settings)
    before = made.state()
    together = sorted(
        {(numbers[0][f], numbers[1][e]) for s, t in zip(HMM_SOURCE, HMM_TARGET, strict=True) for f in s for e in t}
    )
    place = {pair: number for number, pair in enumerate(together)}
    counts, jumps = np.zeros(len(together)), np.zeros((2, 5))
    for source, target in zip(HMM_SOURCE, HMM_TARGET, strict=True):
        cells = np.array([[place[numbers[0][f], numbers[1][e]] for f in source] for e in target])
        nulls = before["forward.null"][[numbers[1][e] for e in target]]
        their_nulls = before["backward.null"][[numbers[0][f] for f in source]]
        forward, _ = enumerated(before["forward.words"][cells], nulls, settings.null, before["forward.jumps"])
        backward, _ = enumerated(
            before["backward.words"][cells.T], their_nulls, settings.null, before["backward.jumps"]
        )
        links = forward * backward.T
        np.add.at(counts, cells, links)
        jumps[0] += jump_counts(links[np.newaxis], 5)
        jumps[1] += jump_counts(links.T[np.newaxis], 5)
    finished(made.step())
    after = made.state()
    for side, name in enumerate(("forward", "backward")):
        sums = [sum(counts[place[other]] for other in together if other[side] == pair[side]) for pair in together]
        np.testing.assert_allclose(after[f"{name}.words"][: len(together)], counts / sums, atol=1e-5)
        np.testing.assert_allclose(after[f"{name}.jumps"], jumps[side] / jumps[side].sum(), atol=1e-4)


# Batches in two threads, and one thread for each product of matrices.


def test_one_thread_inside_the_block_and_as_before_behind_it() -> None:
    found = threads._library()
    if found is None:
        pytest.skip("this numpy brings no OpenBLAS that is known")
    get_threads, set_threads = found
    before = get_threads()
    set_threads(2)
    try:
        with pytest.raises(KeyError), threads.one_blas_thread():
            assert get_threads() == 1
            raise KeyError
        assert get_threads() == 2
    finally:
        set_threads(before)


def test_a_numpy_without_the_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_library", lambda: None)
    with threads.one_blas_thread():
        pass


def test_results_come_in_order_however_long_each_takes() -> None:
    def late(number: int) -> int:
        time.sleep(0.002 * (number % 3))
        return number * number

    assert list(threads.computed_ahead(late, range(40))) == [number * number for number in range(40)]


def test_what_fails_fails_at_its_place() -> None:
    found = threads.computed_ahead(lambda number: 6 // number, [3, 2, 0, 1])
    assert [next(found), next(found)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_closed_before_the_end_nothing_is_left_running() -> None:
    begun: list[int] = []
    before = threading.active_count()
    found = threads.computed_ahead(begun.append, range(1000))
    next(found)
    found.close()
    assert threading.active_count() == before and len(begun) < 10


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_model_does_not_depend_on_how_many_threads_there_are(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setattr(bitext, "_MOST_CELLS", 64)
    monkeypatch.setattr(bitext, "_LEAST_CELLS", 16)
    source = [f"w{number % 7} w{number % 5} w{number % 3}".split() for number in range(60)]
    target = [f"x{number % 3} x{number % 7} x{number % 5}".split() for number in range(60)]
    expected = finished(train(source, target)).to_bytes()
    monkeypatch.setattr(threads, "_WORKERS", workers)
    assert finished(train(source, target)).to_bytes() == expected


# Links against those that are known, in a small language made for it.


def made_up(pairs: int) -> tuple[list[list[str]], list[list[str]], list[list[tuple[int, int]]]]:
    """Sentences of a subject, a verb and an object, whose other language has the verb last, and particles.

    Most words stand once or twice, in forms of their own; names are spelled as they sound, in another script.
    """
    chance = random.Random(5)
    letters = ["ka", "mi", "to", "ra", "se", "no", "ki", "ru", "ta", "ma"]
    kana = dict(zip(letters, "カミトラセノキルタマ", strict=True))
    names = [chance.sample(letters, 3) for _ in range(80)]
    words = ["".join(chance.sample(["bal", "dor", "fen", "gul", "vis", "pol", "zem"], 2)) for _ in range(240)]
    others = ["".join(chance.sample(["арт", "окс", "лин", "ужд", "эмб", "ич"], 2)) for _ in range(240)]
    source, target, gold = [], [], []
    for _ in range(pairs):
        name, noun, verb, thing = chance.choice(names), *(min(239, int(chance.paretovariate(0.5))) for _ in range(3))
        past, links = chance.random() < 0.5, []
        told = [f"{words[noun]}er", "".join(name), f"{words[verb]}{'ed' if past else 's'}", f"{words[thing]}ing"]
        theirs = [f"{others[noun]}ник", "".join(map(kana.__getitem__, name)), f"{others[thing]}ание"]
        theirs.append(f"{others[verb]}{'ло' if past else 'ет'}")
        own, places = ["the"] * chance.randint(0, 1), []
        for word in told:
            places.append(len(own))
            own += [word, *["of"] * chance.randint(0, 1)]
        made: list[str] = []
        for word, place in zip(theirs, (0, 1, 3, 2), strict=True):
            links.append((places[place], len(made)))
            made += [word, *["за"] * chance.randint(0, 1)]
        source.append(own)
        target.append(made)
        gold.append(links)
    return source, target, gold


def test_links_are_found_in_a_small_language() -> None:
    """.003; without endings it is .034, without stems .008, without sounds .007, with IBM-1 alone .015."""
    source, target, gold = made_up(60)
    links = finished(align(finished(train(source, target)), source, target))
    particles = (
        {
            (place, at)
            for (place, word), (at, other) in product(enumerate(own), enumerate(made))
            if len(word + other) < 6
        }
        for own, made in zip(source, target, strict=True)
    )
    found = agreement((links.of_pair(number), *each) for number, each in enumerate(zip(gold, particles, strict=True)))
    assert found.aer is not None
    assert found.aer < 0.005
