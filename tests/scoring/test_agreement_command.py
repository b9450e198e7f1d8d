"""Agreement with people from the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import Run, write_files

from corpusdb.base.jobs import finished
from corpusdb.corpus.store import open_store
from corpusdb.scoring.queries.score_table import find_table
from corpusdb.scoring.queries.stored_people import SHOWN, judging_column

REFERENCE = ["the cat sat on the mat today", "it rained on and on all day", "we had tea and cake at four", "go home"]
OUTPUTS = {
    "one": ["the cat sat on the mat today", "it rained on and on all day", "we had tea and cake at five", "go home"],
    "two": ["the cat sat on a mat today", "it rained all the day", "we had tea at four", "go to home"],
    "three": ["a cat is on the rug", "rain fell", "we drank tea and ate cake", "went home"],
}
HUMAN: dict[str, list[int | None]] = {
    "one": [3, 3, 2, 3],
    "two": [2, 1, 2, None],
    "three": [1, 1, 0, 2],
    "HUMAN": [3, 2, 3, 3],
}
ARGUMENTS = ("one.txt", "two.txt", "three.txt", "--ref", "ref.txt", "--human", "human.tsv", "--samples", "40")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Three systems and their reference, another translation, and human scores with one missing."""
    texts = {f"{name}.txt": lines for name, lines in OUTPUTS.items()}
    texts |= {"ref.txt": REFERENCE, "other.txt": ["a cat sat there", "much rain", "tea and cake at four", "home"]}
    rows = [
        f"{name}\t{at}\t{score}" for name, row in HUMAN.items() for at, score in enumerate(row) if score is not None
    ]
    texts |= {"human.tsv": ["system\tsegment\tz", *rows]}
    texts |= {"docs.tsv": ["doc\tfirst_segment\tn_segments\tdomain", "a\t0\t2\tnews", "b\t2\t2\tchat"]}
    write_files(tmp_path, texts)
    return tmp_path


