"""Search against going through all sentences one by one, and against grep on real text."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias
from unittest.mock import patch

import pytest
from corpora import filled_store, import_rows, new_store, random_rows, tatoeba

from corpusdb.base.errors import InputError, QueryError, UsageError
from corpusdb.base.jobs import Limit, finished
from corpusdb.base.text import word_count
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.search.patterns import Folding, Mode, Pattern
from corpusdb.search.queries.conditions import (
    HasTranslation,
    InDocuments,
    Length,
    Paraphrased,
    Search,
    TranslationCondition,
)
from corpusdb.search.queries.nothing_found import nothing_found
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.search import Searcher
from corpusdb.search.token_corpus import tokenise

ROWS = [
    ("The cat sleeps.", "Le chat dort."),
    ("The cat sleeps.", "Le matou dort."),
    ("A cat is here.", "Un chat est ici."),
    ("The dog sleeps.", "Le chien dort."),
    ("Cats!", "Des chats !"),
    ("concatenate", "enchaîner"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A few sentences, some of them translated twice, and two in Japanese."""
    with filled_store(tmp_path, import_few) as store:
        yield store


def import_few(store: Store) -> None:
    import_rows(store, ROWS)
    import_rows(store, [("The cat sleeps.", "猫が寝る。"), ("A bird.", "鳥。")], ("eng", "jpn"))


def found(store: Store, search: Search) -> list[str]:
    hits = Searcher(store).find(search)
    return [hits.text(place) for place in range(len(hits))]


def pattern(text: str, mode: Mode = "substring", *, case: bool = False) -> Pattern:
    return Pattern(text, mode, Folding(case=case))


def aligned(
    text: str, mode: Mode = "substring", *, negated: bool = False, language: str = "fra"
) -> tuple[TranslationCondition]:
    return (TranslationCondition(language, Pattern(text, mode), negated),)


def into(language: str, *, negated: bool = False) -> tuple[HasTranslation]:
    return (HasTranslation(language, negated),)


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (Search("eng"), ["The cat sleeps.", "A cat is here.", "The dog sleeps.", "Cats!", "concatenate", "A bird."]),
        (Search("eng", pattern("cat")), ["The cat sleeps.", "A cat is here.", "concatenate"]),
        (Search("eng", pattern("cat", case=True)), ["The cat sleeps.", "A cat is here.", "Cats!", "concatenate"]),
        (Search("eng", pattern("cat", "word")), ["The cat sleeps.", "A cat is here."]),
        (Search("eng", pattern("^.{7}$", "regex")), ["A bird."]),
        (Search("eng", pattern('"The" [] "sleeps"', "cqp")), ["The cat sleeps.", "The dog sleeps."]),
        (Search("eng", pattern('"cat" :fra "matou"', "cqp")), ["The cat sleeps."]),
        (Search("eng", pattern('"cat" :fra ! "matou"', "cqp")), ["A cat is here."]),
        (Search("eng", pattern('"cat" :fra "chat" :jpn "猫"', "cqp")), ["The cat sleeps."]),
        (Search("eng", pattern("cat"), aligned("chat")), ["The cat sleeps.", "A cat is here."]),
        (Search("eng", pattern("cat"), aligned("chat", negated=True)), ["concatenate"]),
        (Search("eng", pattern("cat"), aligned("matou", "word")), ["The cat sleeps."]),
        (Search("eng", None, aligned("猫", language="jpn")), ["The cat sleeps."]),
        (Search("eng", pattern("sleeps"), into("jpn")), ["The cat sleeps."]),
        (Search("eng", pattern("sleeps"), into("jpn", negated=True)), ["The dog sleeps."]),
        (Search("eng", None, (*into("fra"), *into("jpn"))), ["The cat sleeps."]),
        (Search("eng", None, into("fra", negated=True)), ["A bird."]),
        (Search("eng", None, (Length(2, 3),)), ["The cat sleeps.", "The dog sleeps.", "A bird."]),
        (Search("jpn", None, (Length(3),)), ["猫が寝る。"]),
        (Search("jpn", pattern("が")), ["猫が寝る。"]),
        (Search("jpn", pattern("寝る")), ["猫が寝る。"]),
        (Search("fra", pattern("absent")), []),
    ],
)
def test_what_is_found(store: Store, search: Search, expected: list[str]) -> None:
    assert found(store, search) == expected


