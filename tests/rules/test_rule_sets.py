"""The rule language, the rules that come with the program, and rules and sets of them as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.tokenisation import Analyser
from corpusdb.chain.queries.checking import check as checking_check
from corpusdb.corpus.store import Store, start_run
from corpusdb.guides import guide_text
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
    stored_rule_set,
    switch_rules,
)
from corpusdb.rules.rewriting import apply_rule, check_rules, load_rules
from corpusdb.rules.rule import Boundary, MorphemePattern, RuleDirection, RuleSet, parse_rules, rule_text

# The rule language: what is read, and what is said of what cannot be read.


PAST = (
    "past polite = $1(verb euphonic !=ある) : た(ta) <-> $1(continuative) : まし : た(ta) / は|も : !(noun) _ !か : END"
)


def test_a_rule_is_read() -> None:
    (rule,) = parse_rules([PAST], "mine.rules")
    assert (rule.name, rule.kind, rule.two_way, rule.off) == ("past", "polite", True, None)
    assert [element.variable for element in rule.left] == [1, None]
    assert rule.left[0].form == "euphonic"
    assert rule.left[0].other_lexemes == {"ある"}
    assert rule.right[0].any_of == (frozenset({"verb"}),)  # what one side asks of $1, the other does
    assert [element.surfaces for element in rule.right] == [(), ("まし",), ("た",)]
    assert [(context.condition, context.negated) for context in rule.after] == [
        (MorphemePattern(surfaces=("か",)), True),
        (Boundary.END, False),
    ]
    assert rule.before[0].condition == MorphemePattern(surfaces=("は", "も"))
    assert rule.before[1].negated


def test_examples_and_what_is_off_belong_to_the_rule_above() -> None:
    lines = [
        PAST,
        "# said of it",
        "off a reason",
        "+ 読んだ。 = 読みました。",
        "> 行った。 = 行きました。",
        "- 読む。",
        "",
    ]
    (rule,) = parse_rules(lines, "mine.rules")
    assert rule.off == "a reason"
    assert [(one.before, one.after, one.directions) for one in rule.examples] == [
        ("読んだ。", "読みました。", (RuleDirection.FORWARD,)),
        ("読みました。", "読んだ。", (RuleDirection.BACKWARD,)),
        ("行った。", "行きました。", (RuleDirection.FORWARD,)),
        ("読む。", None, (RuleDirection.FORWARD, RuleDirection.BACKWARD)),
    ]
    assert rule.examples[-1].place.line == 6


def test_the_digest_is_of_what_a_rule_does() -> None:
    (one,) = parse_rules([PAST, "- 読む。"], "a.rules")
    (other,) = parse_rules(["", PAST.replace(" : ", "  :  ")], "b.rules")
    (changed,) = parse_rules([PAST.replace("まし", "ます")], "a.rules")
    assert one.digest == other.digest != changed.digest


WRONG = [
    ("past = $1 : た <-> $1", "line 1, column 1: a rule begins NAME KIND"),
    ("past rude = a -> b", "line 1, column 6: rude is not a kind of rule: polite, other"),
    ("a other = $1(verbal) -> $1 : よ", "line 1, column 14: no class and no form is called verbal"),
    ("a other = $1(verb|verbal) -> $1 : よ", "line 1, column 14: no class and no form is called verbal"),
    ("a other = が(conjunctive -> けど", "line 1, column 25: no class and no form is called ->"),
    ("a other = が(conjunctive", "line 1, column 24: ) expected in place of the end of the line"),
    ("a other = が けど", "line 1, column 13: : expected in place of けど"),
    ("a other = -> けど", "line 1, column 11: a morpheme expected in place of ->"),
    ("a other = が ->", "line 1, column 15: a morpheme expected in place of the end of the line"),
    ("a other = $1 -> $2", "line 1, column 19: $2 is on one side only"),
    ("a other = $1 : $2 <-> $1 : よ", "$2 is on one side only"),
    ("a other = $1 : $1 -> $1", "$1 appears twice on one side"),
    ("a other = $(verb) -> よ", "line 1, column 11: a number expected after $"),
    (f"a other = ${'1' * 5000} -> よ", "line 1, column 21: : expected in place of 1"),
    ("a other = が|も <-> は", "が|も: which of them is written, cannot be known"),
    ("a other = が| -> は", "line 1, column 11: a word is missing beside |"),
    ("a other = が(conjunctive) <-> が(conjunctive)", "both sides are the same: the rule would loop"),
    ("a other = いる(*) <-> てる(ichidan *)", "line 1, column 11: いる is inflected: say its conjugation"),
    ("a other = 読む -> 食べた(godan final)", "line 1, column 17: 食べた is not how a godan verb is cited"),
    ("a other = が -> けど / _ $1", "line 1, column 23: $1 is in the context: wildcards belong"),
    ("a other = いる(ichidan *) <-> てる", "* must be once on both sides, or on none"),
    ("a other = $1(final continuative) -> $1 : よ", "line 1, column 20: two forms: final and continuative"),
    ("a other = が -> けど / END", "line 1, column 24: _ expected in place of the end of the line"),
    ("a other = が -> けど / _ ()", "no condition between the parentheses"),
    ("a other = が -> けど / _ か : ", "a morpheme expected in place of the end of the line"),
    ("a other = が(!=) -> けど", "a word is missing after = or |"),
    ("+ 読む。 = 読みます。", "line 1, column 1: this belongs to a rule, and there is none before it"),
    ("off because", "line 1, column 1: this belongs to a rule, and there is none before it"),
    (f"{PAST}\noff", "line 2, column 4: the reason is missing"),
    (f"{PAST}\n+ 読む。", "line 2, column 2: an example has two texts with ' = ' between them"),
    ("a other = が -> けど\n< が = けど", "line 2, column 1: the rule has no such direction"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_cannot_be_read_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_rules(text.split("\n"), "mine.rules")
    assert str(raised.value).startswith("mine.rules, line ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@given(st.text(st.sampled_from("a other = $1(verb) : た <-> $2 / _ END!*|=+-off\n"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        rules = parse_rules(text.split("\n"), "mine.rules")
    except InputError as error:
        assert "line" in str(error)
    else:
        assert all(rule.left and rule.right for rule in rules)


def test_files_of_users_stand_behind_the_shipped_ones(tmp_path: Path) -> None:
    file = tmp_path / "mine.rules"
    file.write_text("mine other = が(conjunctive) -> けど\noff not yet\nother-one other = は -> が\n", encoding="utf-8")
    alone = load_rules([file], shipped=False)
    assert alone.names == ("mine", "other-one")
    assert [rule.name for rule in alone.enabled] == ["other-one"]
    assert [rule.name for rule in alone.including(["mine"]).enabled] == ["mine", "other-one"]
    assert alone.digest != alone.including(["mine"]).digest
    assert load_rules([file]).names[-2:] == alone.names
    with pytest.raises(InputError, match="has a rule mine already"):
        load_rules([file, file], shipped=False)


def test_a_file_is_read_as_texts_are(tmp_path: Path, store: Store) -> None:
    """In NFC, and its lines end at LF or CRLF alone."""
    file = tmp_path / "mine.rules"
    file.write_bytes("a other = か\u3099 -> けど\r\n- 静か\u2028です。\r\n".encode())
    given = load_rules([file], shipped=False)
    [rule] = given.rules
    assert (rule.left[0].surfaces, rule.examples[0].before) == (("\u304c",), "静か\u2028です。")
    make_set(store, "own", given)
    [kept] = named_set(store, "own").rules.rules
    assert (kept.digest, kept.examples[0].before) == (rule.digest, rule.examples[0].before)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.rules"):
        load_rules([tmp_path / "nowhere.rules"])
    (tmp_path / "latin.rules").write_bytes(b"\xe9")
    with pytest.raises(InputError, match="not UTF-8 at byte 0"):
        load_rules([tmp_path / "latin.rules"])


# The rules that come with the program: their examples, how many they are, and what a rule check finds.


RULES = load_rules().rules
FUNCTION_WORDS = frozenset(
    (
        "ある あり あっ あろう ない なかっ なく なけれ なきゃ いる い おる おり いらっしゃい ござい する "
        "し いたし 致し なる なら なり いける いけ おく とく しまう ちゃう てる くれ ください 下さい "
        "もらえ いただけ なさい みたい よう いい よい 良い 有る 無い しれ 知れ よっ より 対し 基づい "
        "基づき 伴っ 伴い あたっ あたり 通じ よる よれ 関し 関する つい とんでも ごめん 時 とき 事 "
        "こと 為 ため お 御 何 じゃん だっ ば まし "
    ).split()
)
"""Words of grammar with the tags of content words, those of set phrases, and what reads otherwise alone."""


def test_every_rule_does_what_its_examples_say(rules: RuleSet, analyser: Analyser) -> None:
    assert [str(fault) for fault in check_rules(rules.rules, analyser)] == []


def test_there_are_as_many_as_in_the_paper(rules: RuleSet) -> None:
    """Kanayama (2003), section 4.1: 88 rules, 51 of them polite; here those that are off do not count."""
    kinds = Counter(rule.kind for rule in rules.enabled)
    assert kinds["polite"] >= 51
    assert kinds.total() >= 88
    assert all(rule.off for rule in rules.rules if rule.name in rules.disabled)


def test_the_guide_says_how_many_there_are(rules: RuleSet) -> None:
    polite = sum(rule.kind == "polite" for rule in rules.enabled)
    said = f"{len(rules.rules)} in all, of which {len(rules.enabled)} are on, {polite} of them for politeness"
    assert said in " ".join(guide_text("rules").split())


def test_no_rule_writes_a_content_word(analyser: Analyser) -> None:
    """As the paper asks: nouns, verbs, adjectives and adverbs are copied, and at most inflected."""
    written = {word for rule in RULES for side in (rule.left, rule.right) for one in side for word in one.surfaces}
    parts = {word: {morpheme.part_of_speech[0] for morpheme in analyser.analyse(word)} for word in written}
    content = {word for word in written if parts[word] & {"名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞"}}
    assert sorted(content - FUNCTION_WORDS) == []


def check(analyser: Analyser, *lines: str) -> list[str]:
    return [str(fault) for fault in check_rules(parse_rules(lines, "mine.rules"), analyser)]


GOOD = ["+ 彼が来たが、帰った。 = 彼が来たけど、帰った。", "+ 行くが、遅い。 = 行くけど、遅い。"]
NOT = ["- 雨が降る。", "- 彼が来た。"]


def test_a_check_tells_examples_that_do_not_come_out(analyser: Analyser) -> None:
    line = "mine other = が(conjunctive) -> けど"
    last = "+ 見たが、忘れた。 = 見たけど、忘れた。"
    assert check(analyser, line, *GOOD, last, *NOT) == []
    assert check(analyser, line, *GOOD, last, NOT[0]) == [
        "mine.rules, line 1, column 1: mine: 1 examples that must not change, 2 are the least"
    ]
    assert check(analyser, line, *GOOD, *NOT) == [
        "mine.rules, line 1, column 1: mine: 2 examples of ->, 3 are the least"
    ]
    assert check(analyser, line, *GOOD, "+ 見た。 = 見ました。", *NOT) == [
        "mine.rules, line 4, column 1: mine: 見た。 ->: nothing comes out, not 見ました。"
    ]
    assert check(analyser, line, *GOOD, last, *NOT, "- 見たが、忘れた。") == [
        "mine.rules, line 7, column 1: mine: 見たが、忘れた。 ->: 見たけど、忘れた。 comes out"
    ]


def test_a_check_tells_a_rule_that_loops(analyser: Analyser) -> None:
    faults = check(
        analyser,
        "mine other = だけ(particle) -> だけ(particle) : だけ(particle)",
        "+ これだけだ。 = これだけだけだ。",
    )
    assert any("the rule loops" in fault for fault in faults)


def test_one_rule_alone(rules: RuleSet, analyser: Analyser) -> None:
    rule = rules.by_name["verb-past"]
    assert apply_rule(rule, RuleDirection.FORWARD, "彼は本を読んだ。", analyser) == "彼は本を読みました。"
    assert apply_rule(rule, RuleDirection.BACKWARD, "彼は本を読みました。", analyser) == "彼は本を読んだ。"
    assert apply_rule(rule, RuleDirection.FORWARD, "彼は本を読む。", analyser) is None


# Rules and sets of them as rows: nothing that is stored ever changes, and sets of one's own are switched.


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


def test_the_text_of_a_rule_reads_as_the_rule() -> None:
    for rule in SHIPPED.rules:
        (again,) = parse_rules(rule_text(rule).splitlines(), rule.place.file)
        assert (again.digest, again.off, again.left, again.right) == (rule.digest, rule.off, rule.left, rule.right)
        assert [(one.before, one.after, one.directions) for one in again.examples] == [
            (one.before, one.after, one.directions) for one in rule.examples
        ], rule.name


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
    sets = [RuleSet((rule,)) for rule in (before, after, before)]
    with store.write():
        run = start_run(store, "test", {})
        assert len({store_rule_set(store, rules, run) for rules in sets}) == 2
    assert [stored_rule_set(store, rules.digest).digest for rules in sets] == [rules.digest for rules in sets]


def test_what_another_version_reads_otherwise_is_refused(store: Store) -> None:
    with store.write() as connection:
        polite = RuleSet((next(rule for rule in SHIPPED.rules if rule.kind == "polite"),))
        store_rule_set(store, polite, start_run(store, "test", {}))
        connection.execute("update rule set text = replace(text, 'polite', 'other')")
    with pytest.raises(InputError, match="means something else"):
        stored_rule_set(store, polite.digest)


@given(off=st.sets(st.sampled_from(NAMES)), on=st.sets(st.sampled_from(NAMES)))
@pytest.mark.slow
def test_switching_is_what_it_says(off: set[str], on: set[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    with new_store(tmp_path_factory.mktemp("switched")) as store:
        make_set(store, "mine", SHIPPED)
        on = on - off
        after = switch_rules(store, "mine", off=off, on=on).rules
        assert after.disabled == (SHIPPED.disabled | off) - on
        assert after.names == NAMES
        assert named_set(store, "mine").rules.digest == SHIPPED.without(off).including(on).digest
        assert checking_check(store).problems == ()


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
    assert checking_check(store, full=True).problems == ()


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
        ("all,own", "cannot be combined"),
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
    assert checking_check(store, full=True).problems == ()
