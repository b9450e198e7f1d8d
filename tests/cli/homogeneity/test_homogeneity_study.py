"""The study of homogeneity as a command: its forms, its parts, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import Result

from corpusdb.studies.homogeneity.report import HOMOGENEITY_COLUMNS

Run: TypeAlias = Callable[..., Result]

TALK = ("yeah", "okay", "so", "you", "know", "i", "mean", "right", "well", "hey")
NEWS = ("minister", "announced", "committee", "report", "percent", "shares", "officials", "march", "plan")


def lines(words: tuple[str, ...], count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(words, k=chance.randint(3, 7))) for _ in range(count)]


def french(text: str) -> str:
    return " ".join(f"{word[::-1]}ou" for word in text.split())


@pytest.fixture(autouse=True)
def files(tmp_path: Path, run: Run) -> None:
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


@pytest.mark.parametrize(
    ("wrong", "code", "words"),
    [
        (("--lang", "eng"), 3, ""),
        (("--spoken", "eng=talk.eng"), 2, "no reference is given for fra in 'eng=talk.eng'"),
        (("--spoken", "missing"), 3, "'missing' is neither a collection nor a file"),
        (("--corpus", "boek"), 3, "boek"),
        (("--shares", "10,x"), 2, "are no amounts in percent"),
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
