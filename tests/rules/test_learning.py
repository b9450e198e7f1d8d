"""Rules that pairs of sentences suggest, twins, and the commands that ask the corpus about rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calls import Run

from corpusdb.base.tokenisation import sudachi_analyser
from corpusdb.rules.learning import Twin, bare, pattern_between, strict_twins, try_twin
from corpusdb.rules.morphology import Analysis
from corpusdb.rules.rewriting import Expander, apply_rule, load_rules
from corpusdb.rules.rule import RuleDirection, parse_rules

pytestmark = pytest.mark.usefixtures("recorded_morphemes")

SUGGESTED = [
    (
        *("忘れた。", "忘れました。", "polite"),
        "$1(verb euphonic) : た(ta) <-> $1(continuative) : まし(masu) : た(ta) / _ END",
    ),
    (
        *("本を読んだ。", "本を読みました。", "polite"),
        "$1(verb euphonic) : た(ta) <-> $1(continuative) : まし(masu) : た(ta) / _ END",
    ),
    ("私は幸せだ。", "私は幸せです。", "polite", "だ(da) <-> です(desu) / (nominal) _ END"),
    ("大丈夫？", "大丈夫ですか？", "polite", "$1(na-adjective) <-> $1 : です(desu) : か(closing) / _ END"),
    ("続けろ。", "続けて。", "other", "$1(verb imperative) <-> $1(euphonic) : て(conjunctive) / _ END"),
    ("元気出せよ。", "元気を出せよ。", "other", "$1(noun) <-> $1 : を(case)"),
]
NOTHING = [
    ("本屋に行く。", "書店に行く。"),  # other content words
    ("勘定お願いします。", "勘定書お願いします。"),  # content again, in Chinese characters
    ("そうだ。", "そうだ。"),
    ("", ""),
    ("彼は走った。", "昨日の夜はとても静かで誰もいなかった。"),
]


def analysed(text: str) -> Analysis:
    return Analysis(text, sudachi_analyser().analyse(text))


@pytest.mark.parametrize(("one", "other", "kind", "source"), SUGGESTED)
def test_a_pair_suggests_a_rule_that_makes_it(one: str, other: str, kind: str, source: str) -> None:
    for first, second in ((one, other), (other, one)):
        found = pattern_between(analysed(first), analysed(second))
        assert found is not None and (found.kind, found.source) == (kind, source)
    (rule,) = parse_rules([f"suggested {kind} = {source}"], "suggested")
    assert apply_rule(rule, RuleDirection.FORWARD, one, sudachi_analyser()) == other
    assert apply_rule(rule, RuleDirection.BACKWARD, other, sudachi_analyser()) == one


@pytest.mark.parametrize(("one", "other"), NOTHING)
def test_content_words_and_equal_sentences_suggest_nothing(one: str, other: str) -> None:
    assert pattern_between(analysed(one), analysed(other)) is None


def test_twins_share_everything_but_style() -> None:
    group = [
        *("彼は昨日本を読んだ。", "彼は昨日本を読みました。", "彼は昨日本を読みます。"),
        *("彼は昨日雑誌を読みました。", "昨日彼は本を読みました。"),
    ]
    twins = strict_twins([analysed(text) for text in group])
    assert twins == [Twin(group[0], group[1])]
    result = try_twin(twins[0], Expander(load_rules(), sudachi_analyser()))
    assert (result.to_polite, result.to_plain, result.either) == (True, True, True)
    missed = try_twin(twins[0], Expander(load_rules().without(["verb-past"]), sudachi_analyser()))
    assert (missed.to_polite, missed.to_plain, missed.either) == (False, False, False)


def test_punctuation_does_not_count() -> None:
    assert bare("ここで、休もう！") == bare("ここで休もう。")


PAIRS = """\
eng	jpn
I forgot.	忘れた。
I forgot.	忘れました。
I read a book.	本を読んだ。
I read a book.	本を読みました。
She ran.	彼女は走った。
She ran.	彼女は走りました。
Are you OK?	大丈夫？
Are you OK?	大丈夫ですか？
Are you well?	元気？
Are you well?	元気ですか？
Is it quiet?	静か？
Is it quiet?	静かですか？
He said he read it.	彼は読んだと言った。
He is quiet.	彼は静かです。
It was she who ran.	走ったのは彼女です。
It was he who forgot.	忘れたのは彼です。
Is it so?	そうですか。
"""


@pytest.fixture
def corpus(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,jpn").exit_code == 0
    return tmp_path


def test_twins_are_counted(run: Run, corpus: Path) -> None:
    result = run("rules", "twins", "--json")
    found = json.loads(result.stdout)
    assert (found["twins"], found["to_polite"], found["to_plain"], found["either"]) == (3, 3, 3, 3)
    less = run("rules", "twins", "--rules", "all,-verb-past", "--missed")
    assert less.exit_code == 0 and "忘れました。" in less.stdout
    assert "plain to polite: 0 of 3 twins (0.0%)" in less.stderr
    assert len(run("rules", "twins", "--missed").stdout.splitlines()) == 1  # the names of the columns


def test_what_the_rules_make_is_not_suggested(run: Run, corpus: Path) -> None:
    without = json.loads(run("rules", "suggest", "--rules", "all,-verb-past", "--json").stdout)
    assert [(each["support"], each["forward"], each["backward"], each["known"]) for each in without] == [
        (3, 1.0, 1.0, 0.0)
    ]
    assert "verb euphonic" not in run("rules", "suggest").stdout


def test_a_suggestion_is_accepted_into_a_file_of_ones_own(run: Run, corpus: Path) -> None:
    call = ("rules", "suggest", "--rules", "all,-verb-past", "--accept", "1", "--into", "mine.rules")
    result = run(*call, "--name", "mine-past")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[1].split("\t")[:2] == ["1", "3"]
    lines = (corpus / "mine.rules").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("mine-past polite = $1(verb euphonic) : た(ta) <-> ")
    assert {"> 忘れた。 = 忘れました。", "< 忘れた。 = 忘れました。"} < {*lines}
    checked = run("rules", "check", "mine.rules")
    assert checked.exit_code == 0, checked.stdout + checked.stderr
    before = (corpus / "mine.rules").read_bytes()
    as_json = json.loads(run(*call, "--name", "other-past", "--into", "other.rules", "--json").stdout)
    assert [each["number"] for each in as_json] == [1] and (corpus / "other.rules").exists()
    again = run(*call, "--name", "mine-past")
    assert (again.exit_code, (corpus / "mine.rules").read_bytes()) == (2, before)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--accept", "1"), "give --accept, --name and --into together"),
        (("--accept", "99", "--name", "x", "--into", "x.rules"), "there is no suggestion 99"),
        (("--accept", "1", "--name", "da", "--into", "x.rules"), "there is a rule da already"),
        (("--accept", "1", "--name", "x", "--into", "x.txt"), "ends in .rules"),
    ],
)
def test_what_cannot_be_accepted_is_told(words: tuple[str, ...], said: str, run: Run, corpus: Path) -> None:
    result = run("rules", "suggest", "--rules", "all,-verb-past", *words)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr
    assert not (corpus / "x.rules").exists() and not (corpus / "x.txt").exists()


def test_a_database_without_japanese_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("eng\tfra\nYes.\tOui.\n", encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,fra").exit_code == 0
    for name in ("twins", "suggest"):
        result = run("rules", name)
        assert (result.exit_code, "no Japanese sentence" in result.stderr) == (3, True), result.stderr
