"""Pairs and clusters of systems: Wilcoxon's test against scipy, clusters by their definition, and those of WMT."""

from __future__ import annotations

import csv
import json
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from calls import Run, write_files
from corpora import data_folder
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.system_agreement import RankedSystem, clusters_of_people, rank_sum_p, ranked_systems
from corpusdb.corpus.formats.scoring_input import read_human_scores

RATINGS = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=12)


@given(RATINGS, RATINGS)
def test_the_test_is_that_of_scipy(first: list[float], second: list[float]) -> None:
    tested = pytest.importorskip("scipy.stats").mannwhitneyu
    found = rank_sum_p(np.array([*first, np.nan]), np.array([np.nan, *second]))
    if len({*first, *second}) == 1:
        assert found == 1
    else:
        expected = tested(first, second, alternative="greater", method="asymptotic", use_continuity=True).pvalue
        assert found == pytest.approx(float(expected), abs=1e-12)


def test_nothing_is_better_than_what_has_no_score() -> None:
    assert rank_sum_p(np.array([1.0]), np.array([np.nan])) == rank_sum_p(np.array([]), np.array([1.0])) == 1


@given(st.integers(1, 6), st.data())
def test_borders_are_where_all_above_are_better_than_all_below(count: int, data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.integers(0, 9).map(float), min_size=count, max_size=count))
    beats = np.array([[a > b and data.draw(st.booleans()) for b in scores] for a in scores])
    names = [f"s{number}" for number in range(count)]
    found = ranked_systems(names, scores, beats)
    order = [names.index(each.system) for each in found]
    assert [each.score for each in found] == sorted(scores, reverse=True)
    for place in range(1, count):
        is_border = all(beats[above, below] for above in order[:place] for below in order[place:])
        assert found[place].cluster - found[place - 1].cluster == is_border
    for at, each in zip(order, found, strict=True):
        wins, losses = int(beats[at].sum()), int(beats[:, at].sum())
        assert each == RankedSystem(names[at], scores[at], each.cluster, losses + 1, count - wins, wins)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["wmt21-ruen", "wmt21-isen", "wmt21-jaen"])
def test_wins_and_clusters_of_wmt21(name: str) -> None:
    """As published: how many systems each is significantly better than, and the places that its cluster takes."""
    folder = data_folder(name)
    human = read_human_scores(folder / "seg-DA.tsv")
    found = {each.system: each for each in clusters_of_people(human.systems, human.segments)}
    with (folder / "sys-DA.tsv").open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert {each["system"]: int(each["wins"]) for each in published} == {x.system: x.wins for x in found.values()}
    clusters = [each.cluster for each in found.values()]
    for each in published:
        own = found[each["system"]].cluster
        first = clusters.index(own) + 1
        assert each["cluster_ranks"] == f"{first}-{first + clusters.count(own) - 1}"


@pytest.mark.data
def test_ranks_of_wmt23_follow_from_wins() -> None:
    """No scores of segments are there to test by: that a system's last rank is all less its wins, as published."""
    with (data_folder("wmt23-enja") / "human.tsv").open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for each in published:
        assert int(each["rank"].split("-")[-1]) == len(published) - int(each["wins"])


TEXTS = {
    "r.txt": ["the cat sat on the mat", "a dog barks", "it rains all day", "we had tea and cake at four"] * 8,
    "a.txt": ["the cat sat on the mat", "a dog barks", "it rains all day", "we had tea and cake at five"] * 8,
    "b.txt": ["the cat sat on a mat", "the dog barks", "it rains a day", "we had tea and a cake at five"] * 8,
    "c.txt": ["cat mat", "dog", "rain", "tea cake"] * 8,
}


@pytest.fixture
def files(run: Run, tmp_path: Path) -> Path:
    write_files(tmp_path, TEXTS)
    return tmp_path


