"""Links of other aligners in the database, by the command `align`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

ROWS = "The dog sleeps.\tLe chien dort.\nA cat, a dog.\tUn chat, un chien.\nwell\tbien\n"
ENGLISH = "The dog sleeps .\nA cat , a dog .\nwell\n"
FRENCH = "Le chien dort .\nUn chat , un chien .\nbien\n"
LINKS = "0-0 1-1 2-2 3-3\n4-4 0-0 1-1\n\n"
ALIGN = ("align", "--lang", "eng,fra")
GIVEN = (*ALIGN, "--links", "links", "--source", "links.eng", "--ref", "links.fra")


@pytest.fixture
def corpus(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "rows.tsv").write_text(ROWS, encoding="utf-8")
    for name, content in (("links", LINKS), ("links.eng", ENGLISH), ("links.fra", FRENCH)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    result = run("import", "rows.tsv", "--lang", "eng,fra", "--header", "no")
    assert result.exit_code == 0, result.stderr
    return run


def test_links_go_in_and_come_out_with_their_texts(corpus: Run, tmp_path: Path) -> None:
    report = json.loads(corpus(*GIVEN, "--json").stdout)
    assert report.pop("seconds") >= 0
    assert report == {
        "source": "eng",
        "target": "fra",
        "read": 3,
        "pairs": 3,
        "links": 7,
        "unlinked_source": 4,
        "unlinked_target": 4,
        "unknown": 0,
        "other_tokens": 0,
        "repeated": 0,
        "without_links": 0,
        "phrase_pairs": 9,
    }
    result = corpus(*ALIGN, "-o", "out", "--tokens", "out.tok")
    assert result.exit_code == 0 and "pairs aligned in all\t3\n" in result.stdout
    assert (tmp_path / "out").read_text() == "0-0 1-1 2-2 3-3\n0-0 1-1 4-4\n\n"
    assert (tmp_path / "out.eng").read_text() == ENGLISH
    assert (tmp_path / "out.fra").read_text() == FRENCH
    lines = zip(ENGLISH.splitlines(), FRENCH.splitlines(), strict=True)
    assert (tmp_path / "out.tok").read_text() == "".join(f"{own} ||| {theirs}\n" for own, theirs in lines)
    turned = corpus("align", "--lang", "fra,eng", "-o", "-", "--quiet")
    assert turned.stdout == "0-0 1-1 2-2 3-3\n0-0 1-1 4-4\n\n"
    assert "eng,fra\tlinks\t3\t0\n" in corpus("info").stdout
    assert "[dog]" in corpus("translations", "dog", "--with", "fra").stdout


def test_texts_that_are_no_tokens_yet_are_cut_when_it_is_asked_for(corpus: Run, tmp_path: Path) -> None:
    (tmp_path / "links.eng").write_text("The dog sleeps.\nA cat, a dog.\nwell\n")
    told = json.loads(corpus(*GIVEN, "--tokenise", "units,none", "--json").stdout)
    assert (told["pairs"], told["other_tokens"]) == (3, 0)
    (tmp_path / "links").write_text("0-0\n1-1\n0-0\n")
    report = corpus(*GIVEN)
    assert report.exit_code == 0
    assert "pairs with links\t1\n" in report.stdout and "cut into other tokens\t2\n" in report.stdout


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("links", "0-0\n4-6\n\n", "links:2: link 4-6: the target text has 6 words"),
        ("links", "0-0\n6-4\n\n", "links:2: link 6-4: the source text has 6 words"),
        ("links", "0-0\n0-0 0-0\n\n", "links:2: link 0-0 stands there twice"),
        ("links", "0-0\n0:0\n\n", "links:2: '0:0' is no link"),
        ("links", "0-0\n0?0\n\n", "links:2: '0?0' is no link"),
        ("links", "0-0\n1-1\n", "links: ends after 2 lines; there are 3 pairs of texts"),
        ("links", "0-0\n1-1\n\n0-0\n", "links:4: has more lines than the 3 pairs of texts"),
        ("links", "", "links: the file is empty"),
        ("links.eng", ENGLISH.replace("well", " "), "links.eng:3: the line is blank"),
        ("links.fra", FRENCH.replace("bien", ""), "links.fra:3: the line is blank"),
        ("links.fra", FRENCH + "encore\n", "links.fra:4: has no counterpart"),
        ("links.eng", "Other\n" * 3, "links:1: link 1-1: the source text has 1 words"),
        ("links.eng", "Other texts are here .\n" * 3, "links: of 3 pairs of texts the corpus has none in eng and fra"),
        ("links.eng", ENGLISH.replace(" ", ""), "links:1: link 1-1: the source text has 1 words"),
        ("links.eng", "w " * 70_000 + "\nb\nc\n", "links.eng:1: the line has over 65,536 tokens"),
    ],
)
def test_bad_files_are_one_line_and_nothing_is_stored(
    corpus: Run, tmp_path: Path, name: str, content: str, told: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    result = corpus(*GIVEN, "--quiet")
    assert (result.exit_code, result.stdout) == (3, "")
    assert told in result.stderr and len(result.stderr.splitlines()) == 1
    rows = corpus("sql", "select (select count(*) from alignment), (select count(*) from alignment_model)")
    assert rows.stdout.splitlines()[1] == "0\t0"
    assert "align" not in corpus("info").stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*ALIGN, "--links", "links"), "--links needs --lang A,B and the texts"),
        (("align", "--links", "links", "--source", "links.eng", "--ref", "links.fra"), "--links needs --lang A,B"),
        ((*GIVEN, "--retrain"), "--retrain does not go with --links"),
        ((*GIVEN, "-o", "out"), "--output does not go with --links"),
        ((*GIVEN, "--gold", "links"), "--gold does not go with --links"),
        ((*ALIGN, "--links", "-", "--source", "-", "--ref", "links.fra"), "standard input (-) is given twice"),
        ((*ALIGN, "--links", "-", "--source", "links.eng", "--ref", "-"), "standard input (-) is given twice"),
        (("align", "--lang", "eng", "--links", "links", *GIVEN[5:]), "--lang takes two languages"),
        ((*ALIGN, "--tokens", "out"), "--tokens needs --output"),
        ((*ALIGN, "-o", "out", "--tokens", "out"), "different files"),
        ((*ALIGN, "-o", "out", "--tokens", "-"), "different files"),
        ((*ALIGN, "-o", "-", "--json"), "--json prints a report where the links would stand"),
        ((*ALIGN, "--tokenise", "none"), "--tokenise is for files"),
        ((*ALIGN, "-o", "links"), "links"),
    ],
)
def test_wrong_calls_are_usage_errors(corpus: Run, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    result = corpus(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr and len(result.stderr.splitlines()) == 1
    assert (tmp_path / "links").read_text() == LINKS and not (tmp_path / "out").exists()


def test_the_links_alone_may_come_from_standard_input(corpus: Run) -> None:
    result = corpus(*ALIGN, "--links", "-", "--source", "links.eng", "--ref", "links.fra", stdin=LINKS)
    assert result.exit_code == 0 and "links\t7\n" in result.stdout


def test_pairs_that_come_later_are_told_and_a_model_links_them(corpus: Run, tmp_path: Path) -> None:
    assert corpus(*GIVEN).exit_code == 0
    (tmp_path / "more.tsv").write_text("The zebra sleeps.\tLe zèbre dort.\n", encoding="utf-8")
    assert corpus("import", "more.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    result = corpus(*ALIGN)
    assert result.exit_code == 0 and "1 pairs have no links" in result.stderr and "--retrain" in result.stderr
    assert "eng,fra\tlinks\t3\t1\n" in corpus("info").stdout
    assert corpus("check", "--full").exit_code == 0
    again = corpus(*ALIGN, "--retrain")
    assert "pairs trained on\t4\n" in again.stdout and "have no links" not in again.stderr
