"""Aligned words as text: examples that fit the width and keep what is marked in sight."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.queries.equivalents import FoundEquivalent, FoundEquivalents, Pivot
from corpusdb.alignment.queries.pairs import LinkedPair
from corpusdb.alignment.queries.phrase_places import PhraseTranslation, Translations
from corpusdb.alignment.report import equivalent_table, translation_lines
from corpusdb.base.cells import cell_width

texts = st.text("ab 学校\u0301\x1b", max_size=60)


def found(*pairs: tuple[tuple[str, str, str], tuple[str, str, str]]) -> Translations:
    """Each side as what is before the mark, the mark, and what is behind it."""
    members = []
    for own, theirs in pairs:
        marks = [(len(side[0]), len(side[0]) + len(side[1])) for side in (own, theirs)]
        example = LinkedPair("".join(own), "".join(theirs), (), (), (), (marks[0],), (marks[1],))
        members.append(PhraseTranslation(theirs[1], 1, 1.0, example))
    return Translations("x", "eng", "fra", 1, 0, 0, len(members), tuple(members))


@given(st.lists(st.tuples(*[st.tuples(texts, texts, texts)] * 2), max_size=4), st.integers(22, 120))
def test_lines_are_never_wider_than_the_terminal(
    pairs: list[tuple[tuple[str, str, str], tuple[str, str, str]]], width: int
) -> None:
    lines = list(translation_lines(found(*pairs), width))
    assert len(lines) == len(pairs)
    for line, (own, theirs) in zip(lines, pairs, strict=True):
        assert cell_width(line) <= width
        assert "\x1b" not in line
        most = (width - 2) // 2
        for side in (own, theirs):
            if cell_width("".join(side)) + 2 <= most and "\x1b" not in "".join(side):
                assert f"{side[0]}[{side[1]}]{side[2]}" in line, "what fits is whole"


def test_what_is_marked_stays_in_sight() -> None:
    own, theirs = ("one two three four five six ", "seven", " eight nine ten"), ("a " * 40, "b", " c" * 40)
    (line,) = translation_lines(found((own, theirs)), 42)
    assert line == "… six [seven] eight…  … a a a [b] c c c c…"
    start, end = ("", "seven", " eight nine ten eleven"), ("one two three four five ", "six", "")
    (line,) = translation_lines(found((start, end)), 42)
    assert line == "[seven] eight nine …  …ree four five [six]"
    (line,) = translation_lines(found((("", "a" * 30, ""), ("", "b", ""))), 42)
    assert line == f"[{'a' * 18}…  [b]"
    (line,) = translation_lines(found((own, theirs)), 200)
    assert line.startswith("one two three four five six [seven] eight nine ten  …")


@given(st.lists(st.tuples(texts, texts), max_size=4), st.integers(80, 140))
def test_rows_of_equivalents_fit_a_table(phrases: list[tuple[str, str]], width: int) -> None:
    pivots = [Pivot("fra", pivot, 12, 345, 0.1, "", "") for _, pivot in phrases]
    members = tuple(
        FoundEquivalent(text, 0.25, 1234, ("deu", "fra"), 3, (pivot,))
        for (text, _), pivot in zip(phrases, pivots, strict=True)
    )
    found = FoundEquivalents("x", "eng", ("deu", "fra"), len(members), 0, members)
    for with_rejected in (False, True):
        names, rows = equivalent_table(found, width, with_rejected=with_rejected)
        columns = zip(names, *([str(cell) for cell in row] for row in rows), strict=True)
        if not with_rejected or width >= 90:
            assert sum(max(map(cell_width, column)) for column in columns) + 2 * (len(names) - 1) <= width
    _, whole = equivalent_table(found, with_rejected=False)
    assert [row[0] for row in whole] == [text for text, _ in phrases]
