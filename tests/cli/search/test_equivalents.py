"""The commands for aligned words, on small bitexts."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.alignment.queries.phrase_places import PhraseStanding, Translations
from corpusdb.alignment.report import translation_rows, translations_told

Run: TypeAlias = Callable[..., Result]

FRENCH = """\
english	french
the house	la maison
a house	une maison
my home	ma maison
the home	la maison
big house	grande maison
the flower	la fleur
a flower	une fleur
my flower	ma fleur
old home	vieille maison
well , the flower	la fleur
"""
GERMAN = """\
english	german
the house	das Haus
a house	ein Haus
the flower	die Blume
a flower	eine Blume
"""


@pytest.fixture
def aligned(run: Run, tmp_path: Path) -> Run:
    for name, rows, languages in (("french", FRENCH, "eng,fra"), ("german", GERMAN, "eng,deu")):
        (tmp_path / f"{name}.tsv").write_text(rows, encoding="utf-8")
        assert run("import", f"{name}.tsv", "--lang", languages).exit_code == 0
        result = run("align", "--lang", languages, "--quiet")
        assert result.exit_code == 0, result.stderr
    return run


def test_what_was_aligned_is_told(aligned: Run) -> None:
    result = aligned("align", "--lang", "fr,en", "--json")
    report = json.loads(result.stdout)
    assert report.pop("seconds") >= 0 and report.pop("phrase_pairs") > 5
    assert report == {
        "source": "eng",
        "target": "fra",
        "source_tokens": "words",
        "target_tokens": "words",
        "trained": 0,
        "pairs": 0,
        "links": 0,
        "unlinked_source": 0,
        "unlinked_target": 0,
        "too_long": 0,
        "aligned": 10,
        "without_links": 0,
        "advice": [],
    }
    again = aligned("align", "--lang", "eng,fra", "--retrain").stdout
    assert "pairs trained on\t10\n" in again and "pairs aligned now\t10\n" in again


def test_translations_with_an_example_of_each(aligned: Run) -> None:
    result = aligned("translations", "maison", "--with", "en")
    assert result.stdout.splitlines() == [
        "translation\tcount\tshare\texample\texample_translation",
        "house\t3\t0.5\tla [maison]\tthe [house]",
        "home\t3\t0.5\tma [maison]\tmy [home]",
    ] or result.stdout.splitlines() == [
        "translation\tcount\tshare\texample\texample_translation",
        "home\t3\t0.5\tma [maison]\tmy [home]",
        "house\t3\t0.5\tla [maison]\tthe [house]",
    ]
    assert "'maison' stands 6 times in 6 pairs of fra and eng sentences" in result.stderr
    assert "frequencies count a sentence once" in result.stderr


def test_a_table_fits_the_terminal_and_other_formats_tell_all(
    aligned: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = " ".join(["and so it goes on"] * 20)
    (tmp_path / "long.tsv").write_text(f"zebra {long}\tzèbre {long}\nx\ty\n", encoding="utf-8")
    assert aligned("import", "long.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    for columns in (80, 40):
        monkeypatch.setenv("COLUMNS", str(columns))
        for words in (("translations", "zebra", "--with", "fra"), ("translations", "house", "--with", "fra")):
            table = aligned(*words, "--lang", "eng", "--format", "table").stdout
            assert table and max(map(len, table.splitlines())) <= columns
        assert "[zebra]" in aligned("translations", "zebra", "--with", "fra", "--format", "table").stdout
        table = aligned("equivalents", "house", "--format", "table").stdout
        assert "home" in table
    assert long in aligned("translations", "zebra", "--with", "fra", "--format", "tsv").stdout
    assert long in aligned("translations", "zebra", "--with", "fra", "--json").stdout


def test_words_that_are_aligned_with_nothing_are_said(aligned: Run) -> None:
    found = Translations("well", "eng", "fra", occurrences=4, unlinked=3, unpaired=1, total=0, members=())
    assert translation_rows(found) == [("(nothing)", 3, 0.75, None, None)]
    assert translations_told(found) == (
        "'well' stands 4 times in pairs of eng and fra sentences, once as a part of longer phrases only"
    )
    standing = PhraseStanding("fra", pairs=3, places=4, aligned=2)
    several = replace(found, text="as well", occurrences=2, unpaired=0, has_several_words=True, standing=standing)
    assert translations_told(several) == (
        "'as well' stands 4 times in 3 pairs of eng and fra sentences, and is aligned as a whole 2 times, 50 %; the"
        " shares are of these, and `corpusdb search` finds all places"
    )
    doubtful = replace(several, standing=replace(standing, pairs=177, places=177, aligned=12))
    assert "is aligned as a whole 12 times, 7 %: too few for shares to be trusted" in translations_told(doubtful)
    result = aligned("translations", "nowhere", "--with", "fra", "--lang", "eng")
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (1, [])


def test_equivalents_and_what_they_come_through(aligned: Run) -> None:
    result = aligned("equivalents", "House")
    assert result.stdout.splitlines() == [
        "equivalent\tpivot\tcount\tlanguages\tcontexts\tthrough",
        "home\t0.25\t3\tfra\t\tfra maison (3, 3)",
    ]
    assert "'house' in eng, through deu, fra" in result.stderr
    through = json.loads(aligned("equivalents", "house", "--through", "fra", "--json").stdout)
    assert [(each["text"], each["pivot"]) for each in through["members"]] == [("home", 0.5)]
    assert aligned("equivalents", "house", "--languages", "2").exit_code == 1


def test_the_pairs_of_a_translation(aligned: Run) -> None:
    result = aligned("translations", "HOUSE", "--with", "fra", "--pairs", "maison")
    assert result.stdout.splitlines() == [
        "sentence\ttranslation",
        "the [house]\tla [maison]",
        "a [house]\tune [maison]",
        "big [house]\tgrande [maison]",
    ]
    result = aligned("translations", "well", "--with", "fra", "--pairs", "")
    assert result.stdout.splitlines()[1:] == []
    assert result.exit_code == 1
    result = aligned("translations", "house", "--with", "fra", "--pairs", "maison", "-n", "2", "--json")
    found = json.loads(result.stdout)
    assert (len(found["pairs"]), found["is_all"], "more than 2 pairs" in result.stderr) == (2, False, True)
    assert found["pairs"][0]["marks"] == [[4, 9]]


def test_what_is_rejected_is_left_out_until_it_is_taken_back(aligned: Run) -> None:
    before = aligned("equivalents", "house", "--json").stdout
    result = aligned("rejections", "add", "House", "HOME", "flower", "--json")
    assert json.loads(result.stdout) == {
        "language": "eng",
        "word": "House",
        "others": ["HOME", "flower"],
        "changed": 2,
        "rejected": 2,
    }
    result = aligned("equivalents", "house")
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (1, [])
    assert "1 rejected; --rejected shows what" in result.stderr
    result = aligned("equivalents", "home", "--rejected")
    columns, row = (line.split("\t") for line in result.stdout.splitlines())
    assert (columns[-1], row[0], row[-1]) == ("rejected", "house", "rejected")
    listed = aligned("rejections", "list").stdout.splitlines()
    assert [line.split("\t")[:3] for line in listed[1:]] == [["eng", "flower", "house"], ["eng", "home", "house"]]
    assert aligned("rejections", "list", "--lang", "fra").stdout.splitlines()[1:] == []
    result = aligned("rejections", "remove", "home", "house", "flower")
    assert result.stdout.splitlines() == [
        "language\teng",
        "word\thome",
        "others\thouse, flower",
        "changed\t1",
        "rejected in all\t1",
    ]
    assert aligned("equivalents", "house", "--json").stdout == before


def test_nothing_is_rejected_where_one_of_several_is_wrong(aligned: Run) -> None:
    assert aligned("rejections", "add", "house", "home", "House").exit_code == 2
    assert aligned("rejections", "list").stdout.splitlines()[1:] == []


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("equivalents", "nowhere"), 2, "'nowhere' stands in no pair of sentences that is aligned (deu, eng, fra)"),
        (("equivalents", "house", "--lang", "jpn"), 3, "no sentences in jpn; there are some in deu, eng, fra"),
        (("equivalents", "house", "--through", "jpn"), 3, "no sentences in jpn; there are some in deu, eng, fra"),
        (("equivalents", "house", "--same-context", "2"), 3, "eng has no index of contexts"),
        (("equivalents", " ", "--lang", "eng"), 2, "a phrase has at least one word"),
        (("rejections", "add", "house", "House"), 2, "'house' is one phrase: two are no equivalents of each other"),
        (("rejections", "add", "nowhere", "house"), 2, "'nowhere' stands in no pair of sentences that is aligned"),
        (("rejections", "add", "house", " "), 2, "a phrase has at least one word"),
        (("rejections", "list", "--lang", "xx"), 3, "unknown language code 'xx'"),
        (("translations", "house", "--with", "fra", "--pairs", " "), 2, "a phrase has at least one word"),
        (("translations", "house", "--with", "xx"), 3, "unknown language code 'xx'"),
        (("translations", "house", "--with", "eng"), 2, "stands in no pair"),
        (("align", "--lang", "eng"), 2, "--lang takes two languages"),
        (("align", "--lang", "eng,jpn"), 3, "no sentence in eng has a translation in jpn"),
        (("align", "--lang", "eng,fra", "--source", "french.tsv"), 2, "--source is for files"),
        (("align", "--source", "french.tsv"), 2, "align needs --lang A,B for the database, or two files"),
        (("align", "--source", "french.tsv", "--ref", "french.tsv", "--retrain"), 2, "--retrain is for --lang"),
    ],
)
def test_what_cannot_be_answered_is_one_line(aligned: Run, words: tuple[str, ...], code: int, told: str) -> None:
    result = aligned(*words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr.splitlines()[-1]


def test_nothing_is_aligned_yet(run: Run, corpus: Path) -> None:
    result = run("equivalents", "beer")
    assert result.exit_code == 3 and "nothing is aligned yet; run `corpusdb align" in result.stderr


def test_words_are_rejected_before_anything_is_aligned(run: Run, corpus: Path) -> None:
    assert run("rejections", "add", "beer", "tea").exit_code == 3
    assert run("rejections", "add", "beer", "tea", "--lang", "en").exit_code == 0
    assert run("rejections", "list").stdout.split("\n")[1].split("\t")[:3] == ["eng", "beer", "tea"]


def test_translations_in_several_languages(aligned: Run) -> None:
    options = ("translations", "house", "--lang", "eng", "--with")
    result = aligned(*options, "fra, deu")
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[0][:3] == ["language", "translation", "count"]
    for code in ("fra", "deu"):
        alone = [line.split("\t") for line in aligned(*options, code).stdout.splitlines()]
        assert [row[1:] for row in rows if row[0] == code] == alone[1:] != []
    assert [each["other"] for each in json.loads(aligned(*options, "fra,deu", "--json").stdout)] == ["fra", "deu"]
    assert aligned(*options, "fra,deu", "--format", "table").stdout.startswith("fra\ntranslation")
    assert aligned("translations", "house", "--with", "fra,deu", "--pairs", "maison").exit_code == 2


def test_a_query_over_tokens_is_sent_to_the_search_that_takes_it(aligned: Run) -> None:
    """A lemma has no links of its own: the translations of its sentences are counted by search."""
    refused = aligned("translations", '[lemma="go"]', "--with", "fra", "--lang", "eng")
    call = """corpusdb search --cqp '[lemma="go"]' --with fra --lang eng` --group translation"""
    assert refused.exit_code == 2
    assert call.replace("`", "") in refused.stderr
    asked = ("search", "--cqp", "[]", "--with", "fra", "--lang", "eng", "--group", "translation", "--json")
    assert json.loads(aligned(*asked).stdout)["groups"]


