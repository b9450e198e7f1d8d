"""Analogies by their definition, and the solver against the literature and enumeration."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.text import nfc
from corpusdb.paraphrase import equations as equation
from corpusdb.paraphrase.equations import is_analogy, lcs_rows, length_of_lcs, solutions, solve

# The formal definition of analogy, against a plain dynamic program and the definition spelled out.


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


def lcs_distance(a: str, b: str) -> int:
    return len(a) + len(b) - 2 * length_of_lcs(a, b)


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
        ("ビールをください。", "ビールを一本ください。", 9, 2),
        ("🍺🍵", "🍵🍺", 1, 2),
        ("שלום", "שלו", 3, 1),
    ],
)
def test_lcs(a: str, b: str, length: int, distance: int) -> None:
    assert (length_of_lcs(a, b), lcs_distance(a, b)) == (length, distance)


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
    assert length_of_lcs(a, b) == plain_matrix(a, b)[-1][-1]


@pytest.mark.slow
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


# What the search leaves out leads nowhere: the same solutions in the same order as without it.


_UNBOUNDED = 10**5
letters = st.text(alphabet="abc", max_size=8)
marked = st.text(alphabet="ab\u0301각\u11a8", max_size=6)


def in_the_order_of_paths(a: str, b: str, c: str) -> list[str]:
    """The solutions of every pair of paths, none being left before its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equation, "_stays_composed", lambda text: False)
        return solutions(a, b, c, limit=0, work=_UNBOUNDED)


@pytest.mark.slow
@given(letters, letters, letters)
def test_nothing_is_lost_and_nothing_moves(a: str, b: str, c: str) -> None:
    assert solutions(a, b, c, limit=0, work=_UNBOUNDED) == in_the_order_of_paths(a, b, c)


@given(marked, marked, marked)
def test_nothing_is_lost_where_characters_are_joined(a: str, b: str, c: str) -> None:
    assert solutions(a, b, c, limit=0, work=_UNBOUNDED) == in_the_order_of_paths(a, b, c)


@given(letters, letters, letters)
def test_the_trace_that_is_followed_by_itself_is_the_first_of_the_search(a: str, b: str, c: str) -> None:
    asked = equation.Equation(nfc(a), nfc(b), nfc(c), _UNBOUNDED)
    if asked.common < 0 or any(a.count(each) > b.count(each) + c.count(each) for each in set(a)):
        return
    first = asked._first_trace()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equation, "_stays_composed", lambda text: False)
        assert first in (None, next(asked._traces(), None))  # None: it came to no end, as where A has more than B


def test_what_has_no_solution_is_given_up_before_the_bound() -> None:
    """Found among sentences: without the bound on similarity, 10,000 states did not do."""
    terms = ("How much is this clock?", "You'd better go to the this", "How much is better clock?")
    asked = equation.Equation(*terms, 10_000)
    assert not any(asked.holds(each) for each in asked.candidates())
    assert asked._work > 5_000
    assert solve(*terms) == "You'd better go to the better"


# The general solver, on the examples of the literature and against enumeration by the definition.


solver_words = st.text(alphabet="abc", max_size=9)


@pytest.mark.parametrize(
    "terms",
    [
        # Lepage (1998) and Lepage and Denoual (2005).
        "like|unlike|known|unknown",
        "aslama|muslim|arsala|mursil",
        "arsala|mursil|aslama|muslim",
        "reader|unreadable|doer|undoable",
        "wolf|wolves|leaf|leaves",
        "kataba|kaatib|sakana|saakin",
        "kataba|kutiba|sakana|sukina",
        "huzila|huzaal|sudi'a|sudaa'",
        "setzen|setzte|lachen|lachte",
        "fliehen|er floh|schliessen|er schloss",
        "keras|mengeras|kuat|menguat",
        "keras|mengeraskan|kuat|menguatkan",
        "oratorem|orator|honorem|honor",
        "I'd like a beer, please.|A beer, please.|I'd like a slice of pizza, please.|A slice of pizza, please.",
        "I'd like a beer, please.|Can I have a beer?|I'd like a slice of pizza, please.|Can I have a slice of pizza?",
        # Made for this test.
        "walk|walked|talk|talked",
        "amo|amabam|laudo|laudabam",
        "to look|looked|to walk|walked",
        "ビールをください。|ビールをお願いします。|水をください。|水をお願いします。",
        "我要一杯咖啡。|请给我一杯咖啡。|我要一杯茶。|请给我一杯茶。",
        "كتاب|الكتاب|بيت|البيت",
        "גדול|הגדול|קטן|הקטן",
        "I like 🍵.|We like 🍵.|I like 👨‍👩‍👧.|We like 👨‍👩‍👧.",
        "e\u0301te\u0301|e\u0301te\u0301s|\u00e9le\u0300ve|\u00e9l\u00e8ves",
    ],
)
def test_examples(terms: str) -> None:
    a, b, c, expected = terms.split("|")
    assert solve(a, b, c) == expected


