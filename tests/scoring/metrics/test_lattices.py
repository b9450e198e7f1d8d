"""BLEU and NIST over lattices, against every path written out as a reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.measures import (
    Lattice,
    OriginalWeights,
    Replacement,
    RewritableText,
    TextReplacement,
    lattice_bleu_statistics,
    lattice_nist_statistics,
    measures,
    text_lattice,
)
from corpusdb.scoring.metric import References
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.substituted_measures import LatticeReferences, lattice_measures
from corpusdb.scoring.unit_metrics import bleu_scores, bleu_statistics, nist_scores, nist_statistics


def expanded(
    units: Sequence[str], replacements: Sequence[Replacement], most: int | None, place: int = 0
) -> Iterator[tuple[str, ...]]:
    """The rest of each path from a place on."""
    if place == len(units):
        yield ()
        return
    for rest in expanded(units, replacements, most, place + 1):
        yield (units[place], *rest)
    for each in replacements:
        if each.start == place and most != 0:
            for rest in expanded(units, replacements, None if most is None else most - 1, each.end):
                yield (*each.units, *rest)


unit = st.sampled_from("abc")
words = st.lists(unit, min_size=1, max_size=6)


@st.composite
def references(draw: st.DrawFn) -> tuple[list[str], list[Replacement]]:
    units = draw(words)
    replacements = []
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(units) - 1))
        end = draw(st.integers(start + 1, min(len(units), start + 3)))
        replacements.append(Replacement(start, end, tuple(draw(st.lists(unit, min_size=1, max_size=3)))))
    return units, replacements


segments = st.tuples(st.lists(unit, max_size=8), st.lists(references(), min_size=1, max_size=2))
limits = st.sampled_from([0, 1, 2, 3, None])


@given(st.lists(segments, min_size=1, max_size=3), limits, st.integers(1, 5))
def test_a_lattice_is_the_set_of_its_paths(
    given_segments: list[tuple[list[str], list[tuple[list[str], list[Replacement]]]]], most: int | None, order: int
) -> None:
    paths = [
        [" ".join(path) for units, replacements in own for path in sorted(set(expanded(units, replacements, most)))]
        for _, own in given_segments
    ]
    hypotheses = [hypothesis for hypothesis, _ in given_segments]
    encoded = References.of(paths, tokeniser("none"))
    expected = bleu_statistics(encoded.encode([" ".join(each) for each in hypotheses]), encoded, order)
    lattices = [[Lattice(*each, most) for each in own] for _, own in given_segments]
    found = lattice_bleu_statistics(hypotheses, lattices, order)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(bleu_scores(found), bleu_scores(expected), rtol=0, atol=1e-9)
    for own, (_, given_references) in zip(lattices, given_segments, strict=True):
        for lattice, (units, replacements) in zip(own, given_references, strict=True):
            lengths = {len(path) for path in expanded(units, replacements, most)}
            assert lattice.lengths == tuple(sorted(lengths))


@given(references(), words, limits)
def test_occurrences_are_those_of_the_path_that_has_most(
    reference: tuple[list[str], list[Replacement]], ngram: list[str], most: int | None
) -> None:
    wanted = tuple(ngram[:4])
    counts = [
        sum(path[at : at + len(wanted)] == wanted for at in range(len(path))) for path in expanded(*reference, most)
    ]
    assert Lattice(*reference, most).most(wanted) == max(counts)


def test_lattices_without_bound_are_not_expanded() -> None:
    """2 to the power of 200 paths."""
    units = [f"a{number}" for number in range(200)]
    lattice = Lattice(units, [Replacement(at, at + 1, (f"b{at}",)) for at in range(200)])
    hypothesis = [f"{'ab'[at % 2]}{at}" for at in range(200)]
    assert lattice_bleu_statistics([hypothesis], [[lattice]], 4)[0].tolist() == [200, 199, 198, 197] * 2 + [200, 200]


@pytest.mark.parametrize(
    ("replacement", "most"),
    [
        (Replacement(0, 0, ("a",)), None),
        (Replacement(1, 3, ("a",)), None),
        (Replacement(-1, 1, ("a",)), None),
        (Replacement(0, 1, ()), None),
        (Replacement(0, 1, ("a",)), -1),
    ],
)
def test_replacements_that_make_no_sense_are_refused(replacement: Replacement, most: int | None) -> None:
    with pytest.raises(UsageError):
        Lattice("ab", [replacement], most)


def test_segments_and_orders_are_checked() -> None:
    with pytest.raises(InputError, match="1 hypotheses for 2 segments"):
        lattice_bleu_statistics(["a"], [[Lattice("a")]] * 2, 4)
    with pytest.raises(InputError, match="no reference"):
        lattice_bleu_statistics(["a"], [[]], 4)
    with pytest.raises(UsageError, match="order"):
        lattice_bleu_statistics(["a"], [[Lattice("a")]], 0)


# NIST over lattices: without replacements that of mteval, with them a sum over the paths by its definition.


lattice_nist_unit = st.sampled_from(["a", "b", "c", "0"])
lattice_nist_words = st.lists(lattice_nist_unit, min_size=1, max_size=8)
lattice_nist_segments = st.lists(
    st.tuples(st.lists(lattice_nist_unit, max_size=8), st.lists(lattice_nist_words, min_size=1, max_size=3)),
    min_size=1,
    max_size=4,
)


@given(lattice_nist_segments, st.integers(1, 5))
def test_without_replacements_it_is_nist(given_segments: list[tuple[list[str], list[list[str]]]], order: int) -> None:
    hypotheses = [hypothesis for hypothesis, _ in given_segments]
    originals = [references for _, references in given_segments]
    encoded = References.of([[" ".join(each) for each in own] for own in originals], tokeniser("none"))
    expected = nist_statistics(encoded.encode([" ".join(each) for each in hypotheses]), encoded, order)
    lattices = [[Lattice(each) for each in own] for own in originals]
    found = lattice_nist_statistics(hypotheses, lattices, OriginalWeights(originals, order))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(nist_scores(found), nist_scores(expected), atol=1e-9)


def test_what_was_put_in_weighs_as_if_it_stood_once() -> None:
    original = "the old house and the old tree".split()
    lattice = Lattice(original, [Replacement(2, 3, ("building",))])
    hypothesis = "the old building".split()
    rows = lattice_nist_statistics([hypothesis], [[lattice]], OriginalWeights([[original]], 3))
    counts = Counter(original)
    unigrams = log2(7 / counts["the"]) + log2(7 / counts["old"]) + log2(7 / 1)
    # "the old" stands twice; "old building" and "the old building" are new, after "old" and "the old" that stand twice.
    bigrams, trigrams = log2(2 / 2) + log2(2 / 1), log2(2 / 1)
    assert rows[0].tolist() == pytest.approx([unigrams, bigrams, trigrams, 3, 2, 1, 3, 7])


def test_segments_and_orders_of_nist_are_checked() -> None:
    with pytest.raises(InputError, match="0 hypotheses for 1 segments"):
        lattice_nist_statistics([], [[Lattice("a")]], OriginalWeights([["a"]], 5))
    with pytest.raises(UsageError, match="order"):
        OriginalWeights([["a"]], 0)


# Lattices of texts against the scores of the same texts written out.


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


text_lattice_segments = st.lists(
    st.tuples(st.lists(word, max_size=6).map(" ".join), st.lists(rewritable(), min_size=1, max_size=2)),
    min_size=1,
    max_size=3,
)


@given(
    text_lattice_segments,
    st.sampled_from([1, 2, None]),
    st.integers(1, 5),
    st.sampled_from(["13a", "intl", "char", "none"]),
)
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


@given(text_lattice_segments, st.sampled_from([0.25, 0.5, 0.9]))
def test_what_only_other_texts_match_counts_in_part(drawn: list[tuple[str, list[RewritableText]]], part: float) -> None:
    """Against the texts written out and those as given: matches lie between theirs, and lengths are as given."""
    settings = [settings_for("bleu")]
    hypotheses = [hypothesis for hypothesis, _ in drawn]
    (given_alone,) = measures(settings, [[each.text for each in own] for _, own in drawn])
    (all_texts,) = measures(settings, [[text for each in own for text in written_out(each, None)] for _, own in drawn])
    (found,) = lattice_measures(settings, LatticeReferences([own for _, own in drawn], None, "some", part))
    rows, alone, more = (each.statistics(hypotheses) for each in (found, given_alone, all_texts))
    np.testing.assert_allclose(rows[:, :4], (1 - part) * alone[:, :4] + part * more[:, :4], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(rows[:, 4:], alone[:, 4:])
    assert (found.scores(rows) >= given_alone.scores(alone) - 1e-9).all()


def nearest(hypothesis: str, text: RewritableText, most: int | None, score: Callable[[str], float]) -> str:
    """The text with one replacement after another, tried one by one."""
    chosen: list[TextReplacement] = []
    while most is None or len(chosen) < most:
        free = [
            each
            for each in text.replacements
            if each.text in hypothesis and all(each.end <= one.start or one.end <= each.start for one in chosen)
        ]
        best = max(free, key=lambda each: score(text.rewritten([*chosen, each])), default=None)
        if best is None or score(text.rewritten([*chosen, best])) <= score(text.rewritten(chosen)):
            break
        chosen.append(best)
    return text.rewritten(chosen)


@given(
    text_lattice_segments,
    st.sampled_from([1, 2, None]),
    st.sampled_from(["chrf", "chrf++"]),
    st.sampled_from([0, 0.5, 1]),
)
def test_chrf_is_that_of_the_nearest_text_in_part(
    drawn: list[tuple[str, list[RewritableText]]], most: int | None, metric: str, part: float
) -> None:
    """Against the texts written out: none of what they add counts, all of it, or a half."""
    settings = [settings_for(metric)]
    hypotheses = [hypothesis for hypothesis, _ in drawn]

    def score(hypothesis: str, *texts: str) -> float:
        (measure,) = measures(settings, [texts])
        return float(measure.scores(measure.statistics([hypothesis]))[0])

    near = [[nearest(hypothesis, each, most, partial(score, hypothesis)) for each in own] for hypothesis, own in drawn]
    as_given = [[each.text for each in own] for _, own in drawn]
    both = [[*own, *texts] for own, texts in zip(as_given, near, strict=True)]
    alone, whole = (measures(settings, texts)[0].statistics(hypotheses) for texts in (as_given, both))
    (found,) = lattice_measures(settings, LatticeReferences([own for _, own in drawn], most, "some", part))
    rows = found.statistics(hypotheses)
    np.testing.assert_allclose(rows, (1 - part) * alone + part * whole, rtol=0, atol=1e-12)
    if most == 1 and part == 1:  # then nothing is nearer among all texts
        for (hypothesis, own), value in zip(drawn, found.scores(rows).tolist(), strict=True):
            texts = [each for text in own for each in written_out(having(text, hypothesis), 1)]
            assert value == pytest.approx(score(hypothesis, *texts), abs=1e-9)


def having(text: RewritableText, hypothesis: str) -> RewritableText:
    """With the replacements that the hypothesis has."""
    return RewritableText(text.text, tuple(each for each in text.replacements if each.text in hypothesis))


@given(text_lattice_segments, st.sampled_from(["bleu", "nist", "chrf"]))
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
    with pytest.raises(UsageError, match=r"mwer has no score over equivalents; bleu, nist, chrf, chrf\+\+ have"):
        lattice_measures([settings_for("mwer")], LatticeReferences([[RewritableText("a")]], None, "x"))
