"""Selections: scores, the guard, amounts and curves, and what is kept of them."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from corpora import Row, filled_store, import_file, import_rows, write_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.char_model_counts import Alphabet, normalised, train
from corpusdb.base.char_model_probabilities import folds_of, model_of, text_bits
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.queries.sentences import sentences_of
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profiles import ProfileRecipe
from corpusdb.homogeneity.queries.selecting import (
    SelectionFound,
    SelectionRecipe,
    TaskTranslation,
    select_sentences,
    store_selection,
)
from corpusdb.homogeneity.scale import (
    INITIAL_COUNT,
    amount,
    closest_scores,
    crossing,
    curve,
    cynical_order,
    guard,
    moore_lewis_scores,
    random_scores,
    ranked,
)
from corpusdb.homogeneity.similarity import Features, character_ngrams, feature_counts
from corpusdb.search.queries.conditions import InDocuments, Search
from corpusdb.search.queries.results import selection_members, stored_selections
from corpusdb.search.queries.search import Searcher

# Selection: scores, the guard, amounts, curves, and the greedy choice against looking at every text every time.


def test_each_method_gives_the_best_the_lowest_score() -> None:
    assert closest_scores(np.array([0.1, np.nan, 0.5]), 0.25).tolist() == pytest.approx([0.15, math.inf, 0.25])
    scores = moore_lewis_scores(np.array([2, 0, 4]), np.array([4.0, 0, 4]), np.array([6.0, 0, 2]))
    assert scores.tolist() == [-1, math.inf, 0.5]
    assert random_scores(9, 1).tolist() == random_scores(9, 1).tolist() != random_scores(9, 2).tolist()
    assert ranked(np.array([2.0, math.inf, 1, 2, 0]), np.array([True, True, True, True, False])).tolist() == [2, 0, 3]


def test_the_guard_keeps_the_first_of_each_key_and_lengths_within_bounds() -> None:
    characters, keys = np.array([3, 0, 3, 9, 4, 9]), ["a", "", "a", "b", "c", "b"]
    assert guard(characters, keys).tolist() == [True, False, False, True, True, False]
    assert guard(characters, keys, 4, 8).tolist() == [False, False, False, False, True, False]
    with pytest.raises(InputError, match="at least 5 and at most 4"):
        guard(characters, keys, 5, 4)


@given(
    characters=st.lists(st.integers(0, 9), min_size=1, max_size=20),
    seed=st.integers(0, 9),
    shares=st.lists(st.floats(0.01, 1), min_size=2, max_size=4),
)
def test_amounts_are_shares_of_the_characters_and_nested(characters: list[int], seed: int, shares: list[float]) -> None:
    sizes = np.array(characters)
    order = np.random.default_rng(seed).permutation(len(sizes))
    chosen = [amount(order, sizes, share) for share in sorted(shares)]
    for smaller, larger in pairwise(chosen):
        assert larger[: len(smaller)].tolist() == smaller.tolist()
    for share, own in zip(sorted(shares), chosen, strict=True):
        assert sizes[own].sum() >= share * sizes.sum() * (1 - 1e-9)
        assert sizes[own[:-1]].sum() < share * sizes.sum() or not sizes.any()
    assert sizes[amount(order, sizes, 1)].sum() == sizes.sum()
    assert amount(order[:1], sizes, 1).tolist() == order[:1].tolist()


@pytest.mark.parametrize("share", [0, -0.1, 1.01, math.nan])
def test_a_share_of_more_than_all_is_refused(share: float) -> None:
    with pytest.raises(InputError, match="not above 0 and at most 1"):
        amount(np.array([0]), np.array([1]), share)


def test_a_curve_measures_each_amount() -> None:
    points = curve(np.array([2, 0, 1]), np.array([5, 3, 2]), lambda chosen: 4.0 - len(chosen), [0.2, 0.7, 1])
    assert [(point.share, point.texts, point.characters, point.bits) for point in points] == [
        (0.2, 1, 2, 3),
        (0.7, 2, 7, 2),
        (1, 3, 10, 1),
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2, 5], [3, 3, 3], 4 / 3),
        ([5, 4, 4], [3, 3, 3], None),
        ([1, 1, 1], [3, 3, 3], None),
        ([1, 5, 1, 5], [3, 3, 3, 3], 2.5),
        ([1, 3, 3], [3, 3, 3], 1.0),
    ],
)
def test_the_last_place_where_a_curve_ceases_to_be_better(
    first: list[float], second: list[float], expected: float | None
) -> None:
    assert crossing(range(len(first)), first, second) == (expected if expected is None else pytest.approx(expected))


def greedy(features: Features, task: list[int], allowed: list[bool]) -> tuple[list[int], list[float]]:
    """Each time all texts that are left, as the definition has it."""
    selected: Counter[int] = Counter()
    inside = INITIAL_COUNT * sum(count > 0 for count in task)
    left = [place for place, is_allowed in enumerate(allowed) if is_allowed and features.lengths[place]]
    order, changes = [], []

    def change(place: int) -> float:
        own = Counter(features.of(place).tolist())
        gain = sum(
            task[each]
            / sum(task)
            * math.log2((INITIAL_COUNT + selected[each]) / (INITIAL_COUNT + selected[each] + often))
            for each, often in own.items()
        )
        return math.log2((inside + sum(own.values())) / inside) + gain

    while left:
        values = {place: change(place) for place in left}
        best = min(values, key=lambda place: values[place])
        order.append(best)
        changes.append(values[best])
        left.remove(best)
        selected.update(features.of(best).tolist())
        inside += float(features.lengths[best])
    return order, changes


@given(
    texts=st.lists(st.text("abcd", max_size=6), min_size=1, max_size=9),
    wanted=st.text("abcd", min_size=2, max_size=9),
    n=st.integers(1, 2),
    data=st.data(),
)
def test_the_greedy_choice_is_as_defined(texts: list[str], wanted: str, n: int, data: st.DataObject) -> None:
    features = character_ngrams([*texts, wanted], n)
    task = feature_counts(features, np.array([len(texts)]))
    allowed = [*data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))), False]
    found = cynical_order(features, task, np.array(allowed))
    order, changes = greedy(features, task.tolist(), allowed)
    assert sorted(found.order.tolist()) == sorted(order)
    # Of texts that change as much either may come first, after which the changes can differ.
    for place, expected, own, value in zip(found.order.tolist(), order, found.changes, changes, strict=True):
        assert own == pytest.approx(value, abs=1e-9)
        if place != expected:
            break
    assert found.helpful == next((at for at, value in enumerate(found.changes) if value >= 0), len(order))


def test_the_greedy_choice_covers_what_the_task_has() -> None:
    texts = ["aaaa", "aaaa", "bbbb", "zzzz", "ab"]
    features = character_ngrams([*texts, "abab"], 1)
    found = cynical_order(features, feature_counts(features, np.array([5])), np.array([True] * 5 + [False]))
    assert set(found.order[:3].tolist()) >= {2, 4}
    assert found.order[-1] == 3
    assert found.changes[-1] > 0
    stopped = cynical_order(
        features, feature_counts(features, np.array([5])), np.array([True] * 5 + [False]), lambda place: place == 4
    )
    assert stopped.order[-1] == 4
    assert len(stopped.order) < 5
    with pytest.raises(InputError, match="none of the features"):
        cynical_order(features, np.zeros(features.distinct, dtype=np.int64), np.array([True] * 6))


# Selections hold what they promise, and the answer is what the curve says.


TALK = ("yeah", "okay", "so", "you", "know", "i", "mean", "right", "well", "gonna", "wanna", "hey")
NEWS = ("minister", "announced", "committee", "report", "percent", "shares", "officials", "march", "trading", "plan")
PARLER = {word: f"{word}ou" for word in (*TALK, *NEWS)}


def sentences(words: tuple[str, ...], count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(words, k=chance.randint(4, 8))) for _ in range(count)]


def pairs(texts: list[str]) -> list[Row]:
    return [(text, " ".join(PARLER[word] for word in text.split())) for text in texts]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A pool of which a third is talk, and a task of talk."""
    monkeypatch.chdir(tmp_path)
    task = sentences(TALK, 60, 4)
    Path("task.txt").write_text("".join(f"{line}\n" for line in task), encoding="utf-8")
    Path("tache.txt").write_text("".join(f"{text}\n" for _, text in pairs(task)), encoding="utf-8")
    Path("news.txt").write_text("".join(f"{line}\n" for line in sentences(NEWS, 60, 5)), encoding="utf-8")
    with filled_store(tmp_path, fill) as store:
        yield store


