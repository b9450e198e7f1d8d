"""Exchanges at two places at once, against what is cut by hand and all ways of cutting sentences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.text import units_of
from corpusdb.paraphrase.differences import BEGIN, END, GAP, Exchange
from corpusdb.paraphrase.exchange_index import Sharing, StoredExchange, StoredPart, sums_by_text
from corpusdb.paraphrase.frames import Frames, as_inside, as_sentence, as_shown, differs_so, frame_of, frame_sums
from corpusdb.paraphrase.pair_differences import Pair, PairComparer
from corpusdb.paraphrase.sharing import BUCKETS, WHOLE, SharedTranslations, TranslationLinks, measured_recalls
from corpusdb.paraphrase.word_model import WordModel


def frame(one: str, other: str) -> tuple[Exchange, str, str, str] | None:
    found = frame_of(units_of(one), units_of(other))
    return None if found is None else (found.exchange, found.left, found.right, "".join(found.middle))


def test_what_stands_around_what_stays() -> None:
    assert frame("Let's take a walk.", "Why don't we take a walk?") == (
        ("Let's\n.", "Why don't we\n?"),
        BEGIN,
        END,
        " take a walk",
    )
    assert frame("Take your hat off.", "Take off your hat.") == (("\n off", " off\n"), "Take", ".", " your hat")
    assert frame("I don't live here anymore.", "I no longer live here.") == (
        (" don't\n anymore", " no longer\n"),
        "I",
        ".",
        " live here",
    )


def test_what_is_no_frame() -> None:
    assert frame("A big hat.", "A large hat.") is None, "one place"
    assert frame("A big, red hat.", "A small, blue hat.") is None, "what stays has no word"
    assert frame("That is it.", "That is it.") is None
    assert frame("He left.", "He never left early.") is None, "the one has nothing at either place"
    assert frame("I gave the book that I had bought in town to him.", "To him gave I in town.") is None


WORDS = st.lists(st.sampled_from(["I", " a", " b", " off", " the", " hat", ".", "?"]), min_size=1, max_size=8)


@given(WORDS, WORDS)
def test_a_frame_makes_the_other_sentence_of_the_one(one: list[str], other: list[str]) -> None:
    sentences = "".join(one).strip(), "".join(other).strip()
    found, turned = frame_of(*map(units_of, sentences)), frame_of(*map(units_of, sentences[::-1]))
    assert (found is None) == (turned is None)
    if found is None or turned is None:
        return
    assert turned.exchange == found.exchange[::-1]
    frames = Frames({(min(found.exchange), max(found.exchange)): ({found.left}, {found.right})})
    made = {each.text: each for each in frames.applied(sentences[0])}
    assert differs_so(*sentences, found.exchange)
    assert made[sentences[1]] == (sentences[1], *found[:3])


def ways_of_cutting(sentence: str, text: str) -> Iterator[tuple[str, str, str]]:
    """What stands before one text of a frame, what between its places, and what behind, wherever it stands."""
    bounds = [0]
    for unit in units_of(sentence):
        bounds.append(bounds[-1] + len(unit))
    first, last = text.split(GAP)
    for begin, stop in combinations(bounds, 2):
        for start, end in ((begin - len(first), stop + len(last)),):
            if start in bounds and end in bounds and sentence[start:end] == first + sentence[begin:stop] + last:
                yield sentence[:start], sentence[begin:stop], sentence[end:]


def beside(before: str, behind: str) -> tuple[str, str]:
    return (units_of(before) or [BEGIN])[-1], (units_of(behind) or [END])[0]


@given(
    st.lists(WORDS, min_size=1, max_size=3),
    st.sampled_from([("\n off", " off\n"), ("I a\n.", "I\n?"), (" a\n", "\n b")]),
)
def test_frames_are_exchanged_wherever_they_stand(sentences: list[list[str]], exchange: Exchange) -> None:
    known = {" the", "I", " b", BEGIN}, {".", END, " hat"}
    frames = Frames({(min(exchange), max(exchange)): known})
    for units in sentences:
        sentence = "".join(units).strip()
        expected = {
            f"{before}{other.replace(GAP, middle)}{behind}"
            for text, other in (exchange, exchange[::-1])
            for before, middle, behind in ways_of_cutting(sentence, text)
            if beside(before, behind)[0] in known[0] and beside(before, behind)[1] in known[1]
        }
        assert {each.text for each in frames.applied(sentence)} == expected


TEXTS = [
    *("Take your hat off.", "Take off your hat."),
    *("Take your shoes off.", "Take off your shoes."),
    *("Take your coat off.", "Take off your coat."),
    *("Turn the light off.", "Turn off the light."),
]
"""Of the first two pairs each shares a translation; the third has translations and shares none; the fourth has none."""
TRANSLATIONS = [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 3)]


def summed_up() -> tuple[list[StoredExchange], list[StoredPart]]:
    own, other = np.array(TRANSLATIONS, dtype=np.int64).T
    shared = SharedTranslations.of(TranslationLinks(own, np.zeros(len(own), dtype=np.int64), other), len(TEXTS), 1, 100)
    detected = np.array([0, 1, 2, 3]), np.array([1, 0, 3, 2])
    numbers: dict[str, int] = {}
    found = frame_sums(TEXTS, detected, Sharing(("fra",), shared, measured_recalls(shared)), numbers)
    rows = sums_by_text([(found.sums, found.exchanges)], list(numbers))
    return [StoredExchange(place, *row) for place, row in enumerate(rows.exchanges)], [
        StoredPart(*row) for row in rows.parts
    ]


def test_the_sums_are_of_all_pairs_beside_known_words() -> None:
    (off,), parts = summed_up()
    assert (off.x, off.y, off.pairs, off.shared) == ("\n off", " off\n", 3, 2)
    recall = (20 * 0.65) / 20
    assert off.expected == 3 * round(recall * WHOLE), "each of three pairs has one translation on either side"
    assert parts == [
        StoredPart(0, "language", "fra", 3, 2, off.expected),
        StoredPart(0, "left", "Take", 3, 2, off.expected),
        StoredPart(0, "right", ".", 3, 2, off.expected),
    ]
    assert (
        len(measured_recalls(SharedTranslations.of(TranslationLinks(*np.empty((3, 0), dtype=np.int64)), 0, 1, 1))[0])
        == BUCKETS
    )


def test_stored_frames_are_exchanged_as_those_that_were_found() -> None:
    exchanges, parts = summed_up()
    frames = Frames.stored([*exchanges, StoredExchange(9, " big", " large", 9, 9, 9)], parts)
    assert [each.text for each in frames.applied("Take that wet scarf off.")] == ["Take off that wet scarf."]
    assert [each.text for each in frames.applied("Take off that wet scarf.")] == ["Take that wet scarf off."]
    assert list(frames.applied("Turn that light off.")) == [], "no pair that shares a translation has this to the left"
    assert list(frames.applied("Take that big hat.")) == [], "no frame"
    (known,) = frames.figures.values()
    assert (known.pairs, known.shared) == (3, 2)


def test_a_pair_that_a_frame_makes_differs_by_it_as_a_whole() -> None:
    exchange = "\n off", " off\n"
    pairs = [
        Pair(1, "Take your hat off.", "Take off your hat.", 0, 0, 0.0, exchange),
        Pair(2, "Take your hat off.", "Take off your hat.", 0, 0, 0.0),
    ]
    comparer = PairComparer({}, {})
    comparer.add(pairs)
    assert ("\n off", " off\n") in comparer.exchanges()
    found = comparer.differences({"\n off": 1, " off\n": 2})
    assert (found.code >= 0).tolist() == [True, False]
    assert (found.units_before[0], found.units_after[0]) == (1, 1)
    assert set(found.region_pair.tolist()) == {1}, "no region of the first is judged alone"
    assert found.replacement.tolist() == [True, False]


def test_what_begins_a_sentence_is_looked_at_as_inside_of_another() -> None:
    corpus = [
        "I am here today.",
        "Today I am here.",
        "Tom and I came, Tom.",
        "Give it to Tom, give it.",
        "Please come today, please.",
    ]
    model = WordModel.trained(corpus * 20)
    inside = as_inside(["Today I came.", "I came today.", "Tom came.", "Zoë came.", '"Today" is a word.'], model)
    assert inside == [" today I came.", " I came today.", " Tom came.", " Zoë came.", '"Today" is a word.']
    assert [as_sentence(text) for text in inside[:2]] == ["Today I came.", "I came today."]
    frames = Frames(
        {(" give\n, please", " please give\n"): ({BEGIN}, {"."}), ("\n today", " today\n"): ({BEGIN}, {"."})}
    )
    (made,) = frames.applied(as_inside(["Tom and I am here today."], model)[0])
    assert as_sentence(made.text) == "Today Tom and I am here."


def test_how_they_are_shown() -> None:
    assert [as_shown(text) for text in ("Let's\n.", "\n off", " do\n have", " big")] == [
        "Let's _.",
        "_ off",
        "do _ have",
        "big",
    ]
