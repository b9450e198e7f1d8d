"""The report on a judged sample: rates, the majority, agreement, thresholds, and how it is printed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import TypeAlias

import pytest
from corpora import import_rows, new_store, random_rows

from corpusdb.base.estimates import clopper_pearson, wilson
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.people.queries.samples import Kind, Sample, SampleOptions, draw_sample
from corpusdb.people.queries.verdicts import (
    VERDICTS,
    Precision,
    judging_report,
    parse_verdict,
    record,
    record_sheet,
    sheet,
)
from corpusdb.people.report import render, report_rows

Judging: TypeAlias = tuple[Store, Sample]
_names = count(1)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with new_store(tmp_path_factory.mktemp("report")) as store:
        import_rows(store, random_rows(random.Random(3), 60))
        finished(generate(store, "eng"))
        yield store


def drawn(store: Store, size: int, kind: Kind = "meaning", controls: int = 0) -> Sample:
    return draw_sample(
        store, f"sample {next(_names)}", SampleOptions(kind, "eng", size, seed=1, kept=NO_FILTER, controls=controls)
    )


def say(store: Store, sample: Sample, judge: str, verdicts: str) -> None:
    """Record a letter for each item in the order of the sample; a blank says nothing."""
    for item, letter in enumerate(verdicts, 1):
        if letter != " ":
            record(store, sample, judge, item, letter)


def test_table_6_of_the_paper(store: Store) -> None:
    sample = drawn(store, 470)
    filled = [
        (number, type(line)(line.item, line.seed, line.text, verdict))
        for number, (line, verdict) in enumerate(
            zip(sheet(store, sample, "paper"), "=" * 346 + ">" * 104 + "x" * 20, strict=True), 2
        )
    ]
    assert record_sheet(store, sample, "paper", filled, Path("sheet.tsv")) == 470
    report = judging_report(store, sample)
    (judge,) = report.judges
    assert judge.verdicts == report.pooled.verdicts == {"equivalence": 346, "entailment": 104, "neither": 20}
    rate = judge.candidates
    assert (rate.judged, rate.accepted, rate.rate) == (470, 450, 450 / 470)
    assert (rate.wilson, rate.clopper_pearson) == (wilson(450, 470), clopper_pearson(450, 470))
    lines = render(report).splitlines()
    table = lines[lines.index("Equivalence or entailment in meaning (Table 6 of Lepage and Denoual, 2005)") + 1 :][:3]
    assert [line.split() for line in table] == [
        ["Paraphrase", "Not", "a", "paraphrase"],
        ["Equivalence", "Entailment"],
        ["346", "104", "20", "paper"],
    ]
    assert "     470        0       450    95.7   93.5 - 97.2" in render(report)
    assert judge.equivalence and judge.equivalence.wilson == wilson(346, 470)
    assert re.search(r"\n {5}470 +346 +73\.6 +69\.. - 77\.. .* paper\n", render(report))
    rows = {(row[0], row[2]): row[3:8] for row in report_rows(report)}
    assert rows["equivalence", "paper"] == (470, 346, 346 / 470, wilson(346, 470).low, wilson(346, 470).high)


@pytest.mark.parametrize(
    ("kind", "judges", "counts", "verdicts"),
    [
        ("grammaticality", ["y", "y", "n"], (1, 1, 0), (1, 0)),
        ("grammaticality", ["y", "n"], (0, 0, 1), (0, 0)),
        ("grammaticality", ["y", "s", "n", "n"], (0, 1, 0), (0, 1)),
        ("grammaticality", ["s"], (0, 0, 0), (0, 0)),
        ("meaning", ["=", ">"], (1, 1, 0), (0, 0, 0)),  # a paraphrase, but of which kind is not decided
        ("meaning", ["=", ">", "x"], (1, 1, 0), (0, 0, 0)),
        ("meaning", ["=", "=", "x"], (1, 1, 0), (1, 0, 0)),
        ("meaning", ["=", ">", "x", "x"], (0, 0, 1), (0, 0, 1)),
        ("meaning", [">", "x", "x"], (0, 1, 0), (0, 0, 1)),
    ],
)
def test_the_majority(
    store: Store, kind: Kind, judges: Sequence[str], counts: tuple[int, ...], verdicts: tuple[int, ...]
) -> None:
    """The counts are of items accepted, judged and undecided, on a sample of one."""
    sample = drawn(store, 1, kind)
    for number, letter in enumerate(judges):
        say(store, sample, f"judge {number}", letter)
    pooled = judging_report(store, sample).pooled
    assert (pooled.candidates.accepted, pooled.candidates.judged, pooled.undecided) == counts
    assert pooled.verdicts == dict(zip(VERDICTS[kind], verdicts, strict=True))
    alone = pooled.equivalence
    assert (alone and (alone.accepted, alone.judged)) == (None if len(verdicts) < 3 else (verdicts[0], sum(verdicts)))


def test_controls_count_apart(store: Store) -> None:
    sample = drawn(store, 6, controls=4)
    sources = [
        row[0]
        for row in store.connection.execute(
            "select source from sample_item where sample = ? order by position", (sample.id,)
        )
    ]
    say(store, sample, "ann", "".join("=" if source == "candidate" else "x" for source in sources))
    report = judging_report(store, sample)
    for each in (*report.judges, report.pooled):
        assert (each.candidates.accepted, each.candidates.judged) == (6, 6)
        assert (each.controls.accepted, each.controls.judged) == (0, 4)
        assert sum(each.verdicts.values()) == 6
    assert report.by_order[0].judged == 6
    assert "Accepted of the controls judged" in render(report)


def test_agreement_is_over_what_both_judged(store: Store) -> None:
    sample = drawn(store, 8, "grammaticality")
    say(store, sample, "ann", "yyyynnns")
    say(store, sample, "bob", "yyynynny")
    say(store, sample, "cy ", "y       ")
    report = judging_report(store, sample)
    assert [(each.first, each.second, each.kappa.items) for each in report.agreements] == [
        ("ann", "bob", 7),
        ("ann", "cy ", 1),
        ("bob", "cy ", 1),
    ]
    kappa = report.agreements[0].kappa
    # By hand: 5 of 7 alike; both say yes to 4 of 7: (5/7 - 25/49) / (1 - 25/49).
    assert kappa.observed == 5 / 7
    assert kappa.value == pytest.approx(10 / 24)
    assert [each.item for each in report.disagreements] == [4, 5]
    assert report.disagreements[0].verdicts == {"ann": "yes", "bob": "no"}


def test_disagreements_carry_texts_and_comments(store: Store) -> None:
    sample = drawn(store, 2)
    record(store, sample, "ann", 1, "=", "to the letter")
    record(store, sample, "bob", 1, "x")
    (found,) = judging_report(store, sample).disagreements
    assert (found.verdicts, found.comments) == ({"ann": "equivalence", "bob": "neither"}, {"ann": "to the letter"})
    text = render(judging_report(store, sample))
    assert f"       1  {found.seed}  ->  {found.text}" in text
    assert "          ann: equivalence (to the letter)\n          bob: neither" in text


@pytest.mark.parametrize("kind", ["grammaticality", "meaning"])
def test_precision_at_every_threshold_is_that_of_a_count(store: Store, kind: Kind) -> None:
    sample, chance = drawn(store, 120, kind, controls=10), random.Random(6)
    letters = [chance.choice("ynnn" if kind == "grammaticality" else "=>xs") for _ in range(sample.items)]
    say(store, sample, "ann", "".join(letters))
    report = judging_report(store, sample)
    rows = store.connection.execute(
        "select position, fluency, score from sample_item where sample = ? and source = 'candidate'", (sample.id,)
    ).fetchall()
    accepted = {
        position: parse_verdict(kind, letters[position - 1]) in ("yes", "equivalence", "entailment")
        for position, _, _ in rows
        if letters[position - 1] != "s"
    }
    for column, precisions in ((1, report.by_order), (2, report.by_score)):
        figures = {row[0]: row[column] for row in rows if row[0] in accepted}
        assert precisions[0].judged == len(accepted)
        assert len({each.judged for each in precisions}) == len(precisions) > 3
        for each in precisions:
            threshold = NO_LIMIT if each.threshold is None else each.threshold
            above = [accepted[position] for position, figure in figures.items() if figure >= threshold]
            assert each == Precision(
                each.threshold, len(above), sum(above) / len(above), wilson(sum(above), len(above))
            )
    assert report.by_order[-1].threshold is None
    assert {each.threshold for each in report.by_order} == {
        None if row[1] == NO_LIMIT else row[1] for row in rows if row[0] in accepted
    }


@pytest.mark.slow
def test_the_order_is_the_one_by_which_the_sample_was_filtered(store: Store) -> None:
    options = SampleOptions("meaning", "eng", 300, seed=1, kept=NSequenceFilter(0, marks=False))
    sample = draw_sample(store, "without marks", options)
    say(store, sample, "ann", "=" * 300)
    inner = store.connection.execute(
        "select distinct inner_fluency from sample_item where sample = ? order by 1", (sample.id,)
    ).fetchall()
    orders = [each.threshold for each in judging_report(store, sample).by_order]
    assert orders == [None if order == NO_LIMIT else order for (order,) in inner]


@pytest.mark.parametrize("kind", ["grammaticality", "meaning"])
def test_a_sample_that_nobody_judged(store: Store, kind: Kind) -> None:
    report = judging_report(store, drawn(store, 5, kind))
    assert (report.judges, report.agreements, report.disagreements, report.by_order) == ((), (), (), ())
    assert report.pooled.candidates.rate is None
    assert asdict(report)["pooled"]["candidates"]["judged"] == 0
    assert render(report).endswith("Nobody has judged any of it yet.")


def test_the_figures_stand_in_80_columns(store: Store) -> None:
    sample = drawn(store, 40, controls=10)
    for judge, letters in (("ann", "=>xs="), ("bob", "==xx=")):
        say(store, sample, judge, letters * 10)
    assert max(map(len, render(judging_report(store, sample)).splitlines())) <= 80
