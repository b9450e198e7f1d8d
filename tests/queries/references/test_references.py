"""Reference sets: what people wrote comes first, then its paraphrases, best first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from corpora import import_rows

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.paraphrase.queries.paraphrases import paraphrases
from corpusdb.people.queries.decisions import accept
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets

PIZZA = "A slice of pizza, please."


def reference_sets(store: Store, sources: Sequence[str], limit: int = 20, order: int = 0) -> list[ReferenceSet]:
    found = finished(attributed_sets(store, sources, Recipe(language="eng", limit=limit, kept=NSequenceFilter(order))))
    return [each.plain(number) for number, each in enumerate(found, 1)]


def references(store: Store, *sources: str, limit: int = 20, order: int = 0) -> list[tuple[str, ...]]:
    return [one.references for one in reference_sets(store, sources, limit, order)]


def test_a_seed_is_its_own_first_reference(pizza: Store) -> None:
    (found,) = reference_sets(pizza, [PIZZA])
    ranked = [one.text for one in paraphrases(pizza, PIZZA, "eng", limit=0, kept=NO_FILTER)]
    assert found == ReferenceSet("1", PIZZA, (PIZZA, *ranked))
    assert ranked[0] == "One slice of pizza, please."
    assert "Can I have a slice of pizza?" in ranked


def test_a_source_in_another_language_is_translated(pizza: Store) -> None:
    """The translations that people made come first, in the order of the corpus, and none comes twice."""
    (found,) = references(pizza, "ピザを一切れ。")
    # The corpus has met the seed before the other.
    assert found[:2] == (PIZZA, "One slice of pizza, please.")
    assert "Can I have a slice of pizza?" in found
    assert len(set(found)) == len(found)
    (other,) = references(pizza, "ピザをください。")
    assert other[0] == PIZZA
    assert set(other) == set(found)


def test_the_filter(pizza: Store) -> None:
    """Generated references must pass it; what people wrote does not have to."""
    generated = "Can I have a slice of pizza?"
    (order,) = (one.order for one in paraphrases(pizza, PIZZA, "eng", kept=NO_FILTER) if one.text == generated)
    assert order is not None
    assert generated in references(pizza, PIZZA, order=order)[0]
    assert generated not in references(pizza, PIZZA, order=order + 1)[0]
    assert references(pizza, PIZZA, order=1000) == [(PIZZA, "One slice of pizza, please.")]


@pytest.mark.parametrize("limit", [1, 2])
def test_limit(pizza: Store, limit: int) -> None:
    (everything,) = references(pizza, PIZZA, limit=0)
    assert len(everything) > limit
    assert references(pizza, PIZZA, limit=limit) == [everything[:limit]]


def test_one_set_for_each_source_in_their_order(pizza: Store) -> None:
    sources = ["ビールを一つ。", PIZZA, "Never seen", "ビールを一つ。"]
    found = reference_sets(pizza, sources, order=20)
    assert [(one.id, one.source) for one in found] == [
        ("1", sources[0]),
        ("2", PIZZA),
        ("3", sources[2]),
        ("4", sources[0]),
    ]
    assert found[2].references == ()
    assert found[0].references == found[3].references == ("A beer, please.", "Can I have a beer?")


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_seed_that_is_not_in_the_corpus(pizza: Store, limit: int) -> None:
    """Where an analogy knows it, it is its own first reference; found by test: not so with a limit of 1."""
    import_rows(pizza, [("Give me a beer.", "ビールを一つ。")], ("eng", "jpn"))
    finished(generate(pizza, "eng"))
    seed = "Give me a slice of pizza."
    (everything,) = references(pizza, seed, limit=0)
    assert everything[0] == seed
    assert len(everything) > 1
    assert references(pizza, seed, limit=limit) == [everything[: limit or None]]


def test_no_reference_is_blank(pizza: Store) -> None:
    for (source,) in pizza.connection.execute("select text from sentence").fetchall():
        (found,) = references(pizza, f"  {source} ")
        assert found
        assert all(text.strip() == text != "" for text in found)


@pytest.mark.parametrize("sources", [[""], ["  "], [PIZZA, "\t"]])
def test_an_empty_source_is_refused(pizza: Store, sources: list[str]) -> None:
    with pytest.raises(InputError, match=f"sources:{len(sources)}: the source is empty"):
        reference_sets(pizza, sources)


def test_what_was_accepted_has_paraphrases_like_any_other_sentence(pizza: Store) -> None:
    """Found by reading: of two makers of reference sets one gave such a seed nothing but itself."""
    accepted = "Can I have a slice of pizza?"
    finished(accept(pizza, PIZZA, accepted, "eng"))
    (found,) = references(pizza, accepted)
    assert found[0] == accepted
    assert {PIZZA, "One slice of pizza, please."} < set(found)
    (translated,) = references(pizza, "ピザをください。")
    assert translated[:2] == (PIZZA, accepted)
