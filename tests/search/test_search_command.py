"""`corpusdb search`: what it prints, other readings of a pattern, --timeout, and a condition that a test adds."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import pytest
import typer
from calls import Prepare, Run
from typer.testing import CliRunner, Result

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import SECONDS_FOR_PATTERNS, Limit, TookTooLong
from corpusdb.base.options import FormLine, Option
from corpusdb.commands.command import KEPT_COMMANDS
from corpusdb.commands.invocation import Invocation
from corpusdb.search.commands import search
from corpusdb.search.queries.conditions import Candidates, Condition
from corpusdb.search.queries.request import Meaning, SearchRequest
from corpusdb.search.result_commands import queries, run

MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]

ROWS = """\
The cat sleeps.\tLe chat dort.
The cat sleeps.\tLe matou dort.
A cat is here.\tUn chat est ici.
The dog sleeps.\tLe chien dort.
Cats!\tDes chats !
"""
JAPANESE = "The cat sleeps.\t猫が寝る。\nMy cat.\t私の猫。\n"


@pytest.fixture
def cats(make_once: MakeOnce, run: Run, tmp_path: Path) -> Path:
    """A copy of a corpus that is imported once, with its files."""

    def fill(folder: Path) -> None:
        for name, rows, languages in (("cats", ROWS, "eng,fra"), ("neko", JAPANESE, "eng,jpn")):
            file = folder / f"{name}.tsv"
            file.write_text(rows, encoding="utf-8")
            assert run("--db", folder / "corpus.db", "import", file, "--lang", languages).exit_code == 0

    return Path(shutil.copytree(make_once("cats", fill), tmp_path, dirs_exist_ok=True)) / "corpus.db"


def answer(run: Run, *arguments: object) -> Any:
    result = run("search", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def texts(run: Run, *arguments: object) -> list[str]:
    found = answer(run, *arguments)
    assert found["total"] == len(found["hits"])
    return [hit["text"] for hit in found["hits"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("cat",), ["The cat sleeps.", "A cat is here.", "Cats!", "My cat."]),
        (("Cat",), ["Cats!"]),
        (("cat", "-s"), ["The cat sleeps.", "A cat is here.", "My cat."]),
        (("Cat", "-i", "-n", "0"), ["The cat sleeps.", "A cat is here.", "Cats!", "My cat."]),
        (("chat|my", "-e", "--lang", "all"), ["My cat.", "Le chat dort.", "Un chat est ici.", "Des chats !"]),
        (("猫", "--lang", "all"), ["猫が寝る。", "私の猫。"]),
        (("猫が", "--lang", "ja"), ["猫が寝る。"]),
        (("cats", "-i", "--lang", "eng"), ["Cats!"]),
        (("^The .*s[.]$", "-e", "--lang", "en"), ["The cat sleeps.", "The dog sleeps."]),
        (("chat", "-w", "--lang", "fra"), ["Le chat dort.", "Un chat est ici."]),
        (('"The" "cat" :fra "matou"', "--cqp", "--lang", "eng"), ["The cat sleeps."]),
        (("cat", "--lang", "eng", "--aligned", "fra:chat"), ["The cat sleeps.", "A cat is here.", "Cats!"]),
        (("cat", "--lang", "eng", "--not-aligned", "fra:chat"), ["My cat."]),
        (("", "--lang", "eng", "--translated", "fra,jpn"), ["The cat sleeps."]),
        (("", "--lang", "eng", "--untranslated", "fra"), ["My cat."]),
        (("", "--lang", "eng", "--length", "-2"), ["Cats!", "My cat."]),
        (("cat", "--unparaphrased", "--lang", "eng", "-s"), ["The cat sleeps.", "A cat is here.", "My cat."]),
        (("cat", "--paraphrased", "--lang", "eng"), []),
        (("", "--collection", "neko", "--lang", "eng"), ["The cat sleeps.", "My cat."]),
        (("cat", "--document", "neko.tsv"), ["The cat sleeps.", "My cat."]),
        (("nothing",), []),
    ],
)
def test_what_is_found(run: Run, cats: Path, arguments: tuple[str, ...], expected: list[str]) -> None:
    assert texts(run, *arguments) == expected


def test_translations_near_and_far(run: Run, cats: Path) -> None:
    hit = answer(run, "私の", "--lang", "jpn", "--with", "eng,fra", "--distance", "2")["hits"][0]
    assert hit["translations"] == {"eng": [{"text": "My cat.", "distance": 1, "via": None}]}
    hit = answer(run, "寝る", "--lang", "jpn", "--with", "fra,eng", "--distance", "2")["hits"][0]
    assert [(one["text"], one["distance"]) for one in hit["translations"]["fra"]] == [
        ("Le chat dort.", 2),
        ("Le matou dort.", 2),
    ]
    table = run("search", "寝る", "--lang", "jpn", "--with", "eng,fra", "--distance", "2").stdout.splitlines()
    assert table[0] == "id\tlanguage\ttext\teng\tfra"
    assert table[1].endswith("\tThe cat sleeps.\t(2) Le chat dort. | (2) Le matou dort.")


def test_spans_and_places(run: Run, cats: Path) -> None:
    hit = answer(run, "cat", "--places", "-n", "1")["hits"][0]
    assert hit["spans"] == [[4, 7]]
    assert [(place["collection"], place["file"], place["line"]) for place in hit["places"]] == [
        ("cats", "cats.tsv", 1),
        ("cats", "cats.tsv", 2),
        ("neko", "neko.tsv", 1),
    ]


def test_nothing_is_cut_off_silently(run: Run, cats: Path) -> None:
    result = run("search", "cat", "-s", "-n", "1")
    assert len(result.stdout.splitlines()) == 2
    assert "2 more sentences; `-n 0` shows all 3" in result.stderr
    assert answer(run, "cat", "-s", "-n", "1")["total"] == 3
    assert "more" not in run("search", "cat", "-s", "-n", "0").stderr


def test_a_concordance(run: Run, cats: Path) -> None:
    found = answer(run, "cat", "-s", "--kwic", "--sort", "right", "--with", "fra")
    assert found["total"] == 3
    assert [(hit["left"], hit["match"], hit["right"]) for hit in found["hits"]] == [
        ("My ", "cat", "."),
        ("A ", "cat", " is here."),
        ("The ", "cat", " sleeps."),
    ]
    assert found["hits"][1]["translations"]["fra"][0]["text"] == "Un chat est ici."
    rows = run("search", "cat", "-s", "--kwic", "--places", "--with", "fra").stdout.splitlines()
    assert rows[0].split("\t") == ["line", "id", "language", "left", "match", "right", "fra", "places"]
    assert [row.split("\t")[0] for row in rows[1:]] == ["1", "2", "3"]
    assert [hit["line"] for hit in found["hits"]] == [1, 2, 3]


def test_groups_and_samples(run: Run, cats: Path) -> None:
    result = run("search", "cat", "-s", "--lang", "eng", "--group", "left")
    assert [line.split("\t")[:2] for line in result.stdout.splitlines()] == [
        ["left", "lines"],
        ["A", "1"],
        ["My", "1"],
        ["The", "1"],
    ]
    found = answer(run, "cat", "-s", "--lang", "eng", "--group", "translation", "--with", "fra")
    assert {group["key"]: group["count"] for group in found["groups"]} == {
        "(no translation)": 1,
        "Le chat dort.": 1,
        "Le matou dort.": 1,
        "Un chat est ici.": 1,
    }
    lines = run("search", "cat", "-s", "--lang", "eng", "--group", "translation", "--with", "fra").stdout.splitlines()
    assert lines[0].split("\t") == ["lines", "per cent", "language", "translation"]  # figures before what may be long
    one = answer(run, "cat", "-s", "--kwic", "--sample", "1", "--seed", "7")
    assert (one["total"], len(one["hits"])) == (3, 1)
    assert one == answer(run, "cat", "-s", "--kwic", "--sample", "1", "--seed", "7")


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (("a(", "-e"), 2, "at character 2"),
        (("x", "-w", "-e"), 2, "exclude each other"),
        (("x", "--aligned", "chat"), 2, "LANG:PATTERN"),
        (("x", "--length", "many"), 2, "not a length"),
        (("x", "--collection", "none"), 3, "cats"),
        (("x", "--lang", "klingonisch"), 3, "klingonisch"),
        (("x", "--lang", "swe"), 3, "no sentences in swe; there are some in eng, fra, jpn"),
        (("x", "--with", "swe"), 3, "no sentences in swe"),
        (("", "--lang", "eng", "--aligned", "swe:katt"), 3, "no sentences in swe"),
        (("", "--lang", "eng", "--not-aligned", "swe:katt"), 3, "no sentences in swe"),
        (("", "--lang", "eng", "--translated", "swe"), 3, "no sentences in swe"),
        (("", "--lang", "eng", "--untranslated", "swe"), 3, "no sentences in swe"),
        (('"cat" :swe "katt"', "--cqp", "--lang", "eng"), 3, "no sentences in swe"),
        (('"a"', "--cqp", "-i"), 2, "%c"),
    ],
)
def test_errors(run: Run, cats: Path, arguments: tuple[str, ...], code: int, part: str) -> None:
    result = run("search", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert part in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.fixture
def attended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person sits before the program."""
    monkeypatch.setattr(Invocation, "attended", True)