def test_paraphrases(store: Store) -> None:
    import_rows(store, [("A cat sleeps.", "Le chat dort.")])
    finished(detect(store, "eng"))
    assert found(store, Search("eng", pattern("cat"), (Paraphrased(),))) == ["The cat sleeps.", "A cat sleeps."]
    without = Search("eng", pattern("cat"), (Paraphrased(negated=True),))
    assert found(store, without) == [
        "A cat is here.",
        "concatenate",
    ]


def test_collections_and_documents(store: Store) -> None:
    document = store.connection.execute("select name from document order by id desc limit 1").fetchone()[0]
    assert found(store, Search("eng", None, (InDocuments(document=document),))) == ["The cat sleeps.", "A bird."]
    assert len(found(store, Search("eng", None, (InDocuments("rows"),)))) == 6
    with pytest.raises(InputError):
        found(store, Search("eng", None, (InDocuments("absent"),)))


@pytest.mark.parametrize("number", range(8))
def test_random_searches(empty: Store, number: int) -> None:
    """Every kind of pattern and condition, by definition, whether or not the tokens were followed."""
    chance = random.Random(number)
    rows = random_rows(chance, 60, words="ab")
    import_rows(empty, rows)
    if number % 2:
        finished(update_layers(empty))
        import_rows(empty, more := random_rows(chance, 10, words="abc"))
        rows += more
    texts = list(dict.fromkeys(row[0] for row in rows))
    checks: list[tuple[Pattern, Callable[[str], bool]]] = [
        (pattern("a b"), lambda text: "a b" in text),
        (pattern("B.", case=True), lambda text: "b." in text),
        (pattern("a", "word"), lambda text: re.search(r"\ba\b", text) is not None),
        (pattern(r"^a.*b$", "regex"), lambda text: text.startswith("a") and text.endswith("b") and text != "a"),
        (pattern('"a" []? "b"', "cqp"), lambda text: re.search(r"a\W*(\w|\.)?\W*b", text) is not None),
    ]
    for one, holds in checks:
        assert found(empty, Search("eng", one)) == [text for text in texts if holds(text)]
        for pivot in ("t1", "t"):
            expected = [text for text in texts if holds(text) and any(pivot in b for a, b in rows if a == text)]
            assert found(empty, Search("eng", one, aligned(pivot))) == expected
            others = [text for text in texts if holds(text) and text not in expected]
            assert found(empty, Search("eng", one, aligned(pivot, negated=True))) == others
    expected = [text for text in texts if 2 <= word_count(text) <= 3]
    assert found(empty, Search("eng", None, (Length(2, 3),))) == expected


def test_spans_of_tokens(store: Store) -> None:
    hits = Searcher(store).find(Search("eng", pattern('"The" "cat"', "cqp")))
    assert hits.spans(0) == [(0, 7)]
    hits = Searcher(store).find(Search("jpn", pattern('"寝" "る"', "cqp")))
    assert [hits.text(0)[start:stop] for start, stop in hits.spans(0)] == ["寝る"]
    assert tokenise(hits.text(0)) == ["猫", "が", "寝", "る", "。"]


def test_a_searcher_follows_the_corpus(store: Store) -> None:
    searcher = Searcher(store)
    for mode in ("substring", "cqp"):
        text = '"cat"' if mode == "cqp" else "cat sleeps"
        before = len(searcher.find(Search("eng", Pattern(text, mode))))
        import_rows(store, [(f"My cat sleeps {mode}.", "Mon chat dort.")])
        assert len(searcher.find(Search("eng", Pattern(text, mode)))) == before + 1


def test_hits_stay_what_they_were_while_the_corpus_grows(store: Store) -> None:
    """A second connection that writes takes nothing from what a search gave, and makes it wait for nothing."""
    hits = Searcher(store).find(Search("eng", pattern("cat")))
    with open_store(store.path) as writer, writer.write() as connection:
        connection.execute("insert into sentence (language, text) values ('eng', 'a new cat')")
        assert len(Searcher(store).find(Search("eng", pattern("cat")))) == len(hits)
    assert [hits.text(place) for place in range(3)] == ["The cat sleeps.", "A cat is here.", "concatenate"]
    assert len(Searcher(store).find(Search("eng", pattern("cat")))) == len(hits) + 1


