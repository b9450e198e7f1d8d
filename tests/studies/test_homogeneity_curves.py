"""The curves of the study of homogeneity: crossings, confidence, what the paper prints; and the command."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import Prepare, Run
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.studies.homogeneity_report import HOMOGENEITY_COLUMNS
from corpusdb.studies.queries.homogeneity import TRIALS, paired_confidence
from corpusdb.studies.queries.homogeneity_profiles import (
    PAPER_BETTER_UP_TO,
    PAPER_CONFIDENCE,
    PAPER_CORRELATIONS,
    PAPER_DOCUMENTS,
    PAPER_TABLE_1,
    PAPER_TASK,
    SelectionCurve,
    crossing_of,
)

# Crossings are where a search for them along the interpolated curves finds them; spreads are those of numpy.


SHARES = (0.01, 0.1, 0.25, 0.5, 0.75, 1.0)
VALUES = st.lists(st.integers(1, 9).map(float), min_size=len(SHARES) - 1, max_size=len(SHARES) - 1)
"""Of all shares but the last, at which all curves meet."""


def curves(selected: list[float], draws: list[list[float]], end: float = 5.0) -> tuple[SelectionCurve, SelectionCurve]:
    rows = [(*draw, end) for draw in draws]
    means = tuple(float(each) for each in np.mean(rows, axis=0))
    random = SelectionCurve("perplexity", "random", SHARES, means, tuple(rows))
    return SelectionCurve("perplexity", "coefficient", SHARES, (*selected, end)), random


def searched(ours: list[float], theirs: list[float]) -> float | None:
    """The last share at which the first of two curves ceases to be lower, by looking everywhere."""
    fine = np.linspace(SHARES[0], SHARES[-2], 74_001)
    gaps = np.interp(fine, SHARES[:-1], ours) - np.interp(fine, SHARES[:-1], theirs)
    ends = np.flatnonzero((gaps[:-1] < -1e-9) & (gaps[1:] >= -1e-9))
    return float(fine[ends[-1] + 1]) if len(ends) else None


@given(VALUES, st.lists(VALUES, min_size=1, max_size=5), st.booleans())
def test_crossings_are_found(selected: list[float], draws: list[list[float]], lower_is_better: bool) -> None:
    found = crossing_of(*curves(selected, draws), lower_is_better=lower_is_better)
    sign = 1 if lower_is_better else -1
    ours = [sign * value for value in selected]
    theirs = np.array(draws) * sign
    for share, other in (
        (found.share, theirs.mean(axis=0)),
        (found.beyond_draws, theirs.min(axis=0)),
        *zip(found.of_draws, theirs, strict=True),
    ):
        expected = searched(ours, list(other))
        assert (share is None) == (expected is None)
        assert share is None or share == pytest.approx(expected, abs=1e-4)
    better = [share for share, one, other in zip(SHARES, ours, theirs.mean(axis=0), strict=False) if one < other]
    assert [*found.better_at] == better
    assert {*found.better_than_all_at} <= {*found.better_at}


@given(VALUES, st.lists(VALUES, min_size=1, max_size=3))
def test_a_verdict_is_none_or_a_share(selected: list[float], draws: list[list[float]]) -> None:
    found = crossing_of(*curves(selected, draws), lower_is_better=True)
    assert (found.share is None) == found.verdict.startswith("none: ")
    if found.share is not None:
        assert found.verdict.startswith(f"at {100 * found.share:.1f} %")
    is_better_last = found.better_at[-1:] == found.compared[-1:]
    assert is_better_last == ("the method is better" in found.verdict)
    assert found.better_at == () or is_better_last or found.share is not None
    assert ("the draws" in found.verdict) == (len(draws) > 1 and bool(found.better_at))


def test_a_method_of_small_amounts_is_compared_there_only() -> None:
    random = SelectionCurve("bleu", "random", SHARES, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    found = crossing_of(SelectionCurve("bleu", "cynical", SHARES, (2.0, 1.0)), random, lower_is_better=False)
    assert found.compared == (0.01, 0.1)
    assert found.share == found.beyond_draws == pytest.approx(0.055)
    assert (found.better_at, found.better_than_all_at, found.of_draws) == ((0.01,), (0.01,), ())
    nothing = crossing_of(SelectionCurve("bleu", "cynical", SHARES, ()), random, lower_is_better=False)
    assert nothing.verdict == "none: it was asked for at no amount that can be compared"


@given(st.lists(VALUES, min_size=2, max_size=5))
def test_spreads_are_those_of_numpy(draws: list[list[float]]) -> None:
    _, random = curves([1.0] * 5, draws)
    expected = np.std([(*draw, 5.0) for draw in draws], axis=0, ddof=1)
    assert random.sd == pytest.approx(tuple(expected))


def test_one_draw_has_no_spread() -> None:
    selected, random = curves([1.0] * 5, [[2.0] * 5])
    assert random.sd == selected.sd == (None,) * 6
    assert crossing_of(selected, random, lower_is_better=True).verdict == "none: the method is better at every amount"


# The confidence is that of all ways in which signs can fall, and t is that of scipy.


@pytest.mark.parametrize("seed", range(4))
def test_all_signs_of_a_few_sentences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    random, selected = rng.integers(0, 6, size=(2, 11)).astype(np.float64)
    found = paired_confidence("bleu", random, selected, seed=seed)
    differences = random - selected
    means = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=len(differences))]
    p = np.mean(np.array(means) >= abs(differences.sum()) - 1e-9)
    assert found.confidence == pytest.approx(1 - p, abs=4 * sqrt(p * (1 - p) / TRIALS) + 2 / TRIALS)
    assert (found.sentences, found.ties) == (11, int((random == selected).sum()))
    assert found.difference == pytest.approx(found.random - found.selected)
    scipy = pytest.importorskip("scipy.stats")
    assert found.t == pytest.approx(scipy.ttest_rel(random, selected).statistic)


def test_equal_scores_say_nothing() -> None:
    found = paired_confidence("mwer", np.ones(8), np.ones(8), seed=1)
    assert (found.difference, found.t, found.confidence, found.ties) == (0.0, None, 0.0, 8)


def test_what_is_better_everywhere_is_sure() -> None:
    found = paired_confidence("nist", np.arange(40.0) + 1, np.arange(40.0), seed=1)
    assert found.confidence > 0.999 and found.difference == 1.0


@pytest.mark.data
def test_the_numbers_of_the_paper() -> None:
    paper = Path(__file__).resolve().parents[3] / "shared" / "papers" / "data-homogeneity.txt"
    text = re.sub(r"\s+", " ", paper.read_text(encoding="utf-8"))
    for row, level in (("Phrasebook", "document"), ("Line", "line")):
        cells = [PAPER_TABLE_1[level][language] for language in ("jpn", "eng")]
        assert re.search(f"{row} " + " ".join(f"{each.mean:.3f}.{each.sd:.3f}" for each in cells), text)
    assert f"originat- ing from {PAPER_DOCUMENTS} sets" in text
    assert f"phrasebook length ({PAPER_CORRELATIONS['lines']})" in text
    assert f"line length ({PAPER_CORRELATIONS['line length']})" in text
    assert f"({PAPER_CORRELATIONS['other language']})" in text
    assert f"I0 = {PAPER_TASK}" in text
    assert f"(up to {100 * PAPER_BETTER_UP_TO['perplexity']:g}% of the ressource" in text
    shares = [f"{100 * PAPER_BETTER_UP_TO[name]:g}%" for name in ("bleu", "nist", "mwer")]
    assert f"(up to {shares[0]} of the BTEC in BLEU, up to {shares[1]} in NIST and up to {shares[2]} in mWER)" in text
    sure = [f"{100 * PAPER_CONFIDENCE[name]:g}%" for name in ("bleu", "nist", "mwer")]
    assert f"{sure[0]}, {sure[1]}, and {sure[2]}" in text


# The study of homogeneity as a command: its forms, its parts, and what it refuses.

TALK = ("yeah", "okay", "so", "you", "know", "i", "mean", "right", "well", "hey")
NEWS = ("minister", "announced", "committee", "report", "percent", "shares", "officials", "march", "plan")


def lines(words: tuple[str, ...], count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(words, k=chance.randint(3, 7))) for _ in range(count)]


def french(text: str) -> str:
    return " ".join(f"{word[::-1]}ou" for word in text.split())


@pytest.fixture
def files(run: Run, prepare: Prepare) -> None:
    prepare("topics", lambda: fill(run))


def fill(run: Run) -> None:
    """Four topics in two languages, and files of both kinds."""
    for number in range(4):
        both = [*lines(TALK, 10 + 8 * number, number), *lines(NEWS, 34 - 8 * number, 50 + number)]
        rows = "".join(f"{text}\t{french(text)}\n" for text in both)
        Path(f"topic{number}.tsv").write_text(rows, encoding="utf-8")
    topics = [f"topic{number}.tsv" for number in range(4)]
    assert run("import", *topics, "--lang", "eng,fra", "--name", "book", "--header", "no").exit_code == 0
    for name, words in (("talk", TALK), ("news", NEWS)):
        texts = lines(words, 40, 99)
        Path(f"{name}.eng").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        Path(f"{name}.fra").write_text("".join(f"{french(text)}\n" for text in texts), encoding="utf-8")


BOTH = (
    *("study", "homogeneity", "--lang", "eng,fra", "--held-out", "12", "--shares", "10,50,100", "--draws", "2"),
    *("--spoken", "eng=talk.eng,fra=talk.fra", "--written", "eng=news.eng,fra=news.fra"),
)
TRANSLATING = (*BOTH, "--from", "eng", "--to", "fra", "--system", "analogy+memory")


def told(run: Run, *words: str) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_all_parts_stand_beside_the_paper(run: Run) -> None:
    result = run(*TRANSLATING, "--format", "table")
    assert result.exit_code == 0, result.stderr
    titles = [line for line in result.stdout.splitlines() if line.startswith(("Table ", "Figure ", "Section ", "Up "))]
    assert [title.split(".")[0] for title in titles] == [
        *("Table 1", "Section 3", "Figure 3", "Figure 3", "Figure 2", "Figure 2", "Figure 2"),
        *("Up to where selected data are better than random data", "Section 4"),
        *("Figure 1", "Figure 1", "Figure 2", "Figure 2", "Figure 2", "Figure 3", "Figure 3"),
    ]
    assert result.stdout.count("paper (BTEC)") == 2 + 3 + 4 + 3  # in Table 1 of English only
    assert "0.288  0.027" in result.stdout and "88.49 %" in result.stdout
    plain = run(*TRANSLATING, "--format", "table", "--no-plots").stdout
    assert len(plain.splitlines()) < len(result.stdout.splitlines()) / 2
    assert plain.splitlines()[0] == result.stdout.splitlines()[0]


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_every_form_has_the_same_numbers(run: Run) -> None:
    document = told(run, *TRANSLATING)
    rows = list(csv.DictReader(io.StringIO(run(*TRANSLATING).stdout), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert tuple(rows[0]) == HOMOGENEITY_COLUMNS

    def value(**where: str) -> float:
        (found,) = [row for row in rows if all(row[name] == wanted for name, wanted in where.items())]
        return float(found["value"])

    assert [
        *(
            value(collection="paper (BTEC)", table="1", level="document", statistic=name)
            for name in ("n", "mean", "sd")
        ),
        *(value(collection="paper (BTEC)", table="1", level="line", statistic=name) for name in ("mean", "sd")),
    ] == [197, 0.288, 0.027, 0.313, 0.156]
    for what, among in (("lines", "3.2"), ("perplexity", "figure 3"), ("mwer", "figure 2"), ("bleu", "4.1.2")):
        published = [row for row in rows if row["collection"] == "paper (BTEC)" and row["table"] == among]
        assert what in [row["measure"] for row in published], among
    english = document["profiles"][0]
    mean = english["rows"][0]["coefficients"]["mean"]
    assert value(table="1", language="eng", collection="book", level="document", statistic="mean") == pytest.approx(
        mean
    )
    (between,) = [each["value"] for each in document["correlations"] if each["other"] == "fra"]
    assert value(table="3.2", measure="fra", statistic="pearson") == pytest.approx(between)
    drawn = document["perplexity"][1]["curves"][0]["draws"][1][0]
    assert value(table="figure 3", language="fra", method="random", share="0.1", draw="2") == pytest.approx(drawn)
    (system,) = document["translation"]["systems"]
    bleu = system["curves"][1]["values"][1]
    of_bleu = {"table": "figure 2", "measure": "bleu", "method": "coefficient", "share": "0.5"}
    assert value(**of_bleu) == pytest.approx(bleu)
    sure = system["confidence"][0]["confidence"]
    of_draw = {"table": "4.1.2", "measure": "bleu", "draw": "1", "statistic": "confidence"}
    assert value(**of_draw) == pytest.approx(sure)
    assert document["verdicts"][0]["verdict"] in run(*TRANSLATING, "--format", "markdown").stdout
    assert len(document["verdicts"]) == 2 * 2 + 3 and document["paper"]["task"] == 0.331
    latex = run(*TRANSLATING, "--format", "latex").stdout
    assert latex.startswith("% Table 1.") and latex.count("\\begin{tabular}") == latex.count("\\bottomrule") == 9
    assert all(line.startswith("%") for line in latex.split("\\end{tabular}")[-1].splitlines() if line)
    assert f"{mean:.3f}" in latex


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_parts_are_chosen(run: Run) -> None:
    found = told(run, *BOTH)
    assert (len(found["profiles"]), len(found["perplexity"]), found["translation"]) == (2, 2, None)
    found = told(run, *BOTH, "--part", "correlations")
    assert (len(found["correlations"]), found["perplexity"]) == (5, [])
    found = told(run, *TRANSLATING, "--part", "translation")
    assert (found["profiles"], found["perplexity"]) == ([], [])
    assert found["translation"]["test"] == 12
    assert told(run, *TRANSLATING, "--part", "translation") == found
    other = told(run, *TRANSLATING, "--part", "translation", "--seed", "2")
    assert other["translation"] != found["translation"]


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_figures_are_images(run: Run) -> None:
    pytest.importorskip("matplotlib")
    written = []
    for folder in ("one", "two"):
        result = run(*TRANSLATING, "--svg", folder, "--png", folder)
        assert result.exit_code == 0, result.stderr
        written.append({path.name: path.read_bytes() for path in Path(folder).iterdir()})
    assert sorted(written[0]) == [f"figure-{number}.{kind}" for number in (1, 2, 3) for kind in ("png", "svg")]
    assert written[0] == written[1]
    assert run(*TRANSLATING, "--svg", "one").exit_code == 2
    assert run(*BOTH, "--part", "table", "--svg", "three").exit_code == 0
    assert [path.name for path in Path("three").iterdir()] == ["figure-1.svg"]
    of_none = ("--part", "perplexity", "--method", "cynical", "--shares", "50,100")  # which is for up to 10 %
    assert run(*BOTH, *of_none, "--svg", "four").exit_code == 0


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("wrong", "code", "words"),
    [
        (("--lang", "eng"), 3, ""),
        (("--spoken", "eng=talk.eng"), 2, "no reference is given for fra in 'eng=talk.eng'"),
        (("--spoken", "missing"), 3, "'missing' is neither a collection nor a file"),
        (("--corpus", "boek"), 3, "boek"),
        (("--shares", "10,x"), 2, "are not amounts in percent"),
        (("--shares", "10,120,100"), 3, "a share of 120 % is not above 0 and at most 100 %"),
        (("--part", "tables"), 2, "there is no part 'tables'"),
        (("--part", "translation"), 2, "two languages"),
        (("--from", "eng", "--to", "fra", "--system", "moses"), 2, "no translator 'moses'"),
        (("--from", "eng", "--to", "fra", "--by", "jpn"), 2, "not of jpn"),
        (("--from", "eng", "--to", "deu"), 3, "deu"),
        (("--held-out", "500"), 3, "to hold out 500 of them"),
        (("--task", "empty.txt"), 3, "empty.txt"),
    ],
)
def test_what_is_wrong_is_one_line(wrong: tuple[str, ...], code: int, words: str, run: Run) -> None:
    Path("empty.txt").write_text("", encoding="utf-8")
    result = run(*BOTH, *wrong, "--quiet")
    assert (result.exit_code, result.stdout) == (code, "")
    assert len(result.stderr.splitlines()) == 1 or code == 2
    assert words in result.stderr
