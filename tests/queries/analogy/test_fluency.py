"""The fluency order: against its definition, and as the filter of Lepage & Denoual (2005), section 4.4."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from brute_force import fluency
from corpora import Row, copy_of_corpus, import_rows, new_store, random_rows, tatoeba

from corpusdb.base.fluency_orders import NO_LIMIT
from corpusdb.base.jobs import finished
from corpusdb.chain.queries import generation
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries import candidate_update
from corpusdb.paraphrase.queries.filters import NSequenceFilter


def orders(store: Store) -> dict[str, tuple[int, int]]:
    """The order of each candidate with the marks at the ends and without; the same whatever the seed was."""
    rows = store.connection.execute("select distinct text, fluency, inner_fluency from candidate").fetchall()
    found = {text: (order, inner) for text, order, inner in rows}
    assert len(found) == len(rows)
    return found


def texts(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute("select text from sentence where language = 'eng'")]


def assert_by_definition(store: Store) -> None:
    corpus = texts(store)
    for text, (order, inner) in orders(store).items():
        assert order == fluency(text, corpus)
        assert inner == fluency(text, corpus, marks=False)
        assert order <= inner
        assert (order == NO_LIMIT) == (text in corpus)


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("number", range(10))
def test_random_corpora(empty: Store, number: int, one_by_one: bool) -> None:
    """Both ways of measuring: that for many candidates, and that for those of seeds asked for one by one."""
    import_rows(empty, random_rows(random.Random(number), 20, pivots=5))
    finished(generate(empty, "eng", texts(empty) if one_by_one else None))
    assert orders(empty)
    assert_by_definition(empty)


@pytest.mark.data
@pytest.mark.parametrize("one_by_one", [False, True])
def test_real_sentences(empty: Store, monkeypatch: pytest.MonkeyPatch, one_by_one: bool) -> None:
    monkeypatch.setattr(generation, "_SEEDS_PER_TRANSACTION", 50)
    import_rows(empty, tatoeba("jpn", 300, 700), ("eng", "jpn"))
    finished(generate(empty, "eng", texts(empty) if one_by_one else None))
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
    corpus = [f"\n{text}\n" for text in texts(empty)]

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
    assert report.novel == len({text for _, text in kept} - set(texts(empty)))


@pytest.mark.parametrize("number", range(15))
def test_new_sentences_raise_orders_as_a_rebuild_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Those of which the first unseen run has come are measured again, and the others need not be."""
    monkeypatch.setattr(candidate_update, "_SMALL", 10.0)
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
