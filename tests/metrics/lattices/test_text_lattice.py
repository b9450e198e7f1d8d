"""Lattices of texts against the scores of the same texts written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import UsageError
from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.metrics.lattices import (
    LatticeReferences,
    RewritableText,
    TextReplacement,
    lattice_measures,
    text_lattice,
)
from corpusdb.scoring.metrics.measures import measures
from corpusdb.scoring.metrics.registry import settings_for

WORDS = ("the", "old", "house", "Tom's", "3,5", "don't", "(well)", "well-known", "said:", "end.")
word = st.sampled_from(WORDS)


@st.composite
def rewritable(draw: st.DrawFn) -> RewritableText:
    """A text of words with spaces between them, of which some can be replaced."""
    words = draw(st.lists(word, min_size=1, max_size=5))
    starts = [sum(len(each) + 1 for each in words[:at]) for at in range(len(words))]
    replacements = []
    for _ in range(draw(st.integers(0, 3))):
        first = draw(st.integers(0, len(words) - 1))
        last = draw(st.integers(first, min(first + 1, len(words) - 1)))
        text = " ".join(draw(st.lists(word, min_size=1, max_size=2)))
        replacements.append(TextReplacement(starts[first], starts[last] + len(words[last]), text))
    return RewritableText(" ".join(words), tuple(replacements))


def written_out(text: RewritableText, most: int | None) -> Iterator[str]:
    """Every text that can come of it."""
    for size in range(1 + (len(text.replacements) if most is None else min(most, len(text.replacements)))):
        for chosen in combinations(text.replacements, size):
            if all(one.end <= other.start or other.end <= one.start for one, other in combinations(chosen, 2)):
                yield text.rewritten(chosen)


segments = st.lists(
    st.tuples(st.lists(word, max_size=6).map(" ".join), st.lists(rewritable(), min_size=1, max_size=2)),
    min_size=1,
    max_size=3,
)


@given(segments, st.sampled_from([1, 2, None]), st.integers(1, 5), st.sampled_from(["13a", "intl", "char", "none"]))
def test_bleu_is_that_of_all_texts_written_out(
    drawn: list[tuple[str, list[RewritableText]]], most: int | None, order: int, tokenisation: str
) -> None:
    settings = [settings_for("bleu", order=order, tokenisation=tokenisation)]
    hypotheses = [hypothesis for hypothesis, _ in drawn]
    expanded = [[text for each in own for text in written_out(each, most)] for _, own in drawn]
    (expected,) = measures(settings, expanded)
    (found,) = lattice_measures(settings, LatticeReferences([own for _, own in drawn], most, "some"))
    rows, wanted = found.statistics(hypotheses), expected.statistics(hypotheses)
    np.testing.assert_array_equal(rows, wanted)
    np.testing.assert_allclose(found.scores(rows), expected.scores(wanted), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.scores(rows.sum(axis=0)), expected.scores(wanted.sum(axis=0)), rtol=0, atol=1e-9)


@given(segments, st.sampled_from(["bleu", "nist"]))
def test_without_replacements_scores_are_those_of_the_references(
    drawn: list[tuple[str, list[RewritableText]]], metric: str
) -> None:
    settings = [settings_for(metric)]
    hypotheses = [hypothesis for hypothesis, _ in drawn]
    texts = [[RewritableText(each.text) for each in own] for _, own in drawn]
    (expected,) = measures(settings, [[each.text for each in own] for own in texts])
    (found,) = lattice_measures(settings, LatticeReferences(texts, None, "none"))
    np.testing.assert_allclose(found.statistics(hypotheses), expected.statistics(hypotheses), atol=1e-9)


def paths_of(text: RewritableText, tokenisation: str) -> Sequence[int]:
    return text_lattice(text, tokeniser(tokenisation), None).lengths


def test_what_ends_inside_of_a_unit_takes_all_of_it() -> None:
    """13a keeps the hyphen within a word; "famous" stands for half of it, and with it the whole word is another one."""
    text = RewritableText("a well-known man", (TextReplacement(7, 12, "famous"),))
    lattice = text_lattice(text, tokeniser("13a"), None)
    assert [lattice.most((unit,)) for unit in ("well-known", "well-famous", "famous")] == [1, 1, 0]
    assert paths_of(text, "char") == (14, 15)


@pytest.mark.usefixtures("recorded_morphemes")
def test_morphemes_are_replaced_where_the_text_can_be_parted() -> None:
    """What replaces a part of the morpheme 読ん takes all of it."""
    text = RewritableText("彼は本を読んだ。", (TextReplacement(2, 3, "手紙"), TextReplacement(4, 5, "選")))
    lattice = text_lattice(text, tokeniser("ja-sudachi"), None)
    found = [
        lattice.most(tuple(each.split())) for each in ("彼 は 本 を 読ん だ 。", "手紙 を", "を 読ん", "を 選ん だ")
    ]
    assert found == [1, 1, 1, 1]
    assert lattice.most(("選",)) == 0


def test_texts_outside_of_the_reference_are_refused() -> None:
    for start, end, text in ((0, 0, "a"), (2, 1, "a"), (0, 9, "a"), (0, 1, " ")):
        with pytest.raises(UsageError):
            RewritableText("ab", (TextReplacement(start, end, text),))


def test_metrics_without_lattices_are_named() -> None:
    with pytest.raises(UsageError, match="chrf has no score over equivalents; bleu and nist have"):
        lattice_measures([settings_for("chrf")], LatticeReferences([[RewritableText("a")]], None, "x"))
