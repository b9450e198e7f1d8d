"""Lines of a concordance by what is known of their tokens and documents, where they stand, and what stands around."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import log2
from pathlib import Path
from typing import Any

import pytest
from calls import Run

from corpusdb.base.errors import UsageError
from corpusdb.search.queries.request import LineKey, line_keys

BOOK = [("2001", "cats eat fish ."), ("2001", "a cat eats ."), ("2003", "the cat ate mice ."), ("2010", "dogs eat .")]
"""The year of the document of each sentence; a new document begins where the year is another."""
LEMMAS = {"cats": "cat", "eats": "eat", "ate": "eat", "dogs": "dog", "mice": "mouse"}
TAGS = {"cats": "NOUN", "cat": "NOUN", "fish": "NOUN", "mice": "NOUN", "dogs": "NOUN", ".": "PUNCT"}
TOKENS = [[(word, LEMMAS.get(word, word), TAGS.get(word, "X")) for word in text.split()] for _, text in BOOK]


def conllu() -> str:
    """Every word depends on the first that is a form of eat: what stands before it as nsubj, behind it as obj."""
    lines, before = list[str](), ""
    for number, (year, text) in enumerate(BOOK, 1):
        if year != before:
            lines += [f"# newdoc id = d{year}", f"# meta::year = {year}", "# meta::empty ="]
        before, words = year, text.split()
        verb = next(place for place, word in enumerate(words) if LEMMAS.get(word, word) == "eat") + 1
        lines += [f"# sent_id = {number}", f"# text = {text}"]
        for place, word in enumerate(words, 1):
            head, relation = (0, "root") if place == verb else (verb, "nsubj" if place < verb else "obj")
            cells = (place, word, LEMMAS.get(word, word), TAGS.get(word, "X"), "_", "_", head, relation, "_", "_")
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    return "\n".join([*lines, ""])


@pytest.fixture
def book(run: Run, tmp_path: Path) -> Path:
    (tmp_path / "book.conllu").write_text(conllu(), encoding="utf-8")
    assert run("import", "book.conllu", "--lang", "eng", "--name", "book").exit_code == 0
    return tmp_path


def answer(run: Run, *words: str) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def groups(run: Run, by: str, query: str = '[lemma="eat"]') -> dict[str, int]:
    return {
        each["key"]: each["count"] for each in answer(run, "search", "--cqp", query, "--kwic", "--group", by)["groups"]
    }


@pytest.mark.parametrize(("given", "expected"), [
    ("left", [LineKey("left")]),
    ("match.lemma, 2R", [LineKey("match", "lemma"), LineKey("2R")]),
    ("document:year,target.pos", [LineKey("document", "year"), LineKey("target", "pos")]),
    ("year", [LineKey("document", "year")]),
])  # fmt: skip
def test_keys_are_read(given: str, expected: list[LineKey]) -> None:
    assert list(line_keys(given)) == expected


@pytest.mark.parametrize(
    "given", ["", "match.", "match:lemma", "document.year", "translation.pos", "left,", "left-pos"]
)
def test_what_is_no_key_is_an_error(given: str) -> None:
    with pytest.raises(UsageError, match="cannot be grouped by"):
        line_keys(given)


def test_lines_are_counted_by_each_value_and_by_several(run: Run, book: Path) -> None:
    verbs = [(tokens, place) for tokens in TOKENS for place, token in enumerate(tokens) if token[1] == "eat"]

    def beside(tokens: Sequence[tuple[str, str, str]], place: int) -> tuple[str, str, str]:
        end = "(start of sentence)" if place < 0 else "(end of sentence)"
        return tokens[place] if 0 <= place < len(tokens) else (end, end, end)

    for (side, step), (name, at) in product({"left": -1, "right": 1, "2L": -2}.items(), {"lemma": 1, "pos": 2}.items()):
        expected = Counter(beside(tokens, place + step)[at] for tokens, place in verbs)
        assert groups(run, f"{side}.{name}") == expected, (side, name)
    pairs = Counter(f"{tokens[place][1]} | {beside(tokens, place - 1)[0]}" for tokens, place in verbs)
    assert groups(run, "match.lemma,left") == groups(run, "KWIC.lemma,L1") == pairs
    assert groups(run, "target.lemma", '[lemma="eat"] @[pos="NOUN"]') == {"fish": 1, "mouse": 1}
    ends = '[pos="NOUN"] [lemma="eat"]'
    assert groups(run, "matchstart.lemma", ends) == {"cat": 3, "dog": 1}
    assert groups(run, "matchend,matchstart.pos", ends) == {"eat | NOUN": 2, "eats | NOUN": 1, "ate | NOUN": 1}
    assert "no attribute sense" in run("search", "eat", "--kwic", "--group", "match.sense").stderr


def test_attributes_stand_at_every_token_as_cqp_shows_them(run: Run, book: Path) -> None:
    call = ("search", "--cqp", '"cat" [lemma="eat"]', "--kwic")
    hits = answer(run, *call, "--show", "+lemma,+pos,pos")["hits"]
    assert [(each["left"], each["match"], each["right"], each["pos"]) for each in hits] == [
        ("a/a/X ", "cat/cat/NOUN eats/eat/X", " ././PUNCT", "NOUN X"),
        ("the/the/X ", "cat/cat/NOUN ate/eat/X", " mice/mouse/NOUN ././PUNCT", "NOUN X"),
    ]
    assert run(*call, "--show", "+lemma", "--width", "5w").exit_code == 2


def test_lines_of_documents_for_a_million_of_their_tokens(run: Run, book: Path) -> None:
    years = Counter[str]()
    for (year, _), tokens in zip(BOOK, TOKENS, strict=True):
        years[year] += len(tokens)
    found = answer(run, "search", "--cqp", '[lemma="cat"]', "--kwic", "--group", "document:year")["groups"]
    assert {each["key"]: (each["count"], each["tokens"]) for each in found} == {
        "2001": (2, years["2001"]),
        "2003": (1, 5),
    }
    assert [each["per_million"] for each in found] == [round(2e6 / years["2001"], 2), 200_000]
    for absent in ("document:empty", "empty"):
        told = run("search", "eat", "--kwic", "--group", absent).stderr
        assert "no document or line has an attribute 'empty'; there are" in told
    (whole,) = answer(run, "search", "eat", "--kwic", "--group", "collection")["groups"]
    assert whole["tokens"] == sum(years.values())


def test_they_are_those_of_the_part_that_is_searched(run: Run, book: Path) -> None:
    (book / "more.vert").write_text('<text year="2001">\n<s>\na\nrat\n</s>\n</text>\n', encoding="utf-8")
    assert run("import", "more.vert", "--lang", "eng", "--name", "more").exit_code == 0
    for asked, by, tokens in (
        ((), "year", {"2001": 10, "2003": 5}),
        (("--collection", "book"), "year", {"2001": 8, "2003": 5}),
        (("--where", "year=2003"), "collection", {"book": 5}),
        (("--document", "d2001"), "document", {"book/d2001": 8}),
    ):
        found = answer(run, "search", "a", "--group", by, "--kwic", *asked)["groups"]
        assert {each["key"]: each["tokens"] for each in found if each["key"] in tokens} == tokens
        assert all(each["per_million"] == round(each["count"] * 1e6 / each["tokens"], 2) for each in found)


SAID = [
    ("Yes.", "oui", "a"),
    ("Yes.", "oui", "a"),
    ("Yes.", "si", "a"),
    ("Yes.", "oui", "b"),
    ("A yes is no.", "non", "b"),
]
"""A sentence, its translation, and the document."""


@pytest.fixture
def talk(run: Run, tmp_path: Path) -> Path:
    rows = "".join(f"{document}\t{text}\t{translation}\n" for text, translation, document in SAID)
    (tmp_path / "talk.tsv").write_text(f"document\teng\tfra\n{rows}", encoding="utf-8")
    (tmp_path / "more.tsv").write_text("eng\tfra\nYes.\tet\nNo yes.\tnon\n", encoding="utf-8")
    assert run("import", "talk.tsv", "--lang", "eng,fra", "--name", "talk").exit_code == 0
    assert run("import", "more.tsv", "--lang", "eng,fra", "--name", "more").exit_code == 0
    return tmp_path


def test_every_occurrence_of_a_sentence_counts_where_that_is_asked(run: Run, talk: Path) -> None:
    asked = ("search", "yes", "--word", "-i", "--lang", "eng", "--collection", "talk", "--occurrences")

    def counted(by: str) -> dict[str, int]:
        return {each["key"]: each["count"] for each in answer(run, *asked, "--group", by)["groups"]}

    assert counted("translation") == Counter(translation for _, translation, _ in SAID)
    assert counted("document") == Counter(f"talk/{document}" for *_, document in SAID)
    assert counted("collection") == {"talk": len(SAID)}
    assert counted("match,left") == Counter(
        "yes | (start of sentence)" if text == "Yes." else "yes | a" for text, *_ in SAID
    )
    words = Counter(word for text, *_ in SAID for word in text.replace(".", " .").split())
    rows = answer(run, "frequencies", "--lang", "eng", "--collection", "talk", "--occurrences")["rows"]
    assert {row["text"]: row["count"] for row in rows} == words
    letters = answer(run, "frequencies", "--lang", "eng", "--collection", "talk", "--unit", "char", "--occurrences")
    assert letters["total"] == sum(len(text) for text, *_ in SAID)
    found = answer(run, "collocates", "Yes", "--lang", "eng", "--collection", "talk", "--occurrences", "--least", "1")
    assert (found["nodes"], [(row["text"], row["count"]) for row in found["rows"]]) == (4, [(".", 4)])
    query = answer(
        run, "collocates", '"Yes"', "--cqp", "--lang", "eng", "--collection", "talk", "--occurrences", "--least", "1"
    )
    assert query["nodes"] == 4
    (key,) = answer(run, "keywords", "talk", "--lang", "eng", "--occurrences", "--least", "2", "-n", "1")["rows"]
    assert (key["text"], key["count"], key["reference_count"]) == ("Yes", 4, 1)


@pytest.mark.parametrize("unit", ["word", "char"])
def test_all_occurrences_in_the_corpus_are_those_of_its_collections(run: Run, talk: Path, unit: str) -> None:
    """Which are counted place by place, and all together as often as a sentence has a place."""
    asked = ("frequencies", "--lang", "eng", "--unit", unit, "--occurrences", "-n", "0")
    whole, *parts = (
        Counter({row["text"]: row["count"] for row in answer(run, *asked, *more)["rows"]})
        for more in ((), ("--collection", "talk"), ("--collection", "more"))
    )
    assert whole == sum(parts, Counter())
    assert whole != Counter({row["text"]: row["count"] for row in answer(run, *asked[:-3], "-n", "0")["rows"]})


def test_occurrences_are_dispersed_over_their_documents(run: Run, talk: Path) -> None:
    rows = answer(run, "frequencies", "--lang", "eng", "--collection", "talk", "--occurrences", "--dispersion")["rows"]
    (spread,) = (row["dispersion"] for row in rows if row["text"] == "Yes")
    shares, sizes = (3 / 4, 1 / 4), (6 / 13, 7 / 13)
    assert spread["dp"] == pytest.approx(sum(abs(a - b) for a, b in zip(shares, sizes, strict=True)) / 2)


def test_where_in_a_document_the_lines_stand(run: Run, book: Path) -> None:
    found = answer(run, "search", "--cqp", '[lemma="eat"]', "--kwic", "--group", "document")["groups"]
    plots = {each["key"]: each["where"] for each in found}
    alone = f"|{'.' * 39}"
    assert plots == {"book/d2001": f"|{'.' * 38}|", "book/d2003": alone, "book/d2010": alone}


def test_sentences_around_a_hit_are_of_its_document(run: Run, book: Path) -> None:
    rows = answer(run, "search", "eat", "--lang", "eng", "--context", "1", "--regex")["hits"]
    assert [(each["before"], each["after"]) for each in rows][:2] == [("", BOOK[1][1]), (BOOK[0][1], "")]
    (line,) = answer(run, "search", "a cat", "--kwic", "--context", "3")["hits"]
    assert (line["left"], line["right"]) == (f"{BOOK[0][1]} ", " eats .")


def test_lines_are_shown_with_what_is_known_of_the_match(run: Run, book: Path) -> None:
    hits = answer(run, "search", "cats eat", "--kwic", "--show", "lemma,pos")["hits"]
    assert [(each["lemma"], each["pos"]) for each in hits] == [("cat eat", "NOUN X")]
    assert run("search", "cats eat", "--kwic", "--show", "lemma").stdout.splitlines()[0].split("\t")[-1] == "lemma"


def test_on_a_terminal_places_stand_before_the_line_and_tokens_behind_the_match(
    run: Run, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpusdb.search.commands._is_for_people", lambda _: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    shown = ("--kwic", "--show", "lemma,collection,document")
    line = run("search", "cats eat", *shown).stdout.splitlines()[0]
    (known,) = answer(run, "search", "cats eat", *shown)["hits"]
    assert line.startswith(f"1  {known['collection']}  {known['document']}  ")
    assert "\x1b[1mcats eat\x1b[0m [cat eat]" in line


def test_words_in_a_grammatical_relation(run: Run, book: Path) -> None:
    given = answer(run, "collocates", "eat", "--attribute", "lemma", "--relations", "--least", "1")["relations"]
    found = {(each["relation"], each["text"]): each["count"] for each in given}
    expected = Counter[tuple[str, str]]()
    for tokens in TOKENS:
        verb = next(place for place, token in enumerate(tokens) if token[1] == "eat")
        expected.update(("nsubj" if at < verb else "obj", token[1]) for at, token in enumerate(tokens) if at != verb)
    assert found == expected
    behind = sum(count for (relation, _), count in expected.items() if relation == "obj")
    dice = 14 + log2(2 * expected["obj", "."] / (behind + expected["obj", "."]))
    assert [each["logdice"] for each in given if each["text"] == "."] == [pytest.approx(dice)]
    (back,) = answer(run, "collocates", "fish", "--attribute", "lemma", "--relations", "--least", "1")["relations"]
    assert (back["relation"], back["text"], back["count"]) == ("obj of", "eat", 1)
    assert run("collocates", "eat", "--relations", "--cqp").exit_code == 2
    told = run("collocates", "eat", "--attribute", "lemma", "--relations", "--least", "1", "--occurrences").stderr
    assert "'eat' occurs 4 times, counting every occurrence of a sentence" in told
    Path("more.vrt").write_text("<s>\nthey\tthey\neat\teat\n</s>\n", encoding="utf-8")
    assert run("import", "more.vrt", "--lang", "eng", "--attributes", "word,lemma").exit_code == 0
    told = run("collocates", "eat", "--attribute", "lemma", "--relations", "--least", "1").stderr
    assert "4 of 5 eng sentences have deprel; the others are left out" in told, "a sketch counts no others"


def test_words_that_go_with_one_and_not_with_the_other(run: Run, book: Path) -> None:
    found = answer(run, "collocates", "cats", "--against", "mice", "--least", "1", "--window", "1")
    assert (found["nodes"], found["other_nodes"]) == (1, 1)
    rows = {each["text"]: (each["count"], each["other_count"]) for each in found["rows"]}
    assert rows == {"eat": (1, 0), "ate": (0, 1), ".": (0, 1)}
    assert [each["difference"] > 0 for each in found["rows"]] == [True, False, False]
    whole = answer(run, "collocates", "mice", "--least", "1", "--window", "1", "--measure", "logdice")["rows"]
    assert {x["text"]: x["logdice"] for x in whole} == {
        x["text"]: x["other_logdice"] for x in found["rows"] if x["other_count"]
    }  # fmt: skip


def test_words_that_get_more_frequent(run: Run, book: Path) -> None:
    rows = answer(run, "frequencies", "--trend", "year", "-n", "0")["rows"]
    trends = {each["text"]: each["trend"] for each in rows}
    assert trends["."]["per_million"] == [2e6 / 8, 1e6 / 5, 1e6 / 3]
    assert trends["cats"]["slope"] < 0 < trends["dogs"]["slope"]
    assert {*trends} == {token[0] for tokens in TOKENS for token in tokens}
    few = run("frequencies", "--trend", "year", "--ngram", "5", "--json")
    assert (few.exit_code, few.stdout) == (3, "")
    assert "three values of an attribute of documents or more; of 'year' what is counted has 1" in few.stderr
    rows = "".join(
        f"{each}\tfr {each}\t{year}\t{each}\n" for each, year in zip("abc", ("2001", "1999-05", "2000"), strict=True)
    )
    (book / "dated.tsv").write_text(f"eng\tfra\tdate\twho\n{rows}", encoding="utf-8")
    run("import", "dated.tsv", "--lang", "eng,fra", "--attributes", "date,who")
    dated = answer(run, "frequencies", "--trend", "date", "--pattern", "^[abc]$", "-n", "0")["rows"]
    assert {each["text"]: each["trend"]["per_million"].index(1e6) for each in dated} == {"b": 0, "c": 1, "a": 2}
    told = "a trend goes over numbers, or dates such as 2001-05-03; who has 'a', which --where 'who!=a' leaves out"
    assert told in run("frequencies", "--trend", "who").stderr
    refused = run("frequencies", "--trend", "genre")
    assert refused.exit_code == 3
    assert "no document or line has an attribute 'genre'; there are date, who, year" in refused.stderr


def test_columns_of_all_that_is_asked_beside_a_trend(run: Run, book: Path) -> None:
    """Each figure stands in its own column, and is the one that there is without the other options."""

    def table(*options: str) -> dict[str, dict[str, str]]:
        head, *rows = (line.split("\t") for line in run("frequencies", "-n", "0", *options).stdout.splitlines())
        return {row[0]: dict(zip(head, row, strict=True)) for row in rows}

    trend, spread, both = table("--trend=year"), table("--dispersion"), table("--trend=year", "--dispersion")
    assert both == {text: row | spread[text] for text, row in trend.items()}
    frames = table("--ngram=3", "--open-slot", "--trend=year")
    assert frames.keys() == table("--ngram=3", "--open-slot").keys() != set()
    assert {name: frames["cats * fish"][name] for name in ("from", "to", "fillers")} == {
        "from": "250000",  # one of the four of 2001
        "to": "0.0",
        "fillers": "1",
    }


def test_keywords_against_counts_from_elsewhere(run: Run, book: Path) -> None:
    (book / "list.tsv").write_text("text\tcount\ncat\t50\ncats\t1\n.\t949\n", encoding="utf-8")
    found = answer(run, "keywords", "book", "--against", "list.tsv", "--least", "1", "-n", "0")
    rows = {each["text"]: each["reference_count"] for each in found["rows"]}
    assert found["reference_tokens"] == 1000
    assert rows["cats"] == 1
    assert "." not in rows, "it is more frequent there"
    (book / "list.tsv").write_text("\ufeff.\t3000000000\nate\t1\n", encoding="utf-8")
    found = answer(run, "keywords", "book", "--against", "list.tsv", "--least", "1", "-n", "0")
    assert found["reference_tokens"] == 3_000_000_001
    assert "." not in {each["text"] for each in found["rows"]}, "nothing stands before it that is not seen"
    for told, reason in ((f"cat\t{10**25}", "cannot occur more than"), ("word\tcount", "no line has a word")):
        (book / "list.tsv").write_text(f"{told}\n", encoding="utf-8")
        refused = run("keywords", "book", "--against", "list.tsv")
        assert (refused.exit_code, reason in refused.stderr) == (3, True)
    (book / "list.tsv").write_text("cat\t50\nsat\n", encoding="utf-8")
    refused = run("keywords", "book", "--against", "list.tsv")
    assert (refused.exit_code, "list.tsv:2" in refused.stderr) == (3, True)
