"""Links as bytes: there and back, and what is damaged is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.links import (
    Link,
    Links,
    links_from_bytes,
    links_to_bytes,
    links_to_bytes_of_each,
    tokens_digest,
    tokens_digests,
)
from corpusdb.base.errors import InputError, UsageError

links = st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999)), max_size=8)
tokens = st.lists(st.text("ab ", max_size=3), max_size=4)


@given(links)
def test_links_come_back_in_order(given_links: list[Link]) -> None:
    stored = links_to_bytes(given_links)
    assert links_from_bytes(stored, 1000, 1000) == sorted(set(given_links))
    assert links_to_bytes(reversed(given_links)) == stored


@pytest.mark.parametrize(("highest", "size"), [(255, 1 + 2), (256, 1 + 4)])
def test_short_texts_take_a_byte_a_word(highest: int, size: int) -> None:
    assert len(links_to_bytes([(0, highest)])) == size


@pytest.mark.parametrize("link", [(0, 1 << 16), (1 << 16, 0), (0, -1)])
def test_places_that_do_not_fit_are_refused(link: Link) -> None:
    with pytest.raises(UsageError, match="cannot be stored"):
        links_to_bytes([link])


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


@given(st.lists(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), unique=True, max_size=5), max_size=6))
def test_the_links_of_many_pairs_are_those_of_each(pairs: list[list[tuple[int, int]]]) -> None:
    assert links_to_bytes_of_each(Links.of(pairs)) == [links_to_bytes(links) for links in pairs]


@given(st.lists(st.tuples(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))))
def test_the_digests_of_many_pairs_are_those_of_each(pairs: list[tuple[list[str], list[str]]]) -> None:
    source, target = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = [tokens_digest(own, theirs) for own, theirs in pairs]
    assert tokens_digests(WordedTexts.of(source), WordedTexts.of(target)) == expected
