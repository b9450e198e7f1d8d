"""Units, slots, which of these are kept and which fillers commute, against plain cutting and dictionaries."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple
from itertools import combinations, pairwise

import numpy as np
import pytest
from corpora import CHARACTERS
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.ngrams import text_hashes
from corpusdb.base.text import needs_slow_units, normalise, unit_ends
from corpusdb.paraphrase import slots
from corpusdb.paraphrase import slots as commutation
from corpusdb.paraphrase.slots import (
    MAX_UNITS,
    SlotIndex,
    Slots,
    count_commutations,
    cut_shared_slots,
    cut_slots,
    ends_of_plain,
    index_slots,
)

# Units, against the pattern that cuts one after the other.


parts = st.sampled_from(
    [
        *("'", "'", "\N{RIGHT SINGLE QUOTATION MARK}", " ", "\n", "\N{NO-BREAK SPACE}", "\x1c"),
        *("-", "...", "?!", "_", "\u2026"),
        *("n", "t", "N'T", "s", "D", "re", "Ve", "ll", "em", "do", "x"),
        *("l", "J", "qu", "Lorsqu", "puisQu", "quoiqu", "QU", "é", "İ"),
        *(".", ",", ":", "5", "30", "²", "٣"),
    ]
)
plain = st.one_of(st.lists(parts, max_size=14).map("".join), st.text(CHARACTERS)).filter(
    lambda text: not needs_slow_units(text)
)


@given(plain)
@example("don't've l'eau o'don't 5:30's")
@example("n't'x ''s 'n'tonight 'tis")
@example("'")
def test_units_end_where_the_pattern_ends_them(text: str) -> None:
    assert ends_of_plain(text).tolist() == unit_ends(text, slow=False)


def test_a_long_chain_of_apostrophes() -> None:
    text = "a'" * 300 + "s"
    assert ends_of_plain(text).tolist() == unit_ends(text)


# Slots, against a plain cutting of each sentence.


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
    assert slots.filler.tolist() == text_hashes(fillers).tolist()
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
    assert [beer[1], pizza[1]] == text_hashes([" beer", " slice of pizza"]).tolist()


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
    assert len(text_hashes([])) == 0


def test_slots_are_chosen_by_place_or_by_mask() -> None:
    slots = cut_slots(["a b", "c"])
    assert places(slots[np.array([2, 0])]) == [places(slots)[2], places(slots)[0]]
    assert places(slots[slots.sentence == 1]) == [(1, 0, 0), (1, 1, 1)]


# Which slots are kept and which fillers commute, against the same with dictionaries.


commutation_corpora = st.lists(
    st.lists(st.sampled_from("ab水!"), min_size=1, max_size=5).map(" ".join), unique=True, max_size=9
)
limits = st.sampled_from([1, 2, 3, 5, 2000])

BAR = [
    "A beer, please.",
    "A slice of pizza, please.",
    "I'd like a beer, please.",
    "I'd like a slice of pizza, please.",
    "Can I have a beer?",
    "Can I have a slice of pizza?",
    "Where is the bar?",
]

Row = tuple[int, int, int, int, int]


def rows(slots: Slots) -> list[Row]:
    """Sentence, start, stop, context and filler of each slot."""
    return list(zip(*(column.tolist() for column in astuple(slots)), strict=True))


def index_plainly(slots: Slots, max_fillers: int) -> tuple[dict[int, list[Row]], dict[int, list[Row]]]:
    """The slots of each context of two sentences, and the kept slots of each filler; both by first occurrence."""
    contexts: dict[int, list[Row]] = {}
    for row in sorted(rows(slots)):
        contexts.setdefault(row[3], []).append(row)
    contexts = {context: group for context, group in contexts.items() if len(group) >= 2}
    fillers: dict[int, list[Row]] = {}
    for row in sorted(row for group in contexts.values() if len(group) <= max_fillers for row in group):
        fillers.setdefault(row[4], []).append(row)
    return contexts, {filler: group for filler, group in fillers.items() if len(group) >= 2}


def commutations_plainly(index: SlotIndex) -> list[tuple[int, int, int]]:
    by_context: dict[int, list[int]] = {}
    for context, filler in zip(index.slot_context.tolist(), index.slot_filler.tolist(), strict=True):
        by_context.setdefault(context, []).append(filler)
    counts = Counter(pair for fillers in by_context.values() for pair in combinations(sorted(fillers), 2))
    return sorted((x, y, count) for (x, y), count in counts.items() if count >= 2)


def commutations(index: SlotIndex) -> list[tuple[int, int, int]]:
    x, y, contexts = count_commutations(index.slot_context, index.slot_filler)
    return list(zip(x.tolist(), y.tolist(), contexts.tolist(), strict=True))


@given(commutation_corpora, limits)
def test_index(texts: list[str], max_fillers: int) -> None:
    slots = cut_slots(texts)
    index = index_slots(slots, max_fillers)
    contexts, fillers = index_plainly(slots, max_fillers)
    assert rows(index.contexts) == [group[0] for group in contexts.values()]
    assert index.context_fillers.tolist() == [len(group) for group in contexts.values()]
    assert rows(index.fillers) == [group[0] for group in fillers.values()]
    assert index.filler_contexts.tolist() == [len(group) for group in fillers.values()]
    number_of_context = {context: number for number, context in enumerate(contexts)}
    expected = sorted(
        (number_of_context[row[3]], number, row[0]) for number, group in enumerate(fillers.values()) for row in group
    )
    kept = (index.slot_context.tolist(), index.slot_filler.tolist(), index.slot_sentence.tolist())
    assert list(zip(*kept, strict=True)) == expected


@given(commutation_corpora, limits)
def test_commutations(texts: list[str], max_fillers: int) -> None:
    index = index_slots(cut_slots(texts), max_fillers)
    assert commutations(index) == commutations_plainly(index)


@pytest.mark.parametrize("pairs_at_once", [1, 2, 7, 50])
def test_counting_in_parts_changes_nothing(pairs_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_slots(cut_slots(BAR))
    whole = commutations(index)
    monkeypatch.setattr(commutation, "_PAIRS_AT_ONCE", pairs_at_once)
    assert commutations(index) == whole == commutations_plainly(index)
    assert whole


def test_pairs_ascend() -> None:
    found = [(x, y) for x, y, _ in commutations(index_slots(cut_slots(BAR)))]
    assert all(x < y for x, y in found)
    assert all(first < second for first, second in pairwise(found))


def test_beer_and_pizza_commute_in_three_contexts() -> None:
    index = index_slots(cut_slots(BAR))
    fillers = [BAR[sentence][start:stop] for sentence, start, stop, _, _ in rows(index.fillers)]
    found = {(fillers[x], fillers[y]): contexts for x, y, contexts in commutations(index)}
    assert found[" beer", " slice of pizza"] == 3
    assert found["A", "I'd like a"] == 2


def test_each_commutation_is_made_of_attested_sentences() -> None:
    index = index_slots(cut_slots(BAR))
    fillers = [BAR[sentence][start:stop] for sentence, start, stop, _, _ in rows(index.fillers)]
    gaps = [(BAR[sentence][:start], BAR[sentence][stop:]) for sentence, start, stop, _, _ in rows(index.contexts)]
    for x, y, contexts in commutations(index):
        attested = [
            (before, after)
            for before, after in gaps
            if before + fillers[x] + after in BAR and before + fillers[y] + after in BAR
        ]
        assert len(attested) == contexts


def test_a_context_that_is_too_common_is_left_out() -> None:
    texts = [f"I {verb}." for verb in ("run", "swim", "read")] + [f"We {verb}." for verb in ("run", "swim")]
    index = index_slots(cut_slots(texts), max_fillers=2)
    gaps = [(texts[sentence][:start], texts[sentence][stop:]) for sentence, start, stop, _, _ in rows(index.contexts)]
    common, rare = gaps.index(("I", ".")), gaps.index(("We", "."))
    assert index.context_fillers[[common, rare]].tolist() == [3, 2]  # still told, so that it can be reported
    assert common not in index.slot_context
    # What is left of " run" and " swim" stands in one context only, and one is no analogy.
    assert rare not in index.slot_context
    assert rare in index_slots(cut_slots(texts), max_fillers=3).slot_context


@pytest.mark.parametrize("texts", [[], ["Alone."]])
def test_no_analogies(texts: list[str]) -> None:
    index = index_slots(cut_slots(texts))
    assert len(index.contexts) == len(index.fillers) == len(index.slot_context) == 0
    assert commutations(index) == []


# Slots of shared contexts, cut part by part, give the index that all slots give.


shared_slots_corpora = st.lists(
    st.lists(st.sampled_from("abc水𠮷!"), min_size=1, max_size=5).map(" ".join), unique=True, max_size=14
)


def shared_slots_rows(cut: Slots) -> set[tuple[int, ...]]:
    return set(zip(*(column.tolist() for column in astuple(cut)), strict=True))


@given(shared_slots_corpora, st.integers(1, 5), st.sampled_from([4, 8, 26]))
def test_index_is_the_same(texts: list[str], at_once: int, bits: int) -> None:
    """However few sentences a part has, and however many contexts share a hash by chance."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slots, "_SENTENCES_AT_ONCE", at_once)
        patch.setattr(slots, "_MOST_HASH_BITS", bits)
        shared = cut_shared_slots(texts)
    everything = cut_slots(texts)
    assert shared_slots_rows(shared) <= shared_slots_rows(everything)
    assert len(shared) == len(shared_slots_rows(shared))
    found, expected = index_slots(shared), index_slots(everything)
    for column in ("context_fillers", "filler_contexts", "slot_context", "slot_filler", "slot_sentence"):
        assert getattr(found, column).tolist() == getattr(expected, column).tolist(), column
    assert shared_slots_rows(found.contexts) == shared_slots_rows(expected.contexts)
    assert shared_slots_rows(found.fillers) == shared_slots_rows(expected.fillers)


def test_slots_of_contexts_seen_once_are_left_out() -> None:
    texts = ["one two", "one three", "a sentence like no other", "neither is this"]
    assert set(cut_shared_slots(texts).sentence.tolist()) == {0, 1}
    assert set(cut_slots(texts).sentence.tolist()) == {0, 1, 2, 3}
