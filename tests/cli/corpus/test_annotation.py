"""Annotated texts from the command line: imported, searched, counted and exported; and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

WORDS = """\
# sent_id = 1
# text = He goes home.
# text_fr = Il rentre.
1	He	he	PRON	PRP	_	2	nsubj	_	_
2	goes	go	VERB	VBZ	_	0	root	_	_
3	home	home	ADV	RB	_	2	advmod	_	SpaceAfter=No
4	.	.	PUNCT	.	_	2	punct	_	_

# sent_id = 2
# text = No-go!
1	No	no	DET	DT	_	3	det	_	SpaceAfter=No
2	-	-	PUNCT	HYPH	_	3	punct	_	SpaceAfter=No
3	go	go	NOUN	NN	_	0	root	_	SpaceAfter=No
4	!	!	PUNCT	.	_	3	punct	_	_

"""
VERTICAL = "<doc id='d'>\n<s>\nShe\tPRP\tshe\nwent\tVBD\tgo\n</s>\n</doc>\n"


@pytest.fixture
def words(tmp_path: Path) -> Path:
    (tmp_path / "words.conllu").write_text(WORDS)
    (tmp_path / "words.vert").write_text(VERTICAL)
    return tmp_path


def lines(result: Result) -> list[str]:
    return result.stdout.splitlines()


def test_imported_searched_counted_and_exported(run: Run, words: Path) -> None:
    report = json.loads(run("import", "words.conllu", "--lang", "eng,fra", "--json").stdout)
    assert (report["read"], report["sentences"], report["translations"], report["annotated"]) == (2, 3, 1, 2)
    arguments = ("import", "words.vert", "--lang", "eng", "--attributes", "word,xpos,lemma", "--json")
    assert json.loads(run(*arguments).stdout)["annotated"] == 1
    found = run("search", '[lemma="go" & pos="V.*"]', "--cqp", "--kwic", "--lang", "eng")
    assert lines(found)[1:] == ["1\t1\teng\tHe \tgoes\t home."]
    assert "corpusdb: 2 of 3 eng sentences have upos" in found.stderr
    assert lines(run("search", '[lemma="go" & tag="V.*"]', "--cqp", "--kwic", "--lang", "eng"))[1:] == [
        "1\t1\teng\tHe \tgoes\t home.",
        "2\t4\teng\tShe \twent\t",
    ]
    counted = run("frequencies", "--lang", "eng", "--attribute", "lemma", "-n", "1")
    assert lines(counted)[1].split("\t")[:2] == ["go", "3"]
    near = run("collocates", "go", "--lang", "eng", "--attribute", "lemma", "--window", "1", "--least", "1")
    assert {line.split("\t")[0] for line in lines(near)[1:]} == {"he", "home", "-", "!", "she"}
    # Sentences without lemmas cannot have the node, and stand in no figure.
    (words / "more.tsv").write_text("They stay home.\tIls restent.\n")
    run("import", "more.tsv", "--lang", "eng,fra", "--header", "no")
    plain = ("--cqp", "--lang", "eng", "--least", "1")
    asked = run("collocates", '[lemma="go"]', *plain)
    assert "3 of 4 eng sentences have lemma; the others are left out" in asked.stderr
    home = next(line.split("\t") for line in lines(asked) if line.startswith("home\t"))
    assert home[1:3] == ["1", "1"]
    assert "have lemma" not in run("collocates", '[lemma="go"]', *plain, "--collection", "words").stderr
    assert run("export", "-o", "-", "--format", "conllu", "--lang", "eng", "--collection", "words").stdout.startswith(
        WORDS
    )
    annotated = json.loads(run("info", "--json").stdout)["annotations"]
    names = ["lemma", "upos", "xpos", "head", "deprel", "misc"]
    assert annotated == [{"language": "eng", "source": "import", "sentences": 3, "attributes": names}]
    assert lines(run("check", "--full")) == ["ok"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("import", "words.vert", "--lang", "eng"), 3, "words.vert:3: 3 columns; say what they are"),
        (("import", "words.vert", "--lang", "eng", "--attributes", "word,pos"), 3, "words.vert:3: 3 columns, and the"),
        (("import", "words.vert", "--lang", "eng", "--attributes", "pos,word"), 2, "the first column"),
        (("import", "words.conllu"), 2, "do not name their language; give it with --lang"),
        (("import", "bad.conllu", "--lang", "eng"), 3, "bad.conllu:14: word 5 stands where 4 is next"),
    ],
)
def test_nothing_is_stored_of_what_is_refused(
    run: Run, words: Path, arguments: tuple[str, ...], code: int, told: str
) -> None:
    (words / "bad.conllu").write_text(WORDS.replace("4\t!", "5\t!"))
    result = run(*arguments)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr
    assert not list(words.glob("*.db"))


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("search", '[tone="x"]', "--cqp"), 2, "no attribute tone; there are word, lemma, upos, xpos, head, deprel"),
        (("frequencies", "--lang", "eng", "--attribute", "tone"), 3, "no attribute tone; there are word, lemma"),
        (("frequencies", "--lang", "eng", "--attribute", "lemma", "--unit", "char"), 2, "a character has no lemma"),
        (("export", "-o", "x.conllu"), 2, "a CoNLL-U file has one language, not all"),
        (("export", "-o", "x.conllu", "--by-sentence", "eng"), 2, "--by-sentence gives translations"),
        (("annotate", "--lang", "eng"), 2, "there is no analyser for eng, only for jpn"),
    ],
)
def test_what_makes_no_sense(run: Run, words: Path, arguments: tuple[str, ...], code: int, told: str) -> None:
    run("import", "words.conllu", "--lang", "eng,fra")
    result = run(*arguments)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr


def test_japanese_becomes_words(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("sudachipy")
    (tmp_path / "ja.tsv").write_text("I go to school.\t学校へ行く。\n")
    run("import", "ja.tsv", "--lang", "eng,jpn")
    before = run("frequencies", "--lang", "jpn")
    assert "校" in before.stdout.split()
    assert "Japanese is searched by characters" in before.stderr
    report = json.loads(run("annotate", "--json").stdout)
    assert (report["sentences"], report["tokens"]) == (1, 4)
    assert "学校" in run("frequencies", "--lang", "jpn").stdout.split()
    assert lines(run("search", '[lemma="行く"]', "--cqp", "--kwic", "--lang", "jpn"))[1:] == [
        "1\t2\tjpn\t学校へ\t行く\t。"
    ]