def test_few_languages_are_kept_however_many_are_gone_through(tmp_path: Path) -> None:
    codes = ("eng", "fra", "deu", "jpn", "rus")
    with new_store(tmp_path) as store:
        for code in codes[1:]:
            import_rows(store, [("one", f"{code} 1"), ("two", f"{code} 2")], ("eng", code))
        searcher = Searcher(store)
        for code in (*codes, *codes):
            found = searcher.find(Search(code, Pattern("1" if code != "eng" else "one", "word")))
            assert [found.text(row) for row in range(len(found))] == ["one" if code == "eng" else f"{code} 1"]
            assert code in searcher._texts and max(len(searcher._texts), len(searcher._tokens)) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_a_rare_word_is_found_as_among_the_tokens_of_all(empty: Store, number: int) -> None:
    """The first search cuts only the sentences that hold it, the second reads the tokens of all."""
    draw = random.Random(number)
    parts = "do n't don Don\u2019t - ' o'clock clock a A . \u00ad \u0130 i \u212a k \ufb01 猫 猫猫 \u0301".split(" ")
    texts = ["".join(draw.choices([*parts, " ", " "], k=size)).strip() for size in draw.choices(range(1, 9), k=120)]
    import_rows(empty, [(text, "oui") for text in texts if text])
    finished(update_layers(empty))
    some = 0
    for word in {*parts, *("".join(draw.choices([*parts, " "], k=2)).strip() for _ in range(60))} - {"", "\u00ad"}:
        for folding in (Folding(), Folding(case=True), Folding(alike=""), Folding(case=True, alike=" '-")):
            searcher, search = Searcher(empty), Search("eng", Pattern(word, "word", folding))
            with patch("corpusdb.search.queries.search._RARE", 0):
                first, second = searcher.find(search), searcher.find(search)
            assert (first.sentences.tolist(), first.notes) == (second.sentences.tolist(), second.notes)
            assert [*map(first.spans, range(len(first)))] == [*map(second.spans, range(len(second)))]
            some += len(first) > 0
    assert some > 60


def test_what_looks_like_what_was_typed_is_found(store: Store) -> None:
    """As typed with -s; and what another reading would find is told."""
    import_rows(store, [("Which\u00a0cat?", "Quel chat\u202f?"), ("It isn\u2019t.", "Non !"), ("Ｉt isn't.", "Si.")])
    for language, text, count in (
        ("fra", "chat ?", 1),
        ("fra", "s !", 1),
        ("eng", "which cat", 1),
        ("eng", "isn't", 2),
    ):
        request = SearchRequest(text, language)
        assert len(Searcher(store).find(request.search(language))) == count
        exactly = Searcher(store).find(replace(request, ignore_case=False).search(language))
        assert len(exactly) == (text == "isn't" or text == "s !")
    told = Searcher(store).find(SearchRequest("isn't").search("eng")).notes
    assert told == ("of these only with other spaces, apostrophes or hyphens: 1; -s finds what is typed",)
    wider = ("more sentences in another width: 1; --ignore-width finds them, too",)
    for request, notes in (
        (SearchRequest("I"), wider),
        (SearchRequest("I", translated="fra"), wider),
        (SearchRequest("I", translated="jpn"), ()),
        (SearchRequest("I", length="50-"), ()),
    ):
        assert Searcher(store).find(request.search("eng")).notes == notes


def test_no_sentence_has_a_line_break(store: Store) -> None:
    import_rows(store, [("Come in.", "Entrez."), ("The door.", "La porte.")])
    for text in ("in.\nThe", "sleeps.\n", "\n"):
        assert not len(Searcher(store).find(SearchRequest(text).search("eng"))), text


