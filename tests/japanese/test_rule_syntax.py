"""The rule language: what is read, and what is said of what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.rules import Direction, load_rules
from corpusdb.rules.rule import Boundary, Element, parse_rules

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
        (Element(surfaces=("か",)), True),
        (Boundary.END, False),
    ]
    assert rule.before[0].condition == Element(surfaces=("は", "も"))
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
        ("読んだ。", "読みました。", (Direction.FORWARD,)),
        ("読みました。", "読んだ。", (Direction.BACKWARD,)),
        ("行った。", "行きました。", (Direction.FORWARD,)),
        ("読む。", None, (Direction.FORWARD, Direction.BACKWARD)),
    ]
    assert rule.examples[-1].place.line == 6


def test_the_digest_is_of_what_a_rule_does() -> None:
    (one,) = parse_rules([PAST, "- 読む。"], "a.rules")
    (other,) = parse_rules(["", PAST.replace(" : ", "  :  ")], "b.rules")
    (changed,) = parse_rules([PAST.replace("まし", "ます")], "a.rules")
    assert one.digest == other.digest != changed.digest


WRONG = [
    ("past = $1 : た <-> $1", "line 1, column 1: a rule begins NAME KIND"),
    ("past rude = a -> b", "line 1, column 6: rude is no kind of rule: polite, other"),
    ("a other = $1(verbal) -> $1 : よ", "line 1, column 14: no class and no form is called verbal"),
    ("a other = $1(verb|verbal) -> $1 : よ", "line 1, column 14: no class and no form is called verbal"),
    ("a other = が(conjunctive -> けど", "line 1, column 25: no class and no form is called ->"),
    ("a other = が(conjunctive", "line 1, column 24: ) expected in place of the end of the line"),
    ("a other = が けど", "line 1, column 13: : expected in place of けど"),
    ("a other = -> けど", "line 1, column 11: a morpheme expected in place of ->"),
    ("a other = が ->", "line 1, column 15: a morpheme expected in place of the end of the line"),
    ("a other = $1 -> $2", "line 1, column 19: $2 stands on one side only"),
    ("a other = $1 : $2 <-> $1 : よ", "$2 stands on one side only"),
    ("a other = $1 : $1 -> $1", "$1 stands twice on one side"),
    ("a other = $(verb) -> よ", "line 1, column 11: a number expected after $"),
    ("a other = が|も <-> は", "が|も: which of them is written, cannot be known"),
    ("a other = が| -> は", "line 1, column 11: a word is missing beside |"),
    ("a other = が(conjunctive) <-> が(conjunctive)", "both sides are the same: the rule would loop"),
    ("a other = いる(*) <-> てる(ichidan *)", "line 1, column 11: いる is inflected: say its conjugation"),
    ("a other = いる(ichidan *) <-> てる", "* stands once on both sides, or on none"),
    ("a other = $1(final continuative) -> $1 : よ", "line 1, column 20: two forms: final and continuative"),
    ("a other = が -> けど / END", "line 1, column 24: _ expected in place of the end of the line"),
    ("a other = が -> けど / _ ()", "no condition between the parentheses"),
    ("a other = が -> けど / _ か : ", "a morpheme expected in place of the end of the line"),
    ("a other = が(!=) -> けど", "a word is missing after = or |"),
    ("+ 読む。 = 読みます。", "line 1, column 1: this belongs to a rule, and none stands before it"),
    ("off because", "line 1, column 1: this belongs to a rule, and none stands before it"),
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


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.rules"):
        load_rules([tmp_path / "nowhere.rules"])
    (tmp_path / "latin.rules").write_bytes(b"\xe9")
    with pytest.raises(InputError, match="not UTF-8 at byte 0"):
        load_rules([tmp_path / "latin.rules"])
