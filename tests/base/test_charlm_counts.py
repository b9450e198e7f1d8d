"""Counts of character n-grams, and what each normalisation makes of a text."""

from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base import char_model_counts as key_index
from corpusdb.base.char_model_counts import (
    NORMALISATIONS,
    Alphabet,
    Counts,
    KeyIndex,
    counts_from_bytes,
    counts_to_bytes,
    normalised,
    numbered,
    train,
)
from corpusdb.base.errors import InputError, UsageError

# Counts that are added and taken away, kept as bytes, and found again by their keys.


LETTERS = Alphabet.of(["abc "])
texts = st.lists(st.text("abc é", max_size=9), max_size=8)
orders = st.integers(1, 6)


@given(first=texts, second=texts, order=orders)
def test_sums_and_differences_are_trained_models(first: list[str], second: list[str], order: int) -> None:
    a, b = (train(part, LETTERS, order) for part in (first, second))
    assert a + b == train([*first, *second], LETTERS, order) == b + a
    assert a + b - b == a
    assert a - a == train([], LETTERS, order)


@given(trained=texts, order=orders)
def test_counts_say_how_much_there_was(trained: list[str], order: int) -> None:
    counts = train(trained, LETTERS, order)
    assert counts.texts == sum(map(bool, trained))
    assert counts.characters == sum(map(len, trained))
    assert counts.unknown == "".join(trained).count("é")


def test_what_does_not_fit_is_refused() -> None:
    counts = train(["abc"], LETTERS, 3)
    with pytest.raises(InputError, match="do not share an alphabet"):
        _ = counts + train(["abc"], Alphabet("abc"), 3)
    with pytest.raises(InputError, match="order 3, the other of order 2"):
        _ = counts + train(["abc"], LETTERS, 2)
    with pytest.raises(InputError, match="is not in it"):
        _ = counts - train(["acb"], LETTERS, 3)
    with pytest.raises(InputError, match="1 or more, not 0"):
        train(["abc"], LETTERS, 0)
    with pytest.raises(InputError, match="must ascend"):
        Alphabet("ba")


@given(trained=texts, order=orders)
def test_counts_come_back_from_bytes(trained: list[str], order: int) -> None:
    counts = train(trained, LETTERS, order)
    assert counts_from_bytes(counts_to_bytes(counts)) == counts


def test_every_changed_byte_is_noticed() -> None:
    blob = counts_to_bytes(train(["a cab", "c a"], LETTERS, 4))
    for place in range(len(blob)):
        damaged = bytearray(blob)
        damaged[place] ^= 0x55
        with pytest.raises(InputError, match=r"corrupt|not counts of characters"):
            counts_from_bytes(bytes(damaged))
    for size in (0, 10, 40, len(blob) - 1):
        with pytest.raises(InputError, match=r"corrupt|not counts of characters"):
            counts_from_bytes(blob[:size])


@pytest.mark.parametrize("fault", ["zero", "negative", "order", "range", "missing"])
def test_counts_that_cannot_be_are_refused_though_the_digest_is_right(fault: str) -> None:
    counts = train(["abc"], LETTERS, 2)
    keys, often = counts.keys[1].copy(), counts.counts[1].copy()
    first = counts.counts[0].copy()
    match fault:
        case "zero":
            often[1] = 0
        case "negative":
            first[3] = -1
        case "order":
            keys[[0, 1]] = keys[[1, 0]]
        case "range":
            keys[-1] = LETTERS.size**2
        case "missing":
            keys = keys[1:]
    blob = counts_to_bytes(Counts(LETTERS, (counts.keys[0], keys), (first, often)))
    with pytest.raises(InputError, match="corrupt"):
        counts_from_bytes(blob)