def test_words_are_tokens_and_other_readings_are_told(store: Store) -> None:
    """One definition for whole words, CQP and frequencies: do and n't are two, and a hyphen is one of its own."""
    import_rows(store, [("Don't go!", "Non !"), ("Don left.", "Don partit."), ("Put on make-up.", "Maquille-toi.")])
    hits = Searcher(store).find(SearchRequest("don", word=True).search("eng"))
    assert [hits.text(place) for place in range(len(hits))] == ["Don left."]
    (told,) = hits.notes
    assert told.endswith("eng has 1; by letters alone, as `search --regex '\\bdon\\b'` counts, 2")
    assert len(Searcher(store).find(SearchRequest(r"\bdon\b", regex=True, ignore_case=True).search("eng"))) == 2
    over = Searcher(store).find(SearchRequest('"make" [] "up"', cqp=True).search("eng"))
    assert over.notes[0].startswith("of these, 1 matches only across a hyphen")
    assert not Searcher(store).find(SearchRequest('"make" "-" "up"', cqp=True).search("eng")).notes


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (SearchRequest("slepes", "eng"), ["eng has no 'slepes'; it has sleeps"]),
        (SearchRequest("teh cat", "eng", word=True), ["eng has no 'teh'; it has The"]),
        (SearchRequest("chien", "eng"), ["eng has no 'chien'", "it occurs in fra (1): --lang says where to look"]),
        (SearchRequest('"don\'t"', "eng", cqp=True), ['"don\'t" is not a token of eng: it is "do" "n\'t"']),
        (
            SearchRequest('"rendez-vous"', "fra", cqp=True),
            ['"rendez-vous" is not a token of fra: it is "rendez" "-" "vous"'],
        ),
        (SearchRequest("cat", "eng", length="9"), ["without the conditions there are 4"]),
        (SearchRequest("qqqq", "eng", regex=True), []),
        (SearchRequest("cat sleeps the", "eng"), []),
    ],
)
def test_where_nothing_is_found_the_corpus_says_what_it_has(
    store: Store, request_: SearchRequest, told: list[str]
) -> None:
    searcher = Searcher(store)
    assert not len(searcher.find(request_.search(request_.lang)))
    assert nothing_found(searcher, request_.search(request_.lang), Limit()) == told


def test_the_browser_reads_no_other_language_for_that(store: Store) -> None:
    """A letter is typed in less time than another language is read."""
    searcher = Searcher(store)
    told = nothing_found(searcher, SearchRequest("chien").search("eng"), Limit(), elsewhere=False)
    assert told == ["eng has no 'chien'"]


def test_a_query_taken_for_a_regular_expression_is_told(store: Store) -> None:
    with pytest.raises(UsageError, match="is a CQP query"):
        found(store, Search("eng", pattern('"cat" []', "regex")))
    with pytest.raises(QueryError, match="with --regex a pattern"):
        found(store, Search("eng", pattern("cat+s", "cqp")))


def test_hits_without_any_translation_are_counted_where_none_was_to_hold_something(store: Store) -> None:
    """They fulfil the condition, and nobody who counts means them."""
    hits = Searcher(store).find(Search("eng", pattern("bird"), aligned("chat", negated=True)))
    assert hits.notes == ("of these without any fra translation: 1; --translated fra leaves them out",)
    assert not Searcher(store).find(Search("eng", pattern("dog"), aligned("chat", negated=True))).notes
    query = Searcher(store).find(Search("eng", pattern('"bird" :fra ! "chat"', "cqp")))
    assert query.notes == hits.notes


# Counts of 50 patterns in five languages of Tatoeba beside those of grep and of a few lines of Python.


MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]


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


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("language", "text"), SUBSTRINGS)
def test_strings(corpus: tuple[Searcher, Path], language: str, text: str) -> None:
    searcher, folder = corpus
    found = count(searcher, language, Pattern(text))
    assert found == sum(text in line for line in lines(folder, language))
    assert found == grep(folder, language, "-F", "-e", text)


@pytest.mark.data
@pytest.mark.parametrize(("language", "text"), REGEXES)
def test_regular_expressions(corpus: tuple[Searcher, Path], language: str, text: str) -> None:
    searcher, folder = corpus
    found = count(searcher, language, Pattern(text, "regex"))
    assert found == sum(re.search(text, line) is not None for line in lines(folder, language))
    assert found == grep(folder, language, "-P", "-e", text)


@pytest.mark.data
@pytest.mark.parametrize(("language", "text"), [("eng", "tom"), ("eng", "i'm"), ("deu", "ICH"), ("fra", "JE")])
def test_whatever_the_case(corpus: tuple[Searcher, Path], language: str, text: str) -> None:
    searcher, folder = corpus
    modes: tuple[Mode, ...] = ("substring", "regex")
    for mode in modes:
        assert count(searcher, language, Pattern(text, mode, Folding(case=True))) == grep(
            folder, language, "-i", "-F", "-e", text
        )


@pytest.mark.data
@pytest.mark.parametrize(
    ("text", "regex"),
    [("the", r"\bthe\b"), ("cat", r"\bcat\b"), ("is", r"\bis(\b|(?=n't\b))"), ("t", r"(?<![\w'])t\b")],
)
def test_whole_words(corpus: tuple[Searcher, Path], text: str, regex: str) -> None:
    """They are tokens: isn't is two, and t is none of them."""
    searcher, folder = corpus
    assert count(searcher, "eng", Pattern(text, "word")) == grep(folder, "eng", "-P", "-e", regex)


@pytest.mark.data
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


@pytest.mark.data
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
