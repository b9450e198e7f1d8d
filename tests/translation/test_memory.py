"""The nearest examples, against comparing with all of them."""

from __future__ import annotations

from math import log

from hypothesis import given
from hypothesis import strategies as st
from textbook import common_length

from corpusdb.base.text import units_of
from corpusdb.translation.examples import examples_of_pairs
from corpusdb.translation.memory import differences, open_memory

WORDS = st.lists(st.sampled_from(["a", "A", "bb", "ccc", "d,", "e'f", "猫", "犬が", "İx", "."]), min_size=1, max_size=6)
SENTENCE = WORDS.map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCE, st.sampled_from(["x", "y", "z"])), min_size=1, max_size=25)


def folded(text: str) -> list[str]:
    return [unit.strip() for unit in units_of(text.casefold())]


def ratio(one: list[str], other: list[str]) -> float:
    return 2 * common_length(one, other) / (len(one) + len(other))


def fuzzy(sources: list[list[str]], example: list[str], text: list[str]) -> float:
    """The score as the module says it."""

    def told(units: set[str]) -> float:
        return float(sum(log((len(sources) + 2) / (sum(unit in each for each in sources) + 1)) for unit in units))

    known = {unit for each in sources for unit in each}
    own = told(set(text) & known) + sum(unit not in known for unit in text) * log(len(sources) + 2)
    information = 2 * told(set(text) & set(example)) / (own + told(set(example)))
    return 0.8 * ratio(example, text) + 0.2 * information


@given(PAIRS, SENTENCE, st.integers(1, 4))
def test_the_nearest_are_those_of_all(pairs: list[tuple[str, str]], text: str, limit: int) -> None:
    examples = examples_of_pairs(pairs)
    sources = [folded(source) for source in examples.sources]
    ranked = sorted(
        (
            -round(fuzzy(sources, sources[place], folded(text)), 9),
            -ratio(list(source.casefold()), list(text.casefold())),
            place,
        )
        for place, source in enumerate(examples.sources)
    )
    expected = [(place, -first) for first, _, place in ranked[:limit] if first < 0]
    found = open_memory(examples).nearest(text, limit)
    assert [place for place, _ in found] == [place for place, _ in expected]
    assert all(abs(own - other) < 1e-8 for (_, own), (_, other) in zip(found, expected, strict=True))


@given(SENTENCE, SENTENCE)
def test_an_example_with_its_differences_made_good_is_the_text(example: str, text: str) -> None:
    made, done = "", 0
    for each in differences(example, text):
        made += example[done : each.start] + f" {each.text} "
        done = each.stop
    made += example[done:]
    assert "".join(made.split()).casefold() == "".join(text.split()).casefold()


def test_marks_tell_the_differences_without_colour() -> None:
    memory = open_memory(examples_of_pairs([("Il fait un discours ici.", "He makes a speech here.")]))
    (found,) = memory.translations("Il fait un gros effort.", 1)
    near = found.evidence[0]
    assert near.marked == "Il fait un [-discours ici-]{+gros effort+}."  # type: ignore[union-attr]
    assert found.text == "He makes a speech here." and 0.5 < found.score < 0.7
    assert memory.translations("xyz", 1) == []


def test_the_score_is_one_where_only_case_and_spaces_differ() -> None:
    memory = open_memory(examples_of_pairs([("Salut !", "Hi!"), ("Salut", "Hi")]))
    (found,) = memory.translations("SALUT!", 1)
    assert (found.text, found.score, found.evidence[0].differences) == ("Hi!", 1.0, ())  # type: ignore[union-attr]