CALL = ("score", "b.txt", "c.txt", "a.txt", "--ref", "r.txt", "--order", "2", "--samples", "60", "--significance")


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_each_pair_is_what_a_baseline_says(run: Run, files: Path, test: str) -> None:
    bleu, mwer = json.loads(run(*CALL, test, "--pairs", "-m", "bleu", "mwer", "--json").stdout)
    assert (
        [each["system"] for each in bleu["systems"]] == [each["system"] for each in mwer["systems"]] == ["a", "b", "c"]
    )
    assert [(each["a"], each["b"]) for each in bleu["pairs"]] == list(combinations("abc", 2))
    assert [(each["cluster"], each["wins"]) for each in bleu["systems"]] == [(1, 2), (2, 1), (3, 0)]
    for baseline in "bc":
        single = json.loads(run(*CALL, test, "-m", "bleu", "mwer", "--baseline", f"{baseline}.txt", "--json").stdout)
        for found, metric in ((bleu, "bleu"), (mwer, "mwer")):
            tests = {each["system"]: each["test"] for each in single if each["metric"] == metric and "test" in each}
            for pair in found["pairs"]:
                if pair["b"] == baseline:
                    assert {name: tests[pair["a"]][name] for name in ("difference", "p_value")}.items() <= pair.items()


def test_a_narrow_terminal_has_marks_for_differences_or_the_clusters_alone(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = (*CALL, "bootstrap", "--pairs", "--format", "table")
    whole = run(*call).stdout.splitlines()
    width = max(len(line.rstrip()) for line in whole[:4])
    for room, heads in ((width, ["vs", "3"]), (width - 1, ["2", "..."]), (40, ["score", "wins"])):
        monkeypatch.setattr("corpusdb.scoring.comparison_commands.room_of_table", lambda room=room: room)
        lines = run(*call).stdout.splitlines()
        assert lines[0].split()[-2:] == heads
        assert any("have no room here" in line for line in lines) == (heads != ["vs", "3"])
        assert lines[1].split()[:7] == whole[1].split()[:7]
        if heads == ["2", "..."]:
            assert [line.rpartition("  ")[2] for line in lines[1:4]] == ["\\++", "-\\+", "--\\"]


def test_tables_and_rows_of_pairs(run: Run, files: Path) -> None:
    lines = run(*CALL, "bootstrap", "--pairs", "--format", "table").stdout.splitlines()
    assert lines[0].split() == "metric no. cluster ranks system score wins vs 1 vs 2 vs 3".split()
    assert [line.split()[1:5] for line in lines[1:4]] == [
        ["1", "1", "1-1", "a"],
        ["2", "2", "2-2", "b"],
        ["3", "3", "3-3", "c"],
    ]
    assert any("significantly better than all systems below the cluster" in line for line in lines)
    rows = [line.split("\t") for line in run(*CALL, "bootstrap", "--pairs").stdout.splitlines()]
    assert rows[0] == ["a", "b", "metric", "score_a", "score_b", "difference", "p", "test", "signature"]
    assert run(*CALL, "randomisation", "--pairs").stdout == run(*CALL[:-1], "--pairs").stdout
    assert len(rows) == 4 and float(rows[1][5]) == pytest.approx(float(rows[1][3]) - float(rows[1][4]))


@pytest.mark.parametrize("how", [(), ("--pairs",), ("--by", "length")])
def test_tables_for_a_paper_tell_each_p_below(run: Run, files: Path, how: tuple[str, ...]) -> None:
    """In them stand marks alone; the values, by the names of metrics as the table has them, are those of TSV."""
    call = (*CALL, "randomisation", *how, "-m", "bleu", "mwer")
    rows = list(csv.DictReader(run(*call).stdout.splitlines(), delimiter="\t"))
    wanted = sorted(float(row["p"]) for row in rows if row["p"])
    lines = [line for line in run(*call, "--format", "latex").stdout.splitlines() if line.startswith("% p by ")]
    assert all(re.match(r"% p by (BLEUw2|mWER)( of [ab] against|, [a-z].*:|:) ", line) for line in lines)
    told = [float(p) for line in lines for p in re.findall(r" [abc] [=<] ([0-9.]+)\*{0,2}(?:,|$)", line)]
    assert sorted(told) == pytest.approx(wanted, abs=0.0005) and len(wanted) >= 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*CALL, "bootstrap", "--pairs", "--baseline", "b.txt"), "without a --baseline"),
        ((*CALL, "bootstrap", "--pairs", "--segments"), "cannot be combined with --segments"),
    ],
)
def test_what_makes_no_sense_with_pairs(run: Run, files: Path, words: tuple[str, ...], told: str) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout, told in result.stderr) == (2, "", True)


