"""The commands `align`, `translations` and `equivalents`, and aligned words as text."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest
from calls import Run
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import Result

from corpusdb.alignment.queries.equivalents import FoundEquivalent, FoundEquivalents, Pivot
from corpusdb.alignment.queries.pairs import LinkedPair
from corpusdb.alignment.queries.phrase_places import PhraseStanding, PhraseTranslation, Translations
from corpusdb.alignment.report import (
    equivalent_notes,
    equivalent_table,
    format_translations,
    translation_lines,
    translation_rows,
)
from corpusdb.base import tokenisation as sudachi
from corpusdb.base.cells import cell_width

FRENCH = "la maison .\nla fleur .\nune maison .\nune fleur .\n"
ENGLISH = "the house .\nthe flower .\na house .\na flower .\n"
LINKS = "0-0 1-1 2-2\n" * 4


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "source.fr", tmp_path / "ref.en"
    for path, content in zip(paths, (FRENCH, ENGLISH), strict=True):
        path.write_text(content, encoding="utf-8")
    return paths


def test_links_are_written_to_a_file_or_to_stdout(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    source, ref = files
    shown = run("align", "--source", source, "--ref", ref, "--tokenise", "none")
    assert (shown.exit_code, shown.stdout) == (0, LINKS)
    assert "links 12" in shown.stderr
    output = tmp_path / "links.txt"
    written = run("align", "--source", source, "--ref", ref, "-o", output, "--json")
    assert (written.exit_code, output.read_text()) == (0, LINKS)
    report = json.loads(written.stdout)
    assert report.pop("seconds") >= 0
    assert report == {"pairs": 4, "links": 12, "unlinked_source": 0, "unlinked_target": 0, "too_long": 0}


def test_units_are_linked_unless_tokens_are_given(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    source, ref = files
    source.write_text(FRENCH.replace(" .", "."), encoding="utf-8")
    tokens = tmp_path / "tokens.txt"
    assert run("align", "--source", source, "--ref", ref, "--tokens", tokens).stdout == LINKS
    assert tokens.read_text().splitlines()[0] == "la maison . ||| the house ."
    assert run("align", "--source", source, "--ref", ref, "--tokenise", "none,units").stdout.startswith("0-0 1-1")


def test_characters_that_are_linked_are_told(run: Run, files: tuple[Path, Path]) -> None:
    source, ref = files
    source.write_text("家\n花\nある家\nある花\n", encoding="utf-8")
    found = run("align", "--source", source, "--ref", ref)
    assert found.exit_code == 0
    assert "every character is a token" in found.stderr
    assert "every character" not in run("align", "--source", source, "--ref", ref, "--tokenise", "none").stderr


@pytest.mark.usefixtures("recorded_morphemes")
def test_a_japanese_file_is_cut_into_morphemes(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    source, ref = files
    lines = ("本は新しい。", "学校は新しい。", "本は近い。", "学校は近い。")
    source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    tokens = tmp_path / "tokens.txt"
    words = ("align", "--source", source, "--ref", ref, "--tokens", tokens)
    found = run(*words)
    assert found.exit_code == 0
    assert "source.fr: Japanese, cut into morphemes by sudachi-" in found.stderr
    assert tokens.read_text(encoding="utf-8").splitlines()[1] == "学校 は 新しい 。 ||| the flower ."
    assert run(*words, "--overwrite", "--tokenise", "ja-sudachi,units").stdout == found.stdout
    told = run(*words, "--overwrite", "--tokenise", "units").stderr
    assert "source.fr: words are not delimited there, and every character is a token; --tokenise ja-sudachi" in told


def test_without_morphemes_a_japanese_file_is_cut_into_characters(
    run: Run, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    monkeypatch.setattr(sudachi, "_opened", sudachi._opened.__wrapped__)
    source, ref = files
    source.write_text("本は\n" * 4, encoding="utf-8")
    found = run("align", "--source", source, "--ref", ref)
    assert found.exit_code == 0
    assert "every character is a token; --tokenise ja-sudachi cuts it into morphemes, with pip install" in found.stderr
    refused = run("align", "--source", source, "--ref", ref, "--tokenise", "ja-sudachi,units")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "pip install 'corpusdb[japanese]'" in refused.stderr


def test_links_are_compared_with_a_gold_standard(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    gold, output = tmp_path / "gold.txt", tmp_path / "links.txt"
    gold.write_text("0-0 1-1 2-2\n0-0 1?1\n0-0 1-1\n\n")
    words = ("align", "--source", files[0], "--ref", files[1], "--gold", gold, "-o", output, "--json")
    report = json.loads(run(*words).stdout)
    # 12 links found, 6 sure links which all are found, 7 of those found are possible.
    assert (report["precision"], report["recall"]) == (7 / 12, 1)
    assert report["aer"] == pytest.approx(1 - (6 + 7) / (12 + 6))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("ref.en", ENGLISH + "more\n", "ref.en:5: has no counterpart"),
        ("source.fr", FRENCH.replace("la fleur .", "  "), "source.fr:2: the line is blank"),
        ("source.fr", "", "source.fr: the file is empty"),
        ("gold.txt", "0-0\n0-7\n\n\n", "gold.txt:2: link 0-7: the target text has 3 words"),
    ],
)
def test_bad_files_are_told_with_the_line(
    run: Run, files: tuple[Path, Path], tmp_path: Path, name: str, content: str, told: str
) -> None:
    gold, output = tmp_path / "gold.txt", tmp_path / "links.txt"
    gold.write_text(LINKS)
    (tmp_path / name).write_text(content, encoding="utf-8")
    found = run("align", "--source", files[0], "--ref", files[1], "--gold", gold, "-o", output)
    assert (found.exit_code, found.stdout) == (3, "")
    assert told in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert not output.exists()


@pytest.mark.parametrize(
    ("words", "told"), [(["--tokenise", "x"], "unknown tokenisation 'x'"), (["--json"], "--output")]
)
def test_wrong_calls_are_usage_errors(run: Run, files: tuple[Path, Path], words: list[str], told: str) -> None:
    found = run("align", "--source", files[0], "--ref", files[1], *words)
    assert found.exit_code == 2
    assert told in found.stderr


def test_links_and_tokens_are_never_written_to_one_place(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    both = tmp_path / "both"
    for words in (("-o", both, "--tokens", both), ("--tokens", "-"), ("-o", "-", "--tokens", "-")):
        found = run("align", "--source", files[0], "--ref", files[1], *words)
        assert (found.exit_code, found.stdout) == (2, "") and "links and texts go to different files" in found.stderr
    assert not both.exists()


def test_standard_input_is_one_of_the_files(run: Run, files: tuple[Path, Path]) -> None:
    found = run("align", "--source", "-", "--ref", files[1], "--tokenise", "none", stdin=FRENCH)
    assert (found.exit_code, found.stdout) == (0, LINKS)
    twice = run("align", "--source", "-", "--ref", "-", stdin=FRENCH)
    assert (twice.exit_code, "given twice" in twice.stderr) == (2, True)


# The commands for aligned words, on small bitexts.


EquivalentsRun: TypeAlias = Callable[..., Result]
MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]

EQUIVALENTS_FRENCH = """\
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
def aligned(make_once: MakeOnce, run: EquivalentsRun, tmp_path: Path) -> EquivalentsRun:
    """Both bitexts, which are imported and aligned once; each test has a copy."""

    def fill(folder: Path) -> None:
        database = ("--db", folder / "corpus.db")
        for name, rows, languages in (("french", EQUIVALENTS_FRENCH, "eng,fra"), ("german", GERMAN, "eng,deu")):
            (folder / f"{name}.tsv").write_text(rows, encoding="utf-8")
            assert run(*database, "import", folder / f"{name}.tsv", "--lang", languages).exit_code == 0
            result = run(*database, "align", "--lang", languages, "--quiet")
            assert result.exit_code == 0, result.stderr

    shutil.copytree(make_once("commands-aligned", fill), tmp_path, dirs_exist_ok=True)
    return run


