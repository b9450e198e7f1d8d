"""Links: by a model, symmetrised, as bytes, and in Pharaoh format."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from corpora import CHARACTERS
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.links import (
    SYMMETRISATIONS,
    Link,
    Links,
    Symmetrisation,
    agreement,
    links_from_bytes,
    links_to_bytes,
    pharaoh_line,
    read_gold_links,
    read_links,
    symmetrised,
    tokens_digest,
    tokens_digests,
)
from corpusdb.alignment.model import AlignmentModel
from corpusdb.alignment.training import align, train
from corpusdb.base.arrays import Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished

# Symmetrisation against the published definition, word by word.


NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def grow_diag_final_and(e2f: set[Link], f2e: set[Link], english: int, foreign: int) -> set[Link]:
    """Koehn, Och and Marcu (2003), as the pseudocode of Koehn's book (2010, figure 4.14) has it; points are (e, f).

    Grow-diag goes over all points of the matrix, as long as something is added; final-and over those of each direction.
    """
    alignment = e2f & f2e
    union = e2f | f2e

    def is_aligned_e(e: int) -> bool:
        return any(point[0] == e for point in alignment)

    def is_aligned_f(f: int) -> bool:
        return any(point[1] == f for point in alignment)

    while True:
        added = False
        for e in range(english):
            for f in range(foreign):
                if (e, f) not in alignment:
                    continue
                for de, df in NEIGHBOURS:
                    new = (e + de, f + df)
                    if new in alignment or new not in union:
                        continue
                    if not is_aligned_e(new[0]) or not is_aligned_f(new[1]):
                        alignment.add(new)
                        added = True
        if not added:
            break
    for direction in (e2f, f2e):
        for e in range(english):
            for f in range(foreign):
                if (e, f) in direction and not is_aligned_e(e) and not is_aligned_f(f):
                    alignment.add((e, f))
    return alignment


def points(linked: Bools) -> set[Link]:
    return {(int(e), int(f)) for e, f in zip(*np.nonzero(linked), strict=True)}


@st.composite
def directions(draw: st.DrawFn) -> tuple[Bools, Bools]:
    """Of some pairs of texts of at most 6 words: each word of one side has a link at most in each direction."""
    pairs, english, foreign = draw(st.integers(1, 4)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    forward, backward = np.zeros((2, pairs, english, foreign), dtype=np.bool_)
    for pair in range(pairs):
        for e in range(english):
            if (f := draw(st.integers(-1, foreign - 1))) >= 0:
                forward[pair, e, f] = True
        for f in range(foreign):
            if (e := draw(st.integers(-1, english - 1))) >= 0:
                backward[pair, e, f] = True
    return forward, backward


@given(directions())
def test_grow_diag_final_and_is_as_published(both: tuple[Bools, Bools]) -> None:
    forward, backward = both
    found = symmetrised(forward, backward, "grow-diag-final-and")
    for row in range(len(forward)):
        expected = grow_diag_final_and(points(forward[row]), points(backward[row]), *forward.shape[1:])
        assert points(found[row]) == expected


@given(directions())
def test_ways_contain_each_other(both: tuple[Bools, Bools]) -> None:
    found = {way: symmetrised(*both, way) for way in SYMMETRISATIONS}
    assert (found["intersection"] <= found["grow-diag-final-and"]).all()
    assert (found["grow-diag-final-and"] <= found["union"]).all()
    np.testing.assert_array_equal(found["intersection"], both[0] & both[1])
    np.testing.assert_array_equal(found["union"], both[0] | both[1])
    np.testing.assert_array_equal(found["forward"], both[0])
    np.testing.assert_array_equal(found["backward"], both[1])


pairs_of_links = st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), unique=True))


@given(pairs_of_links)
def test_links_come_back_in_order(pairs: list[list[Link]]) -> None:
    links = Links.of(pairs)
    assert [links.of_pair(number) for number in range(len(links))] == [sorted(each) for each in pairs]


@given(pairs_of_links)
def test_links_from_matrices_are_those_from_lists(pairs: list[list[Link]]) -> None:
    parts = []
    for number, each in reversed(list(enumerate(pairs))):
        linked = np.zeros((1, 10, 10), dtype=np.bool_)
        for source, target in each:
            linked[0, target, source] = True
        parts.append((np.array([number]), linked))
    found, expected = Links.in_order(parts, len(pairs)), Links.of(pairs)
    np.testing.assert_array_equal(found.starts, expected.starts)
    np.testing.assert_array_equal(found.sources, expected.sources)
    np.testing.assert_array_equal(found.targets, expected.targets)


def test_the_error_rate_is_that_of_och_and_ney() -> None:
    """3 found, 2 of them sure and the third possible; 4 are sure: AER = 1 - (2 + 3) / (3 + 4)."""
    found = agreement([([(0, 0), (1, 1)], [(0, 0), (1, 1), (2, 2)], []), ([(0, 1)], [(0, 0)], [(0, 1)])])
    assert (found.precision, found.recall) == (1, 0.5)
    assert found.aer == pytest.approx(1 - 5 / 7)


def test_nothing_found_and_nothing_sure_has_no_measures() -> None:
    nothing = agreement([([], [], [(0, 0)])])
    assert (nothing.precision, nothing.recall, nothing.aer) == (None, None, None)
    assert agreement([([], [(0, 0)], [])]).aer == 1


@pytest.mark.parametrize("way", SYMMETRISATIONS)
def test_no_pairs_have_no_links(way: Symmetrisation) -> None:
    nothing = np.zeros((1, 2, 3), dtype=np.bool_)
    assert not symmetrised(nothing, nothing, way).any()
    assert len(Links.in_order([], 2)) == 2


# Links by a model: which depend on it and on the pair of texts alone.


WORDS = {
    "la": "the",
    "une": "a",
    "maison": "house",
    "fleur": "flower",
    "bleue": "blue",
    "verte": "green",
    "rouge": "red",
    "grande": "big",
    "mange": "eats",
    ".": ".",
}
THINGS = [
    f"{article} {noun}{adjective}"
    for article, noun, adjective in product(
        ("la", "une"), ("maison", "fleur"), ("", " bleue", " verte", " rouge", " grande")
    )
]
FRENCH = [f"{thing} .".split() for thing in THINGS]
FRENCH += [f"{thing} mange {other} .".split() for thing, other in product(THINGS, THINGS)]
ADJECTIVES = {"bleue", "verte", "rouge", "grande"}


def english(words: list[str]) -> list[str]:
    """Word by word, the adjective before its noun."""
    moved = list(words)
    for at, word in enumerate(words):
        if word in ADJECTIVES:
            moved[at - 1 : at + 1] = [word, words[at - 1]]
    return [WORDS[word] for word in moved]


ENGLISH = [english(words) for words in FRENCH]


@cache
def trained() -> AlignmentModel:
    return finished(train(FRENCH, ENGLISH))


@pytest.fixture
def model() -> AlignmentModel:
    return trained()


def true_links(words: list[str]) -> list[Link]:
    links = list(enumerate(range(len(words))))
    for at, word in enumerate(words):
        if word in ADJECTIVES:
            links[at - 1 : at + 1] = [(at - 1, at), (at, at - 1)]
    return [(source, target) for source, target in links]


@pytest.mark.parametrize("way", SYMMETRISATIONS)
def test_a_small_language_is_learned(model: AlignmentModel, way: Symmetrisation) -> None:
    links = finished(align(model, FRENCH, ENGLISH, way))
    assert [links.of_pair(number) for number in range(len(links))] == [true_links(words) for words in FRENCH]


def test_case_is_no_matter(model: AlignmentModel) -> None:
    links = finished(align(model, [["LA", "Fleur"]], [["The", "FLOWER"]]))
    assert links.of_pair(0) == [(0, 0), (1, 1)]


def test_words_that_the_model_has_not_are_linked_by_their_places(model: AlignmentModel) -> None:
    links = finished(align(model, [["la", "girafe", "mange", "."]], [["the", "giraffe", "eats", "."]]))
    assert links.of_pair(0) == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_an_empty_and_a_long_side_have_no_links(model: AlignmentModel) -> None:
    links = finished(align(model, [[], ["la"], ["la"] * 1001], [["the"], [], ["the"]]))
    assert [links.of_pair(number) for number in range(3)] == [[], [], []]


def test_unequal_numbers_are_refused(model: AlignmentModel) -> None:
    with pytest.raises(InputError, match="1 source texts for 2 target texts"):
        finished(align(model, [["la"]], [["the"], ["a"]]))


texts = st.lists(st.sampled_from([*WORDS, *WORDS.values(), "unknown"]), min_size=0, max_size=12)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=8), st.integers(0, 8), st.sampled_from(SYMMETRISATIONS))
def test_links_of_two_imports_are_those_of_one(
    pairs: list[tuple[list[str], list[str]]], cut: int, way: Symmetrisation
) -> None:
    """Which other pairs are aligned in the same call, and in which order, is no matter."""
    source, target = [list(side) for side in zip(*pairs, strict=True)]
    together = finished(align(trained(), source, target, way))
    found = []
    for part in (slice(0, cut), slice(cut, None)):
        links = finished(align(trained(), source[part], target[part], way))
        found += [links.of_pair(number) for number in range(len(links))]
    assert found == [together.of_pair(number) for number in range(len(together))]
    backwards = finished(align(trained(), source[::-1], target[::-1], way))
    assert found[::-1] == [backwards.of_pair(number) for number in range(len(backwards))]


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_each_direction_links_a_word_once_at_most(pairs: list[tuple[list[str], list[str]]]) -> None:
    source, target = [list(side) for side in zip(*pairs, strict=True)]
    forward, backward = (finished(align(trained(), source, target, way)) for way in ("forward", "backward"))
    for number, (own, theirs) in enumerate(pairs):
        for link in (*forward.of_pair(number), *backward.of_pair(number)):
            assert 0 <= link[0] < len(own)
            assert 0 <= link[1] < len(theirs)
        assert len({target for _, target in forward.of_pair(number)}) == len(forward.of_pair(number))
        assert len({source for source, _ in backward.of_pair(number)}) == len(backward.of_pair(number))


any_texts = st.lists(st.text(CHARACTERS, min_size=1, max_size=4), min_size=1, max_size=5)


@given(st.lists(st.tuples(any_texts, any_texts), min_size=1, max_size=5), st.sampled_from(SYMMETRISATIONS))
def test_any_tokens_are_aligned(pairs: list[tuple[list[str], list[str]]], way: Symmetrisation) -> None:
    """Whatever Unicode holds: marks alone, signs that NFKC makes longer, letters without case."""
    source, target = [list(side) for side in zip(*pairs, strict=True)]
    made = finished(train(source, target))
    again = AlignmentModel.from_bytes(made.to_bytes())
    links = finished(align(made, source, target, way))
    assert np.isfinite(made.forward.words).all()
    for number, (own, theirs) in enumerate(pairs):
        assert all(0 <= f < len(own) and 0 <= e < len(theirs) for f, e in links.of_pair(number))
    from_stored = finished(align(again, source, target, way))
    assert [links.of_pair(number) for number in range(len(pairs))] == [
        from_stored.of_pair(number) for number in range(len(pairs))
    ]


# Links as bytes: there and back, and what is damaged is told.


links = st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999)), unique=True, max_size=8)
tokens = st.lists(st.text("ab ", max_size=3), max_size=4)


@given(st.lists(links, max_size=6))
def test_links_come_back_as_bytes_in_order(pairs: list[list[Link]]) -> None:
    stored = links_to_bytes(Links.of(pairs))
    assert [links_from_bytes(each, 1000, 1000) for each in stored] == list(map(sorted, pairs))


@pytest.mark.parametrize(("highest", "size"), [(255, 1 + 2), (256, 1 + 4)])
def test_short_texts_take_a_byte_a_word(highest: int, size: int) -> None:
    assert len(links_to_bytes(Links.of([[(0, highest)]]))[0]) == size


@pytest.mark.parametrize("link", [(0, 1 << 16), (1 << 16, 0), (0, -1)])
def test_places_that_do_not_fit_are_refused(link: Link) -> None:
    with pytest.raises(UsageError, match="cannot be stored"):
        links_to_bytes(Links.of([[link]]))


@pytest.mark.parametrize(
    "stored",
    [b"", b"\x03", b"\x01\x00", b"\x02\x00\x00\x00", b"\x01\x01\x00\x00\x00", b"\x01\x00\x00\x00\x00", b"\x01\x00\x05"],
)
def test_damaged_links_are_told(stored: bytes) -> None:
    """No kind, another kind, half a link, half a wide link, out of order, twice the same, outside of the text."""
    with pytest.raises(InputError, match="stored link"):
        links_from_bytes(stored, 2, 2)


@given(tokens, tokens, tokens, tokens)
def test_digests_are_those_of_the_tokens(one: list[str], two: list[str], three: list[str], four: list[str]) -> None:
    is_same = (one, two) == (three, four)
    # A token is never empty; an empty one would be taken for the end of a text.
    if all(map(all, (one, two, three, four))):
        assert (tokens_digest(one, two) == tokens_digest(three, four)) is is_same
    assert tokens_digest(["ab"], []) != tokens_digest(["a", "b"], []) != tokens_digest(["a"], ["b"])


@given(
    st.lists(
        st.tuples(
            st.lists(st.text(CHARACTERS, max_size=3), max_size=4), st.lists(st.text(CHARACTERS, max_size=3), max_size=4)
        )
    )
)
def test_the_digests_of_many_pairs_are_those_of_each(pairs: list[tuple[list[str], list[str]]]) -> None:
    source, target = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = [tokens_digest(own, theirs) for own, theirs in pairs]
    assert tokens_digests(WordedTexts.of(source), WordedTexts.of(target)) == expected


# Links in Pharaoh format: there and back, and every fault with its file and line.


pharaoh_links = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), unique=True, max_size=8)


@given(st.lists(pharaoh_links, min_size=1, max_size=5))
def test_links_come_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[list[tuple[int, int]]]) -> None:
    path = tmp_path_factory.mktemp("links") / "links.txt"
    path.write_text("".join(f"{pharaoh_line(each)}\n" for each in pairs))
    assert read_links(path, [(100, 100)] * len(pairs)) == pairs


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("0-0\n0\n", 2, "'0' is not a link"),
        ("0-0\n0-0-0\n", 2, "'0-0-0' is not a link"),
        ("0-0\n-1-0\n", 2, "'-1-0' is not a link"),
        ("0-0\n0-x\n", 2, "'0-x' is not a link"),
        ("0-0\n0?0\n", 2, "'0?0' is not a link"),
        ("0-0\n٠-٠\n", 2, "is not a link"),
        ("2-0\n\n", 1, "link 2-0: the source text has 2 words"),
        ("0-3\n\n", 1, "link 0-3: the target text has 3 words"),
        ("0-0\n0-0 1-1 0-0\n", 2, "link 0-0 appears twice"),
        ("0-0\n0-0\n0-0\n", 3, "more lines than the 2 pairs"),
        ("0-0\n", None, "ends after 1 lines; there are 2 pairs"),
        ("", None, "empty"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, content: str, line: int | None, reason: str) -> None:
    path = tmp_path / "links.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_links(path, [(2, 3), (2, 3)])
    assert reason in raised.value.reason
    assert (raised.value.path, raised.value.line) == (str(path), line)


def test_possible_links_are_known_in_gold_standards_alone(tmp_path: Path) -> None:
    path = tmp_path / "gold.txt"
    path.write_text("0-0 1?1\n1p0\n")
    first, second = read_gold_links(path, [(2, 2), (2, 2)])
    assert (set(first.sure), set(first.possible)) == ({(0, 0)}, {(0, 0), (1, 1)})
    assert (list(second.sure), list(second.possible)) == ([], [(1, 0)])
    path.write_text("0?0 0-0\n\n")
    with pytest.raises(InputError, match="twice"):
        read_gold_links(path, [(2, 2), (2, 2)])
