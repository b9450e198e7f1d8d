"""The commands on models, profiles, selections and similarity: what they print, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from calls import Prepare, Run
from typer.testing import Result

TALK = [
    f"{who} {what}, okay?" for who in ("yeah you", "so we", "hey they") for what in ("know", "go", "eat", "sleep in")
]
NEWS = [
    f"The {who} {what} on Tuesday." for who in ("minister", "committee") for what in ("announced it", "met", "fell")
]


@pytest.fixture(autouse=True)
def files(run: Run, prepare: Prepare) -> None:
    prepare("both-kinds", lambda: fill(run))


def fill(run: Run) -> None:
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
    assert "stale: the file news.txt is another one now; --rebuild renews it" in run(*PROFILE).stderr


def test_a_profile_that_is_kept_need_not_be_named_again(run: Run) -> None:
    first = run(*PROFILE, "--order", "4")
    assert "all documents have fewer than 2,000 characters: chance moves their I and J" in first.stderr
    again = run("profile", "--lang", "eng")
    assert table(again) == table(first)
    assert "by the profile that is kept, of order 4: --spoken talk.txt --written news.txt" in again.stderr
    assert run("profile", "--lang", "eng", "--order", "4").exit_code == 0
    other = run("profile", "--lang", "eng", "--order", "3")
    assert other.exit_code == 2 and "--order, --smoothing and --normalise make another profile" in other.stderr
    assert run(*PROFILE).exit_code == 0
    spaced = run("profile", "--lang", "eng", "--spoken", "talk.txt, ", "--written", " news.txt", "--order", "4")
    assert table(spaced) == table(first)
    several = run("profile", "--lang", "eng")
    assert (several.exit_code, several.stderr.count("--spoken talk.txt --written news.txt")) == (2, 2)
    assert run("profile", "--lang", "eng", "--spoken", "talk.txt").exit_code == 2


def test_a_result_is_a_collection_of_its_own_name(run: Run) -> None:
    """It was shown under the name of the collection that its lines stand in."""
    run("import", "-", "--lang", "eng,fra", "--name", "more", stdin=f"{TALK[0]}\tencore\n{TALK[0]}\tde plus\n")
    assert run("search", "okay", "--lang", "eng").exit_code == 0
    assert run("results", "keep", "oral").exit_code == 0
    asked = (*PROFILE, "--level", "collection", "--collection", "oral")
    [row] = table(run(*asked, "--each"))
    assert (row["name"], row["lines"]) == ("oral", str(len(TALK)))  # each sentence once
    [levelled, *_] = table(run(*asked))
    assert (levelled["level"], levelled["n"]) == ("collection", "1")
    kept = run(*asked, "--from", "0", "--to", "1", "--name", "kept")
    assert f"{len(TALK)} lines are stored as 'kept'" in kept.stderr
    assert {row["name"] for row in table(run(*PROFILE, "--level", "collection", "--each"))} == {"both", "more"}


def test_outlying_lines_tell_where_they_stand(run: Run) -> None:
    rows = table(run("profile", "--lang", "eng", "--outliers", "-n", "2"))
    places = {text: f"both.tsv:{number}" for number, text in enumerate([*TALK, *NEWS], 1)}
    assert [(row["collection"], row["line"]) for row in rows] == [("both", places[row["text"]]) for row in rows]


def test_a_stretch_of_the_scale_is_listed_and_kept(run: Run) -> None:
    bars = table(run(*PROFILE, "--histogram"))
    assert [bars[0]["to"], bars[-2]["from"], bars[-1]["from"]] == ["0", "1", "undefined"]
    assert sum(int(bar["entries"]) for bar in bars) == len(TALK) + len(NEWS)
    assert [bar["documents"] for bar in bars if bar["documents"]] == ["both.tsv"]
    assert len(json.loads(run(*PROFILE, "--histogram", "--json").stdout)) == len(bars)
    every = table(run(*PROFILE, "--level", "line", "--each", "-n", "0"))
    low = [row for row in every if row["I"] and float(row["I"]) <= 0.4]
    result = run(*PROFILE, "--to", "0.4004", "--name", "low")
    assert [row["name"] for row in table(result)] == [row["name"] for row in low]
    characters = sum(int(row["characters"]) for row in low)
    assert f"{len(low)} lines are stored as 'low'" in result.stderr
    assert f"{len(low)} lines, {characters:,} characters (" in result.stderr
    assert {row["text"] for row in table(run("select", "--show", "low"))} == {row["name"] for row in low}
    assert run(*PROFILE, "--to", "0.4004", "--name", "rest", "--others").exit_code == 0
    kept = {row["name"]: row for row in table(run("select", "--list"))}
    assert int(kept["rest"]["sentences"]) == len(every) - len(low)
    assert kept["rest"]["made of"] == "all but lines with I to 0.4004"
    levels = {row["level"]: row for row in table(run(*PROFILE, "--collection", "low")) if row["scale"] == "I"}
    assert (levels["line"]["n"], levels["whole"]["n"]) == (str(len(low)), "1")
    assert run("search", "minister", "--lang", "eng", "--save", "ministers").exit_code == 0
    found = table(run(*PROFILE, "--query", "ministers", "--level", "line", "--each"))
    assert {row["name"] for row in found} == {text for text in NEWS if "minister" in text}
    odd = run("profile", "--lang", "eng", "--outliers", "-n", "2", "--name", "usual", "--others")
    assert f"{len(every) - 2} lines are stored as 'usual'" in odd.stderr
    assert run("select", "--remove", "low").stderr.endswith(f"'low' ({len(low)} sentences)\n")
    assert [row["name"] for row in table(run("select", "--list"))] == ["rest", "usual"]
    assert run("select", "--list", "--lang", "eng").stdout == run("select", "--list").stdout
    assert table(run("select", "--list", "--lang", "fra")) == []


def test_models_and_perplexity(run: Run) -> None:
    assert run("model", "train", "talk", "talk.txt", "--lang", "eng").exit_code == 0
    assert [each["name"] for each in table(run("model", "list"))] == ["talk"]
    talk = json.loads(run("perplexity", "talk.txt", "--model", "talk", "--json").stdout)
    news = json.loads(run("perplexity", "news.txt", "--model", "talk", "--json").stdout)
    assert talk["perplexity"] < news["perplexity"] and "lines" not in talk
    assert table(run("perplexity", "okay", "--model", "talk", "--each"))[0]["text"] == "okay"
    assert run("model", "export", "talk", "-o", "talk.arpa").exit_code == 0
    assert Path("talk.arpa").read_text(encoding="utf-8").startswith("\\data\\\nngram 1=")


def test_an_exported_model_measures_as_the_one_that_is_kept(run: Run) -> None:
    assert run("model", "train", "talk", "talk.txt", "--lang", "eng").exit_code == 0
    assert run("model", "export", "talk", "-o", "talk.arpa").exit_code == 0
    Path("corpus.db").rename("elsewhere.db")  # no database is needed
    told = json.loads(run("perplexity", "news.txt", "--model", "talk.arpa", "--json").stdout)
    Path("elsewhere.db").rename("corpus.db")
    kept = json.loads(run("perplexity", "news.txt", "--model", "talk", "--json").stdout)
    assert told["bits"] == pytest.approx(kept["bits"], rel=1e-9)
    same = {"characters", "unknown", "normalisation", "order", "empty"}
    assert {name: told[name] for name in same} == {name: kept[name] for name in same}


def test_duplicates_have_the_same_letters_or_all_but_a_unit(run: Run) -> None:
    rows = table(run("profile", "--duplicates", "--lang", "eng"))
    assert {row["kind"] for row in rows} == {"one unit apart"}
    groups = json.loads(run("profile", "--duplicates", "--lang", "eng", "--json").stdout)
    assert {"The committee met on Tuesday.", "The committee fell on Tuesday."} <= {
        text for group in groups for text in group["texts"]
    }


def test_several_pairs_are_studied_in_one_call(run: Run) -> None:
    for name, lines in (("many", TALK), ("more", NEWS), ("third", [line[::-1] for line in TALK])):
        Path(f"{name}.eng").write_text("".join(f"{line} {n}\n" for n in range(9) for line in lines), encoding="utf-8")
    words = ("many.{lang}", "more.eng", "third.{lang}", "--lang", "eng", "--shuffles", "1")
    found = table(run("study", "known-similarity", *words))
    pairs = list(dict.fromkeys((row["lang"], row["first"], row["second"]) for row in found))
    assert pairs == [("eng", "many.eng", "more.eng"), ("eng", "many.eng", "third.eng")]
    assert len(found) == 8
    alone = table(run("study", "known-similarity", "many.eng", "third.eng", "--shuffles", "1", "--lang", "eng"))
    assert alone == found[4:]


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
    for others in (("--name", "a\nb"), ("--json", "-o", "-")):
        refused = run(*select, *others)
        assert (refused.exit_code, refused.stdout) == (2, "")


def test_corpora_that_are_alike_are_near(run: Run) -> None:
    Path("more.txt").write_text("".join(f"{line} right\n" for line in TALK), encoding="utf-8")
    rows = table(run("similarity", "talk.txt", "more.txt", "news.txt", "--lang", "eng"))
    assert float(rows[0]["more.txt"]) < float(rows[0]["news.txt"])
    assert rows[0]["more.txt"] == rows[1]["talk.txt"]
    Path("characters").write_bytes(Path("more.txt").read_bytes())
    [first, _] = table(run("similarity", "characters", "talk.txt", "--lang", "eng"))
    assert int(first["characters"]) > 9 > float(first["characters (corpus)"])


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("profile", "--lang", "eng"), 2, "profile needs both references: --spoken A,B --written C"),
        ((*PROFILE, "--each"), 2, "--each needs --level"),
        ((*PROFILE[:-1], "nothing"), 3, "'nothing' is neither a collection nor a file; collections are both"),
        ((*PROFILE[:-1], "talk.txt"), 3, "'talk.txt' is both references; they must not overlap"),
        ((*PROFILE[:-1], "empty.txt"), 3, "empty.txt: the file is empty"),
        (
            (*PROFILE[:-1], "foreign.txt"),
            3,
            "the written reference and the corpus share only 0.0% of their characters",
        ),
        (("select", "--lang", "eng", "--task", "foreign.txt"), 3, "the task and the corpus share only 0.0%"),
        (("perplexity", "okay", "--model", "none.arpa"), 3, "none.arpa: no such file"),
        (("perplexity", "okay", "--model", "talk", "--normalise", "case"), 2, "--normalise is for an ARPA file"),
        (("profile", "--outliers", "--duplicates"), 2, "not both"),
        (("profile", "--outliers", "--from", "0"), 2, "take no scale"),
        (("profile", "--outliers", "--document", "both.tsv"), 2, "--document does not go with --outliers"),
        (("profile", "--duplicates", "--level", "line", "--each"), 2, "--level does not go with --outliers"),
        (("profile", "--outliers", "--smoothing", "mkn"), 2, "--smoothing does not go with --outliers"),
        (("profile", "--duplicates", "--order", "3"), 2, "--order does not go with --outliers"),
        ((*PROFILE, "--scale", "J"), 2, "--scale is for --histogram, --from and --to"),
        ((*PROFILE, "--histogram", "--level", "line", "--each"), 2, "it takes no --each"),
        ((*PROFILE, "--outliers"), 2, "--spoken does not go with --outliers"),
        ((*PROFILE, "--name", "x"), 2, "--name needs --from, --to or --outliers"),
        ((*PROFILE, "--from", "0", "--others"), 2, "--others needs --name"),
        ((*PROFILE, "--from", "0.5", "--to", "0.4"), 2, "nothing lies from 0.5 to 0.4"),
        ((*PROFILE, "--from", "nan"), 2, "Invalid value for '--from'"),
        ((*PROFILE, "--histogram", "--level", "whole"), 2, "are for lines, documents or collections"),
        ((*PROFILE, "--to", "1", "--name", "both"), 3, "there is a collection 'both'"),
        ((*PROFILE, "--collection", "none"), 3, "there is no collection 'none'"),
        ((*PROFILE, "--query", "none"), 3, "no query is saved as 'none'"),
        (("select", "--list", "--task", "talk.txt"), 2, "give one of them alone"),
        (("select", "--remove", "none", "--share", "5"), 2, "give one of them alone"),
        (("select", "--show", "none", "--method", "random"), 2, "it takes nothing that makes one"),
        (("select", "--lang", "eng", "--task", "foreign.txt, "), 3, "the task and the corpus share only 0.0%"),
        (("select", "--remove", "none"), 3, "there is no selection 'none'; none is kept"),
        (("select", "--lang", "eng"), 2, "select needs the task: --task FILE"),
        (("select", "--lang", "eng", "--task", "talk.txt", "--share", "101"), 3, "a share of 101 % is not above 0"),
        (("select", "--lang", "eng", "--task", "talk.txt", "--method", "bilingual"), 2, "--to LANG"),
        (("select", "--lang", "eng", "--task", "talk.txt", "--spoken", "x"), 2, "are for --method coefficient"),
        (("perplexity", "x", "--model", "none"), 3, "there is no model 'none'"),
        (("model", "train", "x", "both", "--lang", "deu"), 3, "there are no sentences in deu"),
        (("similarity", "talk.txt", "--lang", "eng"), 3, "similarity is between two corpora or more"),
        (("similarity", "talk.txt", "short.txt", "--lang", "eng"), 3, "'short.txt' has no line of 3 characters"),
    ],
)
def test_bad_input_is_one_line_and_stores_nothing(run: Run, words: tuple[str, ...], code: int, message: str) -> None:
    Path("empty.txt").write_text("", encoding="utf-8")
    Path("short.txt").write_text("no\nme\n" * 900, encoding="utf-8")
    Path("foreign.txt").write_text(
        "".join(f"外国語の行{number}です。\n" for number in "一二三四五六七八九"), encoding="utf-8"
    )
    result = run(*words, "--quiet")
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr and len(result.stderr.splitlines()) == 1
    stored = "select (select count(*) from profile) + (select count(*) from char_model) as count"
    assert table(run("sql", stored))[0]["count"] == "0"
