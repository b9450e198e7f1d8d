"""The commands that count, on the sentences of the paper; and that they agree on what they count."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, get_args

import pytest
from calls import Run
from typer.testing import Result

from corpusdb.corpus.store import open_store
from corpusdb.search.queries.collocations import Association

# The commands that count, on the sentences of the paper.
MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]


def table(result: Result) -> list[list[str]]:
    assert result.exit_code == 0, result.stderr
    return [line.split("\t") for line in result.stdout.splitlines()]


@pytest.fixture
def two(run: Run, corpus: Path, tmp_path: Path) -> Path:
    """The same with a second collection, of one sentence."""
    (tmp_path / "tea.tsv").write_text("tea please\tthé\n", encoding="utf-8")
    assert run("import", "tea.tsv", "--lang", "eng,fra").exit_code == 0
    return corpus


def test_a_frequency_list(run: Run, corpus: Path) -> None:
    result = run("frequencies", "--lang", "en", "-n", "2")
    assert table(result) == [
        ["text", "count", "per_million", "sentences"],
        [",", "6", "122449", "6"],
        [".", "6", "122449", "6"],
    ]
    assert "49 tokens counted, 16 different (case-sensitive), in 7 different eng sentences" in result.stderr
    assert "14 more rows; `-n 0` shows all 16" in result.stderr
    paper = run("frequencies", "--lang", "en", "-n", "1", "--format", "latex").stdout.splitlines()
    assert (paper[2], paper[4]) == (r"text & count & per million & sentences \\", r", & 6 & 122,449 & 6 \\")
    assert paper[-1].startswith("% made by corpusdb ")


def test_ngrams_of_words(run: Run, corpus: Path) -> None:
    result = run("frequencies", "--lang", "eng", "--ngram", "2", "--words-only", "-i", "--least", "3", "--pattern", "I")
    assert [row[:2] for row in table(result)[1:]] == [["'d like", "3"], ["i 'd", "3"], ["like a", "3"]]


def test_ngrams_of_several_lengths_are_in_one_list(run: Run, corpus: Path) -> None:
    """As those of each length, each per million of its own; as many were counted as by themselves."""
    asked = ("frequencies", "--lang", "eng", "-n", "0", "--json", "--ngram")
    *apart, together = (json.loads(run(*asked, lengths).stdout) for lengths in ("2", "3", "4", "2-4"))
    rows = [row for each in apart for row in each["rows"]]
    assert together["rows"] == sorted(rows, key=lambda row: (-row["count"], row["text"]))
    for name in ("total", "distinct", "found"):
        assert together[name] == sum(each[name] for each in apart)
    told = run("frequencies", "--lang", "eng", "--ngram", "2-4", "--open-slot", "--words-only").stderr
    assert "an open slot is inside an n-gram" in told
    told = run("frequencies", "--lang", "eng", "--ngram", "2-4").stderr
    assert f"{together['total']} sequences of 2 to 4 tokens counted" in told


def test_characters_as_json(run: Run, corpus: Path) -> None:
    document = json.loads(run("frequencies", "--lang", "fra", "--unit", "char", "-n", "1", "--json").stdout)
    row = {"text": "␣", "count": 40, "per_million": pytest.approx(40e6 / 242), "sentences": 6}
    row |= dict.fromkeys(("dispersion", "fillers", "trend"))
    assert document == {"total": 242, "distinct": 28, "found": 28, "sentences": 6, "rows": [row], "alike": 0}


def test_dispersion(run: Run, two: Path) -> None:
    found = table(run("frequencies", "--lang", "eng", "--dispersion", "-n", "1"))
    assert found == [
        ["text", "count", "per_million", "sentences", "range", "juilland_d", "dp", "dp_norm", "arf"],
        ["please", "7", "137255", "7", "2", "0.3934", "0.1036", "0.1079", "5.706"],
    ]
    document = json.loads(run("frequencies", "--lang", "eng", "--dispersion", "-n", "1", "--json").stdout)
    assert document["rows"][0]["dispersion"]["range"] == 2


def test_collocates(run: Run, corpus: Path) -> None:
    result = run("collocates", "beer", "--lang", "eng", "--left", "1", "--right", "0", "--least", "1", "-n", "1")
    assert table(result) == [
        ["text", "count", "frequency", "expected", "loglikelihood", "mi", "t", "logdice", "left", "right"],
        ["a", "2", "4", "0.2609", "7.184", "2.939", "1.23", "13.19", "2", "0"],
    ]
    assert "the token 'beer' occurs 3 times, case-sensitive, with 3 tokens around it, counting each" in result.stderr
    for asked, told in ((("a beer",), "'a beer' occurs"), (("be+r", "-e"), "what 'be+r' matches occurs 3 times")):
        assert f"corpusdb: {told}" in run("collocates", *asked, "--lang", "eng").stderr
    words = ("text", "count", "left", "right", "frequency", "loglikelihood", "mi", "logdice")
    assert run("collocates", "beer", "--lang", "eng", "--format", "table").stdout.split()[: len(words)] == [*words]
    document = json.loads(run("collocates", "beer", "--lang", "eng", "--window", "1", "--least", "1", "--json").stdout)
    assert (document["nodes"], document["window_tokens"], document["tokens"]) == (3, 6, 46)


@pytest.mark.parametrize("arguments", [("BEER", "-i"), ("be+r", "-e"), ("B..R", "-e", "-i")])
def test_the_node_can_be_a_pattern_in_any_case(arguments: tuple[str, ...], run: Run, corpus: Path) -> None:
    assert "occurs 3 times" in run("collocates", *arguments, "--lang", "eng").stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("BEER",), "in another case it occurs 3 times: `corpusdb collocates --lang eng --ignore-case BEER`"),
        (
            ('[word="beer"]',),
            "as a pattern it occurs 3 times: `corpusdb collocates --lang eng --cqp '[word=\"beer\"]'`",
        ),
        (("be.*",), "as a pattern it occurs 3 times: `corpusdb collocates --lang eng --regex 'be.*'`"),
    ],
)
def test_why_a_node_does_not_occur(words: tuple[str, ...], told: str, run: Run, corpus: Path) -> None:
    result = run("collocates", *words, "--lang", "eng")
    assert "occurs 0 times" in result.stderr
    assert told in result.stderr


def test_the_node_can_be_a_query(run: Run, corpus: Path) -> None:
    options = ("--lang", "eng", "--least", "1", "--json")
    word = json.loads(run("collocates", "beer", *options).stdout)
    assert json.loads(run("collocates", '[word="BEER"%c]', "--cqp", *options).stdout) == word
    result = run("collocates", "beer", "-e", "--cqp")
    assert (result.exit_code, "exclude each other" in result.stderr) == (2, True)
    assert run("collocates", '"beer" within 2 s', "--cqp").exit_code == 2
    by_t = [run("collocates", "beer", "--least", "1", name, "t").stdout for name in ("--sort", "--measure")]
    assert by_t[0] == by_t[1] != ""
    assert run("collocates", '"beer', "--cqp").exit_code == 2


def test_rows_that_are_too_rare_are_told(run: Run, corpus: Path) -> None:
    result = run("collocates", "beer", "--lang", "eng", "--least", "2")
    rows = json.loads(run("collocates", "beer", "--lang", "eng", "--least", "1", "--json").stdout)["found"]
    shown = len(table(result)) - 1
    assert 0 < shown < rows
    assert f"{rows - shown} more occur fewer than 2 times (--least)" in result.stderr


def test_collocates_by_another_measure(run: Run, corpus: Path) -> None:
    options = ("--lang", "eng", "--least", "1", "-n", "0")
    values = {}
    for measure in get_args(Association):
        columns, *rows = table(run("collocates", "a", *options, "--measure", measure))
        values[measure] = [float(row[columns.index(measure)]) for row in rows]
        assert (len(columns) == 10) is (measure in ("loglikelihood", "mi", "t", "logdice"))
    assert all(each == sorted(each, reverse=True) and len(each) > 3 for each in values.values())
    for called, measure in {"logDice": "logdice", "MI3": "mi3", "T-score": "t", "LL": "loglikelihood"}.items():
        assert (
            run("collocates", "a", *options, f"--measure={called}").stdout
            == run("collocates", "a", *options, "--measure", measure).stdout
        )
    assert "'--measure'" in run("collocates", "a", *options, "--measure", "dice").stderr


def test_keywords(run: Run, two: Path) -> None:
    result = run("keywords", "tea", "--lang", "eng", "--least", "1")
    assert [row[:3] for row in table(result)] == [
        ["text", "count", "reference_count"],
        ["tea", "1", "0"],
        ["please", "1", "6"],
    ]
    assert "2 tokens against 49" in result.stderr
    against = run("keywords", "paper", "--against", "tea", "--lang", "eng", "--least", "1", "--negative")
    assert [row[0] for row in table(against)[1:]] == ["tea", "please"]
    document = json.loads(run("keywords", "tea", "--lang", "eng", "--least", "1", "--p", "0.05", "--json").stdout)
    assert [(row["text"], row["diff"]) for row in document["rows"]] == [("tea", None)]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("frequencies", "--lang", "jpn"), 3, "there are no sentences in jpn"),
        (("frequencies", "--lang", "eng", "--collection", "none"), 3, "none"),
        (("frequencies", "--lang", "eng", "--pattern", "("), 2, "not a regular expression"),
        (("frequencies", "--lang", "eng", "--dispersion"), 2, "two documents or more"),
        (("frequencies", "--lang", "eng", "--ngram", "0"), 2, "--ngram"),
        (("frequencies", "--lang", "eng", "--ngram", "5-2"), 2, "the smaller number comes first: 2-5"),
        (("collocates", "a", "--lang", "eng", "--window", "0"), 2, "has no room"),
        (("collocates", " ", "--lang", "eng"), 3, "not a word"),
        (("collocates", "a", "--lang", "eng", "--against", "b", "--measure", "mi"), 2, "take no --measure"),
        (("keywords", "none", "--lang", "eng"), 3, "none"),
        (
            ("keywords", "paper", "--lang", "eng"),
            3,
            "no tokens in eng; the target is the whole corpus",
        ),
        (("keywords", "--lang", "eng"), 2, "whose keywords? Name a collection, --document or --where"),
        (("keywords", "paper", "--lang", "eng", "--p", "2"), 2, "--p"),
    ],
)
def test_what_cannot_be_asked(arguments: tuple[str, ...], code: int, message: str, run: Run, corpus: Path) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_the_only_language_need_not_be_told(run: Run, tmp_path: Path) -> None:
    with open_store(tmp_path / "corpus.db", create=True) as store, store.write() as connection:
        connection.execute("insert into sentence (language, text) values ('eng', 'more tea and tea')")
    assert table(run("frequencies", "-n", "1"))[1][:2] == ["tea", "2"]


# Commands that count the same thing agree on what it is: on letters and case, characters, spaces and apostrophes.


GERMAN = ["Ich weiß es.", "Weiss er es?", "Die Masse wächst.", "Die Maße stimmen.", "STRAẞE", "Die Straße.", "Strasse"]


@pytest.fixture
def german(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "rows.tsv").write_text("".join(f"{each}\tx{each}\n" for each in GERMAN), encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "deu,eng", "--header", "no").exit_code == 0
    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "count"),
    [("weiß", 1), ("weiss", 1), ("masse", 1), ("maße", 1), ("straße", 2), ("strasse", 1), ("daß", 0)],
)
def test_no_two_letters_are_one_for_whom_case_does_not_count(german: Run, word: str, count: int) -> None:
    """ß is no ss: not in a string or a word, in a regular expression, a query, a frequency list or a collocate."""
    ways = [(word, "-i"), (word, "-i", "-w"), (word, "-i", "-e"), (f'"{word}"%c', "--cqp")]
    found = [json.loads(german("search", *way, "--lang", "deu", "--json").stdout)["total"] for way in ways]
    listed = json.loads(german("frequencies", "-i", "--lang", "deu", "--pattern", f"^{word}$", "--json").stdout)["rows"]
    nodes = json.loads(german("collocates", "-i", word, "--lang", "deu", "--json").stdout)["nodes"]
    assert [*found, sum(row["count"] for row in listed), nodes] == [count] * 6


NARROW, NO_BREAK, HYPHEN, APOSTROPHE = "\u202f", "\u00a0", "\u2010", "\u2019"
FRENCH = [
    f"Quoi{NARROW}?",
    "Quoi ?",
    "Quoi?",
    f"Qu{APOSTROPHE}on est",
    "qu'on va",
    f"Un porte{HYPHEN}clé",
    f"Très{NO_BREAK}bien",
    "l'été",
    "J'ai faim.",
    "Le Chien",
]


@pytest.fixture
def french(make_once: MakeOnce, run: Run, tmp_path: Path) -> Run:
    """On a copy of a corpus that is imported once."""

    def fill(folder: Path) -> None:
        for name, part, languages in (("fr", rows[:-2], "fra,deu"), ("jp", rows[-2:], "jpn,eng")):
            file = folder / f"{name}.tsv"
            file.write_text("".join(f"{one}\t{other}\n" for one, other in part), encoding="utf-8")
            words = ("--db", folder / "corpus.db", "import", file, "--lang", languages, "--header", "no")
            assert run(*words).exit_code == 0

    rows = [
        *((each, f"x{each}") for each in FRENCH),
        ("本を読む。", "I don't read a book."),
        ("日本", "I don’t; Don did."),
    ]
    shutil.copy(make_once("narrow-spaces", fill) / "corpus.db", tmp_path)
    return run


@pytest.mark.parametrize(
    ("pattern", "way", "count"),
    [
        (r"[^ ]\?", "-e", 2),  # a narrow space is no typed one
        (r"[^\s]\?", "-e", 1),
        (r"(?<! )\?", "-e", 2),
        (r" \?", "-e", 2),  # where nothing is excluded a typed space finds it
        (r"[ ]\?", "-e", 2),
        (r"[^-]clé", "-e", 1),
        (r"porte-[^-]", "-e", 1),
        (r"u[^']on", "-e", 1),
        (r"(?i:qu)'[^' ]n", "-e", 2),
        ('"porte" "[^-]"', "--cqp", 1),
    ],
)
def test_what_is_excluded_is_only_what_was_typed(french: Run, pattern: str, way: str, count: int) -> None:
    assert json.loads(french("search", pattern, way, "--lang", "fra", "--json").stdout)["total"] == count


def test_a_pattern_of_frequencies_excludes_only_what_was_typed(french: Run) -> None:
    found = french("frequencies", "--lang", "fra", "--unit", "char", "--pattern", "[^-a-zA-ZÀ-ÿ?.' ]", "--json")
    named = {"U+202F NARROW NO-BREAK SPACE", "U+00A0 NO-BREAK SPACE", APOSTROPHE, HYPHEN}
    assert {row["text"] for row in json.loads(found.stdout)["rows"]} == named


def test_invisible_characters_have_names(french: Run) -> None:
    ways = [(), ("--json",)]
    for way in ways:
        listed = french("frequencies", "--lang", "fra", "--unit", "char", "--pattern", r"\s", *way).stdout
        assert all(name in listed for name in ("␣", "U+202F NARROW NO-BREAK SPACE", "U+00A0 NO-BREAK SPACE"))
    found = json.loads(french("frequencies", "--lang", "fra", "--unit", "char", "--pattern", "␣", "--json").stdout)
    assert found["rows"][0]["count"] == sum(each.count(" ") for each in FRENCH)


def test_a_pattern_of_frequencies_is_taken_in_nfc(french: Run) -> None:
    found = json.loads(french("frequencies", "--lang", "fra", "--pattern", "^e\u0301te\u0301$", "--json").stdout)
    assert [row["text"] for row in found["rows"]] == ["été"]


@pytest.mark.parametrize(
    ("words", "code", "told", "untold"),
    [
        (("search", "-w", "本", "--lang", "jpn"), 0, "2 sentences with these characters\n", "whole words"),
        (
            ("search", "-w", "本", "--lang", "jpn"),
            0,
            "Japanese is searched by characters, each a token; `corpusdb",
            "",
        ),
        (("search", "-w", "read", "--lang", "eng", "--aligned", "jpn:本"), 0, "Japanese is searched by char", "these"),
        (("collocates", "don't", "--lang", "eng"), 1, "of these with other spaces, apostrophes or hyphens: 1\n", ""),
        (("collocates", '"n\'t"', "--cqp", "--lang", "eng"), 1, "other spaces, apostrophes or hyphens: 1\n", ""),
        (("search", "x", "--lang", "fra", "--length", "12-10"), 2, "'12-10' is not a length", ""),
        (("search", "[[:upper:]]", "-e", "--lang", "fra"), 2, "there is no [:upper:] in Python's re", ""),
        (("search", '"[[:upper:]].*"', "--cqp", "--lang", "fra"), 2, "there is no [:upper:] in Python's re", ""),
        (("search", "(?i)QUOI", "-e", "--lang", "fra"), 0, "regular expression, ignoring case\n", "case-sensitive"),
        (("search", "(?i:Q)UOI", "-e", "--lang", "fra"), 0, "0 sentences with a match of this", "case-sensitive"),
        (("search", "QUOI", "--lang", "fra"), 0, "ignoring case there are 3: -i finds them", ""),
        (("search", "quo*", "--lang", "fra"), 0, r"no wildcard: `--regex '\bquo\w*\b'` takes it for one", ""),
        (("search", "faim OR bien", "--lang", "fra"), 0, "OR is a word here: `--regex 'faim|bien'` finds", ""),
        (("search", "J AND faim", "--lang", "fra"), 0, """`--cqp '"J" []* "faim"'` finds the one before""", ""),
        (
            ("search", "quoi", "--lang", "fra", "--kwic", "--sample", "2"),
            0,
            "2 of them chosen at random with seed 1",
            "",
        ),
        (("search", "quoi", "--lang", "fra", "--group", "match", "--sample", "2"), 0, "2 of them chosen at random", ""),
        (("search", "quoi", "--lang", "fra", "--document", "fr/fr.tsv"), 0, "3 sentences", ""),
        (("search", "quoi", "--lang", "fra", "--document", "jp/fr.tsv"), 3, "no document 'jp/fr.tsv'", ""),
        (
            ("search", "-w", "don", "--lang", "eng"),
            0,
            "a word is a token (don't is do and n't): eng has 1; by lett",
            "",
        ),
        (("search", "-w", "qu", "--lang", "fra"), 0, "(qu’on is qu’ and on)", "don't"),
    ],
)
def test_what_is_told(french: Run, words: tuple[str, ...], code: int, told: str, untold: str) -> None:
    result = french(*words)
    assert result.exit_code == code, result.stderr
    assert told in result.stderr
    assert not untold or untold not in result.stderr


def test_a_sample_is_kept_as_it_was_drawn(french: Run) -> None:
    shown = json.loads(french("search", "quoi", "--lang", "fra", "--kwic", "--sample", "2", "--json").stdout)["hits"]
    assert json.loads(french("results", "keep", "two", "--json").stdout)["sentences"] == 2
    kept = json.loads(french("search", "quoi", "--lang", "fra", "--collection", "two", "--json").stdout)["hits"]
    assert {hit["id"] for hit in shown} == {hit["id"] for hit in kept}
    told = "'two' is a result in fra, and holds no sentence of eng"
    for words in (("search", "read"), ("frequencies",), ("collocates", "read")):
        assert told in french(*words, "--lang", "eng", "--collection", "two").stderr


def test_a_language_that_nothing_is_aligned_with_is_said_first(french: Run) -> None:
    assert french("align", "--lang", "jpn,eng").exit_code == 0
    for word in ("read", "nowhere"):
        refused = french("translations", word, "--with", "fra")
        assert refused.exit_code == 3
        assert "not aligned with fra; run `corpusdb align --lang " in refused.stderr