def test_a_screen_has_the_figures_of_a_file_whatever_was_asked_before(
    run: Run, cats: Path, attended: None, tmp_path: Path
) -> None:
    calls: list[tuple[str, ...]] = [("search", "Cat"), ("frequencies",), ("collocates", "The", "--least", "1")]
    before = [run(*call).stdout for call in calls]
    for call in calls:
        assert run(*call, "-i").exit_code == 0
    assert run("search", "chat", "--lang", "fra").exit_code == 0
    told = run("search", "chat").stderr
    assert "in eng, the first column of the first import; others with --lang: fra, jpn" in told
    for call, answer in zip(calls, before, strict=True):
        assert run(*call).stdout == answer
        assert run(*call, "-o", "asked.tsv", "--overwrite").exit_code == 0
        assert (tmp_path / "asked.tsv").read_text(encoding="utf-8") == run(*call, "-n", "0").stdout


def test_the_first_column_is_searched_however_many_sentences_others_have(run: Run, tmp_path: Path) -> None:
    rows = "Coffee.\tDu café.\nCoffee.\tUn café.\nCoffee.\tLe café.\n"
    (tmp_path / "pairs.tsv").write_text(rows, encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    found = run("search", "coffee")
    assert "Coffee." in found.stdout
    assert "in eng, the first column of the first import" in found.stderr


def test_a_kept_query_stays_in_its_language(run: Run, cats: Path) -> None:
    first = run("search", "cat", "--save", "cats")
    assert "--lang eng" in run("queries").stdout
    assert run("search", "chat", "--lang", "fra").exit_code == 0
    assert run("run", "cats").stdout == first.stdout


def test_an_error_in_a_query_is_pointed_at(run: Run, cats: Path) -> None:
    result = run("search", '"猫" [wrd="a"]', "--cqp")
    assert result.exit_code == 2
    message, query, caret = result.stderr.splitlines()
    assert message.startswith("corpusdb: error: ")
    assert query.strip() == '"猫" [wrd="a"]'
    assert caret.index("^") == query.index("w") + 1  # 猫 is two cells wide


def test_no_more_of_the_context_is_shown_than_is_wanted(run: Run, cats: Path) -> None:
    """Of the sentences before and after, too; the lines stay those that they were."""
    arguments = ("cat", "-s", "--lang", "eng", "--kwic", "--context", "1", "-n", "0")
    whole, cut = (answer(run, *arguments, *more)["hits"] for more in ((), ("--width", "3")))
    assert len(whole) > 1 and any(len(each["left"]) > 3 or len(each["right"]) > 3 for each in whole)
    assert cut == [each | {"left": each["left"][-3:], "right": each["right"][:3]} for each in whole]
    assert "'far' is not a width" in run("search", *arguments, "--width", "far").stderr


@pytest.mark.slow
def test_search_while_an_import_runs(run: Run, cats: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    """Another process writes all the time: every answer is whole, none waits and none fails."""
    size = 6_000
    lines = "".join(f"A cat number {number}.\tUn chat {number}.\n" for number in range(size))
    (tmp_path / "many.tsv").write_text(lines, encoding="utf-8")
    command = [sys.executable, "-m", "corpusdb", "import", "many.tsv", "--lang", "eng,fra", "--quiet"]
    before = answer(run, "cat", "-s", "--lang", "eng")["total"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as importing:
        totals = []
        while importing.poll() is None:
            found = answer(run, "number", "--lang", "eng", "--with", "fra", "-n", "3")
            totals.append(found["total"])
            assert all(hit["translations"]["fra"] for hit in found["hits"])
        assert importing.returncode == 0
    assert before == 3
    assert totals == sorted(totals)
    assert answer(run, "cat number", "--lang", "eng", "-n", "1")["total"] == size


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("cat", "-s"), "3 sentences with this string, case-sensitive"),
        (("cat",), "4 sentences with this string, ignoring case"),
        (("cat", "-w", "--kwic"), "with this as whole words, ignoring case"),
        (("Cats?", "-e"), "with a match of this regular expression, case-sensitive"),
        (('"cat"', "--cqp"), "with a match of this CQP query\n"),
        (("...",), "0 sentences with this string\n"),
        (("",), "5 sentences\n"),
    ],
)
def test_it_is_said_what_counted(run: Run, cats: Path, words: tuple[str, ...], told: str) -> None:
    assert told in run("search", *words, "--lang", "eng").stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (('[word="zebra"]',), "looks like a CQP query and was searched as a string; `corpusdb search --lang eng --cqp"),
        (('"A" "cat"', "--kwic"), '--cqp --kwic \'"A" "cat"\'` takes it for one'),
        (('"zebra"', "-e"), "looks like a CQP query and was searched as a regular expression"),
        (("c.*t", "-w"), "looks like a regular expression and was searched as whole words; `corpusdb search --lang"),
        (("(cat|dog)s",), "`corpusdb search --lang eng --regex '(cat|dog)s'` takes it for one"),
    ],
)
def test_a_pattern_of_another_kind_that_finds_nothing_is_told(
    run: Run, cats: Path, words: tuple[str, ...], told: str
) -> None:
    said = run("search", *words, "--lang", "eng").stderr
    assert told in said
    assert "has no" not in said, "what is in it are no words"


