"""From the text of a query to its syntax tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn, TypeAlias, TypeVar

from corpusdb.base.errors import InputError
from corpusdb.base.text import language_code
from corpusdb.search.cqp_scanner import Scanner
from corpusdb.search.cqp_syntax import (
    OF_TEXT,
    Aligned,
    Alternation,
    Anchor,
    And,
    Condition,
    MatchExpansion,
    Meet,
    MeetUnion,
    Node,
    Not,
    Or,
    Query,
    Repetition,
    SequenceNode,
    Token,
    Union,
    WordPair,
    WordPattern,
    WordTest,
    labels_of,
    leaves_of,
    size_of,
    tokens_in,
    tokens_of,
)
from corpusdb.search.token_corpus import TARGET

T = TypeVar("T")

MAX_DEPTH = 50
"""How deep parentheses may be nested."""
MAX_REPEATS = 500
"""The largest number in a quantifier."""
MAX_SENTENCES = 100
"""The most sentences that a match may stand in."""
MAX_TOKENS = 1000
"""The most token expressions of a query, written out without bounded quantifiers."""


def parse(text: str) -> Query:
    """The syntax tree of the query ``text``, in the subset of CQP that `corpusdb guide query` lists.

    What is written as in the CQP Query Language Tutorial (Evert and the CWB Development Team) means what it says there,
    but that a match stays in its sentence unless ``within 2 s`` or ``within text`` is said. A test of a label that a
    match does not have is false, with != as with =. A token of which an attribute is not known has the empty string
    there, and two such tokens are not the same by it. Raises QueryError, with the place of the fault, for everything
    else.
    """
    return _Parser(text).whole()


class _Parser:
    """Recursive descent: one method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._scan = Scanner(text)
        self._depth = 0
        self._places: tuple[str, ...] = ()
        self._begins: str | None = None
        self._closes = False

    def whole(self) -> Query:
        query, places = self._query(), self._places
        of_text = self._begins, self._closes
        aligned: list[Aligned] = []
        while self._scan.sees(":"):
            aligned.append(self._aligned())
        cut, expansion = _cut_and_expansion(self._scan)
        self._scan.accept(";")
        if not self._scan.at_end:
            self._scan.fail_here("a token, a quantifier or the end of the query")
        if self._places != places or (self._begins, self._closes) != of_text:
            self._scan.fail("the place of a translation is no condition; write it before the colon")
        query = replace(query, begins=self._begins, closes=self._closes, cut=cut, expansion=expansion)
        return replace(query, aligned=tuple(aligned), places=places)

    def _query(self) -> Query:
        """A sequence, then a constraint and a window, each at most once and in either order."""
        scan, position = self._scan, self._scan.position
        meet = None
        if (scan.peek_name() or "").lower() == "mu":
            scan.name()
            scan.expect("(", ' after MU: MU(meet "a" "b" -2 2)')
            meet = self._nested(self._meet_union)
            sequence: Node = Alternation(tuple(tokens_in(meet)), position)
            return Query(sequence, None, None, (), scan.text, position, meet=meet)
        begin = self._tag_with_value()
        sequence = self._alternation()
        if begin is not None:
            sequence = SequenceNode((begin, sequence), position)
        if scan.accept("</text>"):
            self._closes = True
            sequence = SequenceNode((sequence, Anchor("end", scan.position)), position)
        if next(tokens_of(sequence), None) is None:
            scan.fail("a query needs a token: <s> and </s> are only places; [] is any token", position)
        if size_of(sequence) > MAX_TOKENS:
            scan.fail(f"the quantifiers make more than {MAX_TOKENS} tokens of this; use * or +", position)
        constraint, within, sentences = None, None, 1
        seen: set[str] = set()
        while keyword := "::" if scan.sees("::") else "within" if scan.peek_name() == "within" else "":
            if keyword in seen:
                scan.fail(f"there is a second {keyword} here")
            seen.add(keyword)
            scan.accept(keyword)
            if keyword == "::":
                labels = frozenset(labels_of(sequence))
                constraint = self._condition(self._label_test(labels))
                if MATCH not in labels:
                    constraint, places = without_places(scan.fail, constraint)
                    self._places += places
            else:
                within, sentences = self._window()
        return Query(sequence, constraint, within, (), scan.text, position, sentences)

    def _tag_with_value(self) -> Anchor | None:
        """``<text>`` before the first token: there a document begins; or ``<u_who="Bob">``: there a sentence does, of
        which the condition holds; but for ``<s_mood="...">`` the first of those that follow each other."""
        scan, position = self._scan, self._scan.position
        if scan.accept("<text>"):
            self._begins = OF_TEXT
            return Anchor("start", position)
        if (name := scan.tag_with_value()) is None:
            return None
        equal = self._scan.equality()
        if (pattern := scan.string()) is None:
            scan.fail_here('a string such as "regex"')
        scan.expect(">", " after the value")
        self._places += (condition_on_place(scan.fail, name, pattern, equal=equal),)
        if not name.startswith("s_"):
            self._begins = self._places[-1]
        return Anchor("start", position)

    def _window(self) -> tuple[int | None, int]:
        """What stands behind ``within``: the most tokens that a match may have, and in how many sentences."""
        scan, position = self._scan, self._scan.position
        if (number := scan.number()) is None:
            region = scan.name()
            if region not in ("s", "text"):
                scan.fail("expected s or a number of tokens, or text; there are no other regions", position)
            return None, 1 if region == "s" else MAX_SENTENCES
        if number == 0:
            scan.fail("a match has at least one token", position)
        place = scan.position
        unit = scan.peek_name()
        if unit == "s":
            scan.name()
            if number > MAX_SENTENCES:
                scan.fail(f"a match reaches over at most {MAX_SENTENCES} sentences", position)
            return None, number
        if unit in ("word", "words"):
            scan.name()
        elif unit is not None:
            scan.fail(f"no unit {unit}: a number within counts words, or sentences: within 2 s", place)
        return number, 1

    def _aligned(self) -> Aligned:
        scan, position = self._scan, self._scan.position
        scan.accept(":")
        place, name = scan.position, scan.name()
        try:
            language = language_code(name or "")
        except InputError:
            scan.fail("expected a language such as jpn or en after the colon", place)
        negated = scan.accept("!")
        return Aligned(language, negated, self._query(), position)

    def _meet_union(self) -> Meet | Union:
        """``meet A B -2 2``, ``meet A not B s`` or ``union A B``; A and B are tokens, or the same in parentheses."""
        scan, position = self._scan, self._scan.position

        def operand() -> MeetUnion:
            if scan.accept("("):
                return self._nested(self._meet_union)
            return self._token(None) or scan.fail_here("a token, or (meet ...) or (union ...)")

        operator = (scan.name() or "").lower()
        if operator not in ("meet", "union"):
            scan.fail('expected meet or union: MU(meet "a" "b" -2 2)', position)
        left = operand()
        negated = operator == "meet" and scan.peek_name() == "not" and scan.name() is not None
        right = operand()
        if operator == "union":
            return Union(left, right, position)
        if scan.peek_name() == "s":
            scan.name()
            return Meet(left, right, negated, None, position)
        place, ends = scan.position, []
        for _ in range(2):
            sign = -1 if scan.accept("-") else 1
            if (number := scan.number()) is None:
                scan.fail("expected a window after the two tokens: -2 2, or s for the sentence", place)
            ends.append(sign * number)
        if ends[0] > ends[1]:
            scan.fail(f"the smaller number comes first: {ends[1]} {ends[0]}", place)
        return Meet(left, right, negated, (ends[0], ends[1]), position)

    def _alternation(self) -> Node:
        position, branches = self._scan.position, [self._sequence()]
        while self._scan.accept("|"):
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else Alternation(tuple(branches), position)

    def _sequence(self) -> Node:
        scan, position, items = self._scan, self._scan.position, [self._repetition()]
        ends = ")", "|", ":", ";", "</text>"
        while not (scan.at_end or scan.peek_name() in ("within", "cut", "expand") or any(map(scan.sees, ends))):
            items.append(self._repetition())
        return items[0] if len(items) == 1 else SequenceNode(tuple(items), position)

    def _repetition(self) -> Node:
        item, position = self._item(), self._scan.position
        for symbol, least, most in (("?", 0, 1), ("*", 0, None), ("+", 1, None)):
            if self._scan.accept(symbol):
                return Repetition(item, least, most, position)
        if not self._scan.accept("{"):
            return item
        return Repetition(item, *self._bounds(position), position)

    def _bounds(self, position: int) -> tuple[int, int | None]:
        scan = self._scan
        least = scan.number()
        most = scan.number() if (comma := scan.accept(",")) else least
        if least is None and most is None:
            scan.fail("expected a number: {2}, {2,}, {2,5} or {,5}")
        scan.expect("}", " after the numbers")
        if max(least or 0, most or 0) > MAX_REPEATS:
            scan.fail(f"at most {MAX_REPEATS} repetitions are possible; {{2,}} has no upper bound", position)
        if comma and most is not None and most < (least or 0):
            scan.fail(f"the smaller number comes first: {{{most},{least}}}", position)
        return least or 0, most

    def _item(self) -> Node:
        scan, position = self._scan, self._scan.position
        label = TARGET if scan.accept("@") else scan.label()
        token = self._token(label)
        if token is not None:
            return token
        if label is not None:
            scan.fail("a label goes before a token: a:[...]", position)
        if scan.accept("<s>"):
            return Anchor("start", position)
        if scan.accept("</s>"):
            return Anchor("end", position)
        if not scan.sees("(?") and scan.accept("("):
            return self._nested(self._alternation)
        scan.fail_here('a token such as "regex" or []')

    def _token(self, label: str | None) -> Token | None:
        scan, start = self._scan, self._scan.position
        condition: Condition | None = None
        if (pattern := scan.string()) is not None:
            condition = WordTest(None, True, pattern, start)
        elif scan.sees("[") and not scan.sees("[:"):
            scan.accept("[")
            if not scan.sees("]"):
                condition = self._condition(self._word_test)
            scan.expect("]", ", or & or | and another condition")
        else:
            return None
        return Token(condition, label, scan.text[start : scan.position].rstrip(), start)

    def _nested(self, rule: Callable[[], T]) -> T:
        """What ``rule`` reads between parentheses, of which the first has been read."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._scan.fail(f"parentheses are nested more than {MAX_DEPTH} deep")
        inside = rule()
        if not self._scan.sees(")"):
            self._scan.fail_here(") that closes the group")
        self._scan.accept(")")
        self._depth -= 1
        return inside

    def _condition(self, test: Callable[[], Condition]) -> Condition:
        """Tests joined by ``|``, ``&``, ``!`` and parentheses; ``&`` binds closer than ``|``."""
        position, operands = self._scan.position, [self._conjunction(test)]
        while self._scan.accept("|"):
            operands.append(self._conjunction(test))
        return operands[0] if len(operands) == 1 else Or(tuple(operands), position)

    def _conjunction(self, test: Callable[[], Condition]) -> Condition:
        position, operands = self._scan.position, [self._negation(test)]
        while self._scan.accept("&"):
            operands.append(self._negation(test))
        return operands[0] if len(operands) == 1 else And(tuple(operands), position)

    def _negation(self, test: Callable[[], Condition]) -> Condition:
        position, negated = self._scan.position, False
        while self._scan.accept("!"):
            negated = not negated
        inner = self._nested(lambda: self._condition(test)) if self._scan.accept("(") else test()
        return Not(inner, position) if negated else inner

    def _word_test(self) -> Condition:
        scan, position = self._scan, self._scan.position
        self._refuse_reference()
        scan.refuse_function()
        name = scan.name()
        if name is None and (pattern := scan.string()) is not None:
            scan.fail(f'brackets hold a test: [word="{pattern.text}"]', position)
        if name is None:
            scan.fail_here('a condition such as word = "regex"')
        equal = self._scan.equality()
        self._refuse_reference()
        pattern = scan.string()
        if pattern is None:
            scan.fail_here('a string such as "regex"')
        return WordTest(None, equal, pattern, position, name)

    def _refuse_reference(self) -> None:
        if self._scan.sees("_"):
            self._scan.fail('what documents and lines have is asked for after the query: [] :: match.genre = "news"')
        if self._scan.sees_reference():
            self._scan.fail("labels are compared after the query: a:[] b:[] :: a.word = b.word")

    def _label_test(self, labels: frozenset[str]) -> Callable[[], Condition]:
        """The rule for one test of a constraint on these labels: ``a.word = b.word`` or ``a.word = "regex"``."""
        scan = self._scan

        def reference() -> tuple[str, str]:
            scan.refuse_function()
            position, label = scan.position, scan.name()
            if label is None:
                scan.fail_here("a labelled token such as a.word")
            if label not in labels | {MATCH}:
                known = f"; there {'is' if len(labels) == 1 else 'are'} {', '.join(sorted(labels))}" if labels else ""
                scan.fail(f"no label {label} in this query{known}", position)
            scan.expect(".", f" and an attribute after the label {label}: {label}.word")
            attribute = scan.name()
            if attribute is None:
                scan.fail(f"expected an attribute after the label: {label}.word")
            return label, attribute

        def test() -> Condition:
            position, (left, attribute) = scan.position, reference()
            equal = self._scan.equality()
            if (pattern := scan.string()) is not None:
                return WordTest(left, equal, pattern, position, attribute)
            (right, other), flags = reference(), scan.flags("cd")
            return WordPair(left, right, equal, "c" in flags, "d" in flags, position, attribute, other)

        return test


def _cut_and_expansion(scan: Scanner) -> tuple[int | None, MatchExpansion | None]:
    """``cut 50`` and ``expand to s``, ``expand left to 3``, in either order."""
    cut, expansion = None, None
    while (word := scan.peek_name()) in ("cut", "expand"):
        if (cut if word == "cut" else expansion) is not None:
            scan.fail(f"there is a second {word} here")
        scan.name()
        place = scan.position
        if word == "cut":
            if not (cut := scan.number()):
                scan.fail("expected how many matches after cut: cut 50", place)
            continue
        side = scan.name() if scan.peek_name() in ("left", "right") else None
        if scan.name() != "to" or not ((number := scan.number()) or scan.name() == "s"):
            scan.fail("expected to s, or to a number of tokens: expand to s, expand left to 3", place)
        expansion = MatchExpansion(0 if side == "right" else number, 0 if side == "left" else number)
    return cut, expansion


# What a query asks of where a match stands: what files say of documents and lines, such as the speaker.
#
# In CQP these are structural attributes: ``<u_who="Bob">`` in front, or ``:: match.u_who = "Bob"``. They are kept as
# ``--where`` has them, since they are conditions on occurrences, and all else in a query is one on tokens.

Fail: TypeAlias = Callable[[str, int], NoReturn]
"""Raises QueryError for a reason, at a place in the text of the query."""
MATCH = "match"
"""The label of the whole match, whose attributes are those of where it stands."""
_KNOWN = re.compile(r"\\[^\w*|]|\.\*")
_OTHERS = re.compile(r"[\\*+?^$(){}\[\]]")


def condition_on_place(fail: Fail, name: str, pattern: WordPattern, *, equal: bool) -> str:
    """An attribute and its value as ``--where`` has them.

    Raises QueryError for what is no alternative and no ``.*`` of a regular expression, which is all that it knows.
    """
    is_flagged = pattern.literal or pattern.ignore_case or pattern.ignore_diacritics
    if is_flagged or _OTHERS.search(_KNOWN.sub("", pattern.text)):
        fail(f"the value of {name} may have only | and .* of regular expressions, and no flags", pattern.position)
    value = re.sub(r"\\(.)", r"\1", pattern.text.replace(".*", "*"))
    return f"{name}{'' if equal else '!'}={value}"


def without_places(fail: Fail, constraint: Condition) -> tuple[Condition | None, tuple[str, ...]]:
    """A constraint without its tests of where the match stands, and these, which hold for the whole query.

    Raises QueryError where such a test is not joined to the others by & alone.
    """
    parts = constraint.operands if isinstance(constraint, And) else (constraint,)
    of_places = [part for part in parts if isinstance(part, WordTest) and part.label == MATCH]
    kept = tuple(part for part in parts if part not in of_places)
    for leaf in (leaf for part in kept for leaf in leaves_of(part)):
        if MATCH in ((leaf.label,) if isinstance(leaf, WordTest) else (leaf.left, leaf.right)):
            fail('a condition on the place must be alone or joined with &: match.u_who = "..."', leaf.position)
    rest = And(kept, constraint.position) if len(kept) > 1 else next(iter(kept), None)
    return rest, tuple(condition_on_place(fail, each.attribute, each.pattern, equal=each.equal) for each in of_places)
