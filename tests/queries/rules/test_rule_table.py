"""The rules of a set as a table, switching one, and what one does to the sentences of a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import import_rows, new_store
from recorded_analyses import RecordedAnalyser

from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import Store
from corpusdb.rules import Direction, Expander, apply_rule, load_rules
from corpusdb.rules.queries.checking import all_sets, rule_table, switch_rule
from corpusdb.rules.queries.method import changed_places, rewriting_method
from corpusdb.rules.queries.rewritings import SentencesOfRule, keep_rewritings, kept_rewritings_of, rewritings_of
from corpusdb.rules.queries.rule_sets import RuleEffect, choose_rules, keep_effects, named_set, shipped_set
from corpusdb.rules.report import effect_told, effects_told

PLAIN, POLITE = "彼が本を読んだ。", "彼が本を読みました。"
TEXTS = (PLAIN, "静かだ。", "トムはもう怒ってないよ。", POLITE, "これはディズニーランドじゃないよ。", "東京駅")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as opened:
        import_rows(opened, [(text, f"Sentence {number}.") for number, text in enumerate(TEXTS)], ("jpn", "eng"))
        yield opened


def test_a_table_has_the_rules_of_a_set_in_their_order(store: Store) -> None:
    rules = load_rules()
    keep_effects(store, rules, [RuleEffect("da", "BLEU", "z", "pearson", 3, 0.9, -0.01, -0.02, -0.005)], {})
    table = rule_table(store, "polite")
    assert (table.name, table.is_own, table.sets) == ("polite", False, ("polite", "all"))
    assert [row.rule.name for row in table.rows] == list(rules.names)
    assert [row.number for row in table.rows] == list(range(1, len(rules.rules) + 1))
    for row in table.rows:
        assert row.is_on == (row.rule.kind == "polite" and row.rule.off is None)
        assert bool(row.effects) == (row.rule.name == "da")
    with pytest.raises(UsageError, match="there is no rule set 'nothing'; there are polite, all"):
        rule_table(store, "nothing")


def test_the_effect_of_a_rule_is_told_as_what_is_lost_without_it() -> None:
    lost = RuleEffect("da", "BLEU", "z", "pearson", 3, 0.9, -0.01, -0.02, 0.005)
    other = RuleEffect("da", "BLEU", "raw", "kendall", 3, 0.8, 0.5)
    assert effect_told([]) == "-"
    assert effect_told([other, lost]) == "+0.0100 -0.0050 to +0.0200"
    assert effect_told([other]) == "-0.5000"
    assert effect_told([RuleEffect("da", "BLEU", "z", "pearson", 3, 0.9, 0.0)]) == "+0.0000"
    assert [line.split(";")[0] for line in effects_told([other, lost])] == [
        "without it kendall with raw loses -0.5000, of 0.8000",
        "without it pearson with z loses +0.0100 -0.0050 to +0.0200, of 0.9000",
    ]


def test_a_rule_is_switched_in_a_set_of_ones_own(store: Store) -> None:
    assert switch_rule(store, "all", "da", new="mine") == "mine"
    assert named_set(store, "mine").rules.disabled == shipped_set("all").disabled | {"da"}
    assert all_sets(store) == ("polite", "all", "mine")
    assert not next(row for row in rule_table(store, "mine").rows if row.rule.name == "da").is_on
    assert switch_rule(store, "mine", "da") == "mine"
    assert named_set(store, "mine").rules.disabled == shipped_set("all").disabled
    off = min(shipped_set("all").disabled)
    switch_rule(store, "mine", off)
    assert off not in named_set(store, "mine").rules.disabled


@pytest.mark.parametrize(
    ("name", "new", "message"),
    [
        ("all", None, "make a set of your own from it"),
        ("all", "polite", "is a rule set of the program"),
        ("all", "da", "is a rule"),
        ("all", "a b", "cannot be called"),
        ("nothing", "mine", "there is no rule set 'nothing'"),
    ],
)
def test_what_cannot_be_switched_changes_nothing(store: Store, name: str, new: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        switch_rule(store, name, "da", new=new)
    assert all_sets(store) == ("polite", "all")


@pytest.mark.parametrize("name", ["verb-past", "verb-negative", "da", "dewa-ja", "question-mark"])
def test_a_rule_alone_is_tried_on_every_sentence(store: Store, name: str, recorded_morphemes: RecordedAnalyser) -> None:
    rule = load_rules().by_name[name]
    sentences = SentencesOfRule(rule)
    finished(sentences.more(store, 100))
    assert (sentences.read, sentences.total, sentences.is_complete) == (len(TEXTS), len(TEXTS), True)
    expected = [
        (text, direction, made)
        for text in TEXTS
        for direction in rule.directions
        if (made := apply_rule(rule, direction, text, recorded_morphemes)) is not None
    ]
    found = [(each.text, each.rewriting.lineage[0].direction, each.rewriting.text) for each in sentences.found]
    assert found == expected


@pytest.mark.usefixtures("recorded_morphemes")
def test_sentences_are_looked_for_as_far_as_somebody_asks(store: Store) -> None:
    whole, parts = (SentencesOfRule(load_rules().by_name["verb-past"]) for _ in range(2))
    finished(whole.more(store, 100))
    assert [each.text for each in whole.found] == [PLAIN, POLITE]
    assert [each.rewriting.lineage[0].direction for each in whole.found] == [Direction.FORWARD, Direction.BACKWARD]
    finished(parts.more(store, 1))
    assert (parts.found, parts.read, parts.is_complete) == (whole.found[:1], 1, False)
    job = parts.more(store, 1)
    next(job)
    next(job)
    job.close()  # stopped: it goes on behind the last sentence that was tried
    assert (parts.read, len(parts.found)) == (2, 1)
    finished(parts.more(store, 100))
    assert (parts.found, parts.read, parts.is_complete) == (whole.found, whole.read, True)


@pytest.mark.usefixtures("recorded_morphemes")
def test_a_corpus_without_japanese_has_none(tmp_path: Path) -> None:
    with new_store(tmp_path, "other") as other:
        sentences = SentencesOfRule(load_rules().by_name["da"])
        finished(sentences.more(other, 5))
    assert (sentences.found, sentences.total, sentences.is_complete) == ([], 0, True)


def test_what_changed_makes_the_rewriting_of_the_text(recorded_morphemes: RecordedAnalyser) -> None:
    rules = load_rules()
    expander = Expander(rules.including(rules.disabled), recorded_morphemes)
    several = 0
    for text in TEXTS:
        for rewriting in expander.expand(text).rewritings:
            before, after = changed_places(text, rewriting)
            made, done = "", 0
            for (begin, end), (new_begin, new_end) in zip(before, after, strict=True):
                assert done <= begin <= end and (text[begin:end] != rewriting.text[new_begin:new_end])
                made += text[done:begin] + rewriting.text[new_begin:new_end]
                done = end
            assert made + text[done:] == rewriting.text
            several += len(rewriting.lineage) > 1
    assert several  # also where rules rewrote what others wrote


@pytest.mark.usefixtures("recorded_morphemes")
def test_the_rewritings_of_a_text_are_those_of_a_set_or_the_kept(store: Store) -> None:
    found = rewritings_of(store, f" {PLAIN} ", "polite")
    assert found.text == PLAIN
    assert POLITE in [each.text for each in found.rewritings]
    assert found.by.startswith(f"polite:{shipped_set('polite').digest}+max16+")
    assert kept_rewritings_of(store, PLAIN) is None
    for rules in ("polite", "verb-past"):
        method = rewriting_method(choose_rules(rules, lambda name: pytest.fail(name)))
        finished(keep_rewritings(store, method, [PLAIN]))
    kept = kept_rewritings_of(store, PLAIN)
    assert kept is not None  # of the newest method alone
    assert ([each.text for each in kept.rewritings], kept.text) == ([POLITE], PLAIN)
    assert method.rules.digest in kept.by
    with pytest.raises(UsageError, match="there is no rule set 'nothing'"):
        rewritings_of(store, PLAIN, "nothing")
