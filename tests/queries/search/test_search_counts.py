"""Counts of 50 patterns in five languages of Tatoeba beside those of grep and of a few lines of Python."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from corpora import import_rows, new_store, tatoeba

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.store import open_store
from corpusdb.search.patterns import Folding, Mode, Pattern
from corpusdb.search.queries.search import Search, Searcher

MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]

pytestmark = pytest.mark.data


@pytest.fixture(scope="module", params=[4_000, pytest.param(0, marks=pytest.mark.slow)])
def corpus(make_once: MakeOnce, request: pytest.FixtureRequest) -> Iterator[tuple[Searcher, Path]]:
    """The first 6,000 rows of four files, or the last of these, in a database and in a text file of each language."""
    folder = make_once(f"counts-{request.param}", lambda folder: fill(folder, request.param))
    with open_store(folder / "corpus.db", read_only=True) as store:
        yield Searcher(store), folder


def fill(folder: Path, first: int) -> None:
    sentences: dict[str, dict[str, None]] = {}
    with new_store(folder) as store:
        for language in ("fra", "deu", "jpn", "cmn"):
            rows = tatoeba(language, first, 6_000 - first)
            import_rows(store, rows, ("eng", language))
            for row in rows:
                for code, text in zip(("eng", language), row, strict=True):
                    sentences.setdefault(code, {})[text] = None
        finished(update_layers(store))
        for code, texts in sentences.items():
            (folder / code).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


SUBSTRINGS = [
    *(("eng", text) for text in ("the", "Tom", "I'd like", "?", "e", ", ", "n't", "coffee", "zzz", ".")),
    *(("fra", text) for text in ("é", "l'", "ça", "s'il", " ?", "œ", "à")),
    *(("deu", text) for text in ("ß", "ü", "ich", "Straße", "Ä")),
    *(("jpn", text) for text in ("学校", "は", "です", "私", "。", "トム", "ん", "々", "ー", "行き")),
    *(("cmn", text) for text in ("我", "不是", "的", "？", "你好", "汤姆")),
]
REGEXES = [
    *(
        ("eng", text)
        for text in ("^I ", r"\?$", "^[A-Z][a-z]+!$", "(cat|dog)s?", "ing[.]$", "^.{1,8}$", "o{2}", r"\d+")
    ),
    *(("fra", text) for text in ("^Je ", "[éè]e?s?[.]$", r"(est|sont) ")),
    ("deu", "^(Ich|Du) .*[.]$"),
    *(("jpn", text) for text in ("^私", "か。$", "[ァ-ヶ]{4}", "^.{5}$")),
    ("cmn", "^我.*吗？$"),
]


def count(searcher: Searcher, language: str, pattern: Pattern) -> int:
    return len(searcher.find(Search(language, pattern)))


def grep(folder: Path, language: str, *options: str) -> int:
    program = shutil.which("grep")
    if program is None:
        pytest.skip("no grep here")
    command = [program, "-c", *options, str(folder / language)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env={"LC_ALL": "C.UTF-8"}, check=False)
    if done.returncode > 1:
        pytest.skip(f"this grep does not take {options}: {done.stderr.strip()}")
    return int(done.stdout)


def lines(folder: Path, language: str) -> list[str]:
    return (folder / language).read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize(("language", "text"), SUBSTRINGS)
def test_strings(corpus: tuple[Searcher, Path], language: str, text: str) -> None:
    searcher, folder = corpus
    found = count(searcher, language, Pattern(text))
    assert found == sum(text in line for line in lines(folder, language))
    assert found == grep(folder, language, "-F", "-e", text)


@pytest.mark.parametrize(("language", "text"), REGEXES)
def test_regular_expressions(corpus: tuple[Searcher, Path], language: str, text: str) -> None:
    searcher, folder = corpus
    found = count(searcher, language, Pattern(text, "regex"))
    assert found == sum(re.search(text, line) is not None for line in lines(folder, language))
    assert found == grep(folder, language, "-P", "-e", text)


@pytest.mark.parametrize(("language", "text"), [("eng", "tom"), ("eng", "i'm"), ("deu", "ICH"), ("fra", "JE")])
def test_whatever_the_case(corpus: tuple[Searcher, Path], language: str, text: str) -> None:
    searcher, folder = corpus
    modes: tuple[Mode, ...] = ("substring", "regex")
    for mode in modes:
        assert count(searcher, language, Pattern(text, mode, Folding(case=True))) == grep(
            folder, language, "-i", "-F", "-e", text
        )


@pytest.mark.parametrize(
    ("text", "regex"),
    [("the", r"\bthe\b"), ("cat", r"\bcat\b"), ("is", r"\bis(\b|(?=n't\b))"), ("t", r"(?<![\w'])t\b")],
)
def test_whole_words(corpus: tuple[Searcher, Path], text: str, regex: str) -> None:
    """They are tokens: isn't is two, and t is none of them."""
    searcher, folder = corpus
    assert count(searcher, "eng", Pattern(text, "word")) == grep(folder, "eng", "-P", "-e", regex)


@pytest.mark.parametrize(
    ("language", "decomposed"), [("fra", "e\u0301"), ("fra", "franc\u0327ais"), ("deu", "u\u0308"), ("jpn", "か\u3099")]
)
def test_combining_accents(corpus: tuple[Searcher, Path], language: str, decomposed: str) -> None:
    """A letter with a combining mark is the letter that has it: the corpus is in NFC."""
    searcher, folder = corpus
    composed = unicodedata.normalize("NFC", decomposed)
    assert composed != decomposed
    found = count(searcher, language, Pattern(decomposed))
    assert 0 < found == grep(folder, language, "-F", "-e", composed)


@pytest.mark.parametrize(
    ("query", "regex"),
    [
        ('"I" "\'m"', r"(?<!\w)I'm(?!\w)"),
        ('"do" "n\'t"', r"(?<!\w)don't(?!\w)"),
        ('"Tom"', r"(?<![\w'’])Tom(?![\w])"),
    ],
)
def test_queries_over_tokens(corpus: tuple[Searcher, Path], query: str, regex: str) -> None:
    searcher, folder = corpus
    assert count(searcher, "eng", Pattern(query, "cqp")) == grep(folder, "eng", "-P", "-e", regex)