def test_what_was_aligned_is_told(aligned: EquivalentsRun) -> None:
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


def test_translations_with_an_example_of_each(aligned: EquivalentsRun) -> None:
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
    assert "'maison' occurs 6 times in 6 pairs of fra and eng sentences" in result.stderr
    assert "frequencies count a sentence once" in result.stderr


def test_translations_by_occurrence(aligned: EquivalentsRun, tmp_path: Path) -> None:
    """As often as the two sentences stand side by side, whatever else they stand beside."""
    lines = result_lines(aligned("translations", "maison", "--with", "en", "--occurrences"))
    assert {text: count for text, count, *_ in lines} == {"house": "3", "home": "3"}
    (tmp_path / "again.tsv").write_text("ma maison\tmy home\n" * 4 + "ma maison\tx\n", encoding="utf-8")
    assert aligned("import", "again.tsv", "--lang", "fra,eng", "--header", "no").exit_code == 0
    assert aligned("align", "--lang", "fra,eng").exit_code == 0
    result = aligned("translations", "maison", "--with", "en", "--occurrences")
    found = {text: int(count) for text, count, *_ in result_lines(result)}
    assert (found["house"], found["home"], sum(found.values())) == (3, 7, 11)
    assert "'maison' occurs 11 times in 11 pairs of fra and eng sentences" in result.stderr
    assert "every occurrence of a sentence pair counts" in result.stderr
    once = {text: int(count) for text, count, *_ in result_lines(aligned("translations", "maison", "--with", "en"))}
    assert (once["house"], once["home"], sum(once.values())) == (3, 3, 7)
    assert aligned("translations", "maison", "--with", "en", "--occurrences", "--sketch").exit_code == 2