def fill(store: Store) -> None:
    mixed = [*sentences(NEWS, 200, 1), *sentences(TALK, 100, 2)]
    random.Random(3).shuffle(mixed)
    import_rows(store, pairs(mixed))


def found(store: Store, method: str, share: float = 0.2, **others: object) -> SelectionFound:
    given: dict[str, object] = {"task": ("task.txt",), "share": share, "method": method, **others}
    if method == "bilingual":
        given["translation"] = TaskTranslation("fra", ("tache.txt",))
    if method == "coefficient":
        given["references"] = ProfileRecipe(spoken=("task.txt",), written=("news.txt",))
    return finished(select_sentences(store, "eng", SelectionRecipe(**given)))  # type: ignore[arg-type]


def is_talk(text: str) -> bool:
    return {*text.split()} <= {*TALK}


@pytest.mark.parametrize("method", ["moore-lewis", "bilingual", "cynical", "coefficient"])
def test_what_is_like_the_task_is_selected(store: Store, method: str) -> None:
    selection = found(store, method, 0.1)
    assert all(map(is_talk, selection.texts))
    assert selection.beats_random
    wanted = 0.1 * selection.pool_characters
    assert wanted <= selection.characters < wanted + max(map(len, selection.texts))
    assert list(selection.scores) == sorted(selection.scores) or method == "cynical"
    numbers = dict(store.connection.execute("select id, text from sentence where language = 'eng'"))
    assert tuple(numbers[number] for number in selection.sentences) == selection.texts


