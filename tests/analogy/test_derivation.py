"""Tests of corpusdb/paraphrase/derivation.py; the chain over a database is compared with it in tests/queries/chain."""

from __future__ import annotations

import pytest

from corpusdb.paraphrase.derivation import (
    Derivation,
    Evidence,
    Substitution,
    candidates,
    derivations,
    is_usable,
    solution,
)
from corpusdb.paraphrase.equations import solve


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


def test_enough_of_the_seed_must_be_left() -> None:
    assert is_usable("1234567", "1234567890")
    assert not is_usable("12345678", "1234567890")


def test_derivations_join_slots_with_substitutions_and_commutations() -> None:
    beside = [
        Substitution(CONTEXT, BEERS, PLEASE, BEER, 1, 6),
        Substitution(CONTEXT, A_BEER, HAVE, BEER, None, None),
        Substitution(CONTEXT, TEA, HAVE, SEED, 0, 1),
    ]
    texts = {TEA: " tea", BEERS: " beer", A_BEER: " a beer"}
    found = derivations(SEED, [(CONTEXT, TEA), (99, TEA)], texts, {CONTEXT: beside}, {(TEA, BEERS): 4})
    assert list(found) == [derived(PLEASE, (1, 6), contexts=3)]