@pytest.mark.parametrize(
    ("a", "b", "c", "expected"),
    [
        ("", "", "", ""),
        ("", "a", "b", "ba"),
        ("", "", "b", "b"),
        ("a", "", "a", ""),
        ("ab", "a", "b", ""),
        ("same", "same", "other", "other"),
        ("same", "other", "same", "other"),
        ("not happy", "happy", "not sad", "sad"),
        ("beer", "a beer", "wine", "a wine"),
        ("a", "ab", "ac", "acb"),
        ("a", "ac", "ab", "abc"),
    ],
)
def test_empty_terms_empty_fillers_equal_terms_and_ties(a: str, b: str, c: str, expected: str) -> None:
    assert solve(a, b, c) == expected


@pytest.mark.parametrize(
    ("a", "b", "c", "expected", "why"),
    [
        ("ab", "ac", "ba", "ca", "the first trace yields ac, too similar to B"),
        ("ab", "ba", "ba", "ab", "every trace yields ba"),
        ("aba", "ab", "ab", "b", "no pair of optimal paths finds both a's of A"),
        ("x", "x\u0301", "xe", "x\u0301e", "xe followed by the accent is another text in NFC"),
    ],
)
def test_beyond_the_first_trace(a: str, b: str, c: str, expected: str, why: str) -> None:
    assert solve(a, b, c) == expected, why


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [("a", "b", "c"), ("a", "", ""), ("abb", "ab", "ac"), ("ab", "ba", "cd"), ("간다", "갔다", "산다")],
)
def test_equations_without_solution(a: str, b: str, c: str) -> None:
    assert solve(a, b, c) is None
    assert solutions(a, b, c, limit=0) == []


def test_the_condition_of_the_paper_is_stricter_than_the_definition() -> None:
    assert is_analogy("ab", "ba", "cd", "dc")
    assert length_of_lcs("ab", "ba") + length_of_lcs("ab", "cd") < len("ab")
    assert solve("ab", "ba", "cd") is None


@pytest.mark.parametrize(
    ("a", "b", "c", "expected"),
    [
        ("Tom stood quickly.", "Tom quickly got dressed.", "Tom stood.", "Tom got dressed."),
        (
            "You must go whether you like it or not.",
            "Whether you like it or not, you must go.",
            "You go whether you like it or not.",
            "Whether you like it or not, you go.",
        ),
        ("他今天来了。", "今天他没来。", "他来了。", "他没来。"),
    ],
)
def test_words_that_stand_elsewhere_as_a_whole(a: str, b: str, c: str, expected: str) -> None:
    assert not is_analogy(a, b, c, expected)
    assert solutions(a, b, c) == solutions(a, c, b) == [expected]


@pytest.mark.parametrize(
    ("a", "b", "c", "why"),
    [
        ("Tom stood quickly.", "Tom quickly, quickly got dressed.", "Tom stood.", "they appear twice"),
        ("Tom stood quick.", "Tom quickly got dressed.", "Tom stood.", "a word would be cut up"),
        ("Tom stood there.", "There Tom got dressed.", "Tom stood.", "the word stands there without its space"),
        ("Well, do it now.", "Well, now it is done.", "It's done.", "all of C is another"),
        ("cat.dog", "dog.cats", "cat", "no word between spaces"),
    ],
)
def test_words_that_do_not(a: str, b: str, c: str, why: str) -> None:
    assert solve(a, b, c) is None, why


def words_exchanged(old: str, new: str, text: str) -> str | None:
    """By lists of words with the spaces before them; None where the words do not stand in ``text`` once."""
    olds, news, texts = (re.findall(" ?[a-z]+", each) for each in (old, new, text))
    size = len(olds)
    while olds and news and olds[0] == news[0]:
        olds, news = olds[1:], news[1:]
    while olds and news and olds[-1] == news[-1]:
        olds, news = olds[:-1], news[:-1]
    places = [at for at in range(len(texts)) if texts[at : at + len(olds)] == olds]
    if len(olds) in (0, size) or " " not in "".join(olds) or len(places) != 1:
        return None
    made = [*texts[: places[0]], *news, *texts[places[0] + len(olds) :]]
    joined = "".join(made)
    return joined if joined == joined.strip() and re.findall(" ?[a-z]+", joined) == made else None


sentences = st.lists(st.sampled_from(["a", "b", "ab", "c"]), min_size=1, max_size=5).map(" ".join)


