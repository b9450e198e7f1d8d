"""Sixty counts that somebody might publish, each beside that of a few lines of Python over the same lines of Tatoeba.

The list was written before anything was done about what it shows. Where corpusdb counts otherwise than these lines do,
it says so, with how many it leaves out or takes in besides.
"""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import pytest
from calls import Run
from typer.testing import CliRunner, Result

from corpusdb.program.catalogue import app

MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not (DATA / "tatoeba").is_dir(), reason="no Tatoeba files beside the checkout"),
]

OTHERS = ("fra", "deu", "jpn", "cmn")


@dataclass(frozen=True)
class Lines:
    """The lines of the four files, read by nothing of corpusdb."""

    folder: Path

    @cached_property
    def pairs(self) -> dict[str, list[tuple[str, str]]]:
        """English and translation, by the language of this."""
        return {other: list(self._pairs(other)) for other in OTHERS}

    def _pairs(self, other: str) -> Iterator[tuple[str, str]]:
        with gzip.open(self.folder / f"eng-{other}.tsv.gz", "rt", encoding="utf-8", newline="\n") as lines:
            next(lines)
            for line in lines:
                english, translation = (unicodedata.normalize("NFC", cell.strip()) for cell in line.split("\t")[:2])
                yield english, translation

    @cached_property
    def sentences(self) -> dict[str, set[str]]:
        """The different sentences of each language."""
        english = {pair[0] for pairs in self.pairs.values() for pair in pairs}
        return {"eng": english} | {other: {pair[1] for pair in self.pairs[other]} for other in OTHERS}

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """The tokens of each sentence of English and German, each between two spaces."""
        return {language: [f" {' '.join(tokens(text))} " for text in self.sentences[language]] for language in _CUT}

    @cached_property
    def translations(self) -> dict[str, dict[str, set[str]]]:
        """The translations of each English sentence, by language."""
        found: dict[str, dict[str, set[str]]] = {other: {} for other in OTHERS}
        for other, pairs in self.pairs.items():
            for english, translation in pairs:
                found[other].setdefault(english, set()).add(translation)
        return found


_CUT = ("eng", "deu")
_RUN = re.compile(r"\w+(?:['’]\w+|(?<=\d)[.,:](?=\d)\w+)*|['’](?i:em|s|m|re|ve|ll|d)(?!\w)|(\W)\1*")
_ELIDED = re.compile(r"(?i:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)['’](?=[^\W\d_])")
_ENDS = re.compile(r"n['’]t$|['’](?:s|m|re|ve|ll|d|em)$", re.IGNORECASE)


def tokens(text: str) -> list[str]:
    """What `corpusdb guide query` says that a word is, of scripts that delimit words."""
    found: list[str] = []
    for match in _RUN.finditer(text):
        run, ends = match[0], list[str]()
        while cut := _ELIDED.match(run):
            run = run[cut.end() :]
            found.append(cut[0])
        while (cut := _ENDS.search(run)) and cut.start():
            run, ends = run[: cut.start()], [cut[0], *ends]
        found += [run, *ends]
    return [each for each in found if each.strip()]


def strings(language: str, text: str, *, case: bool = True) -> Callable[[Lines], int]:
    """Sentences with a string, as `grep -F -c`."""
    wanted = text if case else text.lower()
    return lambda raw: sum(wanted in (line if case else line.lower()) for line in raw.sentences[language])


def lines(language: str, pattern: str, flags: int = 0) -> Callable[[Lines], int]:
    """Sentences in which a regular expression finds something, as `grep -P -c`."""
    search = re.compile(pattern, flags).search
    return lambda raw: sum(search(line) is not None for line in raw.sentences[language])


def word(language: str, text: str, flags: int = re.IGNORECASE) -> Callable[[Lines], int]:
    """Sentences with whole words, as `grep -w -c`."""
    return lines(language, rf"(?<!\w){re.escape(text)}(?!\w)", flags)


def spaced(language: str, pattern: str, flags: int = 0) -> Callable[[Lines], int]:
    """Sentences in whose tokens, each between two spaces, a regular expression finds something."""
    search = re.compile(pattern, flags).search
    return lambda raw: sum(search(line) is not None for line in raw.words[language])


