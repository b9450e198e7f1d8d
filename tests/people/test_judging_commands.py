"""`judge`: from drawing a sample to its report, by single verdicts and by sheets, on the built-in phrasebook."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from calls import MakeOnce, Run, document

from corpusdb.base.text import differs_in_words
from corpusdb.guides import guide_text
from corpusdb.people.judging_commands import judge


@pytest.fixture
def demo(run: Run, finished_phrasebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`judge` on a copy of the phrasebook, as ann."""
    shutil.copy(finished_phrasebook, tmp_path / "corpus.db")
    monkeypatch.setenv("USER", "ann")
    return lambda *arguments: run("judge", *arguments)


@pytest.fixture
def sampled(make_once: MakeOnce, demo: Run, tmp_path: Path) -> Run:
    """The same with a sample of 30 sentences and one of 20 pairs, which are drawn once."""

    def fill(folder: Path) -> None:
        for name, kind, size in (("sentences", "grammaticality", 30), ("pairs", "meaning", 20)):
            drawn = demo("sample", name, "--kind", kind, "--lang", "en", "--size", size, "--seed", 7, "--controls", 5)
            assert drawn.exit_code == 0, drawn.stderr
        shutil.copy(tmp_path / "corpus.db", folder)

    shutil.copy(make_once("two-samples", fill) / "corpus.db", tmp_path)
    return demo


