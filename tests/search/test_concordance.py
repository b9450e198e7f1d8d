"""Concordances: every match once, in order, with what was asked for, as lines and in files."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest
from corpora import filled_store, import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.cells import cell_width
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Progress, finished
from corpusdb.corpus.queries.sentences import sentence_detail
from corpusdb.corpus.store import Store
from corpusdb.search.patterns import Folding, Pattern
from corpusdb.search.queries import concordance as module
from corpusdb.search.queries.concordance import (
    Concordance,
    Group,
    Line,
    Wanted,
    arrange_lines,
    first_details,
    hit_details,
)
from corpusdb.search.queries.conditions import Search, TranslationCondition
from corpusdb.search.queries.hit_export import ExportFormat, HitExport, export_hits
from corpusdb.search.queries.line_words import cut_context
from corpusdb.search.queries.request import (
    Arrangement,
    ContextWidth,
    GroupBy,
    SearchRequest,
    context_width,
    sort_keys,
)
from corpusdb.search.queries.search import Hits, Searcher
from corpusdb.search.report import KwicLine, kwic_line
from corpusdb.search.token_corpus import tokenise

TEXTS = ["b cat a", "A cat b cat", "the cat.", "dog", "c cat a", "b Cat d"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("concordance")
    with new_store(folder) as store:
        import_rows(store, [(text, f"t{place % 2}") for place, text in enumerate(TEXTS)])
        import_rows(store, [("b cat a", "u"), ("b cat a", "t1")])
        import_rows(store, [("猫が寝る", "x"), ("黒い猫", "y")], ("jpn", "eng"))
        yield store


def concordance(store: Store, arrangement: Arrangement | None = None, pattern: str = "cat") -> Concordance:
    return finished(arrange_lines(Searcher(store).find(Search("eng", Pattern(pattern))), arrangement))


def shown(found: Concordance) -> list[str]:
    return [f"{line.left}[{line.match}]{line.right}" for line in found.lines()]


@pytest.mark.parametrize(
    ("sorting", "expected"),
    [
        ("corpus", ["b [cat] a", "A [cat] b cat", "A cat b [cat]", "the [cat].", "c [cat] a"]),
        ("left", ["A [cat] b cat", "b [cat] a", "A cat b [cat]", "c [cat] a", "the [cat]."]),
        ("right", ["A cat b [cat]", "the [cat].", "b [cat] a", "c [cat] a", "A [cat] b cat"]),
        ("2L", ["b [cat] a", "A [cat] b cat", "the [cat].", "c [cat] a", "A cat b [cat]"]),
        ("3L", ["b [cat] a", "A [cat] b cat", "the [cat].", "c [cat] a", "A cat b [cat]"]),
        ("2R", ["b [cat] a", "A cat b [cat]", "the [cat].", "c [cat] a", "A [cat] b cat"]),
    ],
)
def test_order(store: Store, sorting: str, expected: list[str]) -> None:
    assert shown(concordance(store, Arrangement(sorting))) == expected


@pytest.mark.parametrize("query", ['"cat"%c', '"cat|b" []? "a"', '"cat" []* "b" within text', '"cat|b" :fra "t1"'])
def test_a_cut_leaves_the_first_lines(query: str, store: Store) -> None:
    def lines(pattern: str) -> list[list[Line]]:
        """The lines of each match."""
        search = Search("eng", Pattern(pattern, "cqp"))
        found = enumerate(finished(arrange_lines(Searcher(store).find(search))).lines())
        matches = groupby(found, key=lambda each: each[0] if each[1].of is None else -each[1].of)
        return [[replace(line, of=None) for _, line in of_match] for _, of_match in matches]

    whole = lines(query)
    for count in range(1, len(whole) + 2):
        assert lines(f"{query} cut {count}") == whole[:count]
    there = TranslationCondition("fra", Pattern("t0"))
    search = Search("eng", Pattern('"cat"%c cut 2', "cqp"), (there,))
    assert (
        Searcher(store).find_while_typing(search).sentences.tolist() == Searcher(store).find(search).sentences.tolist()
    )


def test_a_page_is_a_part_of_the_whole(store: Store) -> None:
    found = concordance(store, Arrangement("right"))
    assert found.lines(1, 2) == found.lines()[1:3]
    assert len(found) == found.total == 5


@given(st.integers(0, 2**32), st.integers(1, 7))
def test_a_sample_is_a_part_and_the_same_for_the_same_seed(store: Store, seed: int, size: int) -> None:
    whole = shown(concordance(store))
    sample = concordance(store, Arrangement(sample=size, seed=seed))
    assert len(sample) == min(size, 5)
    assert sample.total == 5
    assert [line for line in whole if line in shown(sample)] == shown(sample)
    assert shown(concordance(store, Arrangement(sample=size, seed=seed))) == shown(sample)
    mixed = shown(concordance(store, Arrangement("random", seed=seed)))
    assert sorted(mixed) == sorted(whole)
    assert mixed == shown(concordance(store, Arrangement("random", seed=seed)))


def test_every_line_is_chosen_by_some_seed(store: Store) -> None:
    chosen = {shown(concordance(store, Arrangement(sample=1, seed=seed)))[0] for seed in range(60)}
    assert len(chosen) == 5


def test_groups(store: Store) -> None:
    found = concordance(store)
    assert found.groups("left", store) == [
        Group("b", 2, 0.4),
        Group("A", 1, 0.2),
        Group("c", 1, 0.2),
        Group("the", 1, 0.2),
    ]
    assert found.groups("right", store)[0] == Group("a", 2, 0.4)
    assert found.groups("match", store) == [Group("cat", 5, 1.0)]
    assert found.groups("collection", store) == [Group("rows", 5, 1.0)]
    documents = {group.key: group.count for group in found.groups("document", store)}
    assert documents == {"rows/corpus-0.tsv": 5, "rows/corpus-1.tsv": 1}


def test_no_word_is_beside_a_string_that_it_is_a_part_of(store: Store) -> None:
    assert concordance(store, pattern="ca").groups("right", store) == concordance(store).groups("right", store)
    lefts = concordance(store, pattern="at").groups("left", store)  # which Cat has, too
    assert [(each.key, each.count) for each in lefts] == [("b", 3), ("A", 1), ("c", 1), ("the", 1)]
    japanese = finished(arrange_lines(Searcher(store).find(Search("jpn", Pattern("が")))))
    assert japanese.groups("right", store) == [Group("寝", 1, 1.0)]


def test_words_of_a_pattern_in_any_case_are_one_in_any_case(store: Store) -> None:
    """In a match and on either side of it, by whatever key, and in CQP where every word has %c."""
    beside = concordance(store, Arrangement(folds_case=True))
    assert [group.key for group in beside.groups("left", store)] == ["b", "a", "c", "the"]
    for text, folds in (("a", True), ("A", False)):
        hits = Searcher(store).find(SearchRequest(text, word=True, ignore_case=True).search("eng"))
        lines = finished(arrange_lines(hits, Arrangement(folds_case=folds)))
        for key in ("match", "matchstart", "matchend"):
            assert {group.key for group in lines.groups(key, store)} == ({"a"} if folds else {"a", "A"})
    assert [SearchRequest(text).arrangement.folds_case for text in ("cat", "Cat")] == [True, False]
    assert not SearchRequest("cat", ignore_case=False).arrangement.folds_case
    asked = {'"cat"': False, '"cat"%c': True, '"a"%c "cat"': False, '"a"%c [] "cat"%cd': True, '[lemma="cat"]': False}
    assert {text: SearchRequest(text, cqp=True).arrangement.folds_case for text in (*asked, '"')} == asked | {
        '"': False
    }


def test_translations_are_grouped_by_language(store: Store) -> None:
    """One of the five lines has three translations into French, the others one; none has one into Japanese."""
    found = concordance(store)
    french = [Group("t0", 3, 3 / 5, "fra"), Group("t1", 3, 3 / 5, "fra"), Group("u", 1, 1 / 5, "fra")]
    japanese = [Group("(no translation)", 5, 1.0, "jpn")]
    assert found.groups("translation", store) == french + japanese
    assert found.groups("translation", store, ["fra"]) == french
    assert found.groups("translation", store, ["jpn", "fra"]) == japanese + french


def test_sentences_without_a_line_are_not_counted(store: Store) -> None:
    found = concordance(store)
    one = finished(found.of_group("translation", "fra u", store))
    assert (len(one), one.sentences) == (1, 1) and found.sentences > 1


def test_shares_are_of_the_lines_however_many_groups_these_count_in(store: Store) -> None:
    found = concordance(store, pattern="at")
    for by in ("match", "left", "translation"):
        groups = found.groups(by, store)
        assert [group.share for group in groups] == [group.count / len(found) for group in groups]
        in_one = sum(group.share for group in groups if group.language == groups[0].language) == pytest.approx(1)
        assert in_one == (by != "translation")


def test_characters_are_the_neighbours_where_nothing_delimits_words(store: Store) -> None:
    hits = Searcher(store).find(Search("jpn", Pattern("猫")))
    found = finished(arrange_lines(hits))
    assert found.groups("right", store) == [Group("(end of sentence)", 1, 0.5), Group("が", 1, 0.5)]
    assert found.groups("left", store) == [Group("(start of sentence)", 1, 0.5), Group("い", 1, 0.5)]


def test_neighbours_are_tokens_and_not_what_stands_between_blanks(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, [(text, "t") for text in ("make it.", "make it up", "make it?", "make; it", '"it, make"')])
        found = concordance(store, pattern="make")
        assert {group.key: group.count for group in found.groups("right", store)} == {"it": 3, ";": 1, '"': 1}
        assert {group.key: group.count for group in found.groups("left", store)} == {"(start of sentence)": 4, ",": 1}
        opened = finished(found.of_group("right", "it", store))
        assert shown(opened) == ["[make] it.", "[make] it up", "[make] it?"]
        ordered = shown(concordance(store, Arrangement("right"), "make"))
        assert ordered == ['"it, [make]"', "[make]; it", "[make] it.", "[make] it?", "[make] it up"]


@pytest.mark.parametrize("words_only", [False, True])
def test_the_word_that_is_marked_is_the_first_by_which_lines_are_sorted(tmp_path: Path, *, words_only: bool) -> None:
    """And without punctuation marks, lines are ordered and counted as if the texts beside the match had none."""
    chance = random.Random(6)
    pool = ["a", "B", "c,", "cat", "d.", "don't", "...", '"e"', "-", "猫か"]
    texts = {" ".join(chance.choices(pool, k=chance.randint(1, 9))) for _ in range(60)}
    with new_store(tmp_path) as store:
        import_rows(store, [(text, "t") for text in sorted(texts)])
        whole = concordance(store, Arrangement(words_only=words_only))
        for by in ("left", "2L", "3L", "right", "2R", "3R"):
            found = concordance(store, Arrangement(by, words_only=words_only))
            sides = [
                tokenise(line.left)[::-1] if by in ("left", "2L", "3L") else tokenise(line.right)
                for line in whole.lines()
            ]
            first = int(by[0]) - 1 if by[0] in "23" else 0
            words = [[each for each in side if not words_only or re.search(r"\w", each)][first:] for side in sides]
            keys = [[word.casefold() for word in each] for each in words]
            expected = [line for _, line in sorted(zip(keys, shown(whole), strict=True), key=lambda pair: pair[0])]
            assert shown(found) == expected
            assert {group.key: group.count for group in found.groups(by, store)} == Counter(
                each[0] if each else "(start of sentence)" if by in ("left", "2L", "3L") else "(end of sentence)"
                for each in words
            )
            marked = []
            for row, line in enumerate(found.lines()):
                spans, text = found.key_spans(row), line.left + line.match + line.right
                marked.append(text[slice(*spans[0])] if spans else "-")
                assert all(end <= len(line.left) or begin >= len(line.left + line.match) for begin, end in spans)
            assert Counter(marked) == Counter(each[0] if each else "-" for each in words)


@pytest.mark.parametrize("words_only", [False, True])
def test_lines_are_sorted_by_several_keys(tmp_path: Path, *, words_only: bool) -> None:
    """By each in turn from the last one to the first, as a stable sort does, of which only the last goes on."""
    chance = random.Random(11)
    texts = {" ".join(chance.choices(["a", "B", "b", "c,", "cat", "Cats"], k=chance.randint(1, 7))) for _ in range(90)}
    places = {"left": ("L", 0), "2L": ("L", 1), "3L": ("L", 2), "right": ("R", 0), "2R": ("R", 1), "3R": ("R", 2)}
    with new_store(tmp_path) as store:
        import_rows(store, [(text, "t") for text in sorted(texts)])
        hits = Searcher(store).find(Search("eng", Pattern("cats?", "regex", Folding(case=True))))
        lines = finished(arrange_lines(hits)).lines()
        for _ in range(12):
            keys = chance.sample(["match", *places], 3)

            def words(line: Line, key: str) -> list[str]:
                if key == "match":
                    return [line.match.casefold(), *beside(line.right)]
                side, first = places[key]
                return (beside(line.left)[::-1] if side == "L" else beside(line.right))[first:]

            def beside(text: str) -> list[str]:
                return [each.casefold() for each in tokenise(text) if not words_only or each.isalpha()]

            expected = sorted(lines, key=lambda line: words(line, keys[2]))
            for key in keys[1::-1]:
                expected = sorted(expected, key=lambda line: words(line, key)[:1])
            found = finished(arrange_lines(hits, Arrangement(",".join(keys), words_only=words_only)))
            assert found.lines() == expected
            for row, line in enumerate(found.lines()):
                text = line.left + line.match + line.right
                marked = [text[slice(*span)].casefold() for span in found.key_spans(row)]
                assert marked == [each for key in keys if key != "match" for each in words(line, key)[:1]]


@pytest.mark.parametrize(
    "given", ["left,random", "examples,left", "left,", "", "translation", "left,translation", "2M."]
)
def test_what_lines_are_not_sorted_by(given: str) -> None:
    with pytest.raises(UsageError):
        sort_keys(given)


def words_of(text: str) -> list[str]:
    return [*text.replace(" ", "")] if {*text} & {*"猫犬"} else tokenise(text)


BESIDE = st.text("ab' ,.", max_size=12) | st.text("猫犬 ", max_size=9)


@given(left=BESIDE, right=BESIDE, most=st.integers(1, 9))
def test_no_more_context_than_is_wanted(left: str, right: str, most: int) -> None:
    """In words the nearest are there whole, and none beside them; in characters just so many."""
    before, after = cut_context(left, right, ContextWidth(most, in_words=False))
    assert (len(before), len(after)) == (min(most, len(left)), min(most, len(right)))
    assert left.endswith(before) and right.startswith(after)
    before, after = cut_context(left, right, ContextWidth(most, in_words=True))
    assert left.endswith(before) and right.startswith(after)
    assert words_of(before) == words_of(left)[-most:]
    assert words_of(after) == words_of(right)[:most]


@pytest.mark.parametrize("given", ["0", "-1", "5 w", "w", "1.5", "5c"])
def test_what_is_no_width(given: str) -> None:
    with pytest.raises(UsageError):
        context_width(given)


def test_lines_are_ordered_and_grouped_by_the_target_of_a_query(store: Store) -> None:
    hits = Searcher(store).find(Search("eng", Pattern('@"A|b|c|the"? "cat" []?', "cqp")))
    found = finished(arrange_lines(hits, Arrangement("target")))
    assert [line.match for line in found.lines()] == ["A cat", "b cat", "b cat", "c cat", "the cat"]
    assert {group.key: group.count for group in found.groups("target", store)} == {"b": 2, "A": 1, "c": 1, "the": 1}
    without = Searcher(store).find(Search("eng", Pattern('@"b"? "cat"', "cqp")))
    groups = finished(arrange_lines(without)).groups("target", store)
    assert {group.key: group.count for group in groups} == {"-": 3, "b": 2}


@pytest.mark.slow
def test_good_examples_come_first(tmp_path: Path) -> None:
    """Each counted by itself: a length of 10 to 25 words, common words, no anaphor, and whole."""
    chance = random.Random(8)
    pool = [*"ABCDEFGHIJabcdefghij", "it", "He", *map("rare{}".format, range(300))]
    ends = (".", "?", "", " !", ",", '."')
    texts = [" ".join(chance.choices(pool, k=chance.randint(0, 30))) + " cat" + chance.choice(ends) for _ in range(80)]
    texts = list(dict.fromkeys(text.strip() for text in texts))
    with new_store(tmp_path) as store:
        import_rows(store, [(text, "t") for text in texts])
        counts = Counter(word.lower() for text in texts for word in re.findall(r"\w+", text))
        assert {count > 4 for count in counts.values()} == {True, False}, "some words are rare"
        scores = {}
        for text in texts:
            words = re.findall(r"\w+", text.lower())
            length = 1 if 10 <= len(words) <= 25 else min(len(words) / 10, 25 / len(words))
            common = sum(counts[word] >= 5 for word in words) / len(words)
            alone = not {"it", "he"} & {*words}
            whole = text[0].isupper() and text.rstrip('"')[-1] in ".?!"
            scores[text] = (2 * length + 2 * common + alone + whole) / 6
        found = ["".join(shown(concordance(store, Arrangement("examples")))[place]) for place in range(len(texts))]
        assert [each.replace("[cat]", "cat") for each in found] == sorted(texts, key=lambda text: -scores[text])


@pytest.mark.parametrize(
    ("language", "better", "worse"),
    [
        ("jpn", "猫が寝る。", "猫はこれを食べる。"),
        ("jpn", "「猫が寝る。」", "猫が寝る"),
        ("fra", "Le chat boit du lait.", "C'est un chat roux ."),
        ("deu", "Die Katze trinkt Milch.", "Sie mag die Katze nicht."),
        ("spa", "¿Duerme el gato?", "¿duerme el gato"),
    ],
)
def test_good_examples_in_other_languages(language: str, better: str, worse: str, tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        import_rows(store, [(worse, "a"), (better, "b")], (language, "eng"))
        found = finished(arrange_lines(Searcher(store).find(Search(language, None)), Arrangement("examples")))
        assert not len(found), "there is no line without a match"
        pattern = {"jpn": "猫", "fra": "chat", "deu": "Katze", "spa": "gato"}[language]
        hits = Searcher(store).find(Search(language, Pattern(pattern)))
        assert [line.sentence for line in finished(arrange_lines(hits, Arrangement("examples"))).lines()] == [3, 1]


@pytest.mark.parametrize("sorting", ["corpus", "left", "right", "match", "random", "3R", "examples", "match,2L,right"])
@pytest.mark.parametrize("step", [1, 2, 100])
def test_in_small_steps_it_is_the_same(store: Store, sorting: str, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    arrangement = Arrangement(sorting, seed=3)
    whole = concordance(store, arrangement)
    monkeypatch.setattr("corpusdb.search.queries.concordance._STEP", step)
    monkeypatch.setattr("corpusdb.search.queries.concordance._MATCHED", step)
    monkeypatch.setattr("corpusdb.search.queries.concordance._RUN", 2 * step)
    steps = list[Progress]()
    stepwise = finished(arrange_lines(whole.hits, arrangement), steps.append)
    assert shown(stepwise) == shown(whole)
    assert stepwise.total == whole.total
    assert len(steps) >= len(whole.hits) // step
    assert stepwise.groups("left", store) == whole.groups("left", store)


@pytest.mark.parametrize("by", ["match", "left", "right", "collection", "document", "translation"])
def test_the_lines_of_each_group(store: Store, by: GroupBy) -> None:
    found = concordance(store, Arrangement("left"))
    for group in found.groups(by, store):
        lines = shown(finished(found.of_group(by, group.name, store)))
        assert len(lines) == group.count
        assert [line for line in shown(found) if line in lines] == lines


# What is looked up for hits is what was asked for, of every hit once and in order.


ROWS = [("a cat", "un chat"), ("a cat", "chat, oui"), ("cat, cat", "le chat"), ("a dog", "un chien")]


@pytest.fixture
def hit_details_store(tmp_path: Path) -> Iterator[Store]:
    with filled_store(tmp_path, import_rows, tuple(ROWS)) as store:
        yield store


def found(store: Store, pattern: str = "cat", language: str = "eng") -> Hits:
    return Searcher(store).find(Search(language, Pattern(pattern)))


def lines(store: Store) -> Concordance:
    return finished(arrange_lines(found(store)))


def test_only_what_is_wanted_is_looked_up(hit_details_store: Store) -> None:
    (first, _) = hit_details(hit_details_store, found(hit_details_store), Wanted(), range(2))
    assert (first.texts, first.spans, first.translations, first.places) == ({"text": "a cat"}, None, [], [])
    (first, second) = hit_details(
        hit_details_store, found(hit_details_store), Wanted((), places=True, spans=True), range(2)
    )
    document = first.document()
    assert [place.pop("line") for place in document.pop("places")] == [1, 2]  # type: ignore[attr-defined]
    assert document == {
        "id": first.id,
        "language": "eng",
        "text": "a cat",
        "spans": [(2, 5)],
        "translations": {
            "fra": [
                {"text": "un chat", "distance": 1, "via": None},
                {"text": "chat, oui", "distance": 1, "via": None},
            ]
        },
    }
    assert second.spans == [(0, 3), (5, 8)]


@pytest.mark.parametrize(
    ("wanted", "columns", "cells"),
    [
        (Wanted(), ["language", "text"], ["eng", "a cat"]),
        (Wanted(("fra",)), ["text", "fra"], ["a cat", "un chat | chat, oui"]),
        (Wanted(("fra",)), ["text", "jpn"], ["a cat", ""]),
        (Wanted((), 2), ["translations"], ["un chat | chat, oui"]),
    ],
)
def test_cells(hit_details_store: Store, wanted: Wanted, columns: list[str], cells: list[str]) -> None:
    (first,) = hit_details(hit_details_store, found(hit_details_store), wanted, range(1))
    assert first.cells(columns) == cells


def test_distant_translations_say_so(hit_details_store: Store) -> None:
    (hit,) = hit_details(hit_details_store, found(hit_details_store, "un chat", "fra"), Wanted((), 2), range(1))
    assert hit.cells(["eng", "fra"]) == ["a cat", ""]
    (hit,) = hit_details(hit_details_store, found(hit_details_store, "un chat", "fra"), Wanted(("fra",), 2), range(1))
    assert hit.cells(["eng", "fra"]) == ["", "(2) chat, oui"]


def test_lines_are_split_at_their_matches(hit_details_store: Store) -> None:
    details = list(hit_details(hit_details_store, lines(hit_details_store), Wanted(spans=True), range(1, 3)))
    assert [tuple(each.texts.values()) for each in details] == [("", "cat", ", cat"), ("cat, ", "cat", "")]
    assert [each.spans for each in details] == [None, None]


@pytest.mark.slow
@pytest.mark.parametrize("page", [1, 2, 1000])
@pytest.mark.parametrize("limit", range(6))
def test_the_first_of_several_searches(
    hit_details_store: Store, limit: int, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGE", page)
    searches = [found(hit_details_store), found(hit_details_store, "dog"), found(hit_details_store, "chien", "fra")]
    texts = ["a cat", "cat, cat", "a dog", "un chien"]
    details = first_details(hit_details_store, searches, Wanted(("fra",)), limit)
    assert [each.texts["text"] for each in details] == (texts[:limit] if limit else texts)


# Hits in files: all of them, whole, and either a complete file or none.


HIT_EXPORT_ROWS = [("a cat", "un chat"), ("a cat", "chat, oui"), ('"the" cat', "le chat"), ("a dog", "un chien")]


@pytest.fixture
def hit_export_store(tmp_path: Path) -> Iterator[Store]:
    with filled_store(tmp_path, import_rows, tuple(HIT_EXPORT_ROWS)) as store:
        yield store


def cats(store: Store) -> Hits:
    return Searcher(store).find(Search("eng", Pattern("cat")))


def written(
    store: Store, path: Path, format: ExportFormat, *, kwic: bool = False, width: ContextWidth | None = None
) -> str:
    hits = cats(store)
    export = HitExport(path, format, ("fra",), width=width)
    assert finished(export_hits(store, finished(arrange_lines(hits)) if kwic else hits, export)).hits == 2
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("format", "kwic", "cells"),
    [
        ("tsv", False, [["text"], ["a cat"], ['"the" cat']]),
        ("csv", False, [["text"], ["a cat"], ['"the" cat']]),
        ("tsv", True, [["left", "match", "right"], ["a ", "cat", ""], ['"the" ', "cat", ""]]),
    ],
)
def test_tables(
    hit_export_store: Store, tmp_path: Path, format: ExportFormat, kwic: bool, cells: list[list[str]]
) -> None:
    text = written(hit_export_store, tmp_path / "hits", format, kwic=kwic)
    if format == "csv":
        rows = list(csv.reader(text.splitlines(keepends=True)))
    else:
        rows = [line.split("\t") for line in text.splitlines()]
    assert [row[2:-2] for row in rows] == cells
    assert [row[-2] for row in rows] == ["fra", "un chat | chat, oui", "le chat"]
    assert [row[-1].count(" | ") for row in rows[1:]] == [1, 0]
    if kwic:
        text = written(hit_export_store, tmp_path / "cut", format, kwic=True, width=ContextWidth(2, in_words=False))
        assert [line.split("\t")[2:-2] for line in text.splitlines()] == [*cells[:2], ['" ', "cat", ""]]


def test_json_lines(hit_export_store: Store, tmp_path: Path) -> None:
    first, second = map(json.loads, written(hit_export_store, tmp_path / "hits", "jsonl").splitlines())
    assert (first["text"], second["text"]) == ("a cat", '"the" cat')
    assert first["translations"]["fra"] == [
        {"text": "un chat", "distance": 1, "via": None},
        {"text": "chat, oui", "distance": 1, "via": None},
    ]
    assert [place["line"] for place in first["places"]] == [1, 2]


def test_a_file_that_is_there_stays(hit_export_store: Store, tmp_path: Path) -> None:
    (tmp_path / "hits").write_text("mine")
    with pytest.raises(UsageError, match="already"):
        written(hit_export_store, tmp_path / "hits", "tsv")
    assert (tmp_path / "hits").read_text() == "mine"


def test_what_is_stopped_leaves_nothing(hit_export_store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    job = export_hits(hit_export_store, cats(hit_export_store), HitExport(folder / "hits", "tsv", ()))
    next(job)
    assert len(list(folder.iterdir())) == 1
    job.close()
    assert not list(folder.iterdir())


def test_a_folder_that_is_not_there(hit_export_store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        finished(export_hits(hit_export_store, cats(hit_export_store), HitExport(tmp_path / "no" / "hits", "tsv", ())))


def test_what_is_known_of_a_sentence(hit_export_store: Store) -> None:
    sentence = int(cats(hit_export_store).sentences[0])
    detail = sentence_detail(hit_export_store, sentence)
    assert [(each.text, each.distance) for each in detail.translations] == [("un chat", 1), ("chat, oui", 1)]
    assert [place.line for place in detail.places] == [1, 2]
    assert detail.paraphrases == 0
    farther = sentence_detail(hit_export_store, sentence, ["eng"], 2)
    assert farther.translations == ()


# Lines of a concordance: the matches below each other, whatever the characters, and nothing that a terminal obeys.


TEXT = st.text("ab 猫ｱe\u0301\x1b\t…", max_size=30)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (("the ", "cat", " sleeps", 6, 7), KwicLine("  the ", "cat", " sleeps")),
        (("the ", "cat", " sleeps", 3, 6), KwicLine("…e ", "cat", " slee…")),
        (("黒い", "猫", "が寝る", 5, 4), KwicLine(" 黒い", "猫", "が…")),
        (("黒い", "猫", "が寝る", 4, None), KwicLine("黒い", "猫", "が寝る")),
        (("黒い猫の", "目", "", 4, 3), KwicLine(" …の", "目", "")),
        (("", "cat", "", 2, 2), KwicLine("  ", "cat", "")),
    ],
)
def test_lines(given: tuple[str, str, str, int, int | None], shown: KwicLine) -> None:
    assert kwic_line(*given) == shown


@given(TEXT, TEXT, TEXT, st.integers(4, 20), st.integers(4, 20))
def test_the_match_begins_in_one_column(left: str, match: str, right: str, before: int, after: int) -> None:
    line = kwic_line(left, match, right, before, after)
    assert cell_width(line.left) == before
    assert cell_width(line.right) <= after
    assert "\x1b" not in "".join(line)
