"""Rewritings as rows with their lineage, and the rules of a set as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from corpora import filled_store, import_rows, new_store
from recorded_analyses import RecordedAnalyser

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.store import Store
from corpusdb.program.replay_queries import replay_run
from corpusdb.rules.queries import rewritings
from corpusdb.rules.queries.rewritings import (
    SentencesOfRule,
    all_sets,
    expansions,
    keep_rewritings,
    kept_rewritings_of,
    lineage_document,
    lineage_from,
    rewriting_counts,
    rewritings_of,
    rule_table,
    rule_uses,
    stored_rewritings,
    switch_rule,
)
from corpusdb.rules.queries.rule_sets import (
    RewritingMethod,
    RuleEffect,
    changed_places,
    check_japanese,
    choose_rules,
    format_changes,
    keep_effects,
    label_of,
    method_of,
    named_set,
    rewriting_method,
    rule_changes,
    shipped_set,
)
from corpusdb.rules.report import format_effect, format_effects
from corpusdb.rules.rewriting import Expander, apply_rule, load_rules
from corpusdb.rules.rule import RuleDirection

# Rewritings as rows: of a method, resumable, with the lineage that made them.


MINE = """\
my-past polite = $1(verb euphonic) : た(ta) <-> $1(continuative) : まし(masu) : た(ta) / _ END
my-da polite = だ(da final) <-> です(desu final) / _ END
my-dearu other = だ(da final) -> で(da) : ある(godan final) / _ END
"""
PLAIN, QUIET, NOTHING = "彼が本を読んだ。", "静かだ。", "東京駅"
TEXTS = (PLAIN, QUIET, NOTHING)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def method(tmp_path: Path, recorded_morphemes: RecordedAnalyser) -> RewritingMethod:
    path = tmp_path / "mine.rules"
    path.write_text(MINE, encoding="utf-8")
    return rewriting_method(choose_rules(str(path), lambda name: pytest.fail(name)))


def rows(store: Store) -> list[tuple[object, ...]]:
    statement = """
    select rewritten_text.text, dropped, rewriting.position, rewriting.text, lineage from rewritten_text
    left join rewriting on rewriting.origin = rewritten_text.id order by 1, 3
    """
    return store.connection.execute(statement).fetchall()


def test_what_is_kept_is_what_the_rules_make(store: Store, method: RewritingMethod) -> None:
    report = finished(keep_rewritings(store, method, [*TEXTS, PLAIN]))
    expander = Expander(method.rules, method.analyser, method.most)
    for text in TEXTS:
        assert [each.rewriting for each in stored_rewritings(store, text)] == [*expander.expand(text).rewritings]
    assert report == rewriting_counts(finished(expansions(method, TEXTS)))
    assert (report.texts, report.rewritten) == (3, 2)
    (one,) = stored_rewritings(store, PLAIN)
    assert (one.origin, one.rule_set, one.most) == (PLAIN, method.rules.digest, 16)
    assert [(step.rule, step.direction) for step in one.rewriting.lineage] == [("my-past", RuleDirection.FORWARD)]
    assert rule_uses(store) == rule_uses(store, method.rules.digest) == {"my-past": 1, "my-da": 1, "my-dearu": 1}
    assert rule_uses(store, "0" * 16) == {}
    assert check(store, full=True).problems == ()


def test_nothing_is_made_twice(store: Store, method: RewritingMethod) -> None:
    finished(keep_rewritings(store, method, TEXTS[:2]))
    before = rows(store)
    first = finished(keep_rewritings(store, method, TEXTS[:2]))
    assert store.connection.execute("select count(*) from run").fetchone() == (1,)
    assert first.texts == 2
    finished(keep_rewritings(store, method, TEXTS))
    assert [row for row in rows(store) if row[0] != NOTHING] == before
    assert store.connection.execute("select counts from run order by id").fetchall()[1] == (
        '{"dropped": {}, "rewritings": 0, "rewritten": 0, "texts": 1}',
    )


@pytest.mark.parametrize("stops", [0, 1, 2])
def test_an_interrupted_call_goes_on(
    stops: int, store: Store, method: RewritingMethod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rewritings, "_TEXTS_PER_TRANSACTION", 1)
    job = keep_rewritings(store, method, TEXTS)
    for _ in range(stops + 1):
        next(job)
    job.close()
    report = finished(keep_rewritings(store, method, TEXTS))
    with new_store(tmp_path, "other") as other:
        assert finished(keep_rewritings(other, method, TEXTS)) == report
        assert rows(other) == rows(store)
        counts = "select operation, parameters, counts from run"
        assert store.connection.execute(counts).fetchall() == other.connection.execute(counts).fetchall()


def test_another_method_has_rows_of_its_own(store: Store, method: RewritingMethod) -> None:
    finished(keep_rewritings(store, method, [QUIET]))
    fewer = RewritingMethod(method.name, method.rules, method.analyser, 1)
    report = finished(keep_rewritings(store, fewer, [QUIET]))
    assert (report.rewritings, report.dropped) == (1, {"cap": 1})
    less = RewritingMethod("chosen", method.rules.without(["my-da"]), method.analyser)
    finished(keep_rewritings(store, less, [QUIET]))
    assert [(each.most, each.rule_set) for each in stored_rewritings(store, QUIET)] == [
        *[(16, method.rules.digest)] * 2, (1, method.rules.digest), (16, less.rules.digest)
    ]  # fmt: skip


def test_a_method_comes_back_from_its_document(store: Store, method: RewritingMethod) -> None:
    finished(keep_rewritings(store, method, TEXTS))
    again = method_of(store, method.document())
    assert (again.label, again.rules.digest) == (method.label, method.rules.digest)
    assert again.label == label_of(method.document())
    with pytest.raises(InputError, match=r"pip install sudachipy==0\.1 "):
        method_of(store, method.document() | {"analyser": "sudachi-0.1-small-20200101-C"})


def test_a_run_is_replayed(store: Store, method: RewritingMethod) -> None:
    finished(keep_rewritings(store, method, TEXTS))
    ((same,),) = [finished(replay_run(store, 1))]
    assert (same.equal, same.differences) == (True, ())
    with store.write() as connection:
        connection.execute("update rewriting set text = '静かっす。' where text = '静かです。'")
    (other,) = finished(replay_run(store, 1))
    assert (other.equal, other.differences) == (
        False,
        (f"of 1 texts something else comes now, the first is {QUIET!r}",),
    )


@pytest.mark.parametrize("texts", [TEXTS, ["彼"], ["東京", "Yes."], ["1984", "...", "本だ。"]])
def test_what_passes_for_japanese(texts: Sequence[str]) -> None:
    check_japanese(texts, "t.txt")


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["本だ。", "It is.", "A book."], r"t.txt:2: the rules are for Japanese, and this is not: 'It is.'"),
        (["这是书"] * 4, "t.txt: the rules are for Japanese, and these texts have no kana"),
        (["Это книга"], "t.txt:1: "),
    ],
)
def test_what_is_not_japanese(texts: Sequence[str], told: str) -> None:
    with pytest.raises(InputError, match=told):
        check_japanese(texts, "t.txt")


def test_lineages_come_back_and_are_told(method: RewritingMethod) -> None:
    (found,) = method.expander.expand(PLAIN).rewritings
    assert lineage_from(lineage_document(found.lineage)) == found.lineage
    assert [*format_changes(rule_changes(PLAIN, found))] == ["読んだ becomes 読みました: my-past ->"]


# The rules of a set as a table, switching one, and what one does to the sentences of a corpus.


RULE_TABLE_PLAIN, POLITE = "彼が本を読んだ。", "彼が本を読みました。"
RULE_TABLE_TEXTS = (
    RULE_TABLE_PLAIN,
    "静かだ。",
    "トムはもう怒ってないよ。",
    POLITE,
    "これはディズニーランドじゃないよ。",
    "東京駅",
)


@pytest.fixture
def rule_table_store(tmp_path: Path) -> Iterator[Store]:
    rows = tuple((text, f"Sentence {number}.") for number, text in enumerate(RULE_TABLE_TEXTS))
    with filled_store(tmp_path, import_rows, rows, ("jpn", "eng")) as opened:
        yield opened


def test_a_table_has_the_rules_of_a_set_in_their_order(rule_table_store: Store) -> None:
    rules = load_rules()
    keep_effects(rule_table_store, rules, [RuleEffect("da", "BLEU", "z", "pearson", 3, 0.9, -0.01, -0.02, -0.005)], {})
    table = rule_table(rule_table_store, "polite")
    assert (table.name, table.is_own, table.sets) == ("polite", False, ("polite", "all"))
    assert [row.rule.name for row in table.rows] == list(rules.names)
    assert [row.number for row in table.rows] == list(range(1, len(rules.rules) + 1))
    for row in table.rows:
        assert row.is_on == (row.rule.kind == "polite" and row.rule.off is None)
        assert bool(row.effects) == (row.rule.name == "da")
    with pytest.raises(UsageError, match="there is no rule set 'nothing'; there are polite, all"):
        rule_table(rule_table_store, "nothing")


def test_the_effect_of_a_rule_is_told_as_what_is_lost_without_it() -> None:
    lost = RuleEffect("da", "BLEU", "z", "pearson", 3, 0.9, -0.01, -0.02, 0.005)
    other = RuleEffect("da", "BLEU", "raw", "kendall", 3, 0.8, 0.5)
    assert format_effect([]) == "-"
    assert format_effect([other, lost]) == "+0.0100 -0.0050 to +0.0200"
    assert format_effect([other]) == "-0.5000"
    assert format_effect([RuleEffect("da", "BLEU", "z", "pearson", 3, 0.9, 0.0)]) == "+0.0000"
    assert [line.split(";")[0] for line in format_effects([other, lost])] == [
        "without it kendall with raw loses -0.5000, of 0.8000",
        "without it pearson with z loses +0.0100 -0.0050 to +0.0200, of 0.9000",
    ]


@pytest.mark.slow
def test_a_rule_is_switched_in_a_set_of_ones_own(rule_table_store: Store) -> None:
    assert switch_rule(rule_table_store, "all", "da", new="mine") == "mine"
    assert named_set(rule_table_store, "mine").rules.disabled == shipped_set("all").disabled | {"da"}
    assert all_sets(rule_table_store) == ("polite", "all", "mine")
    assert not next(row for row in rule_table(rule_table_store, "mine").rows if row.rule.name == "da").is_on
    assert switch_rule(rule_table_store, "mine", "da") == "mine"
    assert named_set(rule_table_store, "mine").rules.disabled == shipped_set("all").disabled
    off = min(shipped_set("all").disabled)
    switch_rule(rule_table_store, "mine", off)
    assert off not in named_set(rule_table_store, "mine").rules.disabled


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
def test_what_cannot_be_switched_changes_nothing(
    rule_table_store: Store, name: str, new: str | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        switch_rule(rule_table_store, name, "da", new=new)
    assert all_sets(rule_table_store) == ("polite", "all")


@pytest.mark.parametrize("name", ["verb-past", "verb-negative", "da", "dewa-ja", "question-mark"])
def test_a_rule_alone_is_tried_on_every_sentence(
    rule_table_store: Store, name: str, recorded_morphemes: RecordedAnalyser
) -> None:
    rule = load_rules().by_name[name]
    sentences = SentencesOfRule(rule)
    finished(sentences.more(rule_table_store, 100))
    assert (sentences.read, sentences.total, sentences.is_complete) == (
        len(RULE_TABLE_TEXTS),
        len(RULE_TABLE_TEXTS),
        True,
    )
    expected = [
        (text, direction, made)
        for text in RULE_TABLE_TEXTS
        for direction in rule.directions
        if (made := apply_rule(rule, direction, text, recorded_morphemes)) is not None
    ]
    found = [(each.text, each.rewriting.lineage[0].direction, each.rewriting.text) for each in sentences.found]
    assert found == expected


@pytest.mark.usefixtures("recorded_morphemes")
def test_sentences_are_looked_for_as_far_as_somebody_asks(rule_table_store: Store) -> None:
    whole, parts = (SentencesOfRule(load_rules().by_name["verb-past"]) for _ in range(2))
    finished(whole.more(rule_table_store, 100))
    assert [each.text for each in whole.found] == [RULE_TABLE_PLAIN, POLITE]
    assert [each.rewriting.lineage[0].direction for each in whole.found] == [
        RuleDirection.FORWARD,
        RuleDirection.BACKWARD,
    ]
    finished(parts.more(rule_table_store, 1))
    assert (parts.found, parts.read, parts.is_complete) == (whole.found[:1], 1, False)
    job = parts.more(rule_table_store, 1)
    next(job)
    next(job)
    job.close()  # stopped: it goes on behind the last sentence that was tried
    assert (parts.read, len(parts.found)) == (2, 1)
    finished(parts.more(rule_table_store, 100))
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
    for text in RULE_TABLE_TEXTS:
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
def test_the_rewritings_of_a_text_are_those_of_a_set_or_the_kept(rule_table_store: Store) -> None:
    found = rewritings_of(rule_table_store, f" {RULE_TABLE_PLAIN} ", "polite")
    assert found.text == RULE_TABLE_PLAIN
    assert POLITE in [each.text for each in found.rewritings]
    assert found.by.startswith(f"polite:{shipped_set('polite').digest}+max16+")
    assert kept_rewritings_of(rule_table_store, RULE_TABLE_PLAIN) is None
    for rules in ("polite", "verb-past"):
        method = rewriting_method(choose_rules(rules, lambda name: pytest.fail(name)))
        finished(keep_rewritings(rule_table_store, method, [RULE_TABLE_PLAIN]))
    kept = kept_rewritings_of(rule_table_store, RULE_TABLE_PLAIN)
    assert kept is not None  # of the newest method alone
    assert ([each.text for each in kept.rewritings], kept.text) == ([POLITE], RULE_TABLE_PLAIN)
    assert method.rules.digest in kept.by
    with pytest.raises(UsageError, match="there is no rule set 'nothing'"):
        rewritings_of(rule_table_store, RULE_TABLE_PLAIN, "nothing")