@pytest.mark.parametrize("limits", [(1 << 30, 1 << 30), (0, 1 << 30), (0, 0)], ids=["table", "bits", "sorted"])
@pytest.mark.parametrize("present", [0, 1, 40])
def test_each_way_to_find_keys(monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], present: int) -> None:
    monkeypatch.setattr(key_index, "MOST_IN_TABLE", limits[0])
    monkeypatch.setattr(key_index, "MOST_IN_BITS", limits[1])
    rng = random.Random(present)
    keys = sorted(rng.sample(range(200), present))
    index = KeyIndex(np.array(keys, dtype=np.int64), 200)
    expected = [keys.index(key) if key in keys else -1 for key in range(200)]
    assert index.find(np.arange(200)).tolist() == expected
    drawn = [rng.choice(keys) for _ in range(99)] if keys else []
    distinct, numbers, often = numbered(np.array(drawn, dtype=np.int64), 200)
    assert distinct.tolist() == sorted(set(drawn))
    assert distinct[numbers].tolist() == drawn
    assert often.tolist() == [drawn.count(key) for key in distinct.tolist()]


def test_large_alphabets_are_counted_by_sorting_as_others_are() -> None:
    rng = random.Random(4)
    many = ["".join(chr(0x4E00 + int(rng.paretovariate(0.3)) % 4_000) for _ in range(30)) for _ in range(400)]
    alphabet = Alphabet.of(many)
    counts = train(many, alphabet, 3)
    assert len(counts.keys[1]) * alphabet.size > key_index.MOST_IN_TABLE
    expected: dict[str, int] = {}
    for text in many:
        for at in range(len(text) - 2):
            expected[text[at : at + 3]] = expected.get(text[at : at + 3], 0) + 1
    assert int((counts.counts[2]).sum()) == sum(expected.values()) + 2 * len(many)
    first, second = (train(part, alphabet, 3) for part in (many[:150], many[150:]))
    assert first + second == counts


@pytest.mark.parametrize(
    ("text", "nfkc", "case", "letters"),
    [
        (
            "\u201cDon\u2019t\u201d,  she said\u00a0\u2026 ",
            "\u201cDon\u2019t\u201d,  she said ... ",
            '"don\'t", she said ...',
            "dont she said",
        ),
        ("ＡＢＣ　１２３", "ABC 123", "abc 123", "abc"),
        ("私は 学校　へ 行きます。", "私は 学校 へ 行きます。", "私は学校へ行きます。", "私は学校へ行きます"),
        ("Tom は 学生", "Tom は 学生", "tomは学生", "tomは学生"),
        ("well-known (1)", "well-known (1)", "well-known (1)", "well known"),
        ("हिन्दी", "हिन्दी", "हिन्दी", "हिन्दी"),
        ("ÉTÉ l\u2032eau", "ÉTÉ l\u2032eau", "été l'eau", "été leau"),
        ("a\nb\tc", "a\nb\tc", "a b c", "a b c"),
        ("...", "...", "...", ""),
        ("", "", "", ""),
    ],
)
def test_examples(text: str, nfkc: str, case: str, letters: str) -> None:
    assert [normalised([text], name)[0] for name in NORMALISATIONS] == [text, nfkc, case, letters]


@pytest.mark.parametrize("name", NORMALISATIONS)
@given(
    texts=st.lists(
        st.text(st.sampled_from("aA \n\t\u00a0\u3000\u2019'\"«.-1私はΣσİıﬁé\u0301\u0345ｶﾞ\U00020000"), max_size=9)
    )
)
@example(texts=["A1\u03011\uff9e"])
def test_each_text_is_on_its_own_and_stays_as_it_has_become(name: str, texts: list[str]) -> None:
    found = normalised(texts, name)
    assert found == [normalised([text], name)[0] for text in texts]
    assert normalised(found, name) == found
    if name in ("case", "letters"):
        assert all(text == text.strip() and "  " not in text and "\n" not in text for text in found)
    if name == "letters":
        assert all(unicodedata.category(char)[0] in "LM" or char == " " for text in found for char in text)


def test_more_lines_than_are_taken_at_a_time() -> None:
    texts = [f"Line {number}" for number in range(12_345)]
    assert normalised(texts, "case") == [text.lower() for text in texts]
    assert normalised([], "case") == []


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match="no normalisation 'lower', but none, nfkc, case, letters"):
        normalised(["a"], "lower")