@pytest.mark.parametrize(
    "words", [("Really?",), ("cat",), ("it's",), ("(really)",), ("a.*b", "-e"), ('"wolf"', "--cqp")]
)
def test_a_usual_pattern_that_finds_nothing_is_no_other(run: Run, cats: Path, words: tuple[str, ...]) -> None:
    assert "looks like" not in run("search", *words, "--lang", "eng").stderr


# What the program says where a pattern could be read otherwise, and where it finds nothing.


OTHER_READINGS_ROWS = [
    ("I don't like movies.", "Je n’aime pas les films."),
    ("I don’t like coffee.", "Je n'aime pas le café."),
    ("He made it up.", "Il l'a inventé."),
    ("They made-up.", ""),
    ("You can\u00adnot see it.", "Tu ne peux pas le voir."),
    ("Don is here.", "Don est ici."),
    ("What is it?", "Qu'est-ce que c'est\u202f?"),
    ("Where is it?", "Où est-ce ?"),
]


@pytest.fixture
def corpus(run: Run, prepare: Prepare) -> Run:
    def fill() -> None:
        rows = "".join(f"{english}\t{french}\n" for english, french in OTHER_READINGS_ROWS if french)
        Path("rows.tsv").write_text(rows, encoding="utf-8")
        Path("more.tsv").write_text("They made-up.\tSie schminkten sich.\n", encoding="utf-8")
        assert run("import", "rows.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
        assert run("import", "more.tsv", "--lang", "eng,deu", "--header", "no").exit_code == 0

    prepare("other-readings", fill)
    return run


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("search", "cannot", "--lang", "eng"), 0, "1 sentence with this string"),
        (("search", "cannot", "--lang", "eng"), 0, "of these only with other spaces, apostrophes or hyphens: 1; -s"),
        (("search", "cannot", "--lang", "eng", "-w"), 0, "1 sentence with this as whole words"),
        (("search", "cannot", "--lang", "eng", "-s"), 0, "0 sentences"),
        (("search", "don't", "--lang", "eng"), 0, "2 sentences with this string"),
        (("search", "don’t", "--lang", "eng"), 0, "of these only with other spaces, apostrophes or hyphens: 1; -s"),
        (("search", "est.* ?\\?", "-e", "--lang", "fra"), 0, "2 sentences with a match of this regular"),
        (("search", "ce \\?", "-e", "--lang", "fra"), 0, "1 sentence with a match of this regular"),
        (("search", "est \\?", "-e", "--lang", "fra"), 0, "only with other spaces, apostrophes or hyphens: 1; -s"),
        (("search", '"I" "do" "n\'t"', "--cqp", "--lang", "eng"), 0, "apostrophes or hyphens: 1; %l finds what is"),
        (("search", '"made" [] "up"', "--cqp", "--lang", "eng"), 0, "1 matches only across a hyphen; [word !="),
        (("search", '"made" [] "up"', "--cqp", "--lang", "eng"), 0, "instead of [] leaves them out"),
        (("search", '"it|that" :fra ! "pas"', "--cqp", "--lang", "eng"), 0, "3 sentences with a match"),
        (("search", "made", "--not-aligned", "fra:pas", "--lang", "eng"), 0, "without any fra translation: 1; --tr"),
        (("search", '[lemma="go"]', "-e", "--lang", "eng"), 0, "this looks like a CQP query and was searched as a reg"),
        (("search", '"made" []{1,2} "up"', "-e", "--lang", "eng"), 2, "is a CQP query; --cqp takes it for one"),
        (
            ("search", "it", "--group", "translation", "--with", "fra", "--lang", "eng"),
            0,
            "a line counts under each",
        ),
        (("search", "mvoies", "--lang", "eng"), 0, "eng has no 'mvoies'; it has movies"),
        (("search", '"mvoies"', "--cqp", "--lang", "eng"), 0, "eng has no 'mvoies'; it has movies"),
        (("search", "café", "--lang", "eng"), 0, "it occurs in fra (1): --lang says where to look"),
        (("search", r"\p{Lu}", "-e", "--lang", "eng"), 2, r"there is no \p{...} in Python's re"),
        (("search", r'"\p{Lu}.*"', "--cqp", "--lang", "eng"), 2, r"there is no \p{...} in Python's re"),
        (("frequencies", "--pattern", r"\p{Lu}", "--lang", "eng"), 2, r"at character 1: there is no \p{...} in Python"),
        (("frequencies", "--pattern", "^don't$", "--lang", "eng"), 0, '"don\'t" is not a token of eng: it is "do" '),
        (("frequencies", "--pattern", "^mvoies$", "--lang", "eng"), 0, "eng has movies"),
        (("frequencies", "--pattern", "n't", "--lang", "eng"), 0, "apostrophes or hyphens: 1, in rows of their own"),
        (("collocates", "mvoies", "--lang", "eng"), 1, "eng has movies"),
        (("collocates", "don", "--lang", "eng", "-i", "--least", "1"), 0, "eng has 1; by letters alone, as `search --"),
        (("collocates", "don", "--lang", "eng"), 1, "eng has 0; by letters alone, as `search --regex '\\bdon\\b'` c"),
        (("collocates", "n't", "--lang", "eng", "--least", "1"), 0, 'the token "n\'t" occurs 2 times'),
    ],
)
def test_what_is_told(corpus: Run, words: tuple[str, ...], code: int, told: str) -> None:
    result = corpus(*words)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr


