"""Rules and sets of them as rows: nothing that is stored ever changes, and sets of one's own are switched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.store import Store, start_run
from corpusdb.rules import RuleSet, load_rules
from corpusdb.rules.queries.rule_sets import (
    RuleEffect,
    changed_rules,
    choose_rules,
    delete_set,
    keep_effects,
    latest_effects,
    make_set,
    named_set,
    named_sets,
    rules_of_files,
    shipped_set,
    store_rule_set,
    store_rules,
    stored_rule,
    stored_rule_set,
    switch_rules,
)
from corpusdb.rules.rule import parse_rules, rule_text

SHIPPED = load_rules()
NAMES = SHIPPED.names
MINE = """\
my-da polite = だ(da final) <-> です(desu final) / _ END
off it is a copy
+ 静かだ。 = 静かです。
> これは本だ。 = これは本です。
- 静かな町。
my-desu polite = です(desu final) -> だ(da final) / _ END
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as opened:
        yield opened


def refuse(name: str) -> RuleSet:
    raise AssertionError(name)


@pytest.mark.parametrize("rule", SHIPPED.rules, ids=lambda rule: rule.name)
def test_the_text_of_a_rule_reads_as_the_rule(rule) -> None:  # type: ignore[no-untyped-def]
    (again,) = parse_rules(rule_text(rule).splitlines(), rule.place.file)
    assert (again.digest, again.off, again.left, again.right) == (rule.digest, rule.off, rule.left, rule.right)
    assert [(one.before, one.after, one.directions) for one in again.examples] == [
        (one.before, one.after, one.directions) for one in rule.examples
    ]


def test_a_set_is_kept_as_it_is_applied(store: Store) -> None:
    with store.write():
        run = start_run(store, "test", {})
        rules = SHIPPED.without(NAMES[3:7])
        number = store_rule_set(store, rules, run)
        assert store_rule_set(store, rules, run) == number
        assert store_rule_set(store, SHIPPED, run) != number
    again = stored_rule_set(store, rules.digest)
    assert (again.digest, again.names) == (rules.digest, tuple(rule.name for rule in rules.enabled))
    with pytest.raises(InputError, match="no rules of the digest"):
        stored_rule_set(store, "0" * 16)


def test_a_changed_rule_is_another_row(store: Store) -> None:
    (before,) = parse_rules(["my-da polite = だ(da final) <-> です(desu final) / _ END"], "mine.rules")
    (after,) = parse_rules(["my-da polite = だ(da final) -> です(desu final) / _ END"], "mine.rules")
    with store.write():
        run = start_run(store, "test", {})
        numbers = store_rules(store, [before, after, before], run)
    assert len({*numbers}) == 2
    assert [stored_rule(store, number).digest for number in numbers] == [before.digest, after.digest, before.digest]


def test_what_another_version_reads_otherwise_is_refused(store: Store) -> None:
    with store.write() as connection:
        polite = next(rule for rule in SHIPPED.rules if rule.kind == "polite")
        (number,) = store_rules(store, [polite], start_run(store, "test", {}))
        connection.execute("update rule set text = replace(text, 'polite', 'other')")
    with pytest.raises(InputError, match="means something else"):
        stored_rule(store, number)


@given(off=st.sets(st.sampled_from(NAMES)), on=st.sets(st.sampled_from(NAMES)))
def test_switching_is_what_it_says(off: set[str], on: set[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    with new_store(tmp_path_factory.mktemp("switched")) as store:
        make_set(store, "mine", SHIPPED)
        on = on - off
        after = switch_rules(store, "mine", off=off, on=on).rules
        assert after.disabled == (SHIPPED.disabled | off) - on
        assert after.names == NAMES
        assert named_set(store, "mine").rules.digest == SHIPPED.without(off).including(on).digest
        assert check(store).problems == ()


def test_sets_of_ones_own(store: Store) -> None:
    make_set(store, "mine", shipped_set("polite"))
    make_set(store, "あ", SHIPPED.without(["da"]))
    assert [each.name for each in named_sets(store)] == ["mine", "あ"]
    for name, rules, reason in (
        ("mine", SHIPPED, "already"),
        ("all", SHIPPED, "of the program"),
        ("da", SHIPPED, "is a rule"),
        ("a|b", SHIPPED, "cannot be called"),
        ("a,b", SHIPPED, "cannot be called"),
        ("x.rules", SHIPPED, "cannot be called"),
        ("", SHIPPED, "cannot be called"),
    ):
        with pytest.raises(UsageError, match=reason):
            make_set(store, name, rules)
    with pytest.raises(UsageError, match="has no rule 'nothing'"):
        switch_rules(store, "mine", off=["da", "nothing"])
    assert named_set(store, "mine").rules == named_set(store, "mine").rules.including(["da"])  # all or nothing
    with pytest.raises(UsageError, match="there are polite, all, mine, あ"):
        named_set(store, "other")
    with pytest.raises(UsageError, match="stays as it is"):
        switch_rules(store, "all", off=["da"])
    delete_set(store, "mine")
    assert [each.name for each in named_sets(store)] == ["あ"]
    assert changed_rules(named_set(store, "あ").rules) == []
    assert check(store, full=True).problems == ()


def test_what_is_chosen(tmp_path: Path) -> None:
    path = tmp_path / "mine.rules"
    path.write_text(MINE, encoding="utf-8")
    polite = {rule.name for rule in SHIPPED.rules if rule.kind == "polite"}

    def enabled(said: str) -> set[str]:
        return {rule.name for rule in choose_rules(said, refuse).rules.enabled}

    assert enabled("polite") == polite - SHIPPED.disabled
    assert enabled("all") == {*NAMES} - SHIPPED.disabled
    assert enabled(str(path)) == {"my-desu"}
    assert enabled(f"{path},da,my-da") == {"my-desu", "da", "my-da"}
    assert enabled(" polite , -da ") == polite - SHIPPED.disabled - {"da"}
    assert [choose_rules(said, refuse).name for said in ("all", "da", "all,-da", str(path))] == [
        "all", "da", "chosen", "chosen"
    ]  # fmt: skip
    own = choose_rules("own", lambda name: SHIPPED.only(["other"]))
    assert own.label == f"own:{SHIPPED.only(['other']).digest}"
    assert [rule.name for rule in rules_of_files([path])] == ["my-da", "my-desu"]
    for said, reason in (
        ("", "no rule set is named"),
        ("-da", "no rule set is named"),
        ("da,-da", "no rule is left"),
        ("all,-nothing", "no rule 'nothing'"),
        ("all,own", "stands alone"),
    ):
        with pytest.raises(UsageError, match=reason):
            choose_rules(said, refuse)


def test_effects_are_those_of_the_rule_as_it_was(store: Store) -> None:
    first = RuleEffect("da", "metric:bleu", "z", "pearson", 12, 0.97, -0.01)
    keep_effects(store, SHIPPED, [first], {"human": "z"})
    second = [RuleEffect("da", "metric:bleu", name, "kendall", 12, 0.9, 0.01, -0.1, 0.2) for name in ("raw", "z")]
    keep_effects(store, SHIPPED, second, {"human": "both"})
    assert latest_effects(store) == {SHIPPED.by_name["da"].digest: second}
    with pytest.raises(KeyError):
        keep_effects(store, SHIPPED, [RuleEffect("nothing", "m", "z", "pearson", 1, 0.0, 0.0)], {})
    assert store.connection.execute("select count(*) from rule_effect").fetchone() == (3,)
    assert check(store, full=True).problems == ()
