"""Files of other aligners: A3 of GIZA++, Pharaoh lines between other tokens, phrase tables of Moses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.links import Links, counted_phrases, pharaoh_line
from corpusdb.alignment.queries.aligner_files import AlignerFiles, AlignerTexts, is_a3, read_a3, read_phrase_table
from corpusdb.base.errors import InputError

A3 = """\
# Sentence pair (2) source length 2 target length 3 alignment score : 0.1
the blue house
NULL ({ 1 }) maison ({ 3 }) bleue ({ 2 })
# Sentence pair (1) source length 1 target length 1 alignment score : 0.5
house
NULL ({ }) maison ({ 1 })
"""


def written(folder: Path, text: str, name: str = "file") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_pairs_of_giza_come_by_their_numbers_without_null(tmp_path: Path) -> None:
    path = written(tmp_path, A3)
    assert is_a3(path)
    first, second = read_a3(path)
    assert (first.source, first.target, first.links) == (["maison"], ["house"], [(0, 0)])
    assert (second.source, second.target, second.links) == (
        ["maison", "bleue"],
        ["the", "blue", "house"],
        [(0, 2), (1, 1)],
    )


def test_a_space_that_does_not_break_is_in_a_word_of_giza(tmp_path: Path) -> None:
    text = "# Sentence pair (1) source length 2 target length 2 alignment score : 0.1\n10,000 men\n"
    [pair] = read_a3(written(tmp_path, f"{text}NULL ({{ }}) 10\u00a0000 ({{ 1 }}) hommes ({{ 2 }})\n"))
    assert (pair.source, pair.links) == (["10\u00a0000", "hommes"], [(0, 0), (1, 1)])
    assert pair.between(["10", "000", "hommes"], ["10,000", "men"]) == [(0, 0), (1, 0), (2, 1)]


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("# Sentence pair (1)", "# Sentence pair (2)", 4, "appears twice"),
        ("# Sentence pair (1)", "# Sentence pair (7)", None, "are missing"),
        ("# Sentence pair (1)", "Sentence pair (1)", 4, "not a sentence pair"),
        ("source length ", f"source length {'1' * 5000}", 1, "not a sentence pair"),
        ("the blue house", "the house", 3, "others than the head says"),
        ("bleue ({ 2 })", "bleue", 3, "others than the head says"),
        ("bleue ({ 2 })", "bleue ({ 4 })", 3, "outside of its text"),
        ("bleue ({ 2 })", "bleue ({ 0 })", 3, "outside of its text"),
        ("NULL ({ }) maison ({ 1 })\n", "", 4, "not a sentence pair"),
    ],
)
def test_what_giza_does_not_write_is_refused(tmp_path: Path, old: str, new: str, line: int | None, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as found:
        read_a3(written(tmp_path, A3.replace(old, new)))
    assert found.value.line == line


cuts = st.lists(st.text("aßI.", min_size=1, max_size=3), min_size=1, max_size=5)


@st.composite
def same_text(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A text cut in two ways."""
    cut = draw(cuts)
    text, other, at = "".join(cut), [], 0
    while at < len(text):
        size = draw(st.integers(1, 3))
        other.append(text[at : at + size].swapcase() if draw(st.booleans()) else text[at : at + size])
        at += size
    return cut, other


@given(same_text(), same_text(), st.data())
def test_links_are_put_between_the_tokens_that_share_characters(
    source: tuple[list[str], list[str]], target: tuple[list[str], list[str]], data: st.DataObject
) -> None:
    places = st.tuples(st.integers(0, len(source[0]) - 1), st.integers(0, len(target[0]) - 1))
    links = sorted(data.draw(st.sets(places, max_size=6)))

    def owners(tokens: list[str]) -> list[int]:
        return [number for number, token in enumerate(tokens) for _ in token.casefold()]

    def shared(side: tuple[list[str], list[str]], place: int) -> set[int]:
        return {ours for theirs, ours in zip(owners(side[0]), owners(side[1]), strict=True) if theirs == place}

    expected = sorted({(f, e) for mine, theirs in links for f in shared(source, mine) for e in shared(target, theirs)})
    assert AlignerTexts(source[0], target[0], links).between(source[1], target[1]) == expected
    if "".join(source[1]).casefold() != "".join(target[1]).casefold():
        turned = AlignerTexts(target[0], source[0], [(theirs, mine) for mine, theirs in links])
        assert turned.between(source[1], target[1]) == expected