def test_a_reading_is_counted_among_the_sentences_that_are_left(corpus: Run) -> None:
    """What the conditions leave out is in none of the lines beside the count."""
    query = ("search", '"made" [] "up"', "--cqp", "--lang", "eng", "--translated")
    assert "hyphen" in corpus(*query, "deu").stderr
    assert "hyphen" not in corpus(*query, "fra").stderr
    typed = ("search", "don't", "--lang", "eng", "--aligned")
    assert "apostrophes" in corpus(*typed, "fra:café").stderr
    assert "apostrophes" not in corpus(*typed, "fra:films").stderr


# --timeout: patterns that take too long are stopped, with one line that says which, and what to do.


@pytest.fixture
def timeout_corpus(run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus with a word in which patterns never end, and a clock that goes on whenever somebody looks at it."""
    (tmp_path / "rows.tsv").write_text(f"{'a' * 60}\tx\nA cat.\tUn chat.\n", encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "eng,fra").exit_code == 0
    ticks = itertools.count()
    monkeypatch.setattr(
        Invocation,
        "limit",
        lambda invocation: Limit(invocation.timeout, clock=lambda: next(ticks) / 10, seconds_a_text=1e9),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        ("search", "-e", "(a|a)*[.]$"),
        ("search", "-e", "(a|a)*[.]$", "--kwic"),
        ("search", "--cqp", '"(a|a)*[.]"'),
        ("search", "x", "-e", "--aligned", "eng:(a|a)*[.]$", "--lang", "fra"),
        ("frequencies", "--pattern", "(a|a)*[.]$", "--lang", "eng"),
        ("collocates", "(a|a)*[.]", "-e", "--lang", "eng"),
    ],
    ids=" ".join,
)
def test_a_pattern_that_never_ends_is_stopped(
    run: Callable[..., Result], timeout_corpus: None, call: tuple[str, ...]
) -> None:
    result = run(*call, "--timeout", 2)
    assert result.exit_code == 2
    assert "was stopped after 2 seconds; `--timeout 0`" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_time_is_not_kept_with_the_query(run: Callable[..., Result], timeout_corpus: None) -> None:
    assert run("search", "-e", "c[a]t", "--timeout", 3, "--save", "cats").exit_code == 0
    assert "--timeout" not in run("queries", "--json").stdout
    again = run("run", "cats", "--timeout", 0)
    assert again.exit_code == 0 and "A cat." in again.stdout


def test_there_is_a_limit_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which the environment sets for all calls, and a call for itself."""
    monkeypatch.delenv("CORPUSDB_TIMEOUT", raising=False)
    assert Invocation().limit().seconds == SECONDS_FOR_PATTERNS < 10
    assert Limit(0).seconds is None
    monkeypatch.setenv("CORPUSDB_TIMEOUT", "60")
    assert (Invocation().limit().seconds, Invocation(timeout=2).limit().seconds) == (60, 2)
    for wrong in ("long", "-1", "inf", "nan"):
        monkeypatch.setenv("CORPUSDB_TIMEOUT", wrong)
        with pytest.raises(UsageError, match=f"CORPUSDB_TIMEOUT={wrong} is not a number"):
            Invocation().limit()


def test_the_limit_is_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time that goes by while others work is not counted."""
    used, passed = itertools.count(0, 1), itertools.count(0, 100)
    monkeypatch.setattr("time.process_time", lambda: next(used))
    monkeypatch.setattr("time.monotonic", lambda: next(passed))
    limit = Invocation(timeout=3).limit()
    for _ in range(3):
        limit.check("the")
    with pytest.raises(TookTooLong, match="CORPUSDB_TIMEOUT=0 for all commands"):
        limit.check("the")


# A search condition that only this test knows: one field makes the option, the search and the query that is kept.


LINES = ["a cat\tun chat\n", "cats\tdes chats\n", "the cat\tle chat\n", "the cats\tles chats\n", "a dog!\tun chien\n"]


@dataclass(frozen=True, slots=True)
class EvenLength(Condition):
    """The sentence has an even number of characters."""

    def narrow(self, candidates: Candidates) -> Candidates:
        return candidates.where(lambda text: len(text) % 2 == 0)


def _even(request: SearchRequest) -> list[Condition]:
    return [EvenLength()]


@dataclass(frozen=True, slots=True)
class Request(SearchRequest):
    """A search request with one condition more."""

    even: Annotated[
        bool,
        Option("Of an even number of characters."),
        FormLine("Even length", "yes or nothing", "even"),
        Meaning(_even),
    ] = False


@pytest.fixture
def new_condition_corpus(run: Run, tmp_path: Path) -> Run:
    """The program itself, in a folder with a database."""
    (tmp_path / "cats.tsv").write_text("".join(LINES), encoding="utf-8")
    assert run("import", "cats.tsv", "--lang", "eng,fra").exit_code == 0
    return run


@pytest.fixture
def extended(new_condition_corpus: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A program whose ``search`` has the condition."""
    command = replace(search, options=Request)
    monkeypatch.setitem(KEPT_COMMANDS, "search", command)
    program = typer.Typer(rich_markup_mode=None)
    program.callback()(_begin)
    for each in (command, queries, run):
        each.add_to(program)

    def call(*arguments: str) -> Result:
        return CliRunner().invoke(program, arguments, catch_exceptions=False)

    return call


def _begin(context: typer.Context) -> None:
    context.obj = Invocation()


def found(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [hit["text"] for hit in json.loads(result.stdout)["hits"]]


def test_it_is_an_option_with_its_help(extended: Run) -> None:
    text = extended("search", "--help").stdout
    assert "--even" in text
    assert "Of an even number of characters." in text


def test_it_narrows_the_search(extended: Run) -> None:
    question = ("search", "cat", "--lang", "eng", "--json")
    assert found(extended(*question)) == ["a cat", "cats", "the cat", "the cats"]
    assert found(extended(*question, "--even")) == ["cats", "the cats"]
    assert found(extended(*question, "--even", "--length", "2-")) == ["the cats"]
    assert found(extended(*question, "--even", "--aligned", "fra:des")) == ["cats"]


@pytest.mark.slow
def test_it_is_kept_with_the_query(extended: Run) -> None:
    question = ("search", "cat", "--even", "--lang", "eng")
    first = extended(*question, "--save", "even")
    assert extended("run", "even").stdout == first.stdout
    assert "the cats" in first.stdout
    (row,) = extended("queries").stdout.splitlines()[1:]
    assert row.endswith("corpusdb search --lang eng --even cat")


def test_a_query_that_was_kept_before_it_is_still_run(new_condition_corpus: Run, extended: Run) -> None:
    first = new_condition_corpus("search", "cat", "--lang", "eng", "--save", "cats")
    assert extended("run", "cats").stdout == first.stdout