def answered(run: Run, *arguments: str) -> list[dict[str, Any]]:
    result = run("agreement", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def test_the_list_that_others_read(run: Run, files: Path) -> None:
    rows = answered(run, *ARGUMENTS)
    assert all({"metric", "level", "statistic", "value", "low", "high", "n"} <= row.keys() for row in rows)
    system = {row["statistic"]: row for row in rows if row["level"] == "system"}
    assert list(system) == ["pearson", "spearman", "kendall", "pairwise_accuracy", "soft_pairwise_accuracy"]
    assert 0 < system["soft_pairwise_accuracy"]["value"] <= 1
    assert [system[name]["value"] for name in ("spearman", "kendall", "pairwise_accuracy")] == pytest.approx([1, 1, 1])
    assert {row["n"] for row in system.values()} == {3}
    levels = {row["level"] for row in rows}
    assert levels == {"system", "segment", "segment within systems", "segment within segments"}
    assert {(row["statistic"], row["n"]) for row in rows if row["level"] == "segment"} == {
        (name, 11) for name in ("pearson", "kendall", "acc_eq")
    }
    assert all(row["metric"] == "bleu" and row["signature"].startswith("metric:bleu|order:4") for row in rows)
    of_segments = {row["signature"] for row in rows if row["level"] != "system"}
    assert {system.pop("soft_pairwise_accuracy")["signature"]} == of_segments  # it is made of these scores
    assert of_segments.isdisjoint(row["signature"] for row in system.values())
    assert rows == answered(run, *ARGUMENTS)


def test_people_without_an_output_are_told_of(run: Run, files: Path) -> None:
    result = run("agreement", *ARGUMENTS, "--level", "system")
    assert "human scores without an output are left out: HUMAN; the text" in result.stderr
    rows = answered(run, *ARGUMENTS, "--human-references", "HUMAN=other.txt", "--level", "system")
    assert {row["n"] for row in rows} == {4}
    assert all(row["value"] < 1 for row in rows)


@pytest.mark.slow
def test_all_variants_in_one_call(run: Run, files: Path) -> None:
    lists = ("--metric", "bleu,chrf", "--unit", "word,char", "--order", "1,2,4", "--references", "1,all")
    rows = answered(run, *ARGUMENTS, "other.txt", *lists, "--draws", "2", "--level", "system")
    names = list(dict.fromkeys(row["name"] for row in rows))
    assert len(rows) == 5 * len(names)
    assert names[:4] == ["BLEUw1 1 ref = all", "BLEUw2 1 ref = all", "BLEUw4 1 ref = all", "BLEUc1 1 ref = all"]
    several = (*ARGUMENTS, "--ref", "other.txt", *lists, "--draws", "2", "--level", "system")
    rows = answered(run, *several)
    assert len({row["name"] for row in rows}) == 14


@pytest.mark.slow
def test_metrics_against_each_other(run: Run, files: Path) -> None:
    rows = [row for row in answered(run, *ARGUMENTS, "--metric", "bleu,chrf", "--compare", "all") if "against" in row]
    assert [(row["level"], row["statistic"]) for row in rows] == [
        *(
            ("system", name)
            for name in ("pearson", "spearman", "kendall", "pairwise_accuracy", "soft_pairwise_accuracy")
        ),
        ("segment", "pearson"),
        ("segment within segments", "acc_eq"),
    ]
    tests = [[test["test"] for test in row["tests"]] for row in rows]
    assert tests == [["PERM-BOTH", "paired bootstrap"]] * 6 + [["PERM-INPUTS", "paired bootstrap"]]
    for row in rows:
        assert all(0 < test["p_better"] <= 1 and "equally well" in test["null_hypothesis"] for test in row["tests"][:1])
    result = run("agreement", *ARGUMENTS, "--metric", "bleu,chrf", "--compare", "bleu,chrf", "--format", "table")
    assert "PERM-BOTH: the null hypothesis is that the two metrics agree with people equally well" in result.stdout
    assert "difference" in result.stdout
    unclear = sum(
        min(row["tests"][0]["p_better"], row["tests"][0]["p_worse"]) < 0.05 and row["low"] <= 0 <= row["high"]
        for row in rows
    )
    told = f"p is below 0.05, and the interval holds 0, in {unclear} of {len(rows)} comparisons: unclear"
    assert (told in result.stdout) == bool(unclear)


def test_parts_and_documents(run: Run, files: Path) -> None:
    rows = answered(run, *ARGUMENTS, "--documents", "docs.tsv", "--by", "domain", "--level", "system")
    assert [row["part"] for row in rows[::5]] == ["all", "domain news", "domain chat"]
    assert rows[0]["over_documents"].keys() == {"low", "high"}
    table = run("agreement", *ARGUMENTS, "--documents", "docs.tsv", "--by", "document", "--format", "table").stdout
    assert "over documents" in table
    assert "document b" in table
    metric = answered(run, *ARGUMENTS)[0]["name"]
    whole = run("agreement", *ARGUMENTS, "--format", "table").stdout.splitlines()
    end = next(at for at, line in enumerate(whole) if line.startswith("1 is as people have it"))
    assert max(len(line) - len(metric) for line in whole[:end]) <= 70  # a terminal of 80 columns has room


def test_scores_of_others_by_themselves(run: Run, files: Path) -> None:
    (files / "automatic.tsv").write_text("system\tCOMET\none\t0.9\ntwo\t0.5\nthree\t0.6\nref-A\t2\n", encoding="utf-8")
    (files / "MX.seg.score").write_text(
        "".join(f"{name}\t{score}\n" for name, row in HUMAN.items() for score in row), encoding="utf-8"
    )
    rows = answered(run, "--scores", "automatic.tsv", "--human", "human.tsv")
    assert {(row["level"], row["n"], row["low"]) for row in rows} == {("system", 3, None)}
    rows = answered(run, "--scores", "automatic.tsv", "--scores", "MX.seg.score", "--human", "human.tsv")
    assert all("no scores of segments" in row["reason"] for row in rows if row["metric"] == "COMET" and not row["n"])
    exact = [row["value"] for row in rows if row["metric"] == "MX" and row["statistic"] == "acc_eq"]
    assert exact == [1, 1, 1]  # people agree with themselves
    rows = answered(run, *ARGUMENTS, "--scores", "automatic.tsv", "--level", "system")
    assert {row["metric"] for row in rows} == {"bleu", "COMET"}


def test_what_is_not_defined_has_a_reason(run: Run, files: Path) -> None:
    (files / "flat.tsv").write_text("system\tz\none\t1\ntwo\t1\nthree\t1\n", encoding="utf-8")
    arguments = (*ARGUMENTS[:6], "flat.tsv")
    rows = answered(run, *arguments)
    assert [(row["statistic"], row["value"]) for row in rows] == [
        ("pearson", None), ("spearman", None), ("kendall", None), ("pairwise_accuracy", 0.0)
    ]  # fmt: skip
    assert rows[0]["reason"] == "the human scores of all systems are the same"
    table = run("agreement", *arguments, "--format", "table")
    assert "nan" not in table.stdout
    assert "pearson (system), spearman (system), kendall (system): the human scores of all systems" in table.stdout
    alone = answered(run, "one.txt", *ARGUMENTS[3:7])
    assert alone[0]["reason"] == "one of the systems has both scores, and two are needed"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--human", "human.tsv"), 2, "outputs are missing: give the outputs of systems with --ref, or --scores"),
        (("one.txt", "--human", "human.tsv"), 2, "references are missing: give --ref, --ref-from or --ref-set"),
        (("--ref", "ref.txt", "--human", "human.tsv"), 2, "outputs are missing: give the outputs of systems"),
        (("short.txt", *ARGUMENTS[1:]), 3, "ref.txt:4: has no counterpart: short.txt ends after 3 segments"),
        ((*ARGUMENTS[:5], "--human", "far.tsv"), 3, "far.tsv: all its scores are of segments beyond the 4 that"),
        ((*ARGUMENTS[:5], "--human", "others.tsv"), 3, "the human scores are of other systems: nobody"),
        (("--scores", "human.tsv", "b.tsv", "--human", "human.tsv"), 3, "b.tsv: no such file"),
        ((*ARGUMENTS, "--pool", "human.tsv"), 3, "human.tsv: it is not what `corpusdb agreement --json` writes"),
        ((*ARGUMENTS, "--documents", "twice.tsv"), 3, "twice.tsv:3: two documents are called 'a'"),
        ((*ARGUMENTS, "--documents", "over.tsv"), 3, "over.tsv:3: b overlaps with a"),
        ((*ARGUMENTS, "--documents", "holes.tsv"), 3, "holes.tsv:2: segments 2 to 3, the last, are in no document"),
        ((*ARGUMENTS, "--scores", "MX.seg.score"), 3, "MX.seg.score:1: scores of 2 segments of each system"),
        ((*ARGUMENTS, "--human-references", "HUMAN=ref.txt"), 3, "ref.txt: it is among the references"),
        ((*ARGUMENTS, "--human-references", "HUMAN"), 2, "a human reference is given as NAME=FILE"),
        ((*ARGUMENTS, "--human-references", "one=other.txt"), 2, "one is a system and a human reference"),
        ((*ARGUMENTS, "--by", "document"), 2, "--by document needs --documents FILE"),
        ((*ARGUMENTS, "--level", "word"), 2, "--level takes system, segment"),
        ((*ARGUMENTS, "--order", "1,x"), 2, "--order takes numbers from 1"),
        ((*ARGUMENTS, "--ter-no-punct"), 2, "--ter-no-punct is of ter, not of bleu"),
        ((*ARGUMENTS, "--draws", "5"), 2, "--draws is of --references that are drawn"),
        ((*ARGUMENTS, "--clusters"), 2, "--clusters is of the scores of --human alone, and has no "),
        ((*ARGUMENTS[5:7], "--scores", "MX.seg.score", "--metric", "ter"), 2, "--metric is of what is computed from"),
        ((*ARGUMENTS, "--references", "0"), 2, "--references takes numbers from 1"),
        ((*ARGUMENTS, "--unit", "syllable"), 2, "unknown unit 'syllable'"),
        ((*ARGUMENTS, "--origins", "generated"), 2, "there are no references of the origin 'generated'"),
        ((*ARGUMENTS, "--compare", "ter"), 2, "there is no metric 'ter' to compare; there are BLEUw4"),
        ((*ARGUMENTS, "--compare", "all"), 2, "two metrics are needed to be compared"),
        ((*ARGUMENTS[:5], "--human", "flat.tsv", "--level", "segment"), 2, "people scored whole systems only"),
    ],
)
def test_bad_input_ends_with_its_code(arguments: tuple[str, ...], code: int, told: str, run: Run, files: Path) -> None:
    header = "doc\tfirst_segment\tn_segments\n"
    for name, text in {
        "short.txt": "a\nb\nc\n",
        "far.tsv": "system\tsegment\tz\none\t5\t1\n",
        "others.tsv": "system\tz\nnobody\t1\n",
        "flat.tsv": "system\tz\none\t1\ntwo\t2\n",
        "twice.tsv": f"{header}a\t0\t2\na\t2\t2\n",
        "over.tsv": f"{header}a\t0\t3\nb\t2\t2\n",
        "holes.tsv": f"{header}a\t0\t2\n",
        "MX.seg.score": "one\t1\none\t2\n",
    }.items():
        (files / name).write_text(text, encoding="utf-8")
    result = run("agreement", *arguments)
    assert result.exit_code == code, result.stderr
    assert told in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["more.tsv", "more.seg.score"])
