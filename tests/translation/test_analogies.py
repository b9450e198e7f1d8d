"""Translation by analogy: what is found, what is refused, and the evidence."""

from __future__ import annotations

from corpusdb.translation.analogies import learn_casing, open_analogies
from corpusdb.translation.examples import AnalogyShown, examples_of_pairs
from corpusdb.translation.spans import attest

PAIRS = [
    ("Je chante.", "I sing."),
    ("Il chante.", "He sings."),
    ("Il danse.", "He dances."),
    ("Elle danse.", "She dances."),
    ("Elle chante bien.", "She sings well."),
]


def test_a_translation_names_the_analogies_behind_it() -> None:
    (found,) = open_analogies(examples_of_pairs(PAIRS)).translations("Elle chante.", 5)
    assert (found.text, found.rung, found.score) == ("She sings.", "analogy", 1.0)
    shown = [each for each in found.evidence if isinstance(each, AnalogyShown)]
    assert len(shown) == found.votes == 1  # A : B :: C : D and A : C :: B : D are one
    assert shown[0].a.source == "Il danse." and {shown[0].b.source, shown[0].c.source} == {"Il chante.", "Elle danse."}


def test_what_has_no_analogy_has_no_translation() -> None:
    translator = open_analogies(examples_of_pairs(PAIRS))
    assert translator.translations("Nous dormons.", 5) == translator.translations("Il danse.", 0) == []


def test_units_that_meet_nowhere_else_are_refused() -> None:
    pairs = [("a b", "one two"), ("a c", "one three"), ("d b", "four two")]
    assert open_analogies(examples_of_pairs(pairs)).translations("d c", 5) == []
    (found,) = open_analogies(examples_of_pairs(pairs), least_share=0).translations("d c", 5)
    assert (found.text, found.votes) == ("four three", 1)
    (found,) = open_analogies(examples_of_pairs([*pairs, ("x", "four three")])).translations("d c", 5)
    assert found.text == "four three"


def test_runs_of_a_corpus() -> None:
    runs = attest(["a b c", "b c d"])
    assert [runs.missing(text) for text in ("a b c", "a b c d", "c b", "", "b x")] == [
        (0, 0),
        (0, 0),
        (3, 2),
        (1, 0),
        (2, 2),
    ]


def test_casing_is_that_inside_of_sentences() -> None:
    assert learn_casing(["The end of Tom.", "The Tom and the end."])["the"] == "the"
    assert learn_casing(["A Tom.", "a tom Tom Tom."])["tom"] == "Tom"
