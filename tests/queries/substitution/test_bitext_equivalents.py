"""Equivalents of a small bitext that was made so that it is known which there are."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.scoring.queries.recipe import PUBLISHED, SubstitutionRecipe, UnitText, WrittenForms, parse_substitutions
from corpusdb.scoring.queries.reference_equivalents import (
    BitextEquivalents,
    bitext_equivalents,
    bitext_notes,
    closed_class_notes,
)
from corpusdb.scoring.queries.substituted_references import expanded_sets
from corpusdb.studies.bitext.study import accuracies, drawn_pairs, sheet_of

SUBJECTS = {"chat": ("cat", "puss"), "chien": ("dog", "hound"), "roi": ("king", "ruler"), "bateau": ("boat", "ship")}
VERBS = {"dort": "sleeps", "mange": "eats", "chante": "sings", "tombe": "falls", "court": "runs"}
ANYWHERE = SubstitutionRecipe(context=0, min_pivot=0)


def bitext() -> list[ReferenceSet]:
    """Each subject is translated in two ways; the verbs always in one."""
    sets: list[ReferenceSet] = []
    for at, (subject, words) in enumerate(SUBJECTS.items()):
        for number, (verb, translated) in enumerate(VERBS.items()):
            for turn in range(2):
                source = f"le {subject} {verb} ."
                reference = f"The {words[(number + at + turn) % 2]} {translated} ."
                sets.append(ReferenceSet(str(len(sets) + 1), source, (reference,)))
    return sets


@pytest.fixture(scope="module")
def found() -> BitextEquivalents:
    return finished(bitext_equivalents(bitext(), "eng"))


def test_words_that_translate_one_word_are_equivalent(found: BitextEquivalents) -> None:
    equivalents = found.equivalents(ANYWHERE)
    for one, other in SUBJECTS.values():
        assert [each.phrase for each in equivalents((one,))] == [(other,)]
        assert [each.phrase for each in equivalents((other,))] == [(one,)]
    assert [each.phrase for verb in VERBS.values() for each in equivalents((verb,))] == []


def test_each_limit_leaves_out_more(found: BitextEquivalents) -> None:
    def places(recipe: SubstitutionRecipe) -> int:
        return sum(len(fits) for *_, fits in found.substitutions(recipe))

    widest = replace(PUBLISHED, left_out="nothing")
    closed = replace(PUBLISHED, left_out="closed")
    assert places(widest) >= places(PUBLISHED) >= places(closed) >= places(replace(closed, context=2))
    assert places(replace(ANYWHERE, best_only=True)) <= places(ANYWHERE)
    assert places(replace(ANYWHERE, min_pivot=0.6)) == 0  # each of two words has one half
    assert places(replace(ANYWHERE, min_count=6)) == 0
    assert places(ANYWHERE) >= len(found.texts)


def test_what_was_rejected_is_not_put_in_and_the_label_says_so(found: BitextEquivalents) -> None:
    recipe = replace(ANYWHERE, rejected=(("puss", "cat"), ("boat", "ship"), ("cat", "puss")))
    equivalents = found.equivalents(recipe)
    assert [list(equivalents((word,))) for word in ("cat", "puss", "boat", "ship")] == [[], [], [], []]
    assert [each.phrase for each in equivalents(("dog",))] == [("hound",)]
    wide = found.equivalents(replace(recipe, left_out="nothing", with_parts=True))
    assert ("the", "puss") not in [each.phrase for each in wide(("the", "cat"))]
    assert ("the", "hound") in [each.phrase for each in wide(("the", "dog"))]
    label = recipe.label.removeprefix(f"{ANYWHERE.label}+rejected2-")
    assert len(label) == 16 and found.lattices(recipe).equivalents.startswith(f"{recipe.label}+")
    turned = replace(ANYWHERE, rejected=(("ship", "boat"), ("cat", "puss")))
    assert turned == recipe and turned.label == recipe.label
    assert replace(turned, rejected=(("cat", "puss"),)).label not in (recipe.label, ANYWHERE.label)
    assert replace(recipe, rejected=()) == ANYWHERE
    again = SubstitutionRecipe(**json.loads(json.dumps(asdict(recipe))))
    assert again == recipe


def test_context_asks_for_the_words_on_both_sides() -> None:
    """The ship never sings here: not even where the boat does, although the two are equivalent."""
    kept = [each for each in bitext() if "ship sings" not in each.references[0]]
    found = finished(bitext_equivalents(kept, "eng"))
    fits = {
        (text.text, each.phrase) for _, _, text, chosen in found.substitutions(SubstitutionRecipe()) for each in chosen
    }
    assert ("The boat runs .", ("ship",)) in fits
    assert ("The boat sings .", ("ship",)) not in fits


def test_the_digest_is_that_of_what_is_put_in(found: BitextEquivalents) -> None:
    again = finished(bitext_equivalents(bitext(), "eng"))
    assert again.lattices(ANYWHERE).equivalents == found.lattices(ANYWHERE).equivalents
    label, _, digest = found.lattices(ANYWHERE).equivalents.rpartition("+")
    assert (label, len(digest)) == ("closed+n2+c0.75+any", 16)
    fewer = finished(bitext_equivalents(bitext()[:-4], "eng"))
    assert fewer.lattices(ANYWHERE).equivalents.rpartition("+")[2] != digest


def test_references_come_first_and_then_by_substitutions(found: BitextEquivalents) -> None:
    sets = bitext()
    expanded = expanded_sets(sets, found.lattices(ANYWHERE), 0)
    for before, after in zip(sets, expanded, strict=True):
        assert after.references[0] == before.references[0]
        assert len(set(after.references)) == len(after.references)
    limited = expanded_sets(sets, found.lattices(ANYWHERE), 2)
    assert {len(each.references) for each in limited} <= {1, 2}
    assert all(few.references == every.references[:2] for few, every in zip(limited, expanded, strict=True))


def test_the_first_word_of_a_text_keeps_its_capital() -> None:
    texts = [UnitText.of(text) for text in ("Cats sleep.", "He saw the U.S. and Paris.", '"Cats do." Don\'t.')]
    forms = WrittenForms(texts, [("paris",), ("cats",), ("do", "n't"), ("dogs",)])
    assert forms.instead_of(texts[0], 0, 1, ("dogs",)) == "Dogs"
    assert forms.instead_of(texts[0], 1, 2, ("paris",)) == "Paris"
    assert forms.instead_of(texts[2], 1, 2, ("dogs",)) == "Dogs"
    assert forms.instead_of(texts[1], 1, 2, ("do", "n't")) == "Don't"


def test_texts_without_words_are_refused_and_doubtful_ones_told_of() -> None:
    with pytest.raises(InputError, match="the source has no word") as error:
        finished(bitext_equivalents([ReferenceSet("1", "a b", ("c",)), ReferenceSet("2", " ", ("c",))], "eng"))
    assert error.value.line == 2
    assert len(list(bitext_notes([ReferenceSet("1", "猫が寝る", ("c",))], None))) == 2
    assert not list(bitext_notes(bitext() * 3, None))
    assert len(list(closed_class_notes("xho", SubstitutionRecipe()))) == 1
    assert not list(closed_class_notes("eng", SubstitutionRecipe()))


@pytest.mark.parametrize("text", ["0", "-1", "one", "", "1.5", "9" * 30])
def test_substitutions_are_a_number_or_any(text: str) -> None:
    with pytest.raises(UsageError, match="substitutions"):
        parse_substitutions(text)
    assert (parse_substitutions("2"), parse_substitutions("any")) == (2, None)


def test_sheets_are_blind_and_counted_by_group(found: BitextEquivalents, tmp_path: Path) -> None:
    drawn = drawn_pairs(found, ANYWHERE, 6, seed=1)
    assert drawn == drawn_pairs(found, ANYWHERE, 6, seed=1) != drawn_pairs(found, ANYWHERE, 6, seed=2)
    groups = [each.group for each in drawn]
    assert (groups.count("best"), groups.count("all"), groups.count("control")) == (6, 6, 3)
    pairs = {frozenset(words) for words in SUBJECTS.values()}
    for each in drawn:
        marked = [text[text.index("[") + 1 : text.index("]")] for text in (each.reference, each.rewritten)]
        words = frozenset(text.split()[1 if text.startswith("The ") else 0] for text in marked)
        assert (words in pairs) == (each.group != "control")
    path = tmp_path / "sheet.tsv"
    verdicts = {"best": "y", "all": "n", "control": ""}
    lines = [
        "\t".join((str(line.item), line.seed, line.text, verdicts[each.group], ""))
        for line, each in zip(sheet_of(drawn), drawn, strict=True)
    ]
    path.write_text("\n".join(["item\tseed\ttext\tverdict\tcomment", *lines, ""]), encoding="utf-8")
    counted = {each.group: (each.judged, each.accepted) for each in accuracies(drawn, path, "grammaticality")}
    assert counted == {"best": (6, 6), "all": (6, 0), "control": (0, 0)}
    with pytest.raises(InputError, match="is no verdict") as error:
        accuracies(drawn, path, "meaning")
    assert (error.value.path, error.value.line) == (str(path), 2)
    with pytest.raises(InputError, match="was not drawn"):
        accuracies(drawn_pairs(found, ANYWHERE, 6, seed=2), path, "grammaticality")
