"""Named models, perplexity against the sum over characters, outliers and near-duplicates in a corpus."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from corpora import import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.char_model_counts import Alphabet, train
from corpusdb.base.char_model_probabilities import arpa_lines, character_bits, model_of
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.char_models import (
    ModelRecipe,
    arpa_model,
    model_named,
    perplexity_by,
    stored_model,
    stored_models,
    train_named_model,
)
from corpusdb.homogeneity.queries.likeness import LEAST_SHARED, near_duplicates, one_unit_apart, outliers

ROWS = [("The cat sat.", "a"), ("the cat sat!", "b"), ("A cat sat on it.", "c"), ("Dogs bark.", "d")]


def test_a_model_is_that_of_the_texts_of_a_collection_and_a_file(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, ROWS)
    file = tmp_path / "more.txt"
    file.write_text("Birds sing.\n\nA cat.\n", encoding="utf-8")
    found = finished(train_named_model(empty, "eng", "cats", ["rows", str(file)], ModelRecipe(4, "wb", "none")))
    texts = [text for text, _ in ROWS] + ["Birds sing.", "A cat."]
    assert (found.texts, found.characters) == (6, sum(map(len, texts)))
    expected = model_of(train(texts, Alphabet.of(texts), 4), "wb")
    stored, recipe = model_named(empty, "cats")
    assert recipe == ModelRecipe(4, "wb", "none")
    assert list(arpa_lines(stored)) == list(arpa_lines(expected))
    assert stored_models(empty) == [found]
    import_rows(empty, [("New.", "e")])
    assert stored_models(empty)[0].changed == ("the collection rows has other texts now",)


def test_perplexity_is_the_mean_of_the_bits_of_characters(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, ROWS)
    finished(train_named_model(empty, "eng", "m", ["rows"], ModelRecipe(3, "mkn", "case")))
    model, _ = model_named(empty, "m")
    lines = ["A CAT", "   ", "zebras!"]
    bits = character_bits(model, ["a cat", "zebras!"])
    found = finished(perplexity_by(stored_model(empty, "m"), lines))
    assert (found.empty, found.characters, found.unknown) == (1, 12, 1)
    assert found.bits_per_character == pytest.approx(sum(each[:-1].sum() for each in bits) / 12)
    assert found.perplexity == pytest.approx(2**found.bits_per_character)
    ended = finished(perplexity_by(stored_model(empty, "m"), lines, with_end=True))
    assert ended.bits_per_character == pytest.approx(sum(each.sum() for each in bits) / 14)
    assert found.lines[1].bits_per_character is None
    assert [line.characters for line in found.lines] == [5, 0, 7]
    file = tmp_path / "m.arpa"
    file.write_text("".join(f"{line}\n" for line in arpa_lines(model)), encoding="utf-8")
    again = finished(perplexity_by(arpa_model(file), lines, with_end=True))
    assert again.bits == pytest.approx(ended.bits, rel=1e-9)
    assert (again.model, again.order, again.smoothing, again.unknown) == (str(file), 3, None, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n", "m.arpa: not an ARPA file that is whole"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n-1\thello\n\\end\\\n", "m.arpa:5: the token 'hello' is not one character"),
        ("words", "m.arpa: not an ARPA file that is whole"),
    ],
)
def test_files_that_are_no_models_of_characters(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "m.arpa"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        arpa_model(file)
    assert message in str(caught.value)


def test_names_of_models(empty: Store) -> None:
    import_rows(empty, ROWS)
    recipe = ModelRecipe()
    with pytest.raises(InputError, match="there is no model 'm'; train one first"):
        model_named(empty, "m")
    for no_name in ("", " ", "a\nb", "\x1b[31mx"):
        with pytest.raises(UsageError, match="is not a name for a model"):
            finished(train_named_model(empty, "eng", no_name, ["rows"], recipe))
    finished(train_named_model(empty, "eng", "m", ["rows"], recipe))
    with pytest.raises(InputError, match="there is a model 'm' already; --replace replaces it"):
        finished(train_named_model(empty, "eng", "m", ["rows"], recipe))
    finished(train_named_model(empty, "fra", "m", ["rows"], recipe, replace=True))
    assert [each.language for each in stored_models(empty)] == ["fra"]
    with pytest.raises(InputError, match="there is no model 'n'; there are m"):
        model_named(empty, "n")
    with pytest.raises(InputError, match="there are no characters to measure"):
        finished(perplexity_by(stored_model(empty, "m"), ["", " "]))


def test_foreign_lines_come_first_with_their_characters_in_brackets(empty: Store) -> None:
    people, places = ("Tom", "Mary", "she", "he", "we"), ("school", "town", "the park", "work", "church", "the sea")
    times = ("today", "at night", "on Sunday", "again", "with me", "by bus")
    plain = [f"Did {who} go to {where} {when}?" for who in people for where in places for when in times]
    import_rows(empty, [(text, str(number)) for number, text in enumerate([*plain, "Did we go to Gdańsk żółw?", "!"])])
    found = finished(outliers(empty, "eng", limit=3))
    assert found.measured == len(plain) + 2
    assert "Did we go to Gdańsk żółw?" in [line.text for line in found.lines[:2]]
    [foreign] = [line for line in found.lines if "ż" in line.text]
    assert foreign.marked.replace("[", "").replace("]", "") == "did we go to gdańsk żółw?"
    inside = "".join(part.split("]")[0] for part in foreign.marked.split("[")[1:])
    assert {*"ńżół"} <= {*inside} and "did" not in inside
    assert found.lines[0].score == max(line.score for line in found.lines)
    taken_off = [line.self_entropy + 0.1 * line.rarity - line.score for line in found.lines]
    by_length = sorted(zip((len(line.measured) for line in found.lines), taken_off, strict=True))
    assert all(cost > 0 for cost in taken_off)
    assert [cost for _, cost in by_length] == pytest.approx(sorted(taken_off, reverse=True))
    assert [line.places[0].line for line in found.lines if "ż" in line.text] == [foreign.places[0].line]


def test_near_duplicates_have_the_same_letters(empty: Store) -> None:
    import_rows(empty, [*ROWS, ("The cat sat 12.", "e"), ("12", "f"), ("13", "g")])
    assert [{*group} for group in near_duplicates(empty, "eng")] == [
        {"The cat sat.", "the cat sat!", "The cat sat 12."}
    ]
    with pytest.raises(InputError, match="there is no collection 'no'"):
        near_duplicates(empty, "eng", "no")


@given(
    texts=st.lists(
        st.lists(st.sampled_from(["a", "be", "see", "deep", "every"]), min_size=4, max_size=8).map(" ".join),
        min_size=1,
        max_size=12,
    )
)
def test_lines_one_unit_apart_are_those_that_share_all_but_one_word(texts: list[str]) -> None:
    """Against every pair of lines, and every word that each may lack."""
    with TemporaryDirectory() as folder, new_store(Path(folder)) as store:
        distinct = list(dict.fromkeys(texts))
        import_rows(store, [(text, f"x {number}") for number, text in enumerate(distinct)])
        groups = finished(one_unit_apart(store, "eng"))
    found = {frozenset(pair) for group in groups for pair in combinations(group, 2)}
    assert found == {
        frozenset((one, other)) for one, other in combinations(distinct, 2) if contexts(one) & contexts(other)
    }


def contexts(text: str) -> set[tuple[str, str]]:
    """What stands before and after each gap of no word or of one with the blank before it, if it is enough."""
    places = [0, *(place for place, char in enumerate(text) if char == " "), len(text)]
    gaps = [(place, place) for place in places] + list(pairwise(places))
    return {
        (text[:start], text[stop:]) for start, stop in gaps if len(text) - (stop - start) >= LEAST_SHARED * len(text)
    }