def fill(path: Path, verdicts: Callable[[int], str]) -> None:
    """Write a verdict into every line of a sheet."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines]
    filled = ["\t".join([*each[:3], verdicts(int(each[0])), each[4]]) for each in cells]
    path.write_text("\n".join([header, *filled]) + "\n", encoding="utf-8")


def test_the_help_of_the_group_lists_its_commands(run: Run) -> None:
    lines = run("judge", "-h").stdout.splitlines()
    names = [each.name for each in judge.commands]
    assert [line.split()[0] for line in lines if line.split() and line.split()[0] in names] == names
    result = run("judge")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Missing command" in result.stderr


@pytest.mark.slow
def test_pairs_differ_in_words_unless_others_are_wanted(demo: Run) -> None:
    differing = {}
    for option in ("--real", "--no-real", ""):
        drawn = demo("sample", f"x{option}", "--kind", "meaning", "--lang", "eng", *filter(None, [option]))
        assert drawn.exit_code == 0, drawn.stderr
        pairs = [line.split("\t")[1:3] for line in demo("sheet", f"x{option}").stdout.splitlines()[1:]]
        differing[option] = [differs_in_words(seed, text, "eng") for seed, text in pairs]
    assert all(differing["--real"]) and not all(differing["--no-real"])
    assert differing[""] == differing["--real"]
    refused = demo("sample", "y", "--kind", "meaning", "--lang", "jpn", "--from", "rewritings", "--real")
    assert (refused.exit_code, "--real are for generated" in refused.stderr) == (2, True)


def test_one_key_after_another(sampled: Run) -> None:
    assert sampled("next", "sentences").stdout.splitlines()[0] == "item\ttext"
    for item in range(1, 31):
        if item < 5:
            assert document(sampled("next", "sentences", "--json"))[0]["item"] == item
        standing = document(sampled("record", "sentences", item, "n" if item == 3 else "y", "--json"))
    assert (standing["judged"], standing["total"], standing["accepted"]) == (30, 35, 29)
    assert standing["rate"] == 29 / 30
    assert 0.83 < standing["interval"]["low"] < standing["interval"]["high"] < 1
    assert sampled("undo", "sentences").stdout.splitlines()[1].startswith("30\t")
    assert document(sampled("next", "sentences", "--json"))[0]["item"] == 30
    for item in range(30, 35):
        sampled("record", "sentences", item, "skip")
    assert [each["item"] for each in document(sampled("next", "sentences", "-n", 0, "--json"))] == [35, *range(30, 35)]
    for item in range(30, 36):
        sampled("record", "sentences", item, "yes")
    result = sampled("next", "sentences")
    assert (result.exit_code, "nothing is left to judge" in result.stderr) == (1, True)


def test_undo_with_nothing_to_take_back_says_no(sampled: Run) -> None:
    result = sampled("undo", "pairs")
    assert (result.exit_code, "nothing to take back" in result.stderr) == (1, True)


def test_judges_see_texts_only(sampled: Run) -> None:
    for name, columns in (("sentences", ["item", "text"]), ("pairs", ["item", "seed", "text"])):
        header, *lines = sampled("next", name, "-n", 0).stdout.splitlines()
        assert header.split("\t") == columns
        assert {line.count("\t") for line in lines} == {len(columns) - 1}
        shown = document(sampled("next", name, "-n", 0, "--json"))
        assert [list(each) for each in shown] == [["item", "seed", "text"]] * len(lines)
        sheet = [line.split("\t") for line in sampled("sheet", name).stdout.splitlines()]
        assert sheet[0] == ["item", "seed", "text", "verdict", "comment"]
        assert [[int(line[0]), line[1] or None, line[2]] for line in sheet[1:]] == [
            [each["item"], each["seed"], each["text"]] for each in shown
        ]
        assert all(line[3:] == ["", ""] for line in sheet[1:])


def test_two_judges_with_sheets(sampled: Run, tmp_path: Path) -> None:
    for name, letter in (("ann", lambda item: ">" if item % 5 == 0 else "="), ("bob", lambda item: "x=="[item % 3])):
        path = tmp_path / f"{name}.tsv"
        assert document(sampled("sheet", "pairs", "--judge", name, "-o", path, "--json"))["items"] == 25
        fill(path, letter)
        recorded = [document(sampled("read", "pairs", path, "--judge", name, "--json"))["recorded"] for _ in range(2)]
        assert recorded == [25, 0]
        read = document(sampled("read", "pairs", path, "--judge", name, "--json"))
        said = document(sampled("report", "pairs", "--json"))["judges"][-1]
        assert said["controls"]["judged"] > 0
        assert (read["judged"], read["rate"]) == (said["candidates"]["judged"], said["candidates"]["rate"])
    report = document(sampled("report", "pairs", "--json"))
    assert [each["judge"] for each in report["judges"]] == ["ann", "bob"]
    assert [each["candidates"]["judged"] + each["controls"]["judged"] for each in report["judges"]] == [25, 25]
    assert report["judges"][0]["candidates"]["rate"] == 1.0
    assert report["agreements"][0]["kappa"]["items"] == 25
    assert len(report["disagreements"]) == sum((item % 5 == 0) or (item % 3 == 0) for item in range(1, 26))
    assert report["by_order"][0]["threshold"] >= 5, "a quarter of N, which will do for what is very probably a sentence"
    rows = list(csv.DictReader(sampled("report", "pairs", "--format", "csv").stdout.splitlines()))
    assert [(row["of"], row["judge"]) for row in rows[:3]] == [
        (x, "ann") for x in ("candidates", "equivalence", "controls")
    ]
    assert float(rows[0]["rate"]) == report["judges"][0]["candidates"]["rate"]
    assert {row["kappa"] for row in rows if row["of"] == "agreement"} == {
        str(report["agreements"][0]["kappa"]["value"])
    }
    assert [float(row["rate"]) for row in rows if row["of"] == "score"] == [each["rate"] for each in report["by_score"]]
    text = sampled("report", "pairs").stdout
    assert "In steps of 0.05,\nand 0.99;" in text
    assert all(part in text for part in ("Wilson", "Clopper-Pearson", "Table 6", "kappa", "Disagreements: 12"))


def test_whoever_is_not_known_is_told_what_to_type(sampled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "")
    result = sampled("sheet", "pairs")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "as $USER is empty: add your name, such as --judge ann" in result.stderr


def test_a_database_that_names_a_judge_is_for_its_owner_only(sampled: Run, tmp_path: Path) -> None:
    database = tmp_path / "corpus.db"
    database.chmod(0o644)
    result = sampled("record", "sentences", 1, "y")
    assert "names judges now: only you may read it (`corpusdb guide sharing` says" in result.stderr
    assert database.stat().st_mode & 0o777 == 0o600
    assert "names judges" not in sampled("record", "sentences", 2, "y").stderr
    assert document(sampled("undo", "sentences", "--json"))


def test_a_bad_line_of_a_sheet_is_told_and_nothing_is_recorded(sampled: Run, tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    sampled("sheet", "sentences", "-o", path)
    fill(path, lambda item: "maybe" if item == 9 else "y")
    result = sampled("read", "sentences", path)
    assert result.exit_code == 3
    assert f"error: {path}:10: 'maybe' is not a verdict on grammaticality" in result.stderr
    assert document(sampled("report", "sentences", "--json"))["judges"] == []
    result = sampled("read", "pairs", path)
    assert (result.exit_code, f"{path}:2: item 1 of sample 'pairs' is" in result.stderr) == (3, True)
    result = sampled("sheet", "sentences", "-o", path)
    assert (result.exit_code, "exists already; --overwrite replaces it" in result.stderr) == (2, True)


def test_a_sheet_from_standard_input(run: Run, sampled: Run) -> None:
    text = sampled("sheet", "sentences").stdout
    filled = text.replace("\t\t\n", "\ty\tfine\n", 4)
    result = run("judge", "read", "sentences", "-", "--json", stdin=filled)
    assert document(result)["recorded"] == 4
    assert sampled("sheet", "sentences").stdout.count("\tyes\tfine\n") == 4


@pytest.mark.slow
def test_the_size_is_that_of_the_paper_and_the_seed_decides(demo: Run) -> None:
    sizes = {}
    for name, kind, seed in (("a", "grammaticality", 1), ("b", "meaning", 1), ("c", "meaning", 1), ("d", "meaning", 2)):
        sizes[name] = document(demo("sample", name, "--kind", kind, "--lang", "eng", "--seed", seed, "--json"))["items"]
    assert sizes == {"a": 400, "b": 470, "c": 470, "d": 470}
    sheets = {name: demo("sheet", name).stdout for name in "bcd"}
    assert sheets["b"] == sheets["c"] != sheets["d"]
    listed = [line.split("\t") for line in demo("list").stdout.splitlines()]
    assert [line[0] for line in listed] == ["name", "a", "b", "c", "d"]
    assert [each["population"] > 470 for each in document(demo("list", "--json"))] == [True] * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("sample", "new", "--kind", "taste", "--lang", "eng"), 2, "'taste' cannot be judged"),
        (("sample", "sentences", "--kind", "meaning", "--lang", "eng"), 2, "there is a sample 'sentences' already"),
        (("sample", "new", "--kind", "meaning", "--lang", "fra"), 3, "was generated for fra"),
        (("next", "other"), 3, "there is no sample 'other'; there are: sentences, pairs"),
        (("next", "pairs", "--judge", " "), 2, "--judge is empty: who judges?"),
        (("record", "pairs", "26", "x"), 3, "has no item 26; its items are 1 to 25"),
        (("record", "pairs", "1", "y"), 3, "'y' is not a verdict on meaning"),
        (("record", "pairs", "one", "x"), 2, "is not a whole number"),
        (("read", "pairs", "missing.tsv"), 3, "missing.tsv: no such file"),
    ],
)
def test_what_cannot_be_done(sampled: Run, arguments: tuple[str, ...], code: int, message: str) -> None:
    result = sampled(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_without_a_user_the_judge_must_be_named(sampled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("USER")
    assert sampled("next", "pairs").exit_code == 2
    assert sampled("next", "pairs", "--judge", "ann").exit_code == 0


def test_a_judge_is_one_however_the_name_is_encoded(sampled: Run) -> None:
    for name, verdict in (("Jose\u0301", "="), ("Jos\u00e9", "x")):
        assert sampled("record", "pairs", "1", verdict, "--judge", name).exit_code == 0
    (judge,) = document(sampled("report", "pairs", "--json"))["judges"]
    assert (judge["judge"], sum(judge["verdicts"].values()) + judge["controls"]["judged"]) == ("Jos\u00e9", 1)


@pytest.mark.slow
def test_more_than_there_is_is_told(demo: Run) -> None:
    result = demo("sample", "all", "--kind", "grammaticality", "--lang", "eng", "--size", 1_000_000)
    assert result.exit_code == 0
    assert "there are only" in result.stderr


def test_the_database_and_silence_may_be_asked_for_anywhere(run: Run, sampled: Run, tmp_path: Path) -> None:
    other = shutil.move(tmp_path / "corpus.db", tmp_path / "other.db")
    for arguments in (
        ("--db", other, "--quiet", "judge", "undo", "pairs"),
        ("judge", "--db", other, "--quiet", "undo", "pairs"),
        ("judge", "undo", "pairs", "--db", other, "--quiet"),
    ):
        result = run(*arguments)
        assert (result.exit_code, result.stderr) == (1, "")


@pytest.mark.usefixtures("recorded_morphemes")
def test_rewritings_by_rules_are_drawn_and_reported_by_rule(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("He read a book.\t彼が本を読んだ。\nIt is quiet.\t静かだ。\n", encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,jpn", "--header", "no").exit_code == 0
    sample = ("judge", "sample", "rules", "--lang", "ja", "--kind", "meaning", "--from", "rewritings")
    nothing = run(*sample)
    assert (nothing.exit_code, nothing.stdout) == (3, "")
    assert "no rewritings of jpn are kept; `corpusdb rules apply --corpus --store` keeps those" in nothing.stderr
    assert run("rules", "apply", "--corpus", "--store", "--rules", "verb-past,da").exit_code == 0
    refused = run(*sample, "--order", "5")
    assert (refused.exit_code, "rewritings by rules are not filtered" in refused.stderr) == (2, True)
    drawn = document(run(*sample, "--json"))
    assert (drawn["drawn_from"], drawn["items"], drawn["order"]) == ("rewritings", 2, 0)
    items = document(run("judge", "next", "rules", "-n", "0", "--judge", "ann", "--json"))
    assert {(each["seed"], each["text"]) for each in items} == {
        ("彼が本を読んだ。", "彼が本を読みました。"),
        ("静かだ。", "静かです。"),
    }
    for each in items:
        verdict = "=" if "静か" in each["text"] else "x"
        assert run("judge", "record", "rules", str(each["item"]), verdict, "--judge", "ann").exit_code == 0
    found = document(run("judge", "report", "rules", "--json"))
    assert [(each["rule"], each["judged"], each["accepted"]) for each in found["by_rule"]] == [
        ("verb-past", 1, 0),
        ("da", 1, 1),
    ]
    assert [each["made"] for each in found["refused"]] == [["verb-past ->"]]
    told = run("judge", "report", "rules").stdout
    assert "2 of 2 pairs that rules made, and 0 controls" in told
    assert "Not accepted: 1" in told
    assert run("judge", "list").stdout.splitlines()[1].split("\t")[:3] == ["rules", "meaning", "rewritings"]


@pytest.mark.slow
def test_judgements_of_an_older_version_are_carried_over_as_the_guide_says(
    run: Run, generated: Path, tmp_path: Path
) -> None:
    """The exported corpus gives the sample again, and the sheets are read into that."""
    section = guide_text("sharing").partition("A database of an older version\n")[2]
    section = section.replace("\\\n", "").replace("phrasebook", "paper").replace("-N 11 -V 0.95", "-N 0")
    steps = re.findall(r"(?m)^ {6}corpusdb (.*)$", section)
    assert [step.split()[2:4] for step in steps] == [
        ["export", "--collection"],
        ["judge", "list"],
        ["judge", "sheet"],
        ["import", "paper.jsonl"],
        ["generate", "--lang"],
        ["judge", "sample"],
        ["judge", "read"],
    ]
    generated.rename(tmp_path / "old.db")
    drawing = shlex.split(steps[5].replace("new.db", "old.db"))
    assert run(*drawing).exit_code == 0
    for item, verdict in enumerate(("equivalence", "neither", "skip"), start=1):
        assert run("--db", "old.db", "judge", "record", "ours", item, verdict, "--judge", "ann").exit_code == 0
    for step in steps:
        result = run(*shlex.split(step))
        assert result.exit_code == 0, (step, result.stderr)
    reports = [run("--db", name, "judge", "report", "ours").stdout for name in ("old.db", "new.db")]
    assert reports[0] == reports[1] != ""