@given(sentences, sentences, sentences)
@example("a b", "c b", "a")
def test_the_definition_comes_first_and_words_after_it(a: str, b: str, c: str) -> None:
    found = solutions(a, b, c)
    by_definition = [is_analogy(a, b, c, each) for each in found]
    if any(by_definition):
        assert all(by_definition)
    elif a not in (b, c) and all(a.count(each) <= b.count(each) + c.count(each) for each in "abc "):
        assert found == [each for each in dict.fromkeys((words_exchanged(a, c, b), words_exchanged(a, b, c))) if each]


def equations(alphabet: str, total: int) -> Iterator[tuple[str, str, str]]:
    """All A, B, C of at most `total` characters together, the letters of A being first used in alphabetical order."""
    of_length = [["".join(letters) for letters in product(alphabet, repeat=n)] for n in range(total + 1)]
    for i, j, k in product(range(total + 1), repeat=3):
        if i + j + k <= total:
            for a, b, c in product(of_length[i], of_length[j], of_length[k]):
                if alphabet.startswith("".join(dict.fromkeys(a))):
                    yield a, b, c


def by_definition(a: str, b: str, c: str) -> set[str]:
    """All solutions, by trying every arrangement of the characters of B and C without those of A."""
    characters = list(b + c)
    for character in a:
        if character not in characters:
            return set()
        characters.remove(character)
    return {d for d in map("".join, set(permutations(characters))) if is_analogy(a, b, c, d)}


@pytest.mark.parametrize(("alphabet", "total"), [("ab", 7), ("abc", 5)])
@pytest.mark.slow
def test_all_solutions_of_all_small_equations_are_found(alphabet: str, total: int) -> None:
    solvable = 0
    for a, b, c in equations(alphabet, total):
        expected = by_definition(a, b, c)
        found = solutions(a, b, c, limit=0, work=10**6)
        assert len(found) == len(set(found)) and set(found) == expected, (a, b, c)
        first = solve(a, b, c)
        assert first in expected if expected else first is None, (a, b, c)
        solvable += bool(expected)
    assert solvable > 2000


@given(solver_words, solver_words, solver_words)
def test_solutions_satisfy_the_definition(a: str, b: str, c: str) -> None:
    found = solutions(a, b, c)
    assert solve(a, b, c) == (found[0] if found else None)
    assert all(is_analogy(a, b, c, d) for d in found)


@given(*[st.text(alphabet="aeo\u0301\u0323éש🍺각ᆨ", max_size=7)] * 3)
def test_solutions_of_marked_texts_satisfy_the_definition_as_they_stand(a: str, b: str, c: str) -> None:
    assert all(is_analogy(a, b, c, d) for d in solutions(a, b, c))


@given(*[st.text(alphabet="ab", max_size=4)] * 3)
def test_the_means_can_be_exchanged(a: str, b: str, c: str) -> None:
    assert set(solutions(a, b, c, limit=0, work=10**6)) == set(solutions(a, c, b, limit=0, work=10**6))


@given(
    *[st.text(alphabet="ab", max_size=6)] * 2,
    *[st.text(alphabet="cd", max_size=6)] * 2,
)
def test_two_beginnings_and_two_ends_without_a_character_in_common_commute(p: str, q: str, x: str, y: str) -> None:
    # lcs(px, qx) = lcs(p, q) + |x| and so on, so that q + y satisfies the definition and is the string of a trace.
    assert is_analogy(p + x, q + x, p + y, q + y)
    assert solve(p + x, q + x, p + y) is not None


def test_a_run_of_characters_is_exchanged_before_matches_are_taken_from_the_right() -> None:
    # "Yes" is found twice in "Yes, please."; the paper's trace, from the right, meets the e and s of "please" first.
    assert solutions("Yes.", "Yes, please.", "No.", limit=2) == ["No, please.", "es, plaNoe."]


def test_solutions_are_limited() -> None:
    everything = solutions("", "abc", "def", limit=0)
    assert len(everything) == 20
    assert solutions("", "abc", "def", limit=3) == everything[:3]
    assert len(solutions("", "abc", "def")) == 10
    with pytest.raises(ValueError):
        solutions("", "abc", "def", limit=-1)


def test_without_extra_work_the_trace_of_the_paper_is_still_followed() -> None:
    assert solve("I'd like a beer.", "Can I have a beer?", "I'd like a pizza.", work=0) == "Can I have a pizza?"


def test_long_texts_need_no_recursion() -> None:
    body = "It is a long story. " * 100
    assert solve("A" + body, "B" + body + "!", "A" + body * 2) == "B" + body * 2 + "!"
    assert solve(body, body[::-1], body[::-1]) is None
    assert solve("", "b" * 2000, "c" * 2000) == "c" * 2000 + "b" * 2000


def test_the_hash_seed_changes_nothing() -> None:
    program = (
        "from corpusdb.paraphrase.equations import solutions; print(solutions('abcab', 'bacbaab', 'cabbab', limit=0))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1 and printed != {"[]\n"}
