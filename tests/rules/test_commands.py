"""The commands for rules, and references and scores with what rules make of references."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from calls import Run

from corpusdb.guides import guide_text
from corpusdb.rules.queries.rewritings import Failure, RuleCheck
from corpusdb.rules.report import check_lines

MINE = """\
my-past polite = $1(verb euphonic) : た(ta) <-> $1(continuative) : まし(masu) : た(ta) / _ END
my-da polite = だ(da final) <-> です(desu final) / _ END
"""
REFERENCES = ["彼が本を読んだ。", "静かだ。", "東京駅"]
POLITE = ["彼が本を読みました。", "静かです。", "東京駅です。"]
ENGLISH = ["It is.", "A book.", "Tokyo."]
PLAIN = ["彼は本を読んだ。", "静か。", "東京"]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    texts = {"ref.txt": REFERENCES, "polite.txt": POLITE, "plain.txt": PLAIN, "mine.rules": MINE.splitlines()}
    for name, lines in (texts | {"english.txt": ENGLISH}).items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def document(run: Run, *words: str) -> Any:
    result = run(*words, "--json", "--quiet")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.usefixtures("without_extra")
@pytest.mark.parametrize(
    "words",
    [
        ("rules", "check"),
        ("rules", "apply", "ref.txt"),
        ("rules", "apply", "ref.txt", "-o", "out"),
        ("rules", "apply", "ref.txt", "--store"),
        ("references", "@ref.txt", "--ref", "ref.txt", "--rules", "polite", "-o", "out"),
        ("score", "polite.txt", "--ref", "ref.txt", "--rules", "all"),
        ("compare", "polite.txt", "plain.txt", "--ref", "ref.txt", "--rules", "all"),
        ("trace", "polite.txt", "--ref", "ref.txt", "--rules", "all", "--segment", "1"),
    ],
    ids=" ".join,
)
def test_without_the_extra(words: tuple[str, ...], run: Run, files: Path) -> None:
    before = sorted(files.iterdir())
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "pip install 'corpusdb[japanese]'" in result.stderr.splitlines()[-1]
    assert sorted(files.iterdir()) == before


@pytest.mark.usefixtures("without_extra")
def test_what_goes_without_the_extra(run: Run, files: Path) -> None:
    assert run("rules", "list").exit_code == 0
    assert run("rules", "set", "mine", "--from", "polite").exit_code == 0
    assert run("rules", "sets").exit_code == 0
    assert run("score", "polite.txt", "--ref", "ref.txt", "--unit", "char").exit_code == 0


def test_rules_are_listed(run: Run, files: Path) -> None:
    every = document(run, "rules", "list")
    assert [each["id"] for each in every] == [*range(1, len(every) + 1)]
    polite = document(run, "rules", "list", "--kind", "polite")
    assert polite == [each for each in every if each["kind"] == "polite"]
    mine = document(run, "rules", "list", "--rules", "mine.rules")
    assert [each["name"] for each in mine if each["on"]] == ["my-past", "my-da"]
    assert {each["file"] for each in mine} == {"1-polite.rules", "2-other.rules", "mine.rules"}
    off = document(run, "rules", "list", "--rules", "all,-da", "--off")
    assert "da" in {each["name"] for each in off}
    assert not any(each["on"] for each in off)


@pytest.mark.slow
def test_sets_of_ones_own(run: Run, files: Path) -> None:
    every = document(run, "rules", "sets")
    assert [(each["name"], each["kind"]) for each in every] == [("polite", "program"), ("all", "program")]
    made = document(run, "rules", "set", "mine", "--from", "all", "--off", "da")
    assert "da" in made["off"]
    again = document(run, "rules", "set", "mine")
    assert again == made
    assert document(run, "rules", "set", "mine", "--on", "da")["digest"] == every[1]["digest"]
    assert [each["name"] for each in document(run, "rules", "sets")] == ["polite", "all", "mine"]
    for words, told in (
        (("mine", "--from", "all"), "there is a rule set 'mine' already"),
        (("mine", "--off", "da", "--on", "da"), "'da' cannot be switched off and on at once"),
        (("mine", "--off", "nothing"), "has no rule 'nothing'"),
        (("mine", "--delete", "--on", "da"), "--delete takes no other option"),
        (("all", "--on", "da"), "stays as it is"),
        (("all",), "'all' comes with the program and stays as it is: `corpusdb rules list --rules all`"),
        (("polite", "--delete"), "stays as it is"),
        (("other",), "there is no rule set 'other'; there are polite, all, mine"),
        (("new", "--from", "all", "--off", "nothing"), "has no rule 'nothing'"),
    ):
        result = run("rules", "set", *words)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert told in result.stderr
    assert [each["name"] for each in document(run, "rules", "sets")] == ["polite", "all", "mine"]
    assert run("rules", "set", "mine", "--delete").exit_code == 0
    assert document(run, "rules", "sets") == every


@pytest.mark.usefixtures("recorded_morphemes")
def test_the_rules_of_the_guide_are_right(run: Run, files: Path) -> None:
    lines = guide_text("rules").partition("\nA file of rules\n")[2].partition("\n  Each line")[0]
    (files / "guide.rules").write_text(re.sub("(?m)^ +", "", lines), encoding="utf-8")
    result = run("rules", "check", "guide.rules")
    assert result.exit_code == 0, result.stdout
    assert result.stdout.startswith("1 rules, 8 examples, 0 faults\n100.00% of ")


@pytest.mark.usefixtures("recorded_morphemes")
def test_rules_are_tried_on_texts(run: Run, files: Path) -> None:
    examples = "> 静かだ。 = 静かです。\n> 元気だ。 = 元気です。\n> 本だ。 = 本です。\n- 静かな町。\n- 東京駅\n"
    (files / "good.rules").write_text(
        f"{MINE.splitlines()[1]}\n{examples}{examples.replace('>', '<')}", encoding="utf-8"
    )
    result = run("rules", "check", "good.rules", "--texts", "ref.txt")
    assert result.exit_code == 0, result.stdout
    assert "100.00% of 1 rewritings of 3 texts restored by the other direction; 99.0% is asked for" in result.stdout
    found = document(run, "rules", "check", "good.rules")
    assert (found["ok"], found["faults"], found["restored"]) == (True, [], 1.0)


def test_the_way_back_is_told_by_its_own_arrow() -> None:
    failures = tuple(Failure("mine", way, "round trip", "甲", "乙", back) for way, back in (("->", "丙"), ("<-", None)))
    found = RuleCheck(1, 0, (), 2, True, 2, failures, 2)
    assert [*check_lines(found, 0)][-2:] == ["  mine -> 甲: 乙 <- 丙", "  mine <- 甲: 乙 -> nothing"]


@pytest.mark.usefixtures("recorded_morphemes")
def test_a_wrong_rule_is_found(run: Run, files: Path) -> None:
    result = run("rules", "check", "mine.rules")
    assert result.exit_code == 1
    assert "mine.rules, line 1, column 1: my-past: 0 examples of ->, 3 are the least" in result.stdout
    (files / "bad.rules").write_text(MINE + "x polite = だ(da final <-> です / _ END\n", encoding="utf-8")
    for words in (
        ("check", "bad.rules"),
        ("apply", "ref.txt", "--rules", "bad.rules"),
        ("list", "--rules", "bad.rules"),
    ):
        result = run("rules", *words)
        assert (result.exit_code, result.stdout) == (3, "")
        assert re.search(r"bad\.rules, line 3, column \d+: ", result.stderr)
        assert result.stderr.count("\n") == 1


@pytest.mark.usefixtures("recorded_morphemes")
def test_texts_are_rewritten(run: Run, files: Path) -> None:
    given = ("rules", "apply", "ref.txt", "--rules", "mine.rules")
    result = run(*given)
    assert result.stdout.splitlines() == [
        "line\ttext\trewriting\trules",
        "1\t彼が本を読んだ。\t彼が本を読みました。\tmy-past ->",
        "2\t静かだ。\t静かです。\tmy-da ->",
    ]
    assert "2 rewritings of 2 of 3 texts" in result.stderr
    assert run(*given, "--explain").stdout.splitlines()[:3] == [
        "彼が本を読んだ。", "  彼が本を読みました。", "    読んだ becomes 読みました: my-past ->"
    ]  # fmt: skip
    assert [each["rewritings"] for each in document(run, *given)["texts"]] == [
        [{"text": "彼が本を読みました。", "lineage": [["my-past", "->", [[4, 7, 4, 9]]]]}],
        [{"text": "静かです。", "lineage": [["my-da", "->", [[2, 3, 2, 4]]]]}],
        [],
    ]
    assert run(*given, "--store").exit_code == 0
    rows = document(run, "sql", "select text from rewriting order by id")["rows"]
    assert rows == [["彼が本を読みました。"], ["静かです。"]]


@pytest.mark.usefixtures("recorded_morphemes")
def test_what_names_no_file_is_the_text(run: Run, files: Path) -> None:
    """As of `translate`: a file that is there is a file, anything else the text, and so is everything with --text."""
    given = ("--rules", "mine.rules", "--json", "--quiet")
    (files / REFERENCES[0]).write_text(f"{REFERENCES[1]}\n", encoding="utf-8")
    for words, rewritten in (
        (("静かだ。",), ["静かです。"]),
        ((REFERENCES[0],), ["静かです。"]),
        ((REFERENCES[0], "--text"), ["彼が本を読みました。"]),
        (("@ref.txt",), ["彼が本を読みました。", "静かです。"]),
    ):
        found = document(run, "rules", "apply", *words, "--rules", "mine.rules")["texts"]
        assert [each["text"] for text in found for each in text["rewritings"]] == rewritten
    result = run("rules", "apply", "nothing.txt", *given)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "text:1: the rules are for Japanese, and this is not: 'nothing.txt'" in result.stderr


@pytest.mark.usefixtures("recorded_morphemes")
def test_what_is_not_japanese(run: Run, files: Path) -> None:
    for words in (
        ("rules", "apply", "english.txt"),
        ("score", "english.txt", "--ref", "english.txt", "--rules", "mine.rules"),
        ("references", "@english.txt", "--ref", "english.txt", "--rules", "mine.rules", "-o", "out"),
    ):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (3, "")
        assert "the rules are for Japanese, and this is not: 'It is.'" in result.stderr.splitlines()[-1]
    assert not (files / "out").exists()


@pytest.mark.usefixtures("recorded_morphemes")
def test_references_are_added(run: Run, files: Path) -> None:
    """What is written by one command and scored by the other are the same references, in the same order."""
    for words in (
        ("rules", "apply", "ref.txt", "--rules", "mine.rules", "-o", "one"),
        ("references", "@ref.txt", "--ref", "ref.txt", "--rules", "mine.rules", "-o", "two"),
    ):
        assert run(*words).exit_code == 0
    written = [sorted((files / name).iterdir()) for name in ("one", "two")]
    assert [path.name for path in written[0]] == [
        "lineage.jsonl",
        "provenance.tsv",
        "ref0.txt",
        "ref1.txt",
        "source.txt",
    ]
    assert [path.read_bytes() for path in written[0]] == [path.read_bytes() for path in written[1]]
    lineage = [json.loads(line) for line in (files / "one" / "lineage.jsonl").read_text("utf-8").splitlines()]
    assert [(each["segment"], each["reference"], each["origin"], each["text"]) for each in lineage] == [
        ("1", 2, REFERENCES[0], "彼が本を読みました。"),
        ("2", 2, REFERENCES[1], "静かです。"),
    ]
    (files / "ragged.jsonl").write_text(
        "".join(
            json.dumps({"id": str(number), "source": text, "references": own}, ensure_ascii=False) + "\n"
            for number, (text, own) in enumerate(zip(ENGLISH, _sets(), strict=True), 1)
        ),
        encoding="utf-8",
    )
    for metric in (("--metric", "bleu,nist,mwer"), ("--unit", "char", "--metric", "bleu")):
        systems = ("polite.txt", "plain.txt", "--source", "english.txt", *metric, "--segments")
        found = document(run, "score", *systems, "--ref", "ref.txt", "--rules", "mine.rules")
        expected = document(run, "score", *systems, "--ref", "ragged.jsonl")
        for ours, theirs in zip(found, expected, strict=True):
            assert (ours["score"], ours["segments"]) == (theirs["score"], theirs["segments"])
            assert re.sub(r"\|rules:[^|]+", "", ours["signature"]) == theirs["signature"]
            assert re.search(r"\|rules:chosen:[0-9a-f]{16}\+max16\+sudachi-[^|]+-C\|", ours["signature"])


def _sets() -> list[list[str]]:
    return [[REFERENCES[0], POLITE[0]], [REFERENCES[1], POLITE[1]], [REFERENCES[2]]]


@pytest.mark.usefixtures("recorded_morphemes")
def test_stored_scores_are_verified_replayed_and_traced(run: Run, files: Path) -> None:
    given = (
        "score",
        "polite.txt",
        "plain.txt",
        "--ref",
        "ref.txt",
        "--rules",
        "mine.rules",
        "--tokenise",
        "ja-sudachi",
    )
    assert run("rules", "set", "empty", "--from", "polite").exit_code == 0  # makes the database
    assert run(*given, "--store").exit_code == 0
    assert run("score", "polite.txt", "--ref", "ref.txt", "--tokenise", "ja-sudachi", "--store").exit_code == 0
    (files / "mine.rules").unlink()  # what is kept with the scores is enough
    verified = document(run, "verify")
    assert [each["ok"] for each in verified] == [True] * 3
    assert [each["equal"] for each in document(run, "replay", "score:1", "score:3")] == [True, True]
    traced = document(run, "trace", "--score", "1", "--segment", "1")
    assert [each["label"] for each in traced["references"]] == ["ref.txt", "ref.txt by my-past"]
    by_rules = {" ".join(each["ngram"]): each for each in traced["by_rules"]}
    assert set(by_rules) >= {"まし", "読み まし た"}
    found = by_rules["読み まし た"]
    assert (found["reference"], found["rules"], found["origin"]) == (2, [["my-past", "->"]], REFERENCES[0])
    assert REFERENCES[0][found["begin"] : found["end"]] == "読んだ"
    assert "by_rules" not in document(run, "trace", "--score", "3", "--segment", "1")
    sets = document(run, "sql", "select id from reference_set")["rows"]
    assert len(sets) == 2
    assert document(run, "check")["problems"] == []


@pytest.mark.usefixtures("recorded_morphemes")
def test_a_changed_text_is_found_by_verify(run: Run, files: Path) -> None:
    given = ("--ref", "ref.txt", "--rules", "mine.rules", "--tokenise", "ja-sudachi")
    assert run("rules", "set", "empty", "--from", "polite").exit_code == 0
    assert run("score", "polite.txt", *given, "--store").exit_code == 0
    (files / "other.txt").write_text("静かだ。\n静かだ。\n東京駅\n", encoding="utf-8")
    result = run("verify", "1", "--ref", "other.txt", "--json")
    assert result.exit_code == 1
    (found,) = json.loads(result.stdout)
    assert [each["gained"] for each in found["segments"]] == [["静かだ。", "静かです。"]]


@pytest.mark.usefixtures("recorded_morphemes")
def test_a_document_is_replayed(run: Run, files: Path) -> None:
    given = ("polite.txt", "--ref", "ref.txt", "--rules", "mine.rules", "--tokenise", "ja-sudachi", "--significance")
    for words in (
        ("score", "plain.txt", *given, "bootstrap", "--samples", "9"),
        ("rules", "apply", "ref.txt", "--rules", "mine.rules", "-o", "made"),
        ("rules", "apply", "ref.txt", "--rules", "mine.rules"),
        ("references", "@ref.txt", "--ref", "ref.txt", "--rules", "mine.rules", "-o", "more"),
    ):
        (files / "made.json").write_text(run(*words, "--json", "--quiet").stdout, encoding="utf-8")
        (found,) = document(run, "replay", "made.json")
        assert (found["equal"], found["differences"]) == (True, [])
    (files / "mine.rules").write_text(MINE.splitlines()[1] + "\n", encoding="utf-8")
    result = run("replay", "made.json", "--json")
    assert result.exit_code == 1
    (found,) = json.loads(result.stdout)
    assert any(each.startswith("rule set chosen: changed since") for each in found["inputs"])


@pytest.mark.usefixtures("recorded_morphemes")
def test_agreement_and_compare_take_rules(run: Run, files: Path) -> None:
    rows = [f"{name}\t{at}\t{at + score}" for name, score in (("polite", 3), ("plain", 1)) for at in range(3)]
    (files / "human.tsv").write_text("\n".join(["system\tsegment\tz", *rows]) + "\n", encoding="utf-8")
    given = ("polite.txt", "plain.txt", "--ref", "ref.txt", "--rules", "mine.rules", "--tokenise", "ja-sudachi")
    found = json.dumps(
        document(
            run,
            "agreement",
            *given,
            "--human",
            "human.tsv",
            "--samples",
            "5",
            "--level",
            "system",
            "--origins",
            "original,original+rule",
        )
    )
    signatures = {*re.findall(r"metric:bleu[^\"]+smooth:none[^\"]+", found)}
    assert len(signatures) == 2
    assert sorted("|rules:chosen:" in each for each in signatures) == [False, True]
    compared = run("compare", *given, "--samples", "5", "--section", "scores")
    assert compared.exit_code == 0, compared.stderr
    assert "1 to 2 references for each of 3 segments" in compared.stdout


def test_options_that_do_not_belong_together(run: Run, files: Path) -> None:
    for words, told in (
        (("rules", "apply"), "give a text, a file of texts"),
        (("rules", "apply", "ref.txt", "--corpus"), "give a text, a file of texts"),
        (("rules", "apply", " "), "the text is empty"),
        (("rules", "apply", "ref.txt", "--layout", "tsv"), "--layout is that of the reference sets"),
        (("rules", "apply", "ref.txt", "-o", "made", "--explain"), "--explain is for rewritings that are shown"),
        (("rules", "apply", "--corpus"), "--corpus is for --store alone"),
        (
            ("score", "polite.txt", "--ref", "ref.txt", "--max-rewritings", "3"),
            "--max-rewritings needs --rules",
        ),
        (("references", "@ref.txt", "--ref", "ref.txt", "-o", "out"), "belong together"),
        (("score", "polite.txt", "--ref", "ref.txt", "--rules", "nothing"), "no rule set 'nothing'"),
        (
            ("score", "polite.txt", "--ref", "ref.txt", "--source", "ref.txt", "--rules", "all", "--equivalents"),
            "not both",
        ),
    ):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert told in result.stderr


def test_what_rules_made_is_called_so_when_stored_systems_are_compared(run: Run, files: Path) -> None:
    stored = run(
        "score", "polite.txt", "plain.txt", "--ref", "ref.txt", "--rules", "all", "--max-rewritings", "1", "--store"
    )
    assert stored.exit_code == 0, stored.stderr
    assert "(--max-rewritings 1)" in stored.stderr
    [pair] = document(run, "compare", "polite", "plain", "--samples", "2")
    labels = {tuple(each["labels"]) for each in (*pair["better_a"], *pair["better_b"])}
    assert labels and labels <= {("reference 1", "rule"), ("reference 1",)} and ("reference 1", "rule") in labels