def test_human_scores_of_more_segments_are_left_out(run: Run, files: Path, name: str) -> None:
    """A part of a test set has outputs; the scores are of all of it, and of other systems."""
    texts = {each: [*row, 5.0, 6.0] for each, row in HUMAN.items()} | {"nobody": [1.0] * 6}
    rows = [(each, at, score) for each, row in texts.items() for at, score in enumerate(row)]
    if name == "more.tsv":
        lines = ["system\tsegment\tz", *(f"{each}\t{at}\t{score}" for each, at, score in rows if score is not None)]
    else:
        lines = [f"{each}\t{score}" for each, _, score in rows]
    (files / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    result = run(*("agreement", *ARGUMENTS[:5], "--human", name, *ARGUMENTS[7:]), "--json")
    assert result.exit_code == 0, result.stderr
    told = f"{2 * len(texts)} human scores are left out: of segments beyond the last, 4\n"
    assert result.stderr.count(told) == 1
    same = run("agreement", *ARGUMENTS, "--json")
    assert json.loads(result.stdout) == json.loads(same.stdout)


def test_references_of_the_corpus_in_one_step(run: Run, generated: Path, tmp_path: Path) -> None:
    """Agreement of the scores that `score` gives with the same references; made of the source, or beside files."""
    texts = {
        "s.fr": "Une bière, s'il vous plaît.\nUne part de pizza, s'il vous plaît.\n",
        "ref.en": "One beer, please.\nA slice of pizza, please.\n",
        "one.txt": "A beer, please.\nA slice of pizza, please.\n",
        "two.txt": "Can I have a beer?\nPizza!\n",
        "three.txt": "Beer!\nSome pizza, please.\n",
        "human.tsv": "system\tz\none\t2\ntwo\t0.5\nthree\t1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    systems = ("one.txt", "two.txt", "three.txt")
    for words in (("--source", "s.fr", "--lang", "eng"), ("--ref", "ref.en", "--source", "s.fr"), ("--ref", "ref.en")):
        asked = (*words, "--ref-from", "corpus", "--fluency", "0", "--order", "1")
        rows = answered(run, *systems, *asked, "--human", "human.tsv", "--level", "system", "--samples", "5")
        scored = json.loads(run("score", *systems, *asked, "--json").stdout)
        assert rows[0]["signature"] == scored[0]["signature"] and "|from:" in rows[0]["signature"]
        expected = np.corrcoef([each["score"] for each in scored], [2, 0.5, 1])[0, 1]
        assert rows[0]["value"] == pytest.approx(expected)
    before = generated.read_bytes()
    assert run("agreement", *systems, *asked, "--samples", "5", "--human", "human.tsv").exit_code == 0
    assert generated.read_bytes() == before, "a seed that is not in the corpus is tried, and nothing is written"
    for words, told in (
        (("--origins", "orignal"), "no references of the origin 'orignal'; the corpus has original, accepted,"),
        (("--metric", "blue"), "unknown metric 'blue'"),
        (("--human", "none.tsv"), "there is no file none.tsv"),
    ):
        refused = run("agreement", *systems, *asked, "--human", "human.tsv", *words)
        assert refused.exit_code in (2, 3) and told in refused.stderr
        assert "references from the corpus" not in refused.stderr, "at once, before anything is made"
    refused = run("agreement", *systems, "--ref-from", "corpus", "--human", "human.tsv")
    assert (refused.exit_code, "needs --source FILE and --lang" in refused.stderr) == (2, True)


@pytest.mark.parametrize("command", ["agreement", "score", "compare"])
def test_tables_for_a_paper_say_how_they_were_made(
    run: Run, files: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (*ARGUMENTS[:5], *(ARGUMENTS[5:7] if command == "agreement" else ()))
    monkeypatch.setattr("sys.argv", ["/bin/corpusdb", command, *words, "--system", "a b"])
    lines = run(command, *words, "--samples", "5", "--format", "latex").stdout.splitlines()
    if command == "score":
        lines = run(command, *words, "--format", "latex").stdout.splitlines()
    assert lines[0].startswith("\\begin{tabular}")
    assert lines[-1].startswith("% made by corpusdb ")
    assert lines[-1].endswith(f": corpusdb {command} {' '.join(words)} --system 'a b'")
    assert all(line.startswith("% ") for line in lines[lines.index("\\end{tabular}") + 1 :])


def test_where_people_scored_a_part_that_is_told(run: Run, files: Path) -> None:
    (files / "part.tsv").write_text("system\tsegment\tz\none\t0\t2\ntwo\t0\t1\n", encoding="utf-8")
    told = run("agreement", *ARGUMENTS[:5], "--human", "part.tsv").stderr
    assert "people scored 1 of 4 segments; scores of systems are over these\n" in told
    assert "people scored 3 to 4 of 4 segments; scores of systems are over these of each\n" in (
        run("agreement", *ARGUMENTS).stderr
    )
    (files / "b.sys.score").write_text("one\t3\ntwo\t2\nthree\t1\n", encoding="utf-8")
    told = run("agreement", *ARGUMENTS[:5], "--human", "part.tsv", "--scores", "b.sys.score").stderr
    assert "as given, whatever segments they are of: the scores of systems by b\n" in told


def test_only_the_statistics_that_are_wanted(run: Run, files: Path) -> None:
    every = answered(run, *ARGUMENTS, "--metric", "bleu,chrf", "--compare", "all")
    some = answered(run, *ARGUMENTS, "--metric", "bleu,chrf", "--compare", "all", "--statistic", "spa,Kendall")
    names = {"kendall", "soft_pairwise_accuracy"}
    assert some == [row for row in every if row["statistic"] in names]
    assert {row["level"] for row in some} > {"segment within systems"}
    refused = run("agreement", *ARGUMENTS, "--statistic", "pearson,tau")
    assert refused.exit_code == 2 and "; there are pearson, spearman, kendall, pairwise" in refused.stderr
    none = run("agreement", *ARGUMENTS, "--statistic", "spearman", "--level", "segment")
    assert none.exit_code == 2 and "there is no spearman of segments" in none.stderr


@pytest.mark.parametrize("more", [(), ("--by", "length")])
def test_a_row_for_each_metric_with_a_column_for_each_statistic(run: Run, files: Path, more: tuple[str, ...]) -> None:
    """The same figures as in a row for each; in a paper the best of a column stands out."""
    call = (*ARGUMENTS, "--metric", "bleu,chrf", *more)
    long = [row for row in answered(run, *call) if row["n"]]
    wide = answered(run, *call, "--wide")
    found = {(row.get("part", "all"), row["metric"], name): row[name] for row in wide for name in row if " " in name}
    named = {
        (row["part"], row["name"], f"{row['level'].removeprefix('segment ')} {row['statistic']}"): row["value"]
        for row in long
    }
    assert {key: value for key, value in found.items() if value is not None} == {
        key: value for key, value in named.items() if value is not None
    }
    table = list(csv.DictReader(run("agreement", *call, "--wide").stdout.splitlines(), delimiter="\t"))
    assert [row["metric"] for row in table] == [row["metric"] for row in wide]
    paper = run("agreement", *call, "--wide", "--format", "latex", "--compare", "all").stdout
    assert (
        "& system Pearson &" in paper
        and "intervals of" not in paper
        and "\\textbf{" in paper
        and paper.count("tabular}") == 4
    )
    refused = run("agreement", *call, "--wide", "--compare", "all")
    assert (refused.exit_code, "--wide has agreement alone, and no --compare" in refused.stderr) == (2, True)


def test_stored_scores_of_people_need_no_files(run: Run, files: Path) -> None:
    """What was scored and imported is there: the same figures as by the files."""
    expected = answered(run, *ARGUMENTS)
    assert run("score", *ARGUMENTS[:5], "--store").exit_code == 0
    assert run("scores", "import", "human.tsv", "--human", "--skip-unknown").exit_code == 0
    result = run("agreement", "--human", "z", "--samples", "40", "--json")
    assert result.exit_code == 0 and "scores of people: z, stored" in result.stderr
    assert json.loads(result.stdout) == expected
    assert answered(run, *ARGUMENTS[:5], "--human", "z", "--samples", "40") == expected
    first = expected[0]["signature"].partition("|set:")[2].partition("|")[0]
    assert run("score", *ARGUMENTS[:4], "other.txt", "--store").exit_code == 0
    last = run("agreement", "--human", "z", "--samples", "40", "--json")
    assert "references: other.txt, scored with last; for others say --set" in last.stderr and first in last.stderr
    assert json.loads(last.stdout) != expected
    assert answered(run, "--human", "z", "--samples", "40", "--set", first) == expected
    assert "no reference set 2-0 is stored of" in run("agreement", "--human", "z", "--set", "2-0").stderr
    assert "and --human is a file" in run("agreement", *ARGUMENTS, "--set", first).stderr
    assert "and files are given" in run("agreement", *ARGUMENTS[:5], "--human", "z", "--set", first).stderr
    other = files / "other"
    other.mkdir()
    for name in ARGUMENTS[:3] + ARGUMENTS[4:5]:
        lines = (files / name).read_text(encoding="utf-8").splitlines()
        (other / name).write_text("".join(f"{line} Here.\n" for line in reversed(lines)), encoding="utf-8")
    again = [str(other / each) if each.endswith(".txt") else each for each in ARGUMENTS[:5]]
    assert run("score", *again, "--store").exit_code == 0
    imported = run("scores", "import", "human.tsv", "--human", "--skip-unknown", "--test-set", "2")
    assert imported.exit_code == 0, imported.stderr
    assert answered(run, "--human", "z", "--samples", "40", "--test-set", "1", "--set", first) == expected
    assert answered(run, "--human", "z", "--samples", "40") != expected, "of the one that was scored last"
    for given, told in (
        (("z", "--test-set", "3"), "of no test set of number 3"),
        (("human.tsv", "--test-set", "1"), "is a file"),
    ):
        assert told in run("agreement", "--human", *given).stderr
    wrong = run("agreement", "--human", "y")
    assert wrong.exit_code == 3 and "there is no file y, and no scores of people are called so" in wrong.stderr


def test_a_picture_has_the_figures_of_the_command(run: Run, files: Path) -> None:
    """People did not score every segment, and the metrics are of those that they scored."""
    assert run("score", *ARGUMENTS[:5], "--metric", "bleu,ter", "--store").exit_code == 0
    assert run("scores", "import", "human.tsv", "--human", "--skip-unknown").exit_code == 0
    rows = answered(run, "--human", "z", "--metric", "bleu,ter", "--level", "system", "--statistic", ",".join(SHOWN))
    names = ("statistic", "value", "low", "high")
    with open_store(files / "corpus.db") as store:
        table = find_table(store)
        assert table is not None and table.columns[-1].part is not None
        for at, column in enumerate(table.columns[:-1]):
            (judged,) = finished(judging_column(store, table, at)).values()
            expected = [tuple(row[name] for name in names) for row in rows if row["name"] == column.label]
            bounds = [each.interval for each in judged.figures if each.interval]
            found = [(each.statistic, each.value) for each in judged.figures]
            assert [(*each, ends.low, ends.high) for each, ends in zip(found, bounds, strict=True)] == expected
            pearson = np.corrcoef(np.array(list(judged.points.values())).T)[0, 1]
            assert (-pearson if column.lower_is_better else pearson) == pytest.approx(found[0][1], abs=1e-9)


def test_files_of_scores_need_no_outputs(run: Run, files: Path) -> None:
    for name, values in {"A": (3, 2, 1), "B": (1, 3, 2)}.items():
        rows = "".join(f"{system}\t{value}\n" for system, value in zip(OUTPUTS, values, strict=True))
        (files / f"{name}.sys.score").write_text(rows, encoding="utf-8")
    scores = ("--scores", "A.sys.score", "B.sys.score", "--human", "human.tsv")
    found = answered(run, *scores)
    accuracies = {row["name"]: row["value"] for row in found if row["statistic"] == "pairwise_accuracy"}
    assert accuracies == {"A": 1.0, "B": pytest.approx(1 / 3)}
    apart = answered(run, "--scores", "A.sys.score", "--scores", "B.sys.score", "--human", "human.tsv")
    assert apart == found


def test_metrics_are_ranked_where_all_are_compared(run: Run, files: Path) -> None:
    """Twelve systems in the order of people, and in one that has nothing to do with it."""
    people = list(range(12))
    orders = {"good": people, "fair": [1, 0, *people[2:]], "bad": [5, 11, 0, 8, 3, 10, 1, 7, 2, 9, 4, 6]}
    for name, values in {**orders, "human": people}.items():
        lines = "".join(f"s{number}\t{value}\n" for number, value in enumerate(values))
        (files / f"{name}.sys.score").write_text(lines, encoding="utf-8")
    given = [word for name in orders for word in ("--scores", f"{name}.sys.score")]
    rows = answered(run, *given, "--human", "human.sys.score", "--compare", "all", "--samples", "400")
    ranked = {row["name"]: row["rank"] for row in rows if row["statistic"] == "pearson" and "against" not in row}
    assert ranked == {"good": 1, "fair": 1, "bad": 2}
    assert all("rank" not in row for row in answered(run, *given, "--human", "human.sys.score"))
    shown = run("agreement", *given, "--human", "human.sys.score", "--compare", "all", "--format", "table").stdout
    assert "rank: metrics of one rank do not differ significantly (p < 0.05" in shown
    assert "interval" not in shown.replace("BLEU", ""), "there is none of scores of systems"


def test_pairs_of_systems_of_several_test_sets_are_pooled(run: Run, files: Path) -> None:
    for name, values in {"A": (3, 2, 1), "B": (1, 2, 3)}.items():
        rows = "".join(f"{system}\t{value}\n" for system, value in zip(OUTPUTS, values, strict=True))
        (files / f"{name}").mkdir()
        (files / name / "M.sys.score").write_text(rows, encoding="utf-8")
    (files / "a.json").write_text(
        json.dumps(answered(run, "--scores", "A/M.sys.score", "--human", "human.tsv")), encoding="utf-8"
    )
    pooled = answered(run, "--scores", "B/M.sys.score", "--human", "human.tsv", "--pool", "a.json")[-1]
    assert (pooled["value"], pooled["n"], pooled["sets"], pooled["part"]) == (0.5, 6, 2, "pooled")
    call = ("agreement", "--scores", "B/M.sys.score", "--human", "human.tsv", "--pool", "a.json")
    found = list(csv.DictReader(run(*call).stdout.splitlines(), delimiter="\t"))
    assert [(row["metric"], row["value"], row["n"], row["sets"]) for row in found if row["part"] == "pooled"] == [
        ("M", "0.5", "6", "2")
    ]
    shown = run(*call, "--wide", "--format", "table").stdout
    assert "pooled: over all pairs of systems of 2 test sets; n: these pairs" in shown
    (files / "none.json").write_text("[]", encoding="utf-8")
    none = run(*call[:-1], "none.json")
    assert (none.exit_code, "no metric has pairwise_accuracy in all 2 test sets" in none.stderr) == (3, True)


@pytest.mark.parametrize("how", [(), ("--wide",), ("--wide", "--format", "latex")])
def test_metrics_of_different_systems_are_said_to_be(run: Run, files: Path, how: tuple[str, ...]) -> None:
    told = "over different systems, and not to be compared with each other: 4 by {}; 3 by COMET"
    (files / "automatic.tsv").write_text("system\tCOMET\none\t0.9\ntwo\t0.5\nthree\t0.6\n", encoding="utf-8")
    call = ("agreement", *ARGUMENTS, "--scores", "automatic.tsv", "--statistic", "pa", *how)
    result = run(*call, "--human-references", "HUMAN=other.txt")
    assert told.format("BLEU" if "latex" in how else "BLEUw4") in result.stdout + result.stderr
    assert "over different" not in run(*call).stdout + run(*call).stderr


def test_why_there_is_nothing_of_segments(run: Run, files: Path) -> None:
    """Nothing is said where nothing of them is asked for, though people scored them."""
    told = "there are no figures of segments"
    assert told not in run("agreement", *ARGUMENTS, "--statistic", "pa").stderr
    (files / "flat.tsv").write_text("system\tz\none\t1\ntwo\t2\nthree\t3\n", encoding="utf-8")
    of_wholes = run("agreement", *ARGUMENTS[:6], "flat.tsv", "--statistic", "pearson").stderr
    assert told in of_wholes and "segments: BLEU" not in of_wholes
    assert told not in run("agreement", *ARGUMENTS[:6], "flat.tsv", "--statistic", "pa").stderr
