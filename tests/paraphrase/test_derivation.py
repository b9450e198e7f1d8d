"""Candidates of one seed and of many at a time, and where a filler can be replaced."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from brute_force import fluency as brute_force_fluency
from corpora import Row, copy_of_corpus, import_rows, new_store, random_rows, tatoeba
from hypothesis import given
from hypothesis import strategies as st
from rows_chain import RowsChain, TranslationPair

from corpusdb.base.jobs import finished
from corpusdb.base.ngrams import SortedCorpus, SuffixIndex, sort_suffixes, text_hashes
from corpusdb.base.text import unit_ends
from corpusdb.chain.queries import generation
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.store import Store
from corpusdb.paraphrase import derivation
from corpusdb.paraphrase.derivation import (
    MOST_FILLER,
    NOWHERE,
    UNCLEAR,
    DerivableSlots,
    Derivation,
    Evidence,
    Fluency,
    ParaphrasePairs,
    Replaced,
    SharedFiller,
    asking_slots,
    candidates,
    candidates_of_many,
    derive,
    derive_lone,
    filler_place,
    fluency_of,
    hashes_within,
    rewording_orders,
    solution,
)
from corpusdb.paraphrase.equations import solve
from corpusdb.paraphrase.queries import candidates as stored_candidates
from corpusdb.paraphrase.queries.filters import NSequenceFilter
from corpusdb.paraphrase.slots import asked_pairs, count_commutations


class Listed:
    """The sentences of the examples."""

    texts = (
        "I'd like tea.",
        "I'd like beer.",
        "A beer, please.",
        "Beer, beer, beer!",
        "Can I have a beer?",
        "Hi beer ",
    )

    def text(self, sentence: int) -> str:
        return self.texts[sentence]

    def shared(self, sentence: int, rewording: int) -> tuple[frozenset[str], float]:
        return frozenset({"fra", "deu"} if rewording == 2 else {"fra", "jpn"}), rewording / 10


ROWS = Listed()
SEED, BEER, PLEASE, THRICE, HAVE, SPACE = range(6)
CONTEXT, TEA, BEERS, A_BEER = 7, 8, 9, 10


def derived(rewording: int, place: tuple[int, int] | None, contexts: int = 3, y: int = BEERS) -> Derivation:
    start, stop = place or (None, None)
    return Derivation(SEED, " tea", BEER, rewording, start, stop, contexts, CONTEXT, TEA, y)


def test_the_filler_of_the_seed_takes_the_place_of_the_other() -> None:
    assert solution(ROWS.text(SEED), derived(PLEASE, (1, 6)), ROWS) == "A tea, please."


def test_the_general_solver_finds_the_place() -> None:
    one = Derivation(SEED, "tea", BEER, HAVE, None, None, 1, CONTEXT, TEA, BEERS)
    assert solution(ROWS.text(SEED), one, ROWS) == "Can I have a tea?"


@pytest.mark.parametrize(
    ("sentence", "rewording", "seed", "solved", "kept"),
    [
        ("You are friends.", "You are good friends.", "You two are friends.", "You two are good friends.", True),
        ("Are you friends?", "Areyou  friends?", "Are you good friends?", "Areyou  good friends?", True),
        ("Are you in?", "Are you  in?", "Areyou in?", "Areyou  in?", True),  # as in the terms
        ("I need it.", "I needed it.", "I heat it.", "I heated it.", True),  # one of their words with another end
        ("I need it.", "I ended it.", "I need at.", "I ended at.", True),
        ("It is tea.", "Is it tea?", "It is a pea.", "Is it a pea?", True),
        ("It is good at that.", "It is good that.", "It is goodat that.", "It is goodthat.", False),
        ("x is.", "x y is.", "xz is.", "xz y is.", True),
    ],
)
def test_words_are_neither_cut_up_nor_joined(sentence: str, rewording: str, seed: str, solved: str, kept: bool) -> None:
    class Three(Listed):
        texts = (seed, sentence, rewording)  # type: ignore[assignment]

    assert solve(sentence, rewording, seed, work=2_000) == solved
    one = Derivation(0, "", 1, 2, None, None, 1, CONTEXT, TEA, BEERS)
    assert solution(seed, one, Three()) == (solved if kept else None)


@pytest.mark.parametrize("place", [(2, 8), (0, 8)])
def test_what_has_spaces_at_its_ends_or_nothing_else_is_no_sentence(place: tuple[int, int]) -> None:
    one = Derivation(SEED, " tea", BEER, SPACE, *place, 1, CONTEXT, TEA, BEERS)
    expected = "Hi tea" if place == (2, 8) else None
    assert solution(ROWS.text(SEED), one, ROWS) == expected


def test_evidence_counts_each_pair_by_its_most_frequent_exchange() -> None:
    rows = [
        derived(PLEASE, (1, 6), contexts=2),
        derived(PLEASE, (1, 6), contexts=5, y=A_BEER),
        derived(PLEASE, (1, 6), contexts=4, y=A_BEER),
        derived(HAVE, (12, 17), contexts=1),
    ]
    expected = [Evidence("A tea, please.", 5, 1, 2, 0.2), Evidence("Can I have a tea?", 1, 1, 2, 0.4)]
    assert candidates(ROWS.text(SEED), rows, ROWS) == expected
    assert candidates(ROWS.text(SEED), rows[::-1], ROWS) == expected


def test_the_seed_is_no_candidate() -> None:
    itself = Derivation(SEED, " tea", BEER, BEER, 8, 13, 3, CONTEXT, TEA, BEERS)
    assert solution(ROWS.text(SEED), itself, ROWS) == ROWS.text(SEED)
    assert candidates(ROWS.text(SEED), [itself], ROWS) == []


# Where a filler can be replaced in a sentence.


@pytest.mark.parametrize(
    ("filler", "sentence", "expected"),
    [
        (" beer", "Can I have a beer?", 12),
        (" tea", "Can I have a beer?", NOWHERE),
        ("Can", "Can I have a beer?", 0),
        ("?", "Can I have a beer?", 17),
        (" have a beer", "Can I have a beer?", 5),
        ("n't", "I don't.", 4),
        ("", "I don't.", UNCLEAR),
        ("", "", UNCLEAR),
        ("a", "", NOWHERE),
        (" a", "a cat and a dog", UNCLEAR),  # ends within " and", and stands there twice
        (" be", "I want a beer.", UNCLEAR),  # ends within a unit
        ("eer", "I want a beer.", UNCLEAR),  # begins within one
        (" do", "do do do", UNCLEAR),
        ("おお", "おおお", UNCLEAR),  # twice, overlapping
        ("ビール", "ビールをください。", 0),
        ("水", "お水をください。", 1),
    ],
)
def test_places(filler: str, sentence: str, expected: int) -> None:
    assert filler_place(filler, sentence, set(unit_ends(sentence))) == expected


sentences = st.lists(st.sampled_from(["a", "ab", "do", "n't", "don't", ",", "水", "水を"]), max_size=6).map(" ".join)


@given(sentences, st.lists(sentences, max_size=5))
def test_places_by_the_rule(sentence: str, fillers: list[str]) -> None:
    ends = unit_ends(sentence)
    asked = [each + blank for each in fillers for blank in ("", " ")] + [" " + each for each in fillers]
    for filler in asked:
        place = filler_place(filler, sentence, ends)
        found = [start for start in range(len(sentence) + 1) if sentence.startswith(filler, start)]
        clear = [start for start in found if filler and start in (0, *ends) and start + len(filler) in ends]
        if not found:
            assert place == NOWHERE
        elif len(found) == 1 and clear:
            assert place == clear[0]
        else:
            assert place == UNCLEAR


def test_replacing_at_a_clear_place_is_what_the_solver_does() -> None:
    seed_context, rewording = ("A", ", please."), "Can I have a beer?"
    place = filler_place(" beer", rewording, unit_ends(rewording))
    replaced = rewording[:place] + " slice of pizza" + rewording[place + len(" beer") :]
    a, c = (filler.join(seed_context) for filler in (" beer", " slice of pizza"))
    assert solve(a, rewording, c) == replaced == "Can I have a slice of pizza?"


# Candidates of many seeds at a time, and the pairs of fillers that they ask for, against plain dictionaries.


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
        TranslationPair(number, chance.choice(["fra", "jpn"]), 1000 + chance.randrange(3))
        for number in range(len(sentences))
        for _ in range(chance.randint(0, 2))
    ]
    languages = {each.translation: each.language for each in translations}
    translations = [
        TranslationPair(each.sentence, languages[each.translation], each.translation) for each in translations
    ]
    return RowsChain("eng", dict(enumerate(sentences)), sorted(set(translations)))


def arrays_of(chain: RowsChain) -> tuple[DerivableSlots, Replaced, ParaphrasePairs]:
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
    pairs = ParaphrasePairs(
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
    by_context: dict[int, list[SharedFiller]] = defaultdict(list)
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
            if len(slot.text) <= MOST_FILLER * len(text)
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
            len(fillers[filler]) <= MOST_FILLER * len(sentences[sentence])
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


# Fluency orders, against the definition of Lepage & Denoual (2005), section 4.4.


letters = st.sampled_from("aab c日é")
corpora = st.lists(st.text(letters, min_size=1, max_size=20), min_size=1, max_size=6)
generated = st.lists(st.text(st.one_of(letters, st.sampled_from("xü本")), min_size=1, max_size=20), max_size=6)


def fluency(lines: Sequence[str], texts: Sequence[str]) -> tuple[str, list[Fluency]]:
    """With arrays of three texts at a time."""
    corpus = "\n" + "\n".join(lines) + "\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derivation, "_TEXTS_AT_ONCE", 3)
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
    for text, (outer, inner, *unseen) in zip(texts, found, strict=True):
        hashes = []
        for order, whole in ((outer, f"\n{text}\n"), (inner, text)):
            assert order == order_plainly(whole, corpus)
            first = None if order == NO_LIMIT else int(text_hashes([first_unseen(whole, order + 1, corpus)])[0]) >> 32
            hashes.append(first if first not in hashes else None)
        assert unseen == hashes
        assert inner >= outer


@given(corpora, generated)
def test_orders(lines: list[str], texts: list[str]) -> None:
    check(lines, texts + lines[:2])


@pytest.mark.slow
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


pieces = st.text("ab ", min_size=1, max_size=12)


@given(
    corpus=st.lists(pieces, min_size=1, max_size=4),
    left=pieces,
    old=pieces,
    new=pieces,
    right=st.text("ab ", max_size=6),
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


@pytest.mark.slow
@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("number", range(10))
def test_random_corpora(empty: Store, number: int, one_by_one: bool) -> None:
    """Both ways of measuring: that for many candidates, and that for those of seeds asked for one by one."""
    import_rows(empty, random_rows(random.Random(number), 20, pivots=5))
    finished(generate(empty, "eng", fluency_texts(empty) if one_by_one else None))
    assert orders(empty)
    assert_by_definition(empty)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("least", [5, 1, 3, 8, 20, 2**31 - 1])
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


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
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