def result_lines(result: Result) -> list[list[str]]:
    return [line.split("\t") for line in result.stdout.splitlines()[1:]]


def test_a_table_fits_the_terminal_and_other_formats_tell_all(
    aligned: EquivalentsRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = " ".join(["and so it goes on"] * 20)
    (tmp_path / "long.tsv").write_text(f"zebra {long}\tzèbre {long}\nx\ty\n", encoding="utf-8")
    assert aligned("import", "long.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    for columns in (80, 40):
        monkeypatch.setenv("COLUMNS", str(columns))
        for words in (("translations", "zebra", "--with", "fra"), ("translations", "house", "--with", "fra")):
            table = aligned(*words, "--lang", "eng", "--format", "table").stdout
            assert table and max(map(len, table.splitlines())) <= columns
        lines = aligned("translations", "house", "--with", "fra", "--lang", "eng", "--format", "table").stdout
        assert lines.startswith("translation  count  share\n"), "whatever stdout is"
        assert "[zebra]" in aligned("translations", "zebra", "--with", "fra", "--format", "table").stdout
        table = aligned("equivalents", "house", "--format", "table").stdout
        assert "home" in table
    assert long in aligned("translations", "zebra", "--with", "fra", "--format", "tsv").stdout
    assert long in aligned("translations", "zebra", "--with", "fra", "--json").stdout


def test_words_with_their_company(aligned: EquivalentsRun) -> None:
    result = aligned("translations", "house", "--with", "fra,deu", "--sketch", "-n", "1")
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert lines[0] == ["language", "text", "count", "share", "before", "after"]
    assert [line[:2] for line in lines[1:]] == [["eng", "house"], ["fra", "maison"], ["deu", "Haus"]]
    assert "'house' occurs" in result.stderr
    told = json.loads(aligned("translations", "house", "--with", "fra,deu", "--sketch", "-n", "1", "--json").stdout)
    assert [(each["language"], each["text"]) for each in told] == [tuple(line[:2]) for line in lines[1:]]
    assert aligned("translations", "zebra", "--with", "fra", "--sketch", "--lang", "eng").exit_code == 1


def test_words_that_are_aligned_with_nothing_are_said(aligned: EquivalentsRun) -> None:
    found = Translations("well", "eng", "fra", occurrences=4, unlinked=3, unpaired=1, total=0, members=())
    assert translation_rows(found) == [("(nothing)", 3, 0.75, None, None)]
    assert format_translations(found) == (
        "'well' occurs 4 times in pairs of eng and fra sentences; once aligned only within a longer phrase"
    )
    standing = PhraseStanding("fra", pairs=3, places=4, aligned=1)
    several = replace(found, text="as well", standing=standing)
    assert format_translations(several) == (
        "'as well' occurs 4 times in 3 pairs of eng and fra sentences; once aligned only within a longer phrase;"
        " --cooccurring looks at all words of the translations"
    )
    result = aligned("translations", "nowhere", "--with", "fra", "--lang", "eng")
    assert (result.exit_code, result.stdout.splitlines()[1:]) == (1, [])


def test_equivalents_and_what_they_come_through(aligned: EquivalentsRun) -> None:
    result = aligned("equivalents", "House")
    assert "'house' in eng, through deu, fra" in result.stderr
    (found,) = json.loads(aligned("equivalents", "house", "--json").stdout)["members"]
    assert result.stdout.splitlines() == [
        "equivalent\tprobability\tcount\tlanguages\tcontexts\tthrough",
        f"home\t{round(found['probability'], 2)}\t3\tfra\t\tfra maison (3, 3)",
    ]
    through = json.loads(aligned("equivalents", "house", "--through", "fra", "--json").stdout)
    assert [(each["text"], each["pivot"]) for each in through["members"]] == [("home", 0.5)]
    assert aligned("equivalents", "house", "--languages", "2").exit_code == 1


def test_forms_and_what_is_less_probable_are_shown_where_somebody_asks(aligned: EquivalentsRun) -> None:
    def shown(*more: str) -> list[str]:
        return [line.split("\t")[0] for line in aligned("equivalents", "house", *more).stdout.splitlines()[1:]]

    assert shown() == shown("--all") == shown("--forms", "--probability", "0", "-n", "0") == ["home"]
    assert shown("--probability", "1") == []


def test_what_is_beside_equivalents_is_said(aligned: EquivalentsRun) -> None:
    """Of none, why there is none, and what shows more."""
    (home,) = json.loads(aligned("equivalents", "house", "--json").stdout)["members"]
    nearest = math.floor(home["probability"] * 100) / 100
    result = aligned("equivalents", "house", "--probability", "1")
    assert (result.exit_code, result.stderr.splitlines()[1:]) == (
        1,
        [
            f"corpusdb: nothing that shares its translations is probable enough; nearest: home {nearest:.2f}",
            "corpusdb: `corpusdb equivalents --lang eng --probability 0.9 house` shows what is nearest",
        ],
    )
    seldom = aligned("equivalents", "house", "--min-count", "9").stderr
    assert "with the same words often enough; it is aligned " in seldom
    assert "--min-count 1 asks for less evidence; `corpusdb translations --lang eng --with " in seldom
    found = FoundEquivalents("well", "eng", ("deu", "fra"), 0, 4, 0, (), (("good", 0.299),), (7, 80))
    assert list(equivalent_notes(found, with_rejected=False))[1:] == [
        "nothing that shares its translations is probable enough; nearest: good 0.29",
        "--all shows all, with its forms; `corpusdb translations --lang eng --with fra well` shows its senses",
    ]
    assert list(equivalent_notes(replace(found, total=1), with_rejected=False))[1:] == [
        "4 more are less probable; --all shows them, and other forms"
    ]


def test_the_pairs_of_a_translation(aligned: EquivalentsRun) -> None:
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


def test_what_is_rejected_is_left_out_until_it_is_taken_back(aligned: EquivalentsRun) -> None:
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


def test_nothing_is_rejected_where_one_of_several_is_wrong(aligned: EquivalentsRun) -> None:
    assert aligned("rejections", "add", "house", "home", "House").exit_code == 2
    assert aligned("rejections", "list").stdout.splitlines()[1:] == []


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("equivalents", "nowhere"), 2, "'nowhere' occurs in no pair of sentences that is aligned (deu, eng, fra)"),
        (("equivalents", "house", "--lang", "jpn"), 3, "no sentences in jpn; there are some in deu, eng, fra"),
        (("equivalents", "house", "--through", "jpn"), 3, "no sentences in jpn; there are some in deu, eng, fra"),
        (("equivalents", "house", "--same-context", "2"), 3, "eng has no index of contexts"),
        (("equivalents", " ", "--lang", "eng"), 2, "a phrase has at least one word"),
        (("rejections", "add", "house", "House"), 2, "'house' is one phrase: two are not equivalents of each other"),
        (("rejections", "add", "nowhere", "house"), 2, "'nowhere' occurs in no pair of sentences that is aligned"),
        (("rejections", "add", "house", " "), 2, "a phrase has at least one word"),
        (("rejections", "list", "--lang", "xx"), 3, "unknown language code 'xx'"),
        (("translations", "house", "--with", "fra", "--pairs", " "), 2, "a phrase has at least one word"),
        (("translations", "house", "--with", "xx"), 3, "unknown language code 'xx'"),
        (("translations", "house", "--with", "eng"), 2, "occurs in no pair"),
        (("translations", "house", "--with", "eng", "--lang", "eng"), 2, "of two languages, not of eng with itself"),
        (("translations", "house", "--with", "eng,fra,deu"), 2, "only deu, eng, fra are aligned, and"),
        (("equivalents", "house", "--lang", "eng", "--through", "eng"), 2, "two languages, not of eng with itself"),
        (
            ("translations", "house", "--with", "jpn", "--lang", "eng", "--cooccurring"),
            3,
            "no sentences in jpn; there are some in deu, eng, fra",
        ),
        (("translations", "house", "--with", "fra,deu", "--cooccurring"), 2, "--cooccurring is of the"),
        (("translations", "house", "--with", "fra", "--sketch", "--cooccurring"), 2, "--sketch and --cooc"),
        (("translations", "[]", "--with", "fra", "--sketch"), 2, "--sketch is of a word"),
        (("translations", "house", "--with", "fra", "--sketch", "--min-count", "2"), 2, "--min-count is for the list"),
        (("align", "--lang", "eng,fra", "--method", "union"), 2, "--method is for files"),
        (("align", "--lang", "eng"), 2, "--lang takes two languages"),
        (("align", "--lang", "eng,jpn"), 3, "no sentence in eng has a translation in jpn"),
        (("align", "--lang", "eng,fra", "--source", "french.tsv"), 2, "--source is for files"),
        (("align", "--source", "french.tsv"), 2, "align needs --lang A,B for the database, or two files"),
        (("align", "--source", "french.tsv", "--ref", "french.tsv", "--retrain"), 2, "--retrain is for --lang"),
    ],
)
def test_what_cannot_be_answered_is_one_line(
    aligned: EquivalentsRun, words: tuple[str, ...], code: int, told: str
) -> None:
    result = aligned(*words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr.splitlines()[-1]


def test_nothing_is_aligned_yet(run: EquivalentsRun, corpus: Path) -> None:
    result = run("equivalents", "beer")
    assert result.exit_code == 3 and "nothing is aligned yet; run `corpusdb align" in result.stderr


def test_words_are_rejected_before_anything_is_aligned(run: EquivalentsRun, corpus: Path) -> None:
    assert run("rejections", "add", "beer", "tea").exit_code == 3
    assert run("rejections", "add", "beer", "tea", "--lang", "en").exit_code == 0
    assert run("rejections", "list").stdout.split("\n")[1].split("\t")[:3] == ["eng", "beer", "tea"]


def test_translations_in_several_languages(aligned: EquivalentsRun) -> None:
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


def test_all_that_a_query_matches_is_counted_together(aligned: EquivalentsRun) -> None:
    """As its words are, each by itself, whose links were counted when they were aligned."""

    def counts(asked: str) -> Counter[str]:
        result = aligned("translations", asked, "--lang", "eng", "--with", "deu", "-n", "0", "--json")
        return Counter({each["text"]: each["count"] for each in json.loads(result.stdout)["members"]})

    assert counts("house")["Haus"] > 1
    assert counts('"house"%c') == counts("house")
    assert counts('"house|flower"%c') == counts("house") + counts("flower")
    asked = ("translations", '"house"%c', "--lang", "eng", "--with", "deu", "--pairs", "haus", "-n", "0", "--json")
    assert len(json.loads(aligned(*asked).stdout)["pairs"]) == counts("house")["Haus"]
    missing = aligned("translations", "hou?se", "--lang", "eng", "--with", "deu")
    assert missing.exit_code == 1 and """as a CQP query: '"hou?se"%c'""" in missing.stderr


def test_a_phrase_is_told_as_it_was_typed_and_of_how_many_places_its_shares_are(
    run: EquivalentsRun, tmp_path: Path
) -> None:
    """The call that is recommended finds it: with its hyphens, and with its apostrophes."""
    rows = ["I have a date today.\tJ'ai un rendez-vous aujourd'hui.", "Date!\tRendez-vous !", "It rains.\tIl pleut."]
    (tmp_path / "rows.tsv").write_text("\n".join(rows), encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    assert run("align", "--lang", "eng,fra").exit_code == 0
    for text in ("rendez-vous aujourd'hui", "un rendez-vous aujourd’hui"):  # whichever apostrophe was typed
        said = run("translations", text, "--with", "eng", "--lang", "fra")
        assert f"{text!r} occurs once in 1 pair of fra and eng sentences" in said.stderr
    assert run("translations", "date today", "--with", "fra", "--pairs", "rendez-vous aujourd’hui").exit_code == 0
    found = json.loads(run("translations", "rendez-vous", "--with", "eng", "--lang", "fra", "--json").stdout)
    assert (found["standing"]["pairs"], found["standing"]["places"]) == (2, 2)
    assert found["occurrences"] == 2
    found = json.loads(run("equivalents", "rendez-vous", "--lang", "fra", "--json").stdout)
    assert [(each["other"], each["pairs"]) for each in found["standing"]] == [("eng", 2)]


def test_what_is_aligned_as_a_whole_nowhere_is_no_phrase_that_is_missing(run: EquivalentsRun, tmp_path: Path) -> None:
    """look forward to stands there, and nothing in French stands for all of it."""
    rows = [("I look forward to it.", "J'ai hâte."), ("We sing.", "On chante."), ("l’eau", "l’eau"), ("l'air", "l'air")]
    (tmp_path / "rows.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in rows), encoding="utf-8")
    (tmp_path / "more.txt").write_text("We dance.\n", encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    assert run("align", "--lang", "eng,fra").exit_code == 0
    for phrase in ("look forward to", "look forward to it"):  # as long as it may be
        told = f"{phrase!r} occurs once in 1 pair of eng and fra sentences"
        assert told in run("translations", phrase, "--with", "fra").stderr
    assert run("import", "more.txt", "--lang", "eng").exit_code == 0
    told = "'we dance' occurs in 1 sentence of eng and in no aligned pair with fra; `corpusdb search --word --lang eng"
    assert told in run("translations", "we dance", "--with", "fra", "--lang", "eng").stderr
    assert run("translations", "sing hymns", "--with", "fra", "--lang", "eng").stderr.endswith(
        "'sing hymns' occurs in no eng sentence\n"
    )
    told = "'look forward to' is aligned as a whole in no eng sentence; it occurs in 1 pair of eng and fra sentences"
    assert told in run("equivalents", "look forward to").stderr
    for apostrophe in "'’":
        result = run("translations", f"l{apostrophe}", "--with", "eng", "--lang", "fra")
        assert f"l{apostrophe}" in result.stderr
        assert "with the other apostrophe once more" in result.stderr


# Aligned words as text: examples that fit the width and keep what is marked in sight.


texts = st.text("ab 学校\u0301\x1b", max_size=60)


def found(*pairs: tuple[tuple[str, str, str], tuple[str, str, str]]) -> Translations:
    """Each side as what is before the mark, the mark, and what is behind it."""
    members = []
    for own, theirs in pairs:
        marks = [(len(side[0]), len(side[0]) + len(side[1])) for side in (own, theirs)]
        example = LinkedPair("".join(own), "".join(theirs), (), (), (), (marks[0],), (marks[1],))
        members.append(PhraseTranslation(theirs[1], 1, 1.0, example))
    return Translations("x", "eng", "fra", 1, 0, 0, len(members), tuple(members))


@given(st.lists(st.tuples(*[st.tuples(texts, texts, texts)] * 2), max_size=4), st.integers(22, 120))
def test_lines_are_never_wider_than_the_terminal(
    pairs: list[tuple[tuple[str, str, str], tuple[str, str, str]]], width: int
) -> None:
    lines = list(translation_lines(found(*pairs), width))
    assert len(lines) == len(pairs)
    for line, (own, theirs) in zip(lines, pairs, strict=True):
        assert cell_width(line) <= width
        assert "\x1b" not in line
        most = (width - 2) // 2
        for side in (own, theirs):
            if cell_width("".join(side)) + 2 <= most and "\x1b" not in "".join(side):
                assert f"{side[0]}[{side[1]}]{side[2]}" in line, "what fits is whole"


def test_what_is_marked_stays_in_sight() -> None:
    own, theirs = ("one two three four five six ", "seven", " eight nine ten"), ("a " * 40, "b", " c" * 40)
    (line,) = translation_lines(found((own, theirs)), 42)
    assert line == "… six [seven] eight…  … a a a [b] c c c c…"
    start, end = ("", "seven", " eight nine ten eleven"), ("one two three four five ", "six", "")
    (line,) = translation_lines(found((start, end)), 42)
    assert line == "[seven] eight nine …  …ree four five [six]"
    (line,) = translation_lines(found((("", "a" * 30, ""), ("", "b", ""))), 42)
    assert line == f"[{'a' * 18}…  [b]"
    (line,) = translation_lines(found((own, theirs)), 200)
    assert line.startswith("one two three four five six [seven] eight nine ten  …")


@given(st.lists(st.tuples(texts, texts), max_size=4), st.integers(80, 140))
def test_rows_of_equivalents_fit_a_table(phrases: list[tuple[str, str]], width: int) -> None:
    pivots = [Pivot("fra", pivot, 12, 345, 0.1, "", "") for _, pivot in phrases]
    members = tuple(
        FoundEquivalent(text, 0.25, 0.25, 1234, ("deu", "fra"), 3, (pivot,))
        for (text, _), pivot in zip(phrases, pivots, strict=True)
    )
    found = FoundEquivalents("x", "eng", ("deu", "fra"), len(members), 0, 0, members)
    for with_rejected in (False, True):
        names, rows = equivalent_table(found, width, with_rejected=with_rejected)
        columns = zip(names, *([str(cell) for cell in row] for row in rows), strict=True)
        if not with_rejected or width >= 90:
            assert sum(max(map(cell_width, column)) for column in columns) + 2 * (len(names) - 1) <= width
    _, whole = equivalent_table(found, with_rejected=False)
    assert [row[0] for row in whole] == [text for text, _ in phrases]
