"""Which slots are kept and which fillers commute, against the same with dictionaries."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.paraphrase import slots as commutation
from corpusdb.paraphrase.slots import SlotIndex, Slots, count_commutations, cut_slots, index_slots

corpora = st.lists(st.lists(st.sampled_from("ab水!"), min_size=1, max_size=5).map(" ".join), unique=True, max_size=9)
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


@given(corpora, limits)
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


@given(corpora, limits)
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
