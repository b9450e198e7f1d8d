"""Fluency orders against their definition, of sentences and rewordings, and as a filter."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from brute_force import fluency as brute_force_fluency
from corpora import Row, copy_of_corpus, import_rows, new_store, random_rows, tatoeba
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.jobs import finished
from corpusdb.base.ngrams import SortedCorpus, SuffixIndex, sort_suffixes, text_hashes
from corpusdb.chain.queries import generation
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.model import NO_LIMIT
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.derivation import Fluency, fluency_of, hashes_within, rewording_orders
from corpusdb.paraphrase.queries import candidates as stored_candidates
from corpusdb.paraphrase.queries.filters import NSequenceFilter

# Fluency orders, against the definition of Lepage & Denoual (2005), section 4.4.


letters = st.sampled_from("aab c日é")
corpora = st.lists(st.text(letters, min_size=1, max_size=20), min_size=1, max_size=6)
candidates = st.lists(st.text(st.one_of(letters, st.sampled_from("xü本")), min_size=1, max_size=20), max_size=6)


def fluency(lines: Sequence[str], texts: Sequence[str]) -> tuple[str, list[Fluency]]:
    corpus = "\n" + "\n".join(lines) + "\n"
    found = fluency_of(texts, SortedCorpus(corpus, sort_suffixes(corpus)).longest)
    return corpus, [found[text] for text in texts]


def order_plainly(text: str, corpus: str) -> int:
    """The largest N up to which every sequence of N characters stands in the corpus."""
    for size in range(1, len(text) + 1):
        if any(text[start : start + size] not in corpus for start in range(len(text) - size + 1)):
            return size - 1
    return NO_LIMIT


def first_unseen(text: str, size: int, corpus: str) -> str:
    runs = [text[start : start + size] for start in range(len(text) - size + 1)]
    return next(run for run in runs if run not in corpus)


def check(lines: Sequence[str], texts: Sequence[str]) -> None:
    corpus, found = fluency(lines, texts)
    for text, (outer, inner, outer_unseen, inner_unseen) in zip(texts, found, strict=True):
        for order, unseen, whole in ((outer, outer_unseen, f"\n{text}\n"), (inner, inner_unseen, text)):
            assert order == order_plainly(whole, corpus)
            expected = None if order == NO_LIMIT else int(text_hashes([first_unseen(whole, order + 1, corpus)])[0])
            assert unseen == expected
        assert inner >= outer


@given(corpora, candidates)
def test_orders(lines: list[str], texts: list[str]) -> None:
    check(lines, texts + lines[:2])


@pytest.mark.parametrize("alphabet", ["ab c", "ab cdeé日本"])
def test_candidates_made_of_two_sentences(alphabet: str) -> None:
    source = random.Random(alphabet)
    for _ in range(60):
        lines = ["".join(source.choices(alphabet, k=source.randrange(1, 34))) for _ in range(source.randrange(2, 9))]
        halves = [(source.choice(lines), source.choice(lines)) for _ in range(10)]
        texts = [(one[: len(one) // 2] + other[len(other) // 2 :]) or "a" for one, other in halves]
        check(lines, [*texts, *lines, "".join(source.choices(alphabet + "z", k=9))])


def test_the_marks_at_the_ends_count() -> None:
    _, found = fluency(["I am here.", "Am I late?"], ["I am", "I am here.", "am I late", "xyz"])
    # "I am" begins a sentence and ends none: "m" and the mark after it were not seen, but all of "I am" was.
    assert [each.fluency for each in found] == [1, NO_LIMIT, 1, 0]
    assert [each.inner_fluency for each in found] == [NO_LIMIT, NO_LIMIT, 3, 0]
    assert fluency(["a"], [])[1] == []


@pytest.mark.parametrize("sentence", ["", "a", "I don't.", "食べる。", "aaa"])
def test_all_sequences_of_a_sentence_and_its_marks(sentence: str) -> None:
    marked = f"\n{sentence}\n"
    sequences = [marked[start:stop] for start in range(len(marked)) for stop in range(start + 1, len(marked) + 1)]
    assert sorted(hashes_within(sentence).tolist()) == sorted(text_hashes(sequences).tolist())


# The orders of rewordings against their definition, with the sequences of the seed among those that were seen.


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


# The fluency order: against its definition, and as the filter of Lepage & Denoual (2005), section 4.4.


def orders(store: Store) -> dict[str, tuple[int, int]]:
    """The order of each candidate with the marks at the ends and without; the same whatever the seed was."""
    rows = store.connection.execute("select distinct text, fluency, inner_fluency from candidate").fetchall()
    found = {text: (order, inner) for text, order, inner in rows}
    assert len(found) == len(rows)
    return found


def fluency_texts(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute("select text from sentence where language = 'eng'")]


def assert_by_definition(store: Store) -> None:
    corpus = fluency_texts(store)
    for text, (order, inner) in orders(store).items():
        assert order == brute_force_fluency(text, corpus)
        assert inner == brute_force_fluency(text, corpus, marks=False)
        assert order <= inner
        assert (order == NO_LIMIT) == (text in corpus)


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("number", range(10))
def test_random_corpora(empty: Store, number: int, one_by_one: bool) -> None:
    """Both ways of measuring: that for many candidates, and that for those of seeds asked for one by one."""
    import_rows(empty, random_rows(random.Random(number), 20, pivots=5))
    finished(generate(empty, "eng", fluency_texts(empty) if one_by_one else None))
    assert orders(empty)
    assert_by_definition(empty)


@pytest.mark.data
@pytest.mark.parametrize("one_by_one", [False, True])
def test_real_sentences(empty: Store, monkeypatch: pytest.MonkeyPatch, one_by_one: bool) -> None:
    monkeypatch.setattr(generation, "_SEEDS_PER_TRANSACTION", 50)
    import_rows(empty, tatoeba("jpn", 300, 700), ("eng", "jpn"))
    finished(generate(empty, "eng", fluency_texts(empty) if one_by_one else None))
    assert len(orders(empty)) > 50
    assert_by_definition(empty)


CORPUS: list[Row] = [
    ("see the cat.", "1"),
    ("hear the cat.", "2"),
    ("see the dog.", "3"),
    ("hear the dog.", "4"),
    ("watch the cat.", "1"),
    ("I watch the dogs.", "5"),
]
"""From these "watch the dog." is generated for "see the dog."."""


@pytest.mark.parametrize(
    ("more", "order", "inner"),
    [
        ([], 9, 9),  # "h the dog." stands nowhere: "hear the dog." has an r there, and "I watch the dogs." an s
        ([("I watch the dog.", "6")], 11, NO_LIMIT),  # no sentence begins with "watch the d"
        ([("watch the dog. Now.", "6")], 10, NO_LIMIT),  # none ends with "h the dog."
        ([("watch the dog.", "6")], NO_LIMIT, NO_LIMIT),
    ],
)
def test_marks(empty: Store, more: list[Row], order: int, inner: int) -> None:
    """The first and the last N-sequence hold the ends of the sentence, unless those are left out."""
    import_rows(empty, [*CORPUS, *more])
    finished(generate(empty, "eng"))
    assert orders(empty)["watch the dog."] == (order, inner)
    assert_by_definition(empty)


@pytest.mark.parametrize("least", [1, 3, 5, 8, 20, 2**31 - 1])
def test_the_filter_at_any_n_is_a_query(empty: Store, least: int) -> None:
    """Those with an order of N or more are those of which all N-sequences occur: the filter of the paper."""
    import_rows(empty, random_rows(random.Random(4), 20, pivots=5))
    report = finished(generate(empty, "eng", kept=NSequenceFilter(least)))
    corpus = [f"\n{text}\n" for text in fluency_texts(empty)]

    def passes(text: str) -> bool:
        whole = f"\n{text}\n"
        runs = {whole[at : at + least] for at in range(max(1, len(whole) - least + 1))}
        return all(any(run in sentence for sentence in corpus) for run in runs)

    kept = empty.connection.execute(
        "select seed, text from candidate where fluency >= ? order by seed, text", (least,)
    ).fetchall()
    everything = empty.connection.execute("select seed, text from candidate order by seed, text").fetchall()
    assert kept == [row for row in everything if passes(row[1])]
    assert (report.kept, report.kept_seeds) == (len(kept), len({seed for seed, _ in kept}))
    assert report.distinct == len({text for _, text in kept})
    assert report.novel == len({text for _, text in kept} - set(fluency_texts(empty)))


@pytest.mark.parametrize("number", range(15))
def test_new_sentences_raise_orders_as_a_rebuild_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Those of which the first unseen run has come are measured again, and the others need not be."""
    monkeypatch.setattr(stored_candidates, "_SMALL", 10.0)
    chance = random.Random(number)
    with new_store(tmp_path) as store:
        import_rows(store, random_rows(chance, 15, pivots=4))
        finished(generate(store, "eng"))
        before = orders(store)
        # Sentences that share no context with any other: nothing is generated from them, and orders rise all the same.
        import_rows(
            store, [(f"x y z {text}{mark} x y z", f"new {text}") for text in sorted(before)[::3] for mark in "!?"]
        )
        finished(update_layers(store))
        after = orders(store)
        assert all(after[text] >= before[text] for text in before)
        assert any(after[text] > before[text] for text in before)
        with copy_of_corpus(store) as copy:
            finished(generate(copy, "eng"))
            assert orders(copy) == after