def english(holds: str, told: Callable[[Callable[[str], set[str]]], bool]) -> Callable[[Lines], int]:
    """English sentences with a string, ignoring case, whose translations are as ``told`` by language."""

    def count(raw: Lines) -> int:
        found = 0
        for line in raw.sentences["eng"]:
            if holds in line.lower():
                found += told(lambda other, line=line: raw.translations[other].get(line, set()))  # type: ignore[misc]
        return found

    return count


def any_has(translations: set[str], text: str) -> bool:
    """Whatever the case, if the text has no capital."""
    return any(text in (each.lower() if text.islower() else each) for each in translations)


def frequency(language: str, count: Callable[[str], int]) -> Callable[[Lines], int]:
    """The sum of a count in the spaced tokens of each sentence."""
    return lambda raw: sum(map(count, raw.words[language]))


def types(language: str, *, case: bool) -> Callable[[Lines], int]:
    def count(raw: Lines) -> int:
        return len(Counter(each if case else each.lower() for line in raw.words[language] for each in line.split()))

    return count


MAKE_UP = r"(?<![^ ])make(?: [^ ]+){1,3} up(?![^ ])"


def naive_words(raw: Lines) -> int:
    """`"make" []{1,3} "up"` for whom make-up is one word."""
    spaced_out = (" ".join(re.findall(r"[\w'’-]+|[^\w\s]", line)) for line in raw.sentences["eng"])
    return sum(re.search(MAKE_UP, line) is not None for line in spaced_out)


@dataclass(frozen=True)
class Count:
    """A call, and the number that somebody else gets."""

    call: tuple[str, ...]
    other: Callable[[Lines], int]
    told: str = ""
    """Where corpusdb counts otherwise in the whole of Tatoeba: what it says of it; {other} is the other count, and
    {more} the difference."""


def search(language: str, *words: str) -> tuple[str, ...]:
    return ("search", *words, "--lang", language)


def listed(language: str, *words: str) -> tuple[str, ...]:
    return ("frequencies", "--lang", language, *words)


BY_LETTERS = "by letters alone, as `search --regex '\\b{text}\\b'` counts, {other}"
TYPED = "only with other spaces, apostrophes or hyphens: {more}; -s finds what is typed"
AS_IT_STANDS = "only with other spaces, apostrophes or hyphens: {more}; %l finds what is typed"
TWO_TOKENS = '"don\'t" is not a token of eng: it is "do" "n\'t"'
UNTRANSLATED = "of these without any fra translation: {more}; --translated fra leaves them out"

