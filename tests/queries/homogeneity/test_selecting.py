"""Selections hold what they promise, and the answer is what the curve says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from corpora import Row, import_file, import_rows, write_rows

from corpusdb.base.charlm.costs import folds_of, text_bits
from corpusdb.base.charlm.counts import Alphabet, normalised, train
from corpusdb.base.charlm.smoothing import model_of
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.queries.sentences import sentences_of
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profiles import ProfileRecipe
from corpusdb.homogeneity.queries.selecting import SelectionFound, SelectionRecipe, Translation, select_sentences
from corpusdb.search.queries.conditions import InDocuments, Search
from corpusdb.search.queries.results import selection_members, store_selection, stored_selections
from corpusdb.search.queries.search import Searcher

TALK = ("yeah", "okay", "so", "you", "know", "i", "mean", "right", "well", "gonna", "wanna", "hey")
NEWS = ("minister", "announced", "committee", "report", "percent", "shares", "officials", "march", "trading", "plan")
PARLER = {word: f"{word}ou" for word in (*TALK, *NEWS)}


def sentences(words: tuple[str, ...], count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(words, k=chance.randint(4, 8))) for _ in range(count)]


def pairs(texts: list[str]) -> list[Row]:
    return [(text, " ".join(PARLER[word] for word in text.split())) for text in texts]


@pytest.fixture
def store(empty: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A pool of which a third is talk, and a task of talk."""
    monkeypatch.chdir(tmp_path)
    mixed = [*sentences(NEWS, 200, 1), *sentences(TALK, 100, 2)]
    random.Random(3).shuffle(mixed)
    import_rows(empty, pairs(mixed))
    task = sentences(TALK, 60, 4)
    Path("task.txt").write_text("".join(f"{line}\n" for line in task), encoding="utf-8")
    Path("tache.txt").write_text("".join(f"{text}\n" for _, text in pairs(task)), encoding="utf-8")
    Path("news.txt").write_text("".join(f"{line}\n" for line in sentences(NEWS, 60, 5)), encoding="utf-8")
    return empty


def found(store: Store, method: str, share: float = 0.2, **others: object) -> SelectionFound:
    given: dict[str, object] = {"task": ("task.txt",), "share": share, "method": method, **others}
    if method == "bilingual":
        given["translation"] = Translation("fra", ("tache.txt",))
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
