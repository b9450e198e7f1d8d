"""What the paper prints, held against itself, and what is said to agree with it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from corpusdb.studies.bleu_in_characters.published import (
    PAPER_TABLE_1,
    PAPER_TABLE_2,
    PAPER_TABLE_3,
    PAPER_TABLE_4,
    Finding,
    findings,
)
from corpusdb.studies.bleu_in_characters.tables import (
    Best,
    BestOrders,
    Equivalence,
    LengthTable,
    Measurement,
    Ranking,
    candidate_scores,
    equivalence,
)


@pytest.fixture(scope="module")
def study() -> Equivalence:
    rng = random.Random(3)
    references = [[" ".join(rng.choices(["word", "and", "mark"], k=8))] for _ in range(40)]
    systems = {
        name: [" ".join(word for word in each.split() if rng.random() > loss) for (each,) in references]
        for name, loss in (("one", 0.1), ("two", 0.4))
    }
    return equivalence(candidate_scores(systems, references, Measurement(4, 24)))


@pytest.fixture(scope="module")
def papers(study: Equivalence) -> Equivalence:
    """A study that finds what the paper says it found."""
    systems = [replace(study.by_system[0], words=w, characters=c, difference=d) for w, c, d in PAPER_TABLE_3]
    return replace(
        study,
        equivalent=18,
        ratio=4.14,
        word_length=3.84,
        best=tuple(PAPER_TABLE_1.values()),
        by_length=(replace(study.by_length[-1], local=Best(12, 0.919), pearson=0.861),),
        by_system=tuple(systems),
        ranking=Ranking(6, 5, 1, 0, True),
        lengths=PAPER_TABLE_4,
        words_below=(1.0, 1.0, 1.0),
    )


def verdicts(found: list[Finding]) -> dict[str, bool | None]:
    return {each.claim: each.agrees for each in found}


def test_the_paper_agrees_with_itself(papers: Equivalence) -> None:
    found = findings(papers)

    assert all(each.agrees for each in found)
    by_claim = {each.claim: each for each in found}
    for name, count in (("Pearson", 4), ("kappa", 4), ("behaviour", 3)):
        assert sum(claim.endswith(name) for claim in by_claim) == count
    for claim in ("M/N is about the length of a word", "the correlation is high", "systems score less in characters"):
        assert by_claim[claim].ours == by_claim[claim].paper


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ({"words_below": (1.0, 0.9999, 1.0)}, "BLEUwN <= BLEUw(N-1)"),
        ({"ratio": 5.0}, "M/N is about the length of a word"),
        ({"equivalent": 16}, "characters that stand for 4 words"),
        ({"ranking": Ranking(6, 4, 1, 1, False)}, "pairs of systems in another order"),
        ({"lengths": LengthTable(5, 1, 1, 5)}, "more texts too short in characters"),
        ({"best": (BestOrders(4, Best(17, 0.79), Best(18, 0.3), Best(18, 0.9)),)}, "the correlation is high"),
        ({"best": (BestOrders(4, Best(16, 0.9), Best(18, 0.3), Best(18, 0.9)),)}, "one M for N = 4 by all three"),
        ({"best": (BestOrders(4, Best(15, 0.9), Best(18, 0.3), Best(18, 0.9)),)}, "best M for N = 4 by Pearson"),
        ({"best": (BestOrders(4, Best(17, 0.9), None, Best(18, 0.9)),)}, "best M for N = 4 by kappa"),
    ],
)
def test_what_does_not_agree_is_told(papers: Equivalence, changes: dict[str, object], claim: str) -> None:
    assert verdicts(findings(replace(papers, **changes)))[claim] is False  # type: ignore[arg-type]


def test_orders_that_differ_by_one_agree(papers: Equivalence) -> None:
    best = BestOrders(4, Best(18, 0.9), Best(17, 0.3), Best(19, 0.9))

    told = verdicts(findings(replace(papers, best=(best,))))
    assert [told[f"best M for N = 4 by {name}"] for name in ("Pearson", "kappa", "behaviour")] == [True] * 3
    assert told["one M for N = 4 by all three"] is False


def test_what_cannot_be_said(papers: Equivalence) -> None:
    nothing = replace(
        papers, best=(BestOrders(4, None, None, None),), by_length=(), ratio=None, ranking=Ranking(0, 0, 0, 0, True)
    )
    told = verdicts(findings(nothing))

    for claim in ("the correlation is high", "one M for N = 4 by all three", "pairs of systems in another order"):
        assert told[claim] is None
    assert verdicts(findings(replace(papers, is_given=True)))["characters that stand for 4 words"] is None


def test_other_orders_are_not_held_against_the_four_words_of_the_paper(papers: Equivalence) -> None:
    claims = verdicts(findings(replace(papers, word_order=3)))

    assert "characters that stand for 4 words" not in claims


def test_where_the_numbers_of_the_paper_do_not_agree() -> None:
    """The facts behind the remarks."""
    printed = [(round(characters - words, 3), difference) for words, characters, difference in PAPER_TABLE_3]
    assert [number for number, (one, other) in enumerate(printed, 1) if one != other] == [2]
    assert round(0.279 - 0.315, 3) == PAPER_TABLE_3[1][2]
    assert round(sum(row[2] for row in PAPER_TABLE_3) / 4, 3) == -0.047
    over_10 = PAPER_TABLE_2["> 10"]
    assert over_10.deviation**2 > over_10.mean * (1 - over_10.mean)  # the most that scores from 0 to 1 can vary
    assert round(1 - sum(row.share for row in PAPER_TABLE_2.values()), 3) == 0.148
    table = PAPER_TABLE_4
    assert (table.short + table.short_in_words, table.short_in_characters + table.long) == (303, 207)
    assert table.short + table.short_in_characters == 350