WORDS = [
    Count(search("eng", "cat", "-w"), word("eng", "cat")),
    Count(search("eng", "don", "-w"), word("eng", "don"), BY_LETTERS),
    Count(search("eng", "o'clock", "-w"), word("eng", "o'clock"), TYPED),
    Count(search("eng", "make", "-w", "-s"), word("eng", "make", 0)),
    Count(search("eng", "ice cream", "-w"), word("eng", "ice cream")),
    Count(search("eng", "Tom", "-w"), word("eng", "Tom", 0)),
    Count(search("eng", "clock", "-w"), word("eng", "clock"), BY_LETTERS),
    Count(search("eng", "make-up", "-w"), word("eng", "make-up")),
    Count(search("eng", "can", "-w"), word("eng", "can"), BY_LETTERS),
    Count(search("deu", "Haus", "-w"), word("deu", "Haus", 0)),
]
REGEXES = [
    Count(search("eng", r"^I .* you\.$", "-e"), lines("eng", r"^I .* you\.$")),
    Count(search("eng", r"\d{4}", "-e"), lines("eng", r"\d{4}")),
    Count(search("eng", r"\bwill\b.*\bwill\b", "-e"), lines("eng", r"\bwill\b.*\bwill\b", re.IGNORECASE)),
    Count(search("eng", r"\b(\w+) \1\b", "-e"), lines("eng", r"\b(\w+) \1\b", re.IGNORECASE)),
    Count(search("eng", r"n't\b.*\?$", "-e"), lines("eng", r"n't\b.*\?$", re.IGNORECASE), TYPED),
    Count(search("eng", "[A-Z]{3,}", "-e"), lines("eng", "[A-Z]{3,}")),
    Count(search("deu", r"\b\w+ung\b", "-e"), lines("deu", r"\b\w+ung\b", re.IGNORECASE)),
    Count(search("deu", r"ß\W", "-e"), lines("deu", r"ß\W", re.IGNORECASE)),
    Count(search("eng", "colou?rs?", "-e"), lines("eng", "colou?rs?", re.IGNORECASE)),
    Count(search("eng", "'s [a-z]+ing", "-e"), lines("eng", "'s [a-z]+ing", re.IGNORECASE), TYPED),
]
QUERIES = [
    Count(search("eng", '"make" []{1,3} "up"', "--cqp"), naive_words, "of these, {more} match only across a hyphen"),
    Count(search("eng", '"I" "\'m" [] "to"', "--cqp"), spaced("eng", r" I 'm \S+ to "), AS_IT_STANDS),
    Count(search("eng", '[word="un.*" & word!="un(der|til|less).*"]', "--cqp"), spaced("eng", r" un(?!der|til|less)")),
    Count(search("eng", '"don"%c', "--cqp"), spaced("eng", " don ", re.IGNORECASE)),
    Count(search("eng", '"the" ".*ing" "of"', "--cqp"), spaced("eng", r" the \S*ing of ")),
    Count(search("eng", '<s> "Why" []* "[?]" </s>', "--cqp"), spaced("eng", r"^ Why .*\? $")),
    Count(search("eng", "a:[] [] b:[] :: a.word = b.word", "--cqp"), spaced("eng", r" (\S+) \S+ \1 ")),
    Count(
        search("eng", '"Tom|Mary" "and|or" "Tom|Mary"', "--cqp"),
        spaced("eng", " (?:Tom|Mary) (?:and|or) (?:Tom|Mary) "),
    ),
    Count(search("eng", '"if"%c []{0,6} "then"', "--cqp"), spaced("eng", r" [iI][fF](?: \S+){0,6} then ")),
    Count(search("deu", '"ich"%c []{0,2} "nicht"', "--cqp"), spaced("deu", r" [iI][cC][hH](?: \S+){0,2} nicht ")),
]
CONSTRAINTS = [
    Count(search("eng", "dog", "--translated", "fra"), english("dog", lambda into: bool(into("fra")))),
    Count(search("eng", "dog", "--untranslated", "fra"), english("dog", lambda into: not into("fra"))),
    Count(search("eng", "dog", "--aligned", "fra:chien"), english("dog", lambda into: any_has(into("fra"), "chien"))),
    Count(
        search("eng", "dog", "--not-aligned", "fra:chien"),
        english("dog", lambda into: bool(into("fra")) and not any_has(into("fra"), "chien")),
        UNTRANSLATED,
    ),
    Count(
        search("eng", '".*dog.*"%c :fra ! ".*chien.*"%c', "--cqp"),
        english("dog", lambda into: bool(into("fra")) and not any_has(into("fra"), "chien")),
        UNTRANSLATED,
    ),
    Count(
        search("eng", "dog", "--length", "3-4"),
        lambda raw: sum("dog" in line.lower() and 3 <= len(line.split()) <= 4 for line in raw.sentences["eng"]),
    ),
    Count(
        search("eng", "dog", "--aligned", "deu:Hund", "--not-aligned", "fra:chien", "--translated", "fra"),
        english(
            "dog",
            lambda into: any_has(into("deu"), "Hund") and bool(into("fra")) and not any_has(into("fra"), "chien"),
        ),
    ),
    Count(search("eng", "dog", "--aligned", "jpn:犬"), english("dog", lambda into: any_has(into("jpn"), "犬"))),
    Count(
        search("eng", "", "--translated", "fra,deu,jpn"),
        english("", lambda into: bool(into("fra")) and bool(into("deu")) and bool(into("jpn"))),
    ),
    Count(search("eng", "dog", "--document", "eng-cmn.tsv.gz"), english("dog", lambda into: bool(into("cmn")))),
]
FREQUENCIES = [
    Count(listed("eng", "--pattern", "^the$"), frequency("eng", lambda line: line.split().count("the"))),
    Count(listed("eng", "--pattern", "^the$", "-i"), frequency("eng", lambda line: line.lower().split().count("the"))),
    Count(listed("eng"), frequency("eng", lambda line: len(line.split()))),
    Count(listed("eng", "--words-only"), frequency("eng", lambda line: len(re.findall(r" \S*\w\S*", line)))),
    Count(
        listed("eng", "--ngram", "2", "--pattern", "^of the$"), frequency("eng", lambda line: line.count(" of the "))
    ),
    Count(
        listed("eng", "--ngram", "3", "--pattern", "^I do n't$"),
        frequency("eng", lambda line: line.count(" I do n't ")),
        "with other spaces, apostrophes or hyphens: {more}, in rows of their own",
    ),
    Count(listed("eng", "--pattern", "^don't$"), lines("eng", r"(?<!\w)don't(?!\w)"), TWO_TOKENS),
    Count(
        listed("deu", "--unit", "char", "--pattern", "^ß$"),
        lambda raw: sum(line.count("ß") for line in raw.sentences["deu"]),
    ),
    Count(
        listed("jpn", "--unit", "char", "--pattern", "^は$"),
        lambda raw: sum(line.count("は") for line in raw.sentences["jpn"]),
    ),
    Count(listed("deu", "--pattern", "ung$"), frequency("deu", lambda line: len(re.findall("ung(?= )", line)))),
]
FRENCH_AND_JAPANESE = [
    Count(search("fra", "gare ?"), strings("fra", "gare ?", case=False), TYPED),
    Count(search("fra", " ?"), strings("fra", " ?"), TYPED),
    Count(search("fra", "l'eau"), strings("fra", "l'eau", case=False), TYPED),
    Count(search("fra", "rendez-vous", "-w"), word("fra", "rendez-vous")),
    Count(search("fra", r"qu'\w+ \?$", "-e"), lines("fra", r"qu'\w+ \?$", re.IGNORECASE), TYPED),
    Count(search("fra", "e\u0301te\u0301", "-w"), word("fra", "été")),
    Count(search("jpn", "ありか\u3099とう"), strings("jpn", "ありがとう")),
    Count(search("jpn", "TV"), strings("jpn", "TV")),
    Count(search("jpn", "[ァ-ヶー]{5,}", "-e"), lines("jpn", "[ァ-ヶー]{5,}")),
    Count(search("jpn", '"は" []{1,2} "が"', "--cqp"), lines("jpn", r"は(?:[0-9A-Za-z０-９]+|.){1,2}が")),
]
KINDS = {
    "words": WORDS,
    "regexes": REGEXES,
    "queries": QUERIES,
    "constraints": CONSTRAINTS,
    "frequencies": FREQUENCIES,
    "french and japanese": FRENCH_AND_JAPANESE,
}