def test_clusters_of_what_people_said(run: Run, files: Path) -> None:
    values = {"one": range(20, 40), "two": range(19, 39), "three": range(20)}
    rows = [f"{name}\t{at}\t{value}" for name, own in values.items() for at, value in enumerate(own)]
    (files / "human.tsv").write_text("\n".join(["system\tsegment\tz", *rows]) + "\n", encoding="utf-8")
    found = json.loads(run("agreement", "--human", "human.tsv", "--clusters", "--json").stdout)
    assert [(x["system"], x["cluster"], x["first_rank"], x["last_rank"]) for x in found] == [
        ("one", 1, 1, 2), ("two", 1, 1, 2), ("three", 2, 3, 3)
    ]  # fmt: skip
    shown = run("agreement", "--human", "human.tsv", "--clusters", "--format", "table")
    assert shown.stdout.splitlines()[1].split() == ["1", "1-2", "one", "29.50", "1"]
    (files / "whole.tsv").write_text("system\tz\none\t1\ntwo\t2\n", encoding="utf-8")
    refused = run("agreement", "--human", "whole.tsv", "--clusters")
    assert (refused.exit_code, "clusters need those of segments" in refused.stderr) == (3, True)


def test_accuracy_over_the_pairs_that_people_tell_apart(run: Run, tmp_path: Path) -> None:
    """Kocmi et al. (2021), with the test of scipy."""
    stats, chance = pytest.importorskip("scipy.stats"), np.random.default_rng(2)
    names = [f"s{at}" for at in range(7)]
    people = {name: chance.integers(0, 5, 30) + at / 4 for at, name in enumerate(names)}
    scores = {name: float(at + 3 * chance.random()) for at, name in enumerate(names)}
    rows = [f"{name}\t{at}\t{x}" for name, values in people.items() for at, x in enumerate(values)]
    automatic = [f"{name}\t{x}" for name, x in scores.items()]
    write_files(tmp_path, {"human.tsv": ["system\tsegment\tz", *rows], "M.sys.score": automatic})
    call = ("agreement", "--scores", "M.sys.score", "--human", "human.tsv", "--samples", "2", "--statistic", "pa")
    result = run(*call, "--human-p", "0.05,0.001", "--json")
    found = {row["part"]: (row["n"], row["value"]) for row in json.loads(result.stdout)}
    for limit in ("0.05", "0.001"):
        right = []
        for one, other in combinations(names, 2):
            a, b = sorted((one, other), key=lambda name: -people[name].mean())
            tested = stats.mannwhitneyu(people[a], people[b], alternative="greater", method="asymptotic")
            if tested.pvalue < float(limit):
                right.append(scores[a] > scores[b])
        assert found[f"people p < {limit}"] == (len(right), pytest.approx(np.mean(right)))
    assert len(found) == 3 and 0 < found["people p < 0.001"][0] < found["people p < 0.05"][0] < 21
    assert "people p < ...: over the pairs of systems that people tell apart" in result.stderr
    for words, told in (
        (("--human-p", "1.5"), "--human-p takes numbers above 0 and below 1, with commas between them, unlike '1.5'"),
        (("--human-p", "0.05", "--level", "segment", "--statistic", "pearson"), "which is left out"),
        (("--human-p", "0.05", "--human", "M.sys.score"), "they scored whole systems only"),
    ):
        refused = run(*call, *words)
        assert (refused.exit_code, told in refused.stderr) == (2, True)
