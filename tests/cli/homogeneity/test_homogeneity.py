"""The commands on models, profiles, selections and similarity: what they print, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

TALK = [
    f"{who} {what}, okay?" for who in ("yeah you", "so we", "hey they") for what in ("know", "go", "eat", "sleep in")
]
NEWS = [
    f"The {who} {what} on Tuesday." for who in ("minister", "committee") for what in ("announced it", "met", "fell")
]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, run: Run) -> None:
    """A corpus of both kinds, and a file of each."""
    rows = [f"{text}\tphrase {number}\n" for number, text in enumerate([*TALK, *NEWS])]
    Path("both.tsv").write_text("".join(rows), encoding="utf-8")
    Path("talk.txt").write_text("".join(f"{line.replace('you', 'I')} right\n" for line in TALK), encoding="utf-8")
    Path("news.txt").write_text("".join(f"{line} Officials said so.\n" for line in NEWS), encoding="utf-8")
    assert run("import", "both.tsv", "--lang", "eng,fra", "--name", "both", "--header", "no").exit_code == 0


def table(result: Result) -> list[dict[str, str]]:
    assert result.exit_code == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout), delimiter="\t", quoting=csv.QUOTE_NONE))


PROFILE = ("profile", "--lang", "eng", "--spoken", "talk.txt", "--written", "news.txt")


def test_a_profile_puts_talk_before_news(run: Run) -> None:
    lines = table(run(*PROFILE, "--level", "line", "--each", "-n", "0"))
    assert [line["name"] in TALK for line in lines] == [True] * len(TALK) + [False] * len(NEWS)
    result = run(*PROFILE)
    levels = table(result)
    assert [(each["level"], each["scale"]) for each in levels][:2] == [("line", "I"), ("line", "J")]
    assert levels[0]["n"] == str(len(TALK) + len(NEWS))
    assert "H11" in result.stderr and "I of text of the references that their models had not seen" in result.stderr
    told = json.loads(run(*PROFILE, "--json").stdout)
    assert [told[name] for name in ("measured", "in_references", "empty", "changed")] == [18, 0, 0, []]
    assert told["levels"][0]["coefficients"]["mean"] == pytest.approx(float(levels[0]["mean"]), abs=1e-3)
    Path("news.txt").write_text("Other news.\n", encoding="utf-8")
    assert "stale: the file news.txt is another one now; --rebuild makes it anew" in run(*PROFILE).stderr


def test_models_and_perplexity(run: Run) -> None:
    assert run("model", "train", "talk", "talk.txt", "--lang", "eng").exit_code == 0
    assert [each["name"] for each in table(run("model", "list"))] == ["talk"]
    talk = json.loads(run("perplexity", "talk.txt", "--model", "talk", "--json").stdout)
    news = json.loads(run("perplexity", "news.txt", "--model", "talk", "--json").stdout)
    assert talk["perplexity"] < news["perplexity"] and "lines" not in talk
    assert table(run("perplexity", "okay", "--model", "talk", "--each"))[0]["text"] == "okay"
    assert run("model", "export", "talk", "-o", "talk.arpa").exit_code == 0
    assert Path("talk.arpa").read_text(encoding="utf-8").startswith("\\data\\\nngram 1=")


def test_a_selection_is_written_kept_and_shown(run: Run) -> None:
    select = ("select", "--lang", "eng", "--task", "talk.txt", "--share", "20")
    result = run(*select, "--name", "some", "-o", "train.txt")
    rows = table(result)
    assert [row["share"] for row in rows if row["share"] == "20 %"] == ["20 %"]
    assert result.stderr.splitlines()[-1].count("worth") == 1
    chosen = Path("train.txt").read_text(encoding="utf-8").splitlines()
    assert chosen and {*chosen} <= {*TALK}
    assert [row["text"] for row in table(run("select", "--show", "some"))] == chosen
    assert [each["text"] for each in json.loads(run(*select, "--json").stdout)["members"]] == chosen
    again = run(*select, "--name", "some")
    assert (again.exit_code, again.stdout) == (3, "")


def test_corpora_that_are_alike_are_near(run: Run) -> None:
    Path("more.txt").write_text("".join(f"{line} right\n" for line in TALK), encoding="utf-8")
    rows = table(run("similarity", "talk.txt", "more.txt", "news.txt", "--lang", "eng"))
    assert float(rows[0]["more.txt"]) < float(rows[0]["news.txt"])
    assert rows[0]["more.txt"] == rows[1]["talk.txt"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("profile", "--lang", "eng"), 2, "profile needs both references: --spoken A,B --written C"),
        ((*PROFILE, "--each"), 2, "--each needs --level"),
        ((*PROFILE[:-1], "nothing"), 3, "'nothing' is neither a collection nor a file; collections are both"),
        ((*PROFILE[:-1], "talk.txt"), 3, "'talk.txt' is both references; they must not overlap"),
        ((*PROFILE[:-1], "empty.txt"), 3, "empty.txt: the file is empty"),
        (("profile", "--outliers", "--duplicates"), 2, "two lists"),
        (("select", "--lang", "eng"), 2, "select needs the task: --task FILE"),
        (("select", "--lang", "eng", "--task", "talk.txt", "--share", "101"), 3, "a share of 101 % is not above 0"),
        (("select", "--lang", "eng", "--task", "talk.txt", "--method", "bilingual"), 2, "--to LANG"),
        (("select", "--lang", "eng", "--task", "talk.txt", "--spoken", "x"), 2, "are for --method coefficient"),
        (("perplexity", "x", "--model", "none"), 3, "there is no model 'none'"),
        (("model", "train", "x", "both", "--lang", "deu"), 3, "there are no sentences in deu"),
        (("similarity", "talk.txt", "--lang", "eng"), 3, "similarity is between two corpora or more"),
    ],
)
def test_bad_input_is_one_line_and_stores_nothing(run: Run, words: tuple[str, ...], code: int, message: str) -> None:
    Path("empty.txt").write_text("", encoding="utf-8")
    result = run(*words, "--quiet")
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr and len(result.stderr.splitlines()) == 1
    stored = "select (select count(*) from profile) + (select count(*) from char_model) as count"
    assert table(run("sql", stored))[0]["count"] == "0"
