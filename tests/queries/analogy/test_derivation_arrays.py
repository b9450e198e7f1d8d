"""Candidates of many seeds at a time, and the pairs of fillers that they ask for, against plain dictionaries."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rows_chain import RowsChain

from corpusdb.paraphrase.derivation import (
    Asking,
    Derivation,
    Evidence,
    Pairs,
    Replaced,
    Substitution,
    asking_slots,
    candidates,
    candidates_of_many,
    derive,
    derive_lone,
    is_usable,
)
from corpusdb.paraphrase.sharing import Translation
from corpusdb.paraphrase.slots import asked_pairs, count_commutations

texts = st.lists(
    st.one_of(
        st.lists(st.sampled_from("ab𠮷"), min_size=1, max_size=4).map(" ".join),
        st.text("水a𠮷", min_size=1, max_size=3),
    ),
    unique=True,
    min_size=9,
    max_size=16,
)


def chain_of(sentences: list[str], seed: int) -> RowsChain:
    """The rows of these sentences, with translations drawn by ``seed``."""
    chance = random.Random(seed)
    translations = [
        Translation(number, chance.choice(["fra", "jpn"]), 1000 + chance.randrange(3))
        for number in range(len(sentences))
        for _ in range(chance.randint(0, 2))
    ]
    languages = {each.translation: each.language for each in translations}
    translations = [Translation(each.sentence, languages[each.translation], each.translation) for each in translations]
    return RowsChain("eng", dict(enumerate(sentences)), sorted(set(translations)))


def arrays_of(chain: RowsChain) -> tuple[Asking, Replaced, Pairs]:
    rows = sorted(chain.substitutions, key=lambda row: row[:3])
    keys = sorted(chain.paraphrases)
    columns = np.array(
        [
            (
                row.context,
                row.filler,
                keys.index((row.sentence, row.rewording)),
                *(-1 if at is None else at for at in row[4:]),
            )
            for row in rows
        ],
        dtype=np.int64,
    ).reshape(-1, 5)
    replaced = Replaced(*np.ascontiguousarray(columns.T))
    pairs = Pairs(
        np.array([sentence for sentence, _ in keys], dtype=np.int64),
        np.array([rewording for _, rewording in keys], dtype=np.int64),
        np.array([chain.paraphrases[key].probability for key in keys], dtype=np.float64),
        [
            np.array([language in chain.paraphrases[key].languages.split(",") for key in keys])
            for language in ("fra", "jpn")
        ],
    )
    slots = [slot for number in chain.sentences for slot in chain.slots.get(number, ())]
    sentence, context, filler = np.array([slot[:3] for slot in slots], dtype=np.int64).reshape(-1, 3).T
    asking = asking_slots(sentence, context, filler, replaced, list(chain.sentences.values()), chain.fillers)
    return asking, replaced, pairs


def commuting_of(chain: RowsChain) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], ...]:
    rows = sorted(chain.commutations.items())
    keys = np.array([x << 32 | y for (x, y), _ in rows], dtype=np.int64)
    return keys, np.array([count for _, count in rows], dtype=np.int64)


@given(texts, st.integers(0, 2**32))
def test_candidates_are_those_of_one_seed_after_the_other(sentences: list[str], seed: int) -> None:
    chain = chain_of(sentences, seed)
    asking, replaced, pairs = arrays_of(chain)
    keys, counts = commuting_of(chain)
    found: dict[int, list[Evidence]] = {}
    for first in range(0, len(sentences), 5):
        derived = derive(asking, replaced, (keys, counts), first, first + 5)
        found |= candidates_of_many(derived, replaced, pairs, sentences, chain.fillers)
    assert list(found) == sorted(found)
    assert found == chain.candidates()


@given(texts, st.integers(0, 2**32), st.data())
def test_lone_candidates_come_through_fillers_that_do_not_commute(
    sentences: list[str], seed: int, data: st.DataObject
) -> None:
    chain = chain_of(sentences, seed)
    asking, replaced, pairs = arrays_of(chain)
    chosen = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(replaced.pair), max_size=len(replaced.pair))), bool
    )
    chosen &= replaced.start >= 0
    keys, counts = commuting_of(chain)
    some = replaced[chosen]
    derived = derive_lone(asking.within(chosen), some, (keys, counts), 0, len(sentences))
    found = candidates_of_many(derived, some, pairs, sentences, chain.fillers)
    by_context: dict[int, list[Substitution]] = defaultdict(list)
    for row, is_chosen in zip(sorted(chain.substitutions, key=lambda row: row[:3]), chosen.tolist(), strict=True):
        if is_chosen:
            by_context[row.context].append(row)
    expected = {}
    for number, text in chain.sentences.items():
        rows = [
            Derivation(
                number,
                slot.text,
                row.sentence,
                row.rewording,
                row.start,
                row.stop,
                0,
                row.context,
                slot.filler,
                row.filler,
            )
            for slot in chain.slots.get(number, ())
            if is_usable(slot.text, text)
            for row in by_context[slot.context]
            if row.filler != slot.filler
            and (min(slot.filler, row.filler), max(slot.filler, row.filler)) not in chain.commutations
        ]
        if evidence := candidates(text, rows, chain):
            expected[number] = evidence
    assert found == expected


@given(texts, st.integers(0, 2**32))
def test_pairs_that_are_asked_for(sentences: list[str], seed: int) -> None:
    """Counted are those of all pairs, and no others, that a usable slot and a substitution of one context name."""
    chain = chain_of(sentences, seed)
    index = chain.index
    fillers = chain.fillers
    usable = np.array(
        [
            is_usable(fillers[filler], sentences[sentence])
            for filler, sentence in zip(index.slot_filler.tolist(), index.slot_sentence.tolist(), strict=True)
        ],
        dtype=bool,
    )
    replaced = np.array(sorted({row[:2] for row in chain.substitutions}), dtype=np.int64).reshape(-1, 2)
    asked = asked_pairs(index.slot_context, index.slot_filler, usable, replaced[:, 0], replaced[:, 1])
    assert asked.tolist() == sorted(x << 32 | y for x, y in chain.asked)
    x, y, contexts = count_commutations(index.slot_context, index.slot_filler, asked)
    found = dict(zip(zip(x.tolist(), y.tolist(), strict=True), contexts.tolist(), strict=True))
    assert list(found) == sorted(found)
    everything = count_commutations(index.slot_context, index.slot_filler)
    counts = {(x, y): count for x, y, count in zip(*map(np.ndarray.tolist, everything), strict=True)}
    assert found == {pair: count for pair, count in counts.items() if pair in chain.asked}