@pytest.mark.slow
def test_at_random_nothing_is_gained_and_the_answer_says_so(store: Store) -> None:
    answers = [found(store, "random", seed=seed) for seed in range(4)]
    assert any(not each.beats_random for each in answers)
    for each in answers:
        if not each.beats_random and each.best is None and not each.beats_all:
            assert each.answer == "selecting does not help here: 20 % is worth no more than as much at random"
    assert not all(is_talk(text) for text in answers[0].texts)


def test_in_a_pool_of_one_kind_selecting_does_not_help(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, pairs(sentences(TALK, 300, 6)))
    (tmp_path / "task.txt").write_text("".join(f"{line}\n" for line in sentences(TALK, 200, 7)), encoding="utf-8")
    selection = found(empty, "moore-lewis", task=(str(tmp_path / "task.txt"),))
    assert not selection.beats_all
    assert selection.best is None
    assert "less than all of the pool" in selection.answer or "does not help here" in selection.answer


def test_the_curve_is_that_of_models_of_the_selections(store: Store) -> None:
    selection = found(store, "moore-lewis")
    pool = [row[0] for row in store.connection.execute("select text from sentence where language = 'eng'")]
    lines = Path("task.txt").read_text(encoding="utf-8").splitlines()
    test = [line for line, fold in zip(lines, folds_of(lines), strict=True) if fold == 0]
    alphabet = Alphabet.of(pool) | Alphabet.of(lines)
    kept = [text for text in pool if text not in lines]

    def bits(texts: list[str]) -> float:
        return float(text_bits([model_of(train(texts, alphabet, 5), "wb")], test).entropies()[0])

    assert selection.held_out == len(test)
    assert selection.at_share.bits == pytest.approx(bits(normalised(selection.texts, "case")))
    assert selection.all_bits == pytest.approx(bits(kept))


