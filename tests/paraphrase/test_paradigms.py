"""Paradigms against a naive reading of the slots, and their command."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from brute_force import Generation, slots
from calls import Run
from corpora import Row, import_rows, new_store, random_rows

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import prepare
from corpusdb.corpus.queries.fillers import prepared_languages
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries import paradigms
from corpusdb.paraphrase.queries.paradigms import (
    ContextFiller,
    FillerContext,
    Paradigm,
    contexts_of_filler,
    fillers_commuting_with,
    fillers_of_context,
    gap_of,
    shared_contexts,
)
from corpusdb.paraphrase.slots import cut_slots

CAFE: list[Row] = [
    (text, f"t{number}")
    for number, text in enumerate(
        [
            *(f"I'd like {drink}, please." for drink in ("coffee", "tea", "a cup of tea", "the bill")),
            *(f"I like {drink}." for drink in ("coffee", "tea", "milk", "it")),
            *(f"{drink} is good." for drink in ("Coffee", "tea", "It")),
            "I like coffee very much.",
            "I like coffee a lot.",
            "Once only, please.",
        ]
    )
]


def prepared(store: Store, rows: list[Row]) -> Store:
    import_rows(store, rows)
    finished(prepare(store, "eng"))
    return store


class Naive:
    """The same questions, asked of the slots of all sentences."""

    def __init__(self, rows: list[Row]) -> None:
        self.sentences = list(dict.fromkeys(row[0] for row in rows))
        self.index = Generation(self.sentences, {})

    def in_index(self, filler: str) -> int:
        count = len(self.index.places[filler])
        return count if count > 1 else 0

    def commuting(self, forms: tuple[str, ...]) -> list[tuple[str, int]]:
        counts: dict[str, int] = defaultdict(int)
        for (x, y), contexts in self.index.commutations().items():
            for form, other in ((x, y), (y, x)):
                if form in forms and other not in forms:
                    counts[other.removeprefix(" ")] += contexts
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def contexts(self, forms: tuple[str, ...]) -> list[FillerContext]:
        found = [
            FillerContext("␣".join(context), len(members), members[form])
            for context, members in self.index.contexts.items()
            for form in forms
            if form in members and self.in_index(form)
        ]
        return sorted(found, key=lambda one: (-one.fillers, one.text, one.sentence))

    def fillers(self, before: str, after: str) -> list[ContextFiller]:
        found = [
            (-self.in_index(filler), filler, text)
            for text in self.sentences
            for context, filler in slots(text)
            if context == (before, after)
        ]
        return [ContextFiller(filler.removeprefix(" "), -count, text) for count, filler, text in sorted(found)]


@pytest.mark.parametrize("seed", range(8))
def test_random_corpora_as_read_naively(seed: int, empty: Store) -> None:
    chance = random.Random(seed)
    rows = random_rows(chance, 40)
    naive = Naive(rows)
    store = prepared(empty, rows)
    for phrase in ("a", " a", "b c", "a b.", ".", "", "none"):
        forms = (phrase,) if phrase[:1] in ("", " ") else (phrase, f" {phrase}")
        commuting = fillers_commuting_with(store, "eng", phrase)
        assert [(one.text, one.contexts) for one in commuting.members] == naive.commuting(forms)
        assert commuting.total == len(commuting.members)
        contexts = contexts_of_filler(store, "eng", phrase)
        assert list(contexts.members) == naive.contexts(forms)
        assert contexts.total == len(contexts.members)
    for before, after in product(["", "a", "b c", "a b", "c a b"], [".", " a", " b.", " a c", "", "."]):
        if before or after:
            assert list(fillers_of_context(store, "eng", f"{before}_{after}").members) == naive.fillers(before, after)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
def test_a_limit_takes_the_first_of_the_whole_answer(limit: int, empty: Store) -> None:
    store = prepared(empty, random_rows(random.Random(1), 60))

    def questions(limit: int) -> list[Paradigm[object]]:
        return [
            ask(store, "eng", phrase, limit)
            for ask, phrase in (
                (fillers_commuting_with, "a"),
                (contexts_of_filler, "a"),
                (contexts_of_filler, ""),
                (fillers_of_context, "a _"),
            )
        ]

    for whole, part in zip(questions(0), questions(limit), strict=True):
        assert part.total == whole.total == len(whole.members)
        assert part.members == whole.members[:limit]


def test_a_phrase_is_found_at_the_beginning_and_inside(empty: Store) -> None:
    store = prepared(empty, CAFE)
    found = fillers_commuting_with(store, "eng", "coffee").members
    assert (found[0].text, found[0].contexts) == ("tea", 2)
    assert found[0].example in ("I'd like␣, please.", "I like␣.")
    assert [one.text for one in fillers_commuting_with(store, "eng", " coffee").members] == [one.text for one in found]


def test_a_phrase_does_not_commute_with_itself(empty: Store) -> None:
    texts = [f"{left}-{filler}." for left in "AC" for filler in ("b", " b", "d")]
    store = prepared(empty, [(text, f"t{number}") for number, text in enumerate(texts)])
    found = fillers_commuting_with(store, "eng", "b").members
    assert [(one.text, one.contexts) for one in found if one.text in "bd"] == [("d", 4)]


def test_an_example_holds_both_fillers(empty: Store) -> None:
    rows = random_rows(random.Random(5), 60)
    store = prepared(empty, rows)
    texts = {row[0] for row in rows}
    for one in fillers_commuting_with(store, "eng", "a").members:
        assert any(one.example.replace("␣", form) in texts for form in ("a", " a"))
        assert any(one.example.replace("␣", form) in texts for form in (one.text, f" {one.text}"))


@pytest.mark.parametrize("seed", range(4))
def test_shared_contexts_are_those_that_are_counted(seed: int, empty: Store) -> None:
    store = prepared(empty, random_rows(random.Random(seed), 60))
    for phrase in ("a", " b", "b c", "."):
        contexts = {(one.text, one.sentence) for one in contexts_of_filler(store, "eng", phrase).members}
        for one in fillers_commuting_with(store, "eng", phrase).members:
            if one.text in (phrase.strip(), ""):  # asked for without its form, it would be another phrase
                continue
            found = shared_contexts(store, "eng", phrase, one.text)
            assert found.total == len(found.members) == one.contexts
            assert one.example in [shared.text for shared in found.members]
            others = {(each.text, each.sentence) for each in contexts_of_filler(store, "eng", one.text).members}
            for shared in found.members:
                assert (shared.text, shared.sentence) in contexts
                assert (shared.text, shared.other_sentence) in others
            assert shared_contexts(store, "eng", phrase, one.text, 1).members == found.members[:1]


def test_where_two_drinks_stand(empty: Store) -> None:
    store = prepared(empty, CAFE)
    found = shared_contexts(store, "eng", "tea", "coffee")
    assert [(one.text, one.sentence, one.other_sentence) for one in found.members] == [
        ("I like␣.", "I like tea.", "I like coffee."),
        ("I'd like␣, please.", "I'd like tea, please.", "I'd like coffee, please."),
    ]
    assert shared_contexts(store, "eng", "tea", "the bill").total == 0, "one context is not a commutation"


@pytest.mark.parametrize("pattern", ["I'd like _, please.", "I'd like ␣, please.", " I'd like___, please.\n"])
def test_what_fills_a_gap(pattern: str, empty: Store) -> None:
    store = prepared(empty, CAFE)
    found = fillers_of_context(store, "eng", pattern)
    assert [(one.text, one.contexts) for one in found.members] == [
        ("coffee", 2),
        ("tea", 2),
        ("a cup of tea", 0),
        ("the bill", 0),
    ]
    assert found.members[3].sentence == "I'd like the bill, please."


@pytest.mark.parametrize(
    ("pattern", "fillers"),
    [
        ("Once _, please.", ["only"]),  # a context that one sentence has
        ("Nobody _ this.", []),
        ("I like coffee_", ["very much.", "a lot.", "."]),
        ("I'd li_, please.", []),  # inside of a word
        ("I like _a.", []),
        ("I like _like tea.", []),  # the ends overlap
        ("I like *_.", []),  # no wildcard
    ],
)
def test_what_fills_a_gap_that_the_index_does_not_know(pattern: str, fillers: list[str], empty: Store) -> None:
    store = prepared(empty, CAFE)
    assert {one.text for one in fillers_of_context(store, "eng", pattern).members} == set(fillers)


def test_a_language_without_spaces(empty: Store) -> None:
    rows = [(text, f"t{number}") for number, text in enumerate(["水を飲む", "茶を飲む", "水をくれ", "茶をくれ"])]
    import_rows(empty, rows, ("jpn", "fra"))
    finished(prepare(empty, "jpn"))
    assert [(one.text, one.contexts) for one in fillers_commuting_with(empty, "jpn", "水").members] == [("茶", 2)]
    assert [one.text for one in fillers_of_context(empty, "jpn", "_を飲む").members] == ["水", "茶"]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """2,001 sentences in one context, more than the index takes, and some of their fillers in two others."""
    rows: list[Row] = [(f"I see w{number}.", f"a{number}") for number in range(2_001)]
    rows += [(f"Take w{number}!", f"b{number}") for number in range(1_990, 2_010)]
    rows += [(f"Is it w{number}?", f"c{number}") for number in range(1_990, 2_001, 2)]
    rows += [(f"No w{number}, no.", f"d{number}") for number in (1_996, 1_998)]
    with new_store(tmp_path_factory.mktemp("crowded")) as store:
        yield prepared(store, rows)


def test_a_context_that_is_too_common_is_a_context_of_its_fillers(crowded: Store) -> None:
    found = contexts_of_filler(crowded, "eng", "w1992")
    assert [(one.text, one.fillers) for one in found.members] == [("I see␣.", 2_001), ("Take␣!", 20), ("Is it␣?", 6)]
    assert found.total == 3
    assert contexts_of_filler(crowded, "eng", "w7").members == (FillerContext("I see␣.", 2_001, "I see w7."),)
    assert [one.text for one in contexts_of_filler(crowded, "eng", "w1992", 1).members] == ["I see␣."]


@pytest.mark.parametrize("read", [0, 10_000])
def test_a_crowded_context_is_answered_alike_by_trying_and_by_reading(
    read: int, crowded: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paradigms, "_TOO_MANY_TO_READ", read)
    found = fillers_of_context(crowded, "eng", "I see _.", 5)
    assert [(one.text, one.contexts) for one in found.members] == [
        ("w1996", 3),
        ("w1998", 3),
        ("w1990", 2),
        ("w1992", 2),
        ("w1994", 2),
    ]
    assert found.total == 2_001
    assert len(fillers_of_context(crowded, "eng", "I see _.", 1_000).members) == 1_000
    assert len(fillers_of_context(crowded, "eng", "I see _.").members) == 2_001


@pytest.mark.parametrize(("before", "after"), [("I like", "."), ("", " is good."), ("水", ""), ("a\U0001f600", " é")])
def test_a_context_has_the_fingerprint_that_the_slots_have(before: str, after: str) -> None:
    slots = cut_slots([before + " x" + after])
    (place,) = ((slots.start == len(before)) & (slots.stop == len(before) + 2)).nonzero()[0]
    assert paradigms._context_hash(before, after) == slots.context[place]


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("coffee", None),
        ("", None),
        ("I'd like _, please.", ("I'd like", ", please.")),
        ("I like_", ("I like", "")),
        ("_ is good.", ("", " is good.")),
        ("snake_case ␣ here", ("snake_case", " here")),
        ("Cafe\u0301 __ .", ("Café", " .")),
    ],
)
def test_the_gap_of_a_pattern(pattern: str, parts: tuple[str, str] | None) -> None:
    assert gap_of(pattern) == parts


@pytest.mark.parametrize("pattern", ["_ and _", "␣␣", "_", " ␣ "])
def test_a_pattern_that_makes_no_sense(pattern: str) -> None:
    with pytest.raises(UsageError, match="gap"):
        gap_of(pattern)


@pytest.mark.parametrize("ask", [fillers_commuting_with, contexts_of_filler, fillers_of_context])
def test_a_language_without_an_index_says_what_to_do(ask: object, empty: Store) -> None:
    import_rows(empty, CAFE)
    assert prepared_languages(empty) == []
    with pytest.raises(InputError, match="corpusdb generate --lang eng"):
        ask(empty, "eng", "I like _.")  # type: ignore[operator]
    finished(prepare(empty, "eng"))
    assert prepared_languages(empty) == ["eng"]
    with pytest.raises(UsageError, match="has no gap"):
        fillers_of_context(empty, "eng", "coffee")


def test_what_stands_for_a_phrase(run: Run, generated: Path) -> None:
    result = run("paradigm", "beer", "-n", "1")
    assert result.stdout == "text\tcontexts\texample\nslice of pizza\t2\tI'd like a␣, please.\n"
    document = json.loads(run("paradigm", "beer", "--json").stdout)
    assert (document["phrase"], document["total"]) == ("beer", len(document["fillers"]))
    assert {(one["text"], one["contexts"]) for one in document["fillers"]} == {("twin", 2), ("slice of pizza", 2)}


def test_the_command_shows_what_fills_a_gap(run: Run, generated: Path) -> None:
    result = run("paradigm", "I'd like _, please.", "-n", "2")
    assert len(result.stdout.splitlines()) == 3
    assert "1 more filler; `-n 0` shows all 3" in result.stderr
    whole = json.loads(run("paradigm", "I'd like _, please.", "--json", "-n", "0").stdout)
    assert {one["text"] for one in whole["fillers"]} == {"a beer", "a slice of pizza", "a twin"}


def test_marks_may_stand_apart_as_among_tokens(run: Run, generated: Path) -> None:
    found, apart = run("paradigm", "I'd like _, please."), run("paradigm", "I'd like _ , please .")
    assert (apart.exit_code, apart.stdout) == (found.exit_code, found.stdout)
    assert 'of "I\'d like _, please.": "I\'d like _ , please .", with a space before the mark, has none' in apart.stderr


def test_where_a_phrase_stands(run: Run, generated: Path) -> None:
    document = json.loads(run("paradigm", "twin", "--contexts", "--json").stdout)
    assert {(one["text"], one["fillers"]) for one in document["contexts"]} == {
        ("I'd like a␣, please.", 3),
        ("A␣, please.", 3),
    }
    result = run("paradigm", "I'd like _, please.", "--contexts")
    assert (result.exit_code, "is a context itself" in result.stderr) == (2, True)


def test_where_two_phrases_stand(run: Run, generated: Path) -> None:
    document = json.loads(run("paradigm", "beer", "--with", "twin", "--json").stdout)
    assert (document["total"], len(document["contexts"])) == (2, 2)
    assert {(one["sentence"], one["other_sentence"]) for one in document["contexts"]} == {
        ("I'd like a beer, please.", "I'd like a twin, please."),
        ("A beer, please.", "A twin, please."),
    }
    assert run("paradigm", "I'd like _, please.", "--with", "twin").exit_code == 2


def test_nothing_found_is_said(run: Run, generated: Path) -> None:
    result = run("paradigm", "bicycle")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no phrase occurs in two or more of the contexts of 'bicycle'; --contexts shows these" in result.stderr
    assert "no context has both 'beer' and 'bicycle'" in run("paradigm", "beer", "--with", "bicycle").stderr
    assert "no contexts of 'bicycle'" in run("paradigm", "bicycle", "--contexts").stderr
    assert "no fillers of 'Ride _.'" in run("paradigm", "Ride _.").stderr
    assert json.loads(run("paradigm", "bicycle", "--json").stdout) == {"phrase": "bicycle", "total": 0, "fillers": []}


@pytest.mark.parametrize("options", [(), ("--lang", "eng")])
def test_a_corpus_that_was_never_prepared(options: tuple[str, ...], run: Run, corpus: Path) -> None:
    result = run("paradigm", "beer", *options)
    assert (result.exit_code, "corpusdb generate --lang" in result.stderr) == (3, True)


def test_two_languages_have_to_be_told_apart(run: Run, generated: Path) -> None:
    assert run("generate", "--lang", "fra").exit_code == 0
    result = run("paradigm", "beer")
    assert (result.exit_code, "eng, fra" in result.stderr) == (2, True)
    assert run("paradigm", "beer", "--lang", "en").exit_code == 0
