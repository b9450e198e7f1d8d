"""The formal definition of analogy, against a plain dynamic program and the definition spelled out."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.paraphrase.equations import is_analogy, lcs_distance, lcs_length, lcs_rows

WORDS = [("".join(letters)) for length in range(3) for letters in product("abc", repeat=length)]
words = st.text(alphabet="abc", max_size=12)
texts = st.text(alphabet="ab é漢🍺ש\u0301", max_size=90)


def plain_matrix(a: str, b: str) -> list[list[int]]:
    """The LCS lengths of all prefixes, by the textbook recurrence."""
    matrix = [[0] * (len(b) + 1)]
    for x in a:
        row = [0]
        for j, y in enumerate(b):
            row.append(matrix[-1][j] + 1 if x == y else max(matrix[-1][j + 1], row[j]))
        matrix.append(row)
    return matrix


def plain_distance(a: str, b: str) -> int:
    return len(a) + len(b) - 2 * plain_matrix(a, b)[-1][-1]


@pytest.mark.parametrize(
    ("a", "b", "length", "distance"),
    [
        ("", "", 0, 0),
        ("", "abc", 0, 3),
        ("abc", "abc", 3, 0),
        ("abc", "cba", 1, 4),
        ("like", "unlike", 4, 2),
        ("reader", "unreadable", 5, 6),
        ("aslama", "muslim", 3, 6),
        ("caf\u00e9", "cafe\u0301", 4, 0),
        ("ビールをください。", "ビールを一本ください。", 9, 2),
        ("🍺🍵", "🍵🍺", 1, 2),
        ("שלום", "שלו", 3, 1),
    ],
)
def test_lcs(a: str, b: str, length: int, distance: int) -> None:
    assert (lcs_length(a, b), lcs_distance(a, b)) == (length, distance)


@given(texts, texts)
def test_every_cell_of_the_rows_is_the_plain_one(a: str, b: str) -> None:
    cells = [[j - (row & ((1 << j) - 1)).bit_count() for j in range(len(b) + 1)] for row in lcs_rows(a, b)]
    assert cells == plain_matrix(a, b)


@given(words, words, words)
def test_the_distance_is_a_metric_equal_to_the_plain_one(a: str, b: str, c: str) -> None:
    assert lcs_distance(a, b) == lcs_distance(b, a) == plain_distance(a, b)
    assert (lcs_distance(a, b) == 0) == (a == b)
    assert lcs_distance(a, c) <= lcs_distance(a, b) + lcs_distance(b, c)


def test_rows_longer_than_a_machine_word() -> None:
    a, b = "abcd" * 60, "dbca" * 70
    assert lcs_length(a, b) == plain_matrix(a, b)[-1][-1]


def test_every_quadruple_of_short_words_is_judged_as_the_definition_says() -> None:
    distance = {(a, b): plain_distance(a, b) for a, b in product(WORDS, repeat=2)}
    holding = 0
    for a, b, c, d in product(WORDS, repeat=4):
        counts = Counter(a) + Counter(d) == Counter(b) + Counter(c)
        expected = counts and distance[a, b] == distance[c, d] and distance[a, c] == distance[b, d]
        assert is_analogy(a, b, c, d) == expected, (a, b, c, d)
        holding += expected
    assert 0 < holding < len(WORDS) ** 4


@pytest.mark.parametrize(
    "terms",
    [
        # Lepage and Denoual (2005), Tables 3 and 4.
        "I'd like a beer, please.|A beer, please.|I'd like a slice of pizza, please.|A slice of pizza, please.",
        "I'd like a twin, please.|A twin, please.|I'd like a slice of pizza, please.|A slice of pizza, please.",
        "I'd like a beer, please.|Can I have a beer?|I'd like a slice of pizza, please.|Can I have a slice of pizza?",
        # Lepage (1998) and the examples usual since.
        "like|unlike|known|unknown",
        "aslama|muslim|arsala|mursil",
        "fliehen|er floh|schliessen|er schloss",
        "|a|b|ab",
        "|||",
        "ab|ba|cd|dc",
        "cafe\u0301|cafe\u0301s|the\u0301|th\u00e9s",
        "أنا|وأنا|هو|وهو",
        "👨‍👩‍👧 ok|👨‍👩‍👧 no|🍺 ok|🍺 no",
    ],
)
def test_analogies(terms: str) -> None:
    assert is_analogy(*terms.split("|"))


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ("like|unlike|known|knownun", "d(A, C) = 7 and d(B, D) = 9"),
        ("a|b|c|d", "character counts"),
        ("a|ab|b|b", "lengths"),
        ("ab|ab|ba|ab", "d(A, B) = 0 and d(C, D) = 2"),
        ("ab|ba|ab|ab", "d(A, C) = 0 and d(B, D) = 2"),
        ("walk|walked|go|goed ", "a blank is a character"),
        ("x|xe\u0301|y|ye", "an accented letter is one character"),
    ],
)
def test_no_analogies(terms: str, why: str) -> None:
    assert not is_analogy(*terms.split("|")), why


@given(*[st.text(alphabet="ab", max_size=3)] * 4)
def test_the_eight_forms_are_equivalent(a: str, b: str, c: str, d: str) -> None:
    forms = [
        (a, b, c, d),
        (a, c, b, d),
        (b, a, d, c),
        (b, d, a, c),
        (c, a, d, b),
        (c, d, a, b),
        (d, b, c, a),
        (d, c, b, a),
    ]
    assert len({is_analogy(*form) for form in forms}) == 1


@given(texts, texts)
def test_any_two_terms_make_the_trivial_analogies(a: str, b: str) -> None:
    assert is_analogy(a, a, b, b)
    assert is_analogy(a, b, a, b)