@pytest.fixture(scope="module")
def corpus(make_once: MakeOnce) -> tuple[Lines, Path]:
    """All lines of the four files, and the database into which the command imported them."""
    return Lines(DATA / "tatoeba"), make_once("published", fill) / "corpus.db"


def fill(folder: Path) -> None:
    for other in OTHERS:
        file = DATA / "tatoeba" / f"eng-{other}.tsv.gz"
        words = ("--db", str(folder / "corpus.db"), "import", str(file), "--lang", f"eng,{other}")
        result = CliRunner().invoke(app, [*words, "--name", "tatoeba"])
        assert result.exit_code == 0, result.stderr


def counted(result: Result) -> int:
    """The number that a call is about: of sentences, or of the one thing that is listed, or of all tokens."""
    document = json.loads(result.stdout)
    if "rows" in document and document["found"] < 1_000:
        return sum(row["count"] for row in document["rows"])
    return int(document["total"])


def test_there_are_sixty() -> None:
    assert [len(each) for each in KINDS.values()] == [10] * 6


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_count_is_that_of_others_or_a_line_says_what_it_leaves_out(
    run: Run, corpus: tuple[Lines, Path], kind: str
) -> None:
    raw, database = corpus
    wrong = []
    for count in KINDS[kind]:
        result = run("--db", database, *count.call, "--json", "-n", "0", "--timeout", "0")
        own, other = counted(result), count.other(raw)
        told = count.told.format(text=count.call[1], other=f"{other:,}", more=f"{own - other:,}")
        if own != other and not (told and told in " ".join(result.stderr.split())):
            wrong.append((count.call, own, other, result.stderr))
        if bool(count.told) != (own != other):
            wrong.append((count.call, own, other, "whether it differs is not as expected"))
    assert not wrong
