"""Collocates against a published table and against counting window by window."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import astuple, replace
from fractions import Fraction
from math import log2
from typing import get_args

import pytest
from corpora import import_file, import_rows, near, write_rows

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.text import is_word
from corpusdb.corpus.store import Store
from corpusdb.search.lexical import log_dice, log_likelihood, mutual_information, t_score, z_score
from corpusdb.search.queries.collocations import Association, Collocate, Collocates, Neighbourhood, collocates
from corpusdb.search.queries.token_selection import TokenSelection
from corpusdb.search.token_corpus import tokenise

ENG = TokenSelection("eng")

PICKWICK = """\
A vast deal of coolness, and a peculiar degree of judgement, are requisite in catching a hat.
A man must not be precipitate, or he runs over it; he must not rush into the opposite extreme, or \
he loses it altogether.
There was a fine gentle wind, and Mr Pickwicks hat rolled sportively before it.
The wind puffed, and Mr Pickwick puffed, and the hat rolled over and over as merrily as a lively porpoise in a strong \
tide; and on it might have rolled, far beyond Mr Pickwicks reach, had not its course been providentially stopped, just \
as that gentleman was on the point of resigning it to its fate.
"""
"""The text of Evert (2008, section 3.1), without the full stop of "Mr." and the clitic of "Pickwick's"."""


def test_the_example_of_evert(empty: Store) -> None:
    """Evert (2008, section 5.1): hat and roll in a window of four words have the table 2, 18, 1 and 87."""
    import_rows(empty, [(text, str(number)) for number, text in enumerate(PICKWICK.splitlines())])
    words = replace(ENG, fold_case=True, words_only=True)
    found = collocates(empty, Neighbourhood(words, "hat", left=4, right=4, least=1), limit=0)
    rolled = next(row for row in found.rows if row.text == "rolled")
    assert (found.nodes, found.window_tokens, found.tokens) == (3, 20, 108)
    assert (rolled.count, rolled.frequency) == (2, 3)
    assert rolled.expected == near(20 * 3 / 108)
    assert rolled.logdice == near(float(log_dice(2, 3, 3)))


def by_hand(texts: list[str], asked: Neighbourhood, measure: Association) -> Collocates:
    """Collocates by going through all windows of all sentences."""
    selection = asked.tokens
    inside, left, right, alone = (Counter[str]() for _ in range(4))
    nodes = 0
    node = tokenise(asked.node.lower() if selection.fold_case else asked.node)
    for text in set(texts):
        tokens = tokenise(text.lower() if selection.fold_case else text)
        tokens = [token for token in tokens if is_word(token) or not selection.words_only]
        if asked.is_pattern:
            starts = [i for i, token in enumerate(tokens) if re.fullmatch(asked.node, token)]
        else:
            starts = [i for i in range(len(tokens)) if tokens[i : i + len(node)] == node]
        length = 1 if asked.is_pattern else len(node)
        nodes += len(starts)
        own = {place for start in starts for place in range(start, start + length)}
        before: set[int] = set()
        after: set[int] = set()
        for start in starts:
            before.update(range(max(start - asked.left, 0), start))
            after.update(range(start + length, min(start + length + asked.right, len(tokens))))
        for counts, places in ((inside, before | after), (left, before), (right, after)):
            counts.update(tokens[place] for place in places - own)
        alone.update(token for place, token in enumerate(tokens) if place not in own)
    sizes = sum(inside.values()), sum(alone.values())
    rows = []
    for text, count in inside.items():
        if count >= asked.least:
            table = (count, sizes[0], alone[text], sizes[1])
            expected = sizes[0] * alone[text] / sizes[1]
            likelihood = float(log_likelihood(*table))
            row = Collocate(
                text=text,
                count=count,
                frequency=alone[text],
                expected=expected,
                loglikelihood=-likelihood if count < expected else likelihood,
                mi=float(mutual_information(*table)),
                t=float(t_score(*table)),
                logdice=float(log_dice(count, nodes, alone[text])),
                mi3=float(log2(Fraction(count**3 * sizes[1], sizes[0] * alone[text]))),
                z=float(z_score(*table)),
                logratio=log2(count / sizes[0] / ((alone[text] - count or 0.5) / max(sizes[1] - sizes[0], 1))),
                sensitivity=min(count / nodes, count / alone[text]),
                left=left[text],
                right=right[text],
            )
            rows.append(row)
    rows.sort(key=lambda row: (-getattr(row, measure), row.text))
    return Collocates(nodes, *sizes, len(rows), tuple(rows), len(inside) - len(rows))


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        Neighbourhood(ENG, "a", left=1, right=1, least=1),
        Neighbourhood(ENG, "a", least=1),
        Neighbourhood(ENG, "a", left=0, right=3, least=2),
        Neighbourhood(ENG, "a", left=3, right=0, least=2),
        Neighbourhood(ENG, "a b", left=2, right=2, least=1),
        Neighbourhood(ENG, "a a", left=2, right=1, least=1),
        Neighbourhood(ENG, "[ab]", is_pattern=True, left=2, right=2, least=1),
        Neighbourhood(replace(ENG, fold_case=True), "A", left=2, right=2, least=1),
        Neighbourhood(replace(ENG, words_only=True), "a", left=2, right=2, least=1),
        Neighbourhood(ENG, ".", left=2, right=2, least=1),
    ],
)
@pytest.mark.parametrize("measure", get_args(Association))
def test_counts_are_those_of_going_through_the_windows(
    asked: Neighbourhood, measure: Association, empty: Store
) -> None:
    """Sentences over so few words that windows overlap, hold the node and end with the sentence all the time."""
    chance = random.Random(f"{asked} {measure}")
    texts = [" ".join(chance.choices(["a", "A", "b", "c", ".", ","], k=chance.randint(1, 12))) for _ in range(40)]
    import_rows(empty, [(text, str(number)) for number, text in enumerate(texts)])
    found = collocates(empty, asked, measure, limit=0)
    expected = by_hand(texts, asked, measure)
    assert replace(found, rows=()) == replace(expected, rows=())
    for row, other in zip(found.rows, expected.rows, strict=True):
        assert row.text == other.text
        assert astuple(row)[1:] == pytest.approx(astuple(other)[1:], rel=1e-12, abs=1e-12)
    assert collocates(empty, asked, measure, limit=2).rows == found.rows[:2]
    assert found.rows


def test_a_word_of_a_script_without_spaces_is_several_tokens(empty: Store) -> None:
    import_rows(empty, [("時間がない。", "1"), ("時がない。", "2"), ("長い時間。", "3")], ("jpn", "eng"))
    found = collocates(empty, Neighbourhood(TokenSelection("jpn"), "時間", left=2, right=1, least=1), limit=0)
    assert found.nodes == 2
    assert {row.text: (row.count, row.frequency) for row in found.rows} == {
        "が": (1, 2),
        "長": (1, 1),
        "い": (1, 3),
        "。": (1, 3),
    }


def test_a_collection_alone(empty: Store) -> None:
    folder = empty.path.parent
    import_file(empty, write_rows(folder / "a.tsv", [("more tea", "1")]), ("eng", "fra"), "a")
    import_file(empty, write_rows(folder / "b.tsv", [("more soup", "2")]), ("eng", "fra"), "b")
    found = collocates(empty, Neighbourhood(replace(ENG, collection="b"), "more", least=1))
    assert [row.text for row in found.rows] == ["soup"]


@pytest.mark.parametrize("node", ["absent", "a absent", "c a b"])
def test_a_node_that_does_not_occur_has_no_collocates(node: str, empty: Store) -> None:
    import_rows(empty, [("a b", "1"), ("c a", "2")])
    assert collocates(empty, Neighbourhood(ENG, node, least=1)) == Collocates(0, 0, 4, 0, ())


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (Neighbourhood(ENG, "a", left=0, right=0), UsageError),
        (Neighbourhood(ENG, "a", left=-1), UsageError),
        (Neighbourhood(ENG, "(", is_pattern=True), UsageError),
        (Neighbourhood(ENG, " "), InputError),
        (Neighbourhood(replace(ENG, words_only=True), "..."), InputError),
        (Neighbourhood(replace(ENG, collection="nowhere"), "a"), InputError),
    ],
)
def test_what_cannot_be_asked(asked: Neighbourhood, error: type[Exception], empty: Store) -> None:
    import_rows(empty, [("a b", "1")])
    with pytest.raises(error):
        collocates(empty, asked)
