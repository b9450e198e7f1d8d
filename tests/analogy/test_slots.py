"""Slots, against a plain cutting of each sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import normalise, unit_ends
from corpusdb.paraphrase.slots import MAX_UNITS, Slots, cut_slots, filler_hashes

words = st.sampled_from(
    ["a", "beer", "don't", "l'eau", "5:30", ",", "...", "水を", "ください。", "नमस्ते", "👨\u200d👩", "é"]
)
texts = st.lists(words, max_size=7).map(" ".join).map(normalise)
corpora = st.lists(texts, max_size=6)


def cut_plainly(texts: list[str], max_units: int) -> list[tuple[int, int, int]]:
    """Sentence, start and stop of each slot, by size, sentence and place."""
    slots = []
    for units in range(max_units + 1):
        for sentence, text in enumerate(texts):
            bounds = [0, *unit_ends(text)]
            for start, stop in zip(bounds, bounds[units:], strict=False):
                if stop - start < len(text):
                    slots.append((sentence, start, stop))
    return slots


def places(slots: Slots) -> list[tuple[int, int, int]]:
    return list(zip(slots.sentence.tolist(), slots.start.tolist(), slots.stop.tolist(), strict=True))


@given(corpora, st.integers(0, 9))
def test_every_run_of_units_is_taken_out(texts: list[str], max_units: int) -> None:
    assert places(cut_slots(texts, max_units)) == cut_plainly(texts, max_units)


@given(corpora, st.integers(0, 5))
def test_long_sentences_have_none(texts: list[str], longest: int) -> None:
    expected = [slot for slot in cut_plainly(texts, MAX_UNITS) if len(unit_ends(texts[slot[0]])) <= longest]
    assert places(cut_slots(texts, max_sentence_units=longest)) == expected


@given(corpora)
def test_fingerprints_are_those_of_contexts_and_fillers(texts: list[str]) -> None:
    slots = cut_slots(texts)
    contexts: dict[int, set[tuple[str, str]]] = {}
    fillers = []
    for (sentence, start, stop), context in zip(places(slots), slots.context.tolist(), strict=True):
        text = texts[sentence]
        contexts.setdefault(context, set()).add((text[:start], text[stop:]))
        fillers.append(text[start:stop])
    different = set().union(*contexts.values()) if contexts else set()
    assert all(len(group) == 1 for group in contexts.values())
    assert len(contexts) == len(different)
    assert slots.filler.tolist() == filler_hashes(fillers).tolist()
    assert len(set(slots.filler.tolist())) == len(set(fillers))


def test_a_sentence_by_hand() -> None:
    text = "I don't."
    fillers = [text[start:stop] for _, start, stop in places(cut_slots([text]))]
    assert fillers == [
        *("", "", "", "", ""),
        *("I", " do", "n't", "."),
        *("I do", " don't", "n't."),
        *("I don't", " don't."),
    ]


def test_one_context_and_two_fillers() -> None:
    texts = ["A beer, please.", "A slice of pizza, please."]
    slots = cut_slots(texts)
    found = dict(zip(places(slots), zip(slots.context.tolist(), slots.filler.tolist(), strict=True), strict=True))
    beer, pizza = found[0, 1, 6], found[1, 1, 16]
    assert beer[0] == pizza[0]
    assert [beer[1], pizza[1]] == filler_hashes([" beer", " slice of pizza"]).tolist()


def test_the_gap_belongs_to_the_context() -> None:
    # Without it " _ a" and " a _" would be one context.
    slots = cut_slots(["a a"])
    assert len(set(slots.context.tolist())) == len(slots)


def test_the_longest_filler() -> None:
    slots = cut_slots([" ".join("abcdefghijkl")])
    sizes = (slots.stop - slots.start + 1) // 2
    assert sizes.max() == MAX_UNITS
    assert cut_slots(["a b c"], 0).start.tolist() == [0, 1, 3, 5]


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_nothing_to_cut(texts: list[str]) -> None:
    assert len(cut_slots(texts)) == 0
    assert len(filler_hashes([])) == 0


def test_slots_are_chosen_by_place_or_by_mask() -> None:
    slots = cut_slots(["a b", "c"])
    assert places(slots[np.array([2, 0])]) == [places(slots)[2], places(slots)[0]]
    assert places(slots[slots.sentence == 1]) == [(1, 0, 0), (1, 1, 1)]
