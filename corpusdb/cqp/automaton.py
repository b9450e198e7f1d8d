"""The automaton of a sequence: one state for each token expression, as Glushkov (1961) builds it.

Being in a state means that its token expression has just matched. Anchors need no states: ``<s>`` holds before the
first token of a match, and ``</s>`` behind the last. Between two tokens of a match both say that a sentence ends there,
which only happens where a match may cross sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpusdb.cqp.syntax import Alternation, Anchor, Node, Repetition, Sequence, Token

__all__ = ["Automaton", "build"]


@dataclass(frozen=True, slots=True)
class Automaton:
    """States are indices in ``tokens``; a bounded quantifier repeats its tokens."""

    tokens: tuple[Token, ...]
    first: Mapping[int, bool]
    """The states in which a match can begin; true: only at the start of a sentence."""
    last: Mapping[int, bool]
    """The states in which a match can end; true: only at the end of a sentence."""
    sources: Mapping[int, tuple[int, ...]]
    """For each state that can follow others, those that it can follow."""
    crossing: Mapping[int, tuple[int, ...]]
    """The same of those that it can follow only as the first token of another sentence."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Part of an automaton; the booleans say whether the way to it, or from it, passes an anchor."""

    first: dict[int, bool]
    last: dict[int, bool]
    empty: frozenset[frozenset[str]]
    """The ways to pass it without a token, each as the anchors on it."""
    inner_first: dict[int, bool]
    """As ``first`` and ``last`` where tokens stand before and behind it, so that either anchor may be on the way."""
    inner_last: dict[int, bool]


_NOTHING = _Part({}, {}, frozenset([frozenset()]), {}, {})


def build(sequence: Node) -> Automaton:
    """The automaton that matches what ``sequence`` matches."""
    builder = _Builder()
    whole = builder.part(sequence)
    plain: dict[int, list[int]] = {}
    crossing: dict[int, list[int]] = {}
    for (before, state), is_crossing in sorted(builder.links.items()):
        (crossing if is_crossing else plain).setdefault(state, []).append(before)
    sources, others = ({state: tuple(befores) for state, befores in each.items()} for each in (plain, crossing))
    return Automaton(tuple(builder.tokens), whole.first, whole.last, sources, others)


class _Builder:
    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.links: dict[tuple[int, int], bool] = {}
        """Which state can follow which; true: only in another sentence."""

    def part(self, node: Node) -> _Part:
        match node:
            case Token():
                state = len(self.tokens)
                self.tokens.append(node)
                return _Part({state: False}, {state: False}, frozenset(), {state: False}, {state: False})
            case Anchor(side=side):
                return _Part({}, {}, frozenset([frozenset([side])]), {}, {})
            case Sequence(items=items):
                whole = _NOTHING
                for item in items:
                    whole = self._joined(whole, self.part(item))
                return whole
            case Alternation(branches=branches):
                return _either(*map(self.part, branches))
            case Repetition():
                return self._repeated(node)

    def _repeated(self, node: Repetition) -> _Part:
        if node.most is None:
            copies = [self.part(node.item) for _ in range(max(node.least, 1))]
            self._link(copies[-1].inner_last, copies[-1].inner_first)
            whole = copies[-1] if node.least else _either(copies[-1], _NOTHING)
            copies.pop()
        else:
            copies = [self.part(node.item) for _ in range(node.most)]
            whole = _NOTHING
            # x{0,3} as (x (x x?)?)?, which has a third of the transitions of x? x? x?
            for optional in reversed(copies[node.least :]):
                whole = _either(self._joined(optional, whole), _NOTHING)
            del copies[node.least :]
        for copy in reversed(copies):
            whole = self._joined(copy, whole)
        return whole

    def _joined(self, left: _Part, right: _Part) -> _Part:
        """``left`` and behind it ``right``."""
        self._link(left.inner_last, right.inner_first)
        before = [("start" in anchors) for anchors in left.empty if "end" not in anchors]
        behind = [("end" in anchors) for anchors in right.empty if "start" not in anchors]
        first, last = dict(left.first), dict(right.last)
        for anchored in before:
            _add(first, {state: anchored or also for state, also in right.first.items()})
        for anchored in behind:
            _add(last, {state: anchored or also for state, also in left.last.items()})
        inner_first, inner_last = dict(left.inner_first), dict(right.inner_last)
        for anchors in left.empty:
            _add(inner_first, {state: bool(anchors) or also for state, also in right.inner_first.items()})
        for anchors in right.empty:
            _add(inner_last, {state: bool(anchors) or also for state, also in left.inner_last.items()})
        empty = frozenset(one | other for one in left.empty for other in right.empty)
        return _Part(first, last, empty, inner_first, inner_last)

    def _link(self, last: dict[int, bool], first: dict[int, bool]) -> None:
        """Let the states in ``first`` follow those in ``last``; where an anchor is in between, in another sentence."""
        for before, ends in last.items():
            for state, begins in first.items():
                link = before, state
                self.links[link] = (ends or begins) and self.links.get(link, True)


def _either(*parts: _Part) -> _Part:
    first, last, inner_first, inner_last = dict[int, bool](), dict[int, bool](), dict[int, bool](), dict[int, bool]()
    for part in parts:
        _add(first, part.first)
        _add(last, part.last)
        _add(inner_first, part.inner_first)
        _add(inner_last, part.inner_last)
    empty = frozenset(anchors for part in parts for anchors in part.empty)
    return _Part(first, last, empty, inner_first, inner_last)


def _add(states: dict[int, bool], more: dict[int, bool]) -> None:
    """Note ``more`` ways; one without an anchor makes the others superfluous."""
    for state, anchored in more.items():
        states[state] = anchored and states.get(state, True)