@pytest.mark.slow
def test_the_task_and_what_shares_a_translation_with_it_is_never_selected(store: Store, tmp_path: Path) -> None:
    task = Path("task.txt").read_text(encoding="utf-8").splitlines()
    rows = [(task[0].upper(), "Même phrase."), ("so you mean right well yeah", "Même phrase."), ("Okay!", "Oui.")]
    import_file(
        store, write_rows(tmp_path / "more.tsv", [*rows, ("okay okay", "A."), ("okay, okay", "B.")]), ("eng", "fra")
    )
    selection = found(store, "random", share=1)
    assert selection.in_task >= 1 and selection.beside_task == 1 and selection.guarded >= 1
    assert {task[0].upper(), "so you mean right well yeah", "okay, okay"}.isdisjoint(selection.texts)
    assert {"okay okay", "Okay!"} <= {*selection.texts}
    long_ones = found(store, "random", share=1, least=10, most=30)
    assert all(10 <= len(text) <= 30 for text in long_ones.texts)


def test_a_selection_is_kept(store: Store) -> None:
    selection = found(store, "moore-lewis")
    store_selection(store, "talk", selection)
    members = selection_members(store, "talk")
    assert tuple(text for _, text, _ in members) == selection.texts
    assert tuple(score for _, _, score in members) == selection.scores
    [summary] = stored_selections(store)
    assert (summary.name, summary.sentences) == ("talk", len(selection.texts))
    assert summary.parameters["answer"] == selection.answer
    with pytest.raises(InputError, match="there is a selection 'talk'"):
        store_selection(store, "talk", selection)
    with pytest.raises(InputError, match="there is no selection 'other'; there are talk"):
        selection_members(store, "other")
    assert check(store, full=True).problems == ()


def test_a_selection_that_is_kept_stands_for_a_collection(store: Store) -> None:
    selection = found(store, "moore-lewis")
    store_selection(store, "talk", selection)
    assert sentences_of(store, "talk").tolist() == sorted(selection.sentences)
    hits = Searcher(store).find(Search("eng", conditions=(InDocuments("talk"),)))
    assert {hits.text(place) for place in range(len(hits))} == {*selection.texts}
    narrower = finished(
        select_sentences(store, "eng", SelectionRecipe(method="random", task=("task.txt",), share=1, pool=("talk",)))
    )
    assert {*narrower.texts} == {*selection.texts}
    with pytest.raises(InputError, match="there is a collection 'rows' already; give another name"):
        store_selection(store, "rows", selection)
    with pytest.raises(InputError, match="there is no collection 'talks'"):
        sentences_of(store, "talks")


def test_a_blank_line_of_the_task_stands_beside_one_of_its_translation(store: Store) -> None:
    before = found(store, "bilingual")
    for name, line in (("task.txt", ""), ("tache.txt", "Voilà.")):
        lines = Path(name).read_text(encoding="utf-8").splitlines()
        Path(name).write_text("".join(f"{each}\n" for each in (*lines[:5], line, *lines[5:])), encoding="utf-8")
    assert found(store, "bilingual").held_out == before.held_out


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"share": 1.05}, "a share of 105 % is not above 0 and at most 100 %"),
        ({"share": 0.0}, "a share of 0 % is not"),
        ({"task": ("none.txt",)}, "'none.txt' is neither a collection nor a file"),
        ({"task": ("one.txt",)}, "too few different lines"),
        ({"pool": ("none",)}, "there is no collection 'none'"),
        ({"least": 5000}, "no sentence of the pool has so many characters"),
        ({"method": "bilingual", "task": ("news.txt", "one.txt")}, "the task has 61 lines, its translation 60"),
    ],
)
def test_what_cannot_be_selected(store: Store, others: dict[str, object], message: str) -> None:
    Path("one.txt").write_text("yeah\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        found(store, **{"method": "moore-lewis", **others})  # type: ignore[arg-type]
