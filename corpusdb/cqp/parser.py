"""From the text of a query to its syntax tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from corpusdb.cqp.scanner import Scanner
from corpusdb.cqp.syntax import (
    Aligned,
    Alternation,
    Anchor,
    And,
    Condition,
    Node,
    Not,
    Or,
    Query,
    Repetition,
    Sequence,
    Token,
    WordPair,
    WordTest,
    labels_of,
    size_of,
    tokens_of,
)
from corpusdb.errors import InputError
from corpusdb.languages import language_code

__all__ = ["MAX_DEPTH", "MAX_REPEATS", "MAX_SENTENCES", "MAX_TOKENS", "parse"]

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
    """The syntax tree of the query ``text``, in the subset of CQP that the package documents.

    Raises QueryError, with the place of the fault, for everything else.
    """
    return _Parser(text).whole()


class _Parser:
    """Recursive descent: one method for each rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._scan = Scanner(text)
        self._depth = 0

    def whole(self) -> Query:
        query = self._query()
        aligned: list[Aligned] = []
        while self._scan.sees(":"):
            aligned.append(self._aligned())
        self._scan.accept(";")
        if not self._scan.at_end:
            self._scan.fail_here("a token, a quantifier or the end of the query")
        return replace(query, aligned=tuple(aligned))

    def _query(self) -> Query:
        """A sequence, then a constraint and a window, each at most once and in either order."""
        scan, position = self._scan, self._scan.position
        sequence = self._alternation()
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
                constraint = self._condition(self._label_test(frozenset(labels_of(sequence))))
            else:
                within, sentences = self._window()
        return Query(sequence, constraint, within, (), scan.text, position, sentences)

    def _window(self) -> tuple[int | None, int]:
        """What stands behind ``within``: the most tokens that a match may have, and in how many sentences."""
        scan, position = self._scan, self._scan.position
        if (number := scan.number()) is None:
            if scan.name() != "s":
                scan.fail("expected s or a number of tokens; the sentence s is the only region", position)
            return None, 1
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
            scan.fail("expected a language such as jpn or en behind the colon", place)
        negated = scan.accept("!")
        return Aligned(language, negated, self._query(), position)

    def _alternation(self) -> Node:
        position, branches = self._scan.position, [self._sequence()]
        while self._scan.accept("|"):
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else Alternation(tuple(branches), position)

    def _sequence(self) -> Node:
        scan, position, items = self._scan, self._scan.position, [self._repetition()]
        while not (scan.at_end or scan.peek_name() == "within" or any(map(scan.sees, (")", "|", ":", ";")))):
            items.append(self._repetition())
        return items[0] if len(items) == 1 else Sequence(tuple(items), position)

    def _repetition(self) -> Node:
        item, position = self._item(), self._scan.position
        for symbol, least, most in (("?", 0, 1), ("*", 0, None), ("+", 1, None)):
            if self._scan.accept(symbol):
                return Repetition(item, least, most, position)
        if not self._scan.accept("{"):
            return item
        return Repetition(item, *self._bounds(position), position)

    def _bounds(self, position: int) -> tuple[int, int | None]:
        """What stands between braces."""
        scan = self._scan
        least = scan.number()
        most = scan.number() if (comma := scan.accept(",")) else least
        if least is None and most is None:
            scan.fail("expected a number: {2}, {2,}, {2,5} or {,5}")
        scan.expect("}", " behind the numbers")
        if max(least or 0, most or 0) > MAX_REPEATS:
            scan.fail(f"at most {MAX_REPEATS} repetitions can be asked for; {{2,}} has no upper bound", position)
        if comma and most is not None and most < (least or 0):
            scan.fail(f"the smaller number comes first: {{{most},{least}}}", position)
        return least or 0, most

    def _item(self) -> Node:
        scan, position = self._scan, self._scan.position
        label = scan.label()
        token = self._token(label)
        if token is not None:
            return token
        if label is not None:
            scan.fail("a label stands before a token: a:[...]", position)
        if scan.accept("<s>"):
            return Anchor("start", position)
        if scan.accept("</s>"):
            return Anchor("end", position)
        if scan.accept("("):
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
        """``word = "regex"`` in brackets, or the same of another attribute."""
        scan, position = self._scan, self._scan.position
        self._refuse_reference()
        name = scan.name()
        if name is None:
            scan.fail_here('a condition such as word = "regex"')
        equal = self._equality()
        self._refuse_reference()
        pattern = scan.string()
        if pattern is None:
            scan.fail_here('a string such as "regex"')
        return WordTest(None, equal, pattern, position, name)

    def _refuse_reference(self) -> None:
        if self._scan.sees_reference():
            self._scan.fail("labels are compared behind the query: a:[] b:[] :: a.word = b.word")

    def _equality(self) -> bool:
        """Read ``=`` or ``!=`` and tell which."""
        if self._scan.sees("=="):
            self._scan.fail('for a literal string write = "..."%l')
        if not (self._scan.sees("=") or self._scan.sees("!=")):
            self._scan.fail("expected = or !=")
        return self._scan.accept("=") or not self._scan.accept("!=")

    def _label_test(self, labels: frozenset[str]) -> Callable[[], Condition]:
        """The rule for one test of a constraint on these labels: ``a.word = b.word`` or ``a.word = "regex"``."""
        scan = self._scan

        def reference() -> tuple[str, str]:
            """A label and the attribute behind it."""
            position, label = scan.position, scan.name()
            if label is None:
                scan.fail_here("a labelled token such as a.word")
            if scan.sees("(") or label not in labels:
                known = f"; there {'is' if len(labels) == 1 else 'are'} {', '.join(sorted(labels))}" if labels else ""
                scan.fail(f"no label {label} in this query{known}", position)
            scan.expect(".", f" and an attribute behind the label {label}: {label}.word")
            attribute = scan.name()
            if attribute is None:
                scan.fail(f"expected an attribute behind the label: {label}.word")
            return label, attribute

        def test() -> Condition:
            position, (left, attribute) = scan.position, reference()
            equal = self._equality()
            if (pattern := scan.string()) is not None:
                return WordTest(left, equal, pattern, position, attribute)
            (right, other), flags = reference(), scan.flags("cd")
            return WordPair(left, right, equal, "c" in flags, "d" in flags, position, attribute, other)

        return test