def test_a_phrase_is_told_as_it_was_typed_and_of_how_many_places_its_shares_are(run: Run, tmp_path: Path) -> None:
    """The call that is recommended finds it: with its hyphens, and with its apostrophes."""
    rows = ["I have a date today.\tJ'ai un rendez-vous aujourd'hui.", "Date!\tRendez-vous !", "It rains.\tIl pleut."]
    (tmp_path / "rows.tsv").write_text("\n".join(rows), encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    assert run("align", "--lang", "eng,fra").exit_code == 0
    for text in ("rendez-vous aujourd'hui", "un rendez-vous aujourd'hui"):
        said = run("translations", text, "--with", "eng", "--lang", "fra").stderr
        assert repr(text) in said
        (call,) = re.findall("`(.*)`", said)
        assert run(*shlex.split(call)[1:]).exit_code == 0
    found = json.loads(run("translations", "rendez-vous", "--with", "eng", "--lang", "fra", "--json").stdout)
    assert (found["standing"]["pairs"], found["standing"]["places"]) == (2, 2)
    assert found["standing"]["aligned"] == found["occurrences"]
    found = json.loads(run("equivalents", "rendez-vous", "--lang", "fra", "--json").stdout)
    assert [(each["other"], each["pairs"]) for each in found["standing"]] == [("eng", 2)]


def test_what_is_aligned_as_a_whole_nowhere_is_no_phrase_that_is_missing(run: Run, tmp_path: Path) -> None:
    """look forward to stands there, and nothing in French stands for all of it."""
    rows = [("I look forward to it.", "J'ai hâte."), ("We sing.", "On chante."), ("l’eau", "l’eau"), ("l'air", "l'air")]
    (tmp_path / "rows.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in rows), encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    assert run("align", "--lang", "eng,fra").exit_code == 0
    result = run("translations", "look forward to", "--with", "fra")
    assert result.exit_code == 1
    told = "'look forward to' stands in 1 sentence of eng and in 1 pair of eng and fra sentences, aligned as a whole"
    told += " with nothing in fra"
    assert f"{told}; `corpusdb search --word --lang eng --with fra 'look forward to'` shows them" in result.stderr
    assert run("translations", "sing hymns", "--with", "fra", "--lang", "eng").stderr.endswith(
        "'sing hymns' stands in no eng sentence\n"
    )
    told = "'look forward to' is aligned as a whole in no eng sentence; it stands in 1 pair of eng and fra sentences"
    assert told in run("equivalents", "look forward to").stderr
    for apostrophe in "'’":
        result = run("translations", f"l{apostrophe}", "--with", "eng", "--lang", "fra")
        assert f"l{apostrophe}" in result.stderr
        assert "with the other apostrophe once more" in result.stderr
