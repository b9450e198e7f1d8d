"""BLEU over lattices against BLEU with every path written out as a reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.metrics.bleu import bleu_scores, bleu_statistics
from corpusdb.scoring.metrics.encoding import References
from corpusdb.scoring.metrics.lattices import Lattice, Replacement, lattice_bleu_statistics


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


def test_what_overlaps_is_on_no_path_together() -> None:
    """Also what was put in is not replaced: b for a, then c for b."""
    chain = [Replacement(0, 1, ("b",)), Replacement(0, 2, ("c", "d")), Replacement(1, 2, ("e",))]
    lattice = Lattice("ax", chain)
    assert [lattice.most(ngram) for ngram in (("b", "e"), ("c", "d"), ("c", "e"), ("c", "d", "e"))] == [1, 1, 0, 0]
    assert Lattice("ax", chain, 1).most(("b", "e")) == 0


def test_more_references_can_lower_bleu() -> None:
    """8 units alone are exceeded by 10; with 11 as near or nearer, the 10 are too few."""
    hypothesis = [[*"abcdefgh", "x", "y"]]
    alone = lattice_bleu_statistics(hypothesis, [[Lattice("abcdefgh")]], 4)
    longer = Replacement(7, 8, ("z", "z", "z", "z"))
    both = lattice_bleu_statistics(hypothesis, [[Lattice("abcdefgh", [longer])]], 4)
    assert (alone[0, -1], both[0, -1]) == (8, 11)
    assert bleu_scores(both)[0, -1] < bleu_scores(alone)[0, -1]


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
