"""The lexical models, against model 1 of IBM in plain Python (Brown et al. 1993), and what translations testify."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.paraphrase import lexical_model
from corpusdb.paraphrase.lexical_model import (
    LexicalModel,
    PackedWords,
    Vocabulary,
    train_lexical,
    vocabulary_and_sets,
    words_of,
)
from corpusdb.paraphrase.queries.seed_rewordings import _testifying
from corpusdb.paraphrase.witnesses import (
    NO_TESTIMONY,
    SAID,
    WORDED,
    ChangedSides,
    Witness,
    known_testimony,
    witnesses_of,
)

PAIRS = [
    ("Give me a glass of water.", "Donnez-moi un verre d'eau."),
    ("I want a glass.", "Je veux un verre."),
    ("A glass of milk, please.", "Un verre de lait, s'il vous plaît."),
    ("The glass is empty.", "Le verre est vide."),
    ("I want a cup.", "Je veux une tasse."),
    ("A cup of tea, please.", "Une tasse de thé, s'il vous plaît."),
    ("The cup is empty.", "La tasse est vide."),
    ("Give me a cup of tea.", "Donnez-moi une tasse de thé."),
]


def model_of(pairs: Sequence[tuple[str, str]]) -> LexicalModel:
    words, sentences = vocabulary_and_sets([one for one, _ in pairs])
    others, translations = vocabulary_and_sets([other for _, other in pairs])
    return train_lexical(words, others, sentences, translations)


def by_hand(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """How probably each word gives the other, after four steps of EM from equal probabilities."""
    probable: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for _ in range(4):
        counts: dict[tuple[str, str], float] = defaultdict(float)
        for one, other in pairs:
            for explained in set(words_of(other)):
                total = sum(probable[word, explained] for word in set(words_of(one)))
                for word in set(words_of(one)):
                    counts[word, explained] += probable[word, explained] / total
        totals: dict[str, float] = defaultdict(float)
        for (word, _), count in counts.items():
            totals[word] += count
        probable = defaultdict(float, {key: count / totals[key[0]] for key, count in counts.items()})
    return probable


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d e", "a b", "。"]), min_size=1, max_size=4).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_probabilities_are_those_of_model_1(pairs: list[tuple[str, str]]) -> None:
    model = model_of(pairs)
    wanted = by_hand(pairs)
    back = by_hand([(other, one) for one, other in pairs])
    for number, word in enumerate(model.words.words):
        for other_number, other in enumerate(model.others.words):
            place = model.places(np.array([number]), np.array([other_number]))
            (forward,), (backward,) = (
                model.given(each, place).tolist() for each in (model.other_given, model.word_given)
            )
            if forward or backward:  # the others are left out, being improbable or rare
                assert forward == pytest.approx(wanted[word, other], rel=0.03, abs=2e-5)
                assert backward == pytest.approx(back[other, word], rel=0.03, abs=2e-5)


@given(st.permutations(PAIRS))
def test_the_order_of_pairs_does_not_matter(pairs: list[tuple[str, str]]) -> None:
    assert model_of(pairs).blobs() == model_of(PAIRS).blobs()


def test_a_model_is_read_as_it_was_written() -> None:
    model = model_of(PAIRS)
    found = LexicalModel.read(model.blobs())
    assert ([*found.words.words], [*found.others.words]) == (model.words.words, model.others.words)
    for name in ("keys", "other_given", "word_given", "usual"):
        assert (getattr(found, name) == getattr(model, name)).all()


def test_many_cells_are_learned_from_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = model_of(PAIRS)
    monkeypatch.setattr(lexical_model, "_CELLS_AT_ONCE", 7)
    assert model_of(PAIRS).blobs() == whole.blobs()


def test_of_too_many_pairs_the_short_ones_teach(monkeypatch: pytest.MonkeyPatch) -> None:
    short = [pair for pair in PAIRS if len(words_of(pair[0])) * len(words_of(pair[1])) <= 30]
    cells = sum(len(set(words_of(one))) * len(set(words_of(other))) for one, other in short)
    monkeypatch.setattr(lexical_model, "_MOST_CELLS", cells)
    few = model_of(PAIRS)
    assert 0 < len(short) < len(PAIRS)
    seen = {word for one, _ in short for word in words_of(one)}
    assert {few.words.words[key // len(few.others)] for key in few.keys.tolist()} <= seen


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't go!", ["don", "'", "t", "go", "!"]),
        ("水を飲む", ["水", "を", "飲", "む", "水を", "を飲", "飲む"]),
        ("Ça va ?", ["ça", "va", "?"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_translations_say_which_word_they_ask_for() -> None:
    model = model_of(PAIRS)
    seed, verre = PAIRS[1]
    texts = ["I want a mug.", "I want a cup."]
    changed = ChangedSides(np.array([0, 1]), np.array([0, 0]), np.array([1, 2]), [" glass", " mug", " cup"], 2)
    pairs = [(seed, text) for text in texts]
    said = known_testimony(pairs, changed, [(seed, "fra", verre), (seed, "xxx", "?")], {"fra": model})
    added, left_out, explained, *silent = said[1, : len(SAID)].tolist()
    assert added < 0 < left_out
    assert explained < 0
    assert silent == [0.0, 0.0, 0.0]
    assert said[0, 0] == 0
    assert said[0, 4] == 1, "mug is a word that no translation was seen for"
    of_words = [dict(zip(WORDED, each, strict=True)) for each in said[:, len(SAID) :].tolist()]
    assert [each["not compared"] for each in of_words] == [1, 0]
    assert of_words[1]["alike"] < 0.5, "a cup is not a glass"
    assert of_words[0]["news added"] == 0 < of_words[0]["news left out"]
    back = known_testimony(
        [(PAIRS[4][0], seed)], _swapped(changed), [(PAIRS[4][0], "fra", PAIRS[4][1])], {"fra": model}
    )
    assert back[0, 2] < 0


def _swapped(changed: ChangedSides) -> ChangedSides:
    return ChangedSides(np.array([0]), changed.after[1:], changed.before[1:], changed.texts, 1)


def test_a_shared_translation_is_not_asked() -> None:
    model = model_of(PAIRS)
    seed, other = PAIRS[1][0], PAIRS[4][0]
    changed = ChangedSides(np.array([0]), np.array([0]), np.array([1]), [" glass", " cup"], 1)
    shared = [(seed, "fra", "Je veux un verre."), (other, "fra", "Je veux un verre.")]
    said = known_testimony([(seed, other)], changed, shared, {"fra": model})
    assert said[0, : len(SAID)].tolist() == list(NO_TESTIMONY[: len(SAID)])
    assert known_testimony([(seed, other)], changed, shared, {}).tolist() == [list(NO_TESTIMONY)]
    own = [*shared, (seed, "fra", "Je veux une tasse.")]
    assert known_testimony([(seed, other)], changed, own, {"fra": model})[0, 0] > 0


def test_what_a_translation_asks_for_is_told() -> None:
    model = model_of(PAIRS)
    changed = ChangedSides(np.array([0]), np.array([0]), np.array([1]), [" glass", " cup"], 1)
    said = witnesses_of(changed, [("fra", "Verre !"), ("deu", "Glas")], {"fra": model})
    assert said == [Witness("fra", "Verre !", (("cup", False),), (("glass", True),))]
    assert _testifying(said[0]._replace(translation="Verre\u202f!")).text.startswith("fra: 'Verre !': ")
    assert witnesses_of(changed, [("deu", "Glas")], {"fra": model}) == []


@given(st.lists(st.text("aé水😀", min_size=1), unique=True).map(sorted), st.data())
def test_packed_words_are_those_of_a_list(words: list[str], data: st.DataObject) -> None:
    packed = PackedWords("\n".join(words).encode())
    assert ([*packed], [packed[place] for place in range(len(packed))], packed[1:]) == (words, words, words[1:])
    asked = data.draw(st.lists(st.sampled_from([*words, "b"])))
    many = sorted([*words, *("~" * size for size in range(1, 2_000))])  # of which these are few
    for known in (packed, many):
        number = {word: place for place, word in enumerate(known)}
        assert Vocabulary(known).numbers(asked).tolist() == [number.get(word, -1) for word in asked]
