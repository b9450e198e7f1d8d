"""Commands that count the same thing agree on what it is: on letters and case, characters, spaces and apostrophes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

GERMAN = ["Ich weiß es.", "Weiss er es?", "Die Masse wächst.", "Die Maße stimmen.", "STRAẞE", "Die Straße.", "Strasse"]


@pytest.fixture
def german(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "rows.tsv").write_text("".join(f"{each}\tx{each}\n" for each in GERMAN), encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "deu,eng", "--header", "no").exit_code == 0
    return run


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
def french(run: Run, tmp_path: Path) -> Run:
    rows = [
        *((each, f"x{each}") for each in FRENCH),
        ("本を読む。", "I don't read a book."),
        ("日本", "I don’t; Don did."),
    ]
    french, japanese = ("".join(f"{one}\t{other}\n" for one, other in part) for part in (rows[:-2], rows[-2:]))
    (tmp_path / "fr.tsv").write_text(french, encoding="utf-8")
    (tmp_path / "jp.tsv").write_text(japanese, encoding="utf-8")
    assert run("import", "fr.tsv", "--lang", "fra,deu", "--header", "no").exit_code == 0
    assert run("import", "jp.tsv", "--lang", "jpn,eng", "--header", "no").exit_code == 0
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
        (("search", "-w", "本", "--lang", "jpn"), 0, "Japanese is searched by characters; `corpusdb annotate", ""),
        (("search", "-w", "read", "--lang", "eng", "--aligned", "jpn:本"), 0, "Japanese is searched by char", "these"),
        (("collocates", "don't", "--lang", "eng"), 1, "of these with other spaces, apostrophes or hyphens: 1\n", ""),
        (("collocates", '"n\'t"', "--cqp", "--lang", "eng"), 1, "other spaces, apostrophes or hyphens: 1\n", ""),
        (("search", "x", "--lang", "fra", "--length", "12-10"), 2, "'12-10' is no length", ""),
        (("search", "[[:upper:]]", "-e", "--lang", "fra"), 2, "there is no [:upper:] in Python's re", ""),
        (("search", '"[[:upper:]].*"', "--cqp", "--lang", "fra"), 2, "there is no [:upper:] in Python's re", ""),
        (("search", "(?i)QUOI", "-e", "--lang", "fra"), 0, "regular expression, whatever the case\n", "case as typed"),
        (("search", "(?i:Q)UOI", "-e", "--lang", "fra"), 0, "0 sentences with a match of this", "case as typed"),
        (("search", "QUOI", "--lang", "fra"), 0, "whatever the case there are 3: -i finds them", ""),
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