def test_links_of_other_texts_are_none() -> None:
    assert AlignerTexts(["a"], ["b"], [(0, 0)]).between(["a"], ["c"]) is None


TABLE = """\
a b ||| x y ||| 1 1 1 1 ||| 0-0 1-1 ||| 2 2 2
il n&apos; a ||| do n &apos;t ||| 1 1 1 1 ||| ||| 1 1 1
maison ||| House ||| .5 1 .5 1 ||| 0-0 ||| 1 4 1
maison ||| home ||| 1 1 .5 1 ||| 0-0 ||| 2 4 2
maison ||| house ||| 1 1 .5 1 ||| 0-0 ||| 1 4 1
maison ||| , ||| 1 1 .5 1 ||| 0-0 ||| 1 4 1
mot ||| word ||| 1 1 1 1 ||| 0-0 ||| 3 3 3
"""


def test_phrases_of_moses_are_those_whose_sources_translate_what_is_wanted(tmp_path: Path) -> None:
    found = read_phrase_table(written(tmp_path, TABLE), frozenset({("house",), ("x",)}), 3)
    rows = [
        (found.source.texts[source], found.target.texts[target], int(count))
        for source, target, count in zip(found.sources, found.targets, found.counts, strict=True)
    ]
    assert rows == [(("maison",), ("home",), 2), (("maison",), ("house",), 2)]
    assert (found.source.counts.tolist(), found.target.counts.tolist()) == ([4], [2, 2])
    assert found.forward.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a ||| b ||| 1 1 1 1", "has its counts"),
        ("a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 1", "has its counts"),
        ("a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 1 x", "has its counts"),
        ("a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 3 2", "more often than one of them"),
        ("a ||| b ||| 1 1 1 1 ||| 0-0 ||| inf inf inf", "not a number up to"),
        ("a ||| b ||| 1 1 1 1 ||| 0-0 ||| 3 nan 2", "not a number up to"),
    ],
)
def test_rows_without_counts_are_refused(tmp_path: Path, row: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as found:
        read_phrase_table(written(tmp_path, f"{TABLE}{row}\n"), frozenset(), 3)
    assert found.value.line == 8


SOURCES, TARGETS = [("la", "maison"), ("maison",), ("la",)], [("the", "house"), ("home",), ("the",)]
PLAIN = [("La maison", "The house"), ("Maison", "home"), ("la", "the")]
LINKS = [[(0, 0), (1, 1)], [(0, 0)], []]


def test_links_of_a_file_give_the_phrases_that_these_links_give(tmp_path: Path) -> None:
    lines = "".join(f"{pharaoh_line(each)}\n" for each in LINKS)
    expected = counted_phrases(Links.of(LINKS), SOURCES, TARGETS, 3)
    found = AlignerFiles(str(written(tmp_path, lines))).phrases(PLAIN, SOURCES, TARGETS, 3)
    assert (found.source.texts, found.target.texts) == (expected.source.texts, expected.target.texts)
    assert found.counts.tolist() == expected.counts.tolist()


def test_texts_beside_the_links_say_how_they_were_cut(tmp_path: Path) -> None:
    links = written(tmp_path, "0-0 1-0 2-1\n0-0\n\n")
    text = written(tmp_path, "la mai son ||| the house\nmaison ||| home\nla ||| the\n", "text")
    found = AlignerFiles(str(links), str(text)).phrases(PLAIN, SOURCES, TARGETS, 3)
    assert (("la", "maison"), ("the", "house")) in {
        (found.source.texts[source], found.target.texts[target])
        for source, target in zip(found.sources, found.targets, strict=True)
    }


@pytest.mark.parametrize(
    ("links", "text", "reason"),
    [
        ("0-0\n0-0\n\n", "la maison ||| the home\nmaison ||| home\nla ||| the\n", "pair 1: the texts that are linked"),
        ("0-0\n0-0\n\n", "la maison\n", "source ||| target"),
        ("0-0\n0-0\n", "la maison ||| the house\nmaison ||| home\n", "links 2 pairs of texts; there are 3"),
        (A3, "", "links 2 pairs of texts; there are 3"),
    ],
)
def test_links_of_other_texts_are_refused(tmp_path: Path, links: str, text: str, reason: str) -> None:
    beside = str(written(tmp_path, text, "text")) if text else ""
    with pytest.raises(InputError, match=reason.replace("|", r"\|")):
        AlignerFiles(str(written(tmp_path, links)), beside).phrases(PLAIN, SOURCES, TARGETS, 3)
