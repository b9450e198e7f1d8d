"""The ladder over a database: its order, what it leaves out, collections and selections, and what it refuses."""

from __future__ import annotations

import pytest
from corpora import import_rows

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store
from corpusdb.translation.examples import RUNGS, Translation
from corpusdb.translation.queries.example_pairs import Direction, direction_of, exact_translations, read_examples
from corpusdb.translation.queries.ladder import Abstention, OpenTranslators, Translator, rung_names

ROWS = [
    ("I sing.", "Je chante."),
    ("I'm singing.", "Je chante."),
    ("He sings.", "Il chante."),
    ("He dances.", "Il danse."),
    ("She dances.", "Elle danse."),
    ("She sings well.", "Elle chante bien."),
]


def test_each_text_stands_once_on_its_surest_rung(empty: Store) -> None:
    import_rows(empty, ROWS)
    translator = finished(Translator.open(empty, "fr", "en", ("exact", "analogy", "memory")))
    found = translator.translate("Je chante.", 10)
    assert [(each.text, each.rung) for each in found[:2]] == [("I sing.", "exact"), ("I'm singing.", "exact")]
    assert len({each.text for each in found}) == len(found)
    order = [RUNGS.index(each.rung) for each in found]
    assert order == sorted(order) and set(order) > {0}
    assert translator.translate("  Je  chante.".replace("  ", " "), 1)[0].text == "I sing."
    with pytest.raises(InputError, match="the text is empty"):
        translator.translate(" \n")


def test_answers_of_a_method_stand_by_their_score(empty: Store) -> None:
    """Phrases come in the order in which they were found best put together, which their score is not."""

    class Phrases:
        def translations(self, text: str, limit: int) -> list[Translation]:
            return [Translation(str(score), "phrases", score, 1, ()) for score in (0.2, 0.9, 0.5, 0.9)][:limit]

    class Memory:
        def translations(self, text: str, limit: int) -> list[Translation]:
            return [Translation("near", "memory", 0.95, 1, ())]

    translator = Translator(Direction("fra", "eng"), {"phrases": Phrases(), "memory": Memory()}, {})
    assert [each.text for each in translator.translate("Je chante.", 5)] == ["0.9", "0.5", "0.2", "near"]


def test_an_abstention_leaves_out_what_is_doubtful(empty: Store) -> None:
    import_rows(empty, ROWS)
    translator = finished(Translator.open(empty, "fra", "eng", ("analogy", "memory")))
    every = translator.translate("Elle chante.", 10)
    strict = translator.translate("Elle chante.", 10, Abstention(votes=2, fuzzy=0.8))
    assert every[0].rung == "analogy" and every[0].votes == 1
    assert [each.text for each in strict] == [each.text for each in every[1:] if each.score >= 0.8]


def test_examples_are_those_of_all_pairs(empty: Store) -> None:
    import_rows(empty, ROWS)
    examples = finished(read_examples(empty, direction_of(empty, "fra", "eng")))
    pairs = [(own, other) for own, others in zip(examples.sources, examples.targets, strict=True) for other in others]
    assert sorted(pairs) == sorted((french, english) for english, french in ROWS)


def test_a_collection_limits_both_sides(empty: Store) -> None:
    import_rows(empty, ROWS)
    import_rows(empty, [("I eat.", "Je mange."), ("Me too.", "Il danse.")])
    names = [row[0] for row in empty.connection.execute("select name from collection order by id")]
    direction = direction_of(empty, "fra", "eng", names[-1:])
    if len(names) > 1:
        assert exact_translations(empty, direction, "Je chante.") == []
    assert [text for _, text in exact_translations(empty, direction, "Je mange.")] == ["I eat."]


def test_translators_stay_open_until_the_corpus_grows(empty: Store) -> None:
    import_rows(empty, ROWS)
    kept = OpenTranslators(empty)
    first = finished(kept.translator("fra", "eng"))
    assert finished(kept.translator("fra", "eng")) is first
    import_rows(empty, [("I eat.", "Je mange.")])
    second = finished(kept.translator("fra", "eng"))
    assert second is not first and second.translate("Je mange.", 1)[0].text == "I eat."
    assert kept.targets("fra") == ["eng"] and kept.targets("jpn") == []


def test_what_is_refused(empty: Store) -> None:
    with pytest.raises(InputError, match="the corpus has no sentences in 'fra'; it has none"):
        direction_of(empty, "fra", "eng")
    import_rows(empty, ROWS)
    import_rows(empty, [("A.", "Ein.")], ("eng", "deu"))
    with pytest.raises(InputError, match="no sentence of the corpus is translated from fra to deu"):
        direction_of(empty, "fra", "deu")
    with pytest.raises(UsageError, match="these are one language"):
        direction_of(empty, "fr", "fra")
    with pytest.raises(UsageError, match="there is no method 'guess'"):
        rung_names("exact,guess")
    assert rung_names("memory, exact") == ("exact", "memory")
